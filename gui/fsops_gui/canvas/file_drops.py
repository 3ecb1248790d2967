"""Files and named data on the way to the canvas: which operator reads them, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QEvent, QMimeData, QObject, QPointF, QUrl, pyqtSignal
from PyQt6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent

from fsops.core.graph.process import Process
from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.editing.edits import add_operator
from fsops.editing.layout import Place
from fsops.editing.levels import Level
from fsops.errors import FsopsError
from fsops.storage.readers import Reader, described, reader_of, readers, takes_label, with_label
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.document.document import Document

if TYPE_CHECKING:
    from fsops_gui.canvas.view import ProcessView

ENTRY = "application/x-fsops-data"
"""Data with a name, such as "iris"."""
PROCESSES = (".xml", ".rmp")


def entry_reader(entry: str, registry: Registry) -> Reader:
    """Return the operator that brings data with a name."""
    return registry["retrieve"], {"repository_entry": entry}


def is_process(path: Path) -> bool:
    """Return whether a file is a process, by its name."""
    return path.suffix.lower() in PROCESSES


def size_text(reader: Reader) -> str:
    """Return how large a table is, in words; empty where that is not known."""
    known = described(reader)
    if known is None or known.schema is None:
        return ""
    number = len(known.schema.regular)
    attributes = tr("1 attribute") if number == 1 else tr("{n:,} attributes", n=number)
    if known.rows is None:
        return attributes
    return tr("{rows:,} rows × {attributes}", rows=known.rows, attributes=attributes)


def add_reader(
    view: ProcessView, reader: Reader, say: Callable[[str], object], point: QPointF | None = None
) -> None:
    """Add an operator that reads something, at a point of the scene, as one step.

    A file is read first, without blocking the window: a column name may suggest the label. One
    below the folder of the process is named as seen from there, so both can be moved.
    """
    scene = view.process_scene
    level, place = scene.active, None
    if point is not None:
        frame, place = scene.place_at(point)
        level = frame.level

    def add(found: Reader) -> None:
        try:
            name = _add(scene.document, level, place, found)
        except FsopsError as error:
            say(str(error))
        else:
            scene.select([name])
            view.setFocus()

    if takes_label(reader):
        in_background(view, partial(with_label, reader), add)
    else:
        add(reader)


def _add(document: Document, level: Level, place: Place | None, reader: Reader) -> str:
    operator, parameters = reader
    near = _relative(parameters, operator, document.process.folder)

    def change(process: Process) -> str:
        node = add_operator(level.of(process), operator, place)
        for name, value in near.items():
            node.set_parameter(name, value)
        return node.name

    return document.edit(tr("Add {name}", name=operator.title), change)


def _relative(
    parameters: Mapping[str, Any], operator: Operator, folder: Path | None
) -> dict[str, Any]:
    shown = dict(parameters)
    for parameter in operator.parameters:
        value = shown.get(parameter.name)
        if parameter.file is not None and folder is not None and isinstance(value, str):
            path = Path(value)
            if path.is_absolute() and path.is_relative_to(folder):
                shown[parameter.name] = path.relative_to(folder).as_posix()
    return shown


def files_mime(paths: list[Path]) -> QMimeData:
    """Return the drag data of files, as a file manager does it."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def entry_mime(entry: str) -> QMimeData:
    """Return the drag data of named data."""
    data = QMimeData()
    data.setData(ENTRY, entry.encode())
    data.setText(entry)
    return data


class FileDrops(QObject):
    """Lets files and named data fall on a canvas: tables are read, processes are opened."""

    process_wanted = pyqtSignal(object)
    """A `Path`: a process that fell on the canvas."""
    said = pyqtSignal(str)

    def __init__(self, view: ProcessView, registry: Registry) -> None:
        super().__init__(view)
        self._view = view
        self._registry = registry
        viewport = view.viewport()
        if viewport is not None:
            viewport.installEventFilter(self)

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Accept our own data; the canvas handles operators itself."""
        if not isinstance(a1, QDragEnterEvent | QDragMoveEvent | QDropEvent):
            return super().eventFilter(a0, a1)
        data = a1.mimeData()
        if data is None or not (data.hasFormat(ENTRY) or data.hasUrls()):
            return super().eventFilter(a0, a1)
        if a1.type() == QEvent.Type.Drop:
            self._drop(data, self._view.mapToScene(a1.position().toPoint()))
        a1.acceptProposedAction()
        return True

    def _drop(self, data: QMimeData, point: QPointF) -> None:
        if data.hasFormat(ENTRY):
            entry = bytes(data.data(ENTRY).data()).decode(errors="replace")
            self._add(entry_reader(entry, self._registry), point)
            return
        for place, url in enumerate(data.urls()):
            self._take(Path(url.toLocalFile()), point + QPointF(0, 90 * place))

    def _add(self, reader: Reader, point: QPointF) -> None:
        add_reader(self._view, reader, self.said.emit, point)

    def _take(self, path: Path, point: QPointF) -> None:
        reader = reader_of(path, self._registry)
        if reader is not None:
            self._add(reader, point)
        elif is_process(path):
            self.process_wanted.emit(path)
        else:
            self.said.emit(
                tr('No operator reads files such as "{name}".', name=path.name)
                + " "
                + tr("Known are {kinds}.", kinds=", ".join(sorted(readers(self._registry))))
            )
