"""Naive Bayes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Accepts, Aliases, operator
from fsops.data import ExampleSet, Model

SMALLEST_SCALE = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class MixedNaiveBayes:
    """Gaussian likelihoods of the numbers times frequencies of the categories."""

    scale: npt.NDArray[np.float64]
    gaussian: Any
    categorical: Any
    log_prior: npt.NDArray[np.float64]
    classes: npt.NDArray[np.int32]
    n_classes: int

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return the probability of each class."""
        joint = np.tile(self.log_prior, (len(examples), 1))
        if self.gaussian is not None:
            joint += self.gaussian.predict_joint_log_proba(examples.numeric() / self.scale)
            joint -= self.log_prior
        if self.categorical is not None:
            joint += self.categorical.predict_joint_log_proba(examples.nominal()) - self.log_prior
        joint -= joint.max(axis=1, keepdims=True)
        likelihood = np.exp(joint)
        confidences = np.zeros((len(examples), self.n_classes))
        confidences[:, self.classes] = likelihood / likelihood.sum(axis=1, keepdims=True)
        return confidences


@operator(
    group="Modeling/Bayes",
    accepts=Accepts(label="nominal", instead="Naive Bayes predicts classes, not numbers."),
    aliases=Aliases(ports={"training set": "examples"}),
    tags=("classifier", "learner", "probability", "gaussian"),
)
def naive_bayes(
    examples: ExampleSet,
    *,
    laplace_correction: Annotated[
        bool, Field(description="Let no category have the probability 0 in a class.")
    ] = True,
) -> Model:
    """Naive Bayes

    Learns to predict classes as if the attributes were independent within each class: numbers by
    a normal distribution, nominal attributes by frequencies. Fast, and hard to beat with few rows
    and well-chosen attributes.

    Copies of the same information count several times, so it gains much from a selection without
    redundancy.

    References
    ----------
    Hand, Yu (2001): Idiot's Bayes: not so stupid after all? International Statistical Review 69.
    """
    from sklearn.naive_bayes import CategoricalNB, GaussianNB

    codes = examples.label_values()
    classes, counts = np.unique(codes, return_counts=True)
    X, nominal = examples.numeric(), examples.nominal()
    # scikit-learn adds a share of the LARGEST variance to all of them. With attributes on
    # different scales that drowns the small ones, so every attribute is brought to one scale.
    scale = np.maximum(X.std(axis=0), SMALLEST_SCALE) if X.size else np.ones(X.shape[1])
    scale = np.where(scale > SMALLEST_SCALE, scale, 1.0)
    gaussian = GaussianNB().fit(X / scale, codes) if X.shape[1] else None
    categorical = None
    if nominal.shape[1]:
        alpha = 1.0 if laplace_correction else 1e-10
        categorical = CategoricalNB(
            alpha=alpha, force_alpha=True, min_categories=examples.category_counts()
        ).fit(nominal, codes)
    predictor = MixedNaiveBayes(
        scale, gaussian, categorical, np.log(counts / counts.sum()), classes, len(examples.classes)
    )
    return Model(predictor, examples.schema, "Naive Bayes")
