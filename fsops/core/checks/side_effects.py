"""Side effects of operators besides their outputs: macros, remembered results, logs, files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fsops.core.checks.propagation import canonical, with_file_paths
from fsops.core.declare.macros import macro_names
from fsops.core.graph.process import Node


def with_inner(node: Node) -> list[Node]:
    """Return an operator with all that are inside of it."""
    return [node, *(n for inner in node.subprocesses for n in inner.walk())]


def leaves_something(node: Node) -> bool:
    """Return whether an operator by itself leaves anything behind; those inside count for it not.

    An operator that only looks, such as Branch, has others inside.
    """
    return bool(_files(node, write=True)) or not (node.operator.pure or node.subprocesses)


def finds_something(node: Node) -> bool:
    """Return whether an operator may read values that others left in the memory of the run."""
    return not node.operator.pure or bool(macro_names(node.parameters))


def is_noticed(node: Node, others: Sequence[Node]) -> bool:
    """Return whether an operator, or one inside of it, leaves values for others."""
    return any(
        _finds(other, left)
        for left in with_inner(node)
        if leaves_something(left)
        for other in others
    )


def _finds(node: Node, left: Node) -> bool:
    """Return whether an operator may find what another one leaves behind."""
    written = _files(left, write=True)
    if written:
        return _meet(written, _files(node, write=False))
    if _sets_macros(left):
        return bool(macro_names(node.parameters)) or not (node.operator.pure or _sets_macros(node))
    # An impure operator reads the memory of the run, unless it only sets macros.
    return not (node.operator.pure or _sets_macros(node))


def _sets_macros(node: Node) -> bool:
    return any(parameter.sets_macro for parameter in node.operator.parameters)


def _files(node: Node, *, write: bool) -> list[str]:
    """Return the names of the files that a node writes, or reads."""
    declared = [p for p in node.operator.parameters if p.file and p.file.write is write]
    values = with_file_paths(node, canonical(node)) if declared else {}
    return [str(values[p.name]) for p in declared if values.get(p.name)]


def _meet(written: Sequence[str], read: Sequence[str]) -> bool:
    """Return whether a file may be among those read; with a macro in its name it may be any."""
    return any(
        # A reader may name a folder that contains the file.
        bool(macro_names([one, other])) or Path(one).is_relative_to(other)
        for one in written
        for other in read
    )
