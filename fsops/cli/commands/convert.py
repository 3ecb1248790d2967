"""``fsops convert``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fsops.cli.options import Debug, Format, OutputFormat

if TYPE_CHECKING:
    from fsops.cli.output.console import PlainConsole
    from fsops.storage.rapidminer.report import ConversionReport, Ignored


def convert(
    file: Annotated[Path, typer.Argument(metavar="FILE.rmp", help="The process of RapidMiner.")],
    target: Annotated[
        Path | None,
        typer.Argument(metavar="[PROCESS.xml]", help="Where to write it; not given: only report."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    format: Format = OutputFormat.TEXT,
    debug: Debug = False,
) -> None:
    """Turn a process of RapidMiner into one of fsops, and tell what changes."""
    from fsops.cli.output.console import print_json, results_console
    from fsops.errors import UsageError
    from fsops.plugins import plugins
    from fsops.storage import read_process, write_process
    from fsops.storage.rapidminer.importer import import_report
    from fsops.storage.rapidminer.moving import move_process

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


def _show(console: PlainConsole, file: Path, report: ConversionReport) -> None:
    version = f" (RapidMiner {report.version})" if report.version else ""
    console.print(f"{file}{version}", soft_wrap=True)
    console.print(f"\n{_counted(len(report.mapped), 'operator')} mapped")
    for item in report.mapped:
        ours = item.ours if item.ours == item.theirs else f"{item.theirs} → {item.ours}"
        console.print(f"  {item.operator}: {ours}", soft_wrap=True)
    if report.missing:
        console.print(
            f"\n{_counted(len(report.missing), 'operator')} not known: kept as placeholders, "
            "which cannot run",
            soft_wrap=True,
        )
        for item in report.missing:
            console.print(f"  {item.operator}: {item.theirs}", soft_wrap=True)
    _show_settings(console, report)


def _show_settings(console: PlainConsole, report: ConversionReport) -> None:
    from fsops.storage.rapidminer.report import WITH_WEIGHTS

    weighted = [i for i in report.ignored if i.effect == WITH_WEIGHTS]
    effects = [i for i in report.ignored if i.effect and i not in weighted]
    changes = [r for r in report.remarks if r.changes]
    if effects or changes:
        console.print("\nThis can change the result")
        for setting in effects:
            console.print(f"  {_setting(setting)}: ignored; that {setting.effect}", soft_wrap=True)
        for remark in changes:
            console.print(f"  {remark.operator}: {remark.text}", soft_wrap=True)
    if weighted:
        console.print("\nThis changes the result if the table has a weight for each row")
        for setting in weighted:
            console.print(f"  {_setting(setting)}: ignored", soft_wrap=True)
    done = [r for r in report.remarks if not r.changes]
    if done:
        console.print("\nDone in another way")
        for remark in done:
            console.print(f"  {remark.operator}: {remark.text}", soft_wrap=True)
    harmless = [i for i in report.ignored if not i.effect]
    if harmless:
        console.print(f"\n{_counted(len(harmless), 'setting')} ignored that change no result")
        by_operator: dict[str, list[str]] = {}
        for setting in harmless:
            by_operator.setdefault(setting.operator, []).append(setting.parameter)
        for operator, names in by_operator.items():
            console.print(f"  {operator}: {', '.join(names)}", soft_wrap=True)


def _setting(setting: Ignored) -> str:
    return f'{setting.operator}: {setting.parameter} = "{setting.value}"'


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
