"""The commands, and the one way they are called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from fsops import __version__
from fsops.cli import describe, examples, operators, plugins, run, validate
from fsops.cli.failures import exit_code_of
from fsops.cli.options import Debug


class CommandLine(TyperGroup):
    """Calls a command and leaves with an exit code: whatever goes wrong is told in one place."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *others: Any,
        **extra: Any,
    ) -> NoReturn:
        """Run the command that the arguments name, and exit."""
        given = list(sys.argv[1:] if args is None else args)

        def call() -> None:
            with self.make_context(prog_name or "fsops", given, **extra) as context:
                self.invoke(context)

        sys.exit(exit_code_of(call, debug="--debug" in given))


# Rich would make the help pretty, but its import takes longer than everything else together.
app = typer.Typer(
    cls=CommandLine,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"fsops {__version__}")
        raise typer.Exit


def _show_help(context: typer.Context, wanted: bool) -> None:
    if wanted:
        typer.echo(context.get_help())
        raise typer.Exit


# Typer's own help option would import pydantic wherever it is not used.
@app.callback(invoke_without_command=True, add_help_option=False)
def fsops(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_show_version, help="Show the version and exit."
        ),
    ] = False,
    debug: Debug = False,
    show_help: Annotated[
        bool,
        typer.Option(
            "--help", "-h", is_eager=True, callback=_show_help, help="Show this message and exit."
        ),
    ] = False,
) -> None:
    """Feature selection as processes: run, check and explain them.

    Start with: fsops examples
    """
    _show_help(context, wanted=context.invoked_subcommand is None)


app.command()(run.run)
app.command()(validate.validate)
app.command()(operators.operators)
app.command()(describe.describe)
app.command()(examples.new)
app.command()(examples.examples)
app.add_typer(plugins.app, name="plugins")
