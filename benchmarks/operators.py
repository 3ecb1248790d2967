"""How fast operators are, as users call them, at shapes drawn at random.

``python benchmarks/operators.py`` has an entry for each operator: a peer, and a goal for the worst
shape. Tables have 10^6 values or more, from 30 to 100,000 rows and from 50 to 1,000,000 attributes;
they are stored by rows or by columns, in double or single precision, with or without missing
values. Peer and operator take turns on one thread, and the best CPU time of each counts; the table
is made before. Exits with 1 if a goal is missed or results differ. A new seed is drawn and printed
unless one is given. See README.md.
"""

from __future__ import annotations

import argparse
import importlib
import re
import secrets
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np
from race import race
from threadpoolctl import threadpool_limits

from fsops import ExampleSet, operators

ROWS, ATTRIBUTES = (30, 100_000), (50, 1_000_000)
LEAST_VALUES = 1_000_000


# --- tables ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """Size and storage of a table."""

    rows: int
    attributes: int
    order: str
    dtype: str
    missing: bool

    def __str__(self) -> str:
        storage = "rows" if self.order == "C" else "columns"
        holes = ", missing values" if self.missing else ""
        return f"{self.rows} × {self.attributes} by {storage}, {self.dtype}{holes}"


def drawn_shapes(
    rng: np.random.Generator, count: int, most_values: int, takes: Callable[[Shape], bool]
) -> Iterator[Shape]:
    """Shapes with sizes uniform in their logarithms; storage and missing values by turns."""
    number = 0
    while number < count:
        n, p = (int(np.exp(rng.uniform(*np.log(ends)))) for ends in (ROWS, ATTRIBUTES))
        dtype = "float32" if number % 3 == 2 else "float64"
        shape = Shape(n, p, "CF"[number % 2], dtype, number % 4 == 2)
        complete = replace(shape, missing=False)
        if LEAST_VALUES <= n * p <= most_values and takes(complete):
            number += 1
            yield shape if takes(shape) else complete


@dataclass(frozen=True)
class Table:
    """A generated table, as arrays for the peer and as an `ExampleSet` for the operator."""

    shape: Shape
    seed: int

    @cached_property
    def y(self) -> np.ndarray:
        """Class of each row, 0 or 1."""
        return np.random.default_rng(self.seed).permutation(np.arange(self.shape.rows) % 5 < 2) * 1

    @cached_property
    def target(self) -> np.ndarray:
        """A number for each row that depends on the first attribute."""
        noise = np.random.default_rng(self.seed + 1).standard_normal(self.shape.rows)
        return self.X[:, 0] + noise

    @cached_property
    def X(self) -> np.ndarray:
        """Complete values like gene expression; every tenth attribute is rounded.

        In double precision for the peer, whose results have few right digits otherwise.
        """
        n, p = self.shape.rows, self.shape.attributes
        rng = np.random.default_rng(self.seed + 2)
        X = rng.standard_normal((n, p))
        X[:, ::10] = X[:, ::10].round(1)
        informative = rng.choice(p, 25, replace=False)
        X[:, informative] += rng.standard_normal(25) * self.y[:, None]
        X *= rng.uniform(0.5, 2.0, p)
        X += rng.uniform(4, 10, p)
        return np.asarray(X.astype(self.shape.dtype), dtype=np.float64, order=self.shape.order)

    @cached_property
    def holes(self) -> np.ndarray:
        """Attributes with missing values: a fourth of them, if any."""
        return np.arange(self.shape.attributes) % 4 == 1 if self.shape.missing else np.empty(0, int)

    @cached_property
    def given(self) -> np.ndarray:
        """The values as users have them, with one in fifty missing in some attributes."""
        if not self.shape.missing:
            return self.X.astype(self.shape.dtype, copy=False)
        rng = np.random.default_rng(self.seed + 3)
        X = self.X.copy(order="K")
        part = X[:, self.holes]
        part[rng.random(part.shape) < 0.02] = np.nan
        X[:, self.holes] = part
        return X.astype(self.shape.dtype, copy=False)

    @cached_property
    def classes(self) -> ExampleSet:
        """The table with two classes."""
        return ExampleSet.from_numpy(self.given, np.array(["no", "yes"])[self.y])

    @cached_property
    def numbers(self) -> ExampleSet:
        """The table with a numerical label."""
        return ExampleSet.from_numpy(self.given, self.target.astype(np.float64))

    @property
    def pairwise(self) -> dict[str, str]:
        """The parameter that allows missing values."""
        return {"missing": "pairwise"} if self.shape.missing else {}


