"""Tables behind charts of confidences: lift and ROC curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from fsops.algorithms.statistics import agreement
from fsops.algorithms.statistics.roc import Binning, bins_by_confidence, roc_heights
from fsops.algorithms.statistics.thresholds import RocBias
from fsops.core import Accepts, Aliases, Context, Named, Subprocess, When, operator
from fsops.core.declare.iterations import Known
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData, Model
from fsops.data.schema import PREDICTION
from fsops.errors import DataError, ParameterError, did_you_mean, enumerate_names
from fsops.operators.modeling.thresholds import (
    prediction_and_confidence,
    rows_of_class,
    two_classes,
)
from fsops.operators.validation.significance import result_table
from fsops.operators.validation.size_curves import name_of
from fsops.operators.validation.splits import Split, dealt, holdouts, sizes, splits_of

POINTS = 101
"""Number of false positive rates at which curves are averaged."""
TIES = {"optimistic": 1.0, "neutral": 0.5, "pessimistic": 0.0}


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return ExampleSetMetaData()


@operator(
    group="Validation/Performance",
    role="performance",
    row_weights="whole numbers",
    accepts=Accepts(label="nominal", missing=True, infinite=True, sparse=True),
    describe=_describe,
    aliases=Aliases(ports={"example set": "examples", "lift pareto chart": "chart"}),
    tags=("gain", "pareto", "response", "direct mailing", "marketing", "confidence"),
)
def create_lift_chart(
    examples: ExampleSet,
    model: Annotated[
        Model | None, Named(description="Applied to the rows if they have no prediction.")
    ] = None,
    *,
    target_class: Annotated[
        str | None,
        Field(description="Class to find; empty: the last class of the label."),
    ] = None,
    binning_type: Annotated[
        Binning,
        Field(description="Bins of equal width, of size_of_bins rows, or of equal frequency."),
    ] = "frequency",
    number_of_bins: Annotated[
        int,
        When(binning_type=("simple", "frequency")),
        Field(ge=2, description="Number of bins of confidences."),
    ] = 10,
    size_of_bins: Annotated[
        int, When(binning_type="absolute"), Field(ge=1, description="Number of rows in a bin.")
    ] = 1000,
) -> Annotated[ExampleSet, Named("chart", "A row per bin, the largest confidences first.")]:
    """Create Lift Chart

    Shows how many rows of a class are among the rows with the largest confidence. Rows are put into
    bins by their confidence in target_class. For each bin the table has the number of rows, the
    number of rows of the class, both cumulated, and the lift: the fraction of the class in the bins
    so far divided by its fraction in all rows.

    Use rows that the model has not seen. Rows of equal confidence are in the same bin, so there may
    be fewer bins than number_of_bins.
    """
    classes = examples.label.categories
    target = classes[-1] if target_class is None and classes else target_class
    if target not in classes:
        hint = did_you_mean(str(target), classes) or f"The classes are {enumerate_names(classes)}."
        raise ParameterError(
            f'target_class is "{target}", which is not a class of "{examples.label.name}".',
            hint=hint,
        )
    table = examples
    if examples.schema.special(PREDICTION) is None:
        if model is None:
            raise DataError(
                "The data has no prediction.", hint="Connect a model, or put Apply Model before."
            )
        table = model.apply(examples)
    confidence = prediction_and_confidence(table, target)[1]
    if not len(table):
        raise DataError("The data has no rows.")
    hit = rows_of_class(table, target)
    bins = bins_by_confidence(confidence, binning_type, number_of_bins, size_of_bins)
    rows = np.array([len(part) for part in bins], dtype=np.float64)
    found = np.array([hit[part].sum() for part in bins], dtype=np.float64)
    total = np.cumsum(found)
    with np.errstate(invalid="ignore", divide="ignore"):
        fraction = total / total[-1]
        lift = (total / np.cumsum(rows)) / (total[-1] / len(table))
    columns = {
        "smallest_confidence": [float(confidence[part].min()) for part in bins],
        "largest_confidence": [float(confidence[part].max()) for part in bins],
        "rows": rows.tolist(),
        f"rows_of_{target}": found.tolist(),
        "cumulative_rows": np.cumsum(rows).tolist(),
        f"cumulative_rows_of_{target}": total.tolist(),
        f"fraction_of_{target}": fraction.tolist(),
        "lift": lift.tolist(),
    }
    return result_table(columns)


class ComparedRocs(NamedTuple):
    """ROC curves of several learners."""

    curves: Annotated[ExampleSet, Named(description="Points of the mean curve of each learner.")]
    areas: Annotated[ExampleSet, Named(description="Area under the curve (AUC) of each learner.")]


def _iterations(known: Known) -> list[int]:
    return [max(1, known["number_of_folds"])] * known.inner


def _splits(
    examples: ExampleSet, folds: int, ratio: float, sampling: str, ctx: Context
) -> list[Split]:
    if folds < 2:
        train, test = sizes(examples, "relative", ratio, -1, -1)
        return holdouts(examples, 1, train=train, test=test, sampling=sampling, ctx=ctx)
    return splits_of(dealt(examples, folds, sampling, ctx))


@operator(
    group="Validation",
    role="validation",
    accepts=Accepts(label="binominal", missing=True, infinite=True, sparse=True),
    aliases=Aliases(
        ports={"example set": "examples", "rocComparison": "curves", "training set": "examples"}
    ),
    tags=("roc", "auc", "receiver operating characteristic", "sensitivity", "compare learners"),
    random=True,
    iterations=_iterations,
)
def compare_rocs(
    examples: ExampleSet,
    learners: list[Subprocess[[ExampleSet], Model]],
    *,
    learner_names: Annotated[
        list[str],
        Field(
            description="Names of the learners, in the order of the inner processes; empty: those "
            "of their operators."
        ),
    ] = [],
    number_of_folds: Annotated[
        int,
        Field(
            ge=-1, description="Number of folds; 1 or less: a single split by training_fraction."
        ),
    ] = 10,
    training_fraction: Annotated[
        float, Field(gt=0, lt=1, description="Fraction of the rows to train on in a single split.")
    ] = 0.7,
    sampling: Annotated[
        Literal["automatic", "stratified sampling", "shuffled sampling", "linear sampling"],
        Field(description="Assignment of rows to folds: equal class fractions, random, or blocks."),
    ] = "stratified sampling",
    roc_bias: Annotated[
        RocBias,
        Field(
            description="Order of rows with equal confidence: positive rows first, last, or "
            "together."
        ),
    ] = "neutral",
    ctx: Context,
) -> ComparedRocs:
    """Compare ROCs

    Compares learners for two classes by their ROC curves on rows they have not seen. All learners
    are trained and tested on the same folds. A curve shows the true positive rate (sensitivity)
    against the false positive rate (1 − specificity); the higher, the better. The positive class
    is the second of the label.

    Curves of the folds are averaged at the same false positive rate (vertical averaging), and the
    deviation over the folds is in the table. Folds without rows of both classes are left out.
    Select attributes inside of the learners, not before.

    References
    ----------
    Fawcett (2006): An introduction to ROC analysis. Pattern Recognition Letters 27.
    """
    if not learners:
        raise DataError("There are no learners to compare.", hint="Add inner processes.")
    names = learner_names or _names(learners)
    if len(set(names)) != len(learners):
        raise ParameterError(
            f"learner_names needs {len(learners)} different names, one for each inner process.",
            hint="Leave it empty to use the names of the operators.",
        )
    positive = two_classes(examples)[1]
    splits = _splits(examples, number_of_folds, training_fraction, sampling, ctx)
    at = np.linspace(0.0, 1.0, POINTS)

    def test(place: tuple[int, int]) -> tuple[Any, float]:
        learner, split = learners[place[0]], splits[place[1]]
        rows = learner(examples.take(split.train)).apply(examples.take(split.test))
        confidence = prediction_and_confidence(rows, positive)[1]
        hit = rows_of_class(rows, positive)
        area = agreement.auc(confidence[hit], confidence[~hit], TIES[roc_bias])
        return roc_heights(confidence, hit, at, roc_bias), area

    places = [(i, j) for i in range(len(learners)) for j in range(len(splits))]
    results = ctx.map(test, places, "Folds")
    shape = (len(learners), len(splits))
    heights = np.array([height for height, _ in results]).reshape(*shape, POINTS)
    areas = np.array([area for _, area in results]).reshape(shape)
    return ComparedRocs(_curves(names, at, heights), _areas(names, areas))


def _names(learners: list[Any]) -> list[str]:
    """Return a different name for each learner, after its operator if it has one."""
    names = [name_of(learner) or f"learner {i}" for i, learner in enumerate(learners, start=1)]
    return [
        name if names.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(names, start=1)
    ]


def _spread(values: Any) -> tuple[list[float], list[float]]:
    """Return mean and deviation over the folds that have a value; NaN if there are too few."""
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0.0).sum(axis=1) / count
        squares = np.where(known, values - mean[:, None], 0.0) ** 2
        deviation = np.sqrt(squares.sum(axis=1) / (count - 1))
    return mean.tolist(), np.where(count > 1, deviation, np.nan).tolist()


def _curves(names: list[str], at: Any, heights: Any) -> ExampleSet:
    mean, deviation = _spread(np.moveaxis(heights, 1, 2).reshape(-1, heights.shape[1]))
    columns = {
        "learner": np.repeat(names, len(at)).tolist(),
        "false_positive_rate": np.tile(at, len(names)).tolist(),
        "true_positive_rate": mean,
        "standard_deviation": deviation,
    }
    return result_table(columns)


def _areas(names: list[str], areas: Any) -> ExampleSet:
    mean, deviation = _spread(areas)
    return result_table({"learner": names, "AUC": mean, "standard_deviation": deviation})
