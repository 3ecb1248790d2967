"""Results as files: the same result always gives the same bytes."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsops.data import (
    Attribute,
    AttributeWeights,
    Collection,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
    PredictionModel,
    StudyAnswer,
)
from fsops.errors import FsopsError, StorageError
from fsops.plugins import Plugins, Writer, hookimpl
from fsops.storage.csv_writer import safe_text
from fsops.storage.files import replacing, write_bytes

if TYPE_CHECKING:
    import pandas as pd

SMALL_TABLE = 1_000_000  # cells up to which a table is written as CSV too
PREVIEW_ROWS = 10
LONGEST_NAME = 150  # bytes, without number and suffix
STAGING_PREFIX = ".fsops-results-"
# Windows cannot have files of these names, whatever their suffix.
RESERVED = {"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10))}


@hookimpl
def fsops_writers() -> Sequence[Writer]:
    """Return how the results fsops knows are written."""
    return [
        Writer(AttributeWeights, ".csv", write_weights, SAFE_WEIGHTS),
        Writer(ExampleSet, ".parquet", write_examples, SAFE_EXAMPLES),
        Writer(PerformanceVector, ".json", write_description),
        Writer(Model, ".json", write_description),
        Writer(StudyAnswer, ".json", write_description),
        Writer(FlowObject, ".json", write_anything, SAFE_ANYTHING),
    ]


# --- one result -----------------------------------------------------------------------------


def write_weights(weights: AttributeWeights, path: Path, *, safe: bool = False) -> None:
    """Write weights as CSV, best first; numbers keep every bit."""
    _write_csv(weights.to_pandas(), path, safe=safe)


def write_examples(examples: ExampleSet, path: Path, *, safe: bool = False) -> None:
    """Write a table as Parquet with types and roles; a small one as CSV beside it, too."""
    import pyarrow.parquet as pq

    with replacing(path) as file:
        pq.write_table(examples.to_arrow(), file)
    if len(examples) * len(examples.schema) <= SMALL_TABLE:
        _write_csv(examples.to_pandas(), path.with_suffix(".csv"), safe=safe)


def write_description(value: FlowObject, path: Path) -> None:
    """Write what `as_json` says about a result."""
    write_bytes(path, json_text(as_json(value)).encode())


def write_anything(value: FlowObject, path: Path, *, safe: bool = False) -> None:
    """Write a result of unknown type: as CSV if it can be a table, else its description."""
    if hasattr(value, "to_pandas"):
        _write_csv(value.to_pandas(), path.with_suffix(".csv"), safe=safe)
    else:
        write_description(value, path)


# Not made by `fsops_writers`: two partial functions are never equal.
SAFE_WEIGHTS = partial(write_weights, safe=True)
SAFE_EXAMPLES = partial(write_examples, safe=True)
SAFE_ANYTHING = partial(write_anything, safe=True)


def _write_csv(frame: pd.DataFrame, path: Path, *, safe: bool) -> None:
    frame = _without_formulas(frame) if safe else frame
    with replacing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
        frame.to_csv(text, index=False, lineterminator="\n")
        text.detach()


def _without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a data frame whose names and texts no spreadsheet executes."""

    def safe_cell(cell: Any) -> Any:
        return safe_text(cell) if isinstance(cell, str) else cell

    texts = frame.select_dtypes(exclude=["number", "bool", "datetime", "datetimetz", "timedelta"])
    safe = {str(name): column.astype(object).map(safe_cell) for name, column in texts.items()}
    return frame.assign(**safe).rename(columns=safe_cell)


# --- JSON -----------------------------------------------------------------------------------


@singledispatch
def as_json(value: FlowObject) -> dict[str, Any]:
    """Return a result as plain values for JSON; of a table only the first rows."""
    about: dict[str, Any] = {"type": type(value).__name__, "text": repr(value)}
    if hasattr(value, "to_pandas"):
        frame = value.to_pandas()
        about["rows"] = [dict(zip(frame, row, strict=True)) for row in _rows(frame)]
    return about


@as_json.register
def _(value: AttributeWeights) -> dict[str, Any]:
    columns = [value.names, value.values.tolist(), *(c.tolist() for c in value.details.values())]
    keys = ["attribute", value.column_title, *value.details]
    rows = [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]
    best_first = [rows[position] for position in value.order()]
    return {"type": "AttributeWeights", "origin": value.origin, "weights": best_first}


@as_json.register
def _(value: PerformanceVector) -> dict[str, Any]:
    criteria = [
        {
            "name": c.name,
            "mean": c.mean,
            "deviation": c.deviation,
            "count": c.count,
            "maximize": c.maximize,
            "values": list(c.values),
        }
        for c in value
    ]
    document: dict[str, Any] = {"type": "PerformanceVector", "criteria": criteria}
    if value.confusion is not None:
        # Rows are the true classes, columns the predicted ones.
        document["confusion"] = {
            "classes": list(value.confusion.classes),
            "counts": value.confusion.counts.tolist(),
        }
    return document


@as_json.register
def _(value: StudyAnswer) -> dict[str, Any]:
    return value.as_dict()


