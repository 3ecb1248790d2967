"""Names of attributes: one shared object for a table, its subsets, its weights and its models."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any, SupportsIndex, overload
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.intp]

FEW = 12
"""So many names are searched one by one before a dictionary is built, which takes longer."""
MANY = 20_000
"""From so many names on they are found by their hashes, all at once."""
MOST_PARTS = 16
SHOWN = 20


def texts_of(names: Iterable[object]) -> Sequence[str]:
    """Return names as texts, those that are texts already as they are."""
    if isinstance(names, Names):
        return names
    given = list(names)
    return given if set(map(type, given)) <= {str} else [str(name) for name in given]  # type: ignore[return-value]


def repeated(names: Sequence[str]) -> list[str]:
    """Return the names that occur more than once."""
    if len(set(names)) == len(names):
        return []
    return [name for name, times in Counter(names).items() if times > 1]


class Part(ABC):
    """Names that were made together; compared by identity, so it is never copied."""

    __slots__ = ("__weakref__",)

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def text(self, position: int) -> str:
        """Return one name."""

    @abstractmethod
    def texts(self, positions: Positions | None = None) -> list[str]:
        """Return the names at some positions, or all."""

    @abstractmethod
    def find(self, names: Sequence[str]) -> Positions:
        """Return where the names are, -1 for one that is not here."""


class NumberedNames(Part):
    """``att1``, ``att2``, …: nothing is kept, and no name is searched."""

    __slots__ = ("_count", "_prefix")

    def __init__(self, prefix: str, count: int) -> None:
        self._prefix = prefix
        self._count = count

    def __reduce__(self) -> tuple[Any, ...]:
        return _numbered, (self._prefix, self._count)

    def __len__(self) -> int:
        return self._count

    def text(self, position: int) -> str:
        """Return one name."""
        return f"{self._prefix}{position + 1}"

    def texts(self, positions: Positions | None = None) -> list[str]:
        """Return the names at some positions, or all."""
        numbers = range(self._count) if positions is None else positions.tolist()
        counted = map(str, map((1).__add__, numbers))
        return list(map(self._prefix.__add__, counted))

    def find(self, names: Sequence[str]) -> Positions:
        """Return where the names are, -1 for one that is not here."""
        if len(names) * 100 > len(self) and len(names) > FEW:  # many are found faster at once
            return GivenNames(self.texts()).find(names)
        return np.fromiter(map(self._place, names), dtype=np.intp, count=len(names))

    def _place(self, name: str) -> int:
        digits = name[len(self._prefix) :]
        fits = name.startswith(self._prefix) and digits.isascii() and digits.isdigit()
        if not fits or digits[0] == "0" or len(digits) > len(str(self._count)):
            return -1
        return int(digits) - 1 if int(digits) <= self._count else -1


class GivenNames(Part):
    """Names from a file or from Python."""

    __slots__ = ("_index", "_searches", "_texts")

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = np.empty(len(texts), dtype=object)
        self._texts[:] = texts
        self._index: dict[str, int] | None = None
        self._searches = 0

    def __reduce__(self) -> tuple[Any, ...]:
        texts = self.texts()
        return _given, (_registered(self, texts), texts)

    def __len__(self) -> int:
        return len(self._texts)

    def text(self, position: int) -> str:
        """Return one name."""
        name: str = self._texts[position]
        return name

    def texts(self, positions: Positions | None = None) -> list[str]:
        """Return the names at some positions, or all."""
        found: list[str] = (self._texts if positions is None else self._texts[positions]).tolist()
        return found

    def find(self, names: Sequence[str]) -> Positions:
        """Return where the names are, -1 for one that is not here."""
        self._searches += len(names)
        if self._index is None and self._searches <= FEW < len(self):
            return np.array([self._searched(name) for name in names], dtype=np.intp)
        if self._index is None and min(len(names), len(self)) >= MANY:
            found = _found_by_hash(self._texts, names)
            if found is not None:
                return found
        places = map(self._places().get, names, repeat(-1))
        return np.fromiter(places, dtype=np.intp, count=len(names))

    def _searched(self, name: str) -> int:
        # As an object: numpy would cut zeros off the end of a plain text.
        found = np.flatnonzero(self._texts == np.array(name, dtype=object))
        return int(found[0]) if len(found) else -1

    def _places(self) -> dict[str, int]:
        if self._index is None:
            self._index = dict(zip(self._texts.tolist(), range(len(self)), strict=True))
        return self._index


def _found_by_hash(here: npt.NDArray[np.object_], names: Sequence[str]) -> Positions | None:
    """Return where names are, found by their hashes; None if two names have the same one.

    At a million names this takes a third of the time of a dictionary, or of an index of texts.
    """
    import pandas as pd

    index = pd.Index(_hashes(here))
    if not index.is_unique:
        return None
    wanted = np.array(names, dtype=object)
    places: Positions = index.get_indexer(pd.Index(_hashes(wanted))).astype(np.intp)
    known = places >= 0
    if bool((here[places[known]] == wanted[known]).all()):
        return places
    return None


def _hashes(texts: npt.NDArray[np.object_]) -> npt.NDArray[np.int64]:
    return np.fromiter(map(hash, texts.tolist()), dtype=np.int64, count=len(texts))


def content_of(texts: Sequence[str]) -> bytes:
    """Return bytes that are the same for the same texts, and different for others."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return lengths.tobytes() + "".join(texts).encode("utf-8", "surrogatepass")


