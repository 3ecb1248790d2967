"""Notices about earlier names, as the command line prints them: each once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fsops.errors import RenamedWarning


@contextmanager
def notices(*, quiet: bool) -> Iterator[None]:
    """Print each notice about an earlier name once, on standard error; none if ``quiet``."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", RenamedWarning)
        others, printed = warnings.showwarning, set()

        def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
            text = str(message)
            if not issubclass(category, RenamedWarning):
                others(message, category, *place)
            elif not quiet and text not in printed:
                from fsops.cli.output.console import errors_console

                printed.add(text)
                errors_console().say("Notice", "cyan", text)

        warnings.showwarning = show  # type: ignore[assignment]
        yield
