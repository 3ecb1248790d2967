"""From XML to a process."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from lxml import etree

from fsops.core.declare.renames import present_key, warn_renamed
from fsops.core.graph.bends import MOST, bends_in, set_bends
from fsops.core.graph.process import BREAKPOINTS, Node, Note, Process
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.errors import did_you_mean
from fsops.storage.elements import (
    RAPIDMINER_4,
    at_most_one,
    comments_before,
    exactly_one,
    extra_of,
    keep_leaf,
    required,
    split,
    tag_of,
    text_of,
)
from fsops.storage.foreign import is_rapidminer, our_port, parse_process_xml
from fsops.storage.messages import shown
from fsops.storage.process_grammar import (
    AFTER,
    ATTRIBUTES,
    CONNECT_ATTRIBUTES,
    CONTEXT,
    DEFAULT_NAMES,
    FILE,
    FOREIGN_VERSION,
    FORMAT,
    MACRO_PARTS,
    MACROS,
    NOTE,
    OPERATOR,
    OPERATOR_ATTRIBUTES,
    PARAMETERS,
    POSITION,
    ROOT_CLASS,
    SEED,
    SETTINGS,
    VERSION,
    VERSION_PREFIX,
    Extra,
    Place,
    keep_inside,
    kept_inside,
)
from fsops.storage.safe_xml import attributes_of, refusal

_SWITCH = {"true": True, "yes": True, "false": False, "no": False}
_BREAKPOINTS = {"both": BREAKPOINTS, **{word: (word,) for word in BREAKPOINTS}}
_PLACE = re.compile(r"[+-]?[0-9]{1,9}")
_WHOLE = re.compile(r"[+-]?[0-9]{1,100}")
_NUMBERED = re.compile(r" \(\d+\)$")
_COMPARED = 200  # names a misspelt one is compared with: a hostile file has many and long ones


def parse_process(
    data: bytes, registry: Registry | None = None, *, name: str | None = None
) -> Process:
    """Return the process a file holds.

    Parameters
    ----------
    data : bytes
        Content of the file.
    registry : Registry, optional
        Where to look up operators; the installed ones if not given. Unknown ones become
        placeholders that keep everything.
    name : str, optional
        What to call the process if the file only calls it "Process".
    """
    if registry is None:
        from fsops.plugins import plugins

        registry = plugins().registry
    root = parse_process_xml(data)
    is_foreign = is_rapidminer(root)
    if is_foreign:
        from fsops.storage.rapidminer.importer import translate  # most files are ours

        translate(root, registry)
    process = _Reader(root, registry, is_foreign).read()
    # A converted process keeps its name, whatever its file is called.
    if name and process.name in DEFAULT_NAMES and root.get(FOREIGN_VERSION) is None:
        process.name = name
    return process


class _Reader:
    def __init__(self, root: etree._Element, registry: Registry, is_foreign: bool) -> None:
        self.root = root
        self.is_foreign = is_foreign  # RapidMiner's own names are expected there
        self.registry = registry
        self.names = _Names(root)

    def read(self) -> Process:
        process = Process()
        if self.root.tag == "operator":  # RapidMiner also exports without the outer element
            operator = self.root
        elif self.root.tag == "process":
            operator = self._file(process)
        else:
            raise refusal(
                self.root, f"This is not a process file: it starts with <{tag_of(self.root)}>."
            )
        self._outermost(operator, process)
        after = [comment.text or "" for comment in self.root.itersiblings()]
        if after:
            keep_inside(process.extras, FILE, {**kept_inside(process.extras, *FILE), AFTER: after})
        return process

    def _file(self, process: Process) -> etree._Element:
        children, rest = split(self.root, ("context", "operator"))
        extra = extra_of(self.root, ("version",), rest)
        version = self.root.get("version")
        if version is not None and not _is_ours(self.root, version):
            extra.setdefault(ATTRIBUTES, {}).setdefault(FOREIGN_VERSION, version)
        keep_inside(process.extras, FILE, extra)
        context = at_most_one(children, "context")
        if context is not None:
            _read_context(context, process)
        return exactly_one(self.root, children, "operator")

    def _outermost(self, element: etree._Element, process: Process) -> None:
        key = required(element, "class")
        if key != ROOT_CLASS:
            message = f'The outermost operator is {shown(key)}, but must be "{ROOT_CLASS}".'
            raise refusal(element, message, RAPIDMINER_4 if key.lower() == ROOT_CLASS else "")
        process.name = element.get("name", process.name)
        children, rest = split(element, (*SETTINGS, "process", "description"))
        settings = [child for child in children if child.tag in SETTINGS]
        parameters = _read_parameters(settings, None, process.extras)
        process.seed = _seed(element, parameters.pop(SEED, str(process.seed)))
        if parameters:
            process.extras[PARAMETERS] = parameters
        process.description, more = _read_note(children, process.extras)
        extra = extra_of(element, ("class", "name"), [*more, *rest])
        keep_inside(process.extras, OPERATOR, extra)
        self._level(exactly_one(element, children, "process"), process)

    def _level(self, element: etree._Element, process: Process) -> None:
        children, rest = split(element, ("operator", "connect", "description"))
        nodes: dict[str, Node] = {}
        for child in children:
            if child.tag == "operator":
                # Of equal names the first is meant by connections, as in RapidMiner.
                nodes.setdefault(required(child, "name"), self._node(child, process))
        fed: set[tuple[str, str]] = set()
        for child in children:
            if child.tag == "connect":
                _read_connection(child, process, nodes, fed)
            elif child.tag == "description":
                place = (*NOTE, str(len(process.notes)))
                process.notes.append(_note(child, process.extras, place))
        process.extras.update(extra_of(element, (), rest))

    def _operator(self, key: str) -> Operator:
        """Return the operator with a key; an earlier key causes a notice."""
        found = self.registry.find(key)
        if found.key != key and not self.is_foreign and present_key(key) == found.key:
            warn_renamed("", key, found.key)
        return found

    def _node(self, element: etree._Element, process: Process) -> Node:
        name = self.names.unique(required(element, "name"))
        node = Node(name, self._operator(required(element, "class")), process)
        children, rest = split(element, (*SETTINGS, "process", "description"))
        node.enabled = _enabled(element)
        node.breakpoints = _breakpoints(element)
        node.position = _position(element)
        settings = [child for child in children if child.tag in SETTINGS]
        node.parameters = _read_parameters(settings, node.operator, node.extras, self.is_foreign)
        node.note, more = _read_note(children, node.extras)
        node.extras.update(extra_of(element, OPERATOR_ATTRIBUTES, [*more, *rest]))
        process.insert(node)
        inner = [child for child in children if child.tag == "process"]
        for number, _ in enumerate(inner, start=1):
            node.subprocesses.append(Process(f"Subprocess {number}"))
            node.subprocesses[-1].owner = node
        node.fit_subprocesses()
        for child, subprocess in zip(inner, node.subprocesses, strict=False):
            self._level(child, subprocess)
        return node


class _Names:
    """Gives every operator a unique name; of equal names the first is kept."""

    def __init__(self, root: etree._Element) -> None:
        self._written = {element.get("name") for element in root.iter("operator")}
        self._used = {SOURCE, SINK}
        self._numbers: dict[str, int] = {}

    def unique(self, wanted: str) -> str:
        name = wanted
        if wanted in self._used:
            base = _NUMBERED.sub("", wanted)
            number = self._numbers.get(base, 2)
            while (name := f"{base} ({number})") in self._written:
                number += 1
            self._numbers[base] = number + 1
        self._used.add(name)
        return name


# --- the process as a whole -----------------------------------------------------------------


def _is_ours(root: etree._Element, version: str) -> bool:
    """Return whether fsops wrote the file; refuse files of a newer version."""
    if not version.startswith(VERSION_PREFIX):
        return False
    number = VERSION.fullmatch(version)
    if number is None:
        hint = f'Files of fsops carry "{VERSION_PREFIX}{FORMAT}".'
        raise refusal(root, f"The version {shown(version)} cannot be understood.", hint)
    if int(number[1]) > FORMAT:
        readable = f"this one reads up to {VERSION_PREFIX}{FORMAT}"
        message = f"The file was written by a newer fsops, in the format {version}; {readable}."
        raise refusal(root, message, "Update fsops to open it.")
    return True


def _seed(element: etree._Element, value: Any) -> int:
    if not isinstance(value, str) or not _WHOLE.fullmatch(value.strip()):
        given = shown(value) if isinstance(value, str) else "a list"
        raise refusal(element, f"{SEED} is {given}, but must be a whole number.")
    return int(value)


def _read_context(element: etree._Element, process: Process) -> None:
    children, rest = split(element, ("macros",))
    used = [child for child in rest if not _is_bare(child, ("input", "output"))]
    keep_inside(process.extras, CONTEXT, extra_of(element, (), used))
    macros = at_most_one(children, "macros")
    if macros is None:
        return
    children, rest = split(macros, ("macro",))
    keep_inside(process.extras, MACROS, extra_of(macros, (), rest))
    for child in children:
        _read_macro(child, process)


def _is_bare(element: etree._Element, tags: Collection[str]) -> bool:
    """Return whether an element says nothing."""
    text = (element.text or "").strip()
    return element.tag in tags and not len(element) and not element.attrib and not text


def _read_macro(element: etree._Element, process: Process) -> None:
    children, rest = split(element, MACRO_PARTS)
    parts = {tag: exactly_one(element, children, tag) for tag in MACRO_PARTS}
    key, value = (text_of(part) for part in parts.values())
    if key in process.macros:
        raise refusal(element, f"The macro {shown(key)} is set twice.")
    process.macros[key] = value
    place = (*MACROS, key)
    keep_inside(process.extras, place, extra_of(element, (), rest))
    for tag, part in parts.items():
        keep_inside(process.extras, (*place, tag), extra_of(part, (), ()))


# --- parts of an operator -------------------------------------------------------------------


def _enabled(element: etree._Element) -> bool:
    word = element.get("activated", "true")
    if word not in _SWITCH:
        raise refusal(element, f"activated is {shown(word)}, but must be true or false.")
    return _SWITCH[word]


def _breakpoints(element: etree._Element) -> frozenset[str]:
    found: set[str] = set()
    for word in element.get("breakpoints", "").split(","):
        if word.strip():
            if word.strip() not in _BREAKPOINTS:
                message = f"breakpoints has {shown(word)}, but can only have before, after or both."
                raise refusal(element, message)
            found.update(_BREAKPOINTS[word.strip()])
    return frozenset(found)


def _position(element: etree._Element) -> dict[str, int] | None:
    found: dict[str, int] = {}
    for name in POSITION:
        value = element.get(name)
        if value is not None:
            if not _PLACE.fullmatch(value):
                allowed = "must be a whole number of at most 9 digits"
                raise refusal(element, f"{name} is {shown(value)}, but {allowed}.")
            found[name] = int(value)
    return found or None


def _read_parameters(
    elements: Sequence[etree._Element],
    operator: Operator | None,
    extras: Extra,
    is_foreign: bool = True,
) -> dict[str, Any]:
    """Return the settings under our names; what does not fit a name is kept in extras."""
    aliases = operator.aliases.parameters if operator else {}
    written: set[str] = set()
    for element in elements:
        key = required(element, "key")
        if key in written:
            raise refusal(element, f"The parameter {shown(key)} is set twice.")
        written.add(key)
    found: dict[str, Any] = {}
    for element in elements:
        key = required(element, "key")
        ours = aliases.get(key, key)
        name = key if ours in written or ours in found else ours
        if operator and name != key and not is_foreign:
            warn_renamed(operator.title, key, name)
        found[name] = _value(element, name, operator, extras)
    return found


def _value(
    element: etree._Element, name: str, operator: Operator | None, extras: Extra
) -> str | list[Any] | dict[str, str]:
    place = ("parameter", name)
    if element.tag == "parameter":
        keep_leaf(element, extras, place, ("key", "value"))
        return required(element, "value")
    items, rest = split(element, ("parameter",))
    keep_inside(extras, place, extra_of(element, ("key",), rest))
    pairs = element.tag == "list"
    known = ("key", "value") if pairs else ("value",)
    for number, item in enumerate(items):
        keep_leaf(item, extras, (*place, str(number)), known)
    if pairs and items:
        return [(required(item, "key"), required(item, "value")) for item in items]
    # Without items, and without a declaration, the type has to say which of the two it was.
    return {} if pairs and not _is_pairs(operator, name) else [required(i, "value") for i in items]


def _is_pairs(operator: Operator | None, name: str) -> bool:
    parameters = operator.parameters if operator else ()
    return any(p.name == name and p.kind == "pairs" for p in parameters)


def _read_note(
    children: Iterable[etree._Element], extras: Extra
) -> tuple[Note | None, list[etree._Element]]:
    """Return an operator's first description as its note; RapidMiner may write several."""
    found = [child for child in children if child.tag == "description"]
    note = _note(found[0], extras, NOTE) if found else None
    return note, [part for child in found[1:] for part in (*comments_before(child), child)]


