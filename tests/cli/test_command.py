"""The real command, as a shell starts it."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

FSOPS = Path(sys.executable).with_name("fsops")

pytestmark = pytest.mark.skipif(not FSOPS.exists(), reason="fsops is not installed as a command")


def run(*arguments, **options):
    return subprocess.run(
        [FSOPS, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        **options,
    )


def environment(**changes):
    return {**os.environ, **changes}


def test_a_run_from_start_to_end(small):
    result = run("run", small)
    assert result.returncode == 0
    assert "Weigh.weights" in result.stdout
    assert "\x1b" not in result.stdout + result.stderr


def test_a_failure_has_one_message_and_no_traceback(weighting):
    result = run("run", weighting("a,b,y\n1,2,p\n2,3,p\n"), "--quiet")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith("Error: Weigh: At least two classes")
    assert result.stderr.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    errors = tmp_path / "errors"
    shell = f"'{FSOPS}' operators 2>'{errors}' | head -1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "0"
    assert errors.read_text() == ""


def test_an_ascii_terminal_without_colours(small):
    plain = environment(
        LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii", NO_COLOR="1", TERM="dumb"
    )
    result = run("run", small, env=plain)
    assert result.returncode == 0
    assert result.stdout.isascii()
    assert "####" in result.stdout


def test_a_full_disk_is_told():
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [FSOPS, "operators"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode == 1
    assert "No space left on device" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such terminals")
def test_a_terminal_gets_bars_that_leave_nothing_behind(quickstart):
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [FSOPS, "run", str(quickstart)],
        stdout=subprocess.DEVNULL, stderr=theirs, env=environment(TERM="xterm", COLUMNS="100"),
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while part := os.read(ours, 10_000):
            seen += part
    os.close(ours)
    assert process.wait(timeout=60) == 0
    shown = seen.decode()
    assert "Checking the process" in shown
    assert "━" in shown
    last_bar = shown.rindex("━")
    assert "\x1b[2K" in shown[last_bar:]
    assert shown.rstrip().endswith("with seed 2001.\x1b[0m")


@pytest.mark.skipif(os.name == "nt", reason="signals work differently there")
def test_ctrl_c_stops_with_130(quickstart, tmp_path):
    arguments = ["run", str(quickstart), "--set", "Cross Validation.leave_one_out=true"]
    process = subprocess.Popen(
        [FSOPS, *arguments, "--out", str(tmp_path / "o")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not (line := process.stderr.readline()).startswith("Retrieve: done"):
        assert line, "it ended before it could be stopped"
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stdout == ""
    assert re.search(r"^Stopped: The run was stopped\. Written to .*/o\.$", stderr, re.M)
    assert "Traceback" not in stderr
    assert [file.name for file in (tmp_path / "o").iterdir()] == ["run.json"]
    assert json.loads((tmp_path / "o" / "run.json").read_text())["status"] == "cancelled"
