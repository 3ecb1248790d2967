"""The form of parameters: made from the declaration, and every change can be undone."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from fsops.core.checks.problems import Severity
from fsops.data import Attribute, Schema
from fsops.editing.levels import ROOT
from fsops_gui.document.checker import check
from fsops_gui.document.document import Document
from fsops_gui.panels.fields import (
    FIELDS,
    AttributeField,
    AttributesDialog,
    BooleanField,
    ChoiceField,
    FieldContext,
    PairsField,
    field_for,
)
from fsops_gui.panels.parameters import ParametersPanel


@pytest.fixture
def panel(qtbot, quickstart):
    panel = ParametersPanel(quickstart)
    qtbot.addWidget(panel)
    panel.show()
    return panel


def value(document, name, parameter):
    return document.process.find(name).parameters.get(parameter)


def test_every_operator_has_a_form(qtbot, registry):
    document = Document()
    panel = ParametersPanel(document)
    qtbot.addWidget(panel)
    for operator in registry:
        name = document.add(ROOT, operator)
        panel.show_operator(name)
        assert list(panel.rows) == [p.name for p in operator.parameters]
        document.undo_stack.undo()


def test_a_parameter_with_two_reasons_is_shown_for_each_of_them(qtbot, registry):
    document = Document()
    name = document.add(ROOT, registry["nominal_to_numerical"])
    panel = ParametersPanel(document)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_operator(name)
    row = panel.rows["comparison_groups"]
    assert not row.visible
    document.set_parameter(name, "use_comparison_groups", "true")
    assert row.visible
    document.set_parameter(name, "coding_type", "unique integers")
    assert not row.visible
    document.set_parameter(name, "use_comparison_groups", "false")
    document.set_parameter(name, "coding_type", "effect coding")
    assert row.visible


def test_the_fields_suit_the_kinds(registry):
    kinds = {p.kind for operator in registry for p in operator.parameters}
    assert kinds - FIELDS.keys() == {"integer", "number", "text"}  # typed


def test_typing_sets_the_parameter_and_reset_takes_it_back(panel, quickstart, qtbot):
    panel.show_operator("Select Top k")
    row = panel.rows["k"]
    assert row.field.edit.text() == "10"
    row.field.edit.selectAll()
    qtbot.keyClicks(row.field.edit, "25")
    assert value(quickstart, "Select Top k", "k") == "25"
    assert "•" in row.label.text()
    qtbot.mouseClick(row.reset, Qt.MouseButton.LeftButton)
    assert value(quickstart, "Select Top k", "k") is None
    assert row.field.edit.text() == ""
    assert row.field.edit.placeholderText() == "10  (≥ 1)"
    assert not row.reset.isVisible()
    quickstart.undo_stack.undo()
    assert row.field.edit.text() != ""


def test_what_is_wrong_stands_next_to_the_field(panel, qtbot):
    panel.show_operator("Select Top k")
    row = panel.rows["k"]
    assert not row.fault.isVisible()
    row.field.edit.selectAll()
    qtbot.keyClicks(row.field.edit, "0")
    assert row.fault.isVisible()
    assert row.fault.text() == '✖ k is "0", but must be a whole number of at least 1.'


def test_a_macro_is_no_fault(panel, qtbot):
    panel.show_operator("Select Top k")
    row = panel.rows["k"]
    row.field.edit.selectAll()
    qtbot.keyClicks(row.field.edit, "%{size}")
    assert not row.fault.isVisible()


def test_parameters_appear_when_their_condition_holds(panel, quickstart):
    panel.show_operator("Select Top k")
    assert panel.rows["k"].visible
    assert not panel.rows["p"].visible
    QTest.keyClick(panel.rows["method"].field.combo, Qt.Key.Key_Down)
    panel.rows["method"].field.combo.textActivated.emit("top p%")
    assert value(quickstart, "Select Top k", "method") == "top p%"
    assert panel.rows["p"].visible


def test_expert_parameters_are_shown_on_demand(panel, quickstart, qtbot):
    panel.show_operator("Cross Validation")
    seed = panel.rows["use_local_random_seed"]
    assert not seed.visible
    assert panel.expert.text() == "Show expert parameters (2)"
    panel.expert.click()
    assert seed.visible


def test_a_box_is_ticked(panel, quickstart, qtbot):
    panel.show_operator("Weight by SAM")
    row = next(r for r in panel.rows.values() if isinstance(r.field, BooleanField))
    row.field.box.click()
    assert value(quickstart, "Weight by SAM", row.parameter.name) is not row.parameter.default


def test_a_choice_that_is_not_allowed_is_shown_with_its_fault(panel, quickstart):
    panel.show_operator("Select Top k")
    quickstart.set_parameter("Select Top k", "method", "top kk")
    row = panel.rows["method"]
    assert isinstance(row.field, ChoiceField)
    assert row.field.combo.currentText() == "top kk"
    assert "top k" in row.fault.text()


def test_attributes_are_offered_from_what_arrives(qtbot, registry):
    document = Document()
    document.add(ROOT, registry["retrieve"])
    document.set_parameter("Retrieve", "repository_entry", "golf")
    name = document.add(ROOT, registry["set_role"])
    panel = ParametersPanel(document)
    qtbot.addWidget(panel)
    panel.show_operator(name)
    panel.set_known(check(document.process, registry).known)
    row = next(r for r in panel.rows.values() if isinstance(r.field, AttributeField))
    offered = [row.field.combo.itemText(i) for i in range(row.field.combo.count())]
    assert "Outlook" in offered or "outlook" in offered
    row.field.combo.textActivated.emit(offered[0])
    assert value(document, name, row.parameter.name) == offered[0]


def test_several_attributes_are_chosen_from_two_lists(qtbot, panel):
    schema = Schema.of(
        [Attribute("a"), Attribute("b|c"), Attribute.nominal("d", ["x", "y"], role="label")]
    )
    dialog = AttributesDialog(schema, ["d"], panel)
    left = Qt.MouseButton.LeftButton
    assert [dialog.available.item(i).text() for i in range(2)] == ["a  (real)", "b|c  (real)"]
    assert dialog.chosen.item(0).text() == "d  (binominal, label)"
    dialog.available.setCurrentRow(1)
    qtbot.mouseClick(dialog.take, left)
    assert dialog.names() == ["d", "b|c"]
    dialog.chosen.setCurrentRow(0)
    qtbot.mouseClick(dialog.give_back, left)
    assert dialog.names() == ["b|c"]
    qtbot.keyClicks(dialog.search, "label")
    assert dialog.available.count() == 1
    qtbot.mouseClick(dialog.take_all, left)
    assert dialog.names() == ["b|c", "d"]
    qtbot.mouseClick(dialog.clear, left)
    assert dialog.names() == []
    dialog.close()


def test_pairs_are_edited_in_a_table(qtbot, registry):
    parameter = next(p for o in registry for p in o.parameters if p.kind == "pairs")
    field = field_for(parameter, None, FieldContext())
    qtbot.addWidget(field)
    assert isinstance(field, PairsField)
    told = []
    field.edited.connect(told.append)
    field.show_value([("C", "1"), ("gamma", "2")])
    assert field.pairs() == [("C", "1"), ("gamma", "2")]
    assert told == []
    field.table.item(0, 1).setText("5")
    assert told == [[("C", "5"), ("gamma", "2")]]


def test_the_random_seed_of_the_process_is_set_where_nothing_is_selected(panel, quickstart):
    from PyQt6.QtWidgets import QSpinBox

    panel.show_operator(None)
    panel.findChild(QSpinBox, "seed").setValue(7)
    assert quickstart.process.seed == 7
    quickstart.undo_stack.undo()
    assert panel.findChild(QSpinBox, "seed").value() == 2001


def test_the_form_follows_a_new_name_and_a_deleted_operator(panel, quickstart):
    panel.show_operator("Retrieve")
    quickstart.rename("Retrieve", "Data")
    assert panel.name == "Data"
    quickstart.remove(ROOT, ["Data"])
    assert panel.name is None


def test_fields_have_names_for_screen_readers(panel):
    panel.show_operator("Select Top k")
    for name, row in panel.rows.items():
        assert row.field.focusProxy().accessibleName() == name


def test_a_required_parameter_says_what_it_needs(registry, qtbot):
    document = Document()
    operator = next(o for o in registry for p in o.parameters if p.required and p.when is None)
    name = document.add(ROOT, operator)
    panel = ParametersPanel(document)
    qtbot.addWidget(panel)
    panel.show_operator(name)
    required = next(p for p in operator.parameters if p.required and p.when is None)
    assert panel.rows[required.name].fault.text().startswith("✖ Must be set")
    errors = [p for p in check(document.process, registry).problems if p.severity is Severity.ERROR]
    assert errors
