"""Which operator reads a file: by its suffix, as the operators declare it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fsops.core.declare.parameters import check_parameters
from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.data import ExampleSet, ExampleSetMetaData
from fsops.errors import FsopsError
from fsops.storage.compressed import PACKED, first_text
from fsops.storage.text_layout import is_geo

TEXTS = (".csv", ".tsv", ".txt", ".tab")

LABELS = ("label", "class", "target", "y", "diagnosis", "outcome")
"""Names of columns that are likely the label."""

Reader = tuple[Operator, dict[str, Any]]
"""An operator, and the parameters with which it reads something."""


def readers(registry: Registry) -> dict[str, tuple[Operator, str]]:
    """Return the operator for each suffix, and its parameter for the file, as they declare it.

    Where several read a suffix, an operator of fsops goes before one of a plugin, so that a plugin
    does not change how files are read; then one that gives a table before the others.
    """
    found: dict[str, tuple[Operator, str]] = {}
    sources = [spec for spec in registry if not spec.inputs]
    for spec in sorted(sources, key=lambda spec: (":" in spec.key, not _gives_table(spec))):
        for parameter in spec.parameters:
            if parameter.file is not None and not parameter.file.write and parameter.required:
                for suffix in parameter.file.suffixes:
                    found.setdefault(suffix.lower(), (spec, parameter.name))
    return found


def _gives_table(spec: Operator) -> bool:
    return any(issubclass(port.type, ExampleSet) for port in spec.outputs)


def reader_of(path: Path, registry: Registry) -> Reader | None:
    """Return the operator that reads a file, and its parameters; None if there is none."""
    suffix = path.suffix.lower()
    if suffix == ".ioo":  # a file of a repository, where the name goes without it
        return registry["retrieve"], {"repository_entry": str(path.with_suffix(""))}
    if suffix in PACKED and Path(path.stem).suffix.lower() not in ("", *TEXTS):
        return None
    if suffix in (*TEXTS, *PACKED) and "read_geo_series_matrix" in registry and _is_geo(path):
        return registry["read_geo_series_matrix"], {"path": str(path)}
    known = readers(registry).get(suffix)
    return None if known is None else (known[0], {known[1]: str(path)})


def _is_geo(path: Path) -> bool:
    """Whether a text file, perhaps compressed, is a GEO series matrix."""
    try:
        return path.is_file() and is_geo(first_text(path))
    except (FsopsError, OSError):
        return False


def described(reader: Reader) -> ExampleSetMetaData | None:
    """Return the metadata of a table before it is read as a whole; None if unknown."""
    try:
        return inspect(reader)
    except (FsopsError, OSError):
        return None


def inspect(reader: Reader) -> ExampleSetMetaData | None:
    """Return the metadata of a table; raise the error that prevents reading."""
    operator, parameters = reader
    values = check_parameters(operator.parameters, parameters)
    found = next(iter(operator.described({}, values, []).values()), None)
    return found if isinstance(found, ExampleSetMetaData) else None


def takes_label(reader: Reader) -> bool:
    """Return whether a reader has a parameter for the label column."""
    operator, _ = reader
    return any(parameter.name == "label" for parameter in operator.parameters)


def with_label(reader: Reader, known: ExampleSetMetaData | None = None) -> Reader:
    """Return a reader that also sets the label column, if a name suggests it.

    ``known`` is the metadata of the table, if known before.
    """
    operator, parameters = reader
    if not takes_label(reader):
        return reader
    known = known or described(reader)
    schema = known.schema if known is not None else None
    if schema is None or schema.label is not None:
        return reader
    columns = {attribute.name.lower(): attribute.name for attribute in schema}
    label = next((columns[name] for name in LABELS if name in columns), None)
    return (operator, parameters | {"label": label}) if label else reader
