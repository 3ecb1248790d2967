"""The common rules of reader and writer of process files.

A file may say more than a process has a place for. Nothing of that is lost: it is kept in the
``extras`` of its operator or process, as plain data:

``attributes``
    Attributes we do not know, by name.
``elements``
    Elements we do not know, and comments after the last known one, as XML text in their order.
``before``
    Comments directly before the element.
``after``
    Comments after the end of the process; only for the place `FILE`.
``parameters``
    Settings of the process as a whole besides the seed.
``inside``
    The same again for parts without extras, by place: parameters, their
    items, connections, notes, macros.
"""

from __future__ import annotations

import re
from typing import Any

FORMAT = 1
"""Raised when an fsops of today could not read the files any more."""
VERSION_PREFIX = "fsops-"
VERSION = re.compile(rf"{VERSION_PREFIX}([1-9][0-9]{{0,8}})")
FOREIGN_VERSION = "rapidminer"
"""The attribute that keeps which RapidMiner wrote a file first."""

ROOT_CLASS = "process"
DEFAULT_NAMES = ("Process", "Root")
"""RapidMiner's name of every process."""
SEED = "random_seed"
POSITION = ("x", "y", "width", "height")
OPERATOR_ATTRIBUTES = ("class", "name", "activated", "breakpoints", *POSITION)
CONNECT_ATTRIBUTES = ("from_op", "from_port", "to_op", "to_port", "bends")
SETTINGS = ("parameter", "list", "enumeration")
MACRO_PARTS = ("key", "value")
TAGS = frozenset(
    ("process", "operator", "connect", "description", "context", "macros", "macro")
    + SETTINGS
    + MACRO_PARTS
)
"""Elements that are allowed only where the grammar has them; others are kept anywhere."""

Extra = dict[str, Any]
Place = tuple[str, ...]

ATTRIBUTES, ELEMENTS, BEFORE, AFTER = "attributes", "elements", "before", "after"
PARAMETERS, INSIDE = "parameters", "inside"

FILE: Place = ("file",)
OPERATOR: Place = ("operator",)
CONTEXT: Place = ("context",)
MACROS: Place = ("macros",)
NOTE: Place = ("note",)


def keep_inside(extras: Extra, place: Place, extra: Extra) -> None:
    """Keep the extras of a place, if there are any."""
    if extra:
        extras.setdefault(INSIDE, {})[place] = extra


def kept_inside(extras: Extra, *place: str) -> Extra:
    """Return the extras of a place."""
    found: Extra = extras.get(INSIDE, {}).get(place, {})
    return found
