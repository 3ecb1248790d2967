"""Follows docs/first-use.md step by step: each step can be done, and its words are on the screen."""

import csv
import random
import re
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QObject, QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDockWidget,
    QFileDialog,
    QLabel,
    QMainWindow,
    QMenu,
    QTabBar,
    QTreeWidget,
    QTreeWidgetItemIterator,
)

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "first-use.md").read_text(encoding="utf-8")
Key, Held = Qt.Key, Qt.KeyboardModifier


def sections():
    """Return the number, title and text of each step of the page."""
    parts = re.split(r"^## (\d+)\. (.+?) \((\d+) minutes?\)$", PAGE, flags=re.M)[1:]
    return [
        (int(n), title, int(m), text) for n, title, m, text in zip(*[iter(parts)] * 4, strict=True)
    ]


def words_of(text):
    """Return the words in italics, which are those of the window."""
    plain = re.sub(r"\*\*.+?\*\*|`.+?`|!\[.*?\]\(.*?\)", "", text)
    return [" ".join(words.split()) for words in re.findall(r"\*(.+?)\*", plain, flags=re.S)]


class Flashes(QObject):
    """Notes widgets that are shown before they have a parent: each is a window for a moment."""

    def __init__(self):
        super().__init__()
        self.seen = []
        QApplication.instance().installEventFilter(self)

    def eventFilter(self, a0, a1):
        if a1.type() == QEvent.Type.Show and a0.isWidgetType():
            plain = a0.windowType() in (Qt.WindowType.Widget, Qt.WindowType.Window)
            if a0.isWindow() and plain and not isinstance(a0, QMainWindow):
                self.seen.append(type(a0).__name__)
        return False


class Newcomer:
    """Does what the page says, and remembers all words that were on the screen."""

    def __init__(self, window, qtbot, hand):
        self.window, self.qtbot, self.hand = window, qtbot, hand
        self.seen = set()

    # --- looking ----------------------------------------------------------------------------

    def look(self):
        """Remember the words on the screen."""
        window = self.window
        shown = [w for kind in (QLabel, QAbstractButton) for w in window.findChildren(kind)]
        texts = [w.text() for w in shown if w.isVisible()]
        texts += [d.windowTitle() for d in window.findChildren(QDockWidget)]
        for bar in window.findChildren(QTabBar):
            texts += [bar.tabText(index) for index in range(bar.count())]
        for tree in window.findChildren(QTreeWidget):
            items = QTreeWidgetItemIterator(tree)
            while (item := items.value()) is not None:
                texts.append(item.text(0))
                items += 1
        menu = QApplication.activePopupWidget()
        texts += [a.text() for a in menu.actions()] if isinstance(menu, QMenu) else []
        texts += [name for f in window.session.editor.scene.frames for name in f.operators]
        self.seen |= {" ".join(text.replace("&", "").split()) for text in texts}

    def has_seen(self, words):
        return any(words in text for text in self.seen)

    def wait(self, condition):
        self.qtbot.waitUntil(condition)
        self.look()

    # --- doing ------------------------------------------------------------------------------

    def push(self, words, within=None):
        """Click the visible button with these words."""
        self.look()
        buttons = (within or self.window).findChildren(QAbstractButton)
        (button,) = [b for b in buttons if b.isVisible() and b.text().strip() == words]
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        self.look()

    def press(self, key, held=Held.NoModifier):
        QTest.keyClick(self.window, key, held)
        self.look()

    def run(self):
        """Press F5 and wait for the end of the run."""
        with self.qtbot.waitSignal(self.window.session.run_ended):
            self.press(Key.Key_F5)
        assert self.window.session.run.report.status == "finished"

    def add(self, words):
        """Type the name of an operator on the canvas."""
        view = self.window.session.editor.view
        view.setFocus()
        self.qtbot.keyClicks(view, words[0])
        self.qtbot.keyClicks(QApplication.focusWidget(), words[1:])
        self.qtbot.keyClick(QApplication.focusWidget(), Key.Key_Return)
        self.look()

    # --- the steps --------------------------------------------------------------------------

    def step_1(self):
        self.window.views.show_start()
        self.look()

    def step_2(self):
        self.push("Start the tutorial")
        self.press(Key.Key_F5)
        self.wait(lambda: self.window.tutorials.number == 1)
        assert float(self.window.tour_bar.words.text().split()[0]) > 90

    def step_3(self):
        self.push("Why?", self.window.tour_bar)
        self.press(Key.Key_1, Held.AltModifier)
        self.wait(lambda: self.window.tutorials.number == 3)
        self.wait(lambda: self.has_seen("Problems (1)"))
        assert self.has_seen("information leak") or self.has_seen("test rows")

    def step_4(self):
        tree = self.window.problems_panel.tree
        flags = Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive
        line = tree.visualItemRect(tree.findItems("Move", flags, 0)[0]).center()
        QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=line)
        QTest.mouseDClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=line)
        self.wait(lambda: self.window.tutorials.number == 4)
        self.press(Key.Key_F5)
        self.wait(lambda: self.window.tutorials.number == 5)
        assert 30 < float(self.window.tour_bar.words.text().split()[0]) < 70
        self.push("Done")

    def step_5(self):
        self.press(Key.Key_N, Held.ControlModifier)
        self.add("retrieve")
        field = self.window.session.parameters.rows["repository_entry"].field
        target = field.focusProxy() or field
        QTest.mouseClick(target, Qt.MouseButton.LeftButton)
        self.qtbot.keyClicks(target, "breast cancer")
        self.add("weight by f-test")
        process = self.window.session.document.process
        assert process["Retrieve"].parameters["repository_entry"] == "breast cancer"
        assert [(c.from_node, c.to_node) for c in process.connections][:1] == [
            ("Retrieve", "Weight by F-Test")
        ]

    def step_6(self):
        self.run()
        self.press(Key.Key_1, Held.AltModifier)
        self.hand.click(self.window, self.hand.middle(self.window, "Weight by F-Test"))
        dock = self.window.result_dock
        self.wait(lambda: dock.operator == "Weight by F-Test")
        self.wait(lambda: "30 attributes" in dock.title.text())
        item = self.window.session.editor.scene.item_of("Weight by F-Test")
        assert item.preview is not None

    def step_7(self):
        self.push("Results")
        self.wait(lambda: self.window.pages.currentWidget() is self.window.results)
        self.push("Explore")
        self.wait(lambda: self.window.results.current_tab().view is not None)
        page = self.window.results.current_tab().view
        chart = page.cards[0].view.chart
        self.wait(lambda: len(chart.xs) == 30)
        x, y = chart.pixels(chart.xs[[2]], chart.ys[[2]])
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(round(x[0]), round(y[0])))
        (name,) = page.chosen_names()
        assert page.details.name.text() == name
        self.wait(lambda: bool(page.details.bars.found))

    def step_8(self):
        page = self.window.results.current_tab().view
        menu = page.use_button.menu()
        self.seen |= {action.text() for action in menu.actions()}
        menu.actions()[0].trigger()
        self.look()
        keys = [node.operator.key for node in self.window.session.document.process]
        assert "select_attributes" in keys
        self.press(Key.Key_Z, Held.ControlModifier)
        assert len(self.window.session.document.process) == len(keys) - 1

    def step_9(self):
        self.push("Start")
        self.wait(lambda: self.has_seen("No table at hand?"))
        self.push("Study")
        page = self.window.studies.page
        self.push("Choose a table…")
        for number, words in ((1, "The question"), (2, "The methods")):
            self.wait(lambda n=number: page.screen_number == n and page.next.isEnabled())
            assert page.next.text().strip() == words
            page.next.click()
        self.wait(lambda: page.screen_number == 3 and bool(page.methods_screen.cards))
        for card in page.methods_screen.cards.values():  # one method is enough for a test
            card.box.setChecked(card.method.key == next(iter(page.methods_screen.cards)))
        self.look()
        assert page.next.text().strip() == "Run the study"
        page.next.click()
        self.wait(lambda: page.answer_screen.answer is not None)

    def step_10(self):
        self.push("The process that did this")
        assert len(self.window.session.document.process) > 3
        self.press(Key.Key_S, Held.ControlModifier)
        assert self.window.session.document.path.is_file()


