"""Selections with a guarantee: bounds on false selections and on the false discovery rate."""
