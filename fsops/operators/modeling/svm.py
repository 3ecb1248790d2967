"""Support vector machines and other kernel methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field

from fsops.algorithms.kernel.clinical import ClinicalRows, ClinicalScale, clinical_kernel
from fsops.algorithms.kernel.sparse_gram import RowKernel
from fsops.core import Accepts, Aliases, Context, Expert, Named, When, operator
from fsops.data import (
    AttributeWeights,
    EstimatorPredictor,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    Model,
    PredictionModel,
)
from fsops.data.ordinals import numbers_of_levels, ordinals_as_numbers
from fsops.operators.modeling.estimators import (
    TRAINING_PORT,
    BalanceCost,
    ClassWeights,
    MaxIterations,
    Scale,
    class_weight,
    coefficient_weights,
    describe_learned,
    describe_model,
    fitted,
    fitted_predictor,
    has_classes,
    label_range,
    scaled,
    seed_of,
)
from fsops.operators.modeling.sparse_kernels import SparseKernelRows

GROUP = "Modeling/Kernels"
HARD = 1e9
"""Cost of an error that no solution can afford."""
RAPIDMINER_KERNELS = {"dot": "linear", "radial": "rbf", "poly": "polynomial", "neural": "sigmoid"}
SKLEARN_KERNELS = {"polynomial": "poly", "clinical": "precomputed"}
CLINICAL = "clinical"
MIXED: Literal["numerical or nominal"] = "numerical or nominal"
BY_SCALE = When(kernel_type=("linear", "rbf", "polynomial", "sigmoid"))
KERNEL_PARAMETERS = {"kernel_gamma": "gamma", "kernel_degree": "degree", "kernel_shift": "coef0"}


def _our_kernel(value: Any) -> Any:
    return RAPIDMINER_KERNELS.get(value, value) if isinstance(value, str) else value


class Kernel(TypedDict):
    """Similarity of two rows."""

    kernel_type: Annotated[
        Literal["linear", "rbf", "polynomial", "sigmoid", "clinical"],
        BeforeValidator(_our_kernel),
        Field(
            default="linear",
            description="Similarity of two rows; RapidMiner's names (dot, radial, polynomial, "
            "neural) mean the same. Only clinical takes nominal attributes and missing values.",
        ),
    ]
    gamma: Annotated[
        float,
        When(kernel_type=("rbf", "polynomial", "sigmoid")),
        Field(
            ge=0,
            default=0.0,
            description="Decrease of the similarity with the distance; 0: 1 / number of "
            "attributes.",
        ),
    ]
    degree: Annotated[
        int,
        When(kernel_type="polynomial"),
        Field(ge=1, default=2, description="Degree of the polynomial."),
    ]
    coef0: Annotated[
        float,
        When(kernel_type=("polynomial", "sigmoid")),
        Field(default=1.0, description="Constant added inside the kernel."),
    ]


class Machine(NamedTuple):
    """Results of a support vector machine."""

    model: Annotated[Model, Named(description="To be applied to other rows.")]
    weights: Annotated[
        AttributeWeights | None,
        Named(description="Absolute coefficients; only for the linear kernel."),
    ]


NUMBERS = Accepts(attributes="numerical")
TABLE = Accepts(label="any", attributes=MIXED, missing=True, sparse=True)


def _check_schema(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> None:
    """Raise `DataError` for categories, which only the clinical kernel takes."""
    meta = inputs.get("examples")
    known = isinstance(meta, ExampleSetMetaData) and meta.schema is not None
    if known and parameters["kernel_type"] != CLINICAL:
        NUMBERS.check_schema(meta.schema)  # type: ignore[union-attr]


def _describe_machine(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> dict[str, MetaData]:
    _check_schema(inputs, parameters)
    if parameters["kernel_type"] == "linear":
        return describe_learned(inputs, parameters)
    return {"model": describe_model(inputs, parameters)}


def _describe_ridge(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    _check_schema(inputs, parameters)
    return describe_model(inputs, parameters)


@dataclass(frozen=True)
class ClinicalPredictor:
    """An estimator of how alike (or unlike) rows with numbers and categories are.

    Parameters
    ----------
    scale
        Ranges of the training rows.
    training
        The training rows.
    predictor
        Fitted on the kernel matrix of the training rows, or on 1 minus it.
    unlike
        Whether it was fitted on distances.
    """

    scale: ClinicalScale
    training: ClinicalRows
    predictor: EstimatorPredictor
    unlike: bool = False
    levels: npt.NDArray[np.float64] | None = None
    """Numbers of ordered categories in training; NaN for numbers."""

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return confidences per class, or predicted numbers."""
        table = ordinals_as_numbers(examples)
        X = table.numeric()
        if self.levels is not None:  # a new category has no place in the order
            X = np.where(self.levels <= X, np.nan, X)
        rows = self.scale.rows(X, table.nominal())
        alike = clinical_kernel(rows, self.training)
        return self.predictor.of_matrix(1.0 - alike if self.unlike else alike)


