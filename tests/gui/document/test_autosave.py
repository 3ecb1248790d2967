"""What is not saved survives the death of the program, and nobody is asked without need."""

import subprocess
import sys

import pytest

from fsops.core.graph.process import Process
from fsops.editing.levels import ROOT
from fsops_gui.base import settings
from fsops_gui.base.settings import state_folder
from fsops_gui.dialogs import questions
from fsops_gui.document.autosave import Autosaver, left_behind, orphans, swap_of
from fsops_gui.document.document import Document


@pytest.fixture
def file(chain, tmp_path):
    chain.save(tmp_path / "chain.xml")
    return tmp_path / "chain.xml"


def test_unsaved_changes_are_in_the_swap_file(chain, file):
    saver = Autosaver(chain)
    chain.rename("Normalize", "N")
    saver.write()
    assert swap_of(file).is_file()
    assert left_behind(file) is None  # somebody works on it
    saver._lock.unlock()
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


def died(script, *arguments):
    """Run a program that works with documents and dies without a word."""
    code = f"""
import os, sys
from pathlib import Path
from PyQt6.QtCore import QCoreApplication
from fsops_gui.base import settings
app = QCoreApplication([])
settings.FILE = Path(sys.argv[1])
from fsops_gui.document.autosave import Autosaver
from fsops_gui.document.document import Document
{script}
os._exit(9)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], timeout=60, check=False
    )
    assert done.returncode == 9


def test_what_a_program_that_died_had_not_saved_is_offered(file, tmp_path):
    died(
        """
document = Document.open(Path(sys.argv[2]))
saver = Autosaver(document)
document.rename("Normalize", "N")
saver.write()
""",
        settings.FILE,
        file,
    )
    assert "N" in left_behind(file)


def test_a_document_without_a_file_is_put_aside_among_the_files_of_the_user(chain, tmp_path):
    saver = Autosaver(chain)
    chain.rename("Normalize", "N")
    saver.write()
    assert len(list(state_folder().glob("*.swap"))) == 1
    assert orphans() == []  # somebody works on it
    chain.undo_stack.undo()
    assert list(state_folder().iterdir()) == []


def test_a_process_without_a_file_is_brought_back_at_the_next_start(
    window_of, chain, tmp_path, monkeypatch
):
    copy = tmp_path / "given.xml"
    copy.write_bytes(chain.as_xml())
    died(
        """
