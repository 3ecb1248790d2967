"""Screen readers and keyboards: names of all widgets, order of the fields, keys for all actions."""

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeySequence
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDockWidget,
    QGraphicsView,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)

from fsops_gui.base.actions import SPECS
from fsops_gui.dialogs.block import BlockDialog
from fsops_gui.dialogs.settings import SettingsDialog
from fsops_gui.dialogs.versions import VersionsDialog
from fsops_gui.panels.compare import CompareDialog
from fsops_gui.widgets.word_completer import WordCompleter

INTERACTIVE = (
    QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QGraphicsView, QLineEdit,
    QPlainTextEdit, QTabBar, QTextEdit,
)  # fmt: skip


def spoken(widget):
    """Return the name that a screen reader says, as Qt finds it."""
    if widget.accessibleName():
        return widget.accessibleName()
    text = getattr(widget, "text", None)
    if isinstance(widget, QAbstractButton) and text():
        return text()
    if isinstance(widget, QAbstractButton) and widget.toolTip():
        return widget.toolTip()
    if isinstance(widget, QTabBar):
        return widget.tabText(0)
    owner = widget.window()
    buddies = [label for label in owner.findChildren(QLabel) if label.buddy() is widget]
    return buddies[0].text() if buddies else ""


def is_inner(widget):
    """Return whether a widget is a part of another one that has the name."""
    parent = widget.parentWidget()
    inner = isinstance(parent, QComboBox | QAbstractSpinBox | QLineEdit | QTabBar | QHeaderView)
    return inner or widget.objectName().startswith("qt_") or isinstance(widget, QHeaderView)


def nameless(root):
    found = []
    for widget in root.findChildren(QWidget):
        if not isinstance(widget, INTERACTIVE) or is_inner(widget):
            continue
        popup = widget.window().windowFlags() & Qt.WindowType.Popup == Qt.WindowType.Popup
        corner = type(widget).__name__ == "QTableCornerButton" or (
            isinstance(widget, QAbstractButton) and isinstance(widget.parent(), QAbstractItemView)
        )
        if not popup and not corner and not spoken(widget).strip():
            parents, at = [], widget
            while at is not None:
                parents.append(f"{type(at).__name__}#{at.objectName()}")
                at = at.parentWidget()
            found.append(" < ".join(parents[:5]))
    return found


def test_every_widget_has_a_name_for_screen_readers(window, qtbot):
    window.session.editor.scene.select(["Normalize"])
    assert nameless(window) == []


def test_every_widget_of_dialogs_has_a_name(window, chain, tmp_path):
    sides = [("a", lambda: chain.process), ("b", lambda: chain.process)]
    for dialog in (
        SettingsDialog(window.settings, window),
        BlockDialog("Block", window),
        VersionsDialog(tmp_path / "a.xml", [], chain.process, window),
        CompareDialog(sides, 0, 1, window),
    ):
        assert nameless(dialog) == [], type(dialog).__name__
        dialog.close()


def test_every_panel_has_a_title(window):
    for dock in window.findChildren(QDockWidget):
        assert dock.windowTitle(), dock.objectName()


def test_the_canvas_describes_the_selection_to_screen_readers(window, chain):
    scene, view = window.session.editor.scene, window.session.editor.view
    assert view.accessibleName()
    scene.select(["Normalize"])
    words = view.accessibleDescription()
    assert words.startswith("Normalize")
    assert "after Retrieve" in words
    assert "before Weight by SAM" in words
    scene.select(["Normalize", "Retrieve"])
    assert view.accessibleDescription() == "2 operators are selected."
    scene.select([])
    assert view.accessibleDescription() == "3 operators. Nothing is selected."


def test_every_action_is_in_a_menu_with_a_letter(window):
    bar = window.menuBar()
    keys = [QKeySequence.mnemonic(action.text()).toString() for action in bar.actions()]
    assert all(keys)
    assert len(set(keys)) == len(keys)
    listed = {action for menu in window.actions_table.menus.values() for action in menu.actions()}
    for spec in SPECS:
        assert window.actions_table.by_name[spec.name] in listed, spec.name


def fields(window, qtbot, name="Normalize"):
    window.session.editor.scene.select([name])
    rows = [row for row in window.session.parameters.rows.values() if row.visible]
    window.views.go_to_parameters()
    return rows


def test_tab_goes_from_field_to_field(window, qtbot):
    rows = fields(window, qtbot, "Weight by SAM")
    assert len(rows) > 1
    for row in rows:
        assert row.holds(QApplication.focusWidget()), row.parameter.name
        assert QApplication.focusWidget() not in (row.more, row.reset)
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)


def test_the_way_back_comes_after_a_field_that_was_set(window, chain, qtbot):
    chain.set_parameter("Normalize", "method", "range_transformation")
    rows = fields(window, qtbot)
    row = next(row for row in rows if row.parameter.name == "method")
    row.field.setFocus()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is row.reset
    QTest.keyClick(row.reset, Qt.Key.Key_Space)
    assert "method" not in chain.process["Normalize"].parameters


def test_alt_return_opens_the_menu_of_a_field(window, qtbot):
    row = fields(window, qtbot)[0]
    row.field.setFocus()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(row.menu.isVisible)
    row.menu.close()


def test_tab_takes_the_only_completion(window, chain, qtbot):
    fields(window, qtbot, "Retrieve")
    edit = QApplication.focusWidget()
    assert isinstance(edit, QLineEdit)
    edit.clear()
    edit.setFocus()
    qtbot.keyClicks(edit, "%{process_n")
    completer = edit.findChild(WordCompleter).completer
    qtbot.waitUntil(lambda: completer.popup().isVisible())
    assert completer.completionCount() == 1
    QTest.keyClick(completer.popup(), Qt.Key.Key_Tab)
    assert edit.text() == "%{process_name}"
