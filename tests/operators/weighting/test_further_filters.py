"""The other filters: worked numbers, and independent implementations."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.feature_selection import f_classif
from sklearn.metrics import mutual_info_score, roc_auc_score

from fsops import ExampleSet
from fsops.errors import DataError
from fsops.operators import (
    adjust_p_values,
    permutation_test_of_weights,
    retrieve,
    weight_by_auc,
    weight_by_chi_squared,
    weight_by_deviation,
    weight_by_entropy,
    weight_by_f_test,
    weight_by_fisher_score,
    weight_by_gini_index,
    weight_by_information_gain_ratio,
    weight_by_kruskal_wallis,
    weight_by_lal_score,
    weight_by_mutual_information,
    weight_by_sis,
    weight_by_symmetric_uncertainty,
    weight_by_t_test,
    weight_by_wilcoxon,
)

NEEDS_TWO = [
    weight_by_t_test,
    weight_by_lal_score,
    weight_by_entropy,
    weight_by_auc,
    weight_by_wilcoxon,
]


@pytest.mark.parametrize(
    ("weigh", "expected"),
    [
        (weight_by_t_test, [3.7389543206, 0, 0, 3.8784530646]),
        (weight_by_f_test, [13.9797794118, 0, 0, 15.0423981742]),
        (weight_by_fisher_score, [2.3299632353, 0, 0, 2.5070663624]),
        (weight_by_lal_score, [5.5108695652, 0, 0, 5.296828635]),
        (weight_by_entropy, [9.8667832168, 0.45, 0, 7.8414065256]),
    ],
)
def test_toy_data_has_the_specified_weights(toy, weigh, expected):
    assert weigh(toy).values == pytest.approx(expected)


@pytest.mark.parametrize(
    ("weigh", "outlook", "wind"),
    [
        (weight_by_information_gain_ratio, 0.1564275624, 0.0488486155),
        (weight_by_symmetric_uncertainty, 0.1960126942, 0.0499887594),
        (weight_by_chi_squared, 3.5466667, 0.9333333),
        (weight_by_gini_index, 0.1163265306, 0.0306122449),
        (weight_by_mutual_information, 0.2467498198, 0.0481270304),
    ],
)
def test_golf_data_has_the_specified_weights(weigh, outlook, wind):
    weights = weigh(retrieve(repository_entry="golf"))
    assert weights["Outlook"] == pytest.approx(outlook)
    assert weights["Wind"] == pytest.approx(wind)


def test_chi_squared_brings_its_p_value():
    golf = retrieve(repository_entry="golf").select(["Outlook", "Wind", "Play"])
    found = weight_by_chi_squared(golf)
    assert found.details["p_value"] == pytest.approx([0.1697662, 0.3339983], rel=1e-6)


@pytest.mark.parametrize("discretization", ["best split", "entropy"])
def test_numbers_cut_by_the_classes_have_no_p_value(discretization):
    golf = retrieve(repository_entry="golf")
    found = weight_by_chi_squared(golf, discretization=discretization)
    p_values = dict(zip(found.names, found.details["p_value"], strict=True))
    assert p_values["Outlook"] == pytest.approx(0.1697662, rel=1e-6)
    assert np.isnan([p_values["Temperature"], p_values["Humidity"]]).all()
    numbers = golf.select(["Temperature", "Humidity", "Play"])
    alone = weight_by_chi_squared(numbers, discretization=discretization)
    assert "p_value" not in alone.details
    with pytest.raises(DataError, match="no p-values"):
        adjust_p_values(alone)


@pytest.mark.parametrize("discretization", ["equal frequency", "equal width", "mean and deviation"])
def test_p_values_of_other_cuts_keep_their_level_on_noise(discretization):
    noise = np.random.default_rng(4).normal(size=(60, 2000))
    table = ExampleSet.from_numpy(noise, np.array(["a", "b"] * 30))
    found = weight_by_chi_squared(table, discretization=discretization, number_of_bins=3)
    assert 0.02 < (found.details["p_value"] <= 0.05).mean() < 0.07


@pytest.mark.parametrize("weigh", [weight_by_wilcoxon, weight_by_kruskal_wallis])
def test_the_help_says_how_small_p_values_of_ranks_are_with_three_rows_per_class(weigh):
    table = ExampleSet.from_numpy(np.arange(6.0)[:, np.newaxis], np.repeat(["a", "b"], 3))
    assert weigh(table).details["p_value"] == pytest.approx([0.0495], abs=5e-5)
    assert stats.mannwhitneyu([0, 1, 2], [3, 4, 5], method="exact").pvalue == pytest.approx(0.1)
    words = " ".join(weigh.__doc__.split())
    assert "the smallest is 0.0495, but the exact one is 0.1: use Permutation Test" in words
    exact = permutation_test_of_weights(table, weigh)
    assert exact.details["p_value"] == pytest.approx([0.1])


def test_f_test_is_scikit_learns():
    wine = retrieve(repository_entry="wine")
    found = weight_by_f_test(wine)
    f, p = f_classif(wine.numeric(), wine.label_values())
    assert found.values == pytest.approx(f)
    assert found.details["p_value"] == pytest.approx(p)


def test_auc_and_wilcoxon_are_those_of_scikit_learn_and_scipy(two_classes):
    y = two_classes.binary_label()
    auc = [roc_auc_score(y, column) for column in two_classes.numeric().T]
    assert weight_by_auc(two_classes).values == pytest.approx(np.abs(2 * np.array(auc) - 1))
    p = stats.mannwhitneyu(two_classes.numeric()[y == 1], two_classes.numeric()[y == 0], use_continuity=False, method="asymptotic").pvalue  # fmt: skip
    assert weight_by_wilcoxon(two_classes).details["p_value"] == pytest.approx(p)


def test_sis_keeps_n_over_log_n_of_the_best_correlated(two_classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(62, 100)), rng.normal(size=62)
    found = weight_by_sis(ExampleSet.from_numpy(X, y))
    r = np.abs([np.corrcoef(x, y)[0, 1] for x in X.T])
    assert len(found.selected()) == 15
    assert {int(n[3:]) - 1 for n in found.selected()} == set(np.argsort(-r)[:15])


def test_deviation_is_the_sample_standard_deviation(two_classes):
    assert weight_by_deviation(two_classes).values == pytest.approx(
        two_classes.numeric().std(axis=0, ddof=1)
    )


def test_mutual_information_of_bins_is_scikit_learns():
    wine = retrieve(repository_entry="wine")
    found = weight_by_mutual_information(wine, number_of_bins=4, base=np.e)
    for name in wine.schema.regular_names:
        bins = pd.qcut(wine.column(name), 4, labels=False, duplicates="drop")
        assert found[name] == pytest.approx(mutual_info_score(bins, wine.label_values()), abs=1e-9)


@pytest.mark.parametrize("method", ["entropy", "mean and deviation"])
def test_every_discretization_finds_the_attributes_that_tell_the_classes(method, two_classes):
    weights = weight_by_mutual_information(two_classes, discretization=method)
    assert set(weights.top(2)) == {"att1", "att2"}


@pytest.mark.parametrize("weigh", NEEDS_TWO)
def test_three_classes_are_refused_with_what_to_use_instead(weigh, refused):
    with refused("Exactly two classes", '"setosa", "versicolor", "virginica"', "Weight by F-Test"):
        weigh(retrieve(repository_entry="iris"), multiclass="refuse")


@pytest.mark.parametrize("weigh", [*NEEDS_TWO, weight_by_f_test, weight_by_fisher_score])
def test_shift_and_scale_of_an_attribute_change_nothing(weigh, two_classes):
    moved = ExampleSet.from_numpy(
        two_classes.numeric() * 8 + 1000, np.array(["no", "yes"])[two_classes.binary_label()]
    )
    assert weigh(moved).values == pytest.approx(weigh(two_classes).values, rel=1e-6)


@pytest.mark.parametrize("weigh", [weight_by_t_test, weight_by_wilcoxon, weight_by_f_test])
def test_weights_that_cannot_be_told_apart_are_warned_of(weigh, listening):
    cancer, heard = retrieve(repository_entry="breast cancer"), listening()
    saturated = int((weigh(cancer, transformation="one_minus_p", ctx=heard).values == 1).sum())
    assert saturated > 1
    assert heard.warnings[0].startswith(f"{saturated} attributes share the weight 1")
    quiet = listening()
    weigh(cancer, transformation="neg_log10_p", ctx=quiet)
    assert quiet.warnings == []
