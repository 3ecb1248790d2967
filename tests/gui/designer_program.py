"""The designer as a program of its own, without a screen, that a script edits; tests kill it.

    python designer_program.py FOLDER SCRIPT [process.xml]

It prints a line for all that it does. The folder has its settings and what it puts aside.
"""

import os
import random
import sys
from pathlib import Path

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication

from fsops.editing.levels import ROOT
from fsops_gui.base import settings
from fsops_gui.dialogs import questions
from fsops_gui.shell import app

EVERY = 50
"""Milliseconds between two edits."""


# While operators load in the background, what is printed goes to standard error.
OUT = os.dup(1)


def say(*words):
    os.write(OUT, (" ".join(map(str, words)) + "\n").encode())


def answer(_parent, text):
    say("asked", text)
    return questions.RECOVER


def window():
    return next(w for w in QApplication.topLevelWidgets() if hasattr(w, "session"))


def last_edit(process):
    """Return the number of the last edit that is in a process; 0 if none is."""
    numbers = [int(n.name.split()[1]) for n in process.walk() if n.name.startswith("Edit ")]
    return max(numbers, default=0)


class Editing:
    """Edits the document without a pause: each edit renames an operator to its number."""

    def __init__(self):
        self.document = window().session.document
        self.number = last_edit(self.document.process)
        self.rng = random.Random(self.number)
        say("begins", self.number)
        self.timer = QTimer()
        self.timer.timeout.connect(self.edit)
        self.timer.start(EVERY)

    def edit(self):
        name = next(iter(self.document.process)).name
        if self.number % 7 == 3:
            self.document.set_enabled([name], self.rng.random() < 0.5)
        if self.number % 11 == 5:
            self.document.undo_stack.undo()
            self.document.undo_stack.redo()
        self.number += 1
        self.document.rename(name, f"Edit {self.number}")
        say("edit", self.number)


def edit_for_ever():
    QTimer.singleShot(0, lambda: setattr(QApplication.instance(), "script", Editing()))


def leave():
    """Edit, save, and close the window as a user does."""
    document = window().session.document
    name = next(iter(document.process)).name
    document.rename(name, f"Edit {last_edit(document.process) + 1}")
    window().session.autosaver.write()
    document.save()
    say("saved", last_edit(document.process))
    window().close()


def look():
    """Report what is shown, and close without a change."""
    document = window().session.document
    say("shown", last_edit(document.process))
    document.undo_stack.setClean()
    window().close()


def stay():
    """Open, change something, and wait to be killed."""
    document = window().session.document
    if not len(document.process):
        document.add(ROOT, window().registry["retrieve"])
    number = last_edit(document.process) + 1
    document.rename(next(iter(document.process)).name, f"Edit {number}")
    window().session.autosaver.write()
    say("waits")


def save_on_a_full_disk():
    """Save while no file can be written, then again when there is space."""
    import resource
    import signal

    document = window().session.document
    document.rename(next(iter(document.process)).name, "Edit 1")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    window().actions_table.by_name["save"].trigger()
    say("told", window().statusBar().currentMessage())
    say("modified", document.modified, last_edit(document.process))
    say("on disk", "Edit 1" in document.path.read_text())
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    window().actions_table.by_name["save"].trigger()
    say("later", document.modified, "Edit 1" in document.path.read_text())
    window().close()


def run_and_wait():
    """Start a run, and wait to be killed."""
    window().runs.run()
    say("run", window().session.run._child.processId())


if __name__ == "__main__":
    folder, script, *given = sys.argv[1:]
    os.environ["FSOPS_CACHE"] = str(Path(folder) / "cache")
    settings.FILE = Path(folder) / "designer.ini"
    settings.DesignerSettings().start_page = False
    questions.ask_recover = answer
    app.application()
    # After the window has asked about what was not saved.
    QTimer.singleShot(0, lambda: QTimer.singleShot(50, globals()[script]))
    sys.exit(app.main(Path(given[0]) if given else None))
