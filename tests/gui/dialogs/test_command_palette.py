"""The command palette finds actions, operators, files and settings by typing."""

import pytest
from PyQt6.QtCore import Qt

from fsops_gui.base.settings import DesignerSettings
from fsops_gui.dialogs.command_palette import Command, CommandPalette, matching
from fsops_gui.document.document import Document


def test_closer_commands_come_first():
    commands = [Command("", title, print, words) for title, words in (
        ("Stop", "run"), ("Copy the command", ""), ("Run to here", ""), ("Run", ""), ("Rerun", ""),
    )]  # fmt: skip
    assert [c.title for c in matching(commands, "run")] == ["Run to here", "Run", "Rerun", "Stop"]


def test_an_operator_comes_before_what_only_begins_like_it(window_of):
    window = window_of()
    first = matching(window.catalogue.commands(), "cross")[0]
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
    DesignerSettings().remember(tmp_path / "work.xml")
    find(window, "new")
    find(window, "file work")
    assert window.session.document.title == "work.xml"
    (tmp_path / "mine.csv").write_text("a,label\n1,x\n2,y\n")
    window.browser.refresh()
    find(window, "read mine.csv")
    qtbot.waitUntil(lambda: "Read CSV" in window.session.document.process, timeout=10_000)
    assert window.session.document.process["Read CSV"].parameters["path"] == "mine.csv"


def test_keys_are_shown_beside_the_actions(window_of, qtbot):
    window = window_of(Document())
    window.catalogue.find_anything()
    palette = window.findChild(CommandPalette)
    qtbot.keyClicks(palette.field, "save as")
    assert palette.found.topLevelItem(0).text(2) == "Ctrl+Shift+S"
    palette.reject()


def test_what_cannot_be_done_now_is_not_offered(window_of, chain, qtbot):
    window = window_of(chain)
    window.catalogue.find_anything()
    palette = window.findChild(CommandPalette)
    qtbot.keyClicks(palette.field, "undo")
    first = palette.found.topLevelItem(0)
    assert first is None or first.text(0) != "Undo"
    palette.reject()
