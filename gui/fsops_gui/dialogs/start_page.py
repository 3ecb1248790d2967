"""The start page: what was opened last, what to begin with, and examples with pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPalette,
    QPen,
    QShowEvent,
)
from PyQt6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from fsops.core.registry import Registry
from fsops.errors import FsopsError
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.dialogs.examples import ExampleProcess, Template, examples, picture, study, templates
from fsops_gui.widgets.flow_layout import FlowLayout

PICTURE = QSize(216, 108)
GAP = 3
"""Around a card."""
MARGIN = 12
LINES = 4
"""Of a description; the rest is in the tip."""


class Card(QAbstractButton):
    """A picture with a title and a sentence that can be pressed."""

    def __init__(self, title: str, about: str) -> None:
        super().__init__()
        self.setText(title)
        self.about = about
        self.image: QImage | None = None
        self.setAccessibleName(title)
        self.setAccessibleDescription(about)
        self.setToolTip(about)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        bold = QFontMetrics(self._bold())
        words = bold.height() + 3 + LINES * QFontMetrics(self.font()).lineSpacing()
        self.setFixedSize(PICTURE + QSize(2 * GAP, 7 + words + 10 + 2 * GAP))

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setBold(True)
        return font

    def show_image(self, image: QImage) -> None:
        """Show the picture."""
        self.image = image
        self.update()

    def keyPressEvent(self, e: QKeyEvent | None) -> None:
        """Press with Enter too."""
        if e is not None and e.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(e)

    def paintEvent(self, e: QPaintEvent | None) -> None:
        """Paint the picture, the title and what it is about."""
        colours, palette = current_colours(), self.palette()
        painter = QPainter(self)
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform
        )
        marked = self.hasFocus() or self.underMouse()
        edge = colours.selected if marked else colours.border
        frame = QRectF(self.rect()).adjusted(GAP, GAP, -GAP, -GAP)
        shape = QPainterPath()
        shape.addRoundedRect(frame, 6, 6)
        painter.fillPath(shape, palette.color(QPalette.ColorRole.Base))
        painter.setClipPath(shape)
        top = QRect(QPoint(GAP, GAP), PICTURE)
        painter.fillRect(top, colours.background)
        if self.image is not None:
            painter.drawImage(top, self.image)
        painter.setClipping(False)
        painter.setPen(QPen(edge, 2 if self.hasFocus() else 1))
        painter.drawPath(shape)
        self._write(painter, palette.color(QPalette.ColorRole.Text), colours.faint)
        painter.end()

    def _write(self, painter: QPainter, strong: QColor, faint: QColor) -> None:
        bold = self._bold()
        painter.setFont(bold)
        painter.setPen(strong)
        metrics, width = QFontMetrics(bold), self.width() - 2 * MARGIN
        top = PICTURE.height() + GAP + 7
        title = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, width)
        painter.drawText(QRect(MARGIN, top, width, metrics.height()), 0, title)
        painter.setFont(self.font())
        painter.setPen(faint)
        below = top + metrics.height() + 3
        text = shortened(self.about, QFontMetrics(self.font()), width, LINES)
        room = QRect(MARGIN, below, width, self.height() - below)
        painter.drawText(room, Qt.TextFlag.TextWordWrap, text)


def shortened(text: str, metrics: QFontMetrics, width: int, lines: int) -> str:
    """Return a text cut after a word so that it fits into some lines."""

    def fits(part: str) -> bool:
        box = metrics.boundingRect(0, 0, width, 10_000, Qt.TextFlag.TextWordWrap, part)
        return box.height() <= lines * metrics.lineSpacing() + 1

    if fits(text):
        return text
    words = text.split()
    while words and not fits(" ".join(words) + " …"):
        words.pop()
    return " ".join(words) + " …"


class StartPage(QScrollArea):
    """What to do first."""

    new_wanted = pyqtSignal()
    open_wanted = pyqtSignal()
    file_wanted = pyqtSignal(object)
    """A `Path` that was opened before."""
    example_wanted = pyqtSignal(object)
    """The `Path` of an example."""
    template_wanted = pyqtSignal(object)
    """A `Template`, to be begun with a table of the user."""

    def __init__(self, registry: Registry) -> None:
        super().__init__()
        self._registry = registry
        self.cards: dict[str, Card] = {}
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._waiting: list[ExampleProcess] = []
        self._drawing = QTimer(self)
        self._drawing.timeout.connect(self._draw_one)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Start page"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(24, 18, 24, 18)
        layout.setSpacing(10)
        layout.addWidget(_heading(tr("Feature selection with fsops"), 1.5))
        layout.addWidget(_row(self._first_buttons()))
        layout.addLayout(self._recent)
        layout.addWidget(_heading(tr("Begin with your own table")))
        layout.addWidget(_own_table())
        layout.addWidget(_row(self._template_buttons()))
        layout.addWidget(_heading(tr("Or draw a process yourself")))
        layout.addWidget(_steps())
        layout.addWidget(_heading(tr("Examples that run as they are")))
        self._cards = FlowLayout()
        self._cards.setContentsMargins(0, 0, 0, 0)
        shelf = QWidget()
        shelf.setLayout(self._cards)
        layout.addWidget(shelf)
        layout.addStretch(1)
        self.setWidget(inside)

    def _first_buttons(self) -> list[QPushButton]:
        new, open_ = QPushButton(tr("New process")), QPushButton(tr("Open…"))
        new.clicked.connect(self.new_wanted)
        open_.clicked.connect(self.open_wanted)
        new.setDefault(True)
        self.new_button = new
        return [new, open_]

    def _template_buttons(self) -> list[QPushButton]:
        buttons = [self._template_button(each) for each in (study(), *templates())]
        bold = QFont(buttons[0].font())
        bold.setBold(True)
        buttons[0].setFont(bold)
        self.study_button = buttons[0]
        return buttons

    def _template_button(self, template: Template) -> QPushButton:
        button = QPushButton(tr("{title}…", title=template.title))
        button.setToolTip(template.about)
        button.setAccessibleDescription(template.about)
        button.clicked.connect(partial(self.template_wanted.emit, template))
        return button

    def show_recent(self, paths: Sequence[Path]) -> None:
        """List the files opened last."""
        while self._recent.count():
            item = self._recent.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if paths:
            self._recent.addWidget(_heading(tr("Opened last")))
        for path in paths[:6]:
            self._recent.addWidget(self._link(path))

    def _link(self, path: Path) -> QPushButton:
        button = QPushButton()
        button.setFlat(True)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        folder = str(path.parent).replace(str(Path.home()), "~", 1)
        button.setText(tr("{name}    in {folder}", name=path.name, folder=folder))
        button.setStyleSheet("text-align: left; padding: 3px 6px;")
        button.setToolTip(str(path))
        button.setAccessibleName(tr("Open {name}", name=path.name))
        button.clicked.connect(lambda: self.file_wanted.emit(path))
        return button

    # --- examples ---------------------------------------------------------------------------

    def showEvent(self, a0: QShowEvent | None) -> None:
        """Fill the shelf when it is first seen, a picture at a time, after the rest is painted."""
        super().showEvent(a0)
        QTimer.singleShot(20, self._fill)

    def _fill(self) -> None:
        for example in examples() if not self.cards else ():
            card = Card(example.title, example.sentence)
            card.clicked.connect(partial(self._choose, example))
            self._cards.addWidget(card)
            self.cards[example.file.stem] = card
            self._waiting.append(example)
        if self._waiting and self.isVisible():
            self._drawing.start(0)

    def _choose(self, example: ExampleProcess, _on: bool = False) -> None:
        self.example_wanted.emit(example.file)

    def _draw_one(self) -> None:
        if not self._waiting or not self.isVisible():
            self._drawing.stop()
            return
        example = self._waiting.pop(0)
        try:
            image = picture(example.file, self._registry, PICTURE * self.devicePixelRatioF())
        except FsopsError:  # a card without a picture still opens its process, and says why not
            return
        self.cards[example.file.stem].show_image(image)

    def changeEvent(self, a0: QEvent | None) -> None:
        """Draw the pictures in the new colours."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.PaletteChange and self.cards:
            self._waiting = list(examples())
            self._fill()


