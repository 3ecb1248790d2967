"""How long fsops takes to start, as a multiple of a bare Python: ``python benchmarks/startup.py``.

The best of several rounds, all commands in turn, so that a busy machine slows all of them alike.
Leaves with 1 if a goal is missed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 20
FSOPS = Path(sys.executable).with_name("fsops")
BARE = "python -c pass"
COMMANDS = {
    BARE: [sys.executable, "-c", "pass"],
    "import fsops": [sys.executable, "-c", "import fsops"],
    "fsops --version": [str(FSOPS), "--version"],
    "fsops --help": [str(FSOPS), "--help"],
    "fsops run --help": [str(FSOPS), "run", "--help"],
}
GOALS = {"fsops --version": 8.0, "fsops --help": 8.0, "fsops run --help": 8.0}


def measure() -> dict[str, float]:
    best = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(ROUNDS):
        for name, command in COMMANDS.items():
            began = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            best[name] = min(best[name], time.perf_counter() - began)
    return best


def main() -> int:
    best = measure()
    missed = 0
    print(f"{'':18}  {'best':>8}  {'ratio':>6}  goal")
    for name, seconds in best.items():
        ratio = seconds / best[BARE]
        goal = GOALS.get(name)
        verdict = "" if goal is None else f"≤ {goal:g}" + ("" if ratio <= goal else "  MISSED")
        missed += goal is not None and ratio > goal
        print(f"{name:18}  {seconds * 1000:5.1f} ms  {ratio:6.2f}  {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
