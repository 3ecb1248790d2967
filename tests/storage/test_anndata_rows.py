"""AnnData files that stay on disk: groups of cells are read."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array

from fsops import Context, ExampleSet, operators as ops
from fsops.core.frame.services import Services
from fsops.storage import anndata_rows

h5py = pytest.importorskip("h5py")

LIMIT = 12_000


def context(limit=LIMIT):
    services = Services()
    services.memory_limit = limit
    return Context(services=services)


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Return a function that writes 90 cells × 40 genes, with few cells in a group."""
    monkeypatch.setattr(anndata_rows, "GROUP_BYTES", 8 * 40 * 11)

    def write(*, dense=False, holes=False):
        rng = np.random.default_rng(0)
        X = np.where(rng.random((90, 40)) < 0.2, np.ceil(rng.gamma(2.0, 3.0, (90, 40))), 0.0)
        X[::2, 3] += 2.0
        if holes:
            X[4, 5] = np.nan
        label = ["case", "control"] * 45
        made = ExampleSet.from_numpy if dense else ExampleSet.from_sparse
        table = made(X if dense else csr_array(X), label, names=[f"g{n}" for n in range(40)])
        path = tmp_path / "cells.h5ad"
        ops.write_anndata(table, path=str(path))
        return str(path)

    return write


def read(path, limit=LIMIT, **options):
    return ops.read_anndata(path=path, label="label", ctx=context(limit), **options)


@pytest.mark.parametrize("dense", [False, True])
def test_cells_that_do_not_fit_stay_in_the_file(file, dense):
    path = file(dense=dense)
    streamed, loaded = read(path), read(path, 10**9)
    assert streamed.stays_in_file
    assert not loaded.stays_in_file
    assert streamed.schema.names == loaded.schema.names
    assert streamed.classes == loaded.classes
    assert len(list(streamed.row_blocks())) > 8
    rows = [block.numeric() for block in streamed.drop(["cell"]).row_blocks()]
    np.testing.assert_array_equal(np.vstack(rows), loaded.dense().numeric())
    np.testing.assert_array_equal(streamed.label_values(), loaded.label_values())


@pytest.mark.parametrize(
    "operator",
    [
        ops.weight_by_sam,
        ops.weight_by_welch_test,
        ops.weight_by_auc,
        ops.weight_by_information_gain,
    ],
)
def test_filters_give_the_weights_of_the_loaded_table(file, operator):
    path = file()
    found, expected = operator(read(path)), operator(read(path, 10**9))
    assert found.names == expected.names
    assert found.values == pytest.approx(expected.values, rel=1e-10, abs=1e-12)


def test_mrmr_and_normalised_cells(file):
    path = file()
    streamed, loaded = read(path), read(path, 10**9)
    found, expected = (ops.select_by_mrmr_cfs(t, k=5) for t in (streamed, loaded))
    assert found.values.tolist() == expected.values.tolist()
    scaled = ops.normalize(streamed, method="largest absolute value").examples
    reference = ops.normalize(loaded, method="largest absolute value").examples
    found, expected = ops.weight_by_sam(scaled), ops.weight_by_sam(reference)
    assert found.values == pytest.approx(expected.values, rel=1e-10, abs=1e-12)


def test_a_small_file_may_be_kept_on_disk(file):
    table = read(file(), 10**9, streaming=True)
    assert type(table).__name__ == "StreamedExampleSet"
    assert table.numeric().shape == (90, 40)


def test_it_travels_as_a_name(file):
    table = read(file())
    table.label_values()
    sent = pickle.dumps(table.source)
    assert len(sent) < 1000
    assert pickle.loads(sent).schema.names == table.schema.names
    assert pickle.loads(sent).fingerprint() == table.source.fingerprint()


def test_missing_values_are_named(file, refused):
    with refused("missing", "g5"):
        ops.weight_by_sam(read(file(holes=True)))


def test_a_matrix_by_genes_is_refused(file, refused):
    path = file()
    with h5py.File(path, "r+") as content:
        content["X"].attrs["encoding-type"] = "csc_matrix"
    with refused("stored by genes", "tocsr"):
        read(path, streaming=True)


@pytest.mark.parametrize(("part", "value"), [("indices", 400), ("indptr", 10**9)])
def test_damaged_files_are_refused(file, refused, part, value):
    path = file()
    with h5py.File(path, "r+") as content:
        content["X"][part][30] = value
    with refused("cells.h5ad"):
        ops.weight_by_sam(read(path))


def test_a_file_that_changes_is_noticed(file, refused):
    path = file()
    table = read(path)
    with open(path, "ab") as stream:
        stream.write(b"more")
    with refused("changed while it was read"):
        ops.weight_by_sam(table)


def test_the_plan_knows_the_size(file):
    from fsops.core.operator import operator_of

    parameters = {"path": file(), "label": "label", "layer": "", "streaming": True}
    meta = operator_of(ops.read_anndata).describe({}, parameters)
    assert (meta.file.rows, meta.file.columns, meta.file.always) == (90, 40, True)
