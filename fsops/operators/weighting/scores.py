"""From a filter's scores to attribute weights: what all weighting operators share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.moments import ClassMoments
from fsops.algorithms.base.types import Scores
from fsops.algorithms.statistics.significance import Weighting, adjust_p_values, weights_from
from fsops.core import Accepts, Aliases, Context
from fsops.core.operator import Resampled
from fsops.data import AttributeWeights, ExampleSet, ExampleSetMetaData, MetaData, WeightsMetaData
from fsops.errors import enumerate_names

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
TwoClassWeighting = Callable[..., AttributeWeights]
MULTICLASS = "multiclass"
TOGETHER = "together"


def rapidminer(*keys: str, **parameters: str) -> Aliases:
    """Return the aliases of a weighting: in RapidMiner its table is called "example set"."""
    return Aliases(keys, {"example set": "examples"}, parameters)


TWO_CLASSES = Accepts(
    label="binominal",
    attributes="numerical",
    missing=True,
    instead="For more than two classes use Weight by Moderated t.",
)
CLASSES = Accepts(label="nominal", attributes="numerical", missing=True)
CLASSES_IN_BLOCKS = replace(CLASSES, blocks=True, sparse=True)
CLASSES_BY_COLUMNS = replace(CLASSES, blocks="columns", sparse=True)

Missing = Annotated[
    Literal["error", "pairwise"],
    Field(description="Missing values: stop, or leave each out for its attribute only."),
]
Weight = Annotated[
    Weighting,
    Field(description="Weight: 1 − p, −log10 p, or the size of the statistic."),
]
Multiclass = Annotated[
    Literal["maximum", "mean", "refuse"],
    Field(
        description="More than two classes: compare each class with all others and use the "
        "largest absolute weight or the mean, or stop with an error."
    ),
]
MulticlassModel = Annotated[
    Literal["together", "maximum", "mean", "refuse"],
    Field(
        description="More than two classes: weights of a model of all classes (together), each "
        "class compared with all others and the largest absolute weight or the mean used, or an "
        "error."
    ),
]
Adjustment = Annotated[
    Literal["none", "bonferroni", "holm", "benjamini_hochberg", "benjamini_yekutieli", "storey"],
    Field(
        description="Adjustment of the p-values for the number of attributes; storey gives "
        "q-values. For Westfall and Young use Permutation Test of Weights."
    ),
]


def describe_weights(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> WeightsMetaData:
    """Return that every regular attribute will have a weight."""
    meta = inputs.get("examples")
    schema = meta.schema if isinstance(meta, ExampleSetMetaData) else None
    return WeightsMetaData(names=None if schema is None else schema.regular_names)


def describe_same_names(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    """Return that the same attributes will have a weight as in the input."""
    return inputs.get("weights", WeightsMetaData())


PAIRWISE = "set missing to pairwise"
"""Treatment of missing values by the parameter of that name."""


def one_against_rest(function: TwoClassWeighting) -> TwoClassWeighting:
    """Return a weighting of two classes that takes more, with the parameter `multiclass`.

    Put it between ``@operator`` and the function. Labels with two classes, and numbers, are passed
    on as they are. Further details are the class that gave the weight, and the weight of each
    class.
    """
    return _with_multiclass(function, Multiclass, "maximum")


def together_or_against_rest(function: TwoClassWeighting) -> TwoClassWeighting:
    """Return a weighting of any number of classes that can also compare each with the others.

    Its parameter `multiclass` has a further value, the default, for a model of all classes.
    """
    return _with_multiclass(function, MulticlassModel, TOGETHER)


def _with_multiclass(
    function: TwoClassWeighting, annotation: Any, default: str
) -> TwoClassWeighting:
    signature = inspect.signature(function)
    places = list(signature.parameters.values())
    port = places[0].name

    @wraps(function)
    def weigh(*, multiclass: str = default, **given: Any) -> AttributeWeights:
        examples: ExampleSet = given.pop(port)
        # Two classes are compared with each other.
        if examples.class_number <= 2 or multiclass == TOGETHER:  # noqa: PLR2004
            return function(examples, **given)
        from fsops.operators.weighting.one_against_rest import compared_with_rest

        return compared_with_rest(partial(function, **given), examples, multiclass)

    added = inspect.Parameter(
        MULTICLASS, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
    last = len(places) - (places[-1].kind is inspect.Parameter.VAR_KEYWORD)
    declared: Any = weigh
    declared.__signature__ = signature.replace(parameters=[*places[:last], added, *places[last:]])
    declared.__annotations__ = {**function.__annotations__, MULTICLASS: annotation}
    return weigh


def numbers(examples: ExampleSet, missing: str) -> Floats:
    """Return the numerical attributes, complete unless missing values are to be left out."""
    if missing == "error":
        examples.require_complete(PAIRWISE)
    return examples.numeric()


def stored_numbers(examples: ExampleSet, missing: str) -> Any:
    """Return the same as `numbers`, for methods that take a sparse matrix as well."""
    if missing == "error":
        examples.require_complete(PAIRWISE)
    return examples.matrix()


def scores_by_columns(
    examples: ExampleSet, score: Callable[[ExampleSet, Sequence[str]], Scores], ctx: Context
) -> Scores:
    """Return the scores of attributes that are looked at one by one, with all rows.

    ``score`` takes a table and the names of its regular attributes.
    """
    parts = examples.by_columns(score, ctx=ctx)
    return parts[0] if len(parts) == 1 else _joined(parts)


def _joined(parts: Sequence[Scores]) -> Scores:
    """Return the scores of all attributes from those of parts of them."""

    def across(name: str) -> Any:
        arrays = [getattr(part, name) for part in parts]
        return None if arrays[0] is None else np.concatenate(arrays, axis=-1)

    later = [part.later_p_values for part in parts if part.later_p_values is not None]
    return Scores(
        across("weights"),
        across("statistic"),
        across("undefined"),
        across("p_values"),
        across("df"),
        (lambda: np.concatenate([compute() for compute in later])) if later else None,
    )


def class_codes(examples: ExampleSet) -> Codes:
    """Return the class of each row as 0, 1, … in sorted order."""
    return examples.class_codes()[0].astype(np.intp)


def class_moments(
    examples: ExampleSet, missing: Literal["error", "pairwise"], ctx: Context
) -> ClassMoments:
    """Return the moments of the numerical attributes in each class."""
    return examples.moments(missing=missing, otherwise=PAIRWISE, ctx=ctx)


def details_of(scores: Scores) -> dict[str, Any]:
    """Return statistic, p-value, degrees of freedom and further values as details of weights.

    P-values that the weights do not need are computed when they are first read.
    """
    for values in (scores.statistic, scores.df, *scores.more.values()):
        if isinstance(values, np.ndarray):
            values.flags.writeable = False  # they are shared from here on
    details: dict[str, Any] = {"statistic": scores.statistic}
    if scores.p_values is not None:
        details["p_value"] = scores.p_values
    elif scores.later_p_values is not None:
        details["p_value"] = scores.later_p_values
    if scores.df is not None and scores.df.ndim == 1:
        details["df"] = scores.df
    return {**details, **scores.more} if scores.more else details


def weights_of(examples: ExampleSet, scores: Scores, *, signed: bool = False) -> AttributeWeights:
    """Return a filter's scores as weights, with statistic, p-value and freedom as details."""
    values = np.where(scores.undefined, 0.0, scores.statistic) if signed else scores.weights
    values.flags.writeable = False
    return examples.weights(values, details=details_of(scores))


