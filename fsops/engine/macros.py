"""Macros that every process has."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from fsops.core.graph.process import Process
from fsops.errors import UsageError

DATA_MACRO = "data"
"""Macro of a process for the folder of its data sets."""


def predefined_macros(process: Process, started: datetime) -> dict[str, str]:
    """Return the macros every process has, named as in RapidMiner."""
    return {
        "process_name": process.name,
        "process_path": str(process.folder or ""),
        "process_start": started.strftime("%Y-%m-%d %H:%M:%S"),
        "tempdir": tempfile.gettempdir(),
    }


def process_macros(process: Process) -> dict[str, str]:
    """Return the macros of a process; a folder named by FSOPS_DATA replaces its macro `data`."""
    if DATA_MACRO not in process.macros:
        return dict(process.macros)
    from fsops.datasets import data_folder

    folder = data_folder()
    return {**process.macros, **({} if folder is None else {DATA_MACRO: str(folder)})}


def check_data_folder(process: Process, macros: Mapping[str, str]) -> None:
    """Raise an error with the ways to name the folder if the macro `data` of a process names none.

    Only a path with a separator is checked: the macro may be used for something else.
    """
    named = macros.get(DATA_MACRO, "")
    if DATA_MACRO not in process.macros or "/" not in named:
        return
    from fsops.datasets import VARIABLE

    if not (Path(process.folder or "") / Path(named).expanduser()).exists():
        raise UsageError(
            f'The folder of the data sets, "{named}", does not exist.',
            hint=f"Name the folder in the environment variable {VARIABLE}, or with "
            f"--macro {DATA_MACRO}=FOLDER.",
        )
