"""The window: files, actions, colors, faults."""

import sys
from operator import attrgetter

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QFileDialog

from fsops.editing.levels import ROOT
from fsops_gui.base import actions
from fsops_gui.base.exception_hook import ExceptionHook
from fsops_gui.base.theme import DARK, LIGHT, apply_theme, current_colours
from fsops_gui.dialogs import questions
from fsops_gui.dialogs.shortcuts import ShortcutsDialog
from fsops_gui.document.document import Document
from fsops_gui.shell.window import Window


def test_the_title_names_the_file_and_marks_changes(window_of, chain, tmp_path):
    window = window_of(chain)
    assert window.windowTitle() == "Chain[*] - fsops"
    chain.save(tmp_path / "mine.xml")
    assert window.windowTitle() == "mine.xml[*] - fsops"
    assert not window.isWindowModified()
    chain.rename("Normalize", "N")
    assert window.isWindowModified()
    window.edits.undo()
    assert not window.isWindowModified()


def test_saving_asks_for_a_name_and_remembers_the_file(window_of, chain, tmp_path, monkeypatch):
    window = window_of(chain)
    chosen = str(tmp_path / "mine")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (chosen, ""))
    window.files.save()
    assert (tmp_path / "mine.xml").is_file()
    window.files.save()
    assert window.settings.recent() == [tmp_path / "mine.xml"]


def test_a_file_that_cannot_be_read_leaves_everything(window_of, chain, tmp_path):
    window = window_of(chain)
    bad = tmp_path / "bad.xml"
    bad.write_text("<html/>")
    window.files.open_file(bad)
    assert window.session.document is chain
    assert "This is not a process file" in window.statusBar().currentMessage()


def test_opening_shows_the_other_document(window_of, chain, quickstart, tmp_path):
    quickstart.save(tmp_path / "q.xml")
    window = window_of(chain)
    window.files.open_file(tmp_path / "q.xml")
    assert window.session.document.title == "q.xml"
    assert window.session.editor.scene.item_of("Cross Validation") is not None


@pytest.mark.parametrize(("answer", "left"), [("discard", True), ("cancel", False)])
def test_changes_are_not_lost_without_a_question(window_of, chain, monkeypatch, answer, left):
    window = window_of(chain)
    chain.rename("Normalize", "N")
    monkeypatch.setattr(questions, "ask_save", lambda *a: answer)
    window.files.close_tab()
    assert (window.session.document is not chain) is left


def test_what_others_wrote_is_not_replaced_without_a_question(
    window_of, chain, tmp_path, monkeypatch
):
    window = window_of(chain)
    chain.save(tmp_path / "mine.xml")
    (tmp_path / "mine.xml").write_text("theirs")
    asked = []
    monkeypatch.setattr(questions, "ask_overwrite", lambda *a: asked.append(a))
    window.files.save()
    assert asked
    assert (tmp_path / "mine.xml").read_text() == "theirs"


def test_the_arrangement_is_remembered(window_of, registry):
    first = window_of(Document())
    first.docks["log"].hide()
    first.docks["help"].hide()
    first.close()
    second = window_of(Document())
    assert second.docks["help"].isHidden()
    assert not second.docks["parameters"].isHidden()


def test_every_action_has_a_method_and_no_keys_are_given_twice(window_of):
    window = window_of(Document())
    keys = [key for spec in actions.SPECS for key in spec.keys]
    assert len(keys) == len(set(keys))
    assert len(window.actions_table.by_name) == len(actions.SPECS)
    for spec in actions.SPECS:
        assert callable(attrgetter(spec.method)(window)), spec.method


def test_the_list_of_shortcuts_comes_from_the_actions(window_of):
    window = window_of(Document())
    window.views.show_shortcuts()
    dialog = window.findChild(ShortcutsDialog)
    shown = {dialog.table.item(row, 1).text() for row in range(dialog.table.rowCount())}
    assert {spec.text for spec in actions.SPECS if spec.keys} <= shown
    dialog.field.setText("save as")
    left = [r for r in range(dialog.table.rowCount()) if not dialog.table.isRowHidden(r)]
    assert [dialog.table.item(row, 2).text() for row in left] == ["Ctrl+Shift+S"]
    dialog.close()


def test_arranging_puts_operators_along_the_flow(window_of, chain):
    chain.move(ROOT, {"Retrieve": (500, 300), "Weight by SAM": (10, 10)})
    window = window_of(chain)
    window.edits.arrange()
    x = {node.name: node.position["x"] for node in chain.process}
    assert x["Retrieve"] < x["Normalize"] < x["Weight by SAM"]


