"""Cost model of tables in files, and a check of it: ``python benchmarks/scale.py``.

Measures in one process what a byte of a table costs (reading, moments, moments of resamples,
products), predicts CPU time and bytes sent of ``benchmarks/cluster.py``'s process at three sizes on
one and two workers, and runs it there. CPU time hardly depends on what else the machine does.
Prints the tables of docs/scale.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import cluster as benchmark

from fsops.algorithms.filters.streaming import AT_ONCE
from fsops.core.frame.context import Context
from fsops.core.frame.services import Services
from fsops.data.pass_costs import TableSize, Traffic, moments_traffic, products_traffic
from fsops.data.statistics import GroupMoments, ProductSums, SetMoments
from fsops.data.streamed import StreamedExampleSet
from fsops.data.taken_rows import TakenRows
from fsops.memory import size_text
from fsops.operators import read_parquet

SETS, SELECTED = benchmark.RESAMPLES, benchmark.SELECTED
SIZES = ("100MB", "200MB", "400MB")
COLUMNS = 500
LIMIT = 700_000_000
# The check runs with small tables and a small limit, so its row groups must be small, too: as in a
# large run, a row group fits into a block (an eighth of the limit).
CHECK_LIMIT, CHECK_GROUP = 40_000_000, 4_000_000
CALIBRATION = "25MB"  # the smallest table that stays in its file: its run gives the fixed costs
PASSES_OF_MRMR = 2  # for the redundancy of 10 attributes, if the likely ones are selected
CLIENT_BYTES = 300_000  # a run of dask sends for itself


@dataclass(frozen=True)
class Constants:
    """CPU seconds for a gigabyte of doubles."""

    read: float
    moments: float
    set_moments: float
    """For each resample."""
    products: float
    """With eight attributes."""


@dataclass(frozen=True)
class Cost:
    """What a step costs in all."""

    read: float
    """Bytes read."""
    moved: Traffic
    flops: float
    seconds: float
    """CPU time of all workers."""


def measured_constants(folder: Path, group: int, limit: int | None = None) -> Constants:
    """Measure on a table of 100 MB with row groups of a size, the second time that each is done."""
    benchmark.write_data(folder, 100_000_000, COLUMNS, group_bytes=group)
    services = Services()
    services.memory_limit = limit
    ctx = Context(services=services)
    table = read_parquet(path=str(folder), label="class", streaming=True, ctx=ctx)
    assert isinstance(table, StreamedExampleSet)
    codes, gigabytes = table.class_codes()[0], 8e-9 * len(table) * COLUMNS
    moments = GroupMoments(codes, 2)
    rows = [np.flatnonzero(np.arange(len(table)) % SETS != n) for n in range(SETS)]
    sets = SetMoments(codes, 2, [TakenRows.of(own, len(table)) for own in rows])
    mean = table.moments().mean.mean(axis=0)
    names = table.schema.regular_names[:AT_ONCE]
    products = ProductSums(mean, names, mean[:AT_ONCE])

    def blocks(also: Sequence[str] = ()) -> list[float]:
        return [float(len(b.values)) for b in table.blocks_of(table.pieces(1), also)]

    read = _seconds(blocks)
    return Constants(
        read / gigabytes,
        (_seconds(lambda: table._pass(moments, None)) - read) / gigabytes,
        (_seconds(lambda: table._pass(sets, None)) - read) / gigabytes / SETS,
        (_seconds(lambda: table._pass(products, None, also=names)) - read) / gigabytes,
    )


def _seconds(function: Callable[[], object]) -> float:
    """Return the CPU time, the less of two."""
    times = []
    for _ in range(2):
        began = time.process_time()
        function()
        times.append(time.process_time() - began)
    return min(times)


def filter_cost(size: TableSize, of: Constants) -> Cost:
    """Return the cost of a filter made of moments."""
    seconds = 1e-9 * size.bytes * (of.read + of.moments)
    return Cost(size.bytes, moments_traffic(size), 4 * size.bytes / 8, seconds)


def mrmr_cost(size: TableSize, of: Constants, passes: int = PASSES_OF_MRMR) -> Cost:
    """Return the cost of MRMR by correlation; further passes fetch eight attributes each."""
    first = filter_cost(size, of)
    seconds = first.seconds + 1e-9 * size.bytes * passes * (of.read + of.products)
    moved = first.moved + products_traffic(size, AT_ONCE * passes, passes)
    flops = first.flops + 2 * AT_ONCE * passes * size.bytes / 8
    return Cost((1 + passes) * size.bytes, moved, flops, seconds)


def resampled_cost(size: TableSize, of: Constants, sets: int = SETS) -> Cost:
    """Return the cost of an ensemble or a stability validation of a filter."""
    together = max(1, 10**9 // 64 // (40 * size.attributes))
    passes = -(-sets // together)
    seconds = 1e-9 * size.bytes * (passes * of.read + sets * of.set_moments)
    moved = moments_traffic(size, sets, passes)
    return Cost(passes * size.bytes, moved, 4 * sets * size.bytes / 8, seconds)


STEPS: dict[str, Callable[[TableSize, Constants], Cost]] = {
    "filter": filter_cost,
    "MRMR, k = 10": mrmr_cost,
    "ensemble or stability, 10 resamples": resampled_cost,
}


def cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    """Return the CPU time that a process has used."""
    text = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii")
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def measured_run(folder: Path, workers: int) -> tuple[float, int]:
    """Return the CPU seconds of the workers and the bytes sent."""
    process = folder / "process.xml"
    text = benchmark.PROCESS.format(folder=folder / "table", selected=SELECTED, resamples=SETS)
    process.write_text(text, encoding="utf-8")
    with benchmark.cluster(workers, LIMIT, folder / "cluster.log") as (address, started):
        command = [sys.executable, "-m", "fsops", "run", str(process), "--scheduler", address]
        command += ["--quiet", "--memory-limit", str(CHECK_LIMIT), "--out", str(folder / "out")]

        def run() -> None:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

        run()  # the first run imports
        cpu, network = sum(map(cpu_seconds, started)), benchmark.network_bytes()
        run()
        return (
            sum(map(cpu_seconds, started)) - cpu,
            benchmark.network_bytes() - network,
        )


def check(of: Constants) -> None:
    """Print predicted and measured costs at three sizes on one and two workers."""
    fixed = {workers: _fixed_seconds(of, workers) for workers in (1, 2)}
    print(f"CPU seconds of a run beside its passes: {fixed[1]:.1f}; two workers {fixed[2]:.1f}\n")
    print("| table | workers | CPU predicted | CPU measured | sent, predicted | sent, measured |")
    print("|---|---|---|---|---|---|")
    for text in SIZES:
        for workers in (1, 2):
            size, seconds, moved, cpu, sent = _compared(text, of, workers)
            print(
                f"| {size_text(size.bytes)} | {workers} | {fixed[workers] + seconds:.1f} s | "
                f"{cpu:.1f} s | {size_text(moved)} | {size_text(sent)} |",
                flush=True,
            )


def _fixed_seconds(of: Constants, workers: int) -> float:
    """Return the CPU time of a run on a small table, less that of its passes."""
    _, seconds, _, cpu, _ = _compared(CALIBRATION, of, workers)
    return max(0.0, cpu - seconds)


def _compared(text: str, of: Constants, workers: int) -> tuple[TableSize, float, int, float, int]:
    """Return the size, and CPU and bytes sent: as predicted for the passes, and as measured."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wanted = benchmark.parse_size(text)
        rows = benchmark.write_data(folder / "table", wanted, COLUMNS, group_bytes=CHECK_GROUP)
        size = TableSize(rows, COLUMNS)
        costs = [cost(size, of) for cost in STEPS.values()]
        moved = CLIENT_BYTES + sum(cost.moved.bytes(workers) for cost in costs)
        return size, sum(cost.seconds for cost in costs), moved, *measured_run(folder, workers)


