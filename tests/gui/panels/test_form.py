"""The form as a person uses it: marks, help, lists, tables, macros, attributes, files."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QFileDialog, QLineEdit

from fsops.core.graph.process import Process
from fsops_gui.dialogs.preview import PreviewDialog
from fsops_gui.document.checker import check
from fsops_gui.document.document import Document
from fsops_gui.panels.attribute_choice import AttributesDialog
from fsops_gui.panels.field_tables import ListDialog
from fsops_gui.panels.fields import TextField
from fsops_gui.panels.parameters import ParametersPanel

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def form(qtbot, registry):
    """Return a function that shows the form of an operator behind Retrieve golf."""

    def make(key, macros=None, **parameters):
        process = Process(macros=macros)
        table = process.add(registry["retrieve"], repository_entry="golf")
        node = process.add(registry[key], table, **parameters)
        process.result(node)
        panel = ParametersPanel(Document(process))
        qtbot.addWidget(panel)
        panel.resize(270, 600)
        panel.show()
        qtbot.waitExposed(panel)
        panel.set_known(check(process, registry).known)
        panel.show_operator(node.name)
        return panel

    return make


def value(panel, parameter):
    return panel.document.process.find(panel.name).parameters.get(parameter)


def dialog_of(kind):
    return next(w for w in QApplication.topLevelWidgets() if isinstance(w, kind) and w.isVisible())


def test_what_must_be_set_what_was_set_and_what_is_wrong_have_signs(form):
    panel = form("set_role", target_role="label")
    assert panel.rows["attribute"].label.text() == "✖ attribute *"
    assert panel.rows["target_role"].label.text() == "target role •"
    assert panel.rows["attribute"].fault.text().startswith("✖ Must be set:")


def test_all_parameters_are_set_back_at_once(form, qtbot):
    panel = form("select_attributes", attribute_filter_type="subset", invert_selection=True)
    assert panel.reset_all.isVisible()
    qtbot.mouseClick(panel.reset_all, LEFT)
    assert panel.document.process.find(panel.name).parameters == {}
    assert not panel.reset_all.isVisible()
    panel.document.undo_stack.undo()
    assert value(panel, "invert_selection") is True


def test_the_focus_brings_the_help_of_a_parameter(form, qtbot):
    panel = form("cross_validation")
    panel.activateWindow()
    panel.rows["number_of_folds"].field.setFocus()
    qtbot.waitUntil(panel.help.isVisible)
    text = panel.help.text()
    assert "number_of_folds" in text
    assert "whole number of at least 2" in text
    assert "Default: 10." in text


def test_a_name_that_no_attribute_has_is_told_at_the_field(form, qtbot):
    panel = form("set_role")
    line = panel.rows["attribute"].field.combo.lineEdit()
    qtbot.keyClicks(line, "Wimd")
    row = panel.rows["attribute"]
    assert row.fault.text() == '✖ There is no attribute "Wimd". Did you mean "Wind"?'
    line.selectAll()
    qtbot.keyClicks(line, "Wind")
    assert not row.fault.isVisible()
    assert row.field.combo.toolTip() == "Wind: binominal"


def test_attributes_are_offered_while_typing(form, qtbot):
    panel = form("set_role")
    combo = panel.rows["attribute"].field.combo
    qtbot.keyClicks(combo.lineEdit(), "umid")
    completer = combo.completer()
    assert completer.currentCompletion() == "Humidity"
    completer.popup().hide()


def test_several_attributes_are_chosen_with_the_button(form, qtbot):
    panel = form("select_attributes", attribute_filter_type="subset")
    panel.rows["attributes"].field.open_choice()
    dialog = dialog_of(AttributesDialog)
    qtbot.keyClicks(dialog.search, "integer")
    assert dialog.available.count() == 2
    qtbot.mouseClick(dialog.take_all, LEFT)
    dialog.accept()
    assert value(panel, "attributes") == "Temperature|Humidity"
    panel.document.undo_stack.undo()
    assert value(panel, "attributes") is None


def test_a_macro_is_offered_and_put_in(form, qtbot):
    panel = form("cross_validation", macros={"folds": "5", "size": "3"})
    edit = panel.rows["number_of_folds"].field.edit
    edit.setFocus()
    qtbot.keyClicks(edit, "%{fo")
    popup = next(w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not panel)
    qtbot.keyClick(popup, Qt.Key.Key_Down)
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    assert value(panel, "number_of_folds") == "%{folds}"
    assert not panel.rows["number_of_folds"].fault.isVisible()


def test_a_macro_can_stand_in_a_box_and_in_a_choice(form, qtbot):
    panel = form("select_attributes")
    row = panel.rows["invert_selection"]
    next(a for a in row.menu.actions() if a.text() == "Write a macro…").trigger()
    field = panel.rows["invert_selection"].field
    assert isinstance(field, TextField)
    field.edit.setCursorPosition(2)
    qtbot.keyClicks(field.edit, "turn")
    assert value(panel, "invert_selection") == "%{turn}"
    qtbot.mouseClick(panel.rows["invert_selection"].reset, LEFT)
    assert not isinstance(panel.rows["invert_selection"].field, TextField)


def test_lines_of_a_table_are_added_moved_and_removed(form, qtbot):
    panel = form("set_role", attribute="Wind")
    field = panel.rows["set_additional_roles"].field
    for name, role in (("Outlook", "id"), ("Humidity", "weight")):
        qtbot.mouseClick(field.lines.add, LEFT)
        row = field.table.rowCount() - 1
        field.table.item(row, 0).setText(name)
        field.table.item(row, 1).setText(role)
    assert value(panel, "set_additional_roles") == [("Outlook", "id"), ("Humidity", "weight")]
    field.table.setCurrentCell(1, 0)
    qtbot.mouseClick(field.lines.up, LEFT)
    assert value(panel, "set_additional_roles") == [("Humidity", "weight"), ("Outlook", "id")]
    qtbot.mouseClick(field.lines.remove, LEFT)
    assert value(panel, "set_additional_roles") == [("Outlook", "id")]


def test_a_list_is_edited_line_by_line(form, qtbot):
    panel = form("split_data")
    field = panel.rows["partitions"].field
    field.open_list()
    dialog = dialog_of(ListDialog)
    assert dialog.values() == ["0.7", "0.3"]
    qtbot.mouseClick(dialog.lines.add, LEFT)
    dialog.lines.table.item(2, 0).setText("0.5")
    dialog.accept()
    assert value(panel, "partitions") == ["0.7", "0.3", "0.5"]
    assert field.edit.text() == "0.7, 0.3, 0.5"


def test_a_file_is_named_relative_to_the_process(qtbot, registry, tmp_path, monkeypatch):
    data = tmp_path / "data" / "table.csv"
    data.parent.mkdir()
    data.write_text("a,b\n1,2\n3,4\n")
    process = Process()
    process.result(process.add(registry["read_csv"], path="x.csv"))
    process.folder = tmp_path
    document = Document(process)
    panel = ParametersPanel(document)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_operator("Read CSV")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(data), ""))
    qtbot.mouseClick(panel.rows["path"].field.findChildren(type(panel.reset_all))[0], LEFT)
    assert value(panel, "path") == "data/table.csv"
    panel.set_known(check(document.process, registry).known)
    assert panel.expected.text() == "Expected: 2 rows, 2 attributes"
    assert panel.rows["label"].field.parameter.name == "label"


def test_what_only_the_check_knows_stands_at_the_field_too(window_of, chain, qtbot):
    window = window_of(chain)
    panel = window.session.parameters
    window.views.reveal("Normalize")
    chain.set_parameter("Normalize", "min", "%{nowhere}")
    row = panel.rows["min"]
    qtbot.waitUntil(lambda: "The macro %{nowhere} has no value." in row.fault.text(), timeout=9000)
    assert row.fault.text().startswith("▲")  # a warning, as in the list of problems
    assert "✖" not in row.label.text()
    chain.undo_stack.undo()
    assert row.fault.text() == ""


def test_what_a_reader_reads_is_previewed(qtbot, registry, tmp_path):
    data = tmp_path / "table.csv"
    data.write_text("a,b\n1,x\n3,y\n")
    process = Process()
    process.result(process.add(registry["read_csv"], path="table.csv"))
    process.folder = tmp_path
    panel = ParametersPanel(Document(process))
    qtbot.addWidget(panel)
    panel.show()
    panel.show_operator("Read CSV")
    for words, file in (("2 rows, 2 attributes", "table.csv"), ("✖", "tabel.csv")):
        panel.document.set_parameter("Read CSV", "path", file)
        row = panel.rows["path"]
        next(a for a in row.menu.actions() if a.text() == "Preview…").trigger()
        dialog = dialog_of(PreviewDialog)
        qtbot.waitUntil(lambda d=dialog, w=words: d.told.text().startswith(w), timeout=20_000)
        assert dialog.table.isVisible() == (file == "table.csv")
        dialog.close()
        QApplication.processEvents()


def test_the_form_fits_into_a_narrow_dock(form, registry):
    panel = form("support_vector_machine", kernel_type="rbf")
    assert panel.minimumSizeHint().width() <= 270


def test_the_menu_of_a_parameter_opens_by_mouse(form, qtbot):
    panel = form("cross_validation", number_of_folds="5")
    row = panel.rows["number_of_folds"]
    qtbot.mouseClick(row.more, LEFT)
    menu = QApplication.activePopupWidget()
    assert [action.text() for action in menu.actions()] == [
        "Back to the default",
        "Vary this parameter…",
        "Write a macro…",
    ]
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(menu.actions()[0]).center())
    assert value(panel, "number_of_folds") is None


def test_a_form_of_many_attributes_is_quick_to_refresh(qtbot, registry):
    process = Process()
    table = process.add(registry["retrieve"], repository_entry="golf")
    wide = process.add(registry["add_noise"], table, random_attributes=20_000)
    process.result(process.add(registry["set_role"], wide))
    panel = ParametersPanel(Document(process))
    qtbot.addWidget(panel)
    panel.show_operator("Set Role")
    panel.set_known(check(process, registry).known)
    combo = panel.rows["attribute"].field.combo
    assert combo.count() == 20_000
    shown = combo.model().index(0, 0)
    panel.refresh()
    assert combo.model().index(0, 0) == shown


def test_parameters_of_inner_operators_are_offered(qtbot, registry, quickstart):
    document = Document(quickstart.process)
    panel = ParametersPanel(document)
    qtbot.addWidget(panel)
    panel.show_operator("Cross Validation")
    assert "Select Top k.k" in panel.targets()


@pytest.fixture
def writing(form, qtbot):
    """Return a form in which a cell of the table of pairs is being written."""
    panel = form("set_role")
    panel.activateWindow()
    panel.rows["set_additional_roles"].field.add_line()
    qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
    qtbot.keyClicks(QApplication.focusWidget(), "Play")
    return panel


def roles(panel):
    return [node.parameters.get("set_additional_roles") for node in panel.document.process.walk()]


def test_a_cell_that_is_being_written_belongs_to_its_operator(writing):
    writing.show_operator("Retrieve")  # as when a run pauses there
    assert roles(writing) == [None, [("Play", "")]]
    assert writing.document.undo_stack.count() == 1


def test_a_cell_that_is_being_written_does_not_change_a_process_that_comes(writing):
    other = writing.document.process.clone()
    other.rename("Set Role", "Other")
    writing.document.take_over("Edit XML", other)
    assert roles(writing) == [None, None]
    assert writing.document.undo_stack.count() == 1
    writing.document.undo_stack.undo()
    assert "Set Role" in writing.document.process
