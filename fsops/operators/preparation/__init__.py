"""Preparation: attributes, rows, roles, types, scales and missing values."""
