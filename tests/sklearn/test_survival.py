"""Censored times as the structured arrays of scikit-survival."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from fsops import Attribute, ExampleSet, Process, ValueType
from fsops.operators import apply_model, cox_regression, weight_by_cox
from fsops.sklearn import (
    ProcessEstimator,
    SelectByCoxPath,
    StabilitySelection,
    WeightByCox,
    WeightByRandomForest,
    WeightByWelchTest,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 6))
TIME = rng.exponential(size=60) * np.exp(-X[:, 2])
EVENT = rng.random(60) < 0.7
Y = np.array(list(zip(EVENT, TIME, strict=True)), dtype=[("status", bool), ("months", float)])


def table():
    event = Attribute("event", ValueType.INTEGER, "event")
    return ExampleSet.from_numpy(X, TIME).with_columns([(event, EVENT.astype(float))])


def test_a_selector_has_the_weights_of_the_operator():
    selector = WeightByCox(k=2).fit(X, Y)
    assert selector.weights_.values == pytest.approx(weight_by_cox(table()).values, rel=1e-12)
    assert not np.allclose(selector.scores_, WeightByCox().fit(X, TIME).scores_)
    assert selector.get_support()[2]


@pytest.mark.parametrize("kind", [[("event", "?"), ("time", "<f4")], [("t", "<i8"), ("e", "?")]])
def test_the_order_and_type_of_the_fields_do_not_matter(kind):
    values = [EVENT, np.round(10 * TIME)]
    parts = values if kind[0][1] == "?" else values[::-1]
    y = np.array(list(zip(*parts, strict=True)), dtype=kind)
    plain = np.array(list(zip(*values, strict=True)), dtype=Y.dtype)
    np.testing.assert_array_equal(
        WeightByCox().fit(X, y).scores_, WeightByCox().fit(X, plain).scores_
    )


def test_searches_and_inner_selections_take_them():
    assert SelectByCoxPath().fit(X, Y).get_support()[2]
    stable = StabilitySelection(WeightByCox(), k=2, pairs=10).fit(X, Y)
    assert stable.get_support()[2]

    def concordance(pipeline, X, y):
        risk, order = pipeline.transform(X)[:, 0], np.argsort(y["months"])
        return -np.corrcoef(risk[order], np.arange(len(order)))[0, 1]

    search = GridSearchCV(
        Pipeline([("select", WeightByCox()), ("last", "passthrough")]),
        {"select__k": [1, 2]},
        cv=3,
        scoring=concordance,
        error_score="raise",
    )
    assert search.fit(X, Y).best_params_["select__k"] in (1, 2)


def test_a_process_predicts_risks():
    process = Process("Cox")
    process.result(process.add(cox_regression, process.source())["model"])
    risks = ProcessEstimator(process).fit(X, Y).predict(X)
    plain = apply_model(cox_regression(table()).model, table())
    np.testing.assert_allclose(risks, plain.to_pandas()["prediction(label)"])


@pytest.mark.parametrize("selector", [WeightByWelchTest(), WeightByRandomForest()])
def test_selectors_of_other_labels_refuse_them(selector):
    with pytest.raises(ValueError, match="class|event"):
        selector.fit(X, Y)


def test_other_fields_are_refused_by_name():
    y = np.array([(1.0, 2.0)] * 60, dtype=[("start", float), ("stop", float)])
    with pytest.raises(ValueError, match='"start", "stop", but must have an event'):
        WeightByCox().fit(X, y)
