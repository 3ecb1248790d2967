"""Axes to draw on, of the size of one column of a paper."""

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def ax():
    return Figure(figsize=(3.4, 2.6), layout="constrained").add_subplot()


@pytest.fixture
def tick_texts():
    """Return a function that gives the labels of an axis in their order."""
    return lambda axis: [label.get_text() for label in axis.get_ticklabels()]
