"""What a result was made of, as a key: operator, parameters, inputs, seed.

Operators are functions of these, so the results inside a loop need no look at their data: the key
of the operator around them, the number of the turn and the place in the graph say it all.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fsops.core.context import Context
from fsops.core.process import Node, Process
from fsops.core.propagation import canonical, with_file_paths
from fsops.core.state import current_state
from fsops.data import ExampleSet
from fsops.engine.cache.codec import CannotKeep, encode

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
    except CannotKeep:
        return None


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Return what else decides about numbers: the versions of the packages that compute them."""
    return tuple((name, importlib.metadata.version(name)) for name in PACKAGES)


def is_pure(node: Node) -> bool:
    """Return whether a node, with all inside it, depends on nothing but what its key says."""
    inner = (n for process in node.subprocesses for n in process.walk())
    return all(n.operator.pure and not _writes(n) for n in (node, *inner))


def _writes(node: Node) -> bool:
    return any(p.file is not None and p.file.write for p in node.operator.parameters)


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
    if not inputs or None in inputs.values() or not is_pure(node):
        return None
    by_chance = operator.context is not None or bool(node.subprocesses)
    return combined(
        versions(),
        [operator.key, operator.version],
        sorted(parameters.items()),
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
        raw = canonical(node) | dict(settings.get(node.name, {}))
        used = sorted(set(_MACRO.findall(json.dumps(raw, default=str))))
        nodes.append(
            [
                node.name,
                node.operator.key,
                node.operator.version,
                node.enabled,
                sorted(raw.items()),
                [(name, macros.get(name)) for name in used],
                sorted(_files_read(node)),
                [_structure(inner, settings) for inner in node.subprocesses],
            ]
        )
    wires = sorted(tuple(map(str, vars(c).values())) for c in process.connections)
    return [nodes, wires]


def _files_read(node: Node) -> Iterator[tuple[str, str]]:
    """Return the files that an inner source reads, with what they hold."""
    paths = with_file_paths(node, canonical(node))
    for parameter in node.operator.parameters:
        path = paths.get(parameter.name)
        if parameter.file is None or not isinstance(path, str) or not path:
            continue
        base = Path(path)
        files = [base] if base.is_file() else sorted(base.parent.glob(f"{base.name}.*"))
        for file in files:
            found = file.stat()
            yield str(file), _digest(str(file), found.st_size, found.st_mtime_ns)


@cache
def _digest(file: str, size: int, changed: int) -> str:
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
