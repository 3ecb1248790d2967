"""Problems of a process, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from fsops.cli.output.console import PlainConsole
from fsops.core.checks.problems import Problem, Severity
from fsops.errors import PATH_SEPARATOR, InvalidProcess

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow"}


def show_problems(console: PlainConsole, problems: Sequence[Problem]) -> None:
    """Print each problem with its place and its fixes."""
    console.print()
    table = Table.grid(padding=(0, 2), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for problem in problems:
        where = PATH_SEPARATOR.join(problem.path) or "Process"
        table.add_row(Text(problem.severity, STYLES[problem.severity]), Text(where, "bold"))
        table.add_row("", problem.message)
        for fix in problem.fixes:
            table.add_row("", Text(f"→ {fix.label}", "green"))
    console.print(table)


def show_refusal(console: PlainConsole, error: InvalidProcess) -> None:
    """Print why a process cannot run."""
    problems = [problem for problem in error.problems if isinstance(problem, Problem)]
    console.say("Error", "bold red", error.message.partition("\n")[0])
    show_problems(console, problems)


def count_in_words(problems: Sequence[Problem]) -> str:
    """Return such as ``2 errors and 1 warning``."""
    counts = [
        (sum(problem.severity is severity for problem in problems), severity.value)
        for severity in Severity
    ]
    parts = [f"{n} {word}{'s' * (n != 1)}" for n, word in counts if n]
    return " and ".join(parts) or "no problems"


def problem_as_json(problem: Problem) -> dict[str, Any]:
    """Return a problem for a JSON document."""
    return {
        "severity": problem.severity.value,
        "kind": problem.kind.value,
        "path": list(problem.path),
        "parameter": problem.parameter or None,
        "message": problem.message,
        "fixes": [fix.label for fix in problem.fixes],
    }
