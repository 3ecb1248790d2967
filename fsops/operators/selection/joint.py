"""Selections by the information that pairs of attributes have about the class."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.mrmr.selection import Selection
from fsops.core import Accepts, Context, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.operators.selection.measures import BINS, MrmrCache
from fsops.operators.selection.mrmr import GROUP
from fsops.operators.sizes import Size
from fsops.operators.weighting.information import EQUAL_PARTS, attribute_codes
from fsops.operators.weighting.scores import class_codes, describe_weights

ACCEPTS = Accepts(
    label="nominal",
    attributes="numerical or nominal",
    missing=True,
    instead="For a numerical label discretize it, or use Select by MRMR / CFS.",
)
Bins = Annotated[
    int,
    Field(
        ge=2,
        le=100,
        description="Number of bins of equal size for numbers. With few rows choose few bins: the "
        "counts of three variables together become small.",
    ),
]
Output = Annotated[
    Literal["selection", "ranking"],
    Field(description="Weights 1 and 0, or the highest for the first selected down to 1."),
]


def _weights(
    examples: ExampleSet, found: Selection, output: str, name: str, relevance: np.ndarray
) -> AttributeWeights:
    p = len(examples.schema.regular_names)
    weights, scores = np.zeros(p), np.full(p, np.nan)
    weights[found.order] = np.arange(len(found.order), 0, -1.0) if output == "ranking" else 1.0
    scores[found.order] = found.scores
    return examples.weights(weights, details={"relevance": relevance, name: scores})


@operator(
    group=GROUP,
    role="selection",
    row_weights="whole numbers",
    accepts=ACCEPTS,
    describe=describe_weights,
    tags=(
        "joint mutual information",
        "conditional mutual information maximization",
        "double input symmetrical relevance",
        "interaction capping",
        "brown",
        "fleuret",
        "interaction",
        "forward",
    ),
)
def select_by_jmi_cmim(
    examples: ExampleSet,
    *,
    k: Annotated[int, Field(ge=1, description="Number of attributes to select.")] = 10,
    criterion: Annotated[
        Literal["jmi", "cmim", "disr", "icap"],
        Field(
            description="jmi: information of pairs, added up. cmim: the least information given "
            "one selected attribute. disr: jmi divided by the joint entropy. icap: relevance minus "
            "redundancy that the class does not explain."
        ),
    ] = "jmi",
    number_of_bins: Bins = BINS,
    output: Output = "selection",
    ctx: Context,
) -> AttributeWeights:
    r"""Select by JMI / CMIM / DISR / ICAP

    Selects attributes one by one by their information about the class together with, or given, each
    selected attribute. Unlike MRMR these criteria credit attributes that are informative only
    together with a selected one. JMI gives the most stable selections; CMIM drops redundant
    attributes most strictly.

    They compare two attributes at a time and estimate tables of three variables: with less than
    about 50 rows, or many categories, such tables are nearly empty and noise looks informative.
    Then use MRMR. The first attribute is the one with the largest mutual information. Numbers are
    cut into bins of equal size. A missing value counts as one more category. Row weights must be
    whole numbers. If several attributes are equally good, the first one is selected. The detail
    "score" has the criterion of each selected attribute in bits (disr: without unit). Attributes
    with the role must_keep count among the k and are selected first.

    .. math:: \mathrm{JMI}: \sum_s I(x, s; y), \quad \mathrm{CMIM}: \min_s I(x; y \mid s), \quad
        \mathrm{DISR}: \sum_s \frac{I(x, s; y)}{H(x, s, y)}, \quad
        \mathrm{ICAP}: I(x; y) - \sum_s \max(0, I(x; s) - I(x; s \mid y))

    References
    ----------
    Brown, Pocock, Zhao, Luján (2012): Conditional likelihood maximization: a unifying framework
    for information theoretic feature selection. JMLR 13, 27–66.
    Yang, Moody (1999): Data visualization and feature selection. NIPS.
    Fleuret (2004): Fast binary feature selection with conditional mutual information. JMLR 5.
    """
    from fsops.algorithms.mrmr.joint import JointInformation, select_jointly

    size = Size.within(examples, k, ctx)
    k = size.k
    classes = class_codes(examples)
    codes = attribute_codes(examples, classes, EQUAL_PARTS, number_of_bins)
    information = JointInformation(codes, classes, criterion, columns=k)
    _warn_few_rows(examples, codes, classes, ctx)
    steps = ctx.progress(range(k), "Attributes")

    def on_step(done: int, total: int) -> None:
        next(steps, None)

    found = select_jointly(information, k, on_step=on_step, first=size.first)
    return _weights(examples, found, output, "score", information.relevance)


def _warn_few_rows(
    examples: ExampleSet, codes: np.ndarray, classes: np.ndarray, ctx: Context
) -> None:
    """Warn if tables of two attributes and the class have more cells than there are rows."""
    levels = int(np.median(codes.max(axis=0, initial=0))) + 1
    cells = levels**2 * (int(classes.max(initial=0)) + 1)
    if cells > len(examples):
        ctx.warn(
            f"Two attributes and the class have about {cells} combinations of values, but the data "
            f"has {len(examples)} rows: most of the information is noise. Choose fewer bins, or "
            "Select by MRMR / CFS."
        )


@operator(
    group=GROUP,
    role="selection",
    row_weights="whole numbers",
    accepts=ACCEPTS,
    describe=describe_weights,
    tags=("fast correlation based filter", "yu liu", "symmetrical uncertainty", "predominant"),
)
def select_by_fcbf(
    examples: ExampleSet,
    cache: MrmrCache | None = None,
    *,
    threshold: Annotated[
        float,
        Field(
            ge=0,
            lt=1,
            description="Attributes whose symmetric uncertainty with the class is not above this "
            "are left out; 0 keeps all informative attributes.",
        ),
    ] = 0.0,
    max_attributes: Annotated[
        Annotated[int, Field(ge=1)] | None,
        Field(description="Largest number of attributes; empty: no limit."),
    ] = None,
    number_of_bins: Bins = BINS,
    output: Output = "selection",
    ctx: Context,
) -> AttributeWeights:
    r"""Select by Fast Correlation-Based Filter (FCBF)

    Keeps relevant attributes that are not redundant. It goes from the most relevant attribute down
    and drops every attribute whose symmetric uncertainty with a kept attribute is at least its
    symmetric uncertainty with the class. The number of attributes results from the data.

    It is fast, because every kept attribute drops many others, and removes redundancy strictly. Do
    not use it to find attributes that matter only together, or many weak attributes: use JMI or
    MRMR. With few rows all uncertainties are too large; then raise the threshold or take fewer
    bins. Numbers are cut into bins of equal size. A missing value counts as one more category. Row
    weights must be whole numbers. A cache must use the measure symmetric uncertainty; the bins of
    the cache are used. Attributes with the role must_keep count among max_attributes and are
    selected first, whatever their relevance.

    .. math:: \mathrm{SU}(a, b) = \frac{2 I(a; b)}{H(a) + H(b)}, \qquad
        \text{drop } x \text{ if } \mathrm{SU}(x, s) \ge \mathrm{SU}(x, y)

    References
    ----------
    Yu, Liu (2003): Feature selection for high-dimensional data: a fast correlation-based filter
    solution. ICML, 856–863.
    """
    from fsops.algorithms.mrmr.joint import fcbf
    from fsops.algorithms.mrmr.measures import NominalRedundancy, Redundancy, defined
    from fsops.algorithms.statistics.information import symmetric_uncertainty
    from fsops.operators.selection.mrmr import require_measure, restricted

    redundancy: Redundancy
    if cache is None:
        classes = class_codes(examples)
        codes = attribute_codes(examples, classes, EQUAL_PARTS, number_of_bins)
        relevance = defined(symmetric_uncertainty(codes, classes).weights)
        redundancy = NominalRedundancy(codes, "su")
    else:
        require_measure(cache, "symmetric uncertainty")
        here = restricted(cache.measures, cache.positions(examples))
        relevance, redundancy = here.relevance, here.redundancy
    most = len(relevance) if max_attributes is None else max_attributes
    size = Size.of(examples, most, ctx, "max_attributes")
    found = fcbf(
        relevance,
        redundancy,
        threshold=threshold,
        k=None if max_attributes is None else size.k,
        on_step=lambda *_: ctx.check_cancelled(),
        first=size.first,
    )
    if not found.order.size:
        ctx.warn(
            f"No attribute has a symmetric uncertainty with the class above {threshold:g}: none "
            "is selected. Lower the threshold."
        )
    return _weights(examples, found, output, "symmetric_uncertainty", relevance)
