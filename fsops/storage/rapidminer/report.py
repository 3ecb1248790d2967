"""What an import did: for people, and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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


@dataclass
class ConversionReport:
    """What was found in a file of RapidMiner, and what became of it."""

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

    def as_json(self) -> Mapping[str, Any]:
        """Return the report for a JSON document."""
        return {
            "version": self.version,
            "mapped": [vars(item) for item in self.mapped],
            "missing": [vars(item) for item in self.missing],
            "ignored": [vars(item) for item in self.ignored],
            "remarks": [vars(item) for item in self.remarks],
        }
