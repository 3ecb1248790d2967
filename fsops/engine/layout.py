"""Arrays and where they lie: a view can be made again from the array that owns its memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class View(NamedTuple):
    """How a view lies in the memory of another array."""

    owner: Array
    dtype: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def is_compact(array: Array) -> bool:
    """Return whether the array fills its memory, in the order of rows or of columns."""
    return array.flags.c_contiguous or array.flags.f_contiguous


def view_of(array: Array) -> View | None:
    """Return how to make a view again; None if what it looks at has no simple layout itself."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if owner is array or not is_compact(owner) or owner.dtype.hasobject:
        return None
    offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return View(owner, array.dtype.str, offset, array.shape, array.strides)


def as_view(view: View) -> Array:
    """Return the view."""
    # "K" is the order in memory, so no copy is made. np.ndarray refuses a view beyond the buffer:
    # offsets from a file cannot reach other memory.
    memory = view.owner.ravel(order="K").view(np.uint8)
    return np.ndarray(view.shape, np.dtype(view.dtype), memory, view.offset, view.strides)


class Strided(NamedTuple):
    """The values of a view, with the steps between them, but without what lies between."""

    values: Array
    strides: tuple[int, ...]


def as_strided(strided: Strided) -> Array:
    """Return an array with the same values and steps, in memory of its own."""
    values, strides = strided
    steps = [(n - 1) * step for n, step in zip(values.shape, strides, strict=True)]
    # With a negative step the first element is not at the start of the memory.
    first = -sum(step for step in steps if step < 0)
    last = sum(step for step in steps if step > 0)
    memory = np.empty(first + last + values.itemsize, np.uint8)
    made: Array = np.ndarray(values.shape, values.dtype, memory, first, strides)
    made[...] = values
    return made
