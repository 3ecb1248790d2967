"""A table larger than any worker, on a dask cluster: ``python benchmarks/cluster.py --size 6GB``.

Writes a folder of Parquet files, starts a scheduler and workers as processes of their own, each
limited to ``--limit`` bytes by the system (RLIMIT_DATA), and runs one process file on them: a
filter, a selection by MRMR, and a stability validation. It runs the process again and kills a
worker in the middle. Prints time, peak memory of each worker and the bytes that went over the
network, and exits with 1 if a goal is missed. The data is deleted at the end.

As root on Linux everything runs in a network namespace, so that no other traffic is counted.
"""

from __future__ import annotations

import argparse
import csv
import fcntl
import json
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from fsops.memory import parse_size, size_text

Floats = npt.NDArray[np.float64]
T = TypeVar("T")

MOST_MOVED = 0.01  # of the table
SAME = 1e-10
"""Largest difference from plain numpy: |t - t'| / max(1, |t|).

The statistic t counts standard errors. Near 0 it is a difference of two nearly equal means, so that
the relative error of t has no bound, although the means are right to the last digits.
"""
GROUP_BYTES = 32_000_000  # of a row group
FILE_GROUPS = 16  # row groups of a file
SELECTED, RESAMPLES = 10, 10
PORT = 8799
INSIDE = "FSOPS_BENCHMARK_NETWORK"

PROCESS = """<process version="fsops-1"><operator class="process" name="Large"><process>
<operator class="read_parquet" name="Read">
  <parameter key="path" value="{folder}"/><parameter key="streaming" value="true"/>
  <parameter key="label" value="class"/>
</operator>
<operator class="weight_by_welch_test" name="Filter">
  <parameter key="transformation" value="abs_statistic"/>
</operator>
<operator class="select_by_mrmr_cfs" name="MRMR">
  <parameter key="k" value="{selected}"/><parameter key="output" value="ranking"/>
</operator>
<operator class="feature_selection_stability_validation" name="Stability">
  <parameter key="iterations" value="{resamples}"/><parameter key="k" value="{selected}"/>
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


@dataclass
class Measured:
    """A run on the cluster."""

    seconds: float
    moved: int
    """Bytes over the network."""
    peaks: list[int]
    """Peak memory of each worker that lived to the end, in bytes."""
    results: dict[str, str]
    """The files with the results."""


# --- data -----------------------------------------------------------------------------------


def write_data(
    folder: Path, size: int, columns: int, seed: int = 1, group_bytes: int = GROUP_BYTES
) -> int:
    """Write two classes that differ in some attributes, and return the number of rows."""
    rng = np.random.default_rng(seed)
    shift = np.where(np.arange(columns) % 25 == 0, rng.normal(scale=0.2, size=columns), 0.0)
    schema = pa.schema([*((f"a{j}", pa.float64()) for j in range(columns)), ("class", pa.string())])
    rows = max(1, size // 8 // columns)
    group = max(1, min(rows, group_bytes // 8 // columns))
    folder.mkdir(parents=True, exist_ok=True)
    # Numbers are drawn once; each group of rows has its own order of them and its own labels.
    noise = rng.standard_normal((columns, 2 * group))
    noise[1::50] = 0.7 * noise[::50] + 0.3 * noise[1::50]
    starts = range(0, rows, group)
    for number in range(0, len(starts), FILE_GROUPS):
        file = folder / f"part{number // FILE_GROUPS:05d}.parquet"
        options = {"compression": "NONE", "use_dictionary": ["class"]}
        with pq.ParquetWriter(file, schema, **options) as writer:
            for start in starts[number : number + FILE_GROUPS]:
                n = min(group, rows - start)
                codes = rng.integers(0, 2, n)
                first = int(rng.integers(0, group))
                X = noise[:, first : first + n] + shift[:, None] * codes
                label = pa.array(np.array(["no", "yes"])[codes])
                batch = pa.record_batch([*map(pa.array, X), label], schema=schema)
                writer.write_table(pa.Table.from_batches([batch]), row_group_size=n)
    return rows


def welch_by_numpy(folder: Path, columns: int) -> Floats:
    """Return the absolute Welch statistic of each attribute, from plain sums of each row group."""
    count, total, squares = np.zeros(2), np.zeros((2, columns)), np.zeros((2, columns))
    for file in sorted(folder.iterdir()):
        with pq.ParquetFile(file) as opened:
            for number in range(opened.num_row_groups):
                group = opened.read_row_group(number)
                codes = np.array(group.column("class").to_pylist()) == "yes"
                X = np.array([group.column(j).to_numpy() for j in range(columns)])
                for c in (0, 1):
                    own = X[:, codes == bool(c)]
                    count[c] += own.shape[1]
                    total[c] += own.sum(axis=1)
                    squares[c] += (own * own).sum(axis=1)
    mean = total / count[:, None]
    variance = (squares - count[:, None] * mean**2) / (count[:, None] - 1)
    error = np.sqrt((variance / count[:, None]).sum(axis=0))
    statistic: Floats = np.abs(mean[1] - mean[0]) / error
    return statistic


# --- the cluster ----------------------------------------------------------------------------


@contextmanager
def cluster(
    workers: int, limit: int, log: Path, nice: int = 0
) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Start a scheduler and workers, each with so many bytes of memory; return its address."""
    address = f"tcp://127.0.0.1:{PORT}"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment |= {"MALLOC_ARENA_MAX": "2", "ARROW_DEFAULT_MEMORY_POOL": "system"}
    dask = [sys.executable, "-m", "dask"]

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        os.nice(nice)

    with log.open("ab") as output:
        started = [
            subprocess.Popen(
                [*dask, "scheduler", "--host", address, "--no-dashboard"],
                stdout=output, stderr=output, env=environment,
            )
        ]  # fmt: skip
        command = [*dask, "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        command += ["--memory-limit", str(limit), "--local-directory", str(log.parent)]
        for _ in range(workers):
            started.append(
                subprocess.Popen(
                    command,
                    stdout=output,
                    stderr=output,
                    env=environment,
                    preexec_fn=limited,  # noqa: PLW1509
                )
            )
        try:
            _wait_for_workers(address, workers)
            yield address, started[1:]
        finally:
            for process in started:
                process.terminate()
            for process in started:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=10)
                process.kill()


