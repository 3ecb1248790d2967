"""What a million attributes cost: ``python benchmarks/million.py``.

Operators on a table of 50 × 1,000,000, in CPU time and in reads of the matrix (the time of its
sum). The work is that of names, types and positions; most of it touches no value. Exits with 1 if
a goal is missed. See README.md.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from fsops import ExampleSet, operators
from fsops.storage.weights_file import read_weights_file, write_weights_file

ROWS, ATTRIBUTES, ROUNDS = 50, 1_000_000, 3


def cpu_ms(work: Callable[[], Any], rounds: int = ROUNDS) -> float:
    times = []
    for _ in range(rounds + 1):  # the first round loads modules
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times[1:]) * 1000


def main() -> int:
    warnings.filterwarnings("ignore")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, ATTRIBUTES))
    label = np.array(list("ab") * (ROWS // 2))
    names = [f"ENSG{number:011d}" for number in range(ATTRIBUTES)]
    table = ExampleSet.from_numpy(X, label, names=names)
    weights = operators.weight_by_sam(table)
    best = operators.select_top_k(weights, k=50)
    # Texts of their own, in another order, as from another file.
    other_names = [f"ENSG{number:011d}" for number in rng.permutation(ATTRIBUTES)]
    other = ExampleSet.from_numpy(X[:4], label[:4], names=other_names)
    file = str(Path(tempfile.mkdtemp()) / "weights.csv")
    read = cpu_ms(X.sum)
    print(f"one read of the matrix: {read:.0f} ms\n{'':42}{'ms':>8}{'reads':>8}  goal")
    missed = 0
    rows: list[tuple[str, Callable[[], Any], float | None, float | None]] = [
        ("Select by Weights", lambda: operators.select_by_weights(table, best), 2, None),
        ("Select Top k", lambda: operators.select_top_k(weights, k=50), 2, None),
        ("Average of three", lambda: operators.average([weights] * 3), 2, None),
        ("Weights to Ranking", lambda: operators.weights_to_ranking(weights), 2, None),
        ("from_numpy", lambda: ExampleSet.from_numpy(X, label), 8, None),
        ("from_numpy, names given", lambda: ExampleSet.from_numpy(X, label, names=names), 8, None),
        ("Normalize", lambda: operators.normalize(table), 8, None),
        (
            "Remove Useless Attributes",
            lambda: operators.remove_useless_attributes(table),
            8,
            None,
        ),
        ("Split Data", lambda: operators.split_data(table), 8, None),
        ("Materialize Data", lambda: operators.materialize_data(table), 8, None),
        (
            "Select by Weights, another order",
            lambda: operators.select_by_weights(other, best),
            None,
            500,
        ),
        (
            "weights to CSV and back",
            lambda: (write_weights_file(weights, file), read_weights_file(file)),
            None,
            2000,
        ),
    ]
    for name, work, reads, milliseconds in rows:
        taken = cpu_ms(work)
        goal = f"≤ {reads} reads" if reads else f"≤ {milliseconds:g} ms"
        reached = taken <= (reads * read if reads else milliseconds or 0.0)
        missed += not reached
        print(f"{name:42}{taken:8.1f}{taken / read:8.1f}  {goal}" + "  MISSED" * (not reached))
    return 1 if missed else 0


if __name__ == "__main__":
    with threadpool_limits(1):
        sys.exit(main())
