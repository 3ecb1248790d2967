"""Choosing attributes."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import DataError, ParameterError
from fsops.operators import select_attributes
from fsops.operators.preparation.attribute_filter import names_before_run, selected_names

DEFAULTS = {p.name: p.default for p in select_attributes.operator.parameters}


@pytest.fixture
def mixed():
    frame = pd.DataFrame(
        {
            "gene_1": [1.0, 2.5, 3.0, 4.0],
            "gene_2": [np.nan, 7.0, np.nan, 9.0],
            "age": [10, 20, 30, 40],
            "color": ["red", "green", None, "blue"],
            "sex": ["f", "m", "f", "m"],
            "y": ["a", "b", "a", "b"],
        }
    )
    return ExampleSet.from_pandas(frame, roles={"y": "label"})


def chosen(examples, **given):
    parameters = {**DEFAULTS, **given}
    names = selected_names(examples, parameters)
    before = names_before_run(examples.schema, parameters)
    assert before in (None, names)
    return " ".join(names)


@pytest.mark.parametrize(
    ("filter_type", "given", "expected"),
    [
        ("all", {}, "gene_1 gene_2 age color sex"),
        ("single", {"attribute": "age"}, "age"),
        ("subset", {"attributes": ["sex", "age"]}, "age sex"),
        ("regular_expression", {"regular_expression": "gene_.*"}, "gene_1 gene_2"),
        (
            "regular_expression",
            {"regular_expression": ".*e.*", "except_regular_expression": ".*_2|age"},
            "gene_1 sex",
        ),
        ("regular_expression", {"regular_expression": "gene"}, ""),
        ("value_type", {"value_type": "numeric"}, "gene_1 gene_2 age"),
        ("value_type", {"value_type": "integer"}, "age"),
        ("value_type", {"value_type": "nominal"}, "color sex"),
        ("value_type", {"value_type": "binominal"}, "sex"),
        ("no_missing_values", {}, "gene_1 age sex"),
        ("missing_share", {"max_missing_fraction": 0.25}, "gene_1 age color sex"),
        ("missing_share", {"max_missing_fraction": 0.5}, "gene_1 gene_2 age color sex"),
        ("numeric_value_filter", {"numeric_condition": "> 5"}, "gene_2 age color sex"),
        ("numeric_value_filter", {"numeric_condition": ">=1&&<=4"}, "gene_1 color sex"),
        (
            "numeric_value_filter",
            {"numeric_condition": "< 5 || = 7 || = 9"},
            "gene_1 gene_2 color sex",
        ),
    ],
)
def test_what_is_chosen(mixed, filter_type, given, expected):
    everything = chosen(mixed).split()
    found = chosen(mixed, attribute_filter_type=filter_type, **given)
    assert found == expected
    rest = chosen(mixed, attribute_filter_type=filter_type, invert_selection=True, **given)
    assert rest.split() == [name for name in everything if name not in found.split()]


def test_special_attributes_are_looked_at_on_request_only(mixed):
    nominal = {"attribute_filter_type": "value_type", "value_type": "nominal"}
    assert chosen(mixed, include_special_attributes=True, **nominal) == "color sex y"
    gaps = mixed.with_roles({"color": "note"})
    complete = {"attribute_filter_type": "no_missing_values", "include_special_attributes": True}
    assert chosen(gaps, **complete) == "gene_1 age sex y"


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"attribute_filter_type": "single", "attribute": "aeg"}, DataError, 'mean "age"'),
        ({"attribute_filter_type": "single"}, ParameterError, "attribute is not set"),
        ({"attribute_filter_type": "subset"}, ParameterError, "attributes is empty"),
        ({"attribute_filter_type": "regular_expression"}, ParameterError, "is not set"),
        (
            {"attribute_filter_type": "regular_expression", "regular_expression": "a("},
            ParameterError,
            'is "a\\(", which is not a regular expression: missing',
        ),
        ({"attribute_filter_type": "numeric_value_filter"}, ParameterError, "is not set. Write"),
        (
            {"attribute_filter_type": "numeric_value_filter", "numeric_condition": "> 1 && 7"},
            ParameterError,
            '"7" is not a relation and a number',
        ),
        (
            {
                "attribute_filter_type": "numeric_value_filter",
                "numeric_condition": "<1 && >2 || =3",
            },
            ParameterError,
            "cannot be mixed",
        ),
    ],
)
def test_mistakes_are_told(mixed, given, error, words):
    with pytest.raises(error, match=words):
        chosen(mixed, **given)
