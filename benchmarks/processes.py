"""How fast whole processes are, against scikit-learn: ``python benchmarks/processes.py``.

Validations of "F-test, the best 50 attributes, naive Bayes" run against a scikit-learn Pipeline at
shapes drawn at random, with the same folds. A whole study, as ``fsops new --data`` writes it, runs
against a script of the same steps with scikit-learn, numpy and joblib (`peer_study`). All on one
thread, by CPU time, in turns, the best of several rounds. Exits with 1 if a goal is missed.

``--profile`` prints the 15 lines that take the most time; ``--memory`` the peak of a
cross-validation of 100 × 200,000. See README.md.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import secrets
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from race import race
from threadpoolctl import threadpool_limits

import fsops
from fsops import Attribute, ExampleSet, operators
from fsops.operators.validation.trials import Trained

KEPT = 50
SIZES = (1, 2, 5, 10, 20, 50)
ATTRIBUTES, MOST_VALUES = (5_000, 200_000), 2e7
STUDY_SHAPE = (60, 20_000)
MOST_MEMORY = 1.2  # of a table; a training set of ten folds has 0.9 of it
GOALS = {"10 folds": 8.0, "10 × 10 folds": 15.0, "100 bootstraps": 15.0, "study": 2.0}


def made(n: int, p: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers, the first 30 attributes shifted by class, and two classes."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2.0, p) + rng.uniform(4, 10, p)
    X[:, :30] += 1.2 * y[:, None]
    return X, y


def drawn_shapes(
    rng: np.random.Generator, count: int, most_values: float
) -> Iterator[tuple[int, int]]:
    while count:
        n, p = int(rng.integers(40, 301)), int(np.exp(rng.uniform(*np.log(ATTRIBUTES))))
        if n * p <= most_values:
            count -= 1
            yield n, p


# --- ours ----------------------------------------------------------------------------------------


def training(examples: ExampleSet) -> Trained:
    weights = operators.weight_by_f_test(examples)
    kept = operators.select_by_weights(examples, weights, weight_relation="top k", k=KEPT)
    return Trained(operators.naive_bayes(kept), weights)


def testing(model: Any, examples: ExampleSet, through: Any) -> Any:
    return operators.performance_classification(operators.apply_model(model, examples))


def with_folds(X: np.ndarray, y: np.ndarray, splits: list[Any]) -> ExampleSet:
    """Return the table with the number of the fold of each row as its batch."""
    fold = np.empty(len(y))
    for number, (_, test) in enumerate(splits):
        fold[test] = number
    table = ExampleSet.from_numpy(X, np.array(["no", "yes"])[y])
    return table.with_columns([(Attribute("fold", role="batch"), fold)])


def validated(table: ExampleSet) -> float:
    found = operators.cross_validation(
        table, training=training, testing=testing, split_on_batch_attribute=True
    )
    return float(found.performance["accuracy"].mean)


# --- scikit-learn --------------------------------------------------------------------------------


def pipeline() -> Any:
    from sklearn.feature_selection import SelectKBest, f_classif
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline

    return make_pipeline(SelectKBest(f_classif, k=KEPT), GaussianNB())


def cross_validated(X: np.ndarray, y: np.ndarray, splits: list[Any]) -> float:
    from sklearn.model_selection import cross_val_score

    return float(cross_val_score(pipeline(), X, y, cv=splits).mean())


def check_same_selections(X: np.ndarray, y: np.ndarray, splits: list[Any]) -> None:
    """Refuse to race if a fold selects other attributes than the Pipeline does."""
    table = with_folds(X, y, splits)
    for train, _ in splits:
        theirs = pipeline().fit(X[train], y[train])[0].get_support(indices=True)
        weights = operators.weight_by_f_test(table.take(train))
        assert sorted(weights.best(KEPT).positions) == theirs.tolist()


# --- the races -----------------------------------------------------------------------------------


def folds_of(y: np.ndarray, repeats: int) -> list[list[Any]]:
    from sklearn.model_selection import StratifiedKFold

    return [
        list(StratifiedKFold(10, shuffle=True, random_state=number).split(y, y))
        for number in range(repeats)
    ]


def race_folds(n: int, p: int, seed: int, repeats: int, rounds: int) -> float:
    X, y = made(n, p, seed)
    plans = folds_of(y, repeats)
    check_same_selections(X, y, plans[0])
    tables = [with_folds(X, y, splits) for splits in plans]
    (theirs, ours), results = race(
        [
            lambda: np.mean([cross_validated(X, y, splits) for splits in plans]),
            lambda: np.mean([validated(table) for table in tables]),
        ],
        rounds,
    )
    # Both are naive Bayes; scikit-learn smooths the variances in another way.
    assert abs(results[0] - results[1]) < 0.03, results
    return theirs / ours


def race_bootstraps(n: int, p: int, seed: int, rounds: int) -> float:
    X, y = made(n, p, seed)
    rng = np.random.default_rng(seed)
    everything = np.arange(n)
    drawn = [
        np.concatenate([rng.choice(np.flatnonzero(y == c), int((y == c).sum())) for c in (0, 1)])
        for _ in range(100)
    ]
    splits = [(rows, np.setdiff1d(everything, rows)) for rows in drawn]
    table = ExampleSet.from_numpy(X, np.array(["no", "yes"])[y])

    def ours() -> float:
        found = operators.bootstrapping_validation(
            table, training=training, testing=testing, repetitions=100
        )
        return float(found.performance["accuracy"].mean)

    (their_time, our_time), results = race([lambda: cross_validated(X, y, splits), ours], rounds)
    assert abs(results[0] - results[1]) < 0.05, results  # the bootstraps are not the same
    return their_time / our_time


# --- a study -------------------------------------------------------------------------------------


def relief(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Relief over all rows with numpy and scipy: ranges, Manhattan distances, nearest hit, miss."""
    from scipy.spatial.distance import cdist

    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    distance = cdist(scaled, scaled, "cityblock")
    np.fill_diagonal(distance, np.inf)
    same = y[:, None] == y
    hit = np.where(same, distance, np.inf).argmin(axis=1)
    miss = np.where(same, np.inf, distance).argmin(axis=1)
    return (np.abs(scaled - scaled[miss]) - np.abs(scaled - scaled[hit])).mean(axis=0)


