"""Ports: the inputs and outputs of an operator, read from annotations."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import (
    Annotated,
    Any,
    ParamSpec,
    Protocol,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from fsops.data.flow import Collection, FlowObject
from fsops.errors import PortError, did_you_mean

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

# A file from a stranger may name port 10**9, and `numbered` would build a list of that length.
HIGHEST_GAP = 1000


class Subprocess(Protocol[P, R_co]):
    """An inner process, called like a function; from Python any callable will do.

    ``Subprocess[[ExampleSet], AttributeWeights]`` takes a table and gives weights.
    """

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Run the inner process once."""

    def configured(self, settings: Mapping[str, Any]) -> Subprocess[P, R_co]:
        """Return the inner process with other parameters, named ``"Operator.parameter"``.

        A Python function gets them as keyword arguments, by the last part of the name.
        """


@dataclass(frozen=True)
class Named:
    """Says more about a port: ``Annotated[ExampleSet, Named("test_set", "Rows held out")]``."""

    name: str = ""
    description: str = ""
    changed: bool = False
    """Whether it is about other attributes, or another label, than the table of the operator."""


@dataclass(frozen=True)
class Port:
    """A named place where a result of one type goes in or comes out.

    A port with ``many`` stands for any number of ports ``name 1``, ``name 2``, …
    """

    name: str
    type: type[FlowObject]
    description: str = ""
    optional: bool = False
    many: bool = False
    gaps: bool = False
    """Whether a list of many has None for ports in between that nothing is connected to."""
    changed: bool = False
    """Whether it is about other attributes, or another label, than the table of the operator."""

    def describe(self) -> str:
        """Return the type of the port, for people."""
        plain = f"Any number of: {self.type.title.lower()}." if self.many else f"{self.type.title}."
        return f"{plain} {self.description}".strip()

    def matches(self, name: str) -> bool:
        """Return whether the name, as used in a connection, means this port."""
        if not self.many:
            return name == self.name
        # No leading zeros: "input 01" would be a second name of "input 1".
        return re.fullmatch(rf"{re.escape(self.name)} [1-9]\d*", name) is not None


@dataclass(frozen=True)
class SubprocessPort:
    """An inner process an operator takes, with the ports inside it."""

    name: str
    sources: tuple[Port, ...]
    sinks: tuple[Port, ...]
    result: Callable[..., Any] | None = None
    """Builds the value of an operator from several sinks; None for a single one."""
    description: str = ""
    many: bool = False
    """Whether there may be any number of such inner processes; only for the last declared."""

    def title(self, number: int = 0) -> str:
        """Return the name shown above the inner process, counted from 0 where there are many."""
        base = self.name.replace("_", " ").capitalize()
        return f"{base} {number + 1}" if self.many else base


def fits(given: type[FlowObject], wanted: Port) -> bool:
    """Return whether a connection may lead from one type to another.

    A broader declared type, such as "anything", is allowed and checked when the value arrives.
     A collection serves a port of many: its results arrive one by one.
    """
    if wanted.many and issubclass(given, Collection):
        return True
    return issubclass(given, wanted.type) or issubclass(wanted.type, given)


def find_port(ports: Sequence[Port], name: str) -> Port:
    """Return the port a connection names; ``name 2`` finds a port of many."""
    for port in ports:
        if port.matches(name):
            return port
    known = [f"{p.name} 1" if p.many else p.name for p in ports]
    hint = did_you_mean(name, known) or (
        f"There are {', '.join(known)}." if known else "It has none."
    )
    raise PortError(f'There is no port "{name}".', hint=hint)


