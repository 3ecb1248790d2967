"""Selections by the path of a penalised method, whose penalty is cross-validated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats, Ints
from fsops.core import Accepts, Context, Expert, Named, operator
from fsops.data import AttributeWeights, ExampleSet, MetaData, SizeCurves
from fsops.data.curves import Rule
from fsops.data.design import row_groups
from fsops.errors import DataError
from fsops.operators.weighting.scores import class_codes, describe_weights

GROUP = "Selection"

NumberOfFolds = Annotated[
    int, Field(ge=2, description="Number of folds; at most the number of rows or row groups.")
]
Choose = Annotated[
    Rule,
    Field(
        description="minimum: the penalty with the smallest mean error; one standard error: the "
        "fewest attributes whose mean error is within one standard error of it."
    ),
]


class PathChosen(NamedTuple):
    """Results of a selection by a path."""

    weights: Annotated[
        AttributeWeights, Named(description="Above 0 for the selected attributes, 0 for others.")
    ]
    curve: Annotated[SizeCurves, Named(description="Error in the folds by number of attributes.")]


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    return {"weights": describe_weights(inputs, parameters)}


def _parts(examples: ExampleSet, folds: int, codes: Ints | None, ctx: Context) -> Ints:
    """Return the fold of each row; rows of one group are in the same fold."""
    from fsops.algorithms.base.resampling import partition

    groups = row_groups(examples)
    most = len(examples) if groups is None else int(groups.max()) + 1
    if most < 2:
        raise DataError(
            "One row, or one group of rows, cannot be cross-validated.", hint="Take more rows."
        )
    return partition(len(examples), min(folds, most), ctx.rng("folds"), strata=codes, groups=groups)


def _curve(
    name: str, features: Ints, errors: Floats, criterion: str, rule: Rule
) -> tuple[SizeCurves, int]:
    """Return the errors by number of attributes, and the place on the path that is chosen.

    Of several places with one number of attributes that with the smallest mean error counts, of
    equal ones the first.
    """
    order = np.lexsort((np.round(errors.mean(axis=1), 12), features))
    sizes, first = np.unique(features[order], return_index=True)
    places = order[first][sizes > 0]
    sizes = sizes[sizes > 0]
    if not sizes.size:
        raise DataError(
            f"{name} finds no attribute that is related to the label.",
            hint="Check the label, or take more rows.",
        )
    scores = errors[places][None]
    open_curve = SizeCurves([name], sizes, scores, criterion=criterion, maximize=False)
    chosen = open_curve.choose(rule)
    curve = SizeCurves([name], sizes, scores, criterion=criterion, maximize=False, chosen=chosen)
    return curve, int(places[sizes == chosen[0]][0])


@operator(
    group=GROUP,
    role="selection",
    accepts=Accepts(
        label="any",
        attributes="numerical",
        instead="For more than two classes use Select by Shrunken Centroids.",
    ),
    describe=_describe,
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
    choose: Choose = "one standard error",
    number_of_folds: NumberOfFolds = 10,
    steps: Annotated[
        int, Expert(), Field(ge=2, le=1000, description="Number of penalties on the path.")
    ] = 100,
    ctx: Context,
) -> PathChosen:
    r"""Select by Elastic Net Path

    Fits linear models for a falling penalty, which admits more and more attributes, and chooses the
    penalty by cross-validation. Weights are the sizes of the coefficients at the chosen penalty, on
    standardized attributes; the detail "coefficient" has their signs, in the unit of the label. The
    curve has the error by number of attributes.

    Scaling and the first estimate of the adaptive lasso are computed on the training rows of each
    fold. Two classes are coded 0 and 1 and fitted by squares, not by a logistic model: the
    selection is nearly the same, the coefficients are not log odds. The lasso selects at most as
    many attributes as rows, and which of several correlated attributes may depend on few rows: use
    Stability Selection around it for claims about single attributes. The error on the curve is
    optimistic at its minimum; validate the whole process from outside. Missing values and row
    weights are refused.

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
    part = _parts(examples, number_of_folds, codes, ctx)
    path = penalty_path(
        examples.numeric(),
        examples.numeric_label(),
        part,
        l1_ratio=l1_ratio,
        adaptive=adaptive,
        steps=steps,
    )
    curve, at = _curve("Elastic net", path.features, path.errors, "squared_error", choose)
    coefficients = path.coefficients[:, at]
    details = {"coefficient": coefficients}
    return PathChosen(examples.weights(np.abs(coefficients), details=details), curve)


@operator(
    group=GROUP,
    role="selection",
    accepts=Accepts(
        label="nominal",
        attributes="numerical",
        instead="For a numerical label use Select by Elastic Net Path.",
    ),
    describe=_describe,
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
    choose: Choose = "minimum",
    number_of_folds: NumberOfFolds = 10,
    steps: Annotated[
        int, Field(ge=2, le=1000, description="Number of thresholds on the path.")
    ] = 30,
    equal_priors: Annotated[
        bool,
        Field(description="Take all classes as equally likely, whatever their number of rows."),
    ] = False,
    ctx: Context,
) -> PathChosen:
    r"""Select by Shrunken Centroids

    Moves the means of all classes towards the overall mean, by a threshold in units of their
    standard errors, until only few attributes differ. The threshold is chosen by cross-validation
    of the nearest centroid; of equally good thresholds the largest. Weights are the largest
    remaining difference of an attribute over all classes, 0 if none remains. The detail
    "threshold" has the chosen threshold, "difference" the largest difference before shrinking with
    its sign, "class" the number of its class from 0, in sorted order. The curve has the error by
    number of attributes. Nearest Centroid with this threshold as shrinkage predicts with the
    selected attributes.

    It suits many attributes, few rows and several classes, as in gene expression. It looks at one
    attribute at a time: copies of an attribute are all kept, and attributes that matter only
    together are not found. The error on the curve is optimistic at its minimum; validate the whole
    process from outside. The differences of attributes with a small deviation are bounded by the
    median deviation. Missing values and row weights are refused.

    .. math:: d_{kj} = \frac{\bar x_{kj} - \bar x_j}{m_k (s_j + s_0)}, \qquad
        d'_{kj} = \mathrm{sign}(d_{kj}) \max(|d_{kj}| - \Delta, 0)

    References
    ----------
    Tibshirani, Hastie, Narasimhan, Chu (2002): Diagnosis of multiple cancer types by shrunken
    centroids of gene expression. PNAS 99, 6567–6572.
    """
    from fsops.algorithms.filters.shrunken import shrinkage_path

    present, codes = np.unique(class_codes(examples), return_inverse=True)
    part = _parts(examples, number_of_folds, codes, ctx)
    try:
        path = shrinkage_path(
            examples.numeric(), codes, part, steps=steps, equal_priors=equal_priors
        )
    except ValueError as error:
        raise DataError(
            f"Shrunken centroids cannot be computed in each fold: {error}",
            hint="Take more rows of each class, fewer folds, or remove constant attributes.",
        ) from None
    # The strongest shrinkage first: it wins among equal errors.
    features, errors = path.features[::-1], path.errors[::-1]
    curve, at = _curve("Shrunken centroids", features, errors, "classification_error", choose)
    threshold = float(path.thresholds[::-1][at])
    differences = path.centroids.differences
    largest = np.abs(differences).argmax(axis=0)
    weights = np.abs(path.centroids.shrunken(threshold)).max(axis=0)
    p = weights.size
    details = {
        "difference": differences[largest, np.arange(p)],
        "class": present[largest].astype(np.float64),
        "threshold": np.full(p, threshold),
    }
    return PathChosen(examples.weights(weights, details=details), curve)
