"""How long fsops takes to start, as a multiple of a bare Python: ``python benchmarks/startup.py``.

The best of several rounds, all commands in turn, so that a busy machine slows all of them alike.
Modules are compiled before, as they are for everybody who has installed fsops: without that, as
where PYTHONDONTWRITEBYTECODE is set, most of the time goes into compiling them again and again.
Leaves with 1 if a goal is missed.

``--tricks`` measures what makes the start faster: the CPU time of a command with each trick and
without it, best and median of all rounds. The gain is the median of the ratios within a round,
because the speed of a shared machine changes from round to round; its quartiles are shown as well.
A trick stays only if it wins more than 5 % of one command.

``--against FOLDER`` compares the CPU times with those of another checkout, and with what importing
networkx costs on top of a bare Python.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROUNDS = 40
FSOPS = str(Path(sys.executable).with_name("fsops"))
BARE = "python -c pass"
SMALL = "fsops run small.xml"
PLAIN = "the same in numpy"
GOALS = {"fsops --version": 8.0, "fsops --help": 8.0, "fsops run --help": 8.0, SMALL: 18.0}
HEAVY = ("sklearn", "scipy.stats", "numba", "pandas", "matplotlib")
DATA = """a,b,c,class
1.0,2.0,3.0,x
2.0,1.0,0.5,z
1.5,2.5,1.0,x
2.2,0.5,2.0,z
1.1,2.2,0.1,x
2.5,0.8,0.7,z
"""
PROCESS = """<process version="fsops-1"><operator class="process" name="Small"><process>
<operator class="read_csv" name="Read">
  <parameter key="path" value="small.csv"/><parameter key="label" value="class"/>
</operator>
<operator class="weight_by_sam" name="SAM"/>
<connect from_op="Read" from_port="examples" to_op="SAM" to_port="examples"/>
<connect from_op="SAM" from_port="weights" to_port="result 1"/>
</process></operator></process>
"""
NUMPY = """
import numpy as np
rows = [line.split(",") for line in open("small.csv").read().split()[1:]]
X, y = np.array([row[:3] for row in rows], float), np.array([row[3] for row in rows])
one, two = X[y == "x"], X[y == "z"]
ss = ((one - one.mean(0)) ** 2).sum(0) + ((two - two.mean(0)) ** 2).sum(0)
s = np.sqrt(ss / (len(X) - 2) * (1 / len(one) + 1 / len(two)))
print(np.abs((two.mean(0) - one.mean(0)) / (s + 0.1)))
"""
WORTH_IT = 0.05
# A patch imports modules before main, which sets the threshold first.
CHILD = """
import gc, sys
usual = gc.get_threshold()
gc.set_threshold(100_000, 20, 20)
sys.argv = {arguments!r}
{patch}
from fsops.cli import main
main()
"""
# Every run imports networkx, so it belongs to the total that a trick is compared with.
RUN = "import networkx"
TRICKED = {
    "fsops --help": (["fsops", "--help"], ""),
    SMALL: (["fsops", "run", "small.xml"], RUN),
}


@dataclass(frozen=True)
class Trick:
    """Something that may make the start faster, and the code that switches it off.

    Of one that fsops does not use, the code switches it on.
    """

    name: str
    code: str
    commands: tuple[str, ...] = tuple(TRICKED)
    used: bool = True


EAGER_COMMANDS = """
import typer
from fsops.cli import app as line
plain = line.new_app()
plain.callback(invoke_without_command=True, add_help_option=False)(line.fsops)
for name, command in line.COMMANDS.items():
    if isinstance(command, typer.Typer):
        plain.add_typer(command, name=name)
    else:
        plain.command(name)(command)
