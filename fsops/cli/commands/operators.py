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
        typer.Argument(
            metavar="[WORD]...", help="Only operators whose name or help contains all these words."
        ),
    ] = None,
    role: Annotated[
        str | None,
        typer.Option(metavar="ROLE", help="Only operators with this role, such as weighting."),
    ] = None,
    format: Format = OutputFormat.TEXT,
) -> None:
    """List the installed operators, or those that have some words."""
    from fsops.cli.output.console import print_json
    from fsops.errors import UsageError, did_you_mean
    from fsops.plugins import plugins

    searched = " ".join(words or [])
    found = plugins().registry.search(searched)
    if role is not None:
        found = _with_role(found, role)
    if format is OutputFormat.JSON:
        print_json([_summary(spec) for spec in found])
        return
    if not found:
        wanted = f' and the role "{role}"' if role is not None else ""
        words_of = (f"{spec.title} {' '.join(spec.tags)}" for spec in plugins().registry)
        known = {word for text in words_of for word in text.lower().split()}
        hint = did_you_mean(searched, known) or "List all with: fsops operators"
        raise UsageError(f'No operator has "{searched}"{wanted}.', hint=hint)
    _show(found)


def _with_role(specs: list[Operator], name: str) -> list[Operator]:
    from fsops.core.declare.roles import find_role, role_hint
    from fsops.errors import UsageError

    role = find_role(name)
    if role is None:
        raise UsageError(f'There is no role "{name}".', hint=role_hint(name))
    return [spec for spec in specs if spec.role is role]


def _summary(spec: Operator) -> dict[str, Any]:
    return {
        "key": spec.key,
        "title": spec.title,
        "group": spec.group,
        "role": spec.role,
        "summary": spec.summary,
    }


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
