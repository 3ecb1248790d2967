"""Operators on sparse tables: they stay sparse, or a dense copy is made with a warning."""

import numpy as np
import pytest
from scipy import sparse

import fsops.operators as op
from fsops import memory
from fsops.data import ExampleSet, sparse as stored
from fsops.errors import DataError, OperatorWarning
from fsops.testing.sparse import as_sparse


@pytest.fixture
def dense():
    rng = np.random.default_rng(8)
    X = np.where(rng.random((40, 9)) < 0.3, rng.normal(size=(40, 9)), 0.0)
    return ExampleSet.from_numpy(X, np.array(["no", "yes"])[np.arange(40) % 2])


@pytest.fixture
def table(dense):
    return as_sparse(dense)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: op.append([t, t.take([3, 1])]),
        lambda t: op.append([t, t.dense()]),
        lambda t: op.materialize_data(t.take([5, 4, 4]).drop(["att3"])),
        op.sample_bootstrapping,
        lambda t: op.sample_stratified(t, sample_ratio=0.5, sample="relative"),
        op.shuffle,
        lambda t: op.filter_examples(
            t, parameter_string="att2 > 0", condition_class="attribute_value_filter"
        )[0],
        lambda t: op.select_attributes(
            t, attribute_filter_type="regular_expression", regular_expression="att[1-4]"
        ),
        lambda t: op.set_role(t, attribute_name="att9", target_role="id"),
        lambda t: op.select_by_weights(t, op.weight_by_f_test(t), weight_relation="top k", k=3),
    ],
)
def test_tables_stay_sparse(table, change):
    found, expected = change(table), change(table.dense())
    assert found.is_sparse
    assert not expected.is_sparse
    assert found.equals(expected)


def test_a_dense_copy_is_made_with_a_warning_that_has_both_sizes(table, monkeypatch):
    monkeypatch.setattr(stored, "QUIET", 0)
    monkeypatch.setattr(memory, "available", lambda: 3_000_000)
    with pytest.warns(
        OperatorWarning,
        match=r"Weight by Relief does not work on sparse tables.* 2.88 kB of memory, and 3 MB are",
    ):
        weights = op.weight_by_relief(table)
    np.testing.assert_array_equal(weights.values, op.weight_by_relief(table.dense()).values)


def test_a_small_dense_copy_is_not_worth_a_warning(table):
    op.weight_by_relief(table)


def test_a_dense_copy_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 10**9)
    wide = ExampleSet.from_sparse(sparse.csr_array((3000, 100_000)), np.arange(3000) % 2)
    with pytest.raises(
        DataError, match=r"100,000 sparse attributes needs 2.4 GB of memory, but 1 GB"
    ):
        op.weight_by_relief(wide)


def test_filters_take_tables_that_do_not_fit_as_dense_ones(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 10**8)
    rng = np.random.default_rng(0)
    matrix = sparse.random_array((2000, 40_000), density=0.001, rng=rng, format="csc")
    table = ExampleSet.from_sparse(matrix, np.arange(2000) % 2)
    for weigh in (op.weight_by_t_test, op.weight_by_sam, op.weight_by_fisher_score):
        weights = weigh(table)
        few = np.flatnonzero(weights.values)[:20]
        part = ExampleSet.from_numpy(matrix[:, few].toarray(), np.arange(2000) % 2)
        np.testing.assert_allclose(weights.values[few], weigh(part).values, rtol=1e-12)
    chosen = op.select_by_mrmr_cfs(table, k=3)
    assert chosen.values.sum() == 3
