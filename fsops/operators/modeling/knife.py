"""A kernel machine on weighted attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from fsops.algorithms.kernel.knife.fit import Standard
from fsops.algorithms.kernel.knife.kernels import WeightedKernel
from fsops.algorithms.kernel.knife.losses import trained
from fsops.core import operator
from fsops.data import AttributeWeights, ExampleSet, Model, PredictionModel
from fsops.data.model import require_finite
from fsops.errors import DataError, enumerate_names
from fsops.operators.modeling.estimators import TRAINING, describe_model
from fsops.operators.weighting.kernel_machine import (
    NUMBERS,
    KernelParameters,
    Learner,
    kernel_of,
    learner_of,
    machine_labels,
)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WeightedMachine:
    """Kernel machines that share weighted attributes.

    Parameters
    ----------
    used
        Positions of the attributes with a weight; all other arrays are about these.
    rows
        The standardized training rows that count.
    coefficients
        Of these rows, a column for each machine.
    classes
        Categories of the label that occur, in the order of the machines; empty for numbers.
    n_classes
        Number of categories of the label.
    """

    kernel: WeightedKernel
    used: npt.NDArray[np.intp]
    weights: Floats
    centre: Floats
    scale: Floats
    rows: Floats
    coefficients: Floats
    intercepts: Floats
    classes: tuple[int, ...] = ()
    n_classes: int = 0

    def __call__(self, examples: ExampleSet) -> Floats:
        """Return confidences per class, or predicted numbers."""
        require_finite(examples)
        X = (examples.numeric()[:, self.used] - self.centre) / self.scale
        values = self.kernel.gram(X, self.rows, self.weights) @ self.coefficients + self.intercepts
        if not self.classes:
            return np.asarray(values[:, 0])
        if values.shape[1] == 1:  # two classes have one machine, whose positive side is the second
            values = np.column_stack([np.zeros(len(values)), values])
        likelihood = np.exp(values - values.max(axis=1, keepdims=True))
        confidences = np.zeros((len(values), self.n_classes))
        confidences[:, self.classes] = likelihood / likelihood.sum(axis=1, keepdims=True)
        return confidences


def _kernel_weights(examples: ExampleSet, weights: AttributeWeights) -> Floats:
    """Return a weight from 0 to 1 for every attribute; attributes that are not mentioned get 0."""
    names = examples.schema.regular_names
    if not (weights.names.find(names) >= 0).any():
        raise DataError(
            "The data has none of the attributes of the weights.",
            hint="Connect weights that were made of this data, or of data like it.",
        )
    found: Floats = AttributeWeights.stack([weights], names)[1][0]
    wrong = names.take(np.flatnonzero(~((found >= 0) & (found < np.inf))))
    if len(wrong):
        raise DataError(
            f"Weights in a kernel must be at least 0, but {enumerate_names(wrong)} "
            f"{'has another' if len(wrong) == 1 else 'have others'}.",
            hint="Use the weights of Weight by KNIFE, or a selection (Select Top k).",
        )
    return found / max(1.0, float(found.max()))


@operator(
    group="Modeling/Kernels",
    role="learner",
    row_weights="whole numbers",
    accepts=NUMBERS,
    describe=describe_model,
    aliases=TRAINING,
    tags=("knife", "weighted kernel", "svm", "kernel ridge", "classifier", "regression", "learner"),
)
def knife_model(
    examples: ExampleSet,
    weights: AttributeWeights,
    *,
    learner: Learner = "automatic",
    **kernel: Unpack[KernelParameters],
) -> Model:
    r"""KNIFE Model

    Fits a kernel model with weighted attributes: kernel ridge
    regression, a support vector machine, or kernel logistic regression. It is the model for the
    weights of Weight by KNIFE and KNIFE Path; give it the same kernel and coefficient penalty.
    Other weights can be used too, such as a selection; if one is above 1 they are divided by the
    largest.

    With more than two classes there is a model for each class against the rest. Attributes are
    brought to the scale of the training rows. An attribute without a weight is not used. If no
    attribute is used, the model is a constant. The confidences of a support vector machine and of
    kernel ridge rise with the distance from the border; they are not probabilities. Time and memory
    grow with the square of the rows.

    .. math:: f(x) = b + \sum_i a_i k_w(x, x_i), \qquad
        \min_{a, b} \sum_i L(y_i, f(x_i)) + \lambda_1 a^T K_w a

    For the support vector machine this is :math:`C = 1 / (2 \lambda_1)`.

    References
    ----------
    Allen (2013): Automatic feature selection via weighted kernels and regularization. Journal of
    Computational and Graphical Statistics 22, 284–299.
    """
    machine, Y = learner_of(learner, examples), machine_labels(examples)
    standard, form = Standard.of(examples.numeric()), kernel_of(kernel)
    found = _kernel_weights(examples, weights)[standard.varying]
    on = np.flatnonzero(found)
    if not len(on):
        machine = "kernel ridge"  # a constant; the others cannot be fitted to nothing
    rows, used = standard.X[:, on], standard.varying[on]
    gram = form.gram(rows, rows, found[on])
    a, b = trained(machine, gram, Y, kernel["coefficient_penalty"])
    support = np.flatnonzero(a.any(axis=1))
    label = examples.label
    classes = np.unique(examples.label_values()).tolist() if label.value_type.is_nominal else []
    classes.sort(key=lambda code: label.categories[code])
    predictor = WeightedMachine(
        form,
        used,
        found[on],
        standard.centre[used],
        standard.scale[used],
        rows[support],
        a[support],
        b,
        tuple(classes),
        len(label.categories),
    )
    return PredictionModel(predictor, examples.schema, "KNIFE Model")
