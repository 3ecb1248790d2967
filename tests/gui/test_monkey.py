"""A monkey at the window: whatever it does, the file stays valid and nothing is raised.

It draws from the table of actions, so that a new action is tried without a new line here, and
uses mouse and keys on whatever it sees. A failure prints the seed and what was done last. More
actions or another seed: ``MONKEY_ACTIONS=20000 MONKEY_SEED=7 pytest tests/gui/test_monkey.py``;
with ``MONKEY_LOG=file`` all is written down at once, also where the program crashes.
"""

import os
import random
import shutil
import traceback
from collections import deque

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, Qt, QTimer
from PyQt6.QtGui import QDesktopServices, QGuiApplication, QKeyEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QTextEdit,
)

from fsops.storage.process_reader import parse_process
from fsops_gui.base.actions import SPECS
from fsops_gui.base.exception_hook import ExceptionHook
from fsops_gui.document.document import Document
from fsops_gui.panels.explore.explorer import Explorer
from fsops_gui.panels.study.page import METHODS

ACTIONS = int(os.environ.get("MONKEY_ACTIONS", "2000"))
SEEDS = [int(os.environ["MONKEY_SEED"])] if "MONKEY_SEED" in os.environ else [1, 2, 3, 4]
FEW_ACTIONS = 300
LOG = open(os.environ["MONKEY_LOG"], "w") if "MONKEY_LOG" in os.environ else None  # noqa: SIM115
MOST_OPERATORS = 14
MOST_RUNS = 2
MOST_TABS = 4
PAINT_EVERY = 3
RUNNING = "runs."
"""Actions of this theme start child processes, so they have a turn of their own."""
QUIET = {"close", "quit"} | {s.name for s in SPECS if s.method.startswith(RUNNING)}
OPERATORS = (
    "retrieve", "normalize", "weight by sam", "select top k", "select by weights", "naive bayes",
    "cross validation", "loop", "subprocess", "apply model", "performance", "select by mrmr",
)  # fmt: skip
TEXTS = ("", "5", "-3", "1e400", "0.5", "class", "ä <&> ]]> \"'", "two words", "%{a}", "[a-", "{")
CLIPBOARD = ("", "no process", "<process version='fsops-1'>", "<a/>", "\x00")
Key, Held = Qt.Key, Qt.KeyboardModifier
KEYS = (
    Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down, Key.Key_Tab, Key.Key_Return,
    Key.Key_Escape, Key.Key_Space, Key.Key_Delete, Key.Key_Home, Key.Key_Menu,
)  # fmt: skip


def type_text(widget, text):
    """Type any letters; QTest knows those of English only."""
    for letter in text:
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QApplication.sendEvent(widget, QKeyEvent(kind, 0, Held.NoModifier, letter))


