"""Values of parameters found by evolution."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.search.evolution import Settings, evolve
from fsops.algorithms.search.stopping import Stopped
from fsops.core import Aliases, Context, InnerParameters, When, operator
from fsops.core.declare.iterations import Count, Known
from fsops.errors import ParameterError, quoted
from fsops.operators.control.structure import Inputs
from fsops.operators.search.parameters import (
    GROUP,
    OnError,
    Optimized,
    Setting,
    Trial,
    best_of,
    tried_settings,
    used_value,
)
from fsops.operators.search.stopping import StoppingRules, may_stop, stopping_of, warn_of_stop

Floats = npt.NDArray[np.float64]
_RANGE = re.compile(r"\[([^;\]]+);([^;\]]+)(?:;[^\]]*)?\]")
STEP = 0.1
"""Standard deviation of the first random steps, as a fraction of the range."""
SHRINK, LARGEST_STEP = 0.85, 0.5


@dataclass
class Steps:
    """Mutation of values between 0 and 1: normal steps that follow the rule of one fifth."""

    size: float
    kind: str

    def __call__(self, population: Floats, rng: np.random.Generator) -> Floats:
        """Return a changed copy of each individual."""
        if self.kind == "none":
            return population.copy()
        if self.kind == "switching_mutation":
            switched = rng.random(population.shape) < 1 / population.shape[1]
            return np.where(switched, np.round(1 - population), population)
        moved = population + rng.normal(scale=self.size, size=population.shape)
        if self.kind == "sparsity_mutation":
            emptied = rng.random(population.shape) < 1 / population.shape[1]
            moved = np.where(emptied, 0.0, moved)
        return self.repaired(moved, rng)

    def repaired(self, population: Floats, rng: np.random.Generator) -> Floats:
        """Return the individuals inside of their ranges."""
        return np.clip(population, 0.0, 1.0)

    def adapt(self, success: float) -> None:
        """Make larger steps where more than a fifth was better, else smaller ones."""
        factor = 1 / SHRINK if success > 0.2 else SHRINK
        self.size = min(self.size * factor, LARGEST_STEP)


def ranges(parameters: Mapping[str, str]) -> dict[str, tuple[float, float]]:
    """Return minimum and maximum of each parameter."""
    found: dict[str, tuple[float, float]] = {}
    for name, text in parameters.items():
        parts = _RANGE.fullmatch(text.strip())
        try:
            low, high = (float(part) for part in (parts.groups() if parts else ()))
        except ValueError:
            low, high = np.nan, np.nan
        if not np.isfinite([low, high]).all() or low > high:
            raise ParameterError(
                f"{quoted(text)} for {name} is not a range.",
                hint="Write [minimum;maximum] with two numbers, such as [0.1;10].",
            )
        found[name] = (low, high)
    return found


def _most_evaluations(known: Known) -> Count:
    size, generations = known["population_size"], known["max_generations"]
    return Count(1, size * (1 + 3 * generations), "it stops when nothing changes")


@operator(
    group=GROUP,
    role="search",
    aliases=Aliases(ports={"parameter": "best", "parameter set": "best", "output": "result"}),
    tags=("evolution strategy", "tune", "hyperparameter", "continuous"),
    random=True,
    iterations=may_stop(_most_evaluations),
)
def optimize_parameters_evolutionary(
    input: Inputs,
    trial: Trial,
    *,
    parameters: Annotated[
        dict[str, str],
        InnerParameters(),
        Field(
            description="Parameters of inner operators, as NAME.parameter, each with a range such "
            "as [0.1;10]."
        ),
    ] = {},
    error_handling: OnError = "fail on error",
    max_generations: Annotated[int, Field(ge=1, description="Most generations.")] = 50,
    use_early_stopping: Annotated[
        bool, Field(description="Stop when the generations do not improve any more.")
    ] = False,
    generations_without_improvement: Annotated[
        int,
        When(use_early_stopping=True),
        Field(
            ge=1,
            description="Number of generations without improvement after which the search stops.",
        ),
    ] = 2,
    population_size: Annotated[
        int, Field(ge=1, description="Candidates that survive a generation.")
    ] = 5,
    keep_best_individual: Annotated[
        bool, Field(description="Let the best candidate survive each generation.")
    ] = True,
    mutation_type: Annotated[
        Literal["none", "gaussian_mutation", "switching_mutation", "sparsity_mutation"],
        Field(
            description="Change of values: none, normal steps, a jump to a limit of the range, or "
            "normal steps with jumps to the minimum."
        ),
    ] = "gaussian_mutation",
    selection_scheme: Annotated[
        Literal[
            "uniform",
            "cut",
            "roulette wheel",
            "stochastic universal sampling",
            "Boltzmann",
            "rank",
            "tournament",
        ],
        Field(description="Choice of the survivors, as in Optimize Selection (Evolutionary)."),
    ] = "tournament",
    tournament_fraction: Annotated[
        float,
        When(selection_scheme="tournament"),
        Field(gt=0, le=1, description="Size of a random group, as a fraction of all."),
    ] = 0.25,
    crossover_probability: Annotated[
        float, Field(ge=0, le=1, description="Probability that a pair has children.")
    ] = 0.9,
    ctx: Context,
    **stopping: Unpack[StoppingRules],
) -> Optimized:
    """Optimize Parameters (Evolutionary)

    Searches values of parameters in ranges of numbers, by evolution: values change by random steps,
    and good ones survive. Every candidate sees the same random numbers, such as the same folds.
    For a few values, or for words, use Optimize Parameters (Grid).

    The best of many performances is optimistic: put this operator into the training of a
    validation for an honest one. Integers are rounded.

    References
    ----------
    Rechenberg (1973): Evolutionsstrategie. Frommann-Holzboog.
    """  # fmt: skip
    limits = ranges(parameters)
    if not limits:
        return best_of(tried_settings(input, trial, [{}], error_handling, ctx))
    low, high = (np.array(side) for side in zip(*limits.values(), strict=True))
    rules = stopping_of(stopping)
    known: dict[tuple[float | str, ...], tuple[Setting, Any]] = {}

    def settings_of(population: Floats) -> list[Setting]:
        values = low + population * (high - low)
        return [
            {n: used_value(trial, n, float(v)) for n, v in zip(limits, row, strict=True)}
            for row in values
        ]

    def evaluate(population: Floats) -> Floats:
        rules.check()
        wanted = settings_of(population)
        new = {tuple(s.values()): s for s in wanted if tuple(s.values()) not in known}
        tried = tried_settings(input, trial, [*new.values()], error_handling, ctx, stopping=rules)
        known.update({tuple(setting.values()): (setting, result) for setting, result in tried})
        if rules.by_clock:
            raise Stopped
        rules.finish_round(max((_merit(known, s) for s, _ in known.values()), default=-np.inf))
        return np.array([[_merit(known, setting)] for setting in wanted])

    evolution = Settings(
        population_size=population_size,
        max_generations=max_generations,
        patience=generations_without_improvement if use_early_stopping else None,
        selection_scheme=selection_scheme,
        tournament_fraction=tournament_fraction,
        keep_best_individual=keep_best_individual,
        crossover_probability=crossover_probability,
    )
    rng = ctx.rng("evolution")
    first, mutate = rng.random((population_size, len(limits))), Steps(STEP, mutation_type)
    try:
        evolve(evaluate, first, mutate, evolution, rng)
    except Stopped:
        warn_of_stop(rules, ctx)
    return best_of(list(known.values()))


def _merit(known: Mapping[tuple[float | str, ...], tuple[Setting, Any]], setting: Setting) -> float:
    found = known.get(tuple(setting.values()))
    return -np.inf if found is None else float(found[1].performance.main.merit)
