"""Replacements for characters that a terminal or file cannot encode."""

from __future__ import annotations

import codecs

FALLBACK = "fsops_fallback"

_PLAIN = {
    "…": "...", "±": "+-", "›": ">", "→": "->", "×": "x", "·": "*", "−": "-", "–": "-", "—": "-",
    "’": "'", "“": '"', "”": '"', "≥": ">=", "≤": "<=",
    **dict.fromkeys("█▉▊▋▐", "#"), **dict.fromkeys("▌▍▎▏▕", " "),
    **dict.fromkeys("─━╸╺╴╶", "-"), **dict.fromkeys("│┃", "|"), **dict.fromkeys("┼╇╋", "+"),
}  # fmt: skip


def register_fallback() -> None:
    """Make the error handler `FALLBACK` known to Python's text streams."""
    codecs.register_error(FALLBACK, _replace)


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Return a plain spelling of what cannot be encoded, or its number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    failed = error.object[error.start : error.end]
    return "".join(_PLAIN.get(c) or ascii(c)[1:-1] for c in failed), error.end
