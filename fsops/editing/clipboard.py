"""Operators as text: copied from a process, found in a text, and pasted into a process."""

from __future__ import annotations

import re
from collections.abc import Collection

from fsops.core.graph.bends import bends_of, set_bends
from fsops.core.graph.process import Process, free_name
from fsops.core.graph.wiring import Connection
from fsops.editing.layout import TOP, Place, shift_notes, shifted
from fsops.errors import ProcessFileError
from fsops.storage.process_reader import parse_process

_PROCESS = re.compile(r"<process\b.*</process\s*>", re.DOTALL)
_OPERATORS = re.compile(r"<operator\b.*(?:</operator\s*>|/>)", re.DOTALL)
_QUOTED = re.compile(r"^[ \t]*((?:>[ \t]?)+)[ \t]*<(?:\?xml|process|operator)\b", re.MULTILINE)
_AROUND = (
    '<process><operator class="process" name="Process"><process>{}</process></operator></process>'
)


def process_in(text: str) -> Process:
    """Return the process a text holds; words around it and the quote marks of a mail are left out.

    Operators without a process around them will do as well.
    """
    plain = _unquoted(text.replace("\u00a0", " "))
    whole = _PROCESS.search(plain)
    operators = _OPERATORS.search(plain)
    if operators is not None and (whole is None or operators.start() < whole.start()):
        return parse_process(_AROUND.format(operators.group()).encode())
    if whole is None:
        raise ProcessFileError(
            "The clipboard holds no process.",
            hint="Copy operators first, or the text of a process file.",
        )
    return parse_process(whole.group().encode())


def _unquoted(text: str) -> str:
    """Return a text without the marks of quoted lines in a mail."""
    marks = _QUOTED.search(text)
    if marks is None:
        return text
    depth = marks.group(1).count(">")
    return re.sub(rf"^[ \t]*(?:>[ \t]?){{1,{depth}}}", "", text, flags=re.MULTILINE)


def fragment(level: Process, names: Collection[str], notes: Collection[int] = ()) -> Process:
    """Return some operators of a level, with the wires between them, as a separate process.

    Free notes with the given numbers go along.
    """
    part = Process("Fragment")
    copied = level.clone()
    for node in [n for n in copied if n.name in names]:
        node.process = part
        part.insert(node)
    for wire in copied.connections:
        if wire.from_node in part and wire.to_node in part:
            part.connect_unchecked(wire)
            set_bends(part, wire, bends_of(copied, wire))
    part.notes = [note for number, note in enumerate(copied.notes) if number in notes]
    return part


def paste(level: Process, part: Process, shift: Place = (0, 0)) -> list[str]:
    """Put the operators and notes of another process in, under free names; return the names."""
    copied = part.clone()
    new_names = _free_names(level, copied)
    renamed = {node.name: new_names[node.name] for node in copied}
    for node in list(copied.walk()):
        if node.process is not copied:
            node.process.rename(node.name, new_names[node.name])
    for node in list(copied):
        node.name = renamed[node.name]
        node.process = level
        if node.position and "x" in node.position:
            node.position["x"] += shift[0]
            node.position["y"] = node.position.get("y", TOP) + shift[1]
        level.insert(node)
    for wire in part.connections:
        if wire.from_node in renamed and wire.to_node in renamed:
            made = Connection(
                renamed[wire.from_node], wire.from_port, renamed[wire.to_node], wire.to_port
            )
            level.connect_unchecked(made)
            set_bends(level, made, shifted(bends_of(part, wire), *shift))
    shift_notes(copied.notes, *shift)
    level.notes += copied.notes
    return list(renamed.values())


def _free_names(level: Process, part: Process) -> dict[str, str]:
    """Return the new names of pasted operators, inner ones too: free on all levels."""
    taken = {node.name for node in level.root.walk()}
    own = [node.name for node in part.walk()]
    names: dict[str, str] = {}
    for name in own:
        # Not a name that another pasted operator has: each is renamed only once.
        names[name] = free_name(name, taken.union(own)) if name in taken else name
        taken.add(names[name])
    return names
