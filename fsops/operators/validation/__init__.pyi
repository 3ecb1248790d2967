from .classification import (
    performance_binominal_classification,
    performance_classification,
    performance_costs,
)
from .compare import (
    compare_feature_selections,
)
from .cross import (
    cross_validation,
)
from .holdout import (
    bootstrapping_validation,
    repeated_random_split,
    split_validation,
)
from .min_max import (
    performance_min_max,
)
from .performance import (
    performance,
)
from .regression import (
    performance_regression,
)
from .significance import (
    anova,
    friedman_test,
    mcnemar_test,
    t_test,
)
from .stability import (
    feature_selection_stability_validation,
)
from .vectors import (
    combine_performances,
    extract_performance,
    performance_attribute_count,
    performance_to_data,
)
from .wrapper import (
    wrapper_split_validation,
    wrapper_x_validation,
)

__all__ = [
    "anova",
    "bootstrapping_validation",
    "combine_performances",
    "compare_feature_selections",
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
    "performance_min_max",
    "performance_regression",
    "performance_to_data",
    "repeated_random_split",
    "split_validation",
    "t_test",
    "wrapper_split_validation",
    "wrapper_x_validation",
]