def test_dark_and_light_change_the_canvas_too(window_of, chain):
    window = window_of(chain)
    try:
        window.views.choose_theme(DARK)
        item = window.session.editor.scene.item_of("Normalize")
        assert item.colours is current_colours()
        assert item.colours.operator.lightness() < 128
        window.views.choose_theme(LIGHT)
        item = window.session.editor.scene.item_of("Normalize")
        assert item.colours.operator.lightness() > 200
    finally:
        apply_theme(LIGHT)


def test_text_can_be_read_in_both_themes():
    from fsops_gui.base.theme import colours_of

    for name in (LIGHT, DARK):
        colours = colours_of(name)
        for text in (colours.text, colours.faint, colours.error, colours.warning):
            assert contrast(text, colours.operator) >= 4.0, (name, text.name())
            assert contrast(text, colours.frame) >= 4.0, (name, text.name())


def contrast(one, two):
    def luminance(colour):
        parts = [colour.redF(), colour.greenF(), colour.blueF()]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_an_exception_is_shown_and_logged_and_the_session_goes_on(window_of, chain, qtbot):
    window = window_of(chain)
    hook = ExceptionHook()
    hook.caught.connect(window.show_fault)
    hook._before = sys.excepthook
    try:
        raise ZeroDivisionError("a fault of ours")
    except ZeroDivisionError:
        hook.handle(*sys.exc_info())
    box = QApplication.activeModalWidget()
    assert "a fault of ours" in box.text()
    assert "Traceback" in box.detailedText()
    box.close()
    assert "ZeroDivisionError" in window.log_panel.toPlainText()
    chain.rename("Normalize", "N")
    assert window.session.editor.scene.item_of("N") is not None


def test_examples_open_as_copies(window_of):
    window = window_of(Document())
    from fsops_gui.dialogs.examples import example_files

    file = next(f for f in example_files() if f.stem == "quickstart")
    window.files.open_example(file)
    assert window.session.document.path is None
    assert "Cross Validation" in window.session.document.process


def test_the_program_starts_and_ends(monkeypatch, qtbot):
    from fsops_gui.shell import app

    def leave():
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, Window):
                widget.close()

    QTimer.singleShot(500, leave)
    assert app.main(None) == 0


def test_the_program_names_a_missing_file(tmp_path):
    from fsops.errors import FsopsError
    from fsops_gui.shell import app

    with pytest.raises(FsopsError, match="no such file"):
        app.main(tmp_path / "none.xml")


def test_the_command_palette_finds_actions_operators_and_files(window_of, quickstart, qtbot):
    from PyQt6.QtCore import Qt

    from fsops_gui.dialogs.command_palette import CommandPalette

    window = window_of(quickstart)

    def take(words):
        window.catalogue.find_anything()
        palette = window.findChildren(CommandPalette)[-1]
        qtbot.keyClicks(palette.field, words)
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)

    take("add normalize")
    assert "Normalize" in quickstart.process
    take("undo")
    assert "Normalize" not in quickstart.process
    take("apply model canvas")
    assert window.session.editor.scene.selected_names() == ["Apply Model"]
    take("example mrmr")
    assert window.session.document is not quickstart


def test_the_buttons_of_panels_are_seen_in_dark_colours_too(window_of):
    from PyQt6.QtWidgets import QAbstractButton

    from fsops_gui.base.theme import DARK, LIGHT

    window = window_of()
    try:
        for theme, is_light in ((DARK, True), (LIGHT, False)):
            window.views.choose_theme(theme)
            for name in ("qt_dockwidget_floatbutton", "qt_dockwidget_closebutton"):
                button = window.docks["help"].findChild(QAbstractButton, name)
                image = button.icon().pixmap(18, 18).toImage()
                inked = [
                    image.pixelColor(x, y).lightness()
                    for x in range(18)
                    for y in range(18)
                    if image.pixelColor(x, y).alpha() > 200
                ]
                assert inked
                assert (min(inked) > 150) is is_light
    finally:
        window.views.choose_theme(LIGHT)


def test_an_empty_process_is_no_problem_yet(window_of, qtbot):
    window = window_of()
    checker = window.session.checker
    with qtbot.waitSignal(checker.found, timeout=10_000):
        checker.check_now()
    assert checker.findings.problems == ()
    window.edits.add(window.registry["retrieve"])
    qtbot.waitUntil(lambda: bool(checker.findings.problems), timeout=10_000)


def test_panels_have_their_first_sizes_in_the_room_there_is(window_of, registry, qtbot):
    """Before a window is shown its size may be another one."""
    from fsops_gui.shell.window import Window

    window = Window(registry)
    qtbot.addWidget(window)
    window.resize(500, 400)
    window.resize(1360, 860)
    window.show()
    assert window.docks["operators"].height() > 2 * window.docks["overview"].height()
    window.close()
