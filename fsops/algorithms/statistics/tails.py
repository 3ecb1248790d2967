"""Tails of Student's t and of F for many values at once.

`scipy.special` takes 150 to 200 ns per value. Here the two-sided tail of t with n degrees of
freedom is written as p = exp(g - E) / (1 + sqrt(pi) R) with E = n/2 log(1 + t^2/n) and
R^2 = t^2/2 / (1 + t^2/n). The function g varies little: in a range of n it is a polynomial of
R/(R + 2) and 1/n with some hundred coefficients, which are fitted to `scipy.special` at the first
use of the range. The ranges are fixed, so p depends on t and n alone, not on other values.

Measured: twice as fast as `scipy.special` in numpy, 3 to 6 times with the kernel. The relative
error is 1e-12. Where R is near its limit sqrt(n/2), in far tails of few degrees of freedom, the
values are left to scipy.

The tail of F is that of t, or a power, plus a sum of few positive terms.
"""

from dataclasses import dataclass
from functools import cache
from math import inf, pi, sqrt

import numpy as np

from fsops.algorithms.base import compiled as kernels
from fsops.algorithms.base.compiled import polynomials
from fsops.algorithms.base.types import Bools, Floats

# Below, a call costs more than it saves.
FEW = 2000
# Ranges of the degrees of freedom that share one polynomial, and how much of R it covers.
FREEDOM = (2.0, 3.0, 5.0, 9.0, 16.0, 30.0, 60.0, 150.0, 500.0, inf)
COVERED = 0.97
# The R at which R/(R + 2) is one half, nodes in both variables, and neglected coefficients.
CENTRE = 2.0
NODES, NODES_FREEDOM = 28, 10
NEGLIGIBLE = 1e-12
ROOT_PI = sqrt(pi)
# More terms than these are left to scipy.
MOST_TERMS = 20
# Below, the terms of F lose digits to underflow.
SMALLEST_POWER = 1e-250
BLOCK = 8192


def t_tail(t: Floats, df: Floats) -> Floats:
    """Two-sided p of Student's t; NaN where t is NaN or df is not positive."""
    from scipy.special import stdtr

    t, df = np.broadcast_arrays(np.abs(t), df)
    if t.size < FEW:
        p: Floats = 2 * stdtr(df, -t)
        return p
    if t.ndim > 1:
        return t_tail(t.ravel(), df.ravel()).reshape(t.shape)
    lowest, highest = np.fmin.reduce(df), np.fmax.reduce(df)
    p, done = np.empty(t.shape), np.zeros(t.shape, dtype=np.bool_)
    for number in range(len(FREEDOM) - 1):
        if FREEDOM[number + 1] > lowest and FREEDOM[number] <= highest:
            tail = _student_tail(number)
            own = tail.covers(t, df)
            if own.all():
                return tail.p(t, df, t.size)
            p[own] = tail.p(t[own], df[own], t.size)
            done |= own
    rest = ~done
    p[rest] = 2 * stdtr(df[rest], -t[rest])
    return p


def f_tail(f: Floats, between: Floats, within: Floats) -> Floats:
    """Upper tail of F with positive degrees of freedom; NaN where one of them, or f, is NaN."""
    f, between, within = np.broadcast_arrays(f, between, within)
    if f.ndim > 1:
        return f_tail(f.ravel(), between.ravel(), within.ravel()).reshape(f.shape)
    terms = float(np.fmax.reduce(between, initial=0.0))
    if f.size < FEW or terms not in range(1, 2 * MOST_TERMS + 1):
        return _beta_tail(f, between, within)
    own = (f < inf) & (within > 0) & (between == terms)
    if own.all():
        return _f_sum(f, int(terms), within)
    p = np.empty(f.shape)
    p[own] = _f_sum(f[own], int(terms), within[own])
    p[~own] = _beta_tail(f[~own], between[~own], within[~own])
    return p


def _beta_tail(f: Floats, between: Floats, within: Floats) -> Floats:
    """The tail of F by scipy."""
    from scipy.special import betainc, stdtr

    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        p: Floats = betainc(within / 2, between / 2, within / (within + between * f))
        # With one degree of freedom the root of a small f counts, which 1 - x has lost.
        return np.where(between == 1, 2 * stdtr(within, -np.sqrt(f)), p)


def _f_sum(f: Floats, d1: int, d2: Floats) -> Floats:
    """Upper tail of F with d1 and d2 degrees of freedom, as a sum of positive terms.

    I_x(a, b + 1) = I_x(a, b) + x^a y^b G(a + b) / (G(a) G(b + 1)) with y = 1 - x, G the gamma
    function; I_x(a, 1) = x^a, and I_x(a, 1/2) is the tail of t.
    """
    from scipy.special import beta

    odd = d1 % 2 == 1
    if d1 == 1:
        return t_tail(np.sqrt(f), d2)
    a = d2 / 2
    # The same for all features unless values are missing.
    common = a[:1] if (a == a[:1]).all() else a
    ratio = f * (d1 / d2)
    power: Floats = np.exp(-a * np.log1p(ratio))
    p = t_tail(np.sqrt(f * d1), d2) if odd else power.copy()
    ratio /= 1.0 + ratio
    term, b = (power * np.sqrt(ratio), 0.5) if odd else (power * ratio, 1.0)
    factor = 1 / (b * beta(common, b))
    while b < d1 / 2:
        p += term * factor
        term *= ratio
        factor *= (common + b) / (b + 1)
        b += 1
    far = power < SMALLEST_POWER
    p[far] = _beta_tail(f[far], np.array(float(d1)), d2[far])
    return np.minimum(p, 1.0, out=p)


