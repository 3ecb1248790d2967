"""Describe Attributes: a row per attribute, and where its numbers come from."""

import math

import numpy as np
import pytest
from scipy import stats

from fsops.data import AttributeWeights, ExampleSet
from fsops.errors import DataError, FsopsError
from fsops.operators import describe_attributes, ensemble_feature_selection, weight_by_f_test


@pytest.fixture
def genes():
    """Return 40 rows of logarithms: g0 and its copy g1 differ by class, the others do not."""
    rng = np.random.default_rng(0)
    X = rng.normal(8, 1, size=(40, 60))
    y = np.array(["case", "control"] * 20)
    X[y == "case", 0] += 2
    X[:, 1] = X[:, 0] + 0.05 * rng.normal(size=40)
    X[3, 2] = np.nan
    return ExampleSet.from_numpy(X, y, names=[f"g{i}" for i in range(60)])


def test_direction_means_and_fold_change_are_those_of_the_classes(genes):
    found = describe_attributes(genes)
    frame = found.descriptions.to_pandas().set_index("attribute")
    x, y = genes.numeric()[:, 0], np.array(["case", "control"] * 20)
    means = x[y == "case"].mean(), x[y == "control"].mean()
    row = frame.loc["g0"]
    assert row["higher_in"] == "case"
    assert (row["mean case"], row["mean control"]) == pytest.approx(means)
    assert row["fold_change"] == pytest.approx(2 ** (means[1] - means[0]))
    assert row["p_value"] == pytest.approx(stats.ttest_ind(x[y == "case"], x[y != "case"]).pvalue)
    assert row["effect"] < row["upper"] < 0  # control minus case
    assert found.descriptions.effect == "Hedges' g"


def test_p_values_are_adjusted_for_all_attributes_also_if_few_are_described(genes):
    only = AttributeWeights(["g0", "g5"], [1.0, 2.0])
    every = describe_attributes(genes).descriptions.to_pandas().set_index("attribute")
    some = describe_attributes(genes, only).descriptions.to_pandas().set_index("attribute")
    assert list(some.index) == ["g5", "g0"]
    p = np.sort(every["p_value"].to_numpy())
    at = int((p <= every.loc["g5", "p_value"]).sum())
    expected = min(p[k - 1] * 60 / k for k in range(at, 61))
    assert some.loc["g5", "adjusted_p_value"] == pytest.approx(min(expected, 1))


def test_what_says_the_same_is_named(genes):
    frame = describe_attributes(genes).descriptions.to_pandas().set_index("attribute")
    assert frame.loc["g0", "goes_along_with"] == "g1"
    assert frame.loc["g0", "cluster"] == frame.loc["g1", "cluster"] == 1
    assert frame.loc["g0", "others"] == 1
    assert frame.loc["g9", "cluster"] == 0
    assert frame.loc["g9", "others"] == 0


def test_missing_values_are_left_out_for_their_attribute(genes):
    frame = describe_attributes(genes).descriptions.to_pandas().set_index("attribute")
    assert frame["missing"].to_dict()["g2"] == 1
    assert not math.isnan(frame.loc["g2", "effect"])


def test_ranks_of_a_clear_attribute_vary_little(genes):
    frame = describe_attributes(genes).descriptions.to_pandas().set_index("attribute")
    assert frame.loc["g0", "rank_high"] <= 3
    assert frame.loc["g9", "rank_high"] - frame.loc["g9", "rank_low"] > 10
    complete = genes.drop(["g2"])
    again = describe_attributes(complete).descriptions.to_pandas().set_index("attribute")
    # Without the gap all resamples are computed at once, with nearly the same places.
    assert again.loc["g0", "rank_high"] <= 3


def test_no_resamples_give_no_ranks(genes):
    assert "rank_low" not in describe_attributes(genes, resamples=0).table.schema


def test_an_ensemble_brings_its_frequency_once_and_its_order(genes):
    complete = genes.drop(["g2"])
    how = {"iterations": 20, "combination": "frequency", "list_length": 5, "keep_best": 5}
    weights = ensemble_feature_selection(complete, weight_by_f_test, **how)
    frame = describe_attributes(complete, weights).descriptions.to_pandas()
    assert len(frame) == 5
    assert "weight" not in frame
    assert frame["place"].tolist() == [1, 2, 3, 4, 5]
    rank = dict(zip(weights.names, weights.details["rank"].tolist(), strict=True))
    assert [rank[name] for name in frame["attribute"]] == [1, 2, 3, 4, 5]
    assert frame["frequency"].is_monotonic_decreasing


def test_three_classes_and_numbers_have_effects_of_their_own(genes):
    X = genes.numeric()
    three = ExampleSet.from_numpy(X, ["a", "b", "c", "a"] * 10)
    found = describe_attributes(three, values="plain").descriptions
    assert found.effect == "omega squared"
    assert found.groups == ("a", "b", "c")
    assert "fold_change" not in found.columns
    numbers = describe_attributes(ExampleSet.from_numpy(X, X[:, 0] * 2.0)).descriptions
    assert numbers.effect == "r"
    assert numbers.groups == ("low", "middle", "high")
    assert numbers.columns["direction"][0] == "rises"
    assert numbers.columns["effect"][0] == pytest.approx(1)
    low, middle, high = numbers.boxes[0, :, 2]
    assert low < middle < high


def test_few_attributes_and_constants_are_described():
    X = np.column_stack([np.ones(6), [1e30, 2e30, 1, 2, 3, 4], [0, 0, 0, 1, 1, 1]])
    found = describe_attributes(ExampleSet.from_numpy(X, list("aaabbb"))).descriptions
    assert found.columns["higher_in"].tolist() == ["", "a", "b"]
    assert math.isnan(found.columns["effect"][0])
    assert found.columns["effect"][2] == math.inf


def test_weights_of_another_table_are_refused(genes):
    with pytest.raises(DataError, match='name "x".*no such attribute'):
        describe_attributes(genes, AttributeWeights(["x"], [1.0]))


@pytest.mark.parametrize("link", ["javascript:alert({attribute})", "https://example.org/"])
def test_a_link_must_be_a_web_address_with_the_name(genes, link):
    with pytest.raises(FsopsError, match=r"\{attribute\}"):
        describe_attributes(genes, link=link)


def test_equal_descriptions_are_equal(genes):
    one, two = (describe_attributes(genes).descriptions for _ in range(2))
    assert one.equals(two)
    assert not one.equals(describe_attributes(genes, resamples=0).descriptions)
    assert repr(one) == "<AttributeDescriptions of 60 of 60 attributes>"
