"""One thread of linear algebra in loops: sums depend on the number of threads in the last bit.

The result of an iteration must not depend on its worker, and workers on all cores need no
threads.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
_lock = threading.Lock()
_users = 0
_limits: Any = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra inside use one thread.

    Threads are a matter of the whole process, so the limit holds until the last run that asked for
    it is done: two runs at once do not undo each other's.

    A library that is loaded later reads the environment, so that too stays as it is set here:
    otherwise it would depend on the engine whether it was loaded in a loop or after it.
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def one_thread_here() -> None:
    """Let libraries that count for each thread use one in this one, for good."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1, user_api="openmp")


def _enter() -> None:
    global _users, _limits  # noqa: PLW0603
    from threadpoolctl import threadpool_limits

    with _lock:
        if _users == 0:
            for name, value in ONE_THREAD.items():
                # A loaded numba stops with an error if its threads run and the number changes.
                if not (name.startswith("NUMBA") and "numba" in sys.modules):
                    os.environ.setdefault(name, value)
            _free_control()
            _limits = threadpool_limits(limits=1)
        _users += 1


def _leave() -> None:
    global _users  # noqa: PLW0603
    with _lock:
        _users -= 1
        if _users == 0:
            _free_control()
            _limits.restore_original_limits()
            _free_control()


def _free_control() -> None:
    """Let any thread set limits: threadpoolctl obeys only the first that did, and is silent."""
    from threadpoolctl import OpenBLASController

    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:  # older versions obey all
        clear(force=True)
