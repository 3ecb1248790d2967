"""The process as XML: valid edits become the process, others get a sentence."""

import pytest
from PyQt6.QtWidgets import QApplication

from fsops_gui.panels import xml_view


@pytest.fixture
def panel(window):
    window.actions_table.by_name["show_xml"].trigger()
    return window.xml_panel


def replaced(panel, old, new):
    text = panel.editor.toPlainText()
    assert old in text
    panel.editor.setPlainText(text.replace(old, new))


def test_the_text_is_that_of_the_file(window, panel):
    assert panel.editor.hasFocus()
    assert panel.editor.toPlainText() == window.session.document.as_xml().decode()


def test_a_valid_edit_is_applied_as_one_step(window, panel, qtbot):
    document = window.session.document
    before = document.as_xml()
    replaced(panel, "breast cancer", "golf")
    qtbot.waitUntil(lambda: document.undo_stack.count() == 1)  # after a pause in typing
    assert document.process.find("Retrieve").parameters["repository_entry"] == "golf"
    assert document.undo_stack.undoText() == "Edit XML"
    document.undo_stack.undo()
    assert document.as_xml() == before
    assert panel.editor.toPlainText() == before.decode()


def test_an_invalid_edit_shows_line_and_column_and_changes_nothing(window, panel):
    document = window.session.document
    before = document.as_xml()
    replaced(panel, "</process>", "</proces>")
    panel.apply()
    assert panel.fault.isVisible()
    assert panel.fault.text().startswith("Line ")
    assert "column" in panel.fault.text()
    assert panel.editor.extraSelections()
    assert document.as_xml() == before
    assert document.undo_stack.count() == 0
    panel.editor.setPlainText(before.decode())
    panel.apply()
    assert not panel.fault.isVisible()


def test_a_wrong_parameter_gets_the_sentence_of_the_reader(window, panel):
    replaced(panel, 'key="repository_entry"', 'kee="repository_entry"')
    panel.apply()
    assert "column" in panel.fault.text()
    assert 'needs the attribute "key"' in panel.fault.text()
    assert window.session.document.undo_stack.count() == 0


def test_an_edit_on_the_canvas_shows_in_the_text(window, panel):
    window.session.document.rename("Normalize", "Scaled")
    assert 'name="Scaled"' in panel.editor.toPlainText()


def test_a_hidden_panel_is_filled_when_it_is_shown(window, qtbot):
    window.docks["xml"].hide()
    window.session.document.rename("Normalize", "Scaled")
    assert "Scaled" not in window.xml_panel.editor.toPlainText()
    window.actions_table.by_name["show_xml"].trigger()
    qtbot.waitUntil(lambda: 'name="Scaled"' in window.xml_panel.editor.toPlainText())


def test_the_differences_are_those_from_the_saved_file(window, panel, tmp_path):
    document = window.session.document
    window.actions_table.by_name["show_differences"].trigger()
    assert panel.changes.toPlainText() == "The process has no file yet."
    document.save(tmp_path / "mine.xml")
    assert panel.changes.toPlainText() == "The process is as saved."
    document.rename("Normalize", "Scaled")
    lines = panel.changes.toPlainText().splitlines()
    assert any(line.startswith("-") and 'name="Normalize"' in line for line in lines)
    assert any(line.startswith("+") and 'name="Scaled"' in line for line in lines)


def test_another_tab_shows_its_process(window, panel, quickstart):
    window.attach(quickstart)
    window.actions_table.by_name["show_xml"].trigger()
    assert "cross_validation" in panel.editor.toPlainText()


def test_a_panel_behind_another_is_written_when_it_comes_to_the_front(window, panel, qtbot):
    window.docks["problems"].show()
    window.docks["problems"].raise_()
    qtbot.waitUntil(lambda: panel.visibleRegion().isEmpty())
    before = panel.editor.toPlainText()
    window.session.document.rename("Normalize", "Scaled")
    assert panel.editor.toPlainText() == before
    window.docks["xml"].raise_()
    qtbot.waitUntil(lambda: "Scaled" in panel.editor.toPlainText())
    assert panel.editor.toPlainText() == window.session.document.as_xml().decode()


def test_what_is_typed_counts_at_once_where_one_goes_elsewhere(window, panel):
    replaced(panel, "breast cancer", "golf")
    window.session.editor.view.setFocus()
    assert window.session.document.undo_stack.undoText() == "Edit XML"


def test_what_is_typed_stays_in_its_document(window, panel, quickstart):
    document = window.session.document
    replaced(panel, "breast cancer", "golf")
    window.attach(quickstart)
    assert document.process["Retrieve"].parameters["repository_entry"] == "golf"
    assert quickstart.undo_stack.count() == 0


def test_a_text_that_is_out_of_date_does_not_take_an_edit_back(window, panel, monkeypatch):
    monkeypatch.setattr(xml_view, "PAUSE", 0)
    document = window.session.document
    window.session.editor.view.setFocus()
    replaced(panel, "breast cancer", "golf")
    window.docks["xml"].hide()
    document.rename("Normalize", "Scaled")
    QApplication.processEvents()
    assert "Scaled" in document.process
