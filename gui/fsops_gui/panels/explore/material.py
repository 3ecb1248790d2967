"""Everything the linked views show, gathered from the results of a run. No Qt here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data import AttributeWeights, Collection, ExampleSet, FlowObject, StabilityResult
from fsops.data.columns import MISSING_CODE
from fsops.data.names import Names
from fsops.data.schema import PREDICTION
from fsops_gui.base.texts import tr
from fsops_gui.panels.explore.effects import Volcano, volcano_of, volcano_of_weights

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]
FEW_ROWS, FEW_CELLS = 4_000, 40_000_000
"""Larger tables are looked at by a sample of their rows, or of their attributes."""


@dataclass(frozen=True)
class PortValue:
    """A value of a run, and the port that gave it."""

    operator: str
    port: str
    value: FlowObject

    @property
    def title(self) -> str:
        """Name of the operator; the port where it says more."""
        plain = self.port in (AttributeWeights.port_name, ExampleSet.port_name, "weights")
        return self.operator if plain else f"{self.operator} · {self.port}"


@dataclass(frozen=True, eq=False)
class AlignedWeights:
    """Weights in the order of the attributes; NaN for one without a weight."""

    title: str
    values: Floats
    scores: Floats
    """The weights, turned in a ranking: the largest is the best."""

    @cached_property
    def places(self) -> Ints:
        """Place of each attribute, 1 for the best; unknown ones come last."""
        order = np.argsort(-np.where(np.isnan(self.scores), -np.inf, self.scores), kind="stable")
        places = np.empty(len(order), dtype=np.intp)
        places[order] = np.arange(1, len(order) + 1)
        return places


@dataclass(frozen=True, eq=False)
class Repeats:
    """Which attributes (columns) each repetition (row) selected."""

    title: str
    runs: tuple[str, ...]
    selected: Bools

    @cached_property
    def counts(self) -> Ints:
        """How many repetitions selected each attribute."""
        return np.asarray(self.selected.sum(axis=0), dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Material:
    """A table with its classes, weightings of its attributes, selections and predictions."""

    names: Names
    table: ExampleSet | None = None
    source: tuple[str, str] = ("", "")
    """Operator and port that gave the table."""
    weightings: tuple[AlignedWeights, ...] = ()
    repeats: Repeats | None = None
    predictions: ExampleSet | None = None
    """Table with a prediction for each row of the table, in the same order; else None."""
    tested: Volcano | None = None
    """Effects and p-values that an operator computed."""
    title: str = ""
    _columns: dict[int, Floats] = field(default_factory=dict)

    # --- rows and columns -------------------------------------------------------------------

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return 0 if self.table is None else len(self.table)

    @cached_property
    def positions(self) -> Ints:
        """Position in the table of each attribute."""
        assert self.table is not None
        return np.asarray(self.table.schema.regular, dtype=np.intp)

    def column(self, attribute: int) -> Floats:
        """Return the values of an attribute as numbers; categories by their codes."""
        if attribute not in self._columns:
            if len(self._columns) > 4_000:
                self._columns.clear()
            self._columns[attribute] = self._read(attribute)
        return self._columns[attribute]

    def _read(self, attribute: int) -> Floats:
        if self.table is None:
            return np.empty(0)
        kind = self.table.schema.attribute(self.names[attribute]).value_type
        place = self.positions[[attribute]]
        if kind.is_numerical:
            return np.asarray(self.table.values(place)[:, 0], dtype=np.float64)
        if kind.is_nominal:
            codes = np.asarray(self.table.values(place)[:, 0])
            return np.where(codes == MISSING_CODE, np.nan, codes).astype(np.float64)
        return np.full(self.n_rows, np.nan)

    def matrix(self, attributes: Iterable[int]) -> Floats:
        """Return the values of some attributes, a column each."""
        chosen = list(attributes)
        if not chosen:
            return np.empty((self.n_rows, 0))
        return np.column_stack([self.column(int(a)) for a in chosen])

    # --- classes ----------------------------------------------------------------------------

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes; one without a name without a nominal label."""
        return self._labelled[1]

    @cached_property
    def codes(self) -> Ints:
        """Class of each row; rows without a class come last."""
        return self._labelled[0]

    @cached_property
    def _labelled(self) -> tuple[Ints, tuple[str, ...]]:
        label = None if self.table is None else self.table.schema.label
        if self.table is None or label is None or not label.value_type.is_nominal:
            return np.zeros(self.n_rows, dtype=np.intp), ("",)
        codes = np.asarray(self.table.column(label.name), dtype=np.intp)
        classes = tuple(label.categories)
        if (codes < 0).any():
            codes, classes = np.where(codes < 0, len(classes), codes), (*classes, tr("unknown"))
        used = np.unique(codes)
        place = np.zeros(len(classes), dtype=np.intp)
        place[used] = np.arange(len(used))
        return place[codes], tuple(classes[code] for code in used)

    @cached_property
    def target(self) -> Floats | None:
        """The label where it is a number."""
        label = None if self.table is None else self.table.schema.label
        if self.table is None or label is None or not label.value_type.is_numerical:
            return None
        return np.asarray(self.table.column(label.name), dtype=np.float64)

    def row_name(self, row: int) -> str:
        """Return the id of a row, or its number."""
        if self._ids is not None:
            return self._ids[row]
        return tr("row {n}", n=row + 1)

    @cached_property
    def _ids(self) -> list[str] | None:
        found = None if self.table is None else self.table.schema.special("id")
        if found is None or self.table is None:
            return None
        if found.value_type.is_nominal:
            return [name or "?" for name in self.table.nominal_values(found.name)]
        return [_plain(value) for value in self.table.column(found.name).tolist()]

    # --- statistics -------------------------------------------------------------------------

    @cached_property
    def volcano(self) -> Volcano | None:
        """Effect and p-value of each attribute: those of an operator, else computed here."""
        if self.tested is not None or self.table is None:
            return self.tested
        return volcano_of(self.table, self.names)

    @cached_property
    def best(self) -> Ints:
        """Attributes from best to worst by the first weighting, else by p-value."""
        if self.weightings:
            return np.argsort(self.weightings[0].places, kind="stable")
        found = self.volcano
        if found is None:
            return np.arange(len(self.names), dtype=np.intp)
        return np.argsort(np.where(np.isnan(found.p), 2.0, found.p), kind="stable")

    def correlates(self, attribute: int, most: int = 8) -> list[tuple[int, float]]:
        """Return the attributes that correlate most with one, and their correlation."""
        from fsops.algorithms.statistics.effects import correlations

        if self.table is None or not self.n_rows:
            return []
        others = np.arange(len(self.names), dtype=np.intp)
        if self.n_rows * len(others) > FEW_CELLS or self.table.is_sparse:
            others = self.best[: max(50, min(len(others), FEW_CELLS // max(1, self.n_rows) // 20))]
        others = others[others != attribute]
        found = correlations(self.column(attribute)[:, None], self._block(others))[0]
        strength = np.where(np.isnan(found), -1.0, np.abs(found))
        order = np.argsort(-strength, kind="stable")[:most]
        return [(int(others[n]), float(found[n])) for n in order if strength[n] >= 0]

    def _block(self, attributes: Ints) -> Floats:
        """Return many attributes at once; categories are left out as missing."""
        assert self.table is not None
        numerical = np.isin(self.positions[attributes], self.table.schema.regular_numerical)
        block = np.full((self.n_rows, len(attributes)), np.nan)
        block[:, numerical] = self.table.values(self.positions[attributes[numerical]])
        return block


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# --- gathering ------------------------------------------------------------------------------


def gather(found: Sequence[PortValue], title: str = "") -> Material | None:
    """Return the material of a run; None if it has neither a table nor weights.

    The table is the first one with a label and the most attributes, so that attributes removed by
    a selection can be seen beside those that were kept.
    """
    tables = [f for f in found if isinstance(f.value, ExampleSet)]
    whole = [f for f in tables if f.value.schema.special(PREDICTION) is None]  # type: ignore[attr-defined]
    chosen = max(whole, key=_richness, default=None)
    weights = [(f.title, f.value) for f in found if isinstance(f.value, AttributeWeights)]
    sets = [f for f in found if isinstance(f.value, StabilityResult | Collection)]
    if chosen is None and not weights:
        return None
    table = None if chosen is None else chosen.value
    assert table is None or isinstance(table, ExampleSet)
    names = weights[0][1].names if table is None else table.schema.names_at(table.schema.regular)
    lists = [w for f in sets for w in _weights_in(f)]
    parts = tuple(_aligned(t, w, names) for t, w in (*weights, *lists) if _knows(w, names))
    return Material(
        names,
        table,
        ("", "") if chosen is None else (chosen.operator, chosen.port),
        parts,
        next((r for r in (_repeats(f, names) for f in sets) if r is not None), None),
        _predictions(tables, table),
        next(filter(None, (volcano_of_weights(w, names) for _, w in weights)), None),
        title,
    )


def _richness(found: PortValue) -> tuple[bool, int, int]:
    table = found.value
    assert isinstance(table, ExampleSet)
    return table.schema.label is not None, len(table.schema.regular), len(table)


def _knows(weights: AttributeWeights, names: Names) -> bool:
    return bool((names.find(weights.names) >= 0).any())


def _aligned(title: str, weights: AttributeWeights, names: Names) -> AlignedWeights:
    scores = AttributeWeights(weights.names, weights.scores).values_of(names)
    return AlignedWeights(title, weights.values_of(names), scores)


def _weights_in(found: PortValue) -> list[tuple[str, AttributeWeights]]:
    """Return the weightings of a collection, if they are of different methods."""
    if not isinstance(found.value, Collection):
        return []
    items = [item for item in found.value.items if isinstance(item, AttributeWeights)]
    origins = [item.origin for item in items]
    if len(items) < 2 or len(set(origins)) < len(items) or not all(origins):
        return []
    return list(zip(origins, items, strict=True))


def _repeats(found: PortValue, names: Names) -> Repeats | None:
    from fsops.plots.selections import run_names, selections_of

    value = found.value
    if isinstance(value, Collection) and not (
        len(value) > 1 and all(isinstance(item, AttributeWeights) for item in value)
    ):
        return None
    known, selected = selections_of(value)  # type: ignore[arg-type]
    place = names.find(Names.of(tuple(known)))
    if not (place >= 0).any():
        return None
    aligned = np.zeros((len(selected), len(names)), dtype=bool)
    aligned[:, place[place >= 0]] = selected[:, place >= 0]
    runs = tuple(run_names(value, len(selected)))  # type: ignore[arg-type]
    return Repeats(found.title, runs, aligned)


def _predictions(tables: Sequence[PortValue], table: ExampleSet | None) -> ExampleSet | None:
    """Return the predictions that belong to the rows of a table: as many rows, same labels."""
    for found in tables:
        value = found.value
        assert isinstance(value, ExampleSet)
        if value.schema.special(PREDICTION) is None or value.schema.label is None:
            continue
        if table is None or table.schema.label is None or len(value) != len(table):
            continue
        mine, theirs = (t.column(t.label.name) for t in (table, value))
        equal = mine.dtype.kind == theirs.dtype.kind and np.array_equal(
            mine, theirs, equal_nan=mine.dtype.kind == "f"
        )
        if equal:
            return value
    return None
