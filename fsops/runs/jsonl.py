"""Events of a run for other programs, as one JSON object per line (``--events``).

The format is described in ``docs/events.md``; a change that could break a reader raises `SCHEMA`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

import numpy as np

from fsops.core.frame.events import (
    Cautioned,
    Event,
    Failed,
    Finished,
    Listener,
    Logged,
    Path as OperatorPath,
    Paused,
    PortKept,
    Progressed,
    Resumed,
    Started,
)
from fsops.core.frame.services import WARNING
from fsops.errors import Cancelled, FsopsError, StorageError, exit_code
from fsops.storage.results import json_text
from fsops.version import __version__

if TYPE_CHECKING:
    from fsops.runs.outcome import RunOutcome

SCHEMA = 1
STANDARD_OUTPUT = "-"
PROGRESS_EVERY = 0.05  # seconds between two events about the same loop
Warn = Callable[[str], None]


class NoEvents:
    """Writes nothing; `EventWriter` writes."""

    @property
    def listeners(self) -> list[Listener]:
        """Those to call with every event: none, or the writer itself."""
        return []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write how the run ended."""

    def begin(self, *, process: str, file: Path, seed: int, operators: int) -> None:
        """Write that a run starts."""

    def results(self, outcome: RunOutcome) -> None:
        """Write the results of the process."""


class EventWriter(NoEvents):
    """Writes each event at once; a reader that goes away does not disturb the run.

    Parameters
    ----------
    stream : TextIO
    close : bool
        Whether to close the stream at the end.
    warn : callable
        Called with a sentence if the events cannot be written any more.
    """

    def __init__(self, stream: TextIO, *, close: bool, warn: Warn) -> None:
        self._stream: TextIO | None = stream
        self._close = close
        self._warn = warn
        self._written: dict[OperatorPath, float] = {}
        self._began = time.perf_counter()
        self._seed: int | None = None

    @property
    def listeners(self) -> list[Listener]:
        """The writer itself."""
        return [self]

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
        """Return whether to write, which begin and end always are: a quick loop has many events."""
        now = time.monotonic()
        soon = now < self._written.get(event.path, 0.0) + PROGRESS_EVERY
        if soon and event.done not in (0, event.total):
            return False
        self._written[event.path] = now
        return True

    def results(self, outcome: RunOutcome) -> None:
        """Write the results of the process, with the files that hold them."""
        self._seed = outcome.seed
        folder = Path(outcome.options.out or "")
        for place, (name, value) in enumerate(outcome.named()):
            files = [str(folder / f.file) for f in outcome.files if f.result == name]
            kept = {} if outcome.keys is None else {"key": outcome.keys[place]}
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
            self._warn(f"Not all events could be written: {_reason(error)}.")

    def _give_up(self, stream: TextIO) -> None:
        """Write no more, and discard the buffer."""
        self._stream = None
        with contextlib.suppress(OSError):
            sink = os.open(os.devnull, os.O_WRONLY)
            os.dup2(sink, stream.fileno())
            os.close(sink)
            if self._close:
                stream.close()


def open_events(target: str | None, warn: Warn) -> NoEvents:
    """Return the writer of events to a file, or to standard output for ``-``."""
    if target is None:
        return NoEvents()
    if target == STANDARD_OUTPUT:
        return EventWriter(sys.stdout, close=False, warn=warn)
    try:
        stream = open(target, "w", encoding="utf-8")  # noqa: SIM115 - closed when the run ends
    except OSError as error:
        raise StorageError(
            f'The file "{target}" for the events cannot be written: {_reason(error)}.',
            hint="Choose another one after --events.",
        ) from None
    return EventWriter(stream, close=True, warn=warn)


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
    """Return the name of an event and its fields."""
    if isinstance(event, Failed):
        return _NAMES[Failed], _error(event.error)
    if isinstance(event, Logged):
        if event.name == WARNING:
            return "warning", {"message": str(event.value), **_kind_of(event)}
        return "log", {"name": event.name, "value": _plain(event.value)}
    fields = {name: value for name, value in vars(event).items() if name != "path"}
    if isinstance(event, Finished):
        fields["seconds"] = round(event.seconds, 6)
        if event.runs == 1:
            del fields["runs"]
    if isinstance(event, Progressed):
        fields = {name: fields[name] for name in ("label", "done", "total")}
    return _NAMES.get(type(event), ""), fields


def _kind_of(event: Logged) -> dict[str, Any]:
    """Return the further fields of a warning that has a kind."""
    if not isinstance(event, Cautioned):
        return {}
    return {"kind": event.kind, "parameter": event.parameter, "values": list(event.values)}


def _error(error: BaseException) -> dict[str, Any]:
    if isinstance(error, FsopsError):
        message, hint, origin = error.message, error.hint, list(error.path)
    else:
        message, hint, origin = str(error) or type(error).__name__, "", []
    return {"error": type(error).__name__, "message": message, "hint": hint, "origin": origin}


def _ending(error: BaseException | None) -> dict[str, Any]:
    # Where only the reader of the results went away, the run itself has worked.
    if error is None or isinstance(error, BrokenPipeError):
        return {"status": "finished", "exit_code": 0}
    stopped = isinstance(error, KeyboardInterrupt | Cancelled)
    code = exit_code(error) if isinstance(error, Exception) else Cancelled.exit_code
    return {"status": "cancelled" if stopped else "failed", "exit_code": code, **_error(error)}


def _plain(value: Any) -> Any:
    """Return a value as in all our JSON documents: NaN is null, infinity is text."""
    simple = value.item() if isinstance(value, np.generic) else value
    return json.loads(json_text(simple if isinstance(simple, float | int | str) else str(value)))
