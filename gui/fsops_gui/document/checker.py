"""The check of a process, in the background after each edit, and its findings.

A process that a document has shown never changes, so a thread can look at it without a copy.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from fsops.core.checks.problems import Kind, Problem, Severity
from fsops.core.checks.propagation import Memory, Propagated
from fsops.core.checks.validation import examine
from fsops.core.graph.process import Process
from fsops.core.registry import Registry
from fsops.engine.macros import predefined_macros, process_macros
from fsops_gui.base.texts import tr
from fsops_gui.document.document import Document

ERROR_SIGN, WARNING_SIGN = "✖", "▲"
PAUSE = 150
"""Milliseconds without an edit before the check begins."""
LONG = 10_000
"""Milliseconds after which a check that has not ended is reported."""


@dataclass(frozen=True)
class Findings:
    """The result of a check."""

    process: Process
    problems: tuple[Problem, ...] = ()
    known: Propagated = field(default_factory=Propagated)


@dataclass
class Marks:
    """The problems of an operator: shown by a sign, words and color."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    inside: int = 0
    """How many of these concern operators inside."""

    @property
    def texts(self) -> list[str]:
        """All messages, errors first."""
        return [*self.errors, *self.warnings]


def known_macros(process: Process) -> dict[str, Any]:
    """Return the macros that are known before a run."""
    return {**predefined_macros(process, datetime.now(UTC)), **process_macros(process)}


def check(process: Process, registry: Registry, memory: Memory | None = None) -> Findings:
    """Return the problems of a process and the metadata at its ports.

    With a ``memory`` only changes since the last check are checked. An empty process
    returns nothing, but a beginner needs no warning.
    """
    found = examine(process, registry, macros=known_macros(process), memory=memory)
    return Findings(process, tuple(found.problems) if len(process) else (), found.known)


def spot_of(process: Process, problem: Problem) -> str | None:
    """Return the operator a problem is about; of an inner process, the operator around it."""
    names = {node.name for node in process.walk()}
    return next((part for part in reversed(problem.path) if part in names), None)


def marks_of(findings: Findings) -> dict[str, Marks]:
    """Return the signs at operators; an operator also shows the problems inside it."""
    marks: dict[str, Marks] = {}
    for problem in findings.problems:
        for name, inside in _around(findings.process, problem):
            mark = marks.setdefault(name, Marks())
            where = f"{problem.path[-1]}: " if inside else ""
            is_error = problem.severity is Severity.ERROR
            (mark.errors if is_error else mark.warnings).append(where + problem.message)
            mark.inside += inside
    return marks


def faults_of(findings: Findings) -> dict[tuple[str, ...], list[str]]:
    """Return the problems of levels as a whole, by their paths; ✖ an error, ▲ a warning."""
    operators = {node.path for node in findings.process.walk()}
    faults: dict[tuple[str, ...], list[str]] = {}
    for problem in sorted(findings.problems, key=lambda p: p.severity is not Severity.ERROR):
        if problem.path not in operators:
            sign = ERROR_SIGN if problem.severity is Severity.ERROR else WARNING_SIGN
            faults.setdefault(tuple(problem.path), []).append(f"{sign} {problem.message}")
    return faults


def _around(process: Process, problem: Problem) -> Iterator[tuple[str, bool]]:
    spot = spot_of(process, problem)
    if spot is None:
        return
    node = process.find(spot)
    yield spot, problem.path[-1] != spot
    while node.process.owner is not None:
        node = node.process.owner
        yield node.name, True


class _Worker:
    """Checks the newest process it is given, in a thread.

    The thread is a daemon, and nothing waits for it: a file that never ends, or an operator of a
    plugin that hangs, must not keep the window from closing.
    """

    def __init__(self, registry: Registry, done: Callable[[Findings], None]) -> None:
        self._registry = registry
        self._done = done
        self._memory = Memory()  # used by the thread only
        self._wanted: Process | None = None
        self._closed = False
        self._asked = threading.Condition()
        threading.Thread(target=self._work, name="check", daemon=True).start()

    @property
    def at(self) -> str:
        """The operator that is being described; empty between them."""
        return self._memory.asking

    def ask(self, process: Process) -> None:
        """Check a process next; one that has not begun yet gives way to it."""
        with self._asked:
            self._wanted = process
            self._asked.notify()

    def close(self) -> None:
        """End after the present check; its result is not reported."""
        with self._asked:
            self._closed = True
            self._asked.notify()

    def _work(self) -> None:
        while True:
            with self._asked:
                self._asked.wait_for(lambda: self._closed or self._wanted is not None)
                if self._closed or self._wanted is None:
                    return
                process, self._wanted = self._wanted, None
            try:
                findings = check(process, self._registry, self._memory)
            except BaseException as error:  # noqa: BLE001 - a plugin may even call sys.exit
                findings = failed_check(process, self.at, error)
            if not self._closed:
                with contextlib.suppress(RuntimeError):  # the window is gone
                    self._done(findings)


def failed_check(process: Process, at: str, error: BaseException) -> Findings:
    """Return the one problem of a process whose check has failed."""
    known = {node.name: node.path for node in process.walk()}
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    message = tr("The check failed: {error}. Other problems are not listed.", error=text)
    problem = Problem(Kind.CHECK_FAILED, known.get(at, ()), message, Severity.WARNING)
    return Findings(process, (problem,))


class Checker(QObject):
    """Checks a document after each edit and reports the result."""

    found = pyqtSignal(object)
    """`Findings` about the process as it is now."""
    _done = pyqtSignal(object)

    def __init__(self, document: Document, registry: Registry) -> None:
        super().__init__()
        self._document = document
        self._registry = registry
        self._worker = _Worker(registry, self._done.emit)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.check_now)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(LONG)
        self._patience.timeout.connect(self._report_long)
        self._is_late = False
        self._done.connect(self._take)
        self._checked = Findings(document.process)
        self.findings = self._checked
        self.advice: Callable[[], Sequence[Problem]] = tuple
        """Returns problems that a run has shown, which are listed with those of the check."""
        document.changed.connect(self._wait)
        self._timer.start(0)

    def _wait(self) -> None:
        self._timer.start(PAUSE)

    def check_now(self) -> None:
        """Begin a check without waiting; one that has not begun yet gives way to it."""
        if self._is_late:  # that thread may never come back
            self._worker.close()
            self._worker = _Worker(self._registry, self._done.emit)
        self._is_late = False
        self._worker.ask(self._document.process)
        self._patience.start()

    def _take(self, findings: Findings) -> None:
        if findings.process is not self._document.process:
            return  # a newer check is on its way
        self._patience.stop()
        self._is_late = False
        self._checked = findings
        self.report()

    def report(self) -> None:
        """Report the last check again, with the present advice of the run."""
        further = tuple(self.advice())
        found = self._checked
        self.findings = replace(found, problems=(*found.problems, *further)) if further else found
        self.found.emit(self.findings)

    def _report_long(self) -> None:
        """Report a check that has not ended, and the operator where it is."""
        process, at = self._document.process, self._worker.at
        self._is_late = True
        known = {node.name: node.path for node in process.walk()}
        text = tr(
            "The check has not ended after {n} seconds. Look at the file or the settings of this "
            "operator. Problems of operators after it are not listed.",
            n=LONG // 1000,
        )
        problem = Problem(Kind.CHECK_FAILED, known.get(at, ()), text, Severity.WARNING)
        self._checked = Findings(process, (problem,))
        self.report()

    def close(self) -> None:
        """Stop checking without waiting; later results are not reported."""
        self.blockSignals(True)
        self._timer.stop()
        self._patience.stop()
        self._worker.close()
