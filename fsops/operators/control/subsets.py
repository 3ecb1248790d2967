"""An inner process on some attributes, the best of many runs, and an error on purpose."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, Unpack

import numpy as np
from pydantic import Field

from fsops.core import Accepts, Aliases, Context, Named, Subprocess, operator
from fsops.data import ExampleSet, FlowObject, PerformanceVector
from fsops.data.schema import REGULAR
from fsops.errors import DataError, OperatorFailed, enumerate_names
from fsops.operators.control.memory import Through, describe_through
from fsops.operators.control.structure import Inputs
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names

ANY_TABLE = Accepts(missing=True, infinite=True)
Conflict = Literal["error", "keep new", "keep original"]
Further = Annotated[
    list[FlowObject | None], Named("through", "Further results of the inner process.")
]


class Worked(NamedTuple):
    """Results of the inner process."""

    examples: Annotated[ExampleSet, Named(description="The changed attributes.")]
    through: Further = []


class Joined(NamedTuple):
    """The whole table, and what else the inner process returned."""

    examples: Annotated[ExampleSet, Named(description="Changed and other attributes.")]
    through: Further


Chosen = Annotated[ExampleSet, Named("examples", "The chosen attributes.")]


@operator(
    group="Control",
    role="control",
    accepts=ANY_TABLE,
    aliases=Aliases(ports={"example set": "examples", "exampleSet": "examples"}),
    tags=("columns", "some attributes", "preprocessing", "apply to"),
    iterations=lambda known: 1,
)
def work_on_subset(
    examples: ExampleSet,
    subset_process: Subprocess[[Chosen], Worked],
    *,
    name_conflict_handling: Annotated[
        Conflict,
        Field(description="If an attribute of both parts has the same name: stop, or keep one."),
    ] = "error",
    role_conflict_handling: Annotated[
        Conflict,
        Field(description="If attributes of both parts have the same role: stop, or keep one."),
    ] = "error",
    keep_subset_only: Annotated[
        bool, Field(description="Return the attributes of the inner process only.")
    ] = False,
    remove_roles: Annotated[
        bool, Field(description="Make all attributes regular for the inner process.")
    ] = False,
    **attribute_filter: Unpack[AttributeFilter],
) -> Joined:
    """Work on Subset

    Runs its inner process on some attributes and adds the other attributes to the result, for
    instance to discretize only the clinical attributes. The inner process gets special attributes,
    such as the label, only if include_special_attributes is set.

    The inner process must not change the number of rows, unless only its attributes are kept.
    """
    names = selected_names(examples, attribute_filter)
    part = examples.select(names)
    if remove_roles:
        part = part.with_roles(dict.fromkeys(part.schema.roles, REGULAR))
    answer = subset_process(part)
    worked = answer if isinstance(answer, Worked) else Worked(answer)
    if keep_subset_only:
        return Joined(worked.examples, worked.through)
    if len(worked.examples) != len(examples):
        raise DataError(
            f"The inner process returns {len(worked.examples)} rows, but got {len(examples)}.",
            hint="Keep all rows inside, or set keep_subset_only.",
        )
    rest = examples.drop(names)
    new, old = _without_conflicts(
        worked.examples, rest, name_conflict_handling, role_conflict_handling
    )
    return Joined(new.beside(old), worked.through)


def _without_conflicts(
    new: ExampleSet, old: ExampleSet, names: Conflict, roles: Conflict
) -> tuple[ExampleSet, ExampleSet]:
    """Return both parts without attributes whose name or role the other part keeps."""
    both = old.schema.names_at(np.flatnonzero(new.schema.names.find(old.schema.names) >= 0))
    new, old = _resolved(new, old, {name: name for name in both}, names)
    theirs = {role: name for name, role in old.schema.roles.items()}
    pairs = {n: theirs[role] for n, role in new.schema.roles.items() if role in theirs}
    return _resolved(new, old, pairs, roles)


def _resolved(
    new: ExampleSet, old: ExampleSet, pairs: dict[str, str], handling: Conflict
) -> tuple[ExampleSet, ExampleSet]:
    """Return both parts without one attribute of each pair, a new and an old one."""
    if not pairs:
        return new, old
    if handling == "error":
        raise DataError(
            f"{enumerate_names(list(pairs))} of the inner process has the name or role of "
            f"{enumerate_names(list(pairs.values()))}.",
            hint="Rename attributes inside, or keep the new or the original ones.",
        )
    return (new, old.drop(pairs.values())) if handling == "keep new" else (new.drop(pairs), old)


# --- the best of many -------------------------------------------------------------------------


class Attempt(NamedTuple):
    """Results of one iteration."""

    performance: PerformanceVector
    output: Annotated[list[FlowObject | None], Named(description="Further results.")] = []


class BestAttempt(NamedTuple):
    """Results of the best iteration."""

    performance: Annotated[PerformanceVector, Named(description="Of the best iteration.")]
    output: Annotated[
        list[FlowObject | None], Named(description="Further results of the best iteration.")
    ]


@operator(
    group="Control/Loops",
    role="control",
    aliases=Aliases(
        ports={"in": "input", "out": "output", "performance vector": "performance"},
    ),
    tags=("repeat", "random restarts", "maximum", "optimize"),
    iterations=lambda known: known["iterations"],
)
def loop_and_deliver_best(
    input: Inputs,
    optimizing: Subprocess[[Inputs], Attempt],
    *,
    iterations: Annotated[int, Field(ge=1, description="Number of iterations.")] = 10,
    ctx: Context,
) -> BestAttempt:
    """Loop and Deliver Best

    Runs its inner process a number of times, each time with other random numbers, and returns the
    results of the iteration with the best performance. If several are equally good, the first
    counts.

    The performance is optimistic, because it is the best of many: estimate it again by a
    validation around this operator.
    """
    answers = ctx.map(lambda _: optimizing(input), range(iterations), "Iterations")
    found = [a if isinstance(a, Attempt) else Attempt(a) for a in answers]
    best = max(range(len(found)), key=lambda i: (found[i].performance.main.merit, -i))
    return BestAttempt(found[best].performance, found[best].output)


@operator(
    group="Control",
    role="control",
    describe=describe_through,
    tags=("error", "stop", "abort", "assert", "raise"),
    pure=False,
)
def throw_exception(
    through: Through,
    *,
    message: Annotated[
        str, Field(description="Sentence of the error.", examples=["The table is too small."])
    ] = "The process was stopped by Throw Exception.",
) -> Through:
    """Throw Exception

    Stops the run with your error message, for instance in a part of a Branch that must not be
    reached. Handle Exception can catch it.
    """
    raise OperatorFailed(message)
