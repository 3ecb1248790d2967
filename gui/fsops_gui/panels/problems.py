"""The problems of the process, in words, with what would mend them."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QHeaderView, QMenu, QTreeWidget, QTreeWidgetItem, QWidget

from fsops.core.problems import Problem, QuickFix, Severity
from fsops_gui.checking import Findings, spot_of
from fsops_gui.texts import tr

ROLE = Qt.ItemDataRole.UserRole


class ProblemsPanel(QTreeWidget):
    """A line for each problem, and under it a line for each way to mend it."""

    spot_wanted = pyqtSignal(str)
    """The operator to go to."""
    fix_wanted = pyqtSignal(object)
    """The `QuickFix` to apply."""

    def __init__(self) -> None:
        super().__init__()
        self.setColumnCount(2)
        self.setHeaderLabels([tr("Problem"), tr("Where")])
        self.setAccessibleName(tr("Problems"))
        self.setWordWrap(True)
        header = self.header()
        if header is not None:
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
            header.setStretchLastSection(False)
            header.resizeSection(1, 260)
        self.itemActivated.connect(self._act)
        self.itemClicked.connect(self._go)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def show_findings(self, findings: Findings) -> None:
        """Show what a check has found."""
        self.clear()
        for problem in findings.problems:
            sign = "✖" if problem.severity is Severity.ERROR else "▲"
            word = tr("Error") if problem.severity is Severity.ERROR else tr("Warning")
            item = QTreeWidgetItem([f"{sign} {word}: {problem.message}", " › ".join(problem.path)])
            item.setData(0, ROLE, spot_of(findings.process, problem))
            item.setToolTip(0, problem.message)
            self.addTopLevelItem(item)
            for fix in problem.fixes:
                child = QTreeWidgetItem(item, [f"→ {fix.label}"])
                child.setData(0, ROLE, fix)
                child.setToolTip(0, tr("Double click or Enter: do this. It can be undone."))
            item.setExpanded(True)

    def _act(self, item: QTreeWidgetItem) -> None:
        data = item.data(0, ROLE)
        if isinstance(data, QuickFix):
            self.fix_wanted.emit(data)
        elif data:
            self.spot_wanted.emit(data)

    def _go(self, item: QTreeWidgetItem) -> None:
        if isinstance(item.data(0, ROLE), str):
            self.spot_wanted.emit(item.data(0, ROLE))


def fixes_menu(problems: list[Problem], parent: QWidget) -> tuple[QMenu, dict[object, QuickFix]]:
    """Return a menu of problems with their fixes, and the fix of each entry."""
    menu = QMenu(parent)
    fixes: dict[object, QuickFix] = {}
    for problem in problems:
        title = menu.addAction(problem.message)
        if title is not None:
            title.setEnabled(False)
        for fix in problem.fixes:
            fixes[menu.addAction(f"→ {fix.label}")] = fix
    return menu, fixes
