"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations


def main() -> None:
    """Run the command line; the entry point of the ``fsops`` command."""
    from typer.main import get_command

    from fsops.cli.app import app

    get_command(app).main(prog_name="fsops")
