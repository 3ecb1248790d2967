"""Connections that fsops draws in another way than RapidMiner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lxml import etree

from fsops.core.declare.ports import port_order
from fsops.core.operator import Operator
from fsops.storage.foreign import our_port
from fsops.storage.rapidminer.adapters import Adaptation
from fsops.storage.rapidminer.report import ConversionReport, Remark
from fsops.storage.rapidminer.rules import PASSED_ON

Source = tuple[str | None, str | None]

FURTHER = {"optimize_parameters_grid": ("model", "result")}
"""Outputs we have only as one of many: their name, and that of the many."""
BELOW = 100
"""How far below another an operator is put."""
AVERAGING = ("cross_validation", "split_validation", "bootstrapping_validation")
AVERAGED = ("performance", "performance 1", "averagable 1")


def move_behind(moved: Adaptation, around: Adaptation) -> bool:
    """Move an operator at the end of a validation's testing behind the validation.

    In RapidMiner it changes how the performances are averaged later; here it works on the
    measurements of all repetitions. Return whether that was possible.
    """
    testing, level = moved.element.getparent(), around.element.getparent()
    if testing is None or level is None or around.operator.key not in AVERAGING:
        return False
    arriving = [c for c in testing.iterchildren("connect") if c.get("to_op") == moved.name]
    leaving = [c for c in testing.iterchildren("connect") if c.get("from_op") == moved.name]
    outside = [
        c
        for c in level.iterchildren("connect")
        if c.get("from_op") == around.name and c.get("from_port") in AVERAGED
    ]
    single = len(arriving) == len(leaving) == len(outside) == 1
    if not single or _end(leaving[0], "to") not in [(None, port) for port in AVERAGED]:
        return False
    source, port = _end(arriving[0], "from"), leaving[0].get("from_port")
    _set(leaving[0], "from_op", source[0])
    _set(leaving[0], "from_port", source[1])
    testing.remove(arriving[0])
    around.element.addnext(moved.element)
    between = {"from_op": around.name, "from_port": outside[0].get("from_port", "")}
    between |= {"to_op": moved.name, "to_port": arriving[0].get("to_port", "")}
    outside[0].addprevious(etree.Element("connect", between))
    outside[0].set("from_op", moved.name)
    _set(outside[0], "from_port", port)
    return True


class ImportedLevel:
    """The operators and connections of one ``<process>``."""

    def __init__(
        self, element: etree._Element, operators: Mapping[str, Operator], report: ConversionReport
    ) -> None:
        self.element = element
        self.operators = operators
        self.report = report

    def _connections(self) -> list[etree._Element]:
        return [child for child in self.element if child.tag == "connect"]

    def reroute(self) -> None:
        """Connect what RapidMiner passes through an operator to where it comes from."""
        fed: dict[Source, Source] = {}
        for c in self._connections():
            fed.setdefault(_end(c, "to"), _end(c, "from"))
        origins: dict[Source, Source | None] = {}
        for connection in self._connections():
            start = _end(connection, "from")
            source = self._origin(start, fed, origins)
            if source is None:
                self._drop(connection)
            elif source != start:
                _set(connection, "from_op", source[0])
                _set(connection, "from_port", source[1])

    def _origin(
        self,
        start: Source,
        fed: Mapping[Source, Source],
        origins: dict[Source, Source | None],
    ) -> Source | None:
        """Return the origin of a value; ``origins`` keeps intermediate results.

        On a way that goes in a circle that is where the circle begins.
        """
        way: dict[Source, None] = {}
        source: Source | None = start
        while source is not None and source not in origins and self._passes(source):
            if source in way:
                origins |= {place: place for place in [*way][[*way].index(source) :]}
                break
            way[source] = None
            source = _arriving(source, fed)
        found = source if source is None else origins.get(source, source)
        for place in way:
            origins.setdefault(place, found)
        return found

    def _passes(self, source: Source) -> bool:
        """Return whether a port passes on its input, and we do not have it."""
        name, port = source
        operator = self.operators.get(name or "")
        if operator is None or port is None or operator.is_placeholder:
            return False
        ours = our_port(port, operator.outputs, operator.aliases.ports)
        known = any(p.matches(ours) for p in operator.outputs)
        return not known and bool(_inputs(port))

    def _drop(self, connection: etree._Element) -> None:
        start = f"{connection.get('from_op')}.{connection.get('from_port')}"
        end = f"{connection.get('to_op') or 'the process'}.{connection.get('to_port')}"
        text = f"The connection to {end} is left out: nothing comes out of {start}."
        self.report.remarks.append(Remark(connection.get("from_op", ""), text, changes=True))
        self.element.remove(connection)

    def _leaving(self) -> dict[Source, list[etree._Element]]:
        """Return the connections by where they begin."""
        found: dict[Source, list[etree._Element]] = {}
        for connection in self._connections():
            found.setdefault(_end(connection, "from"), []).append(connection)
        return found

    def insert(self, tasks: Sequence[Adaptation], names: set[str]) -> None:
        """Put operators behind the outputs of others."""
        leaving = self._leaving()
        for task in tasks:
            for port, key in task.inserted.items():
                self._insert(task, port, key, leaving.get((task.name, port), []), names)

    def _insert(
        self, task: Adaptation, port: str, key: str, fed: list[etree._Element], names: set[str]
    ) -> None:
        if not fed:
            return
        name = _unique(f"{task.name} ({key.replace('_', ' ')})", names)
        made = etree.Element("operator", {"class": key, "name": name})
        for axis, distance in (("x", 0), ("y", BELOW)):
            place = task.element.get(axis, "")
            if place.isdecimal() and len(place) < 9:
                made.set(axis, str(int(place) + distance))
        task.element.addnext(made)
        for connection in fed:
            connection.set("from_op", name)
        between = {"from_op": task.name, "from_port": port, "to_op": name, "to_port": port}
        fed[0].addprevious(etree.Element("connect", between))
        task.remark(f'{key} is done by the operator "{name}" behind it.', changes=False)

    def number_further(self) -> None:
        """Give an output that has a name in RapidMiner the next free number of the many."""
        leaving = self._leaving()
        for child in self.element.iterchildren("operator"):
            name = child.get("name")
            operator = self.operators.get(name or "")
            if operator is None or operator.key not in FURTHER:
                continue
            theirs, many = FURTHER[operator.key]
            inside = [c for p in child.iterchildren("process") for c in p.iterchildren("connect")]
            arriving = [c for c in inside if c.get("to_op") is None]
            orders = [port_order(c.get("to_port", "")) for c in arriving]
            numbers = [number for base, number in orders if base in (many, "output")]
            further = f"{many} {max(numbers, default=0) + 1}"
            for connection in arriving:
                if connection.get("to_port") == theirs:
                    connection.set("to_port", further)
            for connection in leaving.get((name, theirs), []):
                connection.set("from_port", further)


def _inputs(port: str) -> Iterable[str]:
    """Return the inputs that an output may give on."""
    base, number = port_order(port)
    return (port,) if number and base == "performance" else PASSED_ON.get(port, ())


def _arriving(source: Source, fed: Mapping[Source, Source]) -> Source | None:
    """Return where that comes from which an output gives on; None if nothing arrives."""
    name, port = source
    return next((fed[name, p] for p in _inputs(port or "") if (name, p) in fed), None)


def _end(connection: etree._Element, side: str) -> Source:
    """Return operator and port at one end."""
    return connection.get(f"{side}_op"), connection.get(f"{side}_port")


def _set(element: etree._Element, name: str, value: str | None) -> None:
    if value is None:
        element.attrib.pop(name, "")
    else:
        element.set(name, value)


def _unique(wanted: str, names: set[str]) -> str:
    name, number = wanted, 2
    while name in names:
        name, number = f"{wanted} ({number})", number + 1
    names.add(name)
    return name