def warn_undefined(scores: Scores, method: str, ctx: Context) -> None:
    """Warn if no attribute has a defined score, although there are attributes."""
    if scores.undefined.size and scores.undefined.all():
        ctx.warn(
            f"{method} is not defined for any attribute: all weights are 0. A class has too few "
            "rows, or no attribute varies."
        )


def warn_infinite(
    examples: ExampleSet,
    scores: Scores,
    ctx: Context,
    reason: str = "values do not vary within the classes",
) -> None:
    """Warn by name of attributes whose statistic is infinite, so that their p-value is 0."""
    infinite = np.flatnonzero(np.isinf(scores.statistic))
    if infinite.size:
        names = examples.schema.regular_names.take(infinite)
        ctx.warn(
            f"{enumerate_names(names)}: {reason}, so the statistic is infinite and "
            "the p-value 0. With few rows or rounded values this happens by chance: use the "
            "p-values of Permutation Test of Weights."
        )


def resampled_by_class(
    score: Callable[..., Scores],
    *names: str,
    joint: Callable[[Mapping[str, Any]], bool] | None = None,
) -> Resampled:
    """Return how a filter on class moments computes many resamples at once.

    ``names`` are the operator's parameters the filter takes, as ``ours=theirs`` or just the name;
    ``joint`` returns from the parameters whether an attribute's score depends on the others.
    """

    def weights(examples: ExampleSet, counts: Floats, **parameters: Any) -> Floats | None:
        if parameters.get("signed") or examples.missing_by_attribute:
            return None
        if parameters.get("adjustment", "none") != "none" or parameters.get("permutations"):
            return None
        codes = class_codes(examples)
        if not (counts @ (codes[:, None] == np.arange(codes.max() + 1))).all():
            return None  # a resample lacks a class, which the operator itself must judge
        if MULTICLASS in parameters and codes.max() > 1:
            return None  # one against the others
        chosen = {
            theirs or ours: parameters[ours]
            for ours, _, theirs in (name.partition("=") for name in names)
        }
        if "weighting" in chosen:  # a test: only its weights are wanted, not its p-values
            chosen["p_values"] = False
        from fsops.algorithms.aggregation.ensemble import resampled_class_scores

        return resampled_class_scores(
            examples.matrix(),
            codes,
            counts,
            partial(score, **chosen),
            joint=joint is not None and joint(parameters),
        )

    return weights


def tested_weights(
    examples: ExampleSet, scores: Scores, weight: Weighting, adjustment: str, ctx: Context
) -> AttributeWeights:
    """Return a test's scores as weights, p-values adjusted for the number of attributes."""
    warn_undefined(scores, "The test", ctx)
    saturated = np.count_nonzero(scores.weights == 1) if weight == "one_minus_p" else 0
    if saturated > 1:
        ctx.warn(
            f"{saturated} attributes share the weight 1, because 1 − p cannot separate p-values "
            "below 1e-16. Set weight to neg_log10_p to rank them."
        )
    if adjustment == "none" or scores.p_values is None:
        return weights_of(examples, scores)
    adjusted = adjust_p_values(scores.p_values, adjustment)  # type: ignore[arg-type]
    values = weights_from(scores.statistic, adjusted, weight)
    details = {**details_of(scores), "adjusted_p_value": adjusted}
    return examples.weights(values, details=details)
