"""The key of a result: operator, parameters, inputs, seed.

Operators are functions of these, so the results inside a loop need no look at their data: the key
of the operator around them, the number of the iteration and the place in the graph are enough.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fsops.core.checks.propagation import canonical, with_file_paths
from fsops.core.frame.frame import Frame, Settings, combined_key
from fsops.core.graph.process import Node, Process
from fsops.core.operator import Operator
from fsops.data import ExampleSet
from fsops.engine.cache.codec import encode
from fsops.errors import StorageError

PACKAGES = ("fsops", "numpy", "scipy", "scikit-learn")
COMPUTING = ("algorithms", "core", "data", "engine", "operators", "storage")
"""The parts of fsops that decide about results."""
CODE = (".py", ".so", ".pyd")
_MACRO = re.compile(r"%\{([^{}]*)\}")


def content_key(value: Any) -> str | None:
    """Return a key of the value itself; None if it cannot have one."""
    if value is None:
        return "nothing"
    if isinstance(value, ExampleSet):
        # The layout counts: sums over another layout differ in the last bit.
        return combined_key("table", value.fingerprint(), value.layout())
    try:
        return hashlib.sha256(encode(value)).hexdigest()
    except Exception:  # noqa: BLE001 - whatever keeps it from having one
        return None


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Return what else decides about numbers: the versions of the packages that compute them.

    Of fsops also its code: where it is developed, it changes without its version.
    """
    root = Path(__file__).parents[2]
    code = sorted(file for part in COMPUTING for file in (root / part).rglob("*.py"))
    known = [(name, importlib.metadata.version(name)) for name in PACKAGES]
    return (*known, ("code", _sources_digest(code) or ""))


def is_pure(node: Node, settings: Settings) -> bool:
    """Return whether a node, with all inside it, depends on nothing but what its key says."""
    inner = [n for process in node.subprocesses for n in process.walk() if n.enabled]
    return all(_tells_all(n) for n in (node, *inner)) and not any(
        _reads_by_macro(n, settings) or _reads_elsewhere(n, settings) for n in inner
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


def _reads_elsewhere(node: Node, settings: Settings) -> bool:
    """Return whether a node reads a source other than a file, such as a plugin's sample."""
    return any(
        not files for files in _files_read(node, with_file_paths(node, _raw(node, settings)))
    )


def _raw(node: Node, settings: Settings) -> dict[str, Any]:
    return canonical(node) | dict(settings.get(node.name, {}))


def node_key(
    node: Node,
    frame: Frame,
    parameters: Mapping[str, Any],
    inputs: Mapping[str, str | None],
) -> str | None:
    """Return the key of an operator's results; None if it must always run.

    Sources must: only a run shows the present contents of a file.
    """
    operator, settings = node.operator, frame.all_settings
    if not inputs or None in inputs.values() or not is_pure(node, settings):
        return None
    # Without context and inner processes an operator draws no random numbers, so its results
    # do not depend on its place.
    by_chance = operator.context is not None or bool(node.subprocesses)
    return combined_key(
        versions(),
        [operator.key, operator.version, _code(operator)],
        sorted(parameters.items()),
        _contents_read(node, parameters),
        sorted(inputs.items()),
        [frame.seed, frame.key] if by_chance else [],
        # An operator may leave out outputs that are not used (`Context.wants`).
        None if frame.wanted is None else sorted(frame.wanted),
        [_structure(inner, settings, frame.state.macros) for inner in node.subprocesses],
    )


def _structure(process: Process, settings: Settings, macros: Mapping[str, str]) -> Any:
    """Return all that determines the results of an inner process."""
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
                _contents_read(node, with_file_paths(node, raw)),
                [_structure(inner, settings, macros) for inner in node.subprocesses],
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
    """Return which code is running; None if unknown, as in a notebook."""
    return _code_of(getattr(operator.function, "__module__", None) or "")


@cache
def _code_of(module: str) -> tuple[str, ...] | None:
    package = module.partition(".")[0]
    if package in ("", "fsops"):  # see `versions`
        return ()
    # While one works on a plugin its version is often forgotten, so its files count too.
    found = [_sources_digest(_sources_of(module, package))]
    if found[0] is None:
        return None
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        found.append(importlib.metadata.version(package))
    return tuple(part for part in found if part)


def _sources_of(module: str, package: str) -> list[Path]:
    """Return the files with the code of a module, and of all others of its package."""
    own = getattr(sys.modules.get(module), "__file__", None)
    folders = getattr(sys.modules.get(package), "__path__", [])
    found = {path for folder in folders for path in Path(folder).rglob("*") if _is_code(path)}
    return sorted(found | ({Path(own)} if own else set()))


def _is_code(path: Path) -> bool:
    return path.suffix in CODE and path.is_file()


def _sources_digest(files: Iterable[Path]) -> str | None:
    """Return a hash of the contents of the files; None without files."""
    found = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
    return combined_key(found) if found else None


def _contents_read(node: Node, parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the files that a node reads, with their contents."""
    found = {file: file.stat() for files in _files_read(node, parameters) for file in files}
    return sorted(
        (str(file), _digest(str(file), about.st_size, about.st_mtime_ns, about.st_ctime_ns))
        for file, about in found.items()
    )


def _files_read(node: Node, parameters: Mapping[str, Any]) -> Iterator[list[Path]]:
    """Return for each name of data that a node reads which files that means."""
    for parameter in node.operator.parameters:
        path = parameters.get(parameter.name)
        if parameter.file is not None and isinstance(path, str) and path:
            yield _files_named(path)


def _files_named(path: str) -> list[Path]:
    """Return the file, those in the folder, or that of the entry in a repository."""
    from fsops.storage.repository import REPOSITORY, find_entry

    base = Path(path)
    if base.is_file() and not path.startswith(REPOSITORY):
        return [base]
    with contextlib.suppress(StorageError):  # the operator will tell
        entry = find_entry(path)
        if entry is not None:
            return [entry]
    return sorted(file for file in base.rglob("*") if file.is_file()) if base.is_dir() else []


@cache
def _digest(file: str, size: int, modified: int, changed: int) -> str:
    # Size and times are arguments only to invalidate the cached digest. A copy may restore the
    # modification time, but not the change time.
    with open(file, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
