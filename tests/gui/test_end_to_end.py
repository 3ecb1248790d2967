"""From an empty window to results, by mouse and by keyboard; the command line says the same."""

import subprocess
import sys
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QFileDialog

from fsops.core.wiring import SINK
from fsops_gui.checking import check
from fsops_gui.document import Document
from fsops_gui.theme import DARK, LIGHT, apply_theme

Key, Held = Qt.Key, Qt.KeyboardModifier


def run_by_command(file, out):
    command = [sys.executable, "-m", "fsops", "run", str(file), "--out", str(out), "--quiet"]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    return {p.name: p.read_bytes() for p in out.iterdir() if p.suffix in (".csv", ".json")}


def run_in_window(window, qtbot):
    with qtbot.waitSignal(window.session.run_ended, timeout=100_000):
        QTest.keyClick(window, Key.Key_F5)
    report = window.session.run.report
    assert report.status == "finished", report.message
    files = [f for result in report.results for f in result.files if f.suffix in (".csv", ".json")]
    return {f.name: f.read_bytes() for f in files}


def same_results(window, qtbot, file, out):
    shown = run_in_window(window, qtbot)
    written = run_by_command(file, out)
    written.pop("run.json")
    assert shown == written
    return shown


@pytest.fixture
def saved_as(tmp_path, monkeypatch):
    file = tmp_path / "built.xml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(file), ""))
    return file


def errors(window, registry):
    return [str(problem) for problem in check(window.session.document.process, registry).problems]


def test_the_quickstart_is_built_by_mouse(window_of, hand, qtbot, saved_as, tmp_path, registry):
    window = window_of(Document())
    view, scene = window.session.editor.view, window.session.editor.scene
    view.fit()
    hand.drop(window, "retrieve", QPoint(150, 200))
    field = window.session.parameters.rows["repository_entry"].field
    qtbot.keyClicks(field.focusProxy(), "breast cancer")
    hand.drop(window, "cross_validation", QPoint(380, 200))
    hand.drag(
        window,
        hand.port(window, "Cross Validation", "performance", True),
        hand.port(window, SINK, "result 1", False),
    )
    hand.drag(
        window,
        hand.port(window, "Cross Validation", "weights", True),
        hand.port(window, SINK, "result 2", False),
    )
    hand.double_click(window, hand.middle(window, "Cross Validation"))
    view.fit()
    training, testing = scene.frames

    def into(frame, key, part):
        box = frame.rect().translated(frame.pos())
        x = box.left() + box.width() * part
        hand.drop(window, key, view.mapFromScene(x, box.top() + box.height() * 0.75))
        view.fit()

    into(training, "weight_by_sam", 0.25)
    into(training, "select_top_k", 0.5)
    into(training, "select_by_weights", 0.7)
    into(training, "naive_bayes", 0.9)
    window.session.document.arrange(training.level)
    view.fit()
    hand.drag(
        window,
        hand.port(window, "Weight by SAM", "weights", True),
        view.mapFromScene(training.pos() + training.place(next(e for e in training.ends() if e.node == SINK and e.port == "weights"))),
    )  # fmt: skip
    into(testing, "apply_model", 0.3)
    into(testing, "performance", 0.7)
    assert errors(window, registry) == []
    QTest.keyClick(window, Key.Key_S, Held.ControlModifier)
    assert saved_as.is_file()
    results = same_results(window, qtbot, saved_as, tmp_path / "out")
    assert sorted(results) == ["cross_validation.performance.json", "cross_validation.weights.csv"]
    wires = {str(w) for w in window.session.document.level(training.level).connections}
    assert "training_set → Select by Weights.examples" in wires
    assert "Select by Weights.examples → Naive Bayes.examples" in wires
    assert "Weight by SAM.weights → weights" in wires


def test_a_nested_mrmr_selection_is_built_by_keyboard(window_of, qtbot, saved_as, tmp_path, registry):  # fmt: skip
    window = window_of(Document())
    view, scene = window.session.editor.view, window.session.editor.scene

    def add(words):
        view.setFocus()
        qtbot.keyClicks(view, words[0])
        qtbot.keyClicks(view.quick_add.field, words[1:])
        qtbot.keyClick(view.quick_add.field, Key.Key_Return)
        return scene.selected_names()[0]

    def keys(key, held=Held.NoModifier):
        QTest.keyClick(window, key, held)

    add("retrieve")
    keys(Key.Key_3, Held.AltModifier)
    assert isinstance(QApplication.focusWidget(), type(window.session.parameters.rows["repository_entry"].field.focusProxy()))  # fmt: skip
    qtbot.keyClicks(QApplication.focusWidget(), "breast cancer")
    keys(Key.Key_1, Held.AltModifier)
    add("cross validation")
    keys(Key.Key_L, Held.ControlModifier)
    qtbot.keyClick(view, Key.Key_Return)
    assert scene.owner == "Cross Validation"
    mrmr = add("select by mrmr")
    assert mrmr == "Select by MRMR / CFS"
    add("select by weights")
    add("naive bayes")
    qtbot.keyClick(view, Key.Key_Tab)
    assert scene.active.index == 1
    add("apply model")
    add("performance")
    keys(Key.Key_Up, Held.AltModifier)
    assert scene.owner is None
    assert errors(window, registry) == []
    keys(Key.Key_S, Held.ControlModifier)
    results = same_results(window, qtbot, saved_as, tmp_path / "out")
    assert "cross_validation.performance.json" in results


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


def test_without_pyqt6_the_command_says_what_to_install():
    code = "import sys; sys.modules['PyQt6'] = None; from fsops.cli import main; sys.argv = ['fsops', 'gui']; main()"
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "The designer needs PyQt6, which is not installed." in ended.stderr
    assert 'pip install "fsops[gui]"' in ended.stderr


def test_the_command_names_a_missing_file(tmp_path):
    command = [sys.executable, "-m", "fsops", "gui", str(tmp_path / "none.xml")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "there is no such file" in ended.stderr


def test_fsops_does_not_import_the_designer():
    code = "import sys, fsops, fsops.cli.app; assert not {'PyQt6', 'fsops_gui'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd=Path(__file__).parents[2])  # fmt: skip
