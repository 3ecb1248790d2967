"""The help page of an estimator, from the help page of its operator."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping, Sequence

from fsops.core.declare.parameters import Parameter
from fsops.core.declare.ports import SubprocessPort
from fsops.core.operator import Operator

WIDTH = 92
FITTED = """
Attributes
----------
weights_ : AttributeWeights
    Result of the operator, with the names of the columns.
scores_, feature_importances_ : array of shape (columns,)
    The weights in the order of the columns; unknown ones are NaN, or 0.
ranking_ : array of shape (columns,)
    The place of each column, 1 being the best.
support_ : array of shape (columns,)
    Which columns are kept.
results_ : dict
    All that the operator gives, by output.
n_features_in_, feature_names_in_
    Number and names of the columns seen, as everywhere in scikit-learn.
"""
STATE = (
    "Seed used only by this operator. None gives the random numbers that the operator "
    "has when it is called as a function: the same each time."
)


def page_of(
    spec: Operator,
    arguments: Mapping[str, inspect.Parameter],
    described: Sequence[Parameter],
) -> str:
    """Return the docstring of a selector."""
    known = {parameter.name: parameter for parameter in described}
    lines = [f"{spec.title}, as a selector of scikit-learn.", ""]
    text, _, references = spec.help.partition("\nReferences\n")
    lines += [text.strip(), "", "Parameters", "----------"]
    for name, argument in arguments.items():
        kind, said = _about(spec, name, known)
        missing = argument.default is argument.empty
        lines.append(f"{name} : {kind}" + ("" if missing else f", default={argument.default!r}"))
        lines += textwrap.wrap(said, WIDTH, initial_indent="    ", subsequent_indent="    ")
    lines += FITTED.rstrip().splitlines()
    if references:
        lines += ["", "References", references.strip("\n")]
    return "\n".join(lines) + "\n"


def _about(spec: Operator, name: str, known: Mapping[str, Parameter]) -> tuple[str, str]:
    """Return the type and the meaning of an argument."""
    if name in known:
        parameter = known[name]
        when = f" Only if {parameter.when}." if parameter.when else ""
        return parameter.allowed().replace("(or empty)", "or None"), parameter.description + when
    if name == "random_state":
        return "int or RandomState", STATE
    for sub in spec.subprocesses:
        if sub.name == name:
            return _about_inner(sub)
    port = next(port for port in spec.inputs if port.name == name)
    return "AttributeWeights, dict, selector, operator or function", port.description


def _about_inner(sub: SubprocessPort) -> tuple[str, str]:
    from fsops.data import Model, PerformanceVector

    gives = sub.sinks[0].type
    learner = issubclass(gives, Model | PerformanceVector)
    what = "learner of scikit-learn" if learner else "selector"
    said = sub.description or f"Gives {gives.phrase()} for the table it is given."
    return f"{what}, operator or function", said
