"""Tables whose numbers are stored without their zeros."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from fsops import memory
from fsops.data import ExampleSet
from fsops.data.sparse import SparseBlock, sparse_numbers
from fsops.errors import DataError


@pytest.fixture
def values():
    rng = np.random.default_rng(3)
    X = np.where(rng.random((12, 6)) < 0.4, rng.normal(size=(12, 6)), 0.0)
    X[:, 2] = 0.0
    X[:, 3] = -5.0
    X[4, 1] = np.nan
    return X


@pytest.fixture
def classes():
    return np.array(list("aabbccaabbcc"))


@pytest.fixture
def table(values, classes):
    return ExampleSet.from_sparse(sparse.csr_array(values), classes)


def is_stored_sparsely(table):
    used = {table._block_of[p] for p in table.schema.regular_numerical}
    return all(isinstance(table._blocks[number], SparseBlock) for number in used)


def test_zero_is_a_value_and_missing_is_not_zero(table, values):
    np.testing.assert_array_equal(table.numeric(), values)
    assert table.missing_by_attribute == {"att2": 1}
    assert table.is_sparse


def test_it_equals_the_dense_table(table, values, classes):
    dense = ExampleSet.from_numpy(values, classes)
    assert table.equals(dense)
    assert dense.equals(table)
    assert table.dense().equals(dense)
    assert not table.dense().is_sparse
    other = values.copy()
    other[0, 0] += 1
    assert not table.equals(ExampleSet.from_numpy(other, classes))


@pytest.mark.parametrize(
    "make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_array]
)
def test_any_sparse_format_gives_the_same_table(values, classes, make, table):
    assert ExampleSet.from_sparse(make(values), classes).fingerprint() == table.fingerprint()


def test_stored_zeros_and_repeated_places_make_no_difference():
    matrix = sparse.coo_array(([1.0, 2.0, 0.0, 5.0], ([0, 0, 1, 2], [1, 1, 0, 2])), shape=(3, 3))
    plain = sparse.csc_array(np.array([[0, 3, 0], [0, 0, 0], [0, 0, 5.0]]))
    one, two = ExampleSet.from_sparse(matrix), ExampleSet.from_sparse(plain)
    assert one.fingerprint() == two.fingerprint()
    assert one.matrix().nnz == 2


def test_the_matrix_of_the_caller_is_not_changed():
    matrix = sparse.csc_array(([1.0, 0.0, 2.0], [2, 0, 1], [0, 2, 3]), shape=(3, 2))
    before = matrix.copy()
    table = ExampleSet.from_sparse(matrix)
    assert table.matrix().nnz == 2
    np.testing.assert_array_equal(matrix.data, before.data)
    np.testing.assert_array_equal(matrix.indices, before.indices)
    assert matrix.data.flags.writeable


def test_memory_is_shared_where_nothing_has_to_change(values):
    matrix = sparse_numbers(sparse.csc_array(values))
    assert np.shares_memory(ExampleSet.from_sparse(matrix).matrix().data, matrix.data)


def test_single_precision_is_kept_and_read_as_doubles(values):
    table = ExampleSet.from_sparse(sparse.csr_array(values.astype(np.float32)))
    assert table.matrix().dtype == np.float32
    assert table.numeric().dtype == np.float64
    np.testing.assert_array_equal(table.numeric(), values.astype(np.float32))


@pytest.mark.parametrize(
    "view",
    [
        lambda t: t.take([5, 1, 1, 4]),
        lambda t: t.take(np.arange(12) % 2 == 0),
        lambda t: t.select(["att5", "att2", "att1", "label"]),
        lambda t: t.take([3, 2, 9]).select_regular(["att2", "att4"]).take([2, 0]),
        lambda t: t.drop(["att1"]).rename({"att2": "x"}),
        lambda t: t.with_roles({"att2": "id"}),
        lambda t: t.take([]),
        lambda t: pickle.loads(pickle.dumps(t.take([1, 0]))),
    ],
)
def test_views_stay_sparse_and_see_what_dense_views_see(table, view):
    found, expected = view(table), view(table.dense())
    assert is_stored_sparsely(found)
    assert found.schema == expected.schema
    np.testing.assert_array_equal(found.numeric(), expected.numeric())
    np.testing.assert_array_equal(found.matrix().toarray(), expected.numeric())
    assert found.missing_by_attribute == expected.missing_by_attribute
    assert found.equals(expected)


def test_a_view_does_not_take_over_the_matrix_of_the_table(table):
    assert table.matrix().shape == (12, 6)
    assert table.label_values().shape == (12,)
    assert table.features(np.array([1, 3])).matrix().shape == (12, 2)
    assert table.take([0, 1]).matrix().shape == (2, 6)
    assert table.with_roles({"att1": "id"}).matrix().shape == (12, 5)


def test_rows_in_another_order_are_sorted_inside_the_matrix(table):
    assert table.take([5, 1, 1, 4]).matrix().has_sorted_indices


def test_dense_attributes_beside_sparse_ones_become_part_of_the_matrix(table):
    age = ExampleSet.from_numpy(np.arange(12.0)[:, None], names=["age"])
    both = age.beside(table).select(["att1", "age", "att4", "label"])
    assert both.is_sparse
    np.testing.assert_array_equal(both.matrix().toarray(), both.numeric())
    assert not both.select(["age", "label"]).is_sparse


def test_infinite_and_huge_values_are_found(values):
    values[0, 0], values[1, 5] = np.inf, -1e300
    table = ExampleSet.from_sparse(sparse.csc_array(values))
    assert list(table.extreme_attributes) == ["att1", "att6"]


def test_pandas_gets_columns_of_its_sparse_type(table, values):
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.names)
    assert isinstance(frame["att1"].dtype, pd.SparseDtype)
    assert frame["label"].dtype == "category"
    np.testing.assert_array_equal(frame.iloc[:, :6].sparse.to_coo().toarray(), values)


def test_it_can_be_shown(table):
    assert "att6" in table._repr_html_()
    assert repr(table) == "<ExampleSet 12 × 6 attributes, label label (polynominal)>"


def test_a_dense_copy_that_does_not_fit_is_refused_with_both_sizes(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 10**9)
    table = ExampleSet.from_sparse(sparse.csr_array((100_000, 50_000)))
    with pytest.raises(DataError, match=r"A dense copy of 50,000 sparse attributes needs 40 GB"):
        table.numeric()
    with pytest.raises(DataError, match=r"1 GB are available"):
        table.dense()
    assert table.column("att7").sum() == 0


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 2)), "A sparse matrix of scipy is needed, but got ndarray"),
        (sparse.csr_array(np.array([[1j]])), "values of type complex128"),
    ],
)
def test_other_things_are_refused(matrix, message):
    with pytest.raises(DataError, match=message):
        ExampleSet.from_sparse(matrix)


def test_names_and_label_are_checked_as_for_dense_tables():
    with pytest.raises(DataError, match="2 columns, but 1 names"):
        ExampleSet.from_sparse(sparse.csr_array((3, 2)), names=["a"])
