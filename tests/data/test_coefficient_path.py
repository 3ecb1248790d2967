"""Coefficients over the penalty as a result."""

import pickle

import numpy as np
import pytest

from fsops.data import CoefficientPath

PENALTIES = np.array([1.0, 0.1])
TABLE = np.array([[0.0, 0.0], [2.0, -0.5]])


def a_path(**given):
    return CoefficientPath("ab", PENALTIES, TABLE, **{"chosen": 1, **given})


def test_the_table_has_a_row_for_each_coefficient():
    table = a_path(groups=["one", "two"]).to_pandas()
    assert table.to_dict("list") == {
        "penalty": [0.1, 0.1],
        "attribute": ["a", "b"],
        "coefficient": [2.0, -0.5],
        "chosen": [True, True],
        "group": ["one", "two"],
    }
    assert "group" not in a_path().to_pandas()


def test_the_main_step_is_the_chosen_penalty_with_the_largest_coefficient_first():
    path = CoefficientPath(
        "abc", np.array([1.0, 0.1]), np.array([[0, 0, 9.0], [1, -2, 0]]), chosen=1
    )
    words, table = path.main_step()
    assert words == "Coefficients at the chosen penalty 0.1 (number 2 of 2)"
    assert table.to_dict("list") == {"attribute": ["b", "a"], "coefficient": [-2.0, 1.0]}
    assert a_path(groups=["one", "two"]).main_step()[1]["group"].tolist() == ["one", "two"]
    assert a_path(chosen=0).main_step()[1].empty


def test_paths_are_equal_if_all_parts_are():
    assert a_path().equals(pickle.loads(pickle.dumps(a_path())))
    assert not a_path().equals(a_path(chosen=0))
    assert not a_path().equals(a_path(groups=["one", "two"]))
    assert not a_path().equals(CoefficientPath("ab", PENALTIES, -TABLE, chosen=1))


def test_shape_and_names_must_fit():
    assert repr(a_path()) == "<CoefficientPath of 2 attributes at 2 penalties>"
    assert len(a_path()) == 2
    with pytest.raises(ValueError, match="penalties x attributes"):
        CoefficientPath("abc", PENALTIES, TABLE, chosen=0)
