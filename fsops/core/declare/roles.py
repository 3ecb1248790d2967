"""Roles: the part an operator plays in an analysis, independent of its place in the palette."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from fsops.errors import DeclarationError, did_you_mean


class Role(StrEnum):
    """The part an operator plays; ``meaning`` says it in one sentence.

    Leak detection, the selectors of ``fsops.sklearn``, reports, the comparison of runs, the export
    and the colors of the designer depend on it.
    """

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        """Make a member of the enumeration from its name and its meaning."""
        role = str.__new__(cls, value)
        role._value_ = value
        role.meaning = meaning
        return role

    SOURCE = "source", "Reads or generates data."
    ROWS = "rows", "Chooses, splits or reorders rows and leaves their values unchanged."
    PREPARATION = "preparation", "Changes tables, or computes something that later steps use."
    WEIGHTING = "weighting", "Gives each attribute a weight, or combines and rescales weights."
    SELECTION = "selection", "Chooses attributes; a weight of 0 means not chosen."
    SEARCH = "search", "Tries candidates in its inner process and keeps the best."
    LEARNER = "learner", "Trains a model."
    MODEL_APPLICATION = "model_application", "Applies, combines or changes trained models."
    VALIDATION = "validation", "Tests its inner processes on parts of the rows."
    PERFORMANCE = "performance", "Measures predictions, or combines and tests measured values."
    CONTROL = "control", "Runs, repeats or connects other operators."
    UTILITY = "utility", "Writes, logs or converts results."


CHOOSING_ATTRIBUTES = frozenset({Role.WEIGHTING, Role.SELECTION, Role.SEARCH})
"""Operators with these roles can decide which attributes of a table to keep."""


def read_role(role: str, where: str) -> Role:
    """Return the role of that name; ``where`` is the declaration that has it."""
    known = find_role(role)
    if known is None:
        raise DeclarationError(f'{where}: there is no role "{role}".', hint=role_hint(role))
    return known


def find_role(name: str) -> Role | None:
    """Return the role of that name, if there is one."""
    return next((role for role in Role if role == name), None)


def role_hint(name: str) -> str:
    """Return the role that was probably meant, or else all of them, as a sentence."""
    return did_you_mean(name, list(Role)) or f"The roles are {', '.join(Role)}."
