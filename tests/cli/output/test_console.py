"""Text on its way out."""

import pytest
from rich.console import Group
from rich.text import Text

from fsops.cli.output.console import (
    NARROWEST,
    PIPE_WIDTH,
    PlainConsole,
    print_json,
    results_console,
)
from fsops.report.table import TextColumn, TextTable


@pytest.fixture(autouse=True)
def width_not_set(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)


def test_nothing_is_interpreted(capsys):
    results_console().print("[red]x[/red] :smile: \x1b[31m \x00 \u202e")
    assert capsys.readouterr().out == "[red]x[/red] :smile: \\x1b[31m \\x00 \\u202e\n"


def test_what_a_plugin_prints_passes_the_same_gate(capsys):
    class Hostile:
        def __rich_console__(self, console, options):
            yield Text("\x1b]0;title\x1b\\")
            yield "\x9b1m"

    results_console().print(Hostile())
    assert capsys.readouterr().out == "\\x1b]0;title\\x1b\\\n\\x9b1m\n"


@pytest.mark.parametrize(
    ("columns", "width"),
    [(None, PIPE_WIDTH), ("120", 120), ("1", NARROWEST), ("0", PIPE_WIDTH), ("x", PIPE_WIDTH)],
)
def test_width(capsys, monkeypatch, columns, width):
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    assert results_console().width == width


def test_a_line_is_cut_on_a_terminal_only(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    results_console().print_line(Text("x" * 50))
    assert capsys.readouterr().out == "x" * 50 + "\n"
    monkeypatch.setattr(PlainConsole, "is_terminal", True)
    results_console().print_line(Text("y" * 50))
    assert "y" * 39 + "…" in capsys.readouterr().out


def test_messages_stay_on_one_line_in_a_pipe(capsys, monkeypatch):
    results_console().say("Error", "red", "word " * 60)
    assert capsys.readouterr().out.count("\n") == 1
    monkeypatch.setattr(PlainConsole, "is_terminal", True)
    results_console().say("Error", "red", "word " * 60)
    assert capsys.readouterr().out.count("\n") > 3


def test_messages_show_what_rich_would_drop(capsys):
    results_console().say("Error", "red", "a\x07b\rc")
    assert capsys.readouterr().out == "Error: a\\x07b\\rc\n"


def test_a_pipe_gets_all_of_a_table(capsys, monkeypatch):
    table = Group(Text("about"), TextTable([TextColumn("name", ["x" * 150])]))
    results_console().print(table)
    assert "x" * 150 in capsys.readouterr().out
    monkeypatch.setattr(PlainConsole, "is_terminal", True)
    results_console().print(table)
    assert "x" * 150 not in capsys.readouterr().out


def test_text_is_wrapped_unless_it_is_to_stay_on_one_line(capsys):
    results_console().print("word " * 60)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= PIPE_WIDTH
    results_console().print("word " * 60, soft_wrap=True)
    assert capsys.readouterr().out == "word " * 60 + "\n"


@pytest.mark.parametrize(
    ("variable", "value", "terminal"),
    [
        ("FORCE_COLOR", "1", True),
        ("FORCE_COLOR", "", False),
        ("TTY_COMPATIBLE", "1", True),
        ("TTY_COMPATIBLE", "0", False),
    ],
)
def test_a_pipe_can_be_said_to_be_a_terminal(capsys, monkeypatch, variable, value, terminal):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert not results_console().is_terminal
    monkeypatch.setenv(variable, value)
    assert results_console().is_terminal is terminal
    results_console().print(Text("x", "bold"))
    assert capsys.readouterr().out == ("\x1b[1mx\x1b[0m\n" if terminal else "x\n")


def test_json_needs_ascii_only(capsys):
    print_json({"ä": float("nan"), "b": [float("inf")]})
    assert capsys.readouterr().out == '{\n  "\\u00e4": null,\n  "b": [\n    "Infinity"\n  ]\n}\n'
