"""What pyproject.toml promises to those who install fsops."""

import ast
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import fsops

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOR_DEVELOPERS = {"dev", "docs", "gui-test"}
# Names that Python has on POSIX systems only.
POSIX_ONLY = {"SIGKILL", "SIGHUP", "SIGALRM", "setitimer", "fork", "getuid", "geteuid", "killpg"}
POSIX_ONLY |= {"setsid", "getpgid", "O_NOFOLLOW", "WIFSIGNALED", "WTERMSIG"}
POSIX_FILES = {"fsops/cli/supervision.py"}  # used only if there is `os.fork`
_GUARD = re.compile(
    r"os\.name|sys\.platform|hasattr|(except|suppress)\b.*(ImportError|AttributeError)"
)
POSIX_MODULES = {"fcntl", "grp", "pwd", "resource", "termios"}


def packages(extra, seen=()):
    """Return what an extra installs, with the extras that it names."""
    found = set()
    for requirement in PROJECT["optional-dependencies"][extra]:
        named = re.fullmatch(r"fsops\[(.*)\]", requirement)
        for other in named[1].split(",") if named else ():
            found |= packages(other, (*seen, extra)) if other not in seen else set()
        if not named:
            found.add(re.match(r"[\w-]+", requirement)[0].lower())
    return found


def test_there_is_one_version():
    assert "version" in PROJECT["dynamic"]
    assert version("fsops") == fsops.__version__


def test_all_brings_every_extra_for_users_and_no_tool_for_developers():
    users = PROJECT["optional-dependencies"].keys() - FOR_DEVELOPERS - {"all"}
    wanted = set().union(*map(packages, users))
    assert packages("all") == wanted
    assert wanted & {"pytest", "mypy", "ruff", "sphinx", "hypothesis"} == set()


def test_every_python_that_is_promised_is_named():
    lowest = int(PROJECT["requires-python"].removeprefix(">=3."))
    named = re.findall(r"Python :: 3\.(\d+)", "\n".join(PROJECT["classifiers"]))
    assert [int(minor) for minor in named] == [*range(lowest, 15)]


# --- other systems ------------------------------------------------------------------------------


def unguarded(file):
    """Return the lines that use what only POSIX systems have, without asking for the system.

    A use is guarded by a test of `os.name` or `sys.platform`, by `hasattr`, `except` or `suppress`.
    """
    text = file.read_text(encoding="utf-8")
    if not any(name in text for name in POSIX_ONLY | POSIX_MODULES):
        return
    tree, lines = ast.parse(text), text.splitlines()
    guards = [
        (node.lineno, node.end_lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.If | ast.IfExp | ast.Try | ast.With | ast.FunctionDef)
        and _GUARD.search("\n".join(lines[node.lineno - 1 : node.end_lineno]))
    ]
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [node.attr] if node.value.id in ("os", "signal") else []
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names if a.name in POSIX_MODULES]
        used = [name for name in names if name in POSIX_ONLY | POSIX_MODULES]
        if used and not any(first <= node.lineno <= last for first, last in guards):
            yield f"{file.relative_to(ROOT)}:{node.lineno} {used[0]}"


def test_what_only_posix_has_is_used_only_where_it_is():
    files = [*(ROOT / "fsops").rglob("*.py"), *(ROOT / "gui").rglob("*.py")]
    files = [file for file in files if file.relative_to(ROOT).as_posix() not in POSIX_FILES]
    assert [place for file in files for place in unguarded(file)] == []


def test_text_files_are_read_and_written_as_utf_8():
    calls = re.compile(r"\.(?:read_text|write_text)\((?!.*encoding)(?P<rest>[^\n]*)")
    found = [
        f"{file.relative_to(ROOT)}: {match[0]}"
        for file in (ROOT / "fsops").rglob("*.py")
        for match in calls.finditer(file.read_text(encoding="utf-8"))
        if not match["rest"].endswith("(")
    ]
    assert found == []
