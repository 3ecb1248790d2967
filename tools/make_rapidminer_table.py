"""Makes the table in docs/rapidminer.md from RapidMiner's sample processes.

Call it with the folder that holds ``processes/`` and ``data/``, such as ``python
tools/make_rapidminer_table.py ../shared/rapidminer``. It takes some minutes, because it runs every
process that can run.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fsops import read_process, run
from fsops.core import Process, validate
from fsops.core.checks.problems import Problem, Severity
from fsops.errors import FsopsError
from fsops.plugins import plugins
from fsops.storage.rapidminer.importer import import_report
from fsops.storage.rapidminer.moving import move_process

PAGE = Path(__file__).resolve().parents[1] / "docs" / "rapidminer.md"
WRITTEN = ("yagga.att", "yagga.wgt")
"""Files that a sample writes and the next one reads."""
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


@dataclass(frozen=True)
class Row:
    """What becomes of one sample process."""

    name: str
    loads: str
    runs: str
    missing: str

    def __str__(self) -> str:
        return f"| {self.name} | {self.loads} | {self.runs} | {self.missing} |"


def sample_files(folder: Path) -> list[Path]:
    """Return the sample processes in their order."""
    return sorted((folder / "processes").rglob("*.rmp"))


def row_of(file: Path, *, runs: str | None = None, folder: Path | None = None) -> Row:
    """Return what becomes of a process; it is run unless it is said whether it does.

    Samples that read what another one writes find it if both run in the same folder.
    """
    registry = plugins().registry
    name = f"{file.parent.name}/{file.stem}"
    try:
        process = read_process(file, registry)
        process.readable = None  # the samples read ../data
        report = import_report(file, registry)
    except FsopsError as error:
        return Row(name, "no", "no", error.message)
    unknown = sorted({item.theirs for item in report.missing}) if report else []
    if unknown:
        return Row(name, "with placeholders", "no", ", ".join(f"`{key}`" for key in unknown))
    errors = [p for p in validate(process, registry) if p.severity is Severity.ERROR]
    problems = [p for p in errors if not any(name in p.message for name in WRITTEN)]
    if problems:
        return Row(name, "yes", "no", " ".join(_sentence(process, p) for p in problems))
    failure = "" if runs == "yes" else failure_of(process, folder)
    return Row(name, "yes", "no" if failure else "yes", failure)


def failure_of(process: Process, folder: Path | None = None) -> str:
    """Return why a process does not run to its end in a folder; empty if it does."""
    move_process(process, folder or Path(tempfile.mkdtemp()))
    try:
        run(process)
    except FsopsError as error:
        return str(error)
    return ""


def _sentence(process: Process, problem: Problem) -> str:
    """Return which operator cannot do what, in short."""
    title = process.find(problem.path[-1]).operator.title if problem.path else "Process"
    message = problem.message.partition(". ")[0].rstrip(".")
    message = message.replace(", but must be one of ", ", which is not known|").partition("|")[0]
    return f"{title}: {message}."


def table(rows: Iterable[Row]) -> str:
    """Return the rows with a head, and how many there are of each kind."""
    listed = list(rows)
    count = sum(row.runs == "yes" for row in listed)
    head = ["| sample process | loads | runs | missing |", "|---|---|---|---|"]
    summary = f"{count} of {len(listed)} run."
    return "\n".join([summary, "", *head, *map(str, listed)])


def table_in(page: str) -> str:
    """Return the table of the page as it is."""
    return page.partition(BEGIN)[2].partition(END)[0].strip()


def main(folder: Path) -> None:
    """Write the table again."""
    rows = []
    written = Path(tempfile.mkdtemp())
    for file in sample_files(folder):
        rows.append(row_of(file, folder=written))
        sys.stdout.write(f"{rows[-1]}\n")
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{table(rows)}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
