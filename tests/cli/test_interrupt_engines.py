"""Ctrl-C in the middle of a loop, on every engine: soon over, nobody left behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

PROCESS = """<process version="fsops-1">
  <operator class="process" name="Slow">
    <process>
      <operator class="retrieve" name="Data">
        <parameter key="repository_entry" value="breast_cancer"/>
      </operator>
      <operator class="loop" name="Loop">
        <parameter key="iterations" value="100000"/>
        <process>
          <operator class="random_forest" name="Forest">
            <parameter key="number_of_trees" value="20"/>
          </operator>
          <connect from_port="input 1" to_op="Forest" to_port="examples"/>
          <connect from_op="Forest" from_port="weights" to_port="output 1"/>
        </process>
      </operator>
      <connect from_op="Data" from_port="examples" to_op="Loop" to_port="input 1"/>
      <connect from_op="Loop" from_port="output 1" to_port="result 1"/>
    </process>
  </operator>
</process>
"""


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize(
    "engine",
    [
        "serial",
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("threads", "processes", "dask")),
    ],
)
def test_ctrl_c_ends_the_run_soon_and_leaves_nobody_behind(engine, tmp_path, alive_in_session):
    file, events = tmp_path / "slow.xml", tmp_path / "events"
    file.write_text(PROCESS)
    command = [sys.executable, "-m", "fsops", "run", str(file), "--engine", engine, "--jobs", "2"]
    run = subprocess.Popen(
        [*command, "--cache", str(tmp_path / "cache"), "--events", str(events)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        iterations = '"done": 2'
        assert wait_for(lambda: events.exists() and iterations in events.read_text(), 60)
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to all of them
        # Two seconds are the goal (benchmarks/engines.py); here only that nothing hangs.
        _, told = run.communicate(timeout=60)
        assert run.returncode == 130, told
        assert "Traceback" not in told
        assert "Stopped" in told
        assert wait_for(lambda: not alive_in_session(run.pid), 60)
        assert any((tmp_path / "cache").glob("??/*"))  # what was done is kept
    finally:
        for pid in alive_in_session(run.pid):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize(("engine", "workers"), [("dask", 0), ("dask", 2), ("processes", 1)])
def test_ctrl_c_while_workers_start_prints_no_traceback(
    engine, workers, tmp_path, alive_in_session
):
    file = tmp_path / "slow.xml"
    file.write_text(PROCESS)
    command = [sys.executable, "-m", "fsops", "run", str(file), "--engine", engine, "--jobs", "2"]
    run = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        # The two first are the run and its parent; a helper starts before the workers.
        assert wait_for(lambda: len(alive_in_session(run.pid)) > 2 + workers, 60)
        os.killpg(run.pid, signal.SIGINT)
        _, told = run.communicate(timeout=60)
        assert run.returncode == 130, told
        assert "Traceback" not in told
        assert wait_for(lambda: not alive_in_session(run.pid), 60)
    finally:
        for pid in alive_in_session(run.pid):
            os.kill(pid, signal.SIGKILL)
