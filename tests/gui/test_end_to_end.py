"""From an empty window to results, by mouse and by keyboard; the command line says the same."""

import json
import subprocess
import sys

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QAbstractItemView, QApplication, QFileDialog, QLabel, QTextEdit

from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.editing.connections import End
from fsops.storage import read_process
from fsops_gui.base.theme import DARK, LIGHT, apply_theme
from fsops_gui.document.checker import check
from fsops_gui.document.document import Document

Key, Held = Qt.Key, Qt.KeyboardModifier


def run_by_command(file, out):
    """Return what the command line writes of the saved file, by name."""
    command = [sys.executable, "-m", "fsops", "run", str(file), "--out", str(out), "--quiet"]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    written = {p.name: p.read_bytes() for p in out.iterdir() if p.suffix in (".csv", ".json")}
    del written["run.json"]
    return written


def run_in_window(window, qtbot, start):
    """Return what the run of the window has written, by name."""
    with qtbot.waitSignal(window.session.run_ended, timeout=100_000):
        start()
    report = window.session.run.report
    assert report.status == "finished", report.message
    files = [f for result in report.results for f in result.files if f.suffix in (".csv", ".json")]
    return {f.name: f.read_bytes() for f in files}


def words_in(widget):
    """Return all that can be read in a widget and the tabs in it."""
    texts = [label.text() for label in widget.findChildren(QLabel)]
    texts += [edit.toPlainText() for edit in widget.findChildren(QTextEdit)]
    for view in widget.findChildren(QAbstractItemView):
        model = view.model()
        for row in range(min(model.rowCount(), 100) if model else 0):
            cells = [model.index(row, column).data() for column in range(model.columnCount())]
            texts.append(" ".join(str(cell) for cell in cells if cell is not None))
    return "\n".join(texts)


def shows_accuracy(window, qtbot, results):
    """Check that the results tab shows the accuracy which the command line has written."""
    written = json.loads(results["cross_validation.performance.json"])
    accuracy = next(c for c in written["criteria"] if c["name"] == "accuracy")["mean"]
    shown = {f"{accuracy:.3f}", f"{accuracy:.4f}", f"{100 * accuracy:.1f}", f"{100 * accuracy:.2f}"}
    assert window.pages.currentWidget() is window.results
    qtbot.waitUntil(lambda: any(number in words_in(window.results) for number in shown))


@pytest.fixture
def saved_as(tmp_path, monkeypatch):
    """Answer the question for a file name; all else is done by hand."""
    file = tmp_path / "built.xml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(file), ""))
    return file


def errors(window, registry):
    return [str(problem) for problem in check(window.session.document.process, registry).problems]


class Mouse:
    """What somebody does who never touches a shortcut."""

    def __init__(self, window, hand, qtbot):
        self.window, self.hand, self.qtbot = window, hand, qtbot
        self.view, self.scene = window.session.editor.view, window.session.editor.scene

    def push(self, name):
        """Push a button of the toolbar."""
        table = self.window.actions_table
        button = table.toolbar.widgetForAction(table.by_name[name])
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def drop(self, key, x, y, frame=0):
        """Drag an operator from the palette to a place of a level, given as parts of its size."""
        box = self.scene.frames[frame].rect().translated(self.scene.frames[frame].pos())
        point = self.view.mapFromScene(box.left() + box.width() * x, box.top() + box.height() * y)
        self.hand.drop(self.window, key, point)
        self.push("zoom_fit")

    def wire(self, start, end, frame=0):
        """Draw a wire from an output to an input; that of the edge has the node SOURCE or SINK."""
        shown = self.scene.frames[frame]
        places = [shown.place(End(*start, True)), shown.place(End(*end, False))]
        self.hand.drag(self.window, *(self.view.mapFromScene(shown.pos() + p) for p in places))
        wires = self.window.session.document.level(self.scene.frames[frame].level).connections
        assert Connection(*start, *end) in wires, f"{start} → {end} is not among {wires}"

    def cut(self, node, port, frame=0):
        """Click on an input with Alt, which removes its wire."""
        shown = self.scene.frames[frame]
        place = self.view.mapFromScene(shown.pos() + shown.place(End(node, port, False)))
        self.hand.click(self.window, place, Held.AltModifier)
        wires = self.window.session.document.level(self.scene.frames[frame].level).connections
        assert not any((w.to_node, w.to_port) == (node, port) for w in wires)

    def choose(self, node):
        """Click on an operator."""
        self.hand.click(self.window, self.hand.middle(self.window, node))
        assert self.scene.selected_names() == [node]

    def fill_in(self, parameter, text):
        """Click into a field of the form and type."""
        field = self.window.session.parameters.rows[parameter].field
        target = field.focusProxy() or field
        QTest.mouseClick(target, Qt.MouseButton.LeftButton)
        QTest.keyClick(target, Key.Key_A, Held.ControlModifier)
        QTest.keyClicks(target, text)


