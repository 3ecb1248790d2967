"""Everything a user can meet is documented."""

import inspect
import re
import tomllib
from pathlib import Path

import pytest
from typer.main import get_command

from fsops import errors
from fsops.cli.app import app
from fsops.config import KNOWN
from fsops.plugins import hookspecs

ROOT = Path(__file__).resolve().parents[2]


def test_every_hook_is_on_the_page_about_plugins():
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    hooks = [name for name in vars(hookspecs) if name.startswith("fsops_")]
    assert hooks
    assert [hook for hook in hooks if hook not in page] == []


def test_every_error_says_what_it_means():
    classes = [
        c for _, c in inspect.getmembers(errors, inspect.isclass) if c.__module__ == errors.__name__
    ]
    assert [c.__name__ for c in classes if not (c.__doc__ or "").strip()] == []


def test_every_package_is_in_the_guide():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    packages = [
        p.name for p in (ROOT / "fsops").iterdir() if p.is_dir() and not p.name.startswith("_")
    ]
    assert [name for name in packages if f"fsops/{name}/" not in guide] == []


# --- the command line -------------------------------------------------------------------------

COMMAND_LINE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", COMMAND_LINE, re.M | re.S))


def commands(command, name):
    """Return all commands below one by their full names."""
    if not hasattr(command, "list_commands"):
        return {name: command}
    found = {}
    for word in command.list_commands(None):
        found |= commands(command.get_command(None, word), f"{name} {word}")
    return found


COMMANDS = commands(get_command(app), "fsops")


def options(command):
    return [
        word
        for parameter in command.params
        for word in (*parameter.opts, *parameter.secondary_opts)
        if word.startswith("--")
    ]


def mentions(text, option):
    return re.search(rf"{option}(?![\w-])", text) is not None


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_with_its_command(name):
    assert [o for o in options(COMMANDS[name]) if not mentions(SECTIONS.get(name, ""), o)] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_is_explained_that_a_command_does_not_have(name):
    documented = {
        row.split("`")[1].split()[0] for row in SECTIONS[name].splitlines() if row[:3] == "| `"
    }
    assert documented - set(options(COMMANDS[name])) == set()


def test_options_of_the_program_itself_are_explained():
    introduction = COMMAND_LINE.partition("\n## ")[0]
    assert [o for o in options(get_command(app)) if not mentions(introduction, o)] == []


def test_every_exit_code_is_explained():
    codes = {0} | {c.exit_code for c in vars(errors).values() if hasattr(c, "exit_code")}
    codes |= {129, 143}  # SIGHUP and SIGTERM: those of a run that is stopped by them
    rows = re.findall(r"^\| (\d+) \|", SECTIONS["Exit codes"], re.M)
    assert set(map(int, rows)) == codes


# --- settings ---------------------------------------------------------------------------------


def test_every_key_of_the_configuration_is_shown():
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    shown = tomllib.loads(re.search(r"```toml\n(.*?)```", page, re.S)[1])
    missing = {
        f"{section}.{key}"
        for section, keys in KNOWN.items()
        for key in keys
        if key not in shown.get(section, {}) and f"`{key} = " not in page
    }
    assert missing == set()
    assert [s for s in shown if set(shown[s]) - set(KNOWN.get(s, {}))] == []


def test_every_environment_variable_is_explained():
    code = [path.read_text(encoding="utf-8") for path in (ROOT / "fsops").rglob("*.py")]
    used = {name for text in code for name in re.findall(r"\bFSOPS_[A-Z_]+\b", text)}
    assert used
    assert {name for name in used if f"`{name}`" not in SECTIONS["Environment variables"]} == set()
