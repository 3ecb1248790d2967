"""Operators that read sparse files: most values are zero, and only the others are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from fsops.core import Context, Expert, File, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData, metadata_of
from fsops.operators.data_access.read import GROUP, Id, Label
from fsops.storage.sparse_table import RowsFile
from fsops.storage.tables import DESCRIBED_BYTES

RowsFileName = Annotated[
    str | None,
    File((".csv", ".tsv", ".txt")),
    Field(
        description="CSV file with one line for each row, in the same order: label, id and others. "
        "Its columns become special attributes."
    ),
]
LabelType = Annotated[
    Literal["classes", "numbers"], Field(description="Type of the labels: classes or numbers.")
]
Attributes = Annotated[
    Annotated[int, Field(ge=1)] | None,
    Field(description="Number of attributes; empty: up to the last one with a value."),
]


def _describing(
    read: Callable[..., ExampleSet],
) -> Callable[[Mapping[str, MetaData], Mapping[str, Any]], MetaData]:
    """Return how a reader is described: a small file is read, of a large one nothing is known."""

    def describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
        path = Path(parameters["path"])
        files = path.iterdir() if path.is_dir() else [path] if path.exists() else []
        small = sum(part.stat().st_size for part in files) <= DESCRIBED_BYTES
        return metadata_of(read(parameters)) if small else ExampleSetMetaData()

    return describe


def _svmlight(parameters: Mapping[str, Any]) -> ExampleSet:
    from fsops.storage.svmlight import read_svmlight_table

    return read_svmlight_table(
        parameters["path"],
        first_index=parameters["first_index"],
        label_type=parameters["label_type"],
        attributes=parameters["number_of_attributes"],
    )


@operator(
    group=GROUP,
    role="source",
    describe=_describing(_svmlight),
    tags=("load", "open", "import", "sparse", "libsvm", "svm"),
)
def read_svmlight(
    *,
    path: Annotated[
        str, File((".svm", ".svmlight", ".libsvm")), Field(description="The file to read.")
    ],
    first_index: Annotated[
        Literal["auto", "0", "1"],
        Field(description="Index of the first attribute; auto: 0 if the index 0 occurs, else 1."),
    ] = "auto",
    number_of_attributes: Attributes = None,
    label_type: Annotated[
        Literal["auto", "classes", "numbers"],
        Field(description="Kind of labels; auto: classes if all are whole numbers."),
    ] = "auto",
) -> ExampleSet:
    """Read SVMlight

    Reads a sparse table from a text file of SVMlight or LIBSVM. A line has the label and pairs
    ``index:value`` with rising indices: ``-1 3:0.5 18:2``. Text behind # is a comment.

    The table stays sparse: values that are not in the file are zero. The attributes are called
    att1, att2, …, the label is called class. A line that cannot be read is named in the error.
    Relative paths start at the folder of the process file.

    References
    ----------
    Joachims (1999): Making large-scale SVM learning practical. In: Advances in Kernel Methods.
    """
    return _svmlight(
        {
            "path": path,
            "first_index": first_index,
            "number_of_attributes": number_of_attributes,
            "label_type": label_type,
        }
    )


def _about(parameters: Mapping[str, Any]) -> RowsFile:
    names = ("rows_path", "label", "id", "label_type")
    return RowsFile(*(parameters[name] for name in names))


def _coordinates(parameters: Mapping[str, Any]) -> ExampleSet:
    from fsops.storage.coordinates import CoordinateColumns, read_coordinates_table

    columns = CoordinateColumns(
        row=parameters["row_column"],
        column=parameters["attribute_column"],
        value=parameters["value_column"],
        attributes=parameters["number_of_attributes"],
    )
    return read_coordinates_table(parameters["path"], columns, _about(parameters))


@operator(
    group=GROUP,
    role="source",
    describe=_describing(_coordinates),
    tags=("load", "open", "import", "sparse", "coo", "triplets", "long format"),
)
def read_coordinates(
    *,
    path: Annotated[
        str,
        File((".coo.parquet", ".coo.csv")),
        Field(description="The file to read; its name ends in .csv or .parquet."),
    ],
    row_column: Annotated[str, Field(description="Column with the number of the row.")] = "row",
    attribute_column: Annotated[
        str, Field(description="Column with the number or the name of the attribute.")
    ] = "column",
    value_column: Annotated[
        str, Field(description="Column with the value; a file without it means 1 in each line.")
    ] = "value",
    number_of_attributes: Attributes = None,
    rows_path: RowsFileName = None,
    label: Label = None,
    id: Id = None,
    label_type: LabelType = "classes",
) -> ExampleSet:
    """Read Coordinates

    Reads a sparse table from a CSV or Parquet file with a line for each value that is not zero: its
    row, its attribute and the value. Rows and attributes are counted from 0 if the number 0
    occurs, else from 1. Attributes may have names instead of numbers.

    Labels are in a second file with one line for each row. A pair of row and attribute that occurs
    twice is an error. Rows and attributes at the end that have no value are known only from
    ``rows_path`` and ``number_of_attributes``. Relative paths start at the folder of the process
    file.
    """
    return _coordinates(
        {
            "path": path,
            "row_column": row_column,
            "attribute_column": attribute_column,
            "value_column": value_column,
            "number_of_attributes": number_of_attributes,
            "rows_path": rows_path,
            "label": label,
            "id": id,
            "label_type": label_type,
        }
    )


def _matrix_market(parameters: Mapping[str, Any]) -> ExampleSet:
    from fsops.storage.matrix_market import read_matrix_market_table

    return read_matrix_market_table(
        parameters["path"],
        rows=parameters["rows"],
        names=parameters["names"],
        about=_about(parameters),
    )


@operator(
    group=GROUP,
    role="source",
    describe=_describing(_matrix_market),
    tags=("load", "open", "import", "sparse", "10x", "cell ranger", "single cell", "mtx"),
)
def read_matrix_market(
    *,
    path: Annotated[
        str,
        File((".mtx",)),
        Field(description="The file to read, gzipped or not, or a folder of 10x Genomics."),
    ],
    rows: Annotated[
        Literal["auto", "examples", "attributes"],
        Field(
            description="Meaning of the rows of the matrix. With auto they are attributes if the "
            "features file beside it has as many lines, else examples."
        ),
    ] = "auto",
    names: Annotated[
        Literal["symbol", "id"],
        Field(description="Column of the features file that names the attributes."),
    ] = "symbol",
    rows_path: RowsFileName = None,
    label: Label = None,
    id: Id = None,
    label_type: LabelType = "classes",
) -> ExampleSet:
    """Read Matrix Market

    Reads a sparse table from a Matrix Market file (.mtx or .mtx.gz), or from the folder that Cell
    Ranger writes: matrix.mtx(.gz), features.tsv(.gz) or genes.tsv, barcodes.tsv(.gz). Gene names
    become attributes, barcodes the id. A repeated gene name gets a number.

    Labels, such as cell types, are in a CSV file with one line for each cell (``rows_path``).
    Dense and complex matrices are refused. Relative paths start at the folder of the process file.

    References
    ----------
    Boisvert, Pozo, Remington (1996): The Matrix Market exchange formats. NIST IR 5935.
    """
    return _matrix_market(
        {
            "path": path,
            "rows": rows,
            "names": names,
            "rows_path": rows_path,
            "label": label,
            "id": id,
            "label_type": label_type,
        }
    )


def _anndata(parameters: Mapping[str, Any]) -> ExampleSet:
    from fsops.storage.anndata_file import read_anndata_table

    return read_anndata_table(
        parameters["path"], layer=parameters["layer"], label=parameters["label"]
    )


def _describe_anndata(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> ExampleSetMetaData:
    """Return the content of a small file; of a large one its size."""
    from fsops.data.metadata import TableInFile
    from fsops.storage.anndata_rows import anndata_size

    file = parameters["path"]
    meta = _describing(_anndata)(inputs, parameters)
    assert isinstance(meta, ExampleSetMetaData)
    if not Path(file).exists():
        return meta
    (rows, columns), _ = anndata_size(file, parameters["layer"])
    return replace(meta, rows=rows, file=TableInFile(rows, columns, parameters["streaming"]))


@operator(
    group=GROUP,
    role="source",
    describe=_describe_anndata,
    tags=("load", "open", "import", "sparse", "single cell", "scanpy", "h5ad"),
)
def read_anndata(
    *,
    path: Annotated[str, File((".h5ad",)), Field(description="The file to read.")],
    label: Annotated[
        str | None, Field(description="Column of obs to predict; it gets the role label.")
    ] = None,
    layer: Annotated[
        str, Expert(), Field(description="Layer with the values; empty: the matrix X.")
    ] = "",
    streaming: Annotated[
        bool,
        Expert(),
        Field(
            description="Leave the cells in the file even if they fit into memory: filters then "
            "read groups of cells. Cells that take over half of the memory are never loaded."
        ),
    ] = False,
    ctx: Context,
) -> ExampleSet:
    """Read AnnData

    Reads single cells from an AnnData file (.h5ad), as scanpy writes it. ``var_names`` become
    attributes, columns of ``obs`` special attributes, and ``obs_names`` the id. Only the chosen
    matrix is read, not the other layers, embeddings and graphs.

    If the stored values take over half of the available memory, or of ``fsops run --memory-limit``,
    they stay in the file, as with streaming. The operators that the help of Read Parquet lists then
    read groups of cells, on a cluster each worker its own. The matrix must be stored by cells (CSR
    or dense). A block of cells is dense while it is processed. Methods that read some attributes
    with all rows at a time read the whole matrix for each part.

    Needs the package h5py (``pip install "fsops[singlecell]"``).
    Relative paths start at the folder of the process file.

    References
    ----------
    Virshup et al. (2024): anndata: Access and store annotated data matrices. JOSS 9.
    """
    from fsops.storage.anndata_rows import is_too_large, stream_anndata_table

    limit = ctx.memory_limit
    if streaming or is_too_large(path, layer, limit):
        return stream_anndata_table(path, layer=layer, label=label, limit=limit)
    return _anndata({"path": path, "label": label, "layer": layer})
