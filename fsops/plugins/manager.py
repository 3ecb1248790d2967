"""Loads plugins one by one: a broken one is reported by name, the rest works."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

import pluggy

from fsops.core.operator import operator_of
from fsops.core.registry import Registry
from fsops.data import FlowObject
from fsops.errors import DeclarationError, FsopsError, UsageError, did_you_mean
from fsops.plugins import hookspecs
from fsops.plugins.records import Renderer, Sample, Writer

GROUP = "fsops"
OURS = "fsops"  # the distribution whose operators carry bare keys
BLOCK_VARIABLE = "FSOPS_BLOCK_PLUGINS"

Record = TypeVar("Record", Sample, Writer, Renderer)
ForType = TypeVar("ForType", Writer, Renderer)


@dataclass(frozen=True)
class PluginInfo:
    """An installed plugin: the entry point's name and the distribution it comes from."""

    name: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} ({self.distribution} {self.version})"


@dataclass(frozen=True)
class PluginProblem:
    """Why a plugin, or a part of it, is not available."""

    plugin: PluginInfo
    reason: str

    def __str__(self) -> str:
        return f"Plugin {self.plugin}: {self.reason}"


@dataclass
class Plugins:
    """Everything the installed plugins offer, and what went wrong on the way."""

    registry: Registry = field(default_factory=Registry)
    samples: dict[str, Sample] = field(default_factory=dict)
    writers: list[Writer] = field(default_factory=list)
    renderers: list[Renderer] = field(default_factory=list)
    loaded: list[PluginInfo] = field(default_factory=list)
    problems: list[PluginProblem] = field(default_factory=list)

    def sample(self, name: str) -> Sample:
        """Return sample data by name; spaces, case and underscores do not matter."""
        wanted = _plain(name)
        found = next((s for s in self.samples.values() if _plain(s.name) == wanted), None)
        if found is None:
            hint = did_you_mean(name, self.samples) or f"There are {', '.join(self.samples)}."
            raise UsageError(f'There is no sample data "{name}".', hint=hint)
        return found

    def writer(self, value: FlowObject) -> Writer | None:
        """Return how to write a result; the most special type wins."""
        return _most_special(self.writers, value)

    def renderer(self, value: FlowObject) -> Renderer | None:
        """Return how to show a result; the most special type wins."""
        return _most_special(self.renderers, value)


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", " ").replace("-", " ")


def _most_special(records: Iterable[ForType], value: FlowObject) -> ForType | None:
    fitting = [record for record in records if isinstance(value, record.type)]
    return max(fitting, key=lambda record: len(record.type.__mro__)) if fitting else None


@cache
def plugins() -> Plugins:
    """Return what all installed plugins offer; loaded once, on first use."""
    return load(importlib.metadata.entry_points(group=GROUP))


def load(entry_points: Iterable[importlib.metadata.EntryPoint], *, strict: bool = False) -> Plugins:
    """Load plugins in the order of their names, ours first.

    With ``strict``, for plugin authors, the first problem is raised instead of noted.
    """
    found = Plugins()
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    blocked = set(os.environ.get(BLOCK_VARIABLE, "").split(","))
    for entry in sorted(entry_points, key=lambda e: (_info(e).distribution != OURS, e.name)):
        if entry.name in blocked:
            continue
        info = _info(entry)
        try:
            # What a plugin prints while it loads must not end up in our output.
            with contextlib.redirect_stdout(sys.stderr):
                _load_one(entry, info, manager, found, strict)
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:  # noqa: BLE001 - even SystemExit must not stop fsops
            if strict:
                raise
            found.problems.append(PluginProblem(info, _reason(error)))
    return found


def _info(entry: importlib.metadata.EntryPoint) -> PluginInfo:
    if entry.dist is None:
        return PluginInfo(entry.name, entry.value, "unknown version")
    return PluginInfo(entry.name, entry.dist.name, entry.dist.version)


def _reason(error: BaseException) -> str:
    if isinstance(error, FsopsError):
        return str(error)
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _load_one(
    entry: importlib.metadata.EntryPoint,
    info: PluginInfo,
    manager: pluggy.PluginManager,
    found: Plugins,
    strict: bool,
) -> None:
    module = entry.load()
    manager.register(module, name=entry.name)
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        manager.unregister(module)
        known = ", ".join(name for name in vars(hookspecs) if name.startswith("fsops_"))
        raise DeclarationError(f"{error}", hint=f"The hooks are {known}.") from None

    def report(error: FsopsError) -> None:
        if strict:
            raise error
        found.problems.append(PluginProblem(info, str(error)))

    prefix = "" if info.distribution == OURS else f"{entry.name}:"
    for declared in _call(manager, module, "fsops_operators"):
        try:
            _register(found.registry, declared, prefix)
        except FsopsError as error:
            report(error)
    found.samples |= {s.name: s for s in _records(manager, module, "fsops_samples", Sample)}
    found.writers += _records(manager, module, "fsops_writers", Writer)
    found.renderers += _records(manager, module, "fsops_renderers", Renderer)
    found.loaded.append(info)


def _register(registry: Registry, declared: Callable[..., Any], prefix: str) -> None:
    """Register an operator; a plugin's name goes before its key, also where Python code has it."""
    spec = operator_of(declared)
    if prefix and not spec.key.startswith(prefix):
        bare = spec.key.rpartition(":")[2]
        object.__setattr__(spec, "key", prefix + bare)
    registry.add(spec)


def _call(manager: pluggy.PluginManager, module: object, hook: str) -> Sequence[Any]:
    """Return what one plugin's hook returns; nothing if it does not implement it."""
    caller = getattr(manager.hook, hook)
    for implementation in caller.get_hookimpls():
        if implementation.plugin is module:
            result = implementation.function()
            if not isinstance(result, list | tuple):
                raise DeclarationError(
                    f"{hook} must return a list, but returned {type(result).__name__}."
                )
            return result
    return ()


def _records(
    manager: pluggy.PluginManager, module: object, hook: str, wanted: type[Record]
) -> list[Record]:
    records = list(_call(manager, module, hook))
    for record in records:
        if not isinstance(record, wanted):
            raise DeclarationError(f"{hook} must return {wanted.__name__} objects, not {record!r}.")
    return records
