"""The tables of the thesis on stable selections: ``python benchmarks/papers/stability.py filters``.

Runs the processes in ``processes/papers/stability`` on the data sets of the thesis that are at hand
and prints their figures beside the printed ones, as Markdown, with the seconds of each data set.

- filters, filters_svm: tables 2.5 and 2.6; unscaled: table 2.5 by rows that are not scaled;
- hybrids: table 2.8;
- relief, mrmr, ttest, filters_combined: tables 3.5 to 3.8; drawn_relief: table 3.5 with a Relief
  that looks at rows drawn at random;
- prior, zero_norm: tables 4.2 to 4.4 and 4.8.

With --out the figures are kept as JSON files in a folder, and data sets that are there already are
taken from it; ``results`` writes all that is in the folder to docs/papers/stability.csv. The
filters take some minutes on two cores (--jobs 2); everything takes hours.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from stability_tables import FOLDER, ROOT, Figures, markdown, results

from fsops import ExampleSet, operators as ops, read_process, run
from fsops.algorithms.base import resampling
from fsops.algorithms.stability import similarity as stability
from fsops.core.frame.engine import Engine, EngineSettings
from fsops.data import AttributeWeights
from fsops.datasets import VARIABLE, data_folder
from fsops.engine.engines.registry import open_engine

RESULTS = ROOT / "docs" / "papers" / "stability.csv"
SEED = 2014
FOLDS = 10
TENS = range(10, 101, 10)
GRID = "1, 2, 4-12 by 2, 15, 17, 20-25, 27, 30-40 by 2, 45-100 by 5"
BOOTSTRAPS = 20
DRAWN = 60
NO_GENES = "split|sample_id|followup_months|row_in_96|grade|er_status"


def data_sets() -> Path:
    """Return the folder of the data sets."""
    return data_folder() or ROOT.parent / "shared" / "data"


def add_data_option(parser: argparse.ArgumentParser) -> None:
    """Let the command line name the folder of the data sets."""
    parser.add_argument("--data-dir", help=f"folder of the data sets; default: {VARIABLE}")


def check_data_option(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    """Use the named folder, or end with a sentence if there is none."""
    if given.data_dir:
        os.environ[VARIABLE] = given.data_dir
    if not data_sets().is_dir():
        parser.error(
            f'the folder of the data sets, "{data_sets()}", does not exist: name it with '
            f"--data-dir or in the environment variable {VARIABLE}"
        )


@dataclass(frozen=True)
class Data:
    """A data set: its file, what the thesis found to be the best n, and known genes."""

    file: str
    rows: int
    candidates: dict[str, dict[str, int]] = field(default_factory=dict)
    known: str = ""

    def n(self, short: str) -> int:
        """How many attributes a row proposes; 5 if the thesis does not have this data."""
        return self.candidates.get("filters", {}).get(short, 5)


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
    told = {"data": str(data_sets()), "file": data.file, "folds": str(FOLDS), **study.macros}
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
    table = ops.read_parquet(parquet_file=str(data_sets() / f"{data.file}.parquet"), label="label")
    return ops.select_attributes(
        table,
        attribute_filter_type="regular_expression",
        regular_expression=NO_GENES,
        invert_selection=True,
    )


INSTANCE_BASED = {
    "OF": "occurrence frequency",
    "WMA": "mean weight",
    "RA": "rank sum",
    "RedE": "redundancy elimination",
}


def instance_based(short: str, n: int, scaling: str = "range") -> Callable[[ExampleSet], Any]:
    """Return an instance-based filter, near by each attribute."""
    return lambda examples: ops.select_by_ib(
        examples,
        combination=INSTANCE_BASED[short],
        candidate_size=n,
        nearest_by="each attribute",
        scaling=scaling,
        output="ranking",
    )


def by_unscaled_filters(data: Data) -> Figures:
    """Return table 2.5 for instance-based filters that do not scale."""
    found = ops.compare_feature_selections(
        genes(data),
        lambda table: ops.k_nn(table, k=1),
        [instance_based(short, data.n(short), "none") for short in INSTANCE_BASED],
        method_names=[f"IB-{short}" for short in INSTANCE_BASED],
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
    return ops.weight_by_relief(
        examples,
        scaling="none",
        sampling="with replacement",
        number_of_rows=DRAWN,
        use_local_random_seed=True,
        local_random_seed=crc32(examples.numeric()[:, :10].tobytes()) % 2**31,
    )


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


ALL = (*STUDIES, "unscaled", *ENSEMBLES)


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


def shown(study: str) -> tuple[str, str]:
    """Return the printed tables of a study, and what the thesis prints of each curve."""
    if study in ENSEMBLES:
        return ENSEMBLES[study][0], "mean"
    known = STUDIES.get(study)
    return known.table if known else "2.5", "sizes" if known and not known.by_best else "best"


def stored(folder: Path, study: str) -> dict[str, Figures]:
    """Return the figures of a study that are in a folder."""
    files = {name: folder / f"{study}_{name}.json" for name in DATA_SETS}
    return {name: kept(file, dict) for name, file in files.items() if file.exists()}


def write_results(folder: Path) -> None:
    """Write all figures in a folder beside the printed ones, as a table of commas.

    Figures of an older version of fsops may be in its folder "older".
    """
    rows = {name: data.rows for name, data in DATA_SETS.items()}
    lines = []
    for study in ALL:
        present, older = (stored(place, study) for place in (folder, folder / "older"))
        older = {name: figures for name, figures in older.items() if name not in present}
        for version, found in (("present", present), ("older", older)):
            for line in results(*shown(study), found, rows):
                lines.append({"study": study, "version": version, **line})
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def main() -> None:
    """Run a study on data sets and show its figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("study", choices=[*ALL, "results"])
    parser.add_argument("--data", nargs="*", choices=DATA_SETS, help="all of the thesis if empty")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the work")
    parser.add_argument("--out", type=Path, help="keep the figures in this folder")
    add_data_option(parser)
    given = parser.parse_args()
    if given.study == "results":
        write_results(given.out)
        return
    check_data_option(parser, given)
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
        print(f"{given.study} {name}: {time.perf_counter() - began:.0f} s", flush=True)  # noqa: T201
    if engine is not None:
        engine.close()
    rows = {name: data.rows for name, data in DATA_SETS.items()}
    print(f"\n{markdown(*shown(given.study), found, rows)}\n")  # noqa: T201
    print(f"{time.perf_counter() - started:.0f} s in all")  # noqa: T201


if __name__ == "__main__":
    main()
