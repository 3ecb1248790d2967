"""The moderated t takes its design from the roles of the table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import DataError
from fsops.operators import weight_by_moderated_t, weight_by_t_test
from fsops.sklearn import selector

LIMMA = Path(__file__).parents[2] / "algorithms" / "filters" / "limma"
TABLE = pd.read_csv(LIMMA / "table.csv", skipinitialspace=True)
VALUES = pd.read_csv(LIMMA / "values.csv", skipinitialspace=True)


def table(label, roles=None, kind="x"):
    values = TABLE.filter(regex=f"^{kind}\\d")
    roles = roles or {}
    columns = TABLE[[label, *roles]].copy()
    columns[label] = columns[label].map("class {}".format)
    frame = pd.concat([columns, values.astype(float)], axis=1)
    return ExampleSet.from_pandas(frame, roles={label: "label", **roles})


CASES = {
    "two": ("two", None, "x", {}),
    "two trend": ("two", None, "x", {"trend": True}),
    "pair": ("two", {"pair": "pair"}, "x", {}),
    "batch and covariate": ("two", {"batch": "batch", "year": "covariate"}, "x", {"trend": True}),
    "missing": ("two", None, "missing", {}),
    "three": ("three", None, "x", {}),
    "three batch": ("three", {"batch": "batch", "year": "covariate"}, "x", {"trend": True}),
}


@pytest.mark.parametrize("case", CASES)
def test_roles_make_the_design_of_limma(case):
    label, roles, kind, parameters = CASES[case]
    found = weight_by_moderated_t(table(label, roles, kind), missing="pairwise", **parameters)
    expected = VALUES[VALUES["case"] == case]
    theirs = expected["statistic"].abs().fillna(0)
    np.testing.assert_allclose(found.values, theirs, rtol=1e-6, atol=1e-10)
    p = expected["p_value"].fillna(1)
    np.testing.assert_allclose(found.details["p_value"], p, rtol=1e-6, atol=1e-10)


def test_a_group_with_both_labels_is_a_block_like_a_pair():
    pairs, groups = (
        weight_by_moderated_t(table("two", {"pair": role})).values for role in ("pair", "group")
    )
    assert groups == pytest.approx(pairs)
    without = weight_by_moderated_t(table("two", {"pair": "pair"}), adjust=False).values
    assert without == pytest.approx(weight_by_moderated_t(table("two")).values)
    assert np.abs(without - pairs).max() > 0.1


def test_groups_with_one_label_each_are_named_in_a_warning():
    with pytest.warns(UserWarning, match='one "patient" have the same label'):
        found = weight_by_moderated_t(table("arm", {"patient": "group"}))
    assert found.values == pytest.approx(weight_by_moderated_t(table("arm")).values)


def test_batches_of_one_class_are_refused():
    with pytest.raises(DataError, match='"two" cannot be compared given "batch"') as error:
        weight_by_moderated_t(
            ExampleSet.from_pandas(
                pd.DataFrame(
                    {"batch": TABLE["two"].map("b{}".format), "two": TABLE["two"].map(str),
                     "x1": TABLE["x1"]}
                ),
                roles={"two": "label", "batch": "batch"},
            )
        )  # fmt: skip
    assert "adjust" in error.value.hint


def test_a_missing_covariate_is_named():
    frame = pd.DataFrame(
        {"two": TABLE["two"].map(str), "age": TABLE["year"].astype(float), "x1": TABLE["x1"]}
    )
    frame.loc[3, "age"] = np.nan
    with pytest.raises(DataError, match='covariate attribute "age" is missing in row 4'):
        weight_by_moderated_t(
            ExampleSet.from_pandas(frame, roles={"two": "label", "age": "covariate"})
        )


def test_a_number_as_label_gives_the_slope():
    frame = pd.concat([TABLE[["year"]].astype(float), TABLE.filter(regex=r"^x\d")], axis=1)
    found = weight_by_moderated_t(ExampleSet.from_pandas(frame, roles={"year": "label"}))
    expected = VALUES[VALUES["case"] == "number"]["statistic"]
    np.testing.assert_allclose(found.details["statistic"], expected, rtol=1e-6, atol=1e-10)
    slope = np.polyfit(TABLE["year"] - 1930.0, TABLE["x1"], 1)[0]  # of the attribute on the label
    assert found.details["coefficient"][0] == pytest.approx(slope, rel=1e-6)


def test_constant_attributes_are_named_as_a_problem():
    X = np.zeros((10, 8))
    X[:, :3] = np.random.default_rng(0).normal(size=(10, 3))
    with pytest.warns(UserWarning, match="do not vary within the classes"):
        found = weight_by_moderated_t(ExampleSet.from_numpy(X, np.array(["a", "b"] * 5)))
    assert (found.values[3:] == 0).all()
    assert (found.values[:3] > 0).all()


def test_a_single_attribute_has_the_ordinary_t():
    examples = table("two").select(["two", "x1"])
    expected = weight_by_t_test(examples).values
    assert weight_by_moderated_t(examples).values == pytest.approx(expected)


def test_it_is_a_selector_of_scikit_learn():
    X, y = TABLE.filter(regex=r"^x\d").to_numpy(), TABLE["two"].to_numpy()
    chosen = selector("weight_by_moderated_t", k=3).fit(X, y).get_support(indices=True)
    best = VALUES[VALUES["case"] == "two"]["statistic"].abs().to_numpy().argsort()[-3:]
    assert sorted(best) == chosen.tolist()
