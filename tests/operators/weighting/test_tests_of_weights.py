"""P-values of weights: permuted labels, and adjustments."""

import numpy as np
import pytest
from scipy import stats

from fsops import AttributeWeights, ExampleSet
from fsops.errors import DataError
from fsops.operators import (
    adjust_p_values,
    permutation_test_of_weights,
    weight_by_correlation,
    weight_by_t_test,
    weight_by_welch_test,
)


def table(n=24, p=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + rng.normal(size=(n, 1))
    y = np.repeat(["a", "b"], n // 2)
    X[:, :2] += 6 * (y == "b")[:, None]
    return ExampleSet.from_numpy(X, y)


def test_p_values_are_those_of_scipy_over_all_permutations():
    X = table(n=8, p=4).numeric()
    y = np.array(list("aaaabbbb"))
    found = permutation_test_of_weights(ExampleSet.from_numpy(X, y), weight_by_t_test)
    exact = stats.permutation_test(
        (X[:4], X[4:]),
        lambda a, b, axis: stats.ttest_ind(a, b, axis=axis).statistic ** 2,
        alternative="greater",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert found.details["p_value"] == pytest.approx(exact.pvalue)
    assert found.values == pytest.approx(1 - found.details["adjusted_p_value"])


def test_correlated_attributes_need_less_adjustment_than_by_bonferroni():
    found = permutation_test_of_weights(table(), weight_by_t_test, permutations=299)
    adjusted, alone = found.details["adjusted_p_value"], found.details["p_value"]
    assert (adjusted >= alone).all()
    assert adjusted[:2].max() <= 0.02
    assert adjusted[2:].min() > 0.05
    assert (adjusted <= np.minimum(1, 30 * alone)).all()


def test_noise_is_rarely_significant():
    rng = np.random.default_rng(5)
    smallest = []
    for _ in range(12):
        noise = ExampleSet.from_numpy(rng.normal(size=(14, 6)), np.arange(14) % 2)
        found = permutation_test_of_weights(noise, weight_by_t_test, permutations=39)
        smallest.append(found.details["adjusted_p_value"].min())
    assert np.mean(np.array(smallest) <= 0.1) <= 0.3
    assert np.mean(smallest) > 0.3


def test_pairs_exchange_labels_within_themselves():
    frame = table().to_pandas().assign(pair=np.tile(np.arange(12), 2))
    roles = {"label": "label", "pair": "pair"}
    seen = []

    def watched(part):
        seen.append(part.to_pandas())
        return weight_by_t_test(part)

    examples = ExampleSet.from_pandas(frame, roles=roles)
    permutation_test_of_weights(examples, watched, permutations=5)
    assert len(seen) == 6
    assert all(part.groupby("pair")["label"].nunique().eq(2).all() for part in seen)


def test_signs_count_if_wanted():
    X = np.arange(12.0)[:, None] * [1, -1]
    examples = ExampleSet.from_numpy(X, np.arange(12.0))

    def signed(part):
        return weight_by_correlation(part, signed=True)

    found = permutation_test_of_weights(
        examples, signed, permutations=99, use_absolute_weights=False, transformation="unchanged"
    )
    assert found.details["p_value"].tolist() == [0.01, 1.0]
    assert found.values == pytest.approx([1, -1])


def test_one_class_is_refused():
    with pytest.raises(DataError, match="All rows have the same value of the label"):
        permutation_test_of_weights(table().take(np.arange(5)), weight_by_t_test)


@pytest.mark.parametrize(
    ("ours", "theirs"), [("benjamini_hochberg", "bh"), ("benjamini_yekutieli", "by")]
)
def test_adjustments_of_weights_are_those_of_scipy(ours, theirs):
    weights = weight_by_welch_test(table())
    found = adjust_p_values(weights, adjustment=ours, transformation="neg_log10_p")
    expected = stats.false_discovery_control(weights.details["p_value"], method=theirs)
    assert found.details["adjusted_p_value"] == pytest.approx(expected)
    assert found.values == pytest.approx(-np.log10(expected))
    assert found.details["statistic"].tolist() == weights.details["statistic"].tolist()


def test_a_filter_adjusts_as_the_operator_does():
    inside = weight_by_welch_test(table(), adjustment="storey")
    after = adjust_p_values(weight_by_welch_test(table()), adjustment="storey")
    assert inside.details["adjusted_p_value"].tolist() == after.details["adjusted_p_value"].tolist()


@pytest.mark.parametrize("transformation", ["one_minus_p", "neg_log10_p", "unchanged"])
@pytest.mark.parametrize("adjustment", ["bonferroni", "holm", "benjamini_hochberg", "storey"])
def test_attributes_without_a_p_value_do_not_count(adjustment, transformation):
    """As in R, where p.adjust leaves out missing values."""
    p = np.array([np.nan, 0.001, 0.02, np.nan, 0.3, 0.7])
    tested = ~np.isnan(p)
    values = np.arange(6.0)
    weights = AttributeWeights("abcdef", values, details={"p_value": p})
    some = AttributeWeights("bcef", values[tested], details={"p_value": p[tested]})
    how = {"adjustment": adjustment, "transformation": transformation}
    found, expected = (adjust_p_values(each, **how) for each in (weights, some))
    adjusted = found.details["adjusted_p_value"]
    assert adjusted[tested].tolist() == expected.details["adjusted_p_value"].tolist()
    assert np.isnan(adjusted[~tested]).all()
    assert found.values[tested].tolist() == expected.values.tolist()
    assert found.values[~tested].tolist() == ([0, 3] if transformation == "unchanged" else [0, 0])


def test_weights_without_p_values_are_refused():
    with pytest.raises(DataError, match="The weights have no p-values"):
        adjust_p_values(AttributeWeights("ab", [1.0, 2.0]))
