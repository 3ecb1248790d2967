"""Roles of operators that declare none, from the types of their ports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fsops.core.declare.ports import Port, SubprocessPort
from fsops.core.declare.roles import Role
from fsops.data import (
    AttributeWeights,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
    PreprocessingModel,
)


def derived_role(
    inputs: Sequence[Port], outputs: Sequence[Port], subprocesses: Sequence[SubprocessPort]
) -> Role:
    """Return the most likely role of an operator whose declaration gives none.

    The ports decide. They cannot distinguish a selection from a weighting, nor a choice of rows
    from another change of the table: such operators should declare their role.
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
    """Return whether no output has a specific type."""
    return all(port.type is FlowObject for port in outputs)


def _has(ports: Iterable[Port], kind: type[FlowObject]) -> bool:
    return any(issubclass(port.type, kind) for port in ports)
