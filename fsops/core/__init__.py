"""The declaration language, the process graph, and what can be said about it before a run."""

from fsops.core.checks.problems import Problem
from fsops.core.checks.validation import validate
from fsops.core.declare.capabilities import Accepts
from fsops.core.declare.parameters import (
    AttributeName,
    AttributeNames,
    Expert,
    File,
    InnerParameters,
    MacroName,
    When,
)
from fsops.core.declare.ports import Named, Port, Subprocess
from fsops.core.frame.context import Context
from fsops.core.graph.process import Node, Process
from fsops.core.operator import Aliases, Operator, operator, operator_of
from fsops.core.registry import Registry

__all__ = [
    "Accepts",
    "Aliases",
    "AttributeName",
    "AttributeNames",
    "Context",
    "Expert",
    "File",
    "InnerParameters",
    "MacroName",
    "Named",
    "Node",
    "Operator",
    "Port",
    "Problem",
    "Process",
    "Registry",
    "Subprocess",
    "When",
    "operator",
    "operator_of",
    "validate",
]
