"""Differences between two processes: in words, and results that are out of date."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from fsops.core.checks.propagation import canonical, with_file_paths
from fsops.core.checks.side_effects import finds_something, is_noticed, leaves_something
from fsops.core.declare.parameters import value_text
from fsops.core.declare.roles import Role
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection

_MACRO = re.compile(r"%\{([^{}]*)\}")
RAN_AS = "ran as"


# --- in words -------------------------------------------------------------------------------


def changes_between(before: Process, after: Process) -> list[str]:
    """Return what differs, a sentence each; layout and notes do not count."""
    renamed = renamed_operators(before, after)
    olds = {renamed.get(node.name, node.name): node for node in before.walk()}
    news = {node.name: node for node in after.walk()}
    found = [f"{old} is now called {new}" for old, new in renamed.items()]
    found += [f"{node.name} was removed" for node in outermost(before, olds, news)]
    found += [f"{node.name} was added" for node in outermost(after, news, olds)]
    for name, node in news.items():
        if name in olds:
            found += node_changes(olds[name], node)
    wires = [set(named_wires(before, renamed)), set(named_wires(after, {}))]
    known = {*olds} & {*news}
    for words, texts in (
        ("connection removed", wires[0] - wires[1]),
        ("connected", wires[1] - wires[0]),
    ):
        both = [w for w in texts if {w[1].from_node, w[1].to_node} <= {*known, SOURCE, SINK}]
        found += [f"{words}: {wire}" for _, wire in sorted(both, key=str)]
    found += process_changes(before, after)
    return found


def renamed_operators(before: Process, after: Process) -> dict[str, str]:
    """Return new names by old ones: of each level, an operator of the same kind in the same order.

    If one operator is removed and another of the same kind added, it may count as renamed: the
    results are the same.
    """
    found: dict[str, str] = {}
    gone, come = ({n.name for n in p.walk()} for p in (before, after))
    gone, come = gone - come, come - gone
    for node in before.walk():
        if node.name not in gone:
            continue
        owner = node.process.owner
        level = None if owner is None else found.get(owner.name, owner.name)
        for other in after.walk():
            around = other.process.owner
            same = (around.name if around else None) == level
            same = same and other.process.name == node.process.name
            if other.name in come and other.operator.key == node.operator.key and same:
                found[node.name] = other.name
                come.discard(other.name)
                break
    return found


def outermost(
    process: Process, mine: Mapping[str, Node], theirs: Mapping[str, Node]
) -> Iterator[Node]:
    """Return the operators that only this process has, without their inner operators."""
    alone = {id(node) for name, node in mine.items() if name not in theirs}
    for node in process.walk():
        owner = node.process.owner
        if id(node) in alone and (owner is None or id(owner) not in alone):
            yield node


def node_changes(old: Node, new: Node) -> Iterator[str]:
    """Return the changes of an operator, a sentence each."""
    name = new.name
    if old.operator.key != new.operator.key:
        yield f"{name} is another operator: {new.operator.title}"
        return
    if old.enabled != new.enabled:
        yield f"{name} was switched {'on' if new.enabled else 'off'}"
    given = canonical(old), canonical(new)
    for parameter in dict.fromkeys([*given[0], *given[1]]):
        texts = [
            _shown(node, parameter, set_) for node, set_ in zip((old, new), given, strict=True)
        ]
        if texts[0] != texts[1]:
            yield f"{parameter} of {name}: {texts[0]} → {texts[1]}"


def _shown(node: Node, parameter: str, given: Mapping[str, Any]) -> str:
    """Return a value as a person would write it; the default if it is not set."""
    if parameter in given:
        return value_text(given[parameter]) or "empty"
    try:
        default = node.operator.parameter(parameter).default
    except KeyError:
        default = None
    return "empty" if default is None else value_text(default) or "empty"


def named_wires(
    process: Process, names: Mapping[str, str]
) -> Iterator[tuple[tuple[str, ...], Connection]]:
    """Return the wires of all levels with the path of their level, under other names."""
    levels = [process, *(inner for node in process.walk() for inner in node.subprocesses)]
    for level in levels:
        path = tuple(names.get(part, part) for part in level.path)
        for c in level.connections:
            start, end = names.get(c.from_node, c.from_node), names.get(c.to_node, c.to_node)
            yield path, Connection(start, c.from_port, end, c.to_port)


def process_changes(before: Process, after: Process) -> Iterator[str]:
    """Return the changes of settings of the whole process, a sentence each."""
    if before.seed != after.seed:
        yield f"Random seed: {before.seed} → {after.seed}"
    for name in dict.fromkeys([*before.macros, *after.macros]):
        texts = [process.macros.get(name, "") or "empty" for process in (before, after)]
        if texts[0] != texts[1]:
            yield f"Macro {name}: {texts[0]} → {texts[1]}"


# --- stale ----------------------------------------------------------------------------------


def stale_operators(then: Process, now: Process) -> set[str]:
    """Return the operators of ``now`` that would not return the same results as ``then``.

    They themselves have changed, something they are fed with, or something inside or around them.
    Layout, notes and breakpoints do not count. Names must be those of now; of operators that had
    another one when they ran, `RAN_AS` in their extras has it.
    """
    reached = _by_memory(then, now, set())
    while True:
        found: set[str] = set()
        _mark_level(then, now, found, reached, all_stale=False)
        more = _by_memory(then, now, found)
        if more <= reached:
            return found
        reached |= more


def _by_memory(then: Process, now: Process, stale: set[str]) -> set[str]:
    """Return the operators that may find something else in the memory of the run, or in files.

    Macros, remembered results and logs reach them without a wire from those that are stale, that
    are gone, or that come in another order.
    """
    olds, news = ([*process.walk()] for process in (then, now))
    names = {node.name for node in news}
    givers = [n for n in news if n.name in stale and leaves_something(n)]
    givers += [n for n in olds if n.name not in names and leaves_something(n)]
    found = {n.name for giver in givers for n in news if is_noticed(giver, [n])}
    both = names & {node.name for node in olds}
    orders = [
        [n.name for n in nodes if n.name in both and (leaves_something(n) or finds_something(n))]
        for nodes in (olds, news)
    ]
    if orders[0] != orders[1] and any(map(leaves_something, news)):
        found |= {n.name for n in news if finds_something(n)}
    return found


def _mark_level(
    then: Process | None, now: Process, found: set[str], reached: set[str], *, all_stale: bool
) -> None:
    olds = {n.name: then[n.name] if then is not None and n.name in then else None for n in now}
    own = {n.name for n in now if all_stale or n.name in reached or _own(olds[n.name]) != _own(n)}
    inside = {n.name for n in now if _inside(olds[n.name]) != _inside(n) or _holds(n, reached)}
    followers = _with_followers(now, own | inside)
    found |= followers
    for node in now:
        old = olds[node.name]
        # What an operator is given, and how it is set, decides about all that happens inside.
        stale = node.name in own or bool(now.before(node.name) & followers)
        stale = stale or (node.name in inside and _feeds_back(node))
        for index, inner in enumerate(node.subprocesses):
            match = old.subprocesses[index] if old and index < len(old.subprocesses) else None
            _mark_level(match, inner, found, reached, all_stale=stale or match is None)
            # What an inner process delivers may be what the next one is given.
            stale = stale or match is None or _structure(match) != _structure(inner)
            stale = stale or any(n.name in reached for n in inner.walk())


def _holds(node: Node, names: set[str]) -> bool:
    return any(n.name in names for inner in node.subprocesses for n in inner.walk())


def _feeds_back(node: Node) -> bool:
    """Return whether the result of an iteration decides the input of the next one."""
    chained = str(canonical(node).get("reuse_results", False)).lower() == "true"
    return chained or (node.operator.role is Role.SEARCH and _computes_inner_inputs(node))


def _computes_inner_inputs(node: Node) -> bool:
    """Return whether an operator gives its inner processes more than its own inputs.

    A search for attributes gives them a table of candidates. A search for parameters passes its
    inputs on, so no iteration depends on another.
    """
    return any(not port.many for inner in node.operator.subprocesses for port in inner.sources)


def _with_followers(process: Process, names: set[str]) -> set[str]:
    """Return operators with all that are fed by them, directly or not."""
    return names | process.descendants(*names)


def _own(node: Node | None) -> tuple[Any, ...] | None:
    """Return all that decides about an operator by itself."""
    if node is None:
        return None
    given = canonical(node)
    root = node.process.root
    return (
        node.operator.key,
        node.enabled,
        _settings(node, with_file_paths(node, given)),
        node.process.incoming(node.name),
        {name: root.macros.get(name) for name in _MACRO.findall(str(given))},
        (root.seed, _place(node)) if node.operator.random else None,
    )


def _settings(node: Node, given: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings as texts; one that is set to its default counts as not set."""
    usual = {p.name: value_text(p.default) for p in node.operator.parameters}
    texts = {name: _plain(value_text(value)) for name, value in given.items()}
    return {name: text for name, text in texts.items() if usual.get(name) != text}


def _place(node: Node) -> list[str]:
    """Return the names, as they were at the run, that random numbers depend on."""
    owner = node.process.owner
    around = [] if owner is None else [*_place(owner), node.process.name]
    return [*around, node.extras.get(RAN_AS, node.name)]


def _plain(value: Any) -> str:
    """Return a value as text; a path without the way round that a saved file may take."""
    text = str(value)
    return os.path.normpath(text) if os.path.isabs(text) else text


def _inside(node: Node | None) -> list[Any]:
    return [] if node is None else [_structure(inner) for inner in node.subprocesses]


def _structure(process: Process) -> tuple[Any, ...]:
    """Return all that determines the results of an inner process."""
    return {n.name: (_own(n), _inside(n)) for n in process}, process.incoming(SINK)
