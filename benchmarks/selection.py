"""How fast the selections are, as a ratio to the best peer: ``python benchmarks/selection.py``.

MRMR, its ensemble, SVM-RFE, the LASSO path, an ensemble of a filter, and how the times of MRMR and
SVM-RFE grow. See README.md. ``--drawn`` runs operators as users call them instead, at shapes
drawn at random, and reports the worst, median and best ratio of each.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from race import (
    FIELDS,
    ROUNDS,
    Duel,
    Run,
    exponent,
    expression_data,
    fight,
    growth_row,
    race,
    report,
    row,
    text,
)
from sklearn.feature_selection import RFE, SequentialFeatureSelector
from sklearn.linear_model import lars_path as sklearn_lars_path
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from fsops import ExampleSet, Process, operators, run
from fsops.algorithms.aggregation import ensemble
from fsops.algorithms.base import resampling
from fsops.algorithms.filters import univariate
from fsops.algorithms.linear.lars import lars_path
from fsops.algorithms.linear.svm_rfe import svm_rfe
from fsops.algorithms.mrmr import ensemble as mrmr_ensemble, selection as mrmr

Shape = tuple[int, int]

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


def standardized(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = expression_data(n, p)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def our_rfe(Z: np.ndarray, y: np.ndarray, step: int | None = None) -> np.ndarray:
    """Ranking after dropping so many features per round, by default a tenth of all."""
    count = step or Z.shape[1] // 10
    return svm_rfe(Z, y, keep=1, count=count, standardize=False).group_ranking


def svm_rfe_duels(shape: tuple[int, int], step: int) -> Iterator[Duel]:
    Z, y = standardized(*shape)
    machine = SVC(kernel="linear", C=1.0, tol=1e-10)
    yield Duel(
        f"SVM-RFE, {step}",
        text(shape),
        "RFE(SVC(linear, tol 1e-10))",
        "sklearn",
        lambda: RFE(machine, n_features_to_select=1, step=step).fit(Z, y).ranking_,
        lambda: our_rfe(Z, y, step),
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
        # Not CPU time: BLAS lets its second thread spin between our small products.
        clock=time.perf_counter,
    )


# --- ensembles of a filter ------------------------------------------------------------------------


def t_weights(X: np.ndarray, y: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """What an engine runs for each bootstrap."""
    return univariate.student_t(X[rows], y[rows], p_values=False).weights


def engines(
    X: np.ndarray, y: np.ndarray, members: Any, stack: ExitStack
) -> dict[str, Callable[[], np.ndarray]]:
    """Two threads, or two processes that find the table mapped into memory."""
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    path = Path(folder) / "table.npy"
    np.save(path, X)
    mapped = np.load(path, mmap_mode="r")

    def run(pool: Any, table: np.ndarray) -> np.ndarray:
        return np.array(pool(delayed(t_weights)(table, y, rows) for rows in members))

    tables = {"threading": X, "loky": mapped, "multiprocessing": mapped}
    return {
        name: partial(run, stack.enter_context(Parallel(2, backend=name)), table)
        for name, table in tables.items()
    }


def bootstrap_fights(shape: tuple[int, int], size: int, rounds: int) -> bool:
    """All bootstraps in one product, against the best engine (seconds of the clock) and serial."""
    X, y = expression_data(*shape)
    members = resampling.bootstrap(len(X), size, np.random.default_rng(0), strata=y)
    counts = resampling.row_counts(members, len(X))

    def each() -> np.ndarray:
        return np.array([t_weights(X, y, rows) for rows in members])

    def at_once() -> np.ndarray:
        score = partial(univariate.student_t_from, p_values=False)
        return ensemble.resampled_class_scores(X, y, counts, score)

    def same(theirs: Any, ours: Any) -> str:
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)
        return "1e-06"

    work = f"t-test × {size}"
    with ExitStack() as stack:
        peers = engines(X, y, members, stack)
        times, results = race([at_once, *peers.values()], rounds, time.perf_counter)
    best = int(np.argmin(times[1:]))
    name = f"joblib {list(peers)[best]}, 2 jobs, clock"
    clock = Duel(work, text(shape), name, "joblib", peers["loky"], at_once, same, 8.0)
    reached = report(clock, times[1 + best], times[0], [results[1 + best], results[0]])
    serial = Duel(work, text(shape), "one after the other, CPU", "fsops", each, at_once, same)
    return fight(serial, rounds) and reached


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


# --- operators at shapes drawn at random ----------------------------------------------------------

LEAST_VALUES, MOST_VALUES = 1_000_000, 8_000_000
FOLDS = 5


def drawn(rng: np.random.Generator, rows: tuple[int, int], values: tuple[int, int]) -> Shape:
    """Rows and attributes, uniform in their logarithms; so many values in all."""
    n = int(np.exp(rng.uniform(*np.log(rows))))
    return n, int(np.exp(rng.uniform(*np.log(values))) / n)


def lars_duel(rng: np.random.Generator, most_values: int = MOST_VALUES) -> Duel:
    n, p = drawn(rng, (40, 10_000), (LEAST_VALUES, most_values))
    X, codes = expression_data(n, p, int(rng.integers(2**31)))
    y = X[:, 0] + codes + rng.standard_normal(n)
    table = ExampleSet.from_numpy(X, y)

    def theirs() -> np.ndarray:
        Z = X - X.mean(axis=0)
        Z /= np.linalg.norm(Z, axis=0)
        return sklearn_lars_path(Z, y - y.mean(), method="lasso", max_iter=10**6)[2]

    def same(theirs: Any, ours: Any) -> str:
        norms, found = np.abs(theirs).sum(axis=0), ours.model.path.norms
        shorter = min(len(norms), len(found))  # they end a few knots apart
        np.testing.assert_allclose(found[:shorter], norms[:shorter], rtol=1e-6, atol=1e-8)
        return f"{shorter} knots"

    return Duel("LARS", text((n, p)), "sklearn lars_path", "sklearn", theirs,
                lambda: operators.lars(table, method="lasso"), same, 1.1)  # fmt: skip


def mrmr_duel(rng: np.random.Generator) -> Duel:
    n, p = drawn(rng, (40, 20_000), (LEAST_VALUES, MOST_VALUES))
    X, y = expression_data(n, p, int(rng.integers(2**31)))
    table = ExampleSet.from_numpy(X, np.array(["no", "yes"])[y])

    def theirs() -> list[str]:
        import mrmrs
        import polars as pl

        frame = pl.DataFrame(X, schema=[f"f{i}" for i in range(p)])
        found = mrmrs.mrmr(
            frame, pl.Series("y", y), number_of_features=50, task_type="classification"
        )
        return [feature.name for feature in found]

    def same(theirs: Any, ours: Any) -> str:
        """Its smallest divisor is larger than ours, which can change the end of the list."""
        order = np.argsort(-ours.values, kind="stable")[:50]
        common = len({f"f{i}" for i in order} & set(theirs))
        assert common >= 25
        return f"{common} of 50"

    return Duel("MRMR operator", text((n, p)), "mrmrs (Rust)", "mrmrs", theirs,
                lambda: operators.select_by_mrmr_cfs(table, k=50, output="ranking"),
                same, 8.0)  # fmt: skip


def information_duel(rng: np.random.Generator) -> Duel:
    """Ten members against one selection: the ratio is the inverse of the cost."""
    n, p = drawn(rng, (60, 200), (100_000, LEAST_VALUES))
    X, y = expression_data(n, p, int(rng.integers(2**31)))
    table = ExampleSet.from_numpy(X, np.array(["no", "yes"])[y])
    measure = str(rng.choice(["mutual information", "symmetric uncertainty"]))

    def selected(size: int) -> Any:
        return operators.select_by_mrmr_cfs(table, k=20, measure=measure, iterations=size)

    return Duel("10 members", text((n, p)), f"one selection, {measure}", "fsops",
                lambda: selected(1), lambda: selected(10), lambda a, b: "", 0.25)  # fmt: skip


def search_process(backward: bool, steps: int) -> Process:
    """A search around a cross-validation of k-NN that makes all its steps."""
    process = Process()
    if backward:
        node = process.add(
            operators.optimize_selection_backward,
            max_eliminations=steps,
            stopping_behavior="with decrease of more than",
            max_relative_decrease=1.0,
        )
    else:
        node = process.add(
            operators.optimize_selection_forward,
            max_attributes=steps,
            speculative_rounds=steps,
        )
    process.connect(process.source("input 1"), node, "examples")
    inside = node.inner()
    validation = inside.add(
        operators.cross_validation,
        inside.source("examples"),
        number_of_folds=FOLDS,
        sampling="linear sampling",
    )
    inside.result(validation["performance"], "performance")
    training, testing = validation.subprocesses
    training.result(
        training.add(operators.k_nn, training.source("training_set"), weighted_vote=False)["model"],
        "model",
    )
    applied = testing.add(
        operators.apply_model, testing.source("model"), testing.source("test_set")
    )
    testing.result(testing.add(operators.performance, applied), "performance")
    process.result(node["log"])
    process.result(node["weights"])
    return process


def rfe_duel(rng: np.random.Generator) -> Duel:
    """SVM-RFE that drops a twentieth of all attributes per round."""
    n, p = drawn(rng, (40, 200), (LEAST_VALUES // 4, MOST_VALUES // 4))
    return next(svm_rfe_duels((n, p), max(1, p // 20)))


def search_duel(rng: np.random.Generator, backward: bool | None = None) -> Duel:
    """Few steps, because the peer takes up to ten seconds for each.

    Our search has a fixed cost of two ordinary evaluations, which many steps share.
    """
    # All folds have the same size: the peer gives rows that are left over to other folds.
    n, p = FOLDS * int(rng.integers(16, 120)), int(rng.integers(30, 200))
    backward = bool(rng.random() < 0.5) if backward is None else backward
    p = min(p, 60) if backward else p
    y = np.arange(n) % 2
    X = rng.standard_normal((n, p))
    X[:, :10] += 0.5 * y[:, None]
    X[:, ::10] = X[:, ::10].round(1)
    table = ExampleSet.from_numpy(X, np.array(["no", "yes"])[y])
    steps = 4 if backward else 2
    process = search_process(backward, steps)
    peer = SequentialFeatureSelector(
        KNeighborsClassifier(5),
        n_features_to_select=p - steps if backward else steps,
        direction="backward" if backward else "forward",
        cv=KFold(FOLDS),
    )

    def same(theirs: Any, ours: Any) -> str:
        """Of equally good eliminations the peer makes the first one, we the last one.

        Forward, the peer takes its last attribute even if it improves nothing; we leave it out.
        """
        log, weights = ours
        tried = int(backward) + sum(p - step for step in range(steps))
        assert log.column("evaluations")[-1] == tried
        if not backward:
            chosen, support = weights.values > 0, theirs.get_support()
            assert chosen.any()
            np.testing.assert_array_equal(chosen & support, chosen)
        return f"{tried} subsets" if backward else "same attributes"

    work = "backward k-NN" if backward else "forward k-NN"
    return Duel(work, text((n, p)), "SequentialFeatureSelector", "sklearn",
                lambda: peer.fit(X, y), lambda: run(process, table), same, 25.0)  # fmt: skip


def drawn_fights(seed: int, count: int, rounds: int) -> bool:
    """Print worst, median and best ratio of each operator; whether the worst reach their goals."""
    rng = np.random.default_rng(seed)
    reached = True
    lines = []
    for make in (lars_duel, mrmr_duel, information_duel, search_duel):
        found = []
        for _ in range(count):
            duel = make(rng)
            (theirs, ours), results = race([duel.theirs, duel.ours], rounds, duel.clock)
            reached &= report(duel, theirs, ours, results)
            found.append(theirs / ours)
        numbers = " / ".join(f"{quantile:.1f}" for quantile in np.quantile(found, [0, 0.5, 1]))
        lines.append(f"{make.__name__.removesuffix('_duel'):13} worst / median / best {numbers}")
    print(f"\nseed {seed}, {count} shapes each", *lines, sep="\n")
    return reached


# --- growth ---------------------------------------------------------------------------------------


def growth(rounds: int) -> bool:
    """Print the exponents of time; whether they are those of the methods."""
    print("\nexponents of time")
    steps = [1, 2, 4]
    tables = [expression_data(100, 20_000 * s) for s in steps]
    in_p: list[Run] = [partial(our_mrmr, *table, 50) for table in tables]
    in_k: list[Run] = [partial(our_mrmr, *tables[1], 25 * s) for s in steps]
    reached = growth_row(
        "MRMR", {"p": (exponent(in_p, steps, rounds), 1), "k": (exponent(in_k, steps, rounds), 1)}
    )
    in_p = [partial(our_rfe, *standardized(100, 10_000 * s)) for s in steps]
    in_n: list[Run] = [partial(our_rfe, *standardized(100 * s, 20_000)) for s in steps]
    return reached & growth_row(
        "SVM-RFE",
        {"p": (exponent(in_p, steps, rounds), 1), "n": (exponent(in_n, steps, rounds), 2)},
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--quick", action="store_true", help="leave out the largest tables")
    parser.add_argument("--drawn", type=int, help="operators at so many shapes drawn at random")
    parser.add_argument("--seed", type=int, help="of the shapes; a new one is printed if not given")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    with threadpool_limits(1):
        row(*FIELDS)
        if options.drawn:
            seed = secrets.randbelow(2**31) if options.seed is None else options.seed
            return 0 if drawn_fights(seed, options.drawn, options.rounds) else 1
        reached = [fight(duel, options.rounds) for duel in duels(options.quick)]
        wide = 20_000 if options.quick else 100_000
        reached.append(bootstrap_fights((100, wide), 100, options.rounds))
        reached.append(growth(options.rounds))
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
