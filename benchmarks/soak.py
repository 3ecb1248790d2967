"""Random processes on random engines with random faults: every result must have the same hash.

    python benchmarks/soak.py --minutes 30 [--seed 1] [--out FILE.json]
    make soak MINUTES=30

Each round draws a process and runs it undisturbed on the serial engine: the reference. Then it runs
it again on another engine while something goes wrong, until it has finished (after a kill with the
same cache). The SHA-256 of the printed results must be the same. A round also fails if a traceback
is printed, or if shared memory or processes are left behind.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fsops.cli.supervision import _descendants  # noqa: E402

ENGINES = ["serial", "threads", "processes", "processes", "dask"]
FAULTS = ["none", "kill", "kill", "terminate", "full disk", "worker loss", "clock jump"]
WEIGHTINGS = ["weight_by_correlation", "weight_by_sam", "weight_by_information_gain"]
LEARNERS = ["naive_bayes", "k_nn", "decision_tree"]
PATIENCE = 600
"""Seconds after which a run hangs."""
CLOCK = """import time
_real, _began = time.time, time.monotonic()
time.time = lambda: _real() - (3600 if time.monotonic() - _began > 1.5 else 0)
"""

PROCESS = """<process version="fsops-1"><operator class="process" name="Soak">
<parameter key="random_seed" value="{seed}"/><process>
<operator class="generate_data" name="Data"><parameter key="number_of_rows" value="{rows}"/>
<parameter key="number_of_attributes" value="{attributes}"/>
<parameter key="target_function" value="random classification"/></operator>
<operator class="{weighting}" name="Weights"/>
<operator class="loop" name="Loop"><parameter key="iterations" value="{loops}"/><process>
<operator class="cross_validation" name="Validation">
<parameter key="number_of_folds" value="{folds}"/><process>
<operator class="{weighting}" name="Fold Weights"/>
<operator class="select_by_weights" name="Select"><parameter key="weight_relation" value="top k"/>
<parameter key="k" value="{k}"/></operator>
<operator class="{learner}" name="Learner"/>
<connect from_port="training_set" to_op="Fold Weights" to_port="examples"/>
<connect from_port="training_set" to_op="Select" to_port="examples"/>
<connect from_op="Fold Weights" from_port="weights" to_op="Select" to_port="weights"/>
<connect from_op="Select" from_port="examples" to_op="Learner" to_port="examples"/>
<connect from_op="Learner" from_port="model" to_port="model"/>
</process><process>
<operator class="apply_model" name="Apply"/><operator class="performance" name="Performance"/>
<connect from_port="model" to_op="Apply" to_port="model"/>
<connect from_port="test_set" to_op="Apply" to_port="examples"/>
<connect from_op="Apply" from_port="examples" to_op="Performance" to_port="examples"/>
<connect from_op="Performance" from_port="performance" to_port="performance"/>
</process></operator>
<connect from_port="input 1" to_op="Validation" to_port="examples"/>
<connect from_op="Validation" from_port="performance" to_port="output 1"/>
</process></operator>
<connect from_op="Data" from_port="examples" to_op="Weights" to_port="examples"/>
<connect from_op="Data" from_port="examples" to_op="Loop" to_port="input 1"/>
<connect from_op="Weights" from_port="weights" to_port="result 1"/>
<connect from_op="Loop" from_port="output 1" to_port="result 2"/>
</process></operator></process>
"""


def random_process(rng: random.Random) -> str:
    """Return a process file with a nested loop, drawn from the generator."""
    return PROCESS.format(
        seed=rng.randrange(1, 10**6),
        rows=rng.choice([40, 60, 90]),
        attributes=rng.choice([20, 200, 1000]),
        weighting=rng.choice(WEIGHTINGS),
        learner=rng.choice(LEARNERS),
        loops=rng.choice([3, 5, 8]),
        folds=rng.choice([3, 5]),
        k=rng.choice([3, 10]),
    )


class Round:
    """One process in a folder of its own."""

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.rng, self.folder = rng, folder
        self.file = folder / "process.xml"
        self.file.write_text(random_process(rng), encoding="utf-8")
        self.tracebacks: list[str] = []
        self.said = ""
        """The end of the standard error of the last run."""

    def start(self, *options: str, small_files: bool = False, clock: bool = False) -> Program:
        """Start ``fsops run``; with ``small_files`` no file may be larger than 8 kB."""
        settings = {**os.environ, "FSOPS_CONFIG": str(self.folder / "none.toml")}
        if clock:
            (self.folder / "sitecustomize.py").write_text(CLOCK, encoding="utf-8")
            settings["PYTHONPATH"] = os.pathsep.join([str(self.folder), str(sys.path[0])])
        limit = (
            (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
            if small_files
            else None
        )
        command = [
            sys.executable,
            "-m",
            "fsops",
            "run",
            str(self.file),
            "--format",
            "json",
            *options,
        ]
        return Program(command, settings, limit)

    def finish(self, program: Program) -> str | None:
        """Return the hash of the printed results; None if the run did not get to its end."""
        try:
            printed, said = program.run.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(program.run.pid, signal.SIGKILL)  # it has a separate session
            program.run.communicate()
            self.tracebacks.append(f"it did not end within {PATIENCE} seconds")
            return None
        self.said = said.decode(errors="replace")[-600:]
        if b"Traceback" in said:
            self.tracebacks.append(said.decode(errors="replace")[-2000:])
        if program.run.returncode:
            return None
        document = json.loads(printed)
        return hashlib.sha256(json.dumps(document["results"]).encode()).hexdigest()


class Program:
    """A started run, in a session of its own."""

    def __init__(
        self, command: list[str], settings: dict[str, str], limit: Callable[[], None] | None
    ) -> None:
        self.run = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=settings,
            start_new_session=True,
            preexec_fn=limit,  # noqa: PLW1509 - there are no threads
        )


def disturbed(case: Round, engine: str, fault: str, expected: float) -> tuple[str | None, int]:
    """Run with a fault until the run has finished; return the hash and the number of faults."""
    rng, cache = case.rng, str(case.folder / "cache")
    options = ["--engine", engine, *([] if engine == "serial" else ["--jobs", "2"])]
    if fault == "full disk":
        # The cache cannot keep results larger than the limit; the results must be printed.
        return case.finish(case.start(*options, "--cache", cache, small_files=True)), 1
    if fault == "clock jump":
        return case.finish(case.start(*options, "--cache", cache, clock=True)), 1
    faults = 0
    for _ in range(3 if fault in ("kill", "terminate") else 0):
        program = case.start(*options, "--cache", cache)
        time.sleep(rng.uniform(0.2, 1.5 * expected))
        if program.run.poll() is None:
            faults += 1
            program.run.send_signal(signal.SIGKILL if fault == "kill" else signal.SIGTERM)
        case.finish(program)
    program = case.start(*options, "--cache", cache)
    if fault == "worker loss":
        time.sleep(rng.uniform(0.5, 1.0) * expected)
        workers = list(_descendants(program.run.pid))[1:]  # the first is the run itself
        for worker in rng.sample(workers, min(1, len(workers))):
            with contextlib.suppress(OSError):  # it may be gone
                os.kill(worker, signal.SIGKILL)
            faults += 1
    return case.finish(program), faults


def left_behind() -> list[str]:
    """Return our folders in shared memory whose process is gone."""
    found = []
    for folder in Path("/dev/shm").glob("fsops-run-*"):  # noqa: S108
        pid = folder.name.split("-")[2]
        if not Path(f"/proc/{pid}").exists():
            found.append(folder.name)
    return found


def main() -> None:
    """Run rounds until the time is over, and print what happened."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    end = time.monotonic() + 60 * given.minutes
    rounds: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    problems: list[str] = []
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            case = Round(rng, Path(folder))
            began = time.monotonic()
            reference = case.finish(case.start("--engine", "serial"))
            expected = time.monotonic() - began
            engine, fault = rng.choice(ENGINES), rng.choice(FAULTS)
            if fault == "full disk":  # workers share tables through files, which do not fit either
                engine = rng.choice(["serial", "threads"])
            found, count = disturbed(case, engine, fault, expected)
            name = f"{engine}, {fault}"
            rounds[name] += 1
            faults[fault] += count
            new = [f"{name}: {text}" for text in case.tracebacks]
            if reference is None or found != reference:
                new.append(f"{name}: {reference} became {found}. {case.said}")
            problems += new
            print(f"{sum(rounds.values())} {name}, {len(problems)} problems", file=sys.stderr)
            print(*new, sep="\n", end="", file=sys.stderr)
    problems += [f"left behind: {name}" for name in left_behind()]
    report = {
        "minutes": given.minutes,
        "seed": given.seed,
        "rounds": sum(rounds.values()),
        "by engine and fault": dict(sorted(rounds.items())),
        "faults": dict(sorted(faults.items())),
        "problems": problems,
    }
    text = json.dumps(report, indent=1)
    print(text)
    if given.out is not None:
        given.out.write_text(text, encoding="utf-8")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
