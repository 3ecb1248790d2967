"""How much do engines gain, and what do they cost? Against serial runs and plain joblib.

Wall-clock times, because workers are the point; on a machine with other work they mean little.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from fsops import ExampleSet, Process, run, write_process
from fsops.core.frame.engine import EngineSettings
from fsops.engine.engines.registry import open_engine
from fsops.operators import (
    ensemble_feature_selection,
    loop,
    retrieve,
    select_by_mrmr_cfs,
    weight_by_welch_test,
)

JOBS = 2
GOAL_SPEED, GOAL_NESTED, GOAL_OVERHEAD_MS, GOAL_RATIO, GOAL_STOP = 1.85, 1.7, 5.0, 1.3, 2.0


def data(n: int, p: int) -> ExampleSet:
    """Return a table of two classes with a few attributes that tell them apart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    X[:, :20] += (np.arange(n) % 2)[:, None]
    return ExampleSet.from_numpy(X, np.array(["a", "b"])[np.arange(n) % 2])


def ensemble(iterations: int) -> Process:
    """Return bootstraps of MRMR; the inner process is not one that is batched."""
    process = Process()
    node = process.add(ensemble_feature_selection, process.source("input 1"), iterations=iterations)
    inner = node.inner()
    inner.result(inner.add(select_by_mrmr_cfs, inner.source("examples"), k=20), "weights")
    process.result(node["weights"])
    return process


def nested(outer: int, iterations: int) -> Process:
    """Return a loop around bootstraps of MRMR."""
    process = Process()
    node = process.add(loop, iterations=outer)
    process.connect(process.source("input 1"), node, "input 1")
    inside = node.inner()
    members = inside.add(
        ensemble_feature_selection, inside.source("input 1"), iterations=iterations
    )
    inner = members.inner()
    inner.result(inner.add(select_by_mrmr_cfs, inner.source("examples"), k=20), "weights")
    inside.result(members["weights"], "output 1")
    process.result(node["output 1"])
    return process


def short_loop(iterations: int) -> Process:
    """Return a loop whose iterations are so short that the engine's own time shows."""
    process = Process()
    node = process.add(loop, iterations=iterations)
    process.connect(process.source("input 1"), node, "input 1")
    inner = node.inner()
    inner.result(inner.add(weight_by_welch_test, inner.source("input 1")), "output 1")
    process.result(node["output 1"])
    return process


def timed(process: Process, table: ExampleSet, engine: object) -> tuple[float, object]:
    """Return the seconds of a run, and its first result."""
    began = time.perf_counter()
    found = run(process, table, engine=engine)[0]  # type: ignore[arg-type]
    return time.perf_counter() - began, found


def speed(work: str, process: Process, goal: float, rounds: int, p: int = 20_000) -> bool:
    """Compare serial runs and two processes on real work."""
    table = data(100, p)
    engine = open_engine("processes", EngineSettings(jobs=JOBS))
    try:
        _, warm = timed(ensemble(4), table, engine)
        serial, parallel = [], []
        for _ in range(rounds):
            seconds, expected = timed(process, table, None)
            serial.append(seconds)
            seconds, together = timed(process, table, engine)
            parallel.append(seconds)
            assert together.equals(expected)  # type: ignore[attr-defined]
    finally:
        engine.close()  # type: ignore[union-attr]
    ratio = min(serial) / min(parallel)
    print(
        f"{work}, n=100 p={p:,}: serial {min(serial):.2f} s, "
        f"processes --jobs {JOBS} {min(parallel):.2f} s, ratio {ratio:.2f} (goal {goal}), "
        "identical",
        flush=True,
    )
    return ratio >= goal


def alone(iterations: int, p: int = 20_000) -> None:
    """Run bootstraps serially once the other program is ready, and print the seconds."""
    table, process = data(100, p), ensemble(iterations)
    timed(process, table, None)  # loads what the work needs: less work would load less
    print("ready", flush=True)
    sys.stdin.readline()
    print(timed(process, table, None)[0], flush=True)


