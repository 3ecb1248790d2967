"""Weighting: how good is each attribute."""
