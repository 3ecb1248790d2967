"""Weights of numbers and categories together, by kernels."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.kernel.clinical import ClinicalRows
from fsops.algorithms.kernel.mkl import MklProblem
from fsops.algorithms.kernel.svm import PairMachines, kernel_importance, kernel_svm_forms
from fsops.core import Accepts, Context, Expert, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.ordinals import numbers_of_levels, ordinals_as_numbers
from fsops.operators.weighting.scores import (
    class_codes,
    describe_weights,
    together_or_against_rest,
)

GROUP = "Weighting/Kernels"
MIXED = Accepts(label="nominal", attributes="numerical or nominal", missing=True)

Cost = Annotated[
    float, Field(gt=0, description="Cost of errors; a small cost gives a smoother model.")
]
Balance = Annotated[
    bool, Field(description="Give both classes the same total weight, however many rows they have.")
]
Literally = Annotated[
    bool,
    Expert(),
    Field(
        description="Use the formula as printed in the paper: the distance from the mean, which "
        "ranks a useless attribute above an average one."
    ),
]
Norm = Annotated[
    float,
    Field(
        ge=1,
        le=100,
        description="Norm of the weights: 1 leaves few attributes with a weight, 2 nearly all.",
    ),
]
Tolerance = Annotated[
    float,
    Expert(),
    Field(ge=1e-5, le=0.1, description="Relative gap to the best possible weights."),
]


def clinical_rows(examples: ExampleSet) -> ClinicalRows:
    """Return the rows as the clinical kernel sees them, scaled by themselves."""
    table = ordinals_as_numbers(examples)
    return ClinicalRows.of(table.numeric(), table.nominal(), numbers_of_levels(examples.schema))


def table_places(examples: ExampleSet) -> npt.NDArray[np.intp]:
    """Return the index among the regular attributes of each feature of the kernel."""
    schema = ordinals_as_numbers(examples).schema
    columns = np.concatenate([schema.regular_numerical, schema.regular_nominal])
    return np.searchsorted(schema.regular, columns).astype(np.intp)


def in_table_order(
    examples: ExampleSet, values: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return one value per attribute in the order of the table; kernels have numbers first."""
    ordered = np.empty_like(values)
    ordered[table_places(examples)] = values
    return ordered


def warn_of_gap(gap: float, tolerance: float, ctx: Context) -> None:
    """Warn if the kernels' weights are less exact than requested."""
    if gap > tolerance:
        ctx.warn(
            f"The search for the weights of the kernels stopped at a gap of {gap:.2g} to the "
            f"optimum, not at {tolerance:g}. Lower C, or allow a larger tolerance."
        )


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
    accepts=MIXED,
    describe=describe_weights,
    tags=(
        "clinical kernel",
        "support vector machine",
        "mixed data",
        "categorical",
        "missing values",
    ),
)
@together_or_against_rest
def weight_by_kernel_svm(
    examples: ExampleSet,
    *,
    C: Cost = 1.0,
    balance_cost: Balance = True,
    literal: Literally = False,
) -> AttributeWeights:
    r"""Weight by Kernel SVM

    Scores numerical and nominal attributes together, by their contributions to a support vector
    machine with the clinical kernel. Nominal attributes stay nominal, and a missing value differs
    from every other value. An attribute with the same value in all rows gets 0. With more than two
    classes the contributions to all pairs are added up; multiclass compares each class with all
    others instead, and the details name the class that gave the weight.

    All attributes are weighted at once, without a kernel matrix for each. Attributes that carry the
    same information share their weight. To choose a small set, eliminate step by step with Select
    by Kernel RFE.

    .. math:: J_f = \frac1p c^T K_f c, \qquad c_i = \alpha_i y_i

    References
    ----------
    Paul, Dupont (2014): Kernel methods for mixed feature selection. ESANN.
    Daemen, De Moor (2009): Development of a kernel function for clinical data. EMBC.
    """
    rows = clinical_rows(examples)
    forms = kernel_svm_forms(rows, class_codes(examples), C=C, balanced=balance_cost)
    weights = kernel_importance(forms, literal=literal)
    return examples.weights(in_table_order(examples, weights))


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
    accepts=MIXED,
    describe=describe_weights,
    tags=("multiple kernel learning", "clinical kernel", "mixed data", "sparse", "missing values"),
)
@together_or_against_rest
def weight_by_mkl(
    examples: ExampleSet,
    *,
    C: Cost = 1.0,
    balance_cost: Balance = True,
    norm: Norm = 1.0,
    tolerance: Tolerance = 1e-3,
    ctx: Context,
) -> AttributeWeights:
    r"""Weight by Multiple Kernel Learning (MKL)

    Gives each attribute a kernel and fits the weights of the kernels together with a support vector
    machine (multiple kernel learning). It takes numbers and categories without preparation; a
    missing value differs from every other value. With more than two classes all pairs share the
    weights; multiclass learns weights for each class against all others instead, and the details
    name the class that gave the weight.

    With norm 1 the weights sum up to 1, and most are 0: those of attributes that add nothing to the
    others. With norm q above 1 all p attributes have a weight, and their q-norm is p^(1/q − 1). If
    two attributes are equal, only the sum of their weights is determined. The detail ``form`` shows
    how close an attribute without a weight is to getting one: attributes with a weight have the
    largest form.

    .. math:: \min_{\mu \ge 0, \|\mu\|_q \le p^{1/q - 1}} \max_\alpha \sum_i \alpha_i
        - \tfrac12 \sum_f \mu_f c^T K_f c, \qquad c_i = \alpha_i y_i

    References
    ----------
    Lanckriet et al. (2004): Learning the kernel matrix with semidefinite programming. JMLR 5.
    Kloft, Brefeld, Sonnenburg, Zien (2011): lp-norm multiple kernel learning. JMLR 12.
    Paul, Dupont (2014): Kernel methods for mixed feature selection. ESANN.
    """
    machines = PairMachines(class_codes(examples), C=C, balanced=balance_cost)
    found = MklProblem(clinical_rows(examples), machines, norm=norm, tol=tolerance).solve()
    warn_of_gap(found.gap, tolerance, ctx)
    if len(found.forms) and not found.forms.any():
        ctx.warn(
            "All attributes have the same values in all rows, so the weights contain no "
            "information about the label."
        )
    return examples.weights(
        in_table_order(examples, found.weights),
        details={"form": in_table_order(examples, found.forms)},
    )
