"""Do knockoffs and stability selection keep their bounds? The benchmark on few tables."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLES = 12


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location(
        "error_control_bench", ROOT / "benchmarks" / "error_control.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def summaries(bench, number, chosen, tables=TABLES):
    """Return the lines of some methods, on few tables of one setting."""
    setting = bench.SETTINGS[number]
    methods = dict(bench.methods(setting, every=False))
    found = {name: [] for name in chosen}
    for table in range(tables):
        examples, true = setting.draw(np.random.default_rng([1, number, table]))
        for name in chosen:
            found[name].append(bench.Selected.of(methods[name](examples)))
    return {line.pop("method"): line for line in bench._lines(found, true)}


@pytest.mark.parametrize("number", [0, 1, 2])
def test_bounds_hold_in_each_setting_and_some_true_attributes_are_found(bench, number):
    chosen = ["knockoff+, sdp, signed max", "stability, r-concave"]
    for name, summary in summaries(bench, number, chosen).items():
        assert summary["holds"], (number, name, summary)
        assert summary["power"] > 0.25, (number, name, summary)


def test_bounds_hold_if_false_attributes_are_correlated_with_true_ones(bench):
    chosen = ["knockoff+, fixed-X, signed max", "stability, lasso"]
    found = summaries(bench, 3, chosen)
    assert len(found) == 3  # stability selection has a second line
    for name, summary in found.items():
        assert summary["holds"], (name, summary)
        assert summary["power"] > 0.4, (name, summary)


def test_true_attributes_are_among_false_ones_that_are_correlated_with_the_label(bench):
    examples, true = bench.SETTINGS[3].draw(np.random.default_rng(1))
    assert true.sum() == bench.SETTINGS[3].signals
    correlation = np.abs(np.corrcoef(examples.numeric().T, examples.numeric_label())[-1, :-1])
    beside = np.roll(true, 1) | np.roll(true, -1)
    assert correlation[beside & ~true].mean() > 0.12
    apart, label = bench.SETTINGS[0].draw(np.random.default_rng(1))
    correlation = np.abs(np.corrcoef(apart.numeric().T, apart.numeric_label())[-1, :-1])
    assert correlation[~label].mean() < 0.1


def test_a_method_that_selects_all_attributes_does_not_hold(bench):
    rng = np.random.default_rng(1)
    found = []
    for _ in range(3):
        examples, true = bench.SETTINGS[0].draw(rng)
        found.append(bench.Selected.of(examples.weights(np.ones(len(true)))))
    (summary,) = bench._lines({"all": found}, true)
    assert summary["power"] == 1
    assert summary["empirical"] == 0.75
    assert not summary["holds"]
