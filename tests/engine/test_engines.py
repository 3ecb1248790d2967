"""Engines: the same numbers everywhere, errors and deaths in turns, stopping."""

import contextlib
import gc
import os
import signal
import threading
import time
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from fsops import AttributeWeights, Context, ExampleSet, Process, operator, run
from fsops.core import Subprocess
from fsops.core.frame.engine import EngineSettings
from fsops.engine.engines.registry import engine_names, open_engine
from fsops.errors import Cancelled, DataError, OperatorFailed, TimedOut, UsageError
from fsops.operators import (
    apply_model,
    bagging,
    bootstrapping_validation,
    cross_validation,
    decision_tree,
    ensemble_feature_selection,
    feature_selection_stability_validation,
    log,
    log_to_data,
    loop,
    loop_and_average,
    loop_parameters,
    naive_bayes,
    optimize_parameters_grid,
    optimize_selection_evolutionary,
    optimize_selection_forward,
    performance,
    rank_by_selection,
    recursive_feature_elimination,
    repeated_random_split,
    select_by_mrmr_cfs,
    select_by_weights,
    select_top_k,
    split_validation,
    weight_by_random_forest,
    weight_by_welch_test,
    wrapper_x_validation,
)

pytestmark = pytest.mark.usefixtures("several_threads")

PARALLEL = ["threads", "processes", "dask"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 12))
    X[:, 0] += np.arange(60) % 2
    return ExampleSet.from_numpy(X, np.array(["no", "yes"])[np.arange(60) % 2])


# --- one process of every operator with a loop ------------------------------------------------


def weigh(inner, source, port="weights", by=weight_by_random_forest, **parameters):
    parameters = parameters or ({"number_of_trees": 3} if by is weight_by_random_forest else {})
    inner.result(inner.add(by, inner.source(source), **parameters), port)


def learn_and_test(node):
    training, testing = node.subprocesses[-2:]
    inside, outside = ("train_set", "test_set") if len(node.subprocesses) == 3 else (None, None)
    names = [port.name for port in training.sources]
    learner = training.add(decision_tree, training.source(inside if inside in names else names[0]))
    training.result(learner["model"], "model")
    test_names = [port.name for port in testing.sources]
    test_set = next(name for name in test_names if "test" in name)
    applied = testing.add(apply_model, testing.source("model"), testing.source(test_set))
    testing.result(testing.add(performance, applied), "performance")
    assert outside in (None, "test_set")


def validated(kind, **parameters):
    def build(process):
        node = process.add(kind, process.source("input 1"), **parameters)
        learn_and_test(node)
        process.result(node["performance"])

    return build


def wrapped(process):
    node = process.add(wrapper_x_validation, process.source("input 1"), number_of_folds=4)
    weighting = node.subprocesses[0]
    weights = weighting.add(weight_by_random_forest, weighting.source(), number_of_trees=3)
    weighting.result(weighting.add(select_top_k, weights, k=3), weighting.sinks[0].name)
    learn_and_test(node)
    process.result(node["performance"])
    process.result(node["weights"])


def selecting(kind, **parameters):
    def build(process):
        node = process.add(kind, process.source("input 1"), **parameters)
        weigh(node.inner(), "examples")
        for port in node.operator.outputs:
            process.result(node[port.name])

    return build


def ranked(process):
    node = process.add(rank_by_selection, process.source("input 1"), k=3)
    inner = node.inner()
    inner.result(inner.add(select_by_mrmr_cfs, inner.source("examples"), k="%{k}"), "weights")
    process.result(node)


def searched(kind, **parameters):
    def build(process):
        node = process.add(kind, process.source("input 1"), **parameters)
        inner = node.inner()
        inside = inner.add(cross_validation, inner.source("examples"), number_of_folds=3)
        learn_and_test(inside)
        inner.result(inside["performance"], "performance")
        process.result(node["weights"])
        process.result(node["performance"])

    return build


def tuned(kind):
    def build(process):
        grid = {"Decision Tree.max_depth": "1,2,3"}
        node = process.add(kind, parameters=grid)
        process.connect(process.source("input 1"), node, "input 1")
        inner = node.inner()
        inside = inner.add(cross_validation, inner.source("input 1"), number_of_folds=3)
        learn_and_test(inside)
        inner.result(inside["performance"], "performance")
        process.result(node["trials"])

    return build


