"""What a result was made of, as a key: operator, parameters, inputs, seed.

Operators are functions of these, so the results inside a loop need no look at their data: the key
of the operator around them, the number of the turn and the place in the graph say it all.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import importlib.metadata
import json
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fsops.core.context import Context
from fsops.core.operator import Operator
from fsops.core.process import Node, Process
from fsops.core.propagation import canonical, with_file_paths
from fsops.core.state import current_state
from fsops.data import ExampleSet
from fsops.engine.cache.codec import encode
from fsops.errors import StorageError
from fsops.storage.repository import REPOSITORY, entry_path

PACKAGES = ("fsops", "numpy", "scipy", "scikit-learn")
_MACRO = re.compile(r"%\{([^{}]*)\}")
Settings = Mapping[str, Mapping[str, Any]]


def combined(*parts: Any) -> str:
    """Return the key of something made of these parts."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()


def content_key(value: Any) -> str | None:
    """Return a key of the value itself; None if it cannot have one."""
    if value is None:
        return "nothing"
    if isinstance(value, ExampleSet):
        return combined("table", value.fingerprint())
    try:
        return hashlib.sha256(encode(value)).hexdigest()
    except Exception:  # noqa: BLE001 - whatever keeps it from having one
        return None


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Return what else decides about numbers: the versions of the packages that compute them."""
    return tuple((name, importlib.metadata.version(name)) for name in PACKAGES)


def is_pure(node: Node, settings: Settings) -> bool:
    """Return whether a node, with all inside it, depends on nothing but what its key says."""
    inner = [n for process in node.subprocesses for n in process.walk() if n.enabled]
    return all(_tells_all(n) for n in (node, *inner)) and not any(
        _reads_by_macro(n, settings) for n in inner
    )


def _tells_all(node: Node) -> bool:
    return node.operator.pure and not _writes(node) and _code(node.operator) is not None


def _writes(node: Node) -> bool:
    return any(p.file is not None and p.file.write for p in node.operator.parameters)


def _reads_by_macro(node: Node, settings: Settings) -> bool:
    """Return whether it is known only in the loop which file a node reads."""
    raw = _raw(node, settings)
    files = (raw.get(p.name) for p in node.operator.parameters if p.file is not None)
    return any(isinstance(file, str) and _MACRO.search(file) for file in files)


def _raw(node: Node, settings: Settings) -> dict[str, Any]:
    return canonical(node) | dict(settings.get(node.name, {}))


def node_key(
    node: Node,
    context: Context,
    parameters: Mapping[str, Any],
    inputs: Mapping[str, str | None],
    settings: Settings,
) -> str | None:
    """Return the key of what an operator will deliver; None if it must always run.

    Sources must: only by running is it known what a file holds now.
    """
    operator = node.operator
    if not inputs or None in inputs.values() or not is_pure(node, settings):
        return None
    by_chance = operator.context is not None or bool(node.subprocesses)
    return combined(
        versions(),
        [operator.key, operator.version, _code(operator)],
        sorted(parameters.items()),
        sorted(_files_read(node, parameters)),
        sorted(inputs.items()),
        [context.seed, context.key] if by_chance else [],
        sorted(context.wanted or ()),
        [_structure(inner, settings) for inner in node.subprocesses],
    )


def _structure(process: Process, settings: Settings) -> Any:
    """Return all that decides about what an inner process does."""
    macros = current_state().macros
    nodes = []
    for node in process:
        raw = _raw(node, settings)
        used = sorted(set(_macros_in(raw)))
        nodes.append(
            [
                node.name,
                node.operator.key,
                node.operator.version,
                _code(node.operator),
                node.enabled,
                sorted(raw.items()),
                [(name, macros.get(name)) for name in used],
                sorted(_files_read(node, with_file_paths(node, raw))),
                [_structure(inner, settings) for inner in node.subprocesses],
            ]
        )
    wires = sorted(tuple(map(str, vars(c).values())) for c in process.connections)
    return [nodes, wires]


def _macros_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _MACRO.findall(value)
    elif isinstance(value, Mapping):
        yield from _macros_in([*value.keys(), *value.values()])
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _macros_in(item)


def _code(operator: Operator) -> tuple[str, ...] | None:
    """Return which code is running; None if that cannot be told, as in a notebook."""
    return _code_of(getattr(operator.function, "__module__", None) or "")


@cache
def _code_of(module: str) -> tuple[str, ...] | None:
    package = module.partition(".")[0]
    if package in ("", "fsops"):  # has its version
        return ()
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return None
    # While one works on a plugin its version is often forgotten, so the file counts too.
    found = [hashlib.sha256(Path(file).read_bytes()).hexdigest()]
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        found.append(importlib.metadata.version(package))
    return tuple(found)


def _files_read(node: Node, parameters: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Return the files that a node reads, with what they hold."""
    for parameter in node.operator.parameters:
        path = parameters.get(parameter.name)
        if parameter.file is None or not isinstance(path, str) or not path:
            continue
        for file in _files_named(path):
            found = file.stat()
            yield str(file), _digest(str(file), found.st_size, found.st_mtime_ns)


def _files_named(path: str) -> list[Path]:
    """Return the file, those in the folder, or those of the entry in a repository."""
    base = Path(path)
    if path.startswith(REPOSITORY):
        with contextlib.suppress(StorageError):  # the operator will tell
            base = entry_path(path)
    if base.is_dir():
        return sorted(file for file in base.rglob("*") if file.is_file())
    if base.is_file():
        return [base]
    return sorted(f for f in base.parent.glob(f"{glob.escape(base.name)}.*") if f.is_file())


@cache
def _digest(file: str, size: int, changed: int) -> str:
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
