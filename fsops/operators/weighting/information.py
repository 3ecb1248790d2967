"""Weights from information theory."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms import discretize as bins
from fsops.algorithms import information
from fsops.core import Accepts, Aliases, When, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.operators.weighting.univariate import RAPIDMINER_PORTS, describe_weights, weights_of

Codes = npt.NDArray[np.intp]


def attribute_codes(
    examples: ExampleSet, classes: Codes, method: str, number_of_bins: int
) -> Codes:
    """Return all regular attributes as codes: categories as they are, numbers in bins."""
    schema = examples.schema
    codes = np.empty((len(examples), len(schema.regular)), dtype=np.intp)
    place = np.empty(len(schema), dtype=np.intp)
    place[schema.regular] = np.arange(len(schema.regular))
    codes[:, place[schema.regular_nominal]] = examples.nominal()
    X = examples.numeric()
    if X.shape[1]:
        cuts = {
            "best split": lambda: bins.best_split(X, classes),
            "equal frequency": lambda: bins.equal_frequency(X, number_of_bins),
            "equal width": lambda: bins.equal_width(X, number_of_bins),
        }[method]()
        codes[:, place[schema.regular_numerical]] = cuts.apply(X)
    return codes


@operator(
    group="Weighting/Information",
    accepts=Accepts(
        label="nominal", missing=True, instead="use Weight by Correlation for a numerical label."
    ),
    describe=describe_weights,
    aliases=Aliases(ports=RAPIDMINER_PORTS),
    tags=("mutual information", "entropy", "kullback-leibler", "filter", "nominal"),
)
def weight_by_information_gain(
    examples: ExampleSet,
    *,
    discretization: Annotated[
        Literal["best split", "equal frequency", "equal width"],
        Field(description="How numbers become categories: two by the most telling cut, or bins."),
    ] = "best split",
    number_of_bins: Annotated[
        int,
        When(discretization=("equal frequency", "equal width")),
        Field(ge=2, description="Number of bins for numbers."),
    ] = 10,
    missing: Annotated[
        Literal["error", "category", "pairwise"],
        Field(
            description="Missing values: stop, count as a category of their own, or leave out for "
            "their attribute only."
        ),
    ] = "error",
) -> AttributeWeights:
    """Weight by Information Gain

    Scores every attribute by how many bits its value tells about the class, for any number of
    classes, nominal and numerical attributes alike. Numbers are cut on the given rows first.

    Attributes with many categories look better than they are: with few rows per category do not
    compare them with attributes of few. An attribute with one value gets 0.

    .. math:: IG = H(y) - \\sum_v p(v)\\, H(y \\mid x = v)

    References
    ----------
    Shannon (1948): A mathematical theory of communication.
    Quinlan (1986): Induction of decision trees. Machine Learning 1, 81–106.
    """
    if missing == "error":
        examples.require_complete()
    classes = examples.class_codes()[0].astype(np.intp)
    codes = attribute_codes(examples, classes, discretization, number_of_bins)
    how: information.Missing = "pairwise" if missing == "pairwise" else "category"
    return weights_of(examples, information.mutual_information(codes, classes, missing=how))
