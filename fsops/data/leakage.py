"""Attributes that alone separate the classes of the label: perhaps the label in other words."""

from __future__ import annotations

from math import lgamma

import numpy as np
import numpy.typing as npt

from fsops.data.columns import MISSING_CODE
from fsops.data.examples import ExampleSet

CHANCE = 0.01
"""Expected number of attributes that do so by chance, up to which it is worth a remark."""
KNOWN = 0.5
"""Fraction of rows that must have a value."""


def giveaways(examples: ExampleSet) -> list[str]:
    """Return the regular attributes each of which alone gives the class of every row.

    Numbers do if the ranges of the classes do not overlap, categories if each occurs in one class
    only. Where so few rows have so many attributes that some would do so by chance, none is named.
    """
    schema = examples.schema
    label = schema.label
    if label is None or not label.value_type.is_nominal:
        return []
    codes = examples.column(label.name)
    known = np.flatnonzero(codes != MISSING_CODE)
    classes, codes = np.unique(codes[known], return_inverse=True)
    if len(classes) < 2 or _by_chance(np.bincount(codes)) * len(schema.regular) > CHANCE:
        return []
    apart = _apart(examples.numeric()[known], codes)
    numbers = schema.names_at(schema.regular_numerical)
    found = {name for name, alone in zip(numbers, apart, strict=True) if alone}
    for name in schema.names_at(schema.regular_nominal):
        if _decides(examples.column(name)[known], codes):
            found.add(name)
    return [name for name in schema.regular_names if name in found]


def _by_chance(sizes: npt.NDArray[np.intp]) -> float:
    """Return how probable it is that random numbers have ranges that do not overlap."""
    orders = lgamma(len(sizes) + 1) + sum(lgamma(size + 1) for size in sizes)
    return float(np.exp(orders - lgamma(sizes.sum() + 1)))


def _apart(values: npt.NDArray[np.float64], codes: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Return in which columns the ranges of the classes do not overlap; gaps are left out."""
    groups = [values[codes == code] for code in range(codes.max() + 1)]
    lowest = np.stack([np.fmin.reduce(group, axis=0) for group in groups])
    highest = np.stack([np.fmax.reduce(group, axis=0) for group in groups])
    order = np.argsort(lowest, axis=0)
    lowest, highest = (np.take_along_axis(ends, order, axis=0) for ends in (lowest, highest))
    known = (~np.isnan(values)).mean(axis=0) >= KNOWN
    apart: npt.NDArray[np.bool_] = known & (highest[:-1] < lowest[1:]).all(axis=0)
    return apart


def _decides(values: npt.NDArray[np.intp], codes: npt.NDArray[np.intp]) -> bool:
    """Whether each of a few categories occurs in one class only."""
    given = values != MISSING_CODE
    pairs = np.unique(np.column_stack([values[given], codes[given]]), axis=0)
    categories = len(np.unique(pairs[:, 0]))
    few = 1 < categories <= len(codes) // 4
    return few and categories == len(pairs) and bool(given.mean() >= KNOWN)
