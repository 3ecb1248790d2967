"""How a message to the user is checked, and tables with every kind of value."""

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from fsops.data import ExampleSet
from fsops.errors import DataError

RAW = ("Traceback", "<class", "object at", "dtype", "ufunc", "0x", "\n", "None", "  ")


@pytest.fixture
def refused():
    """Return a block that must end in an error whose sentence has all the given words."""

    @contextmanager
    def block(*words, error=DataError):
        with pytest.raises(error) as caught:
            yield caught
        message = str(caught.value)
        assert [word for word in words if word not in message] == [], message
        assert [sign for sign in RAW if sign in message] == [], message
        assert message[0].isupper() or message[0] in '"0123456789', message
        assert message[-1] in ".?", message

    return block


@pytest.fixture
def mixed_frame():
    """Return a data frame with every kind of column, with gaps and unusual names."""
    return pd.DataFrame(
        {
            "größe": [1.5, np.nan, -0.0, np.inf],
            "count": [1, 2, 3, 4],
            "flag": [True, False, True, True],
            "día": pd.to_datetime(
                ["2024-02-29 12:34:56.789012", None, "1969-01-01", "2100-01-01"], format="ISO8601"
            ),
            "colour": pd.Categorical(
                ["red", None, "blue", "red"], categories=["unused", "red", "blue"]
            ),
            'a "b", c': ["x", "y", None, "ß"],
            " ": [0.1, 0.2, 0.3, 0.4],
        }
    )


@pytest.fixture
def mixed(mixed_frame):
    """Return the same as a table with roles and a text."""
    return ExampleSet.from_pandas(
        mixed_frame.assign(note=["first", None, "", "日本語"]),
        roles={"colour": "label", "count": "id"},
        types={"note": "text"},
    )
