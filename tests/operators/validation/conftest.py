"""Tables with a label and a prediction."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.data import Attribute
from fsops.data.columns import nominal_column


@pytest.fixture
def of_classes():
    """Return a function from true and predicted classes (and confidences) to a table."""

    def build(true, predicted, **confidences):
        columns = [
            nominal_column("y", list(true), role="label"),
            nominal_column("p", list(predicted), role="prediction"),
        ]
        for name, values in confidences.items():
            role = f"confidence({name})"
            columns.append((Attribute(role, role=role), np.array(values, dtype=float)))
        return ExampleSet.from_columns(columns, len(true))

    return build


@pytest.fixture
def of_numbers():
    """Return a function from true and predicted numbers to a table."""
    return lambda true, predicted: ExampleSet.from_columns(
        [
            (Attribute("y", role="label"), np.array(true, dtype=float)),
            (Attribute("p", role="prediction"), np.array(predicted, dtype=float)),
        ],
        len(true),
    )
