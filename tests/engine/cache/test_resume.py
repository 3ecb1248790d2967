"""Runs that go on where they were: what is done again, what is not, and with which results."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from fsops import AttributeWeights, Context, ExampleSet, Process, operator, run
from fsops.engine import executor
from fsops.engine.cache import ResultStore
from fsops.operators import (
    apply_model,
    cross_validation,
    ensemble_feature_selection,
    log,
    log_to_data,
    loop,
    naive_bayes,
    performance,
    read_csv,
    read_parquet,
    retrieve,
    select_by_weights,
    weight_by_correlation,
)
from fsops.storage.repository import store_entry

CALLS = []


@operator(group="Test")
def counted(
    examples: ExampleSet, *, scale: float = 1.0, where: str = "", ctx: Context
) -> AttributeWeights:
    """Counted"""
    CALLS.append(1)
    if where:
        with open(where, "a", encoding="utf-8") as file:
            file.write("x")
    ctx.warn("counted")
    noise = ctx.rng().random(len(examples.schema.regular))
    return examples.weights(scale * (examples.numeric().mean(axis=0) + noise))


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    return ExampleSet.from_numpy(rng.normal(size=(30, 8)), np.array(["n", "y"])[np.arange(30) % 2])


@pytest.fixture
def store(tmp_path):
    CALLS.clear()
    return ResultStore(tmp_path / "cache")


def build(folds=3, iterations=5, **parameters):
    process = Process()
    node = process.add(cross_validation, process.source("input 1"), number_of_folds=folds)
    training, testing = node.subprocesses
    rows = training.source("training_set")
    ensemble = training.add(ensemble_feature_selection, rows, iterations=iterations)
    inner = ensemble.inner()
    inner.result(inner.add(counted, inner.source("examples"), **parameters), "weights")
    chosen = training.add(
        select_by_weights, rows, ensemble["weights"], weight_relation="top k", k=3
    )
    training.result(training.add(naive_bayes, chosen), "model")
    training.result(ensemble["weights"], "weights")
    applied = testing.add(apply_model, testing.source("model"), testing.source("test_set"))
    testing.result(testing.add(performance, applied), "performance")
    process.result(node["performance"])
    process.result(node["weights"])
    return process


def equal(a, b):
    return len(a) == len(b) and all(x.equals(y) for x, y in zip(a, b, strict=True))


def test_a_second_run_does_nothing_again_and_says_the_same(table, store):
    plain = run(build(), table)
    CALLS.clear()
    first = run(build(), table, cache=store)
    assert len(CALLS) == 15
    second = run(build(), table, cache=store)
    assert len(CALLS) == 15
    assert equal(first, plain)
    assert equal(second, plain)
    assert [m.value for m in second.messages] == [m.value for m in plain.messages]


@pytest.mark.parametrize(
    ("again", "calls"),
    [
        (lambda t, s: run(build(), t, cache=s, seed=9), 15),
        (lambda t, s: run(build(scale=2.0), t, cache=s), 15),
        (lambda t, s: run(build(iterations=6), t, cache=s), 18),
        (lambda t, s: run(build(), t.take(np.arange(28)), cache=s), 15),
    ],
    ids=["seed", "parameter inside", "iterations", "data"],
)
def test_whatever_decides_about_the_result_makes_another_key(table, store, again, calls):
    run(build(), table, cache=store)
    CALLS.clear()
    again(table, store)
    assert len(CALLS) == calls


def test_single_iterations_are_kept(table, store):
    run(build(), table, cache=store)
    # Of the outer results nothing is left, of the iterations inside some.
    files = sorted(store.folder.glob("??/*"), key=lambda f: f.stat().st_size)
    for file in files[len(files) // 2 :]:
        file.unlink()
    CALLS.clear()
    result = run(build(), table, cache=store)
    assert 0 < len(CALLS) < 15
    assert equal(result, run(build(), table))


def test_damaged_results_are_made_again(table, store):
    first = run(build(), table, cache=store)
    for number, file in enumerate(store.folder.glob("??/*")):
        file.write_bytes(file.read_bytes()[: -1 - number])
    assert equal(run(build(), table, cache=store), first)


def test_workers_keep_results_too(table, store, engines):
    first = run(build(), table, cache=store, engine=engines("processes"))
    CALLS.clear()
    assert equal(run(build(), table, cache=store), first)
    assert CALLS == []


def test_a_file_that_has_changed_is_read_again(tmp_path, store):
    file = tmp_path / "data.csv"

    def weights():
        process = Process()
        data = process.add(read_csv, path=str(file), label="y")
        process.result(process.add(weight_by_correlation, data))
        return run(process, cache=store)[0]

    file.write_text("a,y\n1,1\n2,2\n3,3.5\n")
    before = weights()
    file.write_text("a,y\n1,3\n2,2\n3,1.5\n")
    assert not weights().equals(before)


def test_a_file_read_inside_a_loop_counts_for_the_loop(tmp_path, store):
    file = tmp_path / "data.csv"

    def collected():
        process = Process()
        node = process.add(loop, iterations=2)
        process.connect(process.source("input 1"), node, "input 1")
        inner = node.inner()
        inner.result(inner.add(read_csv, path=str(file)), "output 1")
        process.result(node["output 1"])
        return run(process, AttributeWeights(["a"], [1.0]), cache=store)[0]

    file.write_text("a\n1\n")
    assert collected()[0].column("a")[0] == 1
    file.write_text("a\n2\n")
    assert collected()[0].column("a")[0] == 2


def test_loops_with_a_log_inside_are_not_skipped(table, store):
    def logged():
        process = Process()
        node = process.add(loop, iterations=3)
        process.connect(process.source("input 1"), node, "input 1")
        inner = node.inner()
        weights = inner.add(counted, inner.source("input 1"))
        noted = inner.add(log, log={"turn": "%{iteration}"})
        inner.connect(weights, noted, "through 1")
        inner.result(noted["through 1"], "output 1")
        process.result(node["output 1"])
        return run(process, table, cache=store)[0]

    first = logged()
    assert logged().equals(first)
    assert len(CALLS) == 6


def table_of(number):
    return ExampleSet.from_numpy(np.array([[float(number)]]), names=["a"])


def write_file(folder, number):
    (folder / f"data{number}.csv").write_text(f"a\n{number}\n")
    (folder / "data1.csv").write_text(f"a\n{number}\n")


def write_parquet(folder, number):
    (folder / "parts").mkdir(exist_ok=True)
    store_entry(table_of(number), str(folder / "parts" / "one"))


@pytest.mark.parametrize(
    ("read", "named", "write"),
    [
        ({"path": "%{name}1.csv"}, read_csv, write_file),
        ({"path": "data%{iteration}.csv"}, read_csv, write_file),
        ({"path": "parts"}, read_parquet, write_parquet),
        (
            {"repository_entry": "//Local Repository/one"},
            retrieve,
            lambda folder, number: store_entry(table_of(number), "//Local Repository/one"),
        ),
    ],
    ids=["macro", "macro of the loop", "folder", "repository"],
)
def test_files_inside_a_loop_count_however_they_are_named(
    tmp_path, store, monkeypatch, read, named, write
):
    monkeypatch.setenv("FSOPS_REPOSITORY", str(tmp_path / "repository"))

    def collected():
        process = Process()
        process.folder = tmp_path
        node = process.add(loop, iterations=1)
        process.connect(process.source("input 1"), node, "input 1")
        inner = node.inner()
        inner.result(inner.add(named, **read), "output 1")
        process.result(node["output 1"])
        given = AttributeWeights(["a"], [1.0])
        return run(process, given, cache=store, macros={"name": "data"})[0]

    write(tmp_path, 1)
    assert collected()[0].column("a")[0] == 1
    write(tmp_path, 2)
    assert collected()[0].column("a")[0] == 2


@pytest.mark.parametrize("name", ["größe", 'a"b', "x"])
def test_macros_of_any_name_count_for_the_loops_that_use_them(table, store, name):
    process = build(scale=f"%{{{name}}}")
    run(process, table, cache=store, macros={name: "1"})
    run(process, table, cache=store, macros={name: "2"})
    assert len(CALLS) == 30


def test_a_log_finds_what_ran_inside_of_a_result_that_was_kept(table, store, monkeypatch):
    monkeypatch.setattr(executor, "WORTH_KEEPING", 0.0)

    def logged():
        process = build(iterations=2)
        (inside,) = [node for node in process.walk() if node.operator.key == "performance"]
        noted = process.add(log, log={"x": f"operator.{inside.name}.value.performance"})
        (validation,) = [n for n in process if n.operator.key == "cross_validation"]
        process.connect(validation["performance"], noted, "through 1")
        table_of_log = process.add(log_to_data, log_name=noted.name)
        process.connect(noted["through 1"], table_of_log, "through 1")
        process.result(table_of_log["examples"])
        return run(process, table, cache=store)

    assert equal(logged(), logged())
    assert len(CALLS) == 6


def test_operators_whose_code_cannot_be_told_are_not_kept(table, store, monkeypatch):
    """As in a notebook, where a function may be written again at any time."""
    monkeypatch.setattr(executor, "WORTH_KEEPING", 0.0)
    process = Process()
    node = process.add(counted, process.source("input 1"))
    process.result(node)
    monkeypatch.setattr(node.operator.function, "__module__", "nowhere")
    for _ in range(2):
        run(process, table, cache=store)
    assert len(CALLS) == 2


# --- killed -----------------------------------------------------------------------------------

SCRIPT = """
import os
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import numpy as np
from fsops import ExampleSet, run
from fsops.engine.cache import ResultStore
import test_resume
from fsops.core.frame.engine import EngineSettings
from fsops.engine.engines.registry import open_engine

