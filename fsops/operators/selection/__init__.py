"""Selection: which attributes to keep."""

from fsops.operators.selection.by_weights import select_by_weights, select_top_k
from fsops.operators.selection.elimination import recursive_feature_elimination, select_by_svm_rfe
from fsops.operators.selection.ensemble import ensemble_feature_selection
from fsops.operators.selection.mrmr import (
    mrmr_cache_creator,
    performance_cfs,
    performance_mrmr,
    select_by_mrmr_cfs,
)
from fsops.operators.selection.ranking import rank_by_selection, weights_to_ranking

__all__ = [
    "ensemble_feature_selection",
    "mrmr_cache_creator",
    "performance_cfs",
    "performance_mrmr",
    "rank_by_selection",
    "recursive_feature_elimination",
    "select_by_mrmr_cfs",
    "select_by_svm_rfe",
    "select_by_weights",
    "select_top_k",
    "weights_to_ranking",
]