def side_by_side(iterations: int, rounds: int) -> float:
    """Print and return how much faster two programs that share nothing are than one.

    No engine can be faster: two cores share their memory and caches.
    """
    command = [sys.executable, __file__, "--alone", str(iterations // 2)]
    seconds = {}
    for count in (1, 2):
        seconds[count] = min(_slowest(command, count) for _ in range(rounds))
    ratio = 2 * seconds[1] / seconds[2]
    print(
        f"two programs side by side, {iterations // 2} bootstraps each: {seconds[2]:.2f} s, one "
        f"alone {seconds[1]:.2f} s: {ratio:.2f} is the most that this machine allows",
        flush=True,
    )
    return ratio


def _slowest(command: list[str], count: int) -> float:
    """Return the seconds of the slowest of some programs that start to work together."""
    children = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    for child in children:
        assert child.stdout is not None
        child.stdout.readline()
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    return max(float(child.communicate()[0]) for child in children)


def welch(table: ExampleSet) -> object:
    """Do what an iteration does, for joblib."""
    return weight_by_welch_test(table)


def overhead(rounds: int, iterations: int) -> bool:
    """Compare the time per iteration with that of plain joblib for the same work."""
    table = data(100, 2_000)
    engine = open_engine("processes", EngineSettings(jobs=JOBS))
    ours, peers, serial = [], [], []
    with Parallel(n_jobs=JOBS) as parallel:
        try:
            timed(short_loop(10), table, engine)
            parallel(delayed(welch)(table) for _ in range(10))
            for _ in range(rounds):
                ours.append(timed(short_loop(iterations), table, engine)[0])
                began = time.perf_counter()
                parallel(delayed(welch)(table) for _ in range(iterations))
                peers.append(time.perf_counter() - began)
                serial.append(timed(short_loop(iterations), table, None)[0])
        finally:
            engine.close()  # type: ignore[union-attr]
    each = 1000 * (min(ours) - min(serial) / JOBS) / iterations
    ratio = min(ours) / min(peers)
    print(
        f"{iterations} iterations of a Welch test, n=100 p=2,000: processes "
        f"{1000 * min(ours) / iterations:.2f} ms per iteration, joblib "
        f"{1000 * min(peers) / iterations:.2f} ms, ratio {ratio:.2f} (goal ≤ {GOAL_RATIO}); "
        f"overhead {each:.2f} ms per iteration (goal ≤ {GOAL_OVERHEAD_MS})"
    )
    return ratio <= GOAL_RATIO and each <= GOAL_OVERHEAD_MS


def stopping(engine: str) -> bool:
    """Tell how long Ctrl-C takes in the middle of a loop."""
    with tempfile.TemporaryDirectory() as folder:
        file, events = Path(folder) / "p.xml", Path(folder) / "events"
        whole = Process()
        node = whole.add(loop, iterations=100_000)
        whole.connect(whole.add(retrieve, repository_entry="breast_cancer"), node, "input 1")
        inner = node.inner()
        inner.result(inner.add(weight_by_welch_test, inner.source("input 1")), "output 1")
        whole.result(node["output 1"])
        write_process(whole, file)
        command = [sys.executable, "-m", "fsops", "run", str(file), "--engine", engine]
        child = subprocess.Popen(
            [*command, "--jobs", str(JOBS), "--events", str(events)],
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        while not events.exists() or '"done": 1' not in events.read_text():
            if child.poll() is not None:
                raise SystemExit(f"The run ended by itself, with exit code {child.returncode}.")
            time.sleep(0.05)
        time.sleep(0.5)
        began = time.perf_counter()
        os.killpg(child.pid, signal.SIGINT)
        code = child.wait(30)
        seconds = time.perf_counter() - began
    print(f"Ctrl-C, {engine}: {seconds:.2f} s, exit code {code} (goal < {GOAL_STOP} s, 130)")
    return seconds < GOAL_STOP and code == 130


def main() -> int:
    """Print all figures; leave with 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="less work, figures less certain")
    parser.add_argument("--alone", type=int, help="run so many bootstraps, for side_by_side")
    options = parser.parse_args()
    if options.alone:
        alone(options.alone)
        return 0
    many = 20 if options.quick else 100
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    side_by_side(many, options.rounds)
    reached = [
        speed(f"{many} bootstraps of MRMR", ensemble(many), GOAL_SPEED, options.rounds),
        speed("3 × 10 bootstraps of MRMR", nested(3, 10), GOAL_NESTED, options.rounds),
        overhead(options.rounds, 100 if options.quick else 400),
        *(stopping(engine) for engine in ("serial", "threads", "processes", "dask")),
    ]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
