"""``fsops new``: a process to start from, or a study of one's own table."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fsops.cli.options import Debug

if TYPE_CHECKING:
    from fsops.core import Process


class Duplicates(StrEnum):
    """Treatment of columns with the same name."""

    NUMBER = "number"
    MEAN = "mean"
    FIRST = "first"


def _column(option: str, help: str, **more: Any) -> Any:
    return typer.Option(option, metavar="COLUMN", help=help, show_default=False, **more)


Label = Annotated[str | None, _column("--label", "Name of the label column, with --data.")]
Group = Annotated[
    str | None,
    _column("--group", "Rows with the same value belong together, such as samples of a patient."),
]
Pair = Annotated[
    str | None, _column("--pair", "Rows with the same value are matched, such as before and after.")
]
Batch = Annotated[
    str | None, _column("--batch", "Rows with the same value were measured together.")
]
Covariate = Annotated[
    list[str], _column("--covariate", "A known influence, such as age; may be repeated.")
]
Time = Annotated[
    str | None, _column("--time", "Time to the event or to the end of the observation.")
]
Event = Annotated[str | None, _column("--event", "Whether the event has happened (1) or not (0).")]
Skip = Annotated[list[str], _column("--skip", "Leave this column out; may be repeated.")]


def new(  # noqa: PLR0917 - typer reads the arguments by name
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="TABLE",
            help="Write a study of this table (text, perhaps packed, Excel, Parquet, ARFF, GEO): "
            "it compares selections and lists the attributes that are chosen most often.",
        ),
    ] = None,
    label: Label = None,
    group: Group = None,
    pair: Pair = None,
    batch: Batch = None,
    covariate: Covariate = [],  # noqa: B006 - typer makes a new one
    time: Time = None,
    event: Event = None,
    skip: Skip = [],  # noqa: B006
    transpose: Annotated[
        bool, typer.Option("--transpose", help="Attributes are in rows of the file.")
    ] = False,
    duplicates: Annotated[
        Duplicates | None,
        typer.Option(
            "--duplicates",
            help="Columns with the same name: number them (default), or take the mean or first.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    debug: Debug = False,
) -> None:
    """Write a process file to start from: a small one, or a study of your own table."""
    from fsops.errors import UsageError
    from fsops.examples import starter_process
    from fsops.storage import write_process
    from fsops.studies.design import DesignColumns

    if file.exists() and not force:
        raise UsageError(
            f'"{file}" exists.', hint="Choose another name, or replace it with --force."
        )
    design = DesignColumns(group, pair, batch, tuple(covariate), time, event, tuple(skip))
    if data is None:
        _refuse_without_data({"--label": label, "--group": group, "--pair": pair} | {
            "--batch": batch, "--covariate": covariate, "--time": time, "--event": event,
            "--skip": skip, "--transpose": transpose, "--duplicates": duplicates,
        })  # fmt: skip
        process = starter_process(file.stem)
    else:
        settings: dict[str, Any] = {"transpose": True} if transpose else {}
        if duplicates is not None:
            settings["duplicates"] = duplicates.value
        process = _study(file, data, label, design, settings)
    write_process(process, file)
    note = next(iter(process)).note if data else None
    if note is not None:
        typer.echo(note.text)
    report = f" --report {shlex.quote(str(file.with_suffix('.html')))}" if data else ""
    typer.echo(f"Written: {file}\nRun it: fsops run {shlex.quote(str(file))}{report}")


def _study(file: Path, data: Path, label: str | None, design: Any, settings: Any) -> Process:
    from fsops.plugins import plugins
    from fsops.studies.study import study_process

    registry = plugins().registry
    return study_process(
        file.stem, data, label, registry, file.parent, design=design, settings=settings
    )


def _refuse_without_data(options: dict[str, Any]) -> None:
    from fsops.errors import UsageError

    for option, value in options.items():
        if value:
            raise UsageError(
                f"{option} goes with --data.", hint="Give the table with --data TABLE."
            )
