"""Settings of curves over the number of attributes: sizes, splits and the criterion."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict

from pydantic import BeforeValidator, Field

from fsops.algorithms.statistics import agreement
from fsops.algorithms.statistics.survival import concordance_index
from fsops.core import Context, When
from fsops.core.declare.iterations import Known, NotKnown
from fsops.data import ExampleSet
from fsops.data.schema import EVENT
from fsops.errors import DataError
from fsops.operators.sizes import counted, kept_attributes
from fsops.operators.validation import splits
from fsops.operators.validation.classification import CLASS_MEASURES, Weighted
from fsops.operators.validation.criteria import Measure
from fsops.operators.validation.predictions import PredictedClasses, PredictedNumbers
from fsops.operators.validation.regression import NUMBER_MEASURES
from fsops.operators.validation.splits import Split

# --- numbers of attributes ------------------------------------------------------------------

_RANGE = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+)(?:\s*by\s*(\d+))?)?", re.ASCII)
STEPS = (1, 2, 5)
MOST_SIZES = 10_000


def _as_sizes(value: Any) -> Any:
    """Return numbers and ranges of them as one rising list."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        return value
    found: set[int] = set()
    for part in parts:
        match = _RANGE.fullmatch(str(part).strip())
        if match is None:
            raise ValueError(
                f'"{part}" is not a number of attributes: write numbers or ranges, such as 1-10, '
                "20, 50-200 by 50"
            )
        first, last, step = (int(text) if text else None for text in match.groups())
        numbers = range(first or 0, (last or first or 0) + 1, step or 1) if step != 0 else range(0)
        if len(numbers) > MOST_SIZES:
            raise ValueError(
                f'"{part}" stands for {len(numbers):,} numbers of attributes, more than the '
                f"{MOST_SIZES:,} that can be judged: take larger steps, such as 1-1000000 by 1000"
            )
        if not first or not numbers:
            raise ValueError(f'"{part}" is not a range of numbers of attributes, from 1 upwards')
        found.update(numbers)
    return sorted(found)


Sizes = Annotated[
    list[int],
    BeforeValidator(_as_sizes),
    Field(
        description="Numbers of attributes to judge, such as 1-10, 20, 50-200 by 50; "
        "empty: 1, 2, 5, 10, 20, 50, …"
    ),
]


def grid(p: int, most: int) -> list[int]:
    """Return 1, 2, 5, 10, 20, 50, … up to the smaller number, and that number."""
    last = min(p, most)
    numbers = [step * 10**power for power in range(len(str(last))) for step in STEPS]
    return [*(number for number in numbers if number < last), last]


def sizes_within(sizes: Sequence[int], examples: ExampleSet, most: int, ctx: Context) -> list[int]:
    """Return the numbers of attributes to judge; those to keep count among them.

    A number that exceeds the data becomes all attributes.
    """
    p, kept = len(examples.schema.regular), int(kept_attributes(examples).sum())
    if not p:
        raise DataError("The data has no attributes to select from.")
    if not sizes:
        return sorted({max(size, kept) for size in grid(p, most)})
    above = [size for size in sizes if size > p]
    if above:
        listed = ", ".join(map(str, above[:5])) + ", …" * (len(above) > 5)
        ctx.warn(f"The data has {p} attributes: instead of {listed} all of them are judged.")
    if min(sizes) < kept:
        counted(min(sizes), kept, ctx, "The smallest of the sizes")
    return sorted({max(min(size, p), kept) for size in sizes})


# --- splits ---------------------------------------------------------------------------------


class Splitting(TypedDict):
    """How rows are divided into training rows and test rows."""

    validation: Annotated[
        Literal["cross-validation", "random splits"],
        Field(
            default="cross-validation",
            description="Divide the rows into folds and test each fold once, or draw new test rows "
            "for each split.",
        ),
    ]
    number_of_folds: Annotated[
        int,
        When(validation="cross-validation", split_on_batch_attribute=False),
        Field(default=10, ge=2, description="Number of parts."),
    ]
    repetitions: Annotated[
        int,
        When(validation="cross-validation", split_on_batch_attribute=False),
        Field(default=1, ge=1, description="Number of random splits."),
    ]
    split_on_batch_attribute: Annotated[
        bool,
        When(validation="cross-validation"),
        Field(
            default=False,
            description='Use each value of the attribute with the role "batch" as a fold, to '
            "measure predictions for a new batch.",
        ),
    ]
    number_of_splits: Annotated[
        int,
        When(validation="random splits"),
        Field(default=100, ge=1, description="Number of random splits."),
    ]
    training_fraction: Annotated[
        float,
        When(validation="random splits"),
        Field(
            default=0.9,
            gt=0,
            lt=1,
            description="Fraction of training rows; the others are tested.",
        ),
    ]
    sampling: Annotated[
        Literal["automatic", "stratified sampling", "shuffled sampling"],
        Field(
            default="automatic",
            description="Choice of the rows: with equal class fractions in both parts, or at "
            "random. Automatic: equal class fractions; at random for a numerical label.",
        ),
    ]


