"""The choices of the user for a study; kept while the screens come and go."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fsops.studies.design import DesignColumns
from fsops_gui.base.texts import tr

LABEL, REGULAR, LEFT = "label", "regular", "left out"
SINGLE = ("group", "pair", "batch", "time")
"""Roles that one column has at most."""
COVARIATE = "covariate"


@dataclass
class StudyChoices:
    """The table, the roles of columns and the methods."""

    path: Path | None = None
    label: str | None = None
    roles: dict[str, str] = field(default_factory=dict)
    """By column, the role that the user gave it, besides the label."""
    transpose: bool = False
    methods: tuple[str, ...] = ()
    """Keys of the operators; empty for the usual ones."""

    def begin(self, path: Path) -> None:
        """Begin with another table."""
        self.path, self.transpose, self.methods = path, False, ()
        self.forget_columns()

    def forget_columns(self) -> None:
        """Forget what depends on the columns."""
        self.label = None
        self.roles.clear()

    def role(self, name: str) -> str:
        """Return the role that the user gave a column; empty if none."""
        return LABEL if name == self.label else self.roles.get(name, "")

    def give(self, name: str, role: str) -> None:
        """Give a column a role; some roles are taken from the column that had them."""
        self.roles.pop(name, None)
        if role == LABEL:
            self.label = name
            return
        if name == self.label:
            self.label = None
        if role in SINGLE:
            for other in [n for n, r in self.roles.items() if r == role]:
                del self.roles[other]
        if role != REGULAR:
            self.roles[name] = role

    def column(self, role: str) -> str | None:
        """Return the column that has a role of one column."""
        return next((name for name, found in self.roles.items() if found == role), None)

    @staticmethod
    def offered() -> list[tuple[str, str]]:
        """Return the roles to choose from, in words."""
        return [
            (LABEL, tr("Label: to be predicted")),
            (REGULAR, tr("Regular: may be selected")),
            (LEFT, tr("Left out")),
            ("group", tr("Group: rows that belong together")),
            ("pair", tr("Pair: matched rows of different classes")),
            ("batch", tr("Batch")),
            (COVARIATE, tr("Covariate")),
            ("time", tr("Time of the event that is predicted")),
        ]

    def design(self) -> DesignColumns:
        """Return the choices as `fsops new --data` takes them."""
        named = {role: self.column(role) for role in SINGLE}
        return DesignColumns(
            group_column=named["group"],
            pair=named["pair"],
            batch=named["batch"],
            covariates=tuple(n for n, r in self.roles.items() if r == COVARIATE),
            time=named["time"],
            skip=tuple(n for n, r in self.roles.items() if r == LEFT),
        )

    def settings(self) -> dict[str, Any]:
        """Return the parameters of the reader that were chosen."""
        return {"transpose": True} if self.transpose else {}
