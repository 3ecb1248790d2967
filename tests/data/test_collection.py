"""Results of one kind, in order."""

import pytest

from fsops.data import AttributeWeights, Collection


def weights(value):
    return AttributeWeights(["a"], [value])


@pytest.fixture
def three():
    return Collection(weights(value) for value in (1, 2, 3))


def test_items_are_found_by_place(three):
    assert len(three) == 3
    assert [item["a"] for item in three] == [1, 2, 3]
    assert three[-1]["a"] == 3
    with pytest.raises(IndexError):
        three[3]


def test_a_part_is_a_collection(three):
    assert isinstance(three[1:], Collection)
    assert [item["a"] for item in three[1:]] == [2, 3]


def test_collections_are_equal_if_their_items_are(three):
    assert three.equals(Collection([weights(1), weights(2), weights(3)]))
    assert not three.equals(Collection([weights(1), weights(3), weights(2)]))
    assert not three.equals(three[:2])
    assert not three.equals(list(three))


def test_a_collection_says_what_it_holds(three):
    assert repr(three) == "<Collection of 3: Attribute weights>"
