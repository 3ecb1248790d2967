"""Using models."""

from __future__ import annotations

from fsops.core import Aliases, operator
from fsops.data import ExampleSet, Model


@operator(
    group="Modeling",
    aliases=Aliases(ports={"unlabelled data": "examples", "labelled data": "examples"}),
    tags=("predict", "score", "classify"),
)
def apply_model(model: Model, examples: ExampleSet) -> ExampleSet:
    """Apply Model

    Adds the model's prediction to the table and, for classes, a confidence for each of them.

    The table needs the attributes the model was trained on, in any order; others are left alone.
    Categories the model has not seen count as missing.
    """
    return model.apply(examples)
