"""Principal components, found row by row."""

from __future__ import annotations

import numpy as np

from fsops.algorithms.base.types import Floats

START = 0.1
"""Largest loading at the start."""


def hebbian_components(
    X: Floats, components: int, iterations: int, learning_rate: float, rng: np.random.Generator
) -> Floats:
    """Loadings (a row each) by the generalized Hebbian algorithm, on centered rows.

    Each iteration takes one random row x and adds rate · (y xᵀ − tril(y yᵀ) W) to W, y = W x.
    The loadings approach the principal components if the rate is small; otherwise they may become
    infinite, which the caller has to check.

    References
    ----------
    Sanger (1989): Optimal unsupervised learning in a single-layer linear feedforward neural
    network. Neural Networks 2, 459–473.
    """
    W = START * rng.random((components, X.shape[1]))
    rows = rng.integers(len(X), size=iterations)
    with np.errstate(over="ignore", invalid="ignore"):
        for row in rows:
            y = W @ X[row]
            W = W + learning_rate * (np.outer(y, X[row]) - np.tril(np.outer(y, y)) @ W)
            if not np.isfinite(W).all():
                break
    return W