def looped(process):
    node = process.add(loop, iterations=4)
    process.connect(process.source("input 1"), node, "input 1")
    inner = node.inner()
    weights = inner.add(
        weight_by_random_forest, inner.source("input 1"), number_of_trees=3, name="Forest"
    )
    noted = inner.add(
        log, log={"turn": "%{iteration}", "trees": "operator.Forest.parameter.number_of_trees"}
    )
    inner.connect(weights, noted, "through 1")
    inner.result(noted["through 1"], "output 1")
    table = process.add(log_to_data)
    process.connect(node["output 1"], table, "through 1")
    process.result(node["output 1"])
    process.result(table["examples"])


def averaged(process):
    node = process.add(loop_and_average, iterations=3)
    process.connect(process.source("input 1"), node, "input 1")
    inner = node.inner()
    inner.result(
        inner.add(weight_by_random_forest, inner.source("input 1"), number_of_trees=3), "average 1"
    )
    process.result(node["average 1"])


def bagged(process):
    node = process.add(bagging, process.source("input 1"), iterations=4)
    inner = node.inner()
    inner.result(inner.add(naive_bayes, inner.source()), "model")
    process.result(process.add(apply_model, node["model"], process.source("input 1")))


BUILDERS = {
    "cross_validation": validated(cross_validation, number_of_folds=4),
    "split_validation": validated(split_validation),
    "bootstrapping_validation": validated(bootstrapping_validation, repetitions=3),
    "repeated_random_split": validated(repeated_random_split, number_of_splits=4),
    "wrapper_x_validation": wrapped,
    "ensemble": selecting(ensemble_feature_selection, iterations=5),
    "stability": selecting(feature_selection_stability_validation, iterations=5),
    "elimination": selecting(recursive_feature_elimination, k=4),
    "rank_by_selection": ranked,
    "forward": searched(optimize_selection_forward, max_attributes=2),
    "evolutionary": searched(optimize_selection_evolutionary, max_generations=2),
    "grid": tuned(optimize_parameters_grid),
    "loop_parameters": tuned(loop_parameters),
    "loop": looped,
    "loop_and_average": averaged,
    "bagging": bagged,
}


def built(name):
    process = Process(name)
    BUILDERS[name](process)
    return process


@pytest.fixture(scope="module")
def alone(table):
    """Return the results of each process without an engine."""
    found = {}

    def get(name):
        if name not in found:
            found[name] = list(run(built(name), table, seed=11))
        return found[name]

    return get


