"""Sparse tables: the filter and SVM recipe, and single cells.

python benchmarks/sparse.py recipe    Dexter and Dorothea against a script of scipy.sparse
python benchmarks/sparse.py cells     50,000 x 20,000, 5 % stored: rank sums, 2,000 best genes,
                                      cross-validated logistic regression
python benchmarks/sparse.py scanpy    rank sums against scanpy (pip install scanpy), 20,000 x 5,000

The recipe reads the folder FSOPS_DATA. Each part runs in a process of its own, one thread. Times
are CPU seconds, the best of three. Memory is the growth beyond the modules loaded before; the peak
of the cells is that of the whole process.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

for variable in ("OMP", "OPENBLAS", "NUMBA"):
    os.environ.setdefault(f"{variable}_NUM_THREADS", "1")

import numpy as np  # noqa: E402 - after the number of threads
from scipy import sparse  # noqa: E402

HERE = Path(__file__).parent
ROUNDS = 3
SEED = 2001
SHAPES = {"dexter": (600, 20_000), "dorothea": (800, 88_119)}


def resident() -> float:
    """Return the memory of this process in MB."""
    with open("/proc/self/statm", encoding="ascii") as status:
        return int(status.read().split()[1]) * resource.getpagesize() / 1e6


def measured(run: Callable[[], Any], rounds: int = ROUNDS) -> dict[str, Any]:
    """Return the least CPU time, the growth of the memory in MB, and the result."""
    before, times = resident(), []
    for _ in range(rounds):
        start = time.process_time()
        result = run()
        times.append(time.process_time() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    return {"seconds": min(times), "first": times[0], "megabytes": peak - before, "result": result}


# --- the recipe of the challenge ------------------------------------------------------------------


def triplets(name: str) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Return matrix, labels and parts of a set, read as a script would do it."""
    import pandas as pd

    folder = Path(os.environ["FSOPS_DATA"])
    found = pd.read_parquet(folder / f"{name}_coo.parquet")
    about = pd.read_csv(folder / f"{name}_labels.csv")
    values = found["value"].to_numpy(float) if "value" in found else np.ones(len(found))
    places = found["row"].to_numpy(), found["feature"].to_numpy() - 1
    matrix = sparse.csr_array(sparse.coo_array((values, places), shape=SHAPES[name]))
    return matrix, about["label"].to_numpy() > 0, about["split"].to_numpy() == "train"


def lal(X: sparse.csr_array, y: np.ndarray) -> np.ndarray:
    """Return the score of the paper from sums of values and squares."""
    parts = []
    for group in (X[y], X[~y]):
        mean = np.asarray(group.mean(axis=0)).ravel()
        parts.append((mean, np.asarray(group.multiply(group).mean(axis=0)).ravel() - mean**2))
    (m1, v1), (m0, v0) = parts
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num((m1 - m0) ** 2 / (v1 + v0), nan=0.0, posinf=0.0)


def balanced(y: np.ndarray, predicted: np.ndarray) -> float:
    return float(np.mean([np.mean(predicted[y == c] != c) for c in (False, True)]))


def dexter_script() -> float:
    """The recipe by hand: three folds, three sizes, then the validation rows."""
    from sklearn.model_selection import StratifiedKFold
    from sklearn.svm import SVC

    X, y, train = triplets("dexter")
    scale = np.sqrt(X[train].multiply(X[train]).sum() / train.sum())
    X = X / scale

    def trial(a: np.ndarray, b: np.ndarray, size: int, score: np.ndarray) -> float:
        best = np.sort(np.argsort(-score, kind="stable")[:size])
        A, B = X[a][:, best], X[b][:, best]
        model = SVC(C=1e6, kernel="precomputed").fit((A @ A.T).toarray(), y[a])
        return balanced(y[b], model.predict((B @ A.T).toarray()))

    rows = np.flatnonzero(train)
    folds = StratifiedKFold(3, shuffle=True, random_state=0).split(rows, y[rows])
    errors = []
    for one, two in folds:
        score = lal(X[rows[one]], y[rows[one]])
        errors.append([trial(rows[one], rows[two], n, score) for n in (1000, 3714, 10_000)])
    size = (1000, 3714, 10_000)[int(np.argmin(np.mean(errors, axis=0)))]
    score = lal(X[rows], y[rows])
    found = [trial(rows, np.flatnonzero(~train), n, score) for n in (size, 3714)]
    return found[1]