def mrmr(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """F over the mean absolute correlation with those chosen before, with numpy."""
    from sklearn.feature_selection import f_classif

    relevance = f_classif(X, y)[0]
    Z = (X - X.mean(axis=0)) / (X.std(axis=0) * np.sqrt(len(X)))
    chosen = [int(relevance.argmax())]
    redundancy = np.zeros(X.shape[1])
    while len(chosen) < KEPT:
        redundancy += np.abs(Z[:, chosen[-1]] @ Z)
        score = relevance / np.maximum(redundancy / len(chosen), 1e-12)
        score[chosen] = -np.inf
        chosen.append(int(score.argmax()))
    weights = np.zeros(X.shape[1])
    weights[chosen] = np.arange(KEPT, 0, -1)
    return weights


def peer_study(file: Path) -> Any:
    """The steps of a study as a careful scikit-learn user writes them."""
    import pandas as pd
    from joblib import Parallel, delayed
    from sklearn.feature_selection import f_classif
    from sklearn.model_selection import StratifiedKFold
    from sklearn.naive_bayes import GaussianNB

    frame = pd.read_csv(file)
    y = (frame.pop("disease") == "sick").to_numpy().astype(int)
    X = frame.drop(columns="patient").to_numpy()
    methods: list[Callable[..., Any]] = [lambda X, y: f_classif(X, y)[0], relief, mrmr]

    def judged(train: Any, test: Any) -> list[list[float]]:
        orders = [np.argsort(-method(X[train], y[train]))[:KEPT] for method in methods]
        return [
            [
                GaussianNB().fit(X[train][:, o[:k]], y[train]).score(X[test][:, o[:k]], y[test])
                for k in SIZES
            ]
            for o in orders
        ]

    def counted(seed: int) -> np.ndarray:
        rows = np.random.default_rng(seed).integers(0, len(y), len(y))
        best = np.argsort(-f_classif(X[rows], y[rows])[0])[:20]
        return np.bincount(best, minlength=X.shape[1])

    folds = StratifiedKFold(10, shuffle=True, random_state=0).split(X, y)
    accuracy = Parallel(n_jobs=1)(delayed(judged)(train, test) for train, test in folds)
    shares = sum(Parallel(n_jobs=1)(delayed(counted)(seed) for seed in range(50)))
    return np.mean(accuracy, axis=0), shares


def write_study(folder: Path, seed: int) -> Path:
    import pandas as pd

    X, y = made(*STUDY_SHAPE, seed)
    frame = pd.DataFrame(X.round(4), columns=[f"gene{j:05d}" for j in range(X.shape[1])])
    frame.insert(0, "patient", [f"P{i}" for i in range(len(y))])
    frame["disease"] = np.where(y, "sick", "well")
    frame.to_csv(folder / "own.csv", index=False)
    command = ["new", "study.xml", "--data", "own.csv", "--label", "disease"]
    subprocess.run(
        [sys.executable, "-m", "fsops", *command], cwd=folder, check=True, capture_output=True
    )
    return folder / "study.xml"


def race_study(seed: int, rounds: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        study = write_study(Path(name), seed)
        table = Path(name) / "own.csv"
        (theirs, ours), (_, outcome) = race(
            [lambda: peer_study(table), lambda: fsops.run(study)], rounds
        )
    assert len(list(outcome.results)) >= 2
    return theirs / ours


# --- profile and memory --------------------------------------------------------------------------


def show_profile(seed: int) -> None:
    X, y = made(100, 20_000, seed)
    table = with_folds(X, y, folds_of(y, 1)[0])
    with tempfile.TemporaryDirectory() as name:
        study = write_study(Path(name), seed)
        for title, work in {
            "cross-validation, 100 × 20,000": lambda: validated(table),
            "study, 60 × 20,000": lambda: fsops.run(study),
        }.items():
            work()
            profile = cProfile.Profile(time.process_time)  # the machine may be busy
            profile.runcall(work)
            print(f"\n{title}")
            pstats.Stats(profile).strip_dirs().sort_stats("tottime").print_stats(15)


def show_memory() -> bool:
    """Print how much memory a cross-validation needs beside its table; whether it is little."""
    X, y = made(100, 200_000, 0)
    table = with_folds(X, y, folds_of(y, 1)[0])
    validated(table.select_regular(table.names[:1000]))  # loads all modules
    tracemalloc.start()  # numpy reports its arrays, too
    validated(table)
    _, peak = tracemalloc.get_traced_memory()
    share = peak / X.nbytes
    print(f"table {X.nbytes / 2**20:.0f} MB, more at the peak {peak / 2**20:.0f} MB")
    reached = share <= MOST_MEMORY
    end = "" if reached else "  MISSED"
    print(f"({share:.2f} tables; allowed are 0.3 and one fold, {MOST_MEMORY}){end}")
    return reached


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--seed", type=int, help="of shapes and values; a new one if not given")
    parser.add_argument("--shapes", type=int, default=5, help="number of shapes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--values", type=float, default=MOST_VALUES, help="largest rows × columns")
    parser.add_argument("--repeated", type=int, default=2, help="shapes of repeated validations")
    parser.add_argument("--no-study", action="store_true", help="leave out the study")
    parser.add_argument("--profile", action="store_true", help="print what takes the time")
    parser.add_argument("--memory", action="store_true", help="print the peak of memory")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    with threadpool_limits(1):
        if options.profile:
            show_profile(seed)
            return 0
        if options.memory:
            return 0 if show_memory() else 1
        return show_races(seed, options)


def ratios_of(
    seed: int, shapes: int, repeated: int, rounds: int, values: float, *, study: bool = True
) -> dict[str, dict[str, float]]:
    """Return the ratios of each work by shape."""
    rng = np.random.default_rng(seed)
    ratios: dict[str, dict[str, float]] = {name: {} for name in GOALS}
    for n, p in drawn_shapes(rng, shapes, values):
        ratios["10 folds"][f"{n} × {p}"] = race_folds(n, p, seed, 1, rounds)
    for n, p in drawn_shapes(rng, repeated, values):
        ratios["10 × 10 folds"][f"{n} × {p}"] = race_folds(n, p, seed, 10, 1)
        ratios["100 bootstraps"][f"{n} × {p}"] = race_bootstraps(n, p, seed, 1)
    if study:
        ratios["study"]["{} × {}".format(*STUDY_SHAPE)] = race_study(seed, rounds)
    return ratios


def show_races(seed: int, options: argparse.Namespace) -> int:
    print(f"seed {seed}\n{'work':16} {'worst':>7} {'median':>7} {'best':>7}  goal   worst shape")
    ratios = ratios_of(
        seed,
        options.shapes,
        options.repeated,
        options.rounds,
        options.values,
        study=not options.no_study,
    )
    missed = 0
    for name, found in ratios.items():
        if not found:
            continue
        worst = min(found, key=lambda shape: found[shape])
        values = np.array(list(found.values()))
        verdict = "" if found[worst] >= GOALS[name] else "  MISSED"
        missed += bool(verdict)
        figures = f"{values.min():7.1f} {np.median(values):7.1f} {values.max():7.1f}"
        print(f"{name:16} {figures}  ≥ {GOALS[name]:<4g} {worst}{verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
