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
    path: Annotated[
        str,
        File(suffixes=SUFFIXES, noun="the path of a process", resolve=process_file),
        Field(min_length=1, description="Process file, relative to this one."),
    ],
    use_input: Annotated[
        bool, Field(description="Pass the inputs to the process; otherwise it gets no inputs.")
    ] = True,
    macros: Annotated[
        dict[str, str], Field(description="Values of macros of the process, by their names.")
    ] = {},
    ctx: Context,
) -> Annotated[list[FlowObject | None], Named("output", "The results of the process.")]:
    """Execute Process

    Runs the process of another file. The inputs of this operator become the inputs of that process;
    its results become the outputs. So several studies can share one preparation. The other
    process does not share macros with this one; its random numbers follow the seed of this process.

    The other process has the rights of this one: its file must be in a folder that this process may
    read, and it reads and writes only where this process may. It cannot run itself.
    """
    file = process_file(path).resolve()
    title = f"{TITLE}{file.name}"
    if sum(part.startswith(TITLE) for part in ctx.path) >= DEEPEST or title in ctx.path:
        raise ParameterError(
            f"{quoted(file.name)} would run itself.",
            hint="Choose another process, or use Loop.",
        )
    if not file.is_file():
        raise StorageError(
            f"There is no process {quoted(path)}.",
            hint="Give the path of an .xml or .rmp file, relative to this process.",
        )
    from fsops.storage.process_xml import read_process  # it loads networkx

    process = read_process(file)
    given = {f"input {n}": v for n, v in enumerate(input, start=1) if v is not None}
    inside, _ = ctx.frame.inner_run(title)
    state = RunState(macros={**process.macros, **macros})
    frame = inside.elsewhere(process.folder, state)
    with entered(frame):
        results = ctx.services.run_process(process, given if use_input else {}, frame)
    highest = max((int(port.rpartition(" ")[2]) for port in results), default=0)
    return [results.get(f"result {number}") for number in range(1, highest + 1)]
