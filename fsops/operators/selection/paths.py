"""Selections by the path of a penalized method, whose penalty is cross-validated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.search.size_choice import SizeRule, chosen_size
from fsops.core import Accepts, Context, Expert, Named, operator
from fsops.data import (
    AttributeWeights,
    CoefficientPath,
    ExampleSet,
    MetaData,
    ShrunkenCentroids,
    SizeCurves,
)
from fsops.data.design import row_groups
from fsops.data.row_weights import repeated
from fsops.errors import DataError
from fsops.operators.selection.resamples import inner_folds
from fsops.operators.size_choice import Choose, Percent
from fsops.operators.weighting.cox import TIMES, Ties, times_of
from fsops.operators.weighting.scores import class_codes, describe_weights

GROUP = "Selection"
DEVIANCE = "partial_likelihood_deviance"
TIED = 1e-9
"""Differences of classes that are equal up to this fraction are equal."""
NULL_RULES = ("best", "one_standard_error", "within_percent")
"""Rules that can be asked whether they would choose no attribute."""

NumberOfFolds = Annotated[
    int, Field(ge=2, description="Number of folds; at most the number of rows or row groups.")
]


class CentroidsChosen(NamedTuple):
    """Results of a selection by shrunken centroids."""

    weights: Annotated[
        AttributeWeights,
        Named(description="Above 0 for the selected attributes, 0 for others."),
    ]
    curve: Annotated[SizeCurves, Named(description="Error in the folds by number of attributes.")]
    centroids: Annotated[
        ShrunkenCentroids,
        Named(description="Differences of each class from the overall mean, after shrinking."),
    ]


class PenaltyChosen(NamedTuple):
    """Results of a selection by a path of penalties."""

    weights: Annotated[
        AttributeWeights,
        Named(description="Above 0 for the selected attributes, 0 for others."),
    ]
    curve: Annotated[SizeCurves, Named(description="Error in the folds by number of attributes.")]
    path: Annotated[
        CoefficientPath, Named(description="Coefficients at every penalty, and the chosen one.")
    ]


def describe_path(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> dict[str, MetaData]:
    """Return that every regular attribute will have a weight."""
    return {"weights": describe_weights(inputs, parameters)}


def chosen_on_curve(
    name: str,
    features: Ints,
    errors: Floats,
    criterion: str,
    rule: SizeRule,
    *,
    percent: float,
    ctx: Context,
) -> tuple[SizeCurves, int]:
    """Return the errors by number of attributes, and the place on the path that is chosen.

    Among places with one number of attributes the one with the smallest mean error counts; if
    several are equal, the first. At least one attribute is chosen, with a warning if none would do
    as well.
    """
    means = errors.mean(axis=1)
    largest = float(np.abs(means).max(initial=0.0)) or 1.0
    # Means that are equal up to rounding, in any unit of the label.
    order = np.lexsort((np.round(means / largest, 12), features))
    sizes, first = np.unique(features[order], return_index=True)
    every, of_every = order[first], sizes
    places, sizes = every[sizes > 0], sizes[sizes > 0]
    if not sizes.size:
        raise DataError(
            f"{name} finds no attribute that is related to the label.",
            hint="Check the label, or take more rows.",
        )
    scores = errors[places][None]
    open_curve = SizeCurves([name], sizes, scores, criterion=criterion, maximize=False)
    chosen = open_curve.choose(rule, percent)
    curve = SizeCurves([name], sizes, scores, criterion=criterion, maximize=False, chosen=chosen)
    if rule in NULL_RULES and not of_every[0]:
        _warn_of_null_model(of_every, errors[every], criterion, rule, percent, ctx)
    return curve, int(places[sizes == chosen[0]][0])


def _warn_of_null_model(  # noqa: PLR0917 - the parts of a curve
    sizes: Ints, errors: Floats, criterion: str, rule: SizeRule, percent: float, ctx: Context
) -> None:
    """Warn if the rule would choose no attribute at all."""
    curve = SizeCurves([""], sizes, errors[None], criterion=criterion, maximize=False)
    means, spread = curve.mean[0], curve.standard_error[0]
    if chosen_size(sizes, means, spread, rule, percent=percent) == 0:
        best = int(means[1:].argmin()) + 1
        shown = "attribute" if sizes[best] == 1 else "attributes"
        ctx.warn(
            f"The attributes may not help: without any of them the {criterion.replace('_', ' ')} "
            f"is {means[0]:.4g}, with the best {sizes[best]} {shown} {means[best]:.4g}. By the "
            f"rule {rule} none would be selected."
        )


def entered(
    examples: ExampleSet, penalties: Floats, coefficients: Floats, at: int, groups: Any = None
) -> CoefficientPath:
    """Return the path of the attributes that have a coefficient at some penalty.

    ``coefficients`` are attributes by penalties, ``groups`` names of groups of all attributes.
    """
    ever = np.flatnonzero(coefficients.any(axis=1))
    return CoefficientPath(
        examples.schema.regular_names.take(ever),
        penalties,
        np.ascontiguousarray(coefficients[ever].T),
        chosen=at,
        groups=() if groups is None else np.asarray(groups)[ever].tolist(),
    )


@operator(
    group=GROUP,
    role="selection",
    row_weights="used",
    accepts=Accepts(
        label="any",
        attributes="numerical",
        instead="For more than two classes use Select by Shrunken Centroids.",
    ),
    describe=describe_path,
    tags=(
        "lasso",
        "adaptive lasso",
        "regularization path",
        "glmnet",
        "one standard error",
        "embedded",
        "l1",
        "sparse",
    ),
    random=True,
)
def select_by_elastic_net_path(
    examples: ExampleSet,
    *,
    l1_ratio: Annotated[
        float,
        Field(
            gt=0,
            le=1,
            description="1: lasso, which keeps one of several correlated attributes; smaller: "
            "elastic net, which keeps them together.",
        ),
    ] = 1.0,
    adaptive: Annotated[
        float,
        Field(
            ge=0,
            le=5,
            description="0: equal penalties. Above 0: divide the penalty of each attribute by the "
            "size of its ridge coefficient to this power (adaptive lasso; usually 1).",
        ),
    ] = 0.0,
    choose: Choose = "one_standard_error",
    percent: Percent = 1.0,
    number_of_folds: NumberOfFolds = 10,
    steps: Annotated[
        int, Expert(), Field(ge=2, le=1000, description="Number of penalties on the path.")
    ] = 100,
    ctx: Context,
) -> PenaltyChosen:
    r"""Select by Elastic Net Path

    Fits linear models with a falling penalty, which admits more and more attributes.
    Cross-validation chooses the penalty. Weights are the absolute coefficients at the chosen
    penalty, on standardized attributes; the detail "coefficient" has their signs, in the unit of
    the label. The curve has the error by number of attributes, the path the coefficients at every
    penalty.

    Scaling and the first estimate of the adaptive lasso are computed on the training rows of each
    fold. Two classes are coded 0 and 1 and fitted by least squares, not by a logistic model: the
    selection is nearly the same, but the coefficients are not log odds. The lasso selects at most
    as many attributes as rows, and a few rows may decide which of several correlated attributes it
    selects: use Stability Selection around it for claims about single attributes. The error on the
    curve is optimistic at its minimum; validate the whole process from outside. Missing values are
    refused.

    Row weights count in means, deviations, squared errors and the first estimate, as the weights of
    glmnet do, and in the errors of the folds. A row of weight 2 has the effect of two equal rows
    that share a value of the role group: both are in one fold. Folds have about the same sums of
    weights, and each fold counts once in the mean error and its standard error. In the formula n is
    then the sum of the row weights, and each squared error is multiplied by its weight.

    .. math:: \min_\beta \tfrac1{2n} \|y - X\beta\|^2 + \alpha \sum_j w_j
        \left(r |\beta_j| + \tfrac{1 - r}2 w_j \beta_j^2\right), \qquad
        w_j = |\hat\beta_j^{\text{ridge}}|^{-\gamma}

    References
    ----------
    Friedman, Hastie, Tibshirani (2010): Regularization paths for generalized linear models via
    coordinate descent. Journal of Statistical Software 33(1).
    Zou (2006): The adaptive lasso and its oracle properties. JASA 101, 1418–1429.
    """
    from fsops.algorithms.linear.penalty_path import penalty_path

    codes = class_codes(examples) if examples.label.value_type.is_nominal else None
    part = inner_folds(examples, number_of_folds, codes, ctx)
    path = penalty_path(
        examples.numeric(),
        examples.numeric_label(),
        part,
        weights=examples.row_weights,
        l1_ratio=l1_ratio,
        adaptive=adaptive,
        steps=steps,
    )
    curve, at = chosen_on_curve(
        "Elastic net", path.features, path.errors, "squared_error", choose, percent=percent, ctx=ctx
    )
    coefficients = path.coefficients[:, at]
    return PenaltyChosen(
        examples.weights(np.abs(coefficients), details={"coefficient": coefficients}),
        curve,
        entered(examples, path.penalties, path.coefficients, at),
    )


@operator(
    group=GROUP,
    role="selection",
    row_weights="used",
    accepts=Accepts(
        label="nominal",
        attributes="numerical",
        instead="For a numerical label use Select by Elastic Net Path.",
    ),
    describe=describe_path,
    tags=(
        "nearest shrunken centroids",
        "pam",
        "pamr",
        "prediction analysis for microarrays",
        "embedded",
        "one standard error",
        "multi-class",
    ),
    random=True,
)
def select_by_shrunken_centroids(
    examples: ExampleSet,
    *,
    choose: Choose = "best",
    percent: Percent = 1.0,
    number_of_folds: NumberOfFolds = 10,
    steps: Annotated[
        int, Field(ge=2, le=1000, description="Number of thresholds on the path.")
    ] = 30,
    equal_priors: Annotated[
        bool,
        Field(
            description="Treat all classes as equally likely, even if their numbers of rows differ."
        ),
    ] = False,
    ctx: Context,
) -> CentroidsChosen:
    r"""Select by Shrunken Centroids

    Moves the means of all classes towards the overall mean, by a threshold in units of their
    standard errors, until only few attributes differ. The threshold is chosen by cross-validation
    of the nearest centroid; if several are equally good, the largest is chosen. Weights are the
    largest remaining difference of an attribute over all classes, 0 if none remains. The detail
    "threshold" has the chosen threshold, "difference" the largest difference before shrinking with
    its sign, "class" the number of its class from 0, in sorted order. The curve has the error by
    number of attributes. The centroids have the remaining differences of every class; their figure
    has a column of bars per class. Nearest Centroid with this threshold as shrinkage predicts with
    the selected attributes.

    It suits many attributes, few rows and several classes, as in gene expression. It uses one
    attribute at a time: all copies of an attribute are kept, and attributes that matter only
    together are not found. The error on the curve is optimistic at its minimum; validate the whole
    process from outside. The differences of attributes with a small deviation are bounded by the
    median deviation. Missing values are refused.

    Row weights count in means, deviations, sizes of classes and error rates. A row of weight 2 has
    the effect of two equal rows that share a value of the role group: both are in one fold. Folds
    have about the same sums of weights.

    .. math:: d_{kj} = \frac{\bar x_{kj} - \bar x_j}{m_k (s_j + s_0)}, \qquad
        d'_{kj} = \mathrm{sign}(d_{kj}) \, \max(|d_{kj}| - \Delta, 0)

    References
    ----------
    Tibshirani, Hastie, Narasimhan, Chu (2002): Diagnosis of multiple cancer types by shrunken
    centroids of gene expression. PNAS 99, 6567–6572.
    """
    from fsops.algorithms.filters.shrunken import shrinkage_path

    classes = examples.class_codes()[1]
    codes = class_codes(examples)
    part = inner_folds(examples, number_of_folds, codes, ctx)
    try:
        path = shrinkage_path(
            examples.numeric(),
            codes,
            part,
            weights=examples.row_weights,
            steps=steps,
            equal_priors=equal_priors,
        )
    except ValueError as error:
        raise DataError(
            f"Shrunken centroids cannot be computed in each fold: {error}",
            hint="Take more rows of each class, larger row weights or fewer folds, or remove "
            "constant attributes.",
        ) from None
    # The strongest shrinkage first: it wins among equal errors.
    features, errors = path.features[::-1], path.errors[::-1]
    curve, at = chosen_on_curve(
        "Shrunken centroids",
        features,
        errors,
        "classification_error",
        choose,
        percent=percent,
        ctx=ctx,
    )
    threshold = float(path.thresholds[::-1][at])
    differences = path.centroids.differences
    size = np.abs(differences)
    # Of classes that differ by rounding only, as two of equal size do, the first.
    largest = (size >= (1 - TIED) * size.max(axis=0)).argmax(axis=0)
    shrunken = path.centroids.shrunken(threshold)
    weights = np.abs(shrunken).max(axis=0)
    p = weights.size
    details = {
        "difference": differences[largest, np.arange(p)],
        "class": largest.astype(np.float64),
        "threshold": np.full(p, threshold),
    }
    differing = np.flatnonzero(weights)
    return CentroidsChosen(
        examples.weights(weights, details=details),
        curve,
        ShrunkenCentroids(
            examples.schema.regular_names.take(differing),
            classes,
            shrunken[:, differing],
            threshold=threshold,
        ),
    )


@operator(
    group=GROUP,
    role="selection",
    row_weights="used",
    accepts=replace(TIMES, missing=False),
    describe=describe_path,
    tags=(
        "survival",
        "proportional hazards",
        "censored",
        "coxnet",
        "glmnet",
        "lasso",
        "elastic net",
        "one standard error",
        "embedded",
    ),
    random=True,
)
def select_by_cox_path(
    examples: ExampleSet,
    *,
    l1_ratio: Annotated[
        float,
        Field(
            ge=0.01,
            le=1,
            description="1: lasso, which keeps one of several correlated attributes; smaller: "
            "elastic net, which keeps them together.",
        ),
    ] = 1.0,
    ties: Ties = "efron",
    choose: Choose = "one_standard_error",
    percent: Percent = 1.0,
    number_of_folds: NumberOfFolds = 10,
    steps: Annotated[
        int, Expert(), Field(ge=2, le=1000, description="Number of penalties on the path.")
    ] = 50,
    ctx: Context,
) -> PenaltyChosen:
    r"""Select by Cox Path

    Fits Cox's proportional hazards model to all attributes together. A falling penalty admits more
    and more attributes; cross-validation chooses the penalty. The label is a time, and the
    attribute with the role event says whether the event happened then (1) or the row was only
    observed up to then (0). Weights are the absolute coefficients at the chosen penalty: logarithms
    of the hazard ratio of one standard deviation. The details have the coefficient with its sign,
    above 0 where large values mean early events, and the hazard ratio.

    Folds are stratified by event. The deviance of a fold is the loss in partial likelihood when its
    rows join the training rows. With fewer than about 50 events the choice of the penalty is
    uncertain: use Weight by Cox Model for single attributes. The lasso keeps one of several
    correlated attributes, and a few rows may decide which one: use Stability Selection around it
    for claims about single attributes. Do not use it where hazards cross. Coefficients are shrunken
    and have no p-values. The deviance on the curve is optimistic at its minimum; validate the whole
    process from outside. Missing values are refused.

    Row weights count in means, deviations, risk sets and events, and n is their sum. With
    ties="breslow" they are the weights of glmnet. Efron's approximation takes only whole numbers:
    an event of weight 2 is two events at the same time, while R's coxph gives tied events their
    mean weight. A row of weight 2 has the effect of two equal rows that share a value of the role
    group: both are in one fold. Folds have about the same sums of weights, and each fold counts
    once in the mean deviance and its standard error. Doubled weights add a constant to the
    deviance, so choose="within_percent" depends on the sum of the weights; other rules do not.

    .. math:: \min_\beta -\tfrac1n \ell(\beta) + \alpha
        \left(r \|\beta\|_1 + \tfrac{1 - r}2 \|\beta\|^2\right)

    References
    ----------
    Simon, Friedman, Hastie, Tibshirani (2011): Regularization paths for Cox's proportional hazards
    model via coordinate descent. Journal of Statistical Software 39(5).
    Verweij, van Houwelingen (1993): Cross-validation in survival analysis. Statistics in Medicine
    12, 2305–2314.
    """
    from fsops.algorithms.linear.cox_path import cox_path

    found = times_of(examples, ctx)
    groups = row_groups(examples)
    events = int(np.count_nonzero(found.event))
    if groups is not None:
        events = np.unique(groups[found.event]).size
    if events < 2:  # noqa: PLR2004 - one in training, one in a test
        rows = "row" if groups is None else "group of rows"
        raise DataError(
            f"One {rows} with an event cannot be cross-validated.",
            hint="Take more rows with an event.",
        )
    part = inner_folds(examples, min(number_of_folds, events), found.event.astype(np.intp), ctx)
    values, weights = examples.numeric(), examples.row_weights
    time, event = found.time, found.event
    if weights is not None and ties == "efron":
        values = repeated(examples, 'ties="efron"').numeric()
        copies = np.repeat(np.arange(len(examples)), weights.astype(np.intp))
        time, event, part, weights = time[copies], event[copies], part[copies], None
    path = cox_path(
        values,
        time,
        event,
        part,
        weights=weights,
        ties=ties,
        l1_ratio=l1_ratio,
        steps=steps,
    )
    curve, at = chosen_on_curve(
        "Cox path", path.features, path.deviances, DEVIANCE, choose, percent=percent, ctx=ctx
    )
    coefficients = path.coefficients[:, at]
    details = {"coefficient": coefficients, "hazard_ratio": np.exp(coefficients)}
    return PenaltyChosen(
        examples.weights(np.abs(coefficients), details=details),
        curve,
        entered(examples, path.penalties, path.coefficients, at),
    )
