"""Training and testing on every split: what all validations share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from fsops.core import Context, Named, Subprocess
from fsops.core.declare.iterations import Known
from fsops.data import AttributeWeights, ExampleSet, FlowObject, Model, PerformanceVector
from fsops.data.row_plans import RowPlan
from fsops.errors import DataError
from fsops.operators.preparation.tables import append
from fsops.operators.validation.splits import Split


class Trained(NamedTuple):
    """Results of the training: the model, and further connected results."""

    model: Model
    weights: Annotated[
        AttributeWeights | None, Named(description="Weights by which the attributes were selected.")
    ] = None
    through: Annotated[
        list[FlowObject], Named(description="Further results that the testing needs.")
    ] = []


class Tested(NamedTuple):
    """Results of the testing."""

    performance: PerformanceVector
    test_set_results: Annotated[
        ExampleSet | None, Named(description="The tested rows with their predictions.")
    ] = None
    further_performances: Annotated[
        list[PerformanceVector], Named(description="More performances, each averaged separately.")
    ] = []


class Validated(NamedTuple):
    """Results of a validation."""

    performance: Annotated[
        PerformanceVector, Named(description="Mean and deviation over the repetitions.")
    ]
    weights: Annotated[
        AttributeWeights | None,
        Named(description="Mean of the training's weights over the repetitions."),
    ]
    model: Annotated[Model | None, Named(description="Trained on all rows.")]
    test_result_set: Annotated[
        ExampleSet | None,
        Named(description="Tables of the testing of all repetitions, in the order of rows."),
    ]
    further_performances: Annotated[
        list[PerformanceVector],
        Named(description="Mean and deviation of the further performances of the testing."),
    ]


Training = Subprocess[[Annotated[ExampleSet, Named("training_set", "The training rows.")]], Trained]
Testing = Subprocess[
    [
        Model,
        Annotated[ExampleSet, Named("test_set", "The rows to test on.")],
        Annotated[list[FlowObject], Named("through", "Further results of the training.")],
    ],
    Tested,
]


def validate_on(
    splits: Sequence[Split],
    examples: ExampleSet,
    training: Training,
    testing: Testing,
    *,
    label: str,
    ctx: Context,
) -> Validated:
    """Train and test on every split, and put the results together."""

    def validate(number: int) -> tuple[Tested, AttributeWeights | None]:
        trained = as_trained(training(plan.taken(number)))
        test_set = examples.take(splits[number].test)
        tested = testing(trained.model, test_set, trained.through)
        return as_tested(tested), trained.weights

    whole = ctx.wants("model")
    with RowPlan(examples, [split.train for split in splits], whole=whole) as plan:
        found = ctx.map(validate, range(len(splits)), label)
        model = as_trained(training(plan.all_rows())).model if whole else None
    weights = [weights for _, weights in found if weights is not None]
    return Validated(
        PerformanceVector.average([tested.performance for tested, _ in found]),
        AttributeWeights.average(weights) if weights else None,
        model,
        _in_order([tested.test_set_results for tested, _ in found], splits, ctx),
        _further([tested.further_performances for tested, _ in found]),
    )


def _further(measured: Sequence[Sequence[PerformanceVector]]) -> list[PerformanceVector]:
    """Return the mean over the repetitions for each further performance."""
    return [PerformanceVector.average(list(one)) for one in zip(*measured, strict=True)]


def trained_and_tested(splits: int, known: Known) -> list[int]:
    """Return how often each inner process runs: the model comes from all rows, if it is wanted."""
    return [splits + ("model" in known.wanted), splits]


def as_trained(result: Trained | Model) -> Trained:
    """Accept a plain model too, as a Python function may return it."""
    return Trained(result) if isinstance(result, Model) else result


def as_tested(result: Tested | PerformanceVector) -> Tested:
    """Accept a plain performance too, as a Python function may return it."""
    return Tested(result) if isinstance(result, PerformanceVector) else result


def _in_order(
    parts: Sequence[ExampleSet | None], splits: Sequence[Split], ctx: Context
) -> ExampleSet | None:
    """Return the test results as one table; a row tested several times is there several times."""
    tables = [part for part in parts if part is not None]
    if not tables or not ctx.wants("test_result_set"):
        return None
    if [len(table) for table in tables] != [len(split.test) for split in splits]:
        ctx.warn(
            "The test results do not have the rows of the test sets, so they are returned in the "
            "order of the folds."
        )
        order = np.arange(sum(map(len, tables)))
    else:
        order = np.argsort(np.concatenate([split.test for split in splits]), kind="stable")
    try:
        return append(tables).take(order)
    except DataError as error:
        raise DataError(
            f"The test results of the repetitions cannot be put together. {error.message}",
            hint="Return tables with the same attributes at test_set_results.",
        ) from None
