"""Trying values of parameters."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, ParamSpec, TypeVar, Unpack

import numpy as np
from pydantic import Field

from fsops.algorithms.search.stopping import Stopped, Stopping
from fsops.core import Aliases, Context, InnerParameters, Named, Subprocess, operator
from fsops.core.declare.iterations import Known
from fsops.core.frame.inner import Inner
from fsops.core.frame.state import Row
from fsops.data import ExampleSet, FlowObject, PerformanceVector
from fsops.errors import Cancelled, FsopsError, ParameterError
from fsops.operators.control.loops import Collected, collected
from fsops.operators.control.structure import Inputs
from fsops.operators.search.stopping import (
    StoppingRules,
    may_stop,
    stopping_of,
    warn_of_stop,
    within_time,
)
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
    Field(description="If a combination fails: stop, or skip it with a warning."),
]
Results = Annotated[
    list[FlowObject | None], Named("result", "Further results of the inner process.")
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
            f"With synchronize, all parameters need the same number of values; there are {sizes}."
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
    """Results of the inner process for one combination."""

    performance: PerformanceVector
    result: Results = []


class IterationResults(NamedTuple):
    """Results of the inner process of a loop; a performance is optional."""

    performance: PerformanceVector | None = None
    result: Results = []


class Optimized(NamedTuple):
    """Results of a search over parameters."""

    performance: Annotated[PerformanceVector, Named(description="Of the best combination.")]
    best: Annotated[ExampleSet, Named(description="The best combination, as a table of one row.")]
    trials: Annotated[ExampleSet, Named(description="Every combination with its performance.")]
    result: Annotated[
        list[FlowObject | None], Named(description="Further results of the best combination.")
    ]


class Looped(NamedTuple):
    """Results of a loop over parameters."""

    trials: Annotated[ExampleSet, Named(description="Every combination with its performance.")]
    result: Collected


Trial = Subprocess[[Inputs], Tried]
Iteration = Subprocess[[Inputs], IterationResults]


@operator(
    group=GROUP,
    role="search",
    aliases=Aliases(
        keys=("concurrency:optimize_parameters_grid",),
        ports={"parameter": "best", "parameter set": "best", "output": "result"},
    ),
    tags=("grid search", "tune", "hyperparameter", "gridsearchcv"),
    iterations=may_stop(lambda known: len(combinations(known["parameters"]))),
)
def optimize_parameters_grid(
    input: Inputs,
    trial: Trial,
    *,
    parameters: Grid = {},
    error_handling: OnError = "fail on error",
    ctx: Context,
    **stopping: Unpack[StoppingRules],
) -> Optimized:
    """Optimize Parameters (Grid)

    Runs its inner process for every combination of parameter values and keeps the best, by the main
    criterion of the performance. Every combination sees the same random numbers, such as the same
    folds.

    The best of many results is optimistic: for an unbiased one put this operator into the training
    of a validation. If several are equally good, the first one wins. For tolerance and patience
    each combination is a round; the combinations then run one after the other.
    """
    rules = stopping_of(stopping)
    settings = combinations(parameters)
    found = rounds_of_settings(input, trial, settings, error_handling, ctx, stopping=rules)
    return best_of([(setting, as_tried(answer)) for setting, answer in found])


def tried_settings(
    inputs: list[FlowObject | None],
    trial: Trial,
    settings: Sequence[Setting],
    error_handling: str,
    ctx: Context,
    *,
    stopping: Stopping | None = None,
) -> list[tuple[Setting, Tried]]:
    """Return each combination that worked, with the results of the inner process."""
    answers = _tried(inputs, trial, settings, error_handling, ctx, stopping=stopping)
    return [(setting, as_tried(answer)) for setting, answer in answers]


def rounds_of_settings(
    inputs: list[FlowObject | None],
    inner: Subprocess[[list[FlowObject | None]], Result],
    settings: Sequence[Setting],
    error_handling: str,
    ctx: Context,
    *,
    stopping: Stopping,
) -> list[tuple[Setting, Result]]:
    """Return each combination that worked, up to the one at which the rules stop."""
    if not stopping.watches_rounds:
        found = _tried(inputs, inner, settings, error_handling, ctx, stopping=stopping)
        if stopping.by_clock:
            warn_of_stop(stopping, ctx)
        return found
    found = []
    for setting in settings:
        try:
            stopping.check()
        except Stopped:
            warn_of_stop(stopping, ctx)
            break
        found += _tried(inputs, inner, [setting], error_handling, ctx)
        merits = [_required_merit(answer) for _, answer in found]
        stopping.finish_round(max(merits, default=-np.inf))
    return found


def _required_merit(answer: object) -> float:
    """Return how good a result is; refuse one without a performance."""
    performance = answer if isinstance(answer, PerformanceVector) else answer.performance  # type: ignore[attr-defined]
    if performance is None:
        raise ParameterError(
            "tolerance and patience need a performance, but the inner process returns none.",
            hint='Connect the output "performance" of the inner process, or leave both empty.',
        )
    return float(performance.main.merit)


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


def _iterations(known: Known) -> int:
    return len(combinations(known["parameters"], synchronize=known["synchronize"]))


@operator(
    group=GROUP,
    role="search",
    aliases=Aliases(
        keys=("concurrency:loop_parameters",),
        ports={"output": "result"},
        parameters={"turn": "iteration"},  # the inner process, in earlier scripts
    ),
    tags=("grid", "sweep", "scan", "sensitivity"),
    iterations=may_stop(_iterations),
)
def loop_parameters(
    input: Inputs,
    iteration: Iteration,
    *,
    parameters: Grid = {},
    synchronize: Annotated[
        bool,
        Field(
            description="Combine only values at the same position: all first values, all second "
            "values, and so on."
        ),
    ] = False,
    error_handling: OnError = "fail on error",
    ctx: Context,
    **stopping: Unpack[StoppingRules],
) -> Looped:
    """Loop Parameters

    Runs its inner process for every combination of parameter values and returns a table of the
    results, for instance the accuracy against the number of attributes. Every combination sees the
    same random numbers, such as the same folds. For tolerance and patience each combination is a
    round; the combinations then run one after the other.
    """
    settings = combinations(parameters, synchronize=synchronize)
    rules = stopping_of(stopping)
    found = rounds_of_settings(input, iteration, settings, error_handling, ctx, stopping=rules)
    # A function may return only its performance, or nothing.
    results = [(s, r if isinstance(r, IterationResults) else IterationResults(r)) for s, r in found]
    return Looped(
        rows_to_table([_row(setting, each.performance) for setting, each in results]),
        collected([each.result for _, each in results]),
    )


def _tried(
    inputs: list[FlowObject | None],
    inner: Subprocess[[list[FlowObject | None]], Result],
    settings: Sequence[Setting],
    error_handling: str,
    ctx: Context,
    *,
    stopping: Stopping | None = None,
) -> list[tuple[Setting, Result]]:
    """Return every combination that worked with the results of its inner process."""
    settings = [_used(inner, setting) for setting in settings]
    stopping = stopping or Stopping()
    if stopping.max_seconds is not None:
        # Iterations are cached by their numbers, which depend on how many run at once.
        part = f"{ctx.workers} at once"
        ctx = ctx.cached_as(part)
        inner = inner.cached_as(part) if isinstance(inner, Inner) else inner
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

    def attempts(numbers: Sequence[int]) -> list[Result | str]:
        return ctx.map(attempt, numbers, "Combinations", paired=True)

    answers = list(within_time(attempts, range(len(settings)), stopping, ctx.workers))
    pairs = list(zip(settings, answers, strict=False))  # there may be time for some only
    for setting, answer in pairs:
        if isinstance(answer, str):
            shown = ", ".join(f"{name}={value}" for name, value in setting.items())
            ctx.warn(f"{shown} is left out: {answer}")
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
