"""Places of operators and notes on the canvas, in the units of process files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fsops.core.graph.bends import all_bends, set_bends
from fsops.core.graph.process import Node, Note, Process
from fsops.editing.levels import all_levels

Place = tuple[int, int]
"""Left and top of an operator, in the units of process files."""
WIDTH, HEIGHT = 90, 68
"""The size of an operator in files; RapidMiner's."""
COLUMN, ROW = 134, 102
"""Distance of operators, from left to left and from top to top."""
LETTER, LEAST, LONGEST, GAP = 4.0, 106, 162, 44
"""About the width of a letter of a name, the narrowest and the widest card, and the gap."""
ROOM = 34
"""Between an operator that was put into a wire and those beside it."""
LEFT, TOP = 45, 34
BESIDE = 34
"""The steps of the search for a free place below the original of a copy."""


def place_node(node: Node, place: Place) -> None:
    """Put an operator somewhere on the canvas."""
    size = {"width": WIDTH, "height": HEIGHT}
    node.position = {**size, **(node.position or {}), "x": place[0], "y": place[1]}


def width_of(name: str) -> int:
    """Return about how wide the picture of an operator is that shows its whole name."""
    return min(max(LEAST, round(len(name) * LETTER) + 43), LONGEST)


def free_place(level: Process, after: Node | None = None) -> Place:
    """Return the place of the next operator: right of one, or of the last; not on another."""
    placed = [n for n in level if n.position and "x" in n.position and "y" in n.position]
    beside = after if after in placed else (placed[-1] if placed else None)
    x, y = LEFT, TOP
    if beside is not None and beside.position:
        x = beside.position["x"] + max(COLUMN, width_of(beside.name) + GAP)
        y = beside.position["y"]
    taken = [(n.position["x"], n.position["y"]) for n in placed if n.position]
    while any(abs(x - a) < WIDTH and abs(y - b) < HEIGHT for a, b in taken):
        y += ROW
    return x, y


def make_room(level: Process, node: Node) -> None:
    """Let an operator overlap no other: it gives way to the right, and so do those beside it."""
    x, y, width, height = _box(node)
    others = [other for other in level if other is not node]
    before = [box for other in others if _overlap(box := _box(other), _box(node)) and box[0] <= x]
    if before:
        x = max(left + wide for left, _, wide, _ in before) + ROOM
        place_node(node, (x, y))
    taken = (x, y, width + ROOM, height)
    after = [
        box[0] for other in others if _overlap(box := _box(other), taken) and box not in before
    ]
    if after:
        first = min(after)
        step = x + width + ROOM - first
        beyond = [o for o in others if _box(o)[0] >= first and _box(o) not in before]
        for other, (left, top, _, _) in [(other, _box(other)) for other in beyond]:
            place_node(other, (left + step, top))
        shift_notes((note for note in level.notes if note_place(note)[0] >= first), step, 0)


def move_operators(level: Process, places: Mapping[str, Place]) -> None:
    """Put operators at new places; bend points go along where both ends of a wire do."""
    steps: dict[str, Place] = {}
    for name, (x, y) in places.items():
        at = level[name].position or {}
        steps[name] = (x - at.get("x", x), y - at.get("y", y))
        place_node(level[name], (x, y))
    for wire, points in all_bends(level).items():
        step = steps.get(wire.from_node)
        if step is not None and step == steps.get(wire.to_node):
            set_bends(level, wire, shifted(points, *step))


def shifted(points: Iterable[Place], across: int, down: int) -> list[Place]:
    """Return points moved by a step."""
    return [(x + across, y + down) for x, y in points]


def clear_bends(level: Process) -> None:
    """Let all wires of a level find their way themselves."""
    for wire in all_bends(level):
        set_bends(level, wire, ())


def arranged(level: Process, heights: Mapping[str, int] | None = None) -> dict[str, Place]:
    """Return a place for every operator: columns along the flow, rows with few crossings."""
    import networkx as nx

    graph = level.graph.subgraph(level.names)
    if level.cycle():
        order = [[name] for name in (node.name for node in level)]
    else:
        place = {node.name: i for i, node in enumerate(level)}
        order = [
            sorted(layer, key=place.__getitem__) for layer in nx.topological_generations(graph)
        ]
    rows = {name: i for layer in order for i, name in enumerate(layer)}
    for _ in range(4):  # each sweep pulls operators to the middle of what feeds them
        for layer in order[1:]:
            middle = {
                name: sum(rows[b] for b in graph.pred[name]) / max(len(graph.pred[name]), 1)
                for name in layer
            }
            layer.sort(key=lambda name: (middle[name], rows[name]))
            rows |= {name: i for i, name in enumerate(layer)}
    places: dict[str, Place] = {}
    x = LEFT
    for layer in order:
        y = TOP
        for name in layer:
            places[name] = (x, y)
            y += max(ROW, (heights or {}).get(name, 0) + ROW - HEIGHT)
        x += max(COLUMN, max(map(width_of, layer)) + GAP)
    return places


def place_missing(process: Process) -> None:
    """Give operators a place that have none, on every level; where none has one, in order."""
    for level in all_levels(process):
        missing = [n for n in level if not n.position or not {"x", "y"} <= n.position.keys()]
        if len(missing) == len(level) > 0:
            move_operators(level, arranged(level))
            continue
        for node in missing:
            place_node(node, free_place(level))


def free_shift(level: Process, part: Process) -> Place:
    """Return how far to shift pasted operators, so that they cover nothing."""
    taken = [_box(node) for node in level]
    wanted = [_box(node) for node in part]
    notes = {note_place(note) for note in level.notes}
    copies = [note_place(note) for note in part.notes]
    down = 0
    while any(_overlap(one, (x, y + down, w, h)) for x, y, w, h in wanted for one in taken) or any(
        (x, y + down) in notes for x, y in copies
    ):
        down += BESIDE
    return 0, down


def _box(node: Node) -> tuple[int, int, int, int]:
    """Return about where the picture of an operator is: left, top, width, height."""
    at, operator = node.position or {}, node.operator
    rows = max(len(operator.inputs), len(operator.outputs), 1)
    return at.get("x", LEFT), at.get("y", TOP), width_of(node.name), 38 + 11 * rows


def _overlap(one: tuple[int, int, int, int], two: tuple[int, int, int, int]) -> bool:
    return (
        one[0] < two[0] + two[2]
        and two[0] < one[0] + one[2]
        and one[1] < two[1] + two[3]
        and two[1] < one[1] + one[3]
    )


def note_place(note: Note) -> Place:
    """Return the place of a free note."""
    try:
        return round(float(note.layout.get("x", 0))), round(float(note.layout.get("y", 0)))
    except ValueError:  # a file may say anything
        return 0, 0


def shift_notes(notes: Iterable[Note], dx: int, dy: int) -> None:
    """Move free notes."""
    for note in notes:
        x, y = note_place(note)
        note.layout |= {"x": str(x + dx), "y": str(y + dy)}
