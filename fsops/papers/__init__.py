"""Experiments of published papers: printed values, our values, and the difference."""
