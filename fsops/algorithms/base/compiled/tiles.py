"""Tables in tiles of some features each, whose rows fit into registers, and exact distances.

See `compiled`, whose rules hold here.
"""

from typing import NamedTuple

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.compiled.instructions import DOUBLES
from fsops.algorithms.base.compiled.rounded import ROWS, aligned
from fsops.algorithms.base.compiled.row_instructions import MOST_VECTORS, add_distances
from fsops.algorithms.base.types import Bools, Floats, Ints

# Means that differ by less than this from one half do not tell on which side most values are.
EVEN = 1e-6


class Tiles(NamedTuple):
    """Rows in some order, with some features in each tile, (tiles, rows, features).

    The tiles of `wide` have one vector more than those of `narrow`; zeros follow behind the last
    feature. Each row of a tile begins with a line of the cache.
    """

    wide: Floats
    narrow: Floats


def tiled(X: Floats, order: Ints, turned: Bools | None = None) -> Tiles:
    """Rows in some order, in as few tiles as possible; values x of turned features become 1 - x."""
    vectors = -(-X.shape[1] // DOUBLES)
    count = max(1, -(-vectors // MOST_VECTORS))
    width, wider = divmod(vectors, count)
    sizes = (wider, (width + 1) * DOUBLES), (count - wider, width * DOUBLES)
    tiles = Tiles(*(aligned((some, order.size, size), X.dtype) for some, size in sizes))
    turned, start = np.zeros(X.shape[1], dtype=np.bool_) if turned is None else turned, 0
    for part in tiles:
        _copy_rows(X, start, order, turned, part)
        start += len(part) * part.shape[2]
    return tiles


def mostly_large(X: Floats, order: Ints) -> Bools:
    """Features whose values are mostly large, to be turned for `marked_differences`.

    Larger values of columns with mostly small values have small rounding errors. Two columns whose
    sum is 1, such as those of a category with two levels, become equal and get the same score: if
    their means are one half, any other sum decides.
    """
    lean = X.sum(axis=0) - 0.5 * len(X)
    even = np.flatnonzero(np.abs(lean) < EVEN * len(X))
    if even.size:
        lean[even] = np.cos(np.arange(len(X))) @ (X[np.ix_(order, even)] - 0.5)
    large: Bools = lean > 0
    return large


@_compiled
def _copy_rows(X: Floats, start: int, order: Ints, turned: Bools, tiles: Floats) -> None:
    """Copy the features of rows from a start on into tiles."""
    width = tiles.shape[2]
    for tile in range(len(tiles)):
        first = start + tile * width
        turn = turned[first : first + width]
        for i in range(order.size):
            part, row = X[order[i], first : first + width], tiles[tile, i]
            for j in range(part.size):
                row[j] = 1.0 - part[j] if turn[j] else part[j]


def exact_distances(tiles: Tiles, rows: Ints) -> Floats:
    """Distances of some rows from all rows, (some rows, rows)."""
    distances = np.zeros((rows.size, tiles.wide.shape[1]))
    for part in tiles:
        _add_exact_distances(part, rows, distances)
    return distances


@_compiled
def _add_exact_distances(tiles: Floats, rows: Ints, distances: Floats) -> None:
    """Add the distances of some rows from all rows."""
    n = tiles.shape[1]
    for tile in range(len(tiles)):
        X = tiles[tile]
        for first in range(0, n, ROWS):
            for k in range(rows.size):
                add_distances(X, rows[k], first, min(n, first + ROWS), distances[k])
