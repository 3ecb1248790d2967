"""Unforeseen errors, in words."""

from __future__ import annotations

from collections.abc import Sequence

from fsops.errors import OperatorFailed


def unexpected(error: BaseException, path: Sequence[str] = ()) -> OperatorFailed:
    """Return the message for an error that does not come from fsops."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return OperatorFailed(
        f"The operator stopped with an unexpected error ({text}).",
        hint="Run again with --debug to see where.",
        path=tuple(path),
    )
