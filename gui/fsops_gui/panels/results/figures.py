"""Figures, live: zoom, pan, save, copy."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QEvent, QRect, QSize, Qt, QTimer
from PyQt6.QtGui import QColor, QCursor, QImage, QResizeEvent
from PyQt6.QtWidgets import QApplication, QLabel, QPushButton, QToolTip, QWidget

from fsops_gui.base.background import in_background
from fsops_gui.base.fonts import FOLDER
from fsops_gui.base.icons import glyph
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.base.tokens import tokens
from fsops_gui.dialogs.file_choice import ask_for_file
from fsops_gui.panels.results.exports import to_clipboard
from fsops_gui.panels.results.hover import hover_text
from fsops_gui.panels.results.page import Page, filled
from fsops_gui.widgets.flow_layout import FlowLayout, bar_of
from fsops_gui.widgets.picture_file import KINDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_qtagg import FigureCanvasQTAgg
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from fsops.plots import FigureMaker

LEAST_DPI, MOST_DPI = 60, 120
"""Dots per inch: letters are as large as those of the window, smaller where there is no room."""
MOST_WIDER, MOST_TALLER = 2.5, 2.0
"""How far a figure may grow beyond the size it was made for; bars are not to become walls."""
LEAST_FOR_CAPTION = 320
"""Height of the page from which the figure is explained below it."""
ICON = 16
BLACK = "#000000"
"""The color of names at ticks that a figure does not color."""
TOOLS = ("Home", "Back", "Forward", "Pan", "Zoom")
GLYPHS = (
    "ph.house", "ph.arrow-left", "ph.arrow-right", "ph.arrows-out-cardinal",
    "ph.magnifying-glass-plus",
)  # fmt: skip


def draw(maker: FigureMaker, value: Any) -> Figure:
    """Return a figure."""
    from fsops.plots import make_figure

    figure = make_figure(maker, value)
    _dress(figure)
    return figure


def _dress(figure: Figure) -> None:
    """Give a figure the font of the window and quiet axes; files keep those of the command line."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    from fsops.plots.style import BLUE, ORANGE, PINK, dark

    light = tokens()["light"]  # dark colours are made of these
    data = light["data"]
    colours = {BLUE: data["class_a"], ORANGE: data["class_b"], PINK: dark(PINK)}
    colours = {old.lower(): new for old, new in colours.items()}
    family = _family()
    for words in figure.findobj(Text):
        assert isinstance(words, Text)
        if family and words.get_fontfamily() == ["sans-serif"]:
            words.set_fontfamily(family)
        _recolour(words, colours)
    for part in figure.findobj(lambda each: isinstance(each, Patch | Line2D)):
        _recolour(part, colours)
    for axes in figure.axes:
        for spine in axes.spines.values():
            spine.set_color(light["border"]["strong"])
        meant = _coloured_names(axes)
        axes.tick_params(color=light["border"]["strong"], labelcolor=light["text"]["secondary"])
        for name, colour in meant:
            name.set_color(colour)


def _coloured_names(axes: Axes) -> list[tuple[Text, str]]:
    """Return names at ticks whose color has a meaning, with this color."""
    from matplotlib.colors import to_hex

    names = [*axes.get_xticklabels(), *axes.get_yticklabels()]
    shown = [(name, to_hex(name.get_color())) for name in names]
    return [(name, colour) for name, colour in shown if colour != BLACK]


def _recolour(part: Any, colours: dict[str, str]) -> None:
    """Exchange colors of a bar, a line or a text for those of the other plots of the window."""
    from matplotlib.colors import to_hex

    for name in ("facecolor", "edgecolor", "color", "markerfacecolor", "markeredgecolor"):
        get = getattr(part, f"get_{name}", None)
        value = get() if get is not None else None
        if value is None or isinstance(value, str) and value == "none":
            continue
        wanted = colours.get(to_hex(value))
        if wanted is not None:
            alpha = part.get_alpha()
            getattr(part, f"set_{name}")(wanted)
            part.set_alpha(alpha)


