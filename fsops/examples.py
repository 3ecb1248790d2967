"""The processes that come with fsops."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import fsops
from fsops.core import Process
from fsops.core.graph.process import Note
from fsops.errors import StorageError, UsageError, did_you_mean, enumerate_names
from fsops.plugins import plugins
from fsops.storage import read_process

FOLDER = "processes"


@dataclass(frozen=True)
class Example:
    """A ready process: its name is its path in the folder, without the suffix."""

    name: str
    file: Path

    def about(self) -> str:
        """Return the purpose of the process: the first line of its description."""
        description = read_process(self.file, plugins().registry).description
        return description.text.strip().partition("\n")[0] if description is not None else ""


def examples_folder() -> Path:
    """Return where the ready processes are: inside the package, or beside it in a checkout."""
    package = Path(fsops.__file__).parent
    for folder in (package / FOLDER, package.parent / FOLDER):
        if folder.is_dir():
            return folder
    raise StorageError(f'The folder "{package / FOLDER}" with the examples is missing.')


def find_examples(name: str | None = None) -> list[Example]:
    """Return all examples, or the one of that name."""
    folder = examples_folder()
    found = [
        Example(file.relative_to(folder).with_suffix("").as_posix(), file)
        for file in sorted(folder.rglob("*.xml"))
    ]
    if name is None:
        return found
    wanted = [example for example in found if example.name == name.removesuffix(".xml")]
    if not wanted:
        names = [example.name for example in found]
        hint = did_you_mean(name, names) or f"There are {enumerate_names(names, 20)}."
        raise UsageError(f'There is no example "{name}".', hint=hint)
    return wanted


def starter_process(name: str) -> Process:
    """Return a small process that runs as it is."""
    from fsops.operators import retrieve, select_top_k, weight_by_welch_test

    process = Process(name)
    data = process.add(retrieve, repository_entry="breast cancer")
    weights = process.add(weight_by_welch_test, data, transformation="neg_log10_p")
    best = process.add(select_top_k, weights, k=10)
    for column, node in enumerate(process):
        node.position = {"x": 40 + 180 * column, "y": 40}
    process.result(weights)
    process.result(best)
    process.description = Note("Weighs the attributes of a table and marks the ten best.")
    data.note = Note("For your own table use Read CSV.")
    return process
