"""Groups of attributes follow the attributes of a table."""

import pickle

import numpy as np
import pytest

from fsops.data import ExampleSet
from fsops.data.attribute_groups import AttributeGroups
from fsops.errors import DataError


def table(p: int = 6) -> ExampleSet:
    rng = np.random.default_rng(0)
    names = [f"a{j}" for j in range(p)]
    return ExampleSet.from_numpy(rng.normal(size=(8, p)), ["x", "y"] * 4, names=names)


def by_name(examples: ExampleSet) -> dict[str, list[str]]:
    groups = examples.schema.groups
    if groups is None:
        return {}
    return {
        name: [examples.names[p] for p in groups.positions(i)]
        for i, name in enumerate(groups.names)
    }


SETS = {"first": [0, 1], "second": [2, 4], "wide": [0, 2, 4, 5]}


def test_groups_follow_selected_and_reordered_attributes():
    grouped = table().with_groups(AttributeGroups.of(SETS))
    assert by_name(grouped) == {
        "first": ["a0", "a1"], "second": ["a2", "a4"], "wide": ["a0", "a2", "a4", "a5"],
    }  # fmt: skip
    chosen = grouped.select(["a4", "a1", "a5", "label"])
    assert by_name(chosen) == {"first": ["a1"], "second": ["a4"], "wide": ["a4", "a5"]}
    assert by_name(grouped.select(["a3"])) == {}
    assert by_name(grouped.features(np.array([0, 1]))) == {"first": ["a0", "a1"], "wide": ["a0"]}


def test_groups_follow_rows_renaming_and_new_values():
    grouped = table().with_groups(AttributeGroups.of(SETS))
    assert by_name(grouped.take([1, 0])) == by_name(grouped)
    assert by_name(grouped.rename({"a1": "b"}))["first"] == ["a0", "b"]
    changed = grouped.with_numbers(np.array([0]), np.ones((8, 1)))
    assert by_name(changed) == by_name(grouped)
    attribute = grouped.schema.attribute("a0")
    assert by_name(grouped.with_values([(attribute, np.zeros(8))])) == by_name(grouped)


def test_tables_side_by_side_join_groups_of_one_name():
    left = table(2).with_groups(AttributeGroups.of({"g": [0], "h": [1]}, bound=True))
    right = ExampleSet.from_numpy(np.ones((8, 2)), names=["c", "d"])
    right = right.with_groups(AttributeGroups.of({"g": [1], "new": [0]}))
    joined = left.beside(right)
    assert by_name(joined) == {"g": ["a0", "d"], "h": ["a1"], "new": ["c"]}
    assert joined.schema.groups.bound.tolist() == [False, True, False]


def test_bound_groups_must_not_overlap():
    with pytest.raises(DataError, match='must not overlap, but "first", "wide" have'):
        AttributeGroups.of(SETS, bound=True)
    assert AttributeGroups.of(SETS).bound_codes(6) is None


def test_groups_belong_to_the_identity_of_a_table():
    plain = table()
    grouped = plain.with_groups(AttributeGroups.of(SETS))
    assert not plain.equals(grouped)
    assert plain.fingerprint() != grouped.fingerprint()
    assert grouped.with_groups(None).fingerprint() == plain.fingerprint()
    assert pickle.loads(pickle.dumps(grouped)).equals(grouped)


def test_forged_groups_and_marks_of_a_cached_table_are_refused():
    from fsops.engine.cache.table_checks import check_table

    sound = table().with_mark(["a1"], "must_keep").with_groups(AttributeGroups.of(SETS))
    check_table(sound)
    check_table(table().with_roles({"a0": "covariate", "a1": "covariate"}))
    sound.schema.groups.members[0] = 99
    with pytest.raises(ValueError, match="groups do not fit"):
        check_table(sound)
    marked = table().with_mark(["a1"], "must_keep")
    marked.schema.marks[0] = 7
    with pytest.raises(ValueError, match="do not fit"):
        check_table(marked)
