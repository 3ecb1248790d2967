"""Loads plugins one by one: a broken one is reported by name, the rest works."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeVar

import pluggy

from fsops.core.frame.engine import EngineSpec
from fsops.core.operator import Operator, operator_of
from fsops.core.registry import Registry
from fsops.data import FlowObject
from fsops.errors import DeclarationError, FsopsError, PluginError, UsageError, did_you_mean
from fsops.plugins import hookspecs
from fsops.plugins.records import Deferred, Drawing, Renderer, Sample, Writer
from fsops.version import __version__

GROUP = "fsops"
OURS = "fsops"  # the distribution whose operators carry bare keys
BLOCK_VARIABLE = "FSOPS_BLOCK_PLUGINS"
PREFIX = re.compile(r"[A-Za-z0-9_.-]+")  # what may stand before the colon of a key

Record = TypeVar("Record", Sample, Writer, Renderer, Drawing, EngineSpec)
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
    drawings: list[Drawing] = field(default_factory=list)
    engines: list[EngineSpec] = field(default_factory=list)
    loaded: list[PluginInfo] = field(default_factory=list)
    problems: list[PluginProblem] = field(default_factory=list)
    disabled: list[PluginInfo] = field(default_factory=list)
    """Installed plugins that the user has switched off; they are not imported."""

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
    everything = _installed()
    installed = _unblocked(everything)
    found = _loaded_apart(installed)
    found.disabled = [_info(entry) for entry in everything if entry not in installed]
    return found


def _loaded_apart(installed: list[importlib.metadata.EntryPoint]) -> Plugins:
    """Load the plugins of fsops, and those of others after a trial in a child process."""
    ours = [entry for entry in installed if _info(entry).distribution == OURS]
    others = [entry for entry in installed if entry not in ours]
    if not others:
        return load(ours)
    from fsops.plugins.quarantine import inspected

    good, refused = inspected(others)
    found = load([*ours, *good])
    found.problems += [PluginProblem(_info(each.entry), each.reason) for each in refused]
    return found


def switchable(name: str) -> str:
    """Return the name of an installed plugin that can be disabled; those of fsops cannot."""
    names = [entry.name for entry in _installed() if _info(entry).distribution != OURS]
    if name in names:
        return name
    there = f"There are {', '.join(names)}." if names else "No other plugin is installed."
    raise UsageError(
        f'There is no plugin "{name}" to enable or disable.',
        hint=did_you_mean(name, names) or there,
    )


def _unblocked(
    entries: Iterable[importlib.metadata.EntryPoint],
) -> list[importlib.metadata.EntryPoint]:
    blocked = set(os.environ.get(BLOCK_VARIABLE, "").split(","))
    return [entry for entry in entries if entry.name not in blocked]


def _installed() -> list[importlib.metadata.EntryPoint]:
    """Return the plugins of all distributions, also if the record of one is damaged."""
    try:
        return list(importlib.metadata.entry_points(group=GROUP))
    except Exception:  # noqa: BLE001 - one damaged record makes the quick way fail for all
        found: list[importlib.metadata.EntryPoint] = []
        for distribution in importlib.metadata.distributions():
            with contextlib.suppress(Exception):
                found += distribution.entry_points.select(group=GROUP)
        return found


def load(entry_points: Iterable[importlib.metadata.EntryPoint], *, strict: bool = False) -> Plugins:
    """Load plugins in the order of their names, ours first.

    With ``strict``, for plugin authors, the first problem is raised instead of noted.
    """
    found = Plugins()
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    listed = [(_info(entry), entry) for entry in _unblocked(entry_points)]
    for info, entry in sorted(listed, key=_order):
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


def _order(listed: tuple[PluginInfo, importlib.metadata.EntryPoint]) -> tuple[bool, str, str]:
    info, _ = listed
    return info.distribution != OURS, info.name, info.distribution


def _info(entry: importlib.metadata.EntryPoint) -> PluginInfo:
    if entry.value.startswith(f"{OURS}."):  # what is known need not be looked up in our own record
        return PluginInfo(entry.name, OURS, __version__)
    name = version = None
    if entry.dist is not None:
        with contextlib.suppress(Exception):  # the record of the distribution may be damaged
            name, version = entry.dist.name, entry.dist.version
    return PluginInfo(entry.name, name or entry.value, version or "unknown version")


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
    module = _registered(manager, entry)
    operators = _call(manager, module, "fsops_operators")
    samples = _records(manager, module, "fsops_samples", Sample)
    writers = _records(manager, module, "fsops_writers", Writer)
    renderers = _records(manager, module, "fsops_renderers", Renderer)
    drawings = _records(manager, module, "fsops_figures", Drawing)
    engines = _records(manager, module, "fsops_engines", EngineSpec)

    def add(register: Callable[[], object]) -> None:
        """Add one thing; a fault in it leaves the rest of the plugin alone."""
        try:
            register()
        except FsopsError as error:
            if strict:
                raise
            found.problems.append(PluginProblem(info, str(error)))

    prefix = "" if info.distribution == OURS else f"{entry.name}:"
    for declared in operators:
        if isinstance(declared, Deferred) and not strict:
            loaders = {
                _prefixed(name, prefix): partial(_loaded, declared, name, prefix, info, found)
                for name in declared.names
            }
            add(partial(found.registry.defer, loaders))
        else:
            add(partial(_register, found.registry, declared, prefix))
    for sample in samples:
        add(partial(_add_sample, found.samples, sample))
    found.writers += writers
    found.renderers += renderers
    found.drawings += drawings
    for engine in engines:
        add(partial(_add_engine, found.engines, engine))
    found.loaded.append(info)


def _registered(manager: pluggy.PluginManager, entry: importlib.metadata.EntryPoint) -> object:
    """Import a plugin's module and register its hooks; problems are reported."""
    if not PREFIX.fullmatch(entry.name):
        raise PluginError(
            f'"{entry.name}" cannot be the name of a plugin.', hint="Use letters and digits."
        )
    module: object = entry.load()
    if manager.has_plugin(entry.name):
        raise PluginError(
            f'There already is a plugin "{entry.name}".', hint="Uninstall one of the two."
        )
    if manager.is_registered(module):
        raise PluginError(f'"{entry.value}" is already the plugin "{manager.get_name(module)}".')
    try:
        manager.register(module, name=entry.name)
    except pluggy.PluginValidationError as error:
        raise PluginError(" ".join(str(error).split()) + ".") from None
    hooks = manager.get_hookcallers(module) or []
    unknown = [hook.name for hook in hooks if not hook.has_spec()]
    if unknown or not hooks:
        manager.unregister(module)
        known = [name for name in vars(hookspecs) if name.startswith("fsops_")]
        message = f'There is no hook "{unknown[0]}".' if unknown else "It has no hooks."
        close = did_you_mean(unknown[0], known) if unknown else "Mark them with @hookimpl."
        raise PluginError(message, hint=f"{close} The hooks are {', '.join(known)}.".strip())
    return module


