"""The last result of the selected operator, or of the port that was clicked, below the canvas."""

from __future__ import annotations

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from fsops_gui.base.texts import tr
from fsops_gui.panels.results.page import filled
from fsops_gui.panels.results.tab import ResultTab, page_of_unkept, port_title
from fsops_gui.run.child_run import ChildRun, progress_words
from fsops_gui.widgets.empty_state import EmptyState


class ResultDock(QWidget):
    """Shows one result at a time; nothing is opened or closed by a click on the canvas."""

    said = pyqtSignal(str)
    compare_wanted = pyqtSignal(str, object)
    pinned = pyqtSignal(str, str)
    """Operator and port whose result is to be opened as a separate page."""
    run_wanted = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.operator, self.port = "", ""
        self.tab: ResultTab | None = None
        self._run: ChildRun | None = None
        self._under_way: ChildRun | None = None
        self._wanted: tuple[ChildRun, str, str] | None = None
        self._shown: tuple[int, str, str, str | None] | None = None
        self.title = QLabel()
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.ports = QComboBox()
        self.ports.setAccessibleName(tr("Output"))
        self.ports.activated.connect(self._choose_port)
        self.state = QLabel()
        self.pin = QPushButton(tr("Open as a page"))
        self.pin.setToolTip(tr("Show this result among the results, with more room"))
        self.pin.clicked.connect(lambda: self.pinned.emit(self.operator, self.port))
        line = QHBoxLayout()
        line.setContentsMargins(12, 2, 8, 2)
        line.setSpacing(8)
        line.addWidget(self.title, 1)
        for widget in (self.state, self.ports, self.pin):
            line.addWidget(widget)
        self.head = QWidget()
        """The line above the result; the title bar of the panel."""
        self.head.setLayout(line)
        self.head.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.empty = EmptyState("results", tr("No result yet"), "", tr("Run"))
        self.empty.acted.connect(self.run_wanted)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        filled(self, self.stack)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._show_wanted)
        self.show_nothing("")

    def show_nothing(self, why: str, *, runs: bool = True) -> None:
        """Say why there is nothing to see, and what to do."""
        self._clear()
        if self._under_way is not None:
            self._say_progress(self._under_way)
            return
        self.empty.say(
            tr("Run the process to see its results") if runs else tr("No result here"),
            why or tr("Then select an operator, or click a port: its result appears here."),
            offers=runs,
        )

    def show_failure(self, run: ChildRun) -> None:
        """Say that a run has ended without any result, and why."""
        self._clear()
        stopped = run.report.status == "cancelled"
        self.empty.say(
            tr("The run was stopped before it had a result") if stopped else tr("The run failed"),
            "" if stopped else run.report.message,
        )

    def follow(self, run: ChildRun | None) -> None:
        """Show the progress of a run under way, where no result is shown."""
        self._under_way = run if run is not None and run.running else None
        if self.tab is not None:
            self.show_stale()
        elif self._under_way is not None:
            self._say_progress(self._under_way)

    def _say_progress(self, run: ChildRun) -> None:
        title, lines = progress_words(run)
        later = tr("Results are shown here when the run has ended, or waits at a breakpoint.")
        self.empty.say(title, "\n".join([*lines, later]), offers=False)

    def _clear(self) -> None:
        self._wanted = None
        self._drop()
        self.operator = self.port = ""
        self.title.clear()
        for widget in (self.state, self.ports, self.pin):
            widget.hide()
        self.stack.setCurrentWidget(self.empty)

    def show_port(self, run: ChildRun, operator: str, port: str) -> None:
        """Show the last value of a port, as soon as the panel is visible."""
        self._wanted = (run, operator, port)
        if self.isVisible():
            self._later.start(0)

    def showEvent(self, a0: object) -> None:
        """Read the values requested while the panel was hidden."""
        super().showEvent(a0)  # type: ignore[arg-type]
        if self._wanted is not None:
            self._later.start(0)

    def _show_wanted(self) -> None:
        if self._wanted is None:
            return
        (run, operator, port), self._wanted = self._wanted, None
        known = run.report.ports.get((operator, port))
        if known is None:
            return
        key = (id(run), operator, port, known.key)
        if key != self._shown:
            self._drop()
            self._shown = key
            self.tab = ResultTab(port_title(operator, port), key, operator)
            self.tab.said.connect(self.said)
            self.tab.compare_wanted.connect(self.compare_wanted)
            self.stack.addWidget(self.tab)
            if known.key is None:
                self.tab.show_view(page_of_unkept(known.title, known.summary))
            else:
                self.tab.load(lambda: run.value(operator, port))
        self._run, self.operator, self.port = run, operator, port
        if self.tab is not None:
            self.stack.setCurrentWidget(self.tab)
        self._show_head(known.summary)

    def _show_head(self, summary: str) -> None:
        assert self._run is not None
        self.title.setText(f"{port_title(self.operator, self.port)}   {summary}")
        self.title.setToolTip(summary)
        names = [port for name, port in self._run.report.ports if name == self.operator]
        self.ports.clear()
        self.ports.addItems(names)
        self.ports.setCurrentText(self.port)
        self.ports.setVisible(len(names) > 1)
        self.pin.show()
        self.show_stale()

    def show_stale(self) -> None:
        """Say whether the result is still that of the process as it is now."""
        run = self._run
        state = None if run is None else run.report.operators.get(self.operator)
        stale = state is not None and state.stale
        earlier = self._under_way is not None and self._under_way is not run
        if earlier:
            words = tr("… running: result of the run before")
            about = tr("The new result is shown when the run has ended.")
        elif stale:
            words = tr("↺ out of date")
            about = tr("The process has changed since this result was computed.")
        else:
            words, about = tr("✓ current"), ""
        self.state.setText(words)
        self.state.setVisible(self.tab is not None)
        self.state.setToolTip(about)

    def _choose_port(self, _row: int) -> None:
        if self._run is not None:
            self.show_port(self._run, self.operator, self.ports.currentText())

    def _drop(self) -> None:
        if self.tab is not None:
            self.stack.removeWidget(self.tab)
            self.tab.deleteLater()
        self.tab, self._shown, self._run = None, None, None
