"""The two worked data sets, and what an operator says."""

import numpy as np
import pytest

from fsops import Context, ExampleSet
from fsops.core.frame.events import Logged
from fsops.core.frame.services import Services
from fsops.operators import retrieve


@pytest.fixture
def toy():
    """Return the toy data T1 of the method specification; class 1 is positive."""
    X = np.array(
        [
            [5.1, 4.9, 6.2, 5.8, 5.5, 3.9, 4.1, 4.6],
            [1, 2, 3, 4, 5, 2, 3, 4],
            [2] * 8,
            [0.1, 0.4, 0.35, 0.8, 0.2, 0.9, 1.5, 1.1],
        ]
    ).T
    return ExampleSet.from_numpy(X, [1, 1, 1, 1, 1, 0, 0, 0], names=["f1", "f2", "f3", "f4"])


@pytest.fixture
def golf():
    """Return Quinlan's weather data."""
    return retrieve(repository_entry="golf")


class Listening(Context):
    """A context that remembers what the operator said."""

    def __init__(self, seed=2001, wanted=None):
        self.events = []
        super().__init__(seed, ("Step",), services=Services(self.events.append), wanted=wanted)

    @property
    def warnings(self):
        """What the user was told."""
        return [e.value for e in self.events if isinstance(e, Logged) and e.name == "warning"]


@pytest.fixture
def listening():
    """Return the class of contexts that remember."""
    return Listening
