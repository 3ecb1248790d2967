"""The one table of actions: menus, toolbar, context menu and the list of shortcuts come from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QMainWindow, QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from fsops_gui.base.icons import glyph
from fsops_gui.base.texts import tr
from fsops_gui.base.tokens import icon_name

FILE, EDIT, ARRANGE, VIEW = "File", "Edit", "Arrange", "View"
RUN, TOOLS, HELP = "Run", "Tools", "Help"
MENUS = (FILE, EDIT, ARRANGE, VIEW, RUN, TOOLS, HELP)
SHOWN, HELD = "shown", "held"


@dataclass(frozen=True)
class Spec:
    """One action: menu, name, keys, and the method it calls."""

    menu: str
    text: str
    method: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    """Name of its icon among the tokens; an action with one is in the toolbar."""
    label: bool = False
    """Whether its button has its name beside the icon."""
    context: bool = False
    """Whether it is in the menu of the canvas."""
    separator: bool = False
    """Whether a line is drawn above it."""
    checked: str = ""
    """For switches: the method that returns whether it is on."""
    canvas: str = ""
    """`SHOWN`: it changes the selected items, which must be visible; if the canvas is hidden, the
    first call only shows it. `HELD`: its keys mean this only at the canvas or the tree."""

    @property
    def name(self) -> str:
        """The name of the method without its theme."""
        return self.method.rpartition(".")[2]


SPECS: tuple[Spec, ...] = (
    Spec(FILE, "New", "files.new", ("Ctrl+N",), "new", label=True),
    Spec(FILE, "Study a table…", "studies.choose", ("Ctrl+T",)),
    Spec(FILE, "Open…", "files.open", ("Ctrl+O",), "open", label=True),
    Spec(FILE, "Save", "files.save", ("Ctrl+S",), "save", separator=True, label=True),
    Spec(FILE, "Save as…", "files.save_as", ("Ctrl+Shift+S",)),
    Spec(FILE, "Save picture…", "exchange.save_picture", ("Ctrl+Shift+P",), separator=True),
    Spec(FILE, "Export as Python…", "exchange.export_python"),
    Spec(FILE, "Export as scikit-learn…", "exchange.export_sklearn"),
    Spec(FILE, "Import from RapidMiner…", "exchange.import_rapidminer"),
    Spec(FILE, "Save report of the run…", "exchange.save_report", ("Ctrl+Shift+R",)),
    Spec(FILE, "Compare processes…", "versions.compare", ("Ctrl+Shift+D",), separator=True),
    Spec(FILE, "Compare with the saved file", "versions.compare_saved"),
    Spec(FILE, "Compare with a file…", "versions.compare_file"),
    Spec(FILE, "History of this file…", "versions.show_versions", ("Ctrl+Shift+H",)),
    Spec(FILE, "Close tab", "files.close_tab", ("Ctrl+W", "Ctrl+F4"), separator=True),
    Spec(FILE, "Open the closed tab again", "files.reopen_tab", ("Ctrl+Shift+T",)),
    Spec(FILE, "Settings…", "views.open_settings", ("Ctrl+,",), separator=True),
    Spec(FILE, "Quit", "close", ("Ctrl+Q",), separator=True),
    Spec(EDIT, "Undo", "edits.undo", ("Ctrl+Z",), "undo"),
    Spec(EDIT, "Redo", "edits.redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "redo"),
    Spec(
        EDIT, "Add operator…", "edits.add_operator", ("Ctrl+Space",), context=True, separator=True
    ),
    Spec(EDIT, "Replace…", "edits.replace", ("Ctrl+R",), context=True, canvas=HELD),
    Spec(EDIT, "Rename", "edits.rename", ("F2",), context=True, canvas=HELD),
    Spec(
        EDIT, "Enable or disable", "edits.toggle_enabled", ("Ctrl+E",), context=True, canvas=SHOWN
    ),
    Spec(EDIT, "Connect", "edits.connect_selected", ("Ctrl+L",), context=True, canvas=SHOWN),
    Spec(EDIT, "Note…", "edits.write_note", ("Ctrl+Shift+N",), context=True, canvas=SHOWN),
    Spec(EDIT, "Note color…", "edits.colour_note", context=True, canvas=SHOWN),
    Spec(EDIT, "Attach or detach note", "edits.attach_note", context=True, canvas=SHOWN),
    Spec(
        EDIT,
        "Make a building block…",
        "blocks.save_block",
        ("Ctrl+Alt+S",),
        context=True,
        canvas=SHOWN,
    ),
    Spec(EDIT, "Import a building block…", "blocks.import_block"),
    Spec(EDIT, "Cut", "edits.cut", ("Ctrl+X",), context=True, separator=True, canvas=HELD),
    Spec(EDIT, "Copy", "edits.copy", ("Ctrl+C",), context=True, canvas=HELD),
    Spec(EDIT, "Paste", "edits.paste", ("Ctrl+V",), context=True, canvas=HELD),
    Spec(EDIT, "Duplicate", "edits.duplicate", ("Ctrl+D",), context=True, canvas=HELD),
    Spec(EDIT, "Delete", "edits.delete", ("Del", "Backspace"), context=True, canvas=HELD),
    Spec(EDIT, "Select all", "edits.select_all", ("Ctrl+A",), separator=True, canvas=HELD),
    Spec(EDIT, "Find in the process…", "edits.find", ("Ctrl+F",), separator=True),
    Spec(EDIT, "Find next", "edits.find_next", ("F3",)),
    Spec(EDIT, "Find previous", "edits.find_previous", ("Shift+F3",)),
    Spec(
        ARRANGE,
        "Arrange",
        "edits.arrange",
        ("Ctrl+Shift+A",),
        "arrange",
        label=True,
        canvas=SHOWN,
    ),
    Spec(
        ARRANGE, "Wrap into a Subprocess", "edits.wrap", ("Ctrl+G",), separator=True, canvas=SHOWN
    ),
    Spec(ARRANGE, "Wrap into…", "edits.wrap_into", ("Ctrl+Alt+G",), canvas=SHOWN),
    Spec(ARRANGE, "Unwrap", "edits.unwrap", ("Ctrl+Shift+G",), canvas=SHOWN),
    Spec(ARRANGE, "Run first", "edits.run_first", separator=True, canvas=SHOWN),
    Spec(ARRANGE, "Add bend point", "edits.add_bend", ("Ctrl+Alt+B",), canvas=HELD),
    Spec(ARRANGE, "Remove bend points", "edits.remove_bends", ("Ctrl+Alt+Shift+B",), canvas=HELD),
    Spec(
        ARRANGE, "Align left", "edits.align_left", ("Ctrl+Alt+Left",), separator=True, canvas=HELD
    ),
    Spec(ARRANGE, "Align right", "edits.align_right", ("Ctrl+Alt+Right",), canvas=HELD),
    Spec(ARRANGE, "Align top", "edits.align_top", ("Ctrl+Alt+Up",), canvas=HELD),
    Spec(ARRANGE, "Align bottom", "edits.align_bottom", ("Ctrl+Alt+Down",), canvas=HELD),
    Spec(ARRANGE, "Center in a column", "edits.align_centre", canvas=HELD),
    Spec(ARRANGE, "Center in a row", "edits.align_middle", canvas=HELD),
    Spec(ARRANGE, "Distribute across", "edits.distribute_across", ("Ctrl+Alt+H",), canvas=HELD),
    Spec(ARRANGE, "Distribute down", "edits.distribute_down", ("Ctrl+Alt+V",), canvas=HELD),
    Spec(
        VIEW,
        "Open inner processes",
        "views.enter",
        ("Ctrl+Return",),
        context=True,
        separator=True,
        canvas=HELD,
    ),
    Spec(VIEW, "Up to the process around", "views.go_up", ("Alt+Up",), "up"),
    Spec(VIEW, "Next inner process", "edits.next_level", ("F6",)),
    Spec(
        VIEW,
        "Execution order",
        "edits.toggle_order",
        ("Ctrl+Shift+O",),
        checked="edits.shows_order",
    ),
    Spec(VIEW, "Zoom in", "views.zoom_in", ("Ctrl++", "Ctrl+="), separator=True),
    Spec(VIEW, "Zoom out", "views.zoom_out", ("Ctrl+-",)),
    Spec(VIEW, "Own size", "views.zoom_reset", ("Ctrl+0",)),
    Spec(VIEW, "Fit", "views.zoom_fit", ("Ctrl+Shift+0",), "fit"),
    Spec(VIEW, "Start page", "views.show_start", ("Alt+0",), separator=True),
    Spec(VIEW, "Study", "studies.show_study", ("Alt+9",)),
    Spec(VIEW, "Process", "views.show_process", ("Alt+1",)),
    Spec(VIEW, "Results", "views.show_results", ("Alt+2",)),
    Spec(VIEW, "Parameters", "views.go_to_parameters", ("Alt+3",)),
    Spec(VIEW, "Data and processes", "views.browse", ("Alt+4",)),
    Spec(VIEW, "Find anything…", "catalogue.find_anything", ("Ctrl+K",)),
    Spec(VIEW, "Search operators", "views.search_operators", ("Ctrl+Shift+F",)),
    Spec(VIEW, "Runs", "views.show_runs", ("Alt+5",)),
    Spec(VIEW, "Next tab", "files.next_tab", ("Ctrl+Tab", "Ctrl+PgDown"), separator=True),
    Spec(VIEW, "Tab before", "files.previous_tab", ("Ctrl+Shift+Tab", "Ctrl+PgUp")),
    Spec(VIEW, "Move tab to the left", "files.move_tab_left", ("Ctrl+Shift+PgUp",)),
    Spec(VIEW, "Move tab to the right", "files.move_tab_right", ("Ctrl+Shift+PgDown",)),
    Spec(VIEW, "Hide or show all panels", "views.toggle_panels", ("F9",), separator=True),
    Spec(VIEW, "Reset the arrangement", "views.reset_layout"),
    Spec(RUN, "Run", "runs.run", ("F5",), "run", label=True),
    Spec(RUN, "Pause", "runs.pause", ("F8",), "pause", checked="runs.is_held"),
    Spec(RUN, "Stop", "runs.stop", ("Shift+F5",), "stop"),
    Spec(RUN, "Run to here", "runs.run_to_here", ("Shift+F9",), context=True),
    Spec(RUN, "Run everything again", "runs.run_again", ("Ctrl+F5",)),
    Spec(RUN, "Step to the next operator", "runs.step", ("F10",), "step"),
    Spec(
        RUN,
        "Breakpoint after",
        "edits.breakpoint_after",
        ("F7",),
        context=True,
        separator=True,
        checked="edits.stops_after",
        canvas=SHOWN,
    ),
    Spec(
        RUN,
        "Breakpoint before",
        "edits.breakpoint_before",
        ("Shift+F7",),
        context=True,
        checked="edits.stops_before",
        canvas=SHOWN,
    ),
    Spec(RUN, "Remove all breakpoints", "edits.clear_breakpoints"),
    Spec(RUN, "Cost before the run…", "tools.show_cost", ("Ctrl+Shift+F5",), separator=True),
    Spec(RUN, "Log of the operator", "runs.show_log", context=True),
    Spec(RUN, "Copy the command", "runs.copy_command"),
    Spec(TOOLS, "XML of the process", "tools.show_xml", ("Alt+6",)),
    Spec(TOOLS, "Changes since saved", "tools.show_differences", ("Alt+7",)),
    Spec(TOOLS, "Data sets…", "tools.show_data_sets", separator=True),
    Spec(TOOLS, "Papers…", "tools.show_papers"),
    Spec(TOOLS, "Plugins…", "tools.show_plugins"),
    Spec(HELP, "Help of the operator", "views.show_help", ("F1",), context=True),
    Spec(HELP, "Documentation in the browser", "views.show_manual", ("Shift+F1",)),
    Spec(HELP, "Tutorial: why 100 % can mean nothing", "tutorials.begin_leak"),
    Spec(HELP, "Tutorial: my own table", "tutorials.begin_own"),
    Spec(HELP, "Shortcuts", "views.show_shortcuts", ("Ctrl+/",)),
)


class Actions:
    """The actions of a window; they do nothing until `bind` connects them."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window
        self._commands: object = window
        self.by_name: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        for spec in SPECS:
            action = QAction(tr(spec.text), window)
            action.setObjectName(spec.name)
            action.setShortcuts([QKeySequence(key) for key in spec.keys])
            action.setCheckable(bool(spec.checked))
            if spec.canvas == HELD:
                action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            else:
                window.addAction(action)
            self.by_name[spec.name] = action
        self._fill_menus()
        self.toolbar = self._make_toolbar()

    def bind(
        self,
        commands: object,
        attempt: Callable[[Callable[[], None]], None],
        selection_is_seen: Callable[[], bool],
    ) -> None:
        """Let every action call its method, which is looked up in ``commands`` by its dotted name.

        An action that changes the selection is not done where the selection is not seen.
        """
        self._commands = commands

        def do(method: Callable[[], None], spec: Spec) -> None:
            if not spec.canvas or selection_is_seen():
                attempt(method)

        for spec in SPECS:
            method = attrgetter(spec.method)(commands)
            self.by_name[spec.name].triggered.connect(lambda _on=False, m=method, s=spec: do(m, s))

    def hold(self, *widgets: QWidget) -> None:
        """Let the keys that belong to the canvas work in some widgets."""
        for widget in widgets:
            widget.addActions([self.by_name[s.name] for s in SPECS if s.canvas == HELD])

    def _fill_menus(self) -> None:
        bar = self._window.menuBar()
        assert bar is not None
        for name in MENUS:
            menu = bar.addMenu("&" + tr(name))  # Alt and its first letter open it
            assert menu is not None
            self.menus[name] = menu
            menu.aboutToShow.connect(self.refresh)
            self._fill(menu, (spec for spec in SPECS if spec.menu == name))

    def _fill(self, menu: QMenu, specs: Iterable[Spec]) -> None:
        for number, spec in enumerate(specs):
            if spec.separator and number:
                menu.addSeparator()
            menu.addAction(self.by_name[spec.name])

    def refresh(self) -> None:
        """Show of everything that is on or off which it is."""
        for spec in SPECS:
            if spec.checked:
                self.by_name[spec.name].setChecked(attrgetter(spec.checked)(self._commands)())

    def context_menu(self) -> QMenu:
        """Return the menu of the canvas."""
        self.refresh()
        menu = QMenu(self._window)
        self._fill(menu, (spec for spec in SPECS if spec.context))
        menu.addMenu(self.menus[ARRANGE])
        return menu

    def _make_toolbar(self) -> QToolBar:
        bar = QToolBar(tr("Toolbar"), self._window)
        bar.setObjectName("toolbar")
        bar.setIconSize(QSize(18, 18))
        bar.setMovable(False)
        shown = [spec for spec in SPECS if spec.icon]
        group = ""
        for spec in (*(s for s in shown if s.menu != RUN), *(s for s in shown if s.menu == RUN)):
            if group and spec.menu == RUN != group:
                self._add_search(bar)
            elif group and spec.menu != group:
                bar.addSeparator()
            group = spec.menu
            self._add_button(bar, spec)
        self._window.addToolBar(bar)
        return bar

    def _add_button(self, bar: QToolBar, spec: Spec) -> None:
        action = self.by_name[spec.name]
        keys = f" ({spec.keys[0]})" if spec.keys else ""
        action.setToolTip(tr(spec.text) + keys)
        bar.addAction(action)
        button = bar.widgetForAction(action)
        if isinstance(button, QToolButton):
            button.setObjectName(spec.name)
            if spec.label:
                action.setIconText(f" {tr(spec.text).rstrip('…')}")  # some air after the icon
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)

    def _add_search(self, bar: QToolBar) -> None:
        """Add the field that finds anything, at the right."""
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(space)
        search = QToolButton()
        search.setObjectName("anything")
        search.setText(tr("Do or find anything      Ctrl K"))
        search.setToolTip(tr("Search actions, operators, files and settings (Ctrl+K)"))
        search.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        search.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        search.clicked.connect(self.by_name["find_anything"].trigger)
        self._search = search
        bar.addWidget(search)

    def paint(self, colour: str, on_accent: str, faint: str) -> None:
        """Give the icons their colors: that of the text, or of text on the accent."""
        self._search.setIcon(glyph(icon_name("action", "find"), faint))
        for spec in SPECS:
            if spec.name == "run":
                self.by_name[spec.name].setIcon(glyph(icon_name("action", spec.icon), on_accent))
            elif spec.icon:
                self.by_name[spec.name].setIcon(glyph(icon_name("action", spec.icon), colour))


def shortcut_rows() -> list[tuple[str, str, str]]:
    """Return menu, action and keys of every action that has keys."""
    return [(tr(s.menu), tr(s.text), "  ".join(s.keys)) for s in SPECS if s.keys]
