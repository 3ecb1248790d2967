"""Weights by all rows within a radius."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats, Ints
from fsops.core import Accepts, Context, When, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.operators.modeling.estimators import has_classes
from fsops.operators.weighting.relief import GROUP, by_attribute, varying_label
from fsops.operators.weighting.scores import class_codes, describe_weights

ACCEPTS = Accepts(label="any", attributes="numerical or nominal", missing=True)
TAGS = ("rebate", "skrebate", "interaction", "epistasis", "multi-class", "missing values")


def _scores(examples: ExampleSet, radius: Any, columns: Ints | None = None) -> Floats:
    """Return the scores of some attributes, those with numbers first; of all without columns."""
    from fsops.algorithms.neighbors.surf import surf

    with_classes = has_classes(examples)
    label = class_codes(examples) if with_classes else varying_label(examples)
    numeric, nominal = _taken(examples, columns)
    return surf(numeric, nominal, label, radius=radius, classes=with_classes).statistic


def _taken(examples: ExampleSet, columns: Ints | None) -> tuple[Any, Any]:
    numeric, nominal = examples.numeric(), examples.nominal()
    if columns is None:
        return numeric, nominal
    count = numeric.shape[1]
    return numeric[:, columns[columns < count]], nominal[:, columns[columns >= count] - count]


@operator(
    group=GROUP,
    role="weighting",
    accepts=ACCEPTS,
    describe=describe_weights,
    tags=("spatially uniform relieff", *TAGS),
)
def weight_by_surf(examples: ExampleSet) -> AttributeWeights:
    r"""Weight by SURF

    Scores attributes as ReliefF does, with all rows as neighbors whose distance is below the mean
    distance of all pairs of rows. It does not need a number of neighbors.

    Weights are between −1 and 1 (up to the number of classes minus 1 if there are more than two);
    attributes with a weight of 0 or less do not separate the classes. MultiSURF is usually the
    better choice: it detects more kinds of interactions. Do not use it for more than some thousand
    rows, because the cost grows with the square of their number. It does not remove redundant
    attributes: all copies of an attribute score high. Among many irrelevant attributes distances
    become similar; then use TuRF. The formula is that of two classes; of more, the near misses of a
    class count by their fraction.

    Numbers differ by their distance divided by the range, categories by 0 or 1; in tables with both
    kinds, numbers that differ by more than a standard deviation count as 1. Pairs of rows with a
    missing value are left out for its attribute. If all values of an attribute are missing, its
    weight is unknown. Two numerical labels are similar if they differ by less than the standard
    deviation.

    Row weights are refused: two copies of a row would be near hits of each other that differ in
    nothing, and their distance of 0 would shrink the radius. For whole numbers use Weight by
    ReliefF, which leaves copies out of the neighbors.

    The package skrebate counts the distances of rows from themselves in the mean distance, which
    makes its radius smaller by the factor 1 − 1/n. Otherwise the scores are equal.

    .. math:: W_j = \frac1n \sum_i \overline{\mathrm{diff}}_j(i, \text{near misses})
        - \overline{\mathrm{diff}}_j(i, \text{near hits})

    References
    ----------
    Greene, Penrod, Kiralis, Moore (2009): Spatially uniform ReliefF (SURF) for
    computationally-efficient filtering of gene-gene interactions. BioData Mining 2, 5.
    """
    return by_attribute(examples, _scores(examples, "surf"))


@operator(
    group=GROUP,
    role="weighting",
    accepts=ACCEPTS,
    describe=describe_weights,
    tags=("spatially uniform relieff", "surf*", "farthest", *TAGS),
)
def weight_by_surf_star(examples: ExampleSet) -> AttributeWeights:
    r"""Weight by SURF*

    Scores attributes as SURF does, and subtracts the same score of the rows that are farther away
    than the mean distance. Far rows sharpen the detection of pure interactions of two attributes.

    Weights are between −2 and 2 with two classes. Do not use it to find attributes that matter
    alone: far rows weaken their scores, so that they may rank below noise; MultiSURF finds both.
    The cost grows with the square of the number of rows. If all values of an attribute are missing,
    its weight is unknown. Other missing values, kinds of attributes and labels are handled as in
    Weight by SURF. Row weights are refused for the same reason.

    References
    ----------
    Greene, Himmelstein, Kiralis, Moore (2010): The informative extremes: using both nearest and
    farthest individuals can improve Relief algorithms in the domain of human genetics. EvoBIO.
    """
    return by_attribute(examples, _scores(examples, "surf*"))


@operator(
    group=GROUP,
    role="weighting",
    accepts=ACCEPTS,
    describe=describe_weights,
    tags=("multiple threshold", *TAGS),
)
def weight_by_multisurf(examples: ExampleSet) -> AttributeWeights:
    r"""Weight by MultiSURF

    Scores attributes as ReliefF does, with a radius for each row: its neighbors are the rows whose
    distance is below its mean distance from all rows minus half of the standard deviation. It
    does not need a number of neighbors. It detects attributes that matter alone, and interactions
    of two and three attributes.

    Weights are between −1 and 1 (up to the number of classes minus 1 if there are more than two);
    attributes with a weight of 0 or less do not separate the classes. The cost grows with the
    square of the number of rows: with numba, tables of numbers may have some ten thousand rows;
    without it, or with categories, do not use it for more than some thousand. It does not remove
    redundant attributes: all copies of an attribute score high. Among many thousand irrelevant
    attributes distances become similar; then use TuRF.

    If all values of an attribute are missing, its weight is unknown. Other missing values, kinds of
    attributes and labels are handled as in Weight by SURF, and row weights are refused for the same
    reason. The scores are those of the package skrebate; only in tables with numbers and categories
    without missing values its distances weight categories by another factor.

    .. math:: i' \text{ is near } i \iff d(i, i') < \bar d_i - \tfrac12 s_i

    References
    ----------
    Urbanowicz, Olson, Schmitt, Meeker, Moore (2018): Benchmarking Relief-based feature selection
    methods for bioinformatics data mining. Journal of Biomedical Informatics 85, 168–188.
    """
    return by_attribute(examples, _scores(examples, "multisurf"))


@operator(
    group=GROUP,
    role="weighting",
    accepts=ACCEPTS,
    describe=describe_weights,
    tags=("tuned relieff", "iterative", "elimination", *TAGS),
)
def weight_by_turf(
    examples: ExampleSet,
    *,
    method: Annotated[
        Literal["multisurf", "surf", "surf*", "relieff"],
        Field(description="Weighting that each iteration computes."),
    ] = "multisurf",
    number_of_neighbors: Annotated[
        int,
        When(method="relieff"),
        Field(ge=1, description="Nearest rows to compare, of each class if the label has classes."),
    ] = 10,
    fraction: Annotated[
        float,
        Field(gt=0, lt=1, description="Fraction of the attributes that each iteration drops."),
    ] = 0.5,
    min_attributes: Annotated[
        int,
        Field(ge=1, description="Number of attributes at which the iterations stop."),
    ] = 100,
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by TuRF

    Drops the attributes with the lowest weights, computes the distances and weights of the others
    again, and repeats. Distances in thousands of irrelevant attributes are all alike; after each
    iteration they depend less on noise.

    There are at most 1 / fraction iterations. The remaining attributes get their last weights.
    Dropped attributes get smaller weights than all others; earlier dropped ones get the smallest.
    Attributes dropped in the same iteration share a weight. The detail "dropped_in_iteration" is 0
    for attributes that remain. Weights of dropped and remaining attributes are not comparable in
    size, only in order.

    Do not use it for fewer than a few hundred attributes: the weighting alone gives nearly the
    same. It cannot bring back an attribute that was dropped early. If all values of an attribute
    are missing, its weight is unknown, and it is dropped before all others; then it gets a weight
    as any dropped attribute. Other missing values, kinds of attributes and labels are handled as in
    the chosen method. Row weights are refused, because SURF and MultiSURF cannot use them.

    References
    ----------
    Moore, White (2007): Tuning ReliefF for genome-wide genetic analysis. EvoBIO, LNCS 4447,
    166–175.
    """
    from fsops.algorithms.neighbors.turf import turf

    def score(columns: Ints) -> Floats:
        if method == "relieff":
            return _relieff(examples, columns, number_of_neighbors)
        return _scores(examples, method, columns)

    p = len(examples.schema.regular_names)
    steps = ctx.progress(range(int(1 / fraction)), "Iterations")
    found = turf(
        score, p, fraction=fraction, least=min_attributes, on_step=lambda *_: next(steps, None)
    )
    weights = by_attribute(examples, found.weights)
    dropped = by_attribute(examples, found.dropped_in.astype(np.float64)).values
    return examples.weights(weights.values, details={"dropped_in_iteration": dropped})


def _relieff(examples: ExampleSet, columns: Ints, k: int) -> Floats:
    from fsops.algorithms.neighbors.relief import relieff
    from fsops.algorithms.neighbors.rrelieff import rrelieff

    numeric, nominal = _taken(examples, columns)
    if has_classes(examples):
        return relieff(numeric, nominal, class_codes(examples), k=k).statistic
    return rrelieff(numeric, nominal, varying_label(examples), k=k).statistic