def clinical_model(
    estimator: Any,
    examples: ExampleSet,
    name: str,
    *,
    unlike: bool = False,
    ctx: Context | None = None,
) -> PredictionModel:
    """Return an estimator, fitted on the clinical kernel of the rows or on 1 minus it, as a model.

    Categories that the training rows do not have, and missing values, are like nothing.
    """
    table, levels = ordinals_as_numbers(examples), numbers_of_levels(examples.schema)
    scale = ClinicalScale.of(table.numeric(), levels)
    rows = scale.rows(table.numeric(), table.nominal())
    alike = clinical_kernel(rows)
    matrix = 1.0 - alike if unlike else alike
    predictor = fitted_predictor(estimator, matrix, examples, name, ctx=ctx)
    predict = ClinicalPredictor(scale, rows, predictor, unlike, levels)
    return PredictionModel(predict, examples.schema, name)


@operator(
    group=GROUP,
    role="learner",
    row_weights="whole numbers",
    accepts=TABLE,
    describe=_describe_machine,
    aliases=Aliases(
        keys=("support_vector_machine_libsvm", "support_vector_machine_linear"),
        ports=TRAINING_PORT,
        parameters=KERNEL_PARAMETERS,
    ),
    tags=("svm", "svc", "svr", "large margin", "kernel", "classifier", "regression", "learner"),
)
def support_vector_machine(
    examples: ExampleSet,
    *,
    C: Annotated[
        float,
        When(hard_margin=False),
        Field(
            ge=0,
            description="Cost of errors; a small cost gives a smoother model. 0: 1 / the mean "
            "similarity of a row with itself.",
        ),
    ] = 1.0,
    hard_margin: Annotated[
        bool, Field(description="Allow no errors on the training rows; for classes only.")
    ] = False,
    class_weights: ClassWeights = {},
    balance_cost: BalanceCost = False,
    epsilon: Annotated[
        float,
        Expert(),
        Field(ge=0, description="Errors of a predicted number up to this size cost nothing."),
    ] = 0.1,
    scaling: Annotated[Scale, BY_SCALE] = True,
    max_iterations: Annotated[MaxIterations, Expert()] = 100_000,
    ctx: Context,
    **kernel: Unpack[Kernel],
) -> Machine:
    r"""Support Vector Machine

    Separates classes by the border that is farthest from the nearest rows, or fits numbers so that
    small errors cost nothing. Strong with many attributes and few rows. A kernel bends the border.
    The confidences rise with the distance from the border; they are not probabilities.

    The clinical kernel takes tables with numbers, categories and missing values as they are: the
    similarity of two rows is a mean over the attributes: for numbers 1 − their difference divided
    by the range in the training rows, for categories 1 if they are equal and 0 if not. A missing
    value, or a category that the training rows do not have, has similarity 0. The other kernels
    need complete numbers. Ordered categories, such as low, medium and high, are compared by their
    places in the order if their value type is ordinal: readers take ordinal(low < medium < high) in
    types.

    The linear kernel also gives weights, the absolute coefficients. With more than two classes, a
    weight is the root of the sum of the squared coefficients of all pairs. The class with the
    largest sum of pairwise decisions is then predicted, not the one with most votes. Choose C and
    gamma (if the kernel has one) by validation. For a number, C and epsilon depend on the unit of
    the label; a warning follows if they do not fit it.

    A sparse table stays sparse, except with the clinical kernel. Its kernel matrix takes memory
    with the square of the rows.

    .. math:: \min_{w, b, \xi} \tfrac12 \|w\|^2 + C \sum_i \xi_i \quad \text{subject to} \quad
        y_i (w^T x_i + b) \ge 1 - \xi_i

    References
    ----------
    Cortes, Vapnik (1995): Support-vector networks. Machine Learning 20, 273–297.
    Chang, Lin (2011): LIBSVM: a library for support vector machines. ACM TIST 2.
    Daemen, De Moor (2009): Development of a kernel function for clinical data. EMBC.
    """
    from sklearn.svm import SVC, SVR

    clinical = kernel["kernel_type"] == CLINICAL
    if not clinical:
        NUMBERS.check(examples)
    classes = has_classes(examples)
    if clinical:
        examples = TABLE.loaded(examples)
    sparse = _sparse_rows(examples, scaling, kernel) if examples.is_sparse else None
    fair = C or _fair_cost(examples, scaling, kernel, sparse)
    settings = {
        "C": HARD if hard_margin and classes else fair,
        "kernel": "precomputed" if sparse else _sklearn_kernel(kernel),
        "gamma": kernel["gamma"] or "auto",
        "degree": kernel["degree"],
        "coef0": kernel["coef0"],
        "max_iter": max_iterations,
    }
    if classes:
        weights = class_weight(examples, class_weights, balance_cost)
        machine = SVC(
            **settings, class_weight=weights, break_ties=True, random_state=seed_of(ctx, "svm")
        )
    else:
        machine = SVR(**settings, epsilon=epsilon)
    pipeline = scaled(machine, scaling and not clinical)
    linear = kernel["kernel_type"] == "linear"
    if sparse is not None:
        model = sparse.fitted(machine, "Support Vector Machine", ctx)
    else:
        fit = clinical_model if clinical else fitted
        model = fit(pipeline, examples, "Support Vector Machine", ctx=ctx)
    if hard_margin and classes:
        _warn_of_overlap(model, examples, ctx)
    if not classes:
        _warn_of_unit(machine, examples, ctx)
    if sparse is not None:
        return Machine(model, sparse.weights(machine) if linear else None)
    return Machine(model, coefficient_weights(pipeline, examples) if linear else None)


