"""The open documents: a session for each tab, and the panels bound to the one in front.

Each document has its own session: undo, check, run, results, log and autosave go on while
another tab is in front. Panels that exist once, such as the problems, show the current session.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QObject, QPoint, QTimer, pyqtSignal
from PyQt6.QtGui import QUndoGroup
from PyQt6.QtWidgets import QMenu, QStackedWidget, QWidget

from fsops_gui.base.texts import tr
from fsops_gui.canvas.file_drops import FileDrops
from fsops_gui.document.document import Document
from fsops_gui.shell.session import Session
from fsops_gui.shell.tabs import DocumentTabs

if TYPE_CHECKING:
    from fsops_gui.shell.window import Window


class Workspace(QObject):
    """Opens, shows and closes the documents of a window."""

    switched = pyqtSignal()
    """Another session is in front."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._context = window.context
        self.tabs = DocumentTabs()
        self.tabs.chosen.connect(self._take_choice)
        self.tabs.close_wanted.connect(window.files.close_session)
        self.tabs.new_wanted.connect(window.files.new)
        self.tabs.menu_wanted.connect(self._open_menu)
        self.tabs.moved.connect(self._remember)
        # The newest tab is fitted after its first layout. With a timer and a function for each tab,
        # 3 of 10 runs of tests crashed, probably after the function was collected as garbage.
        self._newest: Session | None = None
        self._fit_later = QTimer(self)
        self._fit_later.setSingleShot(True)
        self._fit_later.timeout.connect(self._fit)
        self.undo_group = QUndoGroup(self)
        for name, signal in (
            ("undo", self.undo_group.canUndoChanged),
            ("redo", self.undo_group.canRedoChanged),
        ):
            signal.connect(window.actions_table.by_name[name].setEnabled)
            window.actions_table.by_name[name].setEnabled(False)

    # --- the sessions -----------------------------------------------------------------------

    @property
    def current(self) -> Session | None:
        """The session in front; None before the first document."""
        return getattr(self._context, "session", None)

    def sessions(self) -> list[Session]:
        """Return the sessions in the order of their tabs."""
        return self.tabs.sessions()

    def session_of(self, path: Path | None) -> Session | None:
        """Return the session in which a file is open."""
        there = (s for s in self.sessions() if s.document.path == path)
        return next(there, None) if path is not None else None

    def attach(self, document: Document) -> Session:
        """Show a document in a new tab; a file that is open already comes to the front.

        An empty process that was never changed gives its tab away.
        """
        there = self.session_of(document.path)
        if there is not None:
            self.select(there)
            return there
        old = self.current
        session = Session(document, self._window.registry)
        self.undo_group.addStack(document.undo_stack)
        self._window.actions_table.hold(session.editor.view, session.operators)
        session.parameters.setMinimumWidth(250)
        self._connect(session)
        self.tabs.add(session, old)
        self.select(session, page="show_process")
        if old is not None and old.is_untouched:
            self._drop(old)
        self._remember()
        self._newest = session
        self._fit_later.start(0)
        return session

    def select(self, session: Session, *, page: str = "") -> None:
        """Bring a session to the front, on the page where it was left or on another."""
        old = self.current
        if old is session and not page:
            return
        if old is not None:
            old.page = self._window.pages.name or old.page
        self._context.session = session
        session.page = page or session.page
        self.tabs.select(session)
        self.undo_group.setActiveStack(session.document.undo_stack)
        self._bind(session)
        self.switched.emit()
        self._remember()

    def step(self, by: int) -> None:
        """Bring the next tab to the front, after the last the first."""
        sessions = self.sessions()
        if self.current in sessions:
            self.select(sessions[(sessions.index(self.current) + by) % len(sessions)])
            self.focus()

    def close(self, session: Session) -> None:
        """Close a tab without a question; after the last one an empty process is open."""
        sessions = self.sessions()
        if len(sessions) == 1:
            self.attach(Document())
            if session in self.sessions():
                self._drop(session)
            return
        if session is self.current:
            index = sessions.index(session)
            self.select(sessions[index - 1 if index else 1])
        self._drop(session)
        self.focus()

    def _drop(self, session: Session) -> None:
        self.tabs.remove(session)
        for room in self._rooms(session):
            room.removeWidget(self._rooms(session)[room])
        session.close()
        self._remember()

    def close_all(self) -> None:
        """End all sessions: the window closes."""
        for session in self.sessions():
            session.close()

    def focus(self) -> None:
        """Give the keyboard to the canvas, unless the tabs have it."""
        session = self.current
        if session is None or self.tabs.bar.hasFocus():
            return
        if self._window.pages.currentWidget() is session.editor:
            session.editor.view.setFocus()

    def _take_choice(self, session: Session) -> None:
        self.select(session)
        self.focus()

    def _remember(self) -> None:
        """Remember the files of the tabs, to open them at the next start."""
        paths = [s.document.path for s in self.sessions() if s.document.path is not None]
        now = self.current.document.path if self.current is not None else None
        self._window.settings.remember_tabs(paths, now)

    # --- binding ----------------------------------------------------------------------------

    def _rooms(self, session: Session) -> dict[QStackedWidget, QWidget]:
        window = self._window
        return {
            window.parameters_room: session.parameters,
            window.tree_room: session.operators,
            window.log_room: session.log_page,
        }

    def _bind(self, session: Session) -> None:
        """Let pages and panels show a session."""
        window = self._window
        window.pages.set_session(session.editor, session.results, session.page)
        for room, panel in self._rooms(session).items():
            if room.indexOf(panel) < 0:
                room.addWidget(panel)
            room.setCurrentWidget(panel)
        window.history_panel.set_history(session.history)
        window.overview.show_editor(session.editor)
        window.xml_panel.show_document(session.document)
        window.result_dock.show_nothing("")
        window.show_session()
        self.focus()

    def _connect(self, session: Session) -> None:
        """Connect the signals of a session; most matter only while it is in front."""
        window = self._window

        def front(act: Callable[..., Any]) -> Callable[..., None]:
            def do(*about: object) -> None:
                if self.current is session:
                    act(*about)

            return do

        session.file_foreign.connect(lambda: window.files.notice_change(session))
        session.file_gone.connect(lambda: window.files.notice_gone(session))
        session.autosave_failed.connect(lambda text: window.files.notice_autosave(session, text))
        session.said.connect(front(window.say))
        session.run_started.connect(self.tabs.refresh)
        session.run_ended.connect(lambda: window.runs.end(session))
        session.run_ended.connect(self.tabs.refresh)
        session.run_paused.connect(self.tabs.refresh)
        session.run_updated.connect(lambda: window.runs.show_progress(session))
        session.run_updated.connect(front(window.show_progress_below))
        session.ports_known.connect(front(window.show_selected_result))
        session.found.connect(front(window.show_findings))
        session.changed.connect(window.remember_added)
        session.changed.connect(front(window.show_change))
        session.changed.connect(lambda _change: self.tabs.refresh())
        session.changed.connect(lambda _change: session.results.show_stale())
        session.file_changed.connect(self.tabs.refresh)
        session.file_changed.connect(self._remember)
        session.file_changed.connect(front(window.show_file))
        session.log.spot_wanted.connect(window.views.reveal)
        session.results.said.connect(window.say)
        session.results.run_wanted.connect(window.actions_table.by_name["run"].trigger)
        session.results.use_wanted.connect(window.edits.use_attributes)
        session.results.tab_shown.connect(front(window.show_room))
        self._connect_editor(session)

    def _connect_editor(self, session: Session) -> None:
        window, scene = self._window, session.editor.scene
        scene.selected_now.connect(window.views.show_help_of_selected)
        scene.selected_now.connect(window.show_selected_result)
        scene.fixes_wanted.connect(window.offer_fixes)
        scene.port_clicked.connect(window.show_port)
        session.editor.view.menu_wanted.connect(window.open_menu)
        session.editor.view.chooser.blocks = window.blocks.blocks
        session.editor.view.chooser.block_chosen.connect(window.blocks.insert)
        session.editor.view.block_dropped.connect(window.blocks.drop)
        drops = FileDrops(session.editor.view, window.registry)
        drops.process_wanted.connect(window.files.open_file)
        drops.said.connect(window.say)

    def _fit(self) -> None:
        session, self._newest = self._newest, None
        if session is not None and session is self.current and self._window.isVisible():
            session.editor.view.fit_readable()

    # --- the menu of a tab --------------------------------------------------------------------

    def _open_menu(self, session: Session, point: QPoint) -> None:
        self.select(session)
        menu = self.menu_of(session)
        menu.popup(point)

    def menu_of(self, session: Session) -> QMenu:
        """Return the menu of a tab."""
        menu = QMenu(self._window)
        menu.aboutToHide.connect(menu.deleteLater)
        files = self._window.files
        others = [s for s in self.sessions() if s is not session]
        choices: list[tuple[str, Callable[[], object], bool]] = [
            (tr("Close"), lambda: files.close_session(session), True),
            (tr("Close the others"), lambda: files.close_sessions(others), bool(others)),
            (tr("Close all"), lambda: files.close_sessions([*others, session]), True),
            (tr("Compare…"), self._window.versions.compare, True),
            (tr("Copy path"), files.copy_path, session.document.path is not None),
        ]
        for words, act, offered in choices:
            action = menu.addAction(words)
            assert action is not None
            action.setEnabled(offered)
            action.triggered.connect(lambda _on=False, a=act: a())
        return menu
