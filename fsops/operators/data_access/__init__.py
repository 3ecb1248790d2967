"""Data access: sample data and files."""

from fsops.operators.data_access.retrieve import read_csv, retrieve

__all__ = ["read_csv", "retrieve"]
