"""Weights by nearest neighbours."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats, Scores
from fsops.algorithms.neighbors import relief as algorithms
from fsops.algorithms.neighbors.rrelieff import rrelieff
from fsops.core import Accepts, Context, When, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.errors import DataError
from fsops.operators.modeling.estimators import has_classes
from fsops.operators.weighting.scores import class_codes, describe_weights, rapidminer

GROUP = "Weighting/Neighbours"

Metric = Annotated[
    Literal["manhattan", "euclidean"], Field(description="Distance between two rows.")
]
SampleRatio = Annotated[
    float, Field(gt=0, le=1, description="Share of the rows that look for their neighbours.")
]
CollapseDuplicates = Annotated[
    bool,
    Field(
        description="Take equal rows of a class, as in a bootstrap, as one row that counts several "
        "times; otherwise a copy is the nearest neighbour of its original."
    ),
]


def _rows(examples: ExampleSet, ratio: float) -> int | None:
    """Return how many rows to sample; None for all of them, which needs no random numbers."""
    return None if ratio == 1 else max(1, round(ratio * len(examples)))


def _varying_label(examples: ExampleSet) -> Floats:
    """Return a numerical label; one that is infinite, or always the same, is an error."""
    values = examples.label_values()
    if not np.isfinite(values).all() or not np.ptp(values) > 0:
        raise DataError(
            f'The label "{examples.label.name}" must have different, finite values.',
            hint="Remove rows with infinite labels, or take another label.",
        )
    return values.astype(np.float64)


def _in_order(examples: ExampleSet, scores: Scores) -> AttributeWeights:
    """Return weights in the order of the data: the algorithm has numbers first."""
    schema = examples.schema
    place = np.argsort(np.concatenate([schema.regular_numerical, schema.regular_nominal]))
    return examples.weights(scores.statistic[place])


@operator(
    group=GROUP,
    role="weighting",
    accepts=Accepts(
        label="binominal",
        attributes="numerical or nominal",
        instead="For more than two classes use Weight by ReliefF.",
    ),
    describe=describe_weights,
    tags=("kira rendell", "nearest hit", "nearest miss", "interaction"),
    random=True,
)
def weight_by_relief(
    examples: ExampleSet,
    *,
    metric: Metric = "manhattan",
    sample_ratio: SampleRatio = 1.0,
    collapse_duplicates: CollapseDuplicates = True,
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Relief

    Scores attributes by how much more they differ between a row and its nearest neighbour of the
    other class than of its own. All rows take part, so the result does not depend on chance, and
    attributes that matter only together are found too.

    Weights lie between −1 and 1; what is not above 0 tells nothing. Redundant attributes all score
    high. The cost grows with the square of the number of rows. Copies of a row, as resampling makes
    them, are not its neighbours, but add to what it counts.

    .. math:: W_j = \frac1n \sum_i \mathrm{diff}_j(i, M_i) - \mathrm{diff}_j(i, H_i)

    References
    ----------
    Kira, Rendell (1992): The feature selection problem. AAAI.
    """
    scores = algorithms.relief(
        examples.numeric(),
        examples.nominal(),
        examples.binary_label(),
        metric=metric,
        m=_rows(examples, sample_ratio),
        rng=ctx.rng("rows"),
        collapse_duplicates=collapse_duplicates,
    )
    return _in_order(examples, scores)


@operator(
    group=GROUP,
    role="weighting",
    accepts=Accepts(label="any", attributes="numerical or nominal", missing=True),
    describe=describe_weights,
    aliases=rapidminer(),
    tags=(
        "kononenko",
        "nearest neighbours",
        "interaction",
        "multi-class",
        "missing values",
        "regression",
        "rrelieff",
    ),
    random=True,
)
def weight_by_relieff(
    examples: ExampleSet,
    *,
    number_of_neighbors: Annotated[
        int,
        Field(
            ge=1,
            description="How many nearest rows to look at, of each class if the label has classes.",
        ),
    ] = 10,
    weighting: Annotated[
        Literal["uniform", "rank"],
        Field(description="Let all neighbours count the same, or nearer ones more."),
    ] = "uniform",
    sigma: Annotated[
        float, When(weighting="rank"), Field(gt=0, description="How slowly the influence falls.")
    ] = 20.0,
    metric: Metric = "manhattan",
    sample_ratio: SampleRatio = 1.0,
    collapse_duplicates: CollapseDuplicates = True,
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by ReliefF

    Scores attributes as Relief does, with several neighbours, any number of classes, and missing
    values (whose difference is taken as the chance that the values differ).

    Weights lie between −1 and 1; what is not above 0 tells nothing. Redundant attributes all score
    high. The cost grows with the square of the number of rows. Copies of a row, as resampling makes
    them, are not its neighbours: the nearest rows are different ones, and copies add to what a row
    counts.

    For a numerical label it is RReliefF: of the nearest rows, whatever their label, it takes how
    much their labels differ as the chance that they differ, and compares the differences of an
    attribute where the label does and does not differ. Weights are unknown if the labels of near
    rows never differ.

    .. math:: W_j = P(j \text{ differs} \mid \text{label differs})
        - P(j \text{ differs} \mid \text{label is alike})

    References
    ----------
    Robnik-Šikonja, Kononenko (2003): Theoretical and empirical analysis of ReliefF and RReliefF.
    Machine Learning 53, 23–69.
    """
    with_classes = has_classes(examples)
    scores = (algorithms.relieff if with_classes else rrelieff)(
        examples.numeric(),
        examples.nominal(),
        class_codes(examples) if with_classes else _varying_label(examples),
        k=number_of_neighbors,
        weighting=weighting,
        sigma=sigma,
        metric=metric,
        m=_rows(examples, sample_ratio),
        rng=ctx.rng("rows"),
        collapse_duplicates=collapse_duplicates,
    )
    return _in_order(examples, scores)
