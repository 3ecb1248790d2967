"""Attributes by formula, and ids."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.core import operator_of
from fsops.data import ValueType, metadata_of
from fsops.errors import DataError, ParameterError
from fsops.operators import generate_attributes, generate_id


@pytest.fixture
def people():
    frame = pd.DataFrame(
        {
            "weight": [60.0, 80.0, np.nan],
            "height": [1.6, 2.0, 1.7],
            "eye colour": ["blue", "brown", "blue"],
            "ill": ["yes", "no", "no"],
            "n": [1, 2, 3],
        }
    )
    return ExampleSet.from_pandas(frame, roles={"ill": "label"})


def made(people, **expressions):
    return generate_attributes(people, function_descriptions=expressions)


def test_formulas_are_pandas_formulas(people):
    found = made(people, bmi="weight / height ^ 2", more="sqrt(weight) + n * 2")
    frame = people.to_pandas()
    np.testing.assert_allclose(found.column("bmi"), frame.eval("weight / height ** 2"))
    np.testing.assert_allclose(found.column("more"), frame.eval("sqrt(weight) + n * 2"))
    assert found.names == (*people.names, "bmi", "more")


def test_later_formulas_may_use_earlier_ones(people):
    found = made(people, bmi="weight / height ^ 2", heavy='if(bmi > 21, "yes", "no")')
    assert found.nominal_values("heavy") == ["yes", "no", "no"]


def test_attributes_of_the_same_name_are_replaced_and_keep_place_and_role(people):
    found = made(people, ill='ill == "yes"', weight="weight * 1000")
    assert found.names == people.names
    assert found.label.name == "ill"
    assert found.classes == ("false", "true")
    assert found.column("weight")[0] == 60_000


def test_the_others_can_go_but_special_ones_stay(people):
    found = generate_attributes(
        people, function_descriptions={"n": "n + 1", "new": "[eye colour]"}, keep_all=False
    )
    assert found.names == ("ill", "n", "new")
    assert found.schema.attribute("n").value_type == ValueType.INTEGER


def test_what_is_wrong_is_told_with_attribute_and_place(people, refused):
    with refused('"bmi" cannot be generated. At character 10 of "weight / heigt"', '"height"'):
        made(people, fine="1 + 1", bmi="weight / heigt")
    with refused('"x" cannot be generated. At the end of "1 +"', error=ParameterError):
        made(people, x="1 +")
    with refused("function_descriptions is empty", error=ParameterError):
        made(people)


def test_infinite_results_are_told(people, listening):
    ctx = listening()
    generate_attributes(people, function_descriptions={"x": "1 / (n - 2)"}, ctx=ctx)
    assert ctx.warnings == [
        '"x" is infinite in 1 of 3 rows, first in row 2: a division by zero, or a number that is too large.'
    ]


@pytest.mark.parametrize("keep_all", [True, False])
def test_what_comes_out_is_known_before(people, keep_all):
    parameters = {
        "function_descriptions": {
            "a": "n * 2",
            "b": 'if(a > 3, "big", upper([eye colour]))',
            "ill": "weight > 70",
            "c": "a / 2",
        },
        "keep_all": keep_all,
    }
    meta = operator_of(generate_attributes).describe({"examples": metadata_of(people)}, parameters)
    found = generate_attributes(people, **parameters)
    assert meta.schema == found.schema
    assert meta.rows == 3


def test_mistakes_are_found_before_the_run(people):
    describe = operator_of(generate_attributes).describe
    parameters = {"function_descriptions": {"x": 'height + "m"'}, "keep_all": True}
    with pytest.raises(ParameterError, match='"x" cannot be generated. At character 8'):
        describe({"examples": metadata_of(people)}, parameters)


def test_ids_count_from_one(people):
    found = generate_id(people)
    assert found.column("id").tolist() == [1, 2, 3]
    assert found.schema.special("id").value_type == ValueType.INTEGER
    assert generate_id(people, offset=50).column("id").tolist() == [51, 52, 53]
    named = generate_id(people, create_nominal_ids=True, offset=8)
    assert named.nominal_values("id") == ["id_9", "id_10", "id_11"]


def test_an_old_id_goes_but_another_attribute_does_not(people):
    again = generate_id(people.with_roles({"n": "id"}))
    assert "n" not in again.schema
    assert again.schema.special("id").name == "id"
    assert generate_id(again).equals(again)
    with pytest.raises(DataError, match='an attribute "id" already, which is not the id'):
        generate_id(people.rename({"n": "id"}))
