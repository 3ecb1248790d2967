"""The start page: study a table, go on with a process, or open an example."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QEvent, QRect, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QFontMetrics,
    QIcon,
    QPaintEvent,
    QShowEvent,
)
from PyQt6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QVBoxLayout,
    QWidget,
)

from fsops.core.registry import Registry
from fsops.errors import FsopsError
from fsops_gui.base.background import in_background
from fsops_gui.base.fonts import font
from fsops_gui.base.icons import glyph
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.base.tokens import icon_name
from fsops_gui.dialogs.example_card import PICTURE, Card
from fsops_gui.dialogs.examples import ExampleProcess, Template, examples, picture, study, templates
from fsops_gui.dialogs.sample_tables import sample_file, sample_tables
from fsops_gui.widgets.flow_layout import FlowLayout

WIDEST = 1100
"""Of the page; on a wide screen it is in the middle."""
RECENT = 4
ICON = 18


class RecentRow(QPushButton):
    """A file in two lines: its name, and below it, fainter, when and where."""

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint the two lines beside the icon."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text, option.icon = "", QIcon()
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        name, _, about = self.text().partition("\n")
        icon = QRect(4, (self.height() - ICON) // 2, ICON, ICON)
        self.icon().paint(painter, icon)
        room = self.rect().adjusted(icon.right() + 10, 7, -4, -7)
        cut = Qt.TextElideMode.ElideMiddle
        colours = current_colours()
        for style, text, colour, side in (
            ("body", name, colours.text, Qt.AlignmentFlag.AlignTop),
            ("caption", about, colours.faint, Qt.AlignmentFlag.AlignBottom),
        ):
            painter.setFont(font(style))
            painter.setPen(colour)
            shown = QFontMetrics(font(style)).elidedText(text, cut, room.width())
            painter.drawText(room, side, shown)
        painter.end()


class DropField(QFrame):
    """Takes a table: by a button, or dropped from the file manager."""

    chosen = pyqtSignal()
    dropped = pyqtSignal(object)
    """The `Path` of a file."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("drop")
        self.setAcceptDrops(True)
        self.button = QPushButton(tr(" Choose a table…"))
        self.button.setObjectName("primary")
        self.button.clicked.connect(self.chosen)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addStretch(1)
        row.addWidget(self.button)
        row.addWidget(QLabel(tr("or drop it here")))
        row.addStretch(1)
        kinds = QLabel(tr("CSV, Excel, Parquet or ARFF: a row per sample, a column per attribute"))
        kinds.setObjectName("faint")
        kinds.setWordWrap(True)
        kinds.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 18, 16, 16)
        layout.setSpacing(10)
        layout.addLayout(row)
        layout.addWidget(kinds)

    @staticmethod
    def _file(event: QDropEvent | None) -> Path | None:
        data = event.mimeData() if event is not None else None
        files = [url.toLocalFile() for url in data.urls()] if data is not None else []
        return Path(files[0]) if len(files) == 1 and files[0] else None

    def _mark(self, on: bool) -> None:
        self.setProperty("over", on)
        style = self.style()
        if style is not None:
            style.polish(self)

    def dragEnterEvent(self, a0: QDragEnterEvent | None) -> None:
        """Show that a file may fall here."""
        if a0 is not None and self._file(a0) is not None:
            a0.acceptProposedAction()
            self._mark(True)

    def dragLeaveEvent(self, a0: QDragLeaveEvent | None) -> None:
        """Show that nothing will fall here."""
        self._mark(False)

    def dropEvent(self, a0: QDropEvent | None) -> None:
        """Take the file."""
        self._mark(False)
        file = self._file(a0)
        if a0 is not None and file is not None:
            a0.acceptProposedAction()
            self.dropped.emit(file)


