"""A process as a picture: one panel per level, operators from left to right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest

from fsops.core.declare.ports import Port, port_order
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.data import AttributeWeights, ExampleSet, FlowObject, Model, PerformanceVector
from fsops.errors import PATH_SEPARATOR

WIDTH, HEADER, ROW, GAP_X, GAP_Y, MARGIN = 178, 30, 20, 74, 26, 24
WIDEST = 250.0  # of a box for a long name
LETTER, BOLD = 6.2, 7.4  # width of a letter in the name of a port, and of an operator
TITLE, EDGE, LANE = 30, 96, 12
# Okabe and Ito's colors: color-blind readers distinguish them too.
COLOURS: Sequence[tuple[type[FlowObject], str]] = (
    (ExampleSet, "#0072B2"),
    (AttributeWeights, "#E69F00"),
    (Model, "#009E73"),
    (PerformanceVector, "#CC79A7"),
    (FlowObject, "#767676"),
)
STYLE = """
text { font-family: "Helvetica Neue", Arial, sans-serif; fill: #222; font-size: 11px }
.level { font-size: 13px; font-weight: 600 } .name { font-size: 12px; font-weight: 600 }
.box { fill: #fff; stroke: #9aa5b1 } .off { opacity: .45 } .panel { fill: #f4f6f8; stroke: #d5dbe1 }
.wire { fill: none; stroke-width: 2 }
.edge { fill: #5b6770; paint-order: stroke; stroke: #f4f6f8; stroke-width: 3px }
.missing { fill: #e9ecef; stroke: #7b8794; stroke-dasharray: 6 4 }
"""


def colour(kind: type[FlowObject]) -> str:
    """Return the color of a port type."""
    return next(colour for known, colour in COLOURS if issubclass(kind, known))


@dataclass(frozen=True)
class _Pin:
    """A port that is drawn: its name and where."""

    x: float
    y: float
    kind: type[FlowObject]


def process_svg(process: Process) -> str:
    """Return an SVG of the process and, below it, of every inner process."""
    return _svg(process.name, [_Panel(level) for level in _levels(process)])


def level_svgs(process: Process) -> Iterator[tuple[Process, str]]:
    """Return the process and every inner process, each with a separate SVG."""
    for level in _levels(process):
        yield level, _svg(level_name(level), [_Panel(level)])


def level_name(process: Process) -> str:
    """Return the heading of a level: its path, or the name of the process."""
    return PATH_SEPARATOR.join(process.path) or process.name


def _svg(name: str, levels: Sequence[_Panel]) -> str:
    panels, top, width = [], 0.0, 0.0
    for panel in levels:
        body = "".join(panel.shapes())
        panels.append(f'<g transform="translate(0,{top:g})">{body}</g>')
        top += panel.height + 12
        width = max(width, panel.width)
    size = f'width="{width:g}" height="{top:g}" viewBox="0 0 {width:g} {top:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    title = f"<title>{escape(name)}</title>"
    return f"{head}{title}<style>{STYLE}</style>{''.join(panels)}</svg>\n"


def _levels(process: Process) -> Iterator[Process]:
    yield process
    for node in process:
        for inner in node.subprocesses:
            yield from _levels(inner)


class _Panel:
    """One level: columns of operators, each as far right as its longest chain of inputs."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self._out: dict[tuple[str, str], _Pin] = {}
        self._in: dict[tuple[str, str], _Pin] = {}
        self._boxes: list[str] = []
        columns = self._columns()
        edge = self._edge_width(SOURCE) if process.owner else MARGIN
        bottom = self._edge(SOURCE, MARGIN)
        self._widest_edge = max(edge, self._edge_width(SINK))
        x = float(MARGIN + edge)
        for column in columns:
            y = float(TITLE + MARGIN / 2)
            for node in column:
                y = self._box(node, x, y) + GAP_Y
            wide = max(map(self._width_of, column))
            bottom, x = max(bottom, y - GAP_Y), x + wide + GAP_X
        self.width = x - GAP_X + self._edge_width(SINK) + MARGIN
        self._lanes = max(bottom, self._edge(SINK, self.width - MARGIN)) + LANE
        self._wires = list(self._draw_wires())
        self.height = self._lanes + MARGIN / 2

    def _columns(self) -> list[list[Node]]:
        depth: dict[str, int] = {}
        # A circle has no order, but is what one wants to see most.
        ordered = list(self.process) if self.process.cycle() else self.process.order()
        for node in ordered:
            before = [start for start, _ in self.process.incoming(node.name).values()]
            depth[node.name] = max((depth[b] + 1 for b in before if b in depth), default=0)
        columns: list[list[Node]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
        for node in self.process:
            columns[depth[node.name]].append(node)
        return columns

    def _ports(self, node: str, *, outgoing: bool) -> list[tuple[str, Port]]:
        """Return the ports to draw: those declared, and of many those connected."""
        found: list[tuple[str, Port]] = []
        names = sorted(
            {c.from_port for c in self.process.connections if c.from_node == node}
            if outgoing
            else {c.to_port for c in self.process.connections if c.to_node == node},
            key=port_order,
        )
        for port in self.process.ports(node, outgoing=outgoing):
            used = [name for name in names if port.matches(name)] if port.many else [port.name]
            found += [(name, port) for name in used]
        known = {name for name, _ in found}
        return found + [(name, Port(name, FlowObject)) for name in names if name not in known]

    def _edge_width(self, end: str) -> float:
        """Return the space between an edge and the operators, enough for the names of ports."""
        names = [name for name, _ in self._ports(end, outgoing=end == SOURCE)]
        return max(float(EDGE), LETTER * max(map(len, names), default=0) + 24)

    def _edge(self, end: str, x: float) -> float:
        """Draw the ports at the left or right edge of the level."""
        outgoing, y = end == SOURCE, TITLE + MARGIN / 2 + HEADER + ROW / 2
        pins, anchor = (self._out, "start") if outgoing else (self._in, "end")
        for name, port in self._ports(end, outgoing=outgoing):
            pins[end, name] = _Pin(x, y, port.type)
            shift = 9 if outgoing else -9
            self._text(name, x + shift, y - 6, anchor, "edge")
            y += ROW
        return y

    def _box(self, node: Node, x: float, y: float) -> float:
        """Draw an operator and return where it ends."""
        sides = [self._ports(node.name, outgoing=outgoing) for outgoing in (False, True)]
        missing = node.operator.is_placeholder
        header = HEADER + (ROW - 4 if missing else 0)
        height = header + ROW * max(map(len, sides)) + 6
        style = "box missing" if missing else "box" if node.enabled else "box off"
        width = self._width_of(node)
        size = f'width="{width:g}" height="{height:g}"'
        self._boxes.append(f'<rect class="{style}" x="{x:g}" y="{y:g}" {size} rx="6"/>')
        self._text(_short(node.name, width), x + width / 2, y + 19, "middle", "name")
        if missing:
            said = _short(f"not known: {node.operator.key}", width, LETTER)
            self._text(said, x + width / 2, y + 35, "middle", "edge")
        for ports, pins, at, shift, anchor in (
            (sides[0], self._in, x, 9, "start"),
            (sides[1], self._out, x + width, -9, "end"),
        ):
            for row, (name, port) in enumerate(ports):
                line = y + header + ROW * (row + 0.5)
                pins[node.name, name] = _Pin(at, line, port.type)
                self._text(name, at + shift, line + 4, anchor)
        return y + height

    def _width_of(self, node: Node) -> float:
        """Return how wide a box must be for its name and those of both of its sides."""
        sides = [self._ports(node.name, outgoing=outgoing) for outgoing in (False, True)]
        rows = zip_longest(*([name for name, _ in side] for side in sides), fillvalue="")
        longest = max((len(left) + len(right) for left, right in rows), default=0)
        name = min(len(node.name) * BOLD + 20, WIDEST)
        return max(float(WIDTH), name, longest * LETTER + 36)

    def _text(self, text: str, x: float, y: float, anchor: str, style: str = "") -> None:
        where = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}"'
        self._boxes.append(f'<text class="{style}" {where}>{escape(text)}</text>')

    def _draw_wires(self) -> Iterator[str]:
        """Draw connections; those that pass other operators run along lanes below them."""
        for connection in self.process.connections:
            start = self._out[connection.from_node, connection.from_port]
            end = self._in[connection.to_node, connection.to_port]
            first, last = f"M{start.x:g},{start.y:g}", f"{end.x:g},{end.y:g}"
            if end.x - start.x <= GAP_X + self._widest_edge:
                bend = max(30.0, (end.x - start.x) / 2)
                path = f"{first} C{start.x + bend:g},{start.y:g} {end.x - bend:g},{end.y:g} {last}"
            else:
                lane, turn = self._lanes, GAP_X / 2
                self._lanes += LANE
                path = (
                    f"{first} C{start.x + turn:g},{start.y:g} {start.x:g},{lane:g} "
                    f"{start.x + turn:g},{lane:g} H{end.x - turn:g} "
                    f"C{end.x:g},{lane:g} {end.x - turn:g},{end.y:g} {last}"
                )
            yield f'<path class="wire" stroke="{colour(start.kind)}" d="{path}"/>'

    def shapes(self) -> Iterator[str]:
        """Return the SVG of the level."""
        size = f'width="{self.width - 1:g}" height="{self.height - 1:g}"'
        yield f'<rect class="panel" x=".5" y=".5" {size} rx="8"/>'
        name = escape(level_name(self.process))
        yield f'<text class="level" x="{MARGIN}" y="22">{name}</text>'
        yield from self._wires
        yield from self._boxes
        for pin in [*self._out.values(), *self._in.values()]:
            yield f'<circle cx="{pin.x:g}" cy="{pin.y:g}" r="4.5" fill="{colour(pin.kind)}"/>'


def _short(name: str, width: float, letter: float = BOLD) -> str:
    most = int(width / letter)
    return name if len(name) <= most else name[: most - 1] + "…"
