"""How fast wide text files are read: ``python benchmarks/read_csv.py``.

Every reader runs in processes of its own, in turns; imports are not timed. The best CPU time and
the largest peak of memory, above what the process had before, count. Each result is compared with
the array that was written, bit for bit. Leaves with 1 if a goal is missed. See README.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from race import text

ROUNDS = 3
SHAPES = ((100, 1_000), (100, 10_000), (100, 100_000))
DIGITS = {"6 decimals": 6, "all digits": 17}
READERS = {
    "ours": "fsops Read CSV",
    "pandas": "pandas.read_csv",
    "pandas64": "pandas.read_csv, told float64",
    "loadtxt": "numpy.loadtxt",
    "arrow": "pyarrow.csv.read_csv",
    "polars": "polars.read_csv",
}
GOALED = (100, 100_000)
FASTER, MEMORY = 4.0, 2.0  # times the default pandas; times the array
FORMAT = "{:<10} {:<11} {:<31} {:>9} {:>7} {:>9} {:>8}  {}"


def write(rows: int, columns: int, digits: int, file: Path) -> None:
    X = np.round(np.random.default_rng(0).normal(7, 2, (rows, columns)), digits)
    np.save(file.with_suffix(".npy"), X)
    with file.open("w") as stream:
        stream.write(",".join(f"gene_{j}" for j in range(X.shape[1])) + "\n")
        for row in X.tolist():
            stream.write(",".join(map(repr, row)) + "\n")


def reader(name: str, file: str) -> Callable[[], np.ndarray]:
    """Return a function that reads the numbers; all its imports are done."""
    if name == "ours":
        import pyarrow.compute  # noqa: F401

        from fsops.operators import read_csv

        return lambda: read_csv(path=file).numeric()
    if name == "loadtxt":
        return lambda: np.loadtxt(file, delimiter=",", skiprows=1)
    if name == "arrow":
        from pyarrow import csv

        # A line longer than a block is refused, and the usual block has 1 MB.
        options = csv.ReadOptions(block_size=1 << 30)
        return lambda: np.column_stack([c.to_numpy() for c in csv.read_csv(file, options).columns])
    if name == "polars":
        import polars as pl

        return lambda: np.ascontiguousarray(pl.read_csv(file).to_numpy())
    import pandas as pd

    told = {"dtype": np.float64, "low_memory": False} if name == "pandas64" else {}
    return lambda: pd.read_csv(file, **told).to_numpy()


def one(name: str, file: str) -> None:
    """Print CPU seconds, peak in bytes above the start, and whether the numbers are the same."""
    read = reader(name, file)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    found = read()
    seconds = time.process_time() - began
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    true = np.load(Path(file).with_suffix(".npy"))
    print(seconds, peak, int(found.tobytes() == true.tobytes()))


def measured(name: str, file: Path) -> tuple[float, float, bool]:
    call = [sys.executable, __file__, "--one", name, "--file", str(file)]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    seconds, peak, same = map(float, done.stdout.split())
    return seconds, peak, bool(same)


def installed() -> list[str]:
    """Return the readers without polars where it is not installed; nothing else needs it."""
    return [name for name in READERS if name != "polars" or importlib.util.find_spec("polars")]


def compare(shape: tuple[int, int], digits: str, folder: Path, rounds: int) -> bool:
    """Print a row per reader; whether the goals were reached."""
    file, nbytes = folder / "wide.csv", 8 * shape[0] * shape[1]
    # By another process: what this one has held counts as held by those it starts.
    call = [sys.executable, __file__, "--write", *map(str, shape), str(DIGITS[digits])]
    subprocess.run([*call, "--file", str(file)], check=True)
    runs: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in installed()}
    for _ in range(rounds):
        for name, results in runs.items():
            results.append(measured(name, file))
    best = {name: min(seconds for seconds, _, _ in results) for name, results in runs.items()}
    reached = True
    for name, results in runs.items():
        memory = max(peak for _, peak, _ in results) / nbytes
        same = all(ok for _, _, ok in results)
        ratio = best[name] / best["ours"]
        goal = name in ("ours", "pandas") and shape == GOALED
        fast = name != "pandas" or ratio >= FASTER
        small = name != "ours" or memory <= MEMORY
        wanted = (
            {"ours": f"≤ {MEMORY:g} arrays", "pandas": f"ratio ≥ {FASTER:g}"}[name] if goal else ""
        )
        good = same if name == "ours" else True
        met = (not goal or (fast and small)) and good
        reached &= met
        verdict = ("" if same else "other bits") + wanted + ("" if met else "  MISSED")
        row = f"{best[name] * 1e3:.0f}", f"{ratio:.1f}", f"{memory * nbytes / 2**20:.0f}"
        print(FORMAT.format(text(shape), digits, READERS[name], *row, f"{memory:.1f}", verdict))
    return reached


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", choices=READERS)
    parser.add_argument("--write", type=int, nargs=3)
    parser.add_argument("--file")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = parser.parse_args()
    if chosen.one:
        one(chosen.one, chosen.file)
        return 0
    if chosen.write:
        write(*chosen.write, Path(chosen.file))
        return 0
    print(FORMAT.format("shape", "numbers", "reader", "ms", "ratio", "peak MiB", "arrays", "goal"))
    with tempfile.TemporaryDirectory() as folder:
        results = [
            compare(shape, digits, Path(folder), chosen.rounds)
            for shape in SHAPES
            for digits in DIGITS
        ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
