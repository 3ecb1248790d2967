"""Kernels in which every feature has a weight.

The linear kernel carries the weights themselves, the others their squares:

- linear: sum_j w_j x_j z_j
- gaussian: exp(-sum_j w_j² (x_j - z_j)²)
- polynomial of degree d: (1 + sum_j w_j² x_j z_j)^d

References
----------
Allen (2013), Automatic feature selection via weighted kernels and regularization, Journal of
Computational and Graphical Statistics 22(2), 284-299.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fsops.algorithms.base.types import Floats
from fsops.memory import require_pairs

CELLS = 2**20  # changes of the kernel that are held at once
KernelKind = Literal["linear", "gaussian", "polynomial"]


@dataclass(frozen=True)
class WeightedKernel:
    """How alike two rows are.

    Attributes
    ----------
    kind
        One of the kernels above.
    degree
        Of the polynomial.
    """

    kind: KernelKind = "gaussian"
    degree: int = 2

    def gram(self, X: Floats, Z: Floats, weights: Floats) -> Floats:
        """Likeness of each row of X to each row of Z."""
        require_pairs(len(X), len(Z), "The kernel matrix")
        used = np.flatnonzero(weights)
        if len(used) < len(weights):
            X, Z, weights = X[:, used], Z[:, used], weights[used]
        if self.kind == "linear":
            return np.asarray((X * weights) @ Z.T)
        if self.kind == "polynomial":
            return np.asarray((1.0 + (X * weights**2) @ Z.T) ** self.degree)
        return np.asarray(np.exp(-_squared_distances(X, Z, weights)))

    def slopes(self, X: Floats, weights: Floats, gram: Floats, a: Floats) -> Floats:
        """How gram @ a changes with each weight, shape (rows, features); not for the linear kernel.

        All features at once by products of matrices, without a matrix for each feature.
        """
        if self.kind == "gaussian":
            squares = X * X
            left, middle = gram @ a, gram @ (X * a[:, None])
            right = gram @ (squares * a[:, None])
            return np.asarray(-2.0 * (squares * left[:, None] - 2.0 * X * middle + right) * weights)
        inner = 1.0 + (X * weights**2) @ X.T
        outer = self.degree * inner ** (self.degree - 1)
        return np.asarray(2.0 * X * (outer @ (X * a[:, None])) * weights)

    def start(self, p: int) -> Floats:
        """The weights an iteration starts from; 1/sqrt(p) makes the usual gaussian width."""
        return np.full(p, 1 / np.sqrt(p) if self.kind == "gaussian" else 0.5)

    def random_start(self, rng: np.random.Generator, p: int) -> Floats:
        """Other weights to start from, with the same mean unless the bound 1 forbids it."""
        return np.asarray(rng.random(p) * np.minimum(1.0, 2 * self.start(p)))


def _squared_distances(X: Floats, Z: Floats, weights: Floats) -> Floats:
    """Of each weighted row of X from each of Z."""
    scaled = X * weights**2
    squares = (scaled * X).sum(axis=1)[:, None] + (Z * Z) @ weights**2
    return np.asarray(np.maximum(squares - 2.0 * (scaled @ Z.T), 0.0))


def removal_changes(kernel: WeightedKernel, X: Floats, weights: Floats, a: Floats) -> Floats:
    """How much the squared norm a'Ka of a machine changes when a feature is taken out.

    The coefficients stay as they are. This is what recursive elimination with a kernel ranks by.

    Parameters
    ----------
    a
        Coefficients of the rows, a column for each machine; their changes are added up.

    References
    ----------
    Guyon et al. (2002), Gene selection for cancer classification using support vector machines,
    Machine Learning 46, 389-422.
    """
    if kernel.kind == "linear":
        return np.asarray(np.abs(weights) * ((X.T @ a) ** 2).sum(axis=1))
    require_pairs(len(X), len(X), "The kernel matrix")
    gaussian = kernel.kind == "gaussian"
    whole = _squared_distances(X, X, weights) if gaussian else 1.0 + (X * weights**2) @ X.T
    gram = np.exp(-whole) if gaussian else whole**kernel.degree
    pairs = (a @ a.T).ravel()
    columns = (X * weights).T
    changes = np.empty(len(columns))
    step = max(1, CELLS // max(1, whole.size))
    for first in range(0, len(columns), step):
        part = columns[first : first + step]
        one, other = part[:, :, None], part[:, None, :]
        if gaussian:  # the distance loses a part: far apart, the likeness itself is too near to 0
            without = np.exp(-np.maximum(whole - (one - other) ** 2, 0.0))
        else:
            without = (whole - one * other) ** kernel.degree
        changes[first : first + step] = np.abs((gram - without).reshape(len(part), -1) @ pairs)
    return changes
