"""Operators called as functions, together as one run."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path

from fsops.core.frame.engine import Engine
from fsops.core.frame.events import Listener
from fsops.core.frame.frame import DEFAULT_SEED, Frame, entered
from fsops.core.frame.state import RunState
from fsops.core.graph.process import Process
from fsops.engine.macros import predefined_macros
from fsops.engine.services import RunServices


@contextmanager
def running(
    *,
    seed: int = DEFAULT_SEED,
    macros: Mapping[str, str] | None = None,
    folder: str | PathLike[str] | None = None,
    name: str = "Process",
    listener: Listener | None = None,
    engine: Engine | None = None,
) -> Iterator[int]:
    """Let operators that are called as functions run as those of one process do.

    A call has a name: its argument ``name``, or the title of the operator. From the seed, the names
    and the nesting of the calls come the random numbers, so the same calls give the same results,
    and those of a process file with the same names. ``%{...}`` in parameters stands for macros.

    Parameters
    ----------
    seed : int
        Every operator's random numbers derive from it; a negative one is drawn each time.
    macros : mapping of str to str, optional
        Values for ``%{name}`` in parameters.
    folder : path, optional
        Where relative file names in parameters start; where Python runs, if not given.
    name : str
        Name of the run; the macro ``process_name``.
    listener : callable, optional
        Called with every event. Without one, warnings are those of Python.
    engine : Engine, optional
        Runs the iterations of loops; see `fsops.run`.

    Yields
    ------
    int
        The seed.
    """
    used = secrets.randbits(31) if seed < 0 else seed
    process = Process(name)
    process.folder = None if folder is None else Path(folder)
    known = {**predefined_macros(process, datetime.now(UTC)), **(macros or {})}
    services = RunServices(listener, engine=engine)
    frame = Frame(services, used, folder=process.folder, state=RunState(known), is_level=True)
    with entered(frame):
        yield used
