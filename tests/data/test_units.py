"""Units of a selection: single attributes and groups, some of which must be kept."""

import numpy as np
import pytest

from fsops.data import AttributeWeights, ExampleSet
from fsops.data.schema import FORBIDDEN, MUST_KEEP
from fsops.data.units import Units, forced, units_of_schema

NAN = np.nan


def weights(values, kept=None, groups=None) -> AttributeWeights:
    details = {}
    if kept is not None:
        details["must_keep"] = np.array(kept)
    if groups is not None:
        details["attribute_group"] = np.array(groups)
    return AttributeWeights([f"a{i}" for i in range(len(values))], values, details=details)


def test_the_best_have_those_to_keep_and_count_them():
    found = weights([5.0, 1.0, 4.0, 3.0], kept=[0, 1, 0, 0])
    assert found.top(2) == ("a0", "a1")
    assert found.top(1) == ("a1",)
    assert found.top(3) == ("a0", "a2", "a1")


def test_more_to_keep_than_asked_for_are_all_kept():
    assert weights([5.0, 1.0, NAN], kept=[0, 1, 1]).top(1) == ("a1", "a2")


def test_a_group_counts_as_one_with_its_best_weight():
    found = weights([1.0, 3.0, 2.0, 9.0, NAN], groups=["g", "", "", "g", "g"])
    assert found.top(1) == ("a0", "a3", "a4")
    assert found.top(2) == ("a0", "a3", "a4", "a1")


def test_selected_completes_groups_and_what_must_be_kept():
    found = weights([0.0, 1.0, 0.0, NAN], kept=[1, 0, 0, 0], groups=["", "g", "", "g"])
    assert found.selected() == ("a0", "a1", "a3")


def test_other_values_keep_the_marks():
    found = weights([1.0, 2.0], kept=[1, 0]).with_values([0.0, 0.0])
    assert found.selected() == ("a0",)


def test_forced_gives_the_smallest_weight_of_the_selected():
    found = forced(weights([0.0, -2.0, 3.0, 0.0], kept=[1, 0, 0, 0]))
    assert found.values.tolist() == [2.0, -2.0, 3.0, 0.0]
    assert forced(weights([0.0, 0.0], kept=[1, 0])).values.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("seed", range(20))
def test_units_agree_with_a_plain_search_of_groups(seed):
    rng = np.random.default_rng(seed)
    p = 12
    groups = rng.integers(-1, 4, p)
    kept = rng.random(p) < 0.2
    units = Units.of(groups, kept)
    sets = [{j} for j in range(p) if groups[j] < 0]
    sets += [set(np.flatnonzero(groups == g)) for g in range(4) if (groups == g).any()]
    assert {frozenset(np.flatnonzero(units.unit_of == u)) for u in range(len(units))} == set(
        map(frozenset, sets)
    )
    values = rng.permutation(p).astype(float)
    needed = [s for s in sets if any(kept[j] for j in s)]
    others = sorted((s for s in sets if s not in needed), key=lambda s: -max(values[list(s)]))
    for k in range(1, len(sets) + 1):
        chosen = needed + others[: max(k - len(needed), 0)]
        assert set(units.best(values, k).positions.tolist()) == set().union(*chosen)


def test_marks_are_roles_of_the_table():
    examples = ExampleSet.from_numpy(np.ones((2, 4)), ["x", "y"])
    marked = examples.with_roles({"att1": MUST_KEEP, "att3": MUST_KEEP, "att4": FORBIDDEN})
    schema = marked.schema
    assert schema.regular_names == ("att1", "att2", "att3")
    assert schema.roles == {"label": "label", "att4": "forbidden"}
    assert schema.attribute("att1").is_regular
    assert schema.attribute("att1").role == MUST_KEEP
    assert marked.select(["att3", "att4"]).schema.noted_roles == {
        "att3": "must_keep", "att4": "forbidden",
    }  # fmt: skip
    assert marked.features(np.array([1])).schema.roles == schema.roles
    assert units_of_schema(schema).kept.tolist() == [True, False, True]
    assert marked.fingerprint() != examples.fingerprint()
    regular = marked.with_mark(["att1", "att3", "att4"], "regular")
    assert regular.equals(examples)
    assert marked.beside(ExampleSet.from_numpy(np.ones((2, 1)), names=["new"])).schema.marked(
        MUST_KEEP
    ).tolist() == [0, 2]


def test_a_label_that_is_marked_is_no_label():
    examples = ExampleSet.from_numpy(np.ones((2, 2)), ["x", "y"]).with_mark(["label"], MUST_KEEP)
    assert examples.schema.label is None
    assert examples.with_roles({"label": "label"}).schema.marks is None


def test_arrow_keeps_the_roles():
    examples = ExampleSet.from_numpy(np.ones((2, 3)), ["x", "y"])
    marked = examples.with_roles({"att1": MUST_KEEP, "att2": FORBIDDEN})
    assert ExampleSet.from_arrow(marked.to_arrow()).equals(marked)
