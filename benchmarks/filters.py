"""How fast the filters are, as a ratio to what Python users have: ``python benchmarks/filters.py``.

Peer and ours work in turns on the same data, on one thread; the best CPU time of each counts. Every
row first checks that both say the same. Leaves with 1 if a goal is missed. See README.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from race import FIELDS, ROUNDS, Duel, Run, expression_data, fight, race, row, text
from scipy import stats
from sklearn.feature_selection import f_classif, mutual_info_classif, r_regression
from threadpoolctl import threadpool_limits

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.filters import univariate
from fsops.algorithms.neighbors import relief
from fsops.algorithms.statistics import information

WIDE, TALL = (100, 200_000), (100_000, 200)
# --- checks -------------------------------------------------------------------------------------


def close(rtol: float, atol: float = 0.0) -> Callable[[Any, Any], str]:
    def check(theirs: Any, ours: Any) -> str:
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)
        return f"{rtol:g}"

    return check


def close_with_p(rtol: float, atol: float, rtol_p: float) -> Callable[[Any, Any], str]:
    def check(theirs: Any, ours: Any) -> str:
        np.testing.assert_allclose(ours[0], theirs[0], rtol=rtol, atol=atol)
        np.testing.assert_allclose(ours[1], theirs[1], rtol=rtol_p, atol=1e-300)
        return f"{rtol:g}, p {rtol_p:g}"

    return check


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


# --- competitors ----------------------------------------------------------------------------------


def textbook_sam(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    a, b = X[y == 1], X[y == 0]
    mean_a, mean_b = a.mean(axis=0), b.mean(axis=0)
    ss = ((a - mean_a) ** 2).sum(axis=0) + ((b - mean_b) ** 2).sum(axis=0)
    factor = (1 / len(a) + 1 / len(b)) / (len(X) - 2)
    return (mean_a - mean_b) / (0.1 + np.sqrt(factor * ss))


def our_welch(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
    scores = univariate.welch_t(X, y)
    return scores.statistic, scores.p_values


def our_f(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
    scores = univariate.f_test(X, y)
    return scores.statistic, scores.p_values


def our_mi(codes: np.ndarray, y: np.ndarray) -> np.ndarray:
    return information.mutual_information(codes, y, base=float(np.e)).statistic


def moment_duels(shape: tuple[int, int], order: str) -> Iterator[Duel]:
    X, y = expression_data(*shape)
    target = X[:, 0] + np.random.default_rng(1).standard_normal(len(X))
    X = np.asarray(X, order=order)
    goals = [10.0 if shape == TALL else 3.0, 2.5, 3.5, 1.7]
    if order == "F":
        goals = [None] * 4
    at = text(shape, " columns" if order == "F" else "")
    yield Duel(
        "Welch t + p",
        at,
        "scipy ttest_ind",
        "scipy",
        lambda: stats.ttest_ind(X[y == 1], X[y == 0], equal_var=False),
        lambda: our_welch(X, y),
        close_with_p(1e-9, 1e-8, 1e-8),
        goals[0],
    )
    yield Duel(
        "F + p",
        at,
        "sklearn f_classif",
        "sklearn",
        lambda: f_classif(X, y),
        lambda: our_f(X, y),
        close_with_p(1e-6, 1e-9, 1e-5),
        goals[1],
    )
    yield Duel(
        "SAM",
        at,
        "textbook numpy",
        "numpy",
        lambda: textbook_sam(X, y),
        lambda: univariate.sam(X, y, s0=0.1).statistic,
        close(1e-9, 1e-10),
        goals[2],
    )
    yield Duel(
        "Pearson",
        at,
        "sklearn r_regression",
        "sklearn",
        lambda: r_regression(X, target),
        lambda: univariate.pearson(X, target).statistic,
        close(1e-7, 1e-10),
        goals[3],
    )


def information_duels(shape: tuple[int, int], order: str) -> Iterator[Duel]:
    n, p = shape
    rng = np.random.default_rng(3)
    y = rng.permutation(np.arange(n) % 2)
    codes = np.asarray(rng.integers(0, 5, shape) * (rng.random(shape) < 0.9), dtype=np.int8)
    codes[:, ::7] = np.maximum(codes[:, ::7], 2 * y[:, None])
    codes = np.asarray(codes, order=order)
    some = min(p, 1000)
    yield Duel(
        "MI, 5 values",
        text(shape, " columns" if order == "F" else ""),
        "sklearn mutual_info_classif",
        "sklearn",
        lambda: mutual_info_classif(codes[:, :some], y, discrete_features=True),
        lambda: our_mi(codes, y),
        lambda theirs, ours: close(1e-9, 1e-12)(theirs, ours[:some]),
        None if order == "F" else 100.0,
        p / some,
    )


def relief_duels(shape: tuple[int, int], slow: bool) -> Iterator[Duel]:
    X, y = expression_data(*shape)

    def ours() -> np.ndarray:
        return relief.relieff(X, None, y, k=10).statistic

    def fast_select() -> np.ndarray:
        from fast_select import ReliefF

        model = ReliefF(n_neighbors=10, n_features_to_select=10, backend="cpu", n_jobs=1)
        return model.fit(X, y).feature_importances_

    def skrebate() -> np.ndarray:
        from skrebate import ReliefF

        model = ReliefF(n_neighbors=10, n_features_to_select=10, n_jobs=1)
        return model.fit(X, y).feature_importances_

    # fast_select adds in single precision.
    check = close(1e-5, 1e-6)
    name = "ReliefF k=10"
    yield Duel(name, text(shape), "fast_select", "fast_select", fast_select, ours, check, 1.5)
    if slow:
        check = close(1e-6, 1e-10)
        yield Duel(name, text(shape), "skrebate", "skrebate", skrebate, ours, check, 500.0)


def duels(slow: bool) -> Iterator[Duel]:
    for order in "CF":
        for shape in (WIDE, TALL):
            yield from moment_duels(shape, order)
            yield from information_duels(shape, order)
    yield from relief_duels((200, 5000), slow)
    yield from relief_duels((2000, 1000), slow=False)


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
        kernels.TABLE = kernels.PAIRS = least
        return run()

    (slow, fast), _ = race([lambda: limited(1 << 60), lambda: limited(0)], ROUNDS)
    times = f"{slow * 1e3:9.2f} {fast * 1e3:9.2f} {(slow - fast) * 1e3:9.2f}"
    print(f"{name:24} {steps:10} {times}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--quick", action="store_true", help="leave out skrebate (half a minute)")
    parser.add_argument("--thresholds", action="store_true", help="only what kernels cost and save")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    with threadpool_limits(1):
        if options.thresholds:
            thresholds()
            return 0
        row(*FIELDS)
        reached = [fight(duel, options.rounds) for duel in duels(slow=not options.quick)]
        reached.append(accuracy())
        reached.append(growth(options.rounds))
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
