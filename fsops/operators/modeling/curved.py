"""Learners for curved relations between numbers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from fsops.core import Accepts, Context, When, operator
from fsops.data import ExampleSet, Model
from fsops.errors import ParameterError
from fsops.memory import require, require_pairs
from fsops.operators.modeling.estimators import (
    TRAINING,
    Scale,
    describe_model,
    fitted,
    has_classes,
    scaled,
    seed_of,
)

GROUP = "Modeling/Kernels"
MOST_TERMS = 1_000_000


@operator(
    group="Modeling/Linear",
    role="learner",
    row_weights="whole numbers",
    accepts=Accepts(label="numerical", attributes="numerical"),
    describe=describe_model,
    aliases=TRAINING,
    tags=("regression", "polynomial", "interactions", "products", "powers", "learner"),
)
def polynomial_regression(
    examples: ExampleSet,
    *,
    max_degree: Annotated[
        int, Field(ge=1, le=6, description="Largest sum of exponents of a term.")
    ] = 2,
    interactions: Annotated[
        bool, Field(description="Use products of different attributes as well as powers.")
    ] = True,
    penalty: Annotated[
        float, Field(ge=0, description="Penalty on the squared coefficients; 0: least squares.")
    ] = 1e-8,
    scaling: Scale = True,
) -> Model:
    """Polynomial Regression

    Fits a number as a weighted sum of powers and products of the attributes, by least squares.
    It finds curves and interactions that Linear Regression cannot.

    The number of terms grows quickly: 100 attributes have 5,150 terms of degree 2. With more terms
    than rows it fits noise: select attributes first, inside the training, or raise ridge.
    """
    from math import comb

    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    p = len(examples.schema.regular)
    terms = comb(p + max_degree, max_degree) if interactions else p * max_degree
    if terms > MOST_TERMS:
        raise ParameterError(
            f"{p:,} attributes have {terms:,} terms of degree {max_degree}.",
            hint="Select attributes first, lower max_degree, or switch interactions off.",
        )
    require(24 * terms * len(examples), f"A table of {terms:,} terms", "Select attributes first.")
    steps: list[Any] = [StandardScaler()] if scaling else []
    steps.append(
        PolynomialFeatures(max_degree, include_bias=False) if interactions else Powers(max_degree)
    )
    estimator = make_pipeline(*steps, Ridge(alpha=penalty, solver="svd"))
    return fitted(estimator, examples, "Polynomial Regression")


class Powers:
    """Powers of each column, without products."""

    def __init__(self, degree: int = 2) -> None:
        self.degree = degree

    def fit(self, X: Any, y: Any = None) -> Powers:
        """Return itself: there is nothing to learn."""
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns, their squares, and so on."""
        import numpy as np

        return np.hstack([X**power for power in range(1, self.degree + 1)])


@operator(
    group=GROUP,
    role="learner",
    row_weights="whole numbers",
    accepts=Accepts(label="any", attributes="numerical"),
    describe=describe_model,
    aliases=TRAINING,
    tags=("kriging", "bayesian", "kernel", "probabilistic", "learner"),
    random=True,
)
def gaussian_process(
    examples: ExampleSet,
    *,
    kernel_type: Annotated[
        Literal["rbf", "linear", "polynomial"], Field(description="Covariance of two rows.")
    ] = "rbf",
    kernel_lengthscale: Annotated[
        float,
        When(kernel_type="rbf"),
        Field(gt=0, description="Distance over which predictions change."),
    ] = 1.0,
    degree: Annotated[
        int, When(kernel_type="polynomial"), Field(ge=1, description="Degree of the polynomial.")
    ] = 2,
    noise: Annotated[
        float, Field(gt=0, description="Variance of the noise, added to the diagonal.")
    ] = 1e-2,
    optimize: Annotated[
        bool, Field(description="Fit the length scale by the likelihood of the training rows.")
    ] = True,
    scaling: Scale = True,
    ctx: Context,
) -> Model:
    """Gaussian Process

    Predicts numbers or classes from similar training rows (Gaussian process). The smoothness of the
    kernel maximizes the likelihood of the training rows. Good for few rows and few attributes.

    Time grows with the third power of the number of rows, memory with the second. With many
    attributes all rows are about equally similar: select attributes first, inside the training.

    References
    ----------
    Rasmussen, Williams (2006): Gaussian Processes for Machine Learning. MIT Press.
    """
    from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct

    require_pairs(len(examples), len(examples), "The kernel matrix")
    kernels = {
        "rbf": lambda: ConstantKernel() * RBF(kernel_lengthscale),
        "linear": DotProduct,
        "polynomial": lambda: DotProduct() ** degree,
    }
    kernel = kernels[kernel_type]()
    solver = "fmin_l_bfgs_b" if optimize else None
    seed = seed_of(ctx, "starts")
    if has_classes(examples):
        estimator: Any = GaussianProcessClassifier(kernel, optimizer=solver, random_state=seed)
    else:
        estimator = GaussianProcessRegressor(
            kernel, alpha=noise, optimizer=solver, normalize_y=True, random_state=seed
        )
    return fitted(scaled(estimator, scaling), examples, "Gaussian Process", ctx=ctx)


@operator(
    group="Modeling/Linear",
    role="learner",
    row_weights="whole numbers",
    accepts=Accepts(label="numerical", attributes="numerical"),
    describe=describe_model,
    aliases=TRAINING,
    tags=("glm", "poisson", "gamma", "tweedie", "counts", "regression", "learner"),
)
def generalized_linear_model(
    examples: ExampleSet,
    *,
    family: Annotated[
        Literal["gaussian", "poisson", "gamma", "tweedie"],
        Field(description="Distribution of the label; poisson for counts, gamma for positive."),
    ] = "gaussian",
    link: Annotated[
        Literal["automatic", "identity", "log"],
        Field(description="Scale of the linear model; automatic: log, identity for gaussian."),
    ] = "automatic",
    variance_power: Annotated[
        float,
        When(family="tweedie"),
        Field(ge=1, le=3, description="Power of the mean that the variance grows with."),
    ] = 1.5,
    penalty: Annotated[
        float, Field(ge=0, description="Penalty on the squared coefficients.")
    ] = 0.0,
    max_iterations: Annotated[int, Field(ge=1, description="Maximum number of iterations.")] = 1000,
    scaling: Scale = True,
    ctx: Context,
) -> Model:
    """Generalized Linear Model

    Fits a generalized linear model to counts, positive numbers or any numbers; link function and
    distribution suit the label. For classes use Logistic Regression.

    Poisson and tweedie need labels of at least 0, gamma larger ones. With more attributes than
    rows set a penalty, or select attributes first.

    References
    ----------
    McCullagh, Nelder (1989): Generalized Linear Models. Chapman and Hall.
    """
    from sklearn.linear_model import TweedieRegressor

    powers = {"gaussian": 0.0, "poisson": 1.0, "gamma": 2.0, "tweedie": variance_power}
    names = {"automatic": "auto", "identity": "identity", "log": "log"}
    estimator = TweedieRegressor(
        power=powers[family], alpha=penalty, link=names[link], max_iter=max_iterations, tol=1e-8
    )
    return fitted(scaled(estimator, scaling), examples, "Generalized Linear Model", ctx=ctx)