def dorothea_script() -> float:
    """Three folds: scale, 1000 best attributes, Gaussian kernel with C = 10 and class ridge."""
    from scipy.spatial.distance import cdist
    from sklearn.model_selection import StratifiedKFold
    from sklearn.svm import SVC

    X, y, _ = triplets("dorothea")
    errors = []
    for a, b in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        A, B = X[a], X[b]
        scale = np.sqrt(A.multiply(A).sum() / len(a))
        best = np.sort(np.argsort(-lal(A, y[a]), kind="stable")[:1000])
        A, B = A[:, best].toarray() / scale, B[:, best].toarray() / scale
        across = cdist(A[y[a]], A[~y[a]])
        sigma = np.concatenate([across.min(axis=0), across.min(axis=1)]).mean()
        K = np.exp(-cdist(A, A, "sqeuclidean") / (2 * sigma**2))
        share = y[a].mean()
        K += np.diag(np.where(y[a], share, 1 - share))
        model = SVC(C=10, kernel="precomputed").fit(K, y[a])
        predicted = model.predict(np.exp(-cdist(B, A, "sqeuclidean") / (2 * sigma**2)))
        errors.append(balanced(y[b], predicted))
    return float(np.mean(errors))


def process(name: str) -> float:
    """Run the process and return the balanced error."""
    import fsops

    outcome = fsops.run(str(HERE.parent / "processes" / "papers" / "filter_svm" / f"{name}.xml"))
    return 1 - outcome.results[-1]["balanced_classification_rate"].mean


def recipe_part(name: str, way: str) -> dict[str, Any]:
    """Measure one way in this process, with the modules loaded before."""
    import pandas  # noqa: F401
    import sklearn.model_selection
    import sklearn.svm  # noqa: F401

    script = {"dexter": dexter_script, "dorothea": dorothea_script}[name]
    if way == "script":
        triplets(name)
    else:
        from fsops import operators
        from fsops.data import ExampleSet

        # Loads the modules, and the compiled kernels if there are any.
        tiny = ExampleSet.from_sparse(sparse.eye_array(20), np.arange(20) % 2)
        operators.cross_validation(
            operators.normalize(tiny, method="average norm")[0],
            lambda t: operators.hard_margin_svm(t, margin="soft", C=1.0),
            lambda model, t: operators.performance_binominal_classification(
                operators.apply_model(model, t)
            ),
            number_of_folds=2,
        )
    found = measured(script if way == "script" else lambda: process(name))
    X = triplets(name)[0]
    found["csr"] = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 1e6
    return found


# --- single cells ---------------------------------------------------------------------------------


