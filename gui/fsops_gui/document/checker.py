"""The check of a process, in the background after each edit, and its findings.

A process that a document has shown never changes, so a thread can look at it without a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from fsops.core.checks.problems import Problem, Severity
from fsops.core.checks.propagation import Memory, Propagated
from fsops.core.checks.validation import examine
from fsops.core.graph.process import Process
from fsops.core.registry import Registry
from fsops.engine.macros import predefined_macros, process_macros
from fsops_gui.document.document import Document

ERROR_SIGN, WARNING_SIGN = "✖", "▲"
PAUSE = 150
"""Milliseconds without an edit before the check begins."""


@dataclass(frozen=True)
class Findings:
    """What a check has found."""

    process: Process
    problems: tuple[Problem, ...] = ()
    known: Propagated = field(default_factory=Propagated)


@dataclass
class Marks:
    """What was found about an operator: it is told by a sign, words and colour."""

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
    """Return the problems of a process and what is known at its ports.

    With a ``memory`` only what has changed since the last check is asked again. An empty process
    delivers nothing, but who has just begun need not be told.
    """
    found = examine(process, registry, macros=known_macros(process), memory=memory)
    return Findings(process, tuple(found.problems) if len(process) else (), found.known)


def spot_of(process: Process, problem: Problem) -> str | None:
    """Return the operator a problem is about; of an inner process, the operator around it."""
    names = {node.name for node in process.walk()}
    return next((part for part in reversed(problem.path) if part in names), None)


def marks_of(findings: Findings) -> dict[str, Marks]:
    """Return the signs at operators; an operator also shows what is wrong inside it."""
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
    """Return what is wrong with levels as a whole, by their paths; ✖ an error, ▲ a warning."""
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


class Checker(QObject):
    """Checks a document after each edit and tells what it found."""

    found = pyqtSignal(object)
    """`Findings` about the process as it is now."""
    _done = pyqtSignal(object)

    def __init__(self, document: Document, registry: Registry) -> None:
        super().__init__()
        self._document = document
        self._registry = registry
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="check")
        self._memory = Memory()  # used by the one thread of the pool only
        self._waiting: Future[Findings] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.check_now)
        self._done.connect(self._tell)
        self.findings = Findings(document.process)
        document.changed.connect(self._wait)
        self._timer.start(0)

    def _wait(self) -> None:
        self._timer.start(PAUSE)

    def check_now(self) -> None:
        """Begin a check without waiting; one that has not begun yet gives way to it."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = self._pool.submit(
            check, self._document.process, self._registry, self._memory
        )
        self._waiting.add_done_callback(self._hand_over)

    def _hand_over(self, future: Future[Findings]) -> None:
        if not future.cancelled() and future.exception() is None:
            self._done.emit(future.result())

    def _tell(self, findings: Findings) -> None:
        if findings.process is self._document.process:  # else a newer check is on its way
            self.findings = findings
            self.found.emit(findings)

    def close(self) -> None:
        """Stop checking; what a check still finds is not told."""
        self.blockSignals(True)
        self._timer.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)
