"""The problems of the process, in words, with their fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PyQt6.QtCore import QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from fsops.core.checks.problems import Kind, Problem, QuickFix, Severity
from fsops_gui.base.texts import tr
from fsops_gui.document.checker import ERROR_SIGN, WARNING_SIGN, Findings, spot_of

ROLE = Qt.ItemDataRole.UserRole
PROBLEM = Qt.ItemDataRole.UserRole + 1
LONGEST = 90
"""Menus cut longer sentences into lines."""
ROOM = 120
"""Pixels of a line that signs and margins take."""
ADVICE = (
    Kind.INFORMATION_LEAK, Kind.LABEL_LEAK, Kind.SMALL_SAMPLE, Kind.IMBALANCE, Kind.TRAINING_ROWS,
    Kind.RAW_P_VALUES, Kind.FEW_ROWS, Kind.BYPASSED, Kind.SIZE_NOT_VALIDATED,
    Kind.TIES, Kind.UNSUITABLE_DATA,
)  # fmt: skip
"""Kinds of problems with a page that explains them: those of `fsops.why`."""
PLAIN, BY_OPERATOR, BY_KIND = "", "operator", "kind"


class _Tree(QTreeWidget):
    """A tree in which Enter works like a double click, also on systems where it edits."""

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Enter acts on the line."""
        item = self.currentItem()
        if event is not None and item is not None and event.key() in (
            Qt.Key.Key_Return, Qt.Key.Key_Enter
        ):  # fmt: skip
            self.itemActivated.emit(item, 0)
            return
        super().keyPressEvent(event)


