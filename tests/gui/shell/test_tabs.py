"""Several documents in tabs: each has its session, the panels show the one in front."""

import gc
import weakref

import pytest
from PyQt6.QtCore import QEvent, QPoint, Qt
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QFileDialog

from fsops.core.graph.process import Process
from fsops.editing.levels import ROOT
from fsops_gui.base.settings import DesignerSettings
from fsops_gui.dialogs import questions
from fsops_gui.document.autosave import swap_of
from fsops_gui.document.document import Document
from fsops_gui.shell.tabs import MODIFIED
from fsops_gui.shell.window import Window


@pytest.fixture
def two(window_of, chain, quickstart, tmp_path):
    """Return a window with chain.xml and quickstart.xml, the second in front."""
    chain.save(tmp_path / "chain.xml")
    quickstart.save(tmp_path / "quickstart.xml")
    window = window_of(chain)
    window.attach(quickstart)
    return window


def titles(window):
    bar = window.workspace.tabs.bar
    return [bar.tabText(index) for index in range(bar.count())]


def documents(window):
    return [session.document for session in window.workspace.sessions()]


def press(window, key, modifiers):
    QTest.keyClick(window.focusWidget() or window, key, modifiers)


CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def test_opening_adds_a_tab_and_the_first_document_stays(two, chain, quickstart):
    assert titles(two) == ["chain.xml", "quickstart.xml"]
    assert documents(two) == [chain, quickstart]
    assert two.session.document is quickstart
    assert two.windowTitle() == "quickstart.xml[*] - fsops"


def test_tabs_that_came_while_hidden_have_room(window_of, chain, registry, qtbot):
    window = window_of(chain)
    bar = window.workspace.tabs.bar
    for name in ("heart_cleveland", "colon_alon"):
        window.views.show_start()
        process = Process(name)
        process.add(registry["retrieve"])
        window.attach(Document(process))
        window.views.show_process()
    qtbot.waitUntil(lambda: bar.width() == bar.sizeHint().width())
    assert titles(window) == ["Chain", "heart_cleveland", "colon_alon"]


def test_an_untouched_empty_process_gives_its_tab_away(window_of, chain, tmp_path):
    window = window_of()
    window.attach(chain)
    assert documents(window) == [chain]
    window.files.new()
    window.files.new()
    assert len(documents(window)) == 2


def test_a_file_opens_once(two, tmp_path, chain):
    two.files.open_file(tmp_path / "chain.xml")
    assert two.session.document is chain
    assert len(documents(two)) == 2


def test_keys_go_through_the_tabs(two, chain, quickstart):
    press(two, Qt.Key.Key_Tab, CTRL)
    assert two.session.document is chain
    press(two, Qt.Key.Key_Tab, CTRL)
    assert two.session.document is quickstart
    press(two, Qt.Key.Key_Backtab, CTRL | SHIFT)
    assert two.session.document is chain
    assert two.session.editor.view.hasFocus()
    press(two, Qt.Key.Key_PageDown, CTRL | SHIFT)
    assert documents(two) == [quickstart, chain]
    press(two, Qt.Key.Key_W, CTRL)
    assert documents(two) == [quickstart]
    two.files.reopen_tab()
    assert titles(two) == ["quickstart.xml", "chain.xml"]


def test_the_middle_button_closes_a_tab(two, quickstart):
    bar = two.workspace.tabs.bar
    QTest.mouseClick(bar, Qt.MouseButton.MiddleButton, pos=bar.tabRect(0).center())
    assert documents(two) == [quickstart]


def test_a_drag_changes_the_order(two, chain, quickstart):
    bar = two.workspace.tabs.bar
    start, end = bar.tabRect(0).center(), bar.tabRect(1).center() + QPoint(30, 0)
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=start)
    for part in (0.3, 0.7, 1.0):
        QTest.mouseMove(bar, start + (end - start) * part)
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=end)
    assert documents(two) == [quickstart, chain]
    assert two.session.document is chain


