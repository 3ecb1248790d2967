"""``%load_ext fsops``: processes as XML in a cell of a notebook."""

from __future__ import annotations

import shlex
from importlib import import_module
from pathlib import Path
from typing import Any

from fsops.core.graph.process import Process
from fsops.errors import FsopsError
from fsops.runs.run import run
from fsops.storage import parse_process


def load_ipython_extension(shell: Any) -> None:
    """Give a notebook the magics ``%fsops FILE`` and ``%%fsops``."""

    def fsops(line: str, cell: str = "") -> None:
        """Run a process file, or the process in the cell, and show its results.

        ``%fsops quickstart.xml k=5`` gives the macro k a value. ``%%fsops k=5`` runs the XML that
        follows in the cell. The results are then in the variable ``results``, and the run itself,
        with its warnings and ``report(file)``, in ``outcome``.
        """
        display = import_module("IPython.display").display
        try:
            process, macros = _read(shlex.split(line), cell)
            outcome = run(process, macros=macros)
        except FsopsError as error:  # a sentence says more than a traceback
            display({"text/plain": f"Error: {error}"}, raw=True)
            return
        shell.user_ns |= {"outcome": outcome, "results": outcome.results}
        display(*outcome.results)

    shell.register_magic_function(fsops, "line_cell", "fsops")


def _read(words: list[str], cell: str) -> tuple[Process | Path, dict[str, str]]:
    """Return the process in the cell or the file that the line names, and the macros."""
    files = [word for word in words if "=" not in word]
    macros = dict(word.split("=", 1) for word in words if "=" in word)
    if cell.strip():
        process = parse_process(cell.strip().encode(), name="Cell")
        process.folder = Path.cwd()
        return process, macros
    if len(files) != 1:
        raise FsopsError("No process given.", hint="Write %fsops FILE, or %%fsops with XML below.")
    return Path(files[0]), macros
