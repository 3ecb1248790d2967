"""Weights: order, ranking, selection, normalization."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import rankdata

from fsops.data import AttributeWeights
from fsops.errors import DataError
from fsops.testing.digest import digest

QUICK = settings(deadline=None, max_examples=60)
NUMBERS = st.lists(
    st.floats(-3, 3).map(round) | st.sampled_from([np.nan, np.inf, -np.inf]),
    max_size=12,
)


def weights(values, **more):
    return AttributeWeights([f"a{i}" for i in range(len(values))], values, **more)


@pytest.fixture
def four():
    return AttributeWeights(["b", "a", "d", "c"], [1.0, -3.0, np.nan, 1.0], origin="Test")


def test_a_weight_is_found_by_name(four):
    assert four["a"] == -3.0
    assert np.isnan(four["d"])
    assert "d" in four
    assert "x" not in four
    assert len(four) == 4
    assert dict(list(four)[:2]) == {"b": 1.0, "a": -3.0}


def test_an_unknown_name_is_an_error_with_a_suggestion(refused):
    known = AttributeWeights(["height", "width"], [1, 2])
    with refused('"heigth"', 'Did you mean "height"?'):
        known["heigth"]


def test_there_is_one_weight_for_each_name(refused):
    with refused("2 attributes need 2 values", '"weights"', "(3,)"):
        AttributeWeights(["a", "b"], [1, 2, 3])
    with refused("2 attributes need 2 values", '"p_value"', "(1,)"):
        AttributeWeights(["a", "b"], [1, 2], details={"p_value": [1]})


def test_names_are_different(refused):
    with refused("several weights", '"a"'):
        AttributeWeights(["a", "b", "a"], [1, 2, 3])


def test_weights_cannot_be_changed_in_place():
    own = np.array([1.0, 2.0])
    fixed = AttributeWeights(["a", "b"], own, details={"p": own})
    for array in (fixed.values, fixed.details["p"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5.0
    own[0] = 7.0
    assert fixed["a"] == 1.0
    assert fixed.details["p"][0] == 1.0


def test_the_best_come_first_ties_in_the_order_of_the_data_and_unknown_last(four):
    assert four.top(4) == ("b", "c", "a", "d")
    assert four.top(4, absolute=True) == ("a", "b", "c", "d")
    assert four.top(2) == ("b", "c")
    assert four.top(9) == ("b", "c", "a", "d")
    assert four.top(0) == ()


@given(NUMBERS)
@QUICK
def test_the_order_is_that_of_a_stable_sort(values):
    found = weights(values).order().tolist()
    known = [i for i in range(len(values)) if not np.isnan(values[i])]
    unknown = [i for i in range(len(values)) if np.isnan(values[i])]
    assert found == sorted(known, key=lambda i: -values[i]) + unknown


@given(NUMBERS, st.booleans())
@QUICK
def test_ranks_are_ordinal_and_the_best_is_1(values, absolute):
    ranks = weights(values).ranking(absolute=absolute)
    size = -np.abs(values) if absolute else -np.array(values, dtype=float)
    assert ranks.tolist() == rankdata(np.nan_to_num(size, nan=np.inf), "ordinal").tolist()


def test_selected_are_those_with_a_weight_that_is_not_0():
    assert weights([0, 1, -2, np.nan, -0.0, np.inf]).selected() == ("a1", "a2", "a5")


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
@QUICK
def test_normalized_weights_run_from_0_to_1_as_in_rapidminer(values):
    found = weights(values).normalized().values
    size = np.abs(values)
    if size.max() == size.min():
        assert found.tolist() == [1.0] * len(values)
    else:
        expected = (size - size.min()) / (size.max() - size.min())
        assert np.allclose(found, expected, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], []),
        ([np.nan], [np.nan]),
        ([2, np.nan, 2], [1, np.nan, 1]),
        ([2, np.nan, 4], [0, np.nan, 1]),
        ([5, -np.inf, 1], [0, 1, 0]),
        ([-4, 4], [1, 1]),
    ],
)
def test_normalization_leaves_unknown_weights_unknown(values, expected):
    assert np.array_equal(weights(values).normalized().values, expected, equal_nan=True)


def test_other_values_keep_names_and_origin(four):
    changed = four.with_values([1, 2, 3, 4])
    assert (changed.names, changed.origin) == (four.names, "Test")
    assert four.with_values([1, 2, 3, 4], origin="New").origin == "New"


def test_a_table_of_weights_has_the_best_first():
    found = weights([1, 3, 2], details={"p_value": [0.3, 0.1, 0.2]}).to_pandas()
    expected = pd.DataFrame(
        {"attribute": ["a1", "a2", "a0"], "weight": [3.0, 2.0, 1.0], "p_value": [0.1, 0.2, 0.3]}
    )
    pd.testing.assert_frame_equal(found, expected)
    unsorted = weights([1, 3, 2]).to_pandas(sort=False)
    assert unsorted["weight"].tolist() == [1, 3, 2]


def test_equal_weights_are_equal_bit_for_bit(four):
    same = AttributeWeights(four.names, four.values)
    assert four.equals(same)
    assert not four.equals(AttributeWeights(four.names, [1.0, -3.0, np.nan, 1.0 + 1e-15]))
    assert not four.equals(AttributeWeights(["b", "a", "c", "d"], four.values))
    assert not four.equals(AttributeWeights(four.names, four.values, details={"p": [1] * 4}))
    assert not four.equals("weights")


def test_equal_details_are_compared_too():
    with_nan = weights([1], details={"p": [np.nan]})
    assert with_nan.equals(weights([1], details={"p": [np.nan]}))
    assert not with_nan.equals(weights([1], details={"p": [0.5]}))


def test_several_weightings_make_a_matrix_in_which_unmentioned_attributes_have_0():
    parts = [AttributeWeights(["a", "b"], [1, 2]), AttributeWeights(["c", "a"], [3, np.nan])]
    names, matrix = AttributeWeights.stack(parts)
    assert names == ("a", "b", "c")
    assert matrix.tolist() == [[1, 2, 0], [0, 0, 3]]
    names, matrix = AttributeWeights.stack(parts, ["c", "b"])
    assert names == ("c", "b")
    assert matrix.tolist() == [[0, 2], [3, 0]]


def test_weights_show_the_best_three():
    assert repr(weights([1, 4, 3, 2])) == (
        "<AttributeWeights of 4 attributes: a1=4, a2=3, a3=2, …>"
    )


@pytest.mark.parametrize("name", ["weight", "attribute"])
def test_a_detail_cannot_be_called_like_a_column_of_its_own(name):
    with pytest.raises(DataError, match=f'cannot be called "{name}"'):
        AttributeWeights(["a"], [1.0], details={name: [2.0]})


# --- rankings -------------------------------------------------------------------------------


@pytest.fixture
def ranking():
    return AttributeWeights("abcd", [3, 1, np.nan, 2], best="smallest")


def test_the_best_of_a_ranking_is_the_smallest(ranking):
    assert ranking.order().tolist() == [1, 3, 0, 2]
    assert ranking.order(absolute=True).tolist() == [1, 3, 0, 2]
    assert ranking.top(2) == ("b", "d")
    assert ranking.ranking().tolist() == [3, 1, 4, 2]
    assert repr(ranking) == "<AttributeWeights of 4 attributes: b=1, d=2, a=3, …>"
    assert ranking.to_pandas()["rank"].tolist()[:3] == [1, 2, 3]
    assert ranking.normalized().values[[0, 1, 3]].tolist() == [0, 1, 0.5]


def test_scores_of_a_ranking_are_larger_for_the_better(ranking, four):
    assert ranking.scores[[0, 1, 3]].tolist() == [1, 3, 2]
    assert four.scores is four.values


def test_a_ranking_in_a_matrix_is_turned(ranking):
    weights = AttributeWeights("ab", [0.5, 0.7])
    names, matrix = AttributeWeights.stack([ranking, weights])
    assert matrix.tolist() == [[1, 3, 0, 2], [0.5, 0.7, 0, 0]]
    _, matrix = AttributeWeights.stack([ranking], ["d", "x"])
    assert matrix.tolist() == [[2, 0]]


def test_the_mean_of_rankings_is_a_ranking(ranking):
    other = AttributeWeights("ab", [1, 2], best="smallest")
    mean = AttributeWeights.average([ranking, other])
    assert mean.smallest_is_best
    assert mean.values.tolist() == [2, 1.5, 3.5, 2.5]
    assert mean.top(1) == ("b",)
    with pytest.raises(DataError, match="Rankings.*cannot be averaged with weights"):
        AttributeWeights.average([ranking, AttributeWeights("ab", [1, 2])])


def test_a_ranking_differs_from_weights_of_the_same_values(ranking):
    plain = AttributeWeights("abcd", ranking.values)
    assert not ranking.equals(plain)
    assert ranking.equals(AttributeWeights("abcd", ranking.values, best="smallest"))
    assert digest(ranking) != digest(plain)
    assert pickle.loads(pickle.dumps(ranking)).smallest_is_best
    assert not ranking.with_values([1, 0, 0, 0]).smallest_is_best


def test_a_detail_of_a_ranking_cannot_be_called_rank():
    with pytest.raises(DataError, match='cannot be called "rank"'):
        AttributeWeights("a", [1], details={"rank": [1]}, best="smallest")