class Faults(ExceptionHook):
    """Collects all exceptions with their tracebacks, also those that users would read as text."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def handle(self, kind, error, trace):
        self.seen.append("".join(traceback.format_exception(kind, error, trace)))


class Monkey:
    """One seed's way through the program."""

    def __init__(self, window, hand, seed, folder):
        self.window, self.hand, self.folder = window, hand, folder
        self.rng = random.Random(seed)
        self.done = deque(maxlen=12)
        self.runs = 0
        self.checked = None
        self.methods = [s.name for s in SPECS if not {s.name, s.text.lower()} & QUIET]
        self.ways = {
            self.choose_action: 30, self.add: 10, self.drop: 4, self.wire: 14, self.drag: 8,
            self.click: 8, self.double_click: 4, self.key: 8, self.fill_in: 12, self.push: 4,
            self.menu: 5, self.mend: 3, self.fill_clipboard: 1, self.select_some: 8, self.run: 1,
            self.tab: 4, self.block: 3, self.bend: 4, self.write_xml: 3, self.compare: 1,
            self.study: 2, self.explore: 3,
        }  # fmt: skip

    # --- what it sees -----------------------------------------------------------------------

    @property
    def document(self):
        return self.window.session.document

    @property
    def scene(self):
        return self.window.session.editor.scene

    @property
    def view(self):
        return self.window.session.editor.view

    def names(self):
        return [name for frame in self.scene.frames for name in frame.operators]

    def point(self):
        size = self.view.viewport().size()
        names = self.names()
        if names and self.rng.random() < 0.7:
            box = self.scene.item_of(self.rng.choice(names)).sceneBoundingRect()
            x = box.left() + box.width() * self.rng.random()
            return self.view.mapFromScene(x, box.top() + box.height() * self.rng.random())
        return QPoint(self.rng.randrange(size.width()), self.rng.randrange(size.height()))

    def port(self, frame, outgoing):
        ends = [end for end in frame.ends() if end.outgoing == outgoing]
        if not ends:
            return self.point()
        return self.view.mapFromScene(frame.pos() + frame.place(self.rng.choice(ends)))

    # --- what it does; each returns words for the record ------------------------------------

    def act(self):
        way = self.rng.choices(list(self.ways), list(self.ways.values()))[0]
        if LOG:
            print(way.__name__, end=": ", file=LOG, flush=True)
        self.done.append(way.__name__)  # should it never come back
        self.done[-1] = way()
        if LOG:
            print(self.done[-1], file=LOG, flush=True)

    def choose_action(self):
        name = self.rng.choice(self.methods)
        self.window.actions_table.by_name[name].trigger()
        return f"action {name}"

    def select_some(self):
        names = self.names()
        chosen = self.rng.sample(names, min(len(names), self.rng.randint(0, 3)))
        self.scene.select(chosen)
        return f"select {chosen}"

    def add(self):
        words = self.rng.choice(OPERATORS)
        if self.rng.random() < 0.3:
            words = self.rng.choice(list(self.window.registry)).title
        self.view.begin_adding(words)
        QTest.keyClick(self.view.quick_add.field, Key.Key_Return)
        return f"add {words}"

    def drop(self):
        key = self.rng.choice(list(self.window.registry)).key
        self.hand.drop(self.window, key, self.point())
        return f"drop {key}"

    def wire(self):
        frame = self.rng.choice(self.scene.frames)
        start = self.port(frame, outgoing=True)
        end = self.port(frame, outgoing=False) if self.rng.random() < 0.8 else self.point()
        if self.rng.random() < 0.3:
            start, end = end, start
        self.hand.drag(self.window, start, end, steps=2)
        return f"wire {start} → {end}"

    def drag(self):
        start, end = self.point(), self.point()
        self.hand.drag(self.window, start, end, steps=2)
        return f"drag {start} → {end}"

    def click(self):
        point = self.point()
        held = self.rng.choice([Held.NoModifier, Held.ControlModifier, Held.AltModifier])
        self.hand.click(self.window, point, held)
        return f"click {point}"

    def double_click(self):
        point = self.point()
        self.hand.double_click(self.window, point)
        return f"double click {point}"

    def key(self):
        key = self.rng.choice(KEYS)
        held = self.rng.choice([Held.NoModifier, Held.NoModifier, Held.ShiftModifier])
        target = self.view if self.rng.random() < 0.7 else QApplication.focusWidget() or self.view
        QTest.keyClick(target, key, held)
        return f"{key} in {type(target).__name__}"

    def fill_in(self):
        """Type, choose or click in the form of parameters."""
        kinds = (QLineEdit, QAbstractSpinBox, QComboBox, QAbstractButton, QPlainTextEdit)
        form = self.window.session.parameters
        fields = [f for kind in kinds for f in form.findChildren(kind) if f.isVisible()]
        if not fields:
            return "no field"
        field = self.rng.choice(fields)
        text = self.rng.choice(TEXTS)
        if isinstance(field, QAbstractButton):
            field.click()
        elif isinstance(field, QComboBox) and field.count() and self.rng.random() < 0.7:
            field.setCurrentIndex(self.rng.randrange(field.count()))
            field.activated.emit(field.currentIndex())
        else:
            field.setFocus()
            QTest.keyClick(field, Key.Key_A, Held.ControlModifier)
            type_text(field, text)
            QTest.keyClick(field, self.rng.choice([Key.Key_Return, Key.Key_Tab]))
        return f"{text!r} in {type(field).__name__} {field.accessibleName()}"

    def push(self):
        """Push any button that can be seen."""
        buttons = [
            b for b in self.window.findChildren(QAbstractButton)
            if b.isVisible() and b.isEnabled() and not b.objectName().startswith("qt_")
            and not (b.actions() and {a.objectName() for a in b.actions()} & QUIET)
        ]  # fmt: skip
        if not buttons:
            return "no button"
        button = self.rng.choice(buttons)
        said = f"push {button.text() or button.accessibleName() or button.toolTip()}"
        button.click()
        return said

    def menu(self):
        """Open the menu of the canvas and choose from it."""
        self.view.menu_wanted.emit(self.view.mapToGlobal(self.point()))
        menu = QApplication.activePopupWidget()
        if not isinstance(menu, QMenu):
            return "no menu"
        offered = [a for a in menu.actions() if a.isEnabled() and a.objectName() not in QUIET]
        offered = [a for a in offered if not a.isSeparator() and a.menu() is None]
        chosen = self.rng.choice(offered) if offered else None
        menu.close()
        if chosen is not None:
            chosen.trigger()
        return f"menu {chosen.text() if chosen else ''}"

    def mend(self):
        problems = self.window.session.checker.findings.problems
        fixes = [fix for problem in problems for fix in problem.fixes]
        if not fixes:
            return "nothing to mend"
        fix = self.rng.choice(fixes)
        self.window.session.apply(fix)
        return f"mend: {fix.label}"

    def fill_clipboard(self):
        text = self.rng.choice(CLIPBOARD)
        QGuiApplication.clipboard().setText(text)
        return f"clipboard {text!r}"

    def run(self):
        run = self.window.session.run
        is_running = run is not None and run.running
        if not is_running and self.runs >= MOST_RUNS:
            return "no run"
        names = [spec.name for spec in SPECS if spec.method.startswith(RUNNING)]
        chosen = "stop" if is_running and self.rng.random() < 0.5 else self.rng.choice(names)
        self.window.actions_table.by_name[chosen].trigger()
        after = self.window.session.run
        self.runs += after is not None and after is not run
        return chosen

    # --- tabs, blocks, bends, text, comparison, study, linked views --------------------------

    def tab(self):
        """Open, choose, move or close a tab; few stay open."""
        files, workspace = self.window.files, self.window.workspace
        sessions = workspace.sessions()
        ways = ["next", "previous", "left", "right", "open", "close"]
        way = "close" if len(sessions) >= MOST_TABS else self.rng.choice(ways)
        if way == "open":
            files.attach(
                Document.open(self.folder / "other.xml") if self.rng.random() < 0.5 else Document()
            )
        elif way == "close":
            files.close_session(self.rng.choice(sessions))
        elif way in ("left", "right"):
            (files.move_tab_left if way == "left" else files.move_tab_right)()
        else:
            (files.next_tab if way == "next" else files.previous_tab)()
        return f"tab {way}, {len(workspace.sessions())} open"

    def block(self):
        """Save what is selected as a building block, or put one in."""
        known = self.window.blocks.blocks()
        if known and self.rng.random() < 0.6:
            chosen = self.rng.choice(known)
            self.window.blocks.insert(chosen)
            return f"insert block {chosen.name}"
        self.select_some()
        self.window.actions_table.by_name["save_block"].trigger()
        return "save block"

    def bend(self):
        """Pull at the middle of a wire."""
        wires = [(f, w) for f in self.scene.frames for w in f.wires.values()]
        if not wires:
            return "no wire"
        _, wire = self.rng.choice(wires)
        start = self.view.mapFromScene(
            wire.mapToScene(wire.path().pointAtPercent(self.rng.random()))
        )
        self.hand.drag(self.window, start, self.point(), steps=2)
        return f"bend at {start}"

    def write_xml(self):
        """Change the text of the process, mostly so that it is no longer one."""
        panel = self.window.xml_panel
        self.window.docks["xml"].show()
        text = panel.editor.toPlainText()
        place = self.rng.randrange(len(text) + 1)
        how = self.rng.choice(["break", "name", "undo"])
        if how == "break":
            panel.editor.setPlainText(text[:place] + self.rng.choice(TEXTS) + text[place + 3 :])
        elif how == "name":
            panel.editor.setPlainText(text.replace("Retrieve", "Data", 1))
        else:
            panel.editor.undo()
        return f"text {how} at {place}"

    def compare(self):
        """Compare two tabs, or a tab with its file."""
        self.window.actions_table.by_name[self.rng.choice(["compare", "compare_saved"])].trigger()
        return "compare"

    def study(self):
        """Begin a guided study, or go on in it."""
        page = self.window.studies.page
        if page.study is None or self.rng.random() < 0.1:
            self.window.studies.begin(self.folder / "table.csv")
            return "begin a study"
        self.window.actions_table.by_name["show_study"].trigger()
        buttons = [b for b in page.findChildren(QAbstractButton) if b.isVisible() and b.isEnabled()]
        buttons = [
            b for b in buttons if b is not page.next or page.screen_number < METHODS
        ]  # runs are counted
        if not buttons:
            return "study without buttons"
        button = self.rng.choice(buttons)
        said = f"study: {button.text() or button.accessibleName()}"
        button.click()
        return said

    def explore(self):
        """Choose attributes and rows in linked views, or another view."""
        results = self.window.results
        pages = results.findChildren(Explorer)
        if not pages:
            if self.window.session.last_run is None:
                return "nothing to explore"
            self.window.actions_table.by_name["show_results"].trigger()
            results.explore()
            return "explore"
        page = pages[-1]
        card = self.rng.choice(page.cards)
        way = self.rng.choice(["view", "attributes", "rows", "undo", "alone", "click", "use"])
        if way == "view":
            card.show_view(str(card.kind.itemData(self.rng.randrange(card.kind.count()))))
        elif way == "attributes":
            page.choose_names(self.rng.sample(list(page.material.names), 2))
        elif way == "rows" and page.material.n_rows:
            page.selection.choose_rows(np.arange(self.rng.randrange(page.material.n_rows)))
        elif way == "undo":
            page.selection.undo()
        elif way == "alone":
            page.enlarge(card)
        elif way == "use":
            page.use(leave_out=self.rng.random() < 0.5)
        elif card.view is not None and card.isVisible():
            size = card.view.size()
            spot = QPoint(
                self.rng.randrange(size.width() + 1), self.rng.randrange(size.height() + 1)
            )
            QTest.mouseClick(card.view, Qt.MouseButton.LeftButton, Held.NoModifier, spot)
        return f"explore: {way}"

    # --- questions --------------------------------------------------------------------------

    def answer(self):
        """Answer whatever asks, also what waits for its answer."""
        asked = QApplication.activeModalWidget() or QApplication.activePopupWidget()
        if asked is None:
            dialogs = (w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog))
            asked = next((w for w in dialogs if w.isVisible()), None)
        if isinstance(asked, QMessageBox):
            self.rng.choice(asked.buttons()).click()
        elif isinstance(asked, QFileDialog):
            asked.reject()
        elif isinstance(asked, QDialog):
            for kind in (QLineEdit, QPlainTextEdit, QTextEdit):
                for field in [f for f in asked.findChildren(kind) if f.isVisible()][:2]:
                    type_text(field, self.rng.choice(TEXTS))
            asked.accept() if self.rng.random() < 0.7 else asked.reject()
        elif asked is not None:
            asked.close()
        return asked is not None

    def tidy(self):
        for _ in range(5):
            if not self.answer():
                break
        if self.view.quick_add.isVisible() and self.rng.random() < 0.5:
            self.view.quick_add.hide()
        if self.rng.random() < 0.2:
            self.window.views.show_process()
        if len(list(self.document.process.walk())) > MOST_OPERATORS:
            self.document.undo_stack.setIndex(0)
            self.done.append("undo everything")


