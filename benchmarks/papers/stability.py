"""The tables of the thesis on stable selections: ``python benchmarks/papers/stability.py filters``.

Runs the processes in ``processes/papers/stability`` on the data sets of the thesis that are at hand
and prints their figures beside the printed ones, as Markdown, with the seconds of each data set.

- filters, filters_svm: tables 2.5 and 2.6; unscaled: table 2.5 by rows that are not scaled;
- hybrids: table 2.8;
- relief, mrmr, ttest, filters_combined: tables 3.5 to 3.8; drawn_relief: table 3.5 with a Relief
  that looks at rows drawn at random;
- prior, zero_norm: tables 4.2 to 4.4 and 4.8.

With --out the figures are kept as JSON files in a folder, and data sets that are there already are
taken from it. The filters take some minutes on two cores (--jobs 2); everything takes hours.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from scipy.spatial.distance import cdist

from fsops import ExampleSet, operators as ops, read_process, run
from fsops.algorithms import instance_based, resampling, stability
from fsops.core.engine import Engine, EngineSettings
from fsops.data import AttributeWeights
from fsops.engine.engines.registry import open_engine

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "processes" / "papers" / "stability"
DATA = ROOT.parent / "shared" / "data"
SEED = 2014
FOLDS = 10
TENS = range(10, 101, 10)
GRID = "1, 2, 4-12 by 2, 15, 17, 20-25, 27, 30-40 by 2, 45-100 by 5"
BOOTSTRAPS = 20
DRAWN = 60
NO_GENES = "split|sample_id|followup_months|row_in_96|grade|er_status"

Figures = dict[str, dict[int, tuple[float, float | None]]]
"""Error and stability by method and number of attributes."""


@dataclass(frozen=True)
class Data:
    """A data set: its file, what the thesis found to be the best n, and known genes."""

    file: str
    rows: int
    candidates: dict[str, dict[str, int]] = field(default_factory=dict)
    known: str = ""


def _best_n(knn: Sequence[int], svm: Sequence[int], hybrids: Sequence[int]) -> dict[str, Any]:
    names = ("OF", "WMA", "RA", "RedE")
    return {
        "filters": dict(zip(names, knn, strict=True)),
        "filters_svm": dict(zip(names, svm, strict=True)),
        "hybrids": dict(zip(("SBS", "CSS"), hybrids, strict=True)),
    }


DATA_SETS = {
    "DLBCL": Data(
        "dlbcl_shipp",
        77,
        _best_n((2, 7, 3, 6), (4, 8, 11, 13), (9, 5)),
        known="X01060_at|X02152_at",  # transferrin receptor, lactate dehydrogenase A
    ),
    "Lymphoma": Data("lymphoma_alizadeh_45", 45, _best_n((14, 8, 8, 3), (4, 1, 1, 2), (10, 5))),
    "Prostate": Data("prostate_singh", 102, _best_n((14, 14, 15, 10), (9, 4, 9, 10), (6, 2))),
    "Breast": Data("breast_vantveer", 78, _best_n((8, 1, 2, 15), (6, 5, 12, 6), (4, 9))),
    "CNS": Data("cns_pomeroy", 60, _best_n((8, 2, 2, 5), (3, 1, 4, 9), (6, 1))),
    "Lung": Data(
        "lung_gordon",
        181,
        _best_n((2, 2, 4, 3), (1, 15, 3, 1), (8, 5)),
        # calretinin, WT1, TTF-1, EpCAM, CEA, CEACAM6, E-cadherin, surfactant B
        known="37157_at|1500_at|33754_at|575_s_at|1582_at|36105_at|977_s_at|37004_at",
    ),
    "Colon": Data("colon_alon", 62),
    "Leukemia": Data("leukemia_golub", 72),
}


# --- by processes ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Study:
    """A process, what it is told, and which table it makes."""

    process: str
    table: str
    macros: dict[str, str]
    by_best: bool = True
    """Whether the thesis prints the smallest error, or the figures at each size."""


STUDIES = {
    "filters": Study(
        "instance_based_filters.xml", "2.5", {"sizes": GRID, "most": "100", "learner": "1"}
    ),
    "filters_svm": Study(
        "instance_based_filters.xml", "2.6", {"sizes": GRID, "most": "100", "learner": "2"}
    ),
    "hybrids": Study(
        "hybrids.xml",
        "2.8",
        {
            "sizes": GRID,
            "most": "100",
            "filtered": "150",
            "proposals": "1000",
            "patience": "100",
            "inner_folds": "10",
        },
    ),
    "prior": Study(
        "prior_knowledge.xml",
        "4.2 4.3 4.4",
        {"sizes": "10-100 by 10", "most": "100", "fraction": "0.1"},
        by_best=False,
    ),
    "zero_norm": Study(
        "zero_norm.xml",
        "4.8",
        {"sizes": "10-100 by 10", "most": "100", "fraction": "0.1"},
        by_best=False,
    ),
}


def by_process(study: Study, name: str, data: Data, engine: Engine | None) -> Figures:
    """Return what the process says about a data set."""
    told = {"data": str(DATA), "file": data.file, "folds": str(FOLDS), **study.macros}
    told |= {key: str(n) for key, n in data.candidates.get(name, {}).items()}
    if data.known:
        told["known"] = data.known
    with warnings.catch_warnings(action="ignore"):
        table = run(read_process(FOLDER / study.process), macros=told, engine=engine)[0]
    frame = table.to_pandas()
    figures: Figures = {}
    for row in frame.to_dict("records"):
        error = row["classification_error"] if "accuracy" not in row else 1 - row["accuracy"]
        at = figures.setdefault(row["method"], {})
        at[int(row["attributes"])] = (error, row["nogueira"])
    return figures


# --- by operators: what shares its members, or has no operator -------------------------------


def genes(data: Data) -> ExampleSet:
    """Return a table with genes and label only."""
    table = ops.read_parquet(parquet_file=str(DATA / f"{data.file}.parquet"), label="label")
    return ops.select_attributes(
        table,
        attribute_filter_type="regular_expression",
        regular_expression=NO_GENES,
        invert_selection=True,
    )


def unscaled(how: instance_based.Combination, size: int) -> Callable[[ExampleSet], Any]:
    """Return an instance-based filter on values as they are, near by each attribute."""

    def select(examples: ExampleSet) -> AttributeWeights:
        X = examples.numeric()
        points = instance_based.Points(
            (X - X.min(axis=0)) / np.ptp(X, axis=0).max(), np.zeros(X.shape[1], dtype=bool)
        )
        codes = examples.label_values().astype(np.intp)
        found = instance_based.candidate_subsets(points, codes, size=size, nearest="each")
        order = instance_based.combine(found, how, points=points).order
        weights = np.zeros(X.shape[1])
        weights[order] = np.arange(order.size, 0, -1.0)
        return examples.weights(weights)

    return select


def by_unscaled_filters(data: Data) -> Figures:
    """Return table 2.5 for instance-based filters that do not scale."""
    combinations: dict[str, instance_based.Combination] = {
        "OF": "frequency",
        "WMA": "mean weight",
        "RA": "rank sum",
        "RedE": "redundancy",
    }
    n = data.candidates.get("filters", dict.fromkeys(combinations, 5))
    found = ops.compare_feature_selections(
        genes(data),
        lambda table: ops.k_nn(table, k=1),
        [unscaled(how, n[short]) for short, how in combinations.items()],
        method_names=[f"IB-{short}" for short in combinations],
        sizes=GRID,
        number_of_folds=FOLDS,
    )
    curves = found.curves
    return {
        name: {
            int(size): (float(curves.mean[i, j]), float(curves.stability[i, j]))
            for j, size in enumerate(curves.sizes)
        }
        for i, name in enumerate(curves.methods)
    }


COMBINATIONS = ("RAA", "WMA", "CLA", "CAA", "RRA", "OFA")


def relief(examples: ExampleSet) -> AttributeWeights:
    """Weigh by Relief."""
    return ops.weight_by_relief(examples)


def drawn_relief(examples: ExampleSet) -> AttributeWeights:
    """Weigh by Relief of values as they are and of rows drawn with replacement.

    This is what the printed stabilities suggest. Copies of a row are not its neighbours.
    """
    X, y = examples.numeric(), examples.label_values()
    distance = cdist(X, X, "cityblock")
    same = y[:, None] == y
    hits = np.where(same & (distance > 0), distance, np.inf).argmin(axis=1)
    misses = np.where(same, np.inf, distance).argmin(axis=1)
    drawn = np.random.default_rng(crc32(X[:, :10].tobytes())).integers(0, len(y), DRAWN)
    margins = np.abs(X - X[misses])[drawn] - np.abs(X - X[hits])[drawn]
    return examples.weights(margins.sum(axis=0))


def mrmr(examples: ExampleSet) -> AttributeWeights:
    """Rank the best hundred by mRMR."""
    return ops.select_by_mrmr_cfs(examples, k=100, measure="mutual information", output="ranking")


FILTERS = {"Relief": relief, "mRMR": mrmr, "t-test": ops.weight_by_t_test}
ENSEMBLES = {
    "relief": ("3.5", {"base": relief}),
    "drawn_relief": ("3.5", {"base": drawn_relief}),
    "mrmr": ("3.6", {"base": mrmr}),
    "ttest": ("3.7", {"base": ops.weight_by_t_test}),
    "filters_combined": ("3.8", FILTERS),
}


def predicted(train: ExampleSet, test: ExampleSet, names: Sequence[str]) -> Any:
    """Return the classes that a linear support vector machine predicts, as codes."""
    model = ops.support_vector_machine(train.select_regular(names)).model
    answer = model.apply(test.select_regular(names))
    return answer.column(f"prediction({answer.label.name})").astype(int)


def by_ensembles(filters: dict[str, Callable[..., Any]], data: Data) -> Figures:
    """Return tables 3.5 to 3.8: members once for each fold, lists as long as the selection."""
    examples = genes(data)
    names = np.array(examples.schema.regular_names, dtype=object)
    y = examples.label_values().astype(int)
    part = resampling.partition(len(y), FOLDS, np.random.default_rng(SEED), strata=y)
    wrong: dict[tuple[str, int], list[float]] = {}
    sets: dict[tuple[str, int], list[Any]] = {}
    for fold in range(FOLDS):
        train, test = (
            examples.take(np.flatnonzero(part == fold if t else part != fold)) for t in (0, 1)
        )
        truth = y[part == fold]
        members = ops.ensemble_of_selections(
            train,
            list(filters.values()),
            iterations=BOOTSTRAPS if len(filters) == 1 else 1,
            combination="WMA",
            use_absolute_weights=False,
        ).members
        alone = {name: best(select(train), names) for name, select in filters.items()}
        lists = [best(member, names) for member in members]
        for size in TENS:
            chosen = {name: order[:size] for name, order in alone.items()}
            chosen |= {how: combined(members, train, how, size) for how in COMBINATIONS}
            for name, order in chosen.items():
                sets.setdefault((name, size), []).append(np.isin(np.arange(len(names)), order))
                answer = predicted(train, test, names[np.sort(order)])
                wrong.setdefault((name, size), []).append(float((answer != truth).mean()))
            votes = [predicted(train, test, names[np.sort(order[:size])]) for order in lists]
            counts = np.stack([np.equal(votes, c).sum(axis=0) for c in range(y.max() + 1)])
            wrong.setdefault(("ECA", size), []).append(
                float((counts.argmax(axis=0) != truth).mean())
            )
    figures: Figures = {}
    for (name, size), errors in wrong.items():
        agreed = stability.nogueira(np.array(sets[name, size])).value if name != "ECA" else None
        figures.setdefault(name, {})[size] = (float(np.mean(errors)), agreed)
    return figures


def best(weights: AttributeWeights, names: Sequence[str]) -> Any:
    """Return the attributes from best to worst."""
    values = AttributeWeights.stack([weights], tuple(names))[1][0]
    return np.argsort(-values, kind="stable")


def combined(members: Any, train: ExampleSet, how: str, size: int) -> Any:
    """Return the attributes that a combination of lists of this length selects."""
    weights = ops.aggregate_weights(
        list(members),
        train,
        combination=how,
        list_length=size,
        keep_best=size,
        ranks="truncated",
        use_absolute_weights=False,
    )
    return np.argsort(weights.details["rank"], kind="stable")[:size]


# --- beside the print -----------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """Error, number of attributes and stability of a method; what is not known is None."""

    error: float | None
    number: int | None
    stability: float | None

    def __str__(self) -> str:
        """Return it as it stands in a table."""
        shown = [_short(self.error), str(self.number or ""), _short(self.stability)]
        return " / ".join(part for part in shown if part)


def _short(value: float | None, sign: str = "") -> str:
    return "" if value is None else f"{value:{sign}.3f}".replace("0.", ".", 1)


def printed(tables: str, sizes: bool) -> dict[tuple[str, str, int], Cell]:
    """Return the printed figures of some tables, by data set, method, and size if asked for."""
    with (FOLDER / "printed.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["table"] in tables.split()]
    cells = {}
    for row in rows:
        error, agreed = (float(row[k]) if row[k] else None for k in ("error", "stability"))
        number = int(row["attributes"] or 0)
        key = row["data set"], row["method"], number if sizes else 0
        cells[key] = Cell(error, None if sizes else number, agreed)
    return cells


def ours(at: dict[int, tuple[float, float | None]], kind: str, size: int) -> Cell:
    """Return a cell as the thesis has it: at a size, at the smallest error, or the mean."""
    if kind == "mean":
        known = [s for _, s in at.values() if s is not None]
        mean = float(np.mean(known)) if known else None
        return Cell(float(np.mean([e for e, _ in at.values()])), None, mean)
    found = size or min(at, key=lambda k: (round(at[k][0], 12), k))
    return Cell(at[found][0], None if size else found, at[found][1])


def difference(theirs: Cell, mine: Cell, rows: int) -> str:
    """Return ours minus theirs; in bold what is more than chance allows."""
    if theirs.error is None or mine.error is None:
        return ""
    limits = max(0.04, 2 * (theirs.error * (1 - theirs.error) / rows) ** 0.5)
    parts = [(mine.error - theirs.error, limits)]
    if theirs.stability is not None and mine.stability is not None:
        parts.append((mine.stability - theirs.stability, 0.12 if rows >= 60 else 0.20))
    shown = [(_short(apart, "+"), abs(apart) > limit) for apart, limit in parts]
    return " / ".join(f"**{text}**" if far else text for text, far in shown)


def markdown(tables: str, kind: str, found: dict[str, Figures]) -> str:
    """Return three lines for each data set: the paper, ours, and the difference."""
    text = printed(tables, kind == "sizes")
    methods = list(dict.fromkeys(method for figures in found.values() for method in figures))
    lines = [f"| | | {' | '.join(methods)} |", "|---" * (len(methods) + 2) + "|"]
    for name, figures in found.items():
        sizes = sorted(next(iter(figures.values()))) if kind == "sizes" else [0]
        for size in sizes:
            theirs = [text.get((name, method, size), Cell(None, None, None)) for method in methods]
            mine = [ours(figures[method], kind, size) for method in methods]
            apart = [
                difference(a, b, DATA_SETS[name].rows) for a, b in zip(theirs, mine, strict=True)
            ]
            title = f"{name}, {size}" if size else name
            for first, kind_of_line, cells in (
                (title, "paper", theirs),
                ("", "ours", mine),
                ("", "difference", apart),
            ):
                lines.append(f"| {first} | {kind_of_line} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def measured(name: str, data: Data, engine: Engine | None) -> Figures:
    """Return the figures of a study on a data set."""
    if name in ENSEMBLES:
        with warnings.catch_warnings(action="ignore"):
            return by_ensembles(ENSEMBLES[name][1], data)
    if name == "unscaled":
        return by_unscaled_filters(data)
    return by_process(STUDIES[name], name, data, engine)


def kept(file: Path | None, make: Callable[[], Figures]) -> Figures:
    """Return figures from a file, or make them and write the file."""
    if file is not None and file.exists():
        stored = json.loads(file.read_text(encoding="utf-8"))
        return {m: {int(k): tuple(v) for k, v in at.items()} for m, at in stored.items()}
    figures = make()
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(figures), encoding="utf-8")
    return figures


def main() -> None:
    """Run a study on data sets and show its figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("study", choices=[*STUDIES, *ENSEMBLES, "unscaled"])
    parser.add_argument("--data", nargs="*", choices=DATA_SETS, help="all of the thesis if empty")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the work")
    parser.add_argument("--out", type=Path, help="keep the figures in this folder")
    given = parser.parse_args()
    known_only = given.study in ("prior", "zero_norm")
    names = given.data or [
        name for name, d in DATA_SETS.items() if d.candidates and (d.known or not known_only)
    ]
    settings = EngineSettings(jobs=given.jobs)
    engine = open_engine("processes", settings) if given.jobs > 1 else None
    found, started = {}, time.perf_counter()
    for name in names:
        began = time.perf_counter()
        file = given.out / f"{given.study}_{name}.json" if given.out else None
        data = DATA_SETS[name]
        found[name] = kept(file, lambda d=data: measured(given.study, d, engine))
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)  # noqa: T201
    if engine is not None:
        engine.close()
    study = STUDIES.get(given.study)
    tables = study.table if study else ENSEMBLES.get(given.study, ("2.5", {}))[0]
    kind = (
        "mean"
        if given.study in ENSEMBLES
        else "best"
        if study is None or study.by_best
        else "sizes"
    )
    print(f"\n{markdown(tables, kind, found)}\n")  # noqa: T201
    print(f"{time.perf_counter() - started:.0f} s in all")  # noqa: T201


if __name__ == "__main__":
    main()
