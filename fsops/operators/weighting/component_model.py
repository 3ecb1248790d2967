"""Weights from components that were found before."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from fsops.core import operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.errors import ParameterError
from fsops.operators.preparation.components import ComponentModel
from fsops.operators.weighting.scores import describe_weights, rapidminer


@operator(
    group="Weighting/Models",
    role="weighting",
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("principal components", "pca", "loadings", "unsupervised", "decomposition"),
)
def weight_by_component_model(
    examples: ExampleSet,
    model: ComponentModel,
    *,
    component_number: Annotated[
        int, Field(ge=1, description="Number of the component, counted from 1.")
    ] = 1,
) -> AttributeWeights:
    """Weight by Component Model

    Scores the attributes of a table by their absolute loadings on one component of a model, such
    as Principal Component Analysis or Singular Value Decomposition. Attributes that the model does
    not use get 0. If the table has none of the model's attributes, because it holds the components
    already, the weights are those of the model's attributes.

    It does not use the label. If you only need the weights, use Weight by PCA, which does both
    steps.
    """
    loadings = model.components.loadings
    if component_number > len(loadings):
        raise ParameterError(
            f"component_number is {component_number}, but the model has only {len(loadings)} "
            "components."
        )
    used = model.attributes.names
    if not (used.find(examples.schema.regular_names) >= 0).any():
        return AttributeWeights(used, np.abs(loadings[component_number - 1]))
    examples.aligned(model.attributes)
    sizes = np.append(np.abs(loadings[component_number - 1]), 0.0)  # the last one is at -1
    return examples.weights(sizes[used.find(examples.schema.regular_names)])
