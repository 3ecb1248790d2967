"""Tables written in the process."""

import numpy as np

from fsops.errors import ParameterError
from fsops.operators import create_exampleset


def test_a_table_from_text():
    table = create_exampleset(
        input_csv_text=" a ;b\n1,5;x\n;y\n", column_separator=";", decimal_character=","
    )
    assert list(table.names) == ["a", "b"]
    assert np.array_equal(table.column("a"), [1.5, np.nan], equal_nan=True)
    assert table.nominal_values("b") == ["x", "y"]


def test_numbers_can_stay_categories():
    table = create_exampleset(input_csv_text="a\n01\n2\n", parse_all_as_nominal=True)
    assert table.nominal_values("a") == ["01", "2"]


def test_expressions_count_the_rows():
    table = create_exampleset(
        generator_type="attribute functions",
        number_of_rows=3,
        function_descriptions={"square": "id ^ 2", "twice": "square * 2"},
    )
    assert list(table.names) == ["square", "twice"]
    assert table.column("twice").tolist() == [2, 8, 18]


def test_series_have_equal_steps_and_an_id():
    table = create_exampleset(
        generator_type="numeric series",
        number_of_rows=3,
        numeric_series_configuration={"x": "0;10"},
        add_id_attribute=True,
    )
    assert table.column("x").tolist() == [0, 5, 10]
    assert table.schema.attribute("id").role == "id"


def test_a_text_that_is_no_table_is_explained(refused):
    with refused(
        "input_csv_text cannot be read", "the same number of values", error=ParameterError
    ):
        create_exampleset(input_csv_text="a,b\n1,2,3\n4\n5,6,7,8\n")
    with refused('"zero" for "x" is not a series', error=ParameterError):
        create_exampleset(
            generator_type="numeric series", numeric_series_configuration={"x": "zero"}
        )
