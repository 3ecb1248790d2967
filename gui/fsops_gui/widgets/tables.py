"""Tables of any size: only the cells on the screen are ever turned into text.

All tables of the designer are `ExampleSet`, so that one model, one order and one filter do for all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PyQt6.QtGui import QColor

from fsops.data import Attribute, ExampleSet, ValueType
from fsops.data.columns import MISSING_CODE, is_missing
from fsops.data.detail_headings import DetailHeading, column_heading
from fsops.data.schema import REGULAR
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours

if TYPE_CHECKING:
    import pandas as pd

ROOT = QModelIndex()
LOOKED_AT = 50
"""Rows that decide how wide a column is."""
LONG_TEXT = 20
"""Letters of a text that may not fit into its cell."""
CHUNK = 256
"""Rows that are read together: a screen shows fewer."""
KEPT_CHUNKS = 4096
MISSING = "?"
DIGITS = 6
FEWEST_FIXED, MOST_FIXED = 1e-2, 1e6
"""Between these largest values a column with bars has the same decimals in each cell."""
"""Digits of a number in a table of data."""
FEW_DIGITS = 4
"""Digits of a weight, or a merit."""
Rows = npt.NDArray[np.intp]


# --- making tables --------------------------------------------------------------------------


def table_of_frame(frame: pd.DataFrame) -> ExampleSet:
    """Return a narrow data frame, such as a result gives, as a table; its index is left out."""
    columns = []
    for position, name in enumerate(frame.columns):
        values = frame.iloc[:, position].to_numpy()
        columns.append(column_of(str(name), values))
    return ExampleSet.from_columns(_with_own_names(columns), len(frame))


def headings_of(table: ExampleSet) -> dict[int, DetailHeading]:
    """Return in words the names of columns of a result that have other names in files."""
    found = {n: column_heading(name) for n, name in enumerate(table.names)}
    return {n: words for n, words in found.items() if words.heading != table.names[n]}


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


def cell_text(attribute: Attribute, value: Any, digits: int = DIGITS) -> str:
    """Return a cell as it is shown."""
    kind = attribute.value_type
    if kind.is_numerical:
        if math.isnan(value):
            return MISSING
        whole = kind is ValueType.INTEGER
        return f"{value:.0f}" if whole else _number_text(float(value), digits)
    if kind.is_nominal:
        return MISSING if value == MISSING_CODE else attribute.categories[value]
    if kind is ValueType.DATE:
        return MISSING if np.isnat(value) else str(value.astype("datetime64[s]")).replace("T", " ")
    return MISSING if value is None else str(value)


def cell_texts(attribute: Attribute, values: npt.NDArray[Any]) -> list[str]:
    """Return many cells as they are shown; of texts and dates that is much faster than by one."""
    if attribute.value_type is ValueType.TEXT:
        return [MISSING if value is None else str(value) for value in values.tolist()]
    if attribute.value_type is ValueType.DATE:
        texts = np.datetime_as_string(values.astype("datetime64[s]")).tolist()
        return [MISSING if text == "NaT" else text.replace("T", " ") for text in texts]
    return [cell_text(attribute, value) for value in values]


def _number_text(value: float, digits: int) -> str:
    """Return a number with so many significant digits; a value just below 1 is not rounded to 1."""
    text = f"{value:.{digits}g}"
    if text != "1" or value == 1.0:
        return text
    return f"1 − {1 - value:.1g}" if value < 1.0 else f"1 + {value - 1:.1g}"


def exact_text(attribute: Attribute, value: Any) -> str:
    """Return a cell as it is copied: numbers with every digit, nothing where it is missing."""
    if attribute.value_type.is_numerical:
        if math.isnan(value):
            return ""
        return repr(int(value)) if float(value).is_integer() else repr(float(value))
    return "" if _is_missing(attribute, value) else cell_text(attribute, value)


def _is_missing(attribute: Attribute, value: Any) -> bool:
    """Return whether a cell is empty; a text may be called "?" and be none the less there."""
    if attribute.value_type is ValueType.TEXT:
        return value is None
    return bool(is_missing(np.asarray([value]))[0])


# --- reading ---------------------------------------------------------------------------------


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
        Whether the heading shows type and role of each attribute.
    bars : mapping of int to (float, float)
        Positions of attributes with a bar in each cell, and the numbers of its two ends.
    digits : int
        Digits that count in the numbers; the tip of a cell has all of them.
    right : collection of int
        Positions of right-aligned texts.
    tails : mapping of int to array
        Positions of weights that are 1 − p, and p of each row: a p too small for the difference is
        shown all the same.
    headings : mapping of int to DetailHeading
        Positions of attributes with a heading in place of the name.
    lined_up : collection of int
        Positions of numbers with as many decimals each, as those with bars have.
    """

    BarRole = Qt.ItemDataRole.UserRole
    """The fractions of the cell's width where a bar begins and ends, or None."""

    def __init__(
        self,
        table: ExampleSet,
        *,
        kinds: bool = False,
        bars: dict[int, tuple[float, float]] | None = None,
        digits: int = DIGITS,
        right: Collection[int] = (),
        tails: Mapping[int, npt.NDArray[np.float64]] | None = None,
        headings: Mapping[int, DetailHeading] | None = None,
        lined_up: Collection[int] = (),
    ) -> None:
        super().__init__()
        self.table = table
        self.digits, self.right, self.tails = digits, right, tails or {}
        self.kinds = kinds
        self.headings = headings or {}
        self.lined_up = lined_up
        self.bars = bars or {}
        self._decimals_of: dict[int, int | None] = {}
        self.rows: Rows | None = None
        special = [table.schema.position(name) for name in table.schema.roles]
        self.positions: npt.NDArray[np.intp] = np.concatenate(
            [np.array(special, dtype=np.intp), table.schema.regular]
        )
        """For each column the position of its attribute."""
        self._attributes: dict[int, Attribute] = {}
        self._longest: dict[int, str] = {}
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
        """Return the row of the table at a place."""
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
        self._longest.clear()
        self.rows = rows
        self.endResetModel()

    def text(self, shown: int, column: int) -> str:
        """Return a cell as it is shown."""
        tail = self.tails.get(int(self.positions[column]))
        value = self.value(shown, column)
        if tail is not None and value == 1.0 and tail[self.row(shown)] > 0:
            return f"1 − {tail[self.row(shown)]:.1e}"
        decimals = self._decimals(column)
        if decimals is not None and (value == 0 or abs(value) >= 10.0**-decimals):
            return f"{value:.{decimals}f}"
        return cell_text(self.attribute(column), value, self.digits)

    def _decimals(self, column: int) -> int | None:
        """Return how many decimals all numbers of a column have, if they are to line up."""
        at = int(self.positions[column])
        if at in self.tails or (at not in self.bars and at not in self.lined_up):
            return None
        if not self.attribute(column).value_type.is_numerical:
            return None
        if at not in self._decimals_of:
            values = np.abs(stored_column(self.table, at).astype(np.float64))
            known = values[np.isfinite(values)]
            largest = float(known.max(initial=0.0))
            whole = not largest or bool((known == np.floor(known)).all())
            steady = not whole and FEWEST_FIXED <= largest < MOST_FIXED
            digits = self.digits - 1 - math.floor(math.log10(largest)) if steady else 0
            self._decimals_of[at] = _needed(known, max(digits, 0)) if steady else None
        return self._decimals_of[at]

    def longest_text(self, column: int) -> str:
        """Return the longest text of a column among the first rows that are shown."""
        if column not in self._longest:
            texts = (self.text(row, column) for row in range(min(self.rowCount(), LOOKED_AT)))
            self._longest[column] = max(texts, key=len, default="")
        return self._longest[column]

    def tip(self, shown: int, column: int) -> str | None:
        """Return all of a cell where only a part of it is shown."""
        attribute, text = self.attribute(column), self.text(shown, column)
        if attribute.value_type.is_numerical:
            exact = exact_text(attribute, self.value(shown, column))
            return exact if exact not in ("", text) else None
        return text if len(text) > LONG_TEXT else None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell; numbers are right-aligned."""
        answers: dict[int, Callable[[int, int], Any]] = {
            Qt.ItemDataRole.DisplayRole: self.text,
            Qt.ItemDataRole.TextAlignmentRole: self._side,
            Qt.ItemDataRole.ToolTipRole: self.tip,
            Qt.ItemDataRole.ForegroundRole: self._colour,
            self.BarRole: self._bar,
        }
        answer = answers.get(role)
        return answer(index.row(), index.column()) if answer and index.isValid() else None

    def _side(self, _shown: int, column: int) -> Qt.AlignmentFlag:
        number = self.attribute(column).value_type.is_numerical
        number = number or int(self.positions[column]) in self.right
        side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter

    def _colour(self, shown: int, column: int) -> QColor | None:
        missing = _is_missing(self.attribute(column), self.value(shown, column))
        return current_colours().faint if missing else None

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
        is_tip = role == Qt.ItemDataRole.ToolTipRole
        heading = self.headings.get(int(self.positions[section]))
        if heading is not None:
            return heading_tip(attribute.name, heading) if is_tip else tr(heading.heading)
        if not self.kinds:
            return attribute.name
        sign = "" if is_tip else _ROLE_SIGNS.get(attribute.role, "")
        return f"{sign}{attribute.name}\n{kind_words(attribute)}"

    @cached_property
    def _folded_names(self) -> list[str]:
        return [self.table.names[p].casefold() for p in self.positions.tolist()]

    def find_column(self, text: str, after: int = -1) -> int | None:
        """Return the next column whose name is, begins with, or contains a text."""
        wanted = text.casefold()
        names = self._folded_names
        iteration = [*range(after + 1, len(names)), *range(after + 1)]
        if after < 0 and wanted in names:
            return names.index(wanted)
        return next((c for c in iteration if wanted in names[c]), None)


def heading_tip(name: str, heading: DetailHeading) -> str:
    """Return the explanation of a column, and its name in files."""
    lines = [tr(heading.about)] if heading.about else []
    if name != heading.heading:
        lines.append(tr("Name in files: {name}", name=name))
    return "\n".join(lines) or tr(heading.heading)


def _needed(values: npt.NDArray[np.float64], decimals: int) -> int:
    """Return how many decimals are left without zeros at the end of all values."""
    rounded = np.round(values, decimals)
    fewer = (d for d in range(decimals) if np.allclose(np.round(values, d), rounded, 0, 1e-12))
    return next(fewer, decimals)


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
    """Return the color of attributes with a role; None for the ordinary ones."""
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
