"""Earlier versions of a file: written, bounded, listed, restored."""

from datetime import datetime, timedelta

import pytest

from fsops_gui.dialogs.versions import VersionsDialog
from fsops_gui.document.document import Document
from fsops_gui.document.versions import (
    AUTOSAVED,
    MOST,
    OPENED,
    SAVED,
    VersionKeeper,
    folder_of,
    versions_of,
)


class Clock:
    def __init__(self):
        self.time = datetime(2026, 1, 1)

    def __call__(self):
        return self.time


@pytest.fixture
def file(chain, tmp_path):
    chain.save(tmp_path / "chain.xml")
    return tmp_path / "chain.xml"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def kept(file, clock):
    """Return a document of the file with its keeper."""
    document = Document.open(file)
    document.keeper = VersionKeeper(document, clock)
    return document


def kinds(path):
    return [version.kind for version in versions_of(path)]


def test_the_first_save_keeps_the_state_before_too(kept, file):
    assert kinds(file) == []
    kept.rename("Normalize", "N")
    kept.save()
    assert kinds(file) == [SAVED, OPENED]
    new, old = versions_of(file)
    assert "N" in new.process(None)
    assert "Normalize" in old.process(file.parent)
    kept.save()  # nothing has changed
    assert kinds(file) == [SAVED, OPENED]


def test_only_the_last_ones_stay(kept, file):
    for number in range(MOST + 5):
        kept.rename(next(n.name for n in kept.process), f"Name {number}")
        kept.save()
    found = versions_of(file)
    assert len(found) == MOST
    assert f"Name {MOST + 4}" in found[0].process(None)
    assert len(list(folder_of(file).iterdir())) == MOST


def test_an_autosave_counts_after_some_minutes(kept, file, clock):
    kept.rename("Normalize", "N")
    kept.save()
    kept.rename("N", "M")
    kept.keeper.take_autosave()
    assert kinds(file) == [SAVED, OPENED]
    clock.time += timedelta(minutes=6)
    kept.keeper.take_autosave()
    assert kinds(file) == [AUTOSAVED, SAVED, OPENED]


def test_other_and_broken_files_do_no_harm(kept, file, qtbot):
    kept.rename("Normalize", "N")
    kept.save()
    (folder_of(file) / "notes.xml").write_text("mine")
    versions_of(file)[1].file.write_text("<process")
    assert kinds(file) == [SAVED, OPENED]
    parent = VersionsDialog(file, versions_of(file), kept.process, None)
    qtbot.addWidget(parent)
    assert parent.list.topLevelItem(1).text(1) == "cannot be read"
    assert parent.version().kind == SAVED


def test_a_folder_that_cannot_be_written_disturbs_nothing(kept, file, monkeypatch, tmp_path):
    from fsops_gui.document import versions

    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    monkeypatch.setattr(versions, "versions_folder", lambda: blocked)
    kept.rename("Normalize", "N")
    kept.save()
    assert not kept.modified


def test_the_list_says_what_changed_and_restores_as_a_step(window_of, file):
    window = window_of(Document.open(file))
    document = window.session.document
    document.rename("Normalize", "N")
    document.save()
    document.set_parameter("N", "method", "range_transformation")
    window.actions_table.by_name["show_versions"].trigger()
    dialog = window.findChild(VersionsDialog)
    lines = [dialog.list.topLevelItem(i).text(2) for i in range(2)]
    assert lines[0].startswith("method of N")
    assert lines[1] == "Normalize is now called N"
    dialog.list.setCurrentItem(dialog.list.topLevelItem(1))
    dialog.buttons["restore"].click()
    assert "Normalize" in document.process
    assert document.modified
    window.edits.undo()
    assert "N" in document.process


def test_a_version_opens_in_a_new_tab(window_of, file):
    window = window_of(Document.open(file))
    window.session.document.rename("Normalize", "N")
    window.session.document.save()
    window.versions.open_version(versions_of(file)[1])
    assert len(window.workspace.sessions()) == 2
    assert window.session.document.path is None
    assert "Normalize" in window.session.document.process


def test_a_process_without_a_file_has_no_history(window):
    window.actions_table.by_name["show_versions"].trigger()
    assert "has no file yet" in window.statusBar().currentMessage()
