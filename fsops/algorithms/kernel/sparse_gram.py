"""Kernels of the rows of a sparse matrix with centered and scaled columns, which stays sparse.

Products of centered rows follow from products of the rows as they are: zeros stay zeros.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fsops.algorithms.base.moments import ClassMoments
from fsops.algorithms.base.sparse_sums import squared_lengths
from fsops.algorithms.base.types import Floats, Ints, Sparse
from fsops.algorithms.preparation.normalization import scaled_columns

FAR = 100.0
"""Squared mean in parts of the variance: beyond it nearly all values are stored anyway."""


@dataclass(frozen=True, eq=False)
class StandardizedRows:
    """Rows with the mean of the columns at 0 and their deviation at 1; or as they are."""

    centre: Floats
    divisor: Floats
    """Infinite for columns without a deviation."""

    @classmethod
    def of(
        cls, X: Sparse, *, standardize: bool = True, weights: Floats | None = None
    ) -> "StandardizedRows":
        """The scale of the columns: their means and deviations with divisor n, or none.

        ``weights`` says how often each row counts.
        """
        p = X.shape[1]
        if not standardize:
            return cls(np.zeros(p), np.ones(p))
        moments = ClassMoments.of(X, np.zeros(X.shape[0], dtype=np.intp), 1, weights)
        total = X.shape[0] if weights is None else float(weights.sum())
        deviation = np.sqrt(moments.within()[0] / (total or 1.0))
        return cls(moments.mean[0], np.where(deviation > 0, deviation, np.inf))

    @property
    def shift(self) -> Floats:
        """The center on the new scale."""
        return self.centre / self.divisor

    def scaled(self, X: Sparse) -> "ScaledRows":
        """The rows on the new scale, still with their zeros."""
        scaled = scaled_columns(X.tocsc(), self.divisor)
        far = np.flatnonzero(self.shift**2 > FAR)
        # Differences of large products would lose digits: these columns are centered first.
        dense = scaled[:, far].toarray() - self.shift[far]
        near = np.ones(X.shape[1], dtype=bool)
        near[far] = False
        return ScaledRows(scaled[:, near].tocsr(), self.shift[near], dense, near)


@dataclass(frozen=True, eq=False)
class ScaledRows:
    """Rows of which most columns are sparse and centered implicitly, and few are dense."""

    sparse: Any
    shift: Floats
    dense: Floats
    near: Any
    """Which columns are sparse."""

    def __getitem__(self, rows: Any) -> "ScaledRows":
        return ScaledRows(self.sparse[rows], self.shift, self.dense[rows], self.near)

    def __len__(self) -> int:
        return int(self.sparse.shape[0])

    def columns(self, chosen: Ints) -> "ScaledRows":
        """The same rows with some columns."""
        near = self.near[chosen]
        sparse = (np.cumsum(self.near) - 1)[chosen[near]]
        dense = (np.cumsum(~self.near) - 1)[chosen[~near]]
        return ScaledRows(self.sparse[:, sparse], self.shift[sparse], self.dense[:, dense], near)

    def products(self, other: "ScaledRows") -> Floats:
        """Products of each row with each of the others, both centered."""
        mine, theirs = self.sparse @ self.shift, other.sparse @ self.shift
        found: Floats = (self.sparse @ other.sparse.T).toarray()
        found -= mine[:, None] + theirs - self.shift @ self.shift
        found += self.dense @ other.dense.T
        return found

    def squared_lengths(self) -> Floats:
        """Squared length of each centered row."""
        centred = squared_lengths(self.sparse) - 2.0 * (self.sparse @ self.shift)
        lengths: Floats = centred + self.shift @ self.shift + (self.dense**2).sum(axis=1)
        return np.maximum(lengths, 0.0)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.near)

    def times(self, vectors: Floats) -> Floats:
        """Products of the centered rows with vectors, (rows, vectors)."""
        inner, outer = vectors[self.near], vectors[~self.near]
        found: Floats = self.sparse @ inner - self.shift @ inner + self.dense @ outer
        return found

    def combined(self, factors: Floats) -> Floats:
        """Sums of the centered rows times factors, (lines of factors, columns)."""
        found = np.empty((len(factors), len(self.near)))
        total = factors.sum(axis=1, keepdims=True)
        found[:, self.near] = (self.sparse.T @ factors.T).T - total * self.shift
        found[:, ~self.near] = factors @ self.dense
        return found


class SparseFeatures:
    """Features of centered rows, of which some can be taken: a matrix of features by rows."""

    def __init__(self, rows: ScaledRows) -> None:
        self._rows = rows

    @classmethod
    def of(cls, X: Sparse, *, standardize: bool) -> "SparseFeatures":
        """The features of a sparse matrix, with mean 0 and deviation 1 if wanted."""
        rows = StandardizedRows.of(X, standardize=standardize).scaled(X)
        return cls(ScaledRows(rows.sparse.tocsc(), rows.shift, rows.dense, rows.near))

    def __len__(self) -> int:
        return self._rows.width

    def __getitem__(self, features: Ints) -> "SparseFeatures":
        return SparseFeatures(self._rows.columns(features))

    def __matmul__(self, vector: Floats) -> Floats:
        product: Floats = self._rows.combined(vector[None, :])[0]
        return product

    def gram(self) -> Floats:
        """Products of each row with each other, centered."""
        return self._rows.products(self._rows)


@dataclass(frozen=True)
class RowKernel:
    """A kernel of products of rows: linear, rbf, polynomial or sigmoid."""

    kind: str
    gamma: float
    degree: int = 2
    coef0: float = 0.0

    def of(self, rows: ScaledRows, others: ScaledRows) -> Floats:
        """Kernel of each row with each of the others."""
        products = rows.products(others)
        if self.kind == "rbf":
            distance = rows.squared_lengths()[:, None] + others.squared_lengths() - 2.0 * products
            return np.exp(-self.gamma * np.maximum(distance, 0.0))
        return self._of_products(products)

    def diagonal(self, rows: ScaledRows) -> Floats:
        """Kernel of each row with itself."""
        return (
            np.ones(len(rows)) if self.kind == "rbf" else self._of_products(rows.squared_lengths())
        )

    def _of_products(self, products: Floats) -> Floats:
        if self.kind == "linear":
            return products
        inner = self.gamma * products + self.coef0
        curved: Floats = inner**self.degree if self.kind == "polynomial" else np.tanh(inner)
        return curved


def pair_coefficients(dual: Floats, support_counts: Ints, rows: ScaledRows) -> Floats:
    """Coefficients of the linear machines of all pairs of classes, (pairs, columns).

    Parameters
    ----------
    dual
        As libsvm gives them, (classes - 1, support vectors), sorted by class.
    support_counts
        Support vectors of each class.
    rows
        The support vectors.
    """
    ends = np.cumsum(support_counts)
    parts = [slice(end - count, end) for end, count in zip(ends, support_counts, strict=True)]
    pairs = [(i, j) for i in range(len(parts)) for j in range(i + 1, len(parts))]
    factors = np.zeros((len(pairs), len(rows)))
    for line, (i, j) in zip(factors, pairs, strict=True):
        line[parts[i]], line[parts[j]] = dual[j - 1, parts[i]], dual[i, parts[j]]
    return rows.combined(factors)
