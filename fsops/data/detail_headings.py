"""Headings of the details of weights, for people; files and Python have the names.

The terminal, the report, notebooks and the designer show the headings; all but the terminal also
show the explanations. Names never change, because files have them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_WORDS = re.compile("[a-z]+(_[a-z]+)+(, chance [0-9]+ %)?")
OF_CLASS = "weight of "
"""Details of this beginning have the weights of one class against the others."""


class DetailHeading(NamedTuple):
    """Heading and explanation of a detail."""

    heading: str
    about: str = ""


HEADINGS: Mapping[str, DetailHeading] = {
    # --- tests
    "statistic": DetailHeading(
        "statistic",
        "Score or test statistic of the attribute. If it has a sign, the sign is the direction.",
    ),
    "p_value": DetailHeading(
        "p-value",
        "Probability of a result at least as extreme by chance alone, not adjusted for the number "
        "of attributes.",
    ),
    "adjusted_p_value": DetailHeading(
        "adjusted p-value", "p-value, adjusted for the number of attributes."
    ),
    "q_value": DetailHeading(
        "q-value", "False discovery rate of the list of all attributes with at least this weight."
    ),
    "df": DetailHeading("degrees of freedom", "Degrees of freedom of the test."),
    "e_value": DetailHeading(
        "e-value",
        "Evidence that the attribute is better than its copy, mean of all draws. The attributes "
        "with the largest e-values are selected.",
    ),
    # --- sizes of effects
    "difference": DetailHeading(
        "difference",
        "Mean difference within pairs, or difference of a class from the overall mean in standard "
        "errors.",
    ),
    "coefficient": DetailHeading(
        "coefficient",
        "Coefficient of the attribute in the model. Its sign is the direction; for times, above 0 "
        "means early events.",
    ),
    "original_coefficient": DetailHeading(
        "coefficient per unit", "Coefficient for one unit of the attribute, as in the data."
    ),
    "standard_error": DetailHeading("standard error", "Standard error of the coefficient."),
    "hazard_ratio": DetailHeading(
        "hazard ratio", "Factor of the hazard for one standard deviation of the attribute."
    ),
    "probability": DetailHeading(
        "probability of larger values",
        "Probability of a larger value in the class that sorts last. 0.5 means no tendency.",
    ),
    "rank_correlation": DetailHeading(
        "rank correlation",
        "Sum of the positive minus sum of the negative ranks, divided by the sum of all ranks: "
        "from −1 to 1.",
    ),
    "symmetric_uncertainty": DetailHeading(
        "symmetric uncertainty",
        "Information shared with the label, from 0 (independent) to 1 (equivalent).",
    ),
    # --- repetitions
    "deviation": DetailHeading(
        "deviation", "Standard deviation of the weight over the repetitions."
    ),
    "frequency": DetailHeading(
        "frequency", "Fraction of the repetitions, lists or rows that select the attribute."
    ),
    "both_halves": DetailHeading(
        "fraction of both halves",
        "Fraction of the pairs of halves in which both halves select the attribute.",
    ),
    "position": DetailHeading(
        "mean points",
        "Mean over the members: k points for the first selected attribute, 1 for the last, 0 for "
        "all others.",
    ),
    "rank": DetailHeading("rank", "Place of the attribute, 1 for the best."),
    "rho": DetailHeading(
        "rho score",
        "Smallest probability of such good ranks if all lists were random. The p-value is "
        "computed from it.",
    ),
    "confidence": DetailHeading(
        "confidence", "Mean confidence of the lists, from their weights and accuracies."
    ),
    "conflict": DetailHeading(
        "conflict", "Mean conflict: how much a list contradicts others of like confidence."
    ),
    "reliability": DetailHeading(
        "reliability", "Mean reliability of the lists: large with confidence and without conflict."
    ),
    # --- selections
    "score": DetailHeading("score", "Score of the attribute in the selection."),
    "relevance": DetailHeading(
        "relevance", "Relation of the attribute to the label, regardless of other attributes."
    ),
    "prior": DetailHeading("prior", "Prior knowledge that the attribute matters."),
    "last_weight": DetailHeading(
        "last weight", "Weight in the last round. 0 if the attribute was dropped before."
    ),
    "dropped_in_round": DetailHeading(
        "dropped in round", "Round that dropped the attribute. 0 if it remains."
    ),
    "dropped_in_iteration": DetailHeading(
        "dropped in iteration", "Iteration that dropped the attribute. 0 if it remains."
    ),
    "round": DetailHeading(
        "round", "Round that added the attribute. 0 if the attribute is not selected."
    ),
    "decision": DetailHeading("decision", "1 for confirmed, 0 for tentative, −1 for rejected."),
    "hits": DetailHeading(
        "fraction of hits",
        "Fraction of the forests in which the attribute is more important than the best shadow.",
    ),
    "median_importance": DetailHeading(
        "median importance", "Median of the importances in all forests."
    ),
    "without": DetailHeading(
        "criterion without it", "Main criterion of the model without the attribute."
    ),
    # --- models
    "class": DetailHeading(
        "class", "Class with the decisive weight: its name, or its number from 0 in sorted order."
    ),
    "threshold": DetailHeading("threshold", "Chosen threshold, equal for all attributes."),
    "penalty": DetailHeading(
        "largest penalty", "Largest penalty at which the attribute has a weight."
    ),
    "group": DetailHeading("group", "Group of the attribute."),
    "group_norm": DetailHeading(
        "norm of the group", "Length of the vector of coefficients of the group."
    ),
    "form": DetailHeading(
        "form",
        "How close the attribute is to a weight. Attributes with a weight have the largest form.",
    ),
    "gradient": DetailHeading(
        "gradient", "Derivative of the objective with respect to the weight of the attribute."
    ),
    "objective": DetailHeading("objective", "Objective of the fit, equal for all attributes."),
    "gap": DetailHeading(
        "gap", "Largest relative gradient at the end of the fit, equal for all attributes."
    ),
    "iterations": DetailHeading("iterations", "Iterations of the fit, equal for all attributes."),
    # --- what selections obey
    "must_keep": DetailHeading("must be kept", "1 if every selection keeps the attribute."),
    "attribute_group": DetailHeading(
        "selected together", "Attributes of one group are selected together."
    ),
}
"""By the name of the detail; the contract of operators holds every operator of fsops to it."""


def detail_heading(name: str) -> DetailHeading:
    """Return heading and explanation of a detail; those of plugins have their names in words."""
    if name in HEADINGS:
        return HEADINGS[name]
    if name.startswith(OF_CLASS):
        about = f"Weight for {name.removeprefix(OF_CLASS)} against all other classes."
        return DetailHeading(name, about)
    return DetailHeading(name.replace("_", " "))


def column_heading(name: str) -> DetailHeading:
    """Return the heading of a column of a result, such as standard_error, in words.

    Names with other signs have names of the data in them, which stay as they are.
    """
    return DetailHeading(name.replace("_", " ") if _WORDS.fullmatch(name) else name)


def has_heading(name: str) -> bool:
    """Return whether the vocabulary has a detail."""
    return name in HEADINGS or name.startswith(OF_CLASS)
