"""Operators called as Python functions: where a call stands decides its random numbers.

Within ``fsops.running(...)``, and in a function that takes the place of an inner process, a call
has a name and a place as an operator in a process has them. From these come its random numbers,
and macros, file names and the settings of a search are looked up as in a process.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsops.core.declare.macros import expand
from fsops.core.declare.parameters import Parameter
from fsops.core.frame.context import Context
from fsops.core.frame.state import Outcome, current_state
from fsops.data.performance import PerformanceVector
from fsops.errors import FsopsError

if TYPE_CHECKING:
    from fsops.core.operator import Operator


@dataclass(frozen=True)
class Surroundings:
    """What is around a call: a run, or one turn of an inner process."""

    context: Context
    """Its key and path begin those of what is called inside."""
    folder: Path | None = None
    """Where relative file names start."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Parameters that a search sets for now, by the operator's name."""
    names: set[str] = field(default_factory=set)
    """Of the operators that were called here so far."""
    seen: set[str] = field(default_factory=set)
    """The same with those called further inside."""

    def inside(self, context: Context) -> Surroundings:
        """Return the same further inside."""
        return replace(self, context=context, names=set())

    def named(self, name: str | None, title: str) -> str:
        """Return the name of a call: as given, else the title, with a number if it is taken."""
        found, number = name or title, 2
        while name is None and found in self.names:
            found, number = f"{title} ({number})", number + 1
        self.names.add(found)
        self.seen.add(found)
        return found

    def parameters(self, spec: Operator, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters as in a process: what a search sets, macros, full paths."""
        macros = current_state().macros
        values = {key: expand(value, macros) for key, value in given.items()}
        known = {parameter.name: parameter for parameter in spec.parameters}
        for key, value in self.settings.get(name, {}).items():
            values[key] = _rounded(known[key], value) if key in known else value
        for parameter in spec.parameters:
            value = values.get(parameter.name)
            if parameter.kind != "file" or self.folder is None:
                continue
            if isinstance(value, str) and value:
                values[parameter.name] = str(self.folder / Path(value).expanduser())
        return values

    def call(
        self, spec: Operator, inputs: Mapping[str, Any], given: Mapping[str, Any], name: str | None
    ) -> Any:
        """Call an operator here."""
        name = self.named(name, spec.title)
        around = self.context
        context = around.child((*around.path, name), (*around.key, name), None)
        began = time.perf_counter()
        try:
            parameters = self.parameters(spec, name, given)
            result = spec.invoke(inputs, parameters, context, self)
        except FsopsError as error:
            raise error.at(context.path) from None
        seconds = time.perf_counter() - began
        defaults = {p.name: p.default for p in spec.parameters if not p.required}
        outcome = _outcome(defaults | parameters, spec.values(result), seconds)
        current_state().outcomes[name] = outcome
        return result


def _rounded(parameter: Parameter, value: Any) -> Any:
    """Return the value checked; of a fraction for a whole number, as a range gives, the nearest."""
    is_fraction = parameter.kind == "integer" and isinstance(value, float)
    return parameter.check(round(value) if is_fraction else value)


def _outcome(parameters: Mapping[str, Any], results: Sequence[Any], seconds: float) -> Outcome:
    """Return what a log may ask for."""
    measured = [value for value in results if isinstance(value, PerformanceVector)]
    criteria = {criterion.name: criterion.mean for vector in measured for criterion in vector}
    if measured:
        criteria["performance"] = measured[0].main.mean
    return Outcome(parameters, seconds, criteria)


_SURROUNDINGS: ContextVar[Surroundings | None] = ContextVar("fsops_surroundings", default=None)


def surroundings() -> Surroundings | None:
    """Return what is around; None for a call on its own."""
    return _SURROUNDINGS.get()


@contextmanager
def surrounded(by: Surroundings | None) -> Iterator[None]:
    """Let calls inside stand there; None for calls on their own."""
    token = _SURROUNDINGS.set(by)
    try:
        yield
    finally:
        _SURROUNDINGS.reset(token)
