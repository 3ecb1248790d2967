"""Approximations of the zero norm: linear machines that leave most attributes out."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from fsops.algorithms.combined import prior as priors
from fsops.algorithms.linear import arom as algorithms
from fsops.core import Aliases, Context, Expert, Named, When, operator
from fsops.data import AttributeWeights, ExampleSet, MetaData
from fsops.errors import DataError
from fsops.operators.selection.prior_knowledge import (
    GROUP,
    NUMBERS,
    Cost,
    Output,
    Prior,
    arom_weights,
    prior_of,
)
from fsops.operators.sizes import Size, kept_attributes
from fsops.operators.validation.significance import result_table
from fsops.operators.weighting.scores import class_codes, describe_weights

K = Annotated[
    int | None,
    Field(ge=1, description="Number of attributes to select; empty: all that do not vanish."),
]


def _selected(
    examples: ExampleSet,
    norm: algorithms.Norm,
    *,
    prior: AttributeWeights | None = None,
    k: int | None,
    C: float,
    output: str,
    ctx: Context,
) -> AttributeWeights:
    size = None if k is None else Size.within(examples, k, ctx)
    rounds = ctx.progress(count(), "Iterations")
    with ctx.one_thread():
        found = algorithms.arom(
            examples.numeric(),
            class_codes(examples),
            norm=norm,
            prior=None if prior is None else prior_of(examples, prior, ctx),
            C=C,
            on_iteration=lambda done: next(rounds),  # type: ignore[arg-type]
        )
    return arom_weights(examples, found, size, output, ctx)


@operator(
    group=GROUP,
    role="selection",
    row_weights="whole numbers",
    accepts=NUMBERS,
    describe=describe_weights,
    tags=("zero norm", "weston", "linear programming", "sparse", "embedded", "lasso"),
)
def select_by_l1_arom(
    examples: ExampleSet,
    *,
    k: K = 10,
    C: Cost = algorithms.COST,
    output: Output = "selection",
    ctx: Context,
) -> AttributeWeights:
    r"""Approximation of the Zero Norm (l1-AROM)

    Finds very few attributes that together separate the classes linearly: fits a linear SVM with
    the smallest sum of absolute weights, multiplies the attributes by their weights, and repeats
    until nothing changes. Attributes are brought to one scale first.

    Most attributes are dropped in the first steps. Only one of several similar attributes is left,
    and a few rows may decide which one. If fewer than k attributes are left, the attributes that
    vanished last are added. For more stable selections use l2-AROM; more than two classes are
    handled one against the rest. Attributes with the role must_keep count among the k.

    .. math:: \min_w \sum_j \ln(|w_j| + \epsilon) \quad \text{with} \quad y_i (w x_i + b) \ge 1

    References
    ----------
    Weston et al. (2003): Use of the zero norm with linear models and kernel methods. JMLR 3.
    """
    return _selected(examples, "l1", k=k, C=C, output=output, ctx=ctx)


@operator(
    group=GROUP,
    role="selection",
    row_weights="whole numbers",
    accepts=NUMBERS,
    describe=describe_weights,
    tags=("zero norm", "weston", "support vector machine", "sparse", "embedded"),
)
def select_by_l2_arom(
    examples: ExampleSet,
    *,
    k: K = 10,
    C: Cost = algorithms.COST,
    output: Output = "selection",
    ctx: Context,
) -> AttributeWeights:
    r"""Approximation of the Zero Norm (l2-AROM)

    Finds a few attributes that together separate the classes linearly: fits a linear
    support vector machine, multiplies the attributes by their weights, and repeats until nothing
    changes. Attributes are brought to one scale first.

    If fewer than k attributes are left, the attributes that vanished last are added. It needs about
    a dozen fits; SVM-RFE needs one per round. More than two classes are handled one against the
    rest. Put it inside a validation: the selection fits its training rows. Attributes with the role
    must_keep count among the k.

    .. math:: \bar w = \arg\min_w \|w\|^2 \ \text{with} \ y_i (w (z \circ x_i) + b) \ge 1,
        \qquad z \leftarrow z \circ \bar w

    References
    ----------
    Weston et al. (2003): Use of the zero norm with linear models and kernel methods. JMLR 3.
    """
    return _selected(examples, "l2", k=k, C=C, output=output, ctx=ctx)


@operator(
    group=GROUP,
    role="selection",
    accepts=NUMBERS,
    describe=describe_weights,
    tags=("partially supervised", "helleputte", "zero norm", "known genes", "embedded"),
)
def select_by_ps_l2_arom(
    examples: ExampleSet,
    prior: Prior,
    *,
    k: K = 10,
    C: Cost = algorithms.COST,
    output: Output = "selection",
    ctx: Context,
) -> AttributeWeights:
    r"""Zero Norm with Prior Knowledge (PS-l2-AROM)

    Finds a few attributes that together separate the classes, as Approximation of the Zero Norm
    does, but favors attributes that are known to matter: in every iteration attributes are also
    multiplied by their prior. Selections from different rows then agree more.

    The prior is applied in every iteration, so even a small prior decides between attributes that
    are nearly as good. An uninformative attribute vanishes in spite of its prior. With the same
    prior for all attributes it is l2-AROM. Attributes with the role must_keep count among the k.

    .. math:: z \leftarrow z \circ \bar w \circ \beta, \qquad z_0 = \beta

    References
    ----------
    Helleputte, Dupont (2009): Partially supervised feature selection with regularized linear
    models. ICML.
    """
    return _selected(examples, "l2", prior=prior, k=k, C=C, output=output, ctx=ctx)


class SemiSupervised(NamedTuple):
    """Results of a semi-supervised selection."""

    weights: Annotated[AttributeWeights, Named(description="The last selection.")]
    prior: Annotated[
        AttributeWeights, Named(description="The prior with the attributes found to be relevant.")
    ]
    trace: Annotated[ExampleSet, Named(description="Changes of the sets from step to step.")]


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    described = describe_weights(inputs, parameters)
    return {"weights": described, "prior": described}


@operator(
    group=GROUP,
    role="selection",
    accepts=NUMBERS,
    describe=_describe,
    aliases=Aliases(parameters={"neighbors": "number_of_similar_attributes"}),
    tags=("semi-supervised", "ss-l2arom", "zero norm", "known genes", "extend", "neighbours"),
)
def select_by_ss_l2_arom(
    examples: ExampleSet,
    prior: Prior,
    *,
    size: Annotated[
        Literal["fixed", "growing"],
        Field(
            description="Number of attributes that a step selects: k, or a few more than there "
            "are relevant attributes."
        ),
    ] = "fixed",
    k: Annotated[
        int, When(size="fixed"), Field(ge=1, description="Number of attributes to select.")
    ] = 10,
    growth: Annotated[
        float,
        When(size="growing"),
        Field(
            gt=0,
            le=1,
            description="Growth of the selection per step, as a fraction of the "
            "number of relevant attributes.",
        ),
    ] = priors.GROWTH,
    prior_weight: Annotated[
        float, Field(gt=1, description="Prior of attributes that became relevant.")
    ] = priors.PRIOR_WEIGHT,
    number_of_similar_attributes: Annotated[
        int,
        Field(
            ge=1,
            description="Number of its most similar attributes that must be relevant before an "
            "attribute becomes relevant.",
        ),
    ] = priors.NEIGHBOURS,
    opposite_is_alike: Annotated[
        bool, Field(description="Treat negatively correlated attributes as similar, too.")
    ] = False,
    scaling: Annotated[
        Literal["correlation", "none"],
        Field(
            description="correlation: attributes are alike if they are highly correlated; none: if "
            "the Euclidean distance of their values as they are is small."
        ),
    ] = "correlation",
    tolerance: Annotated[
        float,
        Expert(),
        Field(
            ge=0, lt=1, description="Stop when two successive sets differ by at most this fraction."
        ),
    ] = priors.TOLERANCE,
    max_iterations: Annotated[
        int, Expert(), Field(ge=1, description="Largest number of steps.")
    ] = priors.MOST_STEPS,
    C: Cost = algorithms.COST,
    output: Output = "selection",
    ctx: Context,
) -> SemiSupervised:
    r"""Zero Norm with Learned Prior Knowledge (SS-l2-AROM)

    Use it if only a few relevant attributes are known. In every step, the attributes that are most
    similar to relevant attributes also become relevant. PS-l2-AROM then selects with them as prior
    knowledge; the selected attributes are the relevant ones of the next step. It ends when a step
    does not change the selection. The trace has the numbers of relevant and selected attributes in
    each step, and the agreement of the sets.

    Attributes count as known if their prior is above 1. With one neighbor many attributes become
    relevant, and selections from different rows may agree less than without this step: measure
    their stability. The search also ends if two sets alternate; the set with the larger margin is
    returned. Growing selections rarely agree, so the search mostly ends at the last step, with a
    warning. Attributes with the role must_keep count among the k, in every step.

    .. math:: \mathrm{agreement} = \frac{|R_n \cap R_{n+1}|}{|R_n \cup R_{n+1}|}

    References
    ----------
    Ben Brahim (2015): Stable and efficient feature selection methods for high dimensional data.
    Thesis, Université de Tunis, chapter 4.
    """
    wanted = Size.within(examples, k, ctx) if size == "fixed" else None
    known = prior_of(examples, prior, ctx) > 1
    if size == "growing" and not known.any():
        raise DataError(
            "No attribute has a prior above 1, so the selection has no attributes to grow from.",
            hint="Name relevant attributes in Prior Knowledge, or set size to fixed.",
        )
    steps = ctx.progress(range(max_iterations), "Steps")
    found = priors.ss_l2_arom(
        examples.numeric(),
        class_codes(examples),
        known,
        size=None if wanted is None else wanted.k,
        growth=growth,
        prior_weight=prior_weight,
        neighbours=number_of_similar_attributes,
        absolute=opposite_is_alike,
        scaled=scaling == "correlation",
        tolerance=tolerance,
        max_steps=max_iterations,
        C=C,
        on_step=lambda done: next(steps, None),  # type: ignore[arg-type]
        keep=kept_attributes(examples),
    )
    if found.ending == "runaway":
        ctx.warn(
            "More than half of all attributes became relevant, so no further attributes are added "
            "to them."
        )
    elif found.ending == "limit":
        ctx.warn(f"The selection still changed in step {len(found.steps)}, the last one.")
    return SemiSupervised(
        arom_weights(examples, found.found, Size.of(examples, found.size, ctx), output, ctx),
        examples.weights(np.where(found.relevant, prior_weight, 1.0)),
        _trace(found.steps),
    )


def _trace(steps: tuple[priors.RemovalStep, ...]) -> ExampleSet:
    columns: dict[str, list[float]] = {
        "step": [*range(1, len(steps) + 1)],
        "relevant": [step.relevant for step in steps],
        "with_neighbors": [step.widened for step in steps],
        "selected": [step.selected for step in steps],
        "agreement": [step.agreement for step in steps],
        "iterations": [step.iterations for step in steps],
    }
    return result_table(columns)