# --- entries --------------------------------------------------------------------------------------

Results = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Entry:
    """An operator, its peer, and the least ratio of their times at the worst shape."""

    name: str
    peer_name: str
    package: str
    operator: Callable[[Table], Any]
    peer: Callable[[Table, slice], Results]
    """Results for some of the attributes; the complete values are given to it."""
    results: Callable[[Any], Results]
    """What is compared of an operator's result; not timed."""
    goal: float
    rtol: tuple[float, ...] = (1e-9,)
    atol: tuple[float, ...] = (1e-9,)
    attributes_of_peer: int | None = None
    """Attributes the peer is timed on; its time is scaled up. None for all."""
    most_work: float = np.inf
    """Largest rows² × attributes, for methods that compare all pairs of rows."""
    most_values: float = np.inf
    """Largest rows × attributes, for peers that take minutes for more."""
    missing: bool = True
    """Whether the operator takes tables with missing values."""
    most_missing: float = np.inf
    """Most rows of tables with missing values, for peers that compare such rows pair by pair."""
    same: Callable[[Table, Results, Results], None] = field(default=None)  # type: ignore[assignment]
    """Check in place of comparing numbers within the tolerances."""

    def takes(self, shape: Shape) -> bool:
        work = float(shape.rows) ** 2 * shape.attributes
        fits = work <= self.most_work and shape.rows * shape.attributes <= self.most_values
        return fits and (not shape.missing or (self.missing and shape.rows <= self.most_missing))

    def check(self, table: Table, theirs: Results, ours: Results) -> None:
        """Raise AssertionError if the results differ where nothing is missing."""
        some = len(theirs[0])
        # The F of scikit-learn may be below 0, with an unknown p.
        known = ~np.isnan(theirs[-1])
        if table.shape.missing:
            known &= ~table.holes[:some]
        for their, our, rtol, atol in zip(theirs, ours, self.rtol, self.atol, strict=True):
            np.testing.assert_allclose(our[:some][known], their[known], rtol=rtol, atol=atol)


def detail(*names: str) -> Callable[[Any], Results]:
    return lambda weights: tuple(np.asarray(weights.details[name]) for name in names)


def with_p(weights: Any) -> Any:
    """Read the p-values, which are computed at the first read."""
    weights.details["p_value"]
    return weights


def weights_only(weights: Any) -> Results:
    return (np.asarray(weights.values),)


def split(table: Table, some: slice) -> tuple[np.ndarray, np.ndarray]:
    X = table.X[:, some]
    return X[table.y == 1], X[table.y == 0]


def welch(table: Table, some: slice) -> Results:
    from scipy.stats import ttest_ind

    found = ttest_ind(*split(table, some), equal_var=False)
    return found.statistic, found.pvalue


def f_test(table: Table, some: slice) -> Results:
    from sklearn.feature_selection import f_classif

    return f_classif(table.X[:, some], table.y)


def textbook_sam(table: Table, some: slice) -> Results:
    a, b = split(table, some)
    mean_a, mean_b = a.mean(axis=0), b.mean(axis=0)
    ss = ((a - mean_a) ** 2).sum(axis=0) + ((b - mean_b) ** 2).sum(axis=0)
    factor = (1 / len(a) + 1 / len(b)) / (len(a) + len(b) - 2)
    return ((mean_a - mean_b) / (0.1 + np.sqrt(factor * ss)),)


def pearson(table: Table, some: slice) -> Results:
    from sklearn.feature_selection import r_regression

    return (r_regression(table.X[:, some], table.target),)


def mann_whitney(table: Table, some: slice) -> Results:
    from scipy.stats import mannwhitneyu

    found = mannwhitneyu(*split(table, some), axis=0, method="asymptotic", use_continuity=False)
    return (found.pvalue,)


