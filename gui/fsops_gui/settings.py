"""What the designer remembers from one session to the next."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QByteArray, QSettings

FILE: Path | None = None
"""Where settings are kept; None for the usual place of the system."""
RECENT = 10


class Settings:
    """Recent files, the arrangement of the window, and choices of the user."""

    def __init__(self) -> None:
        self._store = (
            QSettings("fsops", "designer")
            if FILE is None
            else QSettings(str(FILE), QSettings.Format.IniFormat)
        )

    def recent(self) -> list[Path]:
        """Return the files opened last that are still there, the latest first."""
        paths = self._store.value("recent", [])
        given = [paths] if isinstance(paths, str) else paths or []
        return [Path(path) for path in given if Path(path).is_file()]

    def remember(self, path: Path) -> None:
        """Put a file in front of the recent ones."""
        others = [other for other in self.recent() if other != path]
        self._store.setValue("recent", [str(p) for p in [path, *others][:RECENT]])

    def bytes(self, name: str) -> QByteArray:
        """Return how something was arranged; empty if never."""
        value = self._store.value(f"window/{name}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_bytes(self, name: str, value: QByteArray) -> None:
        """Remember how something is arranged."""
        self._store.setValue(f"window/{name}", value)

    def choice(self, name: str, default: str) -> str:
        """Return a choice of the user."""
        return str(self._store.value(f"choice/{name}", default))

    def choose(self, name: str, value: str) -> None:
        """Remember a choice of the user."""
        self._store.setValue(f"choice/{name}", value)
