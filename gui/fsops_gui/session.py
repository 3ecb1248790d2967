"""What belongs to one open document: its canvas, its form, its list of operators, its check."""

from __future__ import annotations

from PyQt6.QtCore import QObject, pyqtSignal

from fsops.core.problems import Problem, QuickFix
from fsops.core.registry import Registry
from fsops.errors import FsopsError
from fsops_gui.autosave import Autosaver
from fsops_gui.canvas.editor import Editor
from fsops_gui.checking import Checker, Findings, faults_of, marks_of, spot_of
from fsops_gui.document import Document
from fsops_gui.panels.parameters import ParametersPanel
from fsops_gui.panels.tree import OperatorList
from fsops_gui.running import Run


class Session(QObject):
    """Ties the parts of a document together."""

    said = pyqtSignal(str)
    run_updated = pyqtSignal()
    run_ended = pyqtSignal()

    def __init__(self, document: Document, registry: Registry) -> None:
        super().__init__()
        self.document = document
        self.registry = registry
        self.editor = Editor(document, registry)
        self.parameters = ParametersPanel(document)
        self.operators = OperatorList(document)
        self.checker = Checker(document, registry)
        self.autosaver = Autosaver(document)
        self.run: Run | None = None
        scene = self.editor.scene
        scene.said.connect(self.said)
        scene.selected_now.connect(self._show_selected)
        scene.moved_to.connect(lambda _owner: self._show_selected())
        self.parameters.said.connect(self.said)
        self.operators.spot_wanted.connect(self.editor.view.reveal)
        self.checker.found.connect(self._show_findings)

    def selected_name(self) -> str | None:
        """Return the operator whose parameters are shown: the selected one, else the one around."""
        names = self.editor.scene.selected_names()
        return names[0] if names else self.editor.scene.owner

    def _show_selected(self) -> None:
        self.parameters.show_operator(self.selected_name())

    def _show_findings(self, findings: Findings) -> None:
        marks, faults = marks_of(findings), faults_of(findings)
        self.editor.scene.set_marks(marks, faults, findings.known)
        self.parameters.set_known(findings.known)

    def problems_at(self, name: str) -> list[Problem]:
        """Return the problems of an operator and of what is inside it."""
        found = self.checker.findings
        node = self.document.process.find(name)
        inside = {name, *(n.name for inner in node.subprocesses for n in inner.walk())}
        return [p for p in found.problems if spot_of(found.process, p) in inside]

    def apply(self, fix: QuickFix) -> None:
        """Mend a problem, as a step that can be undone."""
        try:
            self.document.edit(fix.label, fix.apply)
        except FsopsError as error:  # the process may have changed since the check
            self.said.emit(str(error))

    # --- running ----------------------------------------------------------------------------

    def start_run(self) -> Run:
        """Run the process as it is now; an earlier run is ended."""
        self.end_run()
        run = Run(self.document.process)
        self.run = run
        run.updated.connect(self._show_run)
        run.ended.connect(self.run_ended)
        self.editor.scene.set_runs({})
        run.start()
        return run

    def _show_run(self) -> None:
        if self.run is not None:
            self.editor.scene.set_runs(self.run.report.operators)
            self.run_updated.emit()

    def end_run(self) -> None:
        """End a run and forget its results."""
        if self.run is not None:
            self.run.blockSignals(True)
            self.run.close()
            self.run = None

    def close(self) -> None:
        """End everything."""
        self.end_run()
        self.autosaver.remove()
        self.checker.close()
        self.editor.scene.blockSignals(True)
        for widget in (self.editor, self.parameters, self.operators):
            widget.hide()
            widget.deleteLater()
