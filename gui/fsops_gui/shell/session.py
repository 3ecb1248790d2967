"""All that belongs to one open document: canvas, form, list of operators, check, run, results."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PyQt6.QtCore import QObject, pyqtSignal

from fsops.core.checks.problems import Problem, QuickFix
from fsops.core.checks.run_advice import problems_of_run
from fsops.core.graph.process import Process
from fsops.core.registry import Registry
from fsops.editing.comparison import stale_operators
from fsops.errors import FsopsError
from fsops.runs.watch import WatchedPort
from fsops_gui.base.settings import DesignerSettings
from fsops_gui.base.texts import tr
from fsops_gui.canvas.editor import Editor
from fsops_gui.document.autosave import Autosaver
from fsops_gui.document.checker import Checker, Findings, faults_of, marks_of, spot_of
from fsops_gui.document.document import Document
from fsops_gui.document.file_watch import FileWatch
from fsops_gui.document.undo_steps import Change
from fsops_gui.document.versions import VersionKeeper
from fsops_gui.panels.log import LogPage, LogPanel
from fsops_gui.panels.parameters import ParametersPanel
from fsops_gui.panels.results import ResultsPanel
from fsops_gui.panels.tree import OperatorList
from fsops_gui.run.child_run import ChildRun
from fsops_gui.run.history import RunHistory
from fsops_gui.run.previews import Previews

Notice = tuple[str, list[tuple[str, Callable[[], object]]]]
"""A sentence, and the answers with their acts."""


class Session(QObject):
    """Ties the parts of a document together."""

    said = pyqtSignal(str)
    run_started = pyqtSignal()
    run_updated = pyqtSignal()
    run_paused = pyqtSignal()
    run_ended = pyqtSignal()
    changed = pyqtSignal(object)
    """A `Change` of the document."""
    file_changed = pyqtSignal()
    """Another file, or saved, or no longer as saved."""
    file_foreign = pyqtSignal()
    file_gone = pyqtSignal()
    autosave_failed = pyqtSignal(str)
    """Another program has written the file."""
    found = pyqtSignal(object)
    """`Findings` of the check."""
    ports_known = pyqtSignal()
    """The port values of the current run can be viewed: after a run, at a pause."""

    def __init__(self, document: Document, registry: Registry) -> None:
        super().__init__()
        self.document = document
        self.registry = registry
        self.editor = Editor(document, registry)
        self.parameters = ParametersPanel(document)
        self.operators = OperatorList(document)
        self.checker = Checker(document, registry)
        self.autosaver = Autosaver(document)
        self.versions = VersionKeeper(document)
        self.autosaver.wrote.connect(self.versions.take_autosave)
        self.watch = FileWatch(document)
        self.results = ResultsPanel()
        self.results.setMinimumWidth(260)  # its buttons must not keep the window from being small
        self.log = LogPanel()
        self.log_page = LogPage(self.log)
        self.notice: Notice | None = None
        """A question about the file that waits for its answer."""
        self.page = "show_process"
        """The page to show when the tab comes to the front."""
        self.run: ChildRun | None = None
        self.history = RunHistory()
        self.previews = Previews(self)
        self.previews.changed.connect(self._show_previews)
        self._compared: dict[int, tuple[Process, Process, set[str]]] = {}
        scene = self.editor.scene
        scene.seen = self._seen
        scene.said.connect(self.said)
        scene.selected_now.connect(self._show_selected)
        scene.moved_to.connect(self._take_level)
        self.ports_known.connect(self._ask_previews)
        self.parameters.said.connect(self.said)
        self.operators.spot_wanted.connect(self.editor.view.reveal)
        self.operators.chosen.connect(self.editor.view.reveal_all)
        self.operators.note_wanted.connect(self.editor.view.reveal_note)
        self.operators.said.connect(self.said)
        self.checker.advice = self._run_advice
        self.checker.found.connect(self._show_findings)
        self.checker.found.connect(self.found)
        document.changed.connect(self._take_change)
        document.changed.connect(self.changed)
        document.file_changed.connect(self.file_changed)
        self.watch.changed.connect(self.file_foreign)
        self.watch.gone.connect(self.file_gone)
        self.autosaver.failed.connect(self.autosave_failed)

    @property
    def is_untouched(self) -> bool:
        """Whether nothing would be missed: an empty process without file, edits and runs."""
        document = self.document
        used = document.path is not None or document.undo_stack.count() or document.modified
        return not used and not len(document.process) and self.last_run is None

    @property
    def run_state(self) -> str:
        """The state of the run that goes on or has ended last; empty where there is none."""
        return "" if self.run is None else self.run.report.status

    def selected_name(self) -> str | None:
        """Return the operator whose parameters are shown: the selected one, else the one around."""
        names = self.editor.scene.selected_names()
        return names[0] if names else self.editor.scene.owner

    def _take_level(self, _owner: str | None) -> None:
        self._show_selected()
        self._ask_previews()

    def _show_selected(self) -> None:
        self.parameters.show_operator(self.selected_name())
        self.operators.select(self.editor.scene.selected_names())

    def _ask_previews(self) -> None:
        """Read the results of the operators that are shown, and of those that feed them."""
        run = self.run if self.run is not None else self.last_run
        if run is not None:
            self.previews.ask(run, [n for f in self.editor.scene.frames for n in f.operators])

    def _show_previews(self) -> None:
        self.editor.scene.set_previews(self.previews.known)

    @property
    def last_run(self) -> ChildRun | None:
        """The run whose results are shown if none is under way."""
        return None if self.history.last is None else self.history.last.run

    def _run_advice(self) -> list[Problem]:
        """Return the problems that the run has shown and that no edit has changed since."""
        run = self.run if self.run is not None else self.last_run
        if run is None:
            return []
        self._mark_stale()
        states = run.report.operators.items()
        cautions = {name: s.cautions for name, s in states if s.cautions and not s.stale}
        return problems_of_run(self.document.process, cautions) if cautions else []

    def _show_findings(self, findings: Findings) -> None:
        marks, faults = marks_of(findings), faults_of(findings)
        self.editor.scene.set_marks(marks, faults, findings.known)
        self.operators.set_marks(marks)
        self.parameters.show_findings(findings)

    def _seen(self, operator: str, port: str) -> WatchedPort | None:
        """Return the last value at an output."""
        return None if self.run is None else self.run.report.ports.get((operator, port))

    def problems_at(self, name: str) -> list[Problem]:
        """Return the problems of an operator and of its inner operators."""
        found = self.checker.findings
        node = self.document.process.find(name)
        inside = {name, *(n.name for inner in node.subprocesses for n in inner.walk())}
        return [p for p in found.problems if spot_of(found.process, p) in inside]

    def apply(self, fix: QuickFix) -> None:
        """Fix a problem, as a step that can be undone."""
        try:
            self.document.edit(fix.label, fix.apply)
        except FsopsError as error:
            self.said.emit(str(error))

    # --- running ----------------------------------------------------------------------------

    def start_run(
        self, until: str | None = None, *, ignore_cache: bool = False, looks: Collection[str] = ()
    ) -> ChildRun:
        """Run the process as it is now, or the part that an operator needs.

        Cached results are used again, unless the settings or ``ignore_cache`` forbid it.
        An earlier run that is not over is ended. After the operators of ``looks`` the run pauses,
        so that their results can be read.
        """
        self.end_run()
        process = self.document.process
        if looks:
            process = process.clone()
            for name in looks:
                node = process.find(name)
                node.breakpoints = node.breakpoints | {"after"}
        last = None if self.history.last is None else self.history.last.run
        # Whoever wants other random numbers each time wants them from a run, not from a look at
        # a part of it.
        seed = last.report.seed if process.seed < 0 and until is not None and last else None
        run = ChildRun(
            process,
            until=until,
            seed=seed,
            keep=DesignerSettings().keep_results and not ignore_cache,
        )
        self.run = run
        run.is_wanted = lambda name, moment: name in looks or self._has_breakpoint(name, moment)
        run.updated.connect(self._show_run)
        run.paused.connect(self._take_pause)
        run.ended.connect(self._take_end)
        run.start()
        self._show_run()
        self.run_started.emit()
        return run

    def _show_run(self) -> None:
        if self.run is not None:
            self._mark_stale()
            self.editor.scene.set_runs(self.run.report.operators)
            self.operators.set_runs(self.run.report.operators)
            self.run_updated.emit()

    def _has_breakpoint(self, name: str, moment: str) -> bool:
        nodes = self.document.process.walk()
        return any(node.name == name and moment in node.breakpoints for node in nodes)

    def _take_pause(self) -> None:
        self.ports_known.emit()
        self.run_paused.emit()

    def _take_end(self) -> None:
        if self.run is not None:
            last = self.history.last
            if last is not None:
                self._borrow(self.run, last.run)
            self.history.add(self.run)
            self._show_run()
            self.checker.report()
        self.ports_known.emit()
        self.run_ended.emit()

    @staticmethod
    def _borrow(run: ChildRun, earlier: ChildRun) -> None:
        """Let operators that this run did not reach show their earlier results.

        In a run that got through, these are those inside of operators taken from the store.
        """
        states, names = run.report.operators, {node.name for node in run.process.walk()}
        if run.until is None and run.report.status == "finished":
            stored = [n for n in run.process.walk() if n.name in states and states[n.name].cached]
            names = {inner.name for n in stored for p in n.subprocesses for inner in p.walk()}
        run.borrow(earlier, names - run.report.ran)

    def end_run(self) -> None:
        """End a run that is not over; one that is belongs to the history."""
        if self.run is not None and self.run.running:
            self.run.blockSignals(True)
            self.run.close()
        self.run = None

    def why_no_value(self, operator: str, port: str) -> str:
        """Return why nothing is known to have come out of a port, and what to do."""
        run = self.run
        if run is None or operator not in {node.name for node in self.document.process.walk()}:
            return tr("Run the process; then a click on a port shows its value.")
        at = self.document.process.find(operator).process.owner
        while at is not None:
            state = run.report.operators.get(at.name)
            if state is not None and state.cached:
                return tr(
                    "{outer} was taken from earlier results, so nothing ran inside of it. "
                    "Run to {name} (Shift+F9) to see it.",
                    outer=at.name,
                    name=operator,
                )
            at = at.process.owner
        if operator not in run.report.ran:
            return tr("{name} did not run.", name=operator)
        return tr(
            "No value recorded for {name}.{port}: it returned no value, or it ran in other "
            "processes.",
            port=port,
            name=operator,
        )

    # --- what is out of date ----------------------------------------------------------------

    @property
    def is_stale(self) -> bool:
        """Whether a result that is shown is no longer that of the process as it is now."""
        return self.run is not None and any(s.stale for s in self.run.report.operators.values())

    def _mark_stale(self) -> None:
        """Bring up to date which results are no longer those of the process as it is now."""
        if self.run is None:
            return
        found: dict[int, set[str]] = {}
        for name, state in self.run.report.operators.items():
            then = self.run.made.get(name, self.run.then)
            if id(then) not in found:
                found[id(then)] = self._stale_since(then)
            state.stale = state.state == "done" and name in found[id(then)]

    def _stale_since(self, then: Process) -> set[str]:
        now = self.document.process
        if then is now:
            return set()
        known = self._compared.get(id(then))
        if known is None or known[0] is not then or known[1] is not now:
            known = self._compared[id(then)] = (then, now, stale_operators(then, now))
        return known[2]

    def _take_change(self, change: Change) -> None:
        if self.run is None:
            return
        for old, new in change.renamed.items():
            self.run.rename(old, new)
            self.previews.rename(old, new)
        self._compared.clear()
        self._mark_stale()
        self.editor.scene.set_runs(self.run.report.operators)
        self.operators.set_runs(self.run.report.operators)

    def close(self) -> None:
        """End everything."""
        self.watch.close()
        self.end_run()
        self.history.close()
        self.autosaver.remove()
        self.checker.close()
        self.editor.scene.blockSignals(True)
        for widget in (self.editor, self.parameters, self.operators, self.results, self.log_page):
            widget.hide()
            widget.deleteLater()
        self.editor.scene.seen = lambda _operator, _port: None
        self.deleteLater()
