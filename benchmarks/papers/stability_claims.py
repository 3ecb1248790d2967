"""Three claims of the thesis on stable selections, each on several splits into folds.

``python benchmarks/papers/stability_claims.py CLAIM --data DLBCL --out FOLDER``

- instance_based: instance-based filters beside Relief, mRMR, t-test and entropy; values scaled, and
  as they are;
- ensembles: Relief alone and combined over bootstraps; on all rows, and on rows drawn at random;
- priors: selections that are told genes, beside the same ones told nothing, or told as many genes
  drawn at random.

Each figure is the stability (Nogueira) of the ten training parts of a cross-validation, without any
classifier but for the priors; so there is one for each split, and its spread over the splits. With
--out the splits of a data set are kept as a JSON file. ``wrong_order`` makes tables 3.3 and 3.4 by
selections_or_classifiers.xml. ``results`` writes all that is in the folder to docs/papers.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from stability import (
    BOOTSTRAPS,
    DATA_SETS,
    FOLDS,
    INSTANCE_BASED,
    TENS,
    Data,
    add_data_option,
    best,
    check_data_option,
    combined,
    data_sets,
    drawn_relief,
    genes,
    instance_based,
    mrmr,
    predicted,
    relief,
)
from stability_tables import FOLDER, ROOT

from fsops import ExampleSet, operators as ops, read_process, run
from fsops.algorithms.base import resampling
from fsops.algorithms.neighbors import instance_based as ib
from fsops.algorithms.stability import similarity as stability
from fsops.data import AttributeWeights

CLAIMED = ROOT / "docs" / "papers" / "stability_claims.csv"
ORDERS = ROOT / "docs" / "papers" / "stability_orders.csv"
SEEDS = (2014, 2015, 2016)
COMBINED = ("WMA", "RAA", "RRA", "OFA")
SIZES = (10, 20, 50)
RANDOM_PRIORS = 5

Selection = Callable[[ExampleSet], AttributeWeights]
Split = dict[str, dict[int, list[float]]]
"""Stability, and the error if it is measured, by method and number of attributes."""


def folds(examples: ExampleSet, seed: int) -> Iterator[tuple[ExampleSet, ExampleSet]]:
    """Yield training and test rows."""
    y = examples.label_values().astype(int)
    part = resampling.partition(len(y), FOLDS, np.random.default_rng(seed), strata=y)
    for fold in range(FOLDS):
        train, test = np.flatnonzero(part != fold), np.flatnonzero(part == fold)
        yield examples.take(train), examples.take(test)


class Sets:
    """The selected attributes of all folds, by method and number."""

    def __init__(self, examples: ExampleSet) -> None:
        """Remember the names of all attributes."""
        self.names = np.array(examples.schema.regular_names, dtype=object)
        self._sets: dict[tuple[str, int], list[Any]] = {}
        self._wrong: dict[tuple[str, int], list[float]] = {}

    def add(self, method: str, size: int, order: Any) -> None:
        """Add the selection of a fold."""
        chosen = np.isin(np.arange(self.names.size), order[:size])
        self._sets.setdefault((method, size), []).append(chosen)

    def test(self, method: str, size: int, order: Any, rows: tuple[ExampleSet, ExampleSet]) -> None:
        """Add the error of a support vector machine on the test rows of a fold."""
        answer = predicted(*rows, self.names[np.sort(order[:size])])
        wrong = float((answer != rows[1].label_values().astype(int)).mean())
        self._wrong.setdefault((method, size), []).append(wrong)

    def figures(self) -> Split:
        """Return stability and error."""
        found: Split = {}
        for (method, size), sets in self._sets.items():
            line = [float(stability.nogueira(np.array(sets)).value)]
            if (method, size) in self._wrong:
                line.append(float(np.mean(self._wrong[method, size])))
            found.setdefault(method, {})[size] = line
        return found


# --- the claims ---------------------------------------------------------------------------------


def relief_as_they_are(examples: ExampleSet) -> AttributeWeights:
    """Weigh by Relief of values as they are."""
    points = ib.Points.of(
        examples.numeric(), examples.nominal(), np.zeros(examples.numeric().shape[1]), scaled=False
    )
    codes = examples.label_values().astype(np.intp)
    return examples.weights(ib.margins(points, codes).sum(axis=0))


def instance_based_filters(data: Data, seed: int) -> Split:
    """Return the stability of filters."""
    filters: dict[str, Selection] = {}
    for scaling, suffix in (("range", ""), ("none", ", as they are")):
        for short in INSTANCE_BASED:
            filters[f"IB-{short}{suffix}"] = instance_based(short, data.n(short), scaling)
    filters |= {"Relief": relief, "Relief, as they are": relief_as_they_are, "mRMR": mrmr}
    filters |= {"t-test": ops.weight_by_t_test, "Entropy": ops.weight_by_entropy}
    examples = genes(data)
    sets = Sets(examples)
    for train, _ in folds(examples, seed):
        for name, select in filters.items():
            weights = select(train)
            order = best(weights, sets.names)[: np.count_nonzero(weights.values > 0)]
            for size in TENS:
                sets.add(name, size, order)
    return sets.figures()


def ensembles(data: Data, seed: int) -> Split:
    """Return the stability of Relief alone and of what its bootstraps come to."""
    examples = genes(data)
    sets = Sets(examples)
    for train, _ in folds(examples, seed):
        for title, select in {"": relief, ", rows drawn": drawn_relief}.items():
            order = best(select(train), sets.names)
            members = ops.ensemble_of_selections(
                train, [select], iterations=BOOTSTRAPS, combination="WMA"
            ).members
            for size in TENS:
                sets.add(f"Relief{title}", size, order)
                for how in COMBINED:
                    sets.add(f"{how}{title}", size, combined(members, train, how, size))
    return sets.figures()


def priors(data: Data, seed: int) -> Split:
    """Return stability and error of selections that are told genes."""
    told: dict[str, Callable[..., AttributeWeights]] = {
        "PK-Relief": ops.pk_relief,
        "PK-mRMR": lambda t, p: ops.pk_mrmr(t, p, k=SIZES[-1], output="ranking"),
        "PK-RFE": lambda t, p: ops.pk_rfe(t, p, k=SIZES[-1], output="ranking"),
        "PS-l2AROM": lambda t, p: ops.ps_l2_arom(t, p, k=SIZES[-1], output="ranking"),
    }
    examples = genes(data)
    sets = Sets(examples)
    known = data.known.split("|")
    rng = np.random.default_rng(len(known))
    prior: dict[str, list[str]] = {"nothing": [], "known genes": known}
    for i in range(RANDOM_PRIORS):
        prior[f"random genes {i + 1}"] = rng.choice(sets.names, len(known), replace=False).tolist()
    for rows in folds(examples, seed):
        rfe = ops.select_by_svm_rfe(rows[0], k=1, fraction=0.1, output="ranking")
        _judge(sets, "RFE", best(rfe.weights, sets.names), rows)
        for title, attributes in prior.items():
            values = examples.weights(np.where(np.isin(sets.names, attributes), 10.0, 1.0))
            for name, select in told.items():
                if name == "PK-mRMR" and title[-1] in "345":  # slow
                    continue
                order = best(select(rows[0], values), sets.names)
                _judge(sets, f"{name}, {title}", order, rows)
    return sets.figures()


def _judge(sets: Sets, name: str, order: Any, rows: tuple[ExampleSet, ExampleSet]) -> None:
    for size in SIZES:
        sets.add(name, size, order)
        sets.test(name, size, order, rows)


CLAIMS = {"instance_based": instance_based_filters, "ensembles": ensembles, "priors": priors}


# --- tables 3.3 and 3.4 -------------------------------------------------------------------------

POSITIVE = {"CNS": "survived", "Leukemia": "ALL"}
LEARNERS = {"SVM": "2", "kNN": "1"}
SELECTIONS = ("CFS", "Relief", "IG", "Common", "WMA", "GAA (Kendall)", "GAA (Spearman)")
LENGTH = 50


def wrong_order(name: str, learner: str) -> dict[str, Any]:
    """Return precision, recall, F-measure and AUC, by order and method."""
    told = {"data": str(data_sets()), "file": DATA_SETS[name].file, "positive": POSITIVE[name]}
    told |= {"learner": LEARNERS[learner], "folds": str(FOLDS), "size": str(LENGTH)}
    tables = run(read_process(FOLDER / "selections_or_classifiers.xml"), macros=told)
    found: dict[str, Any] = {}
    for title, table in zip(("inside", "votes", "outside"), tables, strict=True):
        for line in table.to_pandas().to_dict("records"):
            which, *figures = line.values()
            method = which if title == "votes" else SELECTIONS[int(which) - 1]
            found.setdefault(title, {})[method] = [float(figure) for figure in figures]
    return found


# --- showing ------------------------------------------------------------------------------------


def kept(folder: Path, claim: str, name: str) -> dict[str, Any]:
    """Return the splits of a data set, making those that are not in the folder."""
    file = folder / f"claim_{claim}_{name}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    todo = list(LEARNERS) if claim == "wrong_order" else [str(seed) for seed in SEEDS]
    for key in todo:
        if key in found:
            continue
        began = time.perf_counter()
        with warnings.catch_warnings(action="ignore"):
            made = (
                wrong_order(name, key)
                if claim == "wrong_order"
                else CLAIMS[claim](DATA_SETS[name], int(key))
            )
        found[key] = json.loads(json.dumps(made))
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found), encoding="utf-8")
        print(f"{claim} {name} {key}: {time.perf_counter() - began:.0f} s", flush=True)  # noqa: T201
    return found


def lines_of(folder: Path, claim: str) -> Iterator[dict[str, str]]:
    """Yield mean and range over the splits, by data set, method and number of attributes."""
    for name in DATA_SETS:
        file = folder / f"claim_{claim}_{name}.json"
        if not file.exists():
            continue
        splits = list(json.loads(file.read_text(encoding="utf-8")).values())
        by_method: dict[str, list[Any]] = {}
        for split in splits:
            for method, curve in split.items():
                # All draws of random genes are one method.
                by_method.setdefault(method.rstrip(" 12345"), []).append(curve)
        for method, curves in by_method.items():
            for measure, size, values in _spread(claim, curves):
                figures = {"mean": values.mean(), "smallest": values.min(), "largest": values.max()}
                yield {
                    "claim": claim.replace("_", " "),
                    "data set": name,
                    "method": method,
                    "attributes": size,
                    "measure": measure,
                    "splits": str(len(splits)),
                    "figures": str(len(curves)),
                    **{key: f"{value:.4f}" for key, value in figures.items()},
                }


def _spread(claim: str, curves: list[dict[str, list[float]]]) -> Iterator[tuple[str, str, Any]]:
    """Yield measure, number of attributes, and its values on all splits."""
    if claim != "priors":
        means = [np.mean([figures[0] for figures in curve.values()]) for curve in curves]
        yield "stability", "10-100", np.array(means)
    for size in curves[0] if claim == "priors" else ["10"]:
        for i, measure in enumerate(("stability", "error")[: len(curves[0][size])]):
            yield measure, size, np.array([curve[size][i] for curve in curves])


def in_both_orders(folder: Path) -> Iterator[dict[str, str]]:
    """Yield tables 3.3 and 3.4 and what the process says, in the right and the wrong order."""
    with (FOLDER / "printed_3_2_to_3_4.csv").open(encoding="utf-8", newline="") as file:
        printed = list(csv.DictReader(file))
    for name in POSITIVE:
        stored = folder / f"claim_wrong_order_{name}.json"
        if not stored.exists():
            continue
        found = json.loads(stored.read_text(encoding="utf-8"))
        for line in printed:
            if line["data set"] != name or line["learner"] not in found:
                continue
            figures = found[line["learner"]]
            method = line["method"]
            right = figures["inside"].get(method) or figures["votes"].get(method)
            for i, measure in enumerate(("precision", "recall", "f_measure", "AUC")):
                mine, wrong = (a[i] if a else None for a in (right, figures["outside"].get(method)))
                apart = None if mine is None else mine - float(line[measure])
                yield {
                    **{key: line[key] for key in ("table", "data set", "learner", "method")},
                    "measure": measure,
                    "paper": line[measure],
                    "ours": _short(mine),
                    "difference": _short(apart),
                    "ours, selected by all rows (wrong)": _short(wrong),
                }


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def write(file: Path, lines: list[dict[str, str]]) -> None:
    """Write lines with commas, and print them."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    for line in lines:
        print(" | ".join(line.values()))  # noqa: T201


def main() -> None:
    """Make or show the figures of a claim."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("claim", choices=[*CLAIMS, "wrong_order", "results"])
    parser.add_argument("--data", nargs="*", choices=DATA_SETS, default=[])
    parser.add_argument("--out", type=Path, required=True, help="keep the figures in this folder")
    add_data_option(parser)
    given = parser.parse_args()
    if given.data:
        check_data_option(parser, given)
    if given.claim == "results":
        write(CLAIMED, [line for claim in CLAIMS for line in lines_of(given.out, claim)])
        write(ORDERS, list(in_both_orders(given.out)))
    for name in given.data:
        kept(given.out, given.claim, name)


if __name__ == "__main__":
    main()
