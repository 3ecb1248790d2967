"""A document: one process, its history, and the file it belongs to.

The process of a document is never changed in place. An edit changes a copy, which then becomes the
process: so the former process can come back exactly, and a thread may read a process at any time.
 Operators are named by their names, which are unique over all levels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtGui import QUndoStack

from fsops.core.graph.bends import set_bends
from fsops.core.graph.process import Process
from fsops.core.graph.wiring import Connection
from fsops.core.operator import Operator
from fsops.editing import edits, layout, nesting, notes
from fsops.editing.clipboard import fragment, paste, process_in
from fsops.editing.connections import why_not
from fsops.editing.layout import Place
from fsops.editing.levels import ROOT, Level, Spot
from fsops.errors import FsopsError, PortError
from fsops.storage import read_process, write_process
from fsops.storage.process_writer import FORBIDDEN, format_process
from fsops.storage.rapidminer.moving import move_process
from fsops.storage.trust import allow_reading, digest_of
from fsops_gui.base.texts import tr
from fsops_gui.document.undo_steps import Change, UndoStep

T = TypeVar("T")
HISTORY = 500
"""How many edits can be undone."""


V = TypeVar("V")


def writable(value: V) -> V:
    """Return a value whose texts a file can hold: other control characters become spaces.

    A vertical tab comes with text of other programs, and would stop every later autosave.
    """
    if isinstance(value, str):
        return cast(V, FORBIDDEN.sub(" ", value))
    if isinstance(value, list):
        return cast(V, [writable(part) for part in value])
    if isinstance(value, dict):
        return cast(V, {writable(key): writable(part) for key, part in value.items()})
    return value


class Document(QObject):
    """A process that can be edited, with undo for everything."""

    changed = pyqtSignal(object)
    """A `Change`: the process is another one now."""
    file_changed = pyqtSignal()
    """Another file, or saved, or no longer as saved."""
    saved = pyqtSignal()

    def __init__(self, process: Process | None = None, path: Path | None = None) -> None:
        super().__init__()
        self._process = process or Process()
        layout.place_missing(self._process)
        self.path = path
        self._seen = _digest(path)
        self._allowed: list[Path] = []
        self.is_lost = False
        """Whether the file was deleted or moved while the document was open."""
        self.undo_stack = QUndoStack(self)
        self.undo_stack.setUndoLimit(HISTORY)
        self.undo_stack.cleanChanged.connect(self._tell_file)

    def _tell_file(self) -> None:
        self.file_changed.emit()

    # --- looking ----------------------------------------------------------------------------

    @property
    def process(self) -> Process:
        """The process as it is now; look at it, but never change it."""
        return self._process

    def level(self, level: Level) -> Process:
        """Return a level of the process."""
        return level.of(self._process)

    def level_of(self, name: str) -> Level:
        """Return the level of an operator."""
        process = self._process.find(name).process
        if process.owner is None:
            return ROOT
        inner = process.owner.subprocesses
        return Level(process.owner.name, next(i for i, p in enumerate(inner) if p is process))

    @property
    def modified(self) -> bool:
        """Whether there is something that no file has."""
        return self.is_lost or not self.undo_stack.isClean()

    @property
    def title(self) -> str:
        """The name of the file, else of the process, else what stands for it."""
        if self.path is not None:
            return self.path.name
        return tr("Untitled") if self._process.name == Process().name else self._process.name

    def as_xml(self) -> bytes:
        """Return the process as its file would have it."""
        return format_process(self._process)

    # --- files ------------------------------------------------------------------------------

    @classmethod
    def open(cls, path: Path) -> Document:
        """Return the document in a file; a fault in the file is an error with a sentence."""
        process = read_process(path)
        is_ours = path.suffix.lower() != ".rmp"  # of RapidMiner we keep what it wrote
        return cls(process, path.resolve() if is_ours else None)

    def save(self, path: Path | None = None) -> None:
        """Write the file, the old one until the new one is complete; then nothing is modified."""
        target = path.resolve() if path else self.path
        if target is None:
            raise FsopsError(tr("The process has no file yet."), hint=tr("Choose a name for it."))
        saved = self._process.clone()
        if saved.folder is not None and saved.folder != target.parent:
            move_process(saved, target.parent)  # relative paths still find their data
        saved.folder = target.parent
        write_process(saved, target)
        saved.readable = None  # written here, it is trusted
        before = self._process
        if saved != before or (saved.folder, None) != (before.folder, before.readable):
            self._show(Change(self._process, saved, {}))
        self.path, self._seen = target, _digest(target)
        self.is_lost = False
        self.undo_stack.setClean()
        self.file_changed.emit()
        self.saved.emit()

    def allow_reading(self, paths: Sequence[Path]) -> None:
        """Let the process read files outside its folder, and remember this for its file."""
        if self._process.readable is None:
            return
        if self._seen:
            allow_reading(self._seen, paths)
        self._allowed += paths
        self._show(Change(self._process, self._process.clone(), {}))

    def set_lost(self, is_lost: bool) -> None:
        """Note whether the file is gone: then nothing else has the process."""
        if is_lost != self.is_lost:
            self.is_lost = is_lost
            self.file_changed.emit()

    def changed_on_disk(self) -> bool:
        """Return whether another program has written the file since it was read or saved."""
        return self.path is not None and _digest(self.path) != self._seen

    # --- editing ----------------------------------------------------------------------------

    def edit(
        self,
        text: str,
        change: Callable[[Process], T],
        *,
        renamed: Mapping[str, str] | None = None,
        merge: str = "",
    ) -> T:
        """Apply any change to the process as one step that can be undone.

        An error leaves everything as it was. Steps with the same ``merge`` become one.
        """
        after = self._process.clone()
        made = change(after)
        layout.place_missing(after)
        if after != self._process:
            step = Change(self._process, after, dict(renamed or {}))
            self.undo_stack.push(UndoStep(self._show, text, step, merge))
        return made

    def take_over(self, text: str, process: Process) -> None:
        """Put another process in the place of this one, as a step that can be undone."""
        after = process.clone()
        after.folder = self._process.folder  # but it reads what is allowed where it comes from
        layout.place_missing(after)
        if after != self._process:
            self.undo_stack.push(UndoStep(self._show, text, Change(self._process, after, {}), ""))

    def _show(self, change: Change) -> None:
        self._process = change.after
        readable = self._process.readable
        if readable is not None:  # also of a process that comes back by undo
            new = [path for path in self._allowed if path not in readable]
            self._process.readable = [*readable, *new]
        self.changed.emit(change)

    def add(
        self,
        level: Level,
        operator: Operator,
        place: Place | None = None,
        after: str | None = None,
    ) -> str:
        """Add an operator with its connections; return its name."""
        return self.edit(
            tr("Add {name}", name=operator.title),
            lambda p: edits.add_operator(level.of(p), operator, place, after).name,
        )

    def insert(
        self,
        level: Level,
        operator: Operator,
        wire: Connection,
        place: Place | None = None,
    ) -> str:
        """Add an operator in the middle of a wire; return its name."""
        return self.edit(
            tr("Insert {name}", name=operator.title),
            lambda p: edits.insert_on_wire(level.of(p), operator, wire, place).name,
        )

    def move_into(self, level: Level, name: str, place: Place, wire: Connection) -> None:
        """Put an operator at another place, and into the wire that is there."""

        def change(process: Process) -> None:
            inside = level.of(process)
            layout.move_operators(inside, {name: place})
            edits.put_into_wire(inside, inside[name], wire)
            layout.make_room(inside, inside[name])

        self.edit(tr("Insert {name}", name=name), change)

    def add_connected(
        self, level: Level, operator: Operator, start: tuple[str, str], place: Place
    ) -> str:
        """Add an operator connected to an output; return its name."""

        def change(process: Process) -> str:
            inside = level.of(process)
            node = edits.add_operator(inside, operator, place, None)
            for port in operator.inputs:
                link = Connection(*start, node.name, f"{port.name} 1" if port.many else port.name)
                if not why_not(inside, link):
                    inside.connect_unchecked(link)
                    break
            return node.name

        return self.edit(tr("Add {name}", name=operator.title), change)

    def remove(self, level: Level, names: Iterable[str], *, bridge: bool = True) -> None:
        """Remove operators; what flowed through them flows on where it can."""
        gone = list(names)
        text = tr("Delete {name}", name=gone[0] if len(gone) == 1 else tr("operators"))
        self.edit(text, lambda p: edits.remove_operators(level.of(p), gone, bridge=bridge))

    def rename(self, name: str, new: str) -> None:
        """Give an operator another name."""
        self.edit(
            tr("Rename {name}", name=name),
            lambda p: p.find(name).process.rename(name, writable(new).strip()),
            renamed={name: writable(new).strip()},
        )

    def replace(self, level: Level, name: str, operator: Operator) -> None:
        """Put another operator in the place of one, keeping what fits."""
        titled = name == self._process.find(name).operator.title
        new = self.level(level).unique_name(operator.title) if titled else name
        self.edit(
            tr("Replace {name}", name=name),
            lambda p: edits.replace_operator(level.of(p), name, operator),
            renamed={name: new},
        )

    def connect(self, level: Level, connection: Connection) -> None:
        """Connect two ports, or say why that is not possible."""
        reason = why_not(self.level(level), connection)
        if reason:
            raise PortError(reason)
        self.edit(tr("Connect"), lambda p: level.of(p).connect_unchecked(connection))

    def wire_up(self, level: Level, names: Sequence[str]) -> None:
        """Connect what operators wait for, or else their results to the edge of the level."""
        self.edit(tr("Connect"), lambda p: edits.wire_up(level.of(p), names))

    def remove_wires(self, level: Level, connections: Iterable[Connection]) -> None:
        """Remove wires."""
        gone = list(connections)

        def change(process: Process) -> None:
            for wire in gone:
                level.of(process).disconnect(wire.to_node, wire.to_port)

        self.edit(tr("Disconnect"), change)

    def bend(
        self, level: Level, wire: Connection, points: Sequence[Place], *, merge: bool = False
    ) -> None:
        """Give a wire bend points; none lets it find its way itself."""
        text = tr("Bend wire") if points else tr("Remove bend points")
        key = f"bend {level} {wire}" if merge else ""
        self.edit(text, lambda p: set_bends(level.of(p), wire, points), merge=key)

    def delete(
        self,
        level: Level,
        names: Sequence[str],
        wires: Sequence[Connection] = (),
        spots: Sequence[Spot] = (),
    ) -> None:
        """Remove the selected items, as one step."""

        def change(process: Process) -> None:
            inside = level.of(process)
            for wire in wires:
                # Wires of operators that go as well are bridged, not cut.
                if not {wire.from_node, wire.to_node} & set(names):
                    inside.disconnect(wire.to_node, wire.to_port)
            for spot in sorted(spots, key=lambda spot: spot.number, reverse=True):
                notes.remove_note(process, spot)
            edits.remove_operators(inside, names)

        self.edit(tr("Delete"), change)

    def move(
        self,
        level: Level,
        places: Mapping[str, Place],
        free: Mapping[int, Place] | None = None,
        *,
        merge: bool = False,
    ) -> None:
        """Put operators, and free notes by their numbers, at other places of the canvas."""
        key = f"move {level} {sorted(places)} {sorted(free or ())}" if merge else ""

        def change(process: Process) -> None:
            layout.move_operators(level.of(process), places)
            for number, place in (free or {}).items():
                notes.lay_note(process, Spot(level, number), place, None, None)

        self.edit(tr("Move"), change, merge=key)

    def run_first(self, level: Level, names: Sequence[str]) -> None:
        """Let operators run as early as their inputs allow."""
        self.edit(tr("Run first"), lambda p: edits.to_the_front(level.of(p), names))

    def arrange(self, level: Level, heights: Mapping[str, int] | None = None) -> None:
        """Put all operators of a level in order, along the flow."""

        def change(process: Process) -> None:
            inside = level.of(process)
            layout.clear_bends(inside)
            layout.move_operators(inside, layout.arranged(inside, heights))

        self.edit(tr("Arrange"), change)

    def set_parameter(self, name: str, parameter: str, value: Any) -> None:
        """Set a parameter; None takes the setting back."""
        self.edit(
            tr("Set {name}", name=parameter),
            lambda p: p.find(name).set_parameter(parameter, writable(value)),
            merge=f"parameter {name}.{parameter}",
        )

    def set_enabled(self, names: Iterable[str], enabled: bool) -> None:
        """Switch operators on or off."""

        def change(process: Process) -> None:
            for name in names:
                process.find(name).enabled = enabled

        self.edit(tr("Enable") if enabled else tr("Disable"), change)

    def set_breakpoint(self, names: Iterable[str], moment: str, on: bool) -> None:
        """Set or remove the breakpoint before or after operators."""

        def change(process: Process) -> None:
            for name in names:
                node = process.find(name)
                node.breakpoints = node.breakpoints - {moment} | ({moment} if on else set())

        self.edit(tr("Set breakpoint") if on else tr("Remove breakpoint"), change)

    def clear_breakpoints(self) -> None:
        """Remove the breakpoints of all operators."""

        def change(process: Process) -> None:
            for node in process.walk():
                node.breakpoints = frozenset()

        self.edit(tr("Remove breakpoints"), change)

    def wrap(
        self, level: Level, names: Sequence[str], operator: Operator, spots: Sequence[Spot] = ()
    ) -> str:
        """Put operators, and free notes, into the inner process of a new one; return its name."""
        return self.edit(
            tr("Wrap into {name}", name=operator.title),
            lambda p: nesting.wrap(level.of(p), names, operator, _free_notes(spots)).name,
        )

    def unwrap(self, name: str) -> list[str]:
        """Replace an operator by its inner operators; return their names."""
        return self.edit(
            tr("Unwrap {name}", name=name),
            lambda p: nesting.unwrap(p.find(name).process, name),
        )

    def add_note(self, level: Level, text: str, place: Place) -> Spot:
        """Add a free note to a level; return where it is."""
        number = self.edit(
            tr("Add note"), lambda p: notes.add_note(p, level, writable(text), place)
        )
        return Spot(level, number)

    def write_note(self, spot: Spot, text: str) -> None:
        """Write the text of a note, also the first of an operator; an empty one is removed."""
        self.edit(tr("Note"), lambda p: notes.write_note(p, spot, writable(text)))

    def change_note(
        self,
        spot: Spot,
        *,
        place: Place | None = None,
        size: Place | None = None,
        colour: str | None = None,
    ) -> None:
        """Give a note another place, size or color."""
        self.edit(tr("Note"), lambda p: notes.lay_note(p, spot, place, size, colour))

    def attach_note(self, spot: Spot, name: str) -> None:
        """Hang a free note on an operator, with which it moves."""
        self.edit(tr("Attach note"), lambda p: notes.attach_note(p, spot, name))

    def free_note(self, spot: Spot, place: Place) -> Spot:
        """Take a note off its operator; return where it is then."""
        number = self.edit(tr("Detach note"), lambda p: notes.free_note(p, spot, place))
        return Spot(spot.level, number)

    # --- clipboard --------------------------------------------------------------------------

    def copied(self, level: Level, names: Sequence[str], spots: Sequence[Spot] = ()) -> str:
        """Return operators and notes as the text of a process file; it can also go into a mail."""
        part = fragment(self.level(level), names, _free_notes(spots))
        return format_process(part).decode()

    def paste(self, level: Level, text: str, words: str = "") -> list[str]:
        """Put in the operators and notes that a text holds; return the names of the operators.

        ``words`` name the step, "Paste" if not given.
        """
        part = process_in(text)
        layout.place_missing(part)
        shift = layout.free_shift(self.level(level), part)
        return self.edit(words or tr("Paste"), lambda p: paste(level.of(p), part, shift))


def _free_notes(spots: Iterable[Spot]) -> set[int]:
    """Return the numbers of the notes that do not hang on an operator."""
    return {spot.number for spot in spots if spot.owner is None}


def _digest(path: Path | None) -> str:
    """Return a mark that shows whether a file is still the same; empty without a file."""
    if path is None or not path.is_file():
        return ""
    try:
        return digest_of(path.read_bytes())
    except OSError:
        return ""