def _sklearn_kernel(kernel: Kernel) -> str:
    return SKLEARN_KERNELS.get(kernel["kernel_type"], kernel["kernel_type"])


def _sparse_rows(examples: ExampleSet, scale: bool, kernel: Kernel) -> SparseKernelRows:
    """Return the rows of a sparse table with a kernel."""
    gamma = kernel["gamma"] or 1.0 / len(examples.schema.regular_numerical)
    chosen = RowKernel(kernel["kernel_type"], gamma, kernel["degree"], kernel["coef0"])
    return SparseKernelRows.of(examples, chosen, scale=scale)


def _fair_cost(
    examples: ExampleSet, scale: bool, kernel: Kernel, sparse: SparseKernelRows | None
) -> float:
    """Return RapidMiner's cost where none is given: rows are alike to themselves by 1 / C."""
    if kernel["kernel_type"] == "rbf":
        return 1.0
    if sparse is not None:
        return 1 / sparse.mean_likeness if sparse.mean_likeness > 0 else 1.0
    X = examples.numeric()
    if kernel["kernel_type"] == CLINICAL:
        known = ~np.isnan(X), examples.nominal() >= 0
        likeness = float(np.hstack(known).mean())
        return 1 / likeness if likeness > 0 else 1.0
    Z = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0) if scale else X
    inner = (Z**2).sum(axis=1)
    gamma = kernel["gamma"] or 1 / X.shape[1]
    if kernel["kernel_type"] == "polynomial":
        inner = (gamma * inner + kernel["coef0"]) ** kernel["degree"]
    elif kernel["kernel_type"] == "sigmoid":
        inner = np.tanh(gamma * inner + kernel["coef0"])
    likeness = float(inner.mean())
    return 1 / likeness if likeness > 0 else 1.0


