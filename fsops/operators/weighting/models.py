"""Weights read off a fitted model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.resampling import partition
from fsops.core import Accepts, Context, Expert, When, operator
from fsops.core.declare.iterations import Count
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.design import row_groups
from fsops.data.row_weights import repeated
from fsops.errors import DataError, ParameterError
from fsops.operators.weighting.scores import (
    Floats,
    class_codes,
    describe_weights,
    rapidminer,
    together_or_against_rest,
)

GROUP = "Weighting/Models"
NUMBERS = Accepts(label="any", attributes="numerical")


def _passes(parameters: Mapping[str, Any]) -> Count:
    return Count(2, None, "until no further attribute gets a coefficient")


def standardized(X: Floats) -> Floats:
    """Return columns with mean 0 and deviation 1; a constant column becomes 0."""
    centred = X - X.mean(axis=0)
    scale = centred.std(axis=0)
    # Rounding leaves a trace of a deviation in a constant column of large numbers.
    still = scale <= 1e-12 * np.abs(X).max(axis=0, initial=0.0)
    return np.where(still, 0.0, centred / np.where(still, 1.0, scale))


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
    accepts=Accepts(label="nominal", attributes="numerical"),
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("support vector machine", "linear", "coefficients", "embedded"),
)
@together_or_against_rest
def weight_by_svm(
    examples: ExampleSet,
    *,
    C: Annotated[
        float, Field(gt=0, description="Cost of errors; a small cost gives a smoother model.")
    ] = 1.0,
    scaling: Annotated[bool, Field(description="Bring all attributes to one scale first.")] = True,
    signed: Annotated[
        bool,
        Field(
            description="Keep the sign of the coefficient, if two classes are compared: positive "
            "for the last of two classes, or for a class against all others."
        ),
    ] = False,
) -> AttributeWeights:
    r"""Weight by SVM

    Scores attributes by their absolute coefficients in a linear support vector machine:
    their joint contribution, not one by one. With more than two classes the coefficients of all
    pairs of classes are added up by their squares; multiclass compares each class with all others
    instead, and the details name the class that gave the weight.

    Attributes that carry the same information share their weight. A single fit does not rank weak
    attributes well: eliminate them step by step with Select by SVM-RFE.

    .. math:: w = \sum_i \alpha_i y_i x_i

    References
    ----------
    Guyon et al. (2002): Gene selection for cancer classification using support vector machines.
    Machine Learning 46, 389–422.
    """
    from sklearn.svm import SVC

    X = standardized(examples.numeric()) if scaling else examples.numeric()
    fitted = SVC(kernel="linear", C=C, tol=1e-8, random_state=0).fit(X, class_codes(examples))
    coefficients = np.asarray(fitted.coef_, dtype=np.float64)
    if len(coefficients) == 1:
        return examples.weights(coefficients[0] if signed else np.abs(coefficients[0]))
    return examples.weights(np.sqrt((coefficients**2).sum(axis=0)))


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
    accepts=Accepts(label="any", attributes="numerical or nominal", several_classes=True),
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("tree importance", "impurity", "permutation importance", "embedded"),
)
def weight_by_random_forest(
    examples: ExampleSet,
    *,
    number_of_trees: Annotated[int, Field(ge=1, description="Number of trees.")] = 500,
    importance: Annotated[
        Literal["impurity", "permutation"],
        Field(
            description="Measure of importance: mean decrease of impurity, or loss of accuracy "
            "after the attribute is shuffled."
        ),
    ] = "impurity",
    max_depth: Annotated[
        int | None, Expert(), Field(ge=1, description="Depth at which trees stop growing.")
    ] = None,
    repetitions: Annotated[
        int, Expert(), When(importance="permutation"), Field(ge=1, description="Shuffles each.")
    ] = 5,
    ctx: Context,
) -> AttributeWeights:
    """Weight by Random Forest

    Scores attributes by their contribution to a forest of random trees, for classes and numbers.
    It finds interactions and non-linear dependence.

    A nominal attribute has a column of 0 and 1 for each category; their importances are added up.
    Impurity favors attributes with many distinct values, and is measured on the training rows;
    permutation is slower and fairer, but shares the weight among copies. The weights depend on the
    seed: more trees make them more stable.

    References
    ----------
    Breiman (2001): Random forests. Machine Learning 45, 5–32.
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.inspection import permutation_importance
    from sklearn.pipeline import Pipeline

    from fsops.algorithms.trees.single import for_forests, label_for_trees

    nominal = examples.label.value_type.is_nominal
    y = class_codes(examples) if nominal else label_for_trees(examples.label_values())
    seed = int(ctx.rng("forest").integers(2**31))
    kind = RandomForestClassifier if nominal else RandomForestRegressor
    forest = kind(number_of_trees, max_depth=max_depth, random_state=seed)
    X, place = for_forests(examples.numeric()), np.arange(len(examples.schema.regular))
    if len(examples.schema.regular_nominal):
        X, place = _numbers_and_codes(examples)
        counts = examples.category_counts()
        forest = Pipeline([("columns", _by_category(X, counts)), ("forest", forest)])
    forest.fit(X, y)
    if importance == "impurity":
        parts = forest if not isinstance(forest, Pipeline) else forest["forest"]
        return examples.weights(_by_attribute(parts.feature_importances_, examples)[place])
    found = permutation_importance(forest, X, y, n_repeats=repetitions, random_state=seed)
    details = {"deviation": found.importances_std[place]}
    return examples.weights(found.importances_mean[place], details=details)


