"""Filters over a table larger than the memory limit: ``python benchmarks/streaming.py``.

Writes a Parquet file of 4 GB to a temporary folder, filters it with ``fsops run --memory-limit
1GB`` in a process of its own, and compares time, memory and results with reading the file and
with a computation by plain numpy. Leaves with 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

Floats = npt.NDArray[np.float64]

LIMIT, MOST_MEMORY, MOST_TIME, SAME = "1GB", 1.5e9, 1.5, 1e-10
COLUMNS, CHUNK, SELECTED = 500, 25_000, 10
ROUNDS = 2  # times are the best of so many, taken in turns

READING = """
import sys, pyarrow.parquet as pq
with pq.ParquetFile(sys.argv[1]) as file:
    names = file.schema_arrow.names
    rows = file.metadata.row_group(0).num_rows
    width = max(1, int(125e6 / 8 / rows))  # no more at once than fsops reads, in columns or groups
    for group in range(file.num_row_groups):
        for first in range(0, len(names), width):
            file.read_row_group(group, columns=names[first : first + width])
"""
PROCESS = """<process version="fsops-1"><operator class="process" name="Streaming"><process>
<operator class="read_parquet" name="Read">
  <parameter key="parquet_file" value="{file}"/><parameter key="streaming" value="true"/>
  <parameter key="label" value="class"/>
</operator>
<operator class="{key}" name="Weigh"/>
<connect from_op="Read" from_port="examples" to_op="Weigh" to_port="examples"/>
<connect from_op="Weigh" from_port="weights" to_port="result 1"/>
</process></operator></process>
"""


@dataclass
class Run:
    """What a process of its own took."""

    seconds: float
    cpu: float
    memory: int
    """Peak, in bytes."""


def measured(*command: str) -> Run:
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command[:4])} left with {child.returncode}")
    seconds = time.perf_counter() - began
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def write_data(file: Path, rows: int, group_rows: int) -> None:
    """Write two classes, a few attributes of which tell them apart, some of which are alike."""
    rng = np.random.default_rng(1)
    shift = np.where(np.arange(COLUMNS) % 25 == 0, rng.normal(scale=0.2, size=COLUMNS), 0.0)
    names = [f"a{j}" for j in range(COLUMNS)]
    schema = pa.schema([*((name, pa.float64()) for name in names), ("class", pa.string())])
    options = {"use_dictionary": ["class"]}
    with pq.ParquetWriter(file, schema, **options) as writer:
        for start in range(0, rows, group_rows):
            parts = []
            for first in range(start, min(rows, start + group_rows), CHUNK):
                n = min(CHUNK, rows - first, start + group_rows - first)
                codes = rng.integers(0, 2, n)
                X = rng.standard_normal((COLUMNS, n)) + shift[:, None] * codes
                X[1::50] = 0.7 * X[::50] + 0.3 * X[1::50]
                label = pa.array(np.array(["no", "yes"])[codes])
                parts.append(pa.record_batch([*map(pa.array, X), label], schema=schema))
            writer.write_table(pa.Table.from_batches(parts), row_group_size=group_rows)


def expected(file: Path) -> tuple[Floats, list[int]]:
    """Return SAM's weights and the attributes MRMR selects, by plain numpy in chunks."""
    count, total, squares = np.zeros(2), np.zeros((2, COLUMNS)), np.zeros((2, COLUMNS))
    products = np.zeros((COLUMNS, COLUMNS))
    with pq.ParquetFile(file, pre_buffer=False, buffer_size=2**18) as opened:
        for batch in opened.iter_batches(CHUNK):
            X = np.stack([column.to_numpy() for column in batch.columns[:-1]], axis=1)
            yes = np.array(batch.column("class").to_pylist()) == "yes"
            products += X.T @ X
            for c, rows in enumerate((X[~yes], X[yes])):
                count[c] += len(rows)
                total[c] += rows.sum(axis=0)
                squares[c] += (rows**2).sum(axis=0)
    n, means = count.sum(), total / count[:, None]
    within = (squares - count[:, None] * means**2).sum(axis=0)
    error = np.sqrt(within * (1 / count).sum() / (n - 2))
    sam = np.abs((means[1] - means[0]) / (error + 0.1))
    mean = total.sum(axis=0) / n
    relevance = (count[:, None] * (means - mean) ** 2).sum(axis=0) * (n - 2) / within
    covariance = products - n * np.outer(mean, mean)
    length = np.sqrt(np.diag(covariance))
    alike = np.abs(covariance / np.outer(length, length))
    chosen = [int(relevance.argmax())]
    while len(chosen) < SELECTED:
        score = relevance / np.maximum(alike[:, chosen].mean(axis=1), 1e-6)
        score[chosen] = -np.inf
        chosen.append(int(score.argmax()))
    return sam, chosen


