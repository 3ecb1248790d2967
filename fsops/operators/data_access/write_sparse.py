"""Operators that write sparse files; they pass the table on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from fsops.core import Accepts, File, operator
from fsops.data import ExampleSet, MetaData
from fsops.operators.data_access.read import GROUP

NUMBERS = Accepts(attributes="numerical", missing=True, infinite=True, sparse=True)


def _same(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return next(iter(inputs.values()))


@operator(
    group=GROUP,
    role="utility",
    accepts=Accepts(attributes="numerical", sparse=True),
    describe=_same,
    tags=("save", "export", "sparse", "libsvm"),
)
def write_svmlight(
    examples: ExampleSet,
    *,
    path: Annotated[
        str,
        File((".svm", ".svmlight", ".libsvm"), write=True),
        Field(description="The file to write."),
    ],
    first_index: Annotated[
        Literal["0", "1"], Field(description="Index of the first attribute.")
    ] = "1",
) -> ExampleSet:
    """Write SVMlight

    Writes a table of numbers to a text file of SVMlight or LIBSVM, and passes it on. Zeros are left
    out. Classes whose names are numbers are written as these numbers. Two other classes become -1
    and 1 in sorted order; three or more become 1, 2, ….

    Names of attributes are lost. An existing file of that name is replaced. Relative paths start at
    the folder of the process file.
    """
    from fsops.storage.svmlight import write_svmlight_table

    write_svmlight_table(examples, path, int(first_index))
    return examples


@operator(
    group=GROUP,
    role="utility",
    accepts=NUMBERS,
    describe=_same,
    tags=("save", "export", "sparse", "coo", "triplets"),
)
def write_coordinates(
    examples: ExampleSet,
    *,
    path: Annotated[
        str,
        File((".parquet", ".csv"), write=True),
        Field(description="The file to write, .csv or .parquet."),
    ],
) -> ExampleSet:
    """Write Coordinates

    Writes a line for each number that is not zero: the number of its row, counted from 0, the name
    of its attribute, and the value. Passes the table on.

    Special attributes are not written, and attributes without values are lost. An existing file of
    that name is replaced. Relative paths start at the folder of the process file.
    """
    from fsops.storage.coordinates import write_coordinates_table

    write_coordinates_table(examples, path)
    return examples


@operator(
    group=GROUP,
    role="utility",
    accepts=NUMBERS,
    describe=_same,
    tags=("save", "export", "sparse", "10x", "cell ranger", "mtx"),
)
def write_matrix_market(
    examples: ExampleSet,
    *,
    folder: Annotated[
        str,
        File((), write=True, noun="the path of a folder"),
        Field(min_length=1, description="The folder to write to; created if it does not exist."),
    ],
) -> ExampleSet:
    """Write Matrix Market

    Writes a folder in the layout of Cell Ranger: matrix.mtx.gz with attributes as rows,
    features.tsv.gz with their names and barcodes.tsv.gz with the id of each row. Passes the table
    on. Files of these names are replaced; other special attributes are not written. Relative paths
    start at the folder of the process file.
    """
    from fsops.storage.matrix_market import write_matrix_market_table

    write_matrix_market_table(examples, folder)
    return examples


@operator(
    group=GROUP,
    role="utility",
    accepts=NUMBERS,
    describe=_same,
    tags=("save", "export", "sparse", "single cell", "scanpy", "h5ad"),
)
def write_anndata(
    examples: ExampleSet,
    *,
    path: Annotated[str, File((".h5ad",), write=True), Field(description="The file to write.")],
) -> ExampleSet:
    """Write AnnData

    Writes a table of numbers to an AnnData file (.h5ad) for scanpy, and passes it on. Attributes
    become ``var_names``, the id ``obs_names``, and other special attributes columns of ``obs``.

    Needs the package h5py (``pip install "fsops[singlecell]"``). An existing file of that name is
    replaced. Relative paths start at the folder of the process file.
    """
    from fsops.storage.anndata_file import write_anndata_table

    write_anndata_table(examples, path)
    return examples