@pytest.mark.parametrize("engine", PARALLEL)
@pytest.mark.parametrize("name", BUILDERS)
def test_every_engine_gives_the_same_bytes(name, engine, engines, alone, table):
    found = list(run(built(name), table, seed=11, engine=engines(engine)))
    expected = alone(name)
    assert len(found) == len(expected) > 0
    assert all(a.equals(b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("jobs", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_the_number_of_workers_does_not_matter(jobs, alone, table):
    engine = open_engine("processes", EngineSettings(jobs=jobs))
    try:
        (found, *_) = run(built("ensemble"), table, seed=11, engine=engine)
    finally:
        engine.close()
    assert found.equals(alone("ensemble")[0])


# --- what happens in turns --------------------------------------------------------------------


@operator(group="Test")
def each_iteration(
    examples: ExampleSet,
    body: Subprocess[[ExampleSet], AttributeWeights],
    *,
    iterations: int = 6,
    ctx: Context,
) -> AttributeWeights:
    """Each iteration"""

    def iteration(number):
        with ctx.macro("iteration", str(number)):
            return body(examples.take(np.arange(number + 5)))

    return AttributeWeights.average(ctx.map(iteration, range(iterations), "Iterations"))


def wait_for(condition, seconds=100):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


@operator(group="Test")
def misbehave(
    examples: ExampleSet,
    *,
    iteration: int = 0,
    fail: str = "",
    die: str = "",
    once: str = "",
    sleep: float = 0.0,
    begun: str = "",
    until: str = "",
    ctx: Context,
) -> AttributeWeights:
    """Misbehave"""
    time.sleep(sleep)
    if begun:
        Path(begun).touch()
        wait_for(Path(until).exists)
    if str(iteration) in fail.split():
        raise DataError(f"iteration {iteration} fails")
    if str(iteration) in die.split() and not (once and Path(once).exists()):
        if once:
            Path(once).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    ctx.warn(f"iteration {iteration} says")
    return examples.weights([float(len(examples))] * len(examples.schema.regular))


def turning(**parameters):
    process = Process()
    node = process.add(each_iteration, process.source("input 1"))
    inner = node.inner()
    inner.result(
        inner.add(misbehave, inner.source("examples"), iteration="%{iteration}", **parameters),
        "weights",
    )
    process.result(node)
    # The macro is set by the operator itself.
    process.macros["iteration"] = "0"
    return process


@pytest.mark.parametrize("engine", ["serial", *PARALLEL])
def test_the_first_error_in_order_is_told_with_its_place(engine, engines, table):
    with pytest.raises(DataError, match="iteration 2 fails") as caught:
        run(turning(fail="4 2"), table, engine=engines(engine))
    assert caught.value.path == ("Each iteration", "Body", "Misbehave")


@pytest.mark.parametrize("engine", PARALLEL)
def test_warnings_and_timings_of_iterations_arrive_in_order(engine, engines, table):
    result = run(turning(), table, engine=engines(engine))
    told = [message.value for message in result.messages]
    assert told == [f"iteration {n} says" for n in range(6)]
    assert result.timings["Each iteration", "Body", "Misbehave"].runs == 6


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_an_iteration_whose_worker_is_killed_once_is_done_again(engine, jobs, table, tmp_path):
    expected = run(turning(), table)[0]
    opened = open_engine(engine, EngineSettings(jobs=jobs))
    try:
        found = run(turning(die="3", once=str(tmp_path / "died")), table, engine=opened)[0]
    finally:
        opened.close()
    assert (tmp_path / "died").exists()
    assert found.equals(expected)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs signals")
@pytest.mark.parametrize("number", [0, 1])
def test_a_worker_of_dask_that_is_lost_while_data_is_sent_costs_only_time(number, table):
    expected = run(turning(), table)[0]
    engine = open_engine("dask", EngineSettings(jobs=2))
    try:
        worker = list(engine._cluster.workers.values())[number].pid
        os.kill(worker, signal.SIGSTOP)  # so that the data waits for it
        death = threading.Timer(1, os.kill, (worker, signal.SIGKILL))
        death.start()
        found = run(turning(), table, engine=engine)[0]
        death.join()
    finally:
        engine.close()
    assert found.equals(expected)


@pytest.mark.slow
def test_an_iteration_that_always_kills_its_worker_is_named(table):
    engine = open_engine("processes", EngineSettings(jobs=2))
    try:
        with pytest.raises(OperatorFailed, match="Iteration 4 of the loop") as caught:
            run(turning(die="3"), table, engine=engine)
        assert caught.value.path == ("Each iteration",)
        assert run(turning(), table, engine=engine)[0] is not None  # the engine lives on
    finally:
        engine.close()


@pytest.mark.slow
def test_a_cluster_whose_only_worker_is_gone_for_good_is_told(table, monkeypatch):
    """Nobody restarts the worker of a cluster that is not ours."""
    from distributed import LocalCluster

    from fsops.engine.engines import cluster_connection

    monkeypatch.setattr(cluster_connection, "LOST_SECONDS", 1)
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)
    try:
        engine = open_engine("dask", EngineSettings(scheduler=cluster.scheduler_address))
        try:
            assert run(turning(), table, engine=engine)[0] is not None
            cluster.scale(0)
            while engine._client.scheduler_info()["workers"]:
                time.sleep(0.05)
            with pytest.raises(OperatorFailed, match="has no workers") as caught:
                run(turning(), table, engine=engine)
            assert "--resume" in caught.value.hint
        finally:
            engine.close()
    finally:
        cluster.close()


@pytest.mark.parametrize(
    "engine", ["threads", "processes", pytest.param("dask", marks=pytest.mark.slow)]
)
def test_stopping_ends_a_run_deep_inside_a_loop(engine, table, tmp_path):
    opened = open_engine(engine, EngineSettings(jobs=2))
    begun, until, stop = tmp_path / "begun", tmp_path / "until", threading.Event()

    def stop_inside():
        wait_for(begun.exists)
        stop.set()

    threading.Thread(target=stop_inside).start()
    try:
        with pytest.raises(Cancelled):  # though no iteration has ended yet
            run(turning(begun=str(begun), until=str(until)), table, engine=opened, cancel=stop)
        assert begun.exists()
    finally:
        until.touch()
        opened.close()


def test_a_run_that_takes_too_long_is_stopped(table, engines):
    with pytest.raises(TimedOut, match=r"after 0\.2 seconds"):
        run(turning(sleep=0.1), table, timeout=0.2)
    with pytest.raises(TimedOut):
        run(turning(sleep=0.5), table, timeout=0.5, engine=engines("processes"))


def test_unknown_engines_and_numbers_of_jobs_are_refused():
    assert engine_names()[0] == "serial"
    with pytest.raises(UsageError, match='Did you mean "processes"'):
        open_engine("process", EngineSettings())
    with pytest.raises(UsageError, match="at least 1"):
        open_engine("threads", EngineSettings(jobs=0))
    assert open_engine("serial", EngineSettings()) is None


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch):
    from fsops.engine.engines import cluster_connection

    monkeypatch.setattr(cluster_connection, "CONNECT_SECONDS", 1)
    with pytest.raises(UsageError, match="does not answer"):
        open_engine("dask", EngineSettings(scheduler="tcp://127.0.0.1:1"))


def test_an_address_that_can_be_none_is_told_at_once(monkeypatch):
    from fsops.engine.engines import cluster_connection

    monkeypatch.setattr(cluster_connection, "CONNECT_SECONDS", 10_000)
    with pytest.raises(UsageError, match="does not answer .missing port"):
        open_engine("dask", EngineSettings(scheduler="nowhere"))
    gc.collect()


def test_workers_of_a_cluster_are_ended_where_there_is_no_sigkill(monkeypatch):
    pytest.importorskip("distributed")
    import subprocess
    import sys

    from fsops.engine.engines import cluster

    worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])

    class Nanny:
        pid, auto_restart = worker.pid, True

    class Cluster:
        workers: ClassVar = {0: Nanny()}

        def close(self, timeout):
            pass

    monkeypatch.delattr(signal, "SIGKILL")  # as on Windows
    try:
        cluster._end(Cluster())
        assert worker.wait(30) == -signal.SIGTERM
    finally:
        worker.terminate()
    assert not Cluster.workers[0].auto_restart


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 1000])
def test_a_worker_killed_while_it_starts_is_started_again_or_reported(most, engines, table):
    psutil = pytest.importorskip("psutil")
    pytest.importorskip("distributed")
    running = engines("dask")
    killed, over = set(), threading.Event()
    others = {child.pid for child in psutil.Process().children(recursive=True)}

    def kill_workers():
        while len(killed) < most and not over.wait(0.01):
            for child in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    starting = "spawn_main" in " ".join(child.cmdline())
                    if starting and child.pid not in killed | others and len(killed) < most:
                        killed.add(child.pid)
                        child.kill()

    killer = threading.Thread(target=kill_workers)
    killer.start()
    try:
        if most == 1:
            open_engine("dask", EngineSettings(jobs=1)).close()
        else:
            with pytest.raises(OperatorFailed, match="workers of dask could not be started"):
                open_engine("dask", EngineSettings(jobs=1))
    finally:
        over.set()
        killer.join()
    assert killed
    # A cluster that another engine has started before goes on.
    assert run(turning(), table, engine=running)[0] is not None


def test_results_that_cannot_be_sent_are_told(engines, table):
    @operator(group="Test")
    def unsendable(examples: ExampleSet, *, ctx: Context) -> AttributeWeights:
        """Unsendable"""
        ctx.map(lambda _: threading.Lock(), range(3))
        return examples.weights(np.zeros(12))

    process = Process()
    process.result(process.add(unsendable, process.source("input 1")))
    with pytest.raises(OperatorFailed, match="cannot be sent"):
        run(process, table, engine=engines("processes"))


def test_selection_by_weights_inside_a_fold_is_the_same_in_processes(engines, table):
    process = Process()
    node = process.add(cross_validation, process.source("input 1"), number_of_folds=3)
    training, _ = node.subprocesses
    learn_and_test(node)
    weights = training.add(weight_by_welch_test, training.source("training_set"))
    chosen = training.add(
        select_by_weights, training.source("training_set"), weights, weight_relation="top k", k=3
    )
    training.connect(chosen, "Decision Tree", "examples")
    process.result(node["performance"])
    (serial,) = run(process, table)
    (parallel,) = run(process, table, engine=engines("processes"))
    assert serial.equals(parallel)
