"""Tables that the user has added under a name, with ``fsops data add``.

They are the tables at the top of the repository, so Retrieve finds them in every process.
"""

from __future__ import annotations

import string
from functools import partial
from pathlib import Path
from typing import cast

from fsops.data import ExampleSet
from fsops.errors import UsageError
from fsops.plugins import Sample, plugins
from fsops.storage.repository import (
    REPOSITORY,
    TABLE_SUFFIX,
    load_entry,
    named_tables,
    plain_name,
    store_entry,
)

_IN_NAMES = frozenset(string.ascii_letters + string.digits + " _-")


def added_data() -> list[Sample]:
    """Return the tables that the user has added."""
    return [Sample(_name(f), "Added by you", partial(_load, f)) for f in named_tables().values()]


def add_data(name: str, table: ExampleSet) -> Path:
    """Keep a table under a name, in place of an added one of that name; return its file."""
    former = named_tables().get(plain_name(name))
    stored = name.strip() if former is None else _name(former)
    return store_entry(table, f"{REPOSITORY}Local Repository/{stored}")


def check_new_name(name: str, *, replace: bool = False) -> None:
    """Refuse a name for added data that is taken, or that cannot be the name of a file."""
    if not name.strip() or not set(name) <= _IN_NAMES or name.startswith("-"):
        raise UsageError(
            f'Data cannot be called "{name}".',
            hint="Give --name with letters, digits, spaces, hyphens and underscores.",
        )
    try:
        taken = plugins().sample(name).name
    except UsageError:
        former = named_tables().get(plain_name(name))
        if former is None or replace:
            return
        raise UsageError(
            f'You have already added data called "{_name(former)}".',
            hint="Replace it with --force, or give another --name.",
        ) from None
    raise UsageError(f'fsops already knows data called "{taken}".', hint="Give another --name.")


def _name(file: Path) -> str:
    return file.name.removesuffix(TABLE_SUFFIX)


def _load(file: Path) -> ExampleSet:
    return cast(ExampleSet, load_entry(file))
