"""The command line on a system that is not POSIX, simulated: no such machine is at hand.

A program takes away everything that Windows does not have, and then runs commands. The static
checks are in `test_packaging.py`.
"""

import subprocess
import sys

import pytest

from fsops.examples import find_examples

WITHOUT_POSIX = """
import os, signal, sys, types

import joblib, lxml.etree, networkx, numpy, pandas, pyarrow, rich.console, scipy.stats, sklearn.svm, typer
import platformdirs  # these ask for the system when they are imported

MODULES = ("fcntl", "grp", "pwd", "resource", "termios")
NAMES = ("fork", "forkpty", "getuid", "geteuid", "getgid", "killpg", "setsid", "getpgid", "O_NOFOLLOW",
         "O_ASYNC", "WIFSIGNALED", "WTERMSIG", "wait", "waitpid", "sched_getaffinity", "mkfifo")
SIGNALS = ("SIGKILL", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGCHLD", "setitimer", "pthread_sigmask")
for name in MODULES:
    sys.modules[name] = None  # an import raises ImportError
for name in SIGNALS:
    delattr(signal, name)


class Os(types.ModuleType):
    \"\"\"The module `os` as Windows has it, for the modules of fsops only.\"\"\"

    name = "nt"

    def __getattr__(self, name):
        if name in NAMES:
            raise AttributeError(f"module 'os' has no attribute {name!r}")
        return getattr(os, name)


class ForFsops:
    \"\"\"Gives each module of fsops this `os` when it is imported.\"\"\"

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] != "fsops":
            return None
        from importlib.machinery import PathFinder

        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
            return spec
        run = spec.loader.exec_module

        def exec_module(module):
            real = sys.modules["os"]
            sys.modules["os"] = windows
            try:
                run(module)
            finally:
                sys.modules["os"] = real

        spec.loader.exec_module = exec_module
        return spec


windows = Os("os")
sys.meta_path.insert(0, ForFsops())
sys.platform = "win32"
from fsops.cli import main

sys.argv = ["fsops", *sys.argv[1:]]
main()
"""


def on_windows(*arguments, **options):
    command = [sys.executable, "-c", WITHOUT_POSIX, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("describe", "weight_by_sam"), id="describe"),
        pytest.param(("operators", "relief"), id="operators"),
        pytest.param(("data", "list"), id="data"),
        pytest.param(("plugins", "list"), id="plugins"),
        pytest.param(("examples",), id="examples"),
    ],
)
def test_commands_answer_without_posix(arguments):
    done = on_windows(*arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_a_process_runs_without_posix_and_gives_the_same_numbers(tmp_path):
    quickstart = find_examples("quickstart")[0].file
    done = on_windows("run", quickstart, "--out", "results", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "92.62 %" in done.stdout
    assert (tmp_path / "results" / "cross_validation.performance.json").is_file()


def test_the_simulation_really_lacks_posix(tmp_path):
    """The program above fails at a call that only POSIX has: else it would prove nothing."""
    probe = "from fsops.cli import supervision; assert not hasattr(supervision.os, 'fork'); import fcntl"
    program = WITHOUT_POSIX.replace("from fsops.cli import main\n", f"{probe}\n")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "import of fcntl halted" in done.stderr


def test_names_of_examples_do_not_depend_on_the_system():
    assert all("\\" not in example.name for example in find_examples())
