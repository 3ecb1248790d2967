"""The first import of a plugin happens in a child process, so that it cannot take fsops down.

An exception at import is caught where plugins are loaded. Some faults cannot be caught: the plugin
calls ``os._exit``, a library crashes, or the import never ends. So a plugin that is not known yet
is loaded in a child first. The verdict is remembered under a hash of the plugin's files and
versions. When they change, the plugin is tried again.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

SECONDS = 10.0
"""For the import of a plugin, beyond the time that fsops itself takes to load."""
LOADING_SECONDS = 60.0
FILE = "plugins.json"
MOST_FILES = 500
"""Files of a distribution that count; a plugin with more has a version that does."""
OFF = "It is switched off until it changes."

_LOAD = """
import importlib.metadata, os, sys
mark = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
from fsops.plugins.manager import load
os.write(mark, b"ready")
entry = importlib.metadata.EntryPoint(*sys.argv[2:4], "fsops")
try:
    load([entry])
except BaseException as error:
    os.write(mark, b" raised " + type(error).__name__.encode())
else:
    os.write(mark, b" loaded")
os._exit(0)
"""


class Refused(NamedTuple):
    """A plugin that must not be imported, and why."""

    entry: importlib.metadata.EntryPoint
    reason: str


def inspected(
    entries: Iterable[importlib.metadata.EntryPoint],
) -> tuple[list[importlib.metadata.EntryPoint], list[Refused]]:
    """Return the plugins that can be imported here, and those that cannot."""
    memory = _Memory()
    good: list[importlib.metadata.EntryPoint] = []
    bad: list[Refused] = []
    for entry in entries:
        key = _fingerprint(entry)
        reason = memory.verdicts.get(key)
        if reason is None:
            reason = _tried(entry)
            memory.note(key, reason)
        if reason:
            bad.append(Refused(entry, f"{reason} {OFF}"))
        else:
            good.append(entry)
    return good, bad


class _Memory:
    """Verdicts by fingerprint: a reason, or an empty text for a plugin that can be imported."""

    def __init__(self) -> None:
        self._file = _cache_folder() / FILE
        self.verdicts: dict[str, str] = {}
        with contextlib.suppress(OSError, ValueError, AttributeError):
            saved = json.loads(self._file.read_bytes())
            self.verdicts = {str(key): str(reason) for key, reason in saved.items()}

    def note(self, key: str, reason: str) -> None:
        """Remember a verdict; where nothing can be written, the plugin is tried each time."""
        self.verdicts[key] = reason
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Another name first: several programs may start at the same time.
            part = self._file.with_name(f".{FILE}-{os.getpid()}")
            part.write_text(json.dumps(self.verdicts), encoding="utf-8")
            os.replace(part, self._file)


def _cache_folder() -> Path:
    if os.environ.get("FSOPS_CACHE"):
        return Path(os.environ["FSOPS_CACHE"])
    from platformdirs import user_cache_path

    return user_cache_path("fsops", appauthor=False, opinion=False)


# --- the fingerprint ------------------------------------------------------------------------


def _fingerprint(entry: importlib.metadata.EntryPoint) -> str:
    """Return a hash that changes with the plugin: its files, its version, and that of Python."""
    parts = [entry.name, entry.value, sys.version, sys.executable]
    files: list[str] = []
    with contextlib.suppress(Exception):  # the record of the distribution may be damaged
        if entry.dist is not None:
            parts += [entry.dist.name, entry.dist.version]
            listed = (entry.dist.files or [])[:MOST_FILES]
            files = [str(file.locate()) for file in listed if not file.name.endswith(".pyc")]
    with contextlib.suppress(Exception):  # a plugin in a folder of its author has no such list
        found = importlib.util.find_spec(entry.module.partition(".")[0])
        if found is not None and found.origin:
            files.append(found.origin)
    for file in files:
        with contextlib.suppress(OSError):
            about = os.stat(file)
            parts.append(f"{file} {about.st_size} {about.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


# --- the trial ------------------------------------------------------------------------------


def _tried(entry: importlib.metadata.EntryPoint) -> str:
    """Load a plugin in a child; return why it must not be imported here, or an empty text."""
    with tempfile.TemporaryDirectory(prefix="fsops-plugin-") as folder:
        mark = Path(folder) / "mark"
        child = subprocess.Popen(  # noqa: S603 - an installed plugin, loaded by Python itself
            [sys.executable, "-c", _LOAD, str(mark), entry.name, entry.value],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        try:
            in_time = _wait(child, mark)
        finally:
            child.kill()
            child.wait()
        state = mark.read_text(encoding="utf-8") if mark.exists() else ""
    if not state.startswith("ready"):
        return ""  # no fault of the plugin: the child did not get to it
    if not in_time:
        return f"Its import took more than {SECONDS:g} seconds."
    if state.endswith("loaded"):
        return ""
    if " raised " in state:
        return f"Its import raised {state.rpartition(' ')[2]}."
    code = child.returncode
    if code < 0:
        return f"Its import crashed ({signal.Signals(-code).name})."
    return f"Its import ended the program (exit code {code})."


def _wait(child: subprocess.Popen[bytes], mark: Path) -> bool:
    """Wait for the child; return whether it ended in time, counted from the import of fsops."""
    end = time.monotonic() + LOADING_SECONDS
    is_ready = False
    while time.monotonic() < end:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=0.02)
            return True
        if not is_ready and mark.exists() and mark.stat().st_size:
            is_ready, end = True, time.monotonic() + SECONDS
    return False
