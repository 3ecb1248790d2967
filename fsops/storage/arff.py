"""Tables in ARFF files, Weka's format: types and categories are declared in the file."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import repeat
from pathlib import Path
from typing import Any, NoReturn, TextIO

import numpy as np
import numpy.typing as npt

from fsops.data import Attribute, ExampleSet, Schema, ValueType
from fsops.data.columns import MISSING_CODE, STORAGE
from fsops.errors import DataError, did_you_mean
from fsops.storage.cells import CellStyle, lines_of
from fsops.storage.files import replacing
from fsops.storage.text_files import CsvFormat, existing_file, opened_text
from fsops.storage.unpacking import file_allowance, require_for_file

Column = tuple[Attribute, npt.NDArray[Any]]

NOTE = "% fsops "
"""Begins a comment in which we keep the roles, which ARFF does not know."""
NUMBERS = {
    "numeric": ValueType.REAL,
    "real": ValueType.REAL,
    "integer": ValueType.INTEGER,
}
DEFAULT_DATE = "yyyy-MM-dd'T'HH:mm:ss"
# What Java calls the parts of a date, and what Python calls them.
DATE_PARTS = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}
DATE_PART = re.compile(r"'[^']*'|yyyy|yy|MM|dd|HH|mm|ss|S+|[A-Za-z]+|.")
# A value in quotes (of either kind, with \ before what would end it), or up to the next separator.
VALUE = re.compile(
    r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"{}]*?))\s*(?:,|$)""", re.DOTALL
)
NAMED = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(.*)$""",
    re.IGNORECASE | re.DOTALL,
)
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
BARE = re.compile(r"[^\s,{}%'\"\\?@][^\s,{}%'\"\\]*")


TEXT_BYTES = 24  # of memory for each value that is not a number, while a table is read


@dataclass
class _Declared:
    """An attribute as the head of a file declares it."""

    attribute: Attribute
    date_format: str = ""
    codes: Mapping[str, int] = field(default_factory=dict)


# --- reading --------------------------------------------------------------------------------


def read_arff_table(
    file: str, *, encoding: str, roles: Mapping[str, str], skip: Sequence[str]
) -> ExampleSet:
    """Return the table in an ARFF file."""
    path = existing_file(Path(file))
    with opened_text(path, CsvFormat(encoding=encoding)) as stream:
        lines = _Lines(path, stream)
        declared, noted = _read_head(lines)
        examples = _read_rows(lines, declared)
    for name in (*roles, *skip):
        if name not in examples.schema:
            doing = "skip" if name in skip else "give a role to"
            hint = did_you_mean(name, examples.names)
            raise DataError(f'There is no attribute "{name}" to {doing}.', hint=hint)
    kept = {name: role for name, role in noted.items() if name in examples.schema}
    return examples.with_roles(kept).drop(skip).with_roles(roles)


class _Lines:
    """The lines of a file that say something, with their numbers."""

    def __init__(self, path: Path, stream: TextIO) -> None:
        self.path = path
        self.stream = stream
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        for line in self.stream:
            self.number += 1
            text = line.strip()
            if text and not (text.startswith("%") and not text.startswith(NOTE)):
                yield text

    def refuse(self, message: str, hint: str = "") -> NoReturn:
        raise DataError(f'Line {self.number} of "{self.path.name}": {message}', hint=hint)


def _read_head(lines: _Lines) -> tuple[list[_Declared], dict[str, str]]:
    """Return the declared attributes, and the roles we noted in a comment."""
    declared: list[_Declared] = []
    noted: dict[str, Any] = {}
    for line in lines:
        word = line.split(maxsplit=1)[0].lower()
        if line.startswith(NOTE):
            noted = _note(line)
        elif word == "@attribute":
            declared.append(_declaration(line, lines))
        elif word == "@data":
            break
        elif word != "@relation":
            lines.refuse(
                f'"{line[:40]}" is not a declaration of an ARFF file.',
                "Before @data each line begins with @relation, @attribute or %.",
            )
    else:
        raise DataError(
            f'"{lines.path.name}" is not an ARFF file: it has no @data.',
            hint="Use Read CSV for a plain table.",
        )
    if not declared:
        raise DataError(f'"{lines.path.name}" declares no attributes.')
    for item in declared:
        wanted = noted.get("types", {}).get(item.attribute.name)
        noted_kinds = (ValueType.POLYNOMINAL, ValueType.ORDINAL)
        if wanted in noted_kinds and item.attribute.value_type.is_nominal:
            item.attribute = replace(item.attribute, value_type=ValueType(wanted))
    return declared, noted.get("roles", {})


def _note(line: str) -> dict[str, Any]:
    """Return what we wrote about roles and types; nothing if a stranger wrote it."""
    try:
        note = json.loads(line.removeprefix(NOTE))
    except ValueError:
        return {}
    parts = ("roles", "types")
    fine = isinstance(note, dict) and all(isinstance(note.get(p, {}), dict) for p in parts)
    return note if fine else {}


def _declaration(line: str, lines: _Lines) -> _Declared:
    found = NAMED.match(line)
    if found is None:
        lines.refuse(f'"{line[:40]}" does not declare an attribute.', "Write: @attribute name type")
    single, double, bare, kind = found.groups()
    name = bare if bare is not None else _unescaped(single if single is not None else double)
    if kind.startswith("{"):
        if not kind.endswith("}"):
            lines.refuse(f'The values of "{name}" are not closed by }}.')
        values = (
            [text or "" for text, _ in _values(kind[1:-1], lines)] if kind[1:-1].strip() else []
        )
        categories = tuple(dict.fromkeys(values))
        codes = {category: code for code, category in enumerate(categories)}
        return _Declared(Attribute.nominal(name, categories), codes=codes)
    word, _, rest = kind.partition(" ")
    if word.lower() in NUMBERS:
        return _Declared(Attribute(name, NUMBERS[word.lower()]))
    if word.lower() == "string":
        return _Declared(Attribute(name, ValueType.TEXT))
    if word.lower() == "date":
        shape = rest.strip().strip("\"'") or DEFAULT_DATE
        return _Declared(Attribute(name, ValueType.DATE), date_format=shape)
    return lines.refuse(
        f'"{word}" (for "{name}") is not a type that can be read.',
        "There are numeric, real, integer, string, date, and {value, value, …}.",
    )


def _read_rows(lines: _Lines, declared: Sequence[_Declared]) -> ExampleSet:
    """Return the data section as a table; it is sparse if its first row is in braces."""
    numerical = np.array([d.attribute.value_type.is_numerical for d in declared])
    numbers = np.flatnonzero(numerical).tolist()
    others = np.flatnonzero(~numerical).tolist()
    store: _DenseNumbers | _SparseNumbers | None = None
    texts: dict[int, list[Any]] = {j: [] for j in others}
    filled, allowed = 0, file_allowance(lines.path)
    for line in lines:
        if line.startswith("%"):
            continue
        if store is None:
            kind = _SparseNumbers if line.startswith("{") else _DenseNumbers
            store = kind(declared, numbers)
        cells = store.add(line, lines)
        filled += len(others)
        if TEXT_BYTES * filled > allowed:
            require_for_file(TEXT_BYTES * filled, lines.path, "Declare fewer nominal attributes.")
        for j in others:
            texts[j].append(_stored(cells[j], declared[j], lines))
    count = 0 if store is None else store.rows
    columns: list[Column] = [
        (declared[j].attribute, np.array(texts[j], dtype=STORAGE[declared[j].attribute.value_type]))
        for j in others
    ]
    matrix = np.zeros((0, len(numbers))) if store is None else store.matrix()
    return _side_by_side([declared[j].attribute for j in numbers], matrix, columns, count).select(
        [item.attribute.name for item in declared]
    )


def _side_by_side(
    numbers: Sequence[Attribute], matrix: Any, others: list[Column], count: int
) -> ExampleSet:
    """Return a table from a matrix, dense or sparse, and further columns."""
    if isinstance(matrix, np.ndarray):
        columns = [(attribute, matrix[:, k]) for k, attribute in enumerate(numbers)]
        return ExampleSet.from_columns([*columns, *others], count)
    sparse = ExampleSet.from_sparse(matrix, names=[attribute.name for attribute in numbers])
    typed = sparse.with_block(Schema.of(numbers), np.arange(len(numbers)), matrix)
    return typed.with_columns(others)


@dataclass
class _DenseNumbers:
    """The numbers of rows that have all values."""

    declared: Sequence[_Declared]
    numbers: Sequence[int]
    lines: list[npt.NDArray[np.float64]] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return len(self.lines)

    def add(self, line: str, lines: _Lines) -> list[Any]:
        """Add the numbers of a row; return its cells."""
        cells = _cells(line, self.declared, lines)
        self.lines.append(_numbers(cells, self.numbers, self.declared, lines))
        return cells

    def matrix(self) -> npt.NDArray[np.float64]:
        return np.array(self.lines).reshape(self.rows, len(self.numbers))


class _SparseNumbers:
    """The numbers of rows in braces, of which zeros are not written."""

    def __init__(self, declared: Sequence[_Declared], numbers: Sequence[int]) -> None:
        self.declared = declared
        self.rows = 0
        self._place = {j: k for k, j in enumerate(numbers)}
        self._defaults: dict[int, Any] = {
            j: next(iter(d.codes), None) if d.attribute.value_type.is_nominal else "0"
            for j, d in enumerate(declared)
            if j not in self._place
        }
        self._found: tuple[list[int], list[int], list[float]] = ([], [], [])

    def add(self, line: str, lines: _Lines) -> Mapping[int, Any]:
        """Add the numbers of a row; return its other cells by attribute."""
        if line.startswith("{"):
            pairs = _pairs(line, self.declared, lines)
        else:
            pairs = list(enumerate(_cells(line, self.declared, lines)))
        cells = dict(self._defaults)
        numbers: dict[int, float] = {}
        for j, cell in pairs:
            if j in self._place:
                numbers[self._place[j]] = _number(cell, self.declared[j], lines)
            else:
                cells[j] = cell
        rows, columns, values = self._found
        rows.extend([self.rows] * len(numbers))
        columns.extend(numbers)
        values.extend(numbers.values())
        self.rows += 1
        return cells

    def matrix(self) -> Any:
        from scipy.sparse import coo_array

        rows, columns, values = self._found
        return coo_array((values, (rows, columns)), shape=(self.rows, len(self._place)))


Cell = tuple[str | None, bool]
"""A value, None if missing; and whether it was in quotes."""


def _cells(line: str, declared: Sequence[_Declared], lines: _Lines) -> list[Any]:
    """Return the values of a row; plain text where the line has no quotes."""
    if line.startswith("{"):
        return _sparse(line, declared, lines)
    if "'" in line or '"' in line or "\\" in line:
        cells: list[Any] = [text for text, _ in _values(line, lines)]
    else:
        cells = [None if (text := cell.strip()) == "?" else text for cell in line.split(",")]
    if len(cells) != len(declared):
        lines.refuse(
            f"There are {len(cells)} values, but {len(declared)} attributes.",
            "Correct the line; put values that hold a comma in quotes.",
        )
    return cells


def _sparse(line: str, declared: Sequence[_Declared], lines: _Lines) -> list[Any]:
    """Return a row of which only values other than 0, or the first category, are written."""
    cells: list[Any] = [
        next(iter(d.codes), None) if d.attribute.value_type.is_nominal else "0" for d in declared
    ]
    for number, value in _pairs(line, declared, lines):
        cells[number] = value
    return cells


def _pairs(line: str, declared: Sequence[_Declared], lines: _Lines) -> list[tuple[int, Any]]:
    """Return the numbers of attributes and their values in a row in braces."""
    found = []
    inside = line.strip("{} \t")
    for part in re.findall(r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,])+""", inside):
        number, _, value = part.strip().partition(" ")
        if not number.isdecimal() or int(number) >= len(declared):
            lines.refuse(
                f'"{part.strip()[:40]}" is not the number of an attribute and its value.',
                f"Attributes are counted from 0 to {len(declared) - 1}.",
            )
        found.append((int(number), next(iter(_values(value.strip(), lines)))[0]))
    return found