@as_json.register
def _(value: ExampleSet) -> dict[str, Any]:
    head = value.take(range(min(len(value), PREVIEW_ROWS))).to_pandas()
    return {
        "type": "ExampleSet",
        "rows": len(value),
        "attributes": [_attribute_as_json(a) for a in value.attributes],
        "first_rows": _rows(head),
    }


@as_json.register
def _(value: Model) -> dict[str, Any]:
    about: dict[str, Any] = {"type": type(value).__name__, "name": value.name}
    if isinstance(value, PredictionModel):
        about["label"] = _attribute_as_json(value.label)
        if value.details:
            about["details"] = dict(value.details)
    return {**about, "attributes": [_attribute_as_json(a) for a in value.attributes]}


@as_json.register(Collection)
def _(value: Collection[FlowObject]) -> dict[str, Any]:
    return {"type": "Collection", "items": [as_json(item) for item in value]}


def _attribute_as_json(attribute: Attribute) -> dict[str, Any]:
    about: dict[str, Any] = {
        "name": attribute.name,
        "type": attribute.value_type.value,
        "role": attribute.role,
    }
    return about | ({"categories": list(attribute.categories)} if attribute.categories else {})


def _rows(frame: pd.DataFrame) -> list[list[Any]]:
    return [[_plain(cell) for cell in row] for row in frame.itertuples(index=False)]


def _plain(cell: Any) -> Any:
    """Return a cell of a data frame as JSON knows it."""
    import pandas as pd

    if isinstance(cell, str | int | float | bool):
        return cell
    if pd.isna(cell):
        return None
    return cell.item() if hasattr(cell, "item") else str(cell)


def json_text(document: object, *, ascii_only: bool = False) -> str:
    """Return a JSON document; NaN becomes null, and infinity text, as JSON has neither."""
    return json.dumps(_finite(document), indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else f"{'-' * (value < 0)}Infinity"
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


# --- all results of a run -------------------------------------------------------------------


@dataclass(frozen=True)
class WrittenFile:
    """A file that holds a result or a part of it."""

    result: str
    file: str
    bytes: int
    sha256: str


def prepare_folder(folder: Path) -> None:
    """Make the folder for results, or say now rather than after a long run that it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=STAGING_PREFIX, dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from None


def write_results(
    values: Sequence[FlowObject],
    names: Sequence[str],
    folder: Path,
    plugins: Plugins,
    *,
    safe: bool = False,
) -> list[WrittenFile]:
    """Write results to files named after them, and return the written files.

    With ``safe`` a spreadsheet executes no cell of the CSV files.
    All are written beside their place first and then moved there, so a failure changes nothing.
    """
    written: list[WrittenFile] = []
    try:
        with tempfile.TemporaryDirectory(prefix=STAGING_PREFIX, dir=folder) as staging:
            for name, stem, value in _stems(values, names):
                _write_one(value, Path(staging) / stem, plugins, safe=safe)
                known = {file.file for file in written}
                new = sorted(p for p in Path(staging).iterdir() if p.name not in known)
                written += [_described(name, path) for path in new]
            for file in written:
                os.replace(Path(staging) / file.file, folder / file.file)
    except OSError as error:
        raise _unwritable(folder, error) from None
    return written


def _write_one(value: FlowObject, stem: Path, plugins: Plugins, *, safe: bool) -> None:
    writer = plugins.writer(value) or Writer(FlowObject, ".json", write_anything, SAFE_ANYTHING)
    write = (writer.write_safe if safe else None) or writer.write
    try:
        write(value, stem.with_name(stem.name + writer.suffix))
    except (FsopsError, OSError):
        raise
    except Exception as error:
        raise StorageError(
            f"{value.title} cannot be written ({type(error).__name__}: {error})."
        ) from error


def _stems(
    values: Sequence[FlowObject], names: Sequence[str]
) -> Iterator[tuple[str, str, FlowObject]]:
    """Return for each result its name and a different file name; a collection is spread out."""
    taken = {"run"}
    for name, value in zip(names, values, strict=True):
        for base, part in _spread(file_stem(name), value):
            stem, number = base, 2
            while stem in taken:
                stem, number = f"{base}_{number}", number + 1
            taken.add(stem)
            yield name, stem, part


def _spread(stem: str, value: FlowObject) -> Iterator[tuple[str, FlowObject]]:
    if not isinstance(value, Collection):
        yield stem, value
        return
    digits = len(str(len(value)))
    for number, item in enumerate(value, 1):
        yield from _spread(f"{stem}.{number:0{digits}d}", item)


def file_stem(name: str) -> str:
    """Return a file name, without suffix, for any file system: ``cross_validation.model``."""
    plain = re.sub(r"[^\w.-]+", "_", name.lower()).strip("._-")
    stem = plain.encode()[:LONGEST_NAME].decode(errors="ignore").rstrip(".")
    if stem.partition(".")[0] in RESERVED:
        return f"_{stem}"
    return stem or "result"


def _described(name: str, path: Path) -> WrittenFile:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(2**20):
            digest.update(block)
    return WrittenFile(name, path.name, path.stat().st_size, digest.hexdigest())


def _unwritable(folder: Path, error: OSError) -> StorageError:
    reason = (error.strerror or str(error)).lower()
    return StorageError(
        f'The folder "{folder}" for the results cannot be written: {reason}.',
        hint="Choose another with --out.",
    )
