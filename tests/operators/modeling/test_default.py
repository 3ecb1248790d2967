"""The prediction that any model must beat."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import default_model


def test_the_most_frequent_class_with_the_class_shares(golf, confidences, predicted):
    model = default_model(golf)
    assert (predicted(model, golf) == golf.classes.index("yes")).all()
    assert confidences(model, golf)[0] == pytest.approx([5 / 14, 9 / 14])


@pytest.mark.parametrize(
    ("method", "expected"), [("median", 2.0), ("average", 3.25), ("mode", 2.0), ("constant", 7.5)]
)
def test_a_number(predicted, method, expected):
    table = ExampleSet.from_numpy(np.zeros((4, 1)), np.array([1.0, 2.0, 2.0, 8.0]))
    found = predicted(default_model(table, method=method, constant="7.5"), table)
    assert found.tolist() == [expected] * 4


def test_a_constant_class_must_exist(golf, predicted, refused):
    assert (predicted(default_model(golf, method="constant", constant="no"), golf) == 0).all()
    with refused('"yess"', 'Did you mean "yes"', error=ParameterError):
        default_model(golf, method="constant", constant="yess")


def test_a_constant_number_must_be_one(diabetes, refused):
    with refused('"much"', "number", error=ParameterError):
        default_model(diabetes, method="constant", constant="much")
