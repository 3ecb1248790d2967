"""The built-in operators, as plain functions: ``from fsops.operators import weight_by_sam``.

They are registered through the same hooks as those of any plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fsops.core.operator import operators_in
from fsops.operators.data_access import read_csv, retrieve
from fsops.operators.data_access.samples import SAMPLES
from fsops.operators.modeling import apply_model, naive_bayes
from fsops.operators.selection import select_by_weights, select_top_k
from fsops.operators.validation import cross_validation, performance
from fsops.operators.weighting import (
    weight_by_auc,
    weight_by_chi_squared,
    weight_by_correlation,
    weight_by_deviation,
    weight_by_entropy,
    weight_by_f_test,
    weight_by_fisher_score,
    weight_by_gini_index,
    weight_by_information_gain,
    weight_by_information_gain_ratio,
    weight_by_lal_score,
    weight_by_lasso,
    weight_by_maximum_relevance,
    weight_by_mutual_information,
    weight_by_pca,
    weight_by_random_forest,
    weight_by_relief,
    weight_by_relieff,
    weight_by_sam,
    weight_by_sis,
    weight_by_svm,
    weight_by_symmetric_uncertainty,
    weight_by_t_test,
    weight_by_welch_test,
    weight_by_wilcoxon,
)
from fsops.plugins import Sample, hookimpl

__all__ = [
    "apply_model",
    "cross_validation",
    "naive_bayes",
    "performance",
    "read_csv",
    "retrieve",
    "select_by_weights",
    "select_top_k",
    "weight_by_auc",
    "weight_by_chi_squared",
    "weight_by_correlation",
    "weight_by_deviation",
    "weight_by_entropy",
    "weight_by_f_test",
    "weight_by_fisher_score",
    "weight_by_gini_index",
    "weight_by_information_gain",
    "weight_by_information_gain_ratio",
    "weight_by_lal_score",
    "weight_by_lasso",
    "weight_by_maximum_relevance",
    "weight_by_mutual_information",
    "weight_by_pca",
    "weight_by_random_forest",
    "weight_by_relief",
    "weight_by_relieff",
    "weight_by_sam",
    "weight_by_sis",
    "weight_by_svm",
    "weight_by_symmetric_uncertainty",
    "weight_by_t_test",
    "weight_by_welch_test",
    "weight_by_wilcoxon",
]


@hookimpl
def fsops_operators() -> Sequence[Callable[..., Any]]:
    """Return all operators of this module."""
    return operators_in(globals())


@hookimpl
def fsops_samples() -> Sequence[Sample]:
    """Return the data sets that come with fsops."""
    return SAMPLES
