"""Values that expressions calculate with."""

import numpy as np
import pytest

from fsops.data import Attribute, ValueType
from fsops.data.expression_values import (
    FUNCTIONS,
    Misfit,
    compare,
    date,
    number,
    recoded,
    text,
    truth,
    value_of,
)


def nominal(categories, codes):
    return value_of(Attribute.nominal("x", categories), np.array(codes, dtype=np.int32))


def test_nominal_values_are_compared_by_name_not_by_code():
    one, two = nominal(["a", "b"], [0, 1, -1, 1]), nominal(["b", "a", "c"], [1, 0, 2, 2])
    assert compare("==", one, two).data.tolist() == [True, True, False, False]
    assert compare("!=", one, two).data.tolist() == [False, False, False, True]


def test_recoding_drops_what_is_not_known():
    assert recoded(nominal(["a", "b"], [1, 0, -1]), {"b": 5}).tolist() == [5, -1, -1]


def test_values_become_columns():
    assert truth(True).stored(2).tolist() == [1, 1]
    assert truth(True).attribute("t").categories == ("false", "true")
    assert number(2.0, whole=True).attribute("n").value_type == ValueType.INTEGER
    assert date("2024-01-31").attribute("d").value_type == ValueType.DATE
    assert text(None).missing
    assert not text("").missing


def test_pairs_of_texts_that_do_not_occur_are_no_categories():
    joined = FUNCTIONS["concat"].apply(nominal(["a", "b"], [0, 1]), nominal(["x", "y"], [0, 0]))
    assert joined.categories == ("ax", "bx")
    assert not joined.closed


def test_texts_that_become_equal_become_one_category():
    lowered = FUNCTIONS["lower"].apply(nominal(["A", "a", "B"], [0, 1, 2, -1]))
    assert lowered.categories == ("a", "b")
    assert lowered.data.tolist() == [0, 0, 1, -1]


def test_no_date_is_told():
    with pytest.raises(Misfit, match='"tomorrow" is none'):
        date("tomorrow")