def work():
    rng = np.random.default_rng(3)
    table = ExampleSet.from_numpy(rng.normal(size=(30, 8)), np.array(["n", "y"])[np.arange(30) % 2])
    process = test_resume.build(folds=5, iterations=200, where={counter!r})
    engine = open_engine({engine!r}, EngineSettings(jobs=2))
    print("ready", os.getpid(), flush=True)
    result = run(process, table, cache=ResultStore(Path({cache!r})), engine=engine)
    if engine is not None:
        engine.close()
    print([w for _, w in result[1]], result[0].main.values, flush=True)

"""
WORK = SCRIPT + "work()"
FORK = (
    SCRIPT
    + """
# A line begins a new process, without loading all modules again; the next asks how it ended.
while sys.stdin.readline():
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    sys.stdin.readline()
    print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
)


def start(tmp_path, engine="serial", script=WORK, **pipes):
    tests = str(Path(__file__).parent)
    code = script.format(
        tests=tests,
        engine=engine,
        counter=str(tmp_path / "counter"),
        cache=str(tmp_path / "cache"),
    )
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        **pipes,
        env={**os.environ, "PYTHONPATH": tests},
        start_new_session=True,
    )


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_twenty_kills_lose_next_to_nothing(tmp_path):
    rng = random.Random(1)
    kills = 0
    with start(tmp_path, script=FORK, stdin=subprocess.PIPE) as parent:
        for _ in range(60):
            print(file=parent.stdin, flush=True)
            word, pid = parent.stdout.readline().split()
            assert word == "ready"
            time.sleep(rng.uniform(0.02, 0.25))
            os.kill(int(pid), signal.SIGKILL)
            print(file=parent.stdin, flush=True)
            told = parent.stdout.readline()
            if not told.startswith("ended"):  # the result: it was done before
                told = parent.stdout.readline()
            kills += told == f"ended {-signal.SIGKILL}\n"
            if kills == 20:
                break
        parent.stdin.close()
    assert kills == 20
    process = start(tmp_path)
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    done = len((tmp_path / "counter").read_text())
    one_run = 5 * 200
    assert one_run <= done <= 1.2 * one_run
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    whole, _ = start(fresh).communicate(timeout=300)
    assert output.splitlines()[-1] == whole.splitlines()[-1]


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.slow
def test_five_kills_in_the_middle_of_a_parallel_loop_lose_little_and_leave_nobody(tmp_path, table):
    counter, sessions = tmp_path / "counter", []
    one_run = 5 * 200
    for share in (0.1, 0.25, 0.4, 0.55, 0.7):
        process = start(tmp_path, "processes")
        sessions.append(process.pid)
        while not counter.exists() or counter.stat().st_size < share * one_run:
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        process.stdout.close()
        end = time.monotonic() + 60
        while alive(sessions) and time.monotonic() < end:  # the workers notice that nobody listens
            time.sleep(0.02)
        assert alive(sessions) == []
    output, _ = start(tmp_path, "processes").communicate(timeout=100)
    done = len(counter.read_text())
    assert one_run <= done <= 1.2 * one_run
    whole = run(build(folds=5, iterations=200), table)
    assert output.splitlines()[-1] == f"{[w for _, w in whole[1]]} {whole[0].main.values}"


def alive(sessions):
    """Return the processes of some sessions, without those that only wait to be buried."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            state, _, _, number = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):
            continue
        if entry.name.isdecimal() and int(number) in sessions and state != "Z":
            found.append(int(entry.name))
    return found
