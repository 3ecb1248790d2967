from .apply import (
    apply_model,
    group_models,
)
from .bayes import (
    naive_bayes,
)
from .challenge_svm import (
    hard_margin_svm,
)
from .default import (
    default_model,
)
from .ensembles import (
    bagging,
    vote,
)
from .generic import (
    sklearn_estimator,
)
from .knife import (
    knife_model,
)
from .lars import (
    lars,
    lars_change_model_parameters,
)
from .lazy import (
    k_nn,
    nearest_centroid,
)
from .linear import (
    elastic_net,
    lasso_regression,
    linear_discriminant_analysis,
    linear_regression,
    logistic_regression,
    ridge_regression,
)
from .subset_ensemble import (
    ensemble_of_classifiers,
)
from .svm import (
    kernel_ridge,
    support_vector_machine,
)
from .trees import (
    decision_tree,
    gradient_boosting,
    random_forest,
)

__all__ = [
    "apply_model",
    "bagging",
    "decision_tree",
    "default_model",
    "elastic_net",
    "ensemble_of_classifiers",
    "gradient_boosting",
    "group_models",
    "hard_margin_svm",
    "k_nn",
    "kernel_ridge",
    "knife_model",
    "lars",
    "lars_change_model_parameters",
    "lasso_regression",
    "linear_discriminant_analysis",
    "linear_regression",
    "logistic_regression",
    "naive_bayes",
    "nearest_centroid",
    "random_forest",
    "ridge_regression",
    "sklearn_estimator",
    "support_vector_machine",
    "vote",
]
