from .component_model import (
    weight_by_component_model,
)
from .conversion import (
    average,
    data_to_weights,
    scale_by_weights,
    weights_to_data,
)
from .information import (
    weight_by_chi_squared,
    weight_by_gini_index,
    weight_by_information_gain,
    weight_by_information_gain_ratio,
    weight_by_mutual_information,
    weight_by_symmetric_uncertainty,
)
from .kernel import (
    weight_by_kernel_svm,
    weight_by_mkl,
)
from .kernel_machine import (
    weight_by_kernel_machine,
)
from .knife import (
    knife_path,
    weight_by_knife,
    weights_from_knife_path,
)
from .models import (
    weight_by_lasso,
    weight_by_pca,
    weight_by_random_forest,
    weight_by_svm,
)
from .normalized import (
    normalize_weights,
)
from .relevance import (
    weight_by_maximum_relevance,
)
from .relief import (
    weight_by_relief,
    weight_by_relieff,
)
from .screening import (
    weight_by_iterative_sis,
)
from .univariate import (
    weight_by_auc,
    weight_by_correlation,
    weight_by_deviation,
    weight_by_entropy,
    weight_by_f_test,
    weight_by_fisher_score,
    weight_by_lal_score,
    weight_by_sam,
    weight_by_sis,
    weight_by_t_test,
    weight_by_welch_test,
    weight_by_wilcoxon,
)

__all__ = [
    "average",
    "data_to_weights",
    "knife_path",
    "normalize_weights",
    "scale_by_weights",
    "weight_by_auc",
    "weight_by_chi_squared",
    "weight_by_component_model",
    "weight_by_correlation",
    "weight_by_deviation",
    "weight_by_entropy",
    "weight_by_f_test",
    "weight_by_fisher_score",
    "weight_by_gini_index",
    "weight_by_information_gain",
    "weight_by_information_gain_ratio",
    "weight_by_iterative_sis",
    "weight_by_kernel_machine",
    "weight_by_kernel_svm",
    "weight_by_knife",
    "weight_by_lal_score",
    "weight_by_lasso",
    "weight_by_maximum_relevance",
    "weight_by_mkl",
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
    "weights_from_knife_path",
    "weights_to_data",
]
