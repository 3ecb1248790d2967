"""Selections that a learner does not use: it trains on all attributes beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fsops.core.checks.problems import Connect, QuickFix, SelectBefore
from fsops.core.declare.roles import Role
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, Connection
from fsops.core.registry import Registry
from fsops.data import AttributeWeights, ExampleSet

SELECTOR = "select_by_weights"
TOP = 10
"""Attributes that are kept of weights that select none themselves."""


@dataclass(frozen=True)
class Bypass:
    """A selection, and the connection by which a learner takes the same table beside it."""

    node: Node
    weights: str
    """Output with the weights."""
    reduced: str
    """Output with the table of the chosen attributes; empty if there is none."""
    wire: Connection | None = None


def idle_selections(level: Process) -> Iterator[Bypass]:
    """Return the operators whose weights no other operator of the level uses."""
    for node in level:
        spec = node.operator
        if not node.enabled or spec.role not in (Role.WEIGHTING, Role.SELECTION):
            continue
        weights = [p.name for p in spec.outputs if issubclass(p.type, AttributeWeights)]
        tables = [p.name for p in spec.outputs if issubclass(p.type, ExampleSet)]
        used = any(c.from_node == node.name and c.to_node != SINK for c in level.connections)
        if weights and not used:
            yield Bypass(node, weights[0], tables[0] if tables else "")


def bypasses(level: Process) -> Iterator[Bypass]:
    """Return selections whose table a learner of the same level takes without them."""
    for idle in idle_selections(level):
        fed = set(level.incoming(idle.node.name).values())
        for wire in level.connections:
            if wire.to_node == SINK or (wire.from_node, wire.from_port) not in fed:
                continue
            if level[wire.to_node].operator.role is Role.LEARNER and level[wire.to_node].enabled:
                yield Bypass(idle.node, idle.weights, idle.reduced, wire)


def settings_for(node: Node) -> Mapping[str, Any]:
    """Return how Select by Weights takes the weights of an operator: chosen ones, or the best."""
    if node.operator.role is Role.SELECTION:
        return {}
    return {"weight_relation": "top k", "k": TOP}


def selecting_fixes(level: Process, found: Bypass, registry: Registry) -> Iterator[QuickFix]:
    """Return the edit by which a learner gets the chosen attributes only."""
    wire = found.wire
    if wire is None:
        return
    if found.reduced:
        link = Connection(found.node.name, found.reduced, wire.to_node, wire.to_port)
        yield QuickFix(f"Connect {link} instead", (Connect(level.path, link),))
    elif SELECTOR in registry:
        spec = registry[SELECTOR]
        edit = SelectBefore(
            level.path, wire, spec, (found.node.name, found.weights), settings_for(found.node)
        )
        yield QuickFix(f'Insert "{spec.title}" before {wire.to_node}', (edit,))
