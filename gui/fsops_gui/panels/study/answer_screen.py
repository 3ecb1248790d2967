"""The last screen of the study: the run with intermediate results, then the answer."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from fsops.core.graph.process import Process
from fsops.data import AttributeDescriptions, AttributeWeights, FlowObject, SizeCurves, StudyAnswer
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.panels.study.parts import EDGE, StateIcon, card, faint, text
from fsops_gui.run.child_run import ChildRun

STATES = {"done": "ok", "failed": "error", "running": "running", "paused": "running"}
BARS = 1000


class StepLine(QFrame):
    """One operator of the study: its state, and how far it is."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.icon = StateIcon("waiting", 16)
        self.words = faint("", "caption")
        self.words.setWordWrap(False)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, BARS)
        self.bar.setFixedHeight(6)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 2, 0, 2)
        line.setSpacing(10)
        line.addWidget(self.icon)
        line.addWidget(text(name, "body", wrap=False), 1)
        line.addWidget(self.bar, 1)
        line.addWidget(self.words)
        self.words.setMinimumWidth(120)
        self.words.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def show_state(self, state: str, done: int, total: int, words: str) -> None:
        """Show how far the operator is."""
        name = STATES.get(state, "waiting")
        if name != self.icon.state:
            self.icon.show_state(name)
        self.words.setText(words)
        full = BARS if state == "done" else 0
        self.bar.setValue(round(BARS * done / total) if total and state == "running" else full)


class AnswerScreen(QScrollArea):
    """Shows a run of a study, and the answer when there is one."""

    answered = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setObjectName("studyScreen")
        self.steps: dict[str, StepLine] = {}
        self.answer: StudyAnswer | None = None
        self._run: ChildRun | None = None
        self._read: set[tuple[str, str]] = set()
        self._values: dict[type, FlowObject] = {}
        self._question = ""
        self._inside: QVBoxLayout
        self._clear()
        self.setWidget(self._content)

    def _clear(self) -> None:
        inside = QWidget()
        self._inside = QVBoxLayout(inside)
        self._inside.setContentsMargins(EDGE, 18, EDGE, 18)
        self._inside.setSpacing(14)
        self._content = inside

    def begin(self, process: Process, question: str) -> None:
        """Show that a study begins."""
        self._clear()
        self._run, self.answer = None, None
        self._read, self._values = set(), {}
        self._question = question
        self.sentence = faint(tr("The run begins. You may leave this page; it goes on."), "body")
        self._inside.addWidget(text(question, "heading"))
        self._inside.addWidget(self.sentence)
        frame, layout = card()
        layout.setSpacing(2)
        self.steps = {}
        for node in process.order():
            self.steps[node.name] = StepLine(node.name)
            layout.addWidget(self.steps[node.name])
        self._inside.addWidget(frame)
        self._news = QGridLayout()
        self._news.setSpacing(14)
        self._inside.addLayout(self._news)
        self._inside.addStretch(1)
        self.setWidget(self._content)

    def show_run(self, run: ChildRun) -> None:
        """Show how far a run is, and results that are known by now."""
        self._run = run
        for name, line in self.steps.items():
            state = run.report.operators.get(name)
            if state is not None:
                words = next(iter(state.parts), "")
                line.show_state(state.state, state.done, state.total, words.lstrip("▶❚…✓✗≠ "))
        if run.running and not run.is_paused and self.answer is None:
            lines = run.report.progress_lines()
            if lines:
                self.sentence.setText(lines[0])

    def read_results(self, run: ChildRun) -> None:
        """Read the results that are known and not shown yet."""
        wanted = [
            place
            for place, port in run.report.ports.items()
            if place not in self._read
            and port.kind
            in ("SizeCurves", "StudyAnswer", "AttributeDescriptions", "AttributeWeights")
        ]
        self._read.update(wanted)
        if wanted:
            in_background(
                self, lambda: [run.value(*place) for place in wanted], lambda f: self._take(run, f)
            )

    def _take(self, run: ChildRun, values: list[FlowObject | None]) -> None:
        if run is not self._run:
            return
        for value in values:
            if isinstance(
                value, SizeCurves | StudyAnswer | AttributeDescriptions | AttributeWeights
            ):
                self._values[type(value)] = value
        answer = self._values.get(StudyAnswer)
        if isinstance(answer, StudyAnswer):
            if not run.running:
                self._show_answer(answer)
        else:
            self._show_news()

    def _show_news(self) -> None:
        """Show intermediate results."""
        from fsops_gui.panels.study.answer_parts import chart_cards

        while self._news.count():
            item = self._news.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.deleteLater()
        curves = self._values.get(SizeCurves)
        weights = self._values.get(AttributeWeights)
        cards = chart_cards(curves) if isinstance(curves, SizeCurves) else []
        cards += chart_cards(weights) if isinstance(weights, AttributeWeights) else []
        if cards:
            self._news.addWidget(
                faint(tr("Known so far, before the chance check"), "caption"), 0, 0
            )
        for number, made in enumerate(cards):
            self._news.addWidget(made, 1 + number // 2, number % 2)

    def _show_answer(self, answer: StudyAnswer) -> None:
        from fsops_gui.panels.study.answer_parts import (
            advice_cards,
            attributes_card,
            chart_cards,
            verdict_card,
        )

        self.answer = answer
        self._clear()
        curves = self._values.get(SizeCurves)
        curves = curves if isinstance(curves, SizeCurves) else None
        self._inside.addWidget(text(self._question, "heading"))
        self._inside.addWidget(verdict_card(answer, curves))
        self._add_row(chart_cards(curves, answer) if curves is not None else [])
        described = self._values.get(AttributeDescriptions)
        if isinstance(described, AttributeDescriptions):
            self._inside.addWidget(attributes_card(described, answer))
        self._add_row(advice_cards(answer, curves))
        self._inside.addStretch(1)
        self.setWidget(self._content)  # only now: a part that is shown is styled at once
        self.answered.emit()

    def _add_row(self, cards: list[QFrame]) -> None:
        if cards:
            row = QHBoxLayout()
            row.setSpacing(14)
            for made in cards:
                row.addWidget(made, 1)
            self._inside.addLayout(row)

    def tell(self, words: str) -> None:
        """Say how the run ended without an answer."""
        if self.answer is None:
            self.sentence.setText(words)

    def paint_icons(self) -> None:
        """Use the colors of the theme."""
        for label in self.findChildren(QLabel):
            if isinstance(label, StateIcon):
                label.repaint_icon()
