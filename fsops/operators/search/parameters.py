"""Trying values of parameters."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, ParamSpec, TypeVar

import numpy as np
from pydantic import Field

from fsops.core import Aliases, Context, InnerParameters, Named, Subprocess, operator
from fsops.core.declare.iterations import Known
from fsops.core.frame.state import Row
from fsops.data import ExampleSet, FlowObject, PerformanceVector
from fsops.errors import Cancelled, FsopsError, ParameterError
from fsops.operators.control.loops import Collected, collected
from fsops.operators.control.structure import Inputs
from fsops.operators.utility.logging import rows_to_table

GROUP = "Search/Parameters"
MOST_COMBINATIONS = 100_000

Setting = dict[str, float | str]
Result = TypeVar("Result")
P = ParamSpec("P")

Grid = Annotated[
    dict[str, str],
    InnerParameters(),
    Field(
        description="Parameters of inner operators, as NAME.parameter, with the values to try: "
        "a list such as 1,10,100, or [minimum;maximum;steps;scale] with the scale linear, "
        "quadratic or logarithmic."
    ),
]
OnError = Annotated[
    Literal["fail on error", "ignore error"],
    Field(description="Whether a combination that fails stops all, or is left out and told about."),
]
Results = Annotated[
    list[FlowObject | None], Named("result", "What else the inner process delivers.")
]

_RANGE = re.compile(r"\[([^;\]]+);([^;\]]+);([^;\]]+)(?:;([^;\]]+))?\]")


def grid_values(name: str, text: str) -> list[float | str]:
    """Return the values that a list or a range stands for."""
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        values: list[float | str] = [part.strip() for part in text.split(",") if part.strip()]
        if not values or text.strip().startswith("["):
            raise ParameterError(
                f'"{text}" for {name} is neither a list nor a range.',
                hint="Write 1,10,100 or [1;100;10;linear].",
            )
        return values
    try:
        low, high, steps = float(found[1]), float(found[2]), int(found[3])
    except ValueError:
        raise ParameterError(
            f'"{text}" for {name}: minimum and maximum must be numbers, steps a whole number.'
        ) from None
    if not 1 <= steps <= MOST_COMBINATIONS or not np.isfinite([low, high]).all():
        raise ParameterError(f'"{text}" for {name}: there must be 1 to {MOST_COMBINATIONS} steps.')
    return [_tidy(value) for value in _range(name, low, high, steps, found[4] or "linear")]


def _range(name: str, low: float, high: float, steps: int, scale: str) -> Sequence[float]:
    share = np.arange(steps + 1) / steps
    if scale == "linear":
        return list(low + share * (high - low))
    if scale == "quadratic":
        return list(low + share**2 * (high - low))
    if scale.startswith("logarithmic"):
        if low <= 0 or high <= 0:
            raise ParameterError(f"A logarithmic range for {name} needs numbers greater than 0.")
        return list(low * (high / low) ** share)
    raise ParameterError(
        f'"{scale}" is not a scale for {name}.', hint="Use linear, quadratic or logarithmic."
    )


def _tidy(value: float) -> float:
    """Return the number without what rounding left behind: 0.3, not 0.30000000000000004."""
    return float(f"{value:.12g}")


def combinations(parameters: Mapping[str, str], *, synchronize: bool = False) -> list[Setting]:
    """Return all combinations of the values, the last parameter changing fastest.

    With ``synchronize`` the first values belong together, the second ones, and so on. Without any
    parameter there is one combination.
    """
    values = {name: grid_values(name, text) for name, text in parameters.items()}
    sizes = [len(of_one) for of_one in values.values()]
    if synchronize and len(set(sizes)) > 1:
        raise ParameterError(
            f"To be tried together, all parameters need as many values; there are {sizes}."
        )
    if not synchronize and np.prod(sizes, dtype=float) > MOST_COMBINATIONS:
        raise ParameterError(
            f"That makes {np.prod(sizes, dtype=float):.3g} combinations, but at most "
            f"{MOST_COMBINATIONS} can be tried."
        )
    tuples = (
        zip(*values.values(), strict=True) if synchronize else itertools.product(*values.values())
    )
    return [dict(zip(values, chosen, strict=True)) for chosen in tuples]


class Tried(NamedTuple):
    """What the inner process delivers for one combination."""

    performance: PerformanceVector
    result: Results = []


class Turned(NamedTuple):
    """What the inner process of a loop delivers; a performance is welcome, but not needed."""

    performance: PerformanceVector | None = None
    result: Results = []


class Optimized(NamedTuple):
    """What a search over parameters delivers."""

    performance: Annotated[PerformanceVector, Named(description="Of the best combination.")]
    best: Annotated[ExampleSet, Named(description="The best combination, as a table of one row.")]
    trials: Annotated[ExampleSet, Named(description="Every combination with its performance.")]
    result: Annotated[
        list[FlowObject | None], Named(description="What the best combination delivered else.")
    ]


class Looped(NamedTuple):
    """What a loop over parameters delivers."""

    trials: Annotated[ExampleSet, Named(description="Every combination with its performance.")]
    result: Collected


Trial = Subprocess[[Inputs], Tried]
Turn = Subprocess[[Inputs], Turned]


@operator(
    group=GROUP,
    role="search",
    aliases=Aliases(
        keys=("concurrency:optimize_parameters_grid",),
        ports={"parameter": "best", "parameter set": "best", "output": "result"},
    ),
    tags=("grid search", "tune", "hyperparameter", "gridsearchcv"),
    turns=lambda known: len(combinations(known["parameters"])),
)
def optimize_parameters_grid(
    input: Inputs,
    trial: Trial,
    *,
    parameters: Grid = {},
    error_handling: OnError = "fail on error",
    ctx: Context,
) -> Optimized:
    """Optimize Parameters (Grid)

    Runs its inner process for every combination of parameter values and keeps the best, by the main
    criterion of the performance. Every combination sees the same random numbers, such as the same
    folds.

    The best of many figures is too good: for an honest one put this operator into the training of
    a validation. Among equals the first counts.
    """
    return best_of(tried_settings(input, trial, combinations(parameters), error_handling, ctx))


def tried_settings(
    inputs: list[FlowObject | None],
    trial: Trial,
    settings: Sequence[Setting],
    error_handling: str,
    ctx: Context,
) -> list[tuple[Setting, Tried]]:
    """Return each combination that worked, with the results of the inner process."""
    answers = _tried(inputs, trial, settings, error_handling, ctx)
    return [(setting, as_tried(answer)) for setting, answer in answers]


def best_of(found: Sequence[tuple[Setting, Tried]]) -> Optimized:
    """Return the best of the combinations that were tried; of equally good ones the first."""
    if not found:
        raise ParameterError("No combination of parameters gave a result.")
    rows = [_row(setting, tried.performance) for setting, tried in found]
    best = max(range(len(found)), key=lambda i: (found[i][1].performance.main.merit, -i))
    tried = found[best][1]
    return Optimized(
        tried.performance, rows_to_table([rows[best]]), rows_to_table(rows), tried.result
    )


def as_tried(answer: Tried | PerformanceVector) -> Tried:
    """Accept a plain performance too, as a Python function may return it."""
    return Tried(answer) if isinstance(answer, PerformanceVector) else answer


def _turns(known: Known) -> int:
    return len(combinations(known["parameters"], synchronize=known["synchronize"]))


@operator(
    group=GROUP,
    role="search",
    aliases=Aliases(keys=("concurrency:loop_parameters",), ports={"output": "result"}),
    tags=("grid", "sweep", "scan", "sensitivity"),
    turns=_turns,
)
def loop_parameters(
    input: Inputs,
    turn: Turn,
    *,
    parameters: Grid = {},
    synchronize: Annotated[
        bool,
        Field(description="Try the first values together, the second ones, …, not all pairs."),
    ] = False,
    error_handling: OnError = "fail on error",
    ctx: Context,
) -> Looped:
    """Loop Parameters

    Runs its inner process for every combination of parameter values and gives a table of what came
    out, for instance the accuracy against the number of attributes. Every combination sees the
    same random numbers, such as the same folds.
    """
    settings = combinations(parameters, synchronize=synchronize)
    found = _tried(input, turn, settings, error_handling, ctx)
    turns = [(s, Turned(t) if isinstance(t, PerformanceVector) else t) for s, t in found]
    return Looped(
        rows_to_table([_row(setting, turned.performance) for setting, turned in turns]),
        collected([turned.result for _, turned in turns]),
    )


def _tried(
    inputs: list[FlowObject | None],
    inner: Subprocess[[list[FlowObject | None]], Result],
    settings: Sequence[Setting],
    error_handling: str,
    ctx: Context,
) -> list[tuple[Setting, Result]]:
    """Return every combination that worked with what the inner process delivered for it."""
    settings = [_used(inner, setting) for setting in settings]
    configured = [inner.configured(setting) for setting in settings]

    def attempt(number: int) -> Result | str:
        try:
            return configured[number](inputs)
        except Cancelled:
            raise
        except FsopsError as error:
            if error_handling == "fail on error":
                raise
            return str(error)

    answers = ctx.map(attempt, range(len(settings)), "Combinations", paired=True)
    for setting, answer in zip(settings, answers, strict=True):
        if isinstance(answer, str):
            shown = ", ".join(f"{name}={value}" for name, value in setting.items())
            ctx.warn(f"{shown} is left out: {answer}")
    pairs = zip(settings, answers, strict=True)
    return [(setting, answer) for setting, answer in pairs if not isinstance(answer, str)]


def _used(inner: Subprocess[P, Result], setting: Setting) -> Setting:
    """Return a combination as it will be run; an error names the parameter that cannot be so."""
    return {name: used_value(inner, name, value) for name, value in setting.items()}


def used_value(inner: Subprocess[P, Result], name: str, value: float | str) -> float | str:
    """Return the value a parameter will have: a range may give fractions of a whole number."""
    try:
        inner.configured({name: value})
    except ParameterError as error:
        raise ParameterError(
            f"{name} cannot be tried with {value}: {error.message}", hint=error.hint
        ) from None
    if isinstance(value, str) or value.is_integer():
        return value
    try:
        inner.configured({name: str(value)})  # in words a fraction is refused, not rounded
    except ParameterError:
        return float(round(value))
    return value


def _row(setting: Setting, performance: PerformanceVector | None) -> Row:
    criteria: Row = {criterion.name: criterion.mean for criterion in performance or ()}
    values = {name: _number(value) for name, value in setting.items()}
    return {**values, **criteria}


def _number(value: float | str) -> float | str:
    try:
        return float(value)
    except ValueError:
        return value
