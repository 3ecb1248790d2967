"""Edits of notes. Each function changes the process it is given; undo is not done here."""

from __future__ import annotations

from fsops.core.graph.process import Note, Process
from fsops.editing.layout import Place
from fsops.editing.levels import Level, Spot

FREE = {"align": "left", "color": "yellow", "colored": "true", "width": "180", "height": "60"}
ATTACHED = {"align": "left", "color": "yellow", "colored": "true", "width": "126"}


def note_at(process: Process, spot: Spot) -> Note | None:
    """Return a note of a process, if it is there."""
    level = spot.level.of(process)
    if spot.owner is not None:
        return level[spot.owner].note
    return level.notes[spot.number] if 0 <= spot.number < len(level.notes) else None


def add_note(process: Process, level: Level, text: str, place: Place) -> int:
    """Add a free note to a level; return its number there."""
    notes = level.of(process).notes
    notes.append(Note(text, FREE | {"x": str(place[0]), "y": str(place[1])}))
    return len(notes) - 1


def write_note(process: Process, spot: Spot, text: str) -> None:
    """Write the text of a note; an empty one is removed, and one that is not there is made."""
    note = note_at(process, spot)
    if not text.strip():
        remove_note(process, spot)
    elif note is not None:
        note.text = text
    elif spot.owner is not None:
        spot.level.of(process)[spot.owner].note = Note(text, dict(ATTACHED))


def remove_note(process: Process, spot: Spot) -> None:
    """Remove a note, if it is there."""
    level = spot.level.of(process)
    if spot.owner is not None:
        level[spot.owner].note = None
    elif 0 <= spot.number < len(level.notes):
        del level.notes[spot.number]


def lay_note(
    process: Process, spot: Spot, place: Place | None, size: Place | None, colour: str | None
) -> None:
    """Give a note another place, size or color."""
    note = note_at(process, spot)
    if note is None:
        return
    if place is not None:
        note.layout |= {"x": str(place[0]), "y": str(place[1])}
    if size is not None:
        note.layout |= {"width": str(size[0]), "height": str(size[1]), "resized": "true"}
    if colour is not None:
        note.layout |= {"color": colour, "colored": "true"}


def attach_note(process: Process, spot: Spot, name: str) -> None:
    """Hang a free note on an operator of its level."""
    note = note_at(process, spot)
    if note is None or spot.owner is not None:
        return
    layout = {key: value for key, value in note.layout.items() if key not in ("x", "y", "height")}
    remove_note(process, spot)
    spot.level.of(process)[name].note = Note(note.text, layout)


def free_note(process: Process, spot: Spot, place: Place) -> int:
    """Take a note off its operator and put it somewhere; return its number on the level."""
    note = note_at(process, spot)
    level = spot.level.of(process)
    if note is None or spot.owner is None:
        return -1
    level[spot.owner].note = None
    layout = FREE | {"height": "40"} | note.layout | {"x": str(place[0]), "y": str(place[1])}
    level.notes.append(Note(note.text, layout))
    return len(level.notes) - 1
