"""Columns with the same name, as tables of genes have them: numbered, averaged, or the first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fsops.data import ExampleSet

REFUSE, NUMBER, FIRST, MEAN = "refuse", "number", "first", "mean"


def numbered(names: Sequence[str]) -> list[str]:
    """Return names that differ: the second g1 is g1.1, as R and pandas call it."""
    taken, counts = set(names), dict.fromkeys(names, -1)
    result = []
    for name in names:
        counts[name] += 1
        unique = name
        while counts[name] and (unique == name or unique in taken):
            unique = f"{name}.{counts[name]}"
            counts[name] += unique in taken
        taken.add(unique)
        result.append(unique)
    return result


def merged(
    examples: ExampleSet, names: Sequence[str], originals: Sequence[str], how: str
) -> ExampleSet:
    """Return a table with one column for each original name, in the place of the first one.

    Missing values are left out of the mean; of columns that are not all numbers the first is kept.
    """
    if how not in (FIRST, MEAN):
        return examples
    _, first, group = np.unique(
        np.array(originals, dtype=object), return_index=True, return_inverse=True
    )
    kept = np.sort(first)
    if len(kept) == len(names):
        return examples
    result = examples.select([names[j] for j in kept.tolist()])
    if how == FIRST:
        return result
    numerical = np.zeros(len(names), dtype=bool)
    numerical[examples.schema.regular_numerical] = True
    count = np.bincount(group)
    several = np.flatnonzero((count > 1) & (np.bincount(group, ~numerical) == 0))
    columns = np.flatnonzero(np.isin(group, several))
    columns = columns[np.argsort(group[columns], kind="stable")]
    if not len(columns):
        return result
    values = examples.select([names[j] for j in columns.tolist()]).numeric()
    starts = np.flatnonzero(np.r_[True, np.diff(group[columns]) != 0])
    known = ~np.isnan(values)
    total = np.add.reduceat(np.where(known, values, 0.0), starts, axis=1)
    number = np.add.reduceat(known.astype(np.intp), starts, axis=1)
    means = np.full(total.shape, np.nan)
    np.divide(total, number, out=means, where=number > 0)
    averaged = ExampleSet.from_numpy(means, names=[names[j] for j in columns[starts].tolist()])
    return _replaced(result, averaged)


def _replaced(table: ExampleSet, columns: ExampleSet) -> ExampleSet:
    """Return a table with some columns replaced by others of the same names, in the same order."""
    order = table.names
    attributes = [(attribute, columns.column(attribute.name)) for attribute in columns.attributes]
    return table.drop(columns.names).with_columns(attributes).select(order)
