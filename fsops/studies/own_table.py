"""Reading a user's table: label, id, missing values, and omitted columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from fsops.core.registry import Registry
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, Schema, ValueType
from fsops.data.columns import is_missing
from fsops.data.number_texts import has_decimal_comma, numbers_with_unit, slips
from fsops.errors import UsageError, did_you_mean, enumerate_names, quoted
from fsops.storage.readers import Reader, reader_of, readers, with_label
from fsops.studies import column_meanings as guesses
from fsops.studies.design import (
    DesignColumns,
    censored,
    design_remarks,
    is_telling,
    recognised_roles,
    survival_time,
)
from fsops.studies.layout import (
    has_attributes_in_rows,
    laid_out,
    layout_remarks,
    looked_at,
    missing_remarks,
    no_table,
    read_table,
    takes,
    with_settings,
)

NO_DESIGN = DesignColumns()
NO_REASONS: Mapping[str, str] = MappingProxyType({})
NO_SETTINGS: Mapping[str, Any] = MappingProxyType({})
FEWEST_ROWS = 4
"""With fewer rows nothing can be learned and tested."""
OWN_NAME = 0.9
"""Of an id more than this fraction of the rows has a unique value."""

Known = tuple[Reader, ExampleSetMetaData]
"""The reader of a table, and its metadata."""


class OwnTable(NamedTuple):
    """The reader of a user's table, its metadata, and the reasons for omitted columns."""

    reader: Reader
    known: ExampleSetMetaData
    reasons: Mapping[str, str]


def own_table(
    table: Path,
    label: str | None,
    registry: Registry,
    design: DesignColumns = NO_DESIGN,
    settings: Mapping[str, Any] = NO_SETTINGS,
) -> OwnTable:
    """Return the operator that reads a table, with its settings, and the metadata.

    Without a label the name of a column must suggest it. Few numbers become classes, a column of
    names or numbers of the rows the id; dates and columns of numbers with slips are left out.
    Columns of the design of the study get their roles. ``settings`` are parameters of the reader
    that the user has given, such as transpose.
    """
    reader, known = laid_out(_reader(table, registry), table, label, settings)
    if known is None or known.schema is None:
        raise no_table(reader[1])
    _check_rows(known, table)
    reader, known = _with_gaps(*_with_decimals(reader, known))
    if label is None and design.time is not None:
        raise censored(design.time, design.event or "the event")
    reader = _labelled(reader, known, table, label)
    reader, known = _with_classes(reader, looked_at(reader) or known, table)
    _check_classes(known)
    reader, known, reasons = _with_design(reader, known, design)
    reader, known = _without_names(reader, known)
    reader, known, reasons = _without_empty(reader, known, reasons)
    if known.schema is not None and not len(known.schema.regular):
        raise UsageError(
            f'"{table}" has no column to select from. {remarks(reader, known, reasons)}',
            hint="If these are numbers with a decimal comma, save the table with semicolons "
            "between the columns.",
        )
    return OwnTable(reader, known, reasons)


def whole_table(table: Path, label: str | None, registry: Registry) -> ExampleSet:
    """Return all columns of a user's file, or with a label only those that a study would use."""
    if label is not None:
        return read_table(own_table(table, label, registry).reader)
    reader, known = laid_out(_reader(table, registry), table, None, NO_SETTINGS)
    return read_table(with_label(reader, known))


def _reader(table: Path, registry: Registry) -> Reader:
    """Return the operator that reads a file, or say why there is none."""
    found = reader_of(table, registry)
    if found is None:
        suffixes = enumerate_names(sorted(readers(registry)), 20)
        raise UsageError(f'fsops cannot read "{table}".', hint=f"Supported: {suffixes}.")
    if not table.is_file():
        raise UsageError(f'There is no file "{table}".', hint="Check the path.")
    return _decoded(found, table)


