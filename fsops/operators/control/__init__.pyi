from .collections import (
    collect,
    flatten,
    select,
)
from .loops import (
    loop,
    loop_and_average,
    loop_attributes,
    loop_collection,
    loop_values,
)
from .memory import (
    extract_macro,
    recall,
    remember,
    set_macro,
    set_macros,
)
from .structure import (
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
