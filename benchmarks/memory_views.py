"""What views of a wide table cost in memory: ``python benchmarks/memory_views.py [ROWS COLUMNS]``.

A table over 100 × 500,000 doubles, and 1,000 bootstraps of it. Leaves with 1 if a goal is missed.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from fsops import ExampleSet

ROWS, COLUMNS, VIEWS = 100, 500_000, 1000


def traced(make: Callable[[], Any]) -> tuple[Any, int, int]:
    """Return what a function makes, the bytes that it keeps, and the most bytes that it took."""
    tracemalloc.start()
    try:
        made = make()
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return made, kept, peak


def main(rows: int = ROWS, columns: int = COLUMNS) -> int:
    base = np.random.default_rng(1).normal(size=(rows, columns))
    names = [f"gene{j}" for j in range(columns)]
    rng = np.random.default_rng(2)
    lines: list[tuple[str, int, int, float | None]] = [("base array", base.nbytes, 0, None)]

    table, kept, peak = traced(lambda: ExampleSet.from_numpy(base, names=names))
    lines.append(("table over it (names, index)", kept, peak, None))
    shared = np.shares_memory(table.numeric(), base)

    def bootstraps() -> list[ExampleSet]:
        return [table.take(rng.integers(0, rows, rows)) for _ in range(VIEWS)]

    views, kept, peak = traced(bootstraps)
    lines.append((f"{VIEWS:,} bootstrap views", kept, peak, 1.0))
    _, kept, peak = traced(views[0].numeric)
    lines.append(("rows of one view, when needed", kept, peak, None))

    missed = not shared
    print(f"{rows:,} × {columns:,} doubles\n")
    print(f"{'':30}  {'kept':>11}  {'peak':>11}  {'of base':>9}  goal")
    for name, kept, peak, goal in lines:
        share = 100 * kept / base.nbytes
        verdict = "" if goal is None else f"< {goal:g} %" + ("" if share < goal else "  MISSED")
        missed |= goal is not None and share >= goal
        print(f"{name:30}  {megabytes(kept)}  {megabytes(peak)}  {share:7.2f} %  {verdict}")
    print(f"\nvalues of the table are {'those of the array' if shared else 'COPIED'}")
    return 1 if missed else 0


def megabytes(count: int) -> str:
    return f"{count / 1e6:8.2f} MB"


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
