"""An operator's page: everything its declaration says."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from lxml import etree
from rich.padding import Padding
from rich.text import Text

from fsops.cli.output.console import PlainConsole
from fsops.core import Accepts, Operator, Port
from fsops.core.declare.bound_attributes import (
    MEANINGS as GROUP_MEANINGS,
    chooses_attributes,
    group_handling,
)
from fsops.core.declare.parameters import Parameter, When, value_text
from fsops.core.declare.ports import SubprocessPort
from fsops.core.declare.row_weights import INSIDE, MEANINGS, handling, works_inside
from fsops.report.helptext import help_renderables

_LABELS = {
    "any": "a label",
    "nominal": "a label with classes",
    "binominal": "a label with two classes",
    "numerical": "a numerical label",
}
_SAMPLE_VALUES = {"attribute": "att1", "attributes": "att1|att2"}
_FILES = {
    "anndata": "data.h5ad",
    "arff": "data.arff",
    "constructions": "data.att",
    "excel": "data.xlsx",
    "execute_process": "process.xml",
    "geo": "data_series_matrix.txt.gz",
    "market": "data.mtx",
    "parquet": "data.parquet",
    "read_r": "data.rds",
    "special": "data.txt",
    "statistics": "data.sav",
    "store": "data.ioo",
    "svmlight": "data.svmlight",
    "weights": "data.wgt",
}
"""A file name by a part of the operator's key; for all others a CSV file."""


Line = tuple[int, Text]
"""Its indentation, and its text."""


def show_operator(console: PlainConsole, spec: Operator) -> None:
    """Print the page of an operator."""
    console.print(Text.assemble((spec.title, "bold"), f"  {spec.key}  ", (spec.group, "dim")))
    console.print(Text(f"Role: {spec.role.replace('_', ' ')}. {spec.role.meaning}", "dim"))
    how = handling(spec)
    if how != "unaffected":
        console.print(Text(MEANINGS[how], "dim"))
    elif works_inside(spec):
        console.print(Text(INSIDE, "dim"))
    if chooses_attributes(spec):
        console.print(Text(GROUP_MEANINGS[group_handling(spec)], "dim"))
    if spec.help:
        console.print()
        for part in help_renderables(spec.help):
            console.print(part)
    inputs = [line for port in spec.inputs for line in _port(port, spec.accepts.get(port.name))]
    _section(console, "Inputs", inputs)
    _section(console, "Inner processes", [line for s in spec.subprocesses for line in _inner(s)])
    _section(console, "Outputs", [line for port in spec.outputs for line in _port(port)])
    _section(console, "Parameters", [line for p in spec.parameters for line in _parameter(p)])
    if spec.aliases.keys:
        _section(console, "Other names in files", [(0, Text(", ".join(spec.aliases.keys)))])
    _section(console, "Example", [])
    console.print(textwrap.indent(example_xml(spec), "  "), soft_wrap=True)


def _section(console: PlainConsole, title: str, lines: Sequence[Line]) -> None:
    if lines or title == "Example":
        console.print()
        console.print(Text(title, "bold"))
    for depth, text in lines:
        console.print(Padding(text, (0, 0, 0, 2 + 4 * depth), expand=False))


def _port(port: Port, accepts: Accepts | None = None, word: str = "", depth: int = 0) -> list[Line]:
    about = [port.type.title.lower()]
    about += ["any number"] if port.many else ["optional"] if port.optional else []
    text = Text.assemble(word, (port.name, "cyan"), f" ({', '.join(about)})")
    if port.description:
        text.append(f": {port.description}")
    return [(depth, text)] + ([] if accepts is None else [(depth + 1, Text(needs(accepts), "dim"))])


def needs(accepts: Accepts) -> str:
    """Return the requirements on a table, as a sentence."""
    parts = [] if accepts.label == "none" else [_LABELS[accepts.label]]
    if accepts.attributes != "any":
        parts.append(f"{accepts.attributes} attributes")
    missing = "Missing values are possible." if accepts.missing else "No value may be missing."
    return f"Needs {' and '.join(parts)}. {missing}" if parts else missing


def _inner(sub: SubprocessPort) -> list[Line]:
    many = " (any number of them)" if sub.many else ""
    about = f": {sub.description}" if sub.description else ""
    lines = [(0, Text.assemble((sub.title(), "cyan"), many, about))]
    for word, ports in (("gets ", sub.sources), ("returns ", sub.sinks)):
        lines += [line for port in ports for line in _port(port, word=word, depth=1)]
    return lines


def _parameter(parameter: Parameter) -> list[Line]:
    lines = [(0, Text.assemble((parameter.name, "cyan"), f" = {default_text(parameter)}"))]
    if parameter.description:
        lines.append((1, Text(parameter.description)))
    facts = [parameter.allowed()]
    facts += [f"only if {parameter.when}"] if parameter.when else []
    facts += ["expert"] if parameter.expert else []
    return [*lines, (1, Text("; ".join(facts), "dim"))]


