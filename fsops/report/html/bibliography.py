"""The works that a report cites, as BibTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_WORK = re.compile(r"(?P<names>.+?) \((?P<year>\d{4})\)[:,]? ?(?P<rest>.*)", re.DOTALL)
_SPECIAL = re.compile(r"([&%$#_{}])")


def bibtex(works: Iterable[str], version: str) -> str:
    """Return works of the form "Names (year): Title. Where." as BibTeX, with fsops itself first."""
    entries = [_entry("software", "fsops", {"title": "fsops", "version": version})]
    keys = {"fsops"}
    for work in works:
        found = _WORK.fullmatch(" ".join(work.split()))
        if found is None:
            entries.append(_entry("misc", _new_key("work", keys), {"note": work}))
            continue
        authors = [name.strip() for name in re.split(r",|&", found["names"]) if name.strip()]
        title, _, where = found["rest"].partition(". ")
        key = _new_key(f"{_plain(authors[0])}{found['year']}", keys)
        fields = {
            "author": " and ".join(f"{{{_escaped(name)}}}" for name in authors),
            "year": found["year"],
            "title": f"{{{_escaped(title.rstrip('.'))}}}",
            "howpublished": _escaped(where.rstrip(".")),
        }
        entries.append(_entry("misc", key, fields, escape=False))
    return "\n\n".join(entries) + "\n"


def _entry(kind: str, key: str, fields: dict[str, str], *, escape: bool = True) -> str:
    lines = [
        f"  {name} = {{{_escaped(value) if escape else value}}},"
        for name, value in fields.items()
        if value
    ]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text.replace("\\", ""))


def _plain(name: str) -> str:
    """Return a name as letters without accents."""
    letters = unicodedata.normalize("NFKD", name)
    return "".join(c for c in letters if c.isascii() and c.isalpha()).lower() or "work"


def _new_key(wanted: str, keys: set[str]) -> str:
    key, number = wanted, ord("a")
    while key in keys:
        number += 1
        key = f"{wanted}{chr(number)}"
    keys.add(key)
    return key
