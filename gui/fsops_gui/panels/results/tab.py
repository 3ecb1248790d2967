"""One tab of the panel of results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QLabel, QWidget

from fsops.data import FlowObject
from fsops.runs.watch import WatchedResult
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.panels.results.exports import Cells
from fsops_gui.panels.results.page import Page, TextPage, filled
from fsops_gui.panels.results.table_view import TablePage
from fsops_gui.panels.results.views import PageSpec, ResultView, pages_of
from fsops_gui.run.child_run import ChildRun
from fsops_gui.widgets.tables import table_of_frame


class ResultTab(QWidget):
    """One result: read in a thread, then shown."""

    said = pyqtSignal(str)
    compare_wanted = pyqtSignal(str, object)
    changed = pyqtSignal()
    """Its title is another one, or it can show something now."""

    def __init__(self, title: str, key: object = None, operator: str = "") -> None:
        super().__init__()
        self.title, self.key, self.operator = title, key, operator
        self.run: ChildRun | None = None
        self.is_final = True
        """Whether no newer value can come from the same run."""
        self.pinned = self.stale = False
        self.view: ResultView | Page | None = None
        self.note = QLabel(tr("Reading…"))
        self.note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.note.setWordWrap(True)
        filled(self, self.note)

    @property
    def heading(self) -> str:
        """The title, and a description."""
        marks = [tr("pinned")] * self.pinned + [tr("outdated")] * self.stale
        return f"{self.title} ({', '.join(marks)})" if marks else self.title

    def load(
        self, work: Callable[[], FlowObject | None], instead: Callable[[], Page] | None = None
    ) -> None:
        """Read a result in a thread; where it was not kept something else can take its place."""

        def read() -> tuple[FlowObject | None, list[PageSpec]]:
            value = work()
            return value, [] if value is None else pages_of(value, self.title)

        def show(found: tuple[FlowObject | None, list[PageSpec]]) -> None:
            value, pages = found
            if value is not None:
                self.show_view(ResultView(value, self.title, pages))
            elif instead is not None:
                self.show_view(instead())
            else:
                self.note.setText(tr("This result was not kept. Run the process again to see it."))

        in_background(self, read, show, self._complain)

    def _complain(self, error: Exception) -> None:
        self.note.setText(tr("This result cannot be shown: {why}", why=error))

    def show_view(self, view: ResultView | Page) -> None:
        """Show the views of the result."""
        self.view = view
        view.said.connect(self.said)
        view.compare_wanted.connect(self.compare_wanted)
        layout = self.layout()
        assert layout is not None
        layout.replaceWidget(self.note, view)
        self.note.hide()
        view.show()
        self.changed.emit()

    def cells(self) -> Cells | None:
        """Return the text of the visible view for copying."""
        page = self.view.current_page() if isinstance(self.view, ResultView) else self.view
        return None if page is None else page.cells()


def port_title(operator: str, port: str) -> str:
    """Return the title of the tab of a port."""
    return tr("{operator} · {port}", operator=operator, port=port)


def title_of(result: WatchedResult) -> str:
    """Return operator and port of a result, as tabs are called."""
    operator, _, port = result.name.rpartition(".")
    return port_title(operator, port) if operator else result.name


def operator_of(result: WatchedResult) -> str:
    """Return the operator that has returned a result."""
    return result.name.rpartition(".")[0]


def page_of_files(result: WatchedResult) -> Page:
    """Return a view of the files of a run, for results that cannot be stored otherwise."""
    there = {file.suffix: file for file in result.files if file.is_file()}
    for suffix in (".parquet", ".csv"):
        if suffix in there:
            return TablePage(table_of_frame(_read_frame(there[suffix])), result.name, kinds=False)
    if ".json" in there:
        content = json.loads(there[".json"].read_text(encoding="utf-8"))
        return TextPage(json.dumps(content, indent=2, ensure_ascii=False))
    return page_of_unkept(result.title)


def page_of_unkept(title: str, summary: str = "") -> Page:
    """Return what can be said of a result that cannot be kept, such as the model of a forest."""
    why = tr(
        "Results of this kind cannot be stored after a run, so only this description is shown."
    )
    return TextPage("\n\n".join(text for text in (title, summary, why) if text))


def _read_frame(path: Path) -> Any:
    import pandas as pd

    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