def default_text(parameter: Parameter) -> str:
    """Return the default as written in a file."""
    if parameter.required:
        return "(required)"
    if _is_empty(parameter.default):
        return "(empty)"
    if isinstance(parameter.default, list):
        return ", ".join(f'"{item}"' for item in parameter.default)
    return parameter.to_text(parameter.default)


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


def example_xml(spec: Operator) -> str:
    """Return the operator as written in a process file, with its defaults.

    Written here, because a process for one operator would load networkx.
    """
    element = etree.Element("operator", {"class": spec.key, "name": spec.title})
    values = {p.name: _sample_value(p, spec.key) for p in spec.parameters}
    for parameter in spec.parameters:
        value = values[parameter.name]
        applies = not parameter.when or parameter.when.holds(values)
        if applies and not parameter.expert and not _is_empty(value):
            _add_parameter(element, parameter, value)
    for _ in spec.subprocesses:
        etree.SubElement(element, "process")
    etree.indent(element)
    return etree.tostring(element, encoding="unicode")


def _add_parameter(element: etree._Element, parameter: Parameter, value: Any) -> None:
    """Add a parameter as a value, as pairs, or as an enumeration of values."""
    if isinstance(value, Mapping):
        value = [*value.items()]
    if not isinstance(value, list | tuple) or parameter.kind == "attributes":
        attributes = {"key": parameter.name, "value": parameter.to_text(value)}
        etree.SubElement(element, "parameter", attributes)
        return
    tag = "list" if isinstance(value[0], list | tuple) else "enumeration"
    inside = etree.SubElement(element, tag, {"key": parameter.name})
    for item in value:
        texts = map(value_text, item if tag == "list" else [item])
        names = ("key", "value") if tag == "list" else ("value",)
        etree.SubElement(inside, "parameter", dict(zip(names, texts, strict=True)))


def _sample_value(parameter: Parameter, key: str) -> Any:
    if not parameter.required:
        return parameter.default
    if parameter.choices:
        return parameter.choices[0]
    if parameter.examples:
        return parameter.examples[0]
    if parameter.kind in ("integer", "number"):
        bounds = parameter.bounds or {}
        return next((bounds[b] for b in ("ge", "le") if b in bounds), 1)
    if parameter.kind == "file":
        return next((name for part, name in _FILES.items() if part in key), "data.csv")
    return _SAMPLE_VALUES.get(parameter.kind, f"my_{parameter.name}")


# --- for programs ---------------------------------------------------------------------------


def operator_as_json(spec: Operator) -> dict[str, Any]:
    """Return the page of an operator for a JSON document."""
    return {
        "key": spec.key,
        "title": spec.title,
        "group": spec.group,
        "role": spec.role,
        "row_weights": handling(spec),
        "bound_groups": group_handling(spec),
        "version": spec.version,
        "summary": spec.summary,
        "help": spec.help,
        "tags": list(spec.tags),
        "aliases": list(spec.aliases.keys),
        "inputs": [_port_as_json(port, spec.accepts.get(port.name)) for port in spec.inputs],
        "outputs": [_port_as_json(port) for port in spec.outputs],
        "inner_processes": [_inner_as_json(sub) for sub in spec.subprocesses],
        "parameters": [_parameter_as_json(parameter) for parameter in spec.parameters],
        "example": example_xml(spec),
    }


def _port_as_json(port: Port, accepts: Accepts | None = None) -> dict[str, Any]:
    about = {
        "name": port.name,
        "type": port.type.__name__,
        "description": port.description,
        "optional": port.optional,
        "many": port.many,
    }
    if accepts is None:
        return about
    facts = {name: value for name, value in vars(accepts).items() if not callable(value)}
    return about | {"accepts": facts}


def _inner_as_json(sub: SubprocessPort) -> dict[str, Any]:
    return {
        "name": sub.name,
        "title": sub.title(),
        "description": sub.description,
        "many": sub.many,
        "gets": [_port_as_json(port) for port in sub.sources],
        "delivers": [_port_as_json(port) for port in sub.sinks],
    }


def _when_as_json(when: When) -> Any:
    """Return the values others may have; a list where one of several conditions is enough."""
    cases = [{name: list(values) for name, values in case.items()} for case in when.alternatives]
    return cases if len(cases) > 1 else cases[0]


def _parameter_as_json(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "kind": parameter.kind,
        "description": parameter.description,
        "required": parameter.required,
        "default": None if parameter.required else parameter.default,
        "choices": list(parameter.choices),
        "bounds": dict(parameter.bounds or {}),
        "allowed": parameter.allowed(),
        "optional": parameter.optional,
        "when": parameter.when and _when_as_json(parameter.when),
        "expert": parameter.expert,
    }
