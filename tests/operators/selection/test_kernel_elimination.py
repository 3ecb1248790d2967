"""RFE-SVM and RFE-MKL as an operator."""

import numpy as np
import pytest

from fsops.algorithms.kernel.clinical import ClinicalRows
from fsops.algorithms.kernel.rfe import fraction_sizes, rfe_mkl, rfe_svm
from fsops.operators import select_by_kernel_rfe
from fsops.testing import make_examples

METHODS = ["svm", "mkl"]


@pytest.fixture
def mixed():
    """Return a table with numbers, categories and gaps, categories first."""
    table = make_examples(60, 6, 4, missing=0.05)
    return table.select(["nom1", "num1", "nom2", "num2", "nom3", "num3", "num4", "nom4", "num5",
                         "num6", "label"])  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_the_ranking_is_that_of_the_algorithm_by_name(mixed, method):
    found = select_by_kernel_rfe(mixed, method=method, k=1, output="ranking")
    rows = ClinicalRows.of(mixed.numeric(), mixed.nominal())
    names = [f"num{j}" for j in range(1, 7)] + [f"nom{j}" for j in range(1, 5)]
    codes, sizes = mixed.label_values(), fraction_sizes(10)
    order = rfe_svm(rows, codes, sizes).order if method == "svm" else (
        rfe_mkl(rows, codes, sizes)[0].order)  # fmt: skip
    assert found.weights.top(10) == tuple(names[f] for f in order)
    assert sorted(found.weights.values) == list(range(1, 11))


@pytest.mark.parametrize("method", METHODS)
def test_the_trace_tells_who_fell_when(mixed, method):
    found = select_by_kernel_rfe(mixed, method=method, k=3)
    assert [size for size, _, _ in found.trace.rounds] == [10, 8, 7, 6, 5, 4, 3]
    fallen = [name for _, names, _ in found.trace.rounds[:-1] for name in names]
    assert sorted(found.weights.selected()) == sorted(found.trace.rounds[-1][1])
    assert sorted([*fallen, *found.weights.selected()]) == sorted(found.weights.names)


@pytest.mark.parametrize("method", METHODS)
def test_three_classes(method):
    table = make_examples(60, 4, 4, label="polynominal")
    found = select_by_kernel_rfe(table, method=method, k=2)
    assert set(found.weights.selected()) <= {"num1", "num2", "nom1", "nom2"}


def test_numbers_and_schedules_of_rounds(mixed):
    by_number = select_by_kernel_rfe(mixed, k=2, step="number", number=4)
    assert [r[0] for r in by_number.trace.rounds] == [10, 6, 2]
    planned = select_by_kernel_rfe(mixed, k=2, step="schedule", schedule=[5, 3])
    assert [r[0] for r in planned.trace.rounds] == [10, 5, 3, 2]


def test_one_class_is_refused(mixed, refused):
    with refused("two classes"):
        select_by_kernel_rfe(mixed.take(np.arange(0, 60, 2)), k=1)
