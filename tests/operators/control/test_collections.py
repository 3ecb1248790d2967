"""Collections."""

import pytest

from fsops import AttributeWeights, Collection
from fsops.errors import DataError, ParameterError
from fsops.operators import collect, flatten, select

A, B, C = (AttributeWeights(["a"], [float(number)]) for number in range(3))


def test_collect_keeps_the_order():
    assert list(collect([B, A])) == [B, A]


def test_nested_collections_are_taken_apart():
    nested = Collection([A, Collection([B, Collection([C])])])
    assert list(flatten(nested)) == [A, B, C]
    assert list(collect([nested, A], unfold=True)) == [A, B, C, A]
    assert select(nested, index=3, unfold=True) is C


def test_select_counts_from_one_and_knows_its_limits():
    assert select(Collection([A, B]), index=2) is B
    with pytest.raises(ParameterError, match="has 2 results"):
        select(Collection([A, B]), index=3)
    with pytest.raises(DataError, match="empty"):
        select(Collection([]))
