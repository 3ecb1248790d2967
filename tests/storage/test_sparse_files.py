"""Sparse files: they come back as they were written, and bad ones get a sentence."""

import gzip
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import io, sparse

import fsops.operators as op
from fsops.data import ExampleSet
from fsops.errors import DataError, FsopsError, StorageError


@pytest.fixture
def table():
    rng = np.random.default_rng(4)
    X = np.where(rng.random((8, 5)) < 0.5, rng.normal(size=(8, 5)).round(3), 0.0)
    X[:, 4] = np.arange(1, 9)  # the last attribute has values
    names = [f"gene {number}" for number in range(5)]
    return ExampleSet.from_sparse(sparse.csr_array(X), list("aabbccab"), names=names)


def values(table):
    return table.matrix().toarray()


@pytest.fixture
def no_large_memory():
    """Fail if a test takes more than 50 MB."""
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


# --- SVMlight ---------------------------------------------------------------------------------


@pytest.mark.parametrize("label", [np.inf, -np.inf])
def test_svmlight_refuses_labels_that_are_not_finite(label, tmp_path):
    table = ExampleSet.from_sparse(sparse.csr_array(np.ones((3, 2))), np.array([1.0, label, 2.0]))
    with pytest.raises(DataError, match="not a finite number in row 2: an SVMlight file"):
        op.write_svmlight(table, path=str(tmp_path / "t.svm"))
    assert list(tmp_path.iterdir()) == []


def test_svmlight_numbers_classes_that_are_called_infinite(tmp_path):
    table = ExampleSet.from_sparse(sparse.csr_array(np.ones((3, 2))), ["inf", "nan", "inf"])
    op.write_svmlight(table, path=str(tmp_path / "t.svm"))
    lines = (tmp_path / "t.svm").read_text().splitlines()
    assert [line.split()[0] for line in lines if not line.startswith("#")] == ["-1", "1", "-1"]


def test_svmlight_comes_back(table, tmp_path):
    file = str(tmp_path / "t.svm")
    op.write_svmlight(table, path=file)
    found = op.read_svmlight(path=file)
    assert found.is_sparse
    np.testing.assert_array_equal(values(found), values(table))
    assert found.nominal_values("class") == [str("abc".index(c) + 1) for c in "aabbccab"]


def test_two_classes_become_minus_one_and_one(tmp_path):
    table = ExampleSet.from_sparse(sparse.csr_array(np.eye(3)), ["no", "yes", "no"])
    op.write_svmlight(table, path=str(tmp_path / "t.svm"), first_index="0")
    assert (tmp_path / "t.svm").read_text().split("\n")[1] == "1 1:1"
    found = op.read_svmlight(path=str(tmp_path / "t.svm"), first_index="0")
    assert found.classes == ("-1", "1")


def test_real_labels_are_numbers_and_attributes_can_be_more(tmp_path):
    (tmp_path / "t.svm").write_text("0.5 2:1 # comment\n-1.25 1:3e2\n")
    found = op.read_svmlight(path=str(tmp_path / "t.svm"), number_of_attributes=7)
    assert found.label_values().tolist() == [0.5, -1.25]
    assert values(found).tolist() == [[0, 1, 0, 0, 0, 0, 0], [300, 0, 0, 0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 3:1 2:1\n", 'Line 1 of "t.svm": the index 2 follows 3, but indices must rise.'),
        ("1 3:1\n-1 -4:1\n", 'Line 2 of "t.svm": the index -4 is below 0.'),
        ("1 3:1 3:2\n", "the index 3 follows 3"),
        ("yes 3:1\n", 'the label "yes" is not a number'),
        ("1 a:1\n", '"a:1" is not a pair index:value'),
        ("1 3:x\n", 'the value "x" is not a number'),
        ("1 3\n", '"3" is not a pair'),
        ("1 999999999:1\n", "claims 1 rows and 999,999,999 attributes"),
        ("1 99999999999999999999:1\n", "is not a pair|is beyond"),
        ("\x00\x01\x02", "is not a number"),
    ],
)
def test_bad_svmlight_files(tmp_path, text, message, no_large_memory):
    (tmp_path / "t.svm").write_text(text)
    with pytest.raises(DataError, match=message):
        op.read_svmlight(path=str(tmp_path / "t.svm"))


def test_an_index_of_zero_is_refused_where_counting_starts_at_one(tmp_path):
    (tmp_path / "t.svm").write_text("1 0:1\n")
    with pytest.raises(DataError, match="the index 0 is below 1"):
        op.read_svmlight(path=str(tmp_path / "t.svm"), first_index="1")


# --- coordinates ------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_coordinates_come_back(table, tmp_path, suffix):
    file = str(tmp_path / f"t{suffix}")
    op.write_coordinates(table, path=file)
    found = op.read_coordinates(path=file).select(table.schema.regular_names)
    np.testing.assert_array_equal(values(found), values(table))


