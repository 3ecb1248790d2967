"""Whether two results are the same, bit for bit, whatever they are made of."""

from __future__ import annotations

import hashlib
import json
import threading
import types
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data import AttributeWeights, ExampleSet, FlowObject, Schema, ValueType
from fsops.data.names import Names
from fsops.data.weights import Details

TYPES = tuple(ValueType)
LOCKS = (type(threading.Lock()), type(threading.RLock()))


def digest(value: Any) -> str:
    """Return a SHA-256 over the content of a value: equal content gives an equal digest.

    A plugin's type defines equality of two values by a method ``fingerprint``; otherwise its
    attributes count, but not its cached values.
    """
    return _hash("value", _parts(value, ()))


def _hash(kind: str, parts: Iterable[str]) -> str:
    content = hashlib.sha256(kind.encode())
    for part in parts:
        content.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
    return content.hexdigest()


def _parts(value: Any, above: tuple[int, ...]) -> list[str]:
    """Return the content as texts; ``above`` holds the objects we came through."""
    value = _plain(value)
    if id(value) in above:
        return ["circle", str(above.index(id(value)))]
    return [type(value).__qualname__, *_content(value, (*above, id(value)))]


def _plain(value: Any) -> Any:
    """Return a form of a value for comparison, independent of shared memory."""
    if isinstance(value, Names):
        return tuple(value)
    return dict(value) if isinstance(value, Details) else value


def _all(values: Iterable[Any], above: tuple[int, ...]) -> list[str]:
    return [_hash("part", _parts(value, above)) for value in values]


@singledispatch
def _content(value: Any, above: tuple[int, ...]) -> list[str]:
    if isinstance(value, FlowObject) and hasattr(value, "fingerprint"):
        return [str(value.fingerprint())]
    state = _without_caches(value)
    if state is not None:
        return _all(state.items(), above)
    if isinstance(value, LOCKS):
        return []
    recipe = [list(part) if isinstance(part, Iterator) else part for part in value.__reduce_ex__(4)]
    return _all(recipe, above)


def _without_caches(value: Any) -> dict[str, Any] | None:
    """Return the attributes of a plain object; None if it keeps its content elsewhere."""
    kind: Any = type(value)
    plain = kind.__reduce_ex__ is object.__reduce_ex__ and kind.__reduce__ is object.__reduce__
    if not plain or not hasattr(value, "__dict__") or hasattr(kind, "__slots__"):
        return None
    return {
        name: item
        for name, item in sorted(vars(value).items())
        if not isinstance(getattr(kind, name, None), cached_property)
    }


@_content.register
def _(value: None | bool | int | str | bytes, above: tuple[int, ...]) -> list[str]:
    return [repr(value)]


@_content.register
def _(value: float | complex, above: tuple[int, ...]) -> list[str]:
    return [np.asarray(value).tobytes().hex()]


@_content.register(np.ndarray)
@_content.register(np.generic)
def _(value: npt.NDArray[Any], above: tuple[int, ...]) -> list[str]:
    about = [str(value.dtype), str(value.shape)]
    if value.dtype.hasobject:
        return about + _all(value.ravel().tolist(), above)
    return [*about, np.ascontiguousarray(value).tobytes().hex()]


@_content.register(list)
@_content.register(tuple)
def _(value: Iterable[Any], above: tuple[int, ...]) -> list[str]:
    return _all(value, above)


@_content.register(dict)
@_content.register(types.MappingProxyType)
def _(value: Mapping[Any, Any], above: tuple[int, ...]) -> list[str]:
    return _all(value.items(), above)


@_content.register(set)
@_content.register(frozenset)
def _(value: Iterable[Any], above: tuple[int, ...]) -> list[str]:
    return sorted(_all(value, above))


@_content.register(type)
@_content.register(types.FunctionType)
@_content.register(types.BuiltinFunctionType)
@_content.register(types.ModuleType)
def _(value: Any, above: tuple[int, ...]) -> list[str]:
    cells = [cell.cell_contents for cell in getattr(value, "__closure__", None) or ()]
    name = getattr(value, "__qualname__", value.__name__)
    # Only the package: a class that moves to another module of it is still the same class.
    package = (getattr(value, "__module__", None) or "").partition(".")[0]
    return [package, name, *_all(cells, above)]


@_content.register
def _(value: ExampleSet, above: tuple[int, ...]) -> list[str]:
    # A view and a copy of the same rows are the same table.
    about = [[a.name, a.value_type, a.role, a.categories] for a in value.schema]
    content = hashlib.sha256(json.dumps([len(value), about]).encode())
    for part in value.stored_content():
        content.update(part)
    return [str(len(value)), content.hexdigest()]


@_content.register
def _(value: Schema, above: tuple[int, ...]) -> list[str]:
    nominal = [a for a in value if a.value_type.is_nominal]
    state = {
        "_categories": {a.name: a.categories for a in nominal},
        "_type_codes": np.array([TYPES.index(a.value_type) for a in value], dtype=np.int8),
        "names": value.names,
        "roles": value.roles,
    }
    return _all(state.items(), above)


@_content.register
def _(value: AttributeWeights, above: tuple[int, ...]) -> list[str]:
    ranking = ("smallest is best",) if value.smallest_is_best else ()
    return _all((value.names, value.values, value.details, *ranking), above)
