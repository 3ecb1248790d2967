"""Light and dark: the palette of the program and the colours of the canvas."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QPalette
from PyQt6.QtWidgets import QApplication, QStyleFactory

from fsops.core.declare.roles import Role

LIGHT, DARK, SYSTEM = "light", "dark", "system"


@dataclass(frozen=True)
class Colours:
    """What the canvas is painted with."""

    background: QColor
    frame: QColor
    border: QColor
    operator: QColor
    disabled: QColor
    text: QColor
    faint: QColor
    selected: QColor
    glow: QColor
    error: QColor
    warning: QColor
    done: QColor
    running: QColor
    note: QColor
    ports: dict[str, QColor]
    roles: dict[Role, QColor]
    """Of operators."""


def _ports(table: str, weights: str, model: str, performance: str, other: str) -> dict[str, QColor]:
    names = ("table", "weights", "model", "performance", "other")
    return dict(zip(names, map(QColor, (table, weights, model, performance, other)), strict=True))


_ROLE_COLOURS = {
    # On white, and on the dark cards; also distinct for people who do not see red or green.
    Role.SOURCE: ("#1d58bb", "#5a8efc"), Role.ROWS: ("#002d59", "#208080"),
    Role.PREPARATION: ("#066785", "#60bfcc"), Role.WEIGHTING: ("#005738", "#02ad76"),
    Role.SELECTION: ("#567f4b", "#a2e995"), Role.SEARCH: ("#805b00", "#fccc1d"),
    Role.LEARNER: ("#552a96", "#d9b8fe"), Role.MODEL_APPLICATION: ("#790e6a", "#be71c8"),
    Role.VALIDATION: ("#676ad0", "#a1a2ff"), Role.PERFORMANCE: ("#842d07", "#ec7345"),
    Role.CONTROL: ("#6a7686", "#ccd5dd"), Role.UTILITY: ("#998e82", "#fff5e6"),
}  # fmt: skip

_LIGHT = Colours(
    background=QColor("#e9ecf0"), frame=QColor("#fafbfc"), border=QColor("#a9b2bd"),
    operator=QColor("#ffffff"), disabled=QColor("#e4e6e9"), text=QColor("#1d232b"),
    faint=QColor("#5d6875"), selected=QColor("#1565c0"), glow=QColor("#2e9e5b"),
    error=QColor("#c62828"), warning=QColor("#b26a00"), done=QColor("#2e7d32"),
    running=QColor("#1565c0"), note=QColor("#fff6cf"),
    ports=_ports("#1f6fb5", "#2b8a3e", "#7b3fb0", "#b4541a", "#5d6875"),
    roles={role: QColor(light) for role, (light, _) in _ROLE_COLOURS.items()},
)  # fmt: skip
_DARK = Colours(
    background=QColor("#1b1e23"), frame=QColor("#23272e"), border=QColor("#4d5662"),
    operator=QColor("#2f353e"), disabled=QColor("#272b31"), text=QColor("#e8ebef"),
    faint=QColor("#a3adb9"), selected=QColor("#64b5f6"), glow=QColor("#66d992"),
    error=QColor("#ff7b72"), warning=QColor("#f0b849"), done=QColor("#7bc67e"),
    running=QColor("#64b5f6"), note=QColor("#4a4529"),
    ports=_ports("#6db3f2", "#7fd18b", "#c299f0", "#f0a66b", "#a3adb9"),
    roles={role: QColor(dark) for role, (_, dark) in _ROLE_COLOURS.items()},
)  # fmt: skip

_ROLES = QPalette.ColorRole
_PALETTES = {
    LIGHT: {
        _ROLES.Window: "#f3f4f6", _ROLES.WindowText: "#1d232b", _ROLES.Base: "#ffffff",
        _ROLES.AlternateBase: "#f0f3f6", _ROLES.Text: "#1d232b", _ROLES.Button: "#e9ecf0",
        _ROLES.ButtonText: "#1d232b", _ROLES.Highlight: "#1565c0", _ROLES.ToolTipBase: "#ffffff",
        _ROLES.HighlightedText: "#ffffff", _ROLES.ToolTipText: "#1d232b", _ROLES.Link: "#1565c0",
        _ROLES.PlaceholderText: "#6b7580", _ROLES.BrightText: "#c62828",
    },
    DARK: {
        _ROLES.Window: "#24282f", _ROLES.WindowText: "#e8ebef", _ROLES.Base: "#2f353f",
        _ROLES.AlternateBase: "#363d48", _ROLES.Text: "#e8ebef", _ROLES.Button: "#3a424e",
        _ROLES.ButtonText: "#e8ebef", _ROLES.Highlight: "#2f6fb0", _ROLES.ToolTipBase: "#2f353e",
        _ROLES.HighlightedText: "#ffffff", _ROLES.ToolTipText: "#e8ebef", _ROLES.Link: "#64b5f6",
        _ROLES.PlaceholderText: "#96a1ad", _ROLES.BrightText: "#ff7b72",
        _ROLES.Light: "#4a535f", _ROLES.Midlight: "#424a56", _ROLES.Mid: "#2a2f37",
        _ROLES.Dark: "#1b1e23", _ROLES.Shadow: "#14161a",
    },
}  # fmt: skip


def system_scheme() -> str:
    """Return what the system wants, light where it does not say."""
    hints = QApplication.styleHints()
    dark = hints is not None and hints.colorScheme() == Qt.ColorScheme.Dark
    return DARK if dark else LIGHT


def apply_theme(choice: str) -> str:
    """Give the program the palette of a theme; return which of the two it is.

    An explicit palette is used because asking Qt for a scheme has no effect on some systems.
    """
    name = system_scheme() if choice == SYSTEM else choice
    QApplication.setStyle(QStyleFactory.create("Fusion"))
    palette = QPalette()
    for role, colour in _PALETTES[name].items():
        palette.setColor(role, QColor(colour))
    for role in (_ROLES.Text, _ROLES.WindowText, _ROLES.ButtonText):
        faint = colours_of(name).faint.lighter(120) if name == LIGHT else QColor("#6f7986")
        palette.setColor(QPalette.ColorGroup.Disabled, role, faint)
    QApplication.setPalette(palette)
    return name


def colours_of(name: str) -> Colours:
    """Return the colours of the canvas in a theme."""
    return _DARK if name == DARK else _LIGHT


def current_colours() -> Colours:
    """Return the colours that go with the palette of the program."""
    window = QApplication.palette().color(_ROLES.Window)
    return _DARK if window.lightness() < 128 else _LIGHT