def area(table: Table, some: slice) -> Results:
    from scipy.stats import mannwhitneyu

    ones, zeros = split(table, some)
    found = mannwhitneyu(ones, zeros, axis=0, method="asymptotic", use_continuity=False)
    return (found.statistic / (len(ones) * len(zeros)),)


def mutual_information(table: Table, some: slice) -> Results:
    from sklearn.feature_selection import mutual_info_classif

    return (mutual_info_classif(table.X[:, some], table.y, random_state=0),)


def same_information(table: Table, theirs: Results, ours: Results) -> None:
    """Compare with the same bins counted by scikit-learn: its default estimates by neighbors."""
    from sklearn.feature_selection import mutual_info_classif

    from fsops.algorithms.preparation import discretize

    X = table.given[:, : len(theirs[0])].astype(np.float64)
    bins = discretize.equal_frequency(X, 10).apply(X)
    expected = mutual_info_classif(bins + 1, table.y, discrete_features=True) / np.log(2)
    known = ~np.isnan(X).any(axis=0)
    np.testing.assert_allclose(ours[0][: known.size][known], expected[known], rtol=1e-9, atol=1e-12)


def fast_relieff(table: Table, some: slice) -> Results:
    from fast_select import ReliefF

    model = ReliefF(n_neighbors=10, n_features_to_select=10, backend="cpu", n_jobs=1)
    return (model.fit(table.X[:, some], table.y).feature_importances_,)


def our_welch(weight: str) -> Callable[[Table, slice], Results]:
    """Our Welch test, as a peer of tests that should take about its time."""

    def peer(table: Table, some: slice) -> Results:
        found = operators.weight_by_welch_test(
            table.classes, transformation=weight, **table.pairwise
        )
        return (np.asarray(found.values),)

    return peer


def same_moderated(table: Table, theirs: Results, ours: Results) -> None:
    """Compare with the linear model of each attribute in place of moments of the classes."""
    from fsops.algorithms.filters.moderated import moderated
    from fsops.algorithms.statistics.linear_fits import design_fits, orthonormal_design

    design = orthonormal_design(np.zeros((len(table.y), 0)), table.y[:, None])
    scores = moderated(design_fits(table.given, design))
    np.testing.assert_allclose(ours[0], scores.statistic, rtol=1e-6, atol=1e-8)


def rebate_multisurf(table: Table, some: slice) -> Results:
    from skrebate import MultiSURF

    model = MultiSURF(categorical_features=[], n_jobs=1)
    X = table.given[:, some].astype(np.float64)
    return (model.fit(X, table.y).feature_importances_,)


def same_with_missing(table: Table, theirs: Results, ours: Results) -> None:
    """Compare all attributes: the peer leaves missing values out in the same way."""
    np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=1e-10)


def our_mrmr(table: Table, some: slice) -> Results:
    """Our MRMR by mutual information, as a peer of criteria that should take about its time."""
    found = operators.select_by_mrmr_cfs(
        table.classes, k=SELECTED, measure="mutual information", criterion="difference"
    )
    return (np.asarray(found.values),)


def same_joint(criterion: Any) -> Callable[[Table, Results, Results], None]:
    """Compare with the numpy twin of the kernel and the search that is not lazy."""

    def same(table: Table, theirs: Results, ours: Results) -> None:
        from fsops.algorithms.mrmr.joint import JointInformation, select_jointly
        from fsops.algorithms.preparation.discretize import frequency_codes

        codes = frequency_codes(table.given, 3)
        plain = JointInformation(codes, table.y, criterion, columns=0)
        order = select_jointly(plain, SELECTED, lazy=False).order
        np.testing.assert_array_equal(np.flatnonzero(ours[0]), np.sort(order))

    return same


