"""Relevance and redundancy by correlation of a table that passes by in blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from fsops.algorithms.base.moments import ClassMoments, CrossMoments
from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.filters.streaming import (
    FetchedCorrelation,
    Overall,
    Products,
    centred,
    products_of,
)
from fsops.algorithms.filters.univariate import f_test_from, pearson_from
from fsops.algorithms.mrmr import selection as mrmr
from fsops.core import Accepts, Context
from fsops.data import ExampleSet
from fsops.data.streamed import USUAL_LIMIT, PieceBlock, StreamedExampleSet, columns_of
from fsops.operators.selection.measures import Measures
from fsops.operators.weighting.blocks import Seen, class_moments, cross_moments, one_pass

AT_ONCE = 8
"""Attributes whose redundancy is computed in one pass; of more it takes as long as the reading."""


def can_stream(examples: ExampleSet, measure: str) -> bool:
    """Return whether redundancy is correlation, which sums over blocks can tell."""
    return measure == "by type" and not len(examples.schema.regular_nominal)


def streamed_measures(examples: StreamedExampleSet, accepts: Accepts, ctx: Context) -> Measures:
    """Return relevance, from one pass, and redundancy, from a pass for each batch asked for."""
    moments: ClassMoments | CrossMoments
    if examples.label.value_type.is_nominal:
        moments = class_moments(examples, accepts, "error", ctx)
        relevance, same_scale = f_test_from(moments, p_values=False).weights, False
    else:
        moments = cross_moments(examples, accepts, "error", ctx)
        relevance, same_scale = pearson_from(moments).weights, True
    overall = Overall.of(moments)
    relevance = mrmr.defined(relevance)
    room = (examples.limit or USUAL_LIMIT) // 16
    redundancy = FetchedCorrelation(
        overall,
        partial(_fetch, examples, overall.mean, ctx),
        likely=np.argsort(-relevance, kind="stable"),
        at_once=max(1, min(AT_ONCE, room // (8 * relevance.size))),
    )
    return Measures(examples.schema.regular_names, relevance, redundancy, same_scale)


def _fetch(examples: StreamedExampleSet, mean: Floats, ctx: Context, chosen: Ints) -> Floats:
    """Return the sums of the products of all attributes with the chosen ones."""
    names = tuple(examples.schema.regular_names[j] for j in chosen.tolist())
    size = 8 * mean.size * len(names)
    # Where attributes are read some at a time, the chosen ones would be read again with each.
    kept: Floats | None = None
    if len({piece.columns for piece in examples.pieces(size)}) > 1 and _room_for(examples, names):
        kept = centred(examples.read_alone(examples.schema.regular[chosen]).T, mean[chosen])
    statistic = _Products(names, mean, mean[chosen], kept)
    return one_pass(
        examples, statistic, size, ctx, () if kept is not None else names
    ).statistic.sums


def _room_for(examples: StreamedExampleSet, names: tuple[str, ...]) -> bool:
    # Twice: as read, and less the means.
    return 2 * 8 * len(examples) * len(names) <= (examples.limit or USUAL_LIMIT) // 6


@dataclass(frozen=True)
class _Products:
    """Products with the chosen attributes in a block."""

    names: tuple[str, ...]
    mean: Floats
    chosen_mean: Floats
    kept: Floats | None
    """The chosen attributes less their means, in lines; None where they come with each block."""

    def __call__(self, block: PieceBlock) -> Seen[Products]:
        own = block.piece.columns
        columns = columns_of(block.values, np.arange(len(own)))
        mean = self.mean[own.start : own.stop]
        return Seen(products_of(columns, mean, self._chosen(block)))

    def _chosen(self, block: PieceBlock) -> Floats:
        if self.kept is not None:
            return self.kept[:, block.rows]
        places = block.values.schema.positions(self.names)
        return centred(columns_of(block.values, places), self.chosen_mean)
