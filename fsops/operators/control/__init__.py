"""Control: boxes, branches, loops, collections, macros."""

from fsops.operators.control.collections import collect, flatten, select
from fsops.operators.control.loops import (
    loop,
    loop_and_average,
    loop_attributes,
    loop_collection,
    loop_values,
)
from fsops.operators.control.memory import (
    extract_macro,
    recall,
    remember,
    set_macro,
    set_macros,
)
from fsops.operators.control.structure import (
    branch,
    handle_exception,
    multiply,
    select_subprocess,
    subprocess,
)

__all__ = [
    "branch",
    "collect",
    "extract_macro",
    "flatten",
    "handle_exception",
    "loop",
    "loop_and_average",
    "loop_attributes",
    "loop_collection",
    "loop_values",
    "multiply",
    "recall",
    "remember",
    "select",
    "select_subprocess",
    "set_macro",
    "set_macros",
    "subprocess",
]
