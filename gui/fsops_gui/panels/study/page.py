"""The guided study: a table, a question, methods, an answer. Nothing is lost when it is left."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QEvent, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QPainter, QPaintEvent
from PyQt6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from fsops.core.graph.process import Process
from fsops.core.registry import Registry
from fsops.errors import FsopsError
from fsops.studies.columns import StudyTable, look_at_table
from fsops.studies.costs import StudyCosts, study_costs
from fsops.studies.methods import methods_for
from fsops.studies.study import study_process
from fsops_gui.base.background import in_background
from fsops_gui.base.fonts import font
from fsops_gui.base.icons import glyph, glyph_font, letter_of
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.base.tokens import icon_name
from fsops_gui.panels.study.answer_screen import AnswerScreen
from fsops_gui.panels.study.choices import StudyChoices
from fsops_gui.panels.study.methods_screen import MethodsScreen
from fsops_gui.panels.study.parts import EDGE, faint
from fsops_gui.panels.study.question_screen import QuestionScreen, question_of
from fsops_gui.panels.study.table_screen import TableScreen
from fsops_gui.run.child_run import ChildRun
from fsops_gui.widgets.empty_state import EmptyState

EMPTY, TABLE, QUESTION, METHODS, ANSWER = range(5)


class StepButton(QAbstractButton):
    """A step of the study: a number, or a check mark once it is done."""

    def __init__(self, number: int, name: str) -> None:
        super().__init__()
        self.number, self.current, self.done = number, False, False
        self.setText(name)
        self.setAccessibleName(tr("Step {n}: {name}", n=number, name=name))
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        """Return the size of the number and the name."""
        return QSize(36 + self.fontMetrics().horizontalAdvance(self.text()) + 14, 40)

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint a disc with the number, and the name."""
        painter, colours = QPainter(self), current_colours()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        disc = QRectF(2, self.height() / 2 - 12, 24, 24)
        sign, family = (str(self.number), "")
        painter.setPen(Qt.PenStyle.NoPen if self.current or self.done else colours.strong_border)
        painter.setBrush(colours.selected if self.current else colours.operator)
        if self.done and not self.current:
            painter.setBrush(colours.selected_tint)
            sign, family = letter_of(icon_name("action", "check"))
        painter.drawEllipse(disc)
        painter.setPen(colours.on_accent if self.current else colours.secondary)
        painter.setFont(glyph_font(family, 13) if family else font("caption_strong"))
        painter.drawText(disc, Qt.AlignmentFlag.AlignCenter, sign)
        painter.setFont(font("body_strong" if self.current else "body"))
        painter.setPen(colours.text if self.current else colours.secondary)
        words = QRectF(36, 0, self.width() - 36, self.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.text())
        if self.hasFocus():
            painter.setPen(colours.selected)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 4.5, -0.5, -4.5), 5, 5)