def _register(registry: Registry, declared: Callable[..., Any] | Deferred, prefix: str) -> None:
    """Register an operator; a plugin's name goes before its key, also where Python code has it."""
    functions = [declared]
    if isinstance(declared, Deferred):
        functions = [declared.load(name) for name in declared.names]
    for spec in map(operator_of, functions):
        if registry.find(spec.key) is spec:
            raise PluginError(f'The operator "{spec.key}" is there already.')
        registry.add(_renamed(spec, prefix))


def _renamed(spec: Operator, prefix: str) -> Operator:
    key = _prefixed(spec.key, prefix)
    if key != spec.key:
        object.__setattr__(spec, "key", key)
    return spec


def _prefixed(key: str, prefix: str) -> str:
    return key if key.startswith(prefix) else prefix + key.rpartition(":")[2]


def _loaded(
    deferred: Deferred, name: str, prefix: str, info: PluginInfo, found: Plugins
) -> Operator | None:
    """Return an operator that was deferred; a faulty one is noted and left out."""
    # Ours print nothing, and threads load them while others print: a redirection holds for all.
    is_ours = info.distribution == OURS
    try:
        with contextlib.nullcontext() if is_ours else contextlib.redirect_stdout(sys.stderr):
            spec = _renamed(operator_of(deferred.load(name)), prefix)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # noqa: BLE001 - as in `load`
        found.problems.append(PluginProblem(info, f"{name}: {_reason(error)}"))
        return None
    if spec.key == _prefixed(name, prefix):
        return spec
    message = f'{name}: The operator there has the key "{spec.key}".'
    found.problems.append(PluginProblem(info, message))
    return None


def _add_engine(engines: list[EngineSpec], engine: EngineSpec) -> None:
    if any(known.name == engine.name for known in engines):
        raise PluginError(f'There already is an engine "{engine.name}".')
    engines.append(engine)


def _add_sample(samples: dict[str, Sample], sample: Sample) -> None:
    if any(_plain(name) == _plain(sample.name) for name in samples):
        raise PluginError(f'There already is sample data "{sample.name}".')
    samples[sample.name] = sample


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
