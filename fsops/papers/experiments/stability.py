"""Ben Brahim (2015): Stable and efficient feature selection methods for high dimensional data.

The thesis prints the smallest error over all numbers of attributes *on the test rows*. Tables 2.5,
2.6 and 2.8 repeat that for comparison; such errors are optimistic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from fsops.data import Collection, ExampleSet
from fsops.datasets import dataset
from fsops.papers.catalogue import GENES
from fsops.papers.experiments.ensembles import SIZE_NAME, measure_ensembles
from fsops.papers.setting import Setting
from fsops.papers.values import Key, Measured

FIRST_SEED = 2014
SPLITS = 3
GRID = "1, 2, 4-12 by 2, 15, 17, 20-25, 27, 30-40 by 2, 45-100 by 5"
TENS = "10-100 by 10"
SIGNIFICANT = 0.05
SMALLEST = "lymphoma"
"""Used by quick runs where the thesis does not need known genes."""

Curve = Mapping[int, tuple[float, float]]
"""Error and stability by number of attributes."""

PROPOSALS: dict[str, dict[str, tuple[int, ...]]] = {
    "table_2_5": {
        "dlbcl": (2, 7, 3, 6),
        "lymphoma": (14, 8, 8, 3),
        "prostate": (14, 14, 15, 10),
        "breast": (8, 1, 2, 15),
        "cns": (8, 2, 2, 5),
        "lung": (2, 2, 4, 3),
    },
    "table_2_6": {
        "dlbcl": (4, 8, 11, 13),
        "lymphoma": (4, 1, 1, 2),
        "prostate": (9, 4, 9, 10),
        "breast": (6, 5, 12, 6),
        "cns": (3, 1, 4, 9),
        "lung": (1, 15, 3, 1),
    },
    "table_2_8": {
        "dlbcl": (9, 5),
        "lymphoma": (10, 5),
        "prostate": (6, 2),
        "breast": (4, 9),
        "cns": (6, 1),
        "lung": (8, 5),
    },
}
"""Attributes that a row proposes, by table and data set: the best numbers of the thesis."""
PROPOSAL_MACROS = {
    "table_2_5": ("OF", "WMA", "RA", "RedE"),
    "table_2_6": ("OF", "WMA", "RA", "RedE"),
    "table_2_8": ("SBS", "CSS"),
}
KNOWN_GENES = {
    # Transferrin receptor, lactate dehydrogenase A.
    "dlbcl": "X01060_at|X02152_at",
    # Calretinin, WT1, TTF-1, EpCAM, CEA, CEACAM6, E-cadherin, surfactant B.
    "lung": "37157_at|1500_at|33754_at|575_s_at|1582_at|36105_at|977_s_at|37004_at",
}


@dataclass(frozen=True)
class Claim:
    """A measure of some methods exceeds that of others, on average over the data sets."""

    larger: tuple[str, ...]
    smaller: tuple[str, ...]
    measure: str = "stability"
    attributes: str = ""

    @property
    def title(self) -> str:
        """Name in the tables."""
        return f"{', '.join(self.larger)} − {', '.join(self.smaller)}"


@dataclass(frozen=True)
class Study:
    """A process, its macros in a complete and in a quick run, and the claims of the thesis."""

    process: str
    macros: Mapping[str, str]
    quick: Mapping[str, str]
    smallest_error: bool
    """Whether the thesis prints the smallest error, or the values at each size."""
    claims: tuple[Claim, ...] = ()
    data: tuple[str, ...] = field(default=GENES)


VOTE_IS_BETTER = Claim(("base",), ("ECA",), "error", SIZE_NAME)
LIST_LENGTH = 50
"""Length of the lists of tables 3.3 and 3.4; the thesis does not print it."""
SELECTIONS = ("CFS", "Relief", "IG", "Common", "WMA", "GAA (Kendall)", "GAA (Spearman)")
VOTES = ("majority", "average", "product", "maximum", "minimum")
LEARNERS = (("SVM", 2), ("kNN", 1))
MEASURES = ("precision", "recall", "f_measure", "AUC")
WRONG_ORDER = ", selected by all rows (wrong)"

FILTERS_ARE_STABLE = tuple(
    Claim((filter_name,), (other,))
    for filter_name in ("IB-WMA", "IB-RA")
    for other in ("Relief", "mRMR")
)
STUDIES = {
    "table_2_5": Study(
        "instance_based_filters",
        {"sizes": GRID, "most": "100", "learner": "1"},
        {"sizes": "10, 20", "most": "20", "learner": "1"},
        smallest_error=True,
        claims=FILTERS_ARE_STABLE,
    ),
    "table_2_6": Study(
        "instance_based_filters",
        {"sizes": GRID, "most": "100", "learner": "2"},
        {"sizes": "10, 20", "most": "20", "learner": "2"},
        smallest_error=True,
        claims=FILTERS_ARE_STABLE,
    ),
    "table_2_8": Study(
        "hybrids",
        {
            "sizes": GRID,
            "most": "100",
            "filtered": "150",
            "proposals": "1000",
            "patience": "100",
            "inner_folds": "10",
        },
        {"sizes": "5, 10", "most": "10"},
        smallest_error=True,
        claims=(Claim(("HIB-CSS",), ("HIB-SBS",)),),
    ),
    "tables_4_2_to_4_4": Study(
        "prior_knowledge",
        {"sizes": TENS, "most": "100", "fraction": "0.1"},
        {"sizes": "10", "most": "10", "fraction": "0.5"},
        smallest_error=False,
        claims=tuple(
            Claim((f"PK-{name}",), (name,), attributes="10") for name in ("Relief", "mRMR", "RFE")
        ),
        data=("dlbcl", "lung"),
    ),
    "table_4_8": Study(
        "zero_norm",
        {"sizes": TENS, "most": "100", "fraction": "0.1"},
        {"sizes": "10", "most": "10", "fraction": "0.5"},
        smallest_error=False,
        claims=(
            Claim(("SS-l2AROM",), ("PS-l2AROM",), attributes="10"),
            Claim(("SS-l2AROM",), ("PS-l2AROM",), attributes="100"),
        ),
        data=("dlbcl", "lung"),
    ),
}


def table_2_5(setting: Setting) -> Measured:
    """Compare filters with k-NN."""
    return _study(setting, "table_2_5")


def table_2_6(setting: Setting) -> Measured:
    """Compare filters with an SVM."""
    return _study(setting, "table_2_6")


def table_2_8(setting: Setting) -> Measured:
    """Compare hybrid wrappers."""
    return _study(setting, "table_2_8")


def tables_4_2_to_4_4(setting: Setting) -> Measured:
    """Compare selections with and without known genes."""
    return _study(setting, "tables_4_2_to_4_4")


def table_4_8(setting: Setting) -> Measured:
    """Compare selections that extend the known genes."""
    return _study(setting, "table_4_8")


def table_3_5(setting: Setting) -> Measured:
    """Combine bootstraps of Relief."""
    claims = (
        Claim(("WMA",), ("base",), attributes=SIZE_NAME),
        Claim(("RAA",), ("base",), attributes=SIZE_NAME),
        VOTE_IS_BETTER,
    )
    return _ensembles(setting, ("Relief",), claims)


def table_3_6(setting: Setting) -> Measured:
    """Combine bootstraps of mRMR."""
    others = ("RAA", "WMA", "CAA", "RRA")
    claims = (Claim(("OFA",), others, attributes=SIZE_NAME), VOTE_IS_BETTER)
    return _ensembles(setting, ("mRMR",), claims)


def table_3_7(setting: Setting) -> Measured:
    """Combine bootstraps of the t-test."""
    return _ensembles(setting, ("t-test",), (VOTE_IS_BETTER,))


def table_3_8(setting: Setting) -> Measured:
    """Combine three filters."""
    combined = ("RAA", "WMA", "CAA", "RRA", "OFA")
    claims = (Claim(("t-test",), combined, attributes=SIZE_NAME),)
    return _ensembles(setting, ("Relief", "mRMR", "t-test"), claims)


def _ensembles(setting: Setting, bases: tuple[str, ...], claims: Iterable[Claim]) -> Measured:
    seeds = range(FIRST_SEED, FIRST_SEED + setting.number_of_splits(SPLITS))
    measured = measure_ensembles(setting, quick_choice(setting, GENES), bases, seeds)
    add_claims(measured, claims)
    return measured


def table_3_3(setting: Setting) -> Measured:
    """Combine three filters as one selection or as a vote on CNS."""
    return _orders(setting, "cns", "survived")


def table_3_4(setting: Setting) -> Measured:
    """Combine three filters as one selection or as a vote on Leukemia."""
    return _orders(setting, "leukemia", "ALL")


def _orders(setting: Setting, data: str, positive: str) -> Measured:
    """Run the right order, and the selection by all rows, which is wrong, for comparison.

    A quick run has the votes only.
    """
    folds = setting.either(2, 10)
    measured = Measured(repetitions=f"1 × {folds} folds", seed=FIRST_SEED)
    macros: dict[str, object] = {"positive": positive, "folds": folds, "file": stem(data)}
    macros["size"] = setting.either(5, LIST_LENGTH)
    for learner, number in LEARNERS[: setting.either(1, 2)]:
        outcome = setting.run(
            "papers/stability/selections_or_classifiers",
            {**macros, "learner": number},
            seed=FIRST_SEED,
            until="Combined classifiers" if setting.quick else None,
        )
        titles = ("",) if setting.quick else ("", "", WRONG_ORDER)
        for suffix, result in zip(titles, outcome.results, strict=True):
            _add_order(measured, data, f"{learner}{suffix}", result)
    return measured


def _add_order(measured: Measured, data: str, title: str, result: object) -> None:
    """Add precision, recall, F-measure and AUC of all selections or votes."""
    assert isinstance(result, ExampleSet)
    for row in result.to_pandas().to_dict("records"):
        which, *values = row.values()
        name = which if which in VOTES else SELECTIONS[int(which) - 1]
        for measure, value in zip(MEASURES, values, strict=True):
            measured.add(Key(data, f"{name}, {title}", measure=measure), float(value))


def tables_4_5_to_4_7(setting: Setting) -> Measured:
    """Count the iterations of SS-l2AROM until the selection no longer changes."""
    samples, size = setting.either(2, 10), setting.either(10, 100)
    measured = Measured(repetitions=f"{samples} samples", seed=FIRST_SEED)
    for data in quick_choice(setting, ("dlbcl", "lung")):
        macros = {"file": stem(data), "known": KNOWN_GENES[data], "size": size, "samples": samples}
        outcome = setting.run("papers/stability/convergence", macros)
        traces = outcome.results[0]
        assert isinstance(traces, Collection)
        key = Key(data, "SS-l2AROM", "100", "iterations until convergence")
        measured.add(key, np.array([len(trace) for trace in traces]))
    return measured


def table_4_9(setting: Setting) -> Measured:
    """Test whether SS-l2AROM, PS-l2AROM and RFE predict alike with 100 attributes (McNemar).

    The printed statistics contradict table 4.8. Compared is whether a difference is significant.
    """
    study, folds = STUDIES["table_4_8"], setting.either(2, 10)
    splits, size = setting.number_of_splits(SPLITS), setting.either(10, 100)
    measured = Measured(repetitions=setting.repetitions(splits, folds), seed=FIRST_SEED)
    for data in quick_choice(setting, study.data):
        macros = {"file": stem(data), "folds": folds, "known": KNOWN_GENES[data]}
        macros |= {"sizes": size, "most": size, "fraction": study.macros["fraction"]}
        p_values: dict[str, list[float]] = {}
        for split in range(splits):
            outcome = setting.run(
                f"papers/stability/{study.process}", macros, seed=FIRST_SEED + split
            )
            pairs = outcome.results[2]
            assert isinstance(pairs, ExampleSet)
            for row in pairs.to_pandas().to_dict("records"):
                title = f"{row['first']} and {row['second']}"
                p_values.setdefault(title, []).append(float(row["p-value"]))
        for title, values in p_values.items():
            measured.add(Key(data, title, "100", "p-value"), values)
            significant = np.less(values, SIGNIFICANT)
            measured.add(Key(data, title, "100", "fraction significant"), significant)
    return measured


def stem(data: str) -> str:
    """Return the name of the file of a data set without its ending."""
    return dataset(data).file.removesuffix(".parquet")


def _study(setting: Setting, name: str) -> Measured:
    """Run the process of a study on all data sets and splits."""
    study = STUDIES[name]
    folds, splits = setting.either(2, 10), setting.number_of_splits(SPLITS)
    measured = Measured(repetitions=setting.repetitions(splits, folds), seed=FIRST_SEED)
    for data in quick_choice(setting, study.data):
        usual = study.quick if setting.quick else study.macros
        macros = {**usual, "file": stem(data), "folds": folds}
        if data in KNOWN_GENES and study.data != GENES:
            macros["known"] = KNOWN_GENES[data]
        macros |= proposal_macros(name, data)
        outcomes = [
            setting.run(f"papers/stability/{study.process}", macros, seed=FIRST_SEED + split)
            for split in range(splits)
        ]
        add_curves(
            measured, data, [curves_of(o.results[0]) for o in outcomes], study.smallest_error
        )
        measured.figures[data] = outcomes[0].results[1]
    add_claims(measured, study.claims)
    return measured


def proposal_macros(table: str, data: str) -> dict[str, str]:
    """Return the best numbers of proposals of the thesis as macros; none if it prints none."""
    numbers = PROPOSALS.get(table, {}).get(data, ())
    return dict(zip(PROPOSAL_MACROS.get(table, ()), map(str, numbers), strict=False))


def quick_choice(setting: Setting, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the data sets that exist; for a quick run only the smallest."""
    found = setting.chosen(names)
    if not setting.quick or setting.data:
        return found
    return (SMALLEST,) if SMALLEST in found else found[:1]


