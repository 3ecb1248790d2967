"""How long fsops takes to start, as a multiple of a bare Python: ``python benchmarks/startup.py``.

The best of several rounds, all commands in turn, so that a busy machine slows all of them alike.
Modules are compiled before, as they are for everybody who has installed fsops: without that, as
where PYTHONDONTWRITEBYTECODE is set, most of the time goes into compiling them again and again.
Leaves with 1 if a goal is missed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 40
FSOPS = str(Path(sys.executable).with_name("fsops"))
BARE = "python -c pass"
SMALL = "fsops run small.xml"
PLAIN = "the same in numpy"
GOALS = {"fsops --version": 8.0, "fsops --help": 8.0, "fsops run --help": 8.0, SMALL: 15.0}
HEAVY = ("sklearn", "scipy.stats", "numba", "pandas", "networkx", "matplotlib")
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
  <parameter key="csv_file" value="small.csv"/><parameter key="label" value="class"/>
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


def commands() -> dict[str, list[str]]:
    python = sys.executable
    return {
        BARE: [python, "-c", "pass"],
        "import fsops": [python, "-c", "import fsops"],
        "fsops --version": [FSOPS, "--version"],
        "fsops --help": [FSOPS, "--help"],
        "fsops run --help": [FSOPS, "run", "--help"],
        PLAIN: [python, "-c", NUMPY],
        SMALL: [FSOPS, "run", "small.xml"],
    }


def run(command: list[str], folder: str, *, errors: int | None = subprocess.DEVNULL) -> str:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "compiled")
    done = subprocess.run(
        command, check=True, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=errors
    )
    return done.stdout.decode()


def measure(folder: str) -> dict[str, float]:
    best = dict.fromkeys(commands(), float("inf"))
    for name, command in [*commands().items()] * (ROUNDS + 1):  # the first round compiles
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
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "small.csv").write_text(DATA)
        Path(folder, "small.xml").write_text(PROCESS)
        check_small_run(folder)
        best = measure(folder)
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
