"""Weights for tables of any mixture of types."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.filters.relevance import maximum_relevance
from fsops.core import Accepts, Context, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.operators.weighting.information import Missing
from fsops.operators.weighting.scores import PAIRWISE, class_codes, describe_weights, rapidminer


@operator(
    group="Weighting",
    role="weighting",
    row_weights="whole numbers",
    accepts=Accepts(
        label="any", attributes="numerical or nominal", missing=True, several_classes=True
    ),
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("automatic", "mixed", "f-test", "mutual information", "correlation", "filter"),
)
def weight_by_maximum_relevance(
    examples: ExampleSet,
    *,
    transformation: Annotated[
        Literal["none", "p"],
        Field(
            description="Use 1 − p of each test as the weight, which makes mixed types comparable."
        ),
    ] = "none",
    missing: Missing = "error",
    ctx: Context,
) -> AttributeWeights:
    """Weight by Maximum Relevance

    Scores every attribute by the measure that fits its type and that of the label: mutual
    information for nominal attributes and classes, the F-test where one is nominal and the other
    numerical, correlation for two numbers.

    On mixed tables the scales differ, which gives a warning: set normalize to p to compare them.

    References
    ----------
    Schowe (2011): Feature selection for high-dimensional data with RapidMiner.
    """
    if missing == "error":
        examples.require_complete(PAIRWISE)
    schema = examples.schema
    nominal_label = examples.label.value_type.is_nominal
    found = maximum_relevance(
        examples.numeric(),
        examples.nominal(),
        class_codes(examples) if nominal_label else examples.label_values(),
        nominal_label=nominal_label,
        normalize=transformation,
        missing="pairwise" if missing == "pairwise" else "category",
    )
    if not found.comparable:
        ctx.warn(
            "The weights are on different scales: "
            f"{found.numeric_measure} for numbers, {found.nominal_measure} for nominal attributes."
        )
    weights, statistic = np.zeros(len(schema)), np.zeros(len(schema))
    for positions, scores in (
        (schema.regular_numerical, found.numeric),
        (schema.regular_nominal, found.nominal),
    ):
        weights[positions], statistic[positions] = scores.weights, scores.statistic
    regular = schema.regular
    return examples.weights(weights[regular], details={"statistic": statistic[regular]})
