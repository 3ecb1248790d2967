"""Checks of the columns of a user's table before a study: each gets a traffic light with a reason.

The checks are arrays over all columns. Words are made only for columns that are shown, because a
table may have 20,000 of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fsops.core.registry import Registry
from fsops.data import Attribute, ExampleSet
from fsops.data.columns import is_missing
from fsops.data.leakage import giveaways
from fsops.data.number_texts import numbers_with_unit, slips
from fsops.errors import UsageError
from fsops.studies import column_meanings as guesses
from fsops.studies.design import DesignColumns
from fsops.studies.layout import read_table
from fsops.studies.own_table import (
    NO_DESIGN,
    NO_SETTINGS,
    OWN_NAME,
    own_table,
    remarks,
    whole_table,
)

State = Literal["error", "warning", "ok"]
MANY_GAPS = 0.05
"""From this fraction of missing values on, a column needs a look."""
(
    GOOD, LABEL, ROLE, NAMES_ROWS, GIVES_AWAY, CONSTANT, SLIPS, DATES, LEFT_OUT, GAPS,
) = range(10)  # fmt: skip
STATES: Mapping[int, State] = {
    GOOD: "ok", LABEL: "ok", ROLE: "ok", NAMES_ROWS: "error", GIVES_AWAY: "error",
    CONSTANT: "warning", SLIPS: "warning", DATES: "warning", LEFT_OUT: "warning", GAPS: "warning",
}  # fmt: skip
SUMMARIES = {
    NAMES_ROWS: "{names} {names_verb} the rows",
    GIVES_AWAY: "{names} {gives_verb} the label away",
    CONSTANT: "{count} constant",
    SLIPS: "{count} with text among numbers",
    DATES: "{count} with dates",
    LEFT_OUT: "{count} left out",
    GAPS: "{count} with gaps",
}
BARS = 8


@dataclass(frozen=True)
class ColumnFinding:
    """The traffic light of a column."""

    state: State
    word: str
    detail: str


@dataclass(frozen=True, eq=False)
class ColumnChecks:
    """The checks of all columns of a table."""

    table: ExampleSet
    reasons: npt.NDArray[np.int8]
    missing: npt.NDArray[np.int64]
    roles: Mapping[str, str]
    """The special role of a column: label, id, group, left out, …"""
    why: Mapping[str, str]
    """The reason why a column is left out, if the user or the design asks for it."""

    def counts(self) -> dict[State, int]:
        """Return how many columns have each light."""
        numbers = np.bincount(self.reasons, minlength=len(STATES))
        found: dict[State, int] = {"error": 0, "warning": 0, "ok": 0}
        for reason, state in STATES.items():
            found[state] += int(numbers[reason])
        return found

    def names(self, *reasons: int) -> list[str]:
        """Return the columns that have one of some reasons."""
        at = np.flatnonzero(np.isin(self.reasons, reasons))
        return [str(name) for name in self.table.schema.names_at(at)]

    def summary(self, state: State) -> str:
        """Return why columns have a light, in a sentence."""
        parts = []
        for reason, words in SUMMARIES.items():
            names = self.names(reason) if STATES[reason] == state else []
            if names:
                shown = ", ".join(names[:2]) + (f" and {len(names) - 2:,} more" * (len(names) > 2))
                one = len(names) == 1
                verbs = {"gives_verb": "gives" if one else "give", "count": f"{len(names):,}"}
                parts.append(
                    words.format(names=shown, names_verb="names" if one else "name", **verbs)
                )
        return f"{', '.join(parts)}." if parts else ""

    def order(self) -> list[int]:
        """Return the columns to show: special ones, then those with a problem, then the others."""
        names = self.table.schema.names
        special = sorted(
            (names.index(name) for name in self.roles if name in self.table.schema),
            key=lambda i: (self.reasons[i] != LABEL, i),
        )
        rank = np.select([self.reasons == GIVES_AWAY, self.reasons != GOOD], [0, 1], 2)
        rest = np.argsort(rank, kind="stable").tolist()
        return list(dict.fromkeys([*special, *rest]))

    def finding(self, at: int) -> ColumnFinding:
        """Return the light of a column with its reason."""
        reason = int(self.reasons[at])
        attribute = self.table.schema.attribute(self.table.schema.names[at])
        word, detail = _WORDS[reason]
        return ColumnFinding(
            STATES[reason],
            word.format(**self._facts(attribute, at)),
            detail.format(**self._facts(attribute, at)),
        )

    def _facts(self, attribute: Attribute, at: int) -> dict[str, str]:
        rows = len(self.table)
        missing = int(self.missing[at])
        share = 100 * missing / max(rows, 1)
        gaps = "No gaps" if not missing else f"{missing:,} of {rows:,} rows missing"
        classes = ""
        if attribute.value_type.is_nominal:
            codes = self.table.column(attribute.name)
            counts = [int((codes == code).sum()) for code in range(len(attribute.categories))]
            shown = zip(counts[:2], attribute.categories, strict=False)
            classes = ", ".join(f"{count} {name}" for count, name in shown)
            classes = f"{len(counts)} classes: {classes}" + (" …" if len(counts) > 2 else "")
        return {
            "gaps": gaps,
            "share": f"{share:.0f}" if share >= 1 else f"{share:.1f}",
            "label": classes or "numbers",
            "role": self.roles.get(attribute.name, ""),
            "why": self.why.get(attribute.name, "as asked for"),
        }

    def bars(self, at: int) -> list[float]:
        """Return a small histogram of a column, or the counts of its categories."""
        attribute = self.table.schema.attribute(self.table.schema.names[at])
        values = self.table.column(attribute.name)
        if attribute.value_type.is_nominal:
            known = values[~is_missing(values)].astype(np.int64)
            counts = np.sort(np.bincount(known))[::-1] if known.size else np.zeros(0)
            return [float(count) for count in counts[:BARS]]
        known = np.asarray(values, dtype=np.float64)
        known = known[np.isfinite(known)]
        if not known.size or np.isinf(known.max() - known.min()):
            return []
        return [float(count) for count in np.histogram(known, bins=BARS)[0]]

    def text(self, row: int, at: int) -> str:
        """Return a value as text; a dash where it is missing."""
        attribute = self.table.schema.attribute(self.table.schema.names[at])
        value = self.table.column(attribute.name)[row]
        if bool(is_missing(np.asarray([value]))[0]):
            return "–"
        if attribute.value_type.is_nominal:
            return str(attribute.categories[int(value)])
        return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


_WORDS = {
    GOOD: ("Good", "{gaps}"),
    LABEL: ("{label}", "The label, to be predicted"),
    ROLE: ("Design: {role}", "Not an attribute to select from"),
    NAMES_ROWS: ("Different in every row", "Names the rows, so it is not an attribute"),
    GIVES_AWAY: ("Gives the label away", "It alone determines the class of every row"),
    CONSTANT: ("Constant", "The same value in every row"),
    SLIPS: ("Text among numbers", "Left out; correct the file to use it"),
    DATES: ("Dates", "Left out"),
    LEFT_OUT: ("Left out", "{why}"),
    GAPS: ("{share} % missing", "Replaced by the mean or the most frequent category"),
}


def check_columns(
    table: ExampleSet, parameters: Mapping[str, Any], why: Mapping[str, str]
) -> ColumnChecks:
    """Return the checks of a table that was read as a whole.

    ``parameters`` are those of the reader that the study will use: id, skip and roles.
    """
    schema = table.schema
    reasons = np.full(len(schema), GOOD, dtype=np.int8)
    missing = np.zeros(len(schema), dtype=np.int64)
    numbers = schema.regular_numerical
    if len(numbers):
        values = table.numeric()
        known = ~np.isnan(values)
        missing[numbers] = (~known).sum(axis=0)
        lowest, highest = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
        reasons[numbers[~(highest > lowest)]] = CONSTANT
    names_rows, odd, dates = [], [], []
    decimal = str(parameters.get("decimal_character", "."))
    for at in schema.regular_nominal.tolist():
        attribute = schema.attribute(schema.names[at])
        missing[at] = is_missing(table.column(attribute.name)).sum()
        if len(attribute.categories) < 2:
            reasons[at] = CONSTANT
        elif guesses.has_dates(attribute):
            dates.append(at)
        elif slips(attribute, decimal) or numbers_with_unit(attribute, decimal):
            odd.append(at)
        elif len(attribute.categories) > OWN_NAME * len(table):
            names_rows.append(at)
    gaps = (missing >= max(1.0, MANY_GAPS * len(table))) & (reasons == GOOD)
    reasons[gaps] = GAPS
    reasons[names_rows], reasons[odd], reasons[dates] = NAMES_ROWS, SLIPS, DATES
    for name in giveaways(table):
        reasons[schema.position(name)] = GIVES_AWAY
    roles = _roles(table, parameters)
    for name, role in roles.items():
        at = schema.position(name)
        if role == "label":
            reasons[at] = LABEL
        elif role == "id":
            reasons[at] = NAMES_ROWS
        elif role != "left out":
            reasons[at] = ROLE
        elif reasons[at] in (GOOD, GAPS, CONSTANT) or name in why:
            reasons[at] = LEFT_OUT
    return ColumnChecks(table, reasons, missing, roles, why)


def _roles(table: ExampleSet, parameters: Mapping[str, Any]) -> dict[str, str]:
    schema = table.schema
    found = {} if schema.label is None else {schema.label.name: "label"}
    if parameters.get("id") in schema.names:
        found[parameters["id"]] = "id"
    found |= {n: str(r) for n, r in dict(parameters.get("roles", {})).items() if n in schema}
    return {**found, **{name: "left out" for name in parameters.get("skip", []) if name in schema}}


@dataclass(frozen=True, eq=False)
class StudyTable:
    """A table of the user, read and checked for a study."""

    path: Path
    label: str | None
    """None if it is not known yet."""
    checks: ColumnChecks
    remarks: str = ""
    """How the table is understood, in sentences."""
    problem: UsageError | None = None
    """Why there can be no study with these choices."""


def look_at_table(
    path: Path,
    label: str | None,
    registry: Registry,
    design: DesignColumns = NO_DESIGN,
    settings: Mapping[str, Any] = NO_SETTINGS,
) -> StudyTable:
    """Read a table as a study would, and check all its columns.

    A table without a label can be looked at, too; what prevents the study is returned with it.
    """
    try:
        reader, known, reasons = own_table(path, label, registry, design, settings)
    except UsageError as error:
        table = whole_table(path, None, registry)
        return StudyTable(path, None, check_columns(table, {}, {}), problem=error)
    operator, parameters = reader
    left = {k: value for k, value in parameters.items() if k not in ("id", "skip", "roles")}
    table = read_table((operator, left))
    target = table.schema.label
    notes = remarks(reader, known, reasons, read_table(reader))
    checks = check_columns(table, parameters, reasons)
    return StudyTable(path, target.name if target is not None else None, checks, notes)
