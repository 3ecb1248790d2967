"""What last came out of every port: kept, told, found again."""

import time

import numpy as np
import pytest

from fsops import Collection, ExampleSet, FlowObject, Process, operator, run
from fsops.core.frame.events import PortKept
from fsops.engine.cache import ResultStore
from fsops.engine.ports import PortKeeper, port_summary
from fsops.errors import Cancelled, DataError, OperatorFailed
from fsops.operators import (
    ensemble_feature_selection,
    loop,
    normalize,
    retrieve,
    select_by_weights,
    weight_by_correlation,
)


class Strange(FlowObject):
    """Something that no store takes."""

    port_name = "strange"
    title = "Strange"


@operator(group="Test")
def strange(examples: ExampleSet) -> Strange:
    """Strange"""
    return Strange()


@operator(group="Test")
def fails(examples: ExampleSet) -> ExampleSet:
    """Fails"""
    raise DataError("No.")


@operator(group="Test")
def gives_up(examples: ExampleSet) -> ExampleSet:
    """Gives up"""
    raise Cancelled("The run was stopped.")


@pytest.fixture
def store(tmp_path):
    return ResultStore(tmp_path / "ports")


@pytest.fixture
def process():
    process = Process()
    table = process.add(normalize, process.add(retrieve, repository_entry="breast cancer"))
    ensemble = process.add(ensemble_feature_selection, table, iterations=3)
    inner = ensemble.inner()
    weights = inner.add(weight_by_correlation, inner.source("examples"))
    chosen = inner.add(select_by_weights, inner.source("examples"), weights, k=5,
                       weight_relation="top k")  # fmt: skip
    again = inner.add(weight_by_correlation, chosen)
    inner.result(weights, "weights")
    process.result(ensemble["weights"])
    assert again.name == "Weight by Correlation (2)"
    return process


def kept(process, store, **options):
    """Return what was told of each port, by operator and port."""
    events = []
    try:
        result = run(process, listener=events.append, ports=store.folder, **options)
    except (Cancelled, OperatorFailed, DataError):
        result = None
    told = {(e.path[-1], e.port): e for e in events if isinstance(e, PortKept)}
    assert len(told) == sum(isinstance(e, PortKept) for e in events), "told twice"
    return told, result


def test_every_port_is_told_and_found_again_also_inside(process, store):
    told, result = kept(process, store)
    assert set(told) >= {
        ("Retrieve", "examples"),
        ("Normalize", "examples"),
        ("Weight by Correlation", "weights"),
        ("Select by Weights", "examples"),
        ("Ensemble Feature Selection", "weights"),
    }
    found = store.get(told["Ensemble Feature Selection", "weights"].key).value
    assert found.equals(result[0])
    inside = store.get(told["Select by Weights", "examples"].key).value
    assert len(inside.schema.regular) == 5
    assert (
        told["Retrieve", "examples"].summary == "569 rows, 30 attributes, label label (2 classes)"
    )


def test_a_view_takes_nothing_along(process, store):
    told, _ = kept(process, store)
    few = store.folder / told["Select by Weights", "examples"].key[:2]
    all_of_it = store.folder / told["Retrieve", "examples"].key[:2]
    sizes = [max(f.stat().st_size for f in folder.iterdir()) for folder in (few, all_of_it)]
    assert sizes[0] < sizes[1] / 2


def test_what_cannot_be_kept_has_no_key(store):
    process = Process()
    process.result(process.add(strange, process.add(retrieve, repository_entry="breast cancer")))
    told, result = kept(process, store)
    assert told["Strange", "strange"].key is None
    assert told["Strange", "strange"].title == "Strange"
    assert isinstance(result[0], Strange)


@pytest.mark.parametrize("end", [fails, gives_up])
def test_a_run_that_fails_or_is_stopped_leaves_what_there_was(end, store):
    process = Process()
    scaled = process.add(normalize, process.add(retrieve, repository_entry="breast cancer"))
    process.result(process.add(end, scaled))
    told, result = kept(process, store)
    assert result is None
    assert store.get(told["Normalize", "examples"].key) is not None


def test_an_operator_that_is_switched_off_shows_what_passes_through(process, store):
    process["Normalize"].enabled = False
    told, _ = kept(process, store)
    passed = store.get(told["Normalize", "examples"].key).value
    assert passed.equals(store.get(told["Retrieve", "examples"].key).value)


def test_of_a_parallel_loop_only_what_runs_here_is_known(process, store, engines):
    told, _ = kept(process, store, engine=engines("processes"))
    assert ("Ensemble Feature Selection", "weights") in told
    assert ("Weight by Correlation", "weights") not in told


def test_whoever_is_in_a_hurry_keeps_the_small_ones(store):
    keeper = PortKeeper(store)
    keeper.note(("A", "Inner", "B"), {"examples": ExampleSet.from_numpy(np.zeros((500, 500)))})
    events = []
    keeper.write(events.append, seconds=-1.0)
    assert [(e.port, e.key) for e in events] == [("examples", None)]
    keeper.write(events.append)
    assert len(events) == 1


def test_a_wide_table_is_kept_in_seconds(store):
    keeper = PortKeeper(store)
    wide = ExampleSet.from_numpy(np.zeros((100, 200_000)))
    events = []
    began = time.process_time()  # what other programs and the disk take does not count
    keeper.note(("Retrieve",), {"examples": wide})
    keeper.write(events.append)
    assert time.process_time() - began < 10
    assert keeper.has_large(("Retrieve",), "examples")
    assert store.get(events[0].key).value.equals(wide)


def test_summaries_are_one_line_for_people():
    table = ExampleSet.from_numpy(np.zeros((2, 2000)))
    assert port_summary(table) == "2 rows, 2,000 attributes"
    assert port_summary(Collection([table, table])) == "2: Data table"


def test_a_fault_in_the_words_of_a_plugins_result_costs_nothing(tmp_path, monkeypatch):
    def fault(self):
        raise RuntimeError("no words")

    monkeypatch.setattr(Strange, "__repr__", fault)
    monkeypatch.setattr(Strange, "__str__", fault)
    process = Process()
    process.result(process.add(strange, process.add(retrieve, repository_entry="iris")))
    events = []
    assert run(process, ports=tmp_path, listener=events.append).names == ["Strange.strange"]
    (told,) = [e for e in events if isinstance(e, PortKept) and e.port == "strange"]
    assert told.summary == "Strange"


def test_of_iterations_side_by_side_nothing_inside_is_kept_in_threads_either(tmp_path, engines):
    process = Process()
    table = process.add(retrieve, repository_entry="iris")
    iterations = process.add(loop, table, iterations=4)
    inner = iterations.inner()
    inner.result(inner.add(normalize, inner.source("input 1")))
    process.result(iterations)
    events = []
    run(process, engine=engines("threads"), ports=tmp_path, listener=events.append)
    assert {e.path for e in events if isinstance(e, PortKept)} == {("Retrieve",), ("Loop",)}
