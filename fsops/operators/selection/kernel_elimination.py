"""Recursive elimination of numbers and categories by the clinical kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from fsops.algorithms.kernel.rfe import fraction_sizes, renumbered, rfe_mkl, rfe_svm
from fsops.core import Context, When, operator
from fsops.data import ExampleSet, MetaData
from fsops.operators.selection.elimination import (
    GROUP,
    Eliminated,
    Fraction,
    K,
    Number,
    Output,
    Schedule,
    Step,
    delivered,
    sizes,
)
from fsops.operators.sizes import Size
from fsops.operators.weighting.kernel import (
    MIXED,
    Balance,
    Cost,
    Literally,
    Norm,
    Tolerance,
    clinical_rows,
    table_places,
    warn_of_gap,
)
from fsops.operators.weighting.scores import class_codes, describe_weights


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    return {"weights": describe_weights(inputs, parameters)}


def _steps(p: int, k: int, rule: Mapping[str, Any]) -> list[int]:
    """Return the numbers of attributes after each round; shares are rounded down here."""
    if rule["step"] != "fraction":
        return sizes(p, k, **rule)
    return fraction_sizes(p, k, rule["fraction"])


@operator(
    group=GROUP,
    role="selection",
    row_weights="whole numbers",
    accepts=MIXED,
    describe=_describe,
    tags=("rfe-svm", "rfe-mkl", "clinical kernel", "mixed data", "categorical", "backward"),
)
def select_by_kernel_rfe(
    examples: ExampleSet,
    *,
    method: Annotated[
        Literal["svm", "mkl"],
        Field(
            description="Drop the attributes that change a support vector machine least, or those "
            "with the smallest kernel weights."
        ),
    ] = "svm",
    k: K = 10,
    step: Step = "fraction",
    fraction: Fraction = 0.2,
    number: Number = 1,
    schedule: Schedule = [50, 10],
    C: Cost = 1.0,
    balance_cost: Balance = True,
    literal: Annotated[Literally, When(method="svm")] = False,
    norm: Annotated[Norm, When(method="mkl")] = 1.0,
    tolerance: Annotated[Tolerance, When(method="mkl")] = 5e-3,
    output: Output = "selection",
    ctx: Context,
) -> Eliminated:
    r"""Select by Kernel RFE

    Finds a small set of numbers and categories that work well together, by dropping the least
    important ones round by round. Nominal attributes stay nominal, and a missing value differs from
    every other value. Attributes with the same value in all rows are dropped first.

    Method svm (RFE-SVM) fits a support vector machine with the clinical kernel in each round
    and drops by Weight by Kernel SVM; mkl (RFE-MKL) drops by Weight by Multiple Kernel
    Learning. There, most weights are 0. For the latter the trace holds a number of at most 0: the
    distance of the attribute from a positive weight. A round drops a fraction rounded down, at
    least one attribute. Put it inside a validation: the selection fits its training rows.
    Attributes with the role must_keep count among the k and are never dropped.

    References
    ----------
    Paul, Dupont (2014): Kernel methods for mixed feature selection. ESANN.
    Guyon et al. (2002): Gene selection for cancer classification using support vector machines.
    Machine Learning 46, 389–422.
    """
    rule = {"step": step, "fraction": fraction, "number": number, "schedule": schedule}
    size = Size.within(examples, k, ctx)
    steps = _steps(len(examples.schema.regular), size.k, rule)
    keep = size.kept[table_places(examples)]
    rows, codes = clinical_rows(examples), class_codes(examples)
    rounds = ctx.progress(range(len(steps)), "Rounds")

    def tell(done: int, total: int) -> None:
        next(rounds, None)

    if method == "svm":
        found = rfe_svm(
            rows,
            codes,
            steps,
            C=C,
            balanced=balance_cost,
            literal=literal,
            on_round=tell,
            keep=keep,
        )
    else:
        found, gap = rfe_mkl(
            rows,
            codes,
            steps,
            C=C,
            balanced=balance_cost,
            norm=norm,
            tol=tolerance,
            on_round=tell,
            keep=keep,
        )
        warn_of_gap(gap, tolerance, ctx)
    found = renumbered(found, table_places(examples))
    return delivered(examples, found, output, "Select by Kernel RFE")