class StudyPage(QWidget):
    """Four screens with Back and Next. The choices stay until another table is begun."""

    table_wanted = pyqtSignal()
    cancelled = pyqtSignal()
    run_wanted = pyqtSignal(object)
    """The `Process` of the study, to be shown on the canvas and run."""
    process_wanted = pyqtSignal(object)
    """The `Process` of the study, to be shown on the canvas only."""
    canvas_wanted = pyqtSignal()
    """The process of the answer, which is on the canvas already."""
    stop_wanted = pyqtSignal()
    said = pyqtSignal(str)

    def __init__(self, registry: Registry) -> None:
        super().__init__()
        self._registry = registry
        self.choices = StudyChoices()
        self.study: StudyTable | None = None
        self._asked = 0
        """Counts the looks at a table, so that an old answer is not taken for a new one."""
        self._costed: object = None
        self._probe: ChildRun | None = None
        self.run: ChildRun | None = None
        self.setObjectName("studyPage")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.table_screen = TableScreen(self.choices)
        self.question_screen = QuestionScreen(self.choices)
        self.methods_screen = MethodsScreen(self.choices, registry)
        self.answer_screen = AnswerScreen()
        empty = EmptyState(
            "study",
            tr("Four steps from your table to an answer in words."),
            tr(
                "It says whether the attributes predict the column, which attributes matter, how "
                "certain this is, and what chance alone would give."
            ),
            tr("Choose a table…"),
        )
        empty.acted.connect(self.table_wanted)
        self.stack = QStackedWidget()
        for screen in (
            empty, self.table_screen, self.question_screen, self.methods_screen, self.answer_screen
        ):  # fmt: skip
            self.stack.addWidget(screen)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._make_head())
        layout.addWidget(self.stack, 1)
        layout.addWidget(self._make_foot())
        self.table_screen.changed.connect(self.look)
        self.question_screen.changed.connect(self.look)
        self.methods_screen.changed.connect(self._show_buttons)
        self.answer_screen.answered.connect(self._show_buttons)
        self.show_screen(EMPTY)

    # --- building ---------------------------------------------------------------------------

    def _make_head(self) -> QWidget:
        row = QWidget()
        row.setObjectName("studyHead")
        row.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        line = QHBoxLayout(row)
        line.setContentsMargins(EDGE, 4, EDGE, 4)
        names = (tr("Your table"), tr("The question"), tr("The methods"), tr("The answer"))
        self.steps = []
        for number, name in enumerate(names, 1):
            button = StepButton(number, name)
            button.clicked.connect(partial(self._go, number))
            self.steps.append(button)
            line.addWidget(button)
            line.addSpacing(14)
        line.addStretch(1)
        self.file = faint("", "body")
        self.file.setWordWrap(False)
        line.addWidget(self.file)
        self.other = QPushButton(tr("Another table…"))
        self.other.setObjectName("link")
        self.other.clicked.connect(self.table_wanted)
        line.addWidget(self.other)
        return row

    def _make_foot(self) -> QWidget:
        row = QWidget()
        row.setObjectName("studyFoot")
        row.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        line = QHBoxLayout(row)
        line.setContentsMargins(EDGE, 10, EDGE, 10)
        line.setSpacing(12)
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.setToolTip(tr("Nothing is lost: Study at the left edge leads back here."))
        self.cancel.clicked.connect(self.cancelled)
        self.back = QPushButton()
        self.back.clicked.connect(lambda: self.show_screen(self.stack.currentIndex() - 1))
        self.told = faint("", "body")
        self.as_process = QPushButton(tr(" Show as a process"))
        self.as_process.setObjectName("link")
        self.as_process.clicked.connect(self._show_process)
        self.next = QPushButton()
        self.next.setObjectName("primary")
        self.next.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.next.clicked.connect(self._next)
        line.addWidget(self.cancel)
        line.addWidget(self.back)
        line.addStretch(1)
        line.addWidget(self.told)
        line.addWidget(self.as_process)
        line.addWidget(self.next)
        self.told.setWordWrap(False)
        return row

    # --- going on and back --------------------------------------------------------------------

    @property
    def screen_number(self) -> int:
        """The screen that is shown: `EMPTY`, `TABLE`, `QUESTION`, `METHODS` or `ANSWER`."""
        return self.stack.currentIndex()

    def show_screen(self, number: int) -> None:
        """Show a screen; the choices stay."""
        self.stack.setCurrentIndex(number)
        if number == METHODS:
            self._ask_costs()
        else:
            self._end_probe()
        self._show_buttons()

    def _go(self, number: int) -> None:
        """Go to a step if all before it are complete."""
        if self._may(number):
            self.show_screen(number)

    def _may(self, number: int) -> bool:
        if self.study is None:
            return False
        if number == ANSWER:
            return self.run is not None
        return number <= QUESTION or self.study.problem is None

    def _next(self) -> None:
        number = self.screen_number
        if number == METHODS:
            self._make(self.run_wanted.emit)
        elif number == ANSWER and self.run is not None and self.run.running:
            self.stop_wanted.emit()
        elif number == ANSWER:
            self.canvas_wanted.emit()
        else:
            self.show_screen(number + 1)

    def _show_buttons(self) -> None:
        number, ready = self.screen_number, self.study is not None
        running = self.run is not None and self.run.running
        for button in self.steps:
            button.current = button.number == number
            button.done = button.number < number
            button.setEnabled(self._may(button.number))
            button.update()
        foot = self.cancel.parentWidget()
        assert foot is not None
        foot.setVisible(number != EMPTY)
        self.other.setVisible(number != EMPTY and not running)
        self.back.setVisible(number > TABLE and not running)
        names = [button.text() for button in self.steps]
        self.back.setText(f" {names[number - 2]}" if number > TABLE else "")
        words = {TABLE: names[1], QUESTION: names[2], METHODS: tr("Run the study")}
        last = tr("Stop") if running else tr("The process that did this")
        self.next.setText(f"{words.get(number, last)}  ")
        self.as_process.setVisible(number == METHODS)
        chosen = bool(self.methods_screen.chosen) if number == METHODS else True
        self.next.setEnabled(
            ready and chosen and (number == ANSWER or self._may(number + (number < METHODS)))
        )
        self.cancel.setText(tr("Close") if number == ANSWER else tr("Cancel"))
        self._tell(number)
        self.paint_icons()

    def _tell(self, number: int) -> None:
        words = ""
        if number == TABLE and self.study is not None:
            words = tr("{n:,} columns go on", n=self.table_screen.remaining())
        elif number == QUESTION and self.study is not None and self.study.problem is not None:
            words = tr("Choose the column to predict") if self.study.label is None else ""
        self.told.setText(words)

    # --- looking at the table -----------------------------------------------------------------

    def begin(self, path: object) -> None:
        """Begin with a table."""
        from pathlib import Path

        assert isinstance(path, Path)
        self._end_probe()
        self.choices.begin(path)
        self.study, self.run, self._costed = None, None, None
        self.table_screen.model.forget()
        self.file.setText(path.name)
        self.look(first=True)

    def look(self, *, first: bool = False) -> None:
        """Look at the table with the choices of now; in the background."""
        choices = self.choices
        if choices.path is None:
            return
        self._asked += 1
        self._costed = None
        number = self._asked
        work = partial(
            look_at_table, choices.path, choices.label, self._registry, choices.design(),
            choices.settings(),
        )  # fmt: skip
        self.said.emit(tr("Looking into {name}…", name=choices.path.name))
        in_background(
            self, work, partial(self._take_table, number, first), partial(self._fail, number)
        )

    def _take_table(self, number: int, first: bool, study: StudyTable) -> None:
        if number != self._asked:
            return
        self.study = study
        if self.choices.label is not None and study.label is None and study.problem is None:
            self.choices.label = None
        self.said.emit("")
        self.table_screen.show_table(study)
        self.question_screen.show_table(study)
        if first:
            self.show_screen(TABLE)
        else:
            self._show_buttons()

    def _fail(self, number: int, error: Exception) -> None:
        if not isinstance(error, FsopsError):
            raise error
        if number == self._asked:
            self.said.emit(str(error))

    # --- costs --------------------------------------------------------------------------------

    def _classes(self) -> int:
        assert self.study is not None
        label = self.study.label
        attribute = self.study.checks.table.schema.attribute(label) if label else None
        return len(attribute.categories) if attribute is not None else 0

    def _study(self, methods: tuple[str, ...]) -> Callable[[], Process]:
        """Return the function that makes the process; it reads the table."""
        choices, study = self.choices, self.study
        assert study is not None
        assert choices.path is not None
        return partial(
            study_process, choices.path.stem, choices.path, choices.label or study.label,
            self._registry, design=choices.design(), settings=choices.settings(), methods=methods,
        )  # fmt: skip

    def _ask_costs(self) -> None:
        """Count the runs of the methods, and time one run of each in a child process."""
        if self.study is None or self._costed == self._asked:
            return
        self._costed = number = self._asked
        self.methods_screen.wait()
        classes = self._classes()
        make = self._study(tuple(method.key for method in methods_for(classes)))

        def done(costs: StudyCosts) -> None:
            if number == self._asked and self.screen_number == METHODS:
                self.methods_screen.show_costs(costs)
                self._show_buttons()
                self._measure(costs)

        in_background(self, lambda: study_costs(make(), classes), done, partial(self._fail, number))

    def _measure(self, costs: StudyCosts) -> None:
        self._end_probe()
        run = ChildRun(costs.probe)
        self._probe = run
        run.updated.connect(self._show_measured)
        run.ended.connect(self._show_measured)
        run.start()

    def _show_measured(self) -> None:
        run = self._probe
        if run is None:
            return
        states = run.report.operators
        known = {
            n: s.seconds for n, s in states.items() if s.state == "done" and s.seconds is not None
        }
        self.methods_screen.show_measured(known, over=not run.running)

    def _end_probe(self) -> None:
        if self._probe is not None:
            self._probe.blockSignals(True)
            self._probe.close()
            self._probe = None

    # --- the process and its run ----------------------------------------------------------------

    def _show_process(self) -> None:
        self._make(self.process_wanted.emit)

    def _make(self, then: Callable[[Process], None]) -> None:
        """Make the process in the background, and then do something with it."""
        self.next.setEnabled(False)
        self._end_probe()
        in_background(
            self, self._study(self.methods_screen.chosen), then, partial(self._fail, self._asked)
        )

    def follow(self, run: ChildRun, process: Process) -> None:
        """Show a run of the study that has begun."""
        assert self.study is not None
        self.run = run
        self.answer_screen.begin(process, question_of(self.study))
        run.updated.connect(partial(self._show_run, run))
        run.ended.connect(partial(self._end_run, run))
        self.show_screen(ANSWER)

    def look_into(self, run: ChildRun) -> None:
        """Show intermediate results of a run that waits."""
        self.answer_screen.show_run(run)
        self.answer_screen.read_results(run)

    def _show_run(self, run: ChildRun) -> None:
        if run is self.run:
            self.answer_screen.show_run(run)

    def _end_run(self, run: ChildRun) -> None:
        if run is not self.run:
            return
        self.answer_screen.show_run(run)
        self.answer_screen.read_results(run)
        report = run.report
        if report.status != "finished":
            words = report.message or tr("The run ended without an answer.")
            self.answer_screen.tell(f"{words} {report.hint}".strip())
        self._show_buttons()

    def close_study(self) -> None:
        """End what runs for this page only; the study itself belongs to the document."""
        self._end_probe()

    # --- colors --------------------------------------------------------------------------------

    def paint_icons(self) -> None:
        """Use the colors of the theme."""
        colours = current_colours()
        self.back.setIcon(glyph(icon_name("action", "back"), colours.text.name()))
        self.next.setIcon(glyph(icon_name("action", "next"), colours.on_accent.name()))
        self.as_process.setIcon(glyph(icon_name("action", "process"), colours.selected.name()))
        for screen in (
            self.table_screen,
            self.question_screen,
            self.methods_screen,
            self.answer_screen,
        ):
            screen.paint_icons()

    def changeEvent(self, a0: QEvent | None) -> None:
        """Follow the theme."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.PaletteChange and hasattr(self, "next"):
            self.paint_icons()
