"""``--memory-limit``: an amount of memory as people write it."""

from __future__ import annotations

import os
import re
from typing import Annotated

import typer

UNITS = {"": 1, "b": 1}
UNITS |= {f"{letter}b": 1000**power for power, letter in enumerate("kmgt", start=1)}
UNITS |= {f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", start=1)}
UNITS |= {letter: 1000**power for power, letter in enumerate("kmgt", start=1)}
LEAST = 1_000_000


def parse_size(text: str) -> int:
    """Return the number of bytes: ``1GB``, ``1.5 GiB``, ``800000000``."""
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", text)
    unit = UNITS.get(found[2].lower()) if found else None
    if found is None or unit is None:
        raise typer.BadParameter(f'"{text}" is not an amount of memory; write 500MB, 1GB or 2GiB.')
    size = int(float(found[1]) * unit)
    if size < LEAST:
        raise typer.BadParameter(f'"{text}" is too little memory to work with; give 1MB or more.')
    return size


def keep_memory() -> None:
    """Let Arrow keep the memory of a block for the next one; getting it anew takes longer."""
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "10000")  # ms; read when pyarrow is imported


MemoryLimit = Annotated[
    int | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        parser=parse_size,
        help="Memory that tables read in blocks (Read Parquet with streaming) keep to, as 1GB.",
    ),
]
