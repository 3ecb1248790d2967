"""Weights that look at one attribute at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms import univariate
from fsops.algorithms.types import Scores
from fsops.core import Accepts, Aliases, operator
from fsops.data import AttributeWeights, ExampleSet, ExampleSetMetaData, MetaData, WeightsMetaData

GROUP = "Weighting/Univariate"
# In RapidMiner's weightings the table goes through; here one output may feed many inputs.
RAPIDMINER_PORTS = {"example set": "examples"}

Missing = Annotated[
    Literal["error", "pairwise"],
    Field(description="Missing values: stop, or leave each out for its attribute only."),
]


def describe_weights(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> WeightsMetaData:
    """Return that every regular attribute will have a weight."""
    meta = inputs.get("examples")
    schema = meta.schema if isinstance(meta, ExampleSetMetaData) else None
    return WeightsMetaData(names=None if schema is None else schema.regular_names)


def numbers(examples: ExampleSet, missing: str) -> npt.NDArray[np.float64]:
    """Return the numerical attributes, complete unless missing values are to be left out."""
    if missing == "error":
        examples.require_complete()
    return examples.numeric()


def weights_of(examples: ExampleSet, scores: Scores, *, signed: bool = False) -> AttributeWeights:
    """Return a filter's scores as weights, with statistic, p-value and freedom as details."""
    details = {"statistic": scores.statistic}
    if scores.p_values is not None:
        details["p_value"] = scores.p_values
    if scores.df is not None and scores.df.ndim == 1:
        details["df"] = scores.df
    known = np.where(scores.undefined, 0.0, scores.statistic)
    return examples.weights(known if signed else scores.weights, details=details)


TWO_CLASSES = Accepts(
    label="binominal",
    attributes="numerical",
    missing=True,
    instead="Keep the rows of two classes, or use Weight by Information Gain.",
)


@operator(
    group=GROUP,
    accepts=TWO_CLASSES,
    describe=describe_weights,
    aliases=Aliases(ports=RAPIDMINER_PORTS),
    tags=("significance analysis of microarrays", "relative difference", "tusher", "filter"),
)
def weight_by_sam(
    examples: ExampleSet,
    *,
    s0: Annotated[
        Annotated[float, Field(ge=0)] | Literal["auto", "median"],
        Field(description='Added to each standard error: a number, "median", or "auto" (Tusher).'),
    ] = 0.1,
    signed: Annotated[
        bool, Field(description="Keep the sign: positive is higher in the class that sorts last.")
    ] = False,
    missing: Missing = "error",
) -> AttributeWeights:
    r"""Weight by SAM

    Scores every numerical attribute by the relative difference of two classes: the difference of
    their means over the standard error plus a small constant, which keeps attributes with tiny
    variance from winning by chance. Made for expression data with few rows and many attributes.

    Do not use it on attributes in different units: s0 makes the score depend on the scale.
    It sees differences of means only, and takes exactly two classes. A constant attribute gets 0.

    .. math:: d = \frac{m_+ - m_-}{s + s_0}, \qquad
        s = \sqrt{\frac{1/n_+ + 1/n_-}{n_+ + n_- - 2}\,(SS_+ + SS_-)}

    References
    ----------
    Tusher, Tibshirani, Chu (2001): Significance analysis of microarrays applied to the ionizing
    radiation response. PNAS 98, 5116–5121.
    """
    scores = univariate.sam(numbers(examples, missing), examples.binary_label(), s0=s0)
    return weights_of(examples, scores, signed=signed)


@operator(
    group=GROUP,
    accepts=TWO_CLASSES,
    describe=describe_weights,
    aliases=Aliases(ports=RAPIDMINER_PORTS),
    tags=("t-test", "p-value", "unequal variances", "filter"),
)
def weight_by_welch_test(
    examples: ExampleSet,
    *,
    weight: Annotated[
        Literal["one_minus_p", "neg_log10_p", "abs_statistic"],
        Field(description="What becomes the weight: 1 − p, −log10 p, or |t|."),
    ] = "one_minus_p",
    missing: Missing = "error",
) -> AttributeWeights:
    r"""Weight by Welch Test

    Scores every numerical attribute by a two-sided t-test of two classes that need not have equal
    variances. The statistic t, its degrees of freedom and the p-value come along as details.

    1 − p cannot tell apart p-values below 1e-16: choose −log10 p or \|t\| for very clear data.
    Both classes need two rows. The p-values are not adjusted for the number of attributes.
    A constant attribute gets 0.

    .. math:: t = \frac{m_+ - m_-}{\sqrt{s_+^2/n_+ + s_-^2/n_-}}

    References
    ----------
    Welch (1947): The generalization of Student's problem when several different population
    variances are involved. Biometrika 34, 28–35.
    """
    scores = univariate.welch_t(
        numbers(examples, missing), examples.binary_label(), weighting=weight
    )
    return weights_of(examples, scores)


@operator(
    group=GROUP,
    accepts=Accepts(label="any", attributes="numerical", missing=True),
    describe=describe_weights,
    aliases=Aliases(ports=RAPIDMINER_PORTS),
    tags=("pearson", "linear", "regression", "filter"),
)
def weight_by_correlation(
    examples: ExampleSet,
    *,
    squared_correlation: Annotated[
        bool, Field(description="Use the square of the correlation as the weight.")
    ] = False,
    signed: Annotated[bool, Field(description="Keep the sign of the correlation.")] = False,
    missing: Missing = "error",
) -> AttributeWeights:
    r"""Weight by Correlation

    Scores every numerical attribute by its Pearson correlation with a numerical label, or with a
    label of two classes (coded 0 and 1). The weight is \|r\| unless signed or squared.

    It sees linear dependence only. A constant attribute gets 0.

    .. math:: r = \frac{\sum (x-\bar x)(y-\bar y)}{\sqrt{\sum (x-\bar x)^2 \sum (y-\bar y)^2}}

    References
    ----------
    Pearson (1895): Note on regression and inheritance in the case of two parents.
    """
    nominal = examples.label.value_type.is_nominal
    target = examples.binary_label() if nominal else examples.label_values()
    scores = univariate.pearson(numbers(examples, missing), target, p_values=True)
    weights = weights_of(examples, scores, signed=signed and not squared_correlation)
    if not squared_correlation:
        return weights
    return examples.weights(weights.values**2, details=weights.details)
