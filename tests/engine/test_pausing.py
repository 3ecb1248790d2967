"""Breakpoints: where a run stops, step by step, and what can be looked at then."""

import pytest

from fsops import Process, run
from fsops.core.frame.events import Logged, Paused, PortKept, Resumed
from fsops.engine.cache import ResultStore
from fsops.errors import Cancelled
from fsops.operators import (
    ensemble_feature_selection,
    normalize,
    retrieve,
    weight_by_correlation,
)


@pytest.fixture
def process():
    process = Process()
    table = process.add(normalize, process.add(retrieve, repository_entry="breast cancer"))
    ensemble = process.add(ensemble_feature_selection, table, iterations=3)
    inner = ensemble.inner()
    inner.result(inner.add(weight_by_correlation, inner.source("examples")), "weights")
    process.result(ensemble["weights"])
    return process


def stops(process, answers=(), **options):
    """Return where the run has stopped; each time the next of the answers is given."""
    seen = []
    given = iter(answers)

    def pause(node, moment, values):
        seen.append((node.name, moment))
        return next(given, False)

    run(process, pause=pause, **options)
    return seen


def test_a_run_stops_in_every_iteration_of_a_loop(process):
    process.find("Weight by Correlation").breakpoints = frozenset({"after"})
    assert stops(process) == [("Weight by Correlation", "after")] * 3


def test_a_step_goes_to_the_next_operator_that_begins(process):
    process["Retrieve"].breakpoints = frozenset({"after"})
    assert stops(process, [True, True, False]) == [
        ("Retrieve", "after"),
        ("Normalize", "before"),
        ("Ensemble Feature Selection", "before"),
    ]


def test_what_a_store_has_does_not_hide_a_breakpoint_inside(process, tmp_path):
    store = ResultStore(tmp_path)
    run(process, cache=store)
    process.find("Weight by Correlation").breakpoints = frozenset({"before"})
    assert len(stops(process, cache=store)) == 3


def test_pauses_are_told_after_the_values_so_far(process, tmp_path):
    process["Ensemble Feature Selection"].breakpoints = frozenset({"before"})
    events = []
    stops(process, listener=events.append, ports=tmp_path)
    told = [e for e in events if isinstance(e, Paused | PortKept | Resumed)]
    at = [type(e).__name__ for e in told].index("Paused")
    assert {e.path[-1] for e in told[:at]} == {"Retrieve", "Normalize"}
    assert (told[at].path, told[at].moment) == (("Ensemble Feature Selection",), "before")
    assert isinstance(told[at + 1], Resumed)
    assert ("Ensemble Feature Selection",) in {e.path for e in told[at + 2 :]}


def test_stopping_at_a_pause_ends_the_run(process):
    process["Normalize"].breakpoints = frozenset({"before"})

    def stop(node, moment, values):
        raise Cancelled("The run was stopped at a breakpoint.")

    with pytest.raises(Cancelled):
        run(process, pause=stop)


def test_with_breakpoints_no_engine_runs_the_loops_and_that_is_said_once(process, engines):
    process.find("Weight by Correlation").breakpoints = frozenset({"after"})
    events = []
    assert len(stops(process, engine=engines("threads"), listener=events.append)) == 3
    said = [e for e in events if isinstance(e, Logged) and "without the engine" in str(e.value)]
    assert len(said) == 1


def test_who_steps_goes_inside_of_what_the_store_has(process, tmp_path, monkeypatch):
    monkeypatch.setattr("fsops.engine.executor.WORTH_KEEPING", 0.0)
    run(process, cache=ResultStore(tmp_path))
    ensemble = next(node for node in process if node.subprocesses)
    ensemble.breakpoints = frozenset({"before"})
    seen = stops(process, [True], cache=ResultStore(tmp_path))
    assert seen == [(ensemble.name, "before"), ("Weight by Correlation", "before")]
    assert stops(process, [False], cache=ResultStore(tmp_path)) == [(ensemble.name, "before")]
