"""A note on the canvas: free, or hanging on an operator. Its text is Markdown."""

from __future__ import annotations

import re

from PyQt6.QtCore import QPointF, QRectF, Qt, QUrl
from PyQt6.QtGui import (
    QAbstractTextDocumentLayout,
    QIcon,
    QPainter,
    QPalette,
    QPen,
    QPixmap,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextOption,
)
from PyQt6.QtWidgets import QGraphicsItem, QMenu, QStyleOptionGraphicsItem, QWidget

from fsops.core.graph.process import Note
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import Colours, current_colours
from fsops_gui.canvas.look import GLYPH_ZOOM, SCALE, note_colour, note_font

PAD = 7.0
HANDLE = 12.0
"""How large the corner is that changes the size of a note."""
SMALLEST = (64.0, 28.0)
GAP = 4.0
"""Between an operator and the note that hangs on it."""
GAP_ABOVE = 8.0
"""Between paragraphs."""
_MARK = "\u2063"
_TEXT = re.compile(r"[^\s#>|`~*+\d-]|\*\*|\d+[^.)\d]")
"""How a line of plain text begins."""
_SIDES = {
    "center": Qt.AlignmentFlag.AlignHCenter,
    "right": Qt.AlignmentFlag.AlignRight,
}


def _number(note: Note, key: str, default: float) -> float:
    try:
        return float(note.layout.get(key, default))
    except ValueError:  # a file may say anything
        return default


def _with_line_ends(text: str) -> str:
    """Return Markdown in which line ends are meant, as in the plain text of RapidMiner's notes.

    Lines of text after an empty one begin with a mark that is not seen.
    """
    lines = text.splitlines()
    made: list[str] = []
    for before, line in zip(["", *lines], lines, strict=False):
        if line.strip():
            parted = made and not before.strip() and _TEXT.match(line)
            made.append(f"{_MARK if parted else ''}{line}  ")
        else:
            made.append("")
    return "\n".join(made)


def _part_paragraphs(document: QTextDocument) -> None:
    """Put a gap above the paragraphs that are marked."""
    cursor = QTextCursor(document)
    block = document.begin()
    while block.isValid():
        if block.text().startswith(_MARK):
            cursor.setPosition(block.position())
            cursor.deleteChar()
            layout = block.blockFormat()
            layout.setTopMargin(GAP_ABOVE)
            cursor.setBlockFormat(layout)
        block = block.next()


class _TextOnly(QTextDocument):
    """A text that never loads a picture: a note may come from a stranger."""

    def loadResource(self, type: int, name: QUrl) -> object:  # noqa: A002 - Qt's name
        """Load nothing."""
        return None


