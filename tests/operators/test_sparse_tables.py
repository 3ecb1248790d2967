"""Operators on sparse tables: they stay sparse, or a dense copy is made with a warning."""

import numpy as np
import pytest
from scipy import sparse

import fsops.operators as op
from fsops import memory
from fsops.algorithms.statistics import counts
from fsops.data import Attribute, ExampleSet, ValueType, sparse as stored
from fsops.data.row_plans import RowPlan
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


def keyed(table, keys):
    """A table with row numbers as ids, and another one of texts, numbers and ids."""
    rows = np.arange(len(table)).astype(float)
    left = table.with_columns([(Attribute("row", ValueType.REAL, "id"), rows)])
    right = ExampleSet.from_numpy(np.c_[keys, np.arange(len(keys))], names=["row", "more"])
    return left, right.with_roles({"row": "id"})


@pytest.mark.parametrize(
    "change",
    [
        lambda t: op.append([t, t.take([3, 1])]),
        lambda t: op.append([t, t.dense()]),
        lambda t: op.materialize_data(t.take([5, 4, 4]).drop(["att3"])),
        lambda t: op.join(*keyed(t, [3, 1, 1, 7, 100])),
        lambda t: op.join(*keyed(t, [3, 1, 100]), join_type="left"),
        lambda t: op.join(*keyed(t, [3, 1, 100]), join_type="outer"),
        op.sample_bootstrapping,
        lambda t: op.sample_stratified(t, sample_fraction=0.5, sample="relative"),
        op.shuffle,
        lambda t: op.filter_examples(
            t, parameter_string="att2 > 0", condition_class="attribute_value_filter"
        )[0],
        lambda t: op.select_attributes(
            t, attribute_filter_type="regular_expression", regular_expression="att[1-4]"
        ),
        lambda t: op.set_role(t, attribute="att9", target_role="id"),
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


@pytest.mark.parametrize("missing", ["error", "category", "pairwise"])
@pytest.mark.parametrize(
    "discretization",
    ["best split", "equal frequency", "equal width", "entropy", "mean and deviation", "presence"],
)
def test_weights_from_counts_are_those_of_the_dense_table(
    dense, discretization, missing, monkeypatch
):
    monkeypatch.setattr(counts, "TILE_NUMBERS", 80)  # two columns at a time
    if missing != "error":
        values = dense.numeric().copy()
        values[::7, 2] = np.nan
        values[:, 4] = np.nan
        dense = ExampleSet.from_numpy(values, np.array(["no", "yes"])[np.arange(40) % 2])
    for weigh in (
        op.weight_by_information_gain,
        op.weight_by_information_gain_ratio,
        op.weight_by_symmetric_uncertainty,
        op.weight_by_gini_index,
        op.weight_by_chi_squared,
        op.weight_by_mutual_information,
    ):
        expected = weigh(dense, discretization=discretization, missing=missing)
        found = weigh(as_sparse(dense), discretization=discretization, missing=missing)
        np.testing.assert_allclose(found.values, expected.values, rtol=1e-12, atol=1e-14)


def test_joins_take_tables_that_do_not_fit_as_dense_ones(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 10**7)
    rng = np.random.default_rng(0)
    matrix = sparse.random_array((2000, 10_000), density=0.001, rng=rng, format="csc")
    left, right = keyed(ExampleSet.from_sparse(matrix), list(range(2000)))
    assert op.join(left, right).is_sparse
    with pytest.raises(DataError, match="rows and 10,002 attributes needs .* of memory, but 10 MB"):
        # A row that only the other table has is missing in all attributes.
        op.join(*keyed(ExampleSet.from_sparse(matrix), list(range(4000))), join_type="right")


def test_filters_in_a_validation_do_not_copy_the_rows_of_a_sparse_table(table, dense, monkeypatch):
    def copied(*args):
        raise AssertionError("The rows of a training set were copied.")

    splits = [np.arange(30), np.arange(10, 40), np.repeat(np.arange(20), 2)]
    expected = [op.weight_by_welch_test(dense.take(rows)).values for rows in splits]
    linear = [op.weight_by_correlation(dense.take(rows)).values for rows in splits]
    table.missing_by_attribute, table.extreme_attributes  # noqa: B018 - known, as in a validation
    monkeypatch.setattr(stored.SparseBlock, "gather", copied)
    with RowPlan(table, splits) as plan:
        for number, weights in enumerate(expected):
            part = plan.taken(number)
            np.testing.assert_allclose(
                op.weight_by_welch_test(part).values, weights, rtol=1e-12, atol=1e-13
            )
            np.testing.assert_allclose(
                op.weight_by_correlation(part).values, linear[number], rtol=1e-12, atol=1e-13
            )
            assert "_sparse" not in vars(part)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("normalize", [True, False])
def test_svm_rfe_eliminates_the_same_attributes(classes, normalize):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((50, 120)) < 0.2, rng.lognormal(size=(50, 120)), 0.0)
    X[:, 5], X[:, 6] = X[:, 4], 0.0
    X[:, 7] = 1000 * normalize + rng.normal(size=50)
    table = ExampleSet.from_numpy(X, np.argsort(X[:, :4].sum(axis=1)).argsort() * classes // 50)
    for parameters in ({"step": "number"}, {"fraction": 0.3, "C": 0.01}):
        settings = {"k": 1, "output": "ranking", "scaling": normalize, **parameters}
        expected = op.select_by_svm_rfe(table, **settings)
        found = op.select_by_svm_rfe(as_sparse(table), **settings)
        np.testing.assert_array_equal(found.weights.values, expected.weights.values)
        np.testing.assert_allclose(
            found.weights.details["last_weight"],
            expected.weights.details["last_weight"],
            rtol=1e-7,
            atol=1e-9,
        )


def test_svm_rfe_takes_tables_that_do_not_fit_as_dense_ones(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 10**7)
    rng = np.random.default_rng(0)
    matrix = sparse.random_array((100, 50_000), density=0.001, rng=rng, format="csc")
    table = ExampleSet.from_sparse(matrix, np.arange(100) % 2)
    found = op.select_by_svm_rfe(table, k=20, fraction=0.5)
    assert found.weights.values.sum() == 20
