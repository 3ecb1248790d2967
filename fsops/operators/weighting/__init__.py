"""Weighting: how good is each attribute."""

from fsops.operators.weighting.information import weight_by_information_gain
from fsops.operators.weighting.univariate import (
    weight_by_correlation,
    weight_by_sam,
    weight_by_welch_test,
)

__all__ = [
    "weight_by_correlation",
    "weight_by_information_gain",
    "weight_by_sam",
    "weight_by_welch_test",
]
