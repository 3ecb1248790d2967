"""Tables of any size: only the cells on the screen are ever turned into text.

All tables of the designer are `ExampleSet`, so that one model, one order and one filter do for all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QAbstractTableModel, QModelIndex, Qt

from fsops.data import Attribute, ExampleSet, ValueType
from fsops.data.examples import MISSING_CODE, is_missing
from fsops.data.expression import Expression
from fsops.data.schema import NUMERICAL, REGULAR
from fsops_gui.texts import tr
from fsops_gui.theme import current_colours

if TYPE_CHECKING:
    import pandas as pd

ROOT = QModelIndex()
CHUNK = 256
"""Rows that are read together: a screen shows fewer."""
KEPT_CHUNKS = 4096
AT_ONCE = 2**22
"""Numbers that a search looks at together."""
SHOWN_DIGITS = 1e-5
"""How far a number may be from the one that is shown and searched for, as a share of it."""
MISSING = "?"
Rows = npt.NDArray[np.intp]


# --- making tables --------------------------------------------------------------------------


def table_of_frame(frame: pd.DataFrame) -> ExampleSet:
    """Return a narrow data frame, such as a result gives, as a table; its index is left out."""
    columns = []
    for position, name in enumerate(frame.columns):
        values = frame.iloc[:, position].to_numpy()
        columns.append(column_of(str(name), values))
    return ExampleSet.from_columns(_with_own_names(columns), len(frame))


def column_of(name: str, values: npt.ArrayLike) -> tuple[Attribute, npt.NDArray[Any]]:
    """Return numbers, dates or texts as a column of a table."""
    array = np.asarray(values)
    if array.dtype.kind in "fiu":
        whole = array.dtype.kind in "iu"
        kind = ValueType.INTEGER if whole else ValueType.REAL
        return Attribute(name, kind), array.astype(np.float64)
    if array.dtype.kind == "M":
        return Attribute(name, ValueType.DATE), array.astype("datetime64[us]")
    texts = np.empty(len(array), dtype=object)
    texts[:] = [_plain_text(value) for value in array.tolist()]
    return Attribute(name, ValueType.TEXT), texts


def _plain_text(value: object) -> str | None:
    if value is None or value != value:  # noqa: PLR0124 - NaN in a column of objects
        return None
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return str(value)


def _with_own_names(
    columns: Iterable[tuple[Attribute, npt.NDArray[Any]]],
) -> list[tuple[Attribute, npt.NDArray[Any]]]:
    taken: set[str] = set()
    result = []
    for attribute, values in columns:
        name, number = attribute.name, 1
        while name in taken:
            number += 1
            name = f"{attribute.name} ({number})"
        taken.add(name)
        result.append((Attribute(name, attribute.value_type, attribute.role), values))
    return result


# --- text -----------------------------------------------------------------------------------


def cell_text(attribute: Attribute, value: Any) -> str:
    """Return a cell as it is shown."""
    kind = attribute.value_type
    if kind.is_numerical:
        if math.isnan(value):
            return MISSING
        return f"{value:.0f}" if kind is ValueType.INTEGER else f"{value:.6g}"
    if kind.is_nominal:
        return MISSING if value == MISSING_CODE else attribute.categories[value]
    if kind is ValueType.DATE:
        return MISSING if np.isnat(value) else str(value.astype("datetime64[s]")).replace("T", " ")
    return MISSING if value is None else str(value)


def exact_text(attribute: Attribute, value: Any) -> str:
    """Return a cell as it is copied: numbers with every digit, nothing where it is missing."""
    if attribute.value_type.is_numerical:
        if math.isnan(value):
            return ""
        return repr(int(value)) if float(value).is_integer() else repr(float(value))
    text = cell_text(attribute, value)
    return "" if text == MISSING and is_missing(np.array([value]))[0] else text


# --- order and choice of rows ---------------------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """Which rows are to be shown, and in which order."""

    column: int | None = None
    """Position of the attribute to sort by."""
    ascending: bool = True
    text: str = ""
    """What a row must contain."""
    condition: str = ""
    """What must hold in a row, in the language of Filter Examples."""


def arranged(table: ExampleSet, wanted: Wanted, keep: Rows | None = None) -> Rows | None:
    """Return the rows to show, in their order; None where it is the table as it is.

    Only rows of ``keep`` are shown where that is given.
    """
    rows = keep
    if wanted.text or wanted.condition:
        mask = np.ones(len(table), dtype=bool)
        if wanted.text:
            mask &= rows_with(table, wanted.text)
        if wanted.condition:
            mask &= Expression.parse(wanted.condition).mask(table)
        rows = np.flatnonzero(mask) if keep is None else keep[mask[keep]]
    if wanted.column is None:
        return rows
    order = sort_order(table, wanted.column, ascending=wanted.ascending)
    if rows is None:
        return order
    shown = np.zeros(len(table), dtype=bool)
    shown[rows] = True
    return order[shown[order]]


def sort_order(table: ExampleSet, position: int, *, ascending: bool) -> Rows:
    """Return all rows in the order of an attribute; equal ones as they were, missing ones last."""
    attribute = attribute_at(table, position)
    stored = stored_column(table, position)
    if attribute.value_type.is_nominal:
        place = np.argsort(np.argsort(np.array(attribute.categories, dtype=object)))
        keys = np.append(place.astype(np.float64), np.nan)[stored]  # the last for code -1
    elif attribute.value_type is ValueType.TEXT:
        known = sorted({text for text in stored.tolist() if text is not None}, key=str.casefold)
        rank: dict[str | None, float] = {text: float(n) for n, text in enumerate(known)}
        keys = np.array([rank.get(text, np.nan) for text in stored.tolist()])
    elif attribute.value_type is ValueType.DATE:
        keys = np.where(np.isnat(stored), np.nan, stored.astype(np.int64).astype(np.float64))
    else:
        keys = stored
    return np.argsort(keys if ascending else -keys, kind="stable")


def rows_with(table: ExampleSet, text: str) -> npt.NDArray[np.bool_]:
    """Return which rows contain a text, in capitals or not, or a number as it is shown."""
    wanted = text.casefold()
    found = np.zeros(len(table), dtype=bool)
    numerical = table.schema.of_types(NUMERICAL)
    others = np.delete(np.arange(len(table.schema)), numerical)
    for position in others.tolist():
        attribute, stored = attribute_at(table, position), stored_column(table, position)
        if attribute.value_type.is_nominal:
            hits = [wanted in category.casefold() for category in attribute.categories]
            found |= np.array([*hits, False])[stored]
        else:
            found |= [wanted in cell_text(attribute, value).casefold() for value in stored]
    try:
        number = float(text)
    except ValueError:
        return found
    step = max(1, AT_ONCE // max(1, len(table)))
    for first in range(0, len(numerical), step):
        values = table.values(numerical[first : first + step])
        found |= (np.abs(values - number) <= abs(number) * SHOWN_DIGITS).any(axis=1)
    return found


def attribute_at(table: ExampleSet, position: int) -> Attribute:
    """Return the attribute at a position."""
    return table.schema.attribute(table.names[position])


def stored_column(table: ExampleSet, position: int) -> npt.NDArray[Any]:
    """Return the stored values of the attribute at a position."""
    column: npt.NDArray[Any] = table.values(np.array([position], dtype=np.intp))[:, 0]
    return column


# --- the model ------------------------------------------------------------------------------


class TableModel(QAbstractTableModel):
    """A table for a `QTableView`; special attributes come first, whatever their place.

    Parameters
    ----------
    table : ExampleSet
    kinds : bool
        Whether the heading tells type and role of each attribute.
    bars : mapping of int to (float, float)
        Positions of attributes with a bar in each cell, and the numbers of its two ends.
    """

    BarRole = Qt.ItemDataRole.UserRole
    """The cell's share of the width where a bar begins and ends, or None."""

    def __init__(
        self,
        table: ExampleSet,
        *,
        kinds: bool = False,
        bars: dict[int, tuple[float, float]] | None = None,
    ) -> None:
        super().__init__()
        self.table = table
        self.kinds = kinds
        self.bars = bars or {}
        self.rows: Rows | None = None
        special = [table.schema.position(name) for name in table.schema.roles]
        self.positions: npt.NDArray[np.intp] = np.concatenate(
            [np.array(special, dtype=np.intp), table.schema.regular]
        )
        """For each column the position of its attribute."""
        self._attributes: dict[int, Attribute] = {}
        self._pieces: dict[int, ExampleSet] = {}
        self._kept: dict[tuple[int, int], npt.NDArray[Any]] = {}

    def rowCount(self, parent: QModelIndex = ROOT) -> int:
        """Return how many rows are shown."""
        if parent.isValid():
            return 0
        return len(self.table) if self.rows is None else len(self.rows)

    def columnCount(self, parent: QModelIndex = ROOT) -> int:
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(self.positions)

    def row(self, shown: int) -> int:
        """Return which row of the table stands at a place."""
        return shown if self.rows is None else int(self.rows[shown])

    def attribute(self, column: int) -> Attribute:
        """Return the attribute of a column."""
        if column not in self._attributes:
            self._attributes[column] = attribute_at(self.table, int(self.positions[column]))
        return self._attributes[column]

    def value(self, shown: int, column: int) -> Any:
        """Return a stored value; only rows near it are read, however many there are."""
        number, place = divmod(shown, CHUNK)
        if (number, column) not in self._kept:
            while len(self._kept) >= KEPT_CHUNKS:
                self._kept.pop(next(iter(self._kept)))
            piece = self._piece(number)
            self._kept[number, column] = stored_column(piece, int(self.positions[column]))
        return self._kept[number, column][place]

    def _piece(self, number: int) -> ExampleSet:
        if number not in self._pieces:
            if len(self._pieces) >= KEPT_CHUNKS // CHUNK:
                self._pieces.clear()
            shown = range(number * CHUNK, min((number + 1) * CHUNK, self.rowCount()))
            rows = np.arange(shown.start, shown.stop)
            self._pieces[number] = self.table.take(rows if self.rows is None else self.rows[rows])
        return self._pieces[number]

    def show_rows(self, rows: Rows | None) -> None:
        """Show some rows, in the given order; None for all as they are."""
        self.beginResetModel()
        self._pieces.clear()
        self._kept.clear()
        self.rows = rows
        self.endResetModel()

    def text(self, shown: int, column: int) -> str:
        """Return a cell as it is shown."""
        return cell_text(self.attribute(column), self.value(shown, column))

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell; numbers stand on the right."""
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            number = self.attribute(index.column()).value_type.is_numerical
            side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == self.BarRole:
            return self._bar(index.row(), index.column())
        if role == Qt.ItemDataRole.ForegroundRole and self._is_missing(index):
            return current_colours().faint
        return None

    def _is_missing(self, index: QModelIndex) -> bool:
        return self.text(index.row(), index.column()) == MISSING

    def _bar(self, shown: int, column: int) -> tuple[float, float] | None:
        ends = self.bars.get(int(self.positions[column]))
        if ends is None:
            return None
        low, high = min(ends[0], 0.0), max(ends[1], 0.0)
        value = float(self.value(shown, column))
        if np.isnan(value) or low == high:
            return None
        value = min(max(value, low), high)
        return (min(value, 0.0) - low) / (high - low), (max(value, 0.0) - low) / (high - low)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Return name, type and role of a column, or the number of a row."""
        if orientation == Qt.Orientation.Vertical:
            return str(self.row(section) + 1) if role == Qt.ItemDataRole.DisplayRole else None
        if role not in _HEADING_ROLES:
            return None
        attribute = self.attribute(section)
        if role == Qt.ItemDataRole.ForegroundRole:
            return role_colour(attribute.role) if self.kinds else None
        words = kind_words(attribute)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{attribute.name}\n{words}" if self.kinds else attribute.name
        if not self.kinds:
            return attribute.name
        return f"{_ROLE_SIGNS.get(attribute.role, '')}{attribute.name}\n{words}"

    @cached_property
    def _folded_names(self) -> list[str]:
        return [self.table.names[p].casefold() for p in self.positions.tolist()]

    def find_column(self, text: str, after: int = -1) -> int | None:
        """Return the next column whose name is, begins with, or contains a text."""
        wanted = text.casefold()
        names = self._folded_names
        turn = [*range(after + 1, len(names)), *range(after + 1)]
        if after < 0 and wanted in names:
            return names.index(wanted)
        return next((c for c in turn if wanted in names[c]), None)


