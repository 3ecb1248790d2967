"""Stability of selections."""

import itertools

import numpy as np
import pytest
from scipy.stats import kendalltau

from fsops import Context
from fsops.operators import (
    feature_selection_stability_validation,
    retrieve,
    select_by_mrmr_cfs,
    weight_by_correlation,
    weight_by_sam,
)


@pytest.fixture
def examples():
    return retrieve(repository_entry="breast cancer")


def test_measures_agree_with_a_plain_computation_over_all_pairs(examples):
    seen = []

    def weigh(sample):
        weights = weight_by_correlation(sample)
        seen.append(weights)
        return weights

    found = feature_selection_stability_validation(
        examples, weigh, iterations=6, k=7, sampling="bootstrap", sample_fraction=1.0
    )
    p, k = 30, 7
    pairs = list(itertools.combinations([set(w.top(k)) for w in seen], 2))
    kuncheva = [(len(a & b) - k * k / p) / (k - k * k / p) for a, b in pairs]
    jaccard = [len(a & b) / len(a | b) for a, b in pairs]
    assert found.performance.main.name == "kuncheva"
    assert found.performance["kuncheva"].mean == pytest.approx(np.mean(kuncheva))
    assert found.performance["jaccard"].mean == pytest.approx(np.mean(jaccard))
    correlations = np.corrcoef([w.values for w in seen])[np.triu_indices(6, 1)]
    assert found.performance["weight_correlation"].mean == pytest.approx(correlations.mean())
    assert found.stability.by_size["kuncheva"][k - 1] == pytest.approx(np.mean(kuncheva))
    # With sets of one size Nogueira's measure is the mean Kuncheva index.
    assert found.performance["nogueira"].mean == pytest.approx(np.mean(kuncheva))
    low, high = (found.performance[f"nogueira_{end}"].mean for end in ("lower", "upper"))
    assert low <= found.performance["nogueira"].mean <= high


def test_selection_that_never_changes_is_perfectly_stable(examples):
    found = feature_selection_stability_validation(
        examples, lambda sample: sample.weights(np.arange(30.0)), k=5
    )
    assert found.performance["kuncheva"].mean == pytest.approx(1)
    assert found.performance["jaccard"].mean == pytest.approx(1)
    assert found.weights.selected() == examples.schema.regular_names[-5:]


def test_random_selection_is_as_stable_as_chance(examples):
    rng = np.random.default_rng(0)
    found = feature_selection_stability_validation(
        examples, lambda sample: sample.weights(rng.random(30)), k=5, iterations=40
    )
    assert found.performance["kuncheva"].mean == pytest.approx(0, abs=0.05)
    assert found.performance["jaccard"].mean > 0.05  # not corrected for chance


def test_sets_of_any_size_count_by_weights_that_are_not_zero(examples):
    def first_or_second(sample):
        count = 1 + (sample.numeric()[:, 0].mean() > examples.numeric()[:, 0].mean())
        return sample.weights([1.0] * count + [0.0] * (30 - count))

    found = feature_selection_stability_validation(
        examples, first_or_second, selected="not zero", sampling="bootstrap", sample_fraction=1.0
    )
    assert found.weights["mean radius"] == 1
    assert 0 < found.weights["mean texture"] < 1


def test_stability_table_has_a_row_per_size(examples):
    found = feature_selection_stability_validation(examples, weight_by_correlation)
    table = found.stability.to_pandas()
    assert table["k"].tolist() == list(range(1, 31))
    assert table["jaccard"].iloc[-1] == pytest.approx(1)


def test_attributes_without_weight_never_count_as_selected(examples, listening):
    def five(sample):
        return select_by_mrmr_cfs(sample, k=5)

    heard = listening()
    found = feature_selection_stability_validation(examples, five, k=10, ctx=heard)
    assert heard.warnings == [
        "A repetition gives only 5 attributes a weight above 0, fewer than k = 10."
    ]
    exact = feature_selection_stability_validation(examples, five, selected="not zero")
    assert found.performance["kuncheva"].mean == exact.performance["kuncheva"].mean


def test_weights_below_0_are_never_among_the_best(examples, listening):
    def relief(sample):
        return sample.weights(np.where(np.arange(30) < 4, 4.0 - np.arange(30), -np.arange(30.0)))

    heard = listening()
    found = feature_selection_stability_validation(examples, relief, k=5, ctx=heard)
    assert len(found.weights.selected()) == 4
    assert "only 4 attributes a weight above 0, fewer than k = 5" in heard.warnings[0]
    assert np.isfinite(found.stability.by_size["kuncheva"]).sum() == 4
    sizes = feature_selection_stability_validation(examples, relief, k=5, use_absolute_weights=True)
    assert sizes.weights.selected() == examples.schema.regular_names[-5:]


def test_curve_has_no_value_where_ties_would_decide(examples):
    found = feature_selection_stability_validation(
        examples, lambda sample: select_by_mrmr_cfs(sample, k=5), k=5
    )
    known = np.flatnonzero(~np.isnan(found.stability.by_size["kuncheva"])) + 1
    assert known.tolist() == [5]


def test_dice_consistency_and_kendall_are_criteria(two_classes):
    found = feature_selection_stability_validation(
        two_classes, weight_by_sam, k=2, iterations=5, kendall=True, ctx=Context(seed=3)
    )
    sets, matrix = found.stability.selections, found.stability.weights
    pairs = list(itertools.combinations(range(5), 2))
    dice = [2 * (sets[a] & sets[b]).sum() / (sets[a].sum() + sets[b].sum()) for a, b in pairs]
    assert found.performance["dice"].mean == pytest.approx(np.mean(dice))
    tau = [kendalltau(matrix[a], matrix[b]).statistic for a, b in pairs]
    assert found.performance["kendall_tau"].mean == pytest.approx(np.mean(tau))
    counts = sets.sum(axis=0)
    total, m, p = counts.sum(), 5, sets.shape[1]
    d, h = total % p, total % m
    cw = (counts * (counts - 1)).sum() / (total * (m - 1))
    low = (total**2 - p * (total - d) - d**2) / (p * total * (m - 1))
    high = (h**2 + total * (m - 1) - h * m) / (total * (m - 1))
    consistency = found.performance["relative_weighted_consistency"].mean
    assert consistency == pytest.approx((cw - low) / (high - low))


@pytest.mark.parametrize("k", [6, 9])
def test_selecting_all_attributes_is_warned_of(two_classes, listening, k):
    heard = listening()

    def positive(rows):
        return rows.weights(np.arange(1.0, 7.0))

    feature_selection_stability_validation(two_classes, positive, k=k, iterations=3, ctx=heard)
    assert any("selects all 6 attributes" in warning for warning in heard.warnings)
