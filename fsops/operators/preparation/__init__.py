"""Preparation: roles and missing values."""

from fsops.operators.preparation.missing import (
    replace_missing_values,
    replace_missing_values_with_offset,
)
from fsops.operators.preparation.roles import set_role

__all__ = ["replace_missing_values", "replace_missing_values_with_offset", "set_role"]
