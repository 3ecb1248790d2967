"""How many attributes to keep, by the error on rows that the ranking has not seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, Unpack

import numpy as np
from pydantic import Field

from fsops.core import Accepts, Context, Expert, MacroName, Named, operator
from fsops.core.declare.iterations import Count, Known
from fsops.data import AttributeWeights, ExampleSet, MetaData, Model, SizeCurves
from fsops.errors import DataError
from fsops.operators.size_choice import Choose, Percent
from fsops.operators.validation.size_curves import (
    NOTHING_LEFT,
    Learning,
    Macros,
    Selection,
    evaluated,
    ranked,
)
from fsops.operators.validation.size_settings import (
    Criterion,
    Sizes,
    Splitting,
    drawn_splits,
    grid,
    sizes_within,
    splits_before_run,
)
from fsops.operators.weighting.scores import describe_weights

MOST = 1_000_000_000
"""All numbers of attributes are looked at where none is named."""


class NumberChosen(NamedTuple):
    """Results of the choice of a number of attributes."""

    weights: Annotated[
        AttributeWeights, Named(description="1 for the attributes to keep, 0 for all others.")
    ]
    curve: Annotated[SizeCurves, Named(description="The criterion by number of attributes.")]
    model: Annotated[
        Model | None, Named(description="Model trained on all rows with the attributes to keep.")
    ]


def _iterations(known: Known) -> list[int | Count]:
    splits = splits_before_run(known)
    sizes = len(known["sizes"] or grid(known.attributes, MOST))
    last = int("model" in known.wanted)
    reason = "the weighting may give fewer attributes"
    return [splits + 1, Count(splits + last, splits * sizes + last, reason)]


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    return {"weights": describe_weights(inputs, parameters)}


@operator(
    group="Selection",
    role="selection",
    accepts=Accepts(label="any", missing=True, infinite=True, sparse=True, events=True),
    describe=_describe,
    tags=(
        "how many",
        "number of features",
        "best k",
        "cross-validation",
        "error curve",
        "one standard error",
        "nested",
        "tune k",
        "wrapper",
    ),
    random=True,
    iterations=_iterations,
)
def choose_number_of_features(
    examples: ExampleSet,
    weighting: Selection,
    learning: Learning,
    *,
    sizes: Sizes = [],
    criterion: Criterion = "automatic",
    choose: Choose = "best",
    percent: Percent = 1.0,
    use_absolute_weights: Annotated[
        bool,
        Field(
            description="Rank by the absolute weight. If false, attributes with a weight of 0 or "
            "less are never selected."
        ),
    ] = False,
    attributes_macro: Annotated[
        str,
        MacroName(),
        Expert(),
        Field(description="Macro that holds the number of attributes, for use in the learning."),
    ] = "attributes",
    ctx: Context,
    **splitting: Unpack[Splitting],
) -> NumberChosen:
    """Choose Number of Features

    Chooses the number of attributes to keep. On each split the weighting ranks the attributes on
    the training rows. For every number, the best attributes are kept, the learning trains a model,
    and the model is measured on the test rows. The number with the best mean is chosen, or a
    smaller one that is about as good (choose). If several numbers are equally good, the smallest is
    chosen. Then the attributes are ranked on all rows, and the chosen number of them is kept.

    Any weighting and any learner can be used, also for censored times (role event): these are
    judged by the concordance index. Attributes with weight 0 or less are never kept; if
    fewer attributes have a positive weight, only these are used. The detail "score" has the weights
    on all rows.

    The best value on the curve is optimistic, because it is the best of many. To measure the whole
    procedure, put it inside the training of a Cross Validation.

    References
    ----------
    Ambroise, McLachlan (2002): Selection bias in gene extraction on the basis of microarray
    gene-expression data. PNAS 99, 6562–6566.
    Breiman, Friedman, Olshen, Stone (1984): Classification and Regression Trees. Wadsworth.
    """
    found = evaluated(
        examples,
        learning,
        {"weighting": weighting},
        drawn_splits(examples, splitting, ctx),
        sizes=sizes_within(sizes, examples, MOST, ctx),
        criterion=criterion,
        absolute=use_absolute_weights,
        macros=Macros(None, attributes_macro),
        ctx=ctx,
    )
    curve = found.curves(choose, percent)
    assert curve.chosen is not None
    weights = weighting(examples)
    kept = ranked(weights, examples, absolute=use_absolute_weights).order[: curve.chosen[0]]
    if not len(kept):
        raise DataError("With all rows, no attribute has a weight above 0.", hint=NOTHING_LEFT)
    if len(kept) < curve.chosen[0]:
        ctx.warn(
            f"{curve.chosen[0]} attributes are best, but on all rows only {len(kept)} have a "
            "weight above 0: these are kept."
        )
    return NumberChosen(
        _selected(examples, weights, kept),
        curve,
        _learned(examples, learning, kept, attributes_macro, ctx) if ctx.wants("model") else None,
    )


def _selected(
    examples: ExampleSet, weights: AttributeWeights, kept: np.typing.NDArray[np.intp]
) -> AttributeWeights:
    names = examples.schema.regular_names
    chosen = np.zeros(len(names))
    chosen[kept] = 1.0
    values = AttributeWeights.stack([weights], names)[1][0]
    return AttributeWeights(names, chosen, details={"score": values})


def _learned(
    examples: ExampleSet,
    learning: Learning,
    kept: np.typing.NDArray[np.intp],
    attributes_macro: str,
    ctx: Context,
) -> Model:
    schema = examples.schema
    with ctx.macro(attributes_macro, str(len(kept))):
        return learning(examples.select_regular(schema.names_at(schema.regular[kept])))