def _words_for_pictures(document: QTextDocument) -> None:
    """Put the description of each picture in its place.

    Qt opens the file of a picture when it lays out the text, whatever `loadResource` returns; a
    pipe or a device would never end.
    """
    picture = QTextCharFormat.ObjectTypes.ImageObject.value
    cursor = QTextCursor(document)
    block = document.begin()
    while block.isValid():
        found = []
        piece = block.begin()
        while not piece.atEnd():
            fragment = piece.fragment()
            if fragment.charFormat().objectType() == picture:
                found.append((fragment.position(), fragment.length(), fragment.charFormat()))
            piece += 1
        for place, length, style in reversed(found):
            words = style.property(QTextFormat.Property.ImageAltText) or tr("picture")
            cursor.setPosition(place)
            cursor.setPosition(place + length, QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(f"[{words}]", QTextCharFormat())
        block = block.next()


class NoteItem(QGraphicsItem):
    """The picture of a note."""

    def __init__(
        self,
        note: Note,
        colours: Colours,
        parent: QGraphicsItem,
        *,
        number: int = -1,
        owner: str | None = None,
    ) -> None:
        super().__init__(parent)
        self.number = number
        """Which one it is of the free notes of its level."""
        self.owner = owner
        """The operator it hangs on."""
        self.colours = colours
        self._document: QTextDocument | None = None
        self.setFlags(
            QGraphicsItem.GraphicsItemFlag.ItemIsSelectable
            | QGraphicsItem.GraphicsItemFlag.ItemIsMovable
        )
        self.setZValue(0.5)
        self.show_as(note)

    def show_as(self, note: Note) -> None:
        """Show another state of the note."""
        self.prepareGeometryChange()
        self.text = note.text
        self.colour = note.layout.get("color", "yellow")
        self._side = note.layout.get("align", "left")
        self._document = None
        default = 90.0 if self.owner is not None else 180.0
        # The height in a file counts where somebody has chosen it; else the text decides.
        chosen = note.layout.get("resized") == "true"
        self._asked = (
            max(_number(note, "width", default) * SCALE, SMALLEST[0]),
            max(_number(note, "height", 0) * SCALE if chosen else 0.0, SMALLEST[1]),
        )
        self.size = self._fitted(*self._asked)
        if self.owner is None:
            self.setPos(_number(note, "x", 0) * SCALE, _number(note, "y", 0) * SCALE)
        self.update()

    def put_under(self, body: QRectF) -> None:
        """Hang the note under the rectangle of an operator."""
        self.setPos(0.0, body.bottom() + GAP)

    def drop(self) -> None:
        """Take the note off the canvas."""
        scene = self.scene()
        if scene is not None:
            scene.removeItem(self)
        self.setParentItem(None)

    # --- geometry ---------------------------------------------------------------------------

    def _fitted(self, width: float, height: float) -> tuple[float, float]:
        """Return the size a note really has: nothing of its text is ever cut."""
        document = self.document()
        document.setTextWidth(max(width, SMALLEST[0]) - 2 * PAD)
        needed = document.size()
        width = max(width, SMALLEST[0], document.idealWidth() + 2 * PAD)
        return width, max(height, SMALLEST[1], needed.height() + 2 * PAD)

    def resize(self, width: float, height: float) -> None:
        """Give the note another size; its text decides how small it can be."""
        self.prepareGeometryChange()
        self.size = self._fitted(width, height)
        self.update()

    def reset_size(self) -> None:
        """Give the note the size it had before it was pulled at its corner."""
        self.resize(*self._asked)

    def document(self) -> QTextDocument:
        """Return the formatted text."""
        if self._document is None:
            made = _TextOnly()
            made.setDocumentMargin(0)
            made.setIndentWidth(18)
            made.setDefaultFont(note_font())
            option = QTextOption(_SIDES.get(self._side, Qt.AlignmentFlag.AlignLeft))
            option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
            made.setDefaultTextOption(option)
            no_html = QTextDocument.MarkdownFeature.MarkdownNoHTML
            kind = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | no_html
            made.setMarkdown(_with_line_ends(self.text), kind)
            _words_for_pictures(made)
            _part_paragraphs(made)
            self._document = made
        return self._document

    def boundingRect(self) -> QRectF:
        """Return the rectangle of the note."""
        return QRectF(0, 0, *self.size)

    def handle(self) -> QRectF:
        """Return the corner that changes the size."""
        width, height = self.size
        return QRectF(width - HANDLE, height - HANDLE, HANDLE, HANDLE)

    # --- painting ---------------------------------------------------------------------------

    def paint(
        self,
        painter: QPainter | None,
        option: QStyleOptionGraphicsItem | None,
        widget: QWidget | None = None,
    ) -> None:
        """Paint the note; seen from far away only its rectangle."""
        assert painter is not None
        c = self.colours
        fill = note_colour(self.colour, c)
        border = QPen(c.selected, 2) if self.isSelected() else QPen(c.border, 1)
        if fill is None and not self.isSelected():
            border = QPen(Qt.PenStyle.NoPen)
        painter.setPen(border)
        painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
        painter.drawRect(self.boundingRect())
        zoom = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        if zoom < GLYPH_ZOOM:
            return
        self._paint_text(painter)
        if self.isSelected():
            painter.setPen(QPen(c.faint, 1.4))
            corner = QPointF(self.size[0] - 3, self.size[1] - 3)
            for step in (3.0, 7.0):
                painter.drawLine(corner - QPointF(step, 0), corner - QPointF(0, step))

    def _paint_text(self, painter: QPainter) -> None:
        document = self.document()
        document.setTextWidth(self.size[0] - 2 * PAD)
        layout = document.documentLayout()
        if layout is None:
            return
        context = QAbstractTextDocumentLayout.PaintContext()
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Text, self.colours.text)
        context.palette = palette
        painter.save()
        painter.translate(PAD, PAD)
        layout.draw(painter, context)
        painter.restore()


def colour_menu(parent: QWidget) -> QMenu:
    """Return a menu of the colors, each with its name; the data of an action is the name."""
    words = {
        "yellow": tr("Yellow"), "orange": tr("Orange"), "green": tr("Green"), "blue": tr("Blue"),
        "purple": tr("Purple"), "red": tr("Red"), "gray": tr("Gray"),
        "transparent": tr("No background"),
    }  # fmt: skip
    menu = QMenu(parent)
    colours = current_colours()
    for name, text in words.items():
        patch = QPixmap(16, 16)
        patch.fill(note_colour(name, colours) or Qt.GlobalColor.transparent)
        action = menu.addAction(QIcon(patch), text)
        if action is not None:
            action.setData(name)
    return menu
