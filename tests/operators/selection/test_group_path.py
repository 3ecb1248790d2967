"""Selection of groups of attributes by the path of the group lasso."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.data import Attribute, ValueType
from fsops.errors import DataError, OperatorWarning
from fsops.operators import (
    mark_attributes,
    nominal_to_numerical,
    retrieve,
    select_by_group_lasso_path,
    set_attribute_groups,
)
from fsops.sklearn import selector


def numbers(seed=1, n=80, p=24):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + X[:, 1] - X[:, 2] - X[:, 3] + 2 * X[:, 9] + rng.normal(size=n)


def grouped(X, y, groups=None, **more):
    four = {f"block {k + 1}": "|".join(f"att{4 * k + j}" for j in range(1, 5)) for k in range(6)}
    table = ExampleSet.from_numpy(X, y)
    return set_attribute_groups(table, source="patterns", groups=groups or four, **more)


def test_whole_groups_are_selected_and_listed():
    found = select_by_group_lasso_path(grouped(*numbers()))
    chosen = (found.weights.values > 0).reshape(6, 4)
    assert (chosen.all(axis=1) == chosen.any(axis=1)).all()
    assert chosen[0].all()
    assert found.weights.details["group"].tolist()[:5] == ["block 1"] * 4 + ["block 2"]
    table = found.groups.to_pandas()
    assert set(table["group"]) == {f"block {k + 1}" for k in np.flatnonzero(chosen.any(axis=1))}
    assert (table["attributes"] == 4).all()
    assert (np.diff(table["norm"]) <= 0).all()
    norm = np.linalg.norm(found.weights.details["coefficient"][:4])
    assert table["norm"][table["group"] == "block 1"].item() == pytest.approx(norm)
    assert found.weights.details["group_norm"][0] == pytest.approx(norm)


def test_the_sparse_group_lasso_drops_attributes_of_selected_groups():
    found = select_by_group_lasso_path(grouped(*numbers()), l1_ratio=0.7)
    table = found.groups.to_pandas().set_index("group")
    assert table["selected_attributes"]["block 1"] == 4
    assert table["selected_attributes"]["block 3"] < 4
    assert found.weights.values[9] > 0


def test_one_standard_error_selects_fewer_than_the_best():
    data = grouped(*numbers())
    few, best = (select_by_group_lasso_path(data, choose=c) for c in ("one_standard_error", "best"))
    assert few.curve.chosen[0] < best.curve.chosen[0]
    assert few.curve.chosen == (np.count_nonzero(few.weights.values),)
    at = few.path.coefficients[few.path.chosen]
    np.testing.assert_array_equal(
        at[at != 0], few.weights.details["coefficient"][few.weights.values > 0]
    )


def test_groups_that_overlap_are_united():
    X, y = numbers()
    sets = {"one": "att[1-5]", "two": "att([4-8])", "three": "att1[0-9]"}
    found = select_by_group_lasso_path(grouped(X, y, sets))
    chosen = found.weights.values > 0
    assert chosen[:5].all()
    assert found.weights.details["group"][3] == "one"
    listed = found.groups.to_pandas()["group"].tolist()
    assert "one" in listed
    members = {"one": range(5), "two": range(3, 8), "three": range(9, 19)}
    alone = {f"att{j + 1}": [j] for j in (8, *range(19, 24))}
    union = {j for name in listed for j in {**members, **alone}[name]}
    assert set(np.flatnonzero(chosen)) == union


def test_a_table_without_groups_is_the_lasso_with_a_warning():
    with pytest.warns(OperatorWarning, match="no groups of attributes"):
        found = select_by_group_lasso_path(ExampleSet.from_numpy(*numbers()))
    assert found.weights.details["group"].tolist()[0] == "att1"
    assert set(found.weights.top(1)) == {"att10"}


def test_coded_columns_of_an_attribute_are_one_group():
    data = retrieve(repository_entry="golf")
    coded = nominal_to_numerical(data).examples
    found = select_by_group_lasso_path(coded, number_of_folds=3, choose="best")
    outlook = found.weights.details["group"] == "Outlook"
    assert outlook.sum() == 3
    assert len(set((found.weights.values > 0)[outlook])) == 1


def test_bound_groups_and_attributes_to_keep_are_completed():
    data = grouped(*numbers(), select_together=True)
    kept = mark_attributes(data, attribute_filter_type="single", attribute="att24")
    chosen = select_by_group_lasso_path(kept, l1_ratio=0.7).weights.values > 0
    blocks = chosen.reshape(6, 4)
    assert (blocks.all(axis=1) == blocks.any(axis=1)).all()
    assert blocks[5].all()


def test_classes_are_numbers_if_they_are_two():
    X, y = numbers()
    found = select_by_group_lasso_path(grouped(X, np.where(y > 0, "b", "a")))
    assert found.weights.values[:4].all()
    with pytest.raises(DataError):
        select_by_group_lasso_path(
            grouped(X, np.arange(80) % 3 > 0).with_columns(
                [(Attribute.nominal("label", ("a", "b", "c"), "label"), np.arange(80) % 3)]
            )
        )


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_a_weight_is_the_number_of_copies_of_a_row_in_a_group_of_rows(l1_ratio):
    X, y = numbers()
    times = np.resize([1, 2, 0, 1, 4], 80)
    table = grouped(X, y)
    weight = (Attribute("w", ValueType.REAL, "weight"), times.astype(float))
    unit = (Attribute("unit", ValueType.REAL, "group"), np.arange(80.0))
    given = {"l1_ratio": l1_ratio, "choose": "best", "steps": 20}
    one = select_by_group_lasso_path(table.with_columns([weight]), **given)
    copies = table.with_columns([unit]).take(np.repeat(np.arange(80), times))
    two = select_by_group_lasso_path(copies, **given)
    np.testing.assert_allclose(one.weights.values, two.weights.values, atol=1e-6)
    np.testing.assert_allclose(one.curve.scores, two.curve.scores, rtol=1e-6)
    assert one.curve.chosen == two.curve.chosen
    assert one.groups.column("group").tolist() == two.groups.column("group").tolist()


def test_missing_values_and_noise_are_refused_with_a_sentence():
    X, y = numbers()
    with pytest.raises(DataError, match="no attribute that is related to the label"):
        select_by_group_lasso_path(grouped(np.ones((80, 24)), y))
    X[3, 3] = np.nan
    with pytest.raises(DataError, match="missing"):
        select_by_group_lasso_path(grouped(X, y))


def test_the_selector_of_scikit_learn_selects_the_same():
    X, y = numbers()
    with pytest.warns(OperatorWarning, match="no groups"):
        fitted = selector("select_by_group_lasso_path", number_of_folds=5).fit(X, y)
    assert fitted.get_support()[9]
