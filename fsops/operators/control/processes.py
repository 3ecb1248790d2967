"""A process in another file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from fsops.core import Aliases, Context, File, Named, operator
from fsops.core.frame.frame import entered
from fsops.core.frame.state import RunState
from fsops.data import FlowObject
from fsops.errors import ParameterError, StorageError, quoted
from fsops.operators.control.structure import Inputs

SUFFIXES = (".xml", ".rmp")
TITLE = "file "
DEEPEST = 20


def process_file(name: str) -> Path:
    """Return the file that a name stands for: RapidMiner writes it without a suffix."""
    path = Path(name)
    names = [path, *(path.with_name(path.name + suffix) for suffix in SUFFIXES)]
    return next((each for each in names if each.is_file()), path)


@operator(
    group="Control",
    role="control",
    aliases=Aliases(ports={"result": "output"}),
    tags=("subprocess", "include", "call", "reuse", "other file"),
    pure=False,
)
def execute_process(
    input: Inputs,
    *,
    process_location: Annotated[
        str,
        File(suffixes=SUFFIXES, noun="the path of a process", resolve=process_file),
        Field(min_length=1, description="Process file, relative to this one."),
    ],
    use_input: Annotated[
        bool, Field(description="Pass the inputs to the process; otherwise it gets none.")
    ] = True,
    macros: Annotated[
        dict[str, str], Field(description="Values of macros of the process, by their names.")
    ] = {},
    ctx: Context,
) -> Annotated[list[FlowObject | None], Named("output", "The results of the process.")]:
    """Execute Process

    Runs a process that is in another file: its inputs are those of this operator, and its results
    the outputs. So a preparation can be used by several studies. The macros of the other process
    are its own; random numbers follow the seed of this process.

    The file is read with the rights of this process: it may be in its folder, and reads and writes
    only where this process may. It cannot run itself.
    """
    path = process_file(process_location).resolve()
    title = f"{TITLE}{path.name}"
    if sum(part.startswith(TITLE) for part in ctx.path) >= DEEPEST or title in ctx.path:
        raise ParameterError(
            f"{quoted(path.name)} would run itself.",
            hint="Choose another process, or use Loop.",
        )
    if not path.is_file():
        raise StorageError(
            f"There is no process {quoted(process_location)}.",
            hint="Give the path of an .xml or .rmp file, relative to this process.",
        )
    from fsops.storage.process_xml import read_process  # it loads networkx

    process = read_process(path)
    given = {f"input {n}": v for n, v in enumerate(input, start=1) if v is not None}
    inside, _ = ctx.frame.inner_run(title)
    state = RunState(macros={**process.macros, **macros})
    frame = inside.elsewhere(process.folder, state)
    with entered(frame):
        results = ctx.services.run_process(process, given if use_input else {}, frame)
    highest = max((int(port.rpartition(" ")[2]) for port in results), default=0)
    return [results.get(f"result {number}") for number in range(1, highest + 1)]
