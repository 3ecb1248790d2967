"""Finding operators, actions, files and settings by typing."""

import pytest
from PyQt6.QtCore import Qt

from fsops_gui.base.settings import Settings
from fsops_gui.dialogs.command_palette import Command, CommandPalette, matching
from fsops_gui.document.document import Document
from fsops_gui.panels.palette import ROLE
from fsops_gui.shell import docks


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
    assert Settings().recent_operators() == ["normalize", "retrieve"]


def test_the_palette_is_used_by_keyboard_alone(window_of, qtbot):
    window = window_of(Document())
    window.looking.search_operators()
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
    import subprocess
    import sys

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
    assert count == again == "9"


def test_closer_commands_come_first():
    commands = [Command("", title, print, words) for title, words in (
        ("Stop", "run"), ("Copy the command", ""), ("Run to here", ""), ("Run", ""), ("Rerun", ""),
    )]  # fmt: skip
    assert [c.title for c in matching(commands, "run")] == ["Run to here", "Run", "Rerun", "Stop"]


def test_an_operator_comes_before_what_only_begins_like_it(window_of):
    window = window_of()
    first = matching(window.looking.commands(), "cross")[0]
    assert first.title == "Add Cross Validation"


@pytest.fixture
def find(window_of, qtbot):
    """Return a function that types into the command palette and takes the first hit."""

    def take(window, words):
        key = Qt.KeyboardModifier.ControlModifier
        qtbot.keyClick(window, Qt.Key.Key_K, key)
        palette = window.findChildren(CommandPalette)[-1]
        qtbot.keyClicks(palette.field, words)
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)

    return take


def test_settings_panels_and_templates_are_found(window_of, find, chain, tmp_path, qtbot):
    from fsops_gui.dialogs.settings import SettingsDialog

    window = window_of(chain)
    find(window, "jobs")
    dialog = window.findChild(SettingsDialog)
    assert dialog.isVisible()
    dialog.reject()
    window.docks["log"].hide()
    find(window, "panel log")
    assert window.docks["log"].isVisible()
    chain.save(tmp_path / "work.xml")
    Settings().remember(tmp_path / "work.xml")
    find(window, "new")
    find(window, "file work")
    assert window.session.document.title == "work.xml"
    (tmp_path / "mine.csv").write_text("a,label\n1,x\n2,y\n")
    window.browser.refresh()
    find(window, "read mine.csv")
    qtbot.waitUntil(lambda: "Read CSV" in window.session.document.process, timeout=10_000)
    assert window.session.document.process["Read CSV"].parameters["csv_file"] == "mine.csv"


def test_keys_are_shown_beside_the_actions(window_of, qtbot):
    window = window_of(Document())
    window.looking.find_anything()
    palette = window.findChild(CommandPalette)
    qtbot.keyClicks(palette.field, "save as")
    assert palette.found.topLevelItem(0).text(2) == "Ctrl+Shift+S"
    palette.reject()


def test_what_cannot_be_done_now_is_not_offered(window_of, chain, qtbot):
    window = window_of(chain)
    window.looking.find_anything()
    palette = window.findChild(CommandPalette)
    qtbot.keyClicks(palette.field, "undo")
    first = palette.found.topLevelItem(0)
    assert first is None or first.text(0) != "Undo"
    palette.reject()


def test_the_arrangement_can_be_reset(window_of, qtbot):
    window = window_of(Document())
    for name in ("help", "problems", "overview"):
        window.docks[name].hide()
    window.docks["parameters"].setFloating(True)
    window.looking.reset_layout()
    assert not any(dock.isHidden() for dock in window.docks.values())
    assert not window.docks["parameters"].isFloating()
    assert set(window.docks) == set(docks.titles())


def test_every_panel_is_in_the_view_menu(window_of):
    from PyQt6.QtWidgets import QMenu

    window = window_of(Document())
    panels = next(m for m in window.findChildren(QMenu) if m.title() == "Panels")
    texts = [action.text() for action in panels.actions()]
    assert {dock.windowTitle() for dock in window.docks.values()} <= set(texts)


def test_no_row_of_tabs_lies_about(window_of, qtbot):
    from PyQt6.QtWidgets import QTabBar

    window = window_of(Document())
    window.resize(1024, 700)
    window.looking.reset_layout()
    qtbot.wait(200)
    bars = [b for b in window.findChildren(QTabBar) if b.parent() is window and b.isVisible()]
    assert len(bars) == 2
