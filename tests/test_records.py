"""Records behave as Python's dataclasses do."""

from __future__ import annotations

import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field, replace
from typing import Any

import pytest

from fsops.records import dataclass

OPTIONS: list[dict[str, Any]] = [
    {},
    {"eq": False},
    {"frozen": True},
    {"frozen": True, "eq": False},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
]
IDS = [" ".join(options) or "plain" for options in OPTIONS]


def pair(decorate: Any, **options: Any) -> type:
    @decorate(**options)
    class Pair:
        """Two values and one that does not count."""

        left: Any
        right: Any = 2
        note: str = field(default="", compare=False, repr=False)

    return Pair


@dataclass(frozen=True)
class Point:
    """A record at the top of a module, which can be pickled."""

    x: float
    y: float = 0.0


@dataclass(frozen=True)
class Alone:
    """One value."""

    value: float


@dataclass(frozen=True)
class Nothing:
    """No value."""


@pytest.mark.parametrize("options", OPTIONS, ids=IDS)
def test_equality_hash_and_text_are_those_of_a_dataclass(options: dict[str, Any]) -> None:
    ours, theirs = pair(dataclass, **options), pair(dataclasses.dataclass, **options)
    values = [(1,), (1, 2, "other note"), (1, 3), (2, 2), (float("nan"),), ([1],)]
    for a in values:
        assert repr(ours(*a)) == repr(theirs(*a))
        for b in values:
            assert (ours(*a) == ours(*b)) == (theirs(*a) == theirs(*b)), (a, b)
    assert ours(1) != theirs(1)
    assert _hashes(ours(1), ours(1)) == _hashes(theirs(1), theirs(1))
    assert _hashes(ours([1]), ours([1])) == _hashes(theirs([1]), theirs([1]))


def _hashes(one: object, other: object) -> str:
    try:
        return "equal" if hash(one) == hash(other) else "different"
    except TypeError:
        return "none"


@pytest.mark.parametrize("record", [Point(1.0), Alone(float("nan")), Nothing()])
def test_records_of_any_size_are_equal_to_themselves_and_can_be_keys(record: Any) -> None:
    assert record == replace(record)
    assert {record: 1}[replace(record)] == 1


def test_frozen_records_cannot_be_changed_and_survive_pickling() -> None:
    point = Point(1.0, 2.0)
    with pytest.raises(FrozenInstanceError):
        point.x = 3.0  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.x
    assert pickle.loads(pickle.dumps(point)) == point


def test_methods_of_the_class_itself_are_kept() -> None:
    @dataclass(frozen=True)
    class Loud:
        name: str

        def __repr__(self) -> str:
            return self.name.upper()

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Loud) and self.name.lower() == other.name.lower()

        def __hash__(self) -> int:
            return hash(self.name.lower())

    assert repr(Loud("a")) == "A"
    assert Loud("a") == Loud("A")
    assert len({Loud("a"), Loud("A")}) == 1


def test_a_frozen_record_with_its_own_equality_still_has_a_hash() -> None:
    @dataclass(frozen=True)
    class Close:  # noqa: PLW1641 - that is the point
        value: float

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Close) and self.value == other.value

    assert len({Close(1.0), Close(1.0)}) == 1


def test_a_record_that_holds_itself_can_be_shown() -> None:
    @dataclass
    class Loop:
        inside: Any = None

    loop = Loop()
    loop.inside = loop
    assert "..." in repr(loop)
