"""A run that does not come back is ended, and what was finished is kept."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsops.cli.supervision import Supervisor

PLUGIN = Path(__file__).parents[1] / "fixtures" / "plugins" / "hanging"
PROCESS = """<process version="fsops-1"><operator class="process" name="Hanging"><process>
<operator class="generate_data" name="Data"/>
<operator class="weight_by_correlation" name="Weights"/>
<operator class="hanging:hang" name="Hang"/>
<connect from_op="Data" from_port="examples" to_op="Weights" to_port="examples"/>
<connect from_op="Weights" from_port="weights" to_op="Hang" to_port="weights"/>
<connect from_op="Weights" from_port="weights" to_port="result 1"/>
<connect from_op="Hang" from_port="weights" to_port="result 2"/>
</process></operator></process>
"""
posix = pytest.mark.skipif(os.name != "posix", reason="there is no fork")


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@pytest.fixture
def start(tmp_path):
    """Return a function that starts ``fsops run`` and returns the program."""
    started = []

    def start_run(*options, way="python", process=PROCESS):
        file = tmp_path / "hanging.xml"
        file.write_text(process)
        settings = {**os.environ, "PYTHONPATH": str(PLUGIN), "TMPDIR": str(tmp_path / "temporary")}
        settings["FSOPS_CACHE"] = str(tmp_path / "usual cache")
        (tmp_path / "temporary").mkdir(exist_ok=True)
        given = [] if process is not PROCESS else ["--set", f"Hang.way={way}"]
        command = [sys.executable, "-m", "fsops", "run", str(file), *given, *options]
        run = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=settings,
            start_new_session=True,
        )
        started.append(run)
        return run

    yield start_run
    for run in started:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
        run.communicate()


def is_hanging(events):
    """Return whether the last operator has started."""
    return events.exists() and '"path": ["Hang"]' in events.read_text()


def check_end(run, tmp_path, code, status):
    printed, said = run.communicate(timeout=60)
    assert run.returncode == code, said
    assert "Traceback" not in said
    assert "Weights.weights" in said
    assert printed.startswith("Attribute weights")
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["status"] == status
    assert record["message"] in said
    assert [file["result"] for file in record["results"]] == ["Weights.weights"]
    assert (tmp_path / "out" / "weights.weights.csv").exists()
    last = json.loads((tmp_path / "events").read_text().splitlines()[-1])
    assert last["event"] == "run_ended"
    assert last["exit_code"] == code
    assert list((tmp_path / "temporary").glob("fsops-run-*")) == []
    return said


def options(tmp_path):
    return "--out", str(tmp_path / "out"), "--events", str(tmp_path / "events")


@posix
@pytest.mark.slow
@pytest.mark.parametrize("way", ["held", "ignoring"])
def test_the_time_limit_ends_an_operator_that_never_returns(start, tmp_path, way):
    run = start(*options(tmp_path), "--timeout", "8", way=way)
    assert wait_for(lambda: is_hanging(tmp_path / "events"))
    said = check_end(run, tmp_path, 124, "cancelled")
    assert "did not respond" in said


@posix
@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "way", "forced"),
    [
        (signal.SIGINT, "pattern", True),
        (signal.SIGTERM, "sleep", False),
        (signal.SIGHUP, "python", False),
    ],
)
def test_a_signal_ends_an_operator_that_never_returns(start, tmp_path, number, way, forced):
    run = start(*options(tmp_path), way=way)
    assert wait_for(lambda: is_hanging(tmp_path / "events"))
    run.send_signal(number)  # to one process only, as a batch system may do
    said = check_end(run, tmp_path, 128 + number, "cancelled")
    assert "did not respond" in said or not forced


@posix
@pytest.mark.slow
@pytest.mark.parametrize(("way", "code"), [("crash", 139), ("exit", 7)])
def test_a_crash_is_reported_and_costs_no_finished_result(start, tmp_path, way, code):
    run = start(*options(tmp_path), way=way)
    said = check_end(run, tmp_path, code, "crashed")
    assert ("SIGSEGV" in said) is (way == "crash")


@posix
@pytest.mark.slow
def test_a_killed_run_ends_with_its_parent(start, tmp_path, alive_in_session):
    run = start(*options(tmp_path), way="held")
    assert wait_for(lambda: is_hanging(tmp_path / "events"))
    assert len(alive_in_session(run.pid)) == 2
    run.kill()
    assert wait_for(lambda: not alive_in_session(run.pid))


@posix
@pytest.mark.slow
def test_what_an_operator_prints_does_not_reach_the_results(start):
    run = start(
        "--format", "json", process=PROCESS.replace("hanging:hang", "hanging:print_everywhere")
    )
    printed, said = run.communicate(timeout=60)
    assert [result["name"] for result in json.loads(printed)["results"]][1] == "Hang.weights"
    for source in ("print", "sys.__stdout__", "the descriptor", "C", "a program"):
        assert f"from {source}\n" in said


# --- the rules, without programs ------------------------------------------------------------


class Clock:
    """Time that a test sets."""

    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def supervisor(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("fsops.cli.supervision.time", clock)
    made = Supervisor(0, -1, -1)
    made.clock = clock
    return made


@posix
def test_without_a_request_nothing_is_killed(supervisor):
    supervisor.hear("running", "")
    assert supervisor._kill_at() == float("inf")


@posix
def test_a_signal_leaves_two_seconds(supervisor):
    supervisor.hear("running", "")
    supervisor._take_signal(signal.SIGTERM)
    assert supervisor._kill_at() == 102.0
    supervisor.clock.now = 101.0
    supervisor._take_signal(signal.SIGINT)  # impatience does not give it more time
    assert supervisor._kill_at() == 102.0


@posix
def test_the_time_limit_leaves_two_seconds(supervisor):
    supervisor.hear("deadline", "130.5 30")
    assert supervisor._kill_at() == 132.5


@posix
def test_cleaning_up_gets_more_time(supervisor):
    supervisor.hear("deadline", "130 30")
    supervisor._take_signal(signal.SIGINT)
    supervisor.clock.now = 101.5
    supervisor.hear("ended", "")
    assert supervisor._kill_at() == 111.5


@posix
def test_a_run_that_ended_in_time_may_write_as_long_as_it_takes(supervisor):
    supervisor.hear("deadline", "130 30")
    supervisor.clock.now = 120
    supervisor.hear("ended", "")
    assert supervisor._kill_at() == float("inf")


@posix
def test_a_signal_the_child_has_got_is_not_sent_again(supervisor):
    supervisor._take_signal(signal.SIGINT)
    assert supervisor._to_forward is not None
    supervisor.hear("stopping", str(int(signal.SIGINT)))
    assert supervisor._to_forward is None


@posix
def test_a_signal_the_child_was_first_to_report_is_not_sent_again(supervisor):
    supervisor.hear("stopping", str(int(signal.SIGINT)))
    supervisor.clock.now += 0.05
    supervisor._take_signal(signal.SIGINT)
    assert supervisor._to_forward is None
    supervisor.clock.now += 0.1  # another one
    supervisor._take_signal(signal.SIGINT)
    assert supervisor._to_forward is not None


def test_a_system_without_sigkill_ends_runs_and_names_signals(monkeypatch):
    from fsops.cli import supervision

    assert supervision._force() == signal.SIGKILL
    assert "(SIGKILL), perhaps for lack of memory" in supervision._crashed(9)
    monkeypatch.delattr(signal, "SIGKILL")  # as on Windows
    assert supervision._force() == signal.SIGTERM
    assert "(SIGSEGV)" in supervision._crashed(signal.SIGSEGV)
