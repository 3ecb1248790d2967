"""One thread of linear algebra, as long as anyone asks for it."""

import os
import sys
import threading

import numpy as np  # noqa: F401 - brings a library with threads
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from fsops.engine.blas import one_thread


def most_threads():
    found = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return max((library["num_threads"] for library in found), default=1)


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(limits=2):
        if most_threads() < 2:
            pytest.skip("no library with threads")
        yield


def test_inside_there_is_one_and_afterwards_as_before():
    with one_thread(), one_thread():
        assert most_threads() == 1
    assert most_threads() == 2


def test_a_run_that_ends_first_does_not_undo_the_limit_of_another():
    began, end = threading.Event(), threading.Event()

    def first():
        with one_thread():
            began.set()
            end.wait(60)

    other = threading.Thread(target=first)
    other.start()
    assert began.wait(60)
    with one_thread():
        end.set()
        other.join()
        assert most_threads() == 1
    assert most_threads() == 2


@pytest.mark.parametrize("loaded", [True, False])
def test_threads_of_a_loaded_numba_stay_as_they_are(monkeypatch, loaded):
    # numba reads the variable again whenever it compiles, and fails if its threads run already.
    monkeypatch.setenv("NUMBA_NUM_THREADS", "")  # so that it is restored afterwards
    monkeypatch.delenv("NUMBA_NUM_THREADS")
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    if loaded:
        monkeypatch.setitem(sys.modules, "numba", threading)
    with one_thread():
        assert os.environ.get("NUMBA_NUM_THREADS") == (None if loaded else "1")