def cells(n: int, p: int, seed: int, share: float = 0.05) -> tuple[sparse.csc_array, np.ndarray]:
    """Return log counts of two groups of cells; every 11th gene differs."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    rate = share * (0.2 + 0.8 * rng.gamma(1.0, 1.0, p))
    depth = rng.lognormal(0, 0.3, n)
    rows, values, starts = [], [], [0]
    for j in range(p):
        count = rng.poisson(rate[j] * depth * (1 + 0.8 * y * (j % 11 == 0)))
        place = np.flatnonzero(count)
        rows.append(place.astype(np.int32))
        values.append(np.log1p(count[place] / depth[place].round(1)).astype(np.float32))
        starts.append(starts[-1] + len(place))
    arrays = np.concatenate(values), np.concatenate(rows), np.array(starts, dtype=np.int32)
    return sparse.csc_array(arrays, shape=(n, p)), y.astype(np.int64)


def cells_part(n: int, p: int) -> dict[str, Any]:
    """Rank all genes; validate a logistic regression on the 2,000 best of each training set."""
    from fsops import operators
    from fsops.data import ExampleSet

    X, y = cells(n, p, SEED)
    table = ExampleSet.from_sparse(X, np.array(["control", "treated"])[y])
    report: dict[str, Any] = {"stored": X.nnz / n / p, "csc": (8 * X.nnz) / 1e6}
    operators.weight_by_wilcoxon(table.features(np.arange(60)))
    ranked = measured(
        lambda: operators.weight_by_wilcoxon(table, transformation="abs_statistic"), 1
    )
    report["wilcoxon"] = ranked["seconds"]
    start = time.process_time()

    def learnt(rows: ExampleSet) -> Any:
        weights = operators.weight_by_wilcoxon(rows, transformation="abs_statistic")
        best = operators.select_by_weights(rows, weights, weight_relation="top k", k=2000)
        return operators.logistic_regression(best)[0]

    found = operators.cross_validation(
        table,
        learnt,
        lambda model, t: operators.performance_classification(operators.apply_model(model, t)),
        number_of_folds=3,
    )
    report["cross_validation"] = time.process_time() - start
    report["found"] = str(found[0] if isinstance(found, tuple) else found)[:200]
    report["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    return report


def scanpy_part(n: int, p: int) -> dict[str, Any]:
    """Rank sums of fsops and of scanpy on the same cells; the statistics must agree."""
    import anndata
    import pandas as pd
    import scanpy

    from fsops.algorithms.filters.univariate import wilcoxon

    X, y = cells(n, p, SEED)
    groups = pd.DataFrame({"g": pd.Categorical(y.astype(str))}, index=np.arange(n).astype(str))
    data = anndata.AnnData(sparse.csc_matrix(X), obs=groups)

    def theirs() -> np.ndarray:
        scanpy.tl.rank_genes_groups(
            data, "g", groups=["1"], reference="rest", method="wilcoxon", tie_correct=True
        )
        found = scanpy.get.rank_genes_groups_df(data, group="1").set_index("names")
        return found.loc[data.var_names, "scores"].to_numpy()

    wilcoxon(X[:, :60], y)
    ours = measured(lambda: wilcoxon(X, y))
    rows = X.tocsr()
    from_rows = measured(lambda: wilcoxon(rows.tocsc(), y))
    peer = measured(theirs, 2)
    statistic = ours["result"].statistic
    difference = float(np.nanmax(np.abs(statistic - peer["result"])))
    return {
        "ours": ours["seconds"],
        "ours from CSR": from_rows["seconds"],
        "scanpy": peer["seconds"],
        "ratio": peer["seconds"] / ours["seconds"],
        "ratio from CSR": peer["seconds"] / from_rows["seconds"],
        "largest difference of z": difference,
        "largest z": float(np.nanmax(np.abs(statistic))),
    }


def apart(*arguments: str) -> dict[str, Any]:
    """Return what a part measures in a process of its own."""
    command = [sys.executable, __file__, "part", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def recipe() -> None:
    """Print the recipe as a process beside the script."""
    for name in SHAPES:
        script, ours = apart("recipe", name, "script"), apart("recipe", name, "process")
        allowed = 3 * ours["csr"] + 150
        print(
            f"{name}: CSR {ours['csr']:.1f} MB; script {script['seconds']:.2f} s, "
            f"{script['megabytes']:.0f} MB, balanced error {script['result']:.4f}; process "
            f"{ours['seconds']:.2f} s ({ours['seconds'] / script['seconds']:.1f} times; first run "
            f"{ours['first']:.2f} s), {ours['megabytes']:.0f} MB (allowed {allowed:.0f}), balanced "
            f"error {ours['result']:.4f}"
        )


def main() -> None:
    """Run what the command line names."""
    what = sys.argv[1] if len(sys.argv) > 1 else "recipe"
    if what == "part":
        part, *arguments = sys.argv[2:]
        sizes = [int(size) for size in arguments if size.isdigit()]
        runs: dict[str, Callable[..., dict[str, Any]]] = {
            "recipe": recipe_part,
            "cells": cells_part,
            "scanpy": scanpy_part,
        }
        print(json.dumps(runs[part](*(sizes or arguments))))
    elif what == "recipe":
        recipe()
    else:
        small = "quick" in sys.argv
        sizes = {"cells": (50_000, 20_000), "scanpy": (20_000, 5000)}[what]
        sizes = (4000, 500) if small else sizes
        print(f"{what} {sizes[0]:,} x {sizes[1]:,}")
        for name, value in apart(what, *map(str, sizes)).items():
            print(f"  {name}: {value if isinstance(value, str) else format(value, '.4g')}")


if __name__ == "__main__":
    main()
