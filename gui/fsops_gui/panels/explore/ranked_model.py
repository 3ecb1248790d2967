"""The attributes as a table: weights, effect, certainty and the repetitions that chose them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QAbstractTableModel, QModelIndex, Qt

from fsops_gui.base.texts import tr
from fsops_gui.panels.explore.material import Material
from fsops_gui.widgets.charts.ticks import number_text

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
ROOT = QModelIndex()
BAR = Qt.ItemDataRole.UserRole
"""Where a bar begins and ends, as parts of the cell."""
FOLDS = Qt.ItemDataRole.UserRole + 1
"""Which repetitions chose the attribute."""
SQUARES = 20
"""Up to so many repetitions are drawn as squares."""
SMALL = 0.001
"""A p-value below this is written with a power of ten."""


@dataclass(frozen=True, eq=False)
class RankedColumn:
    """One column: a number per attribute."""

    title: str
    values: Floats
    kind: str = "number"
    """"bar", "number", "p", "place" or "folds"."""
    order: Floats | None = None
    """Sort key, largest first; the values if not given."""


def columns_of(material: Material, first: int = 0, *, compare: bool = False) -> list[RankedColumn]:
    """Return the columns of the table: of one weighting, or the places of all of them."""
    found: list[RankedColumn] = []
    if compare:
        for part in material.weightings:
            places = np.where(np.isnan(part.values), np.nan, part.places)
            found.append(RankedColumn(part.title, places, "place", -part.places.astype(np.float64)))
        if len(material.weightings) > 1:
            mean = np.mean([part.places for part in material.weightings], axis=0)
            found.insert(0, RankedColumn(tr("mean place"), mean, "number", -mean))
        return found
    if material.weightings:
        part = material.weightings[first]
        found.append(RankedColumn(tr("weight"), part.values, "bar", part.scores))
    tested = material.volcano
    if tested is not None:
        title = tr("effect") if "fold" not in tested.effect_title else tr("log₂ fold")
        found.append(RankedColumn(title, tested.effect, "number", np.abs(tested.effect)))
        found.append(RankedColumn(tested.q_title, tested.q, "p", -tested.q))
    if material.repeats is not None:
        counts = material.repeats.counts.astype(np.float64)
        found.append(RankedColumn(tr("chosen"), counts, "folds"))
    return found


class RankedModel(QAbstractTableModel):
    """Attributes with their columns, in any order, all or some."""

    def __init__(self, material: Material, columns: list[RankedColumn]) -> None:
        super().__init__()
        self.material, self.columns = material, columns
        self.shown: Ints = np.arange(len(material.names), dtype=np.intp)
        """Attribute of each row."""
        self.place: Ints = np.empty(0, dtype=np.intp)
        """Row of each attribute; -1 if it is not shown."""
        self._ends = [_ends(column.values) for column in columns]
        self.sort_by(0)

    def set_columns(self, columns: list[RankedColumn]) -> None:
        """Show other columns."""
        self.beginResetModel()
        self.columns = columns
        self._ends = [_ends(column.values) for column in columns]
        self.endResetModel()
        self.sort_by(0)

    def sort_by(self, column: int, *, best_first: bool = True, wanted: str = "") -> None:
        """Show the attributes in the order of a column, those with a text in their name only."""
        self.beginResetModel()
        count = len(self.material.names)
        order = np.arange(count, dtype=np.intp)
        if 0 <= column < len(self.columns):
            by = self.columns[column].order
            by = self.columns[column].values if by is None else by
            by = -by if best_first else by
            order = np.lexsort((np.where(np.isnan(by), 0.0, by), np.isnan(by)))
        if wanted:
            folded = wanted.casefold()
            fits = [folded in name.casefold() for name in self.material.names]
            order = order[np.array(fits, dtype=bool)[order]]
        self.shown = order
        self.place = np.full(count, -1, dtype=np.intp)
        self.place[order] = np.arange(len(order))
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = ROOT) -> int:
        """Return how many attributes are shown."""
        return 0 if parent.isValid() else len(self.shown)

    def columnCount(self, parent: QModelIndex = ROOT) -> int:
        """Return place, name, and the columns."""
        return 0 if parent.isValid() else len(self.columns) + 2

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the titles."""
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            left = section == 1 or (section > 1 and self.columns[section - 2].kind == "folds")
            side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        titles = ["#", tr("Attribute"), *(column.title for column in self.columns)]
        return titles[section]

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell."""
        attribute = int(self.shown[index.row()])
        number = index.column() - 2
        kind = "" if number < 0 else self.columns[number].kind
        result: Any = None
        if role == Qt.ItemDataRole.DisplayRole:
            result = self._text(attribute, index.row(), number)
        elif role == Qt.ItemDataRole.ToolTipRole and number < 0:
            result = self.material.names[attribute]
        elif role == BAR and kind in ("bar", "place"):
            result = self._bar(attribute, number)
        elif role == FOLDS and kind == "folds":
            result = self._folds(attribute)
        return result

    def _text(self, attribute: int, row: int, number: int) -> str:
        if number == -2:
            return str(row + 1)
        if number == -1:
            return self.material.names[attribute]
        column = self.columns[number]
        value = float(column.values[attribute])
        if np.isnan(value):
            return "?"
        if column.kind in ("place", "folds"):
            return f"{value:.0f}"
        if column.kind == "p":  # 0.00036 would not fit into its cell
            return f"{value:.2g}" if not 0 < value < SMALL else f"{value:.1e}".replace("e-0", "e-")
        # Three decimals of small numbers do: −0.00837 would not fit into its cell.
        return number_text(round(value, 3) if abs(value) < 1 else value, 3)

    def _bar(self, attribute: int, number: int) -> tuple[float, float] | None:
        low, high = self._ends[number]
        value = float(self.columns[number].values[attribute])
        if np.isnan(value) or low == high:
            return None
        if self.columns[number].kind == "place":  # the best has the longest bar
            return 0.0, max(0.0, 1 - (value - 1) / max(high - 1, 1))
        value = min(max(value, low), high)
        return (min(value, 0) - low) / (high - low), (max(value, 0) - low) / (high - low)

    def _folds(self, attribute: int) -> npt.NDArray[np.bool_] | None:
        repeats = self.material.repeats
        if repeats is None or len(repeats.runs) > SQUARES:
            return None
        column: npt.NDArray[np.bool_] = repeats.selected[:, attribute]
        return column


def _ends(values: Floats) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0, 0.0
    return min(float(known.min()), 0.0), max(float(known.max()), 0.0)
