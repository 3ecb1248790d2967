"""Modeling: learners and the use of models."""

from fsops.operators.modeling.apply import apply_model, group_models
from fsops.operators.modeling.bayes import naive_bayes
from fsops.operators.modeling.default import default_model
from fsops.operators.modeling.ensembles import bagging, vote
from fsops.operators.modeling.generic import sklearn_estimator
from fsops.operators.modeling.lars import lars, lars_change_model_parameters
from fsops.operators.modeling.lazy import k_nn, nearest_centroid
from fsops.operators.modeling.linear import (
    elastic_net,
    lasso_regression,
    linear_discriminant_analysis,
    linear_regression,
    logistic_regression,
    ridge_regression,
)
from fsops.operators.modeling.svm import kernel_ridge, support_vector_machine
from fsops.operators.modeling.trees import decision_tree, gradient_boosting, random_forest

__all__ = [
    "apply_model",
    "bagging",
    "decision_tree",
    "default_model",
    "elastic_net",
    "gradient_boosting",
    "group_models",
    "k_nn",
    "kernel_ridge",
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
