"""Described attributes as rows of the page: the cells, with small plots."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import numpy as np

from fsops.data import AttributeDescriptions, StudyAnswer
from fsops.report.escaping import visible
from fsops.report.html.charts import box_plot, effect_plot, frequency_plot, group_colour
from fsops.report.numbers import number_text

MOST_ROWS = 200
"""Attributes with small plots; the table of all numbers has the others, too."""
MANY_MISSING = 0.2
SIGNIFICANT = 0.05
NEVER_SMALLER = 1e-4
"""Smaller p-values are written as such."""


@dataclass(frozen=True)
class Cell:
    """A cell: its content as HTML or text, and the value it is sorted by."""

    text: str
    sort: str | float | None
    plot: str = ""


@dataclass(frozen=True)
class Row:
    """An attribute."""

    name: str
    link: str
    state: str
    """ok if it is beyond chance, else below."""
    state_word: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class AttributeList:
    """The attributes that the page lists."""

    heading: str
    about: str
    limit: str
    columns: tuple[tuple[str, bool], ...]
    """Heading, and whether it is a number."""
    rows: tuple[Row, ...]
    groups: tuple[tuple[str, str], ...]
    """Class and the name of its color."""
    more: int


def attribute_list(
    described: AttributeDescriptions,
    answer: StudyAnswer | None,
    rows: int | None = None,
    most: int = MOST_ROWS,
) -> AttributeList:
    """Return the described attributes with the limits of chance that the answer knows.

    ``rows`` is the number of rows of the data, if it is known; ``most`` the number of attributes.
    """
    shown = min(len(described), most)
    beyond = _beyond(described, answer)
    limit = answer.chance.frequency_limit if answer is not None else math.nan
    makers = _columns(described, limit, rows)
    made = [
        _row(described, i, beyond[i], [make(i) for _, _, make in makers], answer)
        for i in range(shown)
    ]
    count = int(beyond.sum())
    colours = [group_colour(i, len(described.groups))[1] for i in range(len(described.groups))]
    return AttributeList(
        "The attributes" if count else "The attributes chosen most often",
        _about(count, len(described), answer),
        f"chance limit {100 * limit:.0f} %" if math.isfinite(limit) else "",
        tuple((name, number) for name, number, _ in makers),
        tuple(made),
        tuple(zip(map(visible, described.groups), colours, strict=True)),
        len(described) - shown,
    )


def _beyond(described: AttributeDescriptions, answer: StudyAnswer | None) -> Any:
    if answer is None:
        adjusted = described.columns["adjusted_p_value"]
        return np.asarray(adjusted <= SIGNIFICANT)
    names = {found.name for found in answer.beyond} if answer.verdict.found else set()
    return np.array([name in names for name in described.names], dtype=bool)


def _about(count: int, total: int, answer: StudyAnswer | None) -> str:
    if answer is None:
        return f"{count} of {total} have an adjusted p-value of at most {SIGNIFICANT:g}"
    if not answer.verdict.found:
        return "none is beyond chance; shown only so that you can check"
    if not count:
        return "no single one is beyond chance; use them as a set"
    return f"{count} of {total} are beyond chance, corrected for all {answer.attributes:,}"


def _row(
    described: AttributeDescriptions,
    i: int,
    beyond: bool,
    cells: list[Cell],
    answer: StudyAnswer | None,
) -> Row:
    name = described.names[i]
    link = described.link.replace("{attribute}", quote(name, safe="")) if described.link else ""
    word = "beyond chance" if answer is not None else "significant"
    return Row(
        visible(name),
        link,
        "ok" if beyond else "below",
        word if beyond else f"not {word}",
        tuple(cells),
    )


def _columns(described: AttributeDescriptions, limit: float, rows: int | None) -> list[Any]:
    """Return heading, whether it is a number, and the function that makes a cell."""
    columns, made = described.columns, []
    direction = next((name for name in ("higher_in", "direction") if name in columns), "")
    if direction:
        heading = "Higher in" if direction == "higher_in" else "Label"
        made.append((heading, False, lambda i: _plain(columns[direction][i])))
    by = "By class" if direction == "higher_in" else "By thirds of the label"
    made.append((by, False, lambda i: _boxes(described, i)))
    made.append((f"{described.effect}, 95 % interval".capitalize(), True, _effects(described)))
    if "fold_change" in columns:
        made.append(("Fold change", True, lambda i: _fold(float(columns["fold_change"][i]))))
    made.append(("Adjusted p", True, lambda i: _p_value(float(columns["adjusted_p_value"][i]))))
    if "frequency" in columns:
        made.append(("Chosen", True, lambda i: _frequency(float(columns["frequency"][i]), limit)))
    if "rank_low" in columns:
        made.append(("Rank, 90 %", True, lambda i: _ranks(columns, i)))
    made.append(("Note", False, lambda i: _note(described, i, rows)))
    return made


def _plain(value: object) -> Cell:
    return Cell(visible(value), visible(value))


def _boxes(described: AttributeDescriptions, i: int) -> Cell:
    spread = described.boxes[i, :, 2]
    known = spread[np.isfinite(spread)]
    sort = float(known.max() - known.min()) if known.size else None
    return Cell("", sort, box_plot(described.boxes[i], described.groups))


def _effects(described: AttributeDescriptions) -> Any:
    columns = described.columns
    parts = [columns[name][:MOST_ROWS] for name in ("effect", "lower", "upper")]
    known = np.concatenate([part[np.isfinite(part)] for part in parts])
    span = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)

    def cell(i: int) -> Cell:
        effect, low, high = (float(columns[name][i]) for name in ("effect", "lower", "upper"))
        if math.isnan(effect):
            return Cell("", None)
        text = _two(effect)
        if math.isfinite(low) and math.isfinite(high):
            text += f" ({_two(low)} to {_two(high)})"
        return Cell(
            text,
            abs(effect) if math.isfinite(effect) else 1e9,
            effect_plot(effect, low, high, span),
        )

    return cell


def _two(value: float) -> str:
    if math.isinf(value):
        return number_text(value)
    return f"{value:.2f}".replace("-", "−")


def _fold(value: float) -> Cell:
    if math.isnan(value):
        return Cell("", None)
    text = f"{value:.2f} ×" if value >= 1 else f"1 / {1 / value:.2f}" if value > 0 else "0"
    return Cell(text, abs(math.log(value)) if 0 < value < math.inf else 1e9)


def _p_value(p: float) -> Cell:
    if p < NEVER_SMALLER:
        exponent = math.floor(math.log10(p)) if p > 0 else -308
        return Cell(f"< 1e{exponent + 1}", p)
    return Cell(f"{p:.2g}" if p < 0.1 else f"{p:.2f}", p)


def _frequency(value: float, limit: float) -> Cell:
    return Cell(f"{100 * value:.0f} %", value, frequency_plot(value, limit))


def _ranks(columns: dict[str, Any], i: int) -> Cell:
    low, high = int(columns["rank_low"][i]), int(columns["rank_high"][i])
    return Cell(f"{low:,} to {high:,}" if low != high else f"{low:,}", high)


def _note(described: AttributeDescriptions, i: int, rows: int | None) -> Cell:
    columns, notes = described.columns, []
    if "correlation" in columns and columns["cluster"][i]:
        other = visible(columns["goes_along_with"][i])
        notes.append(f"r {_two(float(columns['correlation'][i]))} with {other}")
    others = int(columns["others"][i]) if "others" in columns else 0
    if others > 1:
        notes.append(f"{others:,} alike")
    missing = int(columns["missing"][i])
    if missing:
        part = f"{100 * missing / rows:.0f} % missing" if rows else f"{missing:,} missing"
        notes.append(part)
    return Cell(", ".join(notes), ", ".join(notes))
