"""Validation: how good are predictions, and will they hold."""

from fsops.operators.validation.classification import (
    performance_binominal_classification,
    performance_classification,
    performance_costs,
)
from fsops.operators.validation.cross import cross_validation
from fsops.operators.validation.holdout import (
    bootstrapping_validation,
    repeated_random_split,
    split_validation,
)
from fsops.operators.validation.performance import performance
from fsops.operators.validation.regression import performance_regression
from fsops.operators.validation.significance import anova, friedman_test, mcnemar_test, t_test
from fsops.operators.validation.stability import feature_selection_stability_validation
from fsops.operators.validation.vectors import (
    combine_performances,
    extract_performance,
    performance_attribute_count,
    performance_to_data,
)
from fsops.operators.validation.wrapper import wrapper_split_validation, wrapper_x_validation

__all__ = [
    "anova",
    "bootstrapping_validation",
    "combine_performances",
    "cross_validation",
    "extract_performance",
    "feature_selection_stability_validation",
    "friedman_test",
    "mcnemar_test",
    "performance",
    "performance_attribute_count",
    "performance_binominal_classification",
    "performance_classification",
    "performance_costs",
    "performance_regression",
    "performance_to_data",
    "repeated_random_split",
    "split_validation",
    "t_test",
    "wrapper_split_validation",
    "wrapper_x_validation",
]
