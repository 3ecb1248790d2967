"""How exact the filters are, how their time grows, and from which size on kernels pay.

Functions are measured here; `operators.py` compares the operators with their peers. Exits with 1 if
a goal is missed. See README.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from race import ROUNDS, Run, expression_data, race
from sklearn.feature_selection import f_classif
from threadpoolctl import threadpool_limits

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.filters import univariate
from fsops.algorithms.neighbors import relief
from fsops.algorithms.statistics import information

# --- accuracy -----------------------------------------------------------------------------------


def f_error_at_huge_mean() -> tuple[float, float]:
    """Largest relative error of sklearn's and of our F where mean/sd = 1e6, against long double."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((100, 50_000)) + 1e6
    y = rng.permutation(np.arange(100) % 2)
    X[y == 1] += 0.5
    exact = np.empty(X.shape[1])
    for start in range(0, X.shape[1], 5000):
        part = X[:, start : start + 5000].astype(np.longdouble)
        groups = [part[y == c] for c in range(2)]
        means = [g.mean(axis=0) for g in groups]
        within = sum(((g - c) ** 2).sum(axis=0) for g, c in zip(groups, means, strict=True))
        centre = part.mean(axis=0)
        between = sum(len(g) * (c - centre) ** 2 for g, c in zip(groups, means, strict=True))
        exact[start : start + 5000] = between / within * (len(X) - 2)

    def error(f: np.ndarray) -> float:
        return float(np.max(np.abs(f - exact) / exact))

    return error(f_classif(X, y)[0]), error(univariate.f_test(X, y, p_values=False).statistic)


def our_mi(codes: np.ndarray, y: np.ndarray) -> np.ndarray:
    return information.mutual_information(codes, y, base=float(np.e)).statistic


def accuracy() -> bool:
    theirs, ours = f_error_at_huge_mean()
    reached = ours < 1e-6
    print("\nLargest relative error of F where mean/sd = 1e6, against long double:")
    print(f"  sklearn {theirs:.1e}, ours {ours:.1e}, goal < 1e-6" + ("" if reached else "  MISSED"))
    return reached


# --- growth ---------------------------------------------------------------------------------------


def growth(rounds: int) -> bool:
    """Print the exponents of time in p and n; whether they are those of the method."""
    filters: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
        "Welch t + p": univariate.welch_t,
        "F + p": univariate.f_test,
        "SAM": univariate.sam,
        "Pearson": univariate.pearson,
        "MI, 5 values": our_mi,
    }
    steps = np.array([1, 2, 4])
    wide = [(100, 100_000 * s) for s in steps]
    tall = [(50_000 * s, 200) for s in steps]
    print(f"\n{'exponent of time in':24} {'p':>6} {'n':>6}   goal")
    reached = True
    for name, score in filters.items():
        found = [exponent(score, shapes, steps, rounds) for shapes in (wide, tall)]
        reached &= _print_growth(name, found, (1.0, 1.0))
    near = [(200, 5000 * s) for s in steps], [(500 * s, 1000) for s in steps]
    found = [exponent(_relieff, shapes, steps, rounds=2) for shapes in near]
    return _print_growth("ReliefF k=10", found, (1.0, 2.0)) and reached


def _relieff(X: np.ndarray, y: np.ndarray) -> Any:
    return relief.relieff(X, None, y)


def _print_growth(name: str, found: list[float], order: tuple[float, float]) -> bool:
    reached = all(f <= o + 0.2 for f, o in zip(found, order, strict=True))
    goal = f"≤ {order[0]:g} and {order[1]:g} (+ 0.2)" + ("" if reached else "  MISSED")
    print(f"{name:24} {found[0]:6.2f} {found[1]:6.2f}   {goal}", flush=True)
    return reached


def exponent(score: Callable[..., Any], shapes: Any, steps: np.ndarray, rounds: int) -> float:
    """Slope of log time over log size."""
    tables = [expression_data(*shape) for shape in shapes]
    if score is our_mi:
        tables = [((X.round().clip(0, 4)).astype(np.int8), y) for X, y in tables]
    runs = [lambda X=X, y=y: score(X, y) for X, y in tables]
    best, _ = race(runs, rounds)
    return float(np.polyfit(np.log(steps), np.log(best), 1)[0])


# --- thresholds -----------------------------------------------------------------------------------


def start_up() -> float:
    """CPU seconds that numba and one cached kernel add to a process."""
    code = (
        "import time, numpy as np; from fsops.algorithms.base import compiled\n"
        "from fsops.algorithms.filters import univariate\n"
        "compiled.TABLE = {}; X = np.ones((40, 50)); y = np.arange(40) % 2; y[0] = 1\n"
        "b = time.process_time(); univariate.sam(X, y); print(time.process_time() - b)"
    )
    best = [np.inf, np.inf]
    for _ in range(4):
        for i, least in enumerate((0, 1 << 60)):
            command = [sys.executable, "-c", code.format(least)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            best[i] = min(best[i], float(done.stdout))
    return best[0] - best[1]


def thresholds() -> None:
    """What kernels save at several sizes, against what starting them costs once."""
    print(f"numba and the first kernel cost {start_up() * 1e3:.0f} ms per process\n")
    print(f"{'job':24} {'steps':>10} {'numpy ms':>9} {'kernel ms':>9} {'saved ms':>9}")
    rng = np.random.default_rng(0)
    for power in range(18, 26, 2):
        X, y = expression_data(100, (1 << power) // 100)
        codes = rng.integers(0, 5, X.shape).astype(np.int8)
        for name, run in (
            ("class moments", lambda: univariate.sam(X, y)),  # noqa: B023
            ("cross moments", lambda: univariate.pearson(X, y * 1.0)),  # noqa: B023
            ("counts", lambda: information.Contingency.of(codes, y)),  # noqa: B023
        ):
            _print_saving(name, X.size, run)
    for p in (200, 800, 3200, 12800):
        X, y = expression_data(200, p)
        _print_saving("ReliefF", 200 * X.size, lambda: relief.relieff(X, None, y))  # noqa: B023


def _print_saving(name: str, steps: int, run: Run) -> None:
    def limited(least: int) -> Any:
        kernels.TABLE = kernels.PAIRS = kernels.LOADED = least
        return run()

    (slow, fast), _ = race([lambda: limited(1 << 60), lambda: limited(0)], ROUNDS)
    times = f"{slow * 1e3:9.2f} {fast * 1e3:9.2f} {(slow - fast) * 1e3:9.2f}"
    print(f"{name:24} {steps:10} {times}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--thresholds", action="store_true", help="only what kernels cost and save")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    with threadpool_limits(1):
        if options.thresholds:
            thresholds()
            return 0
        reached = [accuracy(), growth(options.rounds)]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
