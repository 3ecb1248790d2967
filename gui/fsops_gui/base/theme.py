"""Light and dark: palette, style sheet and the colors of the canvas, all from the tokens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QPalette
from PyQt6.QtWidgets import QApplication, QStyleFactory

from fsops.core.declare.roles import Role
from fsops_gui.base.fonts import font
from fsops_gui.base.stylesheet import style_sheet
from fsops_gui.base.texts import tr
from fsops_gui.base.tokens import tokens

LIGHT, DARK, CONTRAST, SYSTEM = "light", "dark", "contrast", "system"
THEMES = (LIGHT, DARK, CONTRAST)


def theme_names() -> dict[str, str]:
    """Return the themes that can be chosen, and their names."""
    return {
        SYSTEM: tr("As the system"),
        LIGHT: tr("Light"),
        DARK: tr("Dark"),
        CONTRAST: tr("High contrast"),
    }


@dataclass(frozen=True)
class Colours:
    """The colors with which the canvas and other items paint themselves."""

    background: QColor
    dot: QColor
    """Of the grid on the canvas."""
    frame: QColor
    border: QColor
    strong_border: QColor
    operator: QColor
    disabled: QColor
    hover: QColor
    text: QColor
    secondary: QColor
    faint: QColor
    on_accent: QColor
    selected: QColor
    """The accent: selection, focus and the main button."""
    selected_tint: QColor
    glow: QColor
    error: QColor
    warning: QColor
    done: QColor
    running: QColor
    stale: QColor
    stale_tint: QColor
    shadow: QColor
    note: QColor
    data: dict[str, QColor]
    """Of plots: bars, classes, chance."""
    ports: dict[str, QColor]
    roles: dict[Role, QColor]
    """Of operators."""
    tints: dict[Role, QColor]
    """Behind the icon of a role."""

    @classmethod
    def of(cls, theme: str) -> Colours:
        """Return the colors of a theme."""
        found = tokens()[theme]
        surface, text, state = (_colours(found[name]) for name in ("surface", "text", "state"))
        border, accent, ports = (_colours(found[name]) for name in ("border", "accent", "port"))
        return cls(
            background=surface["canvas"], dot=surface["canvas_dot"], frame=surface["frame"],
            border=border["default"], strong_border=border["strong"], operator=surface["card"],
            disabled=surface["sunken"], hover=surface["hover"], text=text["primary"],
            secondary=text["secondary"], faint=text["muted"], on_accent=text["on_accent"],
            selected=accent["default"], selected_tint=accent["tint"], glow=state["ok"],
            error=state["error"], warning=state["warning"], done=state["ok"],
            running=state["running"], stale=state["stale"], stale_tint=state["stale_tint"],
            shadow=QColor(16, 24, 40, 22) if theme == LIGHT else QColor(0, 0, 0, 70),
            note=surface["note"], data=_colours(found["data"]),
            ports={**ports, "other": ports["any"]},
            roles={role: QColor(found["role"][role]["color"]) for role in Role},
            tints={role: QColor(found["role"][role]["tint"]) for role in Role},
        )  # fmt: skip


def _colours(values: dict[str, str]) -> dict[str, QColor]:
    return {name: QColor(value) for name, value in values.items()}


_ROLES = QPalette.ColorRole
_PALETTE = {
    _ROLES.Window: "surface.app", _ROLES.WindowText: "text.primary",
    _ROLES.Base: "surface.panel", _ROLES.AlternateBase: "surface.sunken",
    _ROLES.Text: "text.primary", _ROLES.Button: "surface.panel",
    _ROLES.ButtonText: "text.primary", _ROLES.Highlight: "accent.default",
    _ROLES.HighlightedText: "text.on_accent", _ROLES.ToolTipBase: "surface.tooltip",
    _ROLES.ToolTipText: "text.on_tooltip", _ROLES.Link: "text.link",
    _ROLES.PlaceholderText: "text.muted", _ROLES.BrightText: "state.error",
    _ROLES.Light: "surface.panel", _ROLES.Midlight: "surface.hover", _ROLES.Mid: "border.default",
    _ROLES.Dark: "border.strong", _ROLES.Shadow: "border.strong", _ROLES.Accent: "accent.default",
}  # fmt: skip


def system_scheme() -> str:
    """Return the scheme of the system, light where it does not say."""
    hints = QApplication.styleHints()
    dark = hints is not None and hints.colorScheme() == Qt.ColorScheme.Dark
    return DARK if dark else LIGHT


def palette_of(theme: str) -> QPalette:
    """Return the palette of a theme."""
    palette, found = QPalette(), tokens()[theme]
    for role, name in _PALETTE.items():
        group, _, colour = name.partition(".")
        palette.setColor(role, QColor(found[group][colour]))
    for role in (_ROLES.Text, _ROLES.WindowText, _ROLES.ButtonText):
        disabled = QColor(found["text"]["disabled"])
        palette.setColor(QPalette.ColorGroup.Disabled, role, disabled)
    return palette


def apply_theme(choice: str) -> str:
    """Give the program the palette and style sheet of a theme; return which of the two it is.

    An explicit palette is used because asking Qt for a scheme has no effect on some systems.
    """
    # A settings file may say anything; a bad value must not keep the program from starting.
    name = choice if choice in THEMES else system_scheme()
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    if app.property("theme") is None:
        QApplication.setStyle(QStyleFactory.create("Fusion"))
        QApplication.setFont(font("body"))
    app.setProperty("theme", name)
    QApplication.setPalette(palette_of(name))
    app.setStyleSheet(style_sheet(name))
    return name


@cache
def colours_of(name: str) -> Colours:
    """Return the colors of the canvas in a theme."""
    return Colours.of(name if name in THEMES else LIGHT)


def current_colours() -> Colours:
    """Return the colors that go with the palette of the program."""
    app = QApplication.instance()
    if app is not None and app.property("theme") == CONTRAST:
        return colours_of(CONTRAST)
    window = QApplication.palette().color(_ROLES.Window)
    return colours_of(DARK if window.lightness() < 128 else LIGHT)
