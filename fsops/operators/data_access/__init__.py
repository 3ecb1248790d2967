"""Data access: samples, files, and made-up data."""

from fsops.operators.data_access.generate import generate_data
from fsops.operators.data_access.read import (
    read_arff,
    read_csv,
    read_excel,
    read_parquet,
    read_weights,
)
from fsops.operators.data_access.retrieve import retrieve, store
from fsops.operators.data_access.write import (
    write_arff,
    write_csv,
    write_excel,
    write_parquet,
    write_weights,
)

__all__ = [
    "generate_data",
    "read_arff",
    "read_csv",
    "read_excel",
    "read_parquet",
    "read_weights",
    "retrieve",
    "store",
    "write_arff",
    "write_csv",
    "write_excel",
    "write_parquet",
    "write_weights",
]
