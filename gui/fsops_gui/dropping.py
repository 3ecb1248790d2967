"""Files and named data on the way to the canvas: which operator reads them, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QEvent, QMimeData, QObject, QPointF, QUrl, pyqtSignal
from PyQt6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent

from fsops.core.operator import Operator
from fsops.core.process import Process
from fsops.core.registry import Registry
from fsops.data import ExampleSet
from fsops.errors import FsopsError
from fsops_gui import edits
from fsops_gui.texts import tr

if TYPE_CHECKING:
    from fsops_gui.canvas.view import ProcessView

ENTRY = "application/x-fsops-data"
"""Data with a name, such as "iris"."""
PROCESSES = (".xml", ".rmp")
LABELS = ("label", "class", "target", "y", "diagnosis", "outcome")
"""Names of columns that are likely what is to be predicted."""
Reader = tuple[Operator, dict[str, Any]]


def readers(registry: Registry) -> dict[str, tuple[Operator, str]]:
    """Return the operator for each suffix, and its parameter for the file, as they declare it.

    Where several read a suffix, one that gives a table goes before the others.
    """
    return _readers(registry, len(registry))


@lru_cache(maxsize=2)
def _readers(registry: Registry, _size: int) -> dict[str, tuple[Operator, str]]:
    found: dict[str, tuple[Operator, str]] = {}
    tables = [(_gives_table(spec), spec) for spec in registry if not spec.inputs]
    for _, spec in sorted(tables, key=lambda pair: not pair[0]):
        for parameter in spec.parameters:
            if parameter.file is not None and not parameter.file.write and parameter.required:
                for suffix in parameter.file.suffixes:
                    found.setdefault(suffix.lower(), (spec, parameter.name))
    return found


def _gives_table(spec: Operator) -> bool:
    return any(issubclass(port.type, ExampleSet) for port in spec.outputs)


def operator_for(path: Path, registry: Registry) -> Reader | None:
    """Return the operator that reads a file, and its parameters; None if there is none."""
    known = readers(registry).get(path.suffix.lower())
    if known is None and path.suffix.lower() == ".ioo":
        return registry["retrieve"], {"repository_entry": str(path.with_suffix(""))}
    if known is None:
        return None
    operator, parameter = known
    return operator, {parameter: str(path)}


def entry_reader(entry: str, registry: Registry) -> Reader:
    """Return the operator that brings data with a name."""
    return registry["retrieve"], {"repository_entry": entry}


def is_process(path: Path) -> bool:
    """Return whether a file is a process, by its name."""
    return path.suffix.lower() in PROCESSES


def with_label(reader: Reader) -> Reader:
    """Return a reader that also says which column is to be predicted, if a name tells it."""
    operator, parameters = reader
    names = {parameter.name for parameter in operator.parameters}
    schema = getattr(described(reader), "schema", None)
    if "label" not in names or schema is None or schema.label is not None:
        return reader
    columns = {attribute.name.lower(): attribute.name for attribute in schema}
    label = next((columns[name] for name in LABELS if name in columns), None)
    return (operator, parameters | {"label": label}) if label else reader


def described(reader: Reader) -> object:
    """Return what is known of a table without reading all of it; None if nothing is."""
    from fsops.core.parameters import check_parameters

    operator, parameters = reader
    try:
        values = check_parameters(operator.parameters, parameters)
        return next(iter(operator.described({}, values, []).values()), None)
    except (FsopsError, OSError):
        return None


def size_text(reader: Reader) -> str:
    """Return how large a table is, in words; empty where that is not known."""
    known = described(reader)
    schema, rows = getattr(known, "schema", None), getattr(known, "rows", None)
    if schema is None:
        return ""
    number = len(schema.regular)
    attributes = tr("1 attribute") if number == 1 else tr("{n:,} attributes", n=number)
    if rows is None:
        return attributes
    return tr("{rows:,} rows × {attributes}", rows=rows, attributes=attributes)


def add_reader(view: ProcessView, reader: Reader, point: QPointF | None = None) -> str:
    """Add an operator that reads something, at a point of the scene, as one step; return its name.

    A file below the folder of the process is named as seen from there, so both can be moved.
    """
    scene = view.process_scene
    operator, parameters = with_label(reader)
    level, place = scene.active, None
    if point is not None:
        frame, place = scene.place_at(point)
        level = frame.level
    near = _relative(parameters, operator, scene.document.process.folder)

    def change(process: Process) -> str:
        node = edits.add_operator(level.of(process), operator, place)
        for name, value in near.items():
            node.set_parameter(name, value)
        return node.name

    name = scene.document.edit(tr("Add {name}", name=operator.title), change)
    scene.select([name])
    view.setFocus()
    return name


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
    """Return what is dragged for files, as a file manager does it."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def entry_mime(entry: str) -> QMimeData:
    """Return what is dragged for data with a name."""
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
        """Take what is ours; the canvas sees to operators itself."""
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
            self._attempt(
                lambda: add_reader(self._view, entry_reader(entry, self._registry), point)
            )
            return
        for place, url in enumerate(data.urls()):
            path = Path(url.toLocalFile())
            self._attempt(partial(self._take, path, point + QPointF(0, 90 * place)))

    def _take(self, path: Path, point: QPointF) -> None:
        reader = operator_for(path, self._registry)
        if reader is not None:
            add_reader(self._view, reader, point)
        elif is_process(path):
            self.process_wanted.emit(path)
        else:
            self.said.emit(
                tr('No operator reads files such as "{name}".', name=path.name)
                + " "
                + tr("Known are {kinds}.", kinds=", ".join(sorted(readers(self._registry))))
            )

    def _attempt(self, act: Callable[[], object]) -> None:
        try:
            act()
        except FsopsError as error:
            self.said.emit(str(error))
