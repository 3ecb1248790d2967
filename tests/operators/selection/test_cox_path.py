"""Selection by the path of Cox's model: events, folds, messages and the rule of one error."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import DataError
from fsops.operators import select_by_cox_path
from fsops.sklearn import selector

RNG = np.random.default_rng(5)
X = RNG.normal(size=(90, 30))
DEATH = np.ceil(10 * RNG.exponential(size=90) * np.exp(-1.2 * X[:, 3] + X[:, 7]))
LEFT = np.ceil(30 * RNG.random(90))
TIME, EVENT = np.minimum(DEATH, LEFT), DEATH <= LEFT


def table(time=TIME, event=EVENT, values=X, **more):
    frame = pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])
    frame["time"], frame["died"] = time, np.asarray(event, dtype=float)
    for name, column in more.items():
        frame[name] = column
    roles = {"time": "label", "died": "event"} | {name: name for name in more}
    return ExampleSet.from_pandas(frame, roles=roles)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_the_attributes_of_the_model_are_found(ties):
    weights, curve, path = select_by_cox_path(table(), ties=ties, number_of_folds=5)
    assert set(weights.top(2)) == {"x3", "x7"}
    assert len(weights.selected()) < 10
    np.testing.assert_allclose(
        np.exp(weights.details["coefficient"]), weights.details["hazard_ratio"]
    )
    assert weights.details["coefficient"][3] > 0 > weights.details["coefficient"][7]
    assert curve.criterion == "partial_likelihood_deviance"
    assert curve.chosen[0] == np.count_nonzero(weights.values)
    best = select_by_cox_path(table(), ties=ties, number_of_folds=5, choose="best")[0]
    assert np.count_nonzero(best.values) >= np.count_nonzero(weights.values)


def test_an_elastic_net_keeps_copies_together():
    double = np.column_stack([X, X[:, 3]])
    found = select_by_cox_path(table(values=double), l1_ratio=0.5, number_of_folds=5)[0]
    assert found.values[3] == pytest.approx(found.values[30], rel=1e-6)
    assert found.values[3] > 0


def test_rows_of_a_group_are_in_one_fold_and_seeds_repeat():
    groups = np.repeat(np.arange(30), 3)
    one = select_by_cox_path(table(group=groups), number_of_folds=5)[0]
    assert one.equals(select_by_cox_path(table(group=groups), number_of_folds=5)[0])


def test_tables_that_cannot_be_fitted_are_refused_with_a_reason():
    one = np.zeros(90)
    with pytest.raises(DataError, match="The event attribute has no events"):
        select_by_cox_path(table(event=one))
    one[4] = 1
    with pytest.raises(DataError, match="One row with an event cannot be cross-validated"):
        select_by_cox_path(table(event=one))
    with pytest.raises(DataError, match="finds no attribute"):
        select_by_cox_path(table(values=np.ones((90, 2))))
    holes = X.copy()
    holes[3, 3] = np.nan
    with pytest.raises(DataError, match="missing"):
        select_by_cox_path(table(values=holes))
    with pytest.raises(DataError, match="One group of rows with an event cannot be"):
        select_by_cox_path(table(group=np.zeros(90)))


def test_each_fold_has_a_group_with_an_event():
    died = np.zeros(90)
    died[:12] = 1
    groups = np.repeat(np.arange(30), 3)
    found = select_by_cox_path(table(event=died, group=groups), steps=5)
    assert found.curve.scores.shape[2] == 4


# --- row weights -------------------------------------------------------------------------------

TIMES = np.resize([1, 2, 0, 1, 4, 3, 2], 90)
COPIES = np.repeat(np.arange(90), TIMES)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("events", [90, 7])
def test_a_weight_is_the_number_of_copies_in_a_group(ties, grouped, events):
    units = np.arange(90) // 2 if grouped else np.arange(90)
    died = EVENT & (np.arange(90) < events)
    given = {"ties": ties, "choose": "best", "steps": 12}
    more = {"group": units} if grouped else {}
    by_weight = select_by_cox_path(table(event=died, weight=TIMES, **more), **given)
    by_copies = select_by_cox_path(table(event=died, group=units).take(COPIES), **given)
    assert by_weight.curve.scores.shape == by_copies.curve.scores.shape
    np.testing.assert_allclose(by_weight.curve.scores, by_copies.curve.scores, rtol=1e-6)
    np.testing.assert_allclose(by_weight.weights.values, by_copies.weights.values, atol=1e-8)
    np.testing.assert_allclose(by_weight.path.coefficients, by_copies.path.coefficients, atol=1e-8)
    assert by_weight.curve.chosen == by_copies.curve.chosen


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_weights_of_1_change_no_byte(ties):
    one = select_by_cox_path(table(), ties=ties, steps=6)
    two = select_by_cox_path(table(weight=np.ones(90)), ties=ties, steps=6)
    assert one.weights.equals(two.weights)
    assert one.curve.equals(two.curve)


def test_fractions_are_for_breslow_only():
    data = table(weight=np.random.default_rng(0).lognormal(size=90))
    found = select_by_cox_path(data, ties="breslow", steps=10)
    assert set(found.weights.top(2)) == {"x3", "x7"}
    with pytest.raises(DataError, match='ties="efron" takes whole numbers as row weights'):
        select_by_cox_path(data)


def test_a_selector_takes_times_that_are_all_events():
    fitted = selector("select_by_cox_path", number_of_folds=3).fit(X, DEATH)
    assert fitted.support_[[3, 7]].all()