def remarks(
    reader: Reader,
    known: ExampleSetMetaData,
    reasons: Mapping[str, str] = NO_REASONS,
    table: ExampleSet | None = None,
) -> str:
    """Return in sentences the used and the omitted columns of a table.

    With the table itself the classes are counted, and missing values.
    """
    _, parameters = reader
    schema = known.schema
    label = schema.label if schema is not None else None
    if schema is None or label is None:
        return ""
    sentences = [f"{known.rows} rows, {_count(schema)}; {_label_kind(label, table)}."]
    if table is not None:
        sentences += _unlabelled(table, label)
    sentences += layout_remarks(parameters)
    if "id" in parameters:
        sentences.append(f"The id of the rows is {quoted(parameters['id'])}.")
    if "decimal_character" in parameters:
        sentences.append("Numbers have a decimal comma.")
    if "missing_values" in parameters:
        words = sorted(set(parameters["missing_values"]) & guesses.GAPS)
        sentences.append(f"Also taken as missing: {enumerate_names(words)}.")
    if "encoding" in parameters:
        sentences.append(f"The text is {parameters['encoding']}.")
    if "skip" in parameters:
        sentences.append(f"Left out: {_left_out(reader, reasons)}.")
    if table is not None:
        sentences += [*missing_remarks(table), *design_remarks(table)]
    elif "roles" in parameters:
        sentences += design_remarks(read_table(reader))
    return " ".join(sentences)


def _count(schema: Schema) -> str:
    number = len(schema.regular)
    return "1 attribute" if number == 1 else f"{number} attributes"


def _label_kind(label: Attribute, table: ExampleSet | None) -> str:
    if label.value_type.is_numerical:
        return f"{quoted(label.name)} is predicted as a number"
    classes = enumerate_names(label.categories)
    if table is not None:
        codes = table.column(label.name)
        counts = [int((codes == code).sum()) for code in range(len(label.categories))]
        shown = zip(label.categories[:5], counts, strict=False)
        classes = ", ".join(f"{quoted(name)} ({count})" for name, count in shown)
        more = len(counts) - 5
        classes += f" and {more} more" if more > 0 else ""
    return f"{quoted(label.name)} has the classes {classes}"


def _unlabelled(table: ExampleSet, label: Attribute) -> list[str]:
    """Return in a sentence how many rows have no label."""
    unknown = int(is_missing(table.column(label.name)).sum())
    if not unknown:
        return []
    rows, verb = ("1 row has", "is") if unknown == 1 else (f"{unknown} rows have", "are")
    return [f"{rows} no value in {quoted(label.name)} and {verb} left out."]


def _left_out(reader: Reader, reasons: Mapping[str, str]) -> str:
    """Return which columns are skipped, each kind with the reason."""
    operator, parameters = reader
    kept = {k: value for k, value in parameters.items() if k not in ("id", "skip", "roles")}
    whole = read_table((operator, kept)).schema
    kinds: dict[str, list[str]] = {}
    for name in parameters["skip"]:
        why = reasons.get(name) or _reason(whole.attribute(name), reader)
        kinds.setdefault(why, []).append(name)
    return "; ".join(f"{enumerate_names(names)} ({why})" for why, names in kinds.items())


def _reason(attribute: Attribute, reader: Reader) -> str:
    found = slips(attribute, _decimal(reader))
    if found:
        return f"text among numbers, such as {quoted(found[0])}: correct it in the file"
    if numbers_with_unit(attribute, _decimal(reader)):
        example = quoted(attribute.categories[0])
        return f"numbers with a unit, such as {example}: keep only the numbers in the file"
    kind = attribute.value_type
    names = kind.is_numerical or (kind.is_nominal and not guesses.has_dates(attribute))
    return "another value in nearly every row" if names else "dates"


def _decimal(reader: Reader) -> str:
    return str(reader[1].get("decimal_character", "."))


def _decoded(reader: Reader, table: Path) -> Reader:
    """Read text in another encoding than UTF-8, for instance from older spreadsheets."""
    encoding = guesses.encoding_of(table) if takes(reader, "encoding") else "utf-8"
    return reader if encoding == "utf-8" else with_settings(reader, encoding=encoding)


