"""The first screen of the study: the table, with a traffic light for each column."""

from __future__ import annotations

from PyQt6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    pyqtSignal,
)
from PyQt6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPen
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from fsops.studies.columns import GIVES_AWAY, LABEL, LEFT_OUT, NAMES_ROWS, StudyTable
from fsops_gui.base.fonts import font
from fsops_gui.base.icons import glyph, glyph_font, letter_of
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.base.tokens import icon_name
from fsops_gui.panels.study.choices import LEFT, REGULAR, StudyChoices
from fsops_gui.panels.study.parts import EDGE, StateIcon, faint, head, state_colour, text

ROLE_ROW, BARS_ROW, LIGHT_ROW = range(3)
HEADS = 3
PREVIEW = 12
"""Rows of the table that are shown."""
WIDTH = 138
HEIGHTS = (34, 40, 92)


def _has_same_columns(before: StudyTable, now: StudyTable) -> bool:
    """Return whether a table can be shown in the same order: only choices have changed."""
    names = before.checks.table.schema.names
    return before.path == now.path and list(names) == list(now.checks.table.schema.names)


class ColumnsModel(QAbstractTableModel):
    """Three rows about each column, then the first rows of the table."""

    def __init__(self) -> None:
        super().__init__()
        self.study: StudyTable | None = None
        self.choices = StudyChoices()
        self.order: list[int] = []

    def show(self, study: StudyTable, choices: StudyChoices) -> None:
        """Show another table, or other choices."""
        self.beginResetModel()
        if self.study is None or not _has_same_columns(self.study, study):
            self.order = study.checks.order()
        self.study, self.choices = study, choices
        self.endResetModel()

    def forget(self) -> None:
        """Show nothing: another table is being read."""
        self.beginResetModel()
        self.study, self.order = None, []
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        """Return the number of rows."""
        if self.study is None or parent.isValid():
            return 0
        return HEADS + min(PREVIEW, len(self.study.checks.table))

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008
        """Return the number of columns of the table."""
        return 0 if parent.isValid() else len(self.order)

    def name(self, column: int) -> str:
        """Return the name of a column."""
        assert self.study is not None
        return str(self.study.checks.table.schema.names[self.order[column]])

    def role(self, column: int) -> str:
        """Return the role that a column will have."""
        assert self.study is not None
        name = self.name(column)
        return self.choices.role(name) or self.study.checks.roles.get(name, REGULAR)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> object:
        """Return the name of a column, or the number of a row."""
        if orientation == Qt.Orientation.Horizontal:
            if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
                return self.name(section)
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        elif role == Qt.ItemDataRole.DisplayRole:
            return str(section - HEADS + 1) if section >= HEADS else ""
        return None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell; the first three rows are painted."""
        study = self.study
        if study is None or not index.isValid():
            return None
        at, row = self.order[index.column()], index.row()
        words = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        if row == ROLE_ROW and role in words:
            return self.role(index.column())
        if row == LIGHT_ROW and role in (*words, Qt.ItemDataRole.ToolTipRole):
            found = study.checks.finding(at)
            return f"{found.word}. {found.detail}"
        if row >= HEADS and role == Qt.ItemDataRole.DisplayRole:
            return study.checks.text(row - HEADS, at)
        return self._style(index.column(), role) if row >= HEADS else None

    def _style(self, column: int, role: int) -> object:
        """Return how a value is shown: numbers at the right, columns that are left out faint."""
        assert self.study is not None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            kind = self.study.checks.table.schema.attribute(self.name(column)).value_type
            side = Qt.AlignmentFlag
            return (side.AlignRight if kind.is_numerical else side.AlignLeft) | side.AlignVCenter
        left = role == Qt.ItemDataRole.ForegroundRole and self.role(column) == LEFT
        return current_colours().faint if left else None


class ColumnDelegate(QStyledItemDelegate):
    """Paints role, histogram and traffic light of a column."""

    def paint(
        self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex
    ) -> None:
        """Paint a cell."""
        model = index.model()
        assert painter is not None
        if index.row() >= HEADS or not isinstance(model, ColumnsModel) or model.study is None:
            super().paint(painter, option, index)
            self._paint_lines(painter, option.rect, below=True)
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = option.rect.adjusted(8, 2, -8, -2)
        if index.row() == ROLE_ROW:
            self._paint_role(painter, box, model.role(index.column()))
        elif index.row() == BARS_ROW:
            self._paint_bars(painter, box, model.study.checks.bars(model.order[index.column()]))
        else:
            self._paint_light(painter, box, model, index.column())
        if option.state & option.state.State_HasFocus:
            painter.setPen(QPen(current_colours().selected, 1.5))
            painter.drawRoundedRect(QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4)
        painter.restore()
        self._paint_lines(painter, option.rect, below=index.row() == LIGHT_ROW)

    @staticmethod
    def _paint_lines(painter: QPainter, box: QRect, *, below: bool) -> None:
        """Paint the line at the right of a cell, and the one below it."""
        painter.setPen(QPen(current_colours().border, 1))
        painter.drawLine(box.topRight(), box.bottomRight())
        if below:
            painter.drawLine(box.bottomLeft(), box.bottomRight())

    def _paint_role(self, painter: QPainter, box: QRect, role: str) -> None:
        colours = current_colours()
        measure = QFontMetrics(font("caption"))
        chip = QRectF(box.left(), box.top() + 3, measure.horizontalAdvance(role) + 34, 24)
        chosen = role == "label"
        painter.setPen(QPen(colours.selected if chosen else colours.border, 1))
        painter.setBrush(colours.operator)
        painter.drawRoundedRect(chip, 5, 5)
        painter.setFont(font("caption"))
        painter.setPen(colours.selected if chosen else colours.secondary)
        inside = chip.adjusted(8, 0, -8, 0)
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, role)
        letter, family = letter_of(icon_name("action", "collapse"))
        painter.setFont(glyph_font(family, 11))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inside, right, letter)

    def _paint_bars(self, painter: QPainter, box: QRect, bars: list[float]) -> None:
        highest = max(bars, default=0.0)
        if not highest:
            return
        wide = min(14.0, (box.width() - 10) / len(bars) - 1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(current_colours().data["bar"])
        for number, count in enumerate(bars):
            high = max(1.0, (box.height() - 6) * count / highest) if count else 0.0
            left = box.left() + number * (wide + 1)
            painter.drawRect(QRectF(left, box.bottom() - 2 - high, wide, high))

    def _paint_light(self, painter: QPainter, box: QRect, model: ColumnsModel, column: int) -> None:
        assert model.study is not None
        found = model.study.checks.finding(model.order[column])
        excluded = model.role(column) == LEFT
        colour = QColor(state_colour(found.state))
        letter, family = letter_of(icon_name("state", found.state))
        painter.setFont(glyph_font(family, 15))
        painter.setPen(colour)
        top = box.top() + 3
        painter.drawText(QRect(box.left(), top, 18, 18), Qt.AlignmentFlag.AlignCenter, letter)
        words = QRect(box.left() + 21, top, box.width() - 19, box.height())
        painter.setFont(font("caption_strong"))
        wrap = Qt.TextFlag.TextWordWrap.value | Qt.AlignmentFlag.AlignLeft.value
        used = painter.boundingRect(words, wrap, found.word)
        painter.drawText(words, wrap, found.word)
        painter.setFont(font("caption"))
        painter.setPen(current_colours().faint)
        detail = tr("Left out") if excluded and found.word != tr("Left out") else found.detail
        below = QRect(box.left(), used.bottom() + 3, box.width() + 4, box.bottom() - used.bottom())
        painter.drawText(below, wrap, detail)


class ColumnsView(QTableView):
    """The table; a click on a role or a light changes it."""

    light_clicked = pyqtSignal(str)
    role_clicked = pyqtSignal(str, QPoint)

    def __init__(self, model: ColumnsModel) -> None:
        super().__init__()
        self.setObjectName("studyTable")
        self.setModel(model)
        self.setItemDelegate(ColumnDelegate(self))
        self.setAccessibleName(tr("Columns of the table"))
        self.setAccessibleDescription(
            tr("Space leaves a column out or takes it back, Return chooses its role.")
        )
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)  # the delegate draws lines between values only
        self.setCornerButtonEnabled(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        across, down = self.horizontalHeader(), self.verticalHeader()
        assert across is not None
        assert down is not None
        across.setDefaultSectionSize(WIDTH)
        across.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        across.setFont(font("body_strong"))
        across.setHighlightSections(False)
        down.setDefaultSectionSize(28)
        down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        model.modelReset.connect(self._size_rows)
        self.clicked.connect(self._click)

    def _size_rows(self) -> None:
        for row, height in enumerate(HEIGHTS):
            self.setRowHeight(row, height)

    def _click(self, index: QModelIndex) -> None:
        model = index.model()
        if not isinstance(model, ColumnsModel):
            return
        if index.row() == LIGHT_ROW:
            self.light_clicked.emit(model.name(index.column()))
        elif index.row() == ROLE_ROW:
            corner = self.visualRect(index).bottomLeft()
            viewport = self.viewport()
            assert viewport is not None
            self.role_clicked.emit(model.name(index.column()), viewport.mapToGlobal(corner))

    def keyPressEvent(self, e: QKeyEvent | None) -> None:
        """Leave a column out with the space bar, choose its role with Return."""
        index, model = self.currentIndex(), self.model()
        keys = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if e is None or e.key() not in keys or not index.isValid() or model is None:
            super().keyPressEvent(e)
            return
        row = LIGHT_ROW if e.key() == Qt.Key.Key_Space else ROLE_ROW
        self._click(model.index(row, index.column()))


class Summary(QFrame):
    """A colored card that says how many columns have a light, and why."""

    def __init__(self, state: str) -> None:
        super().__init__()
        self.setObjectName(f"light_{state}")
        self.icon = StateIcon(state, 20)
        self.title, self.about = text("", "body_strong"), faint()
        self.button = QPushButton()
        self.button.setObjectName("link")
        self.button.hide()
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 10, 16, 10)
        line.setSpacing(12)
        line.addWidget(self.icon)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self.title)
        words.addWidget(self.about)
        line.addLayout(words, 1)
        line.addWidget(self.button)

    def tell(self, title: str, about: str) -> None:
        """Show other words."""
        self.title.setText(title)
        self.about.setText(about)

    def sizeHint(self) -> QSize:
        """Return a size that does not depend on the words."""
        return QSize(300, 62)


class TableScreen(QWidget):
    """The table with the lights of its columns."""

    changed = pyqtSignal()
    """The choices have changed: the table has to be looked at again."""

    def __init__(self, choices: StudyChoices) -> None:
        super().__init__()
        self.choices = choices
        self.model = ColumnsModel()
        self.view = ColumnsView(self.model)
        self.view.light_clicked.connect(self.toggle)
        self.view.role_clicked.connect(self._offer_roles)
        row, _, self.extent, line = head(tr("Is this table read as you mean it?"), "")
        self.exchange = QPushButton(tr(" Exchange rows and columns"))
        self.exchange.setToolTip(tr("For files with a row per attribute and a column per sample."))
        self.exchange.clicked.connect(self._exchange)
        line.addWidget(self.exchange)
        self.summaries = {state: Summary(state) for state in ("error", "warning", "ok")}
        self.summaries["error"].button.clicked.connect(self._leave_out_red)
        cards = QHBoxLayout()
        cards.setSpacing(12)
        for each in self.summaries.values():
            cards.addWidget(each, 1)
        frame = QFrame()
        frame.setObjectName("card")
        around = QVBoxLayout(frame)
        around.setContentsMargins(1, 1, 1, 1)
        around.addWidget(self.view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(EDGE, 18, EDGE, 14)
        layout.setSpacing(14)
        layout.addWidget(row)
        layout.addLayout(cards)
        layout.addWidget(frame, 1)
        self.paint_icons()

    def show_table(self, study: StudyTable) -> None:
        """Show a table with its checks."""
        checks = study.checks
        self.model.show(study, self.choices)
        rows, columns = len(checks.table), len(checks.table.schema)
        self.extent.setText(
            tr(
                "{rows:,} rows, {columns:,} columns. A click on a light leaves the column out or "
                "takes it back.",
                rows=rows,
                columns=columns,
            )
        )
        counts = checks.counts()
        titles = {
            "error": (
                tr("1 column would spoil the answer"),
                tr("{n:,} columns would spoil the answer"),
            ),
            "warning": (tr("1 column needs a look"), tr("{n:,} columns need a look")),
            "ok": (tr("1 column is fine"), tr("{n:,} columns are fine")),
        }
        for state, card in self.summaries.items():
            number = counts[state]  # type: ignore[index]
            title = titles[state][number != 1].format(n=number)
            about = checks.summary(state)  # type: ignore[arg-type]
            if state == "ok":
                about = tr("Values without many gaps that vary between rows.")
            card.tell(title, about or tr("Nothing found."))
        red = [n for n in checks.names(GIVES_AWAY) if self.choices.role(n) != LEFT]
        self.summaries["error"].button.setText(tr("Leave out"))
        self.summaries["error"].button.setToolTip(", ".join(red))
        self.summaries["error"].button.setVisible(bool(red))

    def remaining(self) -> int:
        """Return how many columns go on as attributes."""
        study = self.model.study
        if study is None:
            return 0
        special = {name for name in study.checks.roles}
        more = sum(1 for name in self.choices.roles if name not in special)
        return len(study.checks.table.schema) - len(special) - more

    def toggle(self, name: str) -> None:
        """Leave a column out, or take it back; one with another role stays."""
        study = self.model.study
        if study is None:
            return
        reason = study.checks.reasons[study.checks.table.schema.position(name)]
        forced = study.checks.roles.get(name) in ("label", "id")
        if reason in (LABEL, NAMES_ROWS) or forced:
            return
        if self.choices.role(name) == LEFT:
            self.choices.give(name, REGULAR)
        elif reason != LEFT_OUT or name not in study.checks.roles:
            self.choices.give(name, LEFT)
        self.changed.emit()

    def _leave_out_red(self) -> None:
        study = self.model.study
        for name in study.checks.names(GIVES_AWAY) if study is not None else ():
            self.choices.give(name, LEFT)
        self.changed.emit()

    def _exchange(self) -> None:
        self.choices.transpose = not self.choices.transpose
        self.choices.forget_columns()
        self.changed.emit()

    def _offer_roles(self, name: str, point: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for role, words in self.choices.offered():
            action = menu.addAction(words)
            if action is not None:
                action.triggered.connect(lambda _on=False, r=role: self.give(name, r))
        menu.popup(point)

    def give(self, name: str, role: str) -> None:
        """Give a column a role."""
        self.choices.give(name, role)
        self.changed.emit()

    def paint_icons(self) -> None:
        """Use the colors of the theme."""
        colours = current_colours()
        self.exchange.setIcon(glyph(icon_name("action", "exchange"), colours.text.name()))
        for label in self.findChildren(QLabel):
            if isinstance(label, StateIcon):
                label.repaint_icon()
