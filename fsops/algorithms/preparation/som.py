"""Self-organizing maps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Floats, Ints

LEAST = 0.5
"""Nodes on which a row has less influence stay as they are."""


@dataclass(frozen=True)
class Decay:
    """A number that falls from start to end by equal factors."""

    start: float
    end: float

    def at(self, time: float) -> float:
        """Return the number at a time from 0 (start) to 1 (end)."""
        return float(self.start * (self.end / self.start) ** time)


@dataclass(frozen=True)
class Grid:
    """Nodes on a grid whose opposite edges are joined, of the same size in each dimension."""

    size: int
    dimensions: int

    @property
    def coordinates(self) -> Ints:
        """The coordinates of each node, the first one changing fastest."""
        places = np.indices((self.size,) * self.dimensions).reshape(self.dimensions, -1)
        return places[::-1].T.astype(np.intp)

    def squared_distances(self, node: Ints) -> Floats:
        """Return the squared distance of each node from one."""
        apart = np.abs(self.coordinates - node)
        apart = np.minimum(apart, self.size - apart)
        squares: Floats = (apart.astype(np.float64) ** 2).sum(axis=1)
        return squares


def nearest_nodes(X: Floats, nodes: Floats) -> Ints:
    """Return the nearest node of each row; of equally near ones the first."""
    found: Ints = np.array([((nodes - row) ** 2).sum(axis=1).argmin() for row in X], dtype=np.intp)
    return found


def train_map(
    X: Floats, grid: Grid, rng: np.random.Generator, *, rounds: int, rate: Decay, radius: Decay
) -> Floats:
    """Return the weights of the nodes of a self-organizing map, a row each.

    In each round all rows are passed in random order. The node nearest to a row and its neighbors
    in the grid move towards the row, by the learning rate times exp(−d²/2r²), where d is the
    distance in the grid; neighbors where this factor is at most 0.5 stay.

    References
    ----------
    Ritter, Martinetz, Schulten (1992): Neural Computation and Self-Organizing Maps.
    """
    places = grid.coordinates
    nodes = rng.random((len(places), X.shape[1]))
    for number in range(1, rounds + 1):
        step, width = rate.at(number / rounds), radius.at(number / rounds)
        for row in rng.permutation(len(X)):
            best = int(((nodes - X[row]) ** 2).sum(axis=1).argmin())
            near = np.exp(-grid.squared_distances(places[best]) / (2 * width**2))
            moved = np.flatnonzero(near > LEAST)
            nodes[moved] += step * near[moved, None] * (X[row] - nodes[moved])
    return nodes
