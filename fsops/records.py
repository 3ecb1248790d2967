"""Dataclasses that are made quickly: what all classes can share is not written for each of them.

Python's own decorator compiles a ``__repr__``, an ``__eq__`` and a ``__hash__`` for every class.
fsops has hundreds of small records, and a small run made more than a hundred of them before it
could start: a tenth of its time. Here these methods are written once. Everything else, fields,
``__init__``, ``frozen``, ``slots``, ``replace``, is Python's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls: type | None = None, /, *, eq: bool = True, frozen: bool = False, slots: bool = False
    ) -> Any:
        """Make a dataclass; may be called with or without options, as Python's own."""

        def made(cls: type) -> type:
            own = vars(cls)
            if "__repr__" not in own:
                cls.__repr__ = _repr
            if eq and own.get("__hash__") is None:  # Python sets None where there is an __eq__
                cls.__hash__ = _hash if frozen else None
            if eq and "__eq__" not in own:
                cls.__eq__ = _eq
            made = dataclasses.dataclass(cls, eq=False, repr=False, frozen=frozen, slots=slots)
            made._compared = staticmethod(_values_that_are_compared(made))
            return made

        return made if cls is None else made(cls)


def _values_that_are_compared(cls: Any) -> Callable[[Any], Any]:
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    if len(names) > 1:
        return attrgetter(*names)
    # As a tuple, too: a value is equal to itself there, even NaN.
    return lambda record: tuple(getattr(record, name) for name in names)


@recursive_repr()
def _repr(self: Any) -> str:
    values = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(values)})"


def _eq(self: Any, other: Any) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    return self._compared(self) == self._compared(other)


def _hash(self: Any) -> int:
    return hash(self._compared(self))
