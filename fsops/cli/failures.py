"""The one place that converts errors into a message and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import typer

from fsops.cli.signals import SIGNALS
from fsops.errors import (
    Cancelled,
    FsopsError,
    InvalidProcess,
    did_you_mean,
    enumerate_names,
    exit_code,
)

# How typer's own checks put it, and how we do.
_REWORDED = {
    "Value error, ": "",
    "Input should be a valid integer, unable to parse string as an integer": "not a whole number.",
    "Input should be greater than or equal to": "the smallest possible value is",
}
INTERRUPTED = "The command was interrupted."
BUG_HINT = "This is a fault in fsops or a plugin. Run again with --debug to see where."


def exit_code_of(action: Callable[[], None], *, debug: bool = False) -> int:
    """Do something and return the exit code; errors become one message on stderr."""
    try:
        return SIGNALS.end_work(_exit_code_of(action, debug))
    except KeyboardInterrupt:  # again, while the end was prepared or reported
        return SIGNALS.end_work(_tell(Cancelled(INTERRUPTED)))


def _exit_code_of(action: Callable[[], None], debug: bool) -> int:
    try:
        prepare_streams()
        try:
            action()
        finally:
            sys.stdout.flush()
    except typer.Exit as finished:
        return finished.exit_code
    except BrokenPipeError:
        _stop_writing()
        return 0
    except Exception as error:  # noqa: BLE001 - nobody above could tell the user
        if debug:
            import traceback

            traceback.print_exception(error)
        _drop_unwritable()
        return _tell(_interrupted(error))
    return 0


def _interrupted(error: Exception) -> Exception:
    """Return an error, or the interrupt that Python has turned into it, as imports do."""
    if SIGNALS.has_interrupted and not isinstance(error, FsopsError):
        return Cancelled(INTERRUPTED)
    return error


def prepare_streams() -> None:
    """Let no character of a name or a message fail on the way to a terminal or a file."""
    from fsops.cli.output.encoding import FALLBACK, register_fallback

    register_fallback()
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name)
        if stream is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=FALLBACK)


def _stop_writing() -> None:
    """Discard the buffered output of a reader that has gone."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, sys.stdout.fileno())


def _drop_unwritable() -> None:
    """Drop buffered output that cannot be written: Python would try again when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        _stop_writing()


def _tell(error: Exception) -> int:
    """Print what went wrong and return the exit code."""
    from fsops.cli.output.console import errors_console

    if isinstance(error, InvalidProcess):
        from fsops.cli.output.problems import show_refusal

        show_refusal(errors_console(), error)
        return error.exit_code
    word, style = ("Stopped", "yellow") if isinstance(error, Cancelled) else ("Error", "bold red")
    errors_console().say(word, style, _message(error))
    return exit_code(error)


def _message(error: Exception) -> str:
    if isinstance(error, FsopsError):
        return str(error)
    if hasattr(
        error, "format_message"
    ):  # typer's own errors; their class has moved between versions
        return _usage_message(error)
    if isinstance(error, OSError):
        place = f'"{error.filename}": ' if error.filename else ""
        return f"{place}{error.strerror or error}."
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"An unexpected error ({said}). {BUG_HINT}"


def _usage_message(error: Any) -> str:
    """Return the error in the command line, and the way to its help."""
    context: Any = getattr(error, "ctx", None)
    option = getattr(error, "option_name", None)
    if option is not None and hasattr(error, "possibilities"):
        known = [
            name for each in context.command.params for name in each.opts if name.startswith("-")
        ]
        hint = did_you_mean(option, known) or f"Options: {', '.join(known[:20])}."
        message = f"Unknown option {option}. {hint}"
    elif error.format_message().startswith("Missing command"):
        known = context.command.list_commands(context)
        message = f"No subcommand given. Choose one of {enumerate_names(known, 20)}."
    else:
        message = error.format_message()
        for theirs, ours in _REWORDED.items():
            message = message.replace(theirs, ours)
    return message if context is None else f"{message}\nSee: {context.command_path} --help"
