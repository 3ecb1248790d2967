"""What many tests need: the shared data folder, small tables, quiet defaults."""

from pathlib import Path

import numpy as np
import pytest

from fsops import ExampleSet

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture
def shared_data():
    """Return the folder of real data sets; the test is skipped where it is not there."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("the shared data folder is not on this machine")
    return folder


@pytest.fixture
def two_classes():
    """Return 40 rows × 6 attributes of which the first two tell the classes apart."""
    rng = np.random.default_rng(1)
    codes = np.arange(40) % 2
    X = rng.normal(size=(40, 6))
    X[:, :2] += 2 * codes[:, None]
    return ExampleSet.from_numpy(X, np.array(["no", "yes"])[codes])