def test_coordinates_by_number_with_a_file_about_the_rows(tmp_path):
    pd.DataFrame({"row": [0, 2, 2], "feature": [1, 3, 1]}).to_parquet(tmp_path / "x.parquet")
    (tmp_path / "y.csv").write_text(
        "row,split,label\n0,train,+1\n1,train,-1\n2,valid,+1\n3,valid,-1\n"
    )
    found = op.read_coordinates(
        path=str(tmp_path / "x.parquet"),
        attribute_column="feature",
        number_of_attributes=4,
        rows_path=str(tmp_path / "y.csv"),
        label="label",
    )
    assert values(found).tolist() == [[1, 0, 0, 0], [0] * 4, [1, 0, 1, 0], [0] * 4]
    assert found.classes == ("+1", "-1")
    assert dict(found.schema.roles) == {"row": "row", "split": "split", "label": "label"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("row,column,value\n1,1,2\n1,1,3\n", '1 lines of "t.csv" repeat a place'),
        ("row,column,value\n-1,1,2\n", 'Column "row" of "t.csv" has -1 in value 1'),
        ("row,column,value\n1.5,1,2\n", "must have a whole number in each line"),
        ("row,column,value\n,1,2\n2,1,1\n", "must have a whole number in each line"),
        ("row,column,value\n1,1,x\n", 'Column "value" of "t.csv" must hold numbers'),
        ("row,value\n1,2\n", 'has no column "column"'),
        ("row,column,value\n1,1000000000,2\n", "1,000,000,000 attributes"),
        ("row,column,value\n9000000000,1,2\n", "9,000,000,000 rows"),
        ("", "cannot be read"),
    ],
)
def test_bad_coordinates(tmp_path, text, message, no_large_memory):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        op.read_coordinates(path=str(tmp_path / "t.csv"))


def test_a_file_about_other_rows_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("row,column,value\n1,1,2\n5,1,3\n")
    (tmp_path / "y.csv").write_text("label\na\nb\n")
    with pytest.raises(DataError, match="has values in 5 rows, but the file about the rows has 2"):
        op.read_coordinates(path=str(tmp_path / "t.csv"), rows_path=str(tmp_path / "y.csv"))


# --- Matrix Market ----------------------------------------------------------------------------


def test_a_folder_of_10x_comes_back(table, tmp_path):
    identified = table.take(range(8)).with_roles({"label": "id"})
    op.write_matrix_market(identified, folder=str(tmp_path / "10x"))
    found = op.read_matrix_market(path=str(tmp_path / "10x"))
    np.testing.assert_array_equal(values(found), values(table))
    assert found.schema.regular_names == table.schema.regular_names
    assert found.nominal_values("barcode") == list("aabbccab")


