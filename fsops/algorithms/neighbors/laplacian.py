"""Laplacian score: features that change little between near rows, without a label.

Rows are joined to their nearest rows. A feature is good if it varies over the table, but little
along the edges of this graph, so that it respects the structure of the rows.

References
----------
He, Cai & Niyogi (2005), Laplacian score for feature selection, NIPS.
"""

from typing import Any, Literal, TypeAlias

import numpy as np

from fsops.algorithms.base.sums import column_tiles
from fsops.algorithms.base.types import Floats, Numbers, Scores, as_matrix
from fsops.algorithms.neighbors.relief import batches

EdgeWeights: TypeAlias = Literal["heat", "equal"]
TIE = 1e-10
"""Relative difference of two squared distances that counts as none."""


def laplacian_score(
    X: Numbers,
    *,
    k: int = 5,
    weights: EdgeWeights = "heat",
    bandwidth: float | None = None,
    distances_of: Numbers | None = None,
) -> Scores:
    """Score features by their changes along the edges of the graph of the nearest rows.

    L_j = f' L f / f' D f, with f the feature minus its mean weighted by D, the weights S of the
    edges, D = diag(S 1) and L = D - S. It is between 0 and 2; low is good.

    Parameters
    ----------
    X
        Complete values, rows by features.
    k
        Nearest rows to which a row is joined; all rows at the distance of the last one, if there
        are several. Two rows are joined if one of them is among the nearest of the other.
    weights
        "heat": edges weigh exp(-distance² / bandwidth); "equal": they weigh 1.
    bandwidth
        None for the mean squared distance along the edges.
    distances_of
        Values that decide which rows are near, such as standardized ones; X if not given.

    Returns
    -------
    Scores
        The statistic is L_j; the weight is 1 - L_j, the correlation of the feature along the edges,
        with negative values cut to 0. Constant features are undefined.
    """
    X = as_matrix(X)
    n, p = X.shape
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}.")
    if bandwidth is not None and not bandwidth > 0:
        raise ValueError(f"bandwidth must be above 0, got {bandwidth}.")
    if n < 3:
        return Scores(np.zeros(p), np.full(p, np.nan), np.ones(p, dtype=np.bool_))
    points = X if distances_of is None else as_matrix(distances_of, "distances_of")
    graph = neighbour_graph(points, min(k, n - 1), weights, bandwidth)
    degree = np.asarray(graph.sum(axis=1)).ravel()
    statistic = np.empty(p)
    for tile in column_tiles(p, n):
        statistic[tile] = _scores(X[:, tile].astype(np.float64), graph, degree)
    undefined = np.isnan(statistic)
    good = np.where(undefined, 0.0, np.maximum(1.0 - statistic, 0.0))
    return Scores(good, statistic, undefined)


def _scores(X: Floats, graph: Any, degree: Floats) -> Floats:
    """Laplacian scores of some features."""
    size = np.abs(X).max(axis=0, initial=0.0)
    X = X / np.where(size > 0, size, 1.0)  # squares of huge and tiny values stay finite
    constant = np.ptp(X, axis=0) <= 1e-12
    centred = X - degree @ X / degree.sum()
    spread = degree @ centred**2
    along = np.einsum("ij,ij->j", centred, graph @ centred)
    constant |= spread == 0  # only rows whose edges weigh nothing differ
    found: Floats = np.where(constant, np.nan, 1.0 - along / np.where(constant, 1.0, spread))
    return found


def neighbour_graph(
    points: Numbers, k: int, weights: EdgeWeights = "heat", bandwidth: float | None = None
) -> Any:
    """Symmetric weights of the edges between near rows, a sparse matrix."""
    from scipy.sparse import csr_array

    n = len(points)
    scale = float(np.abs(points).max(initial=0.0)) or 1.0
    values = np.asarray(points, dtype=np.float64) / scale
    values = values - values.mean(axis=0)
    spread = float(np.abs(values).max(initial=0.0)) or 1.0  # small beside a large offset
    values = values / spread
    if bandwidth is not None:
        bandwidth = bandwidth / scale / scale / spread / spread
    lines, columns, squares = [], [], []
    for rows in batches(np.arange(n), n):
        distance = _squared_distances(values, rows)
        last = np.partition(distance, k - 1, axis=1)[:, k - 1 : k]
        near = distance <= last * (1 + TIE)
        line, column = np.nonzero(near)
        lines.append(rows[line])
        columns.append(column)
        squares.append(distance[near])
    line, column = np.concatenate(lines), np.concatenate(columns)
    both = np.minimum(line, column) * n + np.maximum(line, column)
    edges, first = np.unique(both, return_index=True)
    square = np.concatenate(squares)[first]
    size = _edge_weights(square, weights, bandwidth)
    at = edges // n, edges % n
    half = csr_array((size, at), shape=(n, n))
    return half + half.T


def _edge_weights(square: Floats, weights: EdgeWeights, width: float | None) -> Floats:
    """Weights of edges with some squared lengths.

    Heat weights have a factor, so that the shortest edge weighs 1: scores do not depend on it.
    """
    width = float(square.mean()) if width is None else width
    if weights == "equal" or not square.max(initial=0.0) > 0:
        return np.ones_like(square)
    shortest = float(square.min())
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        found = np.exp(-(square - shortest) / width)
    return np.where(square == shortest, 1.0, found)


def _squared_distances(values: Floats, rows: Numbers) -> Floats:
    """Squared Euclidean distances of some rows from all, infinite from themselves."""
    from scipy.spatial.distance import cdist

    distance: Floats = cdist(values[rows], values, "sqeuclidean")
    distance[np.arange(rows.size), rows] = np.inf
    return distance
