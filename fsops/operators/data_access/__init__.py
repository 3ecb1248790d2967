"""Data access: sample data and files."""

from fsops.operators.data_access.retrieve import read_csv, read_parquet, retrieve

__all__ = ["read_csv", "read_parquet", "retrieve"]
