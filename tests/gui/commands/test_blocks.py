"""Building blocks in the window: palette, quick add, drop, dialogs."""

import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QApplication, QFileDialog

from fsops.editing.blocks import block_of
from fsops_gui.base.settings import blocks_folder
from fsops_gui.dialogs import questions
from fsops_gui.dialogs.block import BlockDialog
from fsops_gui.panels.palette import BLOCK_ROLE, SECTION


@pytest.fixture
def saved(window, chain, qtbot):
    """Return a window with a block of two operators."""
    qtbot.waitUntil(lambda: section(window) is not None)
    part = block_of(chain.process, ["Normalize", "Weight by SAM"])
    window.blocks.library.save("Scaled weights", "Normalize, then weight.", part)
    window.palette_panel.show_blocks("Scaled weights")
    return window


def section(window):
    tree = window.palette_panel.tree
    items = [tree.topLevelItem(i) for i in range(tree.topLevelItemCount())]
    return next((i for i in items if i.data(0, BLOCK_ROLE) == SECTION), None)


def shown(window):
    group = section(window)
    return [group.child(i).text(0) for i in range(group.childCount())]


def test_a_selection_is_saved_under_a_name(window, chain, qtbot):
    qtbot.waitUntil(lambda: section(window) is not None)
    assert shown(window) == ["Select operators, then Ctrl+Alt+S saves a block."]
    window.session.editor.scene.select(["Normalize", "Weight by SAM"])
    window.actions_table.by_name["save_block"].trigger()
    dialog = window.findChild(BlockDialog)
    dialog.name.setText("Mine")
    dialog.about.setPlainText("Normalizes, then weights.")
    dialog.buttons.button(dialog.buttons.StandardButton.Ok).click()
    assert shown(window) == ["Mine"]
    assert [file.name for file in blocks_folder().iterdir()] == ["mine.xml"]


def test_a_name_that_is_taken_leaves_the_dialog_open(saved):
    saved.session.editor.scene.select(["Normalize"])
    saved.attempt(saved.blocks.save_block)
    dialog = saved.findChild(BlockDialog)
    dialog.name.setText("")
    assert not dialog.buttons.button(dialog.buttons.StandardButton.Ok).isEnabled()
    dialog.name.setText("scaled weights")
    dialog.buttons.button(dialog.buttons.StandardButton.Ok).click()
    assert dialog.isVisible()
    assert "already is a building block" in dialog.problem.text()
    dialog.reject()


def test_without_a_selection_a_sentence_says_so(window):
    window.session.editor.scene.clearSelection()
    window.actions_table.by_name["save_block"].trigger()
    assert "No operator is selected." in window.statusBar().currentMessage()


def test_return_in_the_palette_inserts_a_block_as_one_step(saved, chain, qtbot):
    qtbot.keyClick(saved.palette_panel.tree, Qt.Key.Key_Return)
    assert {"Normalize (2)", "Weight by SAM (2)"} <= {n.name for n in chain.process}
    assert set(saved.session.editor.scene.selected_names()) == {
        "Normalize (2)",
        "Weight by SAM (2)",
    }
    saved.edits.undo()
    assert len(chain.process) == 3


def test_search_and_quick_add_find_blocks(saved, chain, qtbot):
    palette = saved.palette_panel
    palette.field.setText("scaled weights")
    texts = [palette.tree.topLevelItem(i).text(0) for i in range(palette.tree.topLevelItemCount())]
    assert "Scaled weights" in texts
    saved.session.editor.view.setFocus()
    saved.edits.add_operator()
    search = saved.session.editor.view.chooser.search
    qtbot.keyClicks(search.field, "scaled weights")
    rows = [search.found.item(i).text() for i in range(search.found.count())]
    search.found.setCurrentRow(rows.index("Scaled weights"))
    qtbot.keyClick(search.field, Qt.Key.Key_Return)
    assert "Normalize (2)" in chain.process


def test_a_block_is_dropped_where_it_falls(saved, chain):
    tree = saved.palette_panel.tree
    data = tree.mimeData(tree.selectedItems())
    view = saved.session.editor.view
    view.fit()
    copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    at = QPoint(200, 200)
    for kind in (QDragEnterEvent, QDropEvent):
        where = QPointF(at) if kind is QDropEvent else at
        event = kind(where, copy, data, Qt.MouseButton.LeftButton, none)
        QApplication.sendEvent(view.viewport(), event)
    assert "Normalize (2)" in chain.process


def test_rename_and_delete_by_keys(saved, qtbot, monkeypatch):
    tree = saved.palette_panel.tree
    tree.setFocus()
    qtbot.keyClick(tree, Qt.Key.Key_F2)
    dialog = saved.findChild(BlockDialog)
    dialog.name.setText("Other")
    dialog.buttons.button(dialog.buttons.StandardButton.Ok).click()
    assert shown(saved) == ["Other"]
    tree.setFocus()
    monkeypatch.setattr(questions, "ask_delete", lambda *_: False)
    qtbot.keyClick(tree, Qt.Key.Key_Delete)
    assert shown(saved) == ["Other"]
    monkeypatch.setattr(questions, "ask_delete", lambda *_: True)
    qtbot.keyClick(tree, Qt.Key.Key_Delete)
    assert "Other" not in shown(saved)


def test_export_and_import(saved, tmp_path, monkeypatch):
    out = str(tmp_path / "given.xml")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (out, ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (out, ""))
    [block] = saved.blocks.blocks()
    menu = saved.blocks.menu_of(block)
    words = {action.text(): action for action in menu.actions()}
    assert list(words) == ["Insert", "Rename…", "Export…", "Delete", "Import…"]
    words["Export…"].trigger()
    words["Import…"].trigger()
    assert "already is a building block" in saved.statusBar().currentMessage()
    saved.blocks.library.delete(block)
    words["Import…"].trigger()
    assert shown(saved) == ["Scaled weights"]
    menu.deleteLater()


def test_a_broken_file_is_reported_and_nothing_fails(saved):
    (blocks_folder() / "bad.xml").write_text("<html/>")
    saved.palette_panel.show_blocks()
    assert shown(saved) == ["Scaled weights"]
    assert "bad.xml" in saved.statusBar().currentMessage()
