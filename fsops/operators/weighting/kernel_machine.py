"""The loss of kernel models without an attribute, and the common part of their operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypedDict, Unpack

import numpy as np
from pydantic import Field

from fsops.algorithms.kernel.knife.fit import Standard, class_signs
from fsops.algorithms.kernel.knife.kernels import KernelKind, WeightedKernel, removal_changes
from fsops.algorithms.kernel.knife.losses import MachineName, trained
from fsops.core import Accepts, When, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.errors import DataError, ParameterError
from fsops.operators.weighting.scores import (
    Floats,
    class_codes,
    describe_weights,
    rapidminer,
    together_or_against_rest,
)

NUMBERS = Accepts(
    label="any",
    attributes="numerical",
    instead="Convert nominal attributes to numbers with Nominal to Numerical.",
)
FEWEST_ROWS = 3
Learner = Annotated[
    Literal["automatic"] | MachineName,
    Field(description="Model to fit; automatic: kernel ridge for numbers, else an SVM."),
]


class KernelParameters(TypedDict):
    """A kernel machine on standardized attributes."""

    kernel_type: Annotated[
        KernelKind,
        Field(default="gaussian", description="Similarity of two rows."),
    ]
    degree: Annotated[
        int,
        When(kernel_type="polynomial"),
        Field(ge=1, le=10, default=2, description="Degree of the polynomial."),
    ]
    coefficient_penalty: Annotated[
        float,
        Field(
            gt=0,
            default=1.0,
            description="Penalty on the coefficients of the model; a large penalty gives a "
            "smoother model.",
        ),
    ]


def kernel_of(parameters: Mapping[str, Any]) -> WeightedKernel:
    """Return the kernel that the parameters describe."""
    return WeightedKernel(parameters["kernel_type"], parameters["degree"])


def machine_labels(examples: ExampleSet) -> Floats:
    """Return numbers as a column; classes as -1 and +1, a column each if more than two."""
    if len(examples) < FEWEST_ROWS:
        raise DataError(
            f"At least {FEWEST_ROWS} rows are needed, but the data has {len(examples)}."
        )
    if not examples.label.value_type.is_nominal:
        return np.asarray(examples.label_values(), dtype=np.float64)[:, None]
    codes = class_codes(examples)
    if not codes.any():
        only = examples.class_codes()[1][0]
        raise DataError(
            f'At least two classes are needed, but all rows have the class "{only}" in '
            f'"{examples.label.name}".'
        )
    return class_signs(codes)


def learner_of(learner: str, examples: ExampleSet) -> MachineName:
    """Return which machine is meant; numbers can only be fitted by kernel ridge."""
    nominal = examples.label.value_type.is_nominal
    if learner == "automatic":
        return "support vector machine" if nominal else "kernel ridge"
    if not nominal and learner != "kernel ridge":
        raise ParameterError(
            f'learner is "{learner}", but the label "{examples.label.name}" is a number.',
            hint="Use kernel ridge, or automatic.",
        )
    return learner  # type: ignore[return-value]


@operator(
    group="Weighting/Models",
    role="weighting",
    row_weights="whole numbers",
    accepts=NUMBERS,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("kernel", "recursive feature elimination", "svm-rfe", "non-linear", "margin", "guyon"),
)
@together_or_against_rest
def weight_by_kernel_machine(
    examples: ExampleSet,
    *,
    learner: Learner = "automatic",
    gamma: Annotated[
        float,
        When(kernel_type="gaussian"),
        Field(
            ge=0,
            description="Decrease of the similarity with the distance; 0: 1 / number of "
            "attributes.",
        ),
    ] = 0.0,
    **kernel: Unpack[KernelParameters],
) -> AttributeWeights:
    r"""Weight by Kernel Machine

    Scores an attribute by the change of the squared norm of a kernel model if the attribute is
    removed from the kernel but the coefficients of the model stay the same. Inside Recursive
    Feature Elimination this is RFE with a kernel. With more than two classes the changes of the
    models of all classes are added up. If multiclass is set, each class is compared with all others
    instead, the weights are combined, and the details name the class with the decisive weight.

    A single fit does not rank weak attributes well: eliminate them step by step. The time
    grows with the attributes times the square of the rows. With many attributes and a
    polynomial of high degree the kernel has such large values that rounding removes the effect of
    coefficient_penalty. The model is then the one without a penalty that has the smallest
    coefficients.

    .. math:: \left| a^T K a - a^T K^{(-j)} a \right|

    References
    ----------
    Guyon et al. (2002): Gene selection for cancer classification using support vector machines.
    Machine Learning 46, 389–422.
    """
    machine, Y = learner_of(learner, examples), machine_labels(examples)
    standard, form = Standard.of(examples.numeric()), kernel_of(kernel)
    p = standard.X.shape[1]
    if not p or not np.ptp(Y, axis=0).any():
        return examples.weights(np.zeros(len(standard.centre)))
    width = np.sqrt(gamma or 1 / p) if form.kind == "gaussian" else 1.0
    weights = np.full(p, width)
    gram = form.gram(standard.X, standard.X, weights)
    a, _ = trained(machine, gram, Y, kernel["coefficient_penalty"])
    return examples.weights(standard.spread(removal_changes(form, standard.X, weights, a)))
