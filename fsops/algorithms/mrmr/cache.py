"""Redundancies remembered for one data set, for loops that ask for the same pairs again."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np

from fsops.algorithms.base.types import Floats, Ints, Numbers
from fsops.algorithms.mrmr.measures import Redundancy

CACHE_MB = 512


class CacheMismatch(ValueError):
    """A cache was asked about other data than it was made for."""


def fingerprint(rows: Numbers, names: Sequence[str], measure: str) -> str:
    """Hash that identifies the data of a cache: row numbers, column names and the measure."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(np.ascontiguousarray(rows, dtype=np.int64).tobytes())
    for text in (*names, measure):
        encoded = text.encode()
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.hexdigest()


class MRMRCache:
    """Remembered redundancies of one data set, itself a `Redundancy`; safe between threads.

    Parameters
    ----------
    redundancy
        What computes the values that are not known yet.
    key
        `fingerprint` of the data; `check` compares it.
    megabytes
        Memory for remembered values; the columns that were not used for longest make room.

    Attributes
    ----------
    hits, misses
        Number of values found and computed.
    """

    def __init__(self, redundancy: Redundancy, key: str = "", megabytes: float = CACHE_MB) -> None:
        self.key = key
        self.hits = 0
        self.misses = 0
        self._redundancy = redundancy
        self._columns: OrderedDict[int, Floats] = OrderedDict()
        size = 8 * max(1, redundancy.n_features)
        self._limit = max(1, int(megabytes * 2**20 / size))
        self._lock = Lock()

    def __getstate__(self) -> dict[str, object]:
        """Travel to another process without the lock."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Arrive with a new lock."""
        vars(self).update(state, _lock=Lock())

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self._redundancy.n_features

    def check(self, key: str) -> None:
        """Raise `CacheMismatch` unless the cache was made for data with this fingerprint."""
        if key != self.key:
            raise CacheMismatch(
                "The MRMR cache was made for other rows, columns or another measure. "
                "Create it from the same example set that the features are selected from."
            )

    def column(self, feature: int) -> Floats:
        """Redundancy of every feature with this one, (p,)."""
        return self.block(np.arange(self.n_features), np.array([feature]))[:, 0]

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Redundancy of each feature in rows with each in columns."""
        parts = [self._part(rows, int(c)) for c in columns]
        return np.stack(parts, axis=1) if parts else np.zeros((len(rows), 0))

    def _part(self, rows: Ints, column: int) -> Floats:
        with self._lock:
            known = self._columns.get(column)
            values = np.full(len(rows), np.nan) if known is None else known[rows]
        unknown = np.isnan(values)
        missing = rows[unknown]
        if missing.size:
            # Outside the lock: two threads may compute the same values, none waits for it.
            values[unknown] = self._compute(missing, column)
        with self._lock:
            self.hits += len(rows) - missing.size
            self.misses += missing.size
            self._remember(column, missing, values[unknown])
        return values

    def _compute(self, rows: Ints, column: int) -> Floats:
        if rows.size == self.n_features:
            return self._redundancy.column(column)[rows]
        return self._redundancy.block(rows, np.array([column]))[:, 0]

    def _remember(self, column: int, rows: Ints, values: Floats) -> None:
        if column not in self._columns:
            self._columns[column] = np.full(self.n_features, np.nan)
        self._columns[column][rows] = values
        self._columns.move_to_end(column)
        while len(self._columns) > self._limit:
            self._columns.popitem(last=False)
