"""A process from a stranger reads outside its folder only after a question, asked once."""

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QMessageBox

from fsops.core.checks.file_reads import refused_files
from fsops.core.graph.process import Process
from fsops.storage import read_process, write_process
from fsops_gui.base.settings import state_folder
from fsops_gui.dialogs import questions
from fsops_gui.document.autosave import Autosaver, orphans, swap_of
from fsops_gui.document.document import Document

TABLE = "a,b,class\n1,2,x\n2,1,y\n3,5,x\n4,1,y\n"


@pytest.fixture(autouse=True)
def trusted_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FSOPS_TRUST", str(tmp_path / "trusted"))


@pytest.fixture
def private(tmp_path):
    file = tmp_path / "private" / "keys.csv"
    file.parent.mkdir()
    file.write_text(TABLE)
    return file


@pytest.fixture
def received(tmp_path, private, registry):
    """Return the file of a process that somebody else wrote; it reads a file of the user."""
    process = Process("Received")
    table = process.add(registry["read_csv"], path=str(private), label="class")
    process.result(table)
    file = tmp_path / "received" / "study.xml"
    file.parent.mkdir()
    write_process(process, file, trusted=False)
    return file


@pytest.fixture
def asked(monkeypatch):
    """Return the questions asked; the answer is the attribute ``answer``."""

    class Asked(list):
        answer = False

    questions_asked = Asked()

    def ask(_parent, title, files):
        questions_asked.append((title, dict(files)))
        return questions_asked.answer

    monkeypatch.setattr(questions, "ask_reading", ask)
    return questions_asked


def run(window, qtbot):
    """Press Run; return how the run ended, None if there was none."""
    window.runs.run()
    if window.session.run is None:
        return None
    qtbot.waitUntil(lambda: not window.session.run.running)
    return window.session.run.report.status


def test_no_means_that_nothing_runs(received, private, window_of, qtbot, asked):
    window = window_of(Document.open(received))
    assert run(window, qtbot) is None
    assert asked == [("study.xml", {private: "Read CSV"})]
    assert read_process(received).readable == Document.open(received).process.readable
    assert private not in read_process(received).readable


def test_yes_is_remembered_for_this_file_and_these_files_only(
    received, private, window_of, qtbot, asked, tmp_path, registry
):
    asked.answer = True
    window = window_of(Document.open(received))
    assert run(window, qtbot) == "finished"
    assert run(window, qtbot) == "finished"
    assert len(asked) == 1
    # Another session, and the command line, know it too.
    again = read_process(received)
    assert again.readable is not None
    assert refused_files(again, {}) == {}
    # Another file of the user, and a changed process, are asked about.
    other = private.with_name("other.csv")
    other.write_text(TABLE)
    again["Read CSV"].set_parameter("path", str(other))
    write_process(again, received, trusted=False)
    assert refused_files(read_process(received), {}) == {other: "Read CSV"}


def test_undo_does_not_ask_again(received, window_of, qtbot, asked):
    asked.answer = True
    document = Document.open(received)
    window = window_of(document)
    document.rename("Read CSV", "Keys")
    assert run(window, qtbot) == "finished"
    document.undo_stack.undo()
    assert run(window, qtbot) == "finished"
    assert len(asked) == 1


def test_own_processes_are_not_asked_about(received, window_of, qtbot, asked):
    document = Document.open(received)
    document.save()  # what is written here is trusted
    assert run(window_of(document), qtbot) == "finished"
    assert asked == []


def test_the_question_names_files_and_refuses_by_default(received, private, window_of, qtbot):
    window = window_of(Document.open(received))
    said = []

    def escape():
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        said.extend([box.text(), box.informativeText(), box.defaultButton().text()])
        box.reject()

    QTimer.singleShot(0, escape)
    assert run(window, qtbot) is None
    assert '"study.xml" wants to read outside its folder.' in said[0]
    assert f"{private} (by Read CSV)" in said[1]
    assert said[2] == "Do not run"


def test_what_somebody_else_writes_meanwhile_is_not_trusted(received, private, asked, registry):
    document = Document.open(received)
    document.save()
    assert document.process.readable is None
    changed = read_process(received)
    changed["Read CSV"].set_parameter("path", str(private.with_name("id_rsa")))
    write_process(changed, received, trusted=False)
    from fsops_gui.document.file_watch import FileWatch

    watch = FileWatch(document)
    watch.reload()
    watch.close()
    assert refused_files(document.process, {}) == {private.with_name("id_rsa"): "Read CSV"}
    document.undo_stack.undo()
    assert document.process.readable is None


def test_a_planted_swap_file_is_not_trusted(received, private, window_of, monkeypatch):
    document = Document.open(received)
    document.save()
    planted = read_process(received)
    planted["Read CSV"].set_parameter("path", str(private.with_name("id_rsa")))
    write_process(planted, swap_of(received), trusted=False)
    monkeypatch.setattr(questions, "ask_recover", lambda *_: questions.RECOVER)
    window = window_of(Document.open(received))
    window.files.recover()
    assert refused_files(window.session.document.process, {}) != {}
    window.session.document.undo_stack.setClean()


@pytest.mark.parametrize("own", [True, False])
def test_a_process_put_aside_stays_as_trusted_as_it_was(received, own, tmp_path):
    document = Document.open(received)
    if own:
        document.save()
    document.path = None
    saver = Autosaver(document)
    document.rename("Read CSV", "Keys")
    saver.write()
    saver._lock.unlock()
    [orphan] = orphans()
    assert (orphan.process.readable is None) == own
    assert refused_files(orphan.process, {}).keys() == (
        set() if own else {tmp_path / "private" / "keys.csv"}
    )
    saver.remove()
    assert not list(state_folder().glob("*.swap"))
