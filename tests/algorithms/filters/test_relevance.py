import numpy as np
import pytest
from scipy import stats

from fsops.algorithms.filters.relevance import maximum_relevance
from fsops.algorithms.filters.univariate import f_test


def close(actual, expected, rtol=1e-7):
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=6e-8)


def test_golf_data_reproduce_the_published_table(golf):
    found = maximum_relevance(golf.numeric, golf.nominal, golf.play, nominal_label=True)
    close(found.nominal.weights, [0.2467498, 0.0481270])
    close(found.numeric.weights, [0.1784940, 1.1181563])
    assert (found.numeric_measure, found.nominal_measure) == ("f_test", "mutual_information")
    assert not found.comparable
    names = ["Temperature", "Humidity", "Outlook", "Wind"]
    weights = np.concatenate([found.numeric.weights, found.nominal.weights])
    order = [names[i] for i in np.argsort(-weights)]
    assert order == ["Humidity", "Outlook", "Temperature", "Wind"]


def test_a_numeric_label_uses_correlation_and_the_f_test_by_value(golf):
    target = golf.numeric[:, 1]
    found = maximum_relevance(golf.numeric[:, :1], golf.nominal, target, nominal_label=False)
    r = stats.pearsonr(golf.numeric[:, 0], target).statistic
    close(found.numeric.weights, [abs(r)])
    groups = [target[golf.nominal[:, 0] == v] for v in range(3)]
    close(found.nominal.weights[0], stats.f_oneway(*groups).statistic)
    assert (found.numeric_measure, found.nominal_measure) == ("pearson", "f_test")


def test_scores_become_comparable_as_p_values(golf):
    found = maximum_relevance(
        golf.numeric, golf.nominal, golf.play, nominal_label=True, normalize="p"
    )
    assert found.comparable
    f = stats.f_oneway(golf.numeric[golf.play == 1], golf.numeric[golf.play == 0])
    close(found.numeric.weights, 1 - f.pvalue)
    outlook = [[(golf.nominal[golf.play == c, 0] == v).sum() for c in (0, 1)] for v in range(3)]
    g = stats.chi2_contingency(outlook, correction=False, lambda_="log-likelihood")
    close(found.nominal.weights[0], 1 - g.pvalue)
    target = golf.numeric[:, 1]
    other = maximum_relevance(
        golf.numeric[:, :1], golf.nominal, target, nominal_label=False, normalize="p"
    )
    close(other.numeric.weights, [1 - stats.pearsonr(golf.numeric[:, 0], target).pvalue])


def test_one_kind_of_feature_is_always_comparable(golf):
    found = maximum_relevance(golf.numeric, None, golf.play, nominal_label=True)
    assert found.comparable
    assert found.nominal.weights.size == 0
    close(found.numeric.weights, f_test(golf.numeric, golf.play).weights)
    assert maximum_relevance(None, golf.nominal, golf.play, nominal_label=True).comparable


def test_missing_values_of_both_kinds_are_accepted(golf):
    numeric, nominal = golf.numeric.copy(), golf.nominal.copy()
    numeric[0, 0] = np.nan
    nominal[0, 0] = -1
    for missing in ("category", "pairwise"):
        found = maximum_relevance(numeric, nominal, golf.play, nominal_label=True, missing=missing)
        assert np.isfinite(found.numeric.weights).all()
        assert np.isfinite(found.nominal.weights).all()


@pytest.mark.parametrize("normalize", ["none", "p"])
def test_useless_features_weigh_nothing(normalize):
    constant = np.full((6, 1), 2)
    y = np.array([0, 0, 0, 1, 1, 1])
    for label, kind in ((y, True), (y * 1.5, False), (y * 0, True)):
        found = maximum_relevance(
            constant * 1.0, constant, label, nominal_label=kind, normalize=normalize
        )
        assert found.numeric.weights[0] == found.nominal.weights[0] == 0


def test_an_unknown_normalisation_is_refused(golf):
    with pytest.raises(ValueError, match="normalize must be"):
        maximum_relevance(golf.numeric, None, golf.play, nominal_label=True, normalize="z")
