"""The second screen of the study: the label, and how rows depend on each other."""

from __future__ import annotations

from PyQt6.QtCore import QSignalBlocker, QStringListModel, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QComboBox,
    QCompleter,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from fsops.core.checks.fixes import likely_labels
from fsops.data import Schema
from fsops.studies.columns import StudyTable
from fsops_gui.base.texts import tr
from fsops_gui.panels.study.choices import LABEL, REGULAR, StudyChoices
from fsops_gui.panels.study.parts import EDGE, StateIcon, card, faint, head, text

FEW = 20
"""Categories of a likely label, at most."""


class ColumnBox(QComboBox):
    """A column to choose, or none."""

    picked = pyqtSignal(str)
    """The name of the column; empty for none."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setAccessibleName(name)
        self.setMaxVisibleItems(14)
        self._names: list[str] = []
        completer = self.completer()
        if completer is not None:
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.textActivated.connect(self._take)
        line = self.lineEdit()
        if line is not None:
            line.editingFinished.connect(lambda: self._take(self.currentText()))
        self._shown = ""

    def offer(self, names: list[str], chosen: str) -> None:
        """Offer columns, the likely ones first; one is chosen."""
        with QSignalBlocker(self):
            if names != self._names:
                self._names = names
                self.setModel(QStringListModel(["", *names], self))
            self.setCurrentText(chosen)
        line = self.lineEdit()
        if line is not None:
            line.setPlaceholderText(tr("none"))
        self._shown = chosen

    def _take(self, name: str) -> None:
        if name != self._shown and (not name or name in self._names):
            self._shown = name
            self.picked.emit(name)


class QuestionScreen(QScrollArea):
    """The question: the label, and the design of the study."""

    changed = pyqtSignal()

    def __init__(self, choices: StudyChoices) -> None:
        super().__init__()
        self.choices = choices
        self.setWidgetResizable(True)
        self.setObjectName("studyScreen")
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(EDGE, 18, EDGE, 14)
        layout.setSpacing(14)
        row, self.heading, _, _ = head(
            tr("What do you want to know?"),
            tr("Name the column to predict, and say which rows depend on each other."),
        )
        layout.addWidget(row)
        columns = QHBoxLayout()
        columns.setSpacing(18)
        columns.addWidget(self._make_fields(), 62)
        columns.addWidget(self._make_answers(), 38)
        layout.addLayout(columns)
        layout.addStretch(1)
        self.setWidget(inside)

    def _make_fields(self) -> QWidget:
        frame, layout = card()
        self.boxes: dict[str, ColumnBox] = {}
        for role, title, about in (
            (LABEL, tr("Predict"), tr("The class or number of each row, such as the diagnosis.")),
            ("group", tr("Rows that belong together"),
             tr("Such as the patient: all rows of one patient are either in the training set "
                "or in the test set.")),
            ("pair", tr("Pairs"), tr("Matched rows of two classes, such as tumour and normal.")),
            ("batch", tr("Batch"),
             tr("For example plate or site. The column is not selected. If there are enough "
                "batches, each batch is tested with a model trained on the others.")),
            ("time", tr("Time of the event"), tr("For survival: if an event is predicted, its time "
                                                 "is known only with it and is left out.")),
        ):  # fmt: skip
            form = QFormLayout()
            form.setContentsMargins(0, 4, 0, 4)
            box = ColumnBox(title)
            box.picked.connect(lambda name, r=role: self._pick(r, name))
            self.boxes[role] = box
            title_label = text(title, "body_strong")
            title_label.setBuddy(box)
            layout.addWidget(title_label)
            layout.addWidget(box)
            layout.addWidget(faint(about, "caption"))
            layout.addSpacing(6)
        return frame

    def _make_answers(self) -> QWidget:
        frame, layout = card()
        layout.addWidget(faint(tr("The question"), "caption"))
        self.question = text("", "title")
        layout.addWidget(self.question)
        line = QHBoxLayout()
        self.icon = StateIcon("ok")
        line.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignTop)
        self.problem = text("")
        line.addWidget(self.problem, 1)
        layout.addLayout(line)
        layout.addWidget(faint(tr("How the table is understood"), "caption"))
        self.told = QLabel()
        self.told.setWordWrap(True)
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        layout.addWidget(self.told)
        layout.addStretch(1)
        return frame

    def _pick(self, role: str, name: str) -> None:
        before = self.choices.label if role == LABEL else self.choices.column(role)
        if name:
            self.choices.give(name, role)
        elif before is not None:
            self.choices.give(before, REGULAR)
        self.changed.emit()

    def show_table(self, study: StudyTable) -> None:
        """Show the columns, and what follows from the choices."""
        schema = study.checks.table.schema
        names = _ordered(schema)
        roles = study.checks.roles
        for role, box in self.boxes.items():
            if role == LABEL:
                chosen = self.choices.label or study.label or ""
            else:
                known = next((n for n, found in roles.items() if found == role), "")
                chosen = self.choices.column(role) or known
            box.offer(names, chosen)
        self.question.setText(question_of(study))
        problem = study.problem
        self.icon.show_state("ok" if problem is None else "warning")
        ready = tr("The question can be answered with this table.")
        self.problem.setText(ready if problem is None else str(problem.message))
        self.told.setText(study.remarks.replace(". ", ".\n"))

    def paint_icons(self) -> None:
        """Use the colors of the theme."""
        self.icon.repaint_icon()


def question_of(study: StudyTable) -> str:
    """Return the question of a study in words."""
    if study.label is None:
        return tr("Which column is to be predicted?")
    attribute = study.checks.table.schema.attribute(study.label)
    if not attribute.value_type.is_nominal:
        return tr("Which attributes predict {label}?", label=study.label)
    if len(attribute.categories) == 2:
        first, second = attribute.categories
        return tr("Which attributes distinguish {first} from {second}?", first=first, second=second)
    return tr("Which attributes distinguish the classes of {label}?", label=study.label)


def _ordered(schema: Schema) -> list[str]:
    """Return all columns; those that may be a label come first."""
    nominal = map(schema.attribute, schema.names_at(schema.regular_nominal))
    classes = [each.name for each in nominal if 2 <= len(each.categories) <= FEW]
    own = [] if schema.label is None else [schema.label.name]
    return list(dict.fromkeys([*own, *likely_labels(schema), *classes, *schema.names]))
