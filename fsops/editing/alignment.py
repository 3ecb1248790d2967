"""Places that put several operators in line or at equal distances."""

from __future__ import annotations

from collections.abc import Mapping

from fsops.editing.layout import Place

Box = tuple[int, int, int, int]
"""Left, top, width and height of an operator, in the units of process files."""
SIDES = ("left", "right", "top", "bottom", "centre", "middle")
DIRECTIONS = ("across", "down")


def aligned(boxes: Mapping[str, Box], side: str) -> dict[str, Place]:
    """Return places with one side in line; ``centre`` is one above the other, ``middle`` a row."""
    left = min(x for x, _, _, _ in boxes.values())
    right = max(x + w for x, _, w, _ in boxes.values())
    top = min(y for _, y, _, _ in boxes.values())
    bottom = max(y + h for _, y, _, h in boxes.values())

    def place(x: int, y: int, w: int, h: int) -> Place:
        return {
            "left": (left, y),
            "right": (right - w, y),
            "top": (x, top),
            "bottom": (x, bottom - h),
            "centre": (round((left + right - w) / 2), y),
            "middle": (x, round((top + bottom - h) / 2)),
        }[side]

    return {name: place(*box) for name, box in boxes.items()}


def distributed(boxes: Mapping[str, Box], direction: str) -> dict[str, Place]:
    """Return places with the same gap between neighbors; the outermost two stay."""
    axis = DIRECTIONS.index(direction)
    ordered = sorted(boxes, key=lambda name: boxes[name][axis])
    sizes = [boxes[name][axis + 2] for name in ordered]
    first, last = boxes[ordered[0]], boxes[ordered[-1]]
    room = last[axis] + sizes[-1] - first[axis] - sum(sizes)
    gap = room / max(len(ordered) - 1, 1)
    places: dict[str, Place] = {}
    at = float(first[axis])
    for name, size in zip(ordered, sizes, strict=True):
        x, y, _, _ = boxes[name]
        places[name] = (round(at), y) if axis == 0 else (x, round(at))
        at += size + gap
    return places
