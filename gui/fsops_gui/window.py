"""The main window: docks around the canvas, and what the actions do."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QPoint, QPointF, Qt, QTimer
from PyQt6.QtGui import QCloseEvent, QPalette
from PyQt6.QtWidgets import (
    QApplication,
    QDockWidget,
    QLabel,
    QMainWindow,
    QMenu,
    QTabWidget,
    QWidget,
)

from fsops.core.problems import QuickFix
from fsops.core.registry import Registry
from fsops.errors import FsopsError
from fsops_gui import dialogs
from fsops_gui.actions import FILE, VIEW, Actions
from fsops_gui.canvas.look import READABLE
from fsops_gui.checking import Findings
from fsops_gui.commands.editing import Editing
from fsops_gui.commands.files import Files
from fsops_gui.commands.looking import Looking
from fsops_gui.commands.running import Running
from fsops_gui.document import Change, Document
from fsops_gui.examples import example_files
from fsops_gui.panels.help import HelpPanel
from fsops_gui.panels.log import LogPanel
from fsops_gui.panels.palette import Palette
from fsops_gui.panels.problems import ProblemsPanel, fixes_menu
from fsops_gui.panels.results import ResultsPanel
from fsops_gui.session import Session
from fsops_gui.settings import Settings
from fsops_gui.texts import tr
from fsops_gui.theme import DARK, LIGHT, SYSTEM

_AREAS = Qt.DockWidgetArea


class Window(QMainWindow):
    """The designer with one document."""

    def __init__(self, registry: Registry, document: Document | None = None) -> None:
        super().__init__()
        self.registry = registry
        self.settings = Settings()
        self.setObjectName("designer")
        self.resize(1360, 860)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.setCentralWidget(self.tabs)
        self.palette_panel = Palette(registry)
        self.help_panel = HelpPanel()
        self.problems_panel = ProblemsPanel()
        self.log_panel = LogPanel()
        self.results = ResultsPanel()
        self.docks: dict[str, QDockWidget] = {}
        self._make_docks()
        self.files, self.editing = Files(self), Editing(self)
        self.looking, self.running = Looking(self), Running(self)
        self.actions_table = Actions(self, self.attempt)
        self.zoom_label = QLabel()
        bar = self.statusBar()
        if bar is not None:
            bar.addPermanentWidget(self.zoom_label)
        self._make_menus()
        self.palette_panel.pointed_at.connect(self.help_panel.show_operator)
        self.palette_panel.chosen.connect(self.editing.add)
        self.problems_panel.spot_wanted.connect(self.reveal)
        self.problems_panel.fix_wanted.connect(self._mend)
        self.session: Session
        self.attach(document or Document())
        self.paint_icons()
        self.restoreGeometry(self.settings.bytes("geometry"))
        self.restoreState(self.settings.bytes("state"))

    # --- building ---------------------------------------------------------------------------

    def _make_docks(self) -> None:
        self.palette_panel.setMinimumWidth(220)
        self._dock("operators", tr("Operators"), _AREAS.LeftDockWidgetArea, self.palette_panel)
        self._dock("tree", tr("Process tree"), _AREAS.LeftDockWidgetArea, QWidget())
        self._dock("parameters", tr("Parameters"), _AREAS.RightDockWidgetArea, QWidget())
        self._dock("help", tr("Help"), _AREAS.RightDockWidgetArea, self.help_panel)
        self._dock("problems", tr("Problems"), _AREAS.BottomDockWidgetArea, self.problems_panel)
        self._dock("log", tr("Log"), _AREAS.BottomDockWidgetArea, self.log_panel)
        self.tabifyDockWidget(self.docks["operators"], self.docks["tree"])
        self.tabifyDockWidget(self.docks["problems"], self.docks["log"])
        for name in ("operators", "problems"):
            self.docks[name].raise_()
        self.setCorner(Qt.Corner.BottomLeftCorner, _AREAS.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, _AREAS.RightDockWidgetArea)
        sides = [self.docks["operators"], self.docks["parameters"]]
        self.resizeDocks(sides, [250, 310], Qt.Orientation.Horizontal)
        self.resizeDocks([self.docks["problems"]], [150], Qt.Orientation.Vertical)
        right = [self.docks["parameters"], self.docks["help"]]
        self.resizeDocks(right, [440, 340], Qt.Orientation.Vertical)

    def _dock(self, name: str, title: str, area: Qt.DockWidgetArea, widget: QWidget) -> None:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setWidget(widget)
        self.addDockWidget(area, dock)
        self.docks[name] = dock

    def _make_menus(self) -> None:
        files = self.actions_table.menus[FILE]
        self.recent_menu = QMenu(tr("Open recent"), self)
        self.recent_menu.aboutToShow.connect(self._fill_recent)
        examples = QMenu(tr("Examples"), self)
        for file in example_files():
            action = examples.addAction(file.stem.replace("_", " "))
            if action is not None:
                action.triggered.connect(lambda _on=False, f=file: self.files.open_example(f))
        before = self.actions_table.by_name["save"]
        files.insertMenu(before, self.recent_menu)
        files.insertMenu(before, examples)
        view = self.actions_table.menus[VIEW]
        view.addSeparator()
        for dock in self.docks.values():
            view.addAction(dock.toggleViewAction())
        themes = view.addMenu(tr("Colours"))
        names = ((SYSTEM, tr("As the system")), (LIGHT, tr("Light")), (DARK, tr("Dark")))
        assert themes is not None
        for theme, words in names:
            action = themes.addAction(words)
            if action is not None:
                action.triggered.connect(lambda _on=False, t=theme: self.looking.choose_theme(t))

    def _fill_recent(self) -> None:
        self.recent_menu.clear()
        for path in self.settings.recent():
            action = self.recent_menu.addAction(str(path))
            if action is not None:
                action.triggered.connect(lambda _on=False, p=path: self.files.open_file(p))

    def attach(self, document: Document) -> None:
        """Show another document."""
        old = getattr(self, "session", None)
        if old is not None:
            old.close()
        self.session = Session(document, self.registry)
        self.tabs.clear()
        self.tabs.addTab(self.session.editor, tr("Process"))
        self.tabs.addTab(self.results, tr("Results"))
        self.results.clear()
        self.session.parameters.setMinimumWidth(270)
        self.docks["parameters"].setWidget(self.session.parameters)
        self.docks["tree"].setWidget(self.session.operators)
        self.session.said.connect(self.say)
        self.session.run_ended.connect(self.running.end)
        self.session.run_updated.connect(self.running.show_progress)
        self.session.checker.found.connect(self._show_findings)
        editor = self.session.editor
        editor.scene.selected_now.connect(self.show_help_of_selected)
        editor.scene.fixes_wanted.connect(self._offer_fixes)
        editor.view.menu_wanted.connect(self._open_menu)
        editor.view.zoomed.connect(lambda zoom: self.zoom_label.setText(f"{zoom:.0%}"))
        document.changed.connect(self._show_change)
        document.file_changed.connect(self._show_title)
        for name, stack in (("undo", document.undo_stack), ("redo", document.undo_stack)):
            action = self.actions_table.by_name[name]
            action.setEnabled(False)
            signal = stack.canUndoChanged if name == "undo" else stack.canRedoChanged
            signal.connect(action.setEnabled)
        self.actions_table.by_name["stop"].setEnabled(False)
        self._show_title()
        editor.view.setFocus()
        QTimer.singleShot(0, self._fit_new)

    def _fit_new(self) -> None:
        if self.isVisible():
            self.session.editor.view.fit(READABLE)

    # --- telling ----------------------------------------------------------------------------

    def attempt(self, act: Callable[[], object]) -> None:
        """Do something; what the user can mend is said in the status bar."""
        try:
            act()
        except FsopsError as error:
            self.say(str(error))

    def say(self, text: str) -> None:
        """Show a sentence in the status bar."""
        bar = self.statusBar()
        if bar is not None:
            bar.showMessage(text, 15_000)

    def show_fault(self, text: str, details: str) -> None:
        """Show an exception of the program; the session goes on."""
        self.log_panel.say(details or text)
        if details:
            dialogs.tell(self, text, details)
        else:
            self.say(text)

    def _show_title(self) -> None:
        self.setWindowTitle(f"{self.session.document.title}[*] - fsops")
        self.setWindowModified(self.session.document.modified)

    def _show_change(self, _change: Change) -> None:
        self._show_title()
        if self.session.run is not None and not self.session.run.running:
            self.results.mark_stale()

    def _show_findings(self, findings: Findings) -> None:
        self.problems_panel.show_findings(findings)
        count = len(findings.problems)
        self.docks["problems"].setWindowTitle(
            tr("Problems ({n})", n=count) if count else tr("Problems")
        )

    def show_help_of_selected(self) -> None:
        """Show the help of the selected operator."""
        name = self.session.selected_name()
        operator = self.session.document.process.find(name).operator if name else None
        self.help_panel.show_operator(operator)

    def _mend(self, fix: QuickFix) -> None:
        self.session.apply(fix)

    def _offer_fixes(self, name: str, point: QPointF) -> None:
        menu, fixes = fixes_menu(self.session.problems_at(name), self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.triggered.connect(lambda action: self.session.apply(fixes[action]))
        menu.popup(point.toPoint())

    def _open_menu(self, point: QPoint) -> None:
        menu = self.actions_table.context_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)

    def reveal(self, name: str) -> None:
        """Go to an operator on the canvas."""
        self.looking.show_process()
        self.attempt(lambda: self.session.editor.view.reveal(name))

    def closeEvent(self, a0: QCloseEvent | None) -> None:
        """Ask about changes, remember the arrangement, end the run."""
        assert a0 is not None
        if not self.files.may_leave():
            a0.ignore()
            return
        self.settings.set_bytes("geometry", self.saveGeometry())
        self.settings.set_bytes("state", self.saveState())
        self.session.close()
        a0.accept()

    def paint_icons(self) -> None:
        """Give the icons the colour of the text."""
        colour = QApplication.palette().color(QPalette.ColorRole.ButtonText)
        self.actions_table.paint(colour.name())
