"""Settings that the designer keeps from one session to the next.

How runs are carried out (engine, cache, data folder) is not here but in the configuration file of
fsops, which the command line reads too: see ``fsops.config``.
"""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QByteArray, QSettings, QStandardPaths

FILE: Path | None = None
"""Where settings are kept; None for the usual place of the system."""
STEPS = 200
"""Steps of the user that are remembered."""
RECENT = 10
AUTOSAVE = 1
"""Seconds from an edit to the autosave."""


class DesignerSettings:
    """Recent files, the arrangement of the window, and choices of the user."""

    def __init__(self) -> None:
        self._store = (
            QSettings("fsops", "designer")
            if FILE is None
            else QSettings(str(FILE), QSettings.Format.IniFormat)
        )

    def _names(self, key: str) -> list[str]:
        """Return a list of texts; the store gives a list of one back as a text."""
        given = self._value(key)
        if isinstance(given, str):
            return [given]
        return [name for name in given if isinstance(name, str)] if isinstance(given, list) else []

    def _value(self, key: str) -> object:
        """Return a value of the store; None if it is damaged, and then it is removed."""
        try:
            return self._store.value(key)
        except (TypeError, ValueError, RuntimeError):
            self._store.remove(key)
            return None

    # --- files and operators ----------------------------------------------------------------

    def recent(self) -> list[Path]:
        """Return the files opened last that are still there, the latest first."""
        return [Path(path) for path in self._names("recent") if Path(path).is_file()]

    def remember(self, path: Path) -> None:
        """Put a file in front of the recent ones."""
        others = [other for other in self.recent() if other != path]
        self._store.setValue("recent", [str(p) for p in [path, *others][:RECENT]])

    def tabs(self) -> tuple[list[Path], Path | None]:
        """Return the files that were open last, and the one in front."""
        front = str(self._value("tabs/front") or "")
        return [Path(path) for path in self._names("tabs/files")], Path(front) if front else None

    def remember_tabs(self, paths: list[Path], front: Path | None) -> None:
        """Remember the open files."""
        self._store.setValue("tabs/files", [str(path) for path in paths])
        self._store.setValue("tabs/front", str(front or ""))

    def recent_operators(self) -> list[str]:
        """Return the keys of the operators added last, the latest first."""
        return self._names("operators")

    def remember_operator(self, key: str) -> None:
        """Put an operator in front of the recent ones."""
        others = [other for other in self.recent_operators() if other != key]
        self._store.setValue("operators", [key, *others][:RECENT])

    def next_steps(self) -> dict[tuple[str, str], int]:
        """Return how often the user put one operator after another, by their keys."""
        found: dict[tuple[str, str], int] = {}
        for text in self._names("steps"):
            before, _, after = text.partition(">")
            found[before, after] = found.get((before, after), 0) + 1
        return found

    def remember_step(self, before: str, after: str) -> None:
        """Note that the user put an operator after another; the last ones count."""
        self._store.setValue("steps", [f"{before}>{after}", *self._names("steps")][:STEPS])

    def tutorial_step(self, kind: str) -> int:
        """Return the step at which a tutorial was left; 0 if it was not begun or is over."""
        value = self._value(f"tutorial/{kind}")
        return int(str(value)) if str(value).isdigit() else 0

    def remember_tutorial(self, kind: str, step: int) -> None:
        """Note the step at which a tutorial is left."""
        self._store.setValue(f"tutorial/{kind}", step)

    # --- the window -------------------------------------------------------------------------

    def bytes(self, name: str) -> QByteArray:
        """Return how something was arranged; empty if never."""
        value = self._value(f"window/{name}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_bytes(self, name: str, value: QByteArray) -> None:
        """Remember how something is arranged."""
        self._store.setValue(f"window/{name}", value)

    # --- choices ----------------------------------------------------------------------------

    def choice(self, name: str, default: str) -> str:
        """Return a choice of the user."""
        given = self._value(f"choice/{name}")
        return given if isinstance(given, str) else default

    def choose(self, name: str, value: str) -> None:
        """Remember a choice of the user."""
        self._store.setValue(f"choice/{name}", value)

    def _is_on(self, name: str) -> bool:
        return self.choice(name, "yes") == "yes"

    @property
    def keep_results(self) -> bool:
        """Whether runs keep their results, so that only what changed is run again."""
        return self._is_on("keep_results")

    @keep_results.setter
    def keep_results(self, on: bool) -> None:
        self.choose("keep_results", "yes" if on else "no")

    @property
    def start_page(self) -> bool:
        """Whether the program begins with the start page if it is given no file."""
        return self._is_on("start_page")

    @start_page.setter
    def start_page(self, on: bool) -> None:
        self.choose("start_page", "yes" if on else "no")

    @property
    def restore_tabs(self) -> bool:
        """Whether the program begins with the files that were open last."""
        return self._is_on("restore_tabs")

    @restore_tabs.setter
    def restore_tabs(self, on: bool) -> None:
        self.choose("restore_tabs", "yes" if on else "no")

    @property
    def autosave_seconds(self) -> int:
        """Seconds from an edit to the autosave."""
        given = self.choice("autosave", "")
        return int(given) if given.isdecimal() and int(given) else AUTOSAVE

    @autosave_seconds.setter
    def autosave_seconds(self, seconds: int) -> None:
        self.choose("autosave", str(max(1, seconds)))


def _folder(kind: QStandardPaths.StandardLocation, name: str) -> Path:
    base = (
        FILE.parent if FILE is not None else Path(QStandardPaths.writableLocation(kind)) / "fsops"
    )
    return base / name


def state_folder() -> Path:
    """Return where processes without a file are put aside."""
    return _folder(QStandardPaths.StandardLocation.GenericDataLocation, "unsaved")


def blocks_folder() -> Path:
    """Return where building blocks are kept."""
    return _folder(QStandardPaths.StandardLocation.GenericDataLocation, "blocks")


def samples_folder() -> Path:
    """Return where tables for a first study are kept."""
    return _folder(QStandardPaths.StandardLocation.GenericDataLocation, "samples")


def versions_folder() -> Path:
    """Return where earlier versions of files are kept."""
    return _folder(QStandardPaths.StandardLocation.GenericDataLocation, "versions")


def pictures_folder() -> Path:
    """Return where pictures of processes are kept, which can be drawn again."""
    return _folder(QStandardPaths.StandardLocation.GenericCacheLocation, "pictures")
