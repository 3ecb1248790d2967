"""A real designer is killed at any moment: what was not saved comes back (catalog: G1 to G4).

More kills: ``FSOPS_KILLS=50 pytest tests/gui/test_kills.py``.
"""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fsops.core.graph.process import Process
from fsops_gui.document.autosave import left_behind, swap_of
from fsops_gui.document.document import Document

PROGRAM = Path(__file__).with_name("designer_program.py")
KILLS = int(os.environ.get("FSOPS_KILLS", "4"))
LOST_AT_MOST = 40
"""Edits, one in 50 ms: two seconds. Edits and the clock of the autosave wait in the same queue, so
a busy machine makes no difference."""
WAIT = 120
LONG = """<process version="fsops-1"><operator class="process" name="Long"><process>
<operator class="generate_data" name="Data"/>
<operator class="loop" name="Loop"><parameter key="iterations" value="1000000"/><process>
<operator class="normalize" name="Scale"/>
<connect from_port="input 1" to_op="Scale" to_port="examples"/>
</process></operator>
<connect from_op="Data" from_port="examples" to_op="Loop" to_port="input 1"/>
</process></operator></process>"""


class Designer:
    """A designer that runs in a process of its own."""

    def __init__(self, folder, script, *files):
        settings = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        self.program = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(folder), script, *map(str, files)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=settings,
        )
        self.lines = []

    def read(self, beginning):
        """Return the rest of the next line that begins so."""
        for line in self.program.stdout:
            self.lines.append(line.strip())
            if line.startswith(beginning):
                return line[len(beginning) :].strip()
        raise AssertionError(f"{self.lines[-20:]} {self.program.stderr.read()}")

    def kill(self):
        """Kill it; return what it has printed since, and the last edit that it reported."""
        self.program.send_signal(signal.SIGKILL)
        rest, _ = self.program.communicate(timeout=WAIT)
        self.lines += rest.splitlines()
        return max([int(line.split()[1]) for line in self.lines if line.startswith("edit")] or [0])

    def end(self):
        """Wait for its end; return all lines."""
        rest, said = self.program.communicate(timeout=WAIT)
        assert self.program.returncode == 0, said
        assert "Traceback" not in said
        self.lines += rest.splitlines()
        return self.lines

    def questions(self):
        return [line for line in self.lines if line.startswith("asked")]


@pytest.fixture
def file(chain, tmp_path):
    chain.save(tmp_path / "study.xml")
    return tmp_path / "study.xml"


def number(process):
    numbers = [int(n.name.split()[1]) for n in process.walk() if n.name.startswith("Edit ")]
    return max(numbers, default=0)


@pytest.mark.slow
def test_at_most_two_seconds_of_edits_are_lost_also_if_it_is_killed_while_it_recovers(
    file, tmp_path
):
    rng = random.Random(1)
    before = file.read_bytes()
    kept = 0
    for _ in range(KILLS):
        designer = Designer(tmp_path, "edit_for_ever", file)
        brought_back = int(designer.read("begins"))
        assert brought_back >= kept  # a crash while recovering loses nothing more
        assert len(designer.questions()) == (kept > 0)
        for _ in range(rng.randrange(40)):
            designer.read("edit")
        last = designer.kill()
        assert file.read_bytes() == before  # only the user saves
        unsaved = left_behind(file)
        kept = number(unsaved) if unsaved is not None else 0
        assert kept >= brought_back
        assert max(last, brought_back) - kept <= LOST_AT_MOST
    assert kept > 0


@pytest.mark.slow
def test_a_process_without_a_file_comes_back_too(tmp_path):
    first = Designer(tmp_path, "stay")
    first.read("waits")
    first.kill()
    second = Designer(tmp_path, "look")
    assert "shown 1" in second.end()
    assert len(second.questions()) == 1


@pytest.mark.slow
def test_nothing_is_asked_after_a_clean_exit_or_about_a_file_that_is_open(file, tmp_path):
    first = Designer(tmp_path, "leave", file)
    assert "saved 1" in first.end()
    assert not swap_of(file).exists()
    open_one = Designer(tmp_path, "stay", file)
    open_one.read("waits")
    second = Designer(tmp_path, "look", file)
    assert "shown 1" in second.end()
    assert first.questions() == open_one.questions() == second.questions() == []
    open_one.kill()
    third = Designer(tmp_path, "look", file)  # now there is something to ask about
    third.end()
    assert len(third.questions()) == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs limits of file sizes")
def test_a_save_onto_a_full_disk_keeps_the_old_file_and_the_work(file, tmp_path):
    lines = Designer(tmp_path, "save_on_a_full_disk", file).end()
    [told] = [line for line in lines if line.startswith("told")]
    assert "study.xml" in told
    assert "cannot be written" in told or "could not be written" in told, told
    assert "modified True 1" in lines
    assert "on disk False" in lines
    assert "later False True" in lines


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="looks into /proc")
def test_a_run_does_not_outlive_a_designer_that_is_killed(tmp_path, qtbot):
    (tmp_path / "long.xml").write_text(LONG)
    designer = Designer(tmp_path, "run_and_wait", tmp_path / "long.xml")
    run = int(designer.read("run"))
    assert Path(f"/proc/{run}").exists()
    designer.kill()

    def is_gone():
        try:
            return Path(f"/proc/{run}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            return True

    try:
        qtbot.waitUntil(is_gone)
    finally:
        if not is_gone():
            os.killpg(run, signal.SIGKILL)


@pytest.mark.slow
def test_five_hundred_edits_of_five_hundred_operators_can_all_be_undone(registry):
    process = Process("Large")
    last = process.add(registry["retrieve"], repository_entry="iris")
    for _ in range(499):
        last = process.add(registry["normalize"], last)
    process.result(last)
    document = Document(process)
    before = document.as_xml()
    names = [node.name for node in document.process.walk()]
    for i, name in enumerate(names):
        document.rename(name, f"Edit {i}")
    assert number(document.process) == 499
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    assert document.as_xml() == before
