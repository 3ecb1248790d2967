"""Categories of nominal attributes: each different list once, however many attributes have it."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np
import numpy.typing as npt

from fsops.data.names import Positions

Codes = npt.NDArray[np.int32]
Texts = tuple[str, ...]


class MadeLists(ABC):
    """Lists of categories whose texts are made when they are read.

    Ranges of numbers have other limits in each attribute. Their names, made at once, would be the
    largest part of a wide table, and most operators only need the number of categories.
    """

    @property
    @abstractmethod
    def lengths(self) -> Positions:
        """Number of categories in each list."""

    @abstractmethod
    def texts(self, number: int) -> Texts:
        """Return the categories of one list."""

    @abstractmethod
    def same_as(self, other: MadeLists) -> bool:
        """Return whether the lists of another object are known to be the same, without texts."""


class _Lists(Sequence[Texts]):
    """Lists that exist, followed by lists that are made when they are read."""

    def __init__(self, parts: tuple[tuple[Texts, ...] | MadeLists, ...]) -> None:
        self.parts = parts
        self.starts = np.cumsum([0, *map(_length, parts)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    @overload
    def __getitem__(self, index: int) -> Texts: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Texts]: ...
    def __getitem__(self, index: int | slice) -> Texts | Sequence[Texts]:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        number = range(len(self))[index]
        place = int(np.searchsorted(self.starts, number, side="right")) - 1
        part, inside = self.parts[place], number - int(self.starts[place])
        return part.texts(inside) if isinstance(part, MadeLists) else part[inside]

    def lengths(self) -> Positions:
        """Return the number of categories in each list."""
        return np.concatenate([_lengths(part) for part in self.parts])


def _length(part: Sequence[Texts] | MadeLists) -> int:
    return len(part.lengths) if isinstance(part, MadeLists) else len(part)


def _lengths(part: Sequence[Texts] | MadeLists) -> Positions:
    if isinstance(part, MadeLists):
        return part.lengths
    return np.array([len(each) for each in part], dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Categories:
    """The categories of all attributes: each different list once, and its number by attribute."""

    lists: Sequence[Texts] = ((),)
    """The first one is empty: it belongs to the attributes that have no categories."""
    number_of: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @classmethod
    def none(cls, count: int) -> Categories:
        """Return those of attributes that are all numbers."""
        return cls(number_of=np.zeros(count, dtype=np.int32))

    @classmethod
    def of(cls, lists: Iterable[Texts]) -> Categories:
        """Return the categories of attributes, one list each."""
        known: dict[Texts, int] = {(): 0}
        numbers = [known.setdefault(each, len(known)) for each in lists]
        return cls(tuple(known), np.array(numbers, dtype=np.int32))

    @classmethod
    def same(cls, categories: Texts, count: int) -> Categories:
        """Return the categories of attributes that all have the same list."""
        one = cls.of([categories])
        return cls(one.lists, np.repeat(one.number_of, count))

    @classmethod
    def made(cls, lists: MadeLists) -> Categories:
        """Return the categories of attributes, one list each that is made when it is read."""
        numbers = np.arange(1, len(lists.lengths) + 1, dtype=np.int32)
        return cls(_Lists((((),), lists)), numbers)

    def __getitem__(self, position: int) -> Texts:
        return self.lists[int(self.number_of[position])]

    def take(self, positions: Positions) -> Categories:
        """Return those of some of the attributes."""
        return Categories(self.lists, self.number_of[positions])

    def joined(self, other: Categories) -> Categories:
        """Return these followed by others."""
        if self.lists is other.lists:
            lists, translated = self.lists, other.number_of
        elif isinstance(self.lists, _Lists) or isinstance(other.lists, _Lists):
            lists, numbers = _joined_lists(self.lists, other.lists)
            translated = numbers[other.number_of]
        else:
            known = {each: number for number, each in enumerate(self.lists)}
            places = [known.setdefault(each, len(known)) for each in other.lists]
            lists, translated = tuple(known), np.array(places, dtype=np.int32)[other.number_of]
        return Categories(lists, np.concatenate([self.number_of, translated]))

    def with_some(self, positions: Positions, others: Categories) -> Categories:
        """Return these with other categories of some attributes."""
        joined = self.joined(others)
        numbers = joined.number_of[: len(self.number_of)].copy()
        numbers[positions] = joined.number_of[len(numbers) :]
        return Categories(joined.lists, numbers)

    def without(self, positions: Positions) -> Categories:
        """Return these with no categories of some attributes."""
        numbers = self.number_of.copy()
        numbers[positions] = 0  # the empty list is the first one
        return Categories(self.lists, numbers)

    def replaced(self, position: int, categories: Texts) -> Categories:
        """Return these with other categories of one attribute."""
        return self.with_some(np.array([position]), Categories.of([categories]))

    def merged(self, other: Categories) -> Categories:
        """Return the categories of both, by attribute: these first, then the new ones."""
        pairs, numbers = _pairs(self.number_of, other.number_of)
        lists = [tuple(dict.fromkeys([*self.lists[a], *other.lists[b]])) for a, b in pairs]
        each = Categories.of(lists)
        return Categories(each.lists, each.number_of[numbers])

    def holding(self, texts: Collection[str]) -> Positions:
        """Return the attributes that have one of some categories."""
        numbers, places = np.unique(self.number_of, return_inverse=True)
        wanted = set(texts)
        hit = [not wanted.isdisjoint(self.lists[number]) for number in numbers.tolist()]
        return np.flatnonzero(np.array(hit, dtype=bool)[places.reshape(-1)])

    def counts(self) -> Positions:
        """Return the number of categories of each attribute."""
        lists = self.lists
        lengths = lists.lengths() if isinstance(lists, _Lists) else _lengths(lists)
        return lengths[self.number_of]

    def content(self) -> Iterator[bytes]:
        """Return bytes that do not depend on the numbers of the lists."""
        known = self._listed() if isinstance(self.lists, _Lists) else self
        numbers, first, places = np.unique(known.number_of, return_index=True, return_inverse=True)
        by_occurrence = np.argsort(first)
        yield json.dumps([known.lists[n] for n in numbers[by_occurrence]]).encode()
        yield np.argsort(by_occurrence)[places].tobytes()

    def _listed(self) -> Categories:
        """Return the same categories with all texts made, each different list once."""
        numbers, places = np.unique(self.number_of, return_inverse=True)
        each = Categories.of(self.lists[number] for number in numbers.tolist())
        return Categories(each.lists, each.number_of[places])

    def differ(self, other: Categories) -> npt.NDArray[np.bool_]:
        """Return by attribute whether the categories of another table are different."""
        if self.lists is other.lists and not isinstance(self.lists, _Lists):
            return np.not_equal(self.number_of, other.number_of)
        joined = self.joined(other)
        mine, its = np.split(joined.number_of, [len(self.number_of)])
        different: npt.NDArray[np.bool_] = mine != its
        if isinstance(joined.lists, _Lists):  # where two numbers may mean the same texts
            lengths = joined.lists.lengths()
            alike = np.flatnonzero(different & (lengths[mine] == lengths[its]))
            pairs, places = _pairs(mine[alike], its[alike])
            unequal = [joined.lists[a] != joined.lists[b] for a, b in pairs]
            different[alike] = np.array(unequal, dtype=bool)[places]
        return different

    def recoded(self, codes: npt.NDArray[np.integer], new: Categories) -> Codes:
        """Return a matrix of codes for other categories; those that do not occur there are -1.

        Attributes with the same lists before and after are translated together.
        """
        result = codes.astype(np.int32, order="K")
        pairs, places = _pairs(self.number_of, new.number_of)
        order = np.argsort(places, kind="stable")
        ends = np.cumsum(np.bincount(places, minlength=len(pairs)))
        for (a, b), columns in zip(pairs, np.split(order, ends)[:-1], strict=True):
            old_list, new_list = self.lists[a], new.lists[b]
            if old_list != new_list:
                result[:, columns] = recoded(result[:, columns], old_list, new_list)
        return result


def recoded(codes: Codes, old: Sequence[str], new: Sequence[str]) -> Codes:
    """Return nominal codes for other categories; those that do not occur there become missing."""
    place = {category: code for code, category in enumerate(new)}
    # The last place is where code -1 points to.
    lookup = [place.get(category, -1) for category in old] + [-1]
    return np.array(lookup, dtype=np.int32)[codes]


def _pairs(one: Codes, two: Codes) -> tuple[list[tuple[int, int]], Positions]:
    """Return the different pairs of numbers, and which of them each attribute has."""
    size = int(two.max(initial=0)) + 1
    both, places = np.unique(one.astype(np.int64) * size + two, return_inverse=True)
    pairs = zip((both // size).tolist(), (both % size).tolist(), strict=True)
    return list(pairs), places.reshape(-1).astype(np.intp)


def _joined_lists(one: Sequence[Texts], two: Sequence[Texts]) -> tuple[_Lists, Codes]:
    """Return the lists of both, and the number that each list of the second has there."""
    parts = list(_parts(one))
    starts = np.cumsum([0, *map(_length, parts)]).tolist()
    numbers = []
    for part in _parts(two):
        place = next((n for n, known in enumerate(parts) if _is_same(known, part)), len(parts))
        if place == len(parts):
            parts.append(part)
            starts.append(starts[-1] + _length(part))
        numbers.append(np.arange(_length(part), dtype=np.int32) + starts[place])
    return _Lists(tuple(parts)), np.concatenate(numbers).astype(np.int32)


def _parts(lists: Sequence[Texts]) -> tuple[tuple[Texts, ...] | MadeLists, ...]:
    return lists.parts if isinstance(lists, _Lists) else (tuple(lists),)


def _is_same(one: tuple[Texts, ...] | MadeLists, two: tuple[Texts, ...] | MadeLists) -> bool:
    if isinstance(one, MadeLists) and isinstance(two, MadeLists):
        return one is two or one.same_as(two)
    return one is two or (isinstance(one, tuple) and isinstance(two, tuple) and one == two)
