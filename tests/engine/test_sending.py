"""What goes to workers and comes back is what it would be here."""

import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from fsops import Context
from fsops.core.frame.engine import EngineSettings
from fsops.engine.engines.registry import open_engine
from fsops.engine.services import RunServices
from fsops.errors import OperatorFailed

SENDING = ["processes", "dask"]
MANY = 200_000  # doubles: enough to be shared instead of sent


@pytest.fixture(scope="module", params=SENDING)
def there(request, engines):
    """Return a context whose loops run elsewhere."""
    return Context(services=RunServices(engine=engines(request.param)))


class Fitted:
    """As scikit-learn's trees: the array is made when the object is pickled."""

    def __init__(self, value):
        self.value = value

    def __getstate__(self):
        return {"values": np.full(MANY, self.value)}

    def __setstate__(self, state):
        self.value = state["values"][0]


def test_arrays_that_are_made_for_the_journey_arrive(there):
    objects = [Fitted(1.0), Fitted(2.0), Fitted(3.0)]
    assert there.map(lambda _: [o.value for o in objects], range(2)) == [[1.0, 2.0, 3.0]] * 2


def test_an_array_that_changes_between_loops_is_sent_again(there):
    array = np.zeros(MANY)
    first = there.map(lambda _: float(array[5]), range(2))
    array[:] = 7.0
    assert (first, there.map(lambda _: float(array[5]), range(2))) == ([0.0] * 2, [7.0] * 2)


GRID = np.arange(240.0).reshape(12, 20)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[:, ::2].T,
        lambda x: x[::-1, 3],
        lambda x: x[2:9, 4:7],
        np.asfortranarray,
        lambda x: np.broadcast_to(x[0], (3, 20)),
    ],
    ids=["transposed", "backwards", "part", "columns", "repeated"],
)
def test_results_keep_their_layout(there, view):
    (found, _) = there.map(lambda _: view(GRID), range(2))
    assert np.array_equal(found, view(GRID))
    assert found.strides == view(GRID).strides


class Particular(Exception):
    """Can be pickled, but not made again."""

    def __init__(self, what, why):
        super().__init__(f"{what} because {why}")


def raising(_):
    raise Particular("lost", "of that")


def test_errors_that_cannot_travel_are_told_in_the_usual_words(there):
    with pytest.raises(OperatorFailed, match=r"unexpected error \(Particular: lost because of"):
        there.map(raising, range(2))


def mapped_files(_):
    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return os.getpid(), sum("fsops-run-" in line for line in maps)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="asks the Linux kernel")
def test_workers_let_go_of_the_tables_of_earlier_loops():
    engine = open_engine("processes", EngineSettings(jobs=1))
    context = Context(services=RunServices(engine=engine))
    try:
        for _ in range(5):
            array = np.zeros(MANY)
            array.flags.writeable = False
            ((_, first), _) = context.map(partial(used, array), range(2))
            assert first == 1
    finally:
        engine.close()


def used(array, number):
    assert array[number] == 0
    return mapped_files(number)
