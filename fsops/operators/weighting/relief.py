"""Weights by nearest neighbors."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats
from fsops.algorithms.neighbors import relief as algorithms
from fsops.algorithms.neighbors.rapidminer_relief import rapidminer_relief
from fsops.algorithms.neighbors.rrelieff import rrelieff
from fsops.core import Accepts, Context, When, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.errors import DataError, ParameterError
from fsops.operators.compatibility import Compatibility
from fsops.operators.modeling.estimators import has_classes
from fsops.operators.weighting.scores import class_codes, describe_weights, rapidminer

GROUP = "Weighting/Neighbours"

Metric = Annotated[
    Literal["manhattan", "euclidean"], Field(description="Distance between two rows.")
]
SampleRatio = Annotated[
    float,
    Field(
        gt=0,
        le=1,
        description="Fraction of the rows whose neighbors are compared; 1: all, unless they are "
        "drawn with replacement. Ignored if number_of_rows is set.",
    ),
]
NumberOfRows = Annotated[
    Annotated[int, Field(ge=1)] | None,
    Field(
        description="Number of rows whose neighbors are compared; empty: sample_fraction of all. "
        "It may exceed the number of rows only with replacement."
    ),
]
RowSampling = Annotated[
    Literal["without replacement", "with replacement"],
    Field(description="Sampling of the rows whose neighbors are compared."),
]
Scaling = Annotated[
    Literal["range", "none"],
    Field(
        description="range: divide the differences of numbers by the range of their attribute; "
        "none: take them as they are, so that attributes with large values count more."
    ),
]
CollapseDuplicates = Annotated[
    bool,
    Field(
        description="Treat equal rows of a class, as in a bootstrap, as one row that counts "
        "several times; otherwise a copy is the nearest neighbor of its original."
    ),
]


def sampled_rows(
    examples: ExampleSet, ratio: float, number: int | None, sampling: str
) -> int | None:
    """Return how many rows to sample; None for all of them, which needs no random numbers."""
    n, with_replacement = len(examples), sampling == "with replacement"
    if number is None:
        return None if ratio == 1 and not with_replacement else max(1, round(ratio * n))
    if number > n and not with_replacement:
        raise ParameterError(
            f"number_of_rows is {number}, but the data has {n} rows.",
            hint="Lower it, or set sampling to with replacement.",
        )
    return None if number == n and not with_replacement else number


def varying_label(examples: ExampleSet) -> Floats:
    """Return a numerical label; one that is always the same is an error."""
    values = examples.label_values()
    if not np.ptp(values) > 0:
        raise DataError(
            f'The label "{examples.label.name}" must have different values.',
            hint="Take another label, or more rows.",
        )
    return values.astype(np.float64)


def by_attribute(examples: ExampleSet, weights: Floats) -> AttributeWeights:
    """Return weights in the order of the data: the algorithm has numbers first."""
    schema = examples.schema
    if not len(schema.regular_nominal):
        return examples.weights(weights)
    place = np.argsort(np.concatenate([schema.regular_numerical, schema.regular_nominal]))
    return examples.weights(weights[place])


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
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
    sample_fraction: SampleRatio = 1.0,
    number_of_rows: NumberOfRows = None,
    sampling: RowSampling = "without replacement",
    scaling: Scaling = "range",
    collapse_duplicates: CollapseDuplicates = True,
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Relief

    Scores attributes by how much more they differ between a row and its nearest neighbor of the
    other class than of the same class. By default it uses all rows, so the result does not depend
    on the seed. It also finds attributes that matter only together.

    Weights are between −1 and 1 (with scaling none they have the unit of the attribute);
    attributes without a positive weight are uninformative. Rows at the same distance share the
    position of the nearest one, so the order of the rows does not matter. Redundant attributes all
    score high. The cost grows with the square of the number of rows. Copies of a row, which
    resampling makes, do not count as its neighbors, but add to its weight. Row weights are such
    numbers of copies: a row of weight 2 counts twice, and n is the sum of the weights. Without
    collapse_duplicates a row of weight 2 is its own nearest neighbor, at the distance 0.

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
        m=sampled_rows(examples, sample_fraction, number_of_rows, sampling),
        replace=sampling == "with replacement",
        rng=ctx.rng("rows"),
        collapse_duplicates=collapse_duplicates,
        scaling=scaling,
    )
    return by_attribute(examples, scores.statistic)


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
    accepts=Accepts(label="any", attributes="numerical or nominal", missing=True),
    describe=describe_weights,
    aliases=rapidminer(),
    tags=(
        "kononenko",
        "nearest neighbors",
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
            description="Number of nearest rows to compare, of each class if the label has "
            "classes.",
        ),
    ] = 10,
    weighting: Annotated[
        Literal["uniform", "rank"],
        Field(description="Give all neighbors the same weight, or nearer neighbors more."),
    ] = "uniform",
    sigma: Annotated[
        float,
        When(weighting="rank"),
        Field(
            gt=0,
            description="Decrease of the weight with the rank of the neighbor: a large value "
            "means a slow decrease.",
        ),
    ] = 20.0,
    metric: Metric = "manhattan",
    sample_fraction: SampleRatio = 1.0,
    number_of_rows: NumberOfRows = None,
    sampling: RowSampling = "without replacement",
    scaling: Scaling = "range",
    collapse_duplicates: CollapseDuplicates = True,
    compatibility: Compatibility = "fsops",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by ReliefF

    Scores attributes as Relief does, with several neighbors, any number of classes, and missing
    values (whose difference is taken as the chance that the values differ).

    Weights are between −1 and 1 (with scaling none they have the unit of the attribute);
    attributes without a positive weight are uninformative. Rows at the same distance share their
    positions, so the order of the rows does not matter. Redundant attributes all score high. The
    cost grows with the square of the number of rows. Copies of a row, which resampling makes, do
    not count as its neighbors, but add to its weight. Row weights are such numbers of copies: a row
    of weight 2 counts twice, as a row that is compared, as one of the neighbors of another row, and
    in the fractions of the classes. Without collapse_duplicates and with compatibility rapidminer,
    a row of weight 2 is its own nearest neighbor, at the distance 0. If all values of an attribute
    are missing, its weight is unknown.

    For a numerical label it is RReliefF. Each row is compared with its nearest rows, whatever their
    label. The difference of two labels counts as the probability that they are different; an
    attribute is good if it differs more between different labels than between equal ones. Weights
    are unknown if the labels of near rows never differ.

    With compatibility rapidminer and classes: near rows have the smallest Euclidean distance of the
    values as they are; numbers differ by (abs(x − z) − min) / (max − min); sums are not divided by
    the number of neighbors; metric, weighting and scaling have no effect. If all values of an
    attribute are missing, its weight is 0.

    .. math:: W_j = P(j \text{ differs} \mid \text{label differs})
        - P(j \text{ differs} \mid \text{label is alike})

    References
    ----------
    Robnik-Šikonja, Kononenko (2003): Theoretical and empirical analysis of ReliefF and RReliefF.
    Machine Learning 53, 23–69.
    """
    with_classes = has_classes(examples)
    m = sampled_rows(examples, sample_fraction, number_of_rows, sampling)
    replace = sampling == "with replacement"
    if with_classes and compatibility == "rapidminer":
        drawn = None if m is None else ctx.rng("rows").choice(len(examples), m, replace=replace)
        return by_attribute(
            examples,
            rapidminer_relief(
                examples.numeric(),
                examples.nominal(),
                class_codes(examples),
                k=number_of_neighbors,
                rows=drawn,
            ),
        )
    scores = (algorithms.relieff if with_classes else rrelieff)(
        examples.numeric(),
        examples.nominal(),
        class_codes(examples) if with_classes else varying_label(examples),
        k=number_of_neighbors,
        weighting=weighting,
        sigma=sigma,
        metric=metric,
        m=m,
        replace=replace,
        rng=ctx.rng("rows"),
        collapse_duplicates=collapse_duplicates,
        scaling=scaling,
    )
    return by_attribute(examples, scores.statistic)
