"""Work that travels to other processes: pickled once, large arrays apart from it.

The layout of an array in memory is kept, because sums over another layout differ in the last bit.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from fsops.engine.layout import Array, Strided, as_strided, as_view, is_compact, view_of

LARGE = 2**20  # bytes from which an array is shared instead of sent


def pack(value: Any, share: Callable[[Array], Any]) -> bytes:
    """Return a value as bytes; ``share`` puts a large array elsewhere and returns its key."""
    import cloudpickle

    class Packer(cloudpickle.Pickler):  # type: ignore[misc]
        def persistent_id(self, found: Any) -> Any:
            if type(found) is np.ndarray and found.nbytes >= LARGE and is_compact(found):
                return None if found.dtype.hasobject else share(found)
            return None

        def reducer_override(self, found: Any) -> Any:
            if type(found) is np.ndarray and not found.dtype.hasobject and not is_compact(found):
                view = view_of(found)
                return NotImplemented if view is None else (as_view, (view,))
            return super().reducer_override(found)

    buffer = io.BytesIO()
    Packer(buffer, protocol=5).dump(value)
    return buffer.getvalue()


class _Unpacker(pickle.Unpickler):
    def __init__(self, packed: bytes, fetch: Callable[[Any], Array]) -> None:
        super().__init__(io.BytesIO(packed))
        self._fetch = fetch

    def persistent_load(self, key: Any) -> Array:
        return self._fetch(key)


def unpack(packed: bytes, fetch: Callable[[Any], Array]) -> Any:
    """Return the value that was packed; ``fetch`` finds a shared array by its key."""
    return _Unpacker(packed, fetch).load()


class _Sender(pickle.Pickler):
    def reducer_override(self, found: Any) -> Any:
        if type(found) is np.ndarray and not found.dtype.hasobject and not is_compact(found):
            return as_strided, (Strided(np.ascontiguousarray(found), found.strides),)
        return NotImplemented


def packed_result(value: Any) -> bytes:
    """Return a result as bytes: its arrays keep their layout, but take nothing along."""
    buffer = io.BytesIO()
    _Sender(buffer, protocol=5).dump(value)
    return buffer.getvalue()
