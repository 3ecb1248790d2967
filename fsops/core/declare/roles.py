"""Roles: the part an operator plays in an analysis, independent of its place in the palette."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Self

from fsops.core.declare.ports import Port, SubprocessPort
from fsops.data import (
    AttributeWeights,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
    PreprocessingModel,
)
from fsops.errors import DeclarationError, did_you_mean


class Role(StrEnum):
    """The part an operator plays; ``meaning`` says it in one sentence.

    Leak detection, the selectors of ``fsops.sklearn``, reports, the comparison of runs, the export
    and the colours of the designer depend on it.
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


def derived_role(
    inputs: Sequence[Port], outputs: Sequence[Port], subprocesses: Sequence[SubprocessPort]
) -> Role:
    """Return the most likely role of an operator whose declaration gives none.

    The ports decide. They cannot tell a selection from a weighting, nor the choice of rows from
    another change of the table: such operators should declare their role.
    """
    if subprocesses:
        return _role_with_inner(outputs, subprocesses)
    # Ports of many are always optional, but an operator that has one is not a source.
    if not any(port.many or not port.optional for port in inputs) and outputs:
        return Role.SOURCE
    # An operator that reads weights from a model is a weighting.
    if _has(inputs, Model) and not _has(outputs, AttributeWeights):
        return Role.MODEL_APPLICATION
    return _role_by_outputs(outputs)


def has_model_test(subprocesses: Iterable[SubprocessPort]) -> bool:
    """Return whether an inner process is given a model and returns its performance."""
    return any(
        _has(sub.sources, Model) and _has(sub.sinks, PerformanceVector) for sub in subprocesses
    )


def _role_with_inner(outputs: Sequence[Port], subprocesses: Sequence[SubprocessPort]) -> Role:
    # Before the search: a validation has an inner process with a performance as well.
    if has_model_test(subprocesses):
        return Role.VALIDATION
    if any(_has(sub.sinks, PerformanceVector) for sub in subprocesses):
        return Role.SEARCH
    if _only_passes_on(outputs):
        return Role.CONTROL
    role = _role_by_outputs(outputs)
    by_inner_process = {
        Role.WEIGHTING: Role.SELECTION,  # such as an ensemble of what the inner process selects
        Role.PERFORMANCE: Role.VALIDATION,
    }
    return by_inner_process.get(role, role)


def _role_by_outputs(outputs: Sequence[Port]) -> Role:
    if _only_passes_on(outputs):
        return Role.UTILITY
    for port in outputs:  # the first output is the main one
        if issubclass(port.type, AttributeWeights):
            return Role.SELECTION if _has(outputs, ExampleSet) else Role.WEIGHTING
        # A preprocessing model is a Model too, but its operator changes tables.
        if issubclass(port.type, Model) and not issubclass(port.type, PreprocessingModel):
            return Role.LEARNER
        if issubclass(port.type, PerformanceVector):
            return Role.PERFORMANCE
        if issubclass(port.type, ExampleSet):
            return Role.PREPARATION
    return Role.PREPARATION


def _only_passes_on(outputs: Sequence[Port]) -> bool:
    """Return whether no output has a type of its own."""
    return all(port.type is FlowObject for port in outputs)


def _has(ports: Iterable[Port], kind: type[FlowObject]) -> bool:
    return any(issubclass(port.type, kind) for port in ports)
