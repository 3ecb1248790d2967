"""Claims of Ben Brahim (2015) on stability, each on three splits into ten folds.

The values are stabilities (Nogueira) of the ten training sets of a cross-validation. They need no
classifier, except for the errors of the priors.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from fsops.data import AttributeWeights, ExampleSet
from fsops.papers.experiments.ensembles import (
    SIZE_NAME,
    SIZES,
    Tally,
    combined,
    filters,
    genes,
    predicted,
    ranking,
    split_rows,
)
from fsops.papers.experiments.proposals import COMBINATIONS as INSTANCE_BASED
from fsops.papers.experiments.stability import (
    FIRST_SEED,
    KNOWN_GENES,
    PROPOSALS,
    SPLITS,
    Claim,
    add_claims,
    quick_choice,
)
from fsops.papers.setting import Setting, operators
from fsops.papers.values import Key, Measured

if TYPE_CHECKING:
    from numpy.typing import NDArray

DATA = ("lymphoma", "cns", "dlbcl")
QUICK_SIZES = (5, 10)
TEN = (10,)
RAW = ", as they are"
DRAWN = ", rows drawn"
DRAWN_ROWS = 60
COMBINED = ("WMA", "RAA", "RRA", "OFA")
BOOTSTRAPS = 20
RANDOM_PRIORS = 2
FAVOUR = 10.0
"""Prior of a known gene; others have 1."""

Selection = Callable[[ExampleSet], AttributeWeights]
Fold = Callable[[Tally, ExampleSet, ExampleSet, tuple[int, ...]], None]


def instance_based(setting: Setting) -> Measured:
    """Compare instance-based filters with Relief and mRMR: values scaled, and as they are."""
    claims = [
        Claim((f"IB-{short}{raw}",), (f"{other}{raw}",), attributes=SIZE_NAME)
        for raw in ("", RAW)
        for short in ("OF", "WMA", "RA")
        for other in ("Relief", "mRMR")
        if not (raw and other == "mRMR")
    ]

    def fold_of(name: str) -> Fold:
        selections = _filters(name)

        def fold(tally: Tally, train: ExampleSet, _: ExampleSet, sizes: tuple[int, ...]) -> None:
            for method, select in selections.items():
                weights = select(train)
                order = ranking(weights, tally.names)[: np.count_nonzero(weights.values > 0)]
                for size in sizes:
                    tally.add_selection(method, size, order)

        return fold

    return _measured(setting, DATA, fold_of, claims)


def _filters(name: str) -> dict[str, Selection]:
    """Return the filters by name; proposals are as many as the thesis found best with k-NN."""
    ops = operators()
    numbers = dict(zip(INSTANCE_BASED, PROPOSALS["table_2_5"][name], strict=True))
    selections: dict[str, Selection] = {
        f"{method}{title}": partial(
            ops.select_by_ib,
            combination=combination,
            candidate_size=numbers[method],
            nearest_by="each attribute",
            scaling=scaling,
            output="ranking",
        )
        for scaling, title in (("range", ""), ("none", RAW))
        for method, combination in INSTANCE_BASED.items()
    }
    selections |= filters()
    selections[f"Relief{RAW}"] = partial(ops.weight_by_relief, scaling="none")
    selections["Entropy"] = ops.weight_by_entropy
    return selections


def relief_ensembles(setting: Setting) -> Measured:
    """Combine bootstraps of Relief on all rows, and on rows drawn at random."""
    claims = [
        Claim((f"{how}{title}",), (f"Relief{title}",), attributes=SIZE_NAME)
        for title in ("", DRAWN)
        for how in COMBINED
    ]
    bootstraps = setting.either(3, BOOTSTRAPS)

    def fold(tally: Tally, train: ExampleSet, _: ExampleSet, sizes: tuple[int, ...]) -> None:
        ops = operators()
        for title, select in {"": ops.weight_by_relief, DRAWN: drawn_relief}.items():
            order = ranking(select(train), tally.names)
            members = ops.ensemble_of_selections(
                train, [select], iterations=bootstraps, combination="WMA"
            ).members
            for size in sizes:
                tally.add_selection(f"Relief{title}", size, order)
                for how in COMBINED:
                    tally.add_selection(f"{how}{title}", size, combined(members, train, how, size))

    return _measured(setting, DATA, lambda _: fold, claims)


def drawn_relief(examples: ExampleSet) -> AttributeWeights:
    """Weigh by Relief of values as they are and of rows drawn with replacement.

    The printed stabilities suggest this. The seed depends on the rows only.
    """
    weights: AttributeWeights = operators().weight_by_relief(
        examples,
        scaling="none",
        sampling="with replacement",
        number_of_rows=DRAWN_ROWS,
        use_local_random_seed=True,
        local_random_seed=crc32(examples.numeric()[:, :10].tobytes()) % 2**31,
    )
    return weights


def priors(setting: Setting) -> Measured:
    """Compare selections with no prior, with known genes, and with genes drawn at random."""
    methods = ("PK-Relief", "PK-mRMR", "PK-RFE", "PS-l2AROM")
    claims = [
        Claim((f"{method}, known genes",), (f"{method}, {other}",), attributes="10")
        for method in methods
        for other in ("nothing", "random genes 1")
    ]

    def fold_of(name: str) -> Fold:
        def fold(tally: Tally, train: ExampleSet, test: ExampleSet, sizes: tuple[int, ...]) -> None:
            truth = test.label_values()
            for title, select in _selections(name, train, max(sizes)).items():
                order = ranking(select(), tally.names)
                for size in sizes:
                    tally.add_selection(title, size, order)
                    answer = predicted(train, test, tally.names[np.sort(order[:size])])
                    tally.add_error(title, size, float((answer != truth).mean()))

        return fold

    return _measured(setting, ("dlbcl",), fold_of, claims, TEN)


def _selections(name: str, train: ExampleSet, largest: int) -> dict[str, Callable[[], Any]]:
    """Return the selections of a training set by method and prior."""
    ops = operators()
    names = np.array(train.schema.regular_names, dtype=object)
    known = KNOWN_GENES[name].split("|")
    rng = np.random.default_rng(len(known))
    knowledge: Mapping[str, Iterable[str]] = {"nothing": (), "known genes": known} | {
        f"random genes {i + 1}": rng.choice(names, len(known), replace=False).tolist()
        for i in range(RANDOM_PRIORS)
    }
    methods: dict[str, Callable[..., Any]] = {
        "PK-Relief": ops.weight_by_pk_relief,
        "PK-mRMR": partial(ops.select_by_pk_mrmr, k=largest, output="ranking"),
        "PK-RFE": partial(ops.select_by_pk_rfe, k=largest, output="ranking"),
        "PS-l2AROM": partial(ops.select_by_ps_l2_arom, k=largest, output="ranking"),
    }
    prior = {
        title: train.weights(np.where(np.isin(names, list(chosen)), FAVOUR, 1.0))
        for title, chosen in knowledge.items()
    }
    return {
        f"{method}, {title}": partial(select, train, weights)
        for method, select in methods.items()
        for title, weights in prior.items()
    }


def _measured(
    setting: Setting,
    data: tuple[str, ...],
    fold_of: Callable[[str], Fold],
    claims: Sequence[Claim],
    sizes: tuple[int, ...] = SIZES,
) -> Measured:
    """Return stabilities and errors by data set, method and size, and the claims."""
    folds, splits = setting.either(2, 10), setting.number_of_splits(SPLITS)
    sizes = QUICK_SIZES[-len(sizes) :] if setting.quick else sizes
    names = quick_choice(setting, data)
    measured = Measured(repetitions=setting.repetitions(splits, folds), seed=FIRST_SEED)
    titles = [claim.title for claim in claims]
    for name in names:
        examples, fold = genes(name), fold_of(name)
        values = [
            setting.part(
                ("claims", *titles, name, seed),
                partial(_one_split, setting, examples, fold, sizes, seed=seed, folds=folds),
            )
            for seed in range(FIRST_SEED, FIRST_SEED + splits)
        ]
        for method, size, measure in values[0]:
            by_split: NDArray[np.float64] = np.array([v[method, size, measure] for v in values])
            measured.add(Key(name, method, size, measure), by_split)
    if len(names) > 1:
        add_claims(measured, claims)
        return measured
    for claim in claims:  # one data set: the standard error is that over the splits
        gains = [_gain(split, claim) for split in values]
        measured.add(Key("", claim.title, claim.attributes, claim.measure), gains)
    return measured


def _one_split(
    setting: Setting,
    examples: ExampleSet,
    fold: Fold,
    sizes: tuple[int, ...],
    *,
    seed: int,
    folds: int,
) -> dict[tuple[str, str, str], float]:
    """Return stabilities and errors of one partition into folds."""
    tally = Tally(np.array(examples.schema.regular_names, dtype=object))
    with setting.running(seed), warnings.catch_warnings(action="ignore"):
        for train, test in split_rows(examples, folds, seed):
            fold(tally, train, test, sizes)
    return tally.values()


def _gain(values: Mapping[tuple[str, str, str], float], claim: Claim) -> float:
    """Return the lead of the better methods on one split."""

    def best(methods: tuple[str, ...]) -> float:
        return max(values[method, claim.attributes, claim.measure] for method in methods)

    return best(claim.larger) - best(claim.smaller)
