"""Tables of any size: only the cells on the screen are ever turned into text."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QAbstractTableModel, QModelIndex, Qt

if TYPE_CHECKING:
    import pandas as pd

ROOT = QModelIndex()


def read_frame(path: Path) -> pd.DataFrame:
    """Return the table in a Parquet or CSV file."""
    import pandas as pd

    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    return pd.read_csv(path)


def cell_text(value: Any) -> str:
    """Return a cell as it is shown."""
    if isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f":
        return "?" if math.isnan(value) else f"{value:.6g}"
    return "?" if value is None else str(value)


class FrameModel(QAbstractTableModel):
    """A pandas table for a `QTableView`; sorting changes the order, not the table."""

    def __init__(self, frame: pd.DataFrame) -> None:
        super().__init__()
        self.frame = frame
        self._order: Any = None

    def rowCount(self, parent: QModelIndex = ROOT) -> int:
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self.frame)

    def columnCount(self, parent: QModelIndex = ROOT) -> int:
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(self.frame.columns)

    def row(self, shown: int) -> int:
        """Return which row of the table stands at a place."""
        return int(self._order[shown]) if self._order is not None else shown

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell; numbers stand on the right."""
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_text(self.frame.iat[self.row(index.row()), index.column()])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            number = self.frame.dtypes.iloc[index.column()].kind in "fiu"
            side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Return the name of a column or the number of a row."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return str(self.frame.columns[section])
        return str(self.row(section) + 1)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; missing values come last."""
        self.layoutAboutToBeChanged.emit()
        values = self.frame.iloc[:, column].reset_index(drop=True)
        ascending = order == Qt.SortOrder.AscendingOrder
        ordered = values.sort_values(ascending=ascending, kind="stable", na_position="last")
        self._order = ordered.index.to_numpy()
        self.layoutChanged.emit()
