"""Tables with every kind of value."""

import numpy as np
import pandas as pd
import pytest

from fsops.data import ExampleSet


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