def read_port(name: str, annotation: Any) -> Port | SubprocessPort:
    """Return the port an annotation stands for; TypeError says why it cannot be one."""
    named = Named()
    if get_origin(annotation) is Annotated:
        annotation, *metadata = get_args(annotation)
        named = next((m for m in metadata if isinstance(m, Named)), named)
    name = named.name or name
    if get_origin(annotation) is Subprocess:
        return replace(_read_subprocess(name, annotation), description=named.description)
    if get_origin(annotation) is list and get_origin(get_args(annotation)[0]) is Subprocess:
        inner = _read_subprocess(name, get_args(annotation)[0])
        return replace(inner, description=named.description, many=True)
    annotation, optional = _without_none(annotation)
    if get_origin(annotation) is not list:
        return Port(name, flow_type(annotation), named.description, optional, changed=named.changed)
    # A port of many may have no connection at all, so it is always optional.
    item, gaps = _without_none(get_args(annotation)[0])
    return Port(name, flow_type(item), named.description, optional=True, many=True, gaps=gaps)


def _without_none(annotation: Any) -> tuple[Any, bool]:
    """Return the type in ``type | None``, and whether None was there."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation, False
    rest = [part for part in get_args(annotation) if part is not type(None)]
    if len(rest) != 1 or len(rest) == len(get_args(annotation)):
        raise TypeError("a port carries one type; only `| None` may be added")
    return rest[0], True


def port_order(port: str) -> tuple[str, int]:
    """Return a key by which ``result 2`` comes before ``result 10``."""
    base, _, number = port.rpartition(" ")
    counted = base and number.isdecimal() and len(number) < 10  # a file may say anything
    return (base, int(number)) if counted else (port, 0)


def numbered(port: Port, values: Mapping[str, Any]) -> list[Any]:
    """Return the values at ``name 1``, ``name 2``, … in order, None where a number is left out."""
    found = {
        port_order(name)[1]: value
        for name, value in values.items()
        if port.matches(name) and value is not None
    }
    if not port.gaps:
        return [found[number] for number in sorted(found)]
    last = max(found, default=0)
    if last > HIGHEST_GAP:  # a file may say anything
        raise PortError(f'There is no port "{port.name} {last}".')
    return [found.get(number) for number in range(1, last + 1)]


def flow_type(annotation: Any) -> type[FlowObject]:
    """Return the class a port annotation names; TypeError if it is none that flows."""
    plain = get_origin(annotation) or annotation
    if isinstance(plain, type) and issubclass(plain, FlowObject):
        return plain
    shown = getattr(annotation, "__name__", str(annotation))
    raise TypeError(
        f"{shown} cannot flow through a port; use ExampleSet, AttributeWeights, Model, "
        "PerformanceVector, Collection, Subprocess, or a subclass of FlowObject "
        "(parameters follow a `*`)"
    )


def read_outputs(annotation: Any) -> tuple[tuple[Port, ...], Callable[..., Any] | None]:
    """Return output ports, and the NamedTuple that holds them if there are several."""
    if annotation is None or annotation is type(None):
        return (), None
    fields = getattr(annotation, "_fields", None)
    if fields is None:
        port = read_port("", annotation)
        if isinstance(port, SubprocessPort):
            raise TypeError("a process cannot be an output")
        return (port if port.name else replace(port, name=port.type.port_name),), None
    hints = get_type_hints(annotation, include_extras=True)
    ports = [read_port(field, hints[field]) for field in fields]
    return tuple(p for p in ports if isinstance(p, Port)), annotation


def _read_subprocess(name: str, annotation: Any) -> SubprocessPort:
    inputs, output = get_args(annotation)
    if not isinstance(inputs, list | tuple):
        raise TypeError(
            "put the inputs of an inner process in separate brackets, as in "
            "Subprocess[[ExampleSet], AttributeWeights]"
        )
    sources: list[Port] = []
    for inner in inputs:
        port = read_port("", inner)
        if isinstance(port, SubprocessPort):
            raise TypeError("an inner process cannot take a process")
        port = port if port.name else replace(port, name=port.type.port_name)
        if any(port.name == other.name for other in sources):
            raise TypeError(f'two inner inputs are called "{port.name}"; name them with Named')
        sources.append(port)
    sinks, result = read_outputs(output)
    return SubprocessPort(name, tuple(sources), sinks, result)
