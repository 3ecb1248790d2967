"""Two processes side by side."""

import pytest
from PyQt6.QtCore import QEvent, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QFileDialog

from fsops.editing.levels import Level
from fsops_gui.panels.compare import CompareDialog


@pytest.fixture
def saved(window_of, quickstart, tmp_path):
    quickstart.save(tmp_path / "q.xml")
    return window_of(quickstart)


def opened(window):
    dialog = window.findChild(CompareDialog)
    assert dialog is not None
    return dialog


def test_a_tab_is_compared_with_its_saved_file(saved, quickstart, registry):
    quickstart.set_parameter("Cross Validation", "number_of_folds", 5)
    quickstart.add(Level(), registry["normalize"])
    saved.actions_table.by_name["compare_saved"].trigger()
    dialog = opened(saved)
    assert [combo.currentText() for combo in dialog.choices] == ["q.xml, as saved", "q.xml"]
    assert dialog.views[1].marks() == {"Normalize": "added", "Cross Validation": "changed"}
    assert dialog.views[0].marks() == {"Cross Validation": "changed"}
    assert "1 changed" in dialog.summary.text()
    texts = [dialog.list.topLevelItem(i).text(0) for i in range(dialog.list.topLevelItemCount())]
    assert any("number_of_folds" in text for text in texts)
    dialog.close()


def test_equal_processes_say_so(saved):
    saved.versions.compare_saved()
    assert opened(saved).summary.text() == "Both processes are the same."
    opened(saved).close()


def test_a_difference_inside_marks_the_operator_around_and_the_list_leads_there(saved, quickstart):
    inner = next(n for n in quickstart.process.walk() if n.process.owner is not None)
    quickstart.set_enabled([inner.name], False)
    saved.versions.compare()
    dialog = opened(saved)
    assert dialog.views[1].marks() == {"Cross Validation": "changed"}
    dialog.list.setCurrentItem(dialog.list.topLevelItem(0))
    assert dialog.views[0].canvas.owner == dialog.views[1].canvas.owner == "Cross Validation"
    assert dialog.views[1].marks() == {inner.name: "changed"}
    up = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Backspace, Qt.KeyboardModifier.NoModifier)
    dialog.views[1].keyPressEvent(up)
    assert dialog.views[0].canvas.owner is None
    dialog.close()


def test_two_tabs_and_a_file_are_compared(saved, chain, tmp_path, monkeypatch):
    saved.attach(chain)
    saved.versions.compare()
    dialog = opened(saved)
    titles = [dialog.choices[0].itemText(i) for i in range(dialog.choices[0].count())]
    assert titles == ["q.xml", "q.xml, as saved", "Chain"]
    assert dialog.choices[1].currentText() == "Chain"
    dialog.choices[0].setCurrentIndex(2)
    assert dialog.summary.text() == "Both processes are the same."
    dialog.close()
    chosen = str(tmp_path / "q.xml")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (chosen, ""))
    saved.versions.compare_file()
    last = saved.findChildren(CompareDialog)[-1]
    assert last.choices[0].currentText() == "q.xml"
    last.close()


def test_a_broken_file_gets_a_sentence(saved, tmp_path, monkeypatch):
    (tmp_path / "bad.xml").write_text("<html/>")
    chosen = str(tmp_path / "bad.xml")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (chosen, ""))
    saved.attempt(saved.versions.compare_file)
    assert "not a process file" in saved.statusBar().currentMessage()
    (tmp_path / "q.xml").write_text("<html/>")
    saved.versions.compare_saved()
    assert "not a process file" in opened(saved).summary.text()
    opened(saved).close()


def test_comparing_changes_nothing(saved, quickstart):
    before = quickstart.as_xml()
    saved.versions.compare_saved()
    opened(saved).close()
    assert quickstart.as_xml() == before
    assert not quickstart.modified
