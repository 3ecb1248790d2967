"""Results as JSON and plain arrays: a file can never run code.

Arrays keep their layout in memory, because sums over another layout differ in the last bit. Of
objects only those of fsops itself are stored, by their fields; scikit-learn's estimators by skops,
which refuses unknown types. Whatever else there is makes a result that is not kept.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import io
import json
import math
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fsops.data import ExampleSet
from fsops.data.names import Names
from fsops.data.weights import Details
from fsops.engine.cache.table_checks import check_table
from fsops.engine.layout import (
    Array,
    View,
    as_view,
    is_compact,
    is_plain,
    lies_inside,
    view_of,
)

FUNCTIONS = ("fsops.algorithms.", "fsops.data.")
"""Where functions may come from: those that read no files, and start nothing."""
OBJECTS = (*FUNCTIONS, "fsops.operators.")
ENVELOPES = frozenset(
    {
        "fsops.core.frame.events:Logged",
        "fsops.core.frame.state:Changes",
        "fsops.core.frame.state:LastRun",
        "fsops.engine.executor:CachedCall",
        "fsops.core.frame.loops:CachedIteration",
    }
)
"""The wrapper of results. No other part of fsops has a place in a file."""


class CannotKeep(Exception):
    """The result holds something that cannot be stored safely."""


def encode(value: Any) -> bytes:
    """Return a result as bytes; `CannotKeep` if it holds something unknown."""
    encoder = _Encoder()
    tree = json.dumps(encoder.tree(value), separators=(",", ":")).encode()
    buffer = io.BytesIO()
    buffer.write(len(tree).to_bytes(8, "little"))
    buffer.write(tree)
    for array in encoder.arrays:
        np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def decode(stored: bytes) -> Any:
    """Return the result; any fault in the bytes raises some exception."""
    buffer = io.BytesIO(stored)
    size = int.from_bytes(buffer.read(8), "little")
    tree = json.loads(buffer.read(size))
    arrays = []
    while buffer.tell() < len(stored):
        array = _read_array(buffer, len(stored))
        # Cached values are shared. Engines also send a read-only array to workers only once.
        array.flags.writeable = False
        arrays.append(array)
    return _Decoder(arrays).value(tree)


def _read_array(buffer: io.BytesIO, end: int) -> Array:
    """Return the next array; its head must be that of `encode`, and its values must be there."""
    start = buffer.tell()
    version = np.lib.format.read_magic(buffer)
    if version != (1, 0):
        raise CannotKeep("an array of another version")
    shape, _, dtype = np.lib.format.read_array_header_1_0(buffer)
    fits = all(type(n) is int and n >= 0 for n in shape) and is_plain(dtype)
    # Compared before numpy makes an array of that size.
    if not fits or math.prod(shape) * dtype.itemsize > end - buffer.tell():
        raise CannotKeep("an array that the file does not hold")
    buffer.seek(start)
    array: Array = np.lib.format.read_array(buffer, allow_pickle=False)
    return array


class _Encoder:
    """Converts values into a tree of JSON; a value that occurs twice is stored once."""

    def __init__(self) -> None:
        self.arrays: list[Array] = []
        self._known: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no number of an object is used again

    def tree(self, value: Any) -> Any:
        if value is None or isinstance(value, bool) or type(value) in (int, str):
            return value
        # The exact type: np.float64 is a float too, but must come back as a numpy scalar.
        if type(value) is float:
            return value if math.isfinite(value) else {"float": value.hex()}
        if id(value) in self._known:
            return {"again": self._known[id(value)]}
        kind, content = self._parts(value)
        # After its parts: the decoder numbers the values in the same order.
        self._known[id(value)] = len(self._kept)
        self._kept.append(value)
        return {kind: content}

    def _parts(self, value: Any) -> tuple[str, Any]:
        for kinds, write in self._writers():
            if isinstance(value, kinds):
                return write(value)
        return "object", [_place(type(value)), self._fields(value)]

    def _writers(self) -> list[tuple[Any, Callable[[Any], tuple[str, Any]]]]:
        return [
            (np.ndarray, self._array),
            # As texts: equal names have equal bytes, whatever they share with others in memory.
            (Names, lambda v: ("names", v.texts())),
            (Details, self._details),
            (np.generic, lambda v: ("scalar", self.tree(np.asarray(v)))),
            (enum.Enum, lambda v: ("enum", [_place(type(v)), v.name])),
            (tuple, self._tuple),
            (list, lambda v: ("list", [self.tree(item) for item in v])),
            # Sorted, because `content_key` hashes these bytes and the order of a set varies.
            (frozenset | set, lambda v: ("set", [self.tree(i) for i in sorted(v)])),
            (types.MappingProxyType | dict, self._pairs),
            (types.FunctionType | type, lambda v: ("name", _place(v, FUNCTIONS))),
            (functools.partial, self._partial),
            (_estimator_type(), lambda v: ("estimator", self._array(_dumped(v))[1])),
        ]

    def _array(self, array: Array) -> tuple[str, Any]:
        if array.dtype.hasobject:
            return "texts", [list(array.shape), [self.tree(item) for item in array.ravel()]]
        if type(array) is not np.ndarray:
            raise CannotKeep(type(array).__qualname__)
        if not is_plain(array.dtype):
            raise CannotKeep(f"an array of {array.dtype}")
        if is_compact(array):
            self.arrays.append(array)
            return "array", len(self.arrays) - 1
        view = view_of(array)
        if view is None or not lies_inside(view):
            raise CannotKeep("an array in an unusual layout")
        return "view", [self.tree(view.owner), list(view[1:])]

    def _tuple(self, value: tuple[Any, ...]) -> tuple[str, Any]:
        items = [self.tree(item) for item in value]
        return ("tuple", items) if type(value) is tuple else ("named", [_place(type(value)), items])

    def _details(self, value: Details) -> tuple[str, Any]:
        columns = [[key, self.tree(column)] for key, column in value.items()]
        return "details", [value.count, columns]

    def _pairs(self, value: Mapping[Any, Any]) -> tuple[str, Any]:
        return "dict", [[self.tree(k), self.tree(v)] for k, v in value.items()]

    def _partial(self, value: functools.partial[Any]) -> tuple[str, Any]:
        parts = (value.func, value.args, dict(value.keywords))
        return "partial", [self.tree(part) for part in parts]

    def _fields(self, value: Any) -> Any:
        # Cached properties are left out: the bytes must not depend on earlier queries.
        cached = {
            name
            for base in type(value).__mro__
            for name, found in vars(base).items()
            if isinstance(found, functools.cached_property)
        }
        fields = {k: v for k, v in _state(value).items() if k not in cached}
        return [[name, self.tree(field)] for name, field in fields.items()]


class _Decoder:
    """Converts a tree back into values."""

    def __init__(self, arrays: list[Array]) -> None:
        self._arrays = arrays
        self._made: list[Any] = []
        # A table, because the kind comes from the file: it must not name any other method.
        self._readers: Mapping[str, Callable[[Any], Any]] = {
            "array": self._array,
            "names": self._names,
            "details": self._details,
            "scalar": self._scalar,
            "texts": self._texts,
            "view": self._view,
            "enum": self._enum,
            "tuple": self._tuple,
            "named": self._named,
            "list": self._list,
            "set": self._set,
            "dict": self._dict,
            "name": self._name,
            "partial": self._partial,
            "estimator": self._estimator,
            "object": self._object,
        }

    def value(self, tree: Any) -> Any:
        if not isinstance(tree, dict):
            return tree
        ((kind, content),) = tree.items()
        if kind == "float":
            return float.fromhex(content)
        if kind == "again":
            return self._made[_position(content)]
        made = self._readers[kind](content)
        self._made.append(made)
        return made

    def _array(self, number: int) -> Array:
        return self._arrays[_position(number)]

    def _names(self, content: Any) -> Names:
        return Names.of([str(name) for name in content])

    def _details(self, content: Any) -> Details:
        count, columns = content
        return Details({key: self.value(column) for key, column in columns}, count)

    def _scalar(self, content: Any) -> Any:
        return self.value(content)[()]

    def _texts(self, content: Any) -> Array:
        shape, items = content
        array = np.empty(len(items), dtype=object)
        array[:] = [self.value(item) for item in items]
        return array.reshape(shape)

    def _view(self, content: Any) -> Array:
        owner, (dtype, offset, shape, strides) = self.value(content[0]), content[1]
        if type(owner) is not np.ndarray or type(dtype) is not str:
            raise CannotKeep("a view of something else")
        view = View(owner, dtype, offset, tuple(shape), tuple(strides))
        if not lies_inside(view):
            raise CannotKeep("a view beyond its owner")
        return as_view(view)

    def _enum(self, content: Any) -> Any:
        return _found(content[0], enum.Enum)[content[1]]

    def _tuple(self, content: Any) -> Any:
        return tuple(self.value(item) for item in content)

    def _named(self, content: Any) -> Any:
        kind = _found(content[0], tuple)
        return kind(*(self.value(item) for item in content[1]))

    def _list(self, content: Any) -> Any:
        return [self.value(item) for item in content]

    def _set(self, content: Any) -> Any:
        return frozenset(self.value(item) for item in content)

    def _dict(self, content: Any) -> Any:
        return {self.value(key): self.value(value) for key, value in content}

    def _name(self, content: str) -> Any:
        return _found(content, object, FUNCTIONS)

    def _partial(self, content: Any) -> Any:
        function, arguments, keywords = (self.value(part) for part in content)
        return functools.partial(function, *arguments, **keywords)

    def _estimator(self, number: int) -> Any:
        import skops.io

        # Nothing extra is trusted: skops loads only the types that it knows to be safe.
        return skops.io.loads(self._array(number).tobytes(), trusted=[])

    def _object(self, content: Any) -> Any:
        kind = _found(content[0], object)
        # Without __init__, which could run code with arguments from the file.
        made = object.__new__(kind)
        for name, tree in content[1]:
            object.__setattr__(made, name, self.value(tree))
        if isinstance(made, ExampleSet):
            check_table(made)
        return made


def _position(number: Any) -> int:
    """Return a position in a list; a file may not count from the end."""
    if type(number) is not int or number < 0:
        raise CannotKeep("a position")
    return number


def _state(value: Any) -> dict[str, Any]:
    if dataclasses.is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    return dict(vars(value))


def _place(kind: Any, rooms: tuple[str, ...] = OBJECTS) -> str:
    place = f"{kind.__module__}:{kind.__qualname__}"
    _check_room(place, rooms)
    # A lambda or a local class ("<locals>") cannot be found again by its name.
    if "<" in place:
        raise CannotKeep(place)
    return place


def _check_room(place: str, rooms: tuple[str, ...]) -> None:
    if not place.startswith(rooms) and place not in ENVELOPES:
        raise CannotKeep(place)


def _found(place: str, wanted: type, rooms: tuple[str, ...] = OBJECTS) -> Any:
    """Return a class or function of fsops by its place; nothing else is ever looked up.

    A file may come from a stranger, so the names in it must be harmless, even when called.
    """
    _check_room(place, rooms)
    module, _, name = place.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    # A module also has the names that it imports: only its own definitions count.
    if not isinstance(found, type | types.FunctionType) or _place(found, rooms) != place:
        raise CannotKeep(place)
    if wanted is not object and not (isinstance(found, type) and issubclass(found, wanted)):
        raise CannotKeep(place)
    return found


def _estimator_type() -> Any:
    """Return scikit-learn's base class if it is loaded at all; otherwise there can be none."""
    base = sys.modules.get("sklearn.base")
    return getattr(base, "BaseEstimator", ())


def _dumped(estimator: Any) -> Array:
    try:
        import skops.io
    except ImportError:
        raise CannotKeep("an estimator, without skops") from None
    stored = skops.io.dumps(estimator)
    unknown = skops.io.get_untrusted_types(data=stored)
    if unknown:
        raise CannotKeep(unknown[0])
    return np.frombuffer(stored, dtype=np.uint8)
