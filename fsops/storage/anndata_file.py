"""AnnData files (.h5ad) of single cells; only the parts that become a table are read.

The files are read by h5py alone: the package anndata would load all layers, embeddings and graphs,
and it does not work with every version of pandas. The layout is that of its file format
specification (encoding versions 0.1 and 0.2).
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fsops.data import Attribute, ExampleSet
from fsops.data.columns import Column, coded_column
from fsops.errors import DataError, PluginError, did_you_mean, enumerate_names
from fsops.storage.files import replacing
from fsops.storage.hdf5_checks import check_content, check_in_child
from fsops.storage.sparse_table import assembled, check_shape, unique_names, with_roles
from fsops.storage.text_files import existing_file
from fsops.storage.unpacking import require_for_file

BYTES_PER_ENTRY = 28  # of memory, while a sparse matrix is read and sorted by column
BYTES_PER_VALUE = 80  # of a text
ID = "cell"
"""The attribute that holds the names of the observations."""
PARTS = ("data", "indices", "indptr")
FORMATS = {"csr_matrix": "csr", "csc_matrix": "csc"}


def read_anndata_table(file: str, *, layer: str, label: str | None) -> ExampleSet:
    """Return observations × variables; columns of ``obs`` become special attributes."""
    path = existing_file(Path(file))
    with opened(path) as content:
        names, cells = names_and_cells(path, content)
        found = matrix_of(path, content, layer)
        shape = _checked_shape(path, found)
        matrix = _read_matrix(path, found, shape)
        about = _obs(content["obs"], len(cells))
    return table_of(matrix, names, cells, about, label=label, name=path.name)


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a file that may come from a stranger; its faults are an error of the user."""
    h5py = _package()
    check_in_child(path)
    try:
        with h5py.File(path, "r") as content:
            check_content(content, path.name)
            yield content
    except (OSError, KeyError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        raise DataError(
            f'"{path.name}" cannot be read as an AnnData file: {error}.',
            hint="Save it with a recent version of anndata (write_h5ad).",
        ) from None


def names_and_cells(path: Path, content: Any) -> tuple[list[str], list[str]]:
    """Return the names of the variables and of the observations."""
    names = _index(path, content, "var", "variables (var_names)")
    return names, _index(path, content, "obs", "observations (obs_names)")


def skeleton(content: Any, names: list[str], cells: list[str], **options: Any) -> ExampleSet:
    """Return the table of a file with zeros in place of the matrix; ``options``: `table_of`."""
    from scipy.sparse import csc_array

    nothing = csc_array((len(cells), len(names)))
    return table_of(nothing, names, cells, _obs(content["obs"], len(cells)), **options)


def table_of(
    matrix: Any, names: list[str], cells: list[str], about: list[Column], **options: Any
) -> ExampleSet:
    """Return a table from the parts of an AnnData object.

    ``options`` are ``label``, the column of ``obs`` to predict or None, and ``name`` for messages.
    """
    from scipy.sparse import csc_array, issparse

    label, name = options["label"], options["name"]
    if matrix.shape != (len(cells), len(names)):
        raise DataError(
            f'"{name}" has a matrix of {matrix.shape[0]:,} × {matrix.shape[1]:,}, but '
            f"{len(cells):,} observations and {len(names):,} variables."
        )
    known = [attribute.name for attribute, _ in about]
    if label is not None and label not in known:
        hint = did_you_mean(label, known) or f"There are {enumerate_names(known)}."
        raise DataError(f'obs of "{name}" has no column "{label}".', hint=hint)
    identity = ID if ID not in known else "cell id"
    first = coded_column(identity, unique_names(cells), np.arange(len(cells)))
    special = ExampleSet.from_columns([first, *about], len(cells))
    sparse = matrix if issparse(matrix) else csc_array(np.asarray(matrix))
    return assembled(sparse, unique_names(names), with_roles(special, label, identity))


def _package() -> Any:
    try:
        import h5py
    except ImportError:
        raise PluginError(
            "Files of AnnData (.h5ad) need the package h5py, which is not installed.",
            hint='Install it with: pip install "fsops[singlecell]"',
        ) from None
    return h5py


def _texts(values: Any) -> list[str]:
    _require(values)
    if _package().check_string_dtype(values.dtype) is not None:
        texts: list[str] = values.asstr("utf-8")[()].tolist()
        return texts
    return list(map(str, values[()].tolist()))


def _require(values: Any) -> None:
    """Raise `DataError` if a part of the file declares more values than the memory can take."""
    need = float(BYTES_PER_VALUE) * int(values.size or 0)
    require_for_file(need, values.file.filename, "Leave this column out.")


def _index(path: Path, content: Any, part: str, what: str) -> list[str]:
    """Return the names of the observations or variables."""
    frame = content.get(part)
    index = None if frame is None else frame.attrs.get("_index")
    if index is None or index not in frame:
        raise DataError(
            f'"{path.name}" has no names of {what}.',
            hint=f"Set adata.{part}_names and save the file again.",
        )
    return _texts(frame[index])


def _obs(frame: Any, n: int) -> list[Column]:
    """Return the columns of a data frame that become attributes; others are left out."""
    order = [str(name) for name in frame.attrs.get("column-order", [])]
    columns = [_column(name, frame[name]) for name in order if name in frame]
    return [column for column in columns if column is not None and len(column[1]) == n]


def _column(name: str, stored: Any) -> Column | None:
    kind = stored.attrs.get("encoding-type", "array")
    if kind == "categorical":
        _require(stored["codes"])
        return coded_column(name, _texts(stored["categories"]), stored["codes"][()].astype(np.intp))
    if kind == "string-array":
        found, codes = np.unique(_texts(stored), return_inverse=True)
        return coded_column(name, found.tolist(), codes)
    if kind.startswith("nullable"):
        _require(stored["values"])
        _require(stored["mask"])
        values = stored["values"][()].astype(np.float64)
        values[stored["mask"][()]] = np.nan
        return Attribute(name), values
    _require(stored)
    values = stored[()]
    if values.ndim != 1 or values.dtype.kind not in "iufb":
        return None
    if values.dtype.kind == "b":
        return coded_column(name, ["false", "true"], values.astype(np.intp))
    return Attribute(name), values.astype(np.float64)


def matrix_of(path: Path, content: Any, layer: str) -> Any:
    """Return the part of the file with the values."""
    layers = content.get("layers", {})
    if layer and layer not in layers:
        known = f"There are {enumerate_names(list(layers))}." if len(layers) else ""
        hint = did_you_mean(layer, list(layers)) or known or "Leave layer empty to read X."
        raise DataError(f'"{path.name}" has no layer "{layer}".', hint=hint)
    if not layer and "X" not in content:
        raise DataError(f'"{path.name}" has no matrix X.', hint="Choose a layer.")
    return layers[layer] if layer else content["X"]


def _checked_shape(path: Path, found: Any) -> tuple[int, int]:
    """Return the shape that a file claims, if a table can have it and there is memory for it."""
    claimed = found.shape if hasattr(found, "shape") else found.attrs["shape"]
    rows, columns = (int(size) for size in claimed)
    check_shape(path, rows, columns)
    is_sparse = hasattr(found, "keys")
    entries = max(int(found[n].size or 0) for n in PARTS) if is_sparse else rows * columns
    advice = "Save a part of the cells or genes to another file."
    require_for_file(float(BYTES_PER_ENTRY) * entries, path, advice)
    return rows, columns


def _read_matrix(path: Path, found: Any, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csc_array, csr_array

    if not hasattr(found, "keys"):
        return found[()]
    kind = FORMATS.get(str(found.attrs.get("encoding-type", "")))
    if kind is None:
        raise DataError(
            f'The matrix of "{path.name}" is stored as {found.attrs.get("encoding-type")}; dense, '
            "CSR and CSC matrices can be read."
        )
    arrays = tuple(found[name][()] for name in PARTS)
    matrix = (csr_array if kind == "csr" else csc_array)(arrays, shape=shape)
    matrix.check_format(full_check=True)  # indices from a file may point anywhere
    return matrix


# --- writing --------------------------------------------------------------------------------------


def write_anndata_table(examples: ExampleSet, file: str) -> None:
    """Write numbers as X, all special attributes as obs."""
    h5py = _package()
    with tempfile.TemporaryFile() as made:
        with h5py.File(made, "w") as content:
            _write_parts(content, examples)
        made.seek(0)
        with replacing(Path(file)) as stream:
            shutil.copyfileobj(made, stream)


def _write_parts(content: Any, examples: ExampleSet) -> None:
    schema = examples.schema
    known = schema.special("id")
    identity = None if known is None else known.name
    content.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
    _write_sparse(content, examples.matrix().tocsr() if examples.is_sparse else examples.numeric())
    names = [name for name in schema.roles if name != identity]
    obs = _frame(content, "obs", names, _identities(examples, identity))
    for name in names:
        _write_column(obs, examples, name)
    _frame(content, "var", [], list(schema.names_at(schema.regular_numerical)))
    for part in ("layers", "obsm", "obsp", "uns", "varm", "varp"):
        group = content.create_group(part)
        group.attrs.update({"encoding-type": "dict", "encoding-version": "0.1.0"})


def _identities(examples: ExampleSet, name: str | None) -> list[str]:
    if name is None:
        return [str(number) for number in range(1, len(examples) + 1)]
    if examples.schema.attribute(name).value_type.is_nominal:
        return [str(text) for text in examples.nominal_values(name)]
    return [str(value) for value in examples.column(name).tolist()]


def _write_sparse(content: Any, matrix: Any) -> None:
    if isinstance(matrix, np.ndarray):
        stored = content.create_dataset("X", data=matrix)
        stored.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
        return
    group = content.create_group("X")
    about = {"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": matrix.shape}
    group.attrs.update(about)
    for name in ("data", "indices", "indptr"):
        group.create_dataset(name, data=getattr(matrix, name))


def _frame(content: Any, part: str, names: list[str], index: list[str]) -> Any:
    group = content.create_group(part)
    group.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0"})
    group.attrs["_index"] = "_index"
    group.attrs["column-order"] = (
        np.array(names, dtype=object) if names else np.array([], dtype="S1")
    )
    _write_texts(group, "_index", index)
    return group


def _write_texts(group: Any, name: str, texts: list[str]) -> None:
    kind = _package().string_dtype()
    stored = group.create_dataset(name, data=np.array(texts, dtype=object), dtype=kind)
    stored.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})


def _write_column(group: Any, examples: ExampleSet, name: str) -> None:
    attribute, values = examples.schema.attribute(name), examples.column(name)
    if attribute.value_type.is_nominal:
        part = group.create_group(name)
        part.attrs.update({"encoding-type": "categorical", "encoding-version": "0.2.0"})
        part.attrs["ordered"] = False
        codes = part.create_dataset("codes", data=values)
        codes.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
        _write_texts(part, "categories", list(attribute.categories))
    elif attribute.value_type.is_numerical:
        stored = group.create_dataset(name, data=values)
        stored.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    else:
        _write_texts(group, name, [str(value) for value in values.tolist()])
