from .by_weights import (
    select_by_weights,
    select_top_k,
)
from .elimination import (
    recursive_feature_elimination,
    select_by_svm_rfe,
)
from .ensemble import (
    ensemble_feature_selection,
)
from .heterogeneous import (
    hfs,
)
from .hybrid import (
    hib_css,
    hib_sbs,
    hyb_seq,
    randomized_wrapper,
)
from .instance_based import (
    ib_candidate_subsets,
    select_by_ib,
)
from .kernel_elimination import (
    select_by_kernel_rfe,
)
from .mrmr import (
    mrmr_cache_creator,
    performance_cfs,
    performance_mrmr,
    select_by_mrmr_cfs,
)
from .number import (
    choose_number_of_features,
)
from .ranking import (
    rank_by_selection,
    weights_to_ranking,
)

__all__ = [
    "choose_number_of_features",
    "ensemble_feature_selection",
    "hfs",
    "hib_css",
    "hib_sbs",
    "hyb_seq",
    "ib_candidate_subsets",
    "mrmr_cache_creator",
    "performance_cfs",
    "performance_mrmr",
    "randomized_wrapper",
    "rank_by_selection",
    "recursive_feature_elimination",
    "select_by_ib",
    "select_by_kernel_rfe",
    "select_by_mrmr_cfs",
    "select_by_svm_rfe",
    "select_by_weights",
    "select_top_k",
    "weights_to_ranking",
]
