"""The size of a selection: attributes that must be kept count among its k."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Bools, Ints
from fsops.core import Context
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.names import Names
from fsops.data.schema import MUST_KEEP

SIZE = "The number of attributes"
"""Name of a size that no parameter gives."""


def counted(k: int, kept: int, ctx: Context, parameter: str = "k") -> int:
    """Return the size of a result: k, or the number of attributes to keep if that is larger."""
    if kept <= k:
        return k
    ctx.warn(f"{parameter} is {k}, but {kept} attributes must be kept: these are kept.")
    return kept


def available(k: int, number: int, ctx: Context, noun: str = "attributes") -> int:
    """Return k, or the number of attributes if there are fewer, with a warning."""
    if number >= k:
        return k
    ctx.warn(f"k is {k}, but there are only {number} {noun}: all are kept.")
    return number


@dataclass(frozen=True, eq=False)
class Size:
    """The number of attributes that a selection returns, and those that must be among them.

    Parameters
    ----------
    k : int
        Number of attributes, at least as large as the number of those to keep.
    kept : array of bool
        Which attributes must be kept.
    """

    k: int
    kept: Bools

    @classmethod
    def of(cls, examples: ExampleSet, k: int, ctx: Context, parameter: str = "k") -> Size:
        """Return the size of a selection from the attributes of a table, which may be fewer."""
        kept = kept_attributes(examples)
        return cls(counted(k, int(kept.sum()), ctx, parameter), kept)

    @classmethod
    def within(cls, examples: ExampleSet, k: int, ctx: Context) -> Size:
        """Return the size of a selection; with fewer attributes it warns and takes all."""
        return cls.of(examples, available(k, len(examples.schema.regular), ctx), ctx)

    @property
    def first(self) -> Ints:
        """Positions of the attributes that must be kept."""
        return np.flatnonzero(self.kept)

    def cut(self, order: Ints) -> Ints:
        """Return the best of an order, best first: those to keep and others, k in all.

        An attribute to keep has a place among the k even if it is missing in the order.
        """
        kept = self.kept[order]
        free = self.k - int(self.kept.sum())
        return order[kept | (np.cumsum(~kept) <= free)]


def kept_attributes(examples: ExampleSet) -> Bools:
    """Return which regular attributes must be kept."""
    schema = examples.schema
    kept = np.zeros(len(schema), dtype=bool)
    kept[schema.marked(MUST_KEEP)] = True
    return kept[schema.regular]


def kept_in_weights(weights: Iterable[AttributeWeights], names: Names) -> Bools:
    """Return which of the named attributes must be kept, as at least one of the weights says."""
    found = np.zeros(len(names), dtype=bool)
    for part in weights:
        if MUST_KEEP in part.details:
            marked = part.names.take(np.flatnonzero(part.details[MUST_KEEP] != 0))
            places = names.find(marked)
            found[places[places >= 0]] = True
    return found
