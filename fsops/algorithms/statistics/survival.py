"""Right-censored times: survival curves, their comparison, and how well risks order times."""

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Floats, Numbers, as_classes, as_row_weights, as_target
from fsops.algorithms.statistics.agreement import scaled

BLOCK = 2**22
"""So many pairs of rows are compared at once."""


def concordance_index(
    time: Numbers, event: Numbers, risk: Numbers, weights: Numbers | None = None
) -> float:
    """Fraction of comparable pairs of rows in which the earlier event has the higher risk.

    A pair is comparable if one row has an event and the other a later time, or the same time
    without an event. Equal risks count one half. NaN without a comparable pair. Row weights are
    the numbers of times that rows count.

    References
    ----------
    Harrell, Califf, Pryor, Lee & Rosati (1982), Evaluating the yield of medical tests, JAMA 247.
    """
    time = as_target(time, len(time))
    risk = as_target(risk, len(time))
    happened = np.asarray(event, dtype=bool)
    own = np.ones(len(time)) if weights is None else scaled(as_row_weights(weights, len(time)))
    rows = np.flatnonzero(happened & (own > 0))
    total = concordant = 0.0
    for start in range(0, rows.size, max(1, BLOCK // max(1, len(time)))):
        first = rows[start : start + max(1, BLOCK // max(1, len(time)))]
        later = time[None, :] > time[first, None]
        later |= (time[None, :] == time[first, None]) & ~happened[None, :]
        pairs = own[first, None] * own[None, :] * later
        total += float(pairs.sum())
        higher = np.sign(risk[first, None] - risk[None, :])
        concordant += float((pairs * (1.0 + higher)).sum()) / 2.0
    return concordant / total if total else np.nan


@dataclass(frozen=True, slots=True, eq=False)
class SurvivalCurve:
    """The estimated fraction of rows without an event after each time.

    Attributes
    ----------
    time
        The different times, rising, those without an event included.
    at_risk, events, censored
        Rows that reach the time; rows with an event at it; rows observed up to it.
    survival, lower, upper
        The estimate and its confidence limits.
    """

    time: Floats
    at_risk: Floats
    events: Floats
    censored: Floats
    survival: Floats
    lower: Floats
    upper: Floats

    @property
    def median(self) -> float:
        """First time at which at most half of the rows are left; infinite if there is none."""
        reached = np.flatnonzero(self.survival <= 0.5 + 1e-12)
        return float(self.time[reached[0]]) if reached.size else np.inf


def kaplan_meier(time: Numbers, event: Numbers, level: float = 0.95) -> SurvivalCurve:
    """Kaplan and Meier's estimate, with limits by Greenwood's variance of log(-log S).

    References
    ----------
    Kaplan & Meier (1958), Nonparametric estimation from incomplete observations, JASA 53.
    Kalbfleisch & Prentice (2002), The Statistical Analysis of Failure Time Data, section 1.4.
    """
    from scipy.special import ndtri

    time = as_target(time, len(time))
    happened = np.asarray(event, dtype=bool)
    times, places = np.unique(time, return_inverse=True)
    places = places.reshape(-1)
    rows = np.bincount(places, minlength=times.size).astype(np.float64)
    events = np.bincount(places[happened], minlength=times.size).astype(np.float64)
    at_risk = rows[::-1].cumsum()[::-1]
    survival = np.cumprod(1.0 - events / at_risk)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.cumsum(events / (at_risk * (at_risk - events)))
        logs = np.log(survival)
        spread = ndtri((1 + level) / 2) * np.sqrt(variance) / np.abs(logs)
        lower, upper = (survival ** np.exp(sign * spread) for sign in (1.0, -1.0))
    inner = (survival > 0) & (survival < 1)
    lower = np.where(inner, lower, np.where(survival == 1, 1.0, np.nan))
    upper = np.where(inner, upper, np.where(survival == 1, 1.0, np.nan))
    return SurvivalCurve(times, at_risk, events, rows - events, survival, lower, upper)


def log_rank(time: Numbers, event: Numbers, groups: Numbers) -> tuple[float, float]:
    """Chi squared statistic and p-value of the log-rank test of two or more groups.

    References
    ----------
    Mantel (1966), Evaluation of survival data and two new rank order statistics arising in its
    consideration, Cancer Chemotherapy Reports 50.
    """
    from scipy.special import chdtrc

    time = as_target(time, len(time))
    happened = np.asarray(event, dtype=bool)
    codes = as_classes(groups, len(time))
    codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    member = (codes[:, None] == np.arange(codes.max() + 1)).astype(np.float64)
    times, places = np.unique(time, return_inverse=True)
    rows = np.zeros((times.size, member.shape[1]))
    np.add.at(rows, places.reshape(-1), member)
    deaths = np.zeros_like(rows)
    np.add.at(deaths, places.reshape(-1), member * happened[:, None])
    at_risk = rows[::-1].cumsum(axis=0)[::-1]
    n, d = at_risk.sum(axis=1), deaths.sum(axis=1)
    some = d > 0
    at_risk, deaths, n, d = at_risk[some], deaths[some], n[some], d[some]
    excess = (deaths - at_risk * (d / n)[:, None]).sum(axis=0)
    factor = d * (n - d) / np.maximum(n - 1, 1)
    fraction = at_risk / n[:, None]
    variance = np.diag((factor[:, None] * fraction).sum(axis=0))
    variance -= np.einsum("t,ti,tj->ij", factor, fraction, fraction)
    freedom = member.shape[1] - 1
    if freedom < 1 or not np.any(variance):
        return np.nan, 1.0
    statistic = float(excess @ np.linalg.pinv(variance, rcond=1e-10) @ excess)
    return statistic, float(chdtrc(freedom, statistic))
