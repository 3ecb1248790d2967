"""``fsops trust``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fsops.cli.options import Debug


def trust(
    processes: Annotated[
        list[Path], typer.Argument(metavar="PROCESS...", help="Process files (XML).")
    ],
    debug: Debug = False,
) -> None:
    """Trust processes: they may read any file that you can read, until they are changed."""
    from fsops.storage import read_process
    from fsops.storage.files import read_bytes
    from fsops.storage.safe_xml import MAX_BYTES
    from fsops.storage.trust import trust as note

    for file in processes:
        process = read_process(file)  # a file that cannot be read is refused
        note(read_bytes(file, MAX_BYTES), file.resolve())
        typer.echo(f"Trusted: {file}")
        for node in process.walk():
            for parameter in node.operator.parameters:
                value = node.parameters.get(parameter.name)
                if parameter.file is not None and not parameter.file.write and value:
                    typer.echo(f"  {node.name} reads {value}")
