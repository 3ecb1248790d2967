"""Arrays and where they lie: a view can be made again from the array that owns its memory."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
PLAIN_KINDS = "biufcmMSU"
"""Kinds of numpy's types whose values are plain bytes; "O" (objects) and "V" (records) are not."""
LARGEST_ITEM = 2**20
"""Bytes of one value, such as a text of fixed length."""


class View(NamedTuple):
    """The place of a view in the memory of another array."""

    owner: Array
    dtype: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def is_compact(array: Array) -> bool:
    """Return whether the array fills its memory, in the order of rows or of columns."""
    return array.flags.c_contiguous or array.flags.f_contiguous


def view_of(array: Array) -> View | None:
    """Return how to make a view again; None if its base has no simple layout."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if owner is array or not is_compact(owner) or owner.dtype.hasobject:
        return None
    offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return View(owner, array.dtype.str, offset, array.shape, array.strides)


def is_plain(dtype: np.dtype[Any]) -> bool:
    """Return whether values of a type are plain numbers, dates or texts of a fixed length.

    Objects are pointers: made from the bytes of a file they end the interpreter, or worse.
    Structured types may contain them.
    """
    return dtype.kind in PLAIN_KINDS and not dtype.hasobject and 0 < dtype.itemsize <= LARGEST_ITEM


def lies_inside(view: View) -> bool:
    """Return whether a view has plain values, each of them inside the memory of its owner.

    A view of more values than its owner has (steps of 0) does not count: it could be endless.
    """
    dtype = np.dtype(view.dtype)
    if not (is_plain(dtype) and is_plain(view.owner.dtype) and is_compact(view.owner)):
        return False
    numbers = (view.offset, *view.shape, *view.strides)
    whole = all(type(n) is int and abs(n) < 2**62 for n in numbers)
    if not whole or len(view.shape) != len(view.strides) or any(n < 0 for n in view.shape):
        return False
    count = math.prod(view.shape)
    if count == 0:
        return 0 <= view.offset <= view.owner.nbytes
    steps = [(n - 1) * step for n, step in zip(view.shape, view.strides, strict=True)]
    first = view.offset + sum(step for step in steps if step < 0)
    last = view.offset + sum(step for step in steps if step > 0) + dtype.itemsize
    return first >= 0 and max(last, count * dtype.itemsize) <= view.owner.nbytes


def as_view(view: View) -> Array:
    """Return the view; one from a file must have passed `lies_inside`."""
    # "K" is the order in memory, so no copy is made.
    memory = view.owner.ravel(order="K").view(np.uint8)
    return np.ndarray(view.shape, np.dtype(view.dtype), memory, view.offset, view.strides)


class Strided(NamedTuple):
    """The values of a view, with the steps between them, but without the memory between."""

    values: Array
    strides: tuple[int, ...]


def as_strided(strided: Strided) -> Array:
    """Return an array with the same values and steps, in new memory."""
    values, strides = strided
    steps = [(n - 1) * step for n, step in zip(values.shape, strides, strict=True)]
    # With a negative step the first element is not at the start of the memory.
    first = -sum(step for step in steps if step < 0)
    last = sum(step for step in steps if step > 0)
    memory = np.empty(first + last + values.itemsize, np.uint8)
    made: Array = np.ndarray(values.shape, values.dtype, memory, first, strides)
    made[...] = values
    return made
