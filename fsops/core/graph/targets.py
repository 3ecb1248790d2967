"""Parameters of inner operators, as searches name them: ``"SVM.C"``."""

from __future__ import annotations

from collections.abc import Iterable

from fsops.core.declare.parameters import Parameter
from fsops.core.graph.process import Node, Process
from fsops.errors import ParameterError, did_you_mean, enumerate_names


def find_target(processes: Iterable[Process], target: str) -> tuple[Node, Parameter]:
    """Return the operator inside and its parameter that ``"Operator.parameter"`` names."""
    nodes = {node.name: node for process in processes for node in process.walk()}
    # The last dot: names of operators may contain dots, names of parameters may not.
    name, _, parameter = target.rpartition(".")
    if name not in nodes:
        known = f"There are {enumerate_names(list(nodes))}." if nodes else "There is none inside."
        raise ParameterError(
            f'"{target}" should name an operator inside and its parameter, such as SVM.C.',
            hint=did_you_mean(name, nodes) or known,
        )
    operator = nodes[name].operator
    try:
        return nodes[name], operator.parameter(parameter)
    except KeyError:
        parameters = [p.name for p in operator.parameters]
        hint = did_you_mean(parameter, parameters) or f"It has {enumerate_names(parameters)}."
        text = f'The operator "{name}" has no parameter "{parameter}".'
        raise ParameterError(text, hint=hint if parameters else "") from None
