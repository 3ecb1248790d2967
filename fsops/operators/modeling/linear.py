"""Linear models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.linear import ols_selection
from fsops.algorithms.linear.penalized import Penalty
from fsops.core import Accepts, Aliases, Context, When, operator
from fsops.core.declare.iterations import Count
from fsops.data import ExampleSet, MetaData, PredictionModel
from fsops.data.metadata import ModelMetaData
from fsops.data.row_weights import repeated
from fsops.errors import DataError
from fsops.operators.modeling.default import SamePrediction
from fsops.operators.modeling.estimators import (
    TRAINING,
    TRAINING_PORT,
    BalanceCost,
    ClassWeights,
    Learned,
    MaxIterations,
    Scale,
    class_weight,
    coefficient_weights,
    describe_learned,
    fitted,
    scaled,
    seed_of,
)
from fsops.operators.modeling.penalized import penalized_fit
from fsops.operators.modeling.sparse_linear import sparse_logistic

GROUP = "Modeling/Linear"
NUMBERS = Accepts(
    label="numerical", attributes="numerical", instead="For classes use Logistic Regression."
)


def _passes(parameters: Mapping[str, Any]) -> Count:
    return Count(2, None, "until no further attribute gets a coefficient")


IN_BLOCKS = replace(NUMBERS, sparse=True, blocks=True, passes=_passes)
CLASSES = Accepts(
    label="nominal", attributes="numerical", instead="For numbers use Linear Regression."
)

UseBias = Annotated[bool, Field(description="Fit a constant too.")]
Alpha = Annotated[float, Field(gt=0, description="Strength of the penalty.")]


def _learned(estimator: Any, scale: bool, examples: ExampleSet, name: str, ctx: Context) -> Learned:
    pipeline = scaled(estimator, scale, centre=not examples.is_sparse)
    model = fitted(pipeline, examples, name, ctx=ctx)
    return Learned(model, coefficient_weights(pipeline, examples))


def _describe_fit(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> dict[str, MetaData]:
    """Return the metadata of a model that may leave attributes out."""
    described = describe_learned(inputs, parameters)
    if parameters["feature_selection"] != "none" or parameters["remove_collinear_attributes"]:
        described["model"] = ModelMetaData(PredictionModel)
    return described


@operator(
    group=GROUP,
    role="learner",
    row_weights="used",
    accepts=NUMBERS,
    describe=_describe_fit,
    aliases=TRAINING,
    tags=("least squares", "ols", "learner", "coefficients"),
)
def linear_regression(
    examples: ExampleSet,
    *,
    use_bias: UseBias = True,
    penalty: Annotated[
        float, Field(ge=0, description="A slight penalty on standardized coefficients; 0 for none.")
    ] = 1e-8,
    feature_selection: Annotated[
        Literal["none", "M5 prime", "T-Test"],
        Field(
            description="Selection inside of the fit: none; M5 prime removes attributes while "
            "Akaike's criterion falls; T-Test keeps significant coefficients."
        ),
    ] = "none",
    significance_level: Annotated[
        float,
        When(feature_selection="T-Test"),
        Field(gt=0, lt=1, description="Significance level of the T-Test."),
    ] = 0.05,
    remove_collinear_attributes: Annotated[
        bool,
        Field(description="Remove attributes that the others predict, before the selection."),
    ] = False,
    min_tolerance: Annotated[
        float,
        When(remove_collinear_attributes=True),
        Field(ge=0, le=1, description="Smallest 1 − R² of an attribute predicted from others."),
    ] = 0.05,
    ctx: Context,
) -> Learned:
    r"""Linear Regression

    Fits a number as a weighted sum of the attributes, by least squares. The weights are the
    absolute standardized coefficients; the detail "coefficient" is per unit of the attribute.

    Attributes that can be computed from others share the coefficient, because of the small penalty.
    With as many attributes as rows it fits the training rows perfectly and says little about other
    rows: select first, or use Ridge Regression. The built-in selections are the same as in
    RapidMiner: dropped attributes get weight 0, and without any attribute the mean is predicted.
    They were chosen on the rows of the fit, so the error on these rows is optimistic.

    .. math:: \min_{b, \beta} \|y - b - X\beta\|^2

    References
    ----------
    Hastie, Tibshirani, Friedman (2009): The Elements of Statistical Learning, section 3.2.
    """
    from sklearn.linear_model import LinearRegression, Ridge

    if penalty:
        estimator = Ridge(alpha=penalty, fit_intercept=use_bias, solver="svd")
    else:
        estimator = LinearRegression(fit_intercept=use_bias)
    tolerance = min_tolerance if remove_collinear_attributes else None
    if feature_selection != "none" or tolerance is not None:  # they test on counts of rows
        examples = repeated(examples, "A selection inside of the fit")
    used = _used_attributes(examples, feature_selection, significance_level, tolerance)
    # Scaling moves the origin, through which a fit without a constant must go.
    if used.all():
        return _learned(estimator, use_bias, examples, "Linear Regression", ctx)
    if not used.any():
        return _constant(examples, use_bias, ctx)
    others = examples.schema.names_at(examples.schema.regular[~used])
    learned = _learned(estimator, use_bias, examples.drop(others), "Linear Regression", ctx)
    weights, coefficients = np.zeros(len(used)), np.zeros(len(used))
    weights[used] = learned.weights.values
    coefficients[used] = learned.weights.details["coefficient"]
    return Learned(learned.model, examples.weights(weights, details={"coefficient": coefficients}))


def _constant(examples: ExampleSet, use_bias: bool, ctx: Context) -> Learned:
    """Return the model without attributes: the mean of the label, or 0 without a constant."""
    ctx.warn(
        "No attribute is left after feature_selection, so the mean is predicted. Set "
        "feature_selection to none, or raise alpha."
    )
    mean = float(examples.label_values().mean()) if use_bias else 0.0
    model = PredictionModel(SamePrediction(mean), examples.schema, "Linear Regression")
    zeros = np.zeros(len(examples.schema.regular))
    return Learned(model, examples.weights(zeros, details={"coefficient": zeros}))


def _used_attributes(
    examples: ExampleSet, selection: str, alpha: float, least_tolerance: float | None
) -> npt.NDArray[np.bool_]:
    """Return the attributes that the selections inside of a fit leave."""
    X, y = examples.numeric(), examples.label_values().astype(np.float64)
    if selection == "none" and least_tolerance is None:
        return np.ones(X.shape[1], dtype=bool)
    varying = np.ptp(X, axis=0) > 0
    used = varying
    if least_tolerance is not None:
        used = ols_selection.independent_features(X, least_tolerance)
    if selection == "M5 prime":
        return ols_selection.m5_prime(X, y, used, int(varying.sum()))
    return ols_selection.t_test(X, y, used, alpha) if selection == "T-Test" else used


@operator(
    group=GROUP,
    role="learner",
    row_weights="used",
    accepts=NUMBERS,
    describe=describe_learned,
    aliases=TRAINING,
    tags=("l2", "tikhonov", "penalty", "shrinkage", "learner", "coefficients"),
)
def ridge_regression(
    examples: ExampleSet,
    *,
    penalty: Alpha = 1.0,
    scaling: Scale = True,
    ctx: Context,
) -> Learned:
    r"""Ridge Regression

    Fits a number as a weighted sum of the attributes, with a penalty on the squared coefficients.
    Stable even with more attributes than rows, or with attributes that carry the same information.

    No coefficient becomes exactly 0: use LASSO Regression to drop attributes. Choose the penalty by
    validation. The weights are the absolute coefficients.

    .. math:: \min_{b, \beta} \|y - b - X\beta\|^2 + \alpha \|\beta\|^2

    References
    ----------
    Hoerl, Kennard (1970): Ridge regression. Technometrics 12, 55–67.
    """
    from sklearn.linear_model import Ridge

    return _learned(Ridge(alpha=penalty), scaling, examples, "Ridge Regression", ctx)


@operator(
    group=GROUP,
    role="learner",
    row_weights="used",
    accepts=IN_BLOCKS,
    describe=describe_learned,
    aliases=TRAINING,
    tags=("l1", "sparse", "penalty", "selection", "learner", "coefficients"),
)
def lasso_regression(
    examples: ExampleSet,
    *,
    penalty: Alpha = 1.0,
    scaling: Scale = True,
    max_iterations: MaxIterations = 10_000,
    ctx: Context,
) -> Learned:
    r"""LASSO Regression

    Fits a number as a weighted sum of few attributes: the penalty sets the other coefficients to
    exactly 0. The weights are the absolute coefficients.

    It keeps one of several attributes with the same information, and a few rows may decide which
    one. The right penalty depends on the scale of the label: choose it by validation. LARS gives
    all penalties at once. A warning follows if the penalty sets all coefficients to 0.

    The coefficients are those of the exact optimum, unless max_iterations stops the search before.
    A table that stays in its file is read once for its correlations with the label, and then once
    for each batch of attributes that may get a coefficient; the conditions of the optimum are
    checked for all attributes.

    .. math:: \min_{b, \beta} \tfrac1{2n} \|y - b - X\beta\|^2 + \alpha \|\beta\|_1

    References
    ----------
    Tibshirani (1996): Regression shrinkage and selection via the lasso. J. R. Statist. Soc. B 58.
    """
    return penalized_fit(
        examples,
        Penalty(penalty),
        scale=scaling,
        max_iterations=max_iterations,
        name="LASSO Regression",
        ctx=ctx,
    )


@operator(
    group=GROUP,
    role="learner",
    row_weights="used",
    accepts=IN_BLOCKS,
    describe=describe_learned,
    aliases=TRAINING,
    tags=("l1", "l2", "sparse", "penalty", "selection", "learner", "coefficients"),
)
def elastic_net(
    examples: ExampleSet,
    *,
    penalty: Alpha = 1.0,
    l1_ratio: Annotated[
        float,
        Field(gt=0, le=1, description="Fraction of the LASSO in the penalty; 1 is the LASSO."),
    ] = 0.5,
    scaling: Scale = True,
    max_iterations: MaxIterations = 10_000,
    ctx: Context,
) -> Learned:
    r"""Elastic Net

    Fits a number as a weighted sum of few attributes, as LASSO Regression does, but attributes with
    the same information enter together. The weights are the absolute coefficients.

    Choose both parts of the penalty by validation: they depend on the unit of the label. A warning
    follows if the penalty sets all coefficients to 0. Tables in files are read as by LASSO
    Regression.

    .. math:: \min_{b, \beta} \tfrac1{2n} \|y - b - X\beta\|^2 + \alpha \rho \|\beta\|_1
        + \tfrac{\alpha (1 - \rho)}2 \|\beta\|^2

    References
    ----------
    Zou, Hastie (2005): Regularization and variable selection via the elastic net.
    J. R. Statist. Soc. B 67, 301–320.
    """
    return penalized_fit(
        examples,
        Penalty(penalty * l1_ratio, penalty * (1.0 - l1_ratio)),
        scale=scaling,
        max_iterations=max_iterations,
        name="Elastic Net",
        ctx=ctx,
    )


@operator(
    group=GROUP,
    role="learner",
    row_weights="used",
    accepts=replace(CLASSES, sparse=True),
    describe=describe_learned,
    aliases=Aliases(keys=("h2o:logistic_regression",), ports=TRAINING_PORT),
    tags=("logit", "maximum likelihood", "classifier", "learner", "coefficients", "probability"),
)
def logistic_regression(
    examples: ExampleSet,
    *,
    regularization: Annotated[
        bool,
        Field(description="Penalize large coefficients; without it: maximum likelihood."),
    ] = True,
    C: Annotated[
        float,
        When(regularization=True),
        Field(gt=0, description="Cost of errors; a small cost is a strong penalty."),
    ] = 1.0,
    l1_ratio: Annotated[
        float,
        When(regularization=True),
        Field(
            ge=0,
            le=1,
            description="Fraction of the LASSO in the penalty; the LASSO drops attributes.",
        ),
    ] = 0.0,
    scaling: Scale = True,
    class_weights: ClassWeights = {},
    balance_cost: BalanceCost = False,
    max_iterations: MaxIterations = 1000,
    ctx: Context,
) -> Learned:
    r"""Logistic Regression

    Predicts the probability of each class by a linear function of the attributes. The weights are
    the absolute coefficients. With more than two classes, a weight is the root of the sum of the
    squared coefficients of all classes.

    The border between two classes is a plane: where it is not, use a kernel or trees. Fits slowly
    with a LASSO penalty and very many attributes. Without regularization the coefficients grow
    without limit if the attributes separate the classes: use it for few attributes only.

    A sparse table stays sparse: its attributes are centered implicitly.

    .. math:: \log \frac{P(+|x)}{P(-|x)} = b + \beta^T x

    References
    ----------
    Hastie, Tibshirani, Friedman (2009): The Elements of Statistical Learning, section 4.4.
    """
    from sklearn.linear_model import LogisticRegression

    ratio = l1_ratio if regularization else 0.0
    if examples.is_sparse and not ratio:
        return sparse_logistic(
            examples,
            ctx,
            C=C if regularization else np.inf,
            scale=scaling,
            class_costs=class_weight(examples, class_weights, balance_cost),
            max_iterations=max_iterations,
        )
    examples = examples.dense()  # the solver of the LASSO penalty needs centered attributes
    estimator = LogisticRegression(
        C=C if regularization else np.inf,
        l1_ratio=ratio,
        solver="saga" if ratio else "lbfgs",
        class_weight=class_weight(examples, class_weights, balance_cost),
        max_iter=max_iterations,
        random_state=seed_of(ctx, "solver"),
    )
    return _learned(estimator, scaling, examples, "Logistic Regression", ctx)


@operator(
    group=GROUP,
    role="learner",
    row_weights="whole numbers",
    accepts=CLASSES,
    describe=describe_learned,
    aliases=TRAINING,
    tags=("lda", "fisher", "discriminant", "classifier", "learner", "coefficients"),
)
def linear_discriminant_analysis(
    examples: ExampleSet,
    *,
    shrinkage: Annotated[
        Literal["none", "automatic", "fixed"],
        Field(
            description="Shrinkage of the common covariance towards a diagonal matrix: none, by "
            "the rule of Ledoit and Wolf, or by a fixed fraction."
        ),
    ] = "none",
    diagonal_fraction: Annotated[
        float,
        When(shrinkage="fixed"),
        Field(ge=0, le=1, description="Fraction of the diagonal."),
    ] = 0.5,
    ctx: Context,
) -> Learned:
    """Linear Discriminant Analysis

    Predicts classes as if each were normally distributed with a common covariance: the borders are
    planes. Good with few, well-chosen attributes. The weights are the absolute coefficients for
    standardized attributes.

    With more attributes than rows the covariance cannot be estimated: use shrinkage, or select
    first.

    References
    ----------
    Fisher (1936): The use of multiple measurements in taxonomic problems. Annals of Eugenics 7.
    Ledoit, Wolf (2004): Honey, I shrunk the sample covariance matrix. J. Portfolio Management 30.
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    classes = len(np.unique(examples.label_values()))
    if len(examples) <= classes:
        raise DataError(
            f"{classes} classes need more than {classes} rows, but there are {len(examples)}."
        )
    if not np.ptp(examples.numeric(), axis=0).any():
        raise DataError("All attributes are constant: nothing separates the classes.")
    kinds: dict[str, Any] = {"none": None, "automatic": "auto", "fixed": diagonal_fraction}
    estimator = LinearDiscriminantAnalysis(
        solver="svd" if shrinkage == "none" else "lsqr", shrinkage=kinds[shrinkage]
    )
    return _learned(estimator, True, examples, "Linear Discriminant Analysis", ctx)
