"""Compiled sums of the terms of polynomials.

See `compiled`, whose rules hold here. The numpy twin is in `statistics.tails`.
"""

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.types import Floats

# Values of a polynomial computed side by side.
LANES = 64


def polynomial(coefficients: Floats, v: Floats, u: Floats) -> Floats:
    """Sum of coefficients[j, d] u^j v^d, by Horner's rule."""
    total = np.empty(v.size)
    _add_terms(coefficients, v, u, total)
    return total


@_compiled
def _add_terms(coefficients: Floats, v: Floats, u: Floats, total: Floats) -> None:
    """`polynomial`, for several values side by side."""
    lines, degrees = coefficients.shape
    inner = np.empty(LANES)
    for a in range(0, v.size, LANES):
        b = min(v.size, a + LANES)
        x, y, out = v[a:b], u[a:b], total[a:b]
        out[:] = 0.0
        for j in range(lines - 1, -1, -1):
            inner[:] = coefficients[j, degrees - 1]
            for d in range(degrees - 2, -1, -1):
                c = coefficients[j, d]
                for i in range(b - a):
                    inner[i] = inner[i] * x[i] + c
            for i in range(b - a):
                out[i] = out[i] * y[i] + inner[i]
