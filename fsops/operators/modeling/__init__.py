"""Modeling: learners and the use of models."""

from fsops.operators.modeling.apply import apply_model
from fsops.operators.modeling.bayes import naive_bayes
from fsops.operators.modeling.estimators import k_nn, nearest_centroid, random_forest
from fsops.operators.modeling.lars import lars, lars_change_model_parameters

__all__ = [
    "apply_model",
    "k_nn",
    "lars",
    "lars_change_model_parameters",
    "naive_bayes",
    "nearest_centroid",
    "random_forest",
]
