"""The declaration language, the process graph, and what can be said about it before a run."""

from fsops.core.capabilities import Accepts
from fsops.core.context import Context
from fsops.core.operator import Aliases, Operator, operator, operator_of
from fsops.core.parameters import (
    AttributeName,
    AttributeNames,
    Expert,
    File,
    InnerParameters,
    MacroName,
    When,
)
from fsops.core.ports import Named, Port, Subprocess
from fsops.core.problems import Problem
from fsops.core.process import Node, Process
from fsops.core.registry import Registry
from fsops.core.validation import validate

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
