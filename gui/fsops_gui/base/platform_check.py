"""Libraries of the system that Qt needs: named before Qt would abort the program."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from pathlib import Path

from fsops.errors import UsageError

PACKAGES = {
    "libxcb-icccm": "libxcb-icccm4", "libxcb-keysyms": "libxcb-keysyms1",
    "libxcb-cursor": "libxcb-cursor0", "libxcb-image": "libxcb-image0",
    "libxcb-render-util": "libxcb-render-util0", "libxkbcommon-x11": "libxkbcommon-x11-0",
    "libxcb-xkb": "libxcb-xkb1", "libxcb-shape": "libxcb-shape0", "libEGL": "libegl1",
    "libGL": "libgl1", "libdbus-1": "libdbus-1-3",
}  # fmt: skip
"""Packages of Debian and Ubuntu by the beginning of the name of their library."""
_MISSING = re.compile(r"(?P<library>[\w.+-]+\.so[\w.]*): cannot open shared object")


def check_platform() -> None:
    """Raise an error that names the library without which Qt cannot open a window on Linux."""
    wanted = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if sys.platform != "linux" or wanted not in ("", "xcb") or "WAYLAND_DISPLAY" in os.environ:
        return
    from PyQt6.QtCore import QLibraryInfo

    plugins = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath))
    missing = missing_library(plugins / "platforms" / "libqxcb.so")
    if missing:
        raise UsageError(explained(missing)[0], hint=explained(missing)[1])


def missing_library(plugin: Path) -> str:
    """Return the library that a plugin of Qt needs and the system lacks; empty if there is none."""
    if not plugin.exists():
        return ""
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return library_in(str(error))
    return ""


def library_in(text: str) -> str:
    """Return the library that the message of the loader names."""
    found = _MISSING.search(text)
    return "" if found is None else found["library"]


def explained(library: str) -> tuple[str, str]:
    """Return the problem and the remedy in sentences."""
    package = next((p for name, p in PACKAGES.items() if library.startswith(f"{name}.")), "")
    remedy = f"Debian and Ubuntu: apt install {package}." if package else ""
    return (
        f"The designer cannot open a window: the system library {library} is missing.",
        f"Install it. {remedy}".strip(),
    )
