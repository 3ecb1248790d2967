"""The commands, and the one way they are called."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup
from typer.main import get_command

from fsops import __version__
from fsops.cli.commands import (
    cache,
    convert,
    data,
    describe,
    docs,
    draw,
    examples,
    export,
    gui,
    new,
    operators,
    papers,
    plan,
    plugins,
    run,
    trust,
    validate,
)
from fsops.cli.failures import exit_code_of
from fsops.cli.options import Debug, new_app
from fsops.cli.output.notices import notices
from fsops.cli.parent_line import is_supervised
from fsops.cli.signals import SIGNALS
from fsops.errors import UsageError, did_you_mean

COMMANDS: dict[str, Callable[..., None] | typer.Typer] = {
    "run": run.run,
    "validate": validate.validate,
    "plan": plan.plan,
    "operators": operators.operators,
    "describe": describe.describe,
    "docs": docs.docs,
    "draw": draw.draw,
    "export": export.export,
    "convert": convert.convert,
    "new": new.new,
    "examples": examples.examples,
    "trust": trust.trust,
    "gui": gui.gui,
    "plugins": plugins.app,
    "cache": cache.app,
    "data": data.app,
    "papers": papers.app,
}


class CommandLine(TyperGroup):
    """Calls a command and exits with its code: all errors are reported in one place.

    Typer reads the arguments of a command only when it is called, which makes the start faster.
    """

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
            if not is_supervised():  # a run begins its work later
                SIGNALS.begin_work()
            quiet = not {"-q", "--quiet"}.isdisjoint(given)
            with (
                notices(quiet=quiet),
                self.make_context(prog_name or "fsops", given, **extra) as context,
            ):
                self.invoke(context)

        sys.exit(exit_code_of(call, debug="--debug" in given))

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; an unknown one is an error with a suggestion."""
        if cmd_name not in COMMANDS:
            hint = did_you_mean(cmd_name, COMMANDS) or f"There are {', '.join(COMMANDS)}."
            raise UsageError(f'There is no command "{cmd_name}".', hint=hint)
        found = COMMANDS[cmd_name]
        if not isinstance(found, typer.Typer):
            single = new_app()
            single.command(cmd_name)(found)
            found = single
        command = get_command(found)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands with the first line of their help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(found)) for name, found in COMMANDS.items()])


def _summary(found: Callable[..., None] | typer.Typer) -> str:
    text = found.info.help if isinstance(found, typer.Typer) else found.__doc__
    return str(text).strip().partition("\n")[0]


app = new_app(cls=CommandLine)


def command_line() -> CommandLine:
    """Return the command line as a whole."""
    command: CommandLine = get_command(app)  # type: ignore[assignment]
    return command


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
    from fsops.config import use_disabled_plugins

    with contextlib.suppress(UsageError):  # commands that read the configuration refuse it
        use_disabled_plugins()
