"""Work that travels to other processes: pickled once, large arrays apart from it.

The layout of an array in memory is kept, because sums over another layout differ in the last bit.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
LARGE = 2**20  # bytes from which an array is shared instead of sent


def pack(value: Any, share: Callable[[Array], Any]) -> bytes:
    """Return a value as bytes; ``share`` puts a large array elsewhere and returns its key."""
    import cloudpickle

    class Packer(cloudpickle.Pickler):  # type: ignore[misc]
        def persistent_id(self, found: Any) -> Any:
            if type(found) is np.ndarray and found.nbytes >= LARGE and _is_compact(found):
                return None if found.dtype.hasobject else share(found)
            return None

        def reducer_override(self, found: Any) -> Any:
            if type(found) is np.ndarray and not found.dtype.hasobject and not _is_compact(found):
                return _as_view(found)
            return super().reducer_override(found)

    buffer = io.BytesIO()
    Packer(buffer, protocol=5).dump(value)
    return buffer.getvalue()


def unpack(packed: bytes, fetch: Callable[[Any], Array]) -> Any:
    """Return the value that was packed; ``fetch`` finds a shared array by its key."""

    class Unpacker(pickle.Unpickler):
        def persistent_load(self, key: Any) -> Array:
            return fetch(key)

    return Unpacker(io.BytesIO(packed)).load()


def _is_compact(array: Array) -> bool:
    return array.flags.c_contiguous or array.flags.f_contiguous


def _as_view(array: Array) -> Any:
    """Return how to make a view again, of the array that owns the memory."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if owner is array or not _is_compact(owner) or owner.dtype.hasobject:
        return NotImplemented
    offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return _view, (owner, array.dtype, offset, array.shape, array.strides)


def _view(
    owner: Array,
    dtype: np.dtype[Any],
    offset: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
) -> Array:
    memory = owner.ravel(order="K").view(np.uint8)
    return np.ndarray(shape, dtype, memory, offset, strides)
