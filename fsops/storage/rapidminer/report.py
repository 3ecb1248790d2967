"""The report of an import: for people, and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fsops.core.checks.decided import decision

CHANGES = "changes the result"
MAY_CHANGE = "may change the result"
WITH_WEIGHTS = "changes the result if the table has a weight for each row"


RANKS = {CHANGES: 1, MAY_CHANGE: 3}
"""Importance of an ignored setting: 0 is the highest, and has lost data."""
LEFT_OUT = "is left out"


@dataclass(frozen=True)
class Mapped:
    """An operator, its key in RapidMiner and ours; the same for one that is not known."""

    operator: str
    theirs: str
    ours: str


@dataclass(frozen=True)
class Ignored:
    """A setting that fsops does not have, and what that means; empty if nothing."""

    operator: str
    parameter: str
    value: str
    effect: str = ""


@dataclass(frozen=True)
class Remark:
    """Something that was done in another way, and whether that changes the result."""

    operator: str
    text: str
    changes: bool = False


@dataclass(frozen=True)
class ReportSection:
    """A heading, and operators with a sentence on each."""

    heading: str
    lines: tuple[tuple[str, str], ...] = ()


@dataclass
class ConversionReport:
    """The content of a file of RapidMiner, and its conversion."""

    version: str = ""
    mapped: list[Mapped] = field(default_factory=list)
    missing: list[Mapped] = field(default_factory=list)
    ignored: list[Ignored] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    @property
    def effects(self) -> list[tuple[str, str]]:
        """Operator and sentence for all that may change a result, the most important first."""
        found = [
            (
                RANKS.get(i.effect, 2),
                i.operator,
                f'{i.parameter} = "{i.value}" is ignored: that {i.effect}.',
            )
            for i in self.ignored
            if i.effect and i.effect != WITH_WEIGHTS
        ]
        found += [
            (0 if LEFT_OUT in r.text else 1, r.operator, r.text) for r in self.remarks if r.changes
        ]
        ranked = sorted(dict.fromkeys(found), key=lambda entry: entry[0])
        return [(operator, text) for _, operator, text in ranked]

    @property
    def harmless(self) -> int:
        """Number of settings that were ignored and change no result."""
        return sum(not item.effect for item in self.ignored)

    def sections(self) -> list[ReportSection]:
        """Return the report for people; sections without content are left out."""
        mapped = (
            (m.operator, m.ours if m.ours == m.theirs else f"{m.theirs} → {m.ours}")
            for m in self.mapped
        )
        found = [ReportSection(f"{_counted(len(self.mapped), 'operator')} mapped", tuple(mapped))]
        if self.missing:
            found.append(
                ReportSection(
                    f"{_counted(len(self.missing), 'operator')} not known: kept as placeholders, "
                    "which cannot run",
                    tuple((m.operator, _with_decision(m.theirs)) for m in self.missing),
                )
            )
        if self.effects:
            found.append(ReportSection("This can change the result", tuple(self.effects)))
        weighted = [i.operator for i in self.ignored if i.effect == WITH_WEIGHTS]
        if weighted:
            names = ", ".join(dict.fromkeys(weighted))
            heading = f"This changes the result if the table has a weight for each row: {names}"
            found.append(ReportSection(heading))
        done = tuple((r.operator, r.text) for r in self.remarks if not r.changes)
        if done:
            found.append(ReportSection("Done in another way", done))
        if self.harmless:
            ignored = _counted(self.harmless, "setting")
            found.append(ReportSection(f"{ignored} ignored that change no result"))
        return found

    def as_json(self) -> Mapping[str, Any]:
        """Return the report for a JSON document."""
        return {
            "version": self.version,
            "mapped": [vars(item) for item in self.mapped],
            "missing": [vars(item) for item in self.missing],
            "ignored": [vars(item) for item in self.ignored],
            "remarks": [vars(item) for item in self.remarks],
        }


def _with_decision(theirs: str) -> str:
    """Return an unknown operator, and why fsops does not have it where that was decided."""
    why = decision(theirs)
    return f"{theirs}. {why}" if why else theirs


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