def check(monkey):
    """Hold the file, the canvas and the document against each other."""
    document, scene = monkey.document, monkey.scene
    if document.process is not monkey.checked:  # a process never changes, it is replaced
        assert parse_process(document.as_xml()).differences(document.process) == []
        monkey.checked = document.process
    for frame in scene.frames:
        level = document.level(frame.level)
        assert set(frame.operators) == {node.name for node in level}
        assert set(frame.wires) == set(level.connections)


def check_history(document):
    """Go back to the beginning and forth again."""
    here, text = document.undo_stack.index(), document.as_xml()
    document.undo_stack.setIndex(0)
    document.undo_stack.setIndex(here)
    assert document.as_xml() == text


@pytest.fixture
def harmless(tmp_path, monkeypatch, quickstart):
    """Return a document in a folder where the monkey may write; nothing leaves the program."""
    file = tmp_path / "monkey.xml"
    shutil.copy(quickstart.path, file)
    shutil.copy(quickstart.path, tmp_path / "other.xml")
    rows = [f"{n % 7},{n % 5},{n},{'ab'[n % 2]}" for n in range(40)]
    (tmp_path / "table.csv").write_text("\n".join(["x,y,z,class", *rows]))
    chosen = lambda *_, **__: (str(file), "")  # noqa: E731
    monkeypatch.setattr(QFileDialog, "getSaveFileName", chosen)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: (str(tmp_path / "other.xml"), ""))  # fmt: skip
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, **__: str(tmp_path))
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda *_: True)
    monkeypatch.chdir(tmp_path)
    return Document.open(file)


@pytest.mark.parametrize(
    ("seed", "actions"),
    [(5, FEW_ACTIONS), *(pytest.param(s, ACTIONS, marks=pytest.mark.slow) for s in SEEDS)],
)
def test_whatever_a_monkey_does_the_process_stays_sound(
    window_of, harmless, hand, seed, actions, tmp_path
):
    window = window_of(harmless)
    window.resize(900, 620)
    monkey = Monkey(window, hand, seed, tmp_path)
    faults = Faults()
    faults.install()
    waiting = QTimer()
    waiting.timeout.connect(lambda: QApplication.activeModalWidget() and monkey.answer())
    waiting.start(5)
    number = 0
    try:
        for number in range(1, actions + 1):
            monkey.act()
            monkey.tidy()
            if number % PAINT_EVERY == 0:
                QApplication.processEvents()
            assert faults.seen == []
            check(monkey)
            if number % 100 == 0:
                check_history(monkey.document)
    except BaseException:
        print(f"seed {seed}, action {number}; the last ones:", *monkey.done, sep="\n  ")  # noqa: T201
        raise
    finally:
        waiting.stop()
        faults.remove()
