"""Data with a name: samples, tables that the user has added, and public data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fsops.data import ExampleSet
from fsops.datasets import DATASETS, Dataset, find_data, find_dataset
from fsops.plugins import plugins
from fsops.storage.added_data import add_data, added_data, check_new_name
from fsops.studies.own_table import whole_table


def listed_data() -> list[dict[str, Any]]:
    """Return facts on all data: samples, then added tables, then public data sets."""
    return [*_samples(), *_added(), *map(_about, DATASETS)]


def described_data(name: str) -> dict[str, Any]:
    """Return facts on one data set with its content, or how to get it if its file is missing."""
    known = find_data(name)
    if not isinstance(known, Dataset):
        return {"name": known.name, "title": known.title, **_content(known.load())}
    about = _about(known)
    more = _content(known.load()) if about["here"] else {"how_to_get": known.how_to_get()}
    return about | more


def add_table(file: Path, name: str, label: str | None, *, replace: bool = False) -> Path:
    """Copy a table under a name, by which Retrieve finds it; return the file of the copy."""
    check_new_name(name, replace=replace)
    return add_data(name, whole_table(file, label, plugins().registry))


def _samples() -> list[dict[str, Any]]:
    samples = [s for s in plugins().samples.values() if find_dataset(s.name) is None]
    return [{"name": s.name, "title": s.title, "here": True} for s in samples]


def _added() -> list[dict[str, Any]]:
    return [{"name": s.name, "title": s.title, "here": True, "added": True} for s in added_data()]


def _about(known: Dataset) -> dict[str, Any]:
    path = known.path()
    return {
        "name": known.name,
        "title": known.title,
        "rows": known.rows,
        "attributes": known.attributes,
        "origin": known.origin,
        "source": known.source,
        "file": known.file,
        "sha256": known.sha256,
        "here": path is not None and path.is_file(),
    }


def _content(table: ExampleSet) -> dict[str, Any]:
    """Return size, label and classes of a table."""
    label = table.schema.label
    about: dict[str, Any] = {"rows": len(table), "attributes": len(table.schema.regular)}
    if label is not None:
        about["label"] = f"{label.name} ({label.value_type})"
        if label.value_type.is_nominal:
            values = table.to_pandas()[label.name].value_counts()
            about["classes"] = {name: int(values[name]) for name in label.categories}
    others = {name: role for name, role in table.schema.roles.items() if role != "label"}
    return about | ({"other_roles": others} if others else {})
