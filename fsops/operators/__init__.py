"""The built-in operators, as plain functions: ``from fsops.operators import weight_by_sam``.

They are registered through the same hooks as those of any plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fsops.core.operator import operators_in
from fsops.operators.data_access import read_csv, read_parquet, retrieve
from fsops.operators.data_access.samples import SAMPLES
from fsops.operators.modeling import (
    apply_model,
    k_nn,
    lars,
    lars_change_model_parameters,
    naive_bayes,
    nearest_centroid,
    random_forest,
)
from fsops.operators.preparation import (
    replace_missing_values,
    replace_missing_values_with_offset,
    set_role,
)
from fsops.operators.selection import (
    ensemble_feature_selection,
    mrmr_cache_creator,
    performance_cfs,
    performance_mrmr,
    rank_by_selection,
    recursive_feature_elimination,
    select_by_mrmr_cfs,
    select_by_svm_rfe,
    select_by_weights,
    select_top_k,
    weights_to_ranking,
)
from fsops.operators.utility import log_performance
from fsops.operators.validation import (
    cross_validation,
    feature_selection_stability_validation,
    performance,
)
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
    "ensemble_feature_selection",
    "feature_selection_stability_validation",
    "k_nn",
    "lars",
    "lars_change_model_parameters",
    "log_performance",
    "mrmr_cache_creator",
    "naive_bayes",
    "nearest_centroid",
    "performance",
    "performance_cfs",
    "performance_mrmr",
    "random_forest",
    "rank_by_selection",
    "read_csv",
    "read_parquet",
    "recursive_feature_elimination",
    "replace_missing_values",
    "replace_missing_values_with_offset",
    "retrieve",
    "select_by_mrmr_cfs",
    "select_by_svm_rfe",
    "select_by_weights",
    "select_top_k",
    "set_role",
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
    "weights_to_ranking",
]


@hookimpl
def fsops_operators() -> Sequence[Callable[..., Any]]:
    """Return all operators of this module."""
    return operators_in(globals())


@hookimpl
def fsops_samples() -> Sequence[Sample]:
    """Return the data sets that come with fsops."""
    return SAMPLES