def weights_in(folder: Path) -> dict[str, float]:
    (file,) = folder.glob("*.csv")
    with file.open(newline="", encoding="utf-8") as stream:
        return {row["attribute"]: float(row["weight"]) for row in csv.DictReader(stream)}


def filtered(folder: Path, data: Path, key: str, *options: str) -> tuple[Run, Floats]:
    process, out = folder / f"{key}.xml", folder / f"{key}.out"
    process.write_text(PROCESS.format(file=data, key=key), encoding="utf-8")
    shutil.rmtree(out, ignore_errors=True)
    fsops = (sys.executable, "-m", "fsops.cli", "run", str(process), "--out", str(out), "--quiet")
    run = measured(*fsops, "--memory-limit", LIMIT, *options)
    found = weights_in(out)
    return run, np.array([found[f"a{j}"] for j in range(COLUMNS)])


def compare(folder: Path, rows: int, group_rows: int, options: list[str]) -> bool:
    """Return whether all goals are reached for one layout of the file."""
    data = folder / "data.parquet"
    write_data(data, rows, group_rows)
    size = data.stat().st_size
    print(
        f"\n{size / 1e9:.2f} GB, {rows:,} × {COLUMNS} doubles, {group_rows:,} rows in a row group"
    )
    sam, chosen = expected(data)
    reading, weighing, selecting = [], [], []
    for _ in range(ROUNDS):
        reading.append(measured(sys.executable, "-c", READING, str(data)))
        run, weights = filtered(folder, data, "weight_by_sam", *options)
        weighing.append(run)
        run, selection = filtered(folder, data, "select_by_mrmr_cfs", *options)
        selecting.append(run)
    data.unlink()
    # A weight near 0 is the difference of two means that are equal up to rounding.
    difference = float(np.max(np.abs(weights - sam) / np.maximum(sam, 1e-3)))
    read = min(run.seconds for run in reading)
    print(f"{'':32} seconds  CPU s  passes  of reading  goal   peak RSS  goal     result")
    print(f"{'reading the file':32} {read:7.1f} {min(r.cpu for r in reading):6.1f}")
    fine = True
    for name, runs, passes, same, text in (
        ("Weight by SAM", weighing, 1, difference <= SAME, f"within {difference:.0e}"),
        ("MRMR, 10 of 500", selecting, None, set(np.flatnonzero(selection)) == set(chosen), "same"),
    ):
        passes = passes or PASSES
        took, peak = min(r.seconds for r in runs), max(r.memory for r in runs)
        ratio = took / (passes * read)
        reached = ratio <= MOST_TIME and peak < MOST_MEMORY and same
        fine &= reached
        print(
            f"{name:32} {took:7.1f} {min(r.cpu for r in runs):6.1f} {passes:7} {ratio:11.2f}"
            f"  ≤ {MOST_TIME}  {peak / 1e9:5.2f} GB  < {MOST_MEMORY / 1e9:g} GB"
            f"  {text if same else 'DIFFERENT'}{'' if reached else '  MISSED'}"
        )
    return fine


PASSES = 2  # of MRMR: one for relevance, one for the redundancy of the first 32 candidates


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=4.0, help="size of the file")
    parser.add_argument("--options", default="", help='of fsops run, such as "--engine processes"')
    chosen = parser.parse_args()
    rows = int(chosen.gigabytes * 1e9 / (8 * COLUMNS))
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if free < 1.5e9 * chosen.gigabytes:
        print(f"There is not enough room in {tempfile.gettempdir()}: {free / 1e9:.1f} GB are free.")
        return 1
    with tempfile.TemporaryDirectory(prefix="fsops-streaming-") as folder:
        layouts = (CHUNK, rows)
        fine = [compare(Path(folder), rows, size, chosen.options.split()) for size in layouts]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