def _values(text: str, lines: _Lines) -> list[Cell]:
    """Return values that are separated by commas, some of them in quotes."""
    found: list[Cell] = []
    place = 0
    while True:
        match = VALUE.match(text, place)
        if match is None:
            lines.refuse(f'"{text[place : place + 40]}" cannot be read.', "Check the quotes.")
        single, double, bare = match.groups()
        if bare is not None:
            found.append((None if bare == "?" else bare, False))
        else:
            found.append((_unescaped(single if single is not None else double), True))
        place = match.end()
        if not match[0].endswith(",") or place > len(text):
            return found
        if place == len(text):
            return [*found, ("", False)]


def _unescaped(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else ESCAPED.get(code, code)

    return ESCAPE.sub(plain, text)


def _numbers(
    cells: Sequence[Any], wanted: Sequence[int], declared: Sequence[_Declared], lines: _Lines
) -> npt.NDArray[np.float64]:
    chosen = cells if len(wanted) == len(cells) else [cells[j] for j in wanted]
    try:
        return np.fromiter(map(float, chosen), np.float64, len(wanted))
    except (TypeError, ValueError):
        return np.array([_number(cells[j], declared[j], lines) for j in wanted])


def _number(cell: str | None, item: _Declared, lines: _Lines) -> float:
    try:
        return np.nan if cell is None else float(cell)
    except ValueError:
        lines.refuse(
            f'"{cell}" is not a number, but "{item.attribute.name}" is declared '
            f"{item.attribute.value_type}.",
            "Write ? where a value is missing.",
        )


def _stored(cell: str | None, item: _Declared, lines: _Lines) -> Any:
    kind, name = item.attribute.value_type, item.attribute.name
    if kind is ValueType.TEXT:
        return cell
    if kind is ValueType.DATE:
        return np.datetime64("NaT") if cell is None else _moment(cell, item, lines)
    if cell is None:
        return MISSING_CODE
    if cell not in item.codes:
        hint = did_you_mean(cell, item.codes) or "Add it to the values in braces after @attribute."
        lines.refuse(f'"{cell}" is not one of the declared values of "{name}".', hint)
    return item.codes[cell]


def _moment(cell: str, item: _Declared, lines: _Lines) -> np.datetime64:
    try:
        if item.date_format == DEFAULT_DATE:
            return np.datetime64(datetime.fromisoformat(cell).replace(tzinfo=None), "us")
        return np.datetime64(datetime.strptime(cell, _python_format(item.date_format)), "us")
    except ValueError:
        lines.refuse(
            f'"{cell}" is not a date such as {item.date_format}, as declared for '
            f'"{item.attribute.name}".'
        )


def _python_format(java: str) -> str:
    parts = []
    for part in DATE_PART.findall(java):
        if part in DATE_PARTS:
            parts.append(DATE_PARTS[part])
        elif part.startswith("S"):
            parts.append("%f")
        elif part.startswith("'"):
            parts.append(part.strip("'") or "'")
        elif part.isalpha():
            raise ValueError(part)
        else:
            parts.append(part.replace("%", "%%"))
    return "".join(parts)


# --- writing --------------------------------------------------------------------------------


def write_arff_table(examples: ExampleSet, file: str, relation: str) -> None:
    """Write a table; types and categories are declared, roles are in a comment."""
    style = CellStyle(",", "?", _quoted)
    with replacing(Path(file)) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        text.write(f"@relation {_quoted(relation)}\n\n")
        note = {
            "roles": dict(examples.schema.noted_roles),
            "types": {a.name: a.value_type.value for a in examples.attributes if _is_special(a)},
        }
        if any(note.values()):
            text.write(f"{NOTE}{json.dumps(note)}\n")
        for attribute in examples.attributes:
            text.write(f"@attribute {_quoted(attribute.name)} {_type_text(attribute)}\n")
        text.write("\n@data\n")
        if examples.is_sparse:
            text.writelines(f"{line}\n" for line in _sparse_lines(examples))
        else:
            text.writelines(f"{line}\n" for line in lines_of(examples, style))
        text.detach()


def _sparse_lines(examples: ExampleSet) -> Iterator[str]:
    """Return rows in braces: numbers that are not zero, and all other values."""
    schema = examples.schema
    numbers = schema.regular_numerical
    others = np.setdiff1d(np.arange(len(schema)), numbers)
    rest = examples.select(schema.names_at(others)) if len(others) else None
    texts = lines_of(rest, CellStyle("\0", "?", _quoted)) if rest is not None else repeat("")
    matrix = examples.matrix().tocsr()
    for row, text in zip(range(len(examples)), texts, strict=False):
        stored = slice(matrix.indptr[row], matrix.indptr[row + 1])
        values = matrix.data[stored].astype(np.float64).tolist()
        places = numbers[matrix.indices[stored]].tolist()
        cells = dict(zip(places, map(_number_text, values), strict=True))
        cells |= dict(zip(others.tolist(), text.split("\0"), strict=False)) if len(others) else {}
        yield "{" + ", ".join(f"{j} {cells[j]}" for j in sorted(cells)) + "}"


def _number_text(value: float) -> str:
    return "?" if np.isnan(value) else repr(value)


def _is_special(attribute: Attribute) -> bool:
    """Whether reading the categories alone would give another type."""
    kind = attribute.value_type
    few = kind is ValueType.POLYNOMINAL and len(attribute.categories) <= 2
    return few or kind is ValueType.ORDINAL


def _type_text(attribute: Attribute) -> str:
    if attribute.value_type.is_nominal:
        return "{" + ",".join(map(_quoted, attribute.categories)) + "}"
    others = {ValueType.TEXT: "string", ValueType.DATE: "date"}
    return others.get(attribute.value_type, attribute.value_type.value)


def _quoted(text: str) -> str:
    """Return a text in quotes, unless it is a plain word."""
    if BARE.fullmatch(text) and text.isprintable():
        return text
    plain = text.replace("\\", "\\\\").replace("'", "\\'")
    for letter, character in ESCAPED.items():
        plain = plain.replace(character, f"\\{letter}")
    shown = [c if c.isprintable() or ord(c) >= 2**16 else f"\\u{ord(c):04x}" for c in plain]
    return f"'{''.join(shown)}'"
