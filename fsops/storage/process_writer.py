"""From a process to XML, the same bytes for the same process."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fsops.core.declare.parameters import split_names
from fsops.core.graph.bends import bends_of, bends_text
from fsops.core.graph.process import BREAKPOINTS, Node, Note, Process, parameter_as_text
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.core.operator import placeholder
from fsops.errors import ParameterError, ProcessFileError, StorageError
from fsops.storage.messages import shown
from fsops.storage.process_grammar import (
    AFTER,
    ATTRIBUTES,
    BEFORE,
    CONTEXT,
    ELEMENTS,
    FILE,
    FORMAT,
    MACRO_PARTS,
    MACROS,
    NOTE,
    OPERATOR,
    PARAMETERS,
    POSITION,
    ROOT_CLASS,
    SEED,
    VERSION_PREFIX,
    Extra,
    kept_inside,
)
from fsops.storage.safe_xml import MAX_ATTRIBUTE_LENGTH, parse_xml

HEADER = '<?xml version="1.0" encoding="UTF-8"?>'
INDENT = "  "

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML has no way to write."""
_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_ATTRIBUTE = _TEXT | str.maketrans({'"': "&quot;", "\n": "&#10;", "\t": "&#9;"})

Lines = list[str]
"""An element, one entry per line to be indented; text within an entry stays as it is."""


def format_process(process: Process) -> bytes:
    """Return the process as a file holds it.

    Equal processes give equal bytes. Values that a file cannot hold are refused with a sentence.
    """
    data = "\n".join([HEADER, *_file(process), ""]).encode()
    try:
        parse_xml(data)  # what cannot be read again must never replace a good file
    except ProcessFileError as error:
        raise StorageError(f"The process cannot be saved: {error.message}") from None
    return data


def _file(process: Process) -> Lines:
    extra = kept_inside(process.extras, *FILE)
    version = {"version": f"{VERSION_PREFIX}{FORMAT}"}
    lines = _element("process", version, [*_context(process), *_outermost(process)], extra)
    return [*lines, *_comments(extra, AFTER)]


def _context(process: Process) -> Lines:
    macros = [line for key, value in process.macros.items() for line in _macro(process, key, value)]
    macros_extra = kept_inside(process.extras, *MACROS)
    extra = kept_inside(process.extras, *CONTEXT)
    children = _element("macros", {}, macros, macros_extra) if macros or macros_extra else []
    return _element("context", {}, children, extra) if children or extra else []


def _macro(process: Process, key: str, value: str) -> Lines:
    place = (*MACROS, key)
    parts = [
        line
        for tag, text in zip(MACRO_PARTS, (key, str(value)), strict=True)
        for line in _text_element(tag, {}, text, kept_inside(process.extras, *place, tag))
    ]
    return _element("macro", {}, parts, kept_inside(process.extras, *place))


def _outermost(process: Process) -> Lines:
    # The settings of the whole process are those of an operator that nobody can install.
    settings = {SEED: str(process.seed), **process.extras.get(PARAMETERS, {})}
    whole = Node(process.name, placeholder(ROOT_CLASS), process, settings, extras=process.extras)
    children = [*_settings(whole), *_level(process)]
    if process.description is not None:
        children += _note(process.description, kept_inside(process.extras, *NOTE))
    attributes = {"class": ROOT_CLASS, "name": process.name}
    return _element("operator", attributes, children, kept_inside(process.extras, *OPERATOR))


def _level(process: Process) -> Lines:
    lines: Lines = []
    for node in process:
        lines += _node(node)
    for connection in process.connections:
        lines += _connection(process, connection)
    for number, note in enumerate(process.notes):
        lines += _note(note, kept_inside(process.extras, *NOTE, str(number)))
    return _element("process", {}, lines, process.extras)


def _inner(process: Process) -> Lines:
    plain = Process()
    for what in ("seed", "macros", "description"):
        if getattr(process, what) != getattr(plain, what):
            message = f"Only the process as a whole can have a {what.rstrip('s')} in a file."
            raise StorageError(message, path=process.path)
    return _level(process)


