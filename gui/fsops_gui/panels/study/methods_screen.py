"""The third screen of the study: the methods to compare, with their cost."""

from __future__ import annotations

from collections.abc import Mapping

from PyQt6.QtCore import QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QPainter, QPaintEvent
from PyQt6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from fsops.core.declare.roles import Role
from fsops.core.registry import Registry
from fsops.report.numbers import seconds_text
from fsops.studies.costs import StudyCosts
from fsops.studies.methods import StudyMethod, usual_methods
from fsops_gui.base.icons import role_icon
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.study.choices import StudyChoices
from fsops_gui.panels.study.parts import EDGE, StateIcon, card, faint, head, text

STEPS = (1.0, 10.0, 60.0, 600.0)
"""Seconds from which a further mark of the cost is filled."""


def about(seconds: float) -> str:
    """Return a time in rough words."""
    if seconds < 1:
        return tr("under 1 s")
    return tr("about {time}", time=f"{round(seconds)} s" if seconds < 90 else seconds_text(seconds))


class CostMarks(QWidget):
    """Five marks; more are filled if a method takes longer."""

    def __init__(self) -> None:
        super().__init__()
        self._filled = 0
        self.setFixedSize(QSize(96, 8))

    def show_seconds(self, seconds: float | None) -> None:
        """Fill the marks that a time deserves; none if it is not known."""
        self._filled = 0 if seconds is None else 1 + sum(seconds >= step for step in STEPS)
        self.update()

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint the marks."""
        painter, colours = QPainter(self), current_colours()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        strong = colours.warning if self._filled >= 4 else colours.secondary
        for number in range(5):
            painter.setBrush(strong if number < self._filled else colours.data["chance_band"])
            painter.drawRoundedRect(QRectF(number * 19.5, 1, 16, 6), 3, 3)


class MethodCard(QFrame):
    """A method that can be chosen."""

    toggled = pyqtSignal()

    def __init__(self, method: StudyMethod, role: Role) -> None:
        super().__init__()
        self.method, self._role = method, role
        self.setObjectName("method")
        self.box = QCheckBox()
        self.box.setAccessibleName(f"{method.name}: {method.about}")
        self.box.toggled.connect(self._show)
        self.icon = QLabel()
        self.icon.setFixedSize(34, 34)
        name, tag = (
            text(method.name, "body_strong", wrap=False),
            text(method.tag, "caption", wrap=False),
        )
        tag.setObjectName("tag")
        self.cost, self.marks = text("", "body", wrap=False), CostMarks()
        self.cost.setMinimumWidth(104)
        self.cost.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        first = QHBoxLayout()
        first.setSpacing(8)
        first.addWidget(name)
        first.addWidget(tag)
        first.addStretch(1)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addLayout(first)
        words.addWidget(faint(method.about, "caption"))
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 7, 18, 7)
        line.setSpacing(12)
        line.addWidget(self.box)
        line.addWidget(self.icon)
        line.addLayout(words, 1)
        line.addWidget(self.marks)
        line.addWidget(self.cost)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.paint_icon()

    def _show(self, on: bool) -> None:
        self.setProperty("chosen", on)
        style = self.style()
        if style is not None:
            style.polish(self)
        self.toggled.emit()

    def mousePressEvent(self, a0: object) -> None:
        """Choose the method, wherever its card is clicked."""
        self.box.toggle()

    def show_cost(self, seconds: float | None, words: str) -> None:
        """Show how long the method takes in the study."""
        self.cost.setText(words)
        self.marks.show_seconds(seconds)

    def paint_icon(self) -> None:
        """Use the colors of the theme."""
        colours = current_colours()
        icon = role_icon(
            self._role, colours.roles[self._role].name(), colours.tints[self._role].name()
        )
        self.icon.setPixmap(icon.pixmap(34, 34))


class MethodsScreen(QScrollArea):
    """Methods with their cost, and what will happen."""

    changed = pyqtSignal()

    def __init__(self, choices: StudyChoices, registry: Registry) -> None:
        super().__init__()
        self.choices = choices
        self._registry = registry
        self.costs: StudyCosts | None = None
        self._measured: dict[str, float] = {}
        self.cards: dict[str, MethodCard] = {}
        self.setWidgetResizable(True)
        self.setObjectName("studyScreen")
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(EDGE, 18, EDGE, 14)
        layout.setSpacing(14)
        row, _, _, _ = head(
            tr("Which methods should look for attributes?"),
            tr("The chosen methods are of different kinds. More methods take longer; all are "
               "tested on the same folds."),
        )  # fmt: skip
        layout.addWidget(row)
        columns = QHBoxLayout()
        columns.setSpacing(20)
        self._list = QVBoxLayout()
        self._list.setSpacing(8)
        columns.addLayout(self._list, 72)
        columns.addWidget(self._make_total(), 28, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(columns, 1)
        self.setWidget(inside)

    def _make_total(self) -> QWidget:
        frame, layout = card()
        layout.addWidget(faint(tr("The plan"), "caption"))
        self.total = text("", "display")
        layout.addWidget(self.total)
        self.below = faint("", "caption")
        layout.addWidget(self.below)
        self._facts = QGridLayout()
        self._facts.setVerticalSpacing(8)
        layout.addSpacing(8)
        layout.addLayout(self._facts)
        layout.addSpacing(10)
        for state, words in (
            ("ok", tr("Selection happens inside the folds, without the test rows. Only "
                      "missing values are filled before, from all rows.")),
            ("stale", tr("Permuted labels show the results of chance alone.")),
        ):  # fmt: skip
            line = QHBoxLayout()
            line.addWidget(StateIcon(state, 16), 0, Qt.AlignmentFlag.AlignTop)
            line.addWidget(faint(words, "caption"), 1)
            layout.addLayout(line)
        layout.addStretch(1)
        return frame

    @property
    def chosen(self) -> tuple[str, ...]:
        """The keys of the methods that are chosen, in their order."""
        return tuple(key for key, card in self.cards.items() if card.box.isChecked())

    def wait(self) -> None:
        """Say that the costs are not known yet."""
        self.total.setText("…")
        self.below.setText(tr("The table is being read."))

    def show_costs(self, costs: StudyCosts) -> None:
        """Offer the methods that suit the label."""
        self.costs = costs
        self._measured = {}
        for old in self.cards.values():
            self._list.removeWidget(old)
            old.deleteLater()
        while self._list.count():
            self._list.takeAt(0)
        self.cards = {}
        usual = self.choices.methods or usual_methods(costs.classes)
        usual_first = sorted(costs.methods, key=lambda method: method.key not in usual)
        for method in usual_first:
            made = MethodCard(method, self._registry[method.key].role)
            made.box.setChecked(method.key in usual)
            made.toggled.connect(self._take)
            self.cards[method.key] = made
            self._list.addWidget(made)
        self._list.addStretch(1)
        self._tell()

    def show_measured(self, seconds: Mapping[str, float], *, over: bool) -> None:
        """Show how long one run of a method took; ``over``: nothing more will be measured."""
        self._measured = dict(seconds)
        self._tell(over=over)

    def cost(self, key: str) -> float | None:
        """Return how long a method takes in the study; None if it is not known."""
        if self.costs is None or key not in self._measured:
            return None
        return self._measured[key] * self.costs.runs.get(key, 1)

    def _take(self) -> None:
        self.choices.methods = self.chosen
        self._tell()
        self.changed.emit()

    def _tell(self, *, over: bool = False) -> None:
        costs = self.costs
        if costs is None:
            return
        for key, made in self.cards.items():
            seconds = self.cost(key)
            waits = tr("not measured") if over else tr("measuring…")
            made.show_cost(seconds, waits if seconds is None else about(seconds))
        known = [self.cost(key) for key in self.chosen]
        total = sum(seconds for seconds in known if seconds is not None)
        is_known = bool(known) and None not in known
        self.total.setText(about(total) if is_known else "…")
        self.below.setText(
            tr("for the methods on one core, measured with your table; the chance check adds to it")
        )
        runs = sum(costs.runs.get(key, 0) for key in self.chosen)
        facts = (
            (tr("Methods"), f"{len(self.chosen)}"),
            (tr("Sizes tried"), ", ".join(costs.sizes)),
            (tr("Validation"), tr("{n} folds, {m} times", n=costs.folds, m=costs.repetitions)
             if costs.repetitions > 1 else tr("{n} folds", n=costs.folds)),
            (tr("Learner"), tr("naive Bayes") if costs.classes else tr("ridge regression")),
            (tr("Runs of methods"), f"{runs:,}"),
            (tr("Chance check"), tr("up to 199 permutations")),
        )  # fmt: skip
        for row, (name, value) in enumerate(facts):
            if self._facts.itemAtPosition(row, 1) is None:
                self._facts.addWidget(faint(name, "body"), row, 0)
                right = text("", "body_strong", wrap=True)
                right.setAlignment(Qt.AlignmentFlag.AlignRight)
                self._facts.addWidget(right, row, 1)
            item = self._facts.itemAtPosition(row, 1)
            label = item.widget() if item is not None else None
            if isinstance(label, QLabel):
                label.setText(value)

    def paint_icons(self) -> None:
        """Use the colors of the theme."""
        for made in self.cards.values():
            made.paint_icon()
        for label in self.findChildren(QLabel):
            if isinstance(label, StateIcon):
                label.repaint_icon()
