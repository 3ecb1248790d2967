"""Training rows and test rows: decided here for every validation."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base import resampling
from fsops.algorithms.base.row_groups import RowGroups, group_sizes
from fsops.core import Context, When
from fsops.core.declare.iterations import Known, NotKnown
from fsops.data import ExampleSet
from fsops.data.design import BATCH, names_of_groups, role_codes, row_groups, row_strata
from fsops.errors import DataError, ParameterError

Rows = npt.NDArray[np.intp]

NumberOfFolds = Annotated[
    int,
    When(leave_one_out=False, split_on_batch_attribute=False),
    Field(ge=2, description="Number of parts."),
]
LeaveOneOut = Annotated[
    bool,
    When(split_on_batch_attribute=False),
    Field(description="Make every row a separate fold."),
]
SplitOnBatch = Annotated[
    bool,
    Field(
        description='Use each value of the attribute with the role "batch" as a fold, so that '
        "rows that belong together, such as those of one patient, are never separated."
    ),
]
SamplingOfFolds = Annotated[
    Literal["automatic", "stratified sampling", "shuffled sampling", "linear sampling"],
    When(leave_one_out=False, split_on_batch_attribute=False),
    Field(
        description="Assignment of rows to the folds: with equal class fractions, at random, "
        "or in blocks of consecutive rows. Automatic: stratified for classes and events, else "
        "shuffled."
    ),
]
SamplingOfSplits = Annotated[
    Literal["automatic", "stratified sampling", "shuffled sampling", "linear sampling"],
    Field(
        description="Choice of the training rows: with equal class fractions, at random, "
        "or the first ones. Automatic: stratified for classes and events, else at random."
    ),
]
SamplingAtRandom = Annotated[
    Literal["automatic", "stratified sampling", "shuffled sampling"],
    Field(
        description="Choice of the training rows: with equal class fractions, or at random. "
        "Automatic: stratified for classes and events, else at random."
    ),
]
SplitRatio = Annotated[
    float, Field(gt=0, lt=1, description="Fraction of training rows; the others are tested.")
]


class Split(NamedTuple):
    """Training rows and test rows."""

    train: Rows
    test: Rows


def folds(
    examples: ExampleSet,
    *,
    number: int,
    leave_one_out: bool,
    on_batch: bool,
    sampling: str,
    ctx: Context,
) -> list[Split]:
    """Return a split for each fold: its rows are tested, all others are training rows.

    Rows of one group or pair are always in the same fold.
    """
    _require_two_rows(examples)
    if on_batch:
        part = _batches(examples)
    elif leave_one_out:
        groups = row_groups(examples)
        part = np.arange(len(examples), dtype=np.intp) if groups is None else groups
    else:
        part = dealt(examples, number, sampling, ctx)
    _tell_of_single_classes(examples, part, ctx)
    return splits_of(part)


def splits_of(part: Rows) -> list[Split]:
    """Return a split for each fold, of the fold of each row."""
    return [
        Split(np.flatnonzero(part != fold), np.flatnonzero(part == fold))
        for fold in range(int(part.max()) + 1)
    ]


def _tell_of_single_classes(examples: ExampleSet, part: Rows, ctx: Context) -> None:
    """Warn if most folds hold one class only: metrics such as kappa are not defined there."""
    label = examples.schema.label
    if label is None or not label.value_type.is_nominal:
        return
    codes = examples.label_values().astype(np.intp)
    fold_and_class = np.unique(np.column_stack((part, codes)), axis=0)
    per_fold = np.bincount(fold_and_class[:, 0])
    single = int((per_fold == 1).sum())
    if 2 * single > len(per_fold) and len(np.unique(codes)) > 1:
        ctx.warn(
            f"{single} of {len(per_fold)} folds hold a single class: metrics that compare classes, "
            "such as kappa, are 0 or missing there, and so is their mean. Judge by the accuracy "
            "and the confusion matrix, which counts all rows."
        )


def folds_before_run(known: Known) -> int:
    """Return how many folds there will be."""
    if known["split_on_batch_attribute"]:
        raise NotKnown("every batch is a fold")
    number: int = known.rows if known["leave_one_out"] else known["number_of_folds"]
    return number


def _require_two_rows(examples: ExampleSet) -> None:
    if len(examples) < 2:
        raise DataError("A validation needs at least two rows.", hint="Give it more data.")


def dealt(
    examples: ExampleSet, number: int, sampling: str, ctx: Context, repetition: int = 0
) -> Rows:
    """Return the fold of each row."""
    groups = row_groups(examples)
    n = _require_units(examples, groups, number)
    if sampling == "linear sampling":
        return resampling.blocks(len(examples), number, groups=groups)
    classes = strata(examples, sampling)
    rng = ctx.rng("folds", repetition) if repetition else ctx.rng("folds")
    if classes is not None and not repetition:
        smallest, unit = _smallest_class(classes, groups)
        if smallest < number <= n:
            noun = f"1 {unit}" if smallest == 1 else f"{smallest} {unit}s"
            ctx.warn(f"The smallest class has {noun}: some of the {number} folds lack it.")
    return resampling.partition(len(examples), number, rng, strata=classes, groups=groups)


def _require_units(examples: ExampleSet, groups: Rows | None, number: int) -> int:
    """Return how many rows, or groups of rows, are dealt; raise `DataError` if they are too few."""
    n = len(examples) if groups is None else int(groups.max()) + 1
    if number > n:
        units = "rows" if groups is None else f"groups ({names_of_groups(examples)})"
        raise DataError(
            f"{number} folds need at least {number} {units}, but there are {n}.",
            hint=f"Set number_of_folds to at most {n}."
            if n > 1
            else "Rows of one group are never separated: use another attribute as the group.",
        )
    return n


def _smallest_class(classes: Rows, groups: Rows | None) -> tuple[int, str]:
    """Return in how many rows or groups the rarest class occurs."""
    if groups is None:
        return int(np.bincount(classes)[np.unique(classes)].min()), "row"
    pairs = np.unique(np.column_stack([classes, groups]), axis=0)
    return int(np.bincount(pairs[:, 0])[np.unique(classes)].min()), "group"


def _batches(examples: ExampleSet) -> Rows:
    """Return the fold of each row if every batch is a fold."""
    part = role_codes(examples, BATCH)
    if part is None:
        raise DataError(
            'No attribute has the role "batch".',
            hint="Give it to the attribute that says which rows belong together (Set Role), or "
            "switch off split_on_batch_attribute.",
        )
    if int(part.max()) < 1:
        batch = examples.schema.special(BATCH)
        assert batch is not None
        raise DataError(
            f'All rows belong to one batch of "{batch.name}": no row is left for training.'
        )
    _require_whole_groups(examples, part)
    return part


def _require_whole_groups(examples: ExampleSet, part: Rows) -> None:
    """Raise `DataError` if a group or pair has rows in several batches."""
    groups = row_groups(examples)
    if groups is None:
        return
    pairs = np.unique(np.column_stack([groups, part]), axis=0)
    if len(pairs) > int(groups.max()) + 1:
        raise DataError(
            f"Rows with the same value of {names_of_groups(examples)} are in several batches, so "
            "a fold for each batch would separate them.",
            hint="Switch off split_on_batch_attribute.",
        )


def strata(examples: ExampleSet, sampling: str) -> Rows | None:
    """Return the class of each row where shares are to be kept; None where rows are only mixed.

    For a censored time the classes are the rows with an event and those without.
    """
    label = examples.label
    if sampling == "shuffled sampling":
        return None
    classes = row_strata(examples)
    if sampling == "stratified sampling" and classes is None:
        raise DataError(
            f'Stratified sampling needs classes, but "{label.name}" is numerical.',
            hint="Use shuffled sampling.",
        )
    return classes


def sizes(
    examples: ExampleSet, split: str, training_fraction: float, training: int, test: int
) -> tuple[int, int]:
    """Return the numbers of training and test rows; -1 stands for all others."""
    n = len(examples)
    _require_two_rows(examples)
    if split == "relative":
        training, test = resampling.share_of(n, training_fraction), -1
        if training in (0, n):
            which = "train on" if training == 0 else "test on"
            raise DataError(
                f"A fraction of {training_fraction:g} of {n} rows leaves no row to {which}.",
                hint="Change training_fraction, or give it more data.",
            )
    if training == -1 and test == -1:
        raise ParameterError("training_set_size and test_set_size cannot both be -1 (all others).")
    training = n - test if training == -1 else training
    test = n - training if test == -1 else test
    if training < 1 or test < 1 or training + test > n:
        raise DataError(
            f"{max(training, 0)} training rows and {max(test, 0)} test rows cannot be taken "
            f"from {n} rows.",
            hint="Both need at least one row, and together they have at most all rows: change "
            "training_set_size or test_set_size, or use split relative.",
        )
    return training, test


def holdouts(
    examples: ExampleSet, times: int, *, train: int, test: int, sampling: str, ctx: Context
) -> list[Split]:
    """Return random splits into training rows and test rows, or the first and the last.

    Rows of one group or pair are never separated; the sizes are then reached up to a group.
    """
    groups = row_groups(examples)
    if groups is not None:
        _require_units(examples, groups, 2)
    if sampling == "linear sampling":
        return [_first_and_last(examples, train, test, groups)] * times
    pairs = resampling.holdouts(
        len(examples),
        times,
        ctx.rng("splits"),
        train=train,
        test=test,
        strata=strata(examples, sampling),
        groups=groups,
    )
    return [Split(*pair) for pair in pairs]


def _first_and_last(examples: ExampleSet, train: int, test: int, groups: Rows | None) -> Split:
    rows = np.arange(len(examples), dtype=np.intp)
    if groups is None:
        return Split(rows[:train], rows[train : train + test])
    place = RowGroups(groups).in_order()
    learned, tested = group_sizes(len(examples), int(place.max()) + 1, train, test)
    return Split(rows[place < learned], rows[(place >= learned) & (place < learned + tested)])


def bootstraps(examples: ExampleSet, times: int, ratio: float, ctx: Context) -> list[Split]:
    """Return splits whose training rows are drawn with replacement; the others are tested."""
    _require_two_rows(examples)
    n = len(examples)
    drawn = resampling.bootstrap(
        n,
        times,
        ctx.rng("bootstrap"),
        ratio=ratio,
        labels=strata(examples, "automatic"),
        groups=row_groups(examples),
    )
    splits = [Split(rows, resampling.out_of_bag(rows, n)) for rows in drawn]
    if not all(len(split.test) for split in splits):
        raise DataError(
            f"A bootstrap sample has all {n} rows: none is left to test on.",
            hint="Lower sample_fraction, or give it more data.",
        )
    return splits
