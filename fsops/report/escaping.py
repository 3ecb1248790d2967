"""Text from files shown as text: nothing in it can act on a terminal."""

from __future__ import annotations

import re

# C0 and C1 controls, line separators, marks that reverse the reading direction, half characters.
_ACTIVE = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_ANY = re.compile(f"[{_ACTIVE}]")
_ANY_BUT_NEWLINE = re.compile(f"(?!\n)[{_ACTIVE}]")


def visible(text: object, *, keep_lines: bool = False) -> str:
    r"""Return the text with control characters spelled out, such as ``\x1b`` for Escape."""
    return (_ANY_BUT_NEWLINE if keep_lines else _ANY).sub(_spelled, str(text))


def _spelled(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