def _heading(text: str, size: float = 1.1) -> QLabel:
    label = QLabel(text)
    font = QFont(label.font())
    font.setPointSizeF(font.pointSizeF() * size)
    font.setBold(True)
    label.setFont(font)
    label.setWordWrap(True)
    label.setContentsMargins(0, 8, 0, 0)
    return label


def _row(widgets: Iterable[QWidget]) -> QWidget:
    row, layout = QWidget(), FlowLayout()
    layout.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        layout.addWidget(widget)
    row.setLayout(layout)
    return row


def _own_table() -> QLabel:
    label = QLabel(
        tr(
            "A row per sample, a column per attribute, and one with what is to be predicted: CSV, "
            "Excel, Parquet or ARFF. <b>Study my table</b> answers: which attributes, how well do "
            "they predict, and which selection finds them?"
        )
    )
    label.setWordWrap(True)
    return label


def _steps() -> QLabel:
    steps = (
        tr("Type the beginning of a name on the canvas, such as ret for Retrieve, and Enter."),
        tr("Draw wires from port to port, or let new operators connect themselves."),
        tr("Set parameters on the right; what is wrong is said beside them."),
        tr("Press F5: the results open beside the canvas."),
    )
    items = "".join(f"<li>{step}</li>" for step in steps)
    label = QLabel(f'<ol style="margin: 0 0 0 -18px">{items}</ol>')
    label.setWordWrap(True)
    return label