SELECTED = 30
ENTRIES = (
    Entry(
        "Weight by Welch Test",
        "scipy ttest_ind",
        "scipy",
        lambda t: operators.weight_by_welch_test(t.classes, **t.pairwise),
        welch,
        detail("statistic", "p_value"),
        goal=3,
        rtol=(1e-8, 1e-7),
        atol=(1e-8, 1e-300),
    ),
    *(
        Entry(
            f"Moderated t, {title}",
            "our Welch test",
            "fsops",
            lambda t, weight=weight: operators.weight_by_moderated_t(
                t.classes, transformation=weight, **t.pairwise
            ),
            our_welch(weight),
            detail("statistic"),
            goal=1 / 1.3,
            same=same_moderated,
        )
        for title, weight in (("1 - p", "one_minus_p"), ("size of t", "abs_statistic"))
    ),
    Entry(
        "Weight by F-Test",
        "sklearn f_classif",
        "sklearn",
        lambda t: operators.weight_by_f_test(t.classes, **t.pairwise),
        f_test,
        detail("statistic", "p_value"),
        goal=2.5,
        rtol=(1e-6, 1e-5),
        atol=(1e-8, 1e-300),
    ),
    Entry(
        "F-Test, p-values read",
        "sklearn f_classif",
        "sklearn",
        lambda t: with_p(operators.weight_by_f_test(t.classes, **t.pairwise)),
        f_test,
        detail("statistic", "p_value"),
        goal=2.5,
        rtol=(1e-6, 1e-5),
        atol=(1e-8, 1e-300),
    ),
    Entry(
        "Weight by SAM",
        "textbook numpy",
        "numpy",
        lambda t: operators.weight_by_sam(t.classes, **t.pairwise),
        textbook_sam,
        detail("statistic"),
        goal=4,
        atol=(1e-10,),
    ),
    Entry(
        "Weight by Correlation",
        "sklearn r_regression",
        "sklearn",
        lambda t: operators.weight_by_correlation(t.numbers, **t.pairwise),
        pearson,
        detail("statistic"),
        goal=2,
        rtol=(1e-7,),
        atol=(1e-10,),
    ),
    Entry(
        "Weight by Wilcoxon Test",
        "scipy mannwhitneyu",
        "scipy",
        lambda t: operators.weight_by_wilcoxon(t.classes, **t.pairwise),
        mann_whitney,
        detail("p_value"),
        goal=6,
        atol=(1e-300,),
    ),
    Entry(
        "Weight by AUC",
        "scipy mannwhitneyu",
        "scipy",
        lambda t: operators.weight_by_auc(t.classes, **t.pairwise),
        area,
        detail("statistic"),
        goal=6,
        rtol=(1e-14,),
        atol=(0,),
    ),
    Entry(
        "Weight by Mutual Inf.",
        "sklearn mutual_info_classif",
        "sklearn",
        lambda t: operators.weight_by_mutual_information(t.classes, **t.pairwise),
        mutual_information,
        weights_only,
        goal=100,
        attributes_of_peer=20,
        same=same_information,
    ),
    Entry(
        "Weight by ReliefF",
        "fast_select ReliefF",
        "fast_select",
        lambda t: operators.weight_by_relieff(t.classes),
        fast_relieff,
        weights_only,
        goal=2,
        rtol=(1e-5,),
        # The peer sums in single precision and may take another of two near neighbors.
        atol=(5e-4,),
        most_work=1e9,
        missing=False,  # the peer takes none, and the distances of all attributes depend on them
    ),
    Entry(
        "Weight by MultiSURF",
        "skrebate MultiSURF",
        "skrebate",
        lambda t: operators.weight_by_multisurf(t.classes),
        rebate_multisurf,
        weights_only,
        goal=300,
        most_work=5e9,
        most_missing=1000,
        most_values=2e6,
        same=same_with_missing,
    ),
    *(
        Entry(
            f"Select by {criterion.upper()}",
            "our MRMR",
            "fsops",
            lambda t, c=criterion: operators.select_by_jmi_cmim(t.classes, k=SELECTED, criterion=c),
            our_mrmr,
            weights_only,
            goal=0.5,
            missing=False,
            same=same_joint(criterion),
        )
        for criterion in ("jmi", "cmim")
    ),
)


# --- measuring ------------------------------------------------------------------------------------


def ratio_at(entry: Entry, table: Table, rounds: int) -> float:
    """Time of the peer divided by that of the operator; results are compared."""
    p = table.shape.attributes
    some = slice(0, min(p, entry.attributes_of_peer or p))
    runs = [lambda: entry.peer(table, some), lambda: entry.operator(table)]
    (theirs, ours), results = race(runs, rounds)
    compare = entry.same or entry.check
    compare(table, results[0], entry.results(results[1]))
    return theirs / ours * p / some.stop


