"""Does the answer of a study hold what it says? The benchmark at small size, with a fixed seed."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("chance_bench", ROOT / "benchmarks" / "chance.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def answers(bench, shapes, strength=0.0, **settings):
    rng = np.random.default_rng(1)
    settings = {"resamples": 0, **settings}
    return [
        bench.measure_chance(bench.a_table(shape, rng, strength), **settings).answer
        for shape in shapes
    ]


def test_noise_of_every_kind_is_called_so(bench):
    shapes = [
        bench.Shape(shape.rows, 150, shape.rare, shape.correlation, shape.per_group)
        for shape in bench.NOISE
    ]
    found = [answer.verdict.found for answer in answers(bench, shapes * 2)]
    assert sum(found) <= 2  # of 16, at 5 %


def test_planted_attributes_are_found_the_more_the_stronger_and_few_false_ones(bench):
    true = {f"G{number}" for number in range(bench.TRUE)}
    named = {}
    for strength in (0.6, 1.3):
        found = answers(bench, [bench.Shape(60, 150)] * 5, strength)
        sets = [{attribute.name for attribute in answer.beyond} for answer in found]
        named[strength] = np.mean([len(names & true) for names in sets])
        assert sum(len(names - true) for names in sets) <= 1
    assert all(answer.verdict.found for answer in found)
    assert named[0.6] < 4 < named[1.3]


def test_intervals_hold_the_accuracy_on_new_rows(bench):
    rng = np.random.default_rng(1)
    rows = [bench._covered(strength, rng, methods=False) for strength in (0.0, 0.9) * 6]
    assert np.mean(rows, axis=0)[3] >= 10 / 12
