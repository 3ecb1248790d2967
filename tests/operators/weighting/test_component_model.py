"""Weights from the components of a model."""

import re

import numpy as np
import pytest

from fsops import Attribute
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    principal_component_analysis,
    retrieve,
    weight_by_component_model,
    weight_by_pca,
)


@pytest.fixture
def iris():
    return retrieve(repository_entry="iris")


@pytest.mark.parametrize("number", [1, 2])
def test_weights_are_those_of_weight_by_pca(iris, number):
    model = principal_component_analysis(iris).model
    found = weight_by_component_model(iris, model, component_number=number)
    assert dict(found) == pytest.approx(dict(weight_by_pca(iris, component_number=number)))


def test_attributes_come_in_the_order_of_the_table_and_unused_ones_have_no_weight(iris):
    model = principal_component_analysis(iris).model
    more = iris.with_columns([(Attribute("more"), np.arange(150.0))])
    found = weight_by_component_model(more.select(more.names[::-1]), model)
    assert found.names == ("more", *iris.schema.regular_names[::-1])
    assert found["more"] == 0
    expected = dict(weight_by_component_model(iris, model))
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_a_component_or_an_attribute_that_is_not_there_is_named(iris):
    model = principal_component_analysis(iris).model
    with pytest.raises(ParameterError, match="component_number is 3, .* only 2"):
        weight_by_component_model(iris, model, component_number=3)
    gone = iris.schema.regular_names[0]
    with pytest.raises(DataError, match=f'lacks "{re.escape(gone)}"'):
        weight_by_component_model(iris.drop([gone]), model)
