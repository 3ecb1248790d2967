"""Recursive feature elimination: drop the worst, weigh the rest anew, repeat."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import BeforeValidator, Field

from fsops.algorithms.linear import svm_rfe as algorithms
from fsops.algorithms.linear.svm_rfe import Elimination
from fsops.algorithms.search.elimination import eliminate_groups
from fsops.core import Accepts, Context, Named, Subprocess, When, operator
from fsops.core.declare.iterations import Known
from fsops.data import AttributeWeights, EliminationTrace, ExampleSet, MetaData
from fsops.data.units import Units, units_of_schema
from fsops.errors import DataError, ParameterError
from fsops.operators.weighting.scores import class_codes, describe_weights

GROUP = "Selection/Elimination"

K = Annotated[int, Field(ge=1, description="How many attributes to keep.")]
Step = Annotated[
    Literal["fraction", "number", "schedule"],
    Field(description="Whether each round drops a share, a number, or down to given sizes."),
]
Fraction = Annotated[
    float,
    When(step="fraction"),
    Field(gt=0, lt=1, description="Share of the remaining attributes to drop in each round."),
]
Number = Annotated[
    int, When(step="number"), Field(ge=1, description="Attributes to drop in each round.")
]


def _as_schedule(value: Any) -> Any:
    """Return numbers and falling ranges of them as one list."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        return value
    found: list[int] = []
    for part in parts:
        match = _RANGE.fullmatch(str(part).strip())
        if match is None or match["step"] == "0":
            raise ValueError(
                f'"{part}" is not a number of attributes: write numbers and falling ranges, such '
                "as 500-100 by 50, 50, 10"
            )
        first, last = int(match["first"]), int(match["last"] or match["first"])
        step = int(match["step"] or 1)
        numbers = range(first, last - 1, -step)
        if not numbers or last < 1 or len(numbers) > MOST_ROUNDS:
            raise ValueError(
                f'"{part}" is not a falling range of at most {MOST_ROUNDS:,} numbers, such as '
                "500-100 by 50"
            )
        found.extend(numbers)
    return found


_RANGE = re.compile(
    r"(?P<first>\d+)(?:\s*[-–]\s*(?P<last>\d+)(?:\s*by\s*(?P<step>\d+))?)?", re.ASCII
)
MOST_ROUNDS = 10_000
Schedule = Annotated[
    list[int],
    When(step="schedule"),
    BeforeValidator(_as_schedule),
    Field(
        description="Numbers of attributes to pass through, falling, such as 500-100 by 50, 50, 10."
    ),
]
Output = Annotated[
    Literal["selection", "ranking"],
    Field(description="Weights 1 and 0, or larger the later an attribute was dropped."),
]


class Eliminated(NamedTuple):
    """What an elimination delivers."""

    weights: AttributeWeights
    trace: Annotated[EliminationTrace, Named(description="Who was dropped in which round.")]


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    return {"weights": describe_weights(inputs, parameters)}


def sizes(
    p: int, k: int, *, step: str, fraction: float, number: int, schedule: Sequence[int]
) -> list[int]:
    """Return the numbers of attributes after each round."""
    if k > p:
        raise DataError(
            f"k is {k}, but the data has {p} attributes.", hint=f"Choose k between 1 and {p}."
        )
    try:
        if step == "schedule":
            return algorithms.elimination_sizes(p, schedule=[s for s in schedule if s > k] + [k])
        rule = {"fraction": fraction} if step == "fraction" else {"count": number}
        return algorithms.elimination_sizes(p, k, **rule)
    except ValueError as error:
        raise ParameterError(str(error)) from None


def _kept(examples: ExampleSet, k: int, ctx: Context) -> tuple[Units | None, int]:
    """Return the units to keep or drop, and k, raised to all that must be kept."""
    units = units_of_schema(examples.schema)
    needed = 0 if units is None else int(units.kept.sum())
    if needed > k:
        ctx.warn(f"k is {k}, but {needed} attributes must be kept: these are kept.")
    return units, max(k, needed)


def _rounds(known: Known) -> int:
    rule = {name: known[name] for name in ("step", "fraction", "number", "schedule")}
    return len(sizes(known.attributes, known["k"], **rule))


def delivered(examples: ExampleSet, found: Elimination, output: str, name: str) -> Eliminated:
    """Return the result of an elimination as weights and trace."""
    names = examples.schema.regular_names
    p = len(names)
    if output == "selection":
        weights = np.zeros(p)
        weights[found.survivors] = 1.0
    else:
        weights = np.asarray(p + 1.0 - found.ranking, dtype=np.float64)
    details = {"last_weight": found.weights, "dropped_in_round": found.dropped_in}
    rounds = tuple((r.size, tuple(names.take(r.features)), r.weights) for r in found.trace)
    return Eliminated(
        AttributeWeights(names, weights, details=details), EliminationTrace(rounds, name)
    )