def drawn_splits(examples: ExampleSet, how: Splitting, ctx: Context) -> list[Split]:
    """Return training rows and test rows, the same for everything that is compared."""
    sampling = how["sampling"]
    if how["validation"] == "random splits":
        train, test = splits.sizes(examples, "relative", how["training_fraction"], -1, -1)
        return splits.holdouts(
            examples,
            how["number_of_splits"],
            train=train,
            test=test,
            sampling=sampling,
            ctx=ctx,
        )
    number, on_batch = how["number_of_folds"], how["split_on_batch_attribute"]
    first = splits.folds(
        examples, number=number, leave_one_out=False, on_batch=on_batch, sampling=sampling, ctx=ctx
    )
    again = range(1, 1 if on_batch else how["repetitions"])
    more = [splits.splits_of(splits.dealt(examples, number, sampling, ctx, each)) for each in again]
    return [*first, *(split for repetition in more for split in repetition)]


def splits_before_run(known: Known) -> int:
    """Return how many splits there will be."""
    if known["validation"] == "random splits":
        return int(known["number_of_splits"])
    if known["split_on_batch_attribute"]:
        raise NotKnown("every batch is a fold")
    return int(known["number_of_folds"] * known["repetitions"])


# --- criteria -------------------------------------------------------------------------------


def _by_classes(name: str) -> Measure[PredictedClasses]:
    measure = CLASS_MEASURES[name]
    return Measure(lambda found: measure.compute(Weighted(found.counts)), measure.maximize)


def _auc(found: PredictedClasses) -> float:
    confidence = found.confidence(found.classes[-1])
    if confidence is None:
        return float("nan")
    positive = found.true == len(found.classes) - 1
    weights = found.weights
    if weights is None:
        return agreement.auc(confidence[positive], confidence[~positive], 0.5)
    own, others = weights[positive], weights[~positive]
    return agreement.weighted_auc(confidence[positive], confidence[~positive], own, others, 0.5)


def _concordance(found: PredictedNumbers) -> float:
    assert found.event is not None
    return concordance_index(found.true, found.event, found.guess, found.weights)


AUC = "AUC"
CONCORDANCE = "concordance_index"
JudgedBy = Literal[
    "automatic",
    "classification_error",
    "balanced_error_rate",
    "accuracy",
    "balanced_classification_rate",
    "kappa",
    "matthews_correlation",
    "macro_f_measure",
    "AUC",
    "root_mean_squared_error",
    "absolute_error",
    "normalized_absolute_error",
    "correlation",
    "squared_correlation",
    "coefficient_of_determination",
    "spearman_rho",
    "concordance_index",
]
Criterion = Annotated[
    JudgedBy,
    Field(
        description="Criterion on the test rows. Automatic: classification_error for "
        "classes, root_mean_squared_error for numbers, concordance_index for censored times. "
        "balanced_error_rate counts all classes alike, however many rows they have."
    ),
]
FOR_CLASSES: Mapping[str, Measure[PredictedClasses]] = {
    "classification_error": _by_classes("classification_error"),
    "balanced_error_rate": _by_classes("balanced_error_rate"),
    AUC: Measure(_auc),
    **{
        name: _by_classes(name)
        for name in (
            "accuracy",
            "balanced_classification_rate",
            "kappa",
            "matthews_correlation",
            "macro_f_measure",
        )
    },
}


FOR_TIMES: Mapping[str, Measure[PredictedNumbers]] = {
    CONCORDANCE: Measure(_concordance, undefined="no two rows can be compared")
}


def _suitable(examples: ExampleSet) -> tuple[str, str, Mapping[str, Measure[Any]]]:
    """Return the kind of a label, its usual criterion, and all criteria for it."""
    if examples.label.value_type.is_nominal:
        return "classes", "classification_error", FOR_CLASSES
    if examples.schema.special(EVENT) is not None:
        return "censored times", CONCORDANCE, FOR_TIMES
    return "numbers", "root_mean_squared_error", NUMBER_MEASURES


def criterion_for(examples: ExampleSet, name: str) -> tuple[str, Measure[Any]]:
    """Return the criterion that was asked for, if it suits the label."""
    label = examples.label
    kind, usual, measures = _suitable(examples)
    name = usual if name == "automatic" else name
    if name not in measures:
        raise DataError(
            f'{name} does not suit the label "{label.name}", which has {kind}.',
            hint="Set criterion to automatic.",
        )
    if name == AUC and len(examples.classes) != 2:
        raise DataError(
            f'AUC needs two classes, but "{label.name}" has {len(examples.classes)}.',
            hint="Set criterion to balanced_error_rate.",
        )
    return name, measures[name]
