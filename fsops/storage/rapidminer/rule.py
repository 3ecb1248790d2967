"""The form of a rule about one class of RapidMiner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fsops.storage.rapidminer import adapters
from fsops.storage.rapidminer.ports import NO_PORTS, PortNames
from fsops.storage.rapidminer.report import CHANGES
from fsops.storage.rapidminer.settings import ForeignSettings


@dataclass(frozen=True)
class Unless:
    """Ignoring a setting changes something unless it has one of these values."""

    values: tuple[str, ...]
    effect: str = CHANGES

    def of(self, value: str) -> str:
        """Return what ignoring the setting means."""
        return "" if any(_same(value, neutral) for neutral in self.values) else self.effect


def unless(*values: str, effect: str = CHANGES) -> Unless:
    """Return that ignoring a setting changes something unless it has one of these values."""
    return Unless(values, effect)


def _same(value: str, other: str) -> bool:
    try:
        return float(value) == float(other)
    except ValueError:
        return value == other


Adapt = Callable[[ForeignSettings, "adapters.Adaptation"], None]


@dataclass(frozen=True)
class MappingRule:
    """The rule of a class of RapidMiner; names are RapidMiner's unless said otherwise."""

    becomes: str = ""
    """Our key, where it is neither the same nor an alias."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """Defaults of RapidMiner that differ from ours."""
    adapt: tuple[Adapt, ...] = ()
    """A change that needs more than a table, done first."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Other words for the same."""
    substitutes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The closest operator, where we have no equivalent."""
    harmless: frozenset[str] = frozenset()
    ignored: Mapping[str, Unless] = field(default_factory=dict)
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Values in RapidMiner's order, because files of 5.0 hold their number."""
    ports: PortNames = NO_PORTS
    """Ports with another name, where an alias would be ambiguous."""
