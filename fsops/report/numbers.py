"""Numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

SIGNIFICANT = 5
LARGEST_FIXED, SMALLEST_FIXED = 1e7, 1e-4


def count_text(count: int) -> str:
    """Return a count with separators between thousands."""
    return f"{count:,}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun: ``1 row``, ``2,000 rows``."""
    return f"{count_text(count)} {noun}{'' if count == 1 else 's'}"


def number_text(value: float) -> str:
    """Return one number, short but not misleading."""
    if math.isnan(value):
        return "?"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:.{SIGNIFICANT}g}"


def column_texts(values: Sequence[float]) -> list[str]:
    """Return the numbers of a column with as many decimals each, so that they line up.

    Zeros at the end of all of them are left out. Where the sizes differ so much that small ones
    would be shown as 0, each number has its own significant digits.
    """
    sizes = [abs(v) for v in values if math.isfinite(v) and v]
    largest, smallest = max(sizes, default=1.0), min(sizes, default=1.0)
    if largest >= LARGEST_FIXED or smallest < SMALLEST_FIXED:
        return [number_text(v) for v in values]
    if all(v.is_integer() for v in values if math.isfinite(v)):
        return [f"{v:.0f}" if math.isfinite(v) else number_text(v) for v in values]
    decimals = max(SIGNIFICANT - 1 - math.floor(math.log10(largest)), 0)
    if smallest < 10.0**-decimals:
        return [number_text(v) for v in values]
    fixed = [f"{v:.{decimals}f}" for v in values if math.isfinite(v)]
    decimals -= min(len(text) - len(text.rstrip("0")) for text in fixed) if decimals else 0
    return [f"{v:.{decimals}f}" if math.isfinite(v) else number_text(v) for v in values]


def seconds_text(seconds: float) -> str:
    """Return a duration: ``0.32 s``, ``12.4 s``, ``3 min 05 s``, ``2 h 10 min``."""
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
