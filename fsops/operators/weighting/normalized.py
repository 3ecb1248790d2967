"""Attribute weights on a common scale."""

from __future__ import annotations

from fsops.core import Aliases, operator
from fsops.data import AttributeWeights
from fsops.operators.weighting.scores import describe_same_names


@operator(
    group="Weighting/Use of weights",
    role="weighting",
    describe=describe_same_names,
    aliases=Aliases(ports={"attribute weights": "weights"}),
    tags=("scale", "range", "between 0 and 1", "rescale"),
)
def normalize_weights(weights: AttributeWeights) -> AttributeWeights:
    r"""Normalize Weights

    Scales absolute weights to the range from 0 to 1: the smallest becomes 0, the largest 1, and
    their order does not change. RapidMiner's weightings do this if normalize_weights is on. Use it
    before a threshold, or to compare weights of different methods.

    The sign is lost: an attribute with the weight −2 gets a larger weight than one with the weight
    1. If all absolute weights are equal, every weight becomes 1. Unknown weights stay unknown.

    .. math:: w'_j = \frac{|w_j| - \min_k |w_k|}{\max_k |w_k| - \min_k |w_k|}
    """
    return weights.normalized()
