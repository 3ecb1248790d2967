"""Linear equations of steps of Newton's method."""

import numpy as np

from fsops.algorithms.base.types import Floats

SINGULAR = 1e-11
"""Smallest squared pivot, as a fraction of the mean curvature, of equations that are solved."""


def positive_solution(matrix: Floats, target: Floats, near: Floats) -> Floats:
    """Solution of positive definite equations; of nearly singular ones a damped one.

    Damping shortens the step from ``near``, so that repeated steps still reach a solution.
    """
    from scipy.linalg import cho_factor, cho_solve

    size = float(np.trace(matrix)) / len(matrix)
    for damping in (0.0, 1e-10, 1e-7, 1e-4, 1e-2):
        try:
            factor = cho_factor(matrix + damping * size * np.eye(len(matrix)), lower=True)
        except np.linalg.LinAlgError:
            continue
        if (np.diag(factor[0]) ** 2 > SINGULAR * size).all():
            if damping == 0.0:
                return np.asarray(cho_solve(factor, target), dtype=np.float64)
            step: Floats = cho_solve(factor, target - matrix @ near)
            return near + step
    return near
