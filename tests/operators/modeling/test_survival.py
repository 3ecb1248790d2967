"""Cox regression, and risk groups whose borders come from training rows."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet, read_process, run
from fsops.errors import DataError
from fsops.operators import (
    apply_model,
    cox_regression,
    form_risk_groups,
    linear_regression,
    naive_bayes,
    retrieve,
)

RNG = np.random.default_rng(8)
X = RNG.normal(size=(70, 5)) * [1, 1, 1e-4, 1e5, 0] + [0, 5, 0, 0, 3]
TIME = np.ceil(8 * RNG.exponential(size=70) * np.exp(-X[:, 0] + 0.7 * X[:, 1] - 3.5))  # ties
EVENT = (RNG.random(70) < 0.7).astype(float)


def table(values=X, time=TIME, event=EVENT):
    frame = pd.DataFrame(values, columns=list("abcde"))
    frame["months"], frame["died"] = time, event
    return ExampleSet.from_pandas(frame, roles={"months": "label", "died": "event"})


def likelihood(eta, ties):
    """Logarithm of the partial likelihood, by its definition."""
    total = 0.0
    for when in np.unique(TIME[EVENT == 1]):
        at_risk, own = when <= TIME, (when == TIME) & (EVENT == 1)
        for number in range(own.sum()):
            part = number / own.sum() if ties == "efron" else 0.0
            total -= np.log(np.exp(eta[at_risk]).sum() - part * np.exp(eta[own]).sum())
        total += eta[own].sum()
    return total


@pytest.mark.parametrize("ties", ["efron", "breslow"])
@pytest.mark.parametrize(("penalty", "l1_ratio"), [(0.02, 0.5), (0.1, 1.0), (0.003, 0.05)])
def test_coefficients_meet_the_conditions_of_the_optimum(penalty, l1_ratio, ties):
    model, weights = cox_regression(table(), penalty=penalty, l1_ratio=l1_ratio, ties=ties)
    spread = X.std(axis=0)
    b = weights.details["coefficient"] * spread
    Z = (X - X.mean(axis=0)) / np.where(spread > 1e-9, spread, np.inf)
    np.testing.assert_allclose(np.abs(b), weights.values)
    step = 1e-5
    slope = np.array(
        [
            likelihood(Z @ (b - step * one), ties) - likelihood(Z @ (b + step * one), ties)
            for one in np.eye(5)
        ]
    ) / (2 * step * len(X))
    used = b != 0
    rest = slope + penalty * (l1_ratio * np.sign(b) + (1 - l1_ratio) * b)
    np.testing.assert_allclose(rest[used], 0, atol=1e-7)
    assert (np.abs(slope[~used]) <= penalty * l1_ratio + 1e-7).all()
    assert used[:2].all()
    assert not used[4]
    risk = apply_model(model, table()).column("prediction(months)")
    np.testing.assert_allclose(risk, Z @ b, atol=1e-9)


def test_a_penalty_that_leaves_no_attribute_is_reported_and_cannot_be_grouped():
    with pytest.warns(match="All coefficients are 0"):
        model = cox_regression(table(), penalty=50.0).model
    with pytest.raises(DataError, match="too many equal values for 2 groups"):
        form_risk_groups(model, table())


@pytest.mark.parametrize(
    ("count", "names"), [(2, "low high"), (3, "low middle high"), (4, "1 2 3 4")]
)
def test_borders_are_quantiles_of_the_training_rows(count, names):
    train, test = table().take(np.arange(40)), table().take(np.arange(40, 70))
    model = cox_regression(train, penalty=0.02).model
    grouped = form_risk_groups(model, train, number_of_groups=count)
    risk = model.apply(train).column("prediction(months)")
    borders = np.quantile(risk, np.arange(1, count) / count)
    for rows in (train, test, test.take([3])):
        found = apply_model(grouped, rows)
        assert found.schema.special("risk_group").categories == tuple(names.split())
        own = model.apply(rows).column("prediction(months)")
        expected = (own[:, None] > borders).sum(axis=1)
        assert found.column("risk group").tolist() == expected.tolist()


def test_models_of_classes_are_refused_and_other_numbers_taken():
    iris = retrieve(repository_entry="iris")
    with pytest.raises(DataError, match="need a model that predicts numbers"):
        form_risk_groups(naive_bayes(iris), iris)
    diabetes = retrieve(repository_entry="diabetes")
    found = form_risk_groups(linear_regression(diabetes).model, diabetes).apply(diabetes)
    assert np.bincount(found.column("risk group").astype(int)).tolist() == [221, 221]


def test_missing_values_and_tables_without_events_are_refused():
    holes = X.copy()
    holes[2, 0] = np.nan
    with pytest.raises(DataError, match="missing"):
        cox_regression(table(values=holes))
    with pytest.raises(DataError, match="The event attribute has no events"):
        cox_regression(table(event=np.zeros(70)))


def test_the_ready_process_groups_each_row_by_a_model_that_has_not_seen_it():
    performance, weights, rows = run(read_process("processes/survival.xml")).results
    assert performance["concordance_index"].mean > 0.65
    assert set(weights.top(3)) == {"att1", "att2", "att3"}
    risk, group = rows.column("prediction(months)"), rows.column("risk group")
    # One border for all rows would be seen here: each fold has another median.
    assert risk[group == 0].max() > risk[group == 1].min()
    assert 100 < (group == 1).sum() < 140
