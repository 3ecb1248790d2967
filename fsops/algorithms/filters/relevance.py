"""Maximum relevance: each feature is scored by the measure that fits its type and the label's."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fsops.algorithms.base.types import Numbers, Scores
from fsops.algorithms.filters.univariate import f_test, f_test_nominal, pearson
from fsops.algorithms.statistics.information import (
    Contingency,
    Missing,
    g_test_from,
    mutual_information_from,
)
from fsops.algorithms.statistics.significance import Weighting


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """Scores of the numeric and of the nominal features, and by which measure.

    Attributes
    ----------
    numeric, nominal
        Scores of the columns of either block.
    numeric_measure, nominal_measure
        "f_test", "pearson" or "mutual_information".
    comparable
        False if both blocks hold features scored on different scales: warn the user.
    """

    numeric: Scores
    nominal: Scores
    numeric_measure: str
    nominal_measure: str
    comparable: bool


def maximum_relevance(
    numeric: Numbers | None,
    nominal: Numbers | None,
    label: Numbers,
    *,
    nominal_label: bool,
    normalize: Literal["none", "p"] = "none",
    missing: Missing = "category",
) -> Relevance:
    """Relevance of features of any type for a label of any type.

    =================  =====================================  ==========================
    feature            nominal label                          numeric label
    =================  =====================================  ==========================
    nominal            mutual information (bits)              F of the label by value
    numeric            F of the feature by class              absolute correlation
    =================  =====================================  ==========================

    Parameters
    ----------
    numeric, nominal
        The numeric features (NaN = missing) and the codes of the nominal ones (-1 = missing), rows
        by features; None for no such features.
    label
        Class codes if nominal_label, else numbers.
    nominal_label
        Whether the label is nominal; a binary one is.
    normalize
        "p" replaces every score by 1 - p of its test (F, G for mutual information, t for a
        correlation), which makes scores of different measures comparable.
    missing
        How mutual information treats missing values, see `Contingency.of`.

    References
    ----------
    Schowe (2011), Feature selection for high-dimensional data with RapidMiner.
    """
    if normalize not in ("none", "p"):
        raise ValueError(f'normalize must be "none" or "p", got {normalize!r}.')
    n = len(label)
    numeric = np.empty((n, 0)) if numeric is None else numeric
    nominal = np.empty((n, 0), dtype=np.intp) if nominal is None else nominal
    by_p = normalize == "p"
    weighting: Weighting = "one_minus_p" if by_p else "abs_statistic"
    if nominal_label:
        by_class = f_test(numeric, label, weighting=weighting, p_values=by_p)
        table = Contingency.of(nominal, label, missing=missing)
        information = g_test_from(table) if by_p else mutual_information_from(table)
        scores, measures = (by_class, information), ("f_test", "mutual_information")
    else:
        correlation = pearson(numeric, label, weighting=weighting, p_values=by_p)
        by_value = f_test_nominal(nominal, label, weighting=weighting, p_values=by_p)
        scores, measures = (correlation, by_value), ("pearson", "f_test")
    mixed = all(s.weights.size for s in scores)
    return Relevance(*scores, *measures, comparable=by_p or not mixed)
