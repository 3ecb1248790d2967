"""Attribute weights in files: our CSV, and RapidMiner's XML (.wgt)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from lxml import etree

from fsops.data import AttributeWeights
from fsops.data.weights import Best
from fsops.errors import DataError, ProcessFileError, enumerate_names
from fsops.storage.files import read_bytes, write_bytes
from fsops.storage.safe_xml import Limits, attributes_of, parse_xml
from fsops.storage.text_files import existing_file

RAPIDMINER = ".wgt"
ROOT, ENTRY = "attributeweights", "weight"
HEAD = ["attribute", "weight"]
RANKING_HEAD = ["attribute", "rank"]
QUOTED = '",\r\n'
BEST, SMALLEST = "best", "smallest"
LARGEST_BYTES = 2**28
LARGE = 2**20
"""Bytes from which a file is read by Arrow, about eight times as fast."""
MANY = 50_000
"""Numbers from which on Arrow writes them."""
XML = Limits(size=2**25, elements=200_001, attributes=450_000)
"""A tree takes some twenty times the memory of its file, so larger ones are for CSV."""


def read_weights_file(file: str) -> AttributeWeights:
    """Return the weights in a file; its beginning shows the format."""
    path = existing_file(Path(file))
    data = read_bytes(path, LARGEST_BYTES)
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return _from_xml(data, path)
    return _from_csv(data, path)


def write_weights_file(weights: AttributeWeights, file: str) -> None:
    """Write weights in the order of the data, as XML if the name ends in .wgt, else as CSV."""
    data = _to_xml(weights) if Path(file).suffix.lower() == RAPIDMINER else _to_csv(weights)
    write_bytes(file, data)


# --- CSV ------------------------------------------------------------------------------------


def _to_csv(weights: AttributeWeights) -> bytes:
    head = [*(RANKING_HEAD if weights.smallest_is_best else HEAD), *weights.details]
    columns = [weights.values, *weights.details.values()]
    names = weights.names.texts()
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(head)
    numbers = all(column.dtype.kind in "bif" for column in columns)
    if numbers and not set(QUOTED) & set("".join(names)) and all(names):
        # Nothing needs quotation marks: a million lines take half the time.
        lines = map(",".join, zip(names, *map(_texts, columns), strict=True))
        text.write("\n".join([*lines, ""]))
    else:
        rows.writerows(zip(names, *(column.tolist() for column in columns), strict=True))
    return text.getvalue().encode("utf-8", "backslashreplace")


def _texts(column: npt.NDArray[Any]) -> Iterable[str]:
    """Return numbers as Python writes them; Arrow takes a third of its time for very many."""
    if column.dtype != np.float64 or column.size < MANY:
        return map(repr, column.tolist())
    import pyarrow as pa

    texts = np.array(pa.array(column).cast(pa.string()).to_pylist(), dtype=object)
    size = np.abs(column)
    # Arrow has another form for whole numbers and for very small or large ones.
    same = (size >= 1e-4) & (size < 1e9) & (column != np.rint(column))
    texts[~same] = list(map(repr, column[~same].tolist()))
    found: list[str] = texts.tolist()
    return found


def _from_csv(data: bytes, path: Path) -> AttributeWeights:
    found = _read_at_once(data) if len(data) > LARGE else None
    return _read_by_row(data, path) if found is None else found


def _read_at_once(data: bytes) -> AttributeWeights | None:
    """Return the weights of a large file without gaps; None if it has to be read with care."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    types = {"attribute": pa.string(), "weight": pa.float64(), "rank": pa.float64()}
    try:
        table = arrow_csv.read_csv(
            io.BytesIO(data),
            parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(column_types=types),
        )
    except pa.ArrowInvalid:
        return None
    head, (names, *columns) = table.column_names, table.columns
    numerical = all(column.type in (pa.float64(), pa.int64()) for column in columns)
    if head[:2] not in (HEAD, RANKING_HEAD) or len(set(head)) < len(head) or not numerical:
        return None
    if any(column.null_count for column in table.columns):
        return None
    values, *details = (column.to_numpy() for column in columns)
    return AttributeWeights(
        names.to_pylist(),
        values,
        details=dict(zip(head[2:], details, strict=True)),
        best="smallest" if head[:2] == RANKING_HEAD else "largest",
    )


