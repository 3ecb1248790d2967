"""Categories of very many nominal attributes."""

import pickle
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st

from fsops.data.categories import Categories, MadeLists, recoded

LISTS = st.lists(st.sampled_from([(), ("a",), ("a", "b"), ("b", "a"), ("b", "c", "d")]))


@dataclass(frozen=True, eq=False)
class Counted(MadeLists):
    """Lists of so many letters, made when read."""

    counts: tuple[int, ...]

    @property
    def lengths(self) -> npt.NDArray[np.intp]:
        return np.array(self.counts, dtype=np.intp)

    def texts(self, number: int) -> tuple[str, ...]:
        return tuple("abcdefgh"[: self.counts[number]])

    def same_as(self, other: MadeLists) -> bool:
        return isinstance(other, Counted) and self.counts == other.counts


def listed(categories: Categories) -> list[tuple[str, ...]]:
    return [categories[position] for position in range(len(categories.number_of))]


@given(LISTS, LISTS)
def test_joined_categories_are_those_of_both(one, two):
    joined = Categories.of(one).joined(Categories.of(two))
    assert listed(joined) == [*one, *two]
    assert joined.counts().tolist() == [len(each) for each in [*one, *two]]


@given(st.data())
def test_merged_categories_hold_the_new_ones_last(data):
    one = data.draw(LISTS)
    two = data.draw(st.permutations(one))
    merged = Categories.of(one).merged(Categories.of(two))
    assert listed(merged) == [tuple(dict.fromkeys([*a, *b])) for a, b in zip(one, two, strict=True)]


@given(st.data())
def test_all_columns_are_recoded_as_one_by_one(data):
    old = data.draw(LISTS)
    new = data.draw(st.permutations(old))
    codes = np.array(
        [[data.draw(st.integers(-1, len(each) - 1)) for each in old] for _ in range(3)], dtype=int
    ).reshape(3, len(old))
    result = Categories.of(old).recoded(codes, Categories.of(new))
    for column, (a, b) in enumerate(zip(old, new, strict=True)):
        assert result[:, column].tolist() == recoded(codes[:, column], a, b).tolist()


@given(st.lists(st.integers(0, 5)), LISTS)
def test_made_lists_are_like_lists_that_exist(counts, others):
    made = Categories.made(Counted(tuple(counts))).joined(Categories.of(others))
    plain = Categories.of([*(tuple("abcdefgh"[:count]) for count in counts), *others])
    assert listed(made) == listed(plain)
    assert made.counts().tolist() == plain.counts().tolist()
    assert not made.differ(plain).any()
    assert not plain.differ(made).any()
    assert list(made.content()) == list(plain.content())


def test_made_lists_with_other_texts_differ():
    made = Categories.made(Counted((2, 2, 1)))
    plain = Categories.of([("a", "b"), ("a", "x"), ("a", "b")])
    assert made.differ(plain).tolist() == [False, True, True]


def test_made_lists_known_to_be_the_same_are_compared_without_texts(monkeypatch):
    made = Categories.made(Counted((2, 3)))
    sent = pickle.loads(pickle.dumps(made))
    monkeypatch.setattr(Counted, "texts", lambda self, number: pytest.fail("texts were made"))
    assert not made.differ(sent).any()


def test_categories_of_some_attributes_can_be_changed_and_removed():
    categories = Categories.same(("x", "y"), 4)
    changed = categories.with_some(np.array([1, 3]), Categories.of([("a",), ("b",)]))
    assert listed(changed) == [("x", "y"), ("a",), ("x", "y"), ("b",)]
    assert listed(changed.without(np.array([0, 1]))) == [(), (), ("x", "y"), ("b",)]
