"""Charts of the report as pictures in the window, in the colors of its theme."""

from __future__ import annotations

from PyQt6.QtCore import QByteArray, QEvent, QRectF, QSize, Qt
from PyQt6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PyQt6.QtSvg import QSvgRenderer
from PyQt6.QtWidgets import QSizePolicy, QWidget

from fsops_gui.base.theme import Colours, current_colours
from fsops_gui.base.tokens import tokens

STYLE = """
text {{ font-family: {family}; font-size: 12px; fill: {faint}; }}
.axis {{ font-size: 12px; fill: {faint}; }} .label {{ fill: {text}; }}
.end {{ text-anchor: end; }} .middle {{ text-anchor: middle; }}
.note {{ fill: {secondary}; }} .note-mark {{ fill: {accent}; font-weight: 600; }}
.grid {{ stroke: {border}; }} .zero {{ stroke: {strong}; }}
.band {{ fill: {band}; }}
.chance {{ fill: none; stroke: {chance}; stroke-dasharray: 4 3; stroke-width: 1.5; }}
.level {{ stroke: {faint}; stroke-dasharray: 7 3; }}
.mark {{ stroke: {accent}; stroke-dasharray: 2 3; stroke-width: 1.6; }}
.line {{ fill: none; stroke-width: 2; }} .spread {{ fill-opacity: 0.13; }}
.hit {{ fill-opacity: 0; }} .bar {{ fill: {bar}; }} .beyond {{ fill: {strong_bar}; }}
.track {{ fill: {hover}; }} .limit {{ stroke: {text}; stroke-width: 2; }}
.dot {{ fill: {card}; stroke: {chance}; stroke-width: 1.6; }}
.strong {{ fill: {strong_bar}; stroke: {strong_bar}; }}
.whisker {{ stroke: {strong_bar}; stroke-width: 1.8; fill: none; }}
.median {{ stroke: {text}; stroke-width: 1.6; }}
"""
"""As the style sheet of the report, without variables, which Qt does not know."""


def _style(colours: Colours) -> str:
    data = colours.data
    series = (
        data["class_a"], colours.ports["model"], colours.ports["weights"], data["class_b"],
        colours.ports["performance"], colours.ports["table"],
    )  # fmt: skip
    found = STYLE.format(
        family=tokens()["type"]["family"][0], faint=colours.faint.name(),
        secondary=colours.secondary.name(), text=colours.text.name(),
        accent=colours.selected.name(), border=colours.border.name(),
        strong=colours.strong_border.name(), band=data["chance_band"].name(),
        chance=data["chance"].name(), bar=data["bar"].name(),
        strong_bar=data["bar_selected"].name(), hover=colours.hover.name(),
        card=colours.operator.name(),
    )  # fmt: skip
    for number, colour in enumerate(series):
        found += f".stroke-{number} {{ stroke: {colour.name()}; }}"
        found += f".fill-{number} {{ fill: {colour.name()}; }}"
    return found


class SvgPicture(QWidget):
    """A picture that fits its place; it is drawn again in the colors of another theme."""

    def __init__(self, svg: str = "", least: QSize | None = None) -> None:
        super().__init__()
        self._svg = ""
        self._colours = current_colours()
        self._renderer = QSvgRenderer(self)
        self._renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
        if least is not None:
            self.setMinimumSize(least)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.show_svg(svg)

    def show_svg(self, svg: str) -> None:
        """Show another picture."""
        self._svg = svg
        self._load()

    def _load(self) -> None:
        self._colours = current_colours()
        if self._svg:
            opening, _, rest = self._svg.partition(">")
            opening = opening.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
            begin = f"{opening}><style>{_style(current_colours())}</style>{rest}"
            self._renderer.load(QByteArray(begin.encode()))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of the picture."""
        return self._renderer.defaultSize() if self._svg else QSize(0, 0)

    def hasHeightForWidth(self) -> bool:
        """Keep the shape of the picture."""
        return True

    def heightForWidth(self, a0: int) -> int:
        """Return the height that belongs to a width."""
        size = self.sizeHint()
        return round(a0 * size.height() / size.width()) if size.width() else 0

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Ask for the height that belongs to the width; layouts in layouts do not ask back."""
        super().resizeEvent(a0)
        if self._svg and self.minimumHeight() != self.maximumHeight():
            self.setMinimumHeight(self.heightForWidth(self.width()))

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint the picture."""
        if self._svg:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._renderer.render(painter, QRectF(self.rect()))

    def changeEvent(self, a0: QEvent | None) -> None:
        """Follow the theme."""
        super().changeEvent(a0)
        is_palette = a0 is not None and a0.type() == QEvent.Type.PaletteChange
        if is_palette and current_colours() is not self._colours:  # a style sheet tells so, too
            self._load()
