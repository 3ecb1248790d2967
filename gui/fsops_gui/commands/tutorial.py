"""Two tutorials on the real canvas: a leak on noise, and the user's own table.

A step ends when the user has done it. A tutorial that is left goes on from the same step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PyQt6.QtCore import QTimer

from fsops.core.checks.validation import validate
from fsops.data import PerformanceVector
from fsops.errors import FsopsError
from fsops.storage import write_process
from fsops_gui.base.settings import pictures_folder
from fsops_gui.base.texts import tr
from fsops_gui.commands.context import CommandContext
from fsops_gui.commands.file import FileCommands
from fsops_gui.commands.study import StudyCommands
from fsops_gui.dialogs.examples import examples
from fsops_gui.dialogs.tour_bar import TourBar
from fsops_gui.document.document import Document

if TYPE_CHECKING:
    from fsops_gui.shell.docks import Docks
    from fsops_gui.shell.pages import Pages
    from fsops_gui.shell.session import Session

LEAK, OWN = "leak", "own"
WRONG = "wrapper_validation_wrong"
"""The example that scores over 90 % on noise."""
EVERY = 150
"""Milliseconds between two looks at whether a step is done."""
TABLE, QUESTION, METHODS, ANSWER = 1, 2, 3, 4
"""Screens of the study."""


@dataclass(frozen=True)
class TutorialStep:
    """A step of a tutorial."""

    title: str
    words: Callable[[], str]
    done: Callable[[], bool] | None = None
    """Whether the user has done it; None: the user presses a button."""
    begin: Callable[[], None] = lambda: None
    button: str = ""


class TutorialCommands:
    """Leads through a tutorial, one step after the other."""

    def __init__(
        self,
        context: CommandContext,
        *,
        bar: TourBar,
        pages: Pages,
        docks: Docks,
        files: FileCommands,
        studies: StudyCommands,
    ) -> None:
        self._context = context
        self._bar = bar
        self._pages = pages
        self._docks = docks
        self._files = files
        self._studies = studies
        self._session: Session | None = None
        self.kind = ""
        self.number = 0
        self._runs: list[object] = []
        self._checked: tuple[object, bool] = (None, True)
        self._timer = QTimer(bar)
        self._timer.setInterval(EVERY)
        self._timer.timeout.connect(self.look)
        bar.next_wanted.connect(self._go_on)
        bar.left.connect(self.leave)

    # --- beginning and leaving ------------------------------------------------------------------

    def begin_leak(self) -> None:
        """Show why 100 % can mean nothing; go on where it was left."""
        number = self._context.settings.tutorial_step(LEAK)
        kept = pictures_folder().parent / "tutorial.xml"
        try:
            if number and kept.is_file():
                document = Document.open(kept)
            else:
                number = 0
                file = next(e.file for e in examples() if e.file.stem == WRONG)
                document = Document.open(file)
        except (FsopsError, StopIteration):
            self._context.say(tr("The example of the tutorial is not installed."))
            return
        document.path = None
        self._files.attach(document)
        self._pages.show_process()
        self._begin(LEAK, number)

    def begin_own(self) -> None:
        """Lead through the study of the user's own table; go on where it was left."""
        self._studies.show_study()
        self._begin(OWN, self._context.settings.tutorial_step(OWN))

    def _begin(self, kind: str, number: int) -> None:
        self.kind = kind
        self._session = self._context.session
        self._runs = [self._context.session.run]
        self._show(min(number, len(self.steps()) - 1))
        self._timer.start()

    def leave(self) -> None:
        """End the tutorial; it goes on from here when it is started again."""
        if not self.kind:
            return
        over = self.number >= len(self.steps()) - 1
        self._context.settings.remember_tutorial(self.kind, 0 if over else self.number)
        if self.kind == LEAK and not over:
            folder = pictures_folder().parent
            folder.mkdir(parents=True, exist_ok=True)
            session = self._session or self._context.session
            write_process(session.document.process, folder / "tutorial.xml")
        self.kind = ""
        self._timer.stop()
        self._bar.hide()

    def _go_on(self) -> None:
        if self.number >= len(self.steps()) - 1:
            self.leave()
        else:
            self._show(self.number + 1)

    def look(self) -> None:
        """Go on if the step is done."""
        step = self.steps()[self.number]
        if step.done is not None and step.done():
            self._show(self.number + 1)

    def _show(self, number: int) -> None:
        self.number = number
        steps = self.steps()
        step = steps[number]
        step.begin()
        self._bar.show_step(number + 1, len(steps), step.title, step.words(), button=step.button)

    # --- the steps ----------------------------------------------------------------------------

    def steps(self) -> list[TutorialStep]:
        """Return the steps of the tutorial of now."""
        return self._own_steps() if self.kind == OWN else self._leak_steps()

    def _leak_steps(self) -> list[TutorialStep]:
        return [
            TutorialStep(
                tr("run a process on noise"),
                lambda: tr("The table has random numbers and a random label: nothing can be "
                           "predicted. Press Run, or F5."),
                self._has_run,
            ),
            TutorialStep(
                tr("read the result"),
                lambda: tr("{score} on noise. Every guess should be right half the time.",
                           score=self._score()),
                button=tr("Why?"),
            ),
            TutorialStep(
                tr("find the reason"),
                lambda: tr("Go back to the process (Alt+1). The list of problems says that the "
                           "selection saw the test rows."),
                lambda: self._pages.currentWidget() is self._context.session.editor,
                self._show_problems,
            ),
            TutorialStep(
                tr("press the fix"),
                lambda: tr("Double-click the line with the arrow, which moves the selection into "
                           "the folds. Undo would bring it back."),
                lambda: not self._leaks(),
                self._show_problems,
            ),
            TutorialStep(
                tr("run again"),
                lambda: tr("Now each fold selects from its training rows only. Press F5."),
                self._has_run,
                self._note_run,
            ),
            TutorialStep(
                tr("watch it fall"),
                lambda: tr("{score}: the honest result on noise. Selection always belongs inside "
                           "the folds.", score=self._score()),
                button=tr("Done"),
            ),
        ]  # fmt: skip

    def _own_steps(self) -> list[TutorialStep]:
        page = self._studies.page

        def at(number: int) -> Callable[[], bool]:
            return lambda: page.screen_number >= number

        return [
            TutorialStep(tr("choose a table"),
                 lambda: tr("A row per sample, a column per attribute. Your file is not changed."),
                 at(TABLE)),
            TutorialStep(tr("look at the lights"),
                 lambda: tr("Red columns would spoil the answer: click a light to leave one out. "
                            "Then go on to the question."),
                 at(QUESTION)),
            TutorialStep(tr("ask the question"),
                 lambda: tr("Choose the column to predict, and the column of the patient "
                            "if several rows belong together."),
                 at(METHODS)),
            TutorialStep(tr("choose methods"),
                 lambda: tr("The usual ones are chosen. Press Run the study."),
                 at(ANSWER)),
            TutorialStep(tr("wait for the answer"),
                 lambda: tr("Curves come first; then labels are permuted to measure chance."),
                 lambda: page.answer_screen.answer is not None),
            TutorialStep(tr("read the answer"),
                 lambda: tr("The traffic light says whether anything was found. The button below "
                            "shows the process that did this."),
                 button=tr("Done")),
        ]  # fmt: skip

    # --- looking at the window ------------------------------------------------------------------

    def _note_run(self) -> None:
        self._runs.append(self._context.session.run)

    def _has_run(self) -> bool:
        run = self._context.session.run
        if run is None or any(run is known for known in self._runs) or run.running:
            return False
        return run.report.status == "finished"

    def _leaks(self) -> bool:
        """Return whether the process of now has a problem; each state is checked once."""
        process = self._context.document.process
        if self._checked[0] is not process:
            self._checked = process, bool(list(validate(process)))
        return self._checked[1]

    def _show_problems(self) -> None:
        if not self._docks.is_folded:
            self._docks.bring("problems")

    def _score(self) -> str:
        """Return the main score of the last run in words."""
        run = self._context.session.run
        for index in range(len(run.report.results)) if run is not None else ():
            value = run.result_value(index) if run is not None else None
            if isinstance(value, PerformanceVector):
                return str(value.main)
        return tr("The result")