def _node(node: Node) -> Lines:
    try:
        attributes = {"class": node.operator.key, "name": node.name}
        if not node.enabled:
            attributes["activated"] = "false"
        if node.breakpoints:
            attributes["breakpoints"] = ",".join(b for b in BREAKPOINTS if b in node.breakpoints)
        position = node.position or {}
        attributes |= {name: str(round(position[name])) for name in POSITION if name in position}
        children = _settings(node)
        for inner in node.subprocesses:
            children += _inner(inner)
        if node.note is not None:
            children += _note(node.note, kept_inside(node.extras, *NOTE))
        return _element("operator", attributes, children, node.extras)
    except StorageError as error:
        raise error.at(node.path) from None


# --- settings -------------------------------------------------------------------------------


def _settings(node: Node) -> Lines:
    return [line for name in node.parameters for line in _setting(node, name)]


def _setting(node: Node, name: str) -> Lines:
    text = _value(node, name)
    place = ("parameter", name)
    extra = kept_inside(node.extras, *place)
    if isinstance(text, str):
        return _element("parameter", {"key": name, "value": text}, [], extra)
    items: Lines = []
    for number, item in enumerate(text):
        key, value = item if isinstance(item, tuple) else (None, item)
        attributes = {"value": value} if key is None else {"key": key, "value": value}
        item_extra = kept_inside(node.extras, *place, str(number))
        items += _element("parameter", attributes, [], item_extra)
    tag = "list" if _is_pairs(node, name, text) else "enumeration"
    return _element(tag, {"key": name}, items, extra)


def _value(node: Node, name: str) -> str | Sequence[str] | Sequence[tuple[str, str]]:
    try:
        text = parameter_as_text(node, name)
    except ParameterError:
        message = f"The value of {shown(name)} is neither one value nor a list of values or pairs."
        raise StorageError(message) from None
    declared = _declared_kind(node, name)
    if isinstance(text, str) and declared == "attributes" and len(text) > MAX_ATTRIBUTE_LENGTH:
        return split_names(text)
    return text


def _declared_kind(node: Node, name: str) -> str:
    return next((p.kind for p in node.operator.parameters if p.name == name), "")


def _is_pairs(node: Node, name: str, text: Sequence[Any]) -> bool:
    if text:
        return isinstance(text[0], tuple)
    return isinstance(node.parameters[name], Mapping) or _declared_kind(node, name) == "pairs"


# --- the rest -------------------------------------------------------------------------------


def _connection(process: Process, connection: Connection) -> Lines:
    attributes: dict[str, str] = {}
    if connection.from_node != SOURCE:
        attributes["from_op"] = connection.from_node
    attributes["from_port"] = connection.from_port
    if connection.to_node != SINK:
        attributes["to_op"] = connection.to_node
    attributes["to_port"] = connection.to_port
    points = bends_of(process, connection)
    if points:
        attributes["bends"] = bends_text(points)
    extra = kept_inside(process.extras, "connect", connection.to_node, connection.to_port)
    return _element("connect", attributes, [], extra)


def _note(note: Note, extra: Extra) -> Lines:
    return _text_element("description", note.layout, note.text, extra)


def _element(
    tag: str, attributes: Mapping[str, str], children: Iterable[str], extra: Extra
) -> Lines:
    start = _start(tag, attributes, extra)
    inner = [*children, *extra.get(ELEMENTS, ())]
    before = _comments(extra, BEFORE)
    if not inner:
        return [*before, f"<{start}/>"]
    return [*before, f"<{start}>", *(INDENT + line for line in inner), f"</{tag}>"]


def _text_element(tag: str, attributes: Mapping[str, str], text: str, extra: Extra) -> Lines:
    start = _start(tag, attributes, extra)
    content = f">{_checked(text).translate(_TEXT)}</{tag}>" if text else "/>"
    return [*_comments(extra, BEFORE), f"<{start}{content}"]


def _start(tag: str, attributes: Mapping[str, str], extra: Extra) -> str:
    kept = extra.get(ATTRIBUTES, {})
    every = {**attributes, **{name: kept[name] for name in kept if name not in attributes}}
    return " ".join(
        [tag, *(f'{n}="{_checked(v).translate(_ATTRIBUTE)}"' for n, v in every.items())]
    )


def _comments(extra: Extra, where: str) -> Lines:
    return [f"<!--{comment}-->" for comment in extra.get(where, ())]


def _checked(text: str) -> str:
    """Refuse characters that XML has no way to write."""
    forbidden = FORBIDDEN.search(text)
    if forbidden:
        character = f"U+{ord(forbidden[0]):04X}"
        raise StorageError(
            f"The text {shown(text)} contains the character {character}, which XML cannot hold.",
            hint="Remove it.",
        )
    return text
