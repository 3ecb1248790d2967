"""The order of a heat map: similar attributes and similar rows beside each other. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
MOST = 1_500
"""More items are ordered by their first principal component instead of a tree."""


@dataclass(frozen=True, eq=False)
class Order:
    """An order, and the lines of its tree: height (0 to 1) and place of both ends."""

    items: Ints
    branches: list[tuple[float, float, float, float]]


def clustered(values: Floats, *, by_correlation: bool = False) -> Order:
    """Return the rows of a matrix in the order of a tree (average linkage).

    Parameters
    ----------
    values : array of shape (items, dimensions)
        Without missing values.
    by_correlation : bool
        Whether items that go up and down together are similar, whatever their scale; otherwise
        those at a small distance.
    """
    count = len(values)
    if count < 3 or not values.shape[1]:
        return Order(np.arange(count, dtype=np.intp), [])
    if count > MOST:
        centred = values - values.mean(axis=0)
        _, _, axes = np.linalg.svd(centred[:: count // MOST], full_matrices=False)
        return Order(np.argsort(centred @ axes[0], kind="stable"), [])
    from scipy.cluster.hierarchy import dendrogram, linkage
    from scipy.spatial.distance import pdist

    if by_correlation:
        centred = values - values.mean(axis=1, keepdims=True)
        length = np.linalg.norm(centred, axis=1, keepdims=True)
        values = centred / np.where(length > 0, length, 1.0)
    tree = linkage(pdist(values), "average")
    drawn = dendrogram(tree, no_plot=True)
    highest = float(tree[:, 2].max()) or 1.0
    branches = []
    for heights, places in zip(drawn["dcoord"], drawn["icoord"], strict=True):
        ends = [(h / highest, p / 10.0) for h, p in zip(heights, places, strict=True)]
        branches += [(*a, *b) for a, b in zip(ends[:-1], ends[1:], strict=True)]
    return Order(np.array(drawn["leaves"], dtype=np.intp), branches)


def class_order(values: Floats, codes: Ints, *, cluster: bool) -> Ints:
    """Return the rows class by class, inside a class in the order of a tree if wanted."""
    parts = []
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        inner = clustered(values[rows]).items if cluster else np.arange(len(rows))
        parts.append(rows[inner])
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.intp)
