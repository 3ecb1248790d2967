"""Several weightings of the same attributes side by side, without Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from fsops.algorithms.stability import similarity as stability
from fsops.data import Attribute, AttributeWeights, ExampleSet, ValueType
from fsops.data.detail_headings import DetailHeading, detail_heading
from fsops_gui.base.texts import tr
from fsops_gui.widgets.tables import Rows, column_of

P_VALUE = "p_value"
"""Names of weights that are 1 − p."""
DIGITS = 3
"""Decimals of a measure of agreement."""
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Weightings:
    """Weights with titles.

    Parameters
    ----------
    parts : tuple of (title, weights)
        The titles are all different.
    """

    parts: tuple[tuple[str, AttributeWeights], ...]

    @classmethod
    def of(cls, given: Sequence[tuple[str, AttributeWeights]]) -> Weightings:
        """Return weightings with titles that differ."""
        nothing = cls(())
        for title, weights in given:
            nothing = nothing.with_part(title, weights)
        return nothing

    def with_part(self, title: str, weights: AttributeWeights) -> Weightings:
        """Return these and another weighting; a title that is taken gets a number."""
        free, number = title, 1
        while free in self.titles:
            number += 1
            free = f"{title} ({number})"
        return Weightings((*self.parts, (free, weights)))

    def without(self, title: str) -> Weightings:
        """Return all but one."""
        return Weightings(tuple(part for part in self.parts if part[0] != title))

    @property
    def titles(self) -> list[str]:
        """Names of the weightings."""
        return [title for title, _ in self.parts]

    @cached_property
    def names(self) -> Sequence[str]:
        """All attributes, in the order in which they occur."""
        lists = dict.fromkeys(weights.names for _, weights in self.parts)
        if len(lists) == 1:
            return next(iter(lists))
        return tuple(dict.fromkeys(name for each in lists for name in each))

    @cached_property
    def values(self) -> Floats:
        """A row per weighting, a column per attribute; NaN where one does not know another."""
        matrix = np.full((len(self.parts), len(self.names)), np.nan)
        place = {name: column for column, name in enumerate(self.names)}
        for row, (_, weights) in zip(matrix, self.parts, strict=True):
            if weights.names == self.names:
                row[:] = weights.values
            else:
                row[[place[name] for name in weights.names]] = weights.values
        return matrix

    @cached_property
    def scores(self) -> Floats:
        """The values, with rankings turned: larger is better in every row."""
        signs = [-1.0 if weights.smallest_is_best else 1.0 for _, weights in self.parts]
        return np.asarray(self.values * np.array(signs).reshape(-1, 1))

    @property
    def begins_with_ranking(self) -> bool:
        """Whether the smallest number of the first weighting is its best."""
        return bool(self.parts) and self.parts[0][1].smallest_is_best

    @cached_property
    def places(self) -> Floats:
        """The place of each attribute in each weighting, 1 for the best; NaN where unknown."""
        order = np.argsort(-self.scores, axis=1, kind="stable")
        places = np.empty(self.values.shape)
        counted = np.broadcast_to(np.arange(1.0, len(self.names) + 1), places.shape)
        np.put_along_axis(places, order, counted, axis=1)
        return np.where(np.isnan(self.values), np.nan, places)

    def table(self, *, places: bool = False) -> ExampleSet:
        """Return a row per attribute: its weights, on demand its places; of one also details."""
        names = np.empty(len(self.names), dtype=object)
        names[:] = self.names
        taken: set[str] = {tr("attribute")}
        columns = [(Attribute(tr("attribute"), ValueType.TEXT), names)]
        for number, title in enumerate(self.titles):
            found = [(title, self.values[number])]
            if places:
                found.append((tr("place in {title}", title=title), self.places[number]))
            for name, values in found:
                kind = ValueType.REAL if values is found[0][1] else ValueType.INTEGER
                columns.append((Attribute(_free(name, taken), kind), values))
        if len(self.parts) == 1:
            for name, values in self.parts[0][1].details.items():
                attribute, stored = column_of(name, values)
                columns.append((Attribute(_free(name, taken), attribute.value_type), stored))
        return ExampleSet.from_columns(columns, len(self.names))

    def headings(self, *, places: bool = False) -> dict[int, DetailHeading]:
        """Return the heading of each column of details in `table`."""
        if len(self.parts) != 1:
            return {}
        details = self.parts[0][1].details
        return {n: detail_heading(name) for n, name in enumerate(details, 3 if places else 2)}

    def bars(self, *, places: bool = False) -> dict[int, tuple[float, float]]:
        """Return for each column of weights in `table` the ends of its bars."""
        step = 2 if places else 1
        finite = np.where(np.isfinite(self.values), self.values, np.nan)
        ends = {}
        for number, row in enumerate(finite):
            known = row[~np.isnan(row)]
            ends[1 + step * number] = (known.min(initial=0.0), known.max(initial=0.0))
        return ends

    def tails(self, *, places: bool = False) -> dict[int, Floats]:
        """Return for each column of weights in `table` that is 1 − p the p of every attribute."""
        step = 2 if places else 1
        found = {}
        place = {name: column for column, name in enumerate(self.names)}
        for number, (_, weights) in enumerate(self.parts):
            p = weights.details.get(P_VALUE)
            if p is None or not np.allclose(weights.values, 1 - p, equal_nan=True):
                continue
            known = np.full(len(self.names), np.nan)
            known[[place[name] for name in weights.names]] = p
            found[1 + step * number] = known
        return found

    def best(self, k: int, title: str | None = None) -> Rows:
        """Return the attributes among the k best of a weighting, or of any."""
        places = self.places
        if title in self.titles:
            places = places[[self.titles.index(title)]]
        return np.flatnonzero((places <= k).any(axis=0))

    def agreement(self, k: int) -> ExampleSet:
        """Return for each pair Spearman's correlation, and Jaccard's index of the k best.

        The correlation is that of the attributes that both know.
        """
        firsts, seconds = np.triu_indices(len(self.parts), 1)
        spearman = self._spearman(firsts.tolist(), seconds.tolist())
        jaccard = stability.jaccard(self.places <= k) if len(self.parts) > 1 else np.zeros(0)
        titles = np.array(self.titles, dtype=object)
        columns = [
            column_of(tr("one"), titles[firsts]),
            column_of(tr("other"), titles[seconds]),
            column_of(tr("Spearman"), np.round(spearman, DIGITS)),
            column_of(tr("Jaccard of the {k} best", k=k), np.round(jaccard, DIGITS)),
        ]
        return ExampleSet.from_columns(columns, len(firsts))

    def _spearman(self, firsts: list[int], seconds: list[int]) -> Floats:
        if firsts and len(self.names) > 1 and not np.isnan(self.scores).any():
            return stability.spearman(self.scores)
        pairs = [self.scores[[one, other]] for one, other in zip(firsts, seconds, strict=True)]
        common = [pair[:, ~np.isnan(pair).any(axis=0)] for pair in pairs]
        found = [stability.spearman(pair)[0] if pair.shape[1] > 1 else np.nan for pair in common]
        return np.array(found, dtype=np.float64)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += " "
    taken.add(name)
    return name
