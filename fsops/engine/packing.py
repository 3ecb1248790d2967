"""Work that travels to other processes: pickled once, large arrays apart from it.

The layout of an array in memory is kept, because sums over another layout differ in the last bit.
Long lists of names, and other long tuples, do not travel back with every result: both sides have
them from the work, and a result says which one it means.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from fsops.data.names import Part
from fsops.engine.layout import Array, Strided, as_strided, as_view, is_compact, view_of

LARGE = 2**20  # bytes from which an array is shared instead of sent
LONG = 200  # entries from which a tuple is sent only once

CONSTANT = (str, int, float, bool, bytes, type(None))

Constants = list[tuple[Any, ...] | Part]


def pack(value: Any, share: Callable[[Array], Any]) -> tuple[bytes, Constants]:
    """Return a value as bytes, and its long constants, for the results that name them.

    ``share`` puts a large array elsewhere and returns its key.
    """
    # Functions that operators give to `ctx.map` are often local, which pickle refuses.
    import cloudpickle

    seen: dict[int, tuple[Any, ...] | Part] = {}

    class Packer(cloudpickle.Pickler):  # type: ignore[misc]
        def persistent_id(self, found: Any) -> Any:
            if type(found) is np.ndarray and found.nbytes >= LARGE and is_compact(found):
                # Arrays of Python objects hold pointers, which mean nothing in another process.
                return None if found.dtype.hasobject else share(found)
            if (type(found) is tuple or isinstance(found, Part)) and len(found) >= LONG:
                seen[id(found)] = found  # also to keep its number from being used again
            return None

        def reducer_override(self, found: Any) -> Any:
            if type(found) is np.ndarray and not found.dtype.hasobject and not is_compact(found):
                view = view_of(found)
                return NotImplemented if view is None else (as_view, (view,))
            return super().reducer_override(found)

    buffer = io.BytesIO()
    packer = Packer(buffer, protocol=5)
    packer.dump(value)
    long = [found for found in seen.values() if _cannot_change(found)]
    packer.dump(long)  # mostly references: the same packer remembers what it has written
    return buffer.getvalue(), long


def _cannot_change(found: tuple[Any, ...] | Part) -> bool:
    """Return whether it means the same on both sides, whatever a worker does with it."""
    return isinstance(found, Part) or all(type(item) in CONSTANT for item in found)


# pickle is safe here: the bytes come from our own processes, never from a file of a user.
class _Unpacker(pickle.Unpickler):
    def __init__(self, packed: bytes, fetch: Callable[[Any], Array]) -> None:
        super().__init__(io.BytesIO(packed))
        self._fetch = fetch

    def persistent_load(self, key: Any) -> Array:
        return self._fetch(key)


def unpack(packed: bytes, fetch: Callable[[Any], Array]) -> tuple[Any, Constants]:
    """Return the value that was packed and its constants; ``fetch`` finds arrays by their key."""
    unpacker = _Unpacker(packed, fetch)
    return unpacker.load(), unpacker.load()


class _Sender(pickle.Pickler):
    def __init__(self, buffer: io.BytesIO, known: Constants) -> None:
        super().__init__(buffer, protocol=5)
        self._known = {id(found): number for number, found in enumerate(known)}

    def persistent_id(self, found: Any) -> int | None:
        constant = type(found) is tuple or isinstance(found, Part)
        return self._known.get(id(found)) if constant else None

    def reducer_override(self, found: Any) -> Any:
        if type(found) is np.ndarray and not found.dtype.hasobject and not is_compact(found):
            # Not as a view of its owner: a small result could take a large table along.
            return as_strided, (Strided(np.ascontiguousarray(found), found.strides),)
        return NotImplemented


def pack_result(value: Any, known: Constants) -> bytes:
    """Return a result as bytes: its arrays keep their layout, but take nothing along.

    Of ``known`` constants, those that came with the work, it holds the number only.
    """
    buffer = io.BytesIO()
    _Sender(buffer, known).dump(value)
    return buffer.getvalue()


class _Receiver(pickle.Unpickler):
    def __init__(self, packed: bytes, known: Constants) -> None:
        super().__init__(io.BytesIO(packed))
        self._known = known

    def persistent_load(self, number: int) -> tuple[Any, ...] | Part:
        return self._known[number]


def unpack_result(packed: bytes, known: Constants) -> Any:
    """Return the result that one of our own workers has packed."""
    return _Receiver(packed, known).load()