def _numbers_and_codes(examples: ExampleSet) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return numbers, then codes of categories, and where each attribute of the table is there."""
    from fsops.algorithms.trees.single import for_forests

    schema = examples.schema
    place = np.argsort(np.concatenate([schema.regular_numerical, schema.regular_nominal]))
    numbers = for_forests(examples.numeric()).astype(np.float64)
    return np.column_stack([numbers, examples.nominal().astype(np.float64)]), place


def _by_category(X: Floats, counts: npt.NDArray[np.intp]) -> Any:
    """Return a transformer that gives each category a column; numbers stay in front."""
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import OneHotEncoder

    first = X.shape[1] - len(counts)
    categories = [np.arange(count, dtype=np.float64) for count in counts]
    coded = OneHotEncoder(categories=categories, sparse_output=False)
    numbers, codes = list(range(first)), list(range(first, X.shape[1]))
    return ColumnTransformer([("numbers", "passthrough", numbers), ("codes", coded, codes)])


def _by_attribute(importances: Floats, examples: ExampleSet) -> Floats:
    """Return importances of numbers, then of nominal attributes summed over their categories."""
    first = len(examples.schema.regular_numerical)
    counts = examples.category_counts()
    if not len(counts):
        return importances
    starts = first + np.cumsum(counts) - counts
    return np.concatenate([importances[:first], np.add.reduceat(importances, starts)])


@operator(
    group=GROUP,
    role="weighting",
    row_weights="used",
    accepts=replace(NUMBERS, blocks=True, passes=_passes),
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("l1", "sparse", "regularization", "embedded"),
)
def weight_by_lasso(
    examples: ExampleSet,
    *,
    penalty: Annotated[
        Annotated[float, Field(gt=0, lt=1)] | Literal["cross-validation"],
        Field(
            description="Penalty as a fraction of the smallest penalty that sets all weights to 0, "
            "or chosen by cross-validation."
        ),
    ] = "cross-validation",
    signed: Annotated[bool, Field(description="Keep the sign of the coefficient.")] = False,
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by LASSO

    Scores attributes by their absolute coefficients in a linear model whose penalty sets most of
    them exactly to 0, on standardized attributes. Two classes are coded 0 and 1.

    If several attributes carry the same information, it keeps one of them, and a few rows may
    decide which one. At most as many attributes as rows get a weight. The coefficients are those of
    the exact optimum. With a fixed penalty a table may stay in its file: it is read once for the
    correlations with the label, and then once for each batch of attributes that may get a
    coefficient. Row weights must be whole numbers; all copies of a row are in the same fold.

    .. math:: \min_\beta \tfrac1{2n} \|y - X\beta\|^2 + \lambda \|\beta\|_1

    References
    ----------
    Tibshirani (1996): Regression shrinkage and selection via the lasso. J. R. Statist. Soc. B 58.
    """
    if penalty == "cross-validation":
        examples = NUMBERS.loaded(examples)
    folds = folds_of(examples, ctx) if penalty == "cross-validation" else None
    examples = repeated(examples, "Weight by LASSO")
    if penalty == "cross-validation":
        coefficients = _cross_validated_lasso(examples, folds)
    elif examples.stays_in_file:
        from fsops.operators.product_fits import coefficients_from_products

        y = examples.numeric_label()
        chosen = partial(_lasso_penalty, penalty)
        fit = coefficients_from_products(examples, y, chosen, scale=True, ctx=ctx)
        coefficients = fit.coefficients
    else:
        coefficients = _lasso(standardized(examples.numeric()), examples.numeric_label(), penalty)
    return examples.weights(coefficients if signed else np.abs(coefficients))


