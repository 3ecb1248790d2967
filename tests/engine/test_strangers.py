"""A cluster that others have started: real schedulers and workers, as processes of their own."""

import os
import resource
import shutil
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import fsops
from fsops import EngineSettings, ExampleSet, open_engine
from fsops.core.frame.engine import Iteration, IterationResult
from fsops.engine.engines import cluster as cluster_module, cluster_connection
from fsops.errors import OperatorFailed, UsageError

DASK = [sys.executable, "-m", "dask"]
MEMORY = 700_000_000
REPOSITORY = Path(__file__).parents[2]


def free_port():
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "waited for a minute"
        time.sleep(0.05)


@contextmanager
def started(*arguments, path=None, limit=None):
    """Start a program of dask; it is killed at the end."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment |= {} if path is None else {"PYTHONPATH": str(path)}

    def limited():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    process = subprocess.Popen(
        [*DASK, *map(str, arguments)],
        env=environment,
        cwd=path,  # python -m looks there first
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=limited,  # noqa: PLW1509
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def scheduler(address, *options):
    return started("scheduler", "--host", address, "--no-dashboard", *options)


def worker(address, folder, *options, **how):
    settings = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", folder)
    return started("worker", address, *settings, *options, **how)


@contextmanager
def asking_info(address, **security):
    from distributed import Client

    with Client(address, timeout="60s", set_as_default=False, **security) as client:
        yield client.scheduler_info


@contextmanager
def asking(address, **security):
    with asking_info(address, **security) as info:
        yield lambda: len(info()["workers"])


@pytest.fixture
def cluster(tmp_path):
    """Return the address of a scheduler, and functions that start a worker and count workers."""
    address = f"tcp://127.0.0.1:{free_port()}"
    with ExitStack() as stack:
        stack.enter_context(scheduler(address))
        count = stack.enter_context(asking(address))

        def join(options=(), **how):
            before = count()
            process = stack.enter_context(worker(address, tmp_path, *options, **how))
            wait_until(lambda: count() > before)
            return process

        yield address, join, count


def waiting(folder):
    """Return work whose iterations tell that they run, and wait until they may go on."""
    running, go = folder / "running", folder / "go"

    def work(iteration):  # a local function travels with its code
        running.touch()
        while not go.exists():
            time.sleep(0.05)
        return IterationResult(iteration.item**2)

    return work, running, go


def run_in_background(engine, work, count=4):
    """Return the thread and the results of a loop that an engine runs."""
    results, errors = {}, []

    def run():
        iterations = [Iteration(n, n, (n,), (n,)) for n in range(count)]
        try:
            engine.run(
                work, iterations, lambda t, r: results.update({t.number: r.value}), lambda: None
            )
        except Exception as error:  # noqa: BLE001 - looked at by the test
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results, errors


# --- versions -------------------------------------------------------------------------------


@pytest.mark.slow
def test_workers_that_do_not_fit_are_named(cluster, tmp_path):
    address, join, _ = cluster
    other, without = tmp_path / "other", tmp_path / "without"
    for folder, text in (
        (other, '__version__ = "0.0.1"'),
        (without, 'raise ModuleNotFoundError("fsops")'),
    ):
        (folder / "fsops").mkdir(parents=True)
        (folder / "fsops" / "__init__.py").touch()
        (folder / "fsops" / "version.py").write_text(text, encoding="utf-8")
    join()
    engine = open_engine("dask", EngineSettings(scheduler=address))
    try:
        # A worker that joins later and does not fit is reported, and not used.
        join(path=other)
        with pytest.warns(UserWarning, match=r"has fsops 0\.0\.1, but this program has .*not used"):
            assert engine._has_workers()
        assert len(engine._fitness.allowed()) == 1
    finally:
        engine.close()
    with pytest.raises(UsageError, match=r"The worker tcp://.* has fsops 0\.0\.1") as caught:
        open_engine("dask", EngineSettings(scheduler=address))
    assert "pip install fsops==" in caught.value.hint
    join(path=without)
    with pytest.raises(UsageError, match="fsops") as caught:
        open_engine("dask", EngineSettings(scheduler=address))
    assert "1 more do not fit" in caught.value.message


# --- joining, leaving, restarting -------------------------------------------------------------


@pytest.mark.slow
def test_workers_join_and_leave_during_a_run(cluster, tmp_path):
    address, join, count = cluster
    first = join()
    work, running, go = waiting(tmp_path)
    engine = open_engine("dask", EngineSettings(scheduler=address))
    try:
        thread, results, errors = run_in_background(engine, work)
        wait_until(running.exists)
        first.kill()
        wait_until(lambda: count() == 0)
        join()
        go.touch()
        thread.join()
        assert not errors
        assert results == {0: 0, 1: 1, 2: 4, 3: 9}
    finally:
        engine.close()


@pytest.mark.slow
def test_a_scheduler_may_restart_during_a_run(tmp_path, monkeypatch):
    address = f"tcp://127.0.0.1:{free_port()}"
    work, running, go = waiting(tmp_path)
    with ExitStack() as before:
        before.enter_context(scheduler(address))
        with asking(address) as count:
            before.enter_context(worker(address, tmp_path))
            wait_until(lambda: count() == 1)
        engine = open_engine("dask", EngineSettings(scheduler=address))
        thread, results, errors = run_in_background(engine, work)
        wait_until(running.exists)
    with ExitStack() as after:
        after.enter_context(scheduler(address))
        after.enter_context(worker(address, tmp_path))
        go.touch()
        thread.join()
        assert not errors
        assert results == {0: 0, 1: 1, 2: 4, 3: 9}
    monkeypatch.setattr(cluster_connection, "LOST_SECONDS", 1)
    monkeypatch.setattr(cluster_connection, "CONNECT_SECONDS", 1)
    thread, _, errors = run_in_background(engine, work)
    thread.join()
    engine.close()
    assert isinstance(errors[0], OperatorFailed)
    assert "did not come back within 1 seconds" in errors[0].message
    assert "--resume" in errors[0].hint


@pytest.mark.slow
def test_workers_that_stay_paused_for_lack_of_memory_end_the_run(cluster, tmp_path, monkeypatch):
    address, join, _ = cluster
    # A worker takes more than 60 MB before it computes anything, so dask pauses it.
    join(options=("--memory-limit", "60MB"))
    monkeypatch.setattr(cluster_connection, "LOST_SECONDS", 1)
    engine = open_engine("dask", EngineSettings(scheduler=address))
    try:
        with asking_info(address) as info:
            wait_until(lambda: [w["status"] for w in info()["workers"].values()] == ["paused"])
        thread, _, errors = run_in_background(engine, waiting(tmp_path)[0])
        thread.join()
        assert isinstance(errors[0], OperatorFailed)
        assert "All 1 workers of the cluster are paused" in errors[0].message
        assert "60 MB" in errors[0].message
        assert "--memory-limit" in errors[0].hint
    finally:
        engine.close()


@dataclass
class Waiting:
    """An engine whose workers pause and go on."""

    paused: bool = True

    def require_alive(self, check):
        pass

    def is_paused(self):
        return self.paused

    def paused_error(self):
        return OperatorFailed("paused")


def test_a_run_waits_for_workers_that_pause_only_for_a_while(monkeypatch):
    monkeypatch.setattr(cluster_module, "WATCH_SECONDS", -1.0)
    monkeypatch.setattr(cluster_connection, "LOST_SECONDS", 3600)
    engine = Waiting()
    watch = cluster_module.Watch(engine, lambda: None)
    watch()
    monkeypatch.setattr(cluster_connection, "LOST_SECONDS", -1)
    engine.paused = False
    watch()  # it has gone on, so the time before does not count
    engine.paused = True
    with pytest.raises(OperatorFailed, match="paused"):
        watch()


def test_results_come_from_the_workers_that_can_be_reached():
    reach = cluster_connection.Reach()
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        there = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        assert reach.all_of([there])
        assert not reach.all_of([there, f"tcp://127.0.0.1:{free_port()}"])
        assert not reach.all_of(["no address"])
    assert reach.all_of([there])  # each is tried once


# --- recipes of docs/running.md ---------------------------------------------------------------


def run_on(address):
    engine = open_engine("dask", EngineSettings(scheduler=address))
    try:
        results = {}
        iterations = [Iteration(n, n, (n,), (n,)) for n in range(3)]
        work = lambda iteration: IterationResult(iteration.item**2)  # noqa: E731 - travels with its code
        engine.run(work, iterations, lambda t, r: results.update({t.number: r.value}), lambda: None)
        return results
    finally:
        engine.close()


@pytest.mark.slow
def test_the_script_for_one_machine_starts_a_cluster_and_ends_it(tmp_path):
    port = free_port()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = subprocess.Popen(
        [REPOSITORY / "tools" / "local_cluster.sh", "2", "700MB", str(port)],
        env={**os.environ, "PATH": path},
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"tcp://127.0.0.1:{port}"
        with asking(address) as count:
            wait_until(lambda: count() == 2)
        assert run_on(address) == {0: 0, 1: 1, 2: 4}
    finally:
        script.terminate()
        assert script.wait(60) == 130
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1)


def test_the_script_for_one_machine_needs_dask(tmp_path):
    result = subprocess.run(
        ["/bin/sh", REPOSITORY / "tools" / "local_cluster.sh"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert "pip install" in result.stderr


SBATCH = """#!/bin/sh
# Runs a job at once, as SLURM would on another machine.
sh "$1" >/dev/null 2>&1 &
echo $! >> "{folder}/jobs"
echo "Submitted batch job $!"
"""


@pytest.mark.slow
def test_the_recipe_for_slurm(tmp_path, monkeypatch):
    pytest.importorskip("dask_jobqueue")
    text = (REPOSITORY / "docs" / "running.md").read_text(encoding="utf-8")
    recipe = text.partition("**SLURM**")[2].partition("```text\n")[2].partition("```")[0]
    recipe = recipe.partition("print(cluster")[0].replace("jobs=20", "jobs=1")
    home, bin = tmp_path / "home", tmp_path / "bin"
    (home / "venv" / "bin").mkdir(parents=True)
    (home / "venv" / "bin" / "activate").touch()
    bin.mkdir()
    for name, content in (("sbatch", SBATCH), ("scancel", '#!/bin/sh\nkill "$1"\n')):
        (bin / name).write_text(content.format(folder=tmp_path), encoding="utf-8")
        (bin / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__DASHBOARD__ENABLED", "false")
    names = {}
    exec(recipe, names)  # noqa: S102 - the text of our page
    cluster = names["cluster"]
    try:
        assert "#SBATCH --mem=4G" in cluster.job_script()
        assert "export OMP_NUM_THREADS=1" in cluster.job_script()
        with asking(cluster.scheduler_address) as count:
            wait_until(lambda: count() == 1)
        assert run_on(cluster.scheduler_address) == {0: 0, 1: 1, 2: 4}
    finally:
        cluster.close()


# --- certificates -----------------------------------------------------------------------------


def test_an_address_with_tls_needs_certificates(tmp_path):
    settings = EngineSettings(scheduler="tls://127.0.0.1:8786", tls_ca="authority.pem")
    with pytest.raises(UsageError, match="tls_cert and tls_key are not set") as caught:
        open_engine("dask", settings)
    assert "[engine]" in caught.value.hint
    files = {"tls_ca": "a.pem", "tls_cert": "b.pem", "tls_key": "c.pem"}
    with pytest.raises(UsageError, match=r'There is no file "a\.pem"'):
        open_engine("dask", EngineSettings(scheduler="tls://127.0.0.1:8786", **files))


def make_certificate(folder):
    """Write a certificate that signs itself, and its key; all sides use the same one."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    options = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command = ["openssl", "req", *options, "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_a_cluster_with_certificates(tmp_path, monkeypatch):
    from distributed.security import Security

    certificate, key = make_certificate(tmp_path)
    address = f"tls://127.0.0.1:{free_port()}"
    tls = ("--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key)
    security = Security(
        tls_ca_file=str(certificate), tls_client_cert=str(certificate), tls_client_key=str(key)
    )
    config = tmp_path / "config.toml"
    config.write_text(
        f'[engine]\ntls_ca = "{certificate}"\ntls_cert = "{certificate}"\ntls_key = "{key}"\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("FSOPS_CONFIG", str(config))
    process = write_large_table(tmp_path, rows=2000)
    with ExitStack() as stack:
        stack.enter_context(scheduler(address, *tls))
        count = stack.enter_context(asking(address, security=security))
        stack.enter_context(worker(address, tmp_path, *tls))
        wait_until(lambda: count() == 1)
        outcome = fsops.run(process, scheduler=address, memory_limit=2_000_000)
        assert len(outcome[0].values) == 100
        # The same scheduler without certificates.
        with pytest.raises(UsageError, match="does not answer"):
            open_engine("dask", EngineSettings(scheduler=address.replace("tls", "tcp")))


# --- a table larger than the workers ----------------------------------------------------------

PROCESS = """<process version="fsops-1"><operator class="process" name="Large"><process>
<operator class="read_parquet" name="Read">
  <parameter key="path" value="table"/>
</operator>
<operator class="weight_by_welch_test" name="Filter">
  <parameter key="transformation" value="abs_statistic"/></operator>
<operator class="select_by_mrmr_cfs" name="MRMR">
  <parameter key="k" value="5"/><parameter key="output" value="ranking"/></operator>
<operator class="feature_selection_stability_validation" name="Stability">
  <parameter key="iterations" value="4"/><parameter key="k" value="5"/>
  <process><operator class="weight_by_sam" name="SAM"/>
  <connect from_port="examples" to_op="SAM" to_port="examples"/>
  <connect from_op="SAM" from_port="weights" to_port="weights"/></process>
</operator>
<connect from_op="Read" from_port="examples" to_op="Filter" to_port="examples"/>
<connect from_op="Read" from_port="examples" to_op="MRMR" to_port="examples"/>
<connect from_op="Read" from_port="examples" to_op="Stability" to_port="examples"/>
<connect from_op="Filter" from_port="weights" to_port="result 1"/>
<connect from_op="MRMR" from_port="weights" to_port="result 2"/>
<connect from_op="Stability" from_port="weights" to_port="result 3"/>
</process></operator></process>
"""


def write_large_table(folder, rows):
    """Write a table of 100 attributes in two files, and the process for it."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, rows)
    X = rng.normal(size=(rows, 100)) + np.outer(codes, rng.normal(scale=0.1, size=100))
    X[:, 1::10] = 0.7 * X[:, ::10] + 0.3 * X[:, 1::10]
    table = ExampleSet.from_numpy(X, [("no", "yes")[code] for code in codes])
    (folder / "table").mkdir()
    for number, part in enumerate(np.array_split(np.arange(rows), 2)):
        file = folder / "table" / f"{number}.parquet"
        pq.write_table(table.take(part).to_arrow(), file, row_group_size=rows // 20)
    process = folder / "process.xml"
    process.write_text(PROCESS, encoding="utf-8")
    return process


@pytest.mark.slow
def test_a_large_table_stays_where_it_is_and_a_worker_may_die(cluster, tmp_path):
    address, join, count = cluster
    process = write_large_table(tmp_path, rows=75_000)  # 60 MB
    join(limit=MEMORY)
    victim = join(limit=MEMORY)
    loaded = fsops.run(process)

    from fsops.runs.run import Run

    def listener(event):
        if type(event).__name__ == "Started" and event.path[-1] == "Stability":
            victim.kill()

    options = fsops.RunOptions(scheduler=address, memory_limit=20_000_000)
    outcome = Run(process, options).execute(listener=listener)
    assert victim.wait() != 0
    wait_until(lambda: count() == 1)
    for mine, theirs in zip(outcome, loaded, strict=True):
        assert mine.values == pytest.approx(theirs.values, rel=1e-10, abs=1e-12)
    assert outcome[1].values.tolist() == loaded[1].values.tolist()
    assert outcome[2].values.tolist() == loaded[2].values.tolist()
