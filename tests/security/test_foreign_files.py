"""Files of other programs from a stranger: they read nothing else, and neither crash nor hang."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

import fsops.operators as op
from fsops.errors import DataError, FsopsError

h5py = pytest.importorskip("h5py")
TEXTS = h5py.string_dtype()
HUGE = 10**9


def frame(content, name, n, columns=()):
    group = content.create_group(name)
    group.attrs["_index"] = "_index"
    group.attrs["column-order"] = np.array(list(columns), dtype=TEXTS)
    if n < HUGE:
        group["_index"] = np.array([f"{name}{i}" for i in range(n)], dtype=TEXTS)
    else:
        group.create_dataset("_index", (n,), TEXTS, chunks=(10**6,))
    return group


@pytest.fixture
def canary(tmp_path):
    """Return a file of the user outside the folder of the data."""
    file = tmp_path / "private" / "secret.bin"
    file.parent.mkdir()
    file.write_bytes(b"topsecret" * 10)
    with h5py.File(file.with_name("mine.h5ad"), "w") as content:
        content["X"] = np.full((8, 5), 77.0)
        frame(content, "obs", 8)
        frame(content, "var", 5)
    return file


@pytest.fixture
def received(tmp_path):
    folder = tmp_path / "received"
    folder.mkdir()
    return folder / "cells.h5ad"


def external_values(content, canary):
    content.create_dataset("X", (8, 5), "u1", external=[(str(canary), 0, 40)])
    frame(content, "obs", 8)


def external_link(content, canary):
    content["X"] = h5py.ExternalLink(str(canary.with_name("mine.h5ad")), "/X")
    frame(content, "obs", 8)


def link_inside_a_name(content, canary):
    content["X"] = np.ones((8, 5))
    content.create_group("g")["l"] = h5py.ExternalLink(str(canary.with_name("mine.h5ad")), "/")
    frame(content, "obs", 8).attrs["_index"] = "/g/l/obs/_index"


def virtual_values(content, canary):
    layout = h5py.VirtualLayout((8, 5), "f8")
    layout[:] = h5py.VirtualSource(str(canary.with_name("mine.h5ad")), "X", (8, 5))
    content.create_virtual_dataset("X", layout)
    frame(content, "obs", 8)


@pytest.mark.parametrize(
    "write", [external_values, external_link, link_inside_a_name, virtual_values]
)
def test_a_file_of_cells_takes_nothing_from_other_files(write, received, canary):
    with h5py.File(received, "w") as content:
        write(content, canary)
        frame(content, "var", 5)
    with pytest.raises(DataError, match="from another file, which is not allowed"):
        op.read_anndata(path=str(received))


def large_names(content):
    content["X"] = np.ones((8, 5))
    frame(content, "obs", HUGE)


def large_column(content):
    content["X"] = np.ones((8, 5))
    frame(content, "obs", 8, ["c"]).create_dataset("c", (HUGE,), "f8", chunks=(10**6,))


def large_indices(content):
    group = content.create_group("X")
    group.attrs.update({"encoding-type": "csr_matrix", "shape": (8, 5)})
    group["data"], group["indptr"] = np.ones(3), np.zeros(9, int)
    group.create_dataset("indices", (HUGE,), "i4", chunks=(10**6,))
    frame(content, "obs", 8)


def large_matrix(content):
    content.create_dataset("X", (50_000, 20_000), "f8", chunks=(1000, 1000))
    frame(content, "obs", 8)


@pytest.mark.parametrize("write", [large_names, large_column, large_indices, large_matrix])
def test_a_small_file_of_cells_does_not_declare_gigabytes(write, received):
    with h5py.File(received, "w") as content:
        write(content)
        frame(content, "var", 5)
    assert received.stat().st_size < 100_000
    with pytest.raises(DataError, match="GB of memory"):
        op.read_anndata(path=str(received))


@pytest.mark.slow
def test_a_damaged_file_of_cells_does_not_hang(received):
    """Found by changing bytes: the HDF5 library of that time never returned from this file."""
    packed = Path(__file__).with_name("damaged.h5ad.gz")
    received.write_bytes(gzip.decompress(packed.read_bytes()))
    with pytest.raises(FsopsError):
        op.read_anndata(path=str(received))


@pytest.mark.parametrize("compressed", [True, False])
def test_zero_bytes_in_a_matrix_market_file_do_not_crash(compressed, tmp_path):
    text = b"%%MatrixMarket matrix coordinate real general\n%\n2 2 2\n1 1 1\n2 2 -6\0\0\0\0-1\n"
    file = tmp_path / ("m.mtx.gz" if compressed else "m.mtx")
    file.write_bytes(gzip.compress(text) if compressed else text)
    with pytest.raises(DataError, match="zero bytes"):
        op.read_matrix_market(path=str(file))


def test_coordinates_with_names_that_are_not_utf8_are_refused(tmp_path):
    (tmp_path / "t.coo.csv").write_bytes(b"row,col\xff,value\n0,1,2\n")
    with pytest.raises(DataError, match="not UTF-8"):
        op.read_coordinates(path=str(tmp_path / "t.coo.csv"))


def test_coordinates_in_parquet_do_not_declare_gigabytes(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    part = pa.nulls(2**20, pa.int64())
    schema = pa.schema([(name, pa.int64()) for name in ("row", "column", "value")])
    file = tmp_path / "t.coo.parquet"
    with pq.ParquetWriter(file, schema) as writer:
        for _ in range(64):
            writer.write_table(pa.Table.from_arrays([part] * 3, schema=schema))
    with pytest.raises(DataError, match="GB of memory"):
        op.read_coordinates(path=str(file))


def test_a_range_in_a_file_of_r_is_not_unfolded_without_limit(tmp_path):
    pytest.importorskip("rdata")

    def number(value):
        return struct.pack(">i", value)

    def symbol(text):
        return number(1) + number(0x40009) + number(len(text)) + text

    def listed(item):
        return number(2) + item

    info = listed(symbol(b"compact_intseq")) + listed(symbol(b"base"))
    info += listed(number(13) + number(1) + number(13)) + number(254)
    state = number(14) + number(3) + struct.pack(">ddd", 1e10, 1.0, 1.0)
    head = b"X\n" + number(3) + number(0x40000) + number(0x30500) + number(5) + b"UTF-8"
    (tmp_path / "t.rds").write_bytes(head + number(238) + info + state + number(254))
    with pytest.raises(DataError, match="TB of memory|GB of memory"):
        op.read_r(path=str(tmp_path / "t.rds"))
