"""A support vector machine that needs no tuning: the one of a feature selection challenge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.kernel import filter_svm
from fsops.algorithms.kernel.filter_svm import FilterMachine, Kernel
from fsops.algorithms.preparation import normalization
from fsops.core import Accepts, Context, Named, When, operator
from fsops.data import ExampleSet, Model, PredictionModel
from fsops.data.model import require_finite
from fsops.errors import DataError
from fsops.operators.modeling.estimators import TRAINING, describe_model

NAME = "Hard Margin SVM"
COSTS = tuple(10.0**power for power in range(-3, 5))
Floats = npt.NDArray[np.float64]
TWO_CLASSES = Accepts(
    label="binominal",
    attributes="numerical",
    instead="Use Support Vector Machine for more classes.",
    sparse=True,
)


@dataclass(frozen=True, eq=False)
class KernelMachine:
    """A fitted machine with all fitted values."""

    machine: FilterMachine
    vectors: Any
    """The support vectors, scaled; sparse if the table was."""
    scale: float
    """All values are divided by it."""
    kernel: Kernel
    sigma: float
    """Width of the Gaussian kernel; 0 for the linear one."""
    ridge: bool
    codes: tuple[int, int]
    """Places of the negative and the positive class among the classes of the label."""
    n_classes: int

    @property
    def details(self) -> dict[str, float | bool]:
        """Sigma and C as found from the rows, and the solution they lead to."""
        width = {"sigma": self.sigma} if self.kernel == "gaussian" else {}
        return {
            **width,
            "C": self.machine.C,
            "support vectors": len(self.machine.support),
            "separable": self.machine.separable,
            "margin": self.machine.margin,
        }

    def __call__(self, examples: ExampleSet) -> Floats:
        """Return confidences that rise with the distance from the border; no probabilities."""
        require_finite(examples)
        values = examples.matrix() if self.kernel == "linear" else examples.numeric()
        rows = values / self.scale
        decision = self.machine.decide(filter_svm.gram(rows, self.vectors, self.kernel, self.sigma))
        share = 0.5 * (1.0 + np.tanh(0.5 * decision))  # the logistic function without overflow
        confidences = np.zeros((len(examples), self.n_classes))
        confidences[:, self.codes[0]] = 1.0 - share
        confidences[:, self.codes[1]] = share
        return confidences


@operator(
    group="Modeling/Kernels",
    role="learner",
    row_weights="whole numbers",
    accepts=TWO_CLASSES,
    describe=describe_model,
    aliases=TRAINING,
    tags=("svm", "challenge", "filter", "gaussian", "sigma heuristic", "unbalanced", "classifier"),
    random=True,
)
def hard_margin_svm(
    examples: Annotated[ExampleSet, Named(description="The training rows.")],
    before_selection: Annotated[
        ExampleSet | None,
        Named(description="The same rows with all attributes; sigma is then taken from them."),
    ] = None,
    *,
    kernel_type: Annotated[
        Literal["linear", "gaussian"], Field(description="Similarity of two rows.")
    ] = "linear",
    sigma: Annotated[
        float,
        When(kernel_type="gaussian"),
        Field(
            ge=0,
            description="Width of the Gaussian kernel; 0: the mean distance of a row to the "
            "nearest row of the other class, in the attributes of before_selection if connected.",
        ),
    ] = 0.0,
    margin: Annotated[
        Literal["hard", "soft"],
        Field(description="Allow no errors on the training rows, or let them cost C."),
    ] = "hard",
    C: Annotated[
        Annotated[float, Field(gt=0)] | None,
        When(margin="soft"),
        Field(
            description="Cost of an error; empty: the best of 0.001, 0.01, …, 10,000 in a "
            "cross-validation, by the balanced error rate."
        ),
    ] = None,
    number_of_folds: Annotated[
        int, When(margin="soft"), Field(ge=2, description="Folds for the choice of C.")
    ] = 20,
    class_ridge: Annotated[
        bool,
        Field(
            description="Add the fraction of its class to the similarity of a row with itself; "
            "this allows larger errors in the larger class. For classes of very different size."
        ),
    ] = False,
    scaling: Annotated[
        bool,
        Field(
            description="Divide all values by the root of the mean squared length of the training "
            "rows first. Switch it off if Normalize has done this before attributes were selected."
        ),
    ] = True,
    ctx: Context,
) -> Model:
    r"""Hard Margin SVM

    Separates two classes by the border with the widest margin, with nothing to tune: errors are
    not allowed, and the width of the Gaussian kernel follows from the distances between the
    classes. With the ranking of Weight by Lal Score and Choose Number of Features it is the recipe
    of an entry to the NIPS 2003 feature selection challenge.

    If the classes overlap, a warning reports it. Errors then have a very high cost, and the model
    fits noise. Use a soft margin, or the class ridge. Attributes are not scaled one by one: bring
    attributes with different units to one scale first. Time and memory grow with the square of the
    number of rows: use at most some thousands.

    The cost of errors starts at 100 and grows until no multiplier reaches it; the solution then is
    exactly the one without errors. It stops at 100,000,000. The model shows sigma and C as they
    were found, the number of support vectors, whether the classes are separable, and the margin (1
    over the length of the normal, after scaling). Sigma is computed from the selected attributes.
    According to its text the paper computes it before the selection, but its printed values fit
    sigma after the selection. To compute sigma before the selection, connect the table with all
    attributes to before_selection.

    .. math:: k(x, z) = e^{-\|x - z\|^2 / (2\sigma^2)}, \qquad
        \sigma = \frac1n \sum_i \min_{l: y_l \ne y_i} \|x_i - x_l\|, \qquad
        K_{ii} = k(x_i, x_i) + \frac{n_{y_i}}{n} \text{ (class ridge)}

    References
    ----------
    Lal, Chapelle, Schölkopf (2006): Combining a filter method with SVMs. In: Feature Extraction,
    Foundations and Applications.
    """
    positive = examples.binary_label() == 1
    # The products of a linear kernel need no dense rows; distances do.
    X = examples.matrix() if kernel_type == "linear" else TWO_CLASSES.loaded(examples).numeric()
    scale = _average_norm(X) if scaling else 1.0
    X = X / scale
    measured = X if before_selection is None else _same_rows(before_selection, examples) / scale
    sigma = _width(measured, positive, sigma) if kernel_type == "gaussian" else 0.0
    K = filter_svm.gram(X, X, kernel_type, sigma)
    cost = C
    if margin == "soft" and C is None:
        cost = _chosen_cost(K, positive, number_of_folds, class_ridge, ctx)
    machine = filter_svm.fit(K, positive, C=cost if margin == "soft" else None, ridge=class_ridge)
    if margin == "hard" and not machine.separable:
        ctx.warn(
            "No border of this kernel separates the classes, so training rows are on the wrong "
            "side. Use a soft margin, class_ridge, or other attributes."
        )
    predictor = KernelMachine(
        machine,
        _rows_of(X, machine.support),
        scale,
        kernel_type,
        sigma,
        class_ridge,
        _codes(examples, positive),
        len(examples.classes),
    )
    return PredictionModel(predictor, examples.schema, NAME)


def _same_rows(reference: ExampleSet, examples: ExampleSet) -> Floats:
    """Return the numbers of the table with all attributes, if it has the rows of the other."""
    if len(reference) != len(examples):
        raise DataError(
            f"The table before_selection has {len(reference)} rows, but the training set has "
            f"{len(examples)}.",
            hint="Connect the same rows before attributes were selected.",
        )
    return reference.numeric()


def _rows_of(X: Any, rows: npt.NDArray[np.intp]) -> Any:
    """Return some rows of a dense or sparse matrix."""
    return X[rows] if isinstance(X, np.ndarray) else X.tocsr()[rows]


def _average_norm(X: Any) -> float:
    """Return the root of the mean squared length of the rows, also of huge or tiny ones."""
    stored = X if isinstance(X, np.ndarray) else X.data
    largest = float(np.abs(stored).max(initial=0.0)) or 1.0
    divisors = normalization.average_norm(X / largest)[1]
    return largest * float(divisors[0]) if len(divisors) else 1.0


def _width(X: Floats, positive: npt.NDArray[np.bool_], sigma: float) -> float:
    if sigma:
        return sigma
    try:
        return filter_svm.width(X, positive)
    except ValueError:
        raise DataError(
            "All rows are equal in the selected attributes, so the width of the Gaussian kernel "
            "cannot be computed from distances.",
            hint="Keep an attribute that differs, or set sigma.",
        ) from None


def _chosen_cost(
    K: Floats, positive: npt.NDArray[np.bool_], number_of_folds: int, ridge: bool, ctx: Context
) -> float:
    """Return the best cost of errors in a cross-validation."""
    folds, rng = min(number_of_folds, len(positive)), ctx.rng("folds")
    if min(positive.sum(), (~positive).sum()) == 1:
        ctx.warn("A class has only one row, so C is chosen by the errors on the other class alone.")
    try:
        return filter_svm.choose_cost(K, positive, COSTS, folds, rng, ridge=ridge)
    except ValueError:
        raise DataError(
            "A class has too few rows: without a fold no row of it is left for training, so C "
            "cannot be chosen.",
            hint="Give each class at least two rows, or set C.",
        ) from None


def _codes(examples: ExampleSet, positive: npt.NDArray[np.bool_]) -> tuple[int, int]:
    values = examples.label_values()
    return int(values[~positive][0]), int(values[positive][0])
