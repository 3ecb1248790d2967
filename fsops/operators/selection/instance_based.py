"""Instance-based selection: every row proposes attributes, and the proposals are combined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict, Unpack

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.neighbors import instance_based as algorithms
from fsops.algorithms.neighbors.instance_based import CandidateSubsets, Points
from fsops.core import Accepts, Context, Expert, When, operator
from fsops.data import AttributeWeights, Collection, ExampleSet
from fsops.errors import DataError
from fsops.operators.sizes import Size
from fsops.operators.weighting.scores import class_codes, describe_weights

GROUP = "Selection/Instance-based"
CLASSES = Accepts(
    label="nominal",
    attributes="numerical or nominal",
    instead="Instance-based methods compare rows of different classes.",
)

OutputName = Literal["score", "ranking", "selection"]
Output = Annotated[
    OutputName,
    Field(
        description="Weight of a selected attribute: its score, its rank (1 for the last, ties "
        "broken), or 1. All others get 0."
    ),
]


class Proposals(TypedDict):
    """Proposals of a row."""

    candidate_size: Annotated[
        int, Field(ge=1, default=5, description="Largest number of attributes that a row proposes.")
    ]
    nearest_by: Annotated[
        Literal["all attributes", "each attribute"],
        Field(
            default="all attributes",
            description="Find the nearest rows of the same and of another class by all "
            "attributes together, as in Relief, or separately for every attribute.",
        ),
    ]
    scaling: Annotated[
        Literal["range", "none"],
        Field(
            default="range",
            description="Divide numbers by the range of their attribute before rows are compared, "
            "or take them as they are: attributes with large numbers are then proposed first.",
        ),
    ]
    normalization: Annotated[
        Literal["max", "minmax"],
        Expert(),
        Field(
            default="max",
            description="Conversion of the margins of a row to weights from 0 to 1: divided by the "
            "largest, those below 0 cut to 0; or mapped from the smallest and largest.",
        ),
    ]
    positive_only: Annotated[
        bool,
        Expert(),
        Field(
            default=True,
            description="Propose only attributes that separate the row, even if these are fewer "
            "than candidate_size.",
        ),
    ]
    collapse_duplicates: Annotated[
        bool,
        Field(
            default=True,
            description="Let equal rows of a class, as in a bootstrap, look for neighbors among "
            "other rows and propose the same; otherwise a copy is the nearest row of its original.",
        ),
    ]


def points_of(examples: ExampleSet, *, scaled: bool = True) -> Points:
    """Return the regular attributes in one space, in the order of the data."""
    schema = examples.schema
    is_nominal = np.isin(schema.regular, schema.regular_nominal)
    return Points.of(examples.numeric(), examples.nominal(), is_nominal, scaled=scaled)


def candidates_of(
    examples: ExampleSet, points: Points, proposals: Proposals, ctx: Context
) -> CandidateSubsets:
    """Return what each row proposes; warn of rows that cannot.

    The points have scaled numbers; they are not looked at if the proposals are to have them as
    they are.
    """
    found = algorithms.candidate_subsets(
        points if proposals["scaling"] == "range" else points_of(examples, scaled=False),
        class_codes(examples),
        size=proposals["candidate_size"],
        nearest="all" if proposals["nearest_by"] == "all attributes" else "each",
        normalization=proposals["normalization"],
        positive_only=proposals["positive_only"],
        collapse_duplicates=proposals["collapse_duplicates"],
    )
    alone = len(examples) - len(found.rows)
    if alone == len(examples):
        raise DataError(
            "Every row is the only one of its class, so no row has a neighbor of the same class.",
            hint="Give at least one class two rows.",
        )
    if alone:
        who = "A row is" if alone == 1 else f"{alone} rows are"
        ctx.warn(f"{who} alone in the class, without a neighbor there: no proposal.")
    if not found.proposed.any():
        ctx.warn(
            "No row proposes an attribute: none differs more between classes than within them."
        )
    return found


def selected_weights(
    names: Sequence[str],
    order: Ints,
    scores: Floats,
    output: OutputName,
    details: dict[str, Floats] | None = None,
) -> AttributeWeights:
    """Return the selected attributes, given best first, as weights; all others get 0."""
    weights = np.zeros(len(names))
    values: dict[str, Floats] = {
        "score": scores[order],
        "ranking": np.arange(order.size, 0, -1.0),
        "selection": np.ones(order.size),
    }
    weights[order] = values[output]
    return AttributeWeights(names, weights, details=details)


@operator(
    group=GROUP,
    role="selection",
    accepts=CLASSES,
    tags=("nearest hit", "nearest miss", "relief", "margin", "cfs", "experts", "stable"),
)
def ib_candidate_subsets(
    examples: ExampleSet, *, ctx: Context, **proposals: Unpack[Proposals]
) -> Collection[AttributeWeights]:
    r"""Instance-Based Candidate Subsets (IB)

    Finds for every row the attributes that distinguish it. A row proposes those in which it differs
    more from the nearest row of another class (miss) than from the nearest row of the same class
    (hit). The result is a collection of weights, one for each row: between 0 and 1 for the few
    attributes that the row proposes, 0 for all others. Aggregate the collection, or look at single
    rows, such as patients with unusual genes.

    To get one selection from all rows at once use Select by Instance-Based Filter (IB). A row that
    is the only one of its class is left out. The cost grows with the square of the number of rows.
    "CFS" in the thesis means candidate feature subset, not Hall's method.

    .. math:: W_{ij} = |x_{ij} - x_{M_i j}| - |x_{ij} - x_{H_i j}|

    References
    ----------
    Ben Brahim (2015): Stable and efficient feature selection methods for high dimensional data.
    Thesis, Université de Tunis.
    """
    found = candidates_of(examples, points_of(examples), proposals, ctx)
    names = examples.schema.regular_names
    return Collection(
        AttributeWeights(names, weights, origin=f"row {row + 1}")
        for row, weights in zip(found.rows.tolist(), found.matrix(), strict=True)
    )


COMBINATIONS: dict[str, algorithms.Combination] = {
    "occurrence frequency": "frequency",
    "mean weight": "mean weight",
    "rank sum": "rank sum",
    "redundancy elimination": "redundancy",
}


@operator(
    group=GROUP,
    role="selection",
    accepts=CLASSES,
    describe=describe_weights,
    tags=("ib-of", "ib-wma", "ib-ra", "ib-rede", "nearest hit", "nearest miss", "relief", "stable"),
)
def select_by_ib(
    examples: ExampleSet,
    *,
    combination: Annotated[
        Literal["occurrence frequency", "mean weight", "rank sum", "redundancy elimination"],
        Field(
            description="Score of an attribute: the number of rows that propose it (OF), its mean "
            "weight (WMA), the sum of its ranks (RA), or its weight minus its redundancy "
            "with the other proposed ones (RedE)."
        ),
    ] = "mean weight",
    k: Annotated[
        Annotated[int, Field(ge=1)] | None,
        Field(description="Number of attributes to select; empty: all that a row proposes."),
    ] = None,
    output: Output = "score",
    redundancy_weight: Annotated[
        float,
        When(combination="redundancy elimination"),
        Field(
            ge=0,
            description="Weight of the shared information that is subtracted from the score of an "
            "attribute.",
        ),
    ] = 1.0,
    redundancy_scale: Annotated[
        Literal["minmax", "none"],
        Expert(),
        When(combination="redundancy elimination"),
        Field(
            description="Scale weights and shared information to 0…1 before subtracting them, or "
            "subtract them as they are, as in the thesis; the weights then dominate."
        ),
    ] = "minmax",
    include_self: Annotated[
        bool,
        Expert(),
        When(combination="redundancy elimination"),
        Field(description="Count an attribute's own entropy as redundant, as in the thesis."),
    ] = False,
    ctx: Context,
    **proposals: Unpack[Proposals],
) -> AttributeWeights:
    r"""Select by Instance-Based Filter (IB)

    Selects the attributes that many rows agree on. Every row proposes a few attributes: those
    in which it differs more from its nearest row of another class than from its nearest row of
    the same class. The proposals are combined by how often an attribute occurs, by its mean
    weight, by its ranks, or by weight minus redundancy.

    The meaning of the weight depends on the combination, and larger is always better: the fraction
    of rows that propose the attribute (OF), its mean weight (WMA), how near it is on average to the
    top of the proposals, from 0 to 1 (RA), or weight minus redundancy, counted from the worst
    proposed attribute, which gets 0 (RedE). Attributes that no row proposes get 0. The detail
    "frequency" is the fraction of rows in every case. Choose the output "ranking" if a later step
    keeps only the best attributes: many frequencies are equal, and the ranking breaks their ties
    (OF by mean weight, RA by frequency, then the order of the data).

    Numbers are divided by their range first. With scaling "none", attributes with large numbers
    have large margins and come first; such a selection is stable only because of the units.

    If the rows propose fewer than k attributes, fewer are selected: raise candidate_size.
    Attributes with the role must_keep count among the k. The cost grows with the square of the
    number of rows. Put it inside a validation.

    References
    ----------
    Ben Brahim (2015): Stable and efficient feature selection methods for high dimensional data.
    Thesis, Université de Tunis.
    """
    points = points_of(examples)
    found = candidates_of(examples, points, proposals, ctx)
    combined = algorithms.combine(
        found,
        COMBINATIONS[combination],
        points=points,
        redundancy_weight=redundancy_weight,
        scaled=redundancy_scale == "minmax",
        include_self=include_self,
    )
    if k is not None and 0 < combined.order.size < k:
        ctx.warn(
            f"k is {k}, but the rows propose {combined.order.size} attributes: these are "
            "selected. Raise candidate_size for more."
        )
    order = combined.order if k is None else Size.of(examples, k, ctx).cut(combined.order)
    return selected_weights(
        examples.schema.regular_names,
        order,
        combined.weights,
        output,
        {"frequency": found.counts() / len(found.rows)},
    )
