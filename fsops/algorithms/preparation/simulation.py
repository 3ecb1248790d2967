"""Made-up data whose relevant features are known.

The target functions named as in RapidMiner's Generate Data follow its documented formulas; random
numbers are numpy's, so tables differ from RapidMiner's, their distributions do not. Features beyond
those a formula uses are noise.

References
----------
- G. I. Allen: Automatic feature selection via weighted kernels and regularization. Journal of
  Computational and Graphical Statistics 22(2), 284-299, 2013 (the KNIFE simulations).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints

Rng = np.random.Generator
Bounds = tuple[float, float]

NEGATIVE_POSITIVE = ("negative", "positive")
RINGS = ("core", "first_ring", "second_ring")
TILE = 5.0  # of the checkerboard
MOST_CLUSTERS = 2**10
KNIFE_COEFFICIENTS = np.array([6.0, -4.0, 3.0, 2.0, -2.0])
ORANGE_FEATURES, ORANGE_INNER, ORANGE_OUTER = 4, 9.0, 16.0


@dataclass(frozen=True, eq=False)
class Simulated:
    """Features, the label, and the features that it depends on.

    Attributes
    ----------
    X
        Shape (rows, features).
    y
        Numbers, or class codes where ``classes`` names the classes.
    relevant
        True for the features that y depends on.
    """

    X: Floats
    y: Floats | Ints
    relevant: Bools
    classes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Target:
    """A formula over uniform features.

    Attributes
    ----------
    uses
        Number of features in it, always the first ones; None for all.
    value
        From the features to numbers, or to class codes.
    """

    uses: int | None
    value: Callable[[Floats], Floats | Ints | Bools]
    classes: tuple[str, ...] = ()


def _multi(X: Floats) -> Ints:
    """Class by the divisors of the rounded sum: by 2, by 3, by 5, by none of them."""
    total = np.abs(np.floor(X.sum(axis=1) + 0.5)).astype(np.intp)
    divides = [total % divisor == 0 for divisor in (2, 3, 5)]
    return np.select(divides, [0, 1, 2], 3)


def _checkerboard(X: Floats) -> Bools:
    tiles = np.trunc(X[:, :2] / TILE)
    return np.asarray(tiles.sum(axis=1) % 2 == 0)


def _waves(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.sin(a * b) + np.sin(a + b))


def _sinc(X: Floats) -> Floats:
    """Sine of the length of a row, divided by it; 0 at the origin, as RapidMiner has it."""
    length = np.sqrt((X**2).sum(axis=1))
    return np.asarray(np.divide(np.sin(length), length, out=np.zeros(len(X)), where=length > 0))


_T = NEGATIVE_POSITIVE
TARGETS: dict[str, Target] = {
    "sum": Target(None, lambda X: X.sum(axis=1)),
    "polynomial": Target(3, lambda X: X[:, 0] ** 3 + X[:, 1] ** 2 + X[:, 2]),
    "non linear": Target(
        3, lambda X: X[:, 0] * X[:, 1] * X[:, 2] + X[:, 0] * X[:, 1] + X[:, 1] ** 2
    ),
    "one variable non linear": Target(
        1,
        lambda X: 3 * X[:, 0] ** 3 - X[:, 0] ** 2 + 1000 / np.abs(X[:, 0]) + 2000 * np.abs(X[:, 0]),
    ),
    "complicated function": Target(
        3,
        lambda X: (
            X[:, 0] ** 2 * X[:, 1]
            + X[:, 1] * X[:, 2]
            + np.maximum(X[:, 0], X[:, 1])
            - np.exp(X[:, 2])
        ),
    ),
    "complicated function2": Target(
        3,
        lambda X: (
            X[:, 0] ** 3
            + X[:, 1] ** 2
            + X[:, 0] * X[:, 1]
            + X[:, 0] / np.abs(X[:, 2])
            - 1 / X[:, 2] ** 2
        ),
    ),
    "simple sinus": Target(1, lambda X: np.sin(X[:, 0])),
    "sinus": Target(2, lambda X: _waves(X[:, 0], X[:, 1])),
    "sinc": Target(None, _sinc),
    "one third classification": Target(1, lambda X: X[:, 0] < 1 / 3, _T),
    "sum classification": Target(None, lambda X: X.sum(axis=1) > 0, _T),
    "quadratic classification": Target(2, lambda X: X[:, 1] > X[:, 0] ** 2, _T),
    "simple non linear classification": Target(
        2, lambda X: (X[:, 0] * X[:, 1] > 50) & (X[:, 0] * X[:, 1] < 80), _T
    ),
    "interaction classification": Target(
        3, lambda X: (X[:, 0] < 0) | (X[:, 1] > 0) & (X[:, 2] < 0), _T
    ),
    "simple polynomial classification": Target(1, lambda X: X[:, 0] ** 4 > 100, _T),
    "polynomial classification": Target(
        4, lambda X: X[:, 0] ** 3 + X[:, 1] ** 2 - X[:, 2] ** 2 + X[:, 3] > 0, _T
    ),
    "checkerboard classification": Target(2, _checkerboard, _T),
    "sinus classification": Target(2, lambda X: _waves(X[:, 0], X[:, 1]) > 0, _T),
    "multi classification": Target(None, _multi, ("one", "two", "three", "four")),
}


def _first(p: int, count: int | None) -> Bools:
    return np.arange(p) < (p if count is None else count)


def uniform_features(rng: Rng, n: int, p: int, bounds: Bounds) -> Floats:
    """Independent features, each uniform between two bounds."""
    low, high = bounds
    return rng.random((n, p)) * (high - low) + low


def formula(name: str, rng: Rng, n: int, p: int, bounds: Bounds) -> Simulated:
    """Uniform features and one of `TARGETS`."""
    target = TARGETS[name]
    X = uniform_features(rng, n, p, bounds)
    with np.errstate(all="ignore"):  # the caller looks at what is not finite
        y = target.value(X)
    values = y.astype(np.intp) if target.classes else y.astype(np.float64)
    return Simulated(X, values, _first(p, target.uses), target.classes)


def unrelated(rng: Rng, n: int, p: int, bounds: Bounds, *, classes: bool) -> Simulated:
    """A label that has nothing to do with the features: uniform in 0…1, or one of two classes."""
    X = uniform_features(rng, n, p, bounds)
    y = rng.integers(2, size=n) if classes else rng.random(n)
    return Simulated(X, y, np.zeros(p, dtype=bool), NEGATIVE_POSITIVE if classes else ())


# --- dots and clusters ------------------------------------------------------------------------


def grid(rng: Rng, n: int, p: int, bounds: Bounds) -> Simulated:
    """Return the centers of cells of equal size that cover the space, and a label that is 0.

    There are as many cells along each feature as bring their number nearest to n; the last
    feature changes fastest, and after the last cell it starts again. Nothing is drawn.
    """
    along = max(round(n ** (1 / p)), 1)
    steps = np.arange(n)[:, None] // along ** np.arange(p - 1, -1, -1, dtype=np.float64) % along
    X = bounds[0] + (steps + 0.5) * (bounds[1] - bounds[0]) / along
    return Simulated(X, np.zeros(n), np.zeros(p, dtype=bool))


def _inside(X: Floats, rng: Rng, dots: int, bounds: Bounds, radius: float) -> Bools:
    """Whether the first two features lie in one of some random discs."""
    centres = uniform_features(rng, dots, 2, bounds)
    radii = rng.random(dots) * radius
    distances = np.hypot(*(X[:, None, :2] - centres).transpose(2, 0, 1))
    return np.asarray((distances < radii).any(axis=1))


def random_dots(rng: Rng, n: int, p: int, bounds: Bounds) -> Simulated:
    """Positive inside ten discs, but not inside five others."""
    X = uniform_features(rng, n, p, bounds)
    radius = (bounds[1] - bounds[0]) / 10
    positive = _inside(X, rng, 10, bounds, radius)
    negative = _inside(X, rng, 5, bounds, radius)
    return Simulated(X, (positive & ~negative).astype(np.intp), _first(p, 2), NEGATIVE_POSITIVE)


def global_and_local(rng: Rng, n: int, p: int, bounds: Bounds) -> Simulated:
    """The sign of the sum of two features, except inside eight positive and five negative discs."""
    X = uniform_features(rng, n, p, bounds)
    radius = (bounds[1] - bounds[0]) / 8
    positive = _inside(X, rng, 8, bounds, radius)
    negative = _inside(X, rng, 5, bounds, radius)
    y = positive | ~negative & (X[:, 0] + X[:, 1] > 0)
    return Simulated(X, y.astype(np.intp), _first(p, 2), NEGATIVE_POSITIVE)


def cluster_count(p: int) -> int:
    """Number of clusters of `gaussian_clusters` where it is not given: two for each feature."""
    return int(min(MOST_CLUSTERS, 2 ** min(p, 10)))


def gaussian_clusters(
    rng: Rng, n: int, p: int, bounds: Bounds, *, clusters: int | None, narrowest: float
) -> Simulated:
    """Gaussian clusters of random place, size and width (narrowest…1 in each feature)."""
    clusters = cluster_count(p) if clusters is None else clusters
    centres = uniform_features(rng, clusters, p, bounds)
    widths = uniform_features(rng, clusters, p, (narrowest, 1.0))
    sizes = rng.random(clusters)
    y = rng.choice(clusters, size=n, p=sizes / sizes.sum())
    X = centres[y] + rng.standard_normal((n, p)) * widths[y]
    return Simulated(X, y, _first(p, None), tuple(f"cluster{c}" for c in range(clusters)))


def ring_clusters(rng: Rng, n: int, p: int, *, radius: float) -> Simulated:
    """Return a core and two rings in the first two features; one label in twenty is drawn.

    Rows lie around the radii 0, radius/2 and radius, with a deviation of 1. The class follows
    from the distance to the origin: below a third of the radius, below two thirds, and beyond.
    """
    distance = rng.integers(3, size=n) * radius / 2 + rng.standard_normal(n)
    angle = rng.random(n) * 2 * np.pi
    X = rng.standard_normal((n, p))
    X[:, 0], X[:, 1] = distance * np.cos(angle), distance * np.sin(angle)
    y = np.digitize(np.abs(distance), [radius / 3, 2 * radius / 3])
    drawn = rng.random(n) < 0.05
    y[drawn] = rng.integers(3, size=int(drawn.sum()))
    return Simulated(X, y, _first(p, 2), RINGS)


def single_gaussian(rng: Rng, n: int, p: int, *, deviation: float) -> Simulated:
    """Return normal features around 0, and a label that is 0."""
    X = rng.standard_normal((n, p)) * deviation
    return Simulated(X, np.zeros(n), np.zeros(p, dtype=bool))


# --- KNIFE ------------------------------------------------------------------------------------


def knife_regression(rng: Rng, n: int, p: int, *, sinus: bool) -> Simulated:
    """Standard normal features; five of them, or their sines, add up to y, with noise N(0, 1).

    Coefficients 6, -4, 3, 2, -2; simulations 1 (linear) and 2 (sinus) of Allen (2013), there with
    ten features and 100 rows.
    """
    X = rng.standard_normal((n, p))
    used = X[:, : len(KNIFE_COEFFICIENTS)]
    y = (np.sin(used) if sinus else used) @ KNIFE_COEFFICIENTS + rng.standard_normal(n)
    return Simulated(X, y, _first(p, len(KNIFE_COEFFICIENTS)))


def knife_orange(rng: Rng, n: int, p: int) -> Simulated:
    """An orange: half of the rows, positive, lie in the skin around the others.

    All features are standard normal; in the skin the squares of the first four sum up to 9…16.
    Simulation 3 of Allen (2013), there with ten features and 100 rows.
    """
    y = rng.permutation(np.arange(n) % 2)
    X = rng.standard_normal((n, p))
    skin: list[Floats] = []
    wanted = int(y.sum())
    while sum(map(len, skin)) < wanted:
        drawn = rng.standard_normal((32 * wanted, ORANGE_FEATURES))  # one in 17 fits
        squares = (drawn**2).sum(axis=1)
        skin.append(drawn[(squares >= ORANGE_INNER) & (squares <= ORANGE_OUTER)])
    if wanted:
        X[y == 1, :ORANGE_FEATURES] = np.concatenate(skin)[:wanted]
    return Simulated(X, y, _first(p, ORANGE_FEATURES), NEGATIVE_POSITIVE)


# --- gene expression --------------------------------------------------------------------------


def gene_expression(
    rng: Rng, n: int, p: int, *, relevant: int, block: int, correlation: float, effect: float
) -> Simulated:
    """Like gene expression: blocks of correlated features, of which few differ between classes.

    Feature j of block b is sqrt(r) z_b + sqrt(1 - r) e_j, with independent standard normal z and e,
    so that features of a block have the correlation r. The relevant ones, spread over the blocks,
    differ by the effect (in standard deviations) between the two equally large classes, upwards or
    downwards. Last, each feature gets a level of 4…10 and a spread of 0.5…2.
    """
    y = rng.permutation(np.arange(n) % 2)
    blocks = np.arange(p) // block
    shared = rng.standard_normal((n, int(blocks[-1]) + 1))
    X = rng.standard_normal((n, p))
    X *= np.sqrt(1 - correlation)
    X += np.sqrt(correlation) * shared[:, blocks]
    # One feature of each block in turn, so that relevant features are rarely correlated.
    place = rng.permutation(p)
    seen = np.zeros(p, dtype=np.intp)
    seen[place] = _occurrence(blocks[place])
    chosen = place[np.argsort(seen[place], kind="stable")][:relevant]
    X[:, chosen] += (y - 0.5)[:, None] * effect * rng.choice([-1.0, 1.0], size=relevant)
    X *= rng.uniform(0.5, 2.0, p)
    X += rng.uniform(4.0, 10.0, p)
    mask = np.zeros(p, dtype=bool)
    mask[chosen] = True
    return Simulated(X, y, mask, NEGATIVE_POSITIVE)


def _occurrence(values: Ints) -> Ints:
    """For each value how often it has occurred before."""
    order = np.argsort(values, kind="stable")
    starts = np.searchsorted(values[order], values[order])
    counts = np.empty(len(values), dtype=np.intp)
    counts[order] = np.arange(len(values)) - starts
    return counts


# --- by name ----------------------------------------------------------------------------------

BOUNDED: dict[str, Callable[[Rng, int, int, Bounds], Simulated]] = {
    **{name: partial(formula, name) for name in TARGETS},
    "random": partial(unrelated, classes=False),
    "grid function": grid,
    "random classification": partial(unrelated, classes=True),
    "random dots classification": random_dots,
    "global and local models classification": global_and_local,
    "two gaussians classification": partial(gaussian_clusters, clusters=2, narrowest=0.0),
    "gaussian mixture clusters": partial(gaussian_clusters, clusters=None, narrowest=0.2),
}
"""Simulations with uniform features, or centers of clusters, between two bounds."""

STANDARD: dict[str, Callable[[Rng, int, int], Simulated]] = {
    "knife linear": partial(knife_regression, sinus=False),
    "knife sinus": partial(knife_regression, sinus=True),
    "knife orange": knife_orange,
}
"""Simulations with standard normal features."""
