"""How text from a file is quoted in a message."""

from __future__ import annotations

import os


def shown(text: str | os.PathLike[str], limit: int = 60) -> str:
    """Return the text in quotation marks, on one line, without odd characters, cut if long."""
    plain = os.fspath(text)
    # repr writes control characters and lone surrogates as escapes.
    return f'"{repr(plain[:limit])[1:-1]}{"…" if len(plain) > limit else ""}"'