def test_names_are_made_unique_and_labels_come_from_a_second_file(tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    io.mmwrite(folder / "matrix.mtx", sparse.coo_array(np.array([[1, 0], [0, 2], [3, 0]])))
    (folder / "genes.tsv").write_text("E1\tTP53\nE2\tACTB\nE3\tTP53\n")
    (folder / "barcodes.tsv").write_text("AAA\nCCC\n")
    (tmp_path / "types.csv").write_text("type,batch\nT,1\nB,2\n")
    given = {"path": str(folder), "rows_path": str(tmp_path / "types.csv"), "label": "type"}
    found = op.read_matrix_market(**given)
    assert tuple(found.schema.regular_names) == ("TP53", "ACTB", "TP53-1")
    assert values(found).tolist() == [[1, 0, 3], [0, 2, 0]]
    assert found.nominal_values("type") == ["T", "B"]
    by_id = op.read_matrix_market(**given, names="id")
    assert tuple(by_id.schema.regular_names) == ("E1", "E2", "E3")


def test_a_single_file_has_rows_as_examples(tmp_path):
    matrix = sparse.coo_array(np.array([[1.5, 0, 0], [0, 0, -2]]))
    io.mmwrite(tmp_path / "m.mtx", matrix)
    packed = tmp_path / "m.mtx.gz"
    packed.write_bytes(gzip.compress((tmp_path / "m.mtx").read_bytes()))
    for file in (tmp_path / "m.mtx", packed):
        found = op.read_matrix_market(path=str(file))
        np.testing.assert_array_equal(values(found), matrix.toarray())
    turned = op.read_matrix_market(path=str(packed), rows="attributes")
    np.testing.assert_array_equal(values(turned), matrix.toarray().T)


HEAD = "%%MatrixMarket matrix coordinate real general\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "3 3 5\n1 1 1.0\n2 2 1.0\n3 1 1.0\n3 2 1.0\n", "cannot be read as a Matrix Market"),
        (HEAD + "3 3 50\n1 1\n", "claims 50 entries, but is too short"),
        (HEAD + "1000000000 1000000000 1\n1 1 1\n", "1,000,000,000 attributes"),
        (HEAD + "3 3 4000000000\n1 1 1\n", "claims 4,000,000,000 entries, but is too short"),
        (HEAD + "3 3 1\n4 1 1\n", "cannot be read as a Matrix Market"),
        (HEAD + "3 3 1\n1 1 x\n", "cannot be read as a Matrix Market"),
        (HEAD.replace("coordinate", "array") + "1 1\n1\n", "coordinate files of real or whole"),
        (HEAD.replace("real", "complex") + "1 1 1\n1 1 1 1\n", "coordinate files of real"),
        ("nonsense\n", "cannot be read as a Matrix Market"),
        ("", "cannot be read as a Matrix Market"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_bad_matrix_market_files(tmp_path, text, message, packed, no_large_memory):
    file = tmp_path / ("m.mtx.gz" if packed else "m.mtx")
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    expected = "cannot be read|too short" if packed else message
    with pytest.raises(DataError, match=f"{message}|{expected}"):
        op.read_matrix_market(path=str(file))


def test_a_truncated_archive_and_a_folder_without_a_matrix(tmp_path):
    whole = gzip.compress((HEAD + "900 900 900\n" + "1 1 1.25\n" * 900).encode())
    (tmp_path / "m.mtx.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="cannot be read as a Matrix Market"):
        op.read_matrix_market(path=str(tmp_path / "m.mtx.gz"))
    with pytest.raises(StorageError, match=r"has no file matrix\.mtx"):
        op.read_matrix_market(path=str(tmp_path))


def test_files_that_do_not_belong_together(tmp_path):
    io.mmwrite(tmp_path / "matrix.mtx", sparse.coo_array(np.eye(3)))
    (tmp_path / "barcodes.tsv").write_text("A\nB\n")
    with pytest.raises(DataError, match="2 lines, but the matrix has 3 cells"):
        op.read_matrix_market(path=str(tmp_path))
    (tmp_path / "features.tsv").write_text("x\ny\n")
    with pytest.raises(DataError, match="file of features has 2 lines"):
        op.read_matrix_market(path=str(tmp_path))


# --- ARFF -------------------------------------------------------------------------------------

SPARSE_ARFF = """@relation r
@attribute a numeric
@attribute 'kind of' {x, y}
@attribute b real
@attribute class {no, yes}
@data
{0 1.5, 3 yes}
{}
{1 y, 2 ?}
{2 -3, 0 0}
"""


def test_sparse_arff_stays_sparse(tmp_path):
    (tmp_path / "t.arff").write_text(SPARSE_ARFF)
    found = op.read_arff(path=str(tmp_path / "t.arff"), label="class")
    assert found.is_sparse
    assert tuple(found.names) == ("a", "kind of", "b", "class")
    np.testing.assert_array_equal(values(found), [[1.5, 0], [0, 0], [0, np.nan], [0, -3]])
    assert found.nominal_values("kind of") == ["x", "x", "y", "x"]
    assert found.nominal_values("class") == ["yes", "no", "no", "no"]
    assert found.missing_by_attribute == {"b": 1}


def test_sparse_arff_comes_back(table, tmp_path):
    file = str(tmp_path / "t.arff")
    op.write_arff(table, path=file)
    assert "\n{" in (tmp_path / "t.arff").read_text()
    found = op.read_arff(path=file)
    assert found.is_sparse
    assert found.equals(table)


def test_a_line_of_all_values_among_sparse_ones(tmp_path):
    (tmp_path / "t.arff").write_text(SPARSE_ARFF + "0,y,7,yes\n")
    found = op.read_arff(path=str(tmp_path / "t.arff"))
    assert values(found)[4].tolist() == [0, 7]


# --- AnnData ----------------------------------------------------------------------------------


def test_anndata_comes_back(table, tmp_path):
    pytest.importorskip("h5py")
    file = str(tmp_path / "t.h5ad")
    op.write_anndata(table, path=file)
    found = op.read_anndata(path=file, label="label")
    assert found.is_sparse
    np.testing.assert_array_equal(values(found), values(table))
    assert found.schema.regular_names == table.schema.regular_names
    assert found.nominal_values("label") == list("aabbccab")
    assert found.schema.attribute("cell").role == "id"


def write_by_hand(file, *, dense=False):
    """A file as anndata 0.12 writes it: two cells, three genes, a layer and three columns of obs."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(file, "w") as content:
        if dense:
            content["X"] = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 5.0]])
        else:
            group = content.create_group("X")
            group.attrs.update({"encoding-type": "csc_matrix", "shape": (2, 3)})
            group["data"], group["indices"] = np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1])
            group["indptr"] = np.array([0, 1, 1, 3])
        layer = content.create_group("layers/counts")
        layer.attrs.update({"encoding-type": "csr_matrix", "shape": (2, 3)})
        layer["data"], layer["indices"] = np.array([1, 7, 8]), np.array([0, 2, 1])
        layer["indptr"] = np.array([0, 2, 3])
        for part, names in (("obs", ["c1", "c2"]), ("var", ["g1", "g2", "g2"])):
            group = content.create_group(part)
            group.attrs["_index"] = "_index"
            group.attrs["column-order"] = ["type", "n", "age"] if part == "obs" else []
            group["_index"] = names
        kind = content["obs"].create_group("type")
        kind.attrs["encoding-type"] = "categorical"
        kind["codes"], kind["categories"] = np.array([1, -1], dtype="i1"), ["B", "T"]
        content["obs/n"] = np.array([3, 4])
        age = content["obs"].create_group("age")
        age.attrs["encoding-type"] = "nullable-integer"
        age["values"], age["mask"] = np.array([30, 0]), np.array([False, True])


@pytest.mark.parametrize("dense", [False, True])
def test_the_parts_of_anndata_become_a_table(tmp_path, dense):
    file = tmp_path / "t.h5ad"
    write_by_hand(file, dense=dense)
    found = op.read_anndata(path=str(file), label="n")
    assert values(found).tolist() == [[1, 0, 2], [0, 0, 5]]
    assert tuple(found.schema.regular_names) == ("g1", "g2", "g2-1")
    assert dict(found.schema.roles) == {"cell": "id", "type": "type", "n": "label", "age": "age"}
    assert found.nominal_values("type") == ["T", None]
    np.testing.assert_array_equal(found.column("age"), [30, np.nan])
    layer = op.read_anndata(path=str(file), layer="counts")
    assert values(layer).tolist() == [[1, 0, 7], [0, 8, 0]]


def test_missing_parts_of_anndata_are_named(tmp_path):
    h5py = pytest.importorskip("h5py")
    file = tmp_path / "t.h5ad"
    write_by_hand(file)
    with pytest.raises(DataError, match='has no layer "count"'):
        op.read_anndata(path=str(file), layer="count")
    with pytest.raises(DataError, match='has no column "typ"'):
        op.read_anndata(path=str(file), label="typ")
    with h5py.File(file, "a") as content:
        content["X/indices"][1] = 7
    with pytest.raises(DataError, match="cannot be read as an AnnData file"):
        op.read_anndata(path=str(file))
    with h5py.File(file, "a") as content:
        del content["var"].attrs["_index"]
    with pytest.raises(DataError, match=r"has no names of variables \(var_names\)"):
        op.read_anndata(path=str(file))


@pytest.mark.parametrize("dense", [False, True])
def test_anndata_files_that_claim_a_huge_shape(tmp_path, dense, no_large_memory):
    h5py = pytest.importorskip("h5py")
    file = tmp_path / "t.h5ad"
    write_by_hand(file)
    with h5py.File(file, "a") as content:
        if dense:
            del content["X"]
            content.create_dataset("X", shape=(10**9, 10**9), chunks=(100, 100), dtype="f4")
        else:
            content["X"].attrs["shape"] = (10**9, 10**9)
    with pytest.raises(DataError, match="1,000,000,000 attributes"):
        op.read_anndata(path=str(file))


def test_files_that_are_not_anndata(tmp_path):
    pytest.importorskip("h5py")
    (tmp_path / "t.h5ad").write_bytes(b"not a file of HDF5")
    with pytest.raises(FsopsError, match="cannot be read as an AnnData file"):
        op.read_anndata(path=str(tmp_path / "t.h5ad"))


def test_the_package_anndata_reads_our_files(table, tmp_path):
    anndata = pytest.importorskip("anndata")
    op.write_anndata(table, path=str(tmp_path / "t.h5ad"))
    found = anndata.read_h5ad(tmp_path / "t.h5ad")
    np.testing.assert_array_equal(found.X.toarray(), values(table))
    assert list(found.obs["label"]) == list("aabbccab")
    assert list(found.var_names) == list(table.schema.regular_names)


def test_files_of_the_package_anndata_are_read(tmp_path):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame({"type": pd.Categorical(["T", "B"]), "n": [3, 4]}, index=["c1", "c2"])
    data = anndata.AnnData(sparse.csr_matrix([[1.0, 0, 2], [0, 0, 5]]), obs=obs)
    data.write_h5ad(tmp_path / "t.h5ad")
    found = op.read_anndata(path=str(tmp_path / "t.h5ad"), label="type")
    assert values(found).tolist() == [[1, 0, 2], [0, 0, 5]]
    assert found.nominal_values("type") == ["T", "B"]
