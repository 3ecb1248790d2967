"""Result of an experiment as a table: paper, ours, difference, verdict."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fsops.datasets import dataset
from fsops.papers.catalogue import Experiment
from fsops.papers.judging import ComparisonVerdict, JudgedValue, Status, judge, status_of
from fsops.papers.setting import Setting, available, file_in_data_folder
from fsops.papers.values import Key, Measured, printed_values
from fsops.storage.files import replacing
from fsops.version import __version__

COLUMNS = (
    "experiment", "place", "data", "method", "attributes", "measure",
    "paper", "ours", "error", "difference", "allowed", "verdict", "note",
    "repetitions", "mode", "seed", "version", "date",
)  # fmt: skip


@dataclass(frozen=True)
class ExperimentReport:
    """The judged values of an experiment, and when and how they were measured."""

    experiment: str
    lines: Sequence[JudgedValue]
    repetitions: str
    mode: str
    """``complete``, ``quick``, or ``imported`` from a table that `run_experiment` did not make."""
    seed: str
    version: str
    date: str

    @property
    def status(self) -> Status:
        """Whether the experiment is reproduced."""
        return status_of(line.verdict for line in self.lines)

    def rows(self) -> Iterator[dict[str, str]]:
        """Return the lines of the CSV file."""
        for line in self.lines:
            numbers = (line.paper, line.ours, line.error, line.difference, line.allowed)
            texts = [self.experiment, line.place, *line.key, *map(_text, numbers)]
            texts += [line.verdict, line.note, self.repetitions, self.mode]
            texts += [self.seed, self.version, self.date]
            yield dict(zip(COLUMNS, texts, strict=True))

    def write(self, folder: Path) -> Path:
        """Write the table as a CSV file; return the file."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{file_stem(self.experiment)}.csv"
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows())
        with replacing(path, follow=False) as file:
            file.write(text.getvalue().encode())
        return path


def run_experiment(experiment: Experiment, setting: Setting) -> tuple[ExperimentReport, Measured]:
    """Run an experiment and compare its values with the printed ones."""
    available(experiment.data)
    for file in experiment.files:
        file_in_data_folder(file)
    measured = experiment.measure(setting)
    rows = {name: dataset(name).rows for name in experiment.data}
    report = ExperimentReport(
        experiment.name,
        judge(printed_values(experiment.name), measured.values, rows),
        measured.repetitions,
        "quick" if setting.quick else "complete",
        str(measured.seed),
        __version__,
        datetime.now(UTC).date().isoformat(),
    )
    return report, measured


def read_report(file: Path) -> ExperimentReport:
    """Return a report from its CSV file."""
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    lines = [
        JudgedValue(
            place=row["place"],
            key=Key(row["data"], row["method"], row["attributes"], row["measure"]),
            paper=_value(row["paper"]),
            ours=_value(row["ours"]),
            error=_value(row["error"]),
            difference=_value(row["difference"]),
            allowed=_value(row["allowed"]),
            verdict=ComparisonVerdict(row["verdict"]),
            note=row["note"],
        )
        for row in rows
    ]
    first = rows[0]
    about = [first[name] for name in ("repetitions", "mode", "seed", "version", "date")]
    return ExperimentReport(first["experiment"], lines, *about)


def draw(measured: Measured, experiment: Experiment, folder: Path) -> list[Path]:
    """Write the figures of an experiment as SVG files; return the files."""
    from fsops.plots.saving import save_figures

    stem = file_stem(experiment.name)
    return [
        file
        for name, result in measured.figures.items()
        for file in save_figures(result, folder / f"{stem}_{name}")
    ]


def file_stem(name: str) -> str:
    """Return the name of an experiment as the stem of a file."""
    return name.replace("/", "_")


def _value(text: str) -> float:
    return float(text or "nan")


def _text(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6g}"
