"""Exact test of independence of a category and a class.

References
----------
Fisher (1935), The logic of inductive inference, J. R. Statist. Soc. 98.
Freeman & Halton (1951), Note on an exact treatment of contingency, goodness of fit and other
problems of significance, Biometrika 38.
"""

import numpy as np

from fsops.algorithms.base.types import Codes, Floats, Ints, Numbers, as_classes, as_code_matrix
from fsops.algorithms.statistics.information import chi_squared

TABLES = 2_000_000  # that are looked at, at most
SLACK = 1e-7  # by which logarithms of equal probabilities may differ


def exact_p_values(X: Numbers, codes: Numbers) -> Floats:
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
    return p_values


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
    """Total probability of the tables with these margins that are no likelier than this one.

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
    order = np.argsort(rows, kind="stable")
    if np.prod(rows[order[:-1]] + 1.0) > TABLES:
        return None
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])

    def log_choices(m: int | Ints, k: Numbers) -> Floats:
        logs: Floats = factorials[m] - factorials[k] - factorials[m - k]
        return logs

    used, logs = np.zeros(1, dtype=np.intp), np.zeros(1)
    for m in rows[order[:-1]].tolist():
        k = np.arange(m + 1)
        used, logs = (used[:, None] + k).ravel(), (logs[:, None] + log_choices(m, k)).ravel()
        possible = used <= first
        used, logs = used[possible], logs[possible]
    largest = int(rows[order[-1]])
    fits = first - used <= largest
    logs = logs[fits] + log_choices(largest, first - used[fits])
    seen = float(log_choices(rows, table[:, 0]).sum())
    every = float(log_choices(n, np.array(first)))
    return min(1.0, float(np.exp(logs[logs <= seen + SLACK] - every).sum()))
