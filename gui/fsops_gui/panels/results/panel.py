"""The results of a run, a tab for each, and the values of clicked ports."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QEvent, QPoint, Qt, QUrl, pyqtSignal
from PyQt6.QtGui import QDesktopServices, QKeyEvent
from PyQt6.QtWidgets import (
    QLabel,
    QMenu,
    QPushButton,
    QStackedWidget,
    QTabWidget,
    QWidget,
)

from fsops.data import AttributeWeights, FlowObject
from fsops.report.numbers import seconds_text
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.dialogs.file_choice import ask_for_file
from fsops_gui.panels.explore.sources import explored_ports, material_of
from fsops_gui.panels.results.exports import Cells, csv_text, markdown_text, to_clipboard
from fsops_gui.panels.results.page import Page, filled
from fsops_gui.panels.results.report import ReportWriter
from fsops_gui.panels.results.tab import (
    ResultTab,
    operator_of,
    page_of_files,
    page_of_unkept,
    port_title,
    title_of,
)
from fsops_gui.panels.results.weights_view import WeightsPage
from fsops_gui.run.child_run import ChildRun, progress_words
from fsops_gui.widgets.empty_state import EmptyState
from fsops_gui.widgets.flow_layout import bar_of
from fsops_gui.widgets.weight_comparison import Weightings

if TYPE_CHECKING:
    from fsops_gui.panels.explore.material import Material

WEIGHTS = AttributeWeights.__name__
EXPLORE = "explore"
"""Key of the tab with linked views."""


class ResultsPanel(QWidget):
    """A tab for each result of the last run, and for each port that was looked at."""

    said = pyqtSignal(str)
    """A sentence for the user."""
    use_wanted = pyqtSignal(str, str, object, str)
    """Operator and port of a table, names of attributes, and whether they are left out."""
    run_wanted = pyqtSignal()
    tab_shown = pyqtSignal()
    """Another tab is in front."""

    def __init__(self) -> None:
        super().__init__()
        self.run: ChildRun | None = None
        self.early: ChildRun | None = None
        """A later run that ended without results."""
        self._under_way: ChildRun | None = None
        self.state = QLabel()
        self.state.setWordWrap(True)
        self.state.setContentsMargins(6, 4, 6, 0)
        self.state.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(tr("Results"))
        self.tabs.setTabsClosable(True)
        self.tabs.setDocumentMode(True)  # no frame, and the color of all other pages
        self.tabs.setMovable(True)
        self.tabs.setElideMode(Qt.TextElideMode.ElideNone)
        self.tabs.tabCloseRequested.connect(self.close_tab)
        self.tabs.currentChanged.connect(lambda _index: self._show_state())
        self.tabs.currentChanged.connect(lambda _index: self.tab_shown.emit())
        self.empty = EmptyState("results", tr("No run yet"), "", tr("Run"))
        self.empty.acted.connect(self.run_wanted)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.tabs)
        self.writer = ReportWriter(self)
        self.writer.written.connect(self._open_report)
        self.writer.failed.connect(self._miss_report)
        self._make_buttons()
        self.bar = bar_of(*self.buttons)
        filled(self, self.state, self.bar, self.stack)
        self._make_keys()
        self._show_nothing()
        self._show_state()

    def _make_buttons(self) -> None:
        self.explore_button = QPushButton(tr("Explore"))
        self.explore_button.setObjectName("primary")
        self.explore_button.setToolTip(
            tr("Plots of attributes and rows that share one selection: click, drag, compare")
        )
        self.explore_button.clicked.connect(lambda _on: self.explore())
        self.pin_button = QPushButton(tr("Pin"))
        self.pin_button.setCheckable(True)
        self.pin_button.setToolTip(tr("Keep this tab when the process runs again"))
        self.pin_button.clicked.connect(self._pin)
        self.compare_button = QPushButton(tr("Compare weights"))
        self.compare_menu = QMenu(self.compare_button)
        self.compare_menu.aboutToShow.connect(self._fill_compare_menu)
        self.compare_button.setMenu(self.compare_menu)
        self.copy_button = QPushButton(tr("Copy"))
        self.copy_menu = QMenu(self.copy_button)
        for words, as_text in ((tr("As CSV"), csv_text), (tr("As Markdown"), markdown_text)):
            action = self.copy_menu.addAction(words)
            assert action is not None
            action.triggered.connect(lambda _on=False, a=as_text: self.copy(a))
        self.copy_button.setMenu(self.copy_menu)
        self.report_button = QPushButton(tr("Save report…"))
        self.report_button.setToolTip(
            tr("One page with results, figures, methods and versions: HTML, or a summary as PDF")
        )
        self.report_button.clicked.connect(lambda _on: self.save_report(self.run))
        self.buttons = (
            self.explore_button, self.pin_button, self.compare_button, self.copy_button,
            self.report_button,
        )  # fmt: skip

    def _make_keys(self) -> None:
        bar = self.tabs.tabBar()
        assert bar is not None
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        bar.customContextMenuRequested.connect(self._open_menu)

    def event(self, a0: QEvent | None) -> bool:
        """Close a result with Ctrl+W while the keyboard is here, instead of the whole process."""
        if isinstance(a0, QKeyEvent) and self.tabs.count():
            held = a0.modifiers() == Qt.KeyboardModifier.ControlModifier
            if held and a0.key() == Qt.Key.Key_W:
                if a0.type() == QEvent.Type.KeyPress:
                    self.close_tab(self.tabs.currentIndex())
                a0.accept()
                return True
        return super().event(a0)

    # --- showing ----------------------------------------------------------------------------

    def show_report(self, run: ChildRun) -> None:
        """Show the end and the results of a run; pinned tabs stay.

        A stopped run, and a failed one without results, leave the results of the run before.
        """
        report = run.report
        ended_early = report.status == "cancelled" or (
            report.status != "finished" and not report.results
        )
        if ended_early and self._tabs():
            self.early = run
            self._show_state()
            return
        self.early = None
        self.run = run
        self._close_all(but_pinned=True)
        for tab in self._tabs():
            tab.stale = tab.key not in ("comparison", "page")
            self._name(tab)
        report = run.report
        for index, result in enumerate(report.results):
            tab = self._add(title_of(result), ("result", index), operator_of(result))
            tab.run = run
            tab.load(partial(run.result_value, index), partial(page_of_files, result))
        if report.results:
            self.tabs.setCurrentIndex(self.tabs.count() - len(report.results))
        self._show_nothing()
        self._show_state()

    def show_port(self, run: ChildRun, operator: str, port: str) -> None:
        """Show the last value of a port; a tab that shows it already comes to the front."""
        self.run = run
        key = (id(run), operator, port)
        there = next((tab for tab in self._tabs() if tab.key == key), None)
        if there is not None and not there.is_final:
            self.close_tab(self.tabs.indexOf(there))  # the run has gone on since
            there = None
        if there is None:
            if (operator, port) not in run.report.ports:
                self.said.emit(
                    tr(
                        '"{port}" of {operator} has no result yet. Run the process.',
                        port=port,
                        operator=operator,
                    )
                )
                return
            there = self._add(port_title(operator, port), key, operator)
            there.run, there.is_final = run, not run.running
            known = run.report.ports[operator, port]
            if known.key is None:
                there.show_view(page_of_unkept(known.title, known.summary))
            else:
                there.load(lambda: run.value(operator, port))
            there.setToolTip(known.summary)
        self.tabs.setCurrentWidget(there)
        self._show_state()

    def show_page(self, title: str, page: Page) -> None:
        """Show something that was put together from results; it stays until it is closed."""
        tab = self._add(title, "page")
        tab.pinned = True
        tab.show_view(page)
        self._name(tab)
        self.tabs.setCurrentWidget(tab)

    def mark_stale(self) -> None:
        """Say that the process is no longer the one that was run."""
        for tab in self._tabs():
            tab.stale = True
            self._name(tab)
        self._show_state()

    def show_stale(self) -> None:
        """Mark the tabs whose operators the session has found out of date, and no others."""
        for tab in self._tabs():
            state = None if tab.run is None else tab.run.report.operators.get(tab.operator)
            if state is not None:
                tab.stale = state.stale
                self._name(tab)
        self._show_state()

    def clear(self) -> None:
        """Forget all results, pinned ones too: another process is shown."""
        self.run = self.early = None
        self._close_all(but_pinned=False)
        self._show_nothing()
        self._show_state()

    def _add(self, title: str, key: object, operator: str = "") -> ResultTab:
        tab = ResultTab(title, key, operator)
        tab.said.connect(self.said)
        tab.compare_wanted.connect(self.add_to_comparison)
        tab.changed.connect(self._show_state)
        self.tabs.addTab(tab, title)
        self._name(tab)
        self.stack.setCurrentWidget(self.tabs)
        return tab

    def _tabs(self) -> list[ResultTab]:
        found = (self.tabs.widget(index) for index in range(self.tabs.count()))
        return [tab for tab in found if isinstance(tab, ResultTab)]

    def current_tab(self) -> ResultTab | None:
        """Return the tab that is shown."""
        shown = self.tabs.currentWidget()
        return shown if isinstance(shown, ResultTab) else None

    def _name(self, tab: ResultTab) -> None:
        index = self.tabs.indexOf(tab)
        self.tabs.setTabText(index, tab.heading.replace("&", "&&"))
        told = tab.toolTip() or tab.title
        if tab.stale:
            told += "\n" + tr("The process has changed since this was made.")
        self.tabs.setTabToolTip(index, told)

    def _show_nothing(self) -> None:
        """Say what to do where there is nothing to see."""
        report = None if self.run is None else self.run.report
        if self._under_way is not None:
            self._say_progress(self._under_way)
        elif report is None:
            self.empty.say(
                tr("No run yet"),
                tr("F5 runs the process. Outputs connected to its right edge are shown here."),
            )
        elif report.status == "finished":
            self.empty.say(
                tr("The run has returned no result"),
                tr(
                    "Connect an output to the right edge of the process, or click on a port to "
                    "see its value."
                ),
                offers=False,
            )
        else:
            self.empty.say(
                tr("There are no results of this run"),
                tr("A click on a port shows its last result."),
                offers=False,
            )
        self.stack.setCurrentWidget(self.tabs if self.tabs.count() else self.empty)

    def follow(self, run: ChildRun | None) -> None:
        """Show the progress of a run under way."""
        before, self._under_way = self._under_way, run if run is not None and run.running else None
        if self._under_way is not None:
            self._say_progress(self._under_way)
        if before is not self._under_way:
            self._show_nothing()
            self._show_state()

    def _say_progress(self, run: ChildRun) -> None:
        title, lines = progress_words(run)
        later = tr("The results are shown here when the run has ended.")
        self.empty.say(title, "\n".join([*lines, later]), offers=False)

    def _show_state(self) -> None:
        tab = self.current_tab()
        self.state.setText(self._state_text(tab))
        for widget in (self.state, self.bar):  # linked views need the room
            widget.setVisible(not self.is_exploring)
        there = tab is not None and tab.view is not None
        self.copy_button.setEnabled(there)
        self.pin_button.setEnabled(tab is not None)
        self.pin_button.setChecked(tab is not None and tab.pinned)
        self.compare_button.setEnabled(bool(self._weights_there()))
        self.explore_button.setEnabled(bool(explored_ports(self.run)))
        finished = self.run is not None and self.run.report.status == "finished"
        self.report_button.setEnabled(finished and not self.writer.running)

    def _state_text(self, tab: ResultTab | None) -> str:
        if self._under_way is not None:
            title, rest = progress_words(self._under_way)[0], ""
            if self._tabs():
                rest = tr("These are the results of the previous run.")
            return f"{title}. {rest}".strip()
        if self.early is not None:
            rest = tr("These are the results of the previous run.")
            return f"{self._run_text(self.early, None)} {rest}"
        return self._run_text(self.run, tab)

    def failure_text(self, run: ChildRun) -> str:
        """Return why a run failed, with the operator."""
        return self._run_text(run, None)

    @staticmethod
    def _run_text(run: ChildRun | None, tab: ResultTab | None) -> str:
        report = None if run is None else run.report
        if report is None:
            return tr("No run yet. Run the process with F5.")
        words = {
            "running": tr("Running"), "paused": tr("Paused"), "finished": tr("Finished"),
            "failed": tr("Failed"), "cancelled": tr("Stopped"), "crashed": tr("Crashed"),
        }  # fmt: skip
        took = f" ({seconds_text(report.seconds)})" if report.seconds is not None else ""
        said = f"{report.message} {report.hint}".strip()
        where = f" {' › '.join(report.origin)}:" if report.origin else ""
        status = words.get(report.status, report.status)
        text = f"{status}{took}{':' if said else ''}{where} {said}".strip()
        if tab is not None and tab.stale:
            text += "   ⚠ " + tr("The process has changed since this run.")
        return text

    # --- tabs -------------------------------------------------------------------------------

    def _pin(self) -> None:
        tab = self.current_tab()
        if tab is not None:
            tab.pinned = not tab.pinned
            self._name(tab)
            self._show_state()

    def close_tab(self, index: int) -> None:
        """Close a tab, pinned or not."""
        tab = self.tabs.widget(index)
        if tab is not None:
            self.tabs.removeTab(index)
            tab.deleteLater()
        self._show_nothing()
        self._show_state()

    def _close_all(self, *, but_pinned: bool, but: ResultTab | None = None) -> None:
        for tab in self._tabs():
            if tab is not but and not (but_pinned and tab.pinned):
                self.tabs.removeTab(self.tabs.indexOf(tab))
                tab.deleteLater()

    def _open_menu(self, point: QPoint) -> None:
        bar = self.tabs.tabBar()
        assert bar is not None
        at = bar.tabAt(point)
        tab = self.tabs.widget(at if at >= 0 else self.tabs.currentIndex())
        if not isinstance(tab, ResultTab):
            return
        self.tabs.setCurrentWidget(tab)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        choices: tuple[tuple[str, Callable[[], Any]], ...] = (
            (tr("Unpin") if tab.pinned else tr("Pin"), self._pin),
            (tr("Close"), lambda: self.close_tab(self.tabs.indexOf(tab))),
            (tr("Close the others"), lambda: self._close_all(but_pinned=True, but=tab)),
        )
        for words, act in choices:
            action = menu.addAction(words)
            assert action is not None
            action.triggered.connect(act)
        menu.popup(bar.mapToGlobal(point))

    # --- linked views -----------------------------------------------------------------------

    @property
    def is_exploring(self) -> bool:
        """Whether the linked views are in front: they need all the room there is."""
        tab = self.current_tab()
        return tab is not None and tab.key == EXPLORE

    def explore(self) -> None:
        """Show the results of the run in linked views; those of the same run come to the front."""
        run = self.run
        if run is None or not explored_ports(run):
            self.said.emit(tr("Run a process with a table or weights first."))
            return
        there = next((tab for tab in self._tabs() if tab.key == EXPLORE), None)
        if there is not None and there.run is run and there.view is not None:
            self.tabs.setCurrentWidget(there)
            return
        if there is not None:
            self.close_tab(self.tabs.indexOf(there))
        tab = self._add(tr("Explore"), EXPLORE)
        tab.run = run
        self.tabs.setCurrentWidget(tab)
        in_background(tab, partial(material_of, run), partial(self._show_explorer, tab))

    def _show_explorer(self, tab: ResultTab, material: Material | None) -> None:
        from fsops_gui.panels.explore.explorer import Explorer

        if material is None:
            tab.note.setText(tr("This run has stored neither a table nor weights."))
            return
        page = Explorer(material)
        page.use_wanted.connect(self.use_wanted)
        tab.show_view(page)

    # --- weights beside each other ----------------------------------------------------------

    def _weights_there(self) -> list[tuple[str, Callable[[], FlowObject | None]]]:
        """Return the weights that the run has made: a title, and how to read them."""
        run = self.run
        if run is None:
            return []
        return [
            (o if p == AttributeWeights.port_name else port_title(o, p), partial(run.value, o, p))
            for (o, p), known in run.report.ports.items()
            if known.kind == WEIGHTS and known.key is not None
        ] or [
            (title_of(result), partial(run.result_value, index))
            for index, result in enumerate(run.report.results)
            if result.kind == WEIGHTS
        ]

    def _fill_compare_menu(self) -> None:
        self.compare_menu.clear()
        there = self._weights_there()
        choices = [(tr("All weights of this run"), there)] if len(there) > 1 else []
        choices += [(title, [(title, read)]) for title, read in there]
        for words, chosen in choices:
            action = self.compare_menu.addAction(words.replace("&", "&&"))
            assert action is not None
            action.triggered.connect(lambda _on=False, c=chosen: self._compare(c))
            if words == tr("All weights of this run"):
                self.compare_menu.addSeparator()

    def _compare(self, chosen: list[tuple[str, Callable[[], FlowObject | None]]]) -> None:
        def read() -> list[tuple[str, FlowObject | None]]:
            return [(title, load()) for title, load in chosen]

        def show(found: list[tuple[str, FlowObject | None]]) -> None:
            for title, weights in found:
                if isinstance(weights, AttributeWeights):
                    self.add_to_comparison(title, weights)

        in_background(self, read, show)

    def add_to_comparison(self, title: str, weights: AttributeWeights) -> None:
        """Put weights beside those that are compared already; they stay until they are closed."""
        tab = next((tab for tab in self._tabs() if tab.key == "comparison"), None)
        if tab is None:
            tab = self._add(tr("Comparison"), "comparison")
            tab.pinned = True
            tab.show_view(WeightsPage(Weightings.of([(title, weights)]), can_change=True))
            self._name(tab)
        elif isinstance(tab.view, WeightsPage):
            page = tab.view
            if any(weights.equals(other) for _, other in page.weightings.parts):
                self.said.emit(tr("These weights are compared already."))
            else:
                page.set_weightings(page.weightings.with_part(title, weights))
        self.tabs.setCurrentWidget(tab)

    # --- out of the window ------------------------------------------------------------------

    def copy(self, as_text: Callable[[Cells], str]) -> None:
        """Copy the visible result; of a very large table as much as other programs take."""
        tab = self.current_tab()
        cells = tab.cells() if tab is not None else None
        if cells is None:
            self.said.emit(tr("There is no table in this view. A figure has its own button."))
            return
        to_clipboard(as_text(cells))
        self.said.emit(tr("Copied: {n} rows.", n=len(cells) - 1))

    def save_report(self, run: ChildRun | None) -> None:
        """Ask where to write the report of a run, write it, and open it."""
        if run is None:
            return
        kinds = {"html": tr("Page (HTML)"), "pdf": tr("Summary (PDF)")}
        name = tr("{name} report", name=run.process.name)
        target = ask_for_file(self, "report", name, kinds)
        if target is not None:
            self.said.emit(tr("Writing the report…"))
            self.writer.start(run.saved, target)
            self._show_state()

    def _open_report(self, path: Path) -> None:
        self._show_state()
        self.said.emit(tr("Written: {path}", path=path))
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

    def _miss_report(self, why: str) -> None:
        self._show_state()
        self.said.emit(why)
