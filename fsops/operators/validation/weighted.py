"""Tables as a weighting leaves them."""

from __future__ import annotations

import numpy as np

from fsops.core import Context
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.units import completed
from fsops.operators.weighting.conversion import scale_by_weights


def weighted(examples: ExampleSet, weights: AttributeWeights, *, scale: bool) -> ExampleSet:
    """Return the table without the attributes whose weight is 0 or unknown.

    Attributes that must be kept stay. With ``scale`` the numerical attributes that are left are
    multiplied by their weight.
    """
    schema = examples.schema
    values = weights.values_of(schema.regular_names)
    chosen = (values != 0) & ~np.isnan(values)
    if schema.marks is not None or schema.groups is not None:
        chosen = completed(schema, chosen)
    table = examples.features(chosen)
    if not scale or not len(weights.selected_names()):
        return table
    with np.errstate(over="ignore"):  # numbers that become infinite are the learner's affair
        return scale_by_weights(table, weights, ctx=Context())
