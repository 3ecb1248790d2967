"""Attribute weights on a common scale."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fsops.data import AttributeWeights
from fsops.operators import normalize_weights


def test_sizes_lie_between_0_and_1():
    found = normalize_weights(AttributeWeights("abcd", [-4.0, 1.0, 2.0, np.nan]))
    np.testing.assert_allclose(found.values, [1.0, 0.0, 1 / 3, np.nan])


def test_equal_sizes_become_1():
    assert normalize_weights(AttributeWeights("ab", [-2.0, 2.0])).values.tolist() == [1.0, 1.0]


@given(
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=9), st.sampled_from([0.5, 3.0, -7.0])
)
def test_neither_scale_nor_sign_matters(values, factor):
    names = [f"a{i}" for i in range(len(values))]
    plain = normalize_weights(AttributeWeights(names, values)).values
    scaled = normalize_weights(AttributeWeights(names, np.array(values) * factor)).values
    assert scaled == pytest.approx(plain)
    assert plain.max() == 1.0