@operator(
    group=GROUP,
    role="selection",
    row_weights="whole numbers",
    accepts=Accepts(label="nominal", attributes="numerical", sparse=True),
    describe=_describe,
    tags=("recursive feature elimination", "support vector machine", "guyon", "backward"),
)
def select_by_svm_rfe(
    examples: ExampleSet,
    *,
    k: K = 10,
    step: Step = "fraction",
    fraction: Fraction = 0.1,
    number: Number = 1,
    schedule: Schedule = [50, 10],
    C: Annotated[float, Field(gt=0, description="How much errors of the SVM cost.")] = 1.0,
    normalize: Annotated[
        bool, Field(description="Bring all attributes to one scale first.")
    ] = True,
    output: Output = "selection",
    ctx: Context,
) -> Eliminated:
    r"""Select by SVM-RFE

    Finds a small set of attributes that work well together: fits a linear support vector machine,
    drops the attributes with the smallest coefficients, and repeats on the rest. An attribute that
    would fall by a single ranking can survive, once those that masked it are gone.

    Dropping many at once is fast and coarse; near the end drop one at a time. More than two
    classes are handled one against the rest. Put it inside a validation: what it keeps fits the
    rows it saw. Attributes with the role must_keep are never dropped, and are among the k.

    References
    ----------
    Guyon et al. (2002): Gene selection for cancer classification using support vector machines.
    Machine Learning 46, 389–422.
    """
    X = examples.matrix()
    units, k = _kept(examples, k, ctx)
    steps = sizes(X.shape[1], k, step=step, fraction=fraction, number=number, schedule=schedule)
    rounds = ctx.progress(range(len(steps)), "Rounds")
    with ctx.one_thread():
        found = algorithms.svm_rfe(
            X,
            class_codes(examples),
            schedule=steps[1:] or None,
            keep=steps[-1],
            C=C,
            standardize=normalize,
            on_round=lambda done, total: next(rounds, None),  # type: ignore[arg-type]
            never_drop=None if units is None else units.kept,
        )
    return delivered(examples, found, output, "Select by SVM-RFE")


@operator(
    group=GROUP,
    role="search",
    accepts=Accepts(missing=True, infinite=True, sparse=True),
    bound_groups="together",
    describe=_describe,
    tags=("rfe", "wrapper", "backward", "iterative"),
    turns=_rounds,
)
def recursive_feature_elimination(
    examples: ExampleSet,
    weighting: Subprocess[[ExampleSet], AttributeWeights],
    *,
    k: K = 10,
    step: Step = "fraction",
    fraction: Fraction = 0.1,
    number: Number = 1,
    schedule: Schedule = [50, 10],
    use_absolute_weights: Annotated[
        bool, Field(description="Drop by the size of the weight, whatever its sign.")
    ] = True,
    output: Output = "selection",
    ctx: Context,
) -> Eliminated:
    """Recursive Feature Elimination

    Weighs the attributes with its inner process, drops the worst, and repeats on the rest until k
    are left. The inner process may be any chain of operators that gives weights for the attributes
    it is shown.

    With weights that look at one attribute at a time it changes nothing: their order does not
    depend on the others. Put it inside a validation. Attributes with the role must_keep are never
    dropped, and are among the k. A bound group counts as one attribute, with the best weight in it.

    References
    ----------
    Guyon et al. (2002): Gene selection for cancer classification using support vector machines.
    Machine Learning 46, 389–422.
    """
    names = examples.schema.regular_names
    units, k = _kept(examples, k, ctx)
    count = len(names) if units is None else len(units)
    steps = sizes(count, k, step=step, fraction=fraction, number=number, schedule=schedule)
    rounds = ctx.progress(range(len(steps)), "Rounds")

    def weigh(active: np.typing.NDArray[np.intp]) -> np.typing.NDArray[np.float64]:
        next(rounds)
        shown = names.take(active)
        weights = weighting(examples.features(active))
        places = weights.names.find(shown)
        if (places < 0).any():
            absent = shown[int((places < 0).argmax())]
            raise DataError(f'The inner process gives no weight for "{absent}".')
        found = weights.values[places]
        if len(found) and np.isnan(found).all():
            raise DataError(
                f"The inner process knows no weight of the {len(found)} attributes that are left.",
                hint="Use another weighting, or stop with more attributes (k).",
            )
        return found

    keep = None if units is None else units.kept
    if units is not None and units.is_grouped:
        found = eliminate_groups(
            weigh, steps, units.unit_of, absolute=use_absolute_weights, history=True, keep=keep
        )
    else:
        found = algorithms.eliminate(
            weigh, steps, absolute=use_absolute_weights, history=True, keep=keep
        )
    return delivered(examples, found, output, "Recursive Feature Elimination")
