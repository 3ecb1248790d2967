"""Cost before a run: how often each operator will run and, if measured, how long it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from fsops.core.checks.plan import PlannedOperator
from fsops.core.graph.process import Process
from fsops.errors import PATH_SEPARATOR, FsopsError
from fsops.report.numbers import counted
from fsops.runs.cost import (
    CAVEAT,
    Planned,
    counted_plan,
    expected_time,
    megabytes,
    passes_text,
    short_time,
    stopped_text,
    time_range,
)
from fsops.runs.run import Run
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.run.child_command import ChildCommand

OPERATOR, RUNS, EACH, TIME = range(4)
MOST_NAMED = 5
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
Path = tuple[str, ...]


class CostDialog(QDialog):
    """A tree of operators with their counts; *Measure* runs one iteration of every loop."""

    def __init__(self, process: Process, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Cost before the run"))
        self._process = process
        self._items: dict[Path, QTreeWidgetItem] = {}
        self.headline = _label(tr("Counting…"))
        self.headline.setObjectName("emptyTitle")
        self.notes = _label("")
        self.notes.setObjectName("faint")
        self._make_tree()
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.hide()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.measure_button = QPushButton(tr("Measure the time"))
        self.measure_button.setObjectName("primary")
        self.measure_button.setToolTip(
            tr("Reads the data and runs one iteration of every loop. Nothing is written.")
        )
        self.measure_button.setEnabled(False)
        self.measure_button.clicked.connect(lambda _on: self.measure())
        self.buttons.addButton(self.measure_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        for widget in (self.headline, self.tree, self.bar, self.notes, self.buttons):
            layout.addWidget(widget)
        self.resize(680, 560)
        self.child = ChildCommand(self)
        self.child.done.connect(self._show_times)
        self.child.failed.connect(self._fail)
        self.finished.connect(lambda _code: self.child.close())
        in_background(self, lambda: counted_plan(Run(process)), self._show, self._refuse)

    def _make_tree(self) -> None:
        self.tree = QTreeWidget()
        self.tree.setAccessibleName(tr("Operators with their number of runs"))
        self.tree.setHeaderLabels([tr("Operator"), tr("Runs"), tr("Each"), tr("Time")])
        for column in (EACH, TIME):
            self.tree.setColumnHidden(column, True)
        header = self.tree.header()
        if header is not None:
            header.setStretchLastSection(False)
            header.setSectionResizeMode(OPERATOR, QHeaderView.ResizeMode.Stretch)
            for column in (RUNS, EACH, TIME):
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)

    # --- counts -----------------------------------------------------------------------------

    def _show(self, planned: Planned) -> None:
        self._fill(planned.plan.operators, None)
        self.tree.expandAll()
        number = sum(1 for _ in planned.plan.walk())
        self.headline.setText(
            tr(
                "{runs} runs of {operators}",
                runs=planned.plan.runs,
                operators=counted(number, "operator"),
            )
        )
        self.notes.setText("\n".join(map(passes_text, planned.passes)))
        self.measure_button.setEnabled(True)

    def _fill(self, operators: Sequence[PlannedOperator], under: QTreeWidgetItem | None) -> None:
        for planned in operators:
            item = QTreeWidgetItem([planned.node.name, str(planned.runs), "", ""])
            for column in (RUNS, EACH, TIME):
                item.setTextAlignment(column, RIGHT)
            self._items[planned.node.path] = item
            self._put(item, under)
            for inner in planned.inner:
                reason = f" ({inner.iterations.reason})" if inner.iterations.reason else ""
                level = QTreeWidgetItem([f"{inner.process.name} × {inner.iterations}{reason}"])
                self._put(level, item)
                self._fill(inner.operators, level)

    def _put(self, item: QTreeWidgetItem, under: QTreeWidgetItem | None) -> None:
        if under is None:
            self.tree.addTopLevelItem(item)
        else:
            under.addChild(item)

    def _refuse(self, error: Exception) -> None:
        if not isinstance(error, FsopsError):
            raise error
        self.headline.setText(tr("The process cannot run yet."))
        self.notes.setText(str(error))

    # --- times ------------------------------------------------------------------------------

    def measure(self) -> None:
        """Run one iteration of every loop in a child process, and show the times."""
        self.measure_button.setEnabled(False)
        self.bar.show()
        self.child.start_with(self._process, "plan", "--probe", "--quiet")

    def _show_times(self, document: Mapping[str, Any]) -> None:
        self.bar.hide()
        self.measure_button.setEnabled(True)
        for column in (EACH, TIME):
            self.tree.setColumnHidden(column, False)
        for entry in _flat(document["operators"]):
            item = self._items.get(tuple(entry["path"]))
            if item is not None:
                each, both = entry.get("seconds_each"), entry.get("seconds")
                item.setText(EACH, "–" if each is None else short_time(each))
                item.setText(TIME, "–" if both is None else time_range(both["low"], both["high"]))
                runs = entry["runs"]
                low, high = runs["low"], runs["high"]
                item.setText(RUNS, f"{low}" if low == high else item.text(RUNS))
        probe = document["probe"]
        expected = expected_time(probe["seconds"]["low"], probe["seconds"]["high"])
        self.headline.setText(tr("Expected time: {time}", time=expected))
        self.notes.setText("\n".join(_notes(probe)))

    def _fail(self, text: str) -> None:
        self.bar.hide()
        self.measure_button.setEnabled(True)
        self.notes.setText(text)

    def closeEvent(self, a0: QCloseEvent | None) -> None:
        """End a measurement that is not over."""
        self.child.close()
        super().closeEvent(a0)


def _label(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def _flat(operators: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for entry in operators:
        yield entry
        for inner in entry["inner"]:
            yield from _flat(inner["operators"])


def _notes(probe: Mapping[str, Any]) -> Iterator[str]:
    if probe["peak_memory"] is not None:
        yield tr("Peak memory: about {size}", size=megabytes(probe["peak_memory"]))
    if probe["stopped"]:
        yield stopped_text(probe["stopped"])
    missed = [PATH_SEPARATOR.join(path) for path in probe["not_measured"]]
    if missed:
        more = tr(" and {n} more", n=len(missed) - MOST_NAMED) if len(missed) > MOST_NAMED else ""
        names = ", ".join(missed[:MOST_NAMED]) + more
        yield tr("Not measured: {names}.", names=names)
    yield CAVEAT