def test_the_page_takes_twelve_minutes_and_its_pictures_exist():
    steps = sections()
    assert [number for number, *_ in steps] == list(range(1, len(steps) + 1))
    assert sum(minutes for _, _, minutes, _ in steps) == 12
    assert all("**Do:**" in text and "**See:**" in text for *_, text in steps)
    for picture in re.findall(r"!\[.*?\]\((.+?)\)", PAGE):
        assert (DOCS / picture).is_file(), picture
    assert all(hasattr(Newcomer, f"step_{number}") for number, *_ in steps)


@pytest.mark.slow
def test_a_newcomer_can_follow_the_page(window_of, qtbot, hand, tmp_path, monkeypatch):
    from fsops_gui.commands import tutorial

    rng = random.Random(3)
    table = tmp_path / "patients.csv"
    with open(table, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["class", "marker", "one", "two", "three"])
        for number in range(40):
            values = [round(rng.gauss(0, 1), 3) for _ in range(4)]
            values[0] += 3 * (number % 2)
            rows.writerow(["ill" if number % 2 else "well", *values])
    monkeypatch.setattr(tutorial, "pictures_folder", lambda: tmp_path / "data" / "pictures")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: (str(table), ""))
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_, **__: (str(tmp_path / "mine.xml"), "")
    )
    newcomer = Newcomer(window_of(), qtbot, hand)
    newcomer.window.resize(1366, 900)
    flashes = Flashes()
    for number, title, _, text in sections():
        newcomer.seen = set()
        newcomer.look()
        getattr(newcomer, f"step_{number}")()
        missing = [words for words in words_of(text) if not newcomer.has_seen(words)]
        assert missing == [], f"step {number}, {title}"
        assert flashes.seen == [], f"step {number}, {title}"
