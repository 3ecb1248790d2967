"""Modeling: learners and the use of models."""

from fsops.operators.modeling.apply import apply_model
from fsops.operators.modeling.bayes import naive_bayes

__all__ = ["apply_model", "naive_bayes"]