class StartPage(QScrollArea):
    """First steps: study a table, continue a process, or open an example."""

    new_wanted = pyqtSignal()
    open_wanted = pyqtSignal()
    file_wanted = pyqtSignal(object)
    """A `Path` that was opened before."""
    example_wanted = pyqtSignal(object)
    """The `Path` of an example."""
    template_wanted = pyqtSignal(object)
    """A `Template`, to be begun with a table of the user."""
    tour_wanted = pyqtSignal()
    table_dropped = pyqtSignal(object)
    """The `Path` of a table to study."""

    def __init__(self, registry: Registry) -> None:
        super().__init__()
        self._registry = registry
        self.cards: dict[str, Card] = {}
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._waiting: list[ExampleProcess] = []
        self._drawing = QTimer(self)
        self._drawing.timeout.connect(self._draw_one)
        self.setObjectName("startPage")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Start page"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget()
        middle = QWidget()
        middle.setMaximumWidth(WIDEST)
        around = QHBoxLayout(inside)
        around.setContentsMargins(24, 0, 24, 0)
        around.addStretch(1)
        around.addWidget(middle, 100)
        around.addStretch(1)
        layout = QVBoxLayout(middle)
        layout.setContentsMargins(0, 26, 0, 24)
        layout.setSpacing(18)
        layout.addWidget(
            _heading(tr("Which attributes matter, and can you trust them?"), "display")
        )
        tops = QHBoxLayout()
        tops.setSpacing(18)
        # The order of the keyboard: processes of the user first.
        self._recent_card = self._make_recent()
        tops.addWidget(self._make_study(), 63)
        tops.addWidget(self._recent_card, 37)
        layout.addLayout(tops)
        layout.addWidget(self._make_banner())
        layout.addWidget(_heading(tr("Examples that run as they are"), "title"))
        self._cards = FlowLayout()
        self._cards.setContentsMargins(0, 0, 0, 0)
        shelf = QWidget()
        shelf.setLayout(self._cards)
        layout.addWidget(shelf)
        layout.addStretch(1)
        self.setWidget(inside)
        self._paint_icons()

    def _make_study(self) -> QFrame:
        card, layout = _card()
        head = QHBoxLayout()
        head.setSpacing(10)
        self._wand = QLabel()
        head.addWidget(self._wand)
        head.addWidget(_heading(tr("Study my table"), "heading"), 1)
        layout.addLayout(head)
        about = QLabel(
            tr(
                "An answer in words: whether the table predicts the column, which attributes "
                "matter, how certain this is, and what chance alone would give."
            )
        )
        about.setWordWrap(True)
        layout.addWidget(about)
        self.drop_field = DropField()
        self.drop_field.chosen.connect(partial(self.template_wanted.emit, study()))
        self.drop_field.dropped.connect(self.table_dropped)
        self.study_button = self.drop_field.button
        self.study_button.setAccessibleName(tr("Study my table: choose a table"))
        self.study_button.setToolTip(study().about)
        layout.addWidget(self.drop_field)
        none = QLabel(tr("No table at hand?"))
        none.setObjectName("faint")
        layout.addWidget(_row([none, *(map(self._sample_button, sample_tables().items()))]))
        other = QLabel(tr("Or a smaller process for it:"))
        other.setObjectName("faint")
        layout.addWidget(_row([other, *(self._template_button(each) for each in templates())]))
        layout.addStretch(1)
        return card

    def _make_recent(self) -> QFrame:
        card, layout = _card()
        head = QHBoxLayout()
        head.addWidget(_heading(tr("Opened last"), "title"), 1)
        self.new_button = QPushButton(tr(" New process"))
        self.new_button.clicked.connect(self.new_wanted)
        head.addWidget(self.new_button)
        layout.addLayout(head)
        layout.addLayout(self._recent)
        self.open_button = QPushButton(tr(" Open…"))
        self.open_button.setObjectName("link")
        self.open_button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.open_button.clicked.connect(self.open_wanted)
        layout.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)
        self.show_recent(())
        return card

    def _make_banner(self) -> QFrame:
        banner = QFrame()
        banner.setObjectName("banner")
        line = QHBoxLayout(banner)
        line.setContentsMargins(20, 12, 16, 12)
        line.setSpacing(16)
        self._cap = QLabel()
        line.addWidget(self._cap)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(_heading(tr("Why a high score can mean nothing"), "title"))
        about = QLabel(
            tr("Six steps on the canvas: an accuracy over 90 % on noise, the fix, the true one.")
        )
        about.setWordWrap(True)
        words.addWidget(about)
        line.addLayout(words, 1)
        self.banner_button = QPushButton(tr("Start the tutorial"))
        self.banner_button.clicked.connect(self.tour_wanted)
        line.addWidget(self.banner_button)
        self.banner = banner
        return banner

    def _template_button(self, template: Template) -> QPushButton:
        button = QPushButton(tr("{title}…", title=template.title))
        button.setObjectName("chip")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setToolTip(template.about)
        button.setAccessibleDescription(template.about)
        button.clicked.connect(partial(self.template_wanted.emit, template))
        return button

    def _sample_button(self, sample: tuple[str, str]) -> QPushButton:
        name, title = sample
        button = QPushButton(title)
        button.setObjectName("chip")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setToolTip(tr("Study this table, to see how it works"))
        # The first use of such a table may take a second or two.
        button.clicked.connect(
            lambda _on: in_background(self, partial(sample_file, name), self.table_dropped.emit)
        )
        return button

    def show_recent(self, paths: Sequence[Path]) -> None:
        """List the files opened last."""
        while self._recent.count():
            item = self._recent.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        before: QWidget = self.new_button
        for path in paths[:RECENT]:
            link = self._link(path)
            self._recent.addWidget(link)
            QWidget.setTabOrder(before, link)
            before = link
        if not paths:
            empty = QLabel(tr("Processes that you open or save appear here."))
            empty.setWordWrap(True)
            self._recent.addWidget(empty)

    def _link(self, path: Path) -> QPushButton:
        button = RecentRow()
        button.setObjectName("row")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        folder = path.parent.name or str(path.parent)
        try:
            changed = datetime.fromtimestamp(path.stat().st_mtime)
            when = changed.strftime("%d %B, %H:%M").lstrip("0")
        except OSError:  # it was moved meanwhile
            when = ""
        button.setText(tr("{name}\n{when}, in {folder}", name=path.name, when=when, folder=folder))
        button.setIcon(glyph(icon_name("action", "file"), current_colours().faint.name()))
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        button.setToolTip(str(path))
        button.setAccessibleName(tr("Open {name}", name=path.name))
        button.clicked.connect(lambda: self.file_wanted.emit(path))
        return button

    def _paint_icons(self) -> None:
        """Give the icons the colors of the theme."""
        colours = current_colours()
        accent, text = colours.selected.name(), colours.text.name()
        self._wand.setPixmap(glyph(icon_name("action", "study"), accent).pixmap(24, 24))
        self._cap.setPixmap(glyph(icon_name("action", "tour"), accent).pixmap(28, 28))
        self.study_button.setIcon(glyph(icon_name("action", "upload"), colours.on_accent.name()))
        self.new_button.setIcon(glyph(icon_name("action", "zoom_in"), text))
        self.open_button.setIcon(glyph(icon_name("action", "open"), accent))
        for button in self.findChildren(QPushButton, "row"):
            button.setIcon(glyph(icon_name("action", "file"), colours.faint.name()))

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
        """Draw icons and pictures in the new colors."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.PaletteChange:
            if hasattr(self, "_wand"):  # not while it is being made
                self._paint_icons()
            if self.cards:
                self._waiting = list(examples())
                self._fill()


def _heading(text: str, style: str) -> QLabel:
    label = QLabel(text)
    label.setFont(font(style))
    label.setWordWrap(True)
    return label


def _card() -> tuple[QFrame, QVBoxLayout]:
    card = QFrame()
    card.setObjectName("card")
    layout = QVBoxLayout(card)
    layout.setContentsMargins(22, 18, 22, 16)
    layout.setSpacing(12)
    return card, layout


def _row(widgets: Iterable[QWidget]) -> QWidget:
    row, layout = QWidget(), FlowLayout()
    layout.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        layout.addWidget(widget)
    row.setLayout(layout)
    return row
