"""Weights by counts: the information of the values of an attribute about the class.

Of a sparse table few columns at a time are dense; presence and counts need the stored values only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.types import Scores
from fsops.algorithms.preparation import discretize as bins
from fsops.algorithms.statistics import information
from fsops.algorithms.statistics.counts import (
    chi_squared_of_counts,
    presence_counts,
    tiled_counts,
)
from fsops.algorithms.statistics.information import Contingency
from fsops.core import Accepts, Context, When, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.row_weights import has_whole_weights, repeated
from fsops.errors import DataError, enumerate_names
from fsops.operators.compatibility import Compatibility
from fsops.operators.counts import require_counts
from fsops.operators.weighting.scores import (
    PAIRWISE,
    Codes,
    Floats,
    class_codes,
    describe_weights,
    rapidminer,
    scores_by_columns,
    weights_of,
)

GROUP = "Weighting/Information"
NOMINAL_LABEL = Accepts(
    label="nominal",
    attributes="numerical or nominal",
    missing=True,
    instead="Use Weight by Correlation for a numerical label.",
    blocks=True,
    sparse=True,
)

HOW = (
    "Discretization of numbers: two categories by the most informative cut, bins of equal size or "
    "width, "
    "cuts by entropy (MDL), low, middle and high around the mean, or presence: above 0 or not"
)
Discretization = Annotated[
    Literal[
        "best split", "equal frequency", "equal width", "entropy", "mean and deviation", "presence"
    ],
    Field(description=f"{HOW}."),
]
Bins = Annotated[
    int,
    When(discretization=("equal frequency", "equal width")),
    Field(ge=2, description="Number of bins for numbers."),
]
Missing = Annotated[
    Literal["error", "category", "pairwise"],
    Field(
        description="Missing values: stop, count as a separate category, or leave out for "
        "their attribute only."
    ),
]

PRESENCE = "presence"
COUNTS = "counts"
CUT_BY_CLASS = ("best split", "entropy")
"""Discretizations that look at the classes, so that tests of the same rows are not valid."""
EQUAL_PARTS = "equal parts"
"""Bins of equal size, closed on the left."""
BEST_RATIO, BEST_GINI = "best gain ratio", "best Gini gain"
"""Two bins, by the cut that the weight itself finds best."""
OwnSplit = Annotated[Compatibility, When(discretization="best split")]
_CUTS: Mapping[str, Callable[[Floats, Codes, int], bins.CutPoints]] = {
    "best split": lambda X, classes, count: bins.best_split(X, classes),
    BEST_RATIO: lambda X, classes, count: bins.best_split(X, classes, bins.gain_ratio_of_splits),
    BEST_GINI: lambda X, classes, count: bins.best_split(X, classes, bins.gini_gain_of_splits),
    "equal frequency": lambda X, classes, count: bins.equal_frequency(X, count),
    "equal width": lambda X, classes, count: bins.equal_width(X, count),
    "entropy": lambda X, classes, count: bins.minimum_description_length(X, classes),
    "mean and deviation": lambda X, classes, count: bins.mean_sd(X),
    PRESENCE: lambda X, classes, count: bins.CutPoints(np.zeros((1, X.shape[1]))),
}


def attribute_codes(examples: ExampleSet, classes: Codes, method: str, count: int) -> Codes:
    """Return all regular attributes as codes: categories as they are, numbers in bins."""
    schema = examples.schema
    binned = _binned(examples.numeric(), classes, method, count)
    codes = np.empty((len(examples), len(schema.regular)), dtype=np.intp)
    place = np.empty(len(schema), dtype=np.intp)
    place[schema.regular] = np.arange(len(schema.regular))
    codes[:, place[schema.regular_nominal]] = examples.nominal()
    codes[:, place[schema.regular_numerical]] = binned
    return codes


def _binned(X: Floats, classes: Codes, method: str, count: int) -> npt.NDArray[Any]:
    """Return numbers as codes of few bytes, stored as the numbers are."""
    if method == EQUAL_PARTS:
        return bins.frequency_codes(X, count)
    return _CUTS[method](X, classes, count).apply(X)


def contingency(
    examples: ExampleSet,
    method: str,
    count: int,
    missing: Literal["error", "category", "pairwise"],
    ctx: Context,
) -> Contingency:
    """Return how often each value of each regular attribute meets each class."""
    if not len(examples.schema.regular_numerical):
        counts = examples.counts(missing=missing, otherwise=PAIRWISE, ctx=ctx)
        return counts.without_unused()
    from fsops.algorithms.filters.streaming import side_by_side

    # Numbers are cut on all rows.
    cut = partial(_counted, method, count, missing)
    found: Contingency = side_by_side(examples.by_columns(cut, ctx=ctx))
    return found


def _counted(
    method: str,
    count: int,
    missing: Literal["error", "category", "pairwise"],
    examples: ExampleSet,
    names: Sequence[str],
) -> Contingency:
    """Return the counts of a table in memory, whose numbers are cut into bins."""
    if not len(examples.schema.regular_numerical):
        return examples.counts(missing=missing, otherwise=PAIRWISE).without_unused()
    only_numbers = not len(examples.schema.regular_nominal)
    if not (examples.is_sparse and only_numbers):
        examples = NOMINAL_LABEL.loaded(examples)
    # Cuts other than those of equal width count the rows.
    if examples.is_sparse or method != "equal width" or has_whole_weights(examples):
        examples = repeated(examples, f'discretization="{method}"')
    if missing == "error":
        examples.require_complete(PAIRWISE)
    classes = class_codes(examples)
    how: information.Missing = "pairwise" if missing == "pairwise" else "category"
    if examples.is_sparse and method == PRESENCE:
        return presence_counts(examples.matrix(), classes, how)
    if examples.is_sparse:
        return tiled_counts(
            examples.matrix(), classes, lambda X: _binned(X, classes, method, count), how
        )
    if only_numbers:
        codes = _binned(examples.numeric(), classes, method, count)
    else:
        codes = attribute_codes(examples, classes, method, count)
    return Contingency.of(codes, classes, missing=how, weights=examples.row_weights)


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=NOMINAL_LABEL,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("entropy", "kullback-leibler", "filter", "nominal", "id3"),
)
def weight_by_information_gain(
    examples: ExampleSet,
    *,
    discretization: Discretization = "best split",
    number_of_bins: Bins = 10,
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Information Gain

    Scores every attribute by the information gain about the class, in bits. It takes any number of
    classes, and nominal and numerical attributes. Numbers are first cut at a threshold, which is
    found on the same rows.

    Attributes with many categories get too large weights: compare them by Weight by
    Symmetric Uncertainty or Gain Ratio instead. An attribute with one value gets 0.

    .. math:: IG = H(y) - \sum_v p(v)\, H(y \mid x = v)

    References
    ----------
    Quinlan (1986): Induction of decision trees. Machine Learning 1, 81–106.
    """
    table = contingency(examples, discretization, number_of_bins, missing, ctx)
    return weights_of(examples, information.mutual_information_from(table))


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=NOMINAL_LABEL,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("gain ratio", "entropy", "c4.5", "filter", "nominal"),
)
def weight_by_information_gain_ratio(
    examples: ExampleSet,
    *,
    discretization: Discretization = "best split",
    number_of_bins: Bins = 10,
    missing: Missing = "error",
    compatibility: OwnSplit = "fsops",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Information Gain Ratio

    Scores every attribute by its information gain divided by its own entropy, so that attributes
    with many categories have no advantage. Numbers are first cut at a threshold, which is found on
    the same rows.

    It can overrate an attribute whose values are very unequally frequent. An attribute with one
    value gets 0. The best split has the largest information gain (fsops, as in C4.5) or the largest
    gain ratio (rapidminer).

    .. math:: GR = IG / H(x)

    References
    ----------
    Quinlan (1993): C4.5: Programs for Machine Learning.
    """
    own = discretization == "best split" and compatibility == "rapidminer"
    method = BEST_RATIO if own else discretization
    table = contingency(examples, method, number_of_bins, missing, ctx)
    return weights_of(examples, information.gain_ratio_from(table))


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=NOMINAL_LABEL,
    describe=describe_weights,
    aliases=rapidminer("weight_by_uncertainty"),
    tags=("normalized mutual information", "entropy", "filter", "nominal"),
)
def weight_by_symmetric_uncertainty(
    examples: ExampleSet,
    *,
    discretization: Discretization = "best split",
    number_of_bins: Bins = 10,
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Symmetric Uncertainty

    Scores every attribute by the information it shares with the class, relative to the entropies
    of both: 0 for none, 1 if each determines the other. Comparable between attributes with few
    and many categories. Numbers are first cut at a threshold, which is found on the same rows.

    An attribute with one value gets 0.

    .. math:: SU = \frac{2\, IG}{H(x) + H(y)}

    References
    ----------
    Press et al. (1988): Numerical Recipes in C.
    """
    table = contingency(examples, discretization, number_of_bins, missing, ctx)
    return weights_of(examples, information.symmetric_uncertainty_from(table))


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=NOMINAL_LABEL,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("impurity", "cart", "filter", "nominal"),
)
def weight_by_gini_index(
    examples: ExampleSet,
    *,
    discretization: Discretization = "best split",
    number_of_bins: Bins = 10,
    missing: Missing = "error",
    compatibility: OwnSplit = "fsops",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Gini Index

    Scores every attribute by how much its value reduces the impurity of the classes, as decision
    trees do. Numbers are first cut at a threshold, which is found on the same rows.

    Attributes with many categories get too large weights. An attribute with one value gets 0.
    The best split has the largest information gain (fsops) or the largest Gini gain (rapidminer).

    .. math:: G(y) - \sum_v p(v)\, G(y \mid x = v), \qquad G = 1 - \sum_c p_c^2

    References
    ----------
    Breiman et al. (1984): Classification and Regression Trees.
    """
    own = discretization == "best split" and compatibility == "rapidminer"
    method = BEST_GINI if own else discretization
    table = contingency(examples, method, number_of_bins, missing, ctx)
    return weights_of(examples, information.gini_gain_from(table))


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=NOMINAL_LABEL,
    describe=describe_weights,
    aliases=rapidminer("weight_by_chi_squared_statistic"),
    tags=("contingency", "independence", "p-value", "filter", "nominal"),
)
def weight_by_chi_squared(
    examples: ExampleSet,
    *,
    discretization: Annotated[
        Literal[
            "best split",
            "equal frequency",
            "equal width",
            "entropy",
            "mean and deviation",
            "presence",
            "counts",
        ],
        Field(description=f"{HOW}. With counts, the numbers themselves are added up by class."),
    ] = "best split",
    number_of_bins: Bins = 10,
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Chi Squared

    Scores every attribute by Pearson's statistic of independence from the class; the details have
    the p-value and the degrees of freedom. Numbers are first cut at a threshold, which is found on
    the same rows.

    The statistic grows with the number of categories, and its p-value is rough if expected counts
    are below five. An attribute with one value gets 0. Numbers have no p-value if discretization is
    "best split" or "entropy": cuts that fit the classes make it far too small. For p-values choose
    another discretization, Weight by Wilcoxon Test, or Permutation Test of Weights.

    With counts, such as words in texts, the sums of an attribute in the classes are compared with
    sums in proportion to the rows of the classes, as scikit-learn's ``chi2`` does. Missing values
    are left out then, if missing is not "error".

    .. math:: \chi^2 = \sum \frac{(O - E)^2}{E}

    References
    ----------
    Pearson (1900): On the criterion that a given system of deviations … Phil. Mag. 50, 157–175.
    """
    if discretization == COUNTS:
        counted = partial(_chi_squared_of_counts, missing)
        return weights_of(examples, scores_by_columns(examples, counted, ctx))
    table = contingency(examples, discretization, number_of_bins, missing, ctx)
    scores = information.chi_squared_from(table, p_values=False)
    if discretization in CUT_BY_CLASS:
        scores = _without_p_values_of_numbers(scores, examples)
    return weights_of(examples, scores)


def _without_p_values_of_numbers(scores: Scores, examples: ExampleSet) -> Scores:
    """Return the scores without the p-values of numbers, whose cuts depend on the classes."""
    schema, compute = examples.schema, scores.later_p_values
    if not len(schema.regular_numerical) or compute is None:
        return scores
    if not len(schema.regular_nominal):
        return replace(scores, later_p_values=None)
    numbers = np.isin(schema.regular, schema.regular_numerical)
    return replace(scores, later_p_values=lambda: np.where(numbers, np.nan, compute()))


def _chi_squared_of_counts(missing: str, examples: ExampleSet, names: Sequence[str]) -> Scores:
    examples = repeated(examples, 'discretization="counts"')
    nominal = examples.schema.names_at(examples.schema.regular_nominal)
    if nominal:
        raise DataError(
            f"Counts are numbers, but {enumerate_names(nominal)} "
            f"{'is' if len(nominal) == 1 else 'are'} nominal.",
            hint='Leave them out (Select Attributes), or set discretization to "best split".',
        )
    if missing == "error":
        examples.require_complete(PAIRWISE)
    require_counts(examples, 'Set discretization to "best split".')
    return chi_squared_of_counts(examples.matrix(), class_codes(examples))


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=NOMINAL_LABEL,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("mi", "shannon", "entropy", "filter", "nominal"),
)
def weight_by_mutual_information(
    examples: ExampleSet,
    *,
    discretization: Discretization = "equal frequency",
    number_of_bins: Bins = 10,
    base: Annotated[
        float, Field(gt=1, description="2 for bits, 2.718281828459045 for nats.")
    ] = 2.0,
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Mutual Information

    Scores every attribute by the mutual information of its values and the class. Numbers are cut
    into bins first, ten of equal size unless set otherwise; with two bins by the best cut it is
    Weight by Information Gain.

    With few rows per bin the estimate is too high, for all attributes in the same way: use fewer
    bins. An attribute with one value gets 0.

    .. math:: I(x; y) = H(x) + H(y) - H(x, y)

    References
    ----------
    Shannon (1948): A mathematical theory of communication. Bell System Technical Journal 27.
    """
    table = contingency(examples, discretization, number_of_bins, missing, ctx)
    return weights_of(examples, information.mutual_information_from(table, base=base))