def test_a_nested_mrmr_selection_is_built_by_mouse(window_of, hand, qtbot, saved_as, tmp_path, registry):  # fmt: skip
    window = window_of(Document())
    mouse = Mouse(window, hand, qtbot)
    mouse.push("zoom_fit")
    mouse.drop("retrieve", 0.2, 0.4)
    mouse.choose("Retrieve")
    mouse.fill_in("repository_entry", "breast cancer")
    mouse.drop("cross_validation", 0.6, 0.4)
    mouse.wire(("Retrieve", "examples"), ("Cross Validation", "examples"))
    mouse.wire(("Cross Validation", "performance"), (SINK, "result 1"))
    mouse.wire(("Cross Validation", "weights"), (SINK, "result 2"))
    mouse.choose("Cross Validation")
    mouse.fill_in("number_of_folds", "5")

    hand.double_click(window, hand.middle(window, "Cross Validation"))
    assert mouse.scene.owner == "Cross Validation"
    mouse.push("zoom_fit")
    mouse.drop("select_by_mrmr_cfs", 0.2, 0.6)
    mouse.drop("select_by_weights", 0.5, 0.6)
    mouse.drop("naive_bayes", 0.8, 0.6)
    mouse.push("arrange")
    mouse.push("zoom_fit")
    mrmr = "Select by MRMR / CFS"
    mouse.wire((SOURCE, "training_set"), (mrmr, "examples"))
    mouse.cut("Select by Weights", "examples")
    mouse.wire((SOURCE, "training_set"), ("Select by Weights", "examples"))
    mouse.wire((mrmr, "weights"), ("Select by Weights", "weights"))
    mouse.wire(("Select by Weights", "examples"), ("Naive Bayes", "examples"))
    mouse.wire(("Naive Bayes", "model"), (SINK, "model"))
    mouse.wire((mrmr, "weights"), (SINK, "weights"))
    mouse.choose(mrmr)
    mouse.fill_in("k", "4")
    mouse.drop("apply_model", 0.3, 0.5, frame=1)
    mouse.drop("performance", 0.7, 0.5, frame=1)
    mouse.wire((SOURCE, "model"), ("Apply Model", "model"), frame=1)
    mouse.wire((SOURCE, "test_set"), ("Apply Model", "examples"), frame=1)
    mouse.wire(("Apply Model", "examples"), ("Performance", "examples"), frame=1)
    mouse.wire(("Performance", "performance"), (SINK, "performance"), frame=1)
    mouse.push("go_up")
    assert errors(window, registry) == []

    mouse.push("save")
    process = read_process(saved_as)
    assert process.find(mrmr).parameters["k"] in (4, "4")
    results = run_in_window(window, qtbot, lambda: mouse.push("run"))
    assert sorted(results) == ["cross_validation.performance.json", "cross_validation.weights.csv"]
    assert results == run_by_command(saved_as, tmp_path / "out")
    shows_accuracy(window, qtbot, results)


def test_a_nested_mrmr_selection_is_built_by_keyboard(window_of, qtbot, saved_as, tmp_path, registry):  # fmt: skip
    window = window_of(Document())
    view, scene = window.session.editor.view, window.session.editor.scene

    def add(words):
        assert QApplication.focusWidget() is view
        qtbot.keyClicks(view, words[0])
        qtbot.keyClicks(QApplication.focusWidget(), words[1:])
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Return)
        return scene.selected_names()[0]

    def keys(key, held=Held.NoModifier):
        QTest.keyClick(window, key, held)

    def fill_in(parameter, text):
        keys(Key.Key_3, Held.AltModifier)
        field = window.session.parameters.rows[parameter].field
        for _ in range(40):
            here = QApplication.focusWidget()
            if here is field or field.isAncestorOf(here):
                break
            qtbot.keyClick(here, Key.Key_Tab)
        qtbot.keyClick(here, Key.Key_A, Held.ControlModifier)
        qtbot.keyClicks(here, text)
        keys(Key.Key_1, Held.AltModifier)

    keys(Key.Key_1, Held.AltModifier)
    add("retrieve")
    fill_in("repository_entry", "breast cancer")
    add("cross validation")
    keys(Key.Key_L, Held.ControlModifier)
    fill_in("number_of_folds", "5")
    qtbot.keyClick(view, Key.Key_Return)
    assert scene.owner == "Cross Validation"
    mrmr = add("select by mrmr")
    assert mrmr == "Select by MRMR / CFS"
    fill_in("k", "4")
    add("select by weights")
    add("naive bayes")
    keys(Key.Key_A, Held.ControlModifier | Held.ShiftModifier)
    keys(Key.Key_F6)
    assert scene.active.index == 1
    add("apply model")
    assert add("performance") == "Performance"
    keys(Key.Key_Up, Held.AltModifier)
    assert scene.owner is None
    assert errors(window, registry) == []
    keys(Key.Key_S, Held.ControlModifier)
    process = read_process(saved_as)
    assert process.find(mrmr).parameters["k"] in (4, "4")
    assert len(process.find("Cross Validation").subprocesses[0].connections) >= 4
    results = run_in_window(window, qtbot, lambda: keys(Key.Key_F5))
    assert results == run_by_command(saved_as, tmp_path / "out")
    shows_accuracy(window, qtbot, results)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_window_can_be_painted_in_both_themes(window_of, quickstart, theme):
    apply_theme(theme)
    try:
        window = window_of(quickstart)
        for owner in (None, "Cross Validation"):
            window.session.editor.scene.enter(owner)
            picture = window.grab().toImage()
            colours = {picture.pixelColor(x, y).name() for x in range(0, 1300, 7) for y in range(0, 800, 7)}  # fmt: skip
            assert len(colours) > 10
    finally:
        apply_theme(LIGHT)


def test_the_command_names_a_missing_file(tmp_path):
    command = [sys.executable, "-m", "fsops", "gui", str(tmp_path / "none.xml")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "there is no such file" in ended.stderr
