"""The built-in operators, as plain functions: ``from fsops.operators import weight_by_sam``.

They are registered through the same hooks as those of any plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fsops.core.operator import operators_in
from fsops.operators import (
    control,
    data_access,
    modeling,
    preparation,
    search,
    selection,
    utility,
    validation,
    weighting,
)
from fsops.operators.control import *
from fsops.operators.data_access import *
from fsops.operators.data_access.samples import SAMPLES
from fsops.operators.modeling import *
from fsops.operators.preparation import *
from fsops.operators.search import *
from fsops.operators.selection import *
from fsops.operators.utility import *
from fsops.operators.validation import *
from fsops.operators.weighting import *
from fsops.plugins import Sample, hookimpl

__all__: list[str] = []
__all__ += control.__all__
__all__ += data_access.__all__
__all__ += modeling.__all__
__all__ += preparation.__all__
__all__ += search.__all__
__all__ += selection.__all__
__all__ += utility.__all__
__all__ += validation.__all__
__all__ += weighting.__all__


@hookimpl
def fsops_operators() -> Sequence[Callable[..., Any]]:
    """Return all operators of this module."""
    return operators_in(globals())


@hookimpl
def fsops_samples() -> Sequence[Sample]:
    """Return the data sets that come with fsops."""
    return SAMPLES
