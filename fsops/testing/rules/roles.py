"""Rules about the role of an operator: it is declared, and the ports allow it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from fsops.core import Operator, Port
from fsops.core.declare.derived_roles import has_model_test
from fsops.core.declare.roles import Role
from fsops.data import (
    AttributeWeights,
    Collection,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
)
from fsops.testing.cases import Subject
from fsops.testing.trial import expect


@dataclass(frozen=True)
class Need:
    """Something the ports must have for a role, as the end of "it …"."""

    text: str
    is_met: Callable[[Operator], bool]


def _may_carry(ports: Iterable[Port], *kinds: type[FlowObject]) -> bool:
    """Return whether a port can hold one of these types, also among others."""
    return any(
        issubclass(port.type, kind) or issubclass(kind, port.type)
        for port in ports
        for kind in kinds
    )


def _takes(kind: type[FlowObject]) -> Need:
    return Need(f"takes {kind.phrase()}", lambda spec: _may_carry(spec.inputs, kind))


def _returns(*kinds: type[FlowObject]) -> Need:
    named = " or ".join(kind.phrase() for kind in kinds)
    return Need(f"returns {named}", lambda spec: _may_carry(spec.outputs, *kinds))


def _can_run_without_inputs(spec: Operator) -> bool:
    return not spec.subprocesses and all(port.optional for port in spec.inputs)


HAS_INNER_PROCESS = Need("has an inner process", lambda spec: bool(spec.subprocesses))
NEEDS: Mapping[Role, tuple[Need, ...]] = {
    Role.SOURCE: (Need("needs no input and no inner process", _can_run_without_inputs),),
    Role.ROWS: (_takes(ExampleSet), _returns(ExampleSet)),
    Role.WEIGHTING: (_returns(AttributeWeights),),
    Role.SELECTION: (_returns(AttributeWeights, ExampleSet, Collection),),
    Role.SEARCH: (HAS_INNER_PROCESS,),
    Role.LEARNER: (_takes(ExampleSet), _returns(Model)),
    Role.MODEL_APPLICATION: (_takes(Model),),
    Role.VALIDATION: (_takes(ExampleSet), HAS_INNER_PROCESS),
    Role.PERFORMANCE: (_returns(PerformanceVector, ExampleSet),),
}
"""By role; operators with the other roles can have any ports."""


def check_role_declared(subject: Subject) -> None:
    """The declaration says which part the operator plays."""
    spec = subject.spec
    expect(
        spec.declared_role is not None,
        f'no role is declared, so "{spec.role}" is assumed: declare it by @operator(role=…), '
        f"with one of {', '.join(Role)}",
    )


def check_role_fits(subject: Subject) -> None:
    """The ports and inner processes are those of the role."""
    spec = subject.spec
    unmet = [need.text for need in NEEDS.get(spec.role, ()) if not need.is_met(spec)]
    expect(
        not unmet,
        f'the role "{spec.role}" does not fit: such an operator {" and ".join(unmet)}, '
        "and this one does not",
    )
    expect(
        spec.role is Role.VALIDATION or not has_model_test(spec.subprocesses),
        f'the role "{spec.role}" does not fit: an operator with an inner process that is given a '
        'model and returns its performance has the role "validation"',
    )
