"""Conditions and expressions are put together, and they mean what the operators take."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication

from fsops import run
from fsops.core.graph.process import Process
from fsops_gui.document.checker import check
from fsops_gui.document.document import Document
from fsops_gui.panels.builders import Condition, ConditionDialog, expression_words
from fsops_gui.panels.field import FieldContext
from fsops_gui.panels.parameters import ParametersPanel

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def form(qtbot, registry):
    def make(key, **parameters):
        process = Process()
        table = process.add(registry["retrieve"], repository_entry="golf")
        node = process.add(registry[key], table, **parameters)
        process.result(node)
        panel = ParametersPanel(Document(process))
        qtbot.addWidget(panel)
        panel.resize(270, 600)
        panel.show()
        panel.set_known(check(process, registry).known)
        panel.show_operator(node.name)
        return panel

    return make


def rows_of(panel):
    return len(run(panel.document.process).results[0])


@pytest.mark.parametrize(
    ("condition", "entry", "expression"),
    [
        (Condition("Age", "gt", "60"), "Age.gt.60", "Age > 60"),
        (Condition("Sex", "equals", "f"), "Sex.equals.f", 'Sex == "f"'),
        (Condition("a b", "is_missing"), "a b.is_missing", "missing([a b])"),
        (Condition("a.b", "is_not_missing"), "a\\.b.is_not_missing", "not missing([a.b])"),
        (Condition("c", "is_in", "x;y"), "c.is_in.x;y", '(c == "x" or c == "y")'),
        (Condition("c", "does_not_contain", '"'), 'c.does_not_contain."', 'not contains(c, "\\"")'),
        (Condition("c", "starts_with", "x"), "c.starts_with.x", 'starts(c, "x")'),
        (Condition("min", "ne", "1.5"), "min.ne.1.5", "[min] != 1.5"),
    ],
)
def test_a_condition_is_written_as_the_operators_take_it(condition, entry, expression):
    assert condition.entry() == entry
    assert condition.expression() == expression
    assert Condition.of_entry(entry) == condition


def test_filters_are_built_by_mouse_and_run(form, qtbot):
    panel = form("filter_examples")
    field = panel.rows["filters_list"].field
    qtbot.mouseClick(field.conditions.add, LEFT)
    line = field.conditions.lines[0]
    line.attribute.setCurrentText("Humidity")
    assert [line.relation.itemText(i) for i in range(3)] == ["=", "≠", "<"]
    line.relation.setCurrentIndex(line.relation.findData("gt"))
    assert panel.rows["filters_list"].fault.text() == '✖ Humidity: "" is not a number.'
    qtbot.keyClicks(line.value.lineEdit(), "80")
    assert not panel.rows["filters_list"].fault.isVisible()
    qtbot.mouseClick(field.conditions.add, LEFT)
    second = field.conditions.lines[1]
    second.attribute.setCurrentText("Outlook")
    assert second.value.findText("sunny") >= 0
    second.value.setEditText("sunny")
    node = panel.document.process.find("Filter Examples")
    assert node.parameters["filters_list"] == ["Humidity.gt.80", "Outlook.equals.sunny"]
    assert rows_of(panel) == 3
    panel.document.undo_stack.undo()
    assert panel.document.process.find("Filter Examples").parameters == {}
    assert field.conditions.lines == []


def test_filters_of_a_file_are_shown_and_removed(form, qtbot):
    panel = form("filter_examples", filters_list=["Wind.equals.true", "something else"])
    field = panel.rows["filters_list"].field
    assert [c.attribute for c in field.conditions.conditions()] == ["Wind", "something else"]
    field.conditions._remove(field.conditions.lines[1])
    node = panel.document.process.find("Filter Examples")
    assert node.parameters["filters_list"] == ["Wind.equals.true"]


def test_a_condition_for_an_expression_is_put_together(form, qtbot):
    panel = form("filter_examples", condition_class="expression")
    panel.rows["parameter_expression"].field.build()
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, ConditionDialog))
    line = dialog.conditions.lines[0]
    line.attribute.setCurrentText("Temperature")
    line.relation.setCurrentIndex(line.relation.findData("ge"))
    qtbot.keyClicks(line.value.lineEdit(), "80")
    qtbot.mouseClick(dialog.conditions.add, LEFT)
    second = dialog.conditions.lines[1]
    second.attribute.setCurrentText("Wind")
    second.value.setEditText("true")
    dialog.joint.setCurrentIndex(1)
    assert dialog.shown.text() == 'Temperature >= 80 or Wind == "true"'
    dialog.accept()
    node = panel.document.process.find("Filter Examples")
    assert node.parameters["parameter_expression"] == 'Temperature >= 80 or Wind == "true"'
    assert rows_of(panel) == 9


def test_an_expression_is_checked_while_it_is_typed(form, qtbot):
    panel = form("filter_examples", condition_class="expression")
    row = panel.rows["parameter_expression"]
    qtbot.keyClicks(row.field.edit, "Humidity > ")
    assert row.fault.isVisible()
    qtbot.keyClicks(row.field.edit, "80")
    assert not row.fault.isVisible()
    row.field.edit.selectAll()
    qtbot.keyClicks(row.field.edit, "Humidity + 1")
    assert row.fault.isVisible()  # a number is no condition


def test_expressions_of_new_attributes_are_checked(form, qtbot):
    panel = form("generate_attributes")
    row = panel.rows["function_descriptions"]
    qtbot.mouseClick(row.field.lines.add, LEFT)
    row.field.table.item(0, 0).setText("double")
    row.field.table.item(0, 1).setText("Humidty * 2")
    assert 'Did you mean "Humidity"?' in row.fault.text()
    row.field.table.item(0, 1).setText("Humidity * 2")
    qtbot.mouseClick(row.field.lines.add, LEFT)
    row.field.table.item(1, 0).setText("more")
    row.field.table.item(1, 1).setText("double + 1")
    assert not row.fault.isVisible()
    assert "more" in run(panel.document.process).results[0].schema


def test_attributes_and_functions_are_offered_in_expressions(form):
    words = expression_words(FieldContext(form("generate_attributes").schema))
    assert "Humidity" in words
    assert "sqrt(" in words