def _lasso_penalty(fraction: float, largest: float) -> Any:
    from fsops.algorithms.linear.penalized import Penalty

    return Penalty(max(fraction * largest, 1e-300))


def _lasso(X: Floats, y: Floats, fraction: float) -> Floats:
    """Return the coefficients at a fraction of the penalty that sets all of them to 0."""
    from fsops.algorithms.linear import penalized

    penalty = _lasso_penalty(fraction, float(np.abs(X.T @ (y - y.mean())).max() / len(y)))
    estimator = penalized.estimator_of(penalty, max_iter=100_000).fit(X, y)
    penalized.settle(estimator, X, y, penalty, None)
    return np.asarray(estimator.coef_, dtype=np.float64)


def _cross_validated_lasso(examples: ExampleSet, folds: Any) -> Floats:
    from sklearn.linear_model import LassoCV

    from fsops.algorithms.linear.penalized import Penalty, optimum

    X, y = standardized(examples.numeric()), examples.numeric_label()
    fitted = LassoCV(cv=folds, max_iter=100_000, random_state=0).fit(X, y)
    found = np.asarray(fitted.coef_, dtype=np.float64)
    exact = optimum(X, y, found, Penalty(float(fitted.alpha_)))
    return found if exact is None else exact


def folds_of(examples: ExampleSet, ctx: Context, most: int = 10) -> Any:
    """Return folds for scikit-learn; rows of one group or pair are in the same fold.

    With row weights they are folds of the repeated rows; copies are in the same fold.
    """
    from sklearn.model_selection import KFold, PredefinedSplit

    groups, weights = row_groups(examples), examples.row_weights
    if len(examples) < 2:
        raise DataError("One row cannot be cross-validated.", hint="Take more rows.")
    if groups is None and weights is None:
        seed = int(ctx.rng("folds").integers(2**31))
        return KFold(min(most, len(examples)), shuffle=True, random_state=seed)
    parts = min(most, len(examples) if groups is None else int(groups.max()) + 1)
    if parts < 2:
        raise DataError("All rows are in one group: there is nothing to cross-validate on.")
    rng = ctx.rng("folds")
    part = partition(len(examples), parts, rng, groups=groups, weights=weights)
    return PredefinedSplit(part if weights is None else np.repeat(part, weights.astype(np.intp)))


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
    accepts=Accepts(attributes="numerical"),
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("principal components", "unsupervised", "loadings"),
)
def weight_by_pca(
    examples: ExampleSet,
    *,
    component_number: Annotated[
        int, Field(ge=1, description="Number of the principal component, counted from 1.")
    ] = 1,
    scaling: Annotated[bool, Field(description="Bring all attributes to one scale first.")] = False,
) -> AttributeWeights:
    """Weight by PCA

    Scores attributes by their loadings on a principal component, without using a label.

    Without normalization attributes with large values dominate. There are at most as many
    components as rows or attributes; a higher number is an error.

    References
    ----------
    Jolliffe (2002): Principal Component Analysis.
    """
    X = examples.numeric()
    X = standardized(X) if scaling else X - X.mean(axis=0)
    possible = min(len(examples), X.shape[1])
    if component_number > possible:
        raise ParameterError(
            f"component_number is {component_number}, but the data has only {possible} components."
        )
    loadings = np.linalg.svd(X, full_matrices=False)[2][component_number - 1]
    return examples.weights(np.abs(loadings))