def _nominal(known: ExampleSetMetaData) -> list[Attribute]:
    schema = known.schema
    return (
        []
        if schema is None
        else list(map(schema.attribute, schema.names_at(schema.regular_nominal)))
    )


def _with_decimals(reader: Reader, known: ExampleSetMetaData) -> Known:
    """Read numbers such as 1,5 as numbers, unless the comma separates the columns."""
    if not takes(reader, "decimal_character") or known.schema is None:
        return reader, known
    if not any(map(has_decimal_comma, _nominal(known))):
        return reader, known
    changed = with_settings(reader, decimal_character=",")
    seen = looked_at(changed)
    same = seen is not None and seen.schema is not None and seen.schema.names == known.schema.names
    return (changed, seen) if seen is not None and same else (reader, known)


def _with_gaps(reader: Reader, known: ExampleSetMetaData) -> Known:
    """Take words such as n/a among numbers as missing values."""
    if not takes(reader, "missing_values"):
        return reader, known
    texts = (text for each in _nominal(known) for text in slips(each, _decimal(reader)))
    words = sorted(guesses.GAPS.intersection(texts))
    if not words:
        return reader, known
    parameter = next(each for each in reader[0].parameters if each.name == "missing_values")
    reader = with_settings(reader, missing_values=[*parameter.default, *words])
    return reader, looked_at(reader) or known


def _labelled(reader: Reader, known: ExampleSetMetaData, table: Path, label: str | None) -> Reader:
    if label is None:
        return with_label(reader, known)
    columns = known.schema.names if known.schema is not None else ()
    own = known.schema.label if known.schema is not None else None
    if own is not None and own.name == label and not takes(reader, "label"):  # as in SVMlight
        return reader
    if label in columns:
        return with_settings(reader, label=label)
    hint = did_you_mean(label, columns) or f"There are {enumerate_names(columns)}."
    if known.schema is not None and has_attributes_in_rows(known):
        hint += (
            f' The rows look like genes: add a row "{label}" with the class of each column; then '
            "rows and columns are exchanged."
        )
    raise UsageError(f'"{table}" has no column "{label}".', hint=hint)


def _check_rows(known: ExampleSetMetaData, table: Path) -> None:
    """Raise `UsageError` if a table has too few rows for any study."""
    if known.rows is not None and known.rows < FEWEST_ROWS:
        rows = "1 row" if known.rows == 1 else f"{known.rows} rows"
        hint = "A study needs at least a few rows of each class."
        if known.schema is not None and len(known.schema) > 10 * FEWEST_ROWS:
            hint += " If the rows of the file are genes, add --transpose."
        raise UsageError(f'"{table}" has {rows}; too few for training.', hint=hint)


def _with_classes(reader: Reader, known: ExampleSetMetaData, table: Path) -> Known:
    """Read a label of few numbers, such as 0 and 1, as classes."""
    label = known.schema.label if known.schema is not None else None
    if label is None:
        raise UsageError(
            f'Which column of "{table}" should be predicted?',
            hint=f"Give it with --label; there are {_likely_labels(known)}.",
        )
    if not known.label_numbers:
        return reader, known
    kind = "binominal" if len(known.label_numbers) == 2 else "polynominal"
    reader = with_settings(reader, types={label.name: kind})
    return reader, looked_at(reader) or known


def _likely_labels(known: ExampleSetMetaData) -> str:
    """Return columns that may be meant: the last one, those of few categories, then the others."""
    names = known.schema.names if known.schema is not None else ()
    given = list(known.schema.roles) if known.schema is not None else []
    few = [each.name for each in _nominal(known) if not _own_names(each, known)]
    first = dict.fromkeys([*given, *names[-1:], *few, *names])
    return enumerate_names(list(first))


def _own_names(attribute: Attribute, known: ExampleSetMetaData) -> bool:
    return len(attribute.categories) > OWN_NAME * (known.rows or 0)


