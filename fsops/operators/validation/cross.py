"""Cross-validation around an inner process."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.resampling import partition
from fsops.core import Accepts, Aliases, Context, Named, Subprocess, When, operator
from fsops.data import AttributeWeights, ExampleSet, Model, PerformanceVector
from fsops.errors import DataError

Parts = npt.NDArray[np.intp]


class Trained(NamedTuple):
    """What the training delivers: the model, and if connected the weights it was selected by."""

    model: Model
    weights: AttributeWeights | None


class Validated(NamedTuple):
    """What the validation delivers."""

    performance: Annotated[
        PerformanceVector, Named(description="Mean and deviation over the folds.")
    ]
    weights: Annotated[
        AttributeWeights | None, Named(description="Mean of the training's weights over the folds.")
    ]
    model: Annotated[Model | None, Named(description="Trained on all rows.")]


@operator(
    group="Validation",
    accepts=Accepts(label="any", missing=True, infinite=True),
    aliases=Aliases(
        keys=("concurrency:cross_validation", "x_validation"),
        ports={
            "example set": "examples",
            "training": "examples",
            "performance 1": "performance",
            "averagable 1": "performance",
            "training set": "training_set",
            "test set": "test_set",
        },
        parameters={"number_of_validations": "number_of_folds"},
    ),
    tags=("x-validation", "k-fold", "leave one out", "estimate", "accuracy"),
)
def cross_validation(
    examples: ExampleSet,
    training: Subprocess[
        [Annotated[ExampleSet, Named("training_set", "The rows of all other folds.")]], Trained
    ],
    testing: Subprocess[
        [Model, Annotated[ExampleSet, Named("test_set", "The rows of the fold.")]],
        PerformanceVector,
    ],
    *,
    number_of_folds: Annotated[
        int, When(leave_one_out=False), Field(ge=2, description="Number of parts.")
    ] = 10,
    leave_one_out: Annotated[bool, Field(description="Make every row a fold of its own.")] = False,
    sampling_type: Annotated[
        Literal["automatic", "stratified sampling", "shuffled sampling", "linear sampling"],
        When(leave_one_out=False),
        Field(
            description="How rows are dealt to the folds: with equal class shares, at random, "
            "or in blocks of neighbours. Automatic: stratified for classes, else shuffled."
        ),
    ] = "automatic",
    ctx: Context,
) -> Validated:
    """Cross Validation

    Estimates how well a whole process of selection and learning does on rows it has not seen. The
    rows are dealt to folds; for each fold the training runs on all other rows, and the testing
    measures the model on the fold.

    Put the selection inside the training. A selection made before, on all rows, has seen the test
    rows, and the figures become far too good, the more so the more attributes there are.

    The deviation is the sample standard deviation over the folds. Weights that the training
    delivers are averaged over the folds; an attribute a fold does not mention counts as 0 there.

    References
    ----------
    Ambroise, McLachlan (2002): Selection bias in gene extraction on the basis of microarray
    gene-expression data. PNAS 99, 6562–6566.
    """
    part = _folds(examples, number_of_folds, leave_one_out, sampling_type, ctx)

    def validate_fold(fold: int) -> tuple[PerformanceVector, AttributeWeights | None]:
        trained = _as_trained(training(examples.take(part != fold)))
        return testing(trained.model, examples.take(part == fold)), trained.weights

    folds = ctx.map(validate_fold, range(int(part.max()) + 1), "Folds")
    model = _as_trained(training(examples)).model if ctx.wants("model") else None
    weights = [weights for _, weights in folds if weights is not None]
    return Validated(
        PerformanceVector.average([performance for performance, _ in folds]),
        mean_weights(weights) if weights else None,
        model,
    )


def _as_trained(result: Trained | Model) -> Trained:
    """Accept a plain model too, as a Python function may return it."""
    return Trained(result, None) if isinstance(result, Model) else result


def _folds(
    examples: ExampleSet, number: int, leave_one_out: bool, sampling: str, ctx: Context
) -> Parts:
    """Return the fold of each row."""
    n = len(examples)
    if n < 2:
        raise DataError("A cross-validation needs at least two rows.")
    if leave_one_out:
        return np.arange(n, dtype=np.intp)
    if number > n:
        raise DataError(
            f"{number} folds need at least {number} rows, but there are {n}.",
            hint=f"Set number_of_folds to at most {n}.",
        )
    nominal = examples.label.value_type.is_nominal
    if sampling == "linear sampling":
        return np.arange(n, dtype=np.intp) * number // n
    if sampling == "shuffled sampling" or (sampling == "automatic" and not nominal):
        return partition(n, number, ctx.rng("folds"))
    if not nominal:
        raise DataError(
            f'Stratified sampling needs classes, but "{examples.label.name}" is numerical.',
            hint="Use shuffled sampling.",
        )
    codes = examples.label_values().astype(np.intp)
    smallest = int(np.bincount(codes)[np.unique(codes)].min())
    if smallest < number:
        ctx.warn(f"The smallest class has {smallest} rows: some of the {number} folds lack it.")
    return partition(n, number, ctx.rng("folds"), strata=codes)


def mean_weights(parts: list[AttributeWeights]) -> AttributeWeights:
    """Return the mean weight of each attribute, with the deviation over the parts as a detail."""
    names, table = AttributeWeights.stack(parts)
    with np.errstate(invalid="ignore"):  # infinite weights have no deviation
        spread = table.std(axis=0, ddof=1) if len(parts) > 1 else np.zeros(len(names))
    return AttributeWeights(
        names, table.mean(axis=0), origin=parts[0].origin, details={"deviation": spread}
    )
