"""Selections with prior knowledge of relevant attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.combined import prior as priors
from fsops.algorithms.linear import arom, svm_rfe
from fsops.algorithms.mrmr import selection as mrmr
from fsops.algorithms.neighbors import instance_based
from fsops.core import Accepts, AttributeNames, Context, Expert, Named, When, operator
from fsops.data import AttributeWeights, ExampleSet, ExampleSetMetaData, MetaData, WeightsMetaData
from fsops.data.names import Names
from fsops.errors import DataError, did_you_mean, enumerate_names
from fsops.operators.selection.instance_based import points_of
from fsops.operators.selection.measures import measures_of, warn_irrelevant
from fsops.operators.sizes import Size
from fsops.operators.weighting.relief import (
    NumberOfRows,
    RowSampling,
    SampleRatio,
    Scaling,
    sampled_rows,
)
from fsops.operators.weighting.scores import class_codes, describe_weights

Floats = npt.NDArray[np.float64]

GROUP = "Selection/Prior knowledge"
NUMBERS = Accepts(label="nominal", attributes="numerical")

Prior = Annotated[
    AttributeWeights,
    Named(description="Prior relevance of the attributes: 1 if nothing is known, otherwise more."),
]
K = Annotated[int, Field(ge=1, description="Number of attributes to select.")]
Output = Annotated[
    Literal["selection", "ranking"],
    Field(
        description="Weight 1 for selected attributes and 0 for others, or a rank: better "
        "attributes get larger weights."
    ),
]
Cost = Annotated[
    float,
    Expert(),
    Field(
        gt=0,
        description="Cost of the errors of the linear SVM; a small cost gives a smoother model.",
    ),
]


# --- the prior itself ---------------------------------------------------------------------------


def _unknown_names(names: Sequence[str], known: Names) -> list[str]:
    return [names[place] for place in np.flatnonzero(known.find(names) < 0).tolist()]


def _refuse_unknown(unknown: Sequence[str], known: Sequence[str]) -> None:
    if not unknown:
        return
    close = did_you_mean(unknown[0], known)
    raise DataError(
        f"The data has no regular {'attribute' if len(unknown) == 1 else 'attributes'} "
        f"{enumerate_names(unknown)}.",
        hint=close or "Put names that may be missing in the data into attributes_if_present.",
    )


def _describe_prior(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> WeightsMetaData:
    meta = inputs.get("examples")
    schema = meta.schema if isinstance(meta, ExampleSetMetaData) else None
    if schema is not None:
        known = schema.regular_names
        _refuse_unknown(_unknown_names(parameters.get("attributes") or [], known), known)
    return describe_weights(inputs, parameters)


@operator(
    group=GROUP,
    role="selection",
    row_weights="unaffected",
    bound_groups="unaffected",
    accepts=Accepts(missing=True, infinite=True, sparse=True),
    describe=_describe_prior,
    tags=("expert", "known genes", "markers", "literature", "beta", "relevant attributes"),
)
def prior_knowledge(
    examples: ExampleSet,
    weights: Annotated[
        AttributeWeights | None,
        Named(description="Weights from other data, such as an earlier study."),
    ] = None,
    *,
    attributes: Annotated[
        list[str],
        AttributeNames(),
        Field(description="Attributes known to be relevant, such as genes from the literature."),
    ] = [],
    attributes_if_present: Annotated[
        list[str],
        Field(
            description="More attributes known to be relevant; a name that the table lacks only "
            "gives a warning."
        ),
    ] = [],
    prior_weight: Annotated[
        float,
        Field(
            gt=1,
            description="Prior of these attributes; an attribute without prior knowledge has 1.",
        ),
    ] = 10.0,
    conversion: Annotated[
        Literal["selected", "scaled"],
        Field(
            description="Use of the weights: every attribute with a weight other than 0 gets the "
            "prior weight, or the largest weight gets it and the others a proportional prior."
        ),
    ] = "selected",
    ctx: Context,
) -> Annotated[AttributeWeights, Named("prior")]:
    r"""Prior Knowledge

    Gives a selection prior knowledge of attributes that matter: names of markers from the
    literature, or weights from other data. Connect the result to an operator with an input for a
    prior, such as MRMR with Prior Knowledge. Every other attribute gets 1.

    Weights from the same rows are not prior knowledge: a validation with them is optimistic.
    Take weights from other data, and names from experts.

    .. math:: \beta_j = 10 \text{ if } x_j \text{ is known to be relevant, else } 1

    References
    ----------
    Helleputte, Dupont (2009): Partially supervised feature selection with regularized linear
    models. ICML.
    """
    known = examples.schema.regular_names
    _refuse_unknown(_unknown_names(attributes, known), known)
    absent = _unknown_names(attributes_if_present, known)
    if absent:
        ctx.warn(f"The data has no {enumerate_names(absent)}: left out of the prior knowledge.")
    named = known.find([*attributes, *attributes_if_present])
    share = np.zeros(len(known))
    share[named[named >= 0]] = 1.0
    if weights is not None:
        share = np.maximum(share, _share(weights, known, conversion))
    if not share.any():
        ctx.warn("No attribute is marked as relevant: the prior changes nothing.")
    return AttributeWeights(known, 1.0 + (prior_weight - 1.0) * share)


def _share(weights: AttributeWeights, known: Names, conversion: str) -> Floats:
    """Return how much of the prior weight each attribute gets, from 0 to 1."""
    size = np.nan_to_num(np.abs(weights.scores), nan=0.0, posinf=np.inf)
    largest = float(size.max(initial=0.0))
    if conversion == "selected" or not np.isfinite(largest):
        full = size > 0 if conversion == "selected" else np.isinf(size)
        size, largest = full.astype(np.float64), 1.0
    shares = np.append(size / (largest or 1.0), 0.0)  # the last one is at -1
    return shares[weights.names.find(known)]


def prior_of(
    examples: ExampleSet, prior: AttributeWeights, ctx: Context, *, zero: bool = False
) -> Floats:
    """Return the prior of every regular attribute, checked; 1 where it has none."""
    names = examples.schema.regular_names
    if prior.smallest_is_best:
        raise DataError(
            "The prior is a ranking: the worst attribute would be favored most.",
            hint="Make a prior from it by Prior Knowledge with conversion=scaled.",
        )
    wrong = ~np.isfinite(prior.values) | (prior.values < 0)
    if not zero:
        wrong |= prior.values == 0
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise DataError(
            f"A prior must be a finite number {'of at least' if zero else 'above'} 0, but that of "
            f'"{prior.names[at]}" is {prior.values[at]:g}.',
            hint="Use the operator Prior Knowledge to make a prior from weights.",
        )
    places = names.find(prior.names)
    lost = prior.names.take(np.flatnonzero((prior.values > 1) & (places < 0)))
    if len(prior) and not (places >= 0).any():
        raise DataError(
            f"The prior is about other attributes, such as {enumerate_names(prior.names[:1])}: "
            "the data has none of them."
        )
    if len(lost):
        ctx.warn(f"The data does not have {enumerate_names(lost)}, which the prior favors.")
    given = np.ones(len(names))
    given[places[places >= 0]] = prior.values[places >= 0]
    return given


# --- selections that take it --------------------------------------------------------------------


@operator(
    group=GROUP,
    role="selection",
    row_weights="whole numbers",
    accepts=Accepts(label="nominal", attributes="numerical or nominal"),
    describe=describe_weights,
    tags=("minimum redundancy maximum relevance", "pk-mrmr", "known genes", "mutual information"),
)
def select_by_pk_mrmr(
    examples: ExampleSet,
    prior: Prior,
    *,
    k: K = 10,
    criterion: Annotated[
        Literal["difference", "quotient"],
        Field(
            description="Combination: relevance minus redundancy, or relevance divided by "
            "redundancy."
        ),
    ] = "difference",
    measure: Annotated[
        Literal["mutual information", "symmetric uncertainty"],
        Field(description="Measure of relevance and redundancy; numbers are cut into bins."),
    ] = "mutual information",
    addition: Annotated[
        Literal["scaled", "as given"],
        Field(
            description="The term added to the relevance: the prior brought to the scale of the "
            "measure, or the prior itself."
        ),
    ] = "scaled",
    strength: Annotated[
        float,
        When(addition="scaled"),
        Field(
            ge=0,
            description="Bonus of the highest prior; 1 is the largest possible relevance.",
        ),
    ] = 1.0,
    output: Output = "selection",
    ctx: Context,
) -> AttributeWeights:
    r"""MRMR with Prior Knowledge

    Selects attributes that are relevant to the class and not redundant, as Select by
    MRMR / CFS does, but favors those that are known to matter: their prior is added to their
    relevance. The first few attributes are then nearly the same for any rows.

    With strength 1 an attribute of the highest prior is at least as relevant as any without one,
    even if the data says that it is not. Use a smaller strength if the knowledge is doubtful. With
    the same prior for all attributes it is plain MRMR. Attributes with the role must_keep count
    among the k and are selected first.

    .. math:: \max_x\ I(x; y) + \beta(x) - \tfrac1j \sum_{x'} I(x; x')

    References
    ----------
    Ben Brahim, Limam (2014): New prior knowledge based extensions for stable feature selection.
    SoCPaR.
    """
    size = Size.within(examples, k, ctx)
    k = size.k
    given = prior_of(examples, prior, ctx, zero=True)
    found = measures_of(examples.loaded(), measure)
    warn_irrelevant(found, ctx)
    bonus = given
    if addition == "scaled":
        bits = measure == "mutual information"
        largest = float(np.log2(class_codes(examples).max() + 1.0)) if bits else 1.0
        bonus = priors.relevance_bonus(given, strength * largest)
    steps = ctx.progress(range(k), "Attributes")
    chosen = mrmr.mrmr(
        found.relevance + bonus,
        found.redundancy,
        k,
        criterion="mid" if criterion == "difference" else "miq",
        on_step=lambda done, total: next(steps, None),  # type: ignore[arg-type]
        first=size.first,
    )
    weights = np.zeros(len(found.names))
    weights[chosen.order] = np.arange(k, 0, -1.0) if output == "ranking" else 1.0
    return AttributeWeights(
        found.names, weights, details={"relevance": found.relevance, "prior": given}
    )


@operator(
    group=GROUP,
    role="selection",
    accepts=Accepts(label="nominal", attributes="numerical or nominal", missing=True),
    describe=describe_weights,
    tags=("pk-relief", "nearest hit", "nearest miss", "known genes"),
    random=True,
)
def weight_by_pk_relief(
    examples: ExampleSet,
    prior: Prior,
    *,
    nearest_by: Annotated[
        Literal["all attributes", "each attribute"],
        Field(
            description="Attributes that decide which rows are nearest: all together, as in "
            "Relief, or each separately, as printed in the paper (needs data without missing "
            "values)."
        ),
    ] = "all attributes",
    number_of_neighbors: Annotated[
        int,
        When(nearest_by="all attributes"),
        Field(ge=1, description="Number of nearest rows of each class to compare."),
    ] = 1,
    metric: Annotated[
        Literal["manhattan", "euclidean"],
        When(nearest_by="all attributes"),
        Field(description="Distance between two rows."),
    ] = "manhattan",
    scaling: Scaling = "range",
    sample_fraction: Annotated[SampleRatio, When(nearest_by="all attributes")] = 1.0,
    number_of_rows: Annotated[NumberOfRows, When(nearest_by="all attributes")] = None,
    sampling: Annotated[RowSampling, When(nearest_by="all attributes")] = "without replacement",
    ctx: Context,
) -> AttributeWeights:
    r"""Relief with Prior Knowledge

    Weighs attributes as Weight by Relief does, by comparing near rows: how much more an attribute
    differs between rows of different classes than between rows of the same class, summed over all
    rows. It then adds the prior. Cut the result with Select Top k.

    With n rows the sum is between −n and n. A prior of 10 therefore has much influence with 30
    rows, and little with 200. With the same prior for all attributes the order is the same as with
    Relief. If the rows are a sample, the sum is scaled to n rows. With scaling none the sum has
    the unit of the values. Row weights are refused: with nearest_by "each attribute" a copy of a
    row would be its nearest hit, at the distance 0.

    .. math:: W_j = \beta_j + \sum_i \mathrm{diff}_j(i, M_i) - \mathrm{diff}_j(i, H_i)

    References
    ----------
    Ben Brahim, Limam (2014): New prior knowledge based extensions for stable feature selection.
    SoCPaR.
    """
    schema, codes = examples.schema, class_codes(examples)
    given = prior_of(examples, prior, ctx, zero=True)
    if nearest_by == "each attribute":
        examples.require_complete()
        points = points_of(examples, scaled=scaling == "range")
        margins = instance_based.margins(points, codes, "each") * points.unit
        return examples.weights(margins.sum(axis=0) + given, details={"prior": given})
    # The algorithm has numbers first, the table any order.
    place = np.argsort(np.concatenate([schema.regular_numerical, schema.regular_nominal]))
    moved = np.empty_like(given)
    moved[place] = given
    scores = priors.relief_with_prior(
        examples.numeric(),
        examples.nominal(),
        codes,
        moved,
        k=number_of_neighbors,
        metric=metric,
        m=sampled_rows(examples, sample_fraction, number_of_rows, sampling),
        replace=sampling == "with replacement",
        rng=ctx.rng("rows"),
        scaling=scaling,
    )
    return examples.weights(scores[place], details={"prior": given})


@operator(
    group=GROUP,
    role="selection",
    accepts=NUMBERS,
    describe=describe_weights,
    tags=("recursive feature elimination", "support vector machine", "pk-rfe", "known genes"),
)
def select_by_pk_rfe(
    examples: ExampleSet,
    prior: Prior,
    *,
    k: K = 10,
    mode: Annotated[
        Literal["rescaling", "elimination"],
        Field(
            description="Multiply the attributes by their weights until most vanish, as published, "
            "or drop the worst attributes step by step, as SVM-RFE does."
        ),
    ] = "rescaling",
    fraction: Annotated[
        float,
        When(mode="elimination"),
        Field(
            gt=0, lt=1, description="Fraction of the remaining attributes to drop in each round."
        ),
    ] = 0.1,
    C: Cost = arom.COST,
    output: Output = "selection",
    ctx: Context,
) -> AttributeWeights:
    r"""RFE with Prior Knowledge

    Finds a small set of attributes that work well together in a linear support vector machine, and
    favors those that are known to matter: weights are multiplied by the prior before they are
    compared. Attributes are brought to one scale first.

    Rescaling is the published method of this name: it does not eliminate attributes, but multiplies
    each attribute by its weight again and again. Attributes that vanish early get the last ranks.
    With elimination and the same prior for all it is Select by SVM-RFE. Attributes with the role
    must_keep count among the k; elimination never drops them.

    .. math:: v_j = |w_j|\, \beta_j, \qquad x_j \leftarrow x_j\, v_j / \|v\|

    References
    ----------
    Ben Brahim, Limam (2014): New prior knowledge based extensions for stable feature selection.
    SoCPaR.
    """
    size = Size.within(examples, k, ctx)
    given = prior_of(examples, prior, ctx)
    X, codes = examples.numeric(), class_codes(examples)
    rounds = ctx.progress(count(), "Rounds")
    if mode == "rescaling":
        with ctx.one_thread():
            scaled = arom.arom(
                X,
                codes,
                prior=given,
                start="equal",
                C=C,
                on_iteration=lambda done: next(rounds),  # type: ignore[arg-type]
            )
        return arom_weights(examples, scaled, size, output, ctx)
    with ctx.one_thread():
        dropped = svm_rfe.svm_rfe(
            X,
            codes,
            keep=size.k,
            fraction=fraction,
            C=C,
            prior=given,
            never_drop=size.kept,
            on_round=lambda done, total: next(rounds),  # type: ignore[arg-type]
        )
    return placed(examples, dropped, size, output, {"last_weight": dropped.weights})


# --- results ------------------------------------------------------------------------------------


def placed(
    examples: ExampleSet,
    found: arom.ZeroNorm | svm_rfe.Elimination,
    size: Size | int,
    output: str,
    details: Mapping[str, Floats],
) -> AttributeWeights:
    """Return a ranking of all attributes as weights: 1 for the best, or larger the better."""
    weights = np.zeros(len(found.order))
    if output == "ranking":
        weights[found.order] = np.arange(len(weights), 0, -1.0)
    else:
        weights[found.order[:size] if isinstance(size, int) else size.cut(found.order)] = 1.0
    return examples.weights(weights, details={**details, "dropped_in_round": found.dropped_in})


def arom_weights(
    examples: ExampleSet, found: arom.ZeroNorm, size: Size | None, output: str, ctx: Context
) -> AttributeWeights:
    """Return the result of a zero norm approximation as weights; without a size the survivors."""
    if not found.survivors.size:
        raise DataError("All attributes are constant: none can separate the classes.")
    if not found.converged:
        ctx.warn(f"The weights still changed after {found.iterations} iterations.")
    wanted = found.survivors.size if size is None else size
    details = {"last_weight": found.scale, "coefficient": found.coefficients}
    return placed(examples, found, wanted, output, details)
