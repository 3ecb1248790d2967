"""Dates as text, in the notation of Java that RapidMiner uses, such as ``yyyy-MM-dd HH:mm``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from fsops.errors import ParameterError, quoted

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
LETTERS = "yMdHhmsSaE"
LONGEST = 200
_PART = re.compile(r"'(?P<quoted>[^']*)'|(?P<letters>([A-Za-z])\3*)|(?P<plain>[^A-Za-z']+)")
_LONGEST_RUN = 9


@dataclass(frozen=True)
class DateFormat:
    """How dates are written: pieces of text, and runs of a letter that stand for a part."""

    parts: tuple[tuple[str, int], ...]
    """Letter and length of its run; a text has length 0."""
    text: str

    @classmethod
    def parse(cls, text: str, parameter: str = "date_format") -> DateFormat:
        """Return the format that a text in Java's notation means."""
        parts: list[tuple[str, int]] = []
        end = 0
        for found in _PART.finditer(text[:LONGEST]):
            if found.start() != end:
                break
            end = found.end()
            letters = found["letters"]
            if letters is None:
                parts.append((found["plain"] or found["quoted"] or "'", 0))
            elif letters[0] in LETTERS and len(letters) <= _LONGEST_RUN:
                parts.append((letters[0], len(letters)))
            else:
                raise _unknown(parameter, text, letters)
        if end != len(text) or not parts:
            raise _unknown(parameter, text, text[end : end + 10])
        return cls(tuple(parts), text)

    def written(self, date: datetime) -> str:
        """Return a date as text."""
        return "".join(p if not n else _WRITTEN[p](date, n) for p, n in self.parts)

    def read(self, text: str) -> datetime | None:
        """Return the date that a text means; None if it does not fit the format."""
        found = self._pattern().fullmatch(text.strip())
        if found is None:
            return None
        known = {"y": 1970, "M": 1, "d": 1, "H": 0, "m": 0, "s": 0, "S": 0}
        afternoon: bool | None = None
        for number, (part, length) in enumerate(self.parts):
            if not length:
                continue
            word = found[f"p{number}"]
            if part == "a":
                afternoon = word.lower() == "pm"
            elif part == "M" and length > 2:
                known["M"] = _month(word)
            elif part == "y" and length == 2 and len(word) == 2:
                known["y"] = int(word) + (2000 if int(word) < 50 else 1900)
            elif part != "E":
                known["H" if part == "h" else part] = int(word)
        if afternoon is not None:
            known["H"] = known["H"] % 12 + 12 * afternoon
        return _date(known)

    def _pattern(self) -> re.Pattern[str]:
        words = [
            re.escape(part) if not length else f"(?P<p{number}>{_READ[part](length)})"
            for number, (part, length) in enumerate(self.parts)
        ]
        return re.compile("".join(words), re.IGNORECASE)


def _unknown(parameter: str, text: str, wrong: str) -> ParameterError:
    return ParameterError(
        f"{parameter} is {quoted(text[:40])}; {quoted(wrong)} in it is not known.",
        hint="Use yyyy MM dd HH mm ss SSS, hh with a, MMM, EEE; put other words into '…'.",
    )


def _month(word: str) -> int:
    return next(
        n for n, month in enumerate(MONTHS, start=1) if month[:3].lower() == word[:3].lower()
    )


def _date(known: dict[str, int]) -> datetime | None:
    try:
        return datetime(
            known["y"],
            known["M"],
            known["d"],
            known["H"],
            known["m"],
            known["s"],
            known["S"] * 1000,
        )
    except ValueError:  # such as February 30
        return None


def _padded(number: int, length: int) -> str:
    return str(number).zfill(length)


_WRITTEN: dict[str, Callable[[datetime, int], str]] = {
    "y": lambda d, n: _padded(d.year % 100, 2) if n == 2 else _padded(d.year, n),
    "M": lambda d, n: (
        _padded(d.month, n) if n < 3 else MONTHS[d.month - 1][: 3 if n == 3 else None]
    ),
    "d": lambda d, n: _padded(d.day, n),
    "H": lambda d, n: _padded(d.hour, n),
    "h": lambda d, n: _padded((d.hour - 1) % 12 + 1, n),
    "m": lambda d, n: _padded(d.minute, n),
    "s": lambda d, n: _padded(d.second, n),
    "S": lambda d, n: _padded(d.microsecond // 1000, n),
    "a": lambda d, n: "AM" if d.hour < 12 else "PM",
    "E": lambda d, n: DAYS[d.weekday()][: None if n > 3 else 3],
}
_READ: dict[str, Callable[[int], str]] = {
    **dict.fromkeys("dHhms", lambda n: r"\d{1,2}"),
    "y": lambda n: r"\d{2}" if n == 2 else r"\d{1,4}",
    "M": lambda n: r"\d{1,2}" if n < 3 else "|".join(f"{m}|{m[:3]}" for m in MONTHS),
    "S": lambda n: r"\d{1,3}",
    "a": lambda n: "AM|PM",
    "E": lambda n: "|".join(f"{d}|{d[:3]}" for d in DAYS),
}
