"""One thread of linear algebra in loops: sums depend on the number of threads in the last bit.

What a turn computes must not depend on where it runs, and workers on all cores need no threads of
their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
_inside = False


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra inside use one thread.

    A library that is loaded later reads the environment, so that too stays as it is set here:
    otherwise it would depend on the engine whether it was loaded in a loop or after it.
    """
    global _inside  # noqa: PLW0603 - threads are a matter of the whole process
    if _inside:
        yield
        return
    from threadpoolctl import threadpool_limits

    for name, value in ONE_THREAD.items():
        os.environ.setdefault(name, value)
    _inside = True
    try:
        with threadpool_limits(limits=1):
            yield
    finally:
        _inside = False