def _warn_of_unit(machine: Any, examples: ExampleSet, ctx: Context) -> None:
    """Warn if epsilon or C, which depend on the unit of the label, keep the model from fitting."""
    spread = label_range(examples)
    if not spread > 0:
        return
    factors = np.abs(machine.dual_coef_)
    text = f'"{examples.label.name}", whose values differ by at most {spread:.2g}'
    if not factors.any():
        ctx.warn(
            f"epsilon={machine.epsilon:g} is larger than the errors of all rows, so all rows have "
            f"the same prediction. It is in the unit of the label {text}. Choose a smaller epsilon "
            "by validation, or give the label in another unit."
        )
    elif np.count_nonzero(factors >= machine.C * (1 - 1e-9)) >= len(examples) - 1:
        ctx.warn(
            f"C={machine.C:g} limits the effect of every row, so the model follows the label too "
            f"little. C depends on the unit of the label {text}. Choose a larger C by validation, "
            "or give the label in another unit."
        )


def _warn_of_overlap(model: PredictionModel, examples: ExampleSet, ctx: Context) -> None:
    predicted = model.predictor(examples).argmax(axis=1)
    wrong = int((predicted != examples.label_values()).sum())
    if wrong:
        ctx.warn(
            f"No border of this kernel separates the classes: {wrong} training rows are on the "
            "wrong side. Set hard_margin=false, or use another kernel."
        )


@operator(
    group=GROUP,
    role="learner",
    row_weights="whole numbers",
    accepts=Accepts(
        label="numerical",
        attributes=MIXED,
        missing=True,
        sparse=True,
        instead="For classes use Support Vector Machine.",
    ),
    describe=_describe_ridge,
    aliases=Aliases(ports=TRAINING_PORT, parameters=KERNEL_PARAMETERS),
    tags=("krr", "ridge", "regression", "learner"),
)
def kernel_ridge(
    examples: ExampleSet,
    *,
    penalty: Annotated[float, Field(gt=0, description="Strength of the penalty.")] = 1.0,
    scaling: Annotated[Scale, BY_SCALE] = True,
    ctx: Context,
    **kernel: Unpack[Kernel],
) -> Model:
    r"""Kernel Ridge Regression

    Fits a number by ridge regression in the space of a kernel. The fit may be curved, and there is
    only one solution. The label is centered first.

    Time and memory grow with the square of the number of rows: use it for at most some thousand
    rows. Choose penalty and gamma by validation. The clinical kernel takes numbers, categories
    and missing values as they are (see Support Vector Machine); the others need complete
    numbers.

    .. math:: f(x) = \bar y + \sum_i a_i k(x, x_i), \qquad a = (K + \alpha I)^{-1} (y - \bar y)

    References
    ----------
    Saunders, Gammerman, Vovk (1998): Ridge regression learning algorithm in dual variables. ICML.
    """
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.preprocessing import StandardScaler

    clinical = kernel["kernel_type"] == CLINICAL
    if not clinical:
        NUMBERS.check(examples)
    estimator = KernelRidge(
        alpha=penalty,
        kernel=_sklearn_kernel(kernel),
        gamma=kernel["gamma"] or None,
        degree=kernel["degree"],
        coef0=kernel["coef0"],
    )
    centred = TransformedTargetRegressor(estimator, transformer=StandardScaler(with_std=False))
    if clinical:
        examples = examples.dense()
    if examples.is_sparse:
        estimator.set_params(kernel="precomputed")
        rows = _sparse_rows(examples, scaling, kernel)
        return rows.fitted(centred, "Kernel Ridge Regression", ctx)
    fit = clinical_model if clinical else fitted
    estimator = scaled(centred, scaling and not clinical)
    return fit(estimator, examples, "Kernel Ridge Regression", ctx=ctx)
