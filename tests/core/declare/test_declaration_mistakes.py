"""Mistakes of plugin authors get an error that says what to write."""

from typing import Annotated

import numpy as np
import pytest
from pydantic import Field

from fsops import Accepts, AttributeWeights, ExampleSet, Subprocess, operator
from fsops.errors import DeclarationError, PortError


def test_the_decorator_without_parentheses():
    with pytest.raises(DeclarationError, match="@operator above mine needs arguments") as found:

        @operator
        def mine(examples: ExampleSet) -> AttributeWeights:
            """Mine"""

    assert '@operator(group="Weighting/Mine", role="weighting")' in found.value.hint


def test_an_unknown_argument_of_the_decorator():
    with pytest.raises(DeclarationError, match="@operator has no argument accept") as found:
        operator(group="Mine", accept=Accepts())
    assert found.value.hint == 'Did you mean "accepts"?'
    with pytest.raises(DeclarationError, match="@operator needs group"):
        operator(role="weighting")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"label": "binary"}, 'label must be one of "none", "any", "nominal", "binominal"'),
        (
            {"attributes": "numeric"},
            'attributes must be one of "any", "numerical, nominal or date"',
        ),
    ],
)
def test_data_that_cannot_be_accepted(wrong, words):
    with pytest.raises(DeclarationError, match=words) as found:
        Accepts(**wrong)
    assert "Did you mean" in found.value.hint


def test_inner_inputs_without_brackets():
    with pytest.raises(DeclarationError, match=r"Subprocess\[\[ExampleSet\], AttributeWeights\]"):

        @operator(group="Mine")
        def mine(
            examples: ExampleSet, inner: Subprocess[ExampleSet, AttributeWeights]
        ) -> AttributeWeights:
            """Mine"""


def test_a_default_outside_of_its_bounds():
    with pytest.raises(DeclarationError, match="its default 3 must be .*at least 5"):

        @operator(group="Mine")
        def mine(
            examples: ExampleSet, *, k: Annotated[int, Field(ge=5, description="Number.")] = 3
        ) -> AttributeWeights:
            """Mine"""


def test_an_array_in_place_of_weights():
    @operator(group="Mine", role="weighting")
    def mine(examples: ExampleSet) -> AttributeWeights:
        """Mine"""
        return np.ones(2)

    with pytest.raises(PortError, match="takes attribute weights") as found:
        mine(ExampleSet.from_numpy(np.zeros((4, 2)), [0, 1, 0, 1]))
    assert "examples.weights(values)" in found.value.hint
