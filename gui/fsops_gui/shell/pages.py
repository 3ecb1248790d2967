"""The pages in the middle of the window: start, study, process and results."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QStackedWidget, QTabWidget, QWidget

from fsops_gui.base.settings import DesignerSettings
from fsops_gui.base.texts import tr
from fsops_gui.canvas.editor import Editor
from fsops_gui.dialogs.start_page import StartPage
from fsops_gui.panels.results import ResultsPanel

ACTIONS = ("show_start", "show_study", "show_process", "show_results")
"""Actions of the pages, in their order."""


class Pages(QTabWidget):
    """Four pages, chosen at the rail; process and results change with the document."""

    shown = pyqtSignal(str)
    """The action of the page that is shown now."""

    def __init__(self, start: StartPage, settings: DesignerSettings) -> None:
        super().__init__()
        self.setDocumentMode(True)
        bar = self.tabBar()
        if bar is not None:
            bar.hide()
        self.currentChanged.connect(self._tell)
        self._start = start
        self._results: ResultsPanel | None = None
        self._settings = settings
        self._editor: Editor | None = None
        self._study = QStackedWidget()
        self._study.setMinimumSize(300, 200)  # its screens must not widen the other pages
        """Holds the guided study, once it has been shown."""

    def set_session(self, editor: Editor, results: ResultsPanel, page: str) -> None:
        """Show canvas and results of another document, on a page given by its action."""
        self._editor, self._results = editor, results
        self.blockSignals(True)
        self.clear()
        for widget, title in (
            (self._start, tr("Start")), (self._study, tr("Study")), (editor, tr("Process")),
            (results, tr("Results")),
        ):  # fmt: skip
            self.addTab(widget, title)
        self.setCurrentIndex(ACTIONS.index(page))
        self.blockSignals(False)
        self._tell(self.currentIndex())

    @property
    def name(self) -> str:
        """The action of the page of the document that is shown; empty on start and study."""
        action = ACTIONS[self.currentIndex()] if self.count() == len(ACTIONS) else ""
        return action if action in ("show_process", "show_results") else ""

    def _tell(self, index: int) -> None:
        if 0 <= index < len(ACTIONS) and self.count() == len(ACTIONS):
            self.shown.emit(ACTIONS[index])

    @property
    def is_start(self) -> bool:
        """Whether the start page is shown."""
        return self.currentWidget() is self._start

    def show_start(self) -> None:
        """Show the start page."""
        self._start.show_recent(self._settings.recent())
        self.setCurrentWidget(self._start)
        self._start.new_button.setFocus()

    @property
    def is_study(self) -> bool:
        """Whether the guided study is shown."""
        return self.currentWidget() is self._study

    def hold_study(self, page: QWidget) -> None:
        """Take the page of the guided study, which is made when it is first needed."""
        self._study.addWidget(page)

    def show_study(self, page: QWidget) -> None:
        """Show the guided study."""
        self._study.setCurrentWidget(page)
        self.setCurrentWidget(self._study)
        page.setFocus()

    def show_process(self) -> None:
        """Show the canvas."""
        if self._editor is not None:
            self.setCurrentWidget(self._editor)
            self._editor.view.setFocus()

    def show_results(self) -> None:
        """Show the results."""
        if self._results is not None:
            self.setCurrentWidget(self._results)
