"""The command line as a whole: help, version, misspellings, exit codes."""

import subprocess
import sys

import pytest

from fsops import __version__
from fsops.cli.app import COMMANDS

HEAVY = ("numpy", "pandas", "pydantic", "networkx", "rich", "lxml", "fsops.core")
# A process is a graph of networkx, which only commands about processes may load.
ABOUT_PROCESSES = ("networkx", "pandas", "sklearn", "scipy.stats", "fsops.core.graph")


def test_version(fsops):
    assert fsops("--version").stdout == f"fsops {__version__}\n"


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_lists_the_commands(fsops, arguments):
    result = fsops(*arguments)
    assert result.exit_code == 0
    assert all(f"  {name} " in result.stdout for name in COMMANDS)
    assert "..." not in result.stdout.partition("Commands:")[2]


@pytest.mark.parametrize("group", ["cache", "data", "papers", "plugins"])
def test_help_of_a_group_cuts_no_sentence(fsops, group):
    assert "..." not in fsops(group, "--help").stdout.partition("Commands:")[2]


@pytest.mark.parametrize(
    "command", [(name,) for name in COMMANDS] + [("plugins", "new"), ("plugins", "list")]
)
def test_every_command_has_help(fsops, command):
    shown = fsops(*command, "--help").stdout
    assert shown.startswith(f"Usage: fsops {' '.join(command)} ")
    assert "Options:" in shown


def test_unknown_command(refused):
    assert 'There is no command "rum". Did you mean "run"?' in refused(2, "rum")
    assert "There are run, validate" in refused(2, "zzz")
    assert "Did you mean 'list'?" in refused(2, "plugins", "lst")


def test_unknown_option(refused):
    said = refused(2, "run", "--sed", "3", "x.xml")
    assert 'Unknown option --sed. Did you mean "--seed"' in said
    assert "See: fsops run --help" in said
    assert 'Did you mean "--version"' in refused(2, "--versoin")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run",), "Missing argument 'PROCESS'."),
        (("run", "a", "b"), "unexpected extra argument"),
        (("run", "a", "--seed", "x"), "'--seed': not a whole number."),
        (("run", "a", "--seed", "-1"), "the smallest possible value is 0"),
        (("run", "a", "--format", "xml"), "'xml' is not one of 'text', 'json'"),
        (("describe",), "Missing argument 'OPERATOR'."),
    ],
)
def test_wrong_arguments(refused, arguments, said):
    message = refused(2, *arguments)
    assert said in message
    assert "Input should" not in message
    assert "Value error" not in message


def loaded_by(arguments, modules):
    """Return which of the modules a command loads."""
    program = (
        "import sys\n"
        "from fsops.cli import main\n"
        f"sys.argv = ['fsops', *{arguments}]\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        f"print([name for name in {modules} if name in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return result.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["run", "--help"]])
def test_help_imports_nothing_heavy(arguments):
    assert loaded_by(arguments, HEAVY) == "[]\n"


@pytest.mark.parametrize(
    "arguments",
    [["describe", "cross_validation"], ["describe", "retrieve", "--format", "json"], ["operators"]],
    ids=" ".join,
)
def test_commands_about_operators_load_no_process_graph(arguments):
    assert loaded_by(arguments, ABOUT_PROCESSES) == "[]\n"
