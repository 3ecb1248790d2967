"""The results of a run: tables, texts and figures, as the run has written them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QGuiApplication, QPixmap, QResizeEvent
from PyQt6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from fsops_gui.running import RunReport, RunResult
from fsops_gui.tables import FrameModel, read_frame
from fsops_gui.texts import tr

COPIED = 10_000
"""How many rows are copied at most."""


class TableView(QTableView):
    """A table that can be sorted and copied."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.table_model = FrameModel(read_frame(path))
        self.setModel(self.table_model)
        self.setSortingEnabled(False)
        self.setAlternatingRowColors(True)
        self.setAccessibleName(path.stem)
        header = self.horizontalHeader()
        if header is not None:
            header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
            header.setSectionsClickable(True)
            header.setSortIndicatorShown(True)
            header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            header.sortIndicatorChanged.connect(self._sort)
        names = [str(name) for name in self.table_model.frame.columns[:3]]
        for column, _name in enumerate(names):
            self.setColumnWidth(column, 180 if column == 0 else 130)

    def _sort(self, column: int, order: Qt.SortOrder) -> None:
        if column >= 0:
            self.table_model.sort(column, order)

    def as_csv(self) -> str:
        """Return the table as text, in its own order."""
        return str(self.table_model.frame.head(COPIED).to_csv(index=False))


class PictureView(QScrollArea):
    """A figure, as large as there is room for."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._picture = QPixmap(str(path))
        self._label = QLabel()
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._label.setAccessibleName(path.stem)
        self.setWidget(self._label)
        self.setWidgetResizable(True)

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Fit the figure to the room."""
        super().resizeEvent(a0)
        viewport = self.viewport()
        if viewport is not None and not self._picture.isNull():
            keep = Qt.AspectRatioMode.KeepAspectRatio
            smooth = Qt.TransformationMode.SmoothTransformation
            self._label.setPixmap(self._picture.scaled(viewport.size(), keep, smooth))


class TextView(QPlainTextEdit):
    """A result as text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setReadOnly(True)


def result_text(content: dict[str, Any]) -> str:
    """Return what a result file says, for people."""
    if "criteria" in content:
        lines = []
        for c in content["criteria"]:
            spread = f" ± {c['deviation']:.4g}" if c.get("deviation") is not None else ""
            count = f"  ({c['count']} values)" if c.get("count", 1) > 1 else ""
            lines.append(f"{c['name']}: {c['mean']:.4g}{spread}{count}")
        return "\n".join(lines)
    return json.dumps(content, indent=2, ensure_ascii=False)


def view_of(path: Path) -> QWidget:
    """Return the view that suits a file."""
    if path.suffix in (".csv", ".parquet"):
        return TableView(path)
    if path.suffix == ".png":
        return PictureView(path)
    if path.suffix == ".json":
        return TextView(result_text(json.loads(path.read_text(encoding="utf-8"))))
    return TextView(path.read_text(encoding="utf-8", errors="replace"))


def shown_files(result: RunResult) -> list[Path]:
    """Return the files to show: of a table in two forms only one."""
    there = [file for file in result.files if file.is_file()]
    stems = {file.stem for file in there if file.suffix == ".parquet"}
    return [f for f in there if not (f.suffix == ".csv" and f.stem in stems)]


class ResultView(QTabWidget):
    """All that is known of one result; views are made when they are looked at."""

    def __init__(self, result: RunResult) -> None:
        super().__init__()
        self.result = result
        self._files = shown_files(result)
        self.setTabPosition(QTabWidget.TabPosition.South)
        for file in self._files:
            self.addTab(QWidget(), self._name(file))
        self.currentChanged.connect(self._fill)
        self._fill(0)

    def _name(self, file: Path) -> str:
        if file.suffix == ".png":
            return file.stem.rpartition(".")[2].replace("_", " ").capitalize()
        return tr("Table") if file.suffix in (".csv", ".parquet") else tr("Text")

    def _fill(self, index: int) -> None:
        page = self.widget(index)
        if page is None or page.layout() is not None:
            return
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(view_of(self._files[index]))


class ResultsPanel(QWidget):
    """A tab for each result of the last run."""

    def __init__(self) -> None:
        super().__init__()
        self.state = QLabel(tr("No run yet. Run the process with F5."))
        self.state.setWordWrap(True)
        self.copy_button = QPushButton(tr("Copy as CSV"))
        self.copy_button.clicked.connect(self._copy)
        self.copy_button.setEnabled(False)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(tr("Results"))
        line = QHBoxLayout()
        line.addWidget(self.state, 1)
        line.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.addLayout(line)
        layout.addWidget(self.tabs, 1)

    def show_report(self, report: RunReport) -> None:
        """Show how a run ended and what it delivered."""
        self.clear()
        took = f" ({report.seconds:.1f} s)" if report.seconds is not None else ""
        words = {
            "finished": tr("Finished"),
            "failed": tr("Failed"),
            "cancelled": tr("Stopped"),
            "crashed": tr("Crashed"),
        }
        said = f"{report.message} {report.hint}".strip()
        where = f" {' › '.join(report.origin)}:" if report.origin else ""
        status = words.get(report.status, report.status)
        self.state.setText(f"{status}{took}{':' if said else ''}{where} {said}".strip())
        for result in report.results:
            self.tabs.addTab(ResultView(result), result.name)
        self.copy_button.setEnabled(bool(report.results))

    def mark_stale(self) -> None:
        """Say that the process is no longer the one that was run."""
        note = tr("The process has changed since this run.")
        if self.tabs.count() and note not in self.state.text():
            self.state.setText(f"{self.state.text()}  ⚠ {note}")

    def clear(self) -> None:
        """Forget the results."""
        while self.tabs.count():
            page = self.tabs.widget(0)
            self.tabs.removeTab(0)
            if page is not None:
                page.deleteLater()

    def _copy(self) -> None:
        page = self.tabs.currentWidget()
        tables = page.findChildren(TableView) if page is not None else []
        board = QGuiApplication.clipboard()
        if tables and board is not None:
            board.setText(tables[0].as_csv())
