"""The pages in the middle of the window: start, study, process and results."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QStackedWidget, QTabWidget, QWidget

from fsops_gui.base.settings import DesignerSettings
from fsops_gui.base.texts import tr
from fsops_gui.canvas.editor import Editor
from fsops_gui.dialogs.start_page import StartPage
from fsops_gui.panels.results import ResultsPanel


class Pages(QTabWidget):
    """Four pages, chosen at the rail; the one of the process changes with the document."""

    shown = pyqtSignal(str)
    """The action of the page that is shown now."""

    def __init__(self, start: StartPage, results: ResultsPanel, settings: DesignerSettings) -> None:
        super().__init__()
        self.setDocumentMode(True)
        bar = self.tabBar()
        if bar is not None:
            bar.hide()
        self.currentChanged.connect(self._tell)
        self._start = start
        self._results = results
        self._settings = settings
        self._editor: Editor | None = None
        self._study = QStackedWidget()
        self._study.setMinimumSize(300, 200)  # its screens must not widen the other pages
        """Holds the guided study, once it has been shown."""

    def set_editor(self, editor: Editor) -> None:
        """Show the canvas of another document."""
        self._editor = editor
        self.clear()
        self.addTab(self._start, tr("Start"))
        self.addTab(self._study, tr("Study"))
        self.addTab(editor, tr("Process"))
        self.addTab(self._results, tr("Results"))
        self.setCurrentWidget(editor)

    def _tell(self, index: int) -> None:
        actions = ("show_start", "show_study", "show_process", "show_results")
        if 0 <= index < len(actions) and self.count() == len(actions):
            self.shown.emit(actions[index])

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
        self.setCurrentWidget(self._results)
