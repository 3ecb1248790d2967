"""Calls the command line in this process, and makes process files around small tables."""

import pytest
from typer.testing import CliRunner

from fsops.cli.app import app
from fsops.examples import examples_folder


@pytest.fixture
def fsops(monkeypatch):
    """Return a function that runs a command and returns exit code, stdout and stderr."""
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*arguments, **environment):
        result = CliRunner().invoke(
            app, [str(a) for a in arguments], env=environment or None, prog_name="fsops"
        )
        assert "Traceback" not in result.stderr or "--debug" in arguments
        assert not isinstance(result.exception, Exception) or isinstance(
            result.exception, SystemExit
        )
        return result

    return call


@pytest.fixture
def refused(fsops):
    """Return a function that runs a command that must fail, and returns its message on one line."""

    def call(code, *arguments):
        result = fsops(*arguments)
        assert result.exit_code == code, result.output
        assert result.stdout == ""
        assert result.stderr
        return " ".join(result.stderr.split())

    return call


@pytest.fixture
def quickstart():
    return examples_folder() / "quickstart.xml"


HEAD = '<process version="fsops-1"><operator class="process" name="Process"><process>'
TAIL = "</process></operator></process>"


@pytest.fixture
def process_file(tmp_path):
    """Return a function that writes a process file with the given content."""

    def write(content, name="process.xml"):
        file = tmp_path / name
        file.write_text(f"{HEAD}{content}{TAIL}", encoding="utf-8")
        return file

    return write


@pytest.fixture
def weighting(tmp_path, process_file):
    """Return a function that writes a table, and a process that reads and weights it."""

    def write(table, operator="weight_by_sam", label="y"):
        (tmp_path / "table.csv").write_text(table, encoding="utf-8")
        return process_file(
            '<operator class="read_csv" name="Read"><parameter key="path" value="table.csv"/>'
            f'<parameter key="label" value="{label}"/></operator>'
            f'<operator class="{operator}" name="Weigh"/>'
            '<connect from_op="Read" from_port="examples" to_op="Weigh" to_port="examples"/>'
            '<connect from_op="Weigh" from_port="weights" to_port="result 1"/>'
            '<connect from_op="Read" from_port="examples" to_port="result 2"/>'
        )

    return write


TABLE = "a,b,y\n1,2,p\n4,3,q\n2,5,q\n1,4,p\n"


@pytest.fixture
def small(weighting):
    """Return a small process that works."""
    return weighting(TABLE)
