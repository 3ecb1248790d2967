"""Whatever goes wrong: one message on stderr and the right exit code."""

import io
import signal
import sys

import pytest
import typer

from fsops.cli import failures
from fsops.cli.failures import exit_code_of, prepare_streams
from fsops.cli.signals import Signals
from fsops.errors import Cancelled, DataError, FsopsError, ProcessFileError, StorageError


def failing(error):
    def action():
        raise error

    return action


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (DataError("No rows.", hint="Add some.", path=("CV", "Training")), 1,
         "Error: CV › Training: No rows. Add some.\n"),
        (ProcessFileError("Not closed.", line=3), 2, "Error: line 3: Not closed.\n"),
        (StorageError("Disk full."), 1, "Error: Disk full.\n"),
        (Cancelled("The run was stopped."), 130, "Stopped: The run was stopped.\n"),
        (KeyboardInterrupt(), 130, "Stopped: The command was interrupted.\n"),
        (PermissionError(13, "Permission denied", "x.csv"), 1,
         'Error: "x.csv": Permission denied.\n'),
    ],
)  # fmt: skip
def test_message_and_exit_code(capsys, error, code, said):
    assert exit_code_of(failing(error)) == code
    captured = capsys.readouterr()
    assert captured.err == said
    assert captured.out == ""


@pytest.mark.parametrize("error", [Cancelled("The run was stopped."), DataError("No rows.")])
def test_an_interrupt_while_an_error_is_told_is_told_as_well(capsys, monkeypatch, error):
    tell, told = failures._tell, []

    def interrupted(error):
        told.append(error)
        if len(told) == 1:
            raise KeyboardInterrupt
        return tell(error)

    monkeypatch.setattr(failures, "_tell", interrupted)
    assert exit_code_of(failing(error)) == 130
    assert capsys.readouterr().err == "Stopped: The command was interrupted.\n"


def test_an_interrupt_that_an_import_turns_into_another_error_is_told_as_one(capsys, monkeypatch):
    monkeypatch.setattr(failures, "SIGNALS", Signals())
    failures.SIGNALS.begin_work()

    def work():
        try:
            failures.SIGNALS.handle(signal.SIGINT, None)
        except KeyboardInterrupt as error:
            raise RuntimeError("Error calling __set_name__") from error

    assert exit_code_of(work) == 130
    assert capsys.readouterr().err == "Stopped: The command was interrupted.\n"


def test_an_unexpected_error_is_called_a_fault(capsys):
    assert exit_code_of(failing(ZeroDivisionError("division by zero"))) == 1
    said = capsys.readouterr().err
    assert "unexpected error (ZeroDivisionError: division by zero)" in said
    assert "--debug" in said
    assert "Traceback" not in said


def test_debug_adds_the_traceback(capsys):
    assert exit_code_of(failing(DataError("Bad.")), debug=True) == 1
    said = capsys.readouterr().err
    assert said.startswith("Traceback")
    assert said.endswith("Error: Bad.\n")


def test_exit_passes_its_code():
    assert exit_code_of(failing(typer.Exit(7))) == 7
    assert exit_code_of(lambda: None) == 0


def test_every_class_of_error_has_a_documented_code():
    classes = [FsopsError, *FsopsError.__subclasses__()]
    assert {kind.exit_code for kind in classes} <= {1, 2, 130}


def test_messages_cannot_act_on_the_terminal(capsys):
    exit_code_of(failing(DataError("\x1b[2Jgone [bold]x[/bold] \x9b31m")))
    assert capsys.readouterr().err == "Error: \\x1b[2Jgone [bold]x[/bold] \\x9b31m\n"


def test_a_stream_without_our_characters_gets_plain_ones(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(raw, encoding="ascii"))
    exit_code_of(failing(DataError("1 … 2 ± 3 ∑ \udcff", path=("a", "b"))))
    sys.stderr.flush()
    assert raw.getvalue() == b"Error: a > b: 1 ... 2 +- 3 \\u2211 \\udcff\n"


def test_closed_streams_are_replaced(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    prepare_streams()
    sys.stdout.write("nobody hears this")
    sys.stdout.close()
