"""Validation: how good are predictions, and will they hold."""

from fsops.operators.validation.cross import cross_validation
from fsops.operators.validation.performance import performance

__all__ = ["cross_validation", "performance"]
