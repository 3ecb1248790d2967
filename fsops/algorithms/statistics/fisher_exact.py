"""Exact test of independence of a category and a class.

References
----------
Fisher (1935), The logic of inductive inference, J. R. Statist. Soc. 98.
Freeman & Halton (1951), Note on an exact treatment of contingency, goodness of fit and other
problems of significance, Biometrika 38.
"""

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Codes, Floats, Ints, Numbers, as_classes, as_code_matrix
from fsops.algorithms.statistics.information import chi_squared

STATES = 2_000_000  # groups of tables that are looked at, at most
MERGED = 4096  # with more, tables of the same probability are merged
SLACK = 1e-7  # by which logarithms of equal probabilities may differ
DIGITS = 1e9  # logarithms are equal if they agree to so many parts of 1
LARGEST_KEY = 2.0**62


@dataclass(frozen=True, eq=False)
class CategoryPValues:
    """P-values of categories.

    Attributes
    ----------
    p_values
        One for each column.
    by_chi_squared
        Which columns have too many tables for an exact test of two classes.
    """

    p_values: Floats
    by_chi_squared: Ints


def exact_p_values(X: Numbers, codes: Numbers) -> CategoryPValues:
    """Two-sided p-value of every column of category codes (-1 is missing and left out).

    Fisher's test, for more than two categories that of Freeman and Halton. Tables with too many
    others of the same margins, and more than two classes, are tested by chi squared. One category
    gives 1.
    """
    X = as_code_matrix(X)
    classes = as_classes(codes, len(X))
    p_values = np.ones(X.shape[1])
    rest = []
    for j, column in enumerate(X.T):
        exact = _exact(column, classes)
        if exact is None:
            rest.append(j)
        else:
            p_values[j] = exact
    if rest:
        tested = chi_squared(X[:, rest], classes, missing="pairwise", p_values=True)
        assert tested.p_values is not None
        p_values[rest] = tested.p_values
    two = len(np.unique(classes)) == 2
    return CategoryPValues(p_values, np.array(rest if two else [], dtype=np.intp))


def _exact(column: Codes, classes: Ints) -> float | None:
    known = column >= 0
    present = np.unique(classes[known])
    if present.size > 2:
        return None
    if present.size < 2:
        return 1.0
    values, levels = np.unique(column[known], return_inverse=True)
    second = classes[known] == present[1]
    cells = np.bincount(2 * levels + second, minlength=2 * values.size)
    return freeman_halton(cells.reshape(-1, 2))


def freeman_halton(table: Numbers) -> float | None:
    """Total probability of the tables with these margins that are at most as likely as this one.

    The tables are built up row by row. Those with the same count so far and the same probability
    are merged, so that many rows with few different sums need few states.

    Parameters
    ----------
    table
        Counts, (rows, 2).

    Returns
    -------
    float or None
        None if there are too many tables.
    """
    table = np.asarray(table)
    table = table[table.sum(axis=1) > 0]
    rows = table.sum(axis=1)
    first, n = int(table[:, 0].sum()), int(rows.sum())
    if len(rows) < 2 or first in (0, n):
        return 1.0
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])

    def log_choices(m: int | Ints, k: Numbers) -> Floats:
        logs: Floats = factorials[m] - factorials[k] - factorials[m - k]
        return logs

    order = np.argsort(rows, kind="stable")
    left = n - np.cumsum(rows[order])  # rows that can still be of the first class
    states = _States(np.zeros(1, dtype=np.intp), np.zeros(1), np.ones(1))
    for m, after in zip(rows[order[:-1]].tolist(), left.tolist(), strict=False):
        if states.used.size * (m + 1) > STATES:
            return None
        states = states.with_row(log_choices(m, np.arange(m + 1)), first - after, first)
    logs = states.logs + log_choices(int(rows[order[-1]]), first - states.used)
    seen = float(log_choices(rows, table[:, 0]).sum())
    every = float(log_choices(n, np.array(first)))
    rare = logs <= seen + SLACK
    return min(1.0, float((states.times[rare] * np.exp(logs[rare] - every)).sum()))


@dataclass(frozen=True, eq=False)
class _States:
    """Partial tables: counts of the first class, logarithms of their ways, and how many there are.

    All tables of a state have the same count and, up to rounding, the same logarithm.
    """

    used: Ints
    logs: Floats
    times: Floats

    def with_row(self, log_choices: Floats, least: int, most: int) -> "_States":
        """Add a row with 0, 1, … of the first class; the count must stay between the bounds."""
        k = np.arange(log_choices.size)
        used = (self.used[:, None] + k).ravel()
        logs = (self.logs[:, None] + log_choices).ravel()
        possible = (used >= least) & (used <= most)
        times = np.repeat(self.times, k.size)[possible]
        return _States(used[possible], logs[possible], times)._merged()

    def _merged(self) -> "_States":
        span = np.ceil((self.logs.max(initial=0.0) + 1.0) * DIGITS)
        if self.used.size <= MERGED or span * (self.used.max() + 1.0) > LARGEST_KEY:
            return self
        keys = self.used * int(span) + np.rint(self.logs * DIGITS).astype(np.int64)
        _, place, group = np.unique(keys, return_index=True, return_inverse=True)
        times: Floats = np.bincount(group, self.times).astype(np.float64)
        return _States(self.used[place], self.logs[place], times)
