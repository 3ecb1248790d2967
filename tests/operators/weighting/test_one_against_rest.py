"""Weightings of two classes compare each of more classes with the others."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from fsops import ExampleSet, Process, run
from fsops.errors import DataError
from fsops.operators import (
    ensemble_feature_selection,
    weight_by_auc,
    weight_by_brunner_munzel,
    weight_by_correlation,
    weight_by_kernel_machine,
    weight_by_kernel_svm,
    weight_by_knife,
    weight_by_mkl,
    weight_by_sam,
    weight_by_svm,
    weight_by_t_test,
    weight_by_welch_test,
    weight_by_wilcoxon,
)
from fsops.plugins import plugins
from fsops.sklearn import selector

RNG = np.random.default_rng(6)
CLASSES = RNG.permutation(np.repeat(["b", "a", "!", "10"], [9, 7, 12, 3]))
X = RNG.normal(size=(CLASSES.size, 6))
X[CLASSES == "a", 0] += 2
X[CLASSES == "!", 1] -= 2
X[:, 2] = np.round(X[:, 2])
X[:, 3] = 4.0
X[:, 4] *= 1e-80
NAMES = sorted(set(CLASSES))
TESTS = [weight_by_welch_test, weight_by_t_test, weight_by_wilcoxon, weight_by_brunner_munzel]


def table(label=CLASSES, values=X):
    return ExampleSet.from_numpy(values, label)


def against(name):
    return table(np.where(name == CLASSES, "y", "n"))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("transformation", ["abs_statistic", "neg_log10_p"])
def test_weights_and_details_are_those_of_a_loop_over_the_classes(test, transformation):
    parts = [test(against(name), transformation=transformation) for name in NAMES]
    sizes = np.stack([part.values for part in parts])
    found = test(table(), transformation=transformation)
    np.testing.assert_array_equal(found.values, sizes.max(axis=0))
    np.testing.assert_array_equal(
        test(table(), transformation=transformation, multiclass="mean").values, sizes.mean(axis=0)
    )
    winner = sizes.argmax(axis=0)
    assert found.details["class"].tolist() == [NAMES[place] for place in winner]
    p = np.stack([part.details["p_value"] for part in parts]).min(axis=0)
    np.testing.assert_allclose(found.details["p_value"], np.minimum(4 * p, 1))
    statistic = np.stack([part.details["statistic"] for part in parts])[winner, range(6)]
    np.testing.assert_array_equal(found.details["statistic"], statistic)
    for name, size in zip(NAMES, sizes, strict=True):
        np.testing.assert_array_equal(found.details[f"weight of {name}"], size)


def test_areas_are_those_of_scikit_learn():
    found = weight_by_auc(table())
    areas = [[roc_auc_score(name == CLASSES, column) for column in X.T] for name in NAMES]
    np.testing.assert_allclose(found.values, np.abs(2 * np.array(areas) - 1).max(axis=0))


def test_signs_are_those_of_the_class_that_gave_the_weight():
    found = weight_by_sam(table(), signed=True)
    assert found.details["class"][:2].tolist() == ["a", "!"]
    assert found.values[0] > 1
    assert found.values[1] < -1


def test_two_classes_and_numbers_are_as_before():
    two = table(np.where(CLASSES == "a", "a", "b"))
    assert "class" not in weight_by_welch_test(two).details
    numbers = ExampleSet.from_numpy(X, np.arange(len(X)) / 7)
    assert "class" not in weight_by_correlation(numbers).details


def test_refused_by_name_if_wanted():
    with pytest.raises(DataError, match='two classes are needed, but "label" has 4') as error:
        weight_by_sam(table(), multiclass="refuse")
    assert "Set multiclass to maximum" in error.value.hint


def test_ensembles_take_more_classes():
    process = Process()
    node = process.add(ensemble_feature_selection, process.source(), iterations=5, k=2)
    inner = node.inner()
    inner.result(inner.add(weight_by_sam, inner.source()))
    process.result(node)
    found = run(process, table()).results[0]
    assert set(found.selected()) == {"att1", "att2"}


def test_a_selector_takes_more_classes():
    fitted = selector("weight_by_auc", k=2).fit(pd.DataFrame(X), CLASSES)
    assert fitted.get_support().tolist() == [True, True, False, False, False, False]


MODELS = [
    (weight_by_svm, {}),
    (weight_by_kernel_svm, {}),
    (weight_by_mkl, {}),
    (weight_by_kernel_machine, {"kernel_type": "gaussian"}),
    (weight_by_knife, {"restarts": 2, "max_iterations": 5}),
]


@pytest.mark.filterwarnings("ignore:KNIFE")
@pytest.mark.parametrize(("model", "settings"), MODELS, ids=lambda given: getattr(given, "key", ""))
def test_models_of_all_classes_can_compare_each_with_the_others(model, settings):
    sizes = np.stack([np.abs(model(against(name), **settings).values) for name in NAMES])
    largest = model(table(), multiclass="maximum", **settings)
    np.testing.assert_allclose(largest.values, sizes.max(axis=0), rtol=1e-9)
    mean = model(table(), multiclass="mean", **settings).values
    np.testing.assert_allclose(mean, sizes.mean(axis=0), rtol=1e-9)
    assert largest.details["class"].tolist() == [NAMES[c] for c in sizes.argmax(axis=0)]
    assert f"weight of {NAMES[0]}" in largest.details
    together = model(table(), **settings)
    assert "class" not in together.details
    assert not np.allclose(together.values, largest.values)
    with pytest.raises(DataError, match="two classes are needed"):
        model(table(), multiclass="refuse", **settings)


def test_many_operators_have_the_parameter():
    names = {
        spec.key
        for spec in plugins().registry
        if any(parameter.name == "multiclass" for parameter in spec.parameters)
    }
    assert {"weight_by_sam", "weight_by_lal_score", "weight_by_entropy"} < names
    assert len(names) >= 15


@pytest.mark.parametrize("weigh", [weight_by_correlation, weight_by_t_test, weight_by_sam])
def test_of_classes_with_equal_weights_the_first_counts_in_any_order_of_the_rows(weigh):
    rng = np.random.default_rng(3)
    side = rng.normal(size=(7, 40)) / 3
    # The classes a and b are equally far from the others, in opposite directions.
    values = np.concatenate([side, -side, np.zeros((7, 40))])
    label = np.repeat(["a", "b", "c"], 7)
    plain = weigh(table(label, values))
    assert set(plain.details["class"]) == {"a"}
    for _ in range(5):
        rows = rng.permutation(21)
        other = weigh(table(label[rows], values[rows]))
        assert (other.details["class"] == plain.details["class"]).all()
        assert other.details["statistic"] == pytest.approx(plain.details["statistic"])
