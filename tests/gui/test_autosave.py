"""What is not saved survives the death of the program, and nobody is asked without need."""

import pytest

from fsops_gui import dialogs
from fsops_gui.autosave import Autosaver, left_behind, swap_of
from fsops_gui.document import ROOT, Document


@pytest.fixture
def file(chain, tmp_path):
    chain.save(tmp_path / "chain.xml")
    return tmp_path / "chain.xml"


def test_unsaved_changes_are_in_the_swap_file(chain, file):
    saver = Autosaver(chain)
    chain.rename("Normalize", "N")
    saver.write()
    assert swap_of(file).is_file()
    assert left_behind(file) == chain.process
    assert "Normalize" in file.read_text()  # the file itself is untouched


def test_saving_removes_the_swap_file(chain, file):
    saver = Autosaver(chain)
    chain.rename("Normalize", "N")
    saver.write()
    chain.save()
    assert not swap_of(file).exists()
    assert left_behind(file) is None


def test_undoing_to_what_is_saved_removes_it_too(chain, file):
    saver = Autosaver(chain)
    chain.rename("Normalize", "N")
    saver.write()
    chain.undo_stack.undo()
    assert not swap_of(file).exists()


def test_a_swap_file_that_says_the_same_raises_no_question(chain, file):
    swap_of(file).write_bytes(file.read_bytes())
    assert left_behind(file) is None
    assert not swap_of(file).exists()


def test_a_swap_file_that_cannot_be_read_raises_no_question(file):
    swap_of(file).write_text("half a fi")
    assert left_behind(file) is None


def test_a_document_without_a_file_has_no_swap_file(chain, tmp_path):
    saver = Autosaver(chain)
    chain.rename("Normalize", "N")
    saver.write()
    assert list(tmp_path.glob(".*swap")) == []


@pytest.mark.parametrize("wanted", [True, False])
def test_an_earlier_session_is_brought_back_on_demand(window_of, chain, file, monkeypatch, wanted):
    lost = Document.open(file)
    lost.remove(ROOT, ["Normalize"])
    swap_of(file).write_bytes(lost.as_xml())
    monkeypatch.setattr(dialogs, "ask_recover", lambda *a: wanted)
    window = window_of(Document())
    window.files.open_file(file)
    document = window.session.document
    assert ("Normalize" not in document.process) is wanted
    assert document.modified is wanted
    if wanted:
        window.editing.undo()
        assert "Normalize" in document.process


def test_closing_leaves_no_swap_file(window_of, chain, file):
    window = window_of(chain)
    chain.rename("Normalize", "N")
    window.session.autosaver.write()
    window.files.may_leave = lambda: True
    window.close()
    assert not swap_of(file).exists()
