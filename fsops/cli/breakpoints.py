"""``--breakpoints``: a run that waits asks on standard input how to go on."""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from fsops.cli.output.console import PlainConsole
from fsops.core.graph.process import Node
from fsops.errors import Cancelled, did_you_mean

LOOK_EVERY = 0.1  # seconds between two looks whether the run was stopped meanwhile
CONTINUE, STEP, STOP = "continue", "step", "stop"
ANSWERS = (CONTINUE, STEP, STOP)
CHOICES = "continue, step or stop"


class Asking:
    """Asks at a breakpoint; the end of standard input means stop."""

    def __init__(self, messages: PlainConsole, cancel: threading.Event, *, quiet: bool) -> None:
        self._messages = messages
        self._cancel = cancel
        self._quiet = quiet
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader: threading.Thread | None = None

    def __call__(self, node: Node, moment: str, values: Mapping[str, Any]) -> bool:
        """Wait for an answer; return whether to stop at the next operator as well."""
        self._say(f'Paused {moment} "{node.name}": {CHOICES}?')
        while True:
            answer = self._next_line()
            if answer is None or answer == STOP:
                raise Cancelled("The run was stopped at a breakpoint.")
            if answer in ANSWERS:
                return answer == STEP
            hint = did_you_mean(answer, ANSWERS)
            self._say(f'"{answer}" is not an answer. {hint} Write {CHOICES}.'.replace("  ", " "))

    def _say(self, text: str) -> None:
        if not self._quiet:
            self._messages.print(text, soft_wrap=True)

    def _next_line(self) -> str | None:
        if self._reader is None:
            self._reader = threading.Thread(target=self._read, daemon=True)
            self._reader.start()
        while not self._cancel.is_set():
            with contextlib.suppress(queue.Empty):
                return self._lines.get(timeout=LOOK_EVERY)
        raise Cancelled("The run was stopped.")

    def _read(self) -> None:
        for line in _lines_of_stdin():
            self._lines.put(line.strip().lower())
        self._lines.put(None)


def _lines_of_stdin() -> Iterator[str]:
    """Return the lines as they come.

    They are read past Python's buffer: a thread that waits inside of it would be in the way when
    the program ends.
    """
    try:
        source = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # closed, or not a real one
        yield from sys.stdin or ()
        return
    rest = b""
    with contextlib.suppress(OSError):
        while more := os.read(source, 4096):
            *lines, rest = (rest + more).split(b"\n")
            yield from (line.decode(errors="replace") for line in lines)
    if rest:
        yield rest.decode(errors="replace")
