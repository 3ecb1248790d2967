"""Validation: how good are predictions, and will they hold."""

from fsops.operators.validation.cross import cross_validation
from fsops.operators.validation.performance import performance
from fsops.operators.validation.stability import feature_selection_stability_validation

__all__ = ["cross_validation", "feature_selection_stability_validation", "performance"]
