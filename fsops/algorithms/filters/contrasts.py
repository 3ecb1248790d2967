"""Scores of two classes that need only the difference of means and the two sums of squares.

Student's and Welch's t, SAM, F, Fisher's and Lal's score of two classes are all the difference of
means over ``sqrt(g0 SS0 + g1 SS1) + s0``, or the square of that, with factors g of the class sizes.
One kernel computes them for all resamples of an ensemble in one go over the sums. It knows only
the usual case. Where a feature is constant in a class of a resample, the filter itself decides.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from fsops.algorithms.base.compiled import sets as kernels
from fsops.algorithms.base.moments import ROUNDING, ClassMoments
from fsops.algorithms.base.types import Floats, Scores
from fsops.algorithms.filters import univariate

Factors = Callable[[Floats], Floats]


def _pooled(size: Floats) -> Floats:
    negative, positive = size
    factor = (1 / negative + 1 / positive) / (negative + positive - 2)
    return np.stack([factor, factor])


def _separate(size: Floats) -> Floats:
    return 1 / (size * (size - 1))


def _fisher(size: Floats) -> Floats:
    negative, positive = size
    factor = 1 / negative + 1 / positive
    return np.stack([factor, factor])


def _population(size: Floats) -> Floats:
    return 1 / size


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """The factors of one score.

    Attributes
    ----------
    size, factors
        Rows in each class of each resample, and the factors g for them, (2, members, 1).
    s0
        Added to the error.
    squared
        Whether the score is the square.
    """

    size: Floats
    factors: Floats
    s0: float
    squared: bool

    def fill(
        self, origin: Floats, total: Floats, squares: Floats, result: Floats, first: int
    ) -> bool:
        """Write the scores of a tile into the columns from `first` on.

        False if that is for the filter itself to do: some sum of squares is rounding noise.
        """
        return kernels.fill_contrasts(
            total,
            squares,
            origin,
            self.size,
            self.factors,
            self.s0,
            self.squared,
            ROUNDING,
            result,
            first,
        )


_RULES: Mapping[Callable[..., Scores], tuple[Factors, str, bool]] = {
    # factors, weighting by default, squared
    univariate.student_t_from: (_pooled, "abs_statistic", False),
    univariate.welch_t_from: (_separate, "one_minus_p", False),
    univariate.sam_from: (_pooled, "abs_statistic", False),
    univariate.f_test_from: (_pooled, "abs_statistic", True),
    univariate.fisher_score_from: (_fisher, "abs_statistic", True),
    univariate.lal_score_from: (_population, "abs_statistic", True),
}


def contrast_of(score: Callable[[ClassMoments], Scores], size: Floats) -> Contrast | None:
    """How a filter with its parameters bound is a contrast, or None if its weights are not.

    Parameters
    ----------
    score
        A filter on moments, such as ``partial(univariate.sam_from, s0=0.2)``.
    size
        Rows in each class of each resample, (classes, members, 1).
    """
    bound = isinstance(score, partial) and not score.args
    function: Any = score.func if bound else score  # type: ignore[attr-defined]
    given: Mapping[str, Any] = score.keywords if bound else {}  # type: ignore[attr-defined]
    if len(size) != 2 or (size < 2).any() or function not in _RULES:
        return None
    factors, weighting, squared = _RULES[function]
    s0 = given.get("s0", 0.1) if function is univariate.sam_from else 0.0
    if given.get("weighting", weighting) != "abs_statistic" or isinstance(s0, str):
        return None
    if not 0 <= s0 < np.inf or (size.sum(axis=0) <= 2).any():
        return None
    return Contrast(size, factors(size), float(s0), squared)
