"""Evolution: what survives, what changes, and that it finds what it looks for."""

import math
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from fsops.algorithms.search import pareto
from fsops.algorithms.search.evolution import (
    Drifting,
    Scheme,
    Settings,
    Switching,
    crossed,
    evolve,
    survivors,
)

TRUTH = np.array([1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0], dtype=float)
WITHOUT = np.array([], dtype=np.intp)


def rng(seed=1):
    return np.random.default_rng(seed)


def agreement(population):
    return (population == TRUTH).sum(axis=1).astype(float)[:, None]


def run(settings, seed=1, evaluate=agreement, low=1, high=None, size=10):
    generator = rng(seed)
    mutate = Switching(1 / 12, low, high)
    first = mutate.repaired((generator.random((size, 12)) < 0.5).astype(float), generator)
    return evolve(evaluate, first, mutate, replace(settings, population_size=size), generator)


@pytest.mark.parametrize("scheme", get_args(Scheme))
def test_every_scheme_but_chance_finds_the_subset_that_fits(scheme):
    settings = Settings(
        max_generations=80, selection_scheme=scheme, keep_best_individual=True,
        start_temperature=0.1,
    )  # fmt: skip
    found = agreement(run(settings)).max()
    assert found >= (9 if scheme == "uniform" else 12)


def test_the_same_generator_gives_the_same_population():
    short = Settings(max_generations=2)
    assert np.array_equal(run(short, seed=4), run(short, seed=4))
    assert not np.array_equal(run(short, seed=4), run(short, seed=5))


def test_numbers_of_columns_stay_within_their_bounds():
    seen = []

    def evaluate(population):
        seen.extend(np.count_nonzero(population, axis=1).tolist())
        return agreement(population)

    run(Settings(crossover_probability=1.0), evaluate=evaluate, low=3, high=4)
    assert set(seen) == {3, 4}


def test_it_ends_by_patience_and_when_good_enough():
    iterations = []

    def constant(population):
        iterations.append(len(population))
        return np.zeros((len(population), 1))

    run(Settings(patience=3), evaluate=constant)
    assert len(iterations) == 4
    iterations.clear()
    run(Settings(enough=lambda value: value >= 0), evaluate=constant)
    assert len(iterations) == 1


def test_two_criteria_spread_over_the_whole_front():
    def both(population):
        ones = population.sum(axis=1)
        return np.column_stack([ones, -ones])

    found = run(
        Settings(max_generations=60, selection_scheme="non dominated sorting"),
        evaluate=both,
        size=12,
    )
    assert pareto.front(both(found)).all()
    assert len(set(found.sum(axis=1))) >= 10


# --- parts ----------------------------------------------------------------------------------


def chances(scheme, fitness, draws=20_000, **more):
    settings = Settings(
        population_size=draws, selection_scheme=scheme, dynamic_selection_pressure=False, **more
    )
    drawn = survivors(np.array(fitness)[:, None], settings, 0, rng())
    return np.bincount(drawn, minlength=len(fitness)) / draws


def test_chances_of_survival_by_hand():
    fitness = [0.0, 1.0, 3.0]
    near = {"abs": 0.02}
    assert chances("uniform", fitness) == pytest.approx([1 / 3] * 3, **near)
    assert chances("rank", fitness) == pytest.approx([1 / 6, 2 / 6, 3 / 6], **near)
    weight = np.array([0, 1 / 3, 1]) + 1 / 3
    assert chances("roulette wheel", fitness) == pytest.approx(weight / weight.sum(), **near)
    fair = chances("stochastic universal sampling", fitness)
    assert fair == pytest.approx(weight / weight.sum(), abs=1e-4)
    weight = np.exp(np.array([-1, -2 / 3, 0]) / 0.5)
    boltzmann = chances("Boltzmann", fitness, start_temperature=0.5)
    assert boltzmann == pytest.approx(weight / weight.sum(), **near)
    # The best of two draws with replacement: it is not drawn with (2/3)².
    tournament = chances("tournament", fitness, tournament_fraction=2 / 3)
    assert tournament == pytest.approx([1 / 9, 3 / 9, 5 / 9], **near)
    assert chances("cut", [0.0, 3.0, 1.0, math.nan], draws=1).tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("kind", ["one_point", "uniform", "shuffle"])
def test_children_have_what_their_parents_had(kind):
    parents = np.array([np.zeros(9), np.ones(9)])
    settings = Settings(crossover_probability=1.0, crossover_type=kind)
    generator = rng()
    for _ in range(20):
        one, two = crossed(parents, settings, generator)
        assert np.array_equal(one + two, np.ones(9))
        if kind == "one_point":
            assert np.count_nonzero(np.diff(one)) <= 1
    assert crossed(parents, replace(settings, crossover_probability=0.0), rng()).shape == (0, 9)


def test_switching_changes_columns_at_its_rate():
    parents = np.tile(TRUTH, (2000, 1))
    changed = Switching(0.1)(parents, rng()) != parents
    assert changed.mean() == pytest.approx(0.1, abs=0.01)


def test_drifting_steps_have_their_variance_and_stay_at_0_or_above():
    parents = np.full((4000, 2), 50.0)
    moved = Drifting(4.0, WITHOUT, 0.0)(parents, rng())
    assert (moved - parents).var() == pytest.approx(4.0, rel=0.05)
    near = Drifting(1.0, WITHOUT, 0.0, bounded=True)(np.full((500, 3), 0.5), rng())
    assert near.min() == 0.0
    assert near.max() == 1.0
    assert near.any(axis=1).all()


def test_columns_that_cannot_be_multiplied_are_switched():
    parents = np.tile([9.0, 1.0], (2000, 1))
    moved = Drifting(1.0, np.array([1]), 0.25)(parents, rng())
    assert set(moved[:, 1]) == {0.0, 1.0}
    assert (moved[:, 1] == 0).mean() == pytest.approx(0.25, abs=0.03)


def test_the_one_fifth_rule():
    rule = Drifting(1.0, WITHOUT, 0.0)
    rule.adapt(0.5)
    assert rule.variance == pytest.approx(1 / 0.85**2)
    rule.adapt(0.1)
    assert rule.variance == pytest.approx(1.0)
    fixed = Drifting(1.0, WITHOUT, 0.0, one_fifth_rule=False)
    fixed.adapt(0.5)
    assert fixed.variance == 1.0


def test_weights_evolve_towards_the_best_ones():
    best = np.array([0.9, 0.0, 0.4])

    def near(population):
        return -np.abs(population - best).sum(axis=1)[:, None]

    generator = rng()
    settings = Settings(
        population_size=10, max_generations=100, crossover_probability=0.0,
        selection_scheme="cut",
    )  # fmt: skip
    mutate = Drifting(1.0, WITHOUT, 0.0)
    found = evolve(near, generator.random((10, 3)), mutate, settings, generator)
    assert near(found).max() > -0.1
