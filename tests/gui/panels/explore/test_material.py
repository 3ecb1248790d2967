"""What the linked views show is right: compared with scipy and scikit-learn."""

import numpy as np
import pytest

from fsops.data import Attribute, AttributeWeights, ExampleSet, ValueType
from fsops_gui.panels.explore.clustering import class_order, clustered
from fsops_gui.panels.explore.details import chance_limit
from fsops_gui.panels.explore.effects import adjusted, volcano_of
from fsops_gui.panels.explore.material import PortValue, gather
from fsops_gui.panels.explore.projections import components, project, standardised


def test_the_volcano_of_two_classes_has_the_p_values_of_welch(table):
    from scipy import stats

    found = volcano_of(table, table.schema.names_at(table.schema.regular))
    values, codes = table.numeric(), table.column("y")
    expected = stats.ttest_ind(
        values[codes == 1], values[codes == 0], equal_var=False, nan_policy="omit"
    )
    np.testing.assert_allclose(found.p, expected.pvalue, rtol=1e-10)
    np.testing.assert_allclose(found.q, stats.false_discovery_control(expected.pvalue), rtol=1e-12)
    assert found.effect[0] > 2
    assert found.effect[2] < -1
    assert "yes against no" in found.effect_title


def test_the_volcano_of_three_classes_has_the_p_values_of_the_f_test():
    from scipy import stats

    rng = np.random.default_rng(0)
    values, codes = rng.normal(size=(30, 4)), np.repeat([0, 1, 2], 10)
    columns = [(Attribute(f"x{n}", ValueType.REAL), values[:, n]) for n in range(4)]
    label = Attribute("y", ValueType.POLYNOMINAL, "label", categories=("p", "q", "r"))
    table = ExampleSet.from_columns([*columns, (label, codes.astype(np.int32))], 30)
    found = volcano_of(table, table.schema.names_at(table.schema.regular))
    expected = stats.f_oneway(*(values[codes == c] for c in range(3)))
    np.testing.assert_allclose(found.p, expected.pvalue, rtol=1e-10)
    between = sum(10 * (values[codes == c].mean(0) - values.mean(0)) ** 2 for c in range(3))
    total = ((values - values.mean(0)) ** 2).sum(0)
    np.testing.assert_allclose(found.effect, between / total, rtol=1e-10)


def test_the_volcano_of_a_numeric_label_has_correlations():
    from scipy import stats

    rng = np.random.default_rng(1)
    values, y = rng.normal(size=(25, 3)), rng.normal(size=25)
    columns = [(Attribute(f"x{n}", ValueType.REAL), values[:, n]) for n in range(3)]
    label = Attribute("y", ValueType.REAL, "label")
    table = ExampleSet.from_columns([*columns, (label, y)], 25)
    found = volcano_of(table, table.schema.names_at(table.schema.regular))
    expected = [stats.pearsonr(values[:, n], y) for n in range(3)]
    np.testing.assert_allclose(found.effect, [e.statistic for e in expected], rtol=1e-10)
    np.testing.assert_allclose(found.p, [e.pvalue for e in expected], rtol=1e-8)


def test_unknown_p_values_stay_unknown():
    assert np.isnan(adjusted(np.array([0.01, np.nan, 0.5]))).tolist() == [False, True, False]


def test_p_values_of_an_operator_are_taken_as_they_are(table):
    names = tuple("abcdefgh")
    p = np.linspace(0.001, 0.9, 8)
    details = {"p_value": p, "difference": np.arange(8.0) - 4, "adjusted_p_value": p * 1.1}
    weights = AttributeWeights(names, 1 - p, details=details)
    found = gather([PortValue("Read", "examples", table), PortValue("Test", "weights", weights)])
    np.testing.assert_array_equal(found.volcano.p, p)
    np.testing.assert_array_equal(found.volcano.q, p * 1.1)


def test_weightings_are_aligned_and_rankings_turned(material):
    assert [part.title for part in material.weightings] == ["One", "Two"]
    assert [int(material.weightings[1].places[n]) for n in (1, 0, 2)] == [1, 2, 3]
    assert material.names[int(material.best[0])] == "a"


def test_selections_of_repetitions_are_counted(material):
    assert material.repeats.counts.tolist() == [10, 0, 6, 0, 4, 0, 0, 0]


def test_the_strongest_correlate_comes_first(material):
    found = material.correlates(0)
    assert material.names[found[0][0]] == "b"
    assert found[0][1] == pytest.approx(np.corrcoef(material.column(0), material.column(1))[0, 1])
    assert [abs(r) for _, r in found] == sorted((abs(r) for _, r in found), reverse=True)


def test_the_largest_labelled_table_is_shown(table):
    small = table.select_regular(["a", "b"])
    found = gather([PortValue("Select", "examples", small), PortValue("Read", "examples", table)])
    assert found.source == ("Read", "examples")
    assert gather([]) is None


def test_components_are_those_of_scikit_learn(material):
    from sklearn.decomposition import PCA

    values = standardised(material.matrix(range(8)))
    places, part = components(values)
    model = PCA(2).fit(values)
    np.testing.assert_allclose(np.abs(places), np.abs(model.transform(values)), atol=1e-9)
    np.testing.assert_allclose(part, model.explained_variance_ratio_, rtol=1e-9)


def test_constant_attributes_do_not_disturb_a_projection(material):
    assert standardised(np.array([[1.0, 2], [1, 3], [1, 4]])).shape == (3, 1)
    assert np.isfinite(project(material, None).places).all()
    with pytest.raises(ValueError, match="two attributes"):
        project(material, np.array([0]))


def test_clustering_puts_similar_items_beside_each_other():
    values = np.array([[0.0, 0], [10, 10], [0.1, 0], [10, 10.1], [0, 0.1]])
    order = clustered(values).items.tolist()
    assert sorted(order) == [0, 1, 2, 3, 4]
    assert {tuple(sorted(order[:2])), tuple(sorted(order[-2:]))} & {(1, 3)}
    rows = class_order(values, np.array([1, 0, 1, 0, 1]), cluster=True)
    assert sorted(rows[:2].tolist()) == [1, 3]


@pytest.mark.parametrize(("n", "p"), [(10, 0.1), (100, 0.01), (5, 0.9), (1, 0.5)])
def test_the_chance_limit_is_the_binomial_quantile(n, p):
    from scipy.stats import binom

    assert chance_limit(n, p) == int(binom.ppf(0.95, n, p))
