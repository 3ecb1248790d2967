"""Signals before, during and after the work of a command."""

import os
import signal
import subprocess
import sys

import pytest

from fsops.cli import signals
from fsops.cli.signals import MOMENT, Signals

INTERRUPTED = "Stopped: The command was interrupted.\n"


class Clock:
    """Time that a test sets."""

    now = 100.0

    def monotonic(self):
        return self.now


class Exited(BaseException):
    """Takes the place of the end of the process."""


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(signals, "time", clock)
    return clock


@pytest.fixture
def command(monkeypatch, clock):
    def exit_now(code):
        raise Exited(code)

    monkeypatch.setattr(os, "_exit", exit_now)
    return Signals()


def code_after(command, number=signal.SIGINT):
    """Return the exit code of a signal that ends the process at once."""
    with pytest.raises(Exited) as end:
        command.handle(number, None)
    return end.value.args[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_before_the_work_a_signal_ends_the_process_at_once(command, capfd, number):
    assert code_after(command, number) == 128 + number
    assert capfd.readouterr().err == INTERRUPTED


def test_the_work_is_interrupted_once_and_has_a_moment_to_end(command, clock, capfd):
    command.begin_work()
    with pytest.raises(KeyboardInterrupt):
        command.handle(signal.SIGINT, None)
    assert command.has_interrupted
    clock.now += 0.9 * MOMENT
    command.handle(signal.SIGINT, None)
    assert capfd.readouterr().err == ""
    clock.now += 0.2 * MOMENT
    assert code_after(command) == 130
    assert capfd.readouterr().err == INTERRUPTED


def test_after_the_work_a_signal_leaves_the_exit_code(command, clock, capfd):
    command.begin_work()
    assert command.end_work(3) == 3
    command.handle(signal.SIGINT, None)
    assert not command.has_interrupted
    clock.now += 1.1 * MOMENT
    assert code_after(command) == 3
    assert capfd.readouterr().err == ""


def test_signals_that_are_ignored_stay_ignored(command):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        command.take([signal.SIGINT])
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


# --- in programs --------------------------------------------------------------------------------

# Sends itself Ctrl-C each time a certain module is about to be loaded.
PROGRAM = """
import os, signal, sys
modules, arguments = sys.argv[1].split(","), sys.argv[2:]
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name in modules:
            modules.remove(name)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.argv[1:] = arguments
from fsops.cli import main
main()
"""


def interrupted_at(modules, *arguments):
    """Return the exit code and the messages of a command interrupted while these modules load."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, modules, *arguments],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return run.returncode, run.stderr


@pytest.fixture
def process(tmp_path):
    file = tmp_path / "process.xml"
    file.write_text('<process version="fsops-1"><operator class="process"><process/></operator></process>')  # fmt: skip
    return str(file)


posix = pytest.mark.skipif(os.name != "posix", reason="os.kill ends a program there")


@posix
@pytest.mark.parametrize("module", ["typer", "numpy", "fsops.runs.run", "fsops.engine.executor"])
def test_ctrl_c_while_a_run_loads_modules_is_one_sentence(process, module):
    assert interrupted_at(module, "run", process) == (130, INTERRUPTED)


@posix
@pytest.mark.parametrize(
    "modules",
    [
        "typer",
        "fsops.plugins.manager",
        # The second one comes while the first, or an error, is reported.
        "fsops.plugins.manager,rich.console",
        "fsops.plugins.manager,rich.console,rich.themes",
        "rich.console",
    ],
)
def test_ctrl_c_while_a_command_loads_modules_is_one_sentence(modules):
    assert interrupted_at(modules, "describe", "no operator") == (130, INTERRUPTED)
