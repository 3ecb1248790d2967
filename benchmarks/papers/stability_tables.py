"""Figures of the thesis on stable selections beside ours: tables in Markdown and with commas."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "processes" / "papers" / "stability"

Figures = dict[str, dict[int, tuple[float, float | None]]]
"""Error and stability by method and number of attributes."""


@dataclass(frozen=True)
class Cell:
    """Error, number of attributes and stability of a method; what is not known is None."""

    error: float | None
    number: int | None
    stability: float | None

    def __str__(self) -> str:
        """Return it as it stands in a table."""
        shown = [_short(self.error), str(self.number or ""), _short(self.stability)]
        return " / ".join(part for part in shown if part)


def _short(value: float | None, sign: str = "") -> str:
    return "" if value is None else f"{value:{sign}.3f}".replace("0.", ".", 1)


def printed(tables: str, sizes: bool) -> dict[tuple[str, str, int], Cell]:
    """Return the printed figures of some tables, by data set, method, and size if asked for."""
    with (FOLDER / "printed.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["table"] in tables.split()]
    cells = {}
    for row in rows:
        error, agreed = (float(row[k]) if row[k] else None for k in ("error", "stability"))
        number = int(row["attributes"] or 0)
        key = row["data set"], row["method"], number if sizes else 0
        cells[key] = Cell(error, None if sizes else number, agreed)
    return cells


def ours(at: dict[int, tuple[float, float | None]], kind: str, size: int) -> Cell:
    """Return a cell as the thesis has it: at a size, at the smallest error, or the mean."""
    if kind == "mean":
        known = [s for _, s in at.values() if s is not None]
        mean = float(np.mean(known)) if known else None
        return Cell(float(np.mean([e for e, _ in at.values()])), None, mean)
    found = size or min(at, key=lambda k: (round(at[k][0], 12), k))
    return Cell(at[found][0], None if size else found, at[found][1])


@dataclass(frozen=True)
class Difference:
    """Ours minus theirs, and how much of it may be chance; what is not known is None."""

    error: float | None
    stability: float | None
    error_limit: float
    stability_limit: float

    @classmethod
    def of(cls, theirs: Cell, mine: Cell, rows: int) -> Difference:
        """Compare two cells of a data set with so many rows."""
        e = theirs.error
        chance = 0.0 if e is None else 2 * (e * (1 - e) / rows) ** 0.5
        return cls(
            _less(mine.error, theirs.error),
            _less(mine.stability, theirs.stability),
            max(0.04, chance),
            0.12 if rows >= 60 else 0.20,
        )

    def parts(self) -> list[tuple[float, bool]]:
        """Return what is known, and whether it is more than chance allows."""
        pairs = ((self.error, self.error_limit), (self.stability, self.stability_limit))
        return [(apart, abs(apart) > limit) for apart, limit in pairs if apart is not None]

    def __str__(self) -> str:
        """Return it as it stands in a table, in bold what is more than chance allows."""
        shown = [(_short(apart, "+"), far) for apart, far in self.parts()]
        return " / ".join(f"**{text}**" if far else text for text, far in shown)


def _less(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


@dataclass(frozen=True)
class Line:
    """What is known of a method on a data set: print, ours and the difference."""

    data: str
    method: str
    size: int
    theirs: Cell
    mine: Cell
    apart: Difference


def compared(
    tables: str, kind: str, found: Mapping[str, Figures], rows: Mapping[str, int]
) -> Iterator[list[Line]]:
    """Yield the methods side by side, for each data set, and each size if the print has sizes."""
    text = printed(tables, kind == "sizes")
    for name, figures in found.items():
        for size in sorted(next(iter(figures.values()))) if kind == "sizes" else [0]:
            lines = []
            for method, at in figures.items():
                theirs = text.get((name, method, size), Cell(None, None, None))
                mine = ours(at, kind, size)
                lines.append(
                    Line(name, method, size, theirs, mine, Difference.of(theirs, mine, rows[name]))
                )
            yield lines


def markdown(tables: str, kind: str, found: Mapping[str, Figures], rows: Mapping[str, int]) -> str:
    """Return three lines for each data set: the paper, ours, and the difference."""
    methods = list(dict.fromkeys(method for figures in found.values() for method in figures))
    text = [f"| | | {' | '.join(methods)} |", "|---" * (len(methods) + 2) + "|"]
    for lines in compared(tables, kind, found, rows):
        by_method = {line.method: line for line in lines}
        title = f"{lines[0].data}, {lines[0].size}" if lines[0].size else lines[0].data
        for first, who, part in (
            (title, "paper", "theirs"),
            ("", "ours", "mine"),
            ("", "difference", "apart"),
        ):
            cells = [str(getattr(by_method[m], part)) if m in by_method else "" for m in methods]
            text.append(f"| {first} | {who} | {' | '.join(cells)} |")
    return "\n".join(text)


def results(
    tables: str, kind: str, found: Mapping[str, Figures], rows: Mapping[str, int]
) -> Iterator[dict[str, str]]:
    """Yield a line for each method, data set and size, with all figures."""
    for lines in compared(tables, kind, found, rows):
        for line in lines:
            far = [
                name
                for name, value, limit in (
                    ("error", line.apart.error, line.apart.error_limit),
                    ("stability", line.apart.stability, line.apart.stability_limit),
                )
                if value is not None and abs(value) > limit
            ]
            yield {
                "table": _table_of(tables, line.data),
                "data set": line.data,
                "method": line.method,
                "attributes": str(line.size or ("" if kind == "best" else "10-100")),
                "paper's attributes": str(line.theirs.number or ""),
                "our attributes": str(line.mine.number or ""),
                "paper's error": _exact(line.theirs.error),
                "our error": _exact(line.mine.error),
                "difference of errors": _exact(line.apart.error),
                "paper's stability": _exact(line.theirs.stability),
                "our stability": _exact(line.mine.stability),
                "difference of stabilities": _exact(line.apart.stability),
                "more than chance": " and ".join(far),
                "note": note(tables, line.data, line.method),
            }


def _exact(value: float | None) -> str:
    return "" if value is None or np.isnan(value) else f"{value:.4f}"


def _table_of(tables: str, data: str) -> str:
    """Return which of tables 4.2 to 4.4 has the data set, or the only table."""
    if " " not in tables:
        return tables
    return {"Bladder": "4.2", "DLBCL": "4.3", "Lung": "4.4"}.get(data, tables)


def note(tables: str, data: str, method: str) -> str:
    """Return why a printed figure cannot be right, or cannot be compared."""
    if data in ("Colon", "Leukemia"):
        return "not in the thesis"
    if data == "Breast":
        constant = method in ("t-test", "Entropy") or tables == "3.7"
        return "paper: constant or missing columns" if constant else "another edition of the data"
    if method == "CLA":
        return "paper: absent attributes seem to count as the best ones"
    if tables == "4.8" and method == "RFE":
        return "paper: contradicts tables 4.3 and 4.4"
    if data == "Lung" and tables in ("4.8", "4.2 4.3 4.4"):
        return "other known genes; the paper's had been tested on some of these rows"
    return ""
