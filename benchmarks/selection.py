"""How fast the selections are, as a ratio to the best peer: ``python benchmarks/selection.py``.

MRMR, its ensemble, SVM-RFE, the LASSO path, and an ensemble of a filter. Read as `filters.py`.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from race import FIELDS, ROUNDS, Duel, expression_data, fight, row, text
from sklearn.feature_selection import RFE
from sklearn.linear_model import lars_path as sklearn_lars_path
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from fsops.algorithms import ensemble, mrmr, mrmr_ensemble, resampling, univariate
from fsops.algorithms.lars import lars_path
from fsops.algorithms.svm_rfe import svm_rfe

PEERS_FLOOR = 1e-3  # mrmrs divides by no smaller mean redundancy


def identical(theirs: Any, ours: Any) -> str:
    np.testing.assert_array_equal(ours, theirs)
    return "identical"


# --- MRMR -----------------------------------------------------------------------------------------


def our_mrmr(
    X: np.ndarray, y: np.ndarray, k: int, criterion: Any = "miq", floor: float = mrmr.FLOOR
) -> np.ndarray:
    relevance = mrmr.defined(univariate.f_test(X, y, p_values=False).weights)
    redundancy = mrmr.CorrelationRedundancy(X)
    return mrmr.mrmr(relevance, redundancy, k, criterion=criterion, floor=floor).order


def mrmr_duels(shape: tuple[int, int]) -> Iterator[Duel]:
    X, y = expression_data(*shape)

    def rust() -> np.ndarray:
        import mrmrs

        found = mrmrs.mrmr(frame, labels, number_of_features=50, task_type="classification")
        return np.array([int(feature.name[1:]) for feature in found])

    try:
        import polars as pl

        frame = pl.DataFrame(X, schema=[f"f{i}" for i in range(X.shape[1])])
        labels = pl.Series("y", y)
    except ImportError:
        frame = labels = None
    yield Duel(
        "MRMR k=50",
        text(shape),
        "mrmrs (Rust)",
        "mrmrs",
        rust,
        lambda: our_mrmr(X, y, 50, floor=PEERS_FLOOR),
        identical,
        10.0,
    )


def mrmr_ensemble_duels(shape: tuple[int, int], size: int) -> Iterator[Duel]:
    X, y = expression_data(*shape)
    rng = np.random.default_rng(0)
    members = resampling.leave_one_part_out(len(X), size, rng, strata=y)
    counts = resampling.row_counts(members, len(X))

    def together(criterion: Any) -> np.ndarray:
        measures = mrmr_ensemble.CorrelationMembers(X, y, counts, nominal=True)
        return mrmr_ensemble.mrmr_ensemble(measures, 50, criterion=criterion).order

    for criterion, goal in (("mid", 3.0), ("miq", 1.6)):
        yield Duel(
            f"{criterion.upper()} × {size}",
            text(shape),
            "separate runs of ours",
            "fsops",
            lambda c=criterion: np.array([our_mrmr(X[m], y[m], 50, c) for m in members]),
            lambda c=criterion: together(c),
            identical,
            goal,
        )


# --- linear models --------------------------------------------------------------------------------


def svm_rfe_duels(shape: tuple[int, int], step: int) -> Iterator[Duel]:
    X, y = expression_data(*shape)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    machine = SVC(kernel="linear", C=1.0, tol=1e-10)
    yield Duel(
        f"SVM-RFE, {step}",
        text(shape),
        "RFE(SVC(linear, tol 1e-10))",
        "sklearn",
        lambda: RFE(machine, n_features_to_select=1, step=step).fit(Z, y).ranking_,
        lambda: svm_rfe(Z, y, keep=1, count=step, standardize=False).group_ranking,
        identical,
        7.0,
    )


def lasso_duels(shape: tuple[int, int]) -> Iterator[Duel]:
    X, codes = expression_data(*shape)
    y = X[:, 0] + codes + np.random.default_rng(1).standard_normal(len(X))
    Z = X - X.mean(axis=0)
    Z = np.asfortranarray(Z / np.linalg.norm(Z, axis=0))
    centred = y - y.mean()

    def same(theirs: Any, ours: Any) -> str:
        norms = np.abs(theirs).sum(axis=0)
        np.testing.assert_allclose(ours.norms, norms, rtol=1e-6, atol=1e-8)
        return f"{len(norms)} knots"

    yield Duel(
        "LASSO path",
        text(shape),
        "sklearn lars_path",
        "sklearn",
        lambda: sklearn_lars_path(Z, centred, method="lasso")[2],
        lambda: lars_path(Z, centred, method="lasso"),
        same,
        0.9,
    )


# --- ensembles of a filter ------------------------------------------------------------------------


def bootstrap_duels(shape: tuple[int, int], size: int) -> Iterator[Duel]:
    X, y = expression_data(*shape)
    members = resampling.bootstrap(len(X), size, np.random.default_rng(0), strata=y)
    counts = resampling.row_counts(members, len(X))

    def each() -> np.ndarray:
        def score(rows: np.ndarray) -> np.ndarray:
            return univariate.student_t(X[rows], y[rows], p_values=False).weights

        return np.array([score(rows) for rows in members])

    def at_once() -> np.ndarray:
        def score(moments: Any) -> Any:
            return univariate.student_t_from(moments, p_values=False)

        return ensemble.resampled_class_scores(X, y, counts, score)

    def same(theirs: Any, ours: Any) -> str:
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)
        return "1e-06"

    yield Duel(
        f"t-test × {size}", text(shape), "each bootstrap on its own, serial", "fsops",
        each, at_once, same, 8.0,
    )  # fmt: skip


def duels(quick: bool) -> Iterator[Duel]:
    yield from mrmr_duels((100, 20_000))
    if not quick:
        yield from mrmr_duels((100, 200_000))
    yield from mrmr_ensemble_duels((100, 20_000), 20)
    yield from svm_rfe_duels((62, 2000), 200)
    yield from svm_rfe_duels((100, 10_000), 100)
    if not quick:
        yield from svm_rfe_duels((62, 2000), 1)
        yield from svm_rfe_duels((200, 50_000), 5000)
    yield from lasso_duels((100, 2000))
    yield from lasso_duels((100, 20_000))
    yield from bootstrap_duels((100, 20_000 if quick else 100_000), 100)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--quick", action="store_true", help="leave out the largest tables")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    with threadpool_limits(1):
        row(*FIELDS)
        reached = [fight(duel, options.rounds) for duel in duels(options.quick)]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
