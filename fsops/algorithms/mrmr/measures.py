"""How much two features say the same: the redundancies that MRMR and CFS weigh.

A `Redundancy` gives the values of pairs of features on demand. The matrix of all pairs is never
built.
"""

from typing import Literal, Protocol

import numpy as np

from fsops.algorithms.base.scaling import centred_rows, inverse
from fsops.algorithms.base.types import Bools, Floats, Ints, Numbers, as_code_matrix
from fsops.algorithms.filters.univariate import f_test
from fsops.algorithms.statistics.information import mutual_information, symmetric_uncertainty

HUGE = 1e150
"""Stands for an infinite measure (a feature that separates perfectly); its sums stay finite."""


class Redundancy(Protocol):
    """Redundancy of pairs of features, symmetric and not negative.

    Where a column costs no more than a pair, the class says ``by_column = True``: a search then
    does not ask for single pairs.
    """

    @property
    def n_features(self) -> int:
        """Number of features."""
        ...

    def column(self, feature: int) -> Floats:
        """Redundancy of every feature with this one, (p,)."""
        ...

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Redundancy of each feature in rows with each in columns, (rows, columns)."""
        ...


def defined(values: Floats) -> Floats:
    """Measures with undefined ones as 0 and infinite ones as huge."""
    return np.nan_to_num(values, nan=0.0, posinf=HUGE)


class CorrelationRedundancy:
    """Absolute Pearson correlation of numeric features; 0 for a constant one.

    On ranks instead of values it is Spearman's.
    """

    def __init__(self, X: Numbers) -> None:
        self._rows, _, lengths = centred_rows(X)
        self._scale = inverse(lengths)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self._rows)

    @property
    def pair_cost(self) -> int:
        """Number of values that are multiplied for a pair."""
        return int(self._rows.shape[1])

    def column(self, feature: int) -> Floats:
        """Absolute correlation of every feature with this one, (p,)."""
        values: Floats = self._rows @ (self._scale[feature] * self._rows[feature])
        values *= self._scale
        return np.abs(values, out=values)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Absolute correlation of each feature in rows with each in columns."""
        values = self._rows.take(rows, axis=0) @ self._rows.take(columns, axis=0).T
        values *= self._scale[rows, None] * self._scale[columns]
        return np.abs(values, out=values)


class NominalRedundancy:
    """Mutual information (bits) or symmetric uncertainty of nominal features.

    Parameters
    ----------
    X
        Integer codes, rows by features; -1 is missing and counts as a separate value.
    measure
        "mi" or "su".
    """

    def __init__(self, X: Numbers, measure: Literal["mi", "su"] = "mi") -> None:
        self._codes = as_code_matrix(X)
        self._measure = mutual_information if measure == "mi" else symmetric_uncertainty

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self._codes.shape[1])

    def column(self, feature: int) -> Floats:
        """Information shared by every feature with this one, (p,)."""
        return defined(self._measure(self._codes, self.classes(feature)).weights)

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Information shared by each feature in rows with each in columns."""
        codes = self._codes[:, rows]
        shared = [self._measure(codes, self.classes(int(c))).weights for c in columns]
        return defined(np.stack(shared, axis=1)) if shared else np.zeros((len(rows), 0))

    def classes(self, feature: int) -> Ints:
        """One feature as classes 0, 1, ...: missing is the last one."""
        codes = self._codes[:, feature].astype(np.intp)
        return np.where(codes < 0, codes.max(initial=-1) + 1, codes)


class MixedRedundancy:
    """Redundancy chosen by the types of both features.

    Absolute correlation of two numeric ones, F of a numeric and a nominal one, mutual
    information of two nominal ones. These scales differ: F is unbounded.

    Parameters
    ----------
    numeric, nominal
        Values and codes, rows by features of that type.
    is_nominal
        Type of each feature in their common order, (p,).
    """

    def __init__(self, numeric: Numbers, nominal: Numbers, is_nominal: Bools) -> None:
        self._is_nominal = np.asarray(is_nominal, dtype=bool)
        self._place = np.where(
            self._is_nominal, np.cumsum(self._is_nominal) - 1, np.cumsum(~self._is_nominal) - 1
        )
        self._values = np.asarray(numeric, dtype=np.float64)
        self._codes = as_code_matrix(nominal)
        self._correlation = CorrelationRedundancy(self._values)
        self._information = NominalRedundancy(self._codes)

    @property
    def n_features(self) -> int:
        """Number of features of both types."""
        return self._is_nominal.size

    def column(self, feature: int) -> Floats:
        """Redundancy of every feature with this one, (p,)."""
        return self.block(np.arange(self.n_features), np.array([feature]))[:, 0]

    def block(self, rows: Ints, columns: Ints) -> Floats:
        """Redundancy of each feature in rows with each in columns."""
        result = np.empty((len(rows), len(columns)))
        for row_type in (False, True):
            for column_type in (False, True):
                r = np.flatnonzero(self._is_nominal[rows] == row_type)
                c = np.flatnonzero(self._is_nominal[columns] == column_type)
                if r.size and c.size:
                    part = self._part(
                        row_type, self._place[rows[r]], self._place[columns[c]], column_type
                    )
                    result[np.ix_(r, c)] = part
        return result

    def _part(self, nominal_rows: bool, rows: Ints, columns: Ints, nominal_columns: bool) -> Floats:
        if nominal_rows and nominal_columns:
            return self._information.block(rows, columns)
        if nominal_rows:
            return self._f(columns, rows).T
        if nominal_columns:
            return self._f(rows, columns)
        return self._correlation.block(rows, columns)

    def _f(self, numeric: Ints, nominal: Ints) -> Floats:
        values, classes = self._values[:, numeric], self._information.classes
        scores = [f_test(values, classes(int(j)), p_values=False).weights for j in nominal]
        return defined(np.stack(scores, axis=1))
