"""The choice of an operator by search: to add it, to replace another, or to wrap some."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, QPoint, QPointF

from fsops.core.declare.ports import fits
from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.editing.connections import ConnectionRules, End
from fsops.editing.levels import Level
from fsops.errors import FsopsError
from fsops_gui.base.texts import tr
from fsops_gui.canvas.quick_add import QuickAdd
from fsops_gui.canvas.selection import LevelSelection

if TYPE_CHECKING:
    from fsops_gui.canvas.view import ProcessView


class OperatorChooser(QObject):
    """Opens the search, and does with the chosen operator what it was opened for."""

    def __init__(self, view: ProcessView, registry: Registry) -> None:
        super().__init__(view)
        self._view = view
        self._scene = view.process_scene
        self.search = QuickAdd(registry, view)
        self.search.chosen.connect(self._take)
        self._then: Callable[[Operator], str | None] = self._add

    def begin(self, text: str = "") -> None:
        """Search for an operator to add after the selected one."""
        self._open(self._add, text)

    def begin_replacing(self) -> None:
        """Search for an operator to put in the place of the selected one."""
        name = next(iter(self._scene.selected_names()), None)
        if name is not None:
            self._open(lambda operator: self._replace(name, operator))

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
        self.search.open_at(self._view.mapFromScene(point), "", suits)

    def _open(
        self,
        then: Callable[[Operator], str | None],
        text: str = "",
        suits: Callable[[Operator], bool] | None = None,
    ) -> None:
        self._then = then
        names = self._scene.selected_names()
        item = self._scene.item_of(names[0]) if names else None
        point = QPoint(40, 40)
        if item is not None:
            point = self._view.mapFromScene(item.scenePos() + QPointF(item.width + 20, 0))
        self.search.open_at(point, text, suits)

    def _take(self, operator: Operator) -> None:
        self._view.setFocus()
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
