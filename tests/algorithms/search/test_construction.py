"""Columns made of others by arithmetic."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.algorithms.search.construction import ConstructedColumns, Generating, as_operand
from fsops.data.expression import Expression

NAMES = ["a1", "gene 2", "x]y\\", "not"]


def test_values_are_those_of_their_expressions():
    X = np.random.default_rng(0).uniform(1, 2, size=(6, 4))
    columns = ConstructedColumns.of(X, NAMES, 10)
    made = [columns.combined("*", 1, 0), columns.combined("/", 2, 3)]
    made += [columns.combined("+", made[0], made[1]), columns.combined("1/", made[0], 0)]
    made.append(columns.combined("-", 3, 3))
    table = ExampleSet.from_numpy(X, names=NAMES)
    for place in made:
        values = Expression.parse(columns.texts[place]).column("new", table)[1]
        assert columns.values[place] == pytest.approx(values)
    assert columns.texts[made[0]] in ("([gene 2] * a1)", "(a1 * [gene 2])")
    assert columns.combined("*", 0, 1) == made[0]  # found again in another order


def test_what_is_not_finite_or_has_no_room_is_not_made():
    columns = ConstructedColumns.of(np.array([[0.0, 1.0], [2.0, 3.0]]), ["a", "b"], 1)
    assert columns.combined("1/", 0, 0) is None
    assert columns.combined("/", 1, 0) is None
    assert columns.combined("+", 0, 1) == 2
    assert columns.combined("*", 0, 1) is None


def test_mutations_change_about_as_many_as_their_probability():
    X = np.random.default_rng(1).normal(size=(5, 8))
    columns = ConstructedColumns.of(X, [f"a{i}" for i in range(8)], 2000)
    population = np.zeros((400, columns.width))
    population[:, :4] = 1.0
    changed = Generating(columns, ["*"], probability=1.0)(population, np.random.default_rng(2))
    made = (changed[:, 8:].sum(axis=1) > 0).mean()
    assert made == pytest.approx(0.25, abs=0.07)
    assert (changed.sum(axis=1) >= 1).all()
    limited = Generating(columns, ["*"], probability=1.0, most=3)(
        population, np.random.default_rng(2)
    )
    assert limited.sum(axis=1).max() <= 4


def test_names_are_quoted_where_an_expression_needs_it():
    assert [as_operand(name) for name in NAMES] == ["a1", "[gene 2]", "[x\\]y\\\\]", "[not]"]