class ProblemsPanel(QWidget):
    """A line for each problem, and under it a line for each fix."""

    spot_wanted = pyqtSignal(str)
    """The operator to go to."""
    field_wanted = pyqtSignal(str, str)
    """The operator and the parameter to go to."""
    fix_wanted = pyqtSignal(object)
    """The `QuickFix` to apply."""
    why_wanted = pyqtSignal(object)
    """The `Kind` to explain."""

    def __init__(self) -> None:
        super().__init__()
        self._findings: Findings | None = None
        self.severity = QComboBox()
        self.severity.addItem(tr("All"), "")
        self.severity.addItem(tr("Errors"), Severity.ERROR)
        self.severity.addItem(tr("Warnings"), Severity.WARNING)
        self.severity.setAccessibleName(tr("Which problems are listed"))
        self.grouping = QComboBox()
        self.grouping.addItem(tr("In reading order"), PLAIN)
        self.grouping.addItem(tr("By operator"), BY_OPERATOR)
        self.grouping.addItem(tr("By kind"), BY_KIND)
        self.grouping.setAccessibleName(tr("How the problems are grouped"))
        self.count = QLabel()
        self.why = QPushButton(tr("Why?"))
        self.why.setToolTip(tr("Why this misleads, with a demonstration on noise"))
        self.why.clicked.connect(lambda _on: self._explain())
        self.fix = QPushButton(tr("Fix…"))
        self.fix.setToolTip(tr("Fixes of the chosen problem. It can be undone."))
        self.fix.clicked.connect(lambda _on: self._open_fixes())
        self.whole = QLabel()
        self.tree = _Tree()
        self._lay_out()
        self.setFocusProxy(self.tree)
        self._order: tuple[int, bool] | None = None
        self._doubled = False
        """Whether a double click has just been made."""
        self.severity.currentIndexChanged.connect(lambda _row: self._fill())
        self.grouping.currentIndexChanged.connect(lambda _row: self._fill())
        self.tree.itemActivated.connect(self._act)
        self.tree.itemClicked.connect(self._go)
        self.tree.itemDoubleClicked.connect(self._note_double_click)
        self.tree.currentItemChanged.connect(lambda _new, _old: self._offer())
        self.tree.customContextMenuRequested.connect(self._open_menu)
        self._fill()

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setContentsMargins(4, 2, 4, 2)
        for widget in (self.severity, self.grouping, self.count):
            line.addWidget(widget)
        self.count.setContentsMargins(6, 0, 0, 0)
        line.addStretch(1)
        line.addWidget(self.why)
        line.addWidget(self.fix)
        self.whole.setWordWrap(True)
        self.whole.setFixedHeight(2 * self.fontMetrics().lineSpacing() + 10)
        self.whole.setMargin(4)
        self.whole.setAccessibleName(tr("The chosen problem"))
        self.whole.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.tree.setColumnCount(2)
        self.tree.setHeaderLabels([tr("Problem"), tr("Where")])
        self.tree.setAccessibleName(tr("Problems"))
        self.tree.setWordWrap(True)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.tree.header()
        if header is not None:
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
            header.setStretchLastSection(False)
            header.setSectionsClickable(True)
            header.sectionClicked.connect(self._sort)
            header.setSortIndicatorShown(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(line)
        layout.addWidget(self.tree, 1)
        layout.addWidget(self.whole)

    def show_findings(self, findings: Findings) -> None:
        """Show the results of a check."""
        self._findings = findings
        self._fill()

    def resizeEvent(self, a0: QResizeEvent | None) -> None:
        """Leave a third of the width for where the problems are."""
        super().resizeEvent(a0)
        header = self.tree.header()
        if header is not None:
            header.resizeSection(1, min(240, self.width() // 3))
        self._give_room()

    # --- filling ----------------------------------------------------------------------------

    def _problems(self) -> list[Problem]:
        found = () if self._findings is None else self._findings.problems
        wanted = self.severity.currentData()
        listed = [p for p in found if not wanted or p.severity == wanted]
        if self._order is not None:
            column, down = self._order
            listed.sort(key=_sort_keys[column], reverse=down)
        return listed

    def _sort(self, column: int) -> None:
        """Sort by a column; a third click brings the reading order back."""
        if self._order is None or self._order[0] != column:
            self._order = column, False
        else:
            self._order = None if self._order[1] else (column, True)
        header = self.tree.header()
        if header is not None:
            header.setSortIndicatorShown(self._order is not None)
            if self._order is not None:
                down = (
                    Qt.SortOrder.DescendingOrder if self._order[1] else Qt.SortOrder.AscendingOrder
                )
                header.setSortIndicator(column, down)
        self._fill()

    def _fill(self) -> None:
        chosen = self._chosen()
        self.tree.clear()
        problems = self._problems()
        groups: dict[str, QTreeWidgetItem] = {}
        for problem in problems:
            item = self._item(problem)
            title = self._group_of(problem)
            if title is None:
                self.tree.addTopLevelItem(item)
            else:
                if title not in groups:
                    groups[title] = QTreeWidgetItem(self.tree)
                    groups[title].setExpanded(True)
                groups[title].addChild(item)
            item.setExpanded(True)
            for number in range(item.childCount()):
                child = item.child(number)
                if child is not None:
                    child.setFirstColumnSpanned(True)
            if problem == chosen:
                self.tree.setCurrentItem(item)
        for title, group in groups.items():
            group.setText(0, f"{title} ({group.childCount()})")
            group.setFirstColumnSpanned(True)
        self.count.setText(count_in_words(self._findings))
        self._give_room()
        self._offer()

    def _item(self, problem: Problem) -> QTreeWidgetItem:
        is_error = problem.severity is Severity.ERROR
        sign, word = (ERROR_SIGN, tr("Error")) if is_error else (WARNING_SIGN, tr("Warning"))
        item = QTreeWidgetItem([f"{sign} {word}: {problem.message}", where(problem)])
        item.setData(0, ROLE, self._spot(problem))
        item.setData(0, PROBLEM, problem)
        for column in (0, 1):
            item.setToolTip(column, problem.message)
        for fix in problem.fixes:
            child = QTreeWidgetItem(item, [f"→ {fix.label}"])
            child.setData(0, ROLE, fix)
            child.setToolTip(0, tr("Double click or Enter: do this. It can be undone."))
        return item

    def _spot(self, problem: Problem) -> str | None:
        return None if self._findings is None else spot_of(self._findings.process, problem)

    def _group_of(self, problem: Problem) -> str | None:
        grouping = self.grouping.currentData()
        if grouping == BY_OPERATOR:
            return self._spot(problem) or tr("Process")
        return str(problem.kind).capitalize() if grouping == BY_KIND else None

    # --- acting -----------------------------------------------------------------------------

    def _chosen(self) -> Problem | None:
        item = self.tree.currentItem()
        while item is not None:
            problem = item.data(0, PROBLEM)
            if isinstance(problem, Problem):
                return problem
            item = item.parent()
        return None

    def _offer(self) -> None:
        problem = self._chosen()
        self.fix.setEnabled(problem is not None and bool(problem.fixes))
        self.why.setEnabled(problem is not None and problem.kind in ADVICE)
        self.whole.setText("" if problem is None else problem.message)

    def _give_room(self) -> None:
        """Leave room for long sentences, before one is chosen: nothing moves under the mouse."""
        self.whole.setVisible(any(not self._fits(problem) for problem in self._problems()))

    def _fits(self, problem: Problem) -> bool:
        """Return whether the line of a problem has room for all its words."""
        width = self.fontMetrics().horizontalAdvance(problem.message) + ROOM
        return width < self.tree.columnWidth(0)

    def _act(self, item: QTreeWidgetItem) -> None:
        data, problem = item.data(0, ROLE), item.data(0, PROBLEM)
        if isinstance(data, QuickFix):
            self.fix_wanted.emit(data)
        elif data:
            self.spot_wanted.emit(data)
            if isinstance(problem, Problem) and problem.parameter:
                self.field_wanted.emit(data, problem.parameter)

    def _note_double_click(self) -> None:
        self._doubled = True

    def _go(self, item: QTreeWidgetItem) -> None:
        # The click that ends a double click must not take the focus from the field.
        doubled, self._doubled = self._doubled, False
        if not doubled and isinstance(item.data(0, ROLE), str):
            self.spot_wanted.emit(item.data(0, ROLE))

    def _explain(self) -> None:
        problem = self._chosen()
        if problem is not None:
            self.why_wanted.emit(problem.kind)

    def _open_fixes(self) -> None:
        self._popup(self.fix.mapToGlobal(self.fix.rect().bottomLeft()))

    def _open_menu(self, point: QPoint) -> None:
        viewport = self.tree.viewport()
        if viewport is not None:
            self._popup(viewport.mapToGlobal(point))

    def _popup(self, place: QPoint) -> None:
        problem = self._chosen()
        if problem is None:
            return
        menu, fixes = fixes_menu([problem], self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.triggered.connect(lambda action: self.fix_wanted.emit(fixes[action]))
        menu.popup(place)


def where(problem: Problem) -> str:
    """Return the place of a problem, the innermost name first: narrow columns show that."""
    if not problem.path:
        return tr("Process")
    around = " › ".join(problem.path[:-1])
    return f"{problem.path[-1]} ({around})" if around else problem.path[-1]


def _first_severity(problem: Problem) -> tuple[bool, str]:
    return problem.severity is not Severity.ERROR, problem.message.lower()


def _place(problem: Problem) -> tuple[str, ...]:
    return tuple(part.lower() for part in problem.path)


_sort_keys: tuple[Callable[[Problem], tuple[object, ...]], ...] = (_first_severity, _place)


def count_in_words(findings: Findings | None) -> str:
    """Return how many problems there are, in words."""
    problems = () if findings is None else findings.problems
    errors = sum(problem.severity is Severity.ERROR for problem in problems)
    warnings = len(problems) - errors
    if not problems:
        return tr("No problems.")
    parts = []
    if errors:
        parts.append(tr("1 error") if errors == 1 else tr("{n} errors", n=errors))
    if warnings:
        parts.append(tr("1 warning") if warnings == 1 else tr("{n} warnings", n=warnings))
    return ", ".join(parts)


def fixes_menu(problems: list[Problem], parent: QWidget) -> tuple[QMenu, dict[object, QuickFix]]:
    """Return a menu of problems with their fixes, and the fix of each entry."""
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    fixes: dict[object, QuickFix] = {}
    for problem in problems:
        for number, line in enumerate(_lines(problem.message)):
            shown = line if number == 0 else f"   {line}"
            title = QWidgetAction(menu)
            words = QLabel(shown)
            words.setObjectName("menuTitle")
            title.setDefaultWidget(words)
            title.setText(shown)  # for screen readers
            title.setToolTip(problem.message)
            title.setEnabled(False)
            menu.addAction(title)
        for fix in problem.fixes:
            fixes[menu.addAction(f"→ {fix.label}")] = fix
        if not problem.fixes and problem.kind is not Kind.UNKNOWN_OPERATOR:
            none = menu.addAction(tr("→ There is no quick fix for this."))
            if none is not None:
                none.setEnabled(False)
    return menu, fixes


def _lines(text: str) -> Iterator[str]:
    """Return a long sentence in lines, so that a menu is not wider than the screen."""
    line = ""
    for word in text.split():
        if line and len(line) + len(word) >= LONGEST:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line
