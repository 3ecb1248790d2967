"""Ensembles and stability on a table that is too large to be loaded: the numbers of one in memory.

The rows of each resample are chosen while blocks of the file are read.
"""

from functools import partial

import numpy as np
import pytest

from fsops import ExampleSet, operators as ops
from fsops.data.streamed import StreamedExampleSet
from fsops.testing import in_blocks

FILTERS = [
    ops.weight_by_sam,
    ops.weight_by_welch_test,
    ops.weight_by_t_test,
    ops.weight_by_f_test,
    ops.weight_by_fisher_score,
    ops.weight_by_lal_score,
    ops.weight_by_correlation,
    ops.weight_by_entropy,
]


def table(n=90, p=12, classes=2, seed=0):
    """Return awkward numbers: ties, a constant, huge and tiny scales, a copy."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, n)
    X = rng.normal(size=(n, p)) + codes[:, None] * rng.normal(size=p)
    X[:, 1] = 3.0
    X[:, 2] = np.round(X[:, 2])
    X[:, 3] += 1e5
    X[:, 4] *= 1e-9
    X[:, 5] = X[:, 0] + 0.1 * rng.normal(size=n)
    return ExampleSet.from_numpy(X, [f"c{code}" for code in codes])


@pytest.mark.parametrize("inner", FILTERS)
@pytest.mark.parametrize("sampling", ["bootstrap", "subsample", "leave one part out"])
def test_ensembles_of_filters(inner, sampling):
    examples = table()
    call = partial(ops.ensemble_feature_selection, iterations=6, sampling=sampling)
    call = partial(call, combination="accumulate weights")
    expected = call(examples, inner)
    found = call(in_blocks(examples, rows=7), inner)
    assert found.values == pytest.approx(expected.values, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("inner", ["f_test", "mrmr"])
def test_stability(inner, classes):
    examples = table(classes=classes)
    mrmr = partial(ops.select_by_mrmr_cfs, k=4)
    selection = ops.weight_by_f_test if inner == "f_test" else mrmr
    expected = ops.feature_selection_stability_validation(examples, selection, iterations=5, k=4)
    blocks = in_blocks(examples, rows=7)
    found = ops.feature_selection_stability_validation(blocks, selection, iterations=5, k=4)
    assert not blocks.is_loaded
    assert found.stability.selections.tolist() == expected.stability.selections.tolist()
    assert found.weights.values.tolist() == expected.weights.values.tolist()
    for mine, theirs in zip(found.performance, expected.performance, strict=True):
        assert mine.mean == pytest.approx(theirs.mean, rel=1e-10, nan_ok=True)


def test_a_numerical_label():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 8))
    examples = ExampleSet.from_numpy(X, X[:, 2] * 1e6 + rng.normal(size=60) + 1e9)
    call = partial(ops.ensemble_feature_selection, combination="accumulate weights")
    expected = call(examples, ops.weight_by_correlation)
    found = call(in_blocks(examples, rows=5), ops.weight_by_correlation)
    assert found.values == pytest.approx(expected.values, rel=1e-10)


def test_missing_values_are_left_out_as_in_memory():
    examples = table()
    X = examples.numeric().copy()
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    holes = examples.with_numbers(examples.schema.regular, X)
    pairwise = partial(ops.weight_by_f_test, missing="pairwise")
    call = partial(ops.ensemble_feature_selection, combination="accumulate weights")
    expected = call(holes, pairwise)
    found = call(in_blocks(holes, rows=7), pairwise)
    assert found.values == pytest.approx(expected.values, rel=1e-10)


def test_moments_of_all_resamples_come_from_one_pass(monkeypatch):
    passes = []
    one_pass = StreamedExampleSet._pass

    def counted(self, statistic, *rest, **more):
        passes.append(type(statistic).__name__)
        return one_pass(self, statistic, *rest, **more)

    monkeypatch.setattr(StreamedExampleSet, "_pass", counted)
    blocks = in_blocks(table(n=4000, p=6), rows=500, limit=200_000)
    ops.feature_selection_stability_validation(blocks, ops.weight_by_sam, iterations=5)
    assert passes == ["SetMoments"]


def test_values_that_cannot_be_used_are_reported(refused):
    examples = table()
    X = examples.numeric().copy()
    X[3, 0] = np.inf
    blocks = in_blocks(examples.with_numbers(examples.schema.regular, X))
    with refused("infinite values", "att1"):
        ops.feature_selection_stability_validation(blocks, ops.weight_by_sam, iterations=3)