# --- Student's t --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _StudentTail:
    """Two-sided tail of t for a range of degrees of freedom, and R up to a limit.

    The coefficients belong to powers of both variables, scaled to -1..1: (powers of 1/n, powers of
    R/(R + 2)).
    """

    lowest: float
    highest: float
    largest_r: float
    coefficients: Floats

    def covers(self, t: Floats, df: Floats) -> Bools:
        """Where the degrees of freedom are in the range and R is within the limit."""
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            square = t * t
            covered: Bools = square * (1 - 2 * self.largest_r**2 / df) <= 2 * self.largest_r**2
        covered &= (df >= self.lowest) & (df < self.highest)
        return covered

    def p(self, t: Floats, df: Floats, together: int) -> Floats:
        """Two-sided p of values that are covered.

        ``together`` is the number of values of all ranges. It decides on the kernel, because a
        small range or the end of a large one would take long without it.
        """
        compiled = kernels.take_terms(self.coefficients.size * min(together, BLOCK))
        result = np.empty(t.size)
        for start in range(0, t.size, BLOCK):
            block = slice(start, start + BLOCK)
            result[block] = self._p(t[block], df[block], compiled)
        return result

    def _p(self, t: Floats, df: Floats, compiled: bool) -> Floats:
        ratio = t * t
        ratio /= df
        exponent = np.log1p(ratio)
        exponent *= 0.5 * df
        ratio += 1.0
        r = t / np.sqrt(2 * ratio, out=ratio)
        # The ranges of R/(R + 2) and of 1/df become -1..1.
        v = r / (r + CENTRE) * (2 * (self.largest_r + CENTRE) / self.largest_r) - 1
        u = (1 / df - 1 / self.highest) * (2 / (1 / self.lowest - 1 / self.highest)) - 1
        g = polynomial(self.coefficients, v, u, compiled)
        g -= exponent
        r *= ROOT_PI
        r += 1.0
        p: Floats = np.exp(g, out=g)
        p /= r
        return np.minimum(p, 1.0, out=p)


def polynomial(coefficients: Floats, v: Floats, u: Floats, compiled: bool) -> Floats:
    """Sum of coefficients[j, d] u^j v^d, by Horner's rule."""
    if compiled:
        return polynomials.polynomial(coefficients, v, u)
    total = np.zeros(v.size)
    for line in coefficients[::-1]:
        inner = np.full(v.size, line[-1])
        for coefficient in line[-2::-1]:
            inner *= v
            inner += coefficient
        total *= u
        total += inner
    return total


@cache
def _student_tail(number: int) -> _StudentTail:
    """Fit the polynomial for one range of the degrees of freedom."""
    lowest, highest = FREEDOM[number : number + 2]
    largest_r = COVERED * sqrt(lowest / 2)
    fraction = largest_r / (largest_r + CENTRE) * (_chebyshev_points(NODES) + 1) / 2
    r = CENTRE * fraction / (1 - fraction)
    inverse = 1 / highest + (1 / lowest - 1 / highest) * (_chebyshev_points(NODES_FREEDOM) + 1) / 2
    values = _log_rest(r[None, :], 1 / inverse[:, None])
    return _StudentTail(lowest, highest, largest_r, _power_coefficients(values))


def _log_rest(r: Floats, df: Floats) -> Floats:
    """The g of the module's text, without underflow."""
    from scipy.special import betaln, hyp2f1, stdtr

    a, y = np.broadcast_arrays(df / 2, r * r / (df / 2))
    far = y > 0.4
    # The tail is I_(1-y)(a, 1/2); each of two ways to it loses no digits on its side.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        series = np.log(hyp2f1(a + 0.5, 1.0, a + 1.0, 1 - y))
        distant = 0.5 * np.log(y) - np.log(a) - betaln(a, 0.5) + series
        near = np.log(2 * stdtr(2 * a, -np.sqrt(2 * a * y / (1 - y)))) - a * np.log1p(-y)
    rest: Floats = np.where(far, distant, near) + np.log1p(ROOT_PI * r)
    return rest


def _chebyshev_points(count: int) -> Floats:
    points: Floats = np.cos(pi * (np.arange(count) + 0.5) / count)
    return points


def _power_coefficients(values: Floats) -> Floats:
    """Coefficients of powers from values at Chebyshev points in both directions."""
    from numpy.polynomial import chebyshev

    for _ in range(2):
        count = len(values)
        i = np.arange(count)
        fit = np.cos(pi * np.outer(i, i + 0.5) / count) * (2.0 / count)
        fit[0] *= 0.5
        values = (fit @ values).T
    size = np.abs(values)
    lines, columns = (_needed(size.sum(axis=axis)) for axis in (1, 0))
    values = values[:lines, :columns]
    for _ in range(2):
        values = np.array([chebyshev.cheb2poly(line) for line in _padded(values)]).T
    return np.ascontiguousarray(values)


def _padded(values: Floats) -> Floats:
    """The same with a last column that is not 0: `cheb2poly` cuts zeros off."""
    values = values.copy()
    values[:, -1] = np.where(values[:, -1] == 0, 1e-300, values[:, -1])
    return values


def _needed(sizes: Floats) -> int:
    """How many leading coefficients are needed so that the others do not matter."""
    rest = np.cumsum(sizes[::-1])[::-1]
    return max(2, int(np.count_nonzero(rest > NEGLIGIBLE)))
