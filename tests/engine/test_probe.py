"""One iteration of every loop, measured and counted for all."""

import threading
import time
from typing import Annotated

import numpy as np
import pytest
from pydantic import Field

from fsops import AttributeWeights, Context, ExampleSet, Process, Subprocess, operator
from fsops.core import File
from fsops.core.checks.plan import plan
from fsops.core.declare.iterations import Count
from fsops.engine import probe as module
from fsops.engine.probe import probe
from fsops.errors import Cancelled, DataError
from fsops.operators import (
    bagging,
    ensemble_feature_selection,
    k_nn,
    loop,
    naive_bayes,
    retrieve,
    vote,
    weight_by_welch_test,
)

CALLS: list[int] = []


@pytest.fixture(autouse=True)
def once(monkeypatch):
    """Forget earlier calls, and let the probe do without a second round."""
    CALLS.clear()
    monkeypatch.setattr(module, "LONG", -1.0)


@operator(group="Test")
def load(*, rows: Annotated[int, Field(ge=1)] = 8) -> ExampleSet:
    """Load"""
    return ExampleSet.from_numpy(np.arange(rows * 2.0).reshape(rows, 2), ["a", "b"] * (rows // 2))


@operator(group="Test")
def weigh(examples: ExampleSet) -> AttributeWeights:
    """Weigh"""
    CALLS.append(1)
    return examples.weights(np.ones(2))


Body = Subprocess[[ExampleSet], AttributeWeights]


@operator(group="Test", iterations=lambda known: known["iterations"])
def repeat(
    examples: ExampleSet,
    body: Body,
    *,
    iterations: Annotated[int, Field(ge=1)] = 10,
    pause: float = 0.0,
    ctx: Context,
) -> AttributeWeights:
    """Repeat"""

    def iteration(number: int) -> AttributeWeights:
        CALLS.append(number)
        time.sleep(pause)
        return body(examples)

    found = ctx.map(iteration, range(iterations), "Iterations")
    assert len(found) == iterations
    return found[0]


@operator(group="Test", iterations=lambda known: 3)
def chain(examples: ExampleSet, body: Body, *, ctx: Context) -> AttributeWeights:
    """Chain"""
    return [body(examples) for _ in ctx.progress(range(3), "Steps")][-1]


@operator(group="Test", iterations=lambda known: 4)
def choosy(examples: ExampleSet, body: Body, *, ctx: Context) -> AttributeWeights:
    """Choosy"""
    found = ctx.map(lambda number: (number, body(examples)), range(4), "Iterations")
    if len({number for number, _ in found}) < 4:
        raise DataError("The iterations are all the same.")
    return found[0][1]


@operator(group="Test")
def keep(
    examples: ExampleSet, *, file: Annotated[str, File(write=True), Field(description="Where.")]
) -> ExampleSet:
    """Keep"""
    raise AssertionError("must not write")


def nested(*operators, **parameters):
    """Return a process with operators inside each other, around a weighting."""
    process = Process()
    level, data = process, process.add(load)
    for number, outer in enumerate(operators):
        node = level.add(outer, data, name=f"Level {number}", **parameters)
        level.result(node)
        level = node.inner()
        data = level.source()
    level.result(level.add(weigh, data))
    return process


def test_one_iteration_of_each_level_runs_and_all_are_counted():
    process = nested(repeat, repeat, iterations=10)
    found = probe(process)
    assert len(CALLS) == 3
    assert found.runs == {
        ("Load",): 1,
        ("Level 0",): 1,
        ("Level 0", "Body", "Level 1"): 10,
        ("Level 0", "Body", "Level 1", "Body", "Weigh"): 100,
    }
    assert found.stopped is None
    assert found.unmeasured(plan(process)) == []


def test_the_iteration_in_the_middle_stands_for_all():
    probe(nested(repeat, iterations=9))
    assert CALLS[0] == 4


def test_time_between_the_inner_operators_counts_for_every_iteration():
    process = nested(repeat, repeat, iterations=10, pause=0.005)
    found = probe(process)
    low, high = found.total_seconds(plan(process))
    # 10 pauses outside, 100 inside; a busy machine only makes it more.
    assert low == high
    assert low >= 110 * 0.005
    assert found.own_seconds["Level 0", "Body", "Level 1"] >= 100 * 0.005
    assert found.own_seconds["Level 0",] >= 10 * 0.005
    assert found.seconds < low


def test_steps_that_build_on_each_other_all_run():
    found = probe(nested(chain))
    assert found.runs["Level 0", "Body", "Weigh"] == 3
    assert len(CALLS) == 3


def test_different_learners_are_all_measured():
    process = Process()
    data = process.add(retrieve, repository_entry="iris")
    outer = process.add(vote, data)
    outer.add_inner()
    for inner, learner in zip(outer.subprocesses, (naive_bayes, k_nn), strict=True):
        inner.result(inner.add(learner, inner.source()))
    process.result(outer)
    found = probe(process)
    assert found.runs["Vote", "Learners 1", "Naive Bayes"] == 1
    assert found.runs["Vote", "Learners 2", "k-NN"] == 1


def test_results_made_of_equal_iterations_go_on():
    process = Process()
    data = process.add(retrieve, repository_entry="iris")
    outer = process.add(bagging, data, iterations=25)
    outer.inner().result(outer.inner().add(naive_bayes, outer.inner().source()))
    process.result(outer)
    found = probe(process)
    assert found.stopped is None
    assert found.runs["Bagging", "Learner", "Naive Bayes"] == 25


def test_a_result_that_cannot_be_made_of_equal_iterations_ends_the_probe_with_what_is_known():
    process = nested(choosy)
    found = probe(process)
    assert str(found.stopped) == "Level 0: The iterations are all the same."
    assert found.runs["Level 0", "Body", "Weigh"] == 4
    low, _ = found.total_seconds(plan(process))
    assert low > 0


def test_what_was_not_reached_is_told():
    process = nested(choosy)
    outer = process["Level 0"]
    process.add(loop, outer, name="Later")
    found = probe(process)
    assert [o.node.name for o in found.unmeasured(plan(process))] == ["Later"]


def test_resamples_that_are_computed_at_once_need_no_runs():
    process = Process()
    data = process.add(retrieve, repository_entry="breast cancer")
    outer = process.add(ensemble_feature_selection, data)
    outer.inner().result(outer.inner().add(weight_by_welch_test, outer.inner().source()))
    process.result(outer)
    found = probe(process)
    planned = {o.node.name: o.runs for o in plan(process, observed=found.observed).walk()}
    assert planned["Weight by Welch Test"] == Count.exactly(0)


def test_nothing_is_written(tmp_path):
    process = Process()
    kept = process.add(keep, process.add(load), file=str(tmp_path / "x.csv"))
    process.result(kept)
    found = probe(process)
    assert found.stopped is None
    assert [o.node.name for o in found.unmeasured(plan(process))] == ["Keep"]
    assert kept.enabled


def test_tables_that_arrive_are_seen():
    found = probe(nested(repeat))
    table = found.tables["Level 0",]
    assert (table.rows, len(table.schema.regular)) == (8, 2)


def test_a_short_probe_is_repeated_so_that_loading_does_not_count(monkeypatch):
    monkeypatch.setattr(module, "LONG", 10.0)
    found = probe(nested(repeat))
    assert len(CALLS) == 4
    assert found.runs["Level 0", "Body", "Weigh"] == 10


def test_it_can_be_stopped():
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        probe(nested(repeat), cancel=cancel)
