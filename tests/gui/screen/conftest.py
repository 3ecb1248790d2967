"""A screen without a monitor, and somebody with mouse and keyboard in front of it."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("program.py")
PATIENCE = int(os.environ.get("FSOPS_PATIENCE", "90"))
"""Seconds until a condition must hold; the machine may be busy."""
TOOLS = ("Xvfb", "xdotool")


@pytest.fixture(scope="session")
def display():
    """Return the name of a screen that only these tests use."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"a real window needs an X server and events: there is no {missing[0]}")
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1366x900x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        server.kill()
        pytest.skip("the X server does not start here")
    yield f":{number}"
    server.terminate()
    server.wait(PATIENCE)


class Person:
    """Uses the designer with mouse and keyboard, and looks at the screen."""

    def __init__(self, display, folder, *files):
        self.environment = {
            **os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "HOME": str(folder),
            "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_CACHE_HOME": str(folder / "cache"), "QT_SCALE_FACTOR": "1",
        }  # fmt: skip
        self.errors = open(folder / "errors.txt", "a+")  # noqa: SIM115 - closed with the program
        self.program = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(folder), *map(str, files)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env=self.environment, cwd=folder,
        )  # fmt: skip
        self.wait("w.isVisible() and QApplication.activeWindow() is not None")

    # --- looking ----------------------------------------------------------------------------

    def look(self, expression):
        """Return the value of an expression in the program."""
        self.program.stdin.write(expression.replace("\n", " ") + "\n")
        self.program.stdin.flush()
        text = self.program.stdout.readline()
        assert text, f"the program has ended: {self.complaints()}"
        return json.loads(text)

    def wait(self, expression):
        """Wait until an expression is true; return its value."""
        end, value = time.monotonic() + PATIENCE, None
        while time.monotonic() < end:
            value = self.look(expression)
            if value and not (isinstance(value, dict) and "error" in value):
                return value
            time.sleep(0.03)
        raise AssertionError(f"{expression} is still {value}. {self.complaints()}")

    def place(self, expression):
        """Return the point of an expression, once nothing moves it any more."""
        before, here = None, self.wait(expression)
        while here != before:
            time.sleep(0.1)
            before, here = here, self.wait(expression)
        return here

    def complaints(self):
        """Return the last of what the program has written to standard error."""
        self.errors.seek(0)
        return self.errors.read()[-2000:]

    # --- mouse and keyboard -----------------------------------------------------------------

    def _send(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.environment, check=True, timeout=60)

    def click(self, place, *, times=1, held=""):
        """Click where an expression says."""
        x, y = self.place(place)
        keys = ["keydown", held] if held else []
        ends = ["keyup", held] if held else []
        self._send("mousemove", x, y, *keys, "click", "--repeat", times, "--delay", 40, 1, *ends)

    def drag(self, start, end):
        """Press at one place, go to another in steps, and let go."""
        (x, y), (to_x, to_y) = self.place(start), self.place(end)
        steps = []
        for part in (0.1, 0.4, 0.7, 0.95, 1.0):
            steps += ["mousemove", round(x + part * (to_x - x)), round(y + part * (to_y - y))]
            steps += ["sleep", 0.03]
        self._send("mousemove", x, y, "mousedown", 1, *steps, "mouseup", 1)

    def type(self, text):
        """Type a text where the keyboard is."""
        self._send("type", "--delay", 15, text)

    def press(self, *keys):
        """Press keys one after the other, such as ``ctrl+z``."""
        self._send("key", "--delay", 30, *keys)

    # --- the end ----------------------------------------------------------------------------

    def kill(self):
        """End the program at once, as a power cut does."""
        self.program.kill()
        self._close()

    def _close(self):
        self.program.wait(PATIENCE)
        self.program.stdin.close()
        self.program.stdout.close()
        assert "Traceback" not in self.complaints(), self.complaints()
        self.errors.close()


@pytest.fixture
def somebody(display, tmp_path):
    """Return a function that puts somebody in front of a designer; all are sent away at the end."""
    people = []

    def sit_down(*files):
        people.append(Person(display, tmp_path, *files))
        return people[-1]

    yield sit_down
    for person in people:
        if person.program.poll() is None:
            person.kill()
