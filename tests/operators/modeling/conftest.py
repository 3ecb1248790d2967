"""Sample tables, halves of them, and what a model predicts."""

import numpy as np
import pytest

from fsops.operators import retrieve


@pytest.fixture
def iris():
    return retrieve(repository_entry="iris")


@pytest.fixture
def diabetes():
    return retrieve(repository_entry="diabetes")


@pytest.fixture
def halves():
    """Return a function that deals the rows of a table to training and test in turns."""
    return lambda table: (
        table.take(np.arange(0, len(table), 2)),
        table.take(np.arange(1, len(table), 2)),
    )


@pytest.fixture
def predicted():
    """Return a function from a model and a table to the predicted codes or numbers."""
    return lambda model, table: model.apply(table).column(f"prediction({table.label.name})")


@pytest.fixture
def confidences():
    """Return a function from a model and a table to the matrix of confidences."""
    return lambda model, table: np.column_stack(
        [model.apply(table).column(f"confidence({name})") for name in table.classes]
    )