document = Document(Document.open(Path(sys.argv[2])).process)
saver = Autosaver(document)
document.rename("Normalize", "N")
saver.write()
""",
        settings.FILE,
        copy,
    )
    [orphan] = orphans()
    assert "N" in orphan.process
    asked = []
    monkeypatch.setattr(
        questions, "ask_recover", lambda *a: asked.append(a[1]) or questions.RECOVER
    )
    window = window_of()
    window.files.recover()
    assert len(asked) == 1
    assert "3 operators" in asked[0]
    document = window.session.document
    assert "N" in document.process
    assert document.modified
    assert orphans() == []
    assert len(list(state_folder().glob("*.swap"))) == 1  # safe again, as that of this program


@pytest.mark.parametrize(("answer", "left"), [("discard", 0), ("cancel", 1)])
def test_what_is_not_wanted_back_is_discarded_or_asked_again(
    window_of, chain, monkeypatch, answer, left
):
    state_folder().mkdir(parents=True)
    (state_folder() / "untitled-1.swap").write_bytes(chain.as_xml())
    monkeypatch.setattr(questions, "ask_recover", lambda *a: answer)
    window = window_of()
    window.files.recover()
    assert len(window.session.document.process) == 0
    assert len(orphans()) == left


def test_work_without_a_file_gets_no_name_of_its_swap_file(window_of, registry, monkeypatch):
    process = Process()
    process.add(registry["retrieve"])
    state_folder().mkdir(parents=True)
    (state_folder() / "untitled-1.swap").write_bytes(Document(process).as_xml())
    asked = []
    monkeypatch.setattr(questions, "ask_recover", lambda _, text: asked.append(text) or "recover")
    window = window_of()
    window.files.recover()
    assert "untitled" not in asked[0]
    assert "not saved: 1 operators" in asked[0]
    assert window.session.document.process.name == Process().name


def test_nothing_is_asked_for_an_empty_process(window_of, monkeypatch):
    state_folder().mkdir(parents=True)
    (state_folder() / "untitled-1.swap").write_bytes(Document().as_xml())
    (state_folder() / "untitled-2.swap").write_text("half a fi")
    monkeypatch.setattr(questions, "ask_recover", lambda *a: pytest.fail("asked without need"))
    window_of().files.recover()


def test_two_windows_with_one_file_do_not_write_the_same_swap_file(chain, file):
    one, two = Document.open(file), Document.open(file)
    savers = [Autosaver(one), Autosaver(two)]
    one.rename("Normalize", "One")
    two.rename("Normalize", "Two")
    for saver in savers:
        saver.write()
    assert "One" in swap_of(file).read_text()
    [other] = state_folder().glob("chain-*.swap")
    assert "Two" in other.read_text()
    for saver in savers:
        saver.remove()
    assert not swap_of(file).exists()
    assert not list(state_folder().iterdir())


def test_the_pause_is_what_the_settings_say(chain, qtbot):
    settings.DesignerSettings().autosave_seconds = 1
    saver = Autosaver(chain)
    chain.rename("Normalize", "N")
    qtbot.waitUntil(lambda: bool(list(state_folder().glob("*.swap"))), timeout=20_000)
    saver.remove()


@pytest.mark.parametrize("wanted", [True, False])
def test_an_earlier_session_is_brought_back_on_demand(window_of, chain, file, monkeypatch, wanted):
    lost = Document.open(file)
    lost.remove(ROOT, ["Normalize"])
    swap_of(file).write_bytes(lost.as_xml())
    answer = questions.RECOVER if wanted else questions.DISCARD
    monkeypatch.setattr(questions, "ask_recover", lambda *a: answer)
    window = window_of(Document())
    window.files.open_file(file)
    document = window.session.document
    assert ("Normalize" not in document.process) is wanted
    assert document.modified is wanted
    assert swap_of(file).exists() is wanted
    if wanted:
        window.edits.undo()
        assert "Normalize" in document.process


def test_closing_leaves_no_swap_file(window_of, chain, file):
    window = window_of(chain)
    chain.rename("Normalize", "N")
    window.session.autosaver.write()
    window.files.may_leave = lambda: True
    window.close()
    assert not swap_of(file).exists()


@pytest.mark.parametrize("suffix", [".swap", ".swap.lock"])
@pytest.mark.parametrize("target", ["canary", "new"])
def test_a_link_from_a_stranger_beside_the_file_is_not_written_through(
    chain, file, tmp_path, suffix, target
):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "canary").write_text("do not touch")
    (tmp_path / f".chain.xml{suffix}").symlink_to(mine / target)
    assert left_behind(file) is None
    saver = Autosaver(chain)
    chain.rename("Normalize", "N")
    saver.write()
    chain.rename("N", "M")
    saver.write()
    assert saver._written.parent == state_folder()
    assert "M" in saver._written.read_text()
    saver.remove()
    assert (mine / "canary").read_text() == "do not touch"
    assert [path.name for path in mine.iterdir()] == ["canary"]


def test_a_link_made_between_two_changes_is_not_written_through(chain, file, tmp_path):
    (tmp_path / "canary").write_text("do not touch")
    saver = Autosaver(chain)
    chain.rename("Normalize", "N")
    saver.write()
    swap_of(file).unlink()
    swap_of(file).symlink_to(tmp_path / "canary")
    chain.rename("N", "M")
    saver.write()
    assert (tmp_path / "canary").read_text() == "do not touch"
    saver.remove()
    assert (tmp_path / "canary").read_text() == "do not touch"
