"""What many tests need: a small table, and how a message to the user is checked."""

import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from fsops import ExampleSet
from fsops.errors import DataError, ParameterError

# The same examples every time, so that a change is judged by what it changes. To look for new
# ones: HYPOTHESIS_PROFILE=explore. No clock decides, because the machine may be busy.
NO_CLOCK = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("steady", derandomize=True, **NO_CLOCK)
settings.register_profile("explore", max_examples=300, **NO_CLOCK)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

# What a sentence for people does not contain.
RAW = ("Traceback", "<class", "object at", "dtype", "pydantic", "ufunc", "0x", "\n", "  ")


@pytest.fixture
def alive_in_session():
    """Return a function that tells the processes of a session, without those that are dead."""

    def alive(session):
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdecimal():
                continue
            try:
                state, _, _, number = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except OSError:
                continue
            if int(number) == session and state != "Z":
                found.append(int(entry.name))
        return found

    return alive


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
        begins_well = message[0].isupper() or message[0] in '"0123456789'
        assert begins_well or error is ParameterError, message  # which begins with its name
        assert message[-1] in ".?", message

    return block


@pytest.fixture
def two_classes():
    """Return 40 rows × 6 attributes of which the first two tell the classes apart."""
    rng = np.random.default_rng(1)
    codes = np.arange(40) % 2
    X = rng.normal(size=(40, 6))
    X[:, :2] += 2 * codes[:, None]
    return ExampleSet.from_numpy(X, np.array(["no", "yes"])[codes])
