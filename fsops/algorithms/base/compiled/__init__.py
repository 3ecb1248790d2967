"""Compiled inner loops of the filters, for large jobs where numba is installed.

Every kernel has a numpy twin in the module that calls it. Kernels use one thread, sum in a fixed
order (no `fastmath`) and release the interpreter lock. Two kinds are chosen in two ways, so that a
result depends neither on what ran before nor on the number of threads:

- Kernels whose twin gives the same bits (moments of complete tables, rank sums, counts) take large
  jobs, and those of medium size where numba is loaded already (`take_table`, `take_ranks`).
- The others give the same numbers up to the last digits. The size of the job alone decides
  (`take_values`, `take_holes`, `take_pairs`).

Nothing here imports numba before a large job asks for it: that and the loading of a cached kernel
cost half a second, once per process.
"""

import sys
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from fsops.algorithms.base.types import Ints, Numbers
from fsops.version import __version__

# From how many steps on a kernel is used: values of a table read once, or differences of the
# values of two rows. Measured by benchmarks/filters.py --thresholds: from here on a loop of some
# forty tables, or of thirty runs of ReliefF, repays the start. Smaller jobs never wait for it.
TABLE = 1 << 23
PAIRS = 30_000_000
# Sorting in numpy, or leaving out missing values, costs ten times as much as reading a table.
RANKS = HOLES = 1 << 19
# Terms of polynomials: without numba they only cost time in tables of a million attributes.
TERMS = 1 << 27
# From so many values on a kernel repays its own loading, if numba is loaded already.
LOADED = 1 << 17

# Columns whose sums stay in the first- or second-level cache while the rows pass by.
TILE = 2048
# A byte counts so far.
BYTE = 255
# Moves per value after which the insertion behind a radix sort gives way to a full sort.
MOVES = 8

P = ParamSpec("P")
R = TypeVar("R")


def take_table(X: Numbers) -> bool:
    """Whether kernels with the bits of their twins are to read this table, stored in one piece."""
    return _in_one_piece(X) and _worthwhile(X.size, _least(TABLE))


def take_holes(X: Numbers) -> bool:
    """Whether kernels should read this table with missing values, stored in one piece."""
    return _in_one_piece(X) and _worthwhile(X.size, HOLES)


def take_ranks(values: int) -> bool:
    """Whether kernels should sort so many values."""
    return _worthwhile(values, _least(RANKS))


def take_terms(terms: int) -> bool:
    """Whether kernels should add up so many terms of polynomials."""
    return _worthwhile(terms, _least(TERMS))


def take_values(values: int) -> bool:
    """Whether kernels should do some steps with each of so many values."""
    return _worthwhile(values, TABLE)


def take_pairs(differences: int) -> bool:
    """Whether kernels should compute so many differences between the values of two rows."""
    return _worthwhile(differences, PAIRS)


def _in_one_piece(X: Numbers) -> bool:
    return (X.flags.c_contiguous or X.flags.f_contiguous) and X.flags.aligned


def _least(steps: int) -> int:
    """From how many steps on a kernel with the bits of its twin is faster."""
    return LOADED if "numba" in sys.modules else steps


def is_available() -> bool:
    """Whether kernels that have no numpy twin can be used."""
    return _numba_works()


def _worthwhile(steps: int, least: int) -> bool:
    return steps >= least and _numba_works()


@cache
def _numba_works() -> bool:
    try:
        import numba  # noqa: F401
    except ImportError:
        # Also raised by a numba that does not know this version of numpy.
        return False
    return True


@cache
def digest_of(folder: Path) -> str:
    """Digest of all files of a package with kernels.

    Numba compiles a kernel again if the file of the kernel has changed, but not if constants,
    kernels or instructions have that it takes from other files.
    """
    from hashlib import sha256

    content = sha256(__version__.encode())  # there may be no files, as in an archive
    for file in sorted(folder.glob("*.py")):
        content.update(file.name.encode() + file.read_bytes())
    return content.hexdigest()[:10]


def _compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile on the first call, or load the result of an earlier process."""

    @cache
    def kernel() -> Callable[P, R]:
        from numba import njit

        for name in function.__code__.co_names:
            part: Any = function.__globals__.get(name)
            if hasattr(part, "compiled"):
                function.__globals__[name] = part.compiled()
        # It becomes part of the names of the files that numba keeps.
        function.__qualname__ = f"{function.__name__}_{digest_of(Path(__file__).parent)}"
        compile_ = njit(nogil=True, error_model="numpy", cache=True)
        try:
            compiled: Callable[P, R] = compile_(function)
        except RuntimeError:
            # No folder to keep the result in, neither beside this file nor in the user's home.
            compiled = njit(nogil=True, error_model="numpy")(function)
        return compiled

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return kernel()(*args, **kwargs)

    # A kernel may call others of its module.
    call.compiled = kernel  # type: ignore[attr-defined]
    return call


def _frozen(X: Numbers) -> Numbers:
    """A view that cannot be written to: of writeable arrays a second kernel would be compiled."""
    view = X.view()
    view.flags.writeable = False
    return view


def _grouped(codes: Ints, n_classes: int) -> tuple[Numbers, Ints]:
    """The rows of all classes one after the other, and where each class starts.

    The rows are unsigned: a kernel would check signed ones for counting from the end.
    """
    starts = np.zeros(n_classes + 1, dtype=np.intp)
    np.cumsum(np.bincount(codes, minlength=n_classes), out=starts[1:])
    # A stable sort of bytes only counts them.
    small = codes.astype(np.uint8) if n_classes <= BYTE else codes
    return np.argsort(small, kind="stable").astype(np.uintp), starts
