from .aggregation import (
    aggregate_weights,
)
from .arom import (
    l1_arom,
    l2_arom,
    ps_l2_arom,
    ss_l2_arom,
)
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
from .ensembles_of_selections import (
    ensemble_of_selections,
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
from .prior_knowledge import (
    pk_mrmr,
    pk_relief,
    pk_rfe,
    prior_knowledge,
)
from .ranking import (
    rank_by_selection,
    weights_to_ranking,
)
from .sklearn_selector import (
    sklearn_selector,
)

__all__ = [
    "aggregate_weights",
    "choose_number_of_features",
    "ensemble_feature_selection",
    "ensemble_of_selections",
    "hfs",
    "hib_css",
    "hib_sbs",
    "hyb_seq",
    "ib_candidate_subsets",
    "l1_arom",
    "l2_arom",
    "mrmr_cache_creator",
    "performance_cfs",
    "performance_mrmr",
    "pk_mrmr",
    "pk_relief",
    "pk_rfe",
    "prior_knowledge",
    "ps_l2_arom",
    "randomized_wrapper",
    "rank_by_selection",
    "recursive_feature_elimination",
    "select_by_ib",
    "select_by_kernel_rfe",
    "select_by_mrmr_cfs",
    "select_by_svm_rfe",
    "select_by_weights",
    "select_top_k",
    "sklearn_selector",
    "ss_l2_arom",
    "weights_to_ranking",
]
