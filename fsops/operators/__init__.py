"""The built-in operators, as plain functions: ``from fsops.operators import weight_by_sam``.

A module is loaded when one of its operators is first needed: all of them would take longer than
most small runs. They are registered in ``fsops.operators.hooks``, as those of any plugin.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fsops.operators.control import *
    from fsops.operators.data_access import *
    from fsops.operators.modeling import *
    from fsops.operators.preparation import *
    from fsops.operators.search import *
    from fsops.operators.selection import *
    from fsops.operators.utility import *
    from fsops.operators.validation import *
    from fsops.operators.weighting import *

GROUPS = (
    "control",
    "data_access",
    "modeling",
    "preparation",
    "search",
    "selection",
    "utility",
    "validation",
    "weighting",
)
GROUP_OF = {
    name: f"{__name__}.{group}"
    for group in GROUPS
    for name in importlib.import_module(f"{__name__}.{group}").__all__
}
"""Which package has the operator of a name."""

__all__ = [*GROUP_OF]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in GROUP_OF:
        raise AttributeError(f"module 'fsops.operators' has no attribute {name!r}")
    return getattr(importlib.import_module(GROUP_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