line.command_line = lambda: line.get_command(plain)
"""
ALL_OPERATORS = """
import fsops.operators
for name in fsops.operators.__all__: getattr(fsops.operators, name)
"""
NO_SMALL_CSV = """
import fsops.storage.tables
fsops.storage.tables.small_columns = lambda *a, **k: None
"""
PYDANTIC = "import os; os.environ['PYDANTIC_DISABLE_PLUGINS'] = '__all__'"
TRICKS = (
    Trick("gc.set_threshold", "gc.set_threshold(*usual); gc.set_threshold = lambda *a: None"),
    Trick("gc.freeze", "gc.freeze = lambda: None"),
    Trick("commands read when called", EAGER_COMMANDS),
    Trick("operators loaded when used", ALL_OPERATORS, (SMALL,)),
    Trick("small_csv", NO_SMALL_CSV, (SMALL,)),
    Trick("no plugins of pydantic", PYDANTIC, used=False),
)


def commands() -> dict[str, list[str]]:
    python = sys.executable
    return {
        BARE: [python, "-c", "pass"],
        "import fsops": [python, "-c", "import fsops"],
        "fsops --version": [FSOPS, "--version"],
        "fsops --help": [FSOPS, "--help"],
        "fsops run --help": [FSOPS, "run", "--help"],
        "import networkx": [python, "-c", "import networkx"],
        PLAIN: [python, "-c", NUMPY],
        SMALL: [FSOPS, "run", "small.xml"],
    }


def environment(folder: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    # Waiting threads of BLAS count as CPU time.
    one_thread = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return kept | one_thread | {"PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled")}


def run(command: list[str], folder: str, *, errors: int | None = subprocess.DEVNULL) -> str:
    done = subprocess.run(
        command,
        check=True,
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=errors,
    )
    return done.stdout.decode()


def cpu_seconds(code: str, folder: str) -> float:
    """Run a program and return its CPU time, which other programs touch less than the clock."""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"exit code {process.returncode} of\n{code}"
    return usage.ru_utime + usage.ru_stime


def measure_tricks(folder: str, rounds: int) -> dict[tuple[str, str], list[float]]:
    """Return the CPU times by command and by the name of the trick switched, "" for none."""
    programs = {
        (command, name): CHILD.format(arguments=arguments, patch=f"{code}\n{before}")
        for command, (arguments, before) in TRICKED.items()
        for name, code in [("", ""), *((t.name, t.code) for t in TRICKS if command in t.commands)]
    }
    times: dict[tuple[str, str], list[float]] = {key: [] for key in programs}
    for number in range(rounds + 1):  # the first round compiles
        for key, code in programs.items():
            seconds = cpu_seconds(code, folder)
            times[key] += [seconds] if number else []
    return times


def show_tricks(times: dict[tuple[str, str], list[float]]) -> None:
    print(f"{'CPU ms, best and median':54}{'with it':>13}{'without':>13}{'gain':>9}  quartiles")
    for command in TRICKED:
        usual = times[command, ""]
        for trick in (t for t in TRICKS if command in t.commands):
            switched = times[command, trick.name]
            with_it, without = (usual, switched) if trick.used else (switched, usual)
            ratios = [slow / fast - 1 for slow, fast in zip(without, with_it, strict=True)]
            low, gain, high = statistics.quantiles(ratios, n=4)
            name = trick.name if trick.used else f"{trick.name} (not used)"
            print(
                f"{command:20}{name:34}{milliseconds(with_it)}{milliseconds(without)}"
                f"{gain:+9.1%}  {low:+.1%} to {high:+.1%}" + "  worth it" * (gain > WORTH_IT)
            )


def compare(other: Path, folder: str, rounds: int) -> int:
    """Print the CPU times of this checkout and of another one, measured in turn."""
    roots = {"here": Path(__file__).parents[1], "there": other.resolve()}
    call = "import sys; sys.path.insert(0, {root!r}); sys.argv = {arguments!r}\n"
    call += "from fsops.cli import main; main()"
    programs = {BARE: "pass", "import networkx": "import networkx"}
    for command, (arguments, _) in TRICKED.items():
        for name, root in roots.items():
            programs[f"{command}, {name}"] = call.format(root=str(root), arguments=arguments)
    times: dict[str, list[float]] = {name: [] for name in programs}
    for number in range(rounds + 1):  # the first round compiles
        for name, code in programs.items():
            seconds = cpu_seconds(code, folder)
            times[name] += [seconds] if number else []
    print(f"{'CPU ms':28}{'best':>7}{'median':>7}")
    for name, seconds in times.items():
        print(f"{name:28}{min(seconds) * 1000:7.0f}{statistics.median(seconds) * 1000:7.0f}")
    best = {name: min(seconds) * 1000 for name, seconds in times.items()}
    networkx = best["import networkx"] - best[BARE]
    slower = best[f"{SMALL}, here"] - best[f"{SMALL}, there"]
    print(f"A run takes {slower:+.0f} ms; importing networkx takes {networkx:.0f} ms.")
    return 1 if slower > networkx else 0


def milliseconds(seconds: list[float]) -> str:
    return f"{min(seconds) * 1000:7.0f}{statistics.median(seconds) * 1000:6.0f}"


def measure(folder: str, rounds: int) -> dict[str, float]:
    best = dict.fromkeys(commands(), float("inf"))
    for name, command in [*commands().items()] * (rounds + 1):  # the first round compiles
        began = time.perf_counter()
        run(command, folder)
        best[name] = min(best[name], time.perf_counter() - began)
    return best


def check_small_run(folder: str) -> None:
    """Refuse to measure a run that gives other numbers, or loads what it has no use for."""
    shown = run([FSOPS, "run", "small.xml", "--format", "json"], folder)
    ours = sorted(float(part.split(",")[0]) for part in shown.split('"weight": ')[1:])
    plain = run([sys.executable, "-c", NUMPY], folder).strip("[] \n").split()
    assert [round(w, 6) for w in ours] == sorted(round(float(w), 6) for w in plain), (ours, plain)
    loads = "import sys; sys.argv = ['fsops', 'run', 'small.xml']\nfrom fsops.cli import main\n"
    loads += f"try: main()\nexcept SystemExit: print([m for m in {HEAVY} if m in sys.modules])"
    assert run([sys.executable, "-c", loads], folder).strip().endswith("[]")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--tricks", action="store_true", help="measure the tricks one by one")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each is measured")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "small.csv").write_text(DATA)
        Path(folder, "small.xml").write_text(PROCESS)
        check_small_run(folder)
        if options.tricks:
            show_tricks(measure_tricks(folder, options.rounds))
            return 0
        if options.against:
            return compare(options.against, folder, options.rounds)
        best = measure(folder, options.rounds)
    return show(best)


def show(best: dict[str, float]) -> int:
    missed = 0
    print(f"{'':20}  {'best':>8}  {'ratio':>6}  goal")
    for name, seconds in best.items():
        ratio = seconds / best[BARE]
        goal = GOALS.get(name)
        verdict = "" if goal is None else f"≤ {goal:g}" + ("" if ratio <= goal else "  MISSED")
        missed += goal is not None and ratio > goal
        print(f"{name:20}  {seconds * 1000:5.1f} ms  {ratio:6.2f}  {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
