"""The main window: panels around the canvas, and the connections between all parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QCloseEvent, QShowEvent
from PyQt6.QtWidgets import (
    QMainWindow,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from fsops.core.checks.problems import Kind, QuickFix
from fsops.core.graph.process import Process
from fsops.core.registry import Registry
from fsops.data import AttributeWeights
from fsops.editing.comparison import changes_between
from fsops.errors import FsopsError
from fsops_gui.base.actions import FILE, VIEW, Actions
from fsops_gui.base.settings import DesignerSettings
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours, theme_names
from fsops_gui.commands.blocks import BlockCommands
from fsops_gui.commands.catalogue import CommandCatalogue
from fsops_gui.commands.context import CommandContext
from fsops_gui.commands.edit import EditCommands
from fsops_gui.commands.exchange import ExchangeCommands
from fsops_gui.commands.file import FileCommands
from fsops_gui.commands.run import RunCommands
from fsops_gui.commands.study import StudyCommands
from fsops_gui.commands.tools import ToolCommands
from fsops_gui.commands.tutorial import TutorialCommands
from fsops_gui.commands.versions import VersionCommands
from fsops_gui.commands.view import ViewCommands
from fsops_gui.dialogs import questions
from fsops_gui.dialogs.examples import examples, study
from fsops_gui.dialogs.notice import NoticeBar
from fsops_gui.dialogs.start_page import StartPage
from fsops_gui.dialogs.tour_bar import TourBar
from fsops_gui.document.checker import Findings
from fsops_gui.document.document import Document
from fsops_gui.document.undo_steps import Change
from fsops_gui.panels.browser import BrowserPanel
from fsops_gui.panels.help import HelpPanel
from fsops_gui.panels.history import HistoryPanel
from fsops_gui.panels.log import LogPanel
from fsops_gui.panels.overview import OverviewPanel
from fsops_gui.panels.palette import Palette
from fsops_gui.panels.problems import ProblemsPanel, fixes_menu
from fsops_gui.panels.result_dock import ResultDock
from fsops_gui.panels.results import ResultsPanel
from fsops_gui.panels.results.page import Page
from fsops_gui.panels.xml_view import XmlPanel
from fsops_gui.run.child_run import ChildRun
from fsops_gui.run.history import Entry
from fsops_gui.shell.docks import Docks
from fsops_gui.shell.pages import Pages
from fsops_gui.shell.rail import Rail
from fsops_gui.shell.session import Session
from fsops_gui.shell.workspace import Workspace


class Window(QMainWindow):
    """The designer: a tab for each open document, and panels around the one in front."""

    def __init__(self, registry: Registry, document: Document | None = None) -> None:
        super().__init__()
        self.registry = registry
        self.settings = DesignerSettings()
        self.setObjectName("designer")
        self.resize(1360, 860)
        self.notice = NoticeBar()
        self._unfolds = False
        self._make_middle()
        self._make_panels()
        self.actions_table = Actions(self)
        self._make_commands()
        self.workspace = Workspace(self)
        self._middle.insertWidget(0, self.workspace.tabs)
        self.rail = Rail(self, self.actions_table)
        self.pages.shown.connect(self._show_page)
        self._make_menus()
        self._connect_panels()
        self.attach(document or Document())
        self._paint_icons()
        self.docks.remember_first_state()
        self.restoreGeometry(self.settings.bytes("geometry"))
        self._is_arranged = self.restoreState(self.settings.bytes("state"))

    @property
    def session(self) -> Session:
        """The session of the document in front; each tab has one."""
        return self.context.session

    @property
    def results(self) -> ResultsPanel:
        """The results of the document in front."""
        return self.session.results

    @property
    def log_panel(self) -> LogPanel:
        """The log of the document in front."""
        return self.session.log

    # --- building ---------------------------------------------------------------------------

    def _make_middle(self) -> None:
        self.start_page = StartPage(self.registry)
        self.pages = Pages(self.start_page, self.settings)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.notice)
        self.tour_bar = TourBar()
        column.addWidget(self.tour_bar)
        column.addWidget(self.pages)
        self._middle = column
        self.setCentralWidget(middle)
        bar = self.statusBar()
        if bar is not None:
            bar.setSizeGripEnabled(False)
            bar.setContentsMargins(10, 0, 10, 0)

    def _make_panels(self) -> None:
        self.palette_panel = Palette(self.registry, self.settings.recent_operators)
        self.palette_panel.setMinimumWidth(200)
        self.browser = BrowserPanel(self.registry)
        self.overview = OverviewPanel()
        self.help_panel = HelpPanel(self.registry)
        self.problems_panel = ProblemsPanel()
        self.result_dock = ResultDock()
        self.history_panel = HistoryPanel()
        self.xml_panel = XmlPanel(self.registry)
        # What stands in them changes with the document; a dock with another widget loses its size.
        self.tree_room, self.parameters_room = QStackedWidget(), QStackedWidget()
        self.log_room = QStackedWidget()
        self.docks = Docks(
            self,
            {
                "tree": self.tree_room,
                "parameters": self.parameters_room,
                "operators": self.palette_panel,
                "browser": self.browser,
                "overview": self.overview,
                "help": self.help_panel,
                "result": self.result_dock,
                "problems": self.problems_panel,
                "log": self.log_room,
                "history": self.history_panel,
                "xml": self.xml_panel,
            },
        )
        self.docks["xml"].visibilityChanged.connect(self.xml_panel.catch_up)
        self.docks["result"].setTitleBarWidget(self.result_dock.head)

    def _make_commands(self) -> None:
        context = CommandContext(self.registry, self.settings, self, self.say, self.attempt)
        self.context = context
        self.views = ViewCommands(
            context,
            pages=self.pages,
            docks=self.docks,
            palette=self.palette_panel,
            browser=self.browser,
            help_panel=self.help_panel,
            repaint=self._repaint,
        )
        self.edits = EditCommands(context, self.views.show_process)
        self.files = FileCommands(
            context,
            notice=self.notice,
            workspace=lambda: self.workspace,
            show_process=self.views.show_process,
            show_help=self.views.show_help,
        )
        self.versions = VersionCommands(context, workspace=lambda: self.workspace, files=self.files)
        self.blocks = BlockCommands(
            context, palette=self.palette_panel, show_process=self.views.show_process
        )
        self.exchange = ExchangeCommands(context, attach=self.attach)
        self.tools = ToolCommands(
            context,
            docks=self.docks,
            xml=self.xml_panel,
            add_data=self.files.add_data,
            open_example=self.files.open_example,
        )
        self.runs = RunCommands(
            context,
            actions=self.actions_table,
            views=self.views,
            files=self.files,
            notice=self.notice,
        )
        self.studies = StudyCommands(context, pages=self.pages, files=self.files)
        self.runs.is_followed = self.studies.is_followed
        self.tutorials = TutorialCommands(
            context,
            bar=self.tour_bar,
            pages=self.pages,
            docks=self.docks,
            files=self.files,
            studies=self.studies,
        )
        self.catalogue = CommandCatalogue(
            context,
            actions=self.actions_table,
            docks=self.docks,
            browser=self.browser,
            files=self.files,
            edits=self.edits,
            views=self.views,
            blocks=self.blocks,
        )
        self.actions_table.bind(self, self.attempt, self.edits.comes_to_front)

    def _connect_panels(self) -> None:
        self.palette_panel.pointed_at.connect(self.help_panel.show_operator)
        self.palette_panel.chosen.connect(self.edits.add)
        self.problems_panel.spot_wanted.connect(self.views.reveal)
        self.problems_panel.field_wanted.connect(self._reveal_field)
        self.problems_panel.fix_wanted.connect(self._mend)
        self.problems_panel.why_wanted.connect(self._explain)
        self.result_dock.said.connect(self.say)
        self.result_dock.compare_wanted.connect(self._compare_from_dock)
        self.result_dock.pinned.connect(self._open_page)
        self.result_dock.run_wanted.connect(self.actions_table.by_name["run"].trigger)
        self.history_panel.said.connect(self.say)
        self.history_panel.process_wanted.connect(self._bring_back)
        self.history_panel.results_wanted.connect(self._show_results_of)
        self.history_panel.compared.connect(self._show_comparison)
        self.help_panel.example_wanted.connect(self.files.open_example)
        self.help_panel.insert_wanted.connect(
            lambda file: self.attempt(partial(self.files.insert_example, file))
        )
        self.browser.data_wanted.connect(self.files.add_data)
        self.browser.process_wanted.connect(self.files.open_file)
        self.browser.example_wanted.connect(self.files.open_example)
        start = self.start_page
        start.new_wanted.connect(self.files.new)
        start.open_wanted.connect(self.files.open)
        start.file_wanted.connect(self.files.open_file)
        start.example_wanted.connect(self.files.open_example)
        start.tour_wanted.connect(self.tutorials.begin_leak)
        start.template_wanted.connect(self.files.begin_template)
        start.table_dropped.connect(partial(self.files.use_template, study()))

    def _make_menus(self) -> None:
        files = self.actions_table.menus[FILE]
        self.recent_menu = QMenu(tr("Open recent"), self)
        self.recent_menu.aboutToShow.connect(self._fill_recent)
        self.examples_menu = QMenu(tr("Examples"), self)
        self.examples_menu.aboutToShow.connect(self._fill_examples)
        before = self.actions_table.by_name["save"]
        files.insertMenu(before, self.recent_menu)
        files.insertMenu(before, self.examples_menu)
        view = self.actions_table.menus[VIEW]
        panels = QMenu(tr("Panels"), self)
        for dock in self.docks.values():
            panels.addAction(dock.toggleViewAction())
        panels.addSeparator()
        panels.addAction(self.actions_table.by_name["reset_layout"])
        view.insertMenu(self.actions_table.by_name["reset_layout"], panels)
        themes = view.addMenu(tr("Colors"))
        assert themes is not None
        for theme, words in theme_names().items():
            action = themes.addAction(words)
            if action is not None:
                action.triggered.connect(lambda _on=False, t=theme: self.views.choose_theme(t))

    def _fill_examples(self) -> None:
        for example in examples() if self.examples_menu.isEmpty() else ():
            action = self.examples_menu.addAction(example.title)
            if action is not None:
                action.setStatusTip(example.sentence)
                action.triggered.connect(
                    lambda _on=False, f=example.file: self.files.open_example(f)
                )

    def _fill_recent(self) -> None:
        self.recent_menu.clear()
        for path in self.settings.recent():
            action = self.recent_menu.addAction(str(path))
            if action is not None:
                action.triggered.connect(lambda _on=False, p=path: self.files.open_file(p))

    def attach(self, document: Document) -> Session:
        """Show a document in a tab; its session is `session` from now on."""
        return self.workspace.attach(document)

    def show_session(self) -> None:
        """Let the panels show the session in front."""
        self.files.show_notice()
        self.runs.show_actions()
        self.show_file()
        self.show_findings(self.session.checker.findings)
        self.views.show_help_of_selected()
        self.show_selected_result()
        self.session.editor.paint_icons()

    def _show_page(self, name: str) -> None:
        """Mark the page at the rail; the tabs belong to process and results."""
        self.rail.show_page(name)
        self.workspace.tabs.setVisible(bool(self.pages.name))
        self.show_room()

    def show_room(self) -> None:
        """The start page, the study and linked views have no panels around them."""
        exploring = self.pages.currentWidget() is self.results and self.results.is_exploring
        wide = self.pages.is_start or self.pages.is_study or exploring
        if wide and not self.docks.is_folded:
            self._unfolds = True
            self.docks.fold()
        elif not wide and self._unfolds:
            self._unfolds = False
            self.docks.unfold()

    # --- telling ----------------------------------------------------------------------------

    def attempt(self, act: Callable[[], object]) -> None:
        """Do something; errors that the user can fix are shown in the status bar."""
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
            questions.tell(self, text, details)
        else:
            self.say(text)

    def _show_title(self) -> None:
        document = self.session.document
        self.setWindowTitle(tr("{title}[*] - fsops", title=document.title))
        self.setWindowModified(document.modified)

    def show_file(self) -> None:
        """Show which file the document has."""
        self._show_title()
        path = self.session.document.path
        self.browser.show_folder(path.parent if path is not None else None)

    def show_change(self, _change: Change) -> None:
        """Show that the process in front has changed."""
        self._show_title()
        self.result_dock.show_stale()

    def remember_added(self, change: Change) -> None:
        """Remember an operator that was added, however that was done."""
        before = {node.name for node in change.before.walk()}
        added = [node for node in change.after.walk() if node.name not in before]
        if len(added) == 1 and not change.renamed and not added[0].operator.is_placeholder:
            self.settings.remember_operator(added[0].operator.key)
            level = added[0].process
            for start, _ in level.incoming(added[0].name).values():
                if start in level:
                    self.settings.remember_step(level[start].operator.key, added[0].operator.key)
            self.palette_panel.refresh()

    def _shown_run(self) -> ChildRun | None:
        """Return the run whose results are shown: while one is under way, the one before."""
        run, last = self.session.run, self.session.last_run
        if run is not None and run.running and not run.report.ports:
            return last or run
        return run or last

    def show_progress_below(self) -> None:
        """Show the progress of the run below the canvas."""
        self.result_dock.follow(self.session.run)

    def show_port(self, operator: str, port: str, _is_output: bool) -> None:
        """Show the last value of a port, below the canvas."""
        run = self._shown_run()
        if run is not None and run.running and not run.report.ports:
            self.say(tr("The process is running. Click the port again after the run."))
        elif run is None or not run.report.ports:
            self.say(tr("Run the process; then a click on a port shows its value."))
        elif (operator, port) not in run.report.ports:
            self.say(self.session.why_no_value(operator, port))
        else:
            self.docks.bring("result")
            self.result_dock.show_port(run, operator, port)

    def show_selected_result(self) -> None:
        """Show the main result of the selected operator, below the canvas."""
        run, name = self._shown_run(), self.session.selected_name()
        self.result_dock.follow(self.session.run)
        if run is None or not run.report.ports:
            if run is None or run.running or run.report.status == "finished":
                self.result_dock.show_nothing("")
            else:
                self.result_dock.show_failure(run)
        elif name is None:
            if self.result_dock.tab is None:
                self.result_dock.show_nothing(
                    tr("Select an operator, or click a port."), runs=False
                )
        else:
            ports = [port for operator, port in run.report.ports if operator == name]
            declared = [p.name for p in self.session.document.process.find(name).operator.outputs]
            ports.sort(key=lambda p: declared.index(p) if p in declared else len(declared))
            if ports:
                self.result_dock.show_port(run, name, ports[0])
            else:
                why = self.session.why_no_value(name, next(iter(declared), ""))
                self.result_dock.show_nothing(why, runs=False)

    def _open_page(self, operator: str, port: str) -> None:
        """Show a result among the results."""
        run = self._shown_run()
        if run is not None and operator:
            self.results.show_port(run, operator, port)
            self.views.show_results()

    def _compare_from_dock(self, title: str, weights: AttributeWeights) -> None:
        self.results.add_to_comparison(title, weights)
        self.views.show_results()

    def _bring_back(self, process: Process) -> None:
        """Edit the process of an earlier run again, as a step that can be undone."""
        self.session.document.take_over(tr("Bring back an earlier process"), process)
        self.views.show_process()

    def _show_results_of(self, entry: Entry) -> None:
        """Show the results of an earlier run."""
        self.results.show_report(entry.run)
        if changes_between(entry.process, self.session.document.process):
            self.results.mark_stale()
        self.views.show_results()

    def _show_comparison(self, title: str, page: Page) -> None:
        """Show runs side by side."""
        self.results.show_page(title, page)
        self.views.show_results()

    def show_findings(self, findings: Findings) -> None:
        """Show the problems of the process in front."""
        self.problems_panel.show_findings(findings)
        count = len(findings.problems)
        self.docks["problems"].setWindowTitle(
            tr("Problems ({n})", n=count) if count else self.docks.titles["problems"]
        )

    def _reveal_field(self, name: str, parameter: str) -> None:
        self.docks.bring("parameters")
        self.session.parameters.show_operator(name)
        self.session.parameters.show_field(parameter)

    def _explain(self, kind: Kind) -> None:
        self.docks.bring("help")
        self.help_panel.explain(kind)

    def _mend(self, fix: QuickFix) -> None:
        self.session.apply(fix)

    def offer_fixes(self, name: str, point: QPointF) -> None:
        """Offer the fixes of an operator in a menu."""
        menu = self.fixes_menu_of(name)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point.toPoint())

    def fixes_menu_of(self, name: str) -> QMenu:
        """Return the menu with the fixes of an operator; one that is unknown can be replaced."""
        menu, fixes = fixes_menu(self.session.problems_at(name), self)
        menu.triggered.connect(
            lambda action: self.session.apply(fixes[action]) if action in fixes else None
        )
        if self.session.document.process.find(name).operator.is_placeholder:
            scene, actions = self.session.editor.scene, self.actions_table.by_name
            replace = menu.addAction(tr("→ Replace by another operator…"))
            assert replace is not None
            replace.triggered.connect(lambda _on=False: scene.select([name]))
            replace.triggered.connect(lambda _on=False: actions["replace"].trigger())
            menu.addAction(actions["show_plugins"])
        return menu

    def open_menu(self, point: QPoint) -> None:
        """Open the menu of the canvas."""
        menu = self.actions_table.context_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(point)

    def showEvent(self, a0: QShowEvent | None) -> None:
        """Give the panels their first sizes: only now it is known how much room there is."""
        super().showEvent(a0)
        if not self._is_arranged:
            self._is_arranged = True
            self.docks.give_room()

    def closeEvent(self, a0: QCloseEvent | None) -> None:
        """Ask about changes, remember the arrangement, end the run."""
        assert a0 is not None
        if not self.files.may_leave():
            a0.ignore()
            return
        self.settings.set_bytes("geometry", self.saveGeometry())
        self.settings.set_bytes("state", self.docks.state())
        self.tutorials.leave()
        self.studies.close()
        self.workspace.close_all()
        a0.accept()

    def _repaint(self) -> None:
        """Show everything in the colors of the theme that was chosen."""
        for session in self.workspace.sessions():
            session.editor.scene.redraw()
        self.overview.refresh()
        self._paint_icons()

    def _paint_icons(self) -> None:
        """Give the icons the colors of the theme."""
        colours = current_colours()
        text, faint = colours.text.name(), colours.faint.name()
        self.actions_table.paint(text, colours.on_accent.name(), faint)
        self.rail.paint(colours)
        self.docks.paint_buttons(text)
        self.workspace.tabs.paint()
        self.session.editor.paint_icons()
