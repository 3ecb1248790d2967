"""The macros of the process: edited in a table, with where they are used."""

import pytest
from PyQt6.QtCore import Qt

from fsops import run
from fsops.core.graph.process import Process
from fsops_gui.document.document import Document
from fsops_gui.panels.macros import setters_of, uses_of
from fsops_gui.panels.parameters import ParametersPanel

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot, registry):
    process = Process(macros={"data": "golf"})
    table = process.add(registry["retrieve"], repository_entry="%{data}")
    setter = process.add(registry["set_macro"], table, macro="k", value="3")
    process.result(
        process.add(
            registry["filter_example_range"], setter, first_example=1, last_example="%{most}"
        )
    )
    panel = ParametersPanel(Document(process))
    qtbot.addWidget(panel)
    panel.show()
    return panel


def test_the_editor_says_where_macros_are_used_and_set(panel):
    process = panel.document.process
    assert uses_of(process)["data"] == ["Retrieve.repository_entry"]
    assert setters_of(process) == {"Set Macro": ["k"]}
    text = panel.macros.notes.text()
    assert '%{data} is used by "Retrieve.repository_entry".' in text
    assert 'Set Macro sets "k".' in text
    assert 'Without a value: "most".' in text


def test_a_macro_is_added_changed_and_undone(panel, qtbot):
    lines = panel.macros.lines
    qtbot.mouseClick(lines.add, LEFT)
    lines.table.item(1, 0).setText("most")
    lines.table.item(1, 1).setText("4")
    assert panel.document.process.macros == {"data": "golf", "most": "4"}
    assert "Without a value" not in panel.macros.notes.text()
    assert len(run(panel.document.process).results[0]) == 4
    lines.table.setCurrentCell(0, 0)
    qtbot.mouseClick(lines.remove, LEFT)
    assert panel.document.process.macros == {"most": "4"}
    while panel.document.undo_stack.canUndo():
        panel.document.undo_stack.undo()
    assert panel.document.process.macros == {"data": "golf"}
    assert lines.rows() == [("data", "golf")]


def test_a_name_may_be_written_as_it_is_used(panel, qtbot):
    lines = panel.macros.lines
    qtbot.mouseClick(lines.add, LEFT)
    lines.table.item(1, 0).setText("%{most}")
    assert "most" in panel.document.process.macros
    qtbot.waitUntil(lambda: lines.rows() == [("data", "golf"), ("most", "")])
    lines.table.item(1, 0).setText("data")  # twice the same: the last one counts
    assert panel.document.process.macros == {"data": ""}
    qtbot.waitUntil(lambda: lines.rows() == [("data", "")])


def test_a_large_process_is_looked_through_once_for_each_edit(panel, registry, monkeypatch):
    """However many macros there are: the form is shown again after every edit."""
    walked = []
    real = Process.walk
    monkeypatch.setattr(Process, "walk", lambda self: walked.append(1) or real(self))
    counts = []
    for number in (1, 40):
        macros = {f"m{i}": "1" for i in range(number)}
        panel.document.edit("Set macros", lambda p, m=macros: p.macros.update(m))
        walked.clear()
        panel.macros.show_macros()
        counts.append(len(walked))
    assert counts[0] == counts[1]
