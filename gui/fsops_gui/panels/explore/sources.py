"""Which values of a run the linked views use, and how they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsops.data import AttributeWeights, Collection, ExampleSet, StabilityResult
from fsops.errors import FsopsError
from fsops_gui.run.child_run import ChildRun

if TYPE_CHECKING:
    from fsops_gui.panels.explore.material import Material

KINDS = {kind.__name__ for kind in (ExampleSet, AttributeWeights, StabilityResult, Collection)}
MOST_TABLES, MOST = 12, 60
"""Tables and values that are read at most."""


def explored_ports(run: ChildRun | None) -> list[tuple[str, str]]:
    """Return the ports whose values can be looked at, those of the outermost process first."""
    if run is None:
        return []
    outer = {node.name for node in run.process}
    found = [
        place
        for place, seen in run.report.ports.items()
        if seen.key is not None and seen.kind in KINDS
    ]
    # Tables inside of a loop are those of its last iteration: parts of the whole.
    whole = [p for p in found if p[0] in outer]
    inner = [p for p in found if p[0] not in outer and run.report.ports[p].kind != "ExampleSet"]
    tables = [p for p in whole if run.report.ports[p].kind == "ExampleSet"]
    rest = [p for p in whole if p not in tables]
    return [*tables[:MOST_TABLES], *rest, *inner][:MOST]


def material_of(run: ChildRun) -> Material | None:
    """Read the values of a run; call it from a thread."""
    from fsops_gui.panels.explore.material import PortValue, gather

    values = []
    for operator, port in explored_ports(run):
        try:
            value = run.value(operator, port)
        except (FsopsError, OSError):  # removed meanwhile
            continue
        if value is not None:
            values.append(PortValue(operator, port, value))
    return gather(values, run.process.name)
