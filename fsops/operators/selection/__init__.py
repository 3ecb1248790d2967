"""Selection: which attributes to keep."""

from fsops.operators.selection.by_weights import select_by_weights, select_top_k

__all__ = ["select_by_weights", "select_top_k"]
