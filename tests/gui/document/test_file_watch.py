"""A file that somebody else changes while it is open."""

import pytest

from fsops_gui.dialogs import questions
from fsops_gui.document.document import Document


@pytest.fixture
def opened(window_of, chain, tmp_path):
    """Return a window with a saved document, and its file."""
    chain.save(tmp_path / "mine.xml")
    return window_of(Document.open(tmp_path / "mine.xml")), tmp_path / "mine.xml"


def change_outside(file, old="Normalize", new="Scale"):
    other = Document.open(file)
    other.rename(old, new)
    other.save()


def test_a_document_without_changes_is_read_again(opened, qtbot):
    window, file = opened
    document = window.session.document
    change_outside(file)
    qtbot.waitUntil(lambda: "Scale" in document.process, timeout=20_000)
    assert not document.modified
    assert "read again" in window.statusBar().currentMessage()
    assert window.notice.isHidden()
    window.edits.undo()
    assert "Normalize" in document.process
    assert document.modified


def test_every_further_change_is_seen_too(opened, qtbot):
    window, file = opened
    document = window.session.document
    change_outside(file)
    qtbot.waitUntil(lambda: "Scale" in document.process, timeout=20_000)
    change_outside(file, "Scale", "Again")
    qtbot.waitUntil(lambda: "Again" in document.process, timeout=20_000)
    assert not document.modified


def test_changes_on_both_sides_are_asked_about_in_a_bar(opened, qtbot):
    window, file = opened
    window.session.document.rename("Weight by SAM", "Mine")
    change_outside(file)
    qtbot.waitUntil(window.notice.isVisible, timeout=20_000)
    assert "mine.xml was changed by another program" in window.notice.label.text()
    assert [b.text() for b in window.notice.buttons] == ["Keep mine", "Take theirs"]
    assert "Mine" in window.session.document.process


def test_theirs_can_be_taken_and_undone(opened, qtbot):
    from PyQt6.QtCore import Qt

    window, file = opened
    document = window.session.document
    document.rename("Weight by SAM", "Mine")
    change_outside(file)
    qtbot.waitUntil(window.notice.isVisible, timeout=20_000)
    qtbot.mouseClick(window.notice.buttons[1], Qt.MouseButton.LeftButton)
    assert "Scale" in document.process
    assert not document.modified
    assert window.notice.isHidden()
    window.edits.undo()
    assert "Mine" in document.process


def test_mine_can_be_kept_and_saved_without_a_further_question(opened, qtbot, monkeypatch):
    from PyQt6.QtCore import Qt

    window, file = opened
    window.session.document.rename("Weight by SAM", "Mine")
    change_outside(file)
    qtbot.waitUntil(window.notice.isVisible, timeout=20_000)
    qtbot.mouseClick(window.notice.buttons[0], Qt.MouseButton.LeftButton)
    monkeypatch.setattr(questions, "ask_overwrite", lambda *a: pytest.fail("asked twice"))
    window.files.save()
    assert "Mine" in file.read_text()


def test_our_own_saving_is_no_change_of_others(opened, qtbot):
    window, _file = opened
    window.session.document.rename("Normalize", "N")
    window.files.save()
    qtbot.wait(700)
    assert window.notice.isHidden()
    assert "Saved" in window.statusBar().currentMessage()


def test_a_file_that_is_broken_meanwhile_changes_nothing(opened, qtbot):
    window, file = opened
    file.write_text("<html/>")
    qtbot.waitUntil(lambda: "cannot be read" in window.statusBar().currentMessage(), timeout=20_000)
    assert "Normalize" in window.session.document.process


def test_two_windows_with_one_file_follow_each_other(opened, window_of, qtbot):
    one, file = opened
    two = window_of(Document.open(file))
    one.session.document.rename("Normalize", "Scale")
    one.files.save()
    qtbot.waitUntil(lambda: "Scale" in two.session.document.process, timeout=20_000)
    assert not two.session.document.modified
