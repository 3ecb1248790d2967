"""The choice of an operator by search: to add it, to replace another, or to wrap some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QPoint, QPointF, pyqtSignal

from fsops.core.declare.ports import fits
from fsops.core.declare.roles import Role
from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.editing.blocks import BuildingBlock
from fsops.editing.connections import ConnectionRules, End
from fsops.editing.levels import Level
from fsops.editing.suggestions import (
    EDGE,
    FIRST,
    NextSteps,
    ranked,
    ranked_before,
    replacements,
    steps_of,
)
from fsops.errors import FsopsError
from fsops_gui.base.settings import DesignerSettings
from fsops_gui.base.texts import tr
from fsops_gui.canvas.quick_add import QuickAdd
from fsops_gui.canvas.selection import LevelSelection

if TYPE_CHECKING:
    from fsops_gui.canvas.view import ProcessView


@cache
def shipped_steps() -> NextSteps:
    """Return the steps in the processes that come with fsops."""
    from fsops.examples import find_examples

    try:
        return steps_of(example.file for example in find_examples())
    except FsopsError:  # an installation without them
        return NextSteps()


class OperatorChooser(QObject):
    """Opens the search, and uses the chosen operator for its purpose."""

    block_chosen = pyqtSignal(object)
    """A building block to insert."""

    def __init__(self, view: ProcessView, registry: Registry) -> None:
        super().__init__(view)
        self.blocks: Callable[[], Sequence[BuildingBlock]] = tuple
        """The building blocks of the user."""
        self._view = view
        self._scene = view.process_scene
        self._registry = registry
        self.search = QuickAdd(registry, view)
        self.search.chosen.connect(self._take)
        self._then: Callable[[Operator], str | None] = self._add

    def begin(self, text: str = "") -> None:
        """Search for an operator to add after the selected one."""
        end = self._open_output()
        offered = self._likely_after(end) if end is not None else self._first_ones()
        self._open(self._add, text, offered=offered, blocks=self.blocks())

    def begin_replacing(self) -> None:
        """Search for an operator to put in the place of the selected one."""
        name = next(iter(self._scene.selected_names()), None)
        if name is not None:
            old = self._scene.document.process.find(name).operator
            self._open(
                lambda operator: self._replace(name, operator),
                offered=replacements(self._registry, old, shipped_steps()),
                prompt=tr("Replace {name} by", name=name),
            )

    def begin_wrapping(self) -> None:
        """Search for an operator to put the selected ones into."""
        level = self._scene.active
        chosen = self._scene.selected().get(level)
        if chosen is not None and chosen.names:
            self._open(
                lambda operator: self._wrap(level, chosen, operator),
                suits=lambda operator: bool(operator.subprocesses),
            )

    def offer_for_wire(self, start: End, point: QPointF) -> None:
        """Offer the operators that a wire dropped in empty space can go to."""
        port = self._scene.frame_at(point).declared(start)
        if port is None:
            return
        given = port.declared

        def suits(operator: Operator) -> bool:
            if start.outgoing:
                return any(fits(given.type, p) for p in operator.inputs)
            return any(fits(p.type, given) for p in operator.outputs)

        self._then = lambda operator: self._add_at_wire(operator, start, point)
        offered = self._likely_after(start)
        self.search.open_at(self._view.mapFromScene(point), "", suits, offered=offered)

    def _open_output(self) -> End | None:
        """Return the port of the keyboard, else the first free output of the selected operator."""
        if self._scene.ports.here is not None:
            return self._scene.ports.here
        names = self._scene.selected_names()
        item = self._scene.item_of(names[0]) if names else None
        if item is None:
            return None
        shown = item.shown
        free = [port.name for port in shown.outputs if (port.name, True) not in shown.wired]
        ports = free or [port.name for port in shown.outputs]
        return End(names[0], ports[0], outgoing=True) if ports else None

    def _likely_after(self, end: End) -> list[Operator]:
        """Return the operators that may come at the other end of a wire, the likeliest first."""
        frame = next((f for f in self._scene.frames if f.declared_or_none(end)), None)
        port = frame.declared_or_none(end) if frame is not None else None
        if frame is None or port is None:
            return []
        key = frame.process[end.node].operator.key if end.node in frame.process else EDGE
        if end.outgoing:
            own = DesignerSettings().next_steps()
            return ranked(self._registry, port.declared, key, shipped_steps(), own)
        return ranked_before(self._registry, port.declared, key, shipped_steps())

    def _first_ones(self) -> list[Operator]:
        """Return the operators to begin with: those that read data come first."""
        return sorted(
            self._registry, key=lambda spec: (spec.role != Role.SOURCE, spec.key not in FIRST)
        )

    def _open(
        self,
        then: Callable[[Operator], str | None],
        text: str = "",
        suits: Callable[[Operator], bool] | None = None,
        *,
        offered: Sequence[Operator] = (),
        prompt: str = "",
        blocks: Sequence[BuildingBlock] = (),
    ) -> None:
        self._then = then
        names = self._scene.selected_names()
        item = self._scene.item_of(names[0]) if names else None
        point = QPoint(40, 40)
        if item is not None:
            point = self._view.mapFromScene(item.scenePos() + QPointF(item.width + 20, 0))
        self.search.open_at(point, text, suits, offered=offered, prompt=prompt, blocks=blocks)

    def _take(self, operator: Operator | BuildingBlock) -> None:
        self._view.setFocus()
        if isinstance(operator, BuildingBlock):
            self.block_chosen.emit(operator)
            return
        try:
            name = self._then(operator)
        except FsopsError as error:
            self._scene.said.emit(str(error))
            return
        if name is not None:
            self._scene.select([name])
            self._view.ensureVisible(self._scene.item_of(name))

    def _add(self, operator: Operator) -> str:
        scene = self._scene
        shown = scene.frame_of(scene.active).operators
        after = next((n for n in scene.selected_names() if n in shown), None)
        return scene.document.add(scene.active, operator, None, after)

    def _replace(self, name: str, operator: Operator) -> None:
        document = self._scene.document
        document.replace(document.level_of(name), name, operator)

    def _wrap(self, level: Level, chosen: LevelSelection, operator: Operator) -> str:
        return self._scene.document.wrap(level, chosen.names, operator, chosen.notes)

    def _add_at_wire(self, operator: Operator, start: End, point: QPointF) -> str:
        document = self._scene.document
        frame, place = self._scene.place_at(point)
        level = frame.level
        if start.outgoing:
            return document.add_connected(level, operator, (start.node, start.port), place)
        document.undo_stack.beginMacro(tr("Add {name}", name=operator.title))
        name = document.add(level, operator, place)
        connecting = ConnectionRules(document.level(level), start)
        for port in operator.outputs:
            end = End(name, f"{port.name} 1" if port.many else port.name, outgoing=True)
            if not connecting.why_not(end):
                document.connect(level, connecting.connection(end))
                break
        document.undo_stack.endMacro()
        return name
