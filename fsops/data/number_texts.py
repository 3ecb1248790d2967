"""Numbers that were read as texts, because of a decimal comma or of words among them."""

from __future__ import annotations

import re

from fsops.data.schema import Attribute

UNIT = re.compile(r"(?P<number>.*\d)(?P<unit>\s+[^\W\d_][^\s\d]*|\s*[%‰°])\s*")
"""A number with a unit: after a blank, or one of few signs. So A12a and 12a can be names."""
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
THOUSANDS = r"[+-]?\d{1,3}([.,]\d{3})+"
LOOKS_NUMERICAL = 0.9
"""Fraction of numbers from which a text in the column is probably a slip."""
FEW_NUMBERS = 10
"""Up to so many numbers may be names of grades or stages."""


def has_decimal_comma(attribute: Attribute) -> bool:
    """Whether the values of a nominal attribute are numbers such as 1,5; 1,234 may be thousands."""
    texts = attribute.categories
    numbers = [text for text in texts if _is_number(text, ",")]
    decimal_comma = any("," in text and not re.fullmatch(THOUSANDS, text) for text in numbers)
    return decimal_comma and len(numbers) >= LOOKS_NUMERICAL * len(texts)


def slips(attribute: Attribute, decimal: str) -> list[str]:
    """Return the texts in a column that otherwise has numbers; none if it is not such a column."""
    texts = attribute.categories
    others = [text for text in texts if not _is_number(text, decimal)]
    numbers = len(texts) - len(others)
    return others if FEW_NUMBERS < numbers >= LOOKS_NUMERICAL * len(texts) else []


def numbers_with_unit(attribute: Attribute, decimal: str) -> bool:
    """Return whether the values of a nominal attribute are numbers with one unit, such as 5 mg."""
    texts = attribute.categories
    if len(texts) <= FEW_NUMBERS:
        return False
    parts = [UNIT.fullmatch(text) for text in texts]
    units = {part["unit"].strip() for part in parts if part is not None}
    return len(units) == 1 and all(
        part is not None and _is_number(part["number"], decimal) for part in parts
    )


def _is_number(text: str, decimal: str) -> bool:
    return NUMBER.fullmatch(text.replace(decimal, ".")) is not None
