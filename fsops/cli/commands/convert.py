"""``fsops convert``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fsops.cli.options import Debug, Format, OutputFormat

if TYPE_CHECKING:
    from fsops.cli.output.console import PlainConsole
    from fsops.storage.rapidminer.report import ConversionReport


def convert(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.rmp", help="The process of RapidMiner, or a repository folder."
        ),
    ],
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PROCESS.xml]",
            help="File or new folder to write; if not given, the command only reports.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    format: Format = OutputFormat.TEXT,
    debug: Debug = False,
) -> None:
    """Convert a process of RapidMiner to fsops, and report the changes."""
    from fsops.cli.output.console import print_json, results_console
    from fsops.errors import UsageError
    from fsops.plugins import plugins
    from fsops.storage import read_process, write_process
    from fsops.storage.rapidminer.importer import import_report
    from fsops.storage.rapidminer.moving import move_process

    if file.is_dir():
        _convert_folder(file, target, force=force, as_json=format is OutputFormat.JSON)
        return
    if target is not None and target.exists() and target.samefile(file):
        raise UsageError("The result would replace the process of RapidMiner: name another file.")
    if target is not None and target.exists() and not force:
        raise UsageError(
            f'"{target}" exists.', hint="Choose another name, or replace it with --force."
        )
    registry = plugins().registry
    process = read_process(file, registry)
    report = import_report(file, registry)
    if report is None:
        raise UsageError(
            f'"{file}" is a process of fsops already.', hint=f"Run it: fsops run {file}"
        )
    if target is not None:
        move_process(process, target.resolve().parent)
        # A translation deserves the trust of its source.
        write_process(process, target, trusted=process.readable is None)
    if format is OutputFormat.JSON:
        written = None if target is None else str(target)
        print_json({"file": str(file), "written": written, **report.as_json()})
        return
    _show(results_console(), file, report)
    if target is not None:
        typer.echo(f"\nWritten: {target}\nCheck it: fsops validate {target}")


def _convert_folder(folder: Path, target: Path | None, *, force: bool, as_json: bool) -> None:
    from fsops.cli.output.console import print_json, results_console
    from fsops.plugins import plugins
    from fsops.storage.rapidminer.folders import convert_folder

    files = convert_folder(folder, target, plugins().registry, force=force)
    if as_json:
        print_json({"folder": str(folder), "files": [vars(file) for file in files]})
        return
    console = results_console()
    console.print(f"{'process':40} operators  not known  changes", soft_wrap=True)
    for file in files:
        said = file.error or f"{file.known:9}  {file.missing:9}  {file.changes:7}"
        console.print(f"{file.name:40} {said}", soft_wrap=True)
    fine = sum(not file.error and not file.missing for file in files)
    console.print(
        f"\n{_counted(len(files), 'process')[:-1]}es: {fine} with all operators known"
        if len(files) != 1
        else f"\n1 process: {fine} with all operators known"
    )
    if target is not None:
        console.print(
            f"Written: {target}, with the summary {target / 'summary.csv'}", soft_wrap=True
        )


def _show(console: PlainConsole, file: Path, report: ConversionReport) -> None:
    version = f" (RapidMiner {report.version})" if report.version else ""
    console.print(f"{file}{version}", soft_wrap=True)
    for section in report.sections():
        console.print(f"\n{section.heading}", soft_wrap=True)
        for operator, text in section.lines:
            console.print(f"  {operator}: {text}", soft_wrap=True)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
