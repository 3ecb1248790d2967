"""Loops inside of a loop that is too short for the workers are spread over them."""

import time

import numpy as np
import pytest

from fsops import Context, ExampleSet, Process, operator, run
from fsops.core.declare.iterations import Known
from fsops.core.frame import services
from fsops.core.frame.engine import EngineSettings
from fsops.core.frame.events import Logged, Progressed
from fsops.engine.engines.registry import open_engine
from fsops.operators import loop, multiply


class RecordingEngine:
    """Runs iterations here, and notes how many it was given at a time."""

    def __init__(self, workers):
        self.workers = workers
        self.loops = []

    def run(self, work, iterations, done, check):
        self.loops.append(len(iterations))
        for iteration in iterations:
            check()
            done(iteration, work(iteration))

    def close(self):
        """Nothing is open."""


def _count(known: Known) -> int:
    return known["times"]


@operator(group="Test", role="preparation", iterations=_count)
def inner_loop(examples: ExampleSet, *, times: int = 10, seconds: float = 0.0, ctx: Context) -> ExampleSet:  # fmt: skip
    """Inner Loop

    Adds random numbers in a loop.
    """

    def drawn(number: int) -> float:
        time.sleep(seconds)
        return float(ctx.rng("draw").normal()) + number

    values = ctx.map(drawn, range(times), "Draws")
    ctx.log("sum", sum(values))
    return ExampleSet.from_numpy(np.array(examples.numeric()) + np.mean(values))


def nested(outer, inner=10, seconds=0.0):
    """Return a loop of so many iterations around another one."""
    process = Process()
    node = process.add(loop, iterations=outer)
    process.connect(process.source("input 1"), node, "input 1")
    inside = node.inner()
    step = inside.add(inner_loop, inside.source("input 1"), times=inner, seconds=seconds)
    inside.result(step, "output 1")
    process.result(node["output 1"])
    return process


def flat(outer):
    process = Process()
    node = process.add(loop, iterations=outer)
    process.connect(process.source("input 1"), node, "input 1")
    inside = node.inner()
    inside.result(inside.add(multiply, inside.source("input 1")), "output 1")
    process.result(node["output 1"])
    return process


@pytest.fixture
def table():
    return ExampleSet.from_numpy(np.random.default_rng(0).normal(size=(6, 3)))


@pytest.fixture
def short_loops_pay(monkeypatch):
    monkeypatch.setattr(services, "LONG_LOOP", 0.0)


def loops_of(process, table, workers):
    engine = RecordingEngine(workers)
    result = run(process, table, engine=engine)[0]
    assert result.equals(run(process, table)[0])
    return engine.loops


@pytest.mark.usefixtures("short_loops_pay")
def test_iterations_of_a_short_loop_give_their_inner_loops_to_the_engine(table):
    assert loops_of(nested(5), table, workers=16) == [10] * 5


@pytest.mark.usefixtures("short_loops_pay")
def test_iterations_that_are_left_run_on_the_engine_when_they_keep_all_workers_busy(table):
    assert loops_of(nested(3), table, workers=2) == [10, 2]
    assert loops_of(nested(7), table, workers=4) == [10, 10, 10, 4]


@pytest.mark.usefixtures("short_loops_pay")
def test_a_loop_that_keeps_all_workers_busy_runs_on_the_engine(table):
    assert loops_of(nested(10), table, workers=2) == [10]
    assert loops_of(nested(32), table, workers=16) == [32]


@pytest.mark.usefixtures("short_loops_pay")
def test_inner_loops_that_are_shorter_still_are_not_worth_it(table):
    """The first iteration shows it; the engine runs the others."""
    assert loops_of(nested(7, inner=2), table, workers=16) == [2, 6]


def test_inner_loops_that_take_little_time_are_not_worth_it(table):
    assert loops_of(nested(3), table, workers=8) == [10, 2]
    assert loops_of(nested(3, seconds=0.02), table, workers=8) == [10, 10, 10]


def test_a_short_loop_without_loops_inside_runs_on_the_engine(table):
    assert loops_of(flat(3), table, workers=16) == [3]


def test_an_engine_that_does_not_say_how_many_workers_it_has_runs_the_outer_loop(table):
    engine = RecordingEngine(2)
    del engine.workers
    run(nested(3), table, engine=engine)
    assert engine.loops == [3]


@pytest.mark.usefixtures("short_loops_pay")
@pytest.mark.parametrize("name", ["threads", "processes"])
def test_results_and_events_are_those_of_a_serial_run(name, table):
    def logged(engine):
        events = []
        result = run(nested(3, inner=4), table, engine=engine, listener=events.append)[0]
        messages = [(e.path, e.name, e.value) for e in events if isinstance(e, Logged)]
        outer = [e for e in events if isinstance(e, Progressed) and len(e.path) == 1]
        return result, messages, [(e.done, e.total) for e in outer]

    engine = open_engine(name, EngineSettings(jobs=4))
    try:
        found, messages, progress = logged(engine)
    finally:
        engine.close()
    expected, serial, steps = logged(None)
    assert found.equals(expected)
    assert messages == serial
    assert len(serial) == 3
    assert progress == steps == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.usefixtures("short_loops_pay")
def test_cached_iterations_are_used_whatever_runs_them(table, tmp_path):
    process = nested(3)
    first = run(process, table, cache=tmp_path)[0]
    engine = RecordingEngine(2)
    again = run(process, table, cache=tmp_path, engine=engine)[0]
    assert again.equals(first)
