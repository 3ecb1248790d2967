"""Runs the commands that pages show."""

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fsops.cli.app import app

PROCESSES = Path(__file__).resolve().parents[2] / "processes"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the current folder: a new one, with the ready processes and an empty cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FSOPS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "processes").symlink_to(PROCESSES)
    return tmp_path


@pytest.fixture
def as_printed(folder):
    """Return a function that runs a command in the folder.

    In this process: tests/cli/test_command.py shows that the real command does the same.
    """

    def run(command):
        program, *arguments = shlex.split(command, comments=True)
        assert program == "fsops"
        return CliRunner().invoke(app, arguments, prog_name=program)

    return run
