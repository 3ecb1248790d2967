"""Columns of a file in the form of the operator that reads it."""

import pytest
from PyQt6.QtCore import Qt

from fsops.core.graph.process import Process
from fsops_gui.document.document import Document
from fsops_gui.panels.attribute_choice import AttributesDialog


@pytest.fixture
def reading(window_of, registry, tmp_path, qtbot):
    """Return a window with a selected Read CSV, after its file was looked at."""
    (tmp_path / "t.csv").write_text("who,age,sex,ill\na,1,f,0\nb,2,m,1\nc,3,f,1\n")
    process = Process("Reads")
    table = process.add(registry["read_csv"], path=str(tmp_path / "t.csv"))
    process.result(table)
    window = window_of(Document(process))
    window.views.reveal("Read CSV")
    rows = window.session.parameters.rows
    qtbot.waitUntil(lambda: rows["label"].field.combo.count() == 4, timeout=10_000)
    return window


def field(window, name):
    return window.session.parameters.rows[name].field


def test_label_and_id_are_chosen_from_the_columns_of_the_file(reading, qtbot):
    combo = field(reading, "label").combo
    offered = [combo.itemText(i) for i in range(4)]
    assert sorted(offered) == ["age", "ill", "sex", "who"]
    assert "ill" in offered[:3]  # not at its place in the file: a label is mostly the last of many
    qtbot.keyClicks(combo.lineEdit(), "ill")
    assert reading.session.document.process["Read CSV"].parameters["label"] == "ill"


def test_the_columns_stay_in_the_list_while_a_name_is_typed(reading, qtbot):
    """With half a name the file cannot be described, but its columns are no others."""
    combo = field(reading, "label").combo
    qtbot.keyClicks(combo.lineEdit(), "il")
    checker = reading.session.checker
    process = reading.session.document.process
    qtbot.waitUntil(lambda: checker.findings.process is process, timeout=10_000)
    assert combo.count() == 4
    assert combo.currentText() == "il"
    assert '"il"' in reading.session.parameters.rows["label"].fault.text()


def test_columns_to_leave_out_are_chosen_in_a_dialog(reading, qtbot):
    skip = field(reading, "skip")
    skip.open_list()
    dialog = skip.findChild(AttributesDialog)
    dialog.available.item(1).setSelected(True)
    qtbot.mouseClick(dialog.take, Qt.MouseButton.LeftButton)
    dialog.accept()
    assert reading.session.document.process["Read CSV"].parameters["skip"] == ["age"]


def test_types_say_what_their_columns_are_and_offer_values(reading):
    types = field(reading, "types")
    table = types.table
    heads = [table.horizontalHeaderItem(i).text() for i in range(2)]
    assert heads == ["Column", "Type"]
    assert "binominal" in types._words(1)


def test_a_text_that_must_be_set_is_not_called_a_text(window_of, registry):
    process = Process("Rename")
    process.add(registry["rename"])
    window = window_of(Document(process))
    window.views.reveal("Rename")
    assert window.session.parameters.rows["new_name"].fault.text() == "✖ Must be set."
