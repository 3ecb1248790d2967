"""``fsops operators``."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fsops.cli.options import Format, OutputFormat

if TYPE_CHECKING:
    from fsops.core import Operator


def operators(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORD]...", help="Only operators that have all these words."),
    ] = None,
    format: Format = OutputFormat.TEXT,
) -> None:
    """List the installed operators, or those that have some words."""
    from fsops.cli.output.console import print_json
    from fsops.errors import UsageError
    from fsops.plugins import plugins

    searched = " ".join(words or [])
    found = plugins().registry.search(searched)
    if format is OutputFormat.JSON:
        print_json([_summary(spec) for spec in found])
        return
    if not found:
        raise UsageError(f'No operator has "{searched}".', hint="List all with: fsops operators")
    _show(found)


def _summary(spec: Operator) -> dict[str, Any]:
    return {"key": spec.key, "title": spec.title, "group": spec.group, "summary": spec.summary}


def _show(found: list[Operator]) -> None:
    from rich.text import Text

    from fsops.cli.output.console import results_console

    console = results_console()
    widest = max(len(spec.key) for spec in found)
    by_group = sorted(found, key=lambda spec: spec.group)
    for group, specs in groupby(by_group, key=lambda spec: spec.group):
        console.print(Text(group.replace("/", " › "), "bold"))
        for spec in specs:
            line = Text.assemble((f"  {spec.key:{widest}}", "cyan"), f"  {spec.summary}")
            console.print_line(line)
        console.print()
    console.print(Text("More about one: fsops describe OPERATOR", "dim"))