def _wait_for_workers(address: str, count: int) -> None:
    from distributed import Client

    with Client(address, timeout="600s", set_as_default=False) as client:
        client.wait_for_workers(count, timeout="600s")


def peak_of(process: subprocess.Popen[bytes]) -> int:
    """Return the peak memory of a running process."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def network_bytes() -> int:
    """Return the bytes that this machine has sent to itself."""
    lines = Path("/proc/net/dev").read_text(encoding="ascii").splitlines()
    line = next(line for line in lines if line.strip().startswith("lo:"))
    return int(line.partition(":")[2].split()[0])


def measured_run(
    process: Path, workers: int, limit: int, *, nice: int = 0, kill_after: float | None = None
) -> Measured:
    """Run a process file on a new cluster; kill a worker after some seconds if asked to."""
    out = Path(tempfile.mkdtemp(dir=process.parent))
    log = process.parent / "cluster.log"
    with cluster(workers, limit, log, nice) as (address, started):
        command = [sys.executable, "-m", "fsops", "run", str(process), "--out", str(out)]
        command += ["--scheduler", address, "--quiet", "--memory-limit", str(limit)]
        before, began = network_bytes(), time.perf_counter()
        if kill_after is not None:
            victim = started.pop()
            timer = threading.Timer(kill_after, victim.send_signal, [signal.SIGKILL])
            timer.start()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - began
        moved, peaks = network_bytes() - before, [peak_of(process) for process in started]
    results = {file.name: file.read_text(encoding="utf-8") for file in sorted(out.glob("*.csv"))}
    return Measured(seconds, moved, peaks, results)


# --- all together ---------------------------------------------------------------------------


def at_leisure(nice: int, function: Callable[..., T], *arguments: object) -> T:
    """Run a function in a separate process with this niceness, and return its result."""
    with ProcessPoolExecutor(1, initializer=os.nice, initargs=(nice,)) as pool:
        return pool.submit(function, *arguments).result()


def weights_in(text: str) -> dict[str, float]:
    """Return the weights in a result file, by attribute."""
    return {row["attribute"]: float(row["weight"]) for row in csv.DictReader(text.splitlines())}


def compare(folder: Path, columns: int, one: Measured, other: Measured, nice: int) -> list[str]:
    """Return what is wrong with the results."""
    faults = []
    if one.results != other.results:
        faults.append("The run in which a worker was killed has other results.")
    expected = at_leisure(nice, welch_by_numpy, folder, columns)
    found = weights_in(
        next(text for name, text in one.results.items() if name.startswith("filter"))
    )
    values = np.array([found[f"a{j}"] for j in range(columns)])
    # A statistic is a number of standard errors: 1e-10 of one is far below what rows can tell.
    worst = float((np.abs(values - expected) / np.maximum(expected, 1.0)).max())
    relative = float(np.abs(values / expected - 1).max())
    smallest = expected[np.abs(values / expected - 1).argmax()]
    print(
        f"Welch statistics differ from plain numpy by {worst:.1e} standard errors (relative to the "
        f"larger ones) at most; relative to each statistic by {relative:.1e}, at t = {smallest:.1e}"
    )
    if worst > SAME:
        faults.append(f"Welch statistics differ by {worst:.1e}.")
    return faults


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=parse_size, default=parse_size("6GB"))
    parser.add_argument("--columns", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", type=parse_size, default=parse_size("1GB"))
    parser.add_argument("--folder", type=Path, help="Where the data is written for the time.")
    parser.add_argument("--nice", type=int, default=0, help="Niceness of the heavy processes.")
    parser.add_argument("--json", type=Path, help="Also write the figures to this file.")
    options = parser.parse_args(arguments)
    free = shutil.disk_usage(options.folder or tempfile.gettempdir()).free
    if free < 2 * options.size:
        print(f"{size_text(free)} of disk are free, but {size_text(2 * options.size)} are needed.")
        return 1
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        return _measure(Path(temporary), options)


def _measure(folder: Path, options: argparse.Namespace) -> int:
    data = folder / "table"
    rows = at_leisure(options.nice, write_data, data, options.size, options.columns)
    table = 8 * rows * options.columns
    process = folder / "process.xml"
    text = PROCESS.format(folder=data, selected=SELECTED, resamples=RESAMPLES)
    process.write_text(text, encoding="utf-8")
    print(
        f"{rows:,} × {options.columns:,}, {size_text(table)}, {options.workers} workers", flush=True
    )
    quiet = measured_run(process, options.workers, options.limit, nice=options.nice)
    faults = [*_show("undisturbed", quiet, table, options.limit)]
    killed = measured_run(
        process, options.workers, options.limit, nice=options.nice, kill_after=quiet.seconds / 2
    )
    faults += _show("a worker killed", killed, table, options.limit)
    faults += compare(data, options.columns, quiet, killed, options.nice)
    if options.json is not None:
        runs = [{**asdict(run), "results": len(run.results)} for run in (quiet, killed)]
        about = {"rows": rows, "columns": options.columns, "workers": options.workers}
        options.json.write_text(json.dumps({**about, "runs": runs}, indent=1), encoding="utf-8")
    for fault in faults:
        print(f"MISSED: {fault}")
    return 1 if faults else 0


def _show(name: str, run: Measured, table: int, limit: int) -> Iterator[str]:
    peaks = ", ".join(size_text(peak) for peak in run.peaks)
    print(
        f"{name}: {run.seconds:.0f} s, {size_text(run.moved)} moved ({run.moved / table:.2%} of "
        f"the table), peak memory of the workers {peaks}",
        flush=True,
    )
    if run.moved > MOST_MOVED * table:
        yield f"{name}: {run.moved / table:.2%} of the table moved, goal {MOST_MOVED:.0%}."
    if max(run.peaks) > limit:
        yield f"{name}: a worker took {size_text(max(run.peaks))}."


def in_own_network() -> bool:
    """Return whether this process has a separate network, with nothing else on it."""
    if os.environ.get(INSIDE) != "1":
        return False
    up = struct.pack("16sh", b"lo", 1)
    with socket.socket() as opened:
        fcntl.ioctl(opened, 0x8914, up)  # SIOCSIFFLAGS
    return True


def run_in_own_network(program: Callable[[], int]) -> int:
    """Run a program, as root in a separate network, so that no other traffic is counted."""
    possible = os.geteuid() == 0 and shutil.which("unshare") is not None
    if in_own_network() or not possible:
        return program()
    command = ["unshare", "--net", sys.executable, *sys.argv]
    return subprocess.run(command, env={**os.environ, INSIDE: "1"}, check=False).returncode


if __name__ == "__main__":
    sys.exit(run_in_own_network(main))
