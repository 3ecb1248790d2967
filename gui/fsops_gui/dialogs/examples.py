"""The processes that come with fsops: their topics, their pictures, and as templates."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PyQt6.QtCore import QSize
from PyQt6.QtGui import QImage

from fsops.core.graph.process import Node, Note, Process
from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.editing import layout
from fsops.editing.edits import replace_operator
from fsops.errors import FsopsError
from fsops.storage import read_process
from fsops.studies.study import MY_TABLE, own_table, preparation, study_process
from fsops.version import __version__
from fsops_gui.base.settings import pictures_folder
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours

FIRST = ("quickstart", "filters", "mrmr", "compare_selections", "ensemble_and_stability", "search")
"""The examples to begin with; the others follow by name."""

DRAWN = 7
"""Counts the ways in which pictures have been drawn: those of an older way are not used."""


@dataclass(frozen=True)
class ExampleProcess:
    """A ready process."""

    file: Path
    title: str
    about: str
    """Its purpose, in a sentence or two."""
    operators: frozenset[str]
    """Keys of the operators in it, on all levels."""

    @property
    def sentence(self) -> str:
        """The first sentence of its purpose."""
        return re.split(r"(?<=[.!?])\s", self.about, maxsplit=1)[0]


@dataclass(frozen=True)
class Template:
    """A process that is made for a table of the user."""

    title: str
    about: str
    """Its answer, in a sentence."""
    example: str = ""
    """Name of the file of the example that it is made from; without one it is the study."""


def study() -> Template:
    """Return what to begin with: what `fsops new --data` writes."""
    return Template(
        tr("Study my table"),
        tr(
            "Compares selections on the same splits of the rows, and lists the attributes that are "
            "chosen again and again."
        ),
    )


def templates() -> tuple[Template, ...]:
    """Return what can be begun with a table of the user, besides the study."""
    return (
        Template(
            tr("Cross-validated selection"),
            tr("How well do the 10 best attributes predict the class of new rows?"),
            "quickstart",
        ),
        Template(
            tr("Cross-validated MRMR"),
            tr("How well do five attributes with little redundancy predict the class?"),
            "mrmr",
        ),
        Template(
            tr("Weights of six filters"),
            tr("Six filters weight the attributes of the table, side by side."),
            "filters",
        ),
        Template(
            tr("Ensemble and stability"),
            tr("Which attributes are chosen on nearly every resample of the rows?"),
            "ensemble_and_stability",
        ),
    )


def example_files() -> list[Path]:
    """Return the files of the example processes, without those of the papers."""
    return [example.file for example in examples()]


@lru_cache(maxsize=1)
def examples() -> tuple[ExampleProcess, ...]:
    """Return the example processes, without those of the papers; the first to read come first."""
    from fsops.examples import find_examples

    try:
        files = [e.file for e in find_examples() if "/" not in e.name]
    except FsopsError:  # an installation without them
        return ()
    order = {name: place for place, name in enumerate(FIRST)}
    files.sort(key=lambda file: (order.get(file.stem, len(order)), file.stem))
    return tuple(filter(None, map(_read, files)))


def _read(file: Path) -> ExampleProcess | None:
    """Return the topic of an example; only its text is read, which is quick."""
    from fsops.storage.safe_xml import parse_xml

    try:
        root = parse_xml(file.read_bytes())
    except (OSError, FsopsError):
        return None
    outer = root.find("operator")
    if outer is None:
        return None
    about = " ".join((outer.findtext("description") or "").strip().partition("\n")[0].split())
    keys = frozenset(str(inner.get("class")) for inner in outer.iter("operator"))
    return ExampleProcess(file, outer.get("name") or file.stem, about, keys)


def examples_of(operator: Operator) -> list[ExampleProcess]:
    """Return the examples that use an operator, the smallest first."""
    names = {operator.key, *operator.aliases.keys}
    return sorted(
        (example for example in examples() if names & example.operators),
        key=lambda example: len(example.operators),
    )


# --- pictures -------------------------------------------------------------------------------


def picture_file(file: Path, size: QSize) -> Path:
    """Return where the picture of a process is kept; another text or theme has another one."""
    dark = current_colours().background.lightness() < 128
    about = f"{__version__} {DRAWN} {size.width()}x{size.height()} {dark} ".encode()
    digest = hashlib.sha256(about + file.read_bytes()).hexdigest()[:24]
    return pictures_folder() / f"{digest}.png"


def picture(file: Path, registry: Registry, size: QSize) -> QImage:
    """Return a process file as the canvas draws it: the picture that is kept, else a new one."""
    kept = picture_file(file, size)
    if kept.is_file():
        image = QImage(str(kept))
        if not image.isNull():
            return image
    from fsops_gui.canvas.picture import picture_of

    image = picture_of(read_process(file, registry), registry, size)
    with contextlib.suppress(OSError):  # then it is drawn again next time
        kept.parent.mkdir(parents=True, exist_ok=True)
        image.save(str(kept))
    return image


# --- templates ------------------------------------------------------------------------------


def with_own_table(
    template: Template, table: Path, label: str | None, registry: Registry
) -> Process:
    """Return the process of a template that reads a table of the user."""
    if not template.example:
        return study_process(table.stem, table, label, registry)
    (operator, parameters), known, _ = own_table(table, label, registry)
    file = next(e.file for e in examples() if e.file.stem == template.example)
    process = read_process(file, registry)
    source = next(node for node in process if node.operator.key == "retrieve")
    replace_operator(process, source.name, operator)
    node = next(node for node in process if node.operator is operator)
    for parameter, value in parameters.items():
        node.set_parameter(parameter, value)
    process.rename(node.name, process.unique_name(MY_TABLE))
    _prepare(process, node, preparation(known), registry)
    for other in process:
        if any(p.name == "stability" for p in other.operator.outputs):
            process.result(other["stability"])  # its plots are the answer to the question
    process.name = template.title
    process.notes = []  # they are about the data of the example
    process.description = Note(template.about)
    process.folder = None
    return process


def _prepare(
    process: Process, data: Node, steps: Sequence[tuple[str, str]], registry: Registry
) -> None:
    """Let the table go through operators before anything else gets it."""
    for key, remark in steps:
        wires = [wire for wire in process.connections if wire.from_node == data.name]
        data = process.add(registry[key], data)
        data.note = Note(remark) if remark else None
        for wire in wires:
            process.connect(data["examples"], wire.to_node, wire.to_port)
    if steps:
        layout.move_operators(process, layout.arranged(process))