def test_a_mark_shows_which_documents_are_not_saved(two, chain):
    chain.rename("Normalize", "N")
    assert titles(two) == [f"chain.xml {MODIFIED}", "quickstart.xml"]
    assert "not saved" in two.workspace.tabs.bar.accessibleTabName(0)
    chain.save()
    assert titles(two) == ["chain.xml", "quickstart.xml"]


def test_equal_names_get_their_folders(two, tmp_path):
    (tmp_path / "other").mkdir()
    Document().save(tmp_path / "other" / "chain.xml")
    two.files.open_file(tmp_path / "other" / "chain.xml")
    assert "other/chain.xml" in titles(two)


def test_undo_belongs_to_the_document_in_front(two, chain, quickstart):
    quickstart.remove(ROOT, ["Cross Validation"])
    two.files.previous_tab()
    assert not two.actions_table.by_name["undo"].isEnabled()
    chain.rename("Normalize", "N")
    two.edits.undo()
    assert "Normalize" in chain.process
    assert "Cross Validation" not in quickstart.process
    two.files.next_tab()
    assert two.actions_table.by_name["undo"].isEnabled()
    two.edits.undo()
    assert "Cross Validation" in quickstart.process


def test_panels_show_the_document_in_front(two, chain, quickstart, qtbot):
    quickstart.remove(ROOT, [next(node.name for node in quickstart.process)], bridge=False)
    qtbot.waitUntil(lambda: two.problems_panel.tree.topLevelItemCount() > 0)
    two.files.previous_tab()
    qtbot.waitUntil(lambda: two.problems_panel.tree.topLevelItemCount() == 0)
    assert two.parameters_room.currentWidget() is two.session.parameters
    assert two.tree_room.currentWidget() is two.session.operators
    two.files.next_tab()
    assert two.problems_panel.tree.topLevelItemCount() > 0  # at once, from the last check


def test_a_run_goes_on_while_another_tab_is_edited(two, chain, quickstart, qtbot):
    two.files.previous_tab()
    running = two.session
    two.runs.run()
    two.files.next_tab()
    bar = two.workspace.tabs.bar
    assert "running" in bar.accessibleTabName(0)
    assert two.actions_table.by_name["run"].isEnabled()  # another process may run, too
    quickstart.rename("Cross Validation", "CV")
    qtbot.waitUntil(lambda: not running.run.running)
    assert two.session.document is quickstart
    assert two.pages.currentWidget() is two.session.editor  # no page came to the front
    assert two.results.run is None
    assert "finished" in bar.accessibleTabName(0)
    assert "chain.xml: Finished" in two.statusBar().currentMessage()
    two.files.previous_tab()
    assert two.pages.currentWidget() is two.results
    assert two.results.run is running.run
    two.files.next_tab()
    assert two.pages.currentWidget() is two.session.editor


def test_operators_are_copied_from_tab_to_tab(two, chain, quickstart):
    two.files.previous_tab()
    two.session.editor.scene.select(["Weight by SAM"])
    two.edits.copy()
    two.files.next_tab()
    two.edits.paste()
    assert "Weight by SAM (2)" in quickstart.process  # the name is taken inside the validation
    assert QGuiApplication.clipboard().text()


def test_each_tab_has_its_swap_file(two, chain, quickstart, tmp_path):
    chain.rename("Normalize", "N")
    quickstart.rename("Cross Validation", "CV")
    for session in two.workspace.sessions():
        session.autosaver.write()
    assert "N" in swap_of(tmp_path / "chain.xml").read_text()
    assert "CV" in swap_of(tmp_path / "quickstart.xml").read_text()


def test_closing_the_window_asks_about_each_changed_tab(two, chain, quickstart, monkeypatch):
    chain.rename("Normalize", "N")
    quickstart.rename("Cross Validation", "CV")
    asked = []
    monkeypatch.setattr(questions, "ask_save", lambda _p, title: asked.append(title) or "cancel")
    assert not two.close()
    assert asked == ["chain.xml"]
    assert two.session.document is chain  # the question is about the tab in front
    asked.clear()
    monkeypatch.setattr(questions, "ask_save", lambda _p, title: asked.append(title) or "discard")
    assert two.files.may_leave()
    assert asked == ["chain.xml", "quickstart.xml"]