@cache
def _family() -> str:
    """Make the font of the window known to matplotlib; return its name, empty if it is missing."""
    from matplotlib import font_manager

    files = sorted(FOLDER.glob("*.otf"))
    for file in files:
        font_manager.fontManager.addfont(file)
    return str(tokens()["type"]["family"][0]) if files else ""


def picture(maker: FigureMaker, value: Any, kind: str) -> bytes:
    """Return a figure as the content of a file, as ``--figures`` writes it."""
    from fsops.plots import figure_bytes

    return figure_bytes(maker, value, kind)


def turn_dark(pixels: npt.NDArray[np.uint8], ground: QColor, ink: QColor) -> None:
    """Give a picture on white other colors, in place: dark becomes light, hues stay.

    So all that can be read on white can be read. White becomes the ground, black the ink.
    """
    colours = pixels[..., :3].astype(np.int32)
    turned = colours + 255 - colours.max(-1, keepdims=True) - colours.min(-1, keepdims=True)
    low, high = (np.array([c.red(), c.green(), c.blue()]) for c in (ground, ink))
    pixels[..., :3] = low + turned * (high - low) // 255


def _canvas(figure: Figure) -> FigureCanvasQTAgg:
    """Return a canvas with the colors of the window where that is dark; files stay white."""
    from matplotlib.backends.backend_qtagg import FigureCanvasQTAgg

    class Canvas(FigureCanvasQTAgg):
        def draw(self) -> None:
            super().draw()  # type: ignore[no-untyped-call]
            palette = QApplication.palette()  # that of the canvas itself is white
            ground, ink = palette.base().color(), palette.text().color()
            if ground.lightness() < ink.lightness():
                turn_dark(np.asarray(self.renderer.buffer_rgba()), ground, ink)

    return Canvas(figure)  # type: ignore[no-untyped-call]