_HEADING_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.ForegroundRole,
)
_ROLE_SIGNS = {"label": "★ ", "id": "# ", "weight": "⚖ ", "prediction": "➜ "}


def kind_words(attribute: Attribute) -> str:
    """Return type and role of an attribute in words."""
    kind = str(attribute.value_type)
    return kind if attribute.role == REGULAR else f"{kind} · {attribute.role}"


def role_colour(role: str) -> Any:
    """Return the colour of attributes with a role; None for the ordinary ones."""
    if role == REGULAR:
        return None
    ports = current_colours().ports
    names = {"label": "performance", "id": "model", "weight": "weights"}
    return ports[names.get(role, "table")]


def rows_of(table: ExampleSet, rows: Rows | None) -> ExampleSet:
    """Return the table with the rows that are shown, in their order."""
    return table if rows is None else table.take(rows)


def texts_of(model: TableModel, rows: Sequence[int], columns: Sequence[int]) -> list[list[str]]:
    """Return cells as they are copied, headings first."""
    attributes = [model.attribute(c) for c in columns]
    piece = model.table.take(np.array([model.row(r) for r in rows], dtype=np.intp))
    read = [stored_column(piece, int(model.positions[c])) for c in columns]
    cells = [
        [exact_text(a, v[r]) for a, v in zip(attributes, read, strict=True)]
        for r in range(len(rows))
    ]
    return [[a.name for a in attributes], *cells]
