"""Any validation beside the same one with permuted labels."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.chance import p_values
from fsops.algorithms.chance.orders import label_orders
from fsops.core import Accepts, Context, Named, Subprocess, operator
from fsops.core.declare.iterations import Known
from fsops.data import Attribute, Criterion, ExampleSet, PerformanceVector, PermutationBaseline
from fsops.data.schema import EVENT
from fsops.errors import Cancelled, DataError, FsopsError
from fsops.operators.validation.design import design_of

Evaluation = Subprocess[
    [Annotated[ExampleSet, Named("examples", "All rows, with the true or a permuted label.")]],
    PerformanceVector,
]


class Baseline(NamedTuple):
    """Results of a permutation baseline."""

    performance: Annotated[
        PerformanceVector,
        Named(description="With the true label, and the p-value of the main criterion."),
    ]
    baseline: Annotated[
        PermutationBaseline, Named(description="With permuted labels, and p-values.")
    ]


def _iterations(known: Known) -> int:
    number: int = known["permutations"]
    return number + 1


@operator(
    group="Validation",
    role="validation",
    accepts=Accepts(label="any", missing=True, infinite=True, events=True),
    tags=(
        "permutation test",
        "chance",
        "null distribution",
        "p-value",
        "randomization",
        "shuffled labels",
        "y-scrambling",
    ),
    random=True,
    iterations=_iterations,
)
def permutation_baseline(
    examples: ExampleSet,
    evaluation: Evaluation,
    *,
    permutations: Annotated[
        int,
        Field(
            ge=1,
            description="Number of evaluations with a permuted label. The smallest "
            "possible p-value is 1 / (permutations + 1).",
        ),
    ] = 99,
    ctx: Context,
) -> Baseline:
    r"""Permutation Baseline

    Shows the results that an evaluation would have by chance: runs the inner process, a validation
    or a stability validation, with the true label and then with permuted labels. Everything inside
    is repeated, so the p-value accounts for the selection and the choice of sizes or parameters.

    The result has the band of chance and an exact p-value for every criterion. If b of m permuted
    labels give a value at least as good as the true one,

    .. math:: p = \frac{b + 1}{m + 1}

    Use it for stability too: selections on overlapping rows agree even on noise, so 0 is not the
    stability of chance.

    A censored time (role event) moves with its event. With the roles "batch" and "pair", labels
    move within a batch or a pair only. Rows of one "group", such as a patient, move as a whole. If
    there are at most as many different orders as permutations, all of them are used. A permuted
    label whose evaluation fails, or has no value, counts as at least as good.

    It takes the time of the inner process, times the number of permutations. Measure Chance is far
    faster, but has its own filter and learner.

    References
    ----------
    Ojala, Garriga (2010): Permutation tests for studying classifier performance. JMLR 11.
    Phipson, Smyth (2010): Permutation p-values should never be zero. SAGMB 9.
    """
    labels = label_codes(examples)
    if len(np.unique(labels)) < 2:
        raise DataError(
            f'All rows have the same value of the label "{examples.label.name}".',
            hint="Give it rows of at least two classes, or different numbers.",
        )
    design = design_of(examples, ctx)
    orders = label_orders(
        labels, permutations, ctx.rng("orders"), blocks=design.blocks, units=design.units
    )

    def evaluate(number: int) -> PerformanceVector | str:
        if not number:
            return evaluation(examples)
        try:
            return evaluation(permuted(examples, orders.rows[number]))
        except Cancelled:
            raise
        except FsopsError as error:
            return str(error)

    found = ctx.map(evaluate, range(len(orders.rows)), "Permutations")
    true = found[0]
    assert isinstance(true, PerformanceVector)  # its errors are not caught
    _warn_of_failures([each for each in found if isinstance(each, str)], len(found) - 1, ctx)
    values = np.array([_values(each, true) for each in found])
    baseline = baseline_of(true, values, orders.arrangements)
    p = Criterion("p_value", (float(baseline.p_values[0]),), maximize=False)
    return Baseline(PerformanceVector([*true.criteria, p], confusion=true.confusion), baseline)


def label_codes(examples: ExampleSet) -> npt.NDArray[np.generic]:
    """Return the label of each row; for a censored time a code of time and event."""
    event = _event_of_time(examples)
    if event is None:
        return examples.label_values()
    both = np.column_stack([examples.label_values(), examples.column(event.name)])
    return np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)


def permuted(examples: ExampleSet, order: Ints) -> ExampleSet:
    """Return a table whose rows have the labels of other rows; a time takes its event along."""
    columns = [(examples.label, examples.label_values()[order])]
    event = _event_of_time(examples)
    if event is not None:
        columns.append((event, examples.column(event.name)[order]))
    return examples.with_values(columns)


def _event_of_time(examples: ExampleSet) -> Attribute | None:
    """Return the attribute that says whether a time is censored, if the label is one."""
    if examples.label.value_type.is_nominal:
        return None
    return examples.schema.special(EVENT)


def baseline_of(
    true: PerformanceVector, values: Floats, arrangements: float
) -> PermutationBaseline:
    """Return the p-values of criteria by order; the first order is the true one."""
    maximize = [criterion.maximize for criterion in true]
    signed = np.where(maximize, values, -values)
    # An order without a value counts as at least as good.
    counted = np.where(np.isnan(signed), np.inf, signed)
    p = np.array([p_values.p_value(column) for column in counted.T])
    p[np.isnan(values[0])] = np.nan
    names = [criterion.name for criterion in true]
    return PermutationBaseline(
        names, values[0], values[1:], maximize=maximize, p_values=p, arrangements=arrangements
    )


def _values(found: PerformanceVector | str, true: PerformanceVector) -> list[float]:
    means = {} if isinstance(found, str) else found.means()
    return [means.get(criterion.name, np.nan) for criterion in true]


def _warn_of_failures(reasons: list[str], permutations: int, ctx: Context) -> None:
    if not reasons:
        return
    if len(reasons) == permutations:
        raise DataError(f"The evaluation fails with every permuted label. {reasons[0]}")
    ctx.warn(
        f"The evaluation failed with {len(reasons)} of {permutations} permuted labels, which count "
        f"as at least as good. {reasons[0]}"
    )
