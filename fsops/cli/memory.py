"""``--memory-limit``: an amount of memory as people write it."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from fsops.errors import UsageError
from fsops.memory import parse_size


def read_size(text: str) -> int:
    """Return the number of bytes; a wrong text is a wrong option."""
    try:
        return parse_size(text)
    except UsageError as error:
        raise typer.BadParameter(str(error)) from None


def keep_memory() -> None:
    """Let Arrow keep the memory of a block for the next one; a new allocation takes longer."""
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "10000")  # ms; read when pyarrow is imported


MemoryLimit = Annotated[
    int | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        parser=read_size,
        help="Memory for tables of Read Parquet, such as 1GB; larger tables stay in their files.",
    ),
]
