"""``--events``: what happens in a run, for other programs, as one JSON object per line.

The format is described in ``docs/events.md``; a change of it that a reader could trip over
raises `SCHEMA`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

import numpy as np

from fsops import __version__
from fsops.cli.failures import exit_code
from fsops.cli.output.console import errors_console
from fsops.core.frame.events import (
    Event,
    Failed,
    Finished,
    Logged,
    Path as OperatorPath,
    Paused,
    PortKept,
    Progressed,
    Resumed,
    Started,
)
from fsops.core.frame.services import WARNING
from fsops.engine import RunResult
from fsops.errors import Cancelled, FsopsError, StorageError
from fsops.storage.results import WrittenFile, json_text

if TYPE_CHECKING:
    from fsops.engine.ports import PortKeeper

SCHEMA = 1
STANDARD_OUTPUT = "-"
PROGRESS_EVERY = 0.05  # seconds between two events about the same loop


class NoEvents:
    """Tells nobody; `EventWriter` adds the telling."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Tell how the run ended."""

    def __call__(self, event: Event) -> None:
        """Tell what happened in an operator."""

    def begin(self, *, process: str, file: Path, seed: int, operators: int) -> None:
        """Tell that a run starts."""

    def results(
        self,
        result: RunResult,
        written: Sequence[WrittenFile],
        folder: Path | None,
        ports: PortKeeper | None = None,
    ) -> None:
        """Tell what the process delivered."""


class EventWriter(NoEvents):
    """Writes each event at once; a reader that goes away does not disturb the run."""

    def __init__(self, stream: TextIO, *, close: bool) -> None:
        self._stream: TextIO | None = stream
        self._close = close
        self._told: dict[OperatorPath, float] = {}
        self._began = time.perf_counter()
        self._seed: int | None = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write how the run ended."""
        self._write(
            "run_ended",
            schema=SCHEMA,
            **_ending(error),
            seconds=round(time.perf_counter() - self._began, 6),
            seed=self._seed,
        )
        if self._close and self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.close()

    def begin(self, *, process: str, file: Path, seed: int, operators: int) -> None:
        """Write that a run starts; a negative seed is drawn later."""
        self._seed = seed if seed >= 0 else None
        self._write(
            "run_started",
            schema=SCHEMA,
            fsops=__version__,
            process=process,
            file=str(file),
            seed=self._seed,
            operators=operators,
        )

    def __call__(self, event: Event) -> None:
        """Write what happened in an operator."""
        if isinstance(event, Progressed) and not self._is_due(event):
            return
        name, fields = _described(event)
        if name:
            self._write(name, path=list(event.path), **fields)

    def _is_due(self, event: Progressed) -> bool:
        """Return whether to tell: a quick loop would flood the reader. Begin and end always are."""
        now = time.monotonic()
        soon = now < self._told.get(event.path, 0.0) + PROGRESS_EVERY
        if soon and event.done not in (0, event.total):
            return False
        self._told[event.path] = now
        return True

    def results(
        self,
        result: RunResult,
        written: Sequence[WrittenFile],
        folder: Path | None,
        ports: PortKeeper | None = None,
    ) -> None:
        """Write what the process delivered, with the files that hold it."""
        self._seed = result.seed
        for name, value, origin in zip(result.names, result.results, result.origins, strict=True):
            files = [str((folder or Path()) / f.file) for f in written if f.result == name]
            kept = {} if ports is None else {"key": ports.key(*origin)}
            kind, title = type(value).__name__, value.title
            self._write("result", name=name, kind=kind, title=title, files=files, **kept)

    def _write(self, event: str, **fields: Any) -> None:
        if self._stream is None:
            return
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"event": event, "time": moment, **fields})
        try:
            self._stream.write(line + "\n")
            self._stream.flush()
        except BrokenPipeError:  # the reader has seen enough
            self._give_up(self._stream)
        except OSError as error:
            self._give_up(self._stream)
            text = f"The events could not be written to the end: {_reason(error)}."
            errors_console().say("Warning", "yellow", text)

    def _give_up(self, stream: TextIO) -> None:
        """Write no more, and send what is still buffered nowhere."""
        self._stream = None
        with contextlib.suppress(OSError):
            sink = os.open(os.devnull, os.O_WRONLY)
            os.dup2(sink, stream.fileno())
            os.close(sink)
            if self._close:
                stream.close()


def open_events(target: str | None) -> NoEvents:
    """Return what writes events to a file, or to standard output for ``-``."""
    if target is None:
        return NoEvents()
    if target == STANDARD_OUTPUT:
        return EventWriter(sys.stdout, close=False)
    try:
        stream = open(target, "w", encoding="utf-8")  # noqa: SIM115 - closed when the run ends
    except OSError as error:
        raise StorageError(
            f'The file "{target}" for the events cannot be written: {_reason(error)}.',
            hint="Choose another one after --events.",
        ) from None
    return EventWriter(stream, close=True)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


_NAMES: dict[type[Event], str] = {
    Started: "started",
    Progressed: "progress",
    Finished: "finished",
    Failed: "failed",
    Paused: "paused",
    Resumed: "resumed",
    PortKept: "port",
}


def _described(event: Event) -> tuple[str, dict[str, Any]]:
    """Return the name of an event and what it tells; most tell just their fields."""
    if isinstance(event, Failed):
        return _NAMES[Failed], _error(event.error)
    if isinstance(event, Logged):
        if event.name == WARNING:
            return "warning", {"message": str(event.value)}
        return "log", {"name": event.name, "value": _plain(event.value)}
    fields = {name: value for name, value in vars(event).items() if name != "path"}
    if isinstance(event, Finished):
        fields["seconds"] = round(event.seconds, 6)
    if isinstance(event, Progressed):
        fields = {name: fields[name] for name in ("label", "done", "total")}
    return _NAMES.get(type(event), ""), fields


def _error(error: BaseException) -> dict[str, Any]:
    if isinstance(error, FsopsError):
        message, hint, origin = error.message, error.hint, list(error.path)
    else:
        message, hint, origin = str(error) or type(error).__name__, "", []
    return {"error": type(error).__name__, "message": message, "hint": hint, "origin": origin}


def _ending(error: BaseException | None) -> dict[str, Any]:
    # Who only stopped reading the results has had a run that worked.
    if error is None or isinstance(error, BrokenPipeError):
        return {"status": "finished", "exit_code": 0}
    stopped = isinstance(error, KeyboardInterrupt | Cancelled)
    code = exit_code(error) if isinstance(error, Exception) else Cancelled.exit_code
    return {"status": "cancelled" if stopped else "failed", "exit_code": code, **_error(error)}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it, as in all our documents: NaN is null, infinity text."""
    simple = value.item() if isinstance(value, np.generic) else value
    return json.loads(json_text(simple if isinstance(simple, float | int | str) else str(value)))
