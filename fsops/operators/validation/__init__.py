"""Validation: how good are predictions, and will they hold."""