def predict(of: Constants) -> None:
    """Print the costs of large tables on many workers."""
    print("\n| table | step | read | flops | CPU | workers | each reads | sent | time |")
    print("|---|---|---|---|---|---|---|---|---|")
    for size in (TableSize(10**6, 10**5), TableSize(10**8, 10**5)):
        for name, step in STEPS.items():
            cost = step(size, of)
            for workers in (10, 100, 1000):
                print(
                    f"| {size.rows:.0e} × {size.attributes:.0e} | {name} | {_text(cost.read)} | "
                    f"{cost.flops:.1e} | {cost.seconds / 3600:.2g} h | {workers:,} | "
                    f"{_text(cost.read / workers)} | {_text(cost.moved.bytes(workers))} | "
                    f"{_duration(cost.seconds / workers)} |"
                )


def _text(size: float) -> str:
    return f"{size / 1e12:,.3g} TB" if size >= 1e12 else size_text(size)


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, check and predict."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-check", action="store_true", help="Only measure and predict.")
    options = parser.parse_args(arguments)
    if not options.no_check:
        check(_shown(CHECK_GROUP, CHECK_LIMIT))
    predict(_shown(benchmark.GROUP_BYTES, None))
    return 0


def _shown(group: int, limit: int | None) -> Constants:
    """Measure the constants for row groups of a size, and print them."""
    with tempfile.TemporaryDirectory() as temporary:
        of = measured_constants(Path(temporary) / "table", group, limit)
    load = os.getloadavg()[0]
    print(
        f"\nCPU seconds per GB, row groups of {size_text(group)} (load {load:.0f}): reading "
        f"{of.read:.2f}, moments {of.moments:.2f}, moments of a resample {of.set_moments:.3f}, "
        f"products with 8 attributes {of.products:.2f}\n"
    )
    return of


if __name__ == "__main__":
    sys.exit(benchmark.run_in_own_network(main))
