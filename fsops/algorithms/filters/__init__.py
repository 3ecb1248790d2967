"""Univariate filters: one score per attribute, also from blocks of rows."""
