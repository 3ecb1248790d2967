"""Likely meanings of the columns of a user's table, as far as their values show them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from fsops.data import Attribute
from fsops.storage.compressed import unpacked

GAPS = frozenset(
    ("n/a", "N/A", "#N/A", "na", "Na", "n.a.", "N.A.", "k.A.", "none", "None", "-", "--", ".")
    + ("#DIV/0!", "#NUM!", "#VALUE!", "#WERT!", "#NV")
)
"""Further texts for missing values in spreadsheets, besides those that Read CSV knows."""
DATE = re.compile(r"(\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./](\d\d|\d{4}))([ T]\d\d?:\d\d.*)?")
ID_NAME = re.compile(r"(.*[\W_])?(id|nr|no|number|index)|(patient|sample|subject|row)s?", re.I)
ID_ENDING = re.compile(r".*[a-z]ID")


def encoding_of(path: Path) -> str:
    """Return utf-8 or utf-16 if a file is such text, and latin-1, which any file can be, if not."""
    with unpacked(path) as plain:
        with plain.open("rb") as stream:
            if stream.read(2) in (b"\xff\xfe", b"\xfe\xff"):
                return "utf-16"
        try:
            with plain.open(encoding="utf-8") as text:
                while text.read(2**20):
                    pass
        except UnicodeDecodeError:
            return "latin-1"
    return "utf-8"


def has_dates(attribute: Attribute) -> bool:
    """Whether all values of a nominal attribute are dates."""
    return bool(attribute.categories) and all(map(DATE.fullmatch, attribute.categories))


def is_called_id(name: str) -> bool:
    """Whether the name of a column says that it names the rows."""
    return bool(ID_NAME.fullmatch(name) or ID_ENDING.fullmatch(name))


def numbers_rows(values: Iterable[float], name: str) -> bool:
    """Whether whole numbers name the rows: they count them, or differ and are called an id."""
    column = np.asarray(values)
    if len(column) < 3 or not np.isfinite(column).all():
        return False
    counted = bool((np.diff(column) == 1).all())
    return counted or (is_called_id(name) and len(np.unique(column)) == len(column))