# Weights that come back from another process belong to the table they were made from: a part that
# this process knows already is used again, so that they are aligned without a look at the names.
_KNOWN: WeakValueDictionary[bytes | tuple[str, int], Part] = WeakValueDictionary()


def _registered(part: Part, texts: list[str]) -> bytes:
    """Remember the part under a digest of its names, and return the digest."""
    digest = hashlib.blake2b(content_of(texts), digest_size=16).digest()
    _KNOWN.setdefault(digest, part)
    return digest


def _given(digest: bytes, texts: list[str]) -> Part:
    return _KNOWN.setdefault(digest, GivenNames(texts))


def _numbered(prefix: str, count: int) -> Part:
    return _KNOWN.setdefault((prefix, count), NumberedNames(prefix, count))


class Names(Sequence[str]):
    """Different names in an order; a subset shares the names it was taken from.

    Behaves like a tuple of texts, and is equal to one. Two lists with a common origin are compared
    and aligned by position, without a look at any name.

    Parameters
    ----------
    parts : tuple of Part
        All names there are to choose from, part after part.
    positions : array of int, optional
        Which of them are meant, in this order; all if not given.
    """

    __slots__ = ("__dict__", "_count", "_parts", "_positions")

    def __init__(self, parts: tuple[Part, ...], positions: Positions | None = None) -> None:
        self._parts = parts
        self._positions = positions
        self._count = sum(map(len, parts)) if positions is None else len(positions)

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """Return the names as they are, without a look for repeated ones."""
        if isinstance(names, Names):
            return names
        return cls((GivenNames(names if isinstance(names, list | tuple) else list(names)),))

    @classmethod
    def numbered(cls, prefix: str, count: int) -> Names:
        """Return a prefix with the numbers from 1 on."""
        return cls((_numbered(prefix, count),))

    def __reduce__(self) -> tuple[Any, ...]:
        # A small selection from a large table is sent without the names of the others.
        if self._positions is not None and len(self) * 4 < sum(map(len, self._parts)):
            return Names, ((GivenNames(self.texts()),),)
        return Names, (self._parts, self._positions)

    # --- as a sequence ------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._count

    def texts(self) -> list[str]:
        """Return all names as a list."""
        if self._positions is not None:
            return self._texts_at(self._positions)
        texts: list[str] = []
        for part in self._parts:
            texts += part.texts()
        return texts

    def _texts_at(self, places: Positions) -> list[str]:
        """Return the names at places among all that there are to choose from."""
        first = self._parts[0]
        if len(self._parts) == 1 or places.max(initial=-1) < len(first):
            return first.texts(places)
        texts = np.empty(len(places), dtype=object)
        for start, part in self._spans():
            inside = np.flatnonzero((places >= start) & (places < start + len(part)))
            if len(inside):
                texts[inside] = part.texts(places[inside] - start)
        found: list[str] = texts.tolist()
        return found

    def _spans(self) -> Iterator[tuple[int, Part]]:
        start = 0
        for part in self._parts:
            yield start, part
            start += len(part)

    @overload
    def __getitem__(self, index: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> str | tuple[str, ...]:
        places = range(len(self))[index]
        if isinstance(places, range):
            chosen = np.arange(places.start, places.stop, places.step, dtype=np.intp)
            return tuple(self._texts_at(self._places(chosen)))
        place = places if self._positions is None else int(self._positions[places])
        for part in self._parts:
            if place < len(part):
                return part.text(place)
            place -= len(part)
        raise AssertionError("a position beyond all parts")

    def _places(self, positions: Positions) -> Positions:
        return positions if self._positions is None else self._positions[positions]

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        # Without this numpy would ask for the names one by one.
        texts = np.empty(len(self), dtype=object)
        texts[:] = self.texts()
        return texts if dtype is None else texts.astype(dtype)

    def __add__(self, other: Sequence[str]) -> tuple[str, ...]:
        return (*self, *other)

    def __radd__(self, other: Sequence[str]) -> tuple[str, ...]:
        return (*other, *self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.position(name) >= 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Names):
            return self.is_aligned(other) or (
                len(self) == len(other) and self.texts() == other.texts()
            )
        if isinstance(other, list | tuple):
            return len(self) == len(other) and self.texts() == list(other)
        return NotImplemented

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(self))  # that of an equal tuple

    def __repr__(self) -> str:
        if len(self) <= SHOWN:
            return repr(tuple(self))
        return f"({', '.join(map(repr, self[:SHOWN]))}, … {len(self) - SHOWN} more)"

    # --- choosing and joining -----------------------------------------------------------------

    def take(self, positions: Positions) -> Names:
        """Return the names at different positions, in the given order."""
        return Names(self._parts, self._places(positions))

    def joined(self, other: Names) -> Names:
        """Return these names followed by others, which must be different ones."""
        if len(self._parts) + len(other._parts) > MOST_PARTS:
            return Names.of(self.texts() + other.texts())
        total = sum(map(len, self._parts))
        places = None
        if self._positions is not None or other._positions is not None:
            places = np.concatenate([self._all_places(), other._all_places() + total])
        return Names(self._parts + other._parts, places)

    def content(self) -> bytes:
        """Return bytes that are the same for the same names, and different for others."""
        return content_of(self.texts())

    def _all_places(self) -> Positions:
        return np.arange(len(self)) if self._positions is None else self._positions

    # --- finding ------------------------------------------------------------------------------

    def position(self, name: str) -> int:
        """Return where a name is, -1 if it is not here; asked again, it is not searched again."""
        if name not in self._asked:
            self._asked[name] = int(self.find([name])[0])
        return self._asked[name]

    @cached_property
    def _asked(self) -> dict[str, int]:
        return {}

    def find(self, names: Sequence[str]) -> Positions:
        """Return where the names are, -1 for one that is not here."""
        if isinstance(names, Names):
            return self.locate(names)
        if self._positions is not None and len(self) * 4 < sum(map(len, self._parts)):
            return self._own.find(names)
        places = np.full(len(names), -1, dtype=np.intp)
        left, wanted = np.arange(len(names)), names
        for start, part in self._spans():
            # A name may be in two parts if the column of that name was replaced.
            places[left] = self._inverse(start, part.find(wanted))
            left = left[places[left] < 0]
            if not len(left):
                break
            wanted = np.array(names, dtype=object)[left].tolist()
        return places

    def _inverse(self, start: int, found: Positions) -> Positions:
        """Return the positions here of places found in a part."""
        if self._positions is None:
            return np.where(found >= 0, found + start, -1)
        known = np.append(self._position_of_place, -1)
        return known[np.where(found >= 0, found + start, -1)]

    @cached_property
    def _position_of_place(self) -> Positions:
        positions = np.full(sum(map(len, self._parts)), -1, dtype=np.intp)
        positions[self._all_places()] = np.arange(len(self))
        return positions

    @cached_property
    def _own(self) -> GivenNames:
        """A part of these names only, for small selections from many."""
        return GivenNames(self.texts())

    def is_aligned(self, other: Names) -> bool:
        """Return whether both have the same origin and the same positions."""
        if self is other:
            return True
        if not self._same_parts(other):
            return False
        if self._positions is None or other._positions is None:
            return len(self) == len(other) and bool(
                np.array_equal(self._all_places(), other._all_places())
            )
        return self._positions is other._positions or bool(
            np.array_equal(self._positions, other._positions)
        )

    def _same_parts(self, other: Names) -> bool:
        # Parts have no equality of their own: tuples compare them by identity.
        return self._parts is other._parts or self._parts == other._parts

    def locate(self, other: Names) -> Positions:
        """Return where the names of another list are here, -1 for one that is not here."""
        if self.is_aligned(other):
            return np.arange(len(self))
        if self._same_parts(other):
            return self._position_of_place[other._all_places()]
        shared = {part: start for start, part in self._spans()}
        if any(part in shared for part in other._parts):
            return self._located_by_part(other, shared)
        return self.find(other.texts())

    def _located_by_part(self, other: Names, shared: dict[Part, int]) -> Positions:
        places, located = other._all_places(), np.full(len(other), -1, dtype=np.intp)
        known = self._position_of_place
        for start, part in other._spans():
            inside = np.flatnonzero((places >= start) & (places < start + len(part)))
            if part in shared:
                located[inside] = known[places[inside] - start + shared[part]]
            elif len(inside):
                located[inside] = self.find(part.texts(places[inside] - start))
        # A column that was replaced has its old name in a part that the other list does not know.
        foreign = self._outside({part: part for part in other._parts})
        if len(foreign):
            found = other.find(self.take(foreign).texts())
            located[found[found >= 0]] = foreign[found >= 0]
        if sum(part in shared for part in other._parts) > 1:
            # Each list may have a name from another one of the parts that both know.
            gaps = np.flatnonzero(located < 0)
            located[gaps] = self.find(other.take(gaps).texts())
        return located

    def _outside(self, known: dict[Part, Part]) -> Positions:
        """Return the positions of the names that lie in none of the known parts."""
        places, outside = self._all_places(), np.zeros(len(self), dtype=bool)
        for start, part in self._spans():
            if part not in known:
                outside |= (places >= start) & (places < start + len(part))
        return np.flatnonzero(outside)
