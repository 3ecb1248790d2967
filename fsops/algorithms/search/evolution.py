"""Evolutionary search: crossover, mutation, and selection of the fittest.

A population is a matrix with a row per individual: 0 and 1 for subsets of columns, numbers of at
least 0 for weights of columns. Larger fitness is better; an undefined fitness is the worst.

References
----------
Bäck (1996), Evolutionary Algorithms in Theory and Practice. Oxford University Press.
Deb, Pratap, Agarwal & Meyarivan (2002), NSGA-II. IEEE Transactions on Evolutionary Computation 6.
Rechenberg (1973), Evolutionsstrategie. Frommann-Holzboog (the one-fifth rule).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints
from fsops.algorithms.search import pareto
from fsops.algorithms.search.subsets import never

Crossover = Literal["one_point", "uniform", "shuffle"]
Scheme = Literal[
    "uniform",
    "cut",
    "roulette wheel",
    "stochastic universal sampling",
    "Boltzmann",
    "rank",
    "tournament",
    "non dominated sorting",
]
Evaluate = Callable[[Floats], Floats]
"""From individuals (rows) to their criteria (columns), the main one first; larger is better."""
LEARNING_RATE = 0.85  # of Rechenberg and Schwefel, by which the step size grows and shrinks
LARGEST_VARIANCE = 1e6


class Mutation(Protocol):
    """Makes a changed copy of every individual, and may adapt to the number that were better."""

    def __call__(self, population: Floats, rng: np.random.Generator) -> Floats:
        """Return as many individuals."""

    def repaired(self, population: Floats, rng: np.random.Generator) -> Floats:
        """Return the individuals, those that are not allowed changed a little."""

    def adapt(self, success: float) -> None:
        """Record the fraction of copies that were better than their originals."""


@dataclass(frozen=True)
class Settings:
    """How a population evolves; the names are those of RapidMiner."""

    population_size: int = 5
    max_generations: int = 30
    patience: int | None = None
    """Stop after so many generations without anything better; None for never."""
    enough: Callable[[float], bool] = never
    """Returns whether to stop, given the best fitness."""
    selection_scheme: Scheme = "tournament"
    tournament_fraction: float = 0.25
    start_temperature: float = 1.0
    dynamic_selection_pressure: bool = True
    keep_best_individual: bool = False
    crossover_probability: float = 0.5
    crossover_type: Crossover = "uniform"


def evolve(
    evaluate: Evaluate,
    population: Floats,
    mutate: Mutation,
    settings: Settings,
    rng: np.random.Generator,
) -> Floats:
    """Let a population evolve; return the last one.

    In each generation children of random pairs and a mutated copy of each individual
    join the population, and as many as there are places survive.

    Parameters
    ----------
    evaluate : callable
        Called once per generation for all; it should cache its results.
    population : ndarray, shape (individuals, columns)
    mutate : Mutation
    settings : Settings
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (individuals, columns)
    """
    points = evaluate(population)
    best, idle = _main(points).max(), 0
    champion = population[[int(_main(points).argmax())]]
    for generation in range(settings.max_generations):
        if settings.enough(best) or (settings.patience is not None and idle >= settings.patience):
            break
        children = mutate.repaired(crossed(population, settings, rng), rng)
        parents = np.vstack([population, children])
        pool = np.vstack([parents, mutate(parents, rng)])
        points = evaluate(pool)
        fitness = _main(points)
        mutate.adapt(float((fitness[len(parents) :] > fitness[: len(parents)]).mean()))
        better = fitness.max() > best
        if better:
            best, champion = fitness.max(), pool[[int(fitness.argmax())]]
        idle = 0 if better else idle + 1
        alive = _distinct(pool, settings.selection_scheme)
        population = pool[alive[survivors(points[alive], settings, generation, rng)]]
        if settings.keep_best_individual:
            population = np.vstack([champion, population[: settings.population_size - 1]])
    return population


def _main(points: Floats) -> Floats:
    return np.where(np.isnan(points[:, 0]), -np.inf, points[:, 0])


def _distinct(pool: Floats, scheme: Scheme) -> Ints:
    """Return the individuals of the selection: each at most once where the best are cut off."""
    if scheme not in ("cut", "non dominated sorting"):
        return np.arange(len(pool))
    return np.sort(np.unique(pool, axis=0, return_index=True)[1])


def crossed(population: Floats, settings: Settings, rng: np.random.Generator) -> Floats:
    """Two children of each of n/2 random pairs, each pair with probability crossover_probability.

    Parameters
    ----------
    population : ndarray, shape (n, columns)
    settings : Settings
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (children, columns)
    """
    n, p = population.shape
    children = [np.empty((0, p))]
    for _ in range(n // 2):
        if rng.random() < settings.crossover_probability:
            one, two = population[rng.choice(n, 2, replace=False)]
            swap = _swapped(p, settings.crossover_type, rng)
            children += [np.where(swap, two, one)[None], np.where(swap, one, two)[None]]
    return np.vstack(children)


def _swapped(p: int, kind: Crossover, rng: np.random.Generator) -> Bools:
    """Return which columns are exchanged between two parents."""
    if kind == "uniform":
        return rng.random(p) < 0.5
    after = np.arange(p) >= rng.integers(1, max(p, 2))
    return after if kind == "one_point" else rng.permutation(after)


def survivors(
    points: Floats, settings: Settings, generation: int, rng: np.random.Generator
) -> Ints:
    """Numbers of the survivors, with repetitions unless the scheme cuts or sorts.

    Parameters
    ----------
    points : ndarray, shape (n, criteria)
    settings : Settings
    generation : int
        Counted from 0; the selection pressure may grow with it.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int
    """
    size, scheme, fitness = settings.population_size, settings.selection_scheme, _main(points)
    passed = generation / (settings.max_generations + 1)
    passed = passed if settings.dynamic_selection_pressure else 0.0
    if scheme == "non dominated sorting":
        return pareto.best(points, size)
    if scheme == "cut":
        return np.argsort(-fitness, kind="stable")[:size]
    if scheme == "tournament":
        share = settings.tournament_fraction + (1 - settings.tournament_fraction) * passed
        members = rng.integers(len(fitness), size=(size, max(1, round(share * len(fitness)))))
        winners: Ints = members[np.arange(size), fitness[members].argmax(axis=1)]
        return winners
    chance = _chances(fitness, scheme, settings.start_temperature * (1 - passed))
    if scheme == "stochastic universal sampling":
        pointers = (rng.random() + np.arange(size)) / size
        return np.searchsorted(chance.cumsum(), pointers).clip(max=len(fitness) - 1)
    return rng.choice(len(fitness), size, p=chance)


def _chances(fitness: Floats, scheme: Scheme, temperature: float) -> Floats:
    """Return with what probability each individual is drawn."""
    finite = fitness[np.isfinite(fitness)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    span = (high - low) or 1.0
    size = (np.clip(fitness, low, high) - low) / span  # from 0 to 1, whatever the criterion is
    weight: Floats
    if scheme == "uniform":
        weight = np.ones(len(fitness))
    elif scheme == "rank":
        weight = np.empty(len(fitness))
        weight[np.argsort(fitness, kind="stable")] = np.arange(1, len(fitness) + 1)
    elif scheme == "Boltzmann":
        weight = np.exp((size - 1) / max(temperature, 1e-3))
    else:
        weight = size + 1 / len(fitness)  # the worst has a small chance too
    chances: Floats = weight / weight.sum()
    return chances


@dataclass(frozen=True)
class Switching:
    """Mutation of subsets: every column is switched on or off with a small probability."""

    probability: float
    low: int = 1
    """The smallest number of columns allowed."""
    high: int | None = None
    """The largest; None for all."""

    def __call__(self, population: Floats, rng: np.random.Generator) -> Floats:
        """Return the changed copies."""
        switched = rng.random(population.shape) < self.probability
        return self.repaired(np.where(switched, 1 - population, population), rng)

    def repaired(self, population: Floats, rng: np.random.Generator) -> Floats:
        """Switch random columns until each individual has an allowed number of them."""
        fixed = population.copy()
        high = population.shape[1] if self.high is None else self.high
        for row in fixed:
            count = int(np.count_nonzero(row))
            wanted = min(max(count, self.low), high)
            pool = np.flatnonzero(row if count > wanted else row == 0)
            row[rng.choice(pool, abs(count - wanted), replace=False)] = float(count < wanted)
        return fixed

    def adapt(self, success: float) -> None:
        """Stay as it is."""


@dataclass
class Drifting:
    """Mutation of weights: normally distributed steps, and nothing below 0."""

    variance: float
    switched: Ints
    """Columns whose weight is 0 or 1, because their values cannot be multiplied."""
    rate: float
    """With what probability those are switched."""
    bounded: bool = False
    """Whether 1 is the largest weight."""
    one_fifth_rule: bool = True

    def __call__(self, population: Floats, rng: np.random.Generator) -> Floats:
        """Return the changed copies."""
        moved = population + rng.normal(scale=math.sqrt(self.variance), size=population.shape)
        moved = np.clip(moved, 0.0, 1.0 if self.bounded else None)
        before = population[:, self.switched]
        flipped = rng.random(before.shape) < self.rate
        moved[:, self.switched] = np.where(flipped, 1 - before, before)
        return self.repaired(moved, rng)

    def repaired(self, population: Floats, rng: np.random.Generator) -> Floats:
        """Give a random column the weight 1 where all weights are 0."""
        fixed = population.copy()
        for i in np.flatnonzero(~population.any(axis=1)):
            fixed[i, int(rng.integers(fixed.shape[1]))] = 1.0
        return fixed

    def adapt(self, success: float) -> None:
        """Make larger steps where more than a fifth was better, else smaller ones."""
        if self.one_fifth_rule:
            factor = LEARNING_RATE**-2 if success > 0.2 else LEARNING_RATE**2
            self.variance = min(self.variance * factor, LARGEST_VARIANCE)
