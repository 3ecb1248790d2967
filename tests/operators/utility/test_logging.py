"""Logging performances."""

import numpy as np
import pytest

from fsops import AttributeWeights, Context, Criterion, PerformanceVector, Process, run
from fsops.core.frame.services import Services
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    apply_model,
    default_model,
    log,
    log_performance,
    log_to_data,
    loop,
    performance,
    retrieve,
    select_top_k,
)


def test_every_criterion_is_noted_with_mean_variance_deviation_and_count():
    values = (0.5, 0.7, 0.9)
    given = PerformanceVector([Criterion("accuracy", values), Criterion("once", (2.0,))])
    heard = []
    logged = log_performance(given, ctx=Context(services=Services(heard.append)))
    assert logged.performance is given
    table = logged.log.to_pandas()
    assert table["criterion"].tolist() == ["accuracy", "once"]
    assert table.loc[0, ["mean", "variance", "deviation", "count"]].tolist() == pytest.approx(
        [0.7, np.var(values, ddof=1), np.std(values, ddof=1), 3]
    )
    assert table.loc[1, "mean"] == 2
    assert np.isnan(table.loc[1, "deviation"])
    assert {event.name for event in heard} >= {"accuracy.mean", "accuracy.variance", "once.count"}


def looping_log(columns):
    process = Process()
    again = process.add(loop, iterations=3)
    process.connect(process.source("input 1"), again, "input 1")
    inner = again.inner()
    top = inner.add(select_top_k, inner.source("input 1"), k="%{iteration}", name="Top")
    noted = inner.add(log, log=columns, name="Notes")
    inner.connect(top, noted, "through 1")
    inner.result(noted["through 1"], "output 1")
    table = process.add(log_to_data)
    process.connect(again["output 1"], table, "through 1")
    process.result(table["examples"])
    return process


def test_every_iteration_adds_a_row():
    columns = {"k": "operator.Top.parameter.k", "turn": "%{iteration}", "what": "run %{iteration}"}
    (table,) = run(looping_log(columns), AttributeWeights(list("abcd"), [4.0, 3, 2, 1]))
    assert list(table.column("k")) == [1, 2, 3]
    assert list(table.column("turn")) == [1, 2, 3]
    assert table.schema.attribute("what").categories == ("run 1", "run 2", "run 3")


def test_times_are_logged_and_unknown_names_told():
    weights = AttributeWeights(list("abcd"), [4.0, 3, 2, 1])
    (table,) = run(looping_log({"seconds": "operator.Top.value.time"}), weights)
    assert (table.column("seconds") > 0).all()
    with pytest.raises(ParameterError, match='No operator "Topp" has run yet'):
        run(looping_log({"x": "operator.Topp.parameter.k"}), weights)
    with pytest.raises(ParameterError, match='has no value "accuracy"'):
        run(looping_log({"x": "operator.Top.value.accuracy"}), weights)


def test_logged_performance_is_that_of_the_operator():
    process = Process()
    data = process.add(retrieve, repository_entry="iris")
    applied = process.add(apply_model, process.add(default_model, data), data)
    measured = process.add(performance, applied, name="Measure")
    noted = process.add(log, log={"main": "operator.Measure.value.performance"})
    process.connect(measured, noted, "through 1")
    table = process.add(log_to_data, log_name="Log")
    process.connect(noted["through 1"], table, "through 1")
    process.result(table["examples"])
    (found,) = run(process)
    assert found.column("main")[0] == pytest.approx(1 / 3)


def test_log_to_data_knows_its_logs():
    process = Process()
    process.result(process.add(log_to_data)["examples"])
    with pytest.raises(DataError, match="Nothing was logged yet"):
        run(process)