def _note(element: etree._Element, extras: Extra, place: Place) -> Note:
    layout = attributes_of(element)
    keep_inside(extras, place, extra_of(element, layout, ()))
    return Note(text_of(element), layout)


# --- connections ----------------------------------------------------------------------------


def _read_connection(
    element: etree._Element,
    process: Process,
    nodes: Mapping[str, Node],
    fed: set[tuple[str, str]],
) -> None:
    start, from_port = _end(element, process, nodes, "from")
    end, to_port = _end(element, process, nodes, "to")
    if (end, to_port) in fed:
        where = "of the process" if end == SINK else f"of {shown(end)}"
        raise refusal(element, f"The port {shown(to_port)} {where} is connected twice.")
    fed.add((end, to_port))
    keep_leaf(element, process.extras, ("connect", end, to_port), CONNECT_ATTRIBUTES)
    # Not by `connect`: the validator looks at ports.
    wire = Connection(start, from_port, end, to_port)
    process.connect_free(wire)
    text = element.get("bends")
    if text is not None:
        points = bends_in(text)
        if points is None:
            allowed = f'must have at most {MOST} points such as "120,80 150,80"'
            raise refusal(element, f"bends is {shown(text)}, but {allowed}.")
        set_bends(process, wire, points)


def _end(
    element: etree._Element, process: Process, nodes: Mapping[str, Node], side: str
) -> tuple[str, str]:
    port = required(element, f"{side}_port")
    name = element.get(f"{side}_op")
    outgoing = side == "from"
    if name is None:
        edge = SOURCE if outgoing else SINK
        ports = process.ports(edge, outgoing=outgoing)
        return edge, our_port(port, ports, _inner_aliases(process.owner))
    if name not in nodes:
        known = [n for n in nodes if len(n) < _COMPARED and n.isprintable()][:_COMPARED]
        hint = did_you_mean(name[:_COMPARED], known)
        message = f"The connection names the operator {shown(name)}, which is not in this process."
        raise refusal(element, message, hint)
    operator = nodes[name].operator
    ports = operator.outputs if outgoing else operator.inputs
    return nodes[name].name, our_port(port, ports, operator.aliases.ports)


def _inner_aliases(owner: Node | None) -> Mapping[str, str]:
    """Return foreign names of the ports inside an operator."""
    if owner is None:
        return {}
    aliases = owner.operator.aliases
    return {**aliases.ports, **aliases.inner}
