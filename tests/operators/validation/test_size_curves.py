"""Rankings as curves over sizes read them."""

import numpy as np
import pytest

from fsops import AttributeWeights, ExampleSet
from fsops.errors import DataError
from fsops.operators import weight_by_relief
from fsops.operators.validation.predictions import PredictedClasses
from fsops.operators.validation.size_curves import Answers, name_of, ranked

TABLE = ExampleSet.from_numpy(np.zeros((2, 5)), names=list("abcde"))
NAN, INF = np.nan, np.inf


@pytest.mark.parametrize(
    ("values", "order"),
    [
        ([1, 3, 2, 5, 4], [3, 4, 1, 2, 0]),
        ([2, 0, NAN, 2, 1], [0, 3, 4]),
        ([0, 0, 0, 0, 0], []),
        ([1, -3, INF, 0, -INF], [2, 0]),
    ],
)
def test_best_first_without_those_of_no_weight(values, order):
    assert ranked(TABLE.weights(values), TABLE, absolute=False).order.tolist() == order


def test_the_size_of_a_weight_can_count():
    weights = TABLE.weights([1, -3, 2, 0, NAN])
    assert ranked(weights, TABLE, absolute=True).order.tolist() == [1, 2, 0]


def test_weights_may_lack_attributes_and_have_others():
    weights = AttributeWeights(["x", "e", "b", "c"], [9, 1, 2, NAN])
    assert ranked(weights, TABLE, absolute=False).order.tolist() == [1, 4]


def test_equal_weights_are_no_ranking():
    assert ranked(TABLE.weights([1, 1, 0, 0, 1]), TABLE, absolute=False).tied
    assert not ranked(TABLE.weights([1, 1, 0, 0, 2]), TABLE, absolute=False).tied
    assert not ranked(TABLE.weights([1, 0, 0, 0, 0]), TABLE, absolute=False).tied


def test_a_method_is_called_after_its_operator():
    def mine(examples):
        return examples

    assert name_of(weight_by_relief) == "Weight by Relief"
    assert name_of(mine) == "mine"
    assert name_of(lambda examples: examples) == ""


def test_answers_of_different_classes_are_not_added_up():
    codes = np.zeros(1, dtype=np.intp)
    parts = [Answers(classes, codes, codes) for classes in (("a", "b"), ("b", "a"))]
    with pytest.raises(DataError, match="predict different classes"):
        Answers.together(parts)


def test_rows_of_all_splits_count_by_their_own_weights():
    codes, guess = np.array([0, 1]), np.array([0, 0])
    tested = [
        PredictedClasses(("a", "b"), codes, guess, TABLE, np.array(weights))
        for weights in ([2.0, 1.0], [0.0, 4.0])
    ]
    pooled = Answers.together([Answers.of(rows) for rows in tested]).found(TABLE)
    assert pooled.counts.tolist() == [[2, 0], [5, 0]]