class FigureCard(QWidget):
    """A canvas that uses the room it has: the figure is laid out again, its letters stay."""

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self.setObjectName("figure")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._size = tuple(figure.get_size_inches())
        self.figure = figure
        self.canvas = _canvas(figure)
        self.canvas.setParent(self)
        self.canvas.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.canvas.mpl_connect("motion_notify_event", self._show_values)
        self.setMinimumSize(200, 160)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._fit)

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Make the figure as large as there is room for."""
        super().resizeEvent(a0)
        self._fit()

    def event(self, a0: QEvent | None) -> bool:
        """Redraw in other colors; wait until the canvas knows the resolution of the screen."""
        kinds = (QEvent.Type.DevicePixelRatioChange, QEvent.Type.Show)
        if a0 is not None and a0.type() in kinds:
            self._later.start()
        if a0 is not None and a0.type() == QEvent.Type.PaletteChange:
            self.canvas.draw_idle()  # type: ignore[no-untyped-call]
        return super().event(a0)

    def _show_values(self, event: Any) -> None:
        """Show the values under the mouse in a tip, unless a button is held."""
        if event.button is None:
            QToolTip.showText(QCursor.pos(), hover_text(self.figure, event.x, event.y), self.canvas)

    def _fit(self) -> None:
        width, height = self._size
        dpi = min(self.width() / width, self.height() / height)
        dpi = min(max(dpi, LEAST_DPI), MOST_DPI)
        wide = round(min(self.width(), MOST_WIDER * width * dpi))
        tall = round(min(self.height(), MOST_TALLER * height * dpi))
        wide, tall = max(wide, round(width * dpi)), max(tall, round(height * dpi))
        dots = dpi * self.canvas.device_pixel_ratio
        if self.figure.dpi != dots:
            self.figure.set_dpi(dots)
            self.canvas.resize(1, 1)  # so that it measures its figure again
        left, top = max(0, (self.width() - wide) // 2), max(0, (self.height() - tall) // 2)
        self.canvas.setGeometry(QRect(left, top, wide, tall))


class FigurePage(Page):
    """A figure of a result, made in a thread when it is first looked at."""

    def __init__(self, value: Any, maker: FigureMaker) -> None:
        super().__init__()
        self.value, self.maker = value, maker
        self.card: FigureCard | None = None
        self.tools: QWidget | None = None
        self.note = QLabel(tr("Drawing…"))
        self.note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.note.setWordWrap(True)
        self.save_button = QPushButton(tr("Save figure…"))
        self.save_button.clicked.connect(self.save)
        self.copy_button = QPushButton(tr("Copy picture"))
        self.copy_button.clicked.connect(self.copy)
        for button in (self.copy_button, self.save_button):
            button.setEnabled(False)
        self.bar = bar_of(self.copy_button, self.save_button)
        filled(self, self.bar, self.note)
        self.caption = QLabel(maker.about)
        self.caption.setObjectName("faint")
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self.caption.setWordWrap(True)
        self.caption.setContentsMargins(12, 2, 12, 8)
        self.caption.hide()
        layout = self.layout()
        assert layout is not None
        layout.addWidget(self.caption)
        in_background(self, lambda: draw(maker, value), self._show, self._tell)

    def _show(self, figure: Figure) -> None:
        self.card = FigureCard(figure)
        self.card.canvas.setAccessibleName(self.maker.title)
        self.card.canvas.setAccessibleDescription(self.maker.about)
        assert self.bar is not None
        line = self.bar.layout()
        assert isinstance(line, FlowLayout)
        self.tools = _toolbar(self.card)
        line.insert_first(self.tools)
        layout = self.layout()
        assert layout is not None
        layout.replaceWidget(self.note, self.card)
        self.note.hide()
        self._show_caption()
        for button in (self.copy_button, self.save_button):
            button.setEnabled(True)

    def changeEvent(self, a0: QEvent | None) -> None:
        """Draw the icons in the colors of another theme."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.PaletteChange and self.tools is not None:
            _draw_icons(self.tools)

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Explain the figure where it leaves room for it."""
        super().resizeEvent(a0)
        self._show_caption()

    def _show_caption(self) -> None:
        room = self.height() >= LEAST_FOR_CAPTION
        self.caption.setVisible(room and self.card is not None and bool(self.maker.about))

    def _tell(self, error: Exception) -> None:
        self.note.setText(tr("There is no figure: {why}", why=error))

    def save(self) -> None:
        """Write the figure to a file."""
        path = ask_for_file(self, "figure", self.maker.name, KINDS)
        if path is not None:
            in_background(self, lambda: self._write(path), self._written, self._complain)

    def _write(self, path: Path) -> Path:
        from fsops.storage.files import write_bytes

        write_bytes(path, picture(self.maker, self.value, path.suffix[1:].lower()))
        return path

    def _written(self, path: Path) -> None:
        self.said.emit(tr("Written: {path}", path=path))

    def _complain(self, error: Exception) -> None:
        self.said.emit(str(error))

    def copy(self) -> None:
        """Put the figure into the clipboard."""

        def done(data: bytes) -> None:
            to_clipboard(QImage.fromData(data))
            self.said.emit(tr("The picture has been copied."))

        in_background(self, lambda: picture(self.maker, self.value, "png"), done, self._complain)


def _toolbar(card: FigureCard) -> QWidget:
    """Return the buttons to zoom and to pan."""
    from matplotlib.backends.backend_qt import NavigationToolbar2QT

    class Toolbar(NavigationToolbar2QT):
        toolitems = [i for i in NavigationToolbar2QT.toolitems if i[0] in TOOLS]  # type: ignore[assignment]

    bar: QWidget = Toolbar(card.canvas, card, coordinates=False)  # type: ignore[no-untyped-call]
    bar.setIconSize(QSize(ICON, ICON))  # type: ignore[attr-defined]
    bar.setObjectName("figureTools")
    _draw_icons(bar)
    bar.setAccessibleName(tr("Zoom and pan"))
    return bar


def _draw_icons(bar: QWidget) -> None:
    """Draw the icons of the buttons in the color of the theme."""
    colour = current_colours().secondary.name()
    for name, icon in zip(TOOLS, GLYPHS, strict=True):
        action = next((a for a in bar.actions() if a.text() == name), None)
        if action is not None:
            action.setIcon(glyph(icon, colour))
