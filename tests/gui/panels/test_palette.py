"""The palette: search, keyboard, and the operators that were used last."""

import subprocess
import sys

from PyQt6.QtCore import Qt

from fsops_gui.base.settings import DesignerSettings
from fsops_gui.document.document import Document
from fsops_gui.panels.palette import ROLE


def test_the_palette_says_that_figures_are_no_operators(window_of, qtbot):
    tree = window_of(Document()).palette_panel.tree
    qtbot.keyClicks(tree.parent().field, "heatmap")
    assert "each result has its own" in tree.topLevelItem(1).text(0)


def test_operators_used_last_stand_in_front_of_the_tree(window_of, qtbot):
    window = window_of(Document())
    palette = window.palette_panel
    assert palette.tree.topLevelItem(0).text(0) != "Used last"
    for words in ("retrieve", "normalize"):
        qtbot.keyClicks(palette.field, words)
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
        palette.field.clear()
    group = palette.tree.topLevelItem(0)
    assert group.text(0) == "Used last"
    assert [group.child(i).text(0) for i in range(group.childCount())] == ["Normalize", "Retrieve"]
    assert DesignerSettings().recent_operators() == ["normalize", "retrieve"]


def test_the_palette_is_used_by_keyboard_alone(window_of, qtbot):
    window = window_of(Document())
    window.views.search_operators()
    palette = window.palette_panel
    qtbot.keyClicks(palette.field, "weight by")
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    second = palette.tree.currentItem()
    assert second is palette.tree.topLevelItem(1)
    assert window.help_panel.operator is second.data(0, ROLE)
    key = second.data(0, ROLE).key
    qtbot.keyClick(palette.tree, Qt.Key.Key_Return)
    assert [node.operator.key for node in window.session.document.process] == [key]
    palette.tree.setCurrentItem(palette.tree.topLevelItem(0))
    qtbot.keyClick(palette.tree, Qt.Key.Key_Up)
    assert window.focusWidget() is palette.field
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert palette.field.text() == ""


def test_operators_that_are_not_loaded_yet_come_while_the_window_is_used(qtbot):
    """In a program of its own, because here all are loaded already."""
    code = """
from PyQt6.QtWidgets import QApplication
app = QApplication([])
from fsops.plugins import plugins
from fsops_gui.panels.palette import Palette
palette = Palette(plugins().registry)
print(palette.tree.topLevelItem(0).text(0))
while palette._loading.isActive():
    app.processEvents()
print(palette.tree.topLevelItemCount())
again = Palette(plugins().registry)
print(again.tree.topLevelItemCount())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    first, count, again = done.stdout.splitlines()
    assert first == "The operators are being loaded…"
    assert count == again == "10"  # nine groups, and the building blocks