def _read_by_row(data: bytes, path: Path) -> AttributeWeights:
    try:
        text = data.decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise DataError(
            f'"{path.name}" is not a table of weights in UTF-8.',
            hint="It must have the columns attribute and weight, separated by commas.",
        ) from None
    rows = [row for row in rows if row]
    head = rows[0] if rows else []
    if head[:2] not in (HEAD, RANKING_HEAD):
        raise DataError(
            f'"{path.name}" holds no weights: its first columns are '
            f"{enumerate_names(head) or 'not there'}.",
            hint='The first line must begin with "attribute,weight", or "attribute,rank" for a '
            "ranking; see Write Weights.",
        )
    if set(map(len, rows)) != {len(head)}:
        number = next(number for number, row in enumerate(rows, start=1) if len(row) != len(head))
        raise DataError(
            f'Row {number} of "{path.name}" has {len(rows[number - 1])} values, but there are '
            f"{len(head)} columns."
        )
    names, *columns = zip(*rows[1:], strict=True) if rows[1:] else [()] * len(head)
    values = _weights(columns[0], names, path)
    details = dict(zip(head[2:], map(_detail, columns[1:]), strict=True))
    best: Best = "smallest" if head[:2] == RANKING_HEAD else "largest"
    return AttributeWeights(names, values, details=details, best=best)


def _weights(texts: Sequence[str], names: Sequence[str], path: Path) -> Any:
    try:
        return np.fromiter(map(float, texts), dtype=np.float64, count=len(texts))
    except ValueError:  # one is empty, or is no number
        return [_weight(text, name, path) for text, name in zip(texts, names, strict=True)]


def _weight(text: str, name: str, path: Path) -> float:
    if not text.strip():
        return np.nan
    try:
        return float(text)
    except ValueError:
        raise DataError(
            f'The weight of "{name}" in "{path.name}" is "{text}", which is not a number.',
            hint="Leave it empty if it is not known.",
        ) from None


def _detail(texts: Sequence[str]) -> Any:
    """Return further values as whole numbers, numbers, truth values or text, whatever fits all."""
    if all(text in ("True", "False") for text in texts) and texts:
        return np.array([text == "True" for text in texts])
    numbers: tuple[tuple[Any, Any], ...] = ((int, np.int64), (_number, np.float64))
    for read, kind in numbers:
        try:
            return np.fromiter(map(read, texts), dtype=kind, count=len(texts))
        except (ValueError, OverflowError):
            continue
    return np.array(texts)


def _number(text: str) -> float:
    return float(text or "nan")


# --- XML ------------------------------------------------------------------------------------


def _to_xml(weights: AttributeWeights) -> bytes:
    root = etree.Element(ROOT, version="9.7")
    if weights.smallest_is_best:
        root.set(BEST, SMALLEST)
    for name, value in weights:
        try:
            etree.SubElement(root, ENTRY, name=name, value=_java(value))
        except ValueError:
            raise DataError(
                f'The name "{repr(name)[1:-1]}" has a character that XML does not allow.',
                hint="Write the weights as CSV.",
            ) from None
    data: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return data


def _java(value: float) -> str:
    """Return a number as Java reads it."""
    return repr(value).replace("inf", "Infinity").replace("nan", "NaN")


def _from_xml(data: bytes, path: Path) -> AttributeWeights:
    try:
        root = parse_xml(data, XML)
    except ProcessFileError as error:
        hint = error.hint
        if len(data) > XML.size or "elements" in error.message:
            hint = "Write very many weights as CSV."
        raise DataError(f'"{path.name}": {error.message}', hint=hint) from None
    if root.tag != ROOT:
        raise DataError(
            f'"{path.name}" holds no weights: it begins with <{str(root.tag)[:60]}>.',
            hint=f"A file of weights begins with <{ROOT}>.",
        )
    found: dict[str, float] = {}
    for entry in root.iterchildren(etree.Element):
        given = attributes_of(entry)
        if entry.tag != ENTRY or not {"name", "value"} <= given.keys():
            raise DataError(
                f'"{path.name}", line {entry.sourceline}: <{str(entry.tag)[:60]}> is not a weight.',
                hint='Weights are written <weight name="…" value="…"/>.',
            )
        if given["name"] in found:
            raise DataError(f'"{path.name}" has several weights for "{given["name"]}".')
        found[given["name"]] = _weight(given["value"], given["name"], path)
    best: Best = "smallest" if attributes_of(root).get(BEST) == SMALLEST else "largest"
    return AttributeWeights(list(found), list(found.values()), best=best)