def _check_classes(known: ExampleSetMetaData) -> None:
    """Raise `UsageError` if there is nothing to learn about the classes."""
    label = known.schema.label if known.schema is not None else None
    if label is None or not label.value_type.is_nominal:
        return
    if len(label.categories) < 2:
        one = enumerate_names(label.categories) or "no value"
        raise UsageError(
            f'All rows have {one} in "{label.name}", so there is nothing to predict.',
            hint="Give another column with --label.",
        )
    if _own_names(label, known):
        raise UsageError(
            f'Nearly every row has another value in "{label.name}", so nothing can be learned '
            "about it.",
            hint="Give another column with --label. If the rows are genes and the columns "
            "patients, exchange them first (docs/your-data.md; in R with t()).",
        )


def _with_design(reader: Reader, known: ExampleSetMetaData, design: DesignColumns) -> OwnTable:
    """Give columns of the design their roles; leave out the time of an event that is predicted."""
    schema = known.schema
    label = schema.label if schema is not None else None
    if schema is None or label is None:
        return OwnTable(reader, known, {})
    design.check(schema, label.name)
    if design == NO_DESIGN and not any(map(is_telling, schema.regular_names)):
        return OwnTable(reader, known, {})
    table = read_table(reader)
    reasons = dict.fromkeys(design.skip, "as asked for")
    time = survival_time(table, design)
    if time is not None:
        reasons[time] = "the time of an event is known only with it"
    roles = {**recognised_roles(table, design), **design.roles()}
    settings: dict[str, Any] = {"roles": roles} if roles else {}
    if reasons:
        settings["skip"] = sorted(reasons, key=schema.position)
    for name in settings:
        if not takes(reader, name):
            raise UsageError(f"{reader[0].title} cannot set {name}.", hint="Convert it to CSV.")
    if not settings:
        return OwnTable(reader, known, {})
    reader = with_settings(reader, **settings)
    return OwnTable(reader, looked_at(reader) or known, reasons)


def _without_names(reader: Reader, known: ExampleSetMetaData) -> Known:
    """Take the first column that names the rows as the id; leave out further ones, dates, slips."""
    schema = known.schema
    if schema is None or not takes(reader, "skip"):
        return reader, known
    nominal = _nominal(known)
    odd = [each.name for each in nominal if slips(each, _decimal(reader))]
    odd += [each.name for each in nominal if numbers_with_unit(each, _decimal(reader))]
    odd += [each.name for each in nominal if guesses.has_dates(each)]
    odd += schema.names_at(schema.regular_other)
    names = [each.name for each in nominal if _own_names(each, known) and each.name not in odd]
    names += _row_numbers(reader, schema)
    names.sort(key=schema.position)
    chosen: dict[str, Any] = {"id": names[0]} if names else {}
    if names[1:] or odd:
        before = reader[1].get("skip", [])
        chosen["skip"] = [*before, *sorted([*names[1:], *odd], key=schema.position)]
    if not chosen:
        return reader, known
    reader = with_settings(reader, **chosen)
    return reader, looked_at(reader) or known


def _without_empty(
    reader: Reader, known: ExampleSetMetaData, reasons: Mapping[str, str]
) -> OwnTable:
    """Leave out columns without any value: nothing can replace their missing values."""
    if not known.missing or not takes(reader, "skip"):
        return OwnTable(reader, known, reasons)
    table = read_table(reader)
    schema, rows = table.schema, len(table)
    empty = [n for n in schema.regular_names if table.missing_by_attribute.get(n) == rows]
    if not empty:
        return OwnTable(reader, known, reasons)
    reader = with_settings(reader, skip=[*reader[1].get("skip", []), *empty])
    known = looked_at(reader) or known
    return OwnTable(reader, known, {**reasons, **dict.fromkeys(empty, "no values")})


def _row_numbers(reader: Reader, schema: Schema) -> list[str]:
    """Return the columns of whole numbers that name the rows: the first one, or called so."""
    integers = np.intersect1d(schema.regular, schema.of_types([ValueType.INTEGER]))
    names = schema.names_at(integers).texts()
    whole = [name for name in names if name == schema.names[0] or guesses.is_called_id(name)]
    if not whole:
        return []
    table = read_table(reader)
    return [name for name in whole if guesses.numbers_rows(table.column(name), name)]
