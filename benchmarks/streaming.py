"""Filters over a table larger than the memory limit: ``python benchmarks/streaming.py``.

Writes a Parquet file of 4 GB to a temporary folder, filters it with ``fsops run --memory-limit
1GB`` in a process of its own, and compares time, memory and results with reading the file and
with a computation by plain numpy. Leaves with 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

Floats = npt.NDArray[np.float64]

LIMIT, MOST_MEMORY, MOST_TIME, SAME = "1GB", 1.5e9, 1.5, 1e-10
COLUMNS, CHUNK, SELECTED = 500, 25_000, 10
AT_ONCE = 8  # attributes whose redundancy MRMR fetches in one pass
ROUNDS = 2  # times are the best of so many, taken in turns

READING = """
import sys, time, pyarrow.parquet as pq
began = time.perf_counter()
with pq.ParquetFile(sys.argv[1]) as file:
    names = file.schema_arrow.names
    rows = file.metadata.row_group(0).num_rows
    width = max(1, int(125e6 / 8 / rows))  # an eighth of the limit at once
    for group in range(file.num_row_groups):
        for first in range(0, len(names), width):
            file.read_row_group(group, columns=names[first : first + width])
print(time.perf_counter() - began)
"""
# In between, because a new process starts with the peak memory of the one that started it.
WATCHING = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
found = [time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]
print(json.dumps([*found, done.stdout]))
"""
PROCESS = """<process version="fsops-1"><operator class="process" name="Streaming"><process>
<operator class="read_parquet" name="Read">
  <parameter key="path" value="{file}"/><parameter key="streaming" value="true"/>
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

    steps: float
    """Seconds for the work itself, without the start of Python and the imports."""
    whole: float
    cpu: float
    memory: int
    """Peak, in bytes."""


@dataclass
class Once:
    """What reading the file once takes."""

    seconds: float
    cpu: float
    start: Run
    """A run that has next to nothing to do; what it takes is not counted."""


def measured(*command: str) -> tuple[Run, str]:
    """Run a command; its time for the work is not known here."""
    watched = (sys.executable, "-c", WATCHING, *command)
    done = subprocess.run(watched, stdout=subprocess.PIPE, text=True, check=True)
    whole, cpu, memory, text = json.loads(done.stdout)
    return Run(0.0, whole, cpu, memory), text


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


def expected(file: Path) -> tuple[Floats, Floats, list[int]]:
    """Return SAM's weights, F and the attributes MRMR selects, by plain numpy in chunks."""
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
    return sam, relevance, chosen


def passes_of(chosen: list[int], relevance: Floats) -> int:
    """Return how often MRMR reads the file: attributes are fetched in batches, likely first."""
    known: list[int] = []
    likely, passes = np.argsort(-relevance, kind="stable").tolist(), 1
    for feature in chosen[:-1]:
        if feature not in known:
            further = [f for f in likely if f not in known and f != feature]
            known += [feature, *further[: AT_ONCE - 1]]
            passes += 1
    return passes


def filtered(folder: Path, data: Path, key: str, options: list[str]) -> tuple[Run, Floats]:
    process, out = folder / f"{key}.xml", folder / f"{key}.out"
    process.write_text(PROCESS.format(file=data, key=key), encoding="utf-8")
    shutil.rmtree(out, ignore_errors=True)
    fsops = (sys.executable, "-m", "fsops.cli", "run", str(process), "--out", str(out), "--quiet")
    run, _ = measured(*fsops, "--memory-limit", LIMIT, *options)
    record = json.loads((out / "run.json").read_text(encoding="utf-8"))
    (file,) = out.glob("*.csv")
    with file.open(newline="", encoding="utf-8") as stream:
        found = {row["attribute"]: float(row["weight"]) for row in csv.DictReader(stream)}
    run = replace(run, steps=sum(operator["seconds"] for operator in record["operators"]))
    return run, np.array([found[f"a{j}"] for j in range(COLUMNS)])


def compare(folder: Path, rows: int, group_rows: int, options: list[str]) -> bool:
    """Return whether all goals are reached for one layout of the file."""
    data = folder / "data.parquet"
    write_data(data, rows, group_rows)
    size = data.stat().st_size / 1e9
    print(f"\n{size:.2f} GB, {rows:,} × {COLUMNS} doubles, {group_rows:,} rows in a row group")
    sam, relevance, chosen = expected(data)
    reading, weighing, selecting = [], [], []
    small = folder / "small.parquet"
    write_data(small, 1000, 1000)
    start = filtered(folder, small, "weight_by_sam", options)[0]
    run, text = measured(sys.executable, "-c", READING, str(small))
    reading_start = replace(run, steps=float(text))
    for _ in range(ROUNDS):
        run, text = measured(sys.executable, "-c", READING, str(data))
        reading.append(replace(run, steps=float(text)))
        run, weights = filtered(folder, data, "weight_by_sam", options)
        weighing.append(run)
        run, selection = filtered(folder, data, "select_by_mrmr_cfs", options)
        selecting.append(run)
    data.unlink()
    # A weight near 0 is the difference of two means that are equal up to rounding.
    difference = float(np.max(np.abs(weights - sam) / np.maximum(sam, 1e-3)))
    same = set(np.flatnonzero(selection).tolist()) == set(chosen)
    once = Once(
        min(run.steps for run in reading) - reading_start.steps,
        min(run.cpu for run in reading) - reading_start.cpu,
        reading_start,
    )
    print(
        f"{'':18} passes  seconds  of reading  goal   CPU s  of reading  command  peak RSS  result"
    )
    passes = passes_of(chosen, relevance)
    print_line("reading the file", reading, once, "")
    once = replace(once, start=start)
    sam_fine = print_line(
        "Weight by SAM", weighing, once, f"within {difference:.0e}", MOST_TIME, difference <= SAME
    )
    text = "the same" if same else ""
    return (
        print_line("MRMR, 10 of 500", selecting, once, text, MOST_TIME, same, passes) and sam_fine
    )


def print_line(  # noqa: PLR0917
    name: str,
    runs: list[Run],
    once: Once,
    result: str,
    goal: float | None = None,
    same: bool = True,
    passes: int = 1,
) -> bool:
    """Print what runs took, in the time of reading the file once; return if goals are reached."""
    steps = min(run.steps for run in runs) - once.start.steps
    cpu = min(run.cpu for run in runs) - once.start.cpu
    peak = max(run.memory for run in runs)
    ratio = steps / (passes * once.seconds)
    reached = same and (goal is None or ratio <= goal) and peak < MOST_MEMORY
    print(
        f"{name:18} {passes:6} {steps:8.1f} {ratio:11.2f}  {f'≤ {goal}' if goal else '':5}"
        f"{cpu:7.1f} {cpu / (passes * once.cpu):11.2f} {min(run.whole for run in runs):7.1f} s"
        f" {peak / 1e9:6.2f} GB  {result if same else 'DIFFERENT'}{'' if reached else '  MISSED'}"
    )
    return reached


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=4.0, help="size of the file")
    parser.add_argument("--options", default="", help='of fsops run, such as "--engine processes"')
    asked = parser.parse_args()
    rows = int(asked.gigabytes * 1e9 / (8 * COLUMNS))
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if free < 1.5e9 * asked.gigabytes:
        print(f"There is not enough room in {tempfile.gettempdir()}: {free / 1e9:.1f} GB are free.")
        return 1
    with tempfile.TemporaryDirectory(prefix="fsops-streaming-") as folder:
        fine = [compare(Path(folder), rows, n, asked.options.split()) for n in (CHUNK, rows)]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
