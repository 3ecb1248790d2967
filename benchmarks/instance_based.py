"""How fast instance-based selection is: ``python benchmarks/instance_based.py``.

Candidate subsets of all rows (goal: under 2 seconds of CPU time at 181×12533, start of numba not
counted), their combination, and wrappers on k-NN, against loops as one would write them with numpy
and scikit-learn. On the lung cancer data if the folder in `FSOPS_DATA` or the shared
data folder has it, else on made-up data of that size. See README.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from race import FIELDS, ROUNDS, Duel, expression_data, fight, race, row, text
from sklearn.metrics import mutual_info_score
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from fsops.algorithms.base import resampling
from fsops.algorithms.neighbors import hybrid_wrapper, instance_based as ib

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
LUNG = Path(os.environ.get("FSOPS_DATA", SHARED)) / "lung_gordon.parquet"
SHAPE = (181, 12_533)
SECONDS = 2.0  # goal for the candidate subsets of all rows


def lung_data() -> tuple[np.ndarray, np.ndarray]:
    if not LUNG.exists():
        return expression_data(*SHAPE)
    import pyarrow.parquet as pq

    table = pq.read_table(LUNG)
    label = np.unique(table["label"].to_numpy(), return_inverse=True)[1]
    names = [n for n in table.column_names if n not in ("label", "split")]
    return np.column_stack([table[n].to_numpy() for n in names]).astype(float), label


def points_of(X: np.ndarray) -> ib.Points:
    return ib.Points.of(X, np.empty((len(X), 0), int), np.zeros(X.shape[1], bool))


def within(tolerance: float) -> Callable[[Any, Any], str]:
    def check(theirs: Any, ours: Any) -> str:
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance)
        return f"{tolerance:g}"

    return check


def identical(theirs: Any, ours: Any) -> str:
    assert theirs == ours, f"{theirs} and {ours}"
    return "identical"


# --- the specification, row by row ----------------------------------------------------------------


def plain_margin(
    Z: np.ndarray, y: np.ndarray, i: int, differences: np.ndarray, nearest: str
) -> np.ndarray:
    """Differences from the nearest miss minus those from the nearest hit of one row."""
    hit, miss = y == y[i], y != y[i]
    hit[i] = False
    if nearest == "each":
        return differences[miss].min(axis=0) - differences[hit].min(axis=0)
    distance = differences.sum(axis=1).round(12)
    rows = [np.flatnonzero(who)[distance[who].argmin()] for who in (miss, hit)]
    return differences[rows[0]] - differences[rows[1]]


def plain_candidates(X: np.ndarray, y: np.ndarray, size: int, nearest: str) -> np.ndarray:
    """Weights of all features for every row, 0 for those it does not propose."""
    Z = (X - X.min(axis=0)) / np.where(np.ptp(X, axis=0) > 0, np.ptp(X, axis=0), np.inf)
    weights = np.zeros(X.shape)
    for i in range(len(X)):
        margin = plain_margin(Z, y, i, np.abs(Z - Z[i]), nearest).round(12)
        best = np.argsort(-margin, kind="stable")[:size]
        best = best[margin[best] > 0]
        weights[i, best] = margin[best] / margin.max()
    return weights


def candidate_duels(X: np.ndarray, y: np.ndarray, size: int) -> Iterator[Duel]:
    for nearest, goal in (("all", 8.0), ("each", 3.0)):
        yield Duel(
            f"IB, {nearest}",
            text(X.shape),
            "numpy, row by row",
            "numpy",
            lambda n=nearest: plain_candidates(X, y, size, n),
            lambda n=nearest: ib.candidate_subsets(points_of(X), y, size=size, nearest=n).matrix(),
            within(1e-9),
            goal,
        )


def redundancy_duel(X: np.ndarray, y: np.ndarray) -> Duel:
    points = points_of(X)
    found = ib.candidate_subsets(points, y, size=5)
    codes = ib._binned(points, found.union())[:, :100]
    u = codes.shape[1]

    def plain() -> np.ndarray:
        pairs = np.zeros((u, u))
        for a in range(u):
            for b in range(a):
                pairs[a, b] = pairs[b, a] = mutual_info_score(codes[:, a], codes[:, b])
        return pairs.sum(axis=1) / (u - 1) / np.log(2)

    return Duel(
        "IB-RedE",
        text(codes.shape),
        "sklearn mutual_info_score by pairs",
        "sklearn",
        plain,
        lambda: ib.mean_information(codes),
        within(1e-9),
        100.0,
    )


# --- wrappers -------------------------------------------------------------------------------------


def sklearn_errors(Z: np.ndarray, y: np.ndarray, part: np.ndarray, features: Any) -> int:
    wrong = 0
    for fold in range(part.max() + 1):
        test = part == fold
        knn = KNeighborsClassifier(1, metric="manhattan")
        knn.fit(Z[~test][:, features], y[~test])
        wrong += int((knn.predict(Z[test][:, features]) != y[test]).sum())
    return wrong


def wrapper_duels(X: np.ndarray, y: np.ndarray) -> Iterator[Duel]:
    points = points_of(X)
    part = resampling.partition(len(y), 10, np.random.default_rng(0), strata=y)
    judge = hybrid_wrapper.NeighbourErrors(points, y, part)
    subsets = list(dict.fromkeys(ib.candidate_subsets(points, y, size=5).subsets()))[:40]
    union = sorted({feature for subset in subsets for feature in subset})
    without = [sorted(set(union) - set(subset)) for subset in subsets]
    distance = judge.distances(union)

    def errors_of(sets: Any) -> list[int]:
        return [sklearn_errors(points.values, y, part, list(s)) for s in sets]

    def one_less() -> list[int]:
        gone = [sorted(set(union) - set(rest)) for rest in without]
        return [judge.count(judge.changed(distance, remove=some)) for some in gone]

    peer = "sklearn k-NN, fold by fold"
    shape = text((len(X), len(union)))
    yield Duel(
        "HIB-SBS round", shape, peer, "sklearn", lambda: errors_of(without), one_less, identical, 20
    )
    yield Duel(
        "HIB-CSS",
        text((len(X), 5)),
        peer,
        "sklearn",
        lambda: errors_of(subsets),
        lambda: [judge.count_of(s) for s in subsets],
        identical,
        10.0,
    )


def within_seconds(X: np.ndarray, y: np.ndarray, rounds: int) -> bool:
    """Print how long candidate subsets take; whether that is short enough."""
    run = [lambda: ib.candidate_subsets(points_of(X), y, size=5)]
    (cpu,), _ = race(run, rounds)
    (clock,), _ = race(run, rounds, time.perf_counter)
    reached = cpu < SECONDS
    print(
        f"\ncandidate subsets at {text(X.shape)}: {cpu:.2f} s of CPU, {clock:.2f} s on the clock "
        f"(< {SECONDS:g}){'' if reached else '  MISSED'}"
    )
    return reached


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    X, y = lung_data()
    with threadpool_limits(1):
        row(*FIELDS)
        duels = [*candidate_duels(X, y, 5), redundancy_duel(X, y), *wrapper_duels(X, y)]
        reached = [fight(duel, options.rounds) for duel in duels]
        reached.append(within_seconds(X, y, options.rounds))
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
