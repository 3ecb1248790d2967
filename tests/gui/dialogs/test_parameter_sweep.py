"""Vary this parameter: a part of the process goes into a loop over values, and the result runs."""

import subprocess
import sys

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QDialogButtonBox

from fsops_gui.dialogs.parameter_sweep import ParameterSweepDialog
from fsops_gui.document.checker import check
from fsops_gui.panels.parameters import ParametersPanel

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot, quickstart):
    panel = ParametersPanel(quickstart)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_operator("Select Top k")
    return panel


def opened(panel, parameter):
    row = panel.rows[parameter]
    next(a for a in row.menu.actions() if a.text() == "Vary this parameter…").trigger()
    return next(w for w in QApplication.topLevelWidgets() if isinstance(w, ParameterSweepDialog))


def ok(dialog):
    return dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)


def by_command(document, path):
    document.save(path)
    done = subprocess.run(
        [sys.executable, "-m", "fsops", "run", str(path), "--out", str(path.parent / "out")],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return path.parent / "out"


def test_a_list_of_values_becomes_a_loop_that_runs(panel, quickstart, qtbot, registry, tmp_path):
    dialog = opened(panel, "k")
    assert dialog.part.currentText() == "Cross Validation"
    dialog.list.selectAll()
    qtbot.keyClicks(dialog.list, "2, 5, 10")
    assert dialog.told.text() == "3 values: 2, 5, 10"
    before = quickstart.as_xml()
    qtbot.mouseClick(ok(dialog), LEFT)
    loop = quickstart.process.find("Loop Parameters")
    assert loop.parameters == {"parameters": {"Select Top k.k": "2, 5, 10"}}
    assert "Cross Validation" in loop.subprocesses[0]
    assert [p for p in check(quickstart.process, registry).problems if p.severity == "error"] == []
    out = by_command(quickstart, tmp_path / "vary.xml")
    tables = [f for f in out.iterdir() if "trials" in f.name and f.suffix in (".csv", ".parquet")]
    assert tables, sorted(out.iterdir())
    quickstart.undo_stack.undo()
    assert quickstart.as_xml() == before


def test_a_range_becomes_a_search_for_the_best_value(panel, quickstart, qtbot, tmp_path):
    dialog = opened(panel, "k")
    qtbot.keyClicks(dialog.low, "1")
    qtbot.keyClicks(dialog.high, "5")
    dialog.steps.setValue(2)
    assert dialog.told.text() == "3 values: 1.0, 3.0, 5.0"
    dialog.aim.setCurrentIndex(1)
    qtbot.mouseClick(ok(dialog), LEFT)
    search = quickstart.process.find("Optimize Parameters (Grid)")
    assert search.parameters["parameters"] == {"Select Top k.k": "[1;5;2;linear]"}
    by_command(quickstart, tmp_path / "best.xml")


def test_wrong_values_are_told_and_cannot_be_taken(panel, qtbot):
    dialog = opened(panel, "k")
    dialog.list.selectAll()
    qtbot.keyClicks(dialog.list, "0, 5")
    assert dialog.told.text() == '✖ k is "0", but must be a whole number of at least 1.'
    assert not ok(dialog).isEnabled()
    dialog.list.clear()
    assert not ok(dialog).isEnabled()
    dialog.reject()


def test_the_best_needs_a_performance(panel, qtbot):
    dialog = opened(panel, "k")
    dialog.part.setCurrentIndex(dialog.part.count() - 1)
    dialog.aim.setCurrentIndex(1)
    assert "must return a performance" in dialog.told.text()
    assert not ok(dialog).isEnabled()
    dialog.reject()


def test_choices_are_suggested(panel):
    dialog = opened(panel, "method")
    assert "top p%" in dialog.list.text()
    assert not dialog.by_range.isVisible()
    dialog.reject()


def test_the_operator_and_what_follows_go_together(qtbot, chain, tmp_path):
    panel = ParametersPanel(chain)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_operator("Normalize")
    dialog = opened(panel, "method")
    dialog.list.selectAll()
    qtbot.keyClicks(dialog.list, "Z-transformation, range transformation")
    whole = next(i for i in range(dialog.part.count()) if "what follows" in dialog.part.itemText(i))
    dialog.part.setCurrentIndex(whole)
    qtbot.mouseClick(ok(dialog), LEFT)
    inner = chain.process.find("Loop Parameters").subprocesses[0]
    assert [node.name for node in inner] == ["Normalize", "Weight by SAM"]
    by_command(chain, tmp_path / "chain.xml")
