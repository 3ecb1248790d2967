"""Every exception a user of fsops can meet.

An error names its place, the problem, and a remedy. The command line maps each
class to an exit code; a traceback is shown only with ``--debug``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

__all__ = [
    "Cancelled",
    "DataError",
    "DeclarationError",
    "FsopsError",
    "InvalidProcess",
    "OperatorFailed",
    "OperatorWarning",
    "ParameterError",
    "PluginError",
    "PortError",
    "ProcessFileError",
    "RenamedWarning",
    "StorageError",
    "TimedOut",
    "UsageError",
]

PATH_SEPARATOR = " › "
MANY_NAMES = 5_000
LONGEST_NAME = 80


class FsopsError(Exception):
    """Base of all errors that fsops raises on purpose.

    Parameters
    ----------
    message : str
        The problem and the allowed values, as one sentence.
    hint : str
        What to do about it, as one sentence.
    path : sequence of str
        Names of the operators from the outermost to the one concerned.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", path: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.path = tuple(path)

    def at(self, path: Sequence[str]) -> FsopsError:
        """Note where the error happened; the innermost place, set first, is kept."""
        if not self.path:
            self.path = tuple(path)
        return self

    def __str__(self) -> str:
        where = f"{PATH_SEPARATOR.join(self.path)}: " if self.path else ""
        return where + " ".join(part for part in (self.message, self.hint) if part)


class DeclarationError(FsopsError):
    """An operator is declared in a way that cannot work; raised when its module is imported."""

    exit_code = 2


class ProcessFileError(FsopsError):
    """A process file cannot be read: not there, not XML, too large, hostile, or not a process.

    Carries the place in the file where that is known.
    """

    exit_code = 2

    def __init__(
        self, message: str, *, hint: str = "", line: int | None = None, column: int | None = None
    ) -> None:
        place = "" if line is None else f"line {line}"
        place += "" if column is None else f", column {column}"
        super().__init__(f"{place}: {message}" if place else message, hint=hint)
        self.line = line
        self.column = column


class InvalidProcess(FsopsError):
    """A process cannot run in its present form; ``problems`` lists the reasons."""

    exit_code = 2

    def __init__(self, message: str, problems: Iterable[object] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class UsageError(FsopsError):
    """A command-line argument or a call does not fit its target."""

    exit_code = 2


class ParameterError(FsopsError):
    """A parameter has a value it cannot have."""

    exit_code = 2


class PortError(FsopsError):
    """A connection does not fit: unknown port, wrong type, or nothing connected."""

    exit_code = 2


class DataError(FsopsError):
    """The data does not meet the requirements of the operator."""

    column: str = ""
    """The column that does not exist, if that is the reason."""
    near: tuple[str, ...] = ()
    """Columns with similar names."""


class StorageError(FsopsError):
    """A file cannot be read or written."""


class PluginError(FsopsError):
    """A plugin cannot be loaded or breaks its contract."""


class OperatorFailed(FsopsError):
    """An operator stopped with an error that is not one of ours; ``__cause__`` has it."""


class OperatorWarning(UserWarning):
    """A warning of an operator called as a plain function; a run collects them."""


class RenamedWarning(FutureWarning):
    """A file or a call uses an earlier name of an operator or a parameter."""


class Cancelled(FsopsError):
    """The run was stopped on request."""

    exit_code = 130


class TimedOut(Cancelled):
    """The run took longer than it was allowed to."""

    exit_code = 124


def closest(word: str, known: Iterable[str]) -> list[str]:
    """Return up to three known words close to ``word``, the closest first."""
    by_lower = {name.lower(): name for name in known}
    if len(by_lower) > MANY_NAMES:  # comparing with each would take seconds
        begin = word.lower()[:2]
        near = [low for low in by_lower if low.startswith(begin)][:MANY_NAMES]
        by_lower = {low: by_lower[low] for low in near}
    return [by_lower[name] for name in get_close_matches(word.lower(), by_lower, n=3, cutoff=0.6)]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a sentence suggesting the known words closest to ``word``, or an empty string."""
    close = closest(word, known)
    return f"Did you mean {' or '.join(map(quoted, close))}?" if close else ""


def unknown_column(name: str, names: Sequence[str], purpose: str) -> DataError:
    """Return the error that a file has no such column, with the name that may be meant."""
    hint = did_you_mean(name, names) or f"There are {enumerate_names(names)}."
    error = DataError(f'There is no column "{name}" to {purpose}.', hint=hint)
    error.column, error.near = name, tuple(closest(name, names))
    return error


def unknown_argument(function: str, argument: str, known: Iterable[str]) -> TypeError:
    """Return the error that a function has no such argument, with the one that may be meant."""
    hint = did_you_mean(argument, known)
    return TypeError(f"{function}() has no argument {argument!r}. {hint}".strip())


def quoted(name: str) -> str:
    """Return a name in quotation marks for a message."""
    return f'"{name}"'


def in_rows(places: Sequence[int]) -> str:
    """Return where something is, for a message: ``in row 3``, or ``in 7 rows, first in row 3``.

    The places count from 0, as arrays do.
    """
    first = f"in row {places[0] + 1}"
    return first if len(places) == 1 else f"in {len(places)} rows, first {first}"


def enumerate_names(names: Sequence[str], limit: int = 5) -> str:
    """Return names as quoted text for a message, the rest counted: ``"a", "b" and 7 more``.

    Long names are cut, so that a message never fills the screen.
    """
    shown = ", ".join(quoted(_cut(name)) for name in names[:limit])
    more = len(names) - limit
    return f"{shown} and {more} more" if more > 0 else shown


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"


def exit_code(error: BaseException) -> int:
    """Return the exit code that stands for an error."""
    return int(getattr(error, "exit_code", 1))
