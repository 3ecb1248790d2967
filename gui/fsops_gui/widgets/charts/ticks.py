"""Ticks of an axis: round numbers, and their texts."""

from __future__ import annotations

import math

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers between two ends, at most so many."""
    span = high - low
    if not math.isfinite(span) or span <= 0 or most < 2:
        return []
    raw = span / most
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(s * size for s in STEPS if s * size >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, min(last, first + most) + 1)]


def tick_texts(values: list[float]) -> list[str]:
    """Return the texts of ticks, all with the decimals that distinguish them."""
    if len(values) < 2:
        return [number_text(value) for value in values]
    step = abs(values[1] - values[0])
    largest = max(abs(value) for value in values)
    if largest >= 1e5 or step < 1e-4:
        return [f"{value:.3g}".replace("-", "−") for value in values]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    decimals += round(step * 10**decimals, 6) % 1 != 0
    return [f"{value:,.{decimals}f}".replace("-", "−") for value in values]


def number_text(value: float, digits: int = 4) -> str:
    """Return a number for people: few digits, a real minus sign."""
    if math.isnan(value):
        return "?"
    text = f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"
    return text.replace("-", "−")