def measured(
    chosen: list[Entry], plan: dict[Shape, list[Entry]], seed: int, rounds: int, verbose: bool
) -> dict[str, dict[Shape, float]]:
    """Ratios of each entry by shape, one table after the other; NaN where results differ."""
    ratios: dict[str, dict[Shape, float]] = {entry.name: {} for entry in chosen}
    for number, (shape, entries) in enumerate(plan.items()):
        table = Table(shape, seed + 10 * number)
        for entry in entries:
            try:
                ratio = ratio_at(entry, table, rounds)
            except AssertionError as error:
                print(f"{entry.name}: different results at {shape}\n{error}", flush=True)
                ratio = np.nan
            ratios[entry.name][shape] = ratio
            if verbose:
                print(f"    {ratio:7.1f}  {entry.name}, {shape}", flush=True)
    return ratios


def report(entry: Entry, ratios: dict[Shape, float]) -> bool:
    """Print the row of one entry; whether its goal is reached at every shape."""
    values = np.array(list(ratios.values()))
    worst = list(ratios)[int(np.argmin(values))]  # the first NaN, if there is one
    reached = bool((values >= entry.goal).all())
    figures = f"{values.min():7.1f} {np.median(values):7.1f} {values.max():7.1f}"
    missed = "" if reached else "  MISSED"
    name = f"{entry.name:24} {entry.peer_name:27}"
    print(f"{name} {figures}  ≥ {entry.goal:<5g} {len(values):3}  {worst}{missed}", flush=True)
    return reached


def given_shape(text: str) -> Shape:
    """A shape such as 5000x200, or 300x4000m with missing values."""
    found = re.fullmatch(r"(\d+)x(\d+)(m?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f'"{text}" is not like 5000x200 or 300x4000m.')
    return Shape(int(found[1]), int(found[2]), "C", "float64", bool(found[3]))


def planned(entries: list[Entry], seed: int, count: int, most: int) -> dict[Shape, list[Entry]]:
    """Which entries are measured at which shapes; those without limits share their shapes."""
    plan: dict[Shape, list[Entry]] = {}
    for entry in entries:
        for shape in drawn_shapes(np.random.default_rng(seed), count, most, entry.takes):
            plan.setdefault(shape, []).append(entry)
    return plan


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seed", type=int, default=None, help="of shapes and values; a new one if not given"
    )
    parser.add_argument("--shapes", type=int, default=8, help="number of shapes")
    parser.add_argument(
        "--values", type=float, default=2e7, help="largest number of values of a table"
    )
    parser.add_argument(
        "--at",
        nargs="+",
        type=given_shape,
        help="these shapes in place of drawn ones, as 5000x200, or 300x4000m with missing values",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="at most 5e6 values and 3 rounds")
    parser.add_argument("--only", default="", help="entries whose name contains this text")
    parser.add_argument("--verbose", action="store_true", help="print the ratio at every shape")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    most, rounds = (5e6, 3) if options.quick else (options.values, options.rounds)
    drawn = f"--shapes {options.shapes} --values {most:g}"
    print(f"--seed {seed} {'given shapes' if options.at else drawn}, {rounds} rounds")
    chosen = [entry for entry in ENTRIES if options.only.lower() in entry.name.lower()]
    for entry in chosen:
        if find_spec(entry.package) is None:
            print(f"{entry.name}: {entry.package} is not installed")
    chosen = [entry for entry in chosen if find_spec(entry.package) is not None]
    if find_spec("numba") is not None:
        # Half a second once per process; from then on kernels take medium jobs, too.
        importlib.import_module("numba")
    if options.at:
        plan = {shape: chosen for shape in options.at}
    else:
        plan = planned(chosen, seed, options.shapes, int(most))
    with threadpool_limits(1):
        ratios = measured(chosen, plan, seed, rounds, options.verbose)
    columns = f"{'worst':>7} {'median':>7} {'best':>7}  {'goal':7} {'shapes':3} worst shape"
    print(f"{'operator':24} {'peer':27} {columns}")
    reached = [report(entry, ratios[entry.name]) for entry in chosen]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
