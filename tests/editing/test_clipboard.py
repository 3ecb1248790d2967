"""Operators are copied as text and pasted from a text."""

import pytest

from fsops import Process
from fsops.editing.clipboard import fragment, paste, process_in
from fsops.editing.levels import ROOT
from fsops.editing.notes import add_note
from fsops.errors import ProcessFileError
from fsops.operators import cross_validation
from fsops.storage.process_reader import parse_process
from fsops.storage.process_writer import format_process


def copied(process, names, notes=()):
    return format_process(fragment(process, names, notes)).decode()


@pytest.mark.parametrize("mark", ["", "> ", ">> ", "\u00a0"])
def test_a_process_is_found_in_a_mail(chain, mark):
    lines = copied(chain, ["Normalize", "Weight by SAM"]).splitlines()
    quoted = "\n".join(mark + line for line in lines)
    text = f"Dear Anna,\n\nif a < b take this:\n\n{quoted}\n\nCheers > all\n"
    assert [node.name for node in process_in(text)] == ["Normalize", "Weight by SAM"]
    assert len(process_in(text).connections) == 1


def test_the_text_of_a_quoted_note_is_not_changed(chain):
    add_note(chain, ROOT, "He said:\n\n> never", (0, 0))
    text = copied(chain, [], [0])
    assert process_in(f"See:\n{text}").notes[0].text == "He said:\n\n> never"


def test_bare_operators_are_taken_too(chain):
    text = '<operator class="normalize" name="Z"/>\n<operator class="retrieve" name="R"></operator>'
    assert paste(chain, process_in(f"Try this: {text}")) == ["Z", "R"]


def test_a_text_without_a_process_is_refused():
    with pytest.raises(ProcessFileError, match="no process"):
        process_in("a < b, <process> and so on")


def test_pasted_operators_get_free_names_on_all_levels(quickstart):
    assert paste(quickstart, fragment(quickstart, ["Cross Validation"])) == ["Cross Validation (2)"]
    names = [node.name for node in quickstart.walk()]
    assert "Naive Bayes (2)" in names
    assert len(names) == len(set(names))


def test_a_copy_of_nested_operators_of_one_kind_has_names_of_its_own():
    """The outer copy took the name that the inner one was given, so that the file was another."""
    process = Process("P")
    outer = process.add(cross_validation)
    outer.inner("Training").add(cross_validation)
    paste(process, fragment(process, [outer.name]))
    names = [node.name for node in process.walk()]
    assert len(set(names)) == len(names) == 4
    assert parse_process(format_process(process)) == process
