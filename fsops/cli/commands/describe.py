"""``fsops describe``."""

from __future__ import annotations

from typing import Annotated

import typer

from fsops.cli.options import Format, OutputFormat


def describe(
    operator: Annotated[
        str, typer.Argument(metavar="OPERATOR", help="Key or title of the operator.")
    ],
    format: Format = OutputFormat.TEXT,
) -> None:
    """Explain an operator: ports, parameters, help, and an example."""
    from fsops.cli.output.console import print_json, results_console
    from fsops.cli.output.operator_page import operator_as_json, show_operator
    from fsops.plugins import plugins

    spec = plugins().registry[operator]
    if format is OutputFormat.JSON:
        print_json(operator_as_json(spec))
    else:
        show_operator(results_console(), spec)