def test_a_running_tab_is_not_closed_without_a_question(two, chain, qtbot, monkeypatch):
    two.files.previous_tab()
    two.runs.run()
    session = two.session
    monkeypatch.setattr(questions, "ask_stop", lambda *_: False)
    two.files.close_tab()
    assert two.session is session
    monkeypatch.setattr(questions, "ask_stop", lambda *_: True)
    two.files.close_tab()
    assert two.session is not session


def test_after_the_last_tab_an_empty_process_is_open(two):
    two.files.close_sessions(two.workspace.sessions())
    assert titles(two) == ["Untitled"]
    assert not len(two.session.document.process)


def test_a_closed_tab_is_freed(two, chain, quickstart, qtbot):
    two.files.previous_tab()
    session = two.session
    gone = []
    session.editor.destroyed.connect(lambda: gone.append("editor"))
    session.results.destroyed.connect(lambda: gone.append("results"))
    known = weakref.ref(session)
    del session
    two.files.close_tab()
    for _ in range(2):  # connections go one pass after their sender
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    assert sorted(gone) == ["editor", "results"]
    assert known() is None


def test_a_window_may_go_right_after_a_tab_was_opened(qtbot, registry, chain):
    window = Window(registry, chain)
    window.show()
    window.attach(Document())
    window.files.may_leave = lambda: True
    window.close()
    window.deleteLater()
    with qtbot.captureExceptions() as errors:
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()  # the new tab was to be fitted now
    assert errors == []


def test_a_file_of_another_tab_is_not_overwritten(two, tmp_path, monkeypatch):
    chosen = str(tmp_path / "chain.xml")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (chosen, ""))
    two.attempt(two.files.save_as)
    assert "chain.xml is open in another tab." in two.statusBar().currentMessage()
    assert two.session.document.title == "quickstart.xml"


def test_a_question_about_a_file_waits_for_its_tab(two, chain, tmp_path, qtbot):
    first = two.workspace.sessions()[0]
    chain.rename("Normalize", "N")
    Document().save(tmp_path / "chain.xml")
    qtbot.waitUntil(lambda: first.notice is not None)
    assert two.notice.isHidden()
    two.files.previous_tab()
    assert two.notice.isVisible()
    two.notice.buttons[0].click()
    two.files.next_tab()
    two.files.previous_tab()
    assert two.notice.isHidden()


def test_the_tabs_come_back_at_the_next_start(two, window_of, tmp_path, quickstart):
    two.files.previous_tab()
    two.close()
    (tmp_path / "quickstart.xml").write_text("<html/>")
    again = window_of()
    assert again.files.restore()
    assert titles(again) == ["chain.xml"]
    assert again.session.document.title == "chain.xml"
    assert "Not opened again: quickstart.xml" in again.statusBar().currentMessage()
    DesignerSettings().restore_tabs = False
    assert not window_of().files.restore()


def test_unsaved_changes_of_every_restored_tab_are_offered(
    two, window_of, chain, quickstart, tmp_path, monkeypatch
):
    chain.rename("Normalize", "N")
    quickstart.rename("Cross Validation", "CV")
    swaps = {}
    for session in two.workspace.sessions():
        session.autosaver.write()
        swap = swap_of(session.document.path)
        swaps[swap] = swap.read_bytes()
    two.files.may_leave = lambda: True
    two.close()
    for swap, content in swaps.items():  # as if the program had died
        swap.write_bytes(content)
    monkeypatch.setattr(questions, "ask_recover", lambda *a: questions.RECOVER)
    again = window_of()
    again.files.restore()
    again.files.recover_all()
    assert titles(again) == [f"chain.xml {MODIFIED}", f"quickstart.xml {MODIFIED}"]


def test_the_menu_of_a_tab_closes_the_others(two, quickstart):
    session = two.session
    menu = two.workspace.menu_of(session)
    words = {action.text(): action for action in menu.actions()}
    words["Copy path"].trigger()
    assert QGuiApplication.clipboard().text().endswith("quickstart.xml")
    words["Close the others"].trigger()
    assert documents(two) == [quickstart]
    menu.deleteLater()