def curves_of(result: object) -> dict[str, Curve]:
    """Return error and stability by method and number of attributes."""
    assert isinstance(result, ExampleSet)
    curves: dict[str, dict[int, tuple[float, float]]] = {}
    for row in result.to_pandas().to_dict("records"):
        error = row["classification_error"] if "accuracy" not in row else 1 - row["accuracy"]
        at = curves.setdefault(str(row["method"]), {})
        at[int(row["attributes"])] = float(error), float(row["nogueira"])
    return dict(curves)


def add_curves(
    measured: Measured, data: str, splits: list[dict[str, Curve]], smallest_error: bool
) -> None:
    """Add means and standard errors over the splits, as the thesis prints them."""
    for method in splits[0]:
        curves = [split[method] for split in splits]
        if smallest_error:
            sizes = [smallest(curve) for curve in curves]
            measured.add(Key(data, method, measure="attributes"), np.array(sizes))
            _add(measured, Key(data, method), [c[s] for c, s in zip(curves, sizes, strict=True)])
            continue
        for size in curves[0]:
            _add(measured, Key(data, method, str(size)), [curve[size] for curve in curves])


def smallest(curve: Curve) -> int:
    """Return the number of attributes with the smallest error; the smaller one if equal."""
    return min(curve, key=lambda size: (round(curve[size][0], 12), size))


def _add(measured: Measured, key: Key, pairs: Iterable[tuple[float, float]]) -> None:
    errors, stabilities = np.array(list(pairs)).T
    measured.add(key._replace(measure="error"), errors)
    if not np.isnan(stabilities).all():
        measured.add(key._replace(measure="stability"), stabilities)


def add_claims(measured: Measured, claims: Iterable[Claim]) -> None:
    """Add the differences of the claims; the standard error is that over the data sets."""
    names = list(dict.fromkeys(key.data for key in measured.values))
    for claim in claims:
        gains = [_gain(measured, claim, name) for name in names]
        key = Key("", claim.title, claim.attributes, claim.measure)
        if not np.isnan(gains).all():
            measured.add(key, np.array(gains))


def _gain(measured: Measured, claim: Claim, data: str) -> float:
    def best(methods: tuple[str, ...]) -> float:
        keys = [Key(data, method, claim.attributes, claim.measure) for method in methods]
        known = [measured.values[key].value for key in keys if key in measured.values]
        return max(known, default=float("nan"))

    return best(claim.larger) - best(claim.smaller)
