"""Does a selection stay the same when the data change a little?"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from fsops.algorithms.base import ranking
from fsops.algorithms.stability import similarity as stability
from fsops.core import Accepts, Context, Named, When, operator
from fsops.data import (
    AttributeWeights,
    Criterion,
    ExampleSet,
    PerformanceVector,
    StabilityResult,
)
from fsops.operators.selection.resamples import (
    Iterations,
    Ratio,
    Sampling,
    Selection,
    Stratified,
    iterations_on_resamples,
    resampled_weights,
)
from fsops.operators.sizes import Size


class Stable(NamedTuple):
    """Results of a stability validation."""

    performance: Annotated[PerformanceVector, Named(description="The measures of agreement.")]
    stability: Annotated[StabilityResult, Named(description="Agreement by number of attributes.")]
    weights: Annotated[
        AttributeWeights, Named(description="Fraction of repetitions that chose each attribute.")
    ]


@operator(
    group="Validation",
    role="validation",
    accepts=Accepts(missing=True, infinite=True, blocks=True, sparse=True),
    tags=("robustness", "jaccard", "kuncheva", "nogueira", "reproducible", "consistency", "stable"),
    random=True,
    iterations=iterations_on_resamples,
)
def feature_selection_stability_validation(
    examples: ExampleSet,
    selection: Selection,
    *,
    iterations: Iterations = 10,
    sampling: Sampling = "leave one part out",
    sample_fraction: Ratio = None,
    stratified: Stratified = True,
    selected: Annotated[
        Literal["top k", "not zero"],
        Field(
            description="Attributes that count as selected: the best k, or all weights except 0."
        ),
    ] = "top k",
    k: Annotated[
        int, When(selected="top k"), Field(ge=1, description="Number of attributes to select.")
    ] = 10,
    use_absolute_weights: Annotated[
        bool,
        Field(
            description="Rank by the absolute weight. If false, an attribute with a weight below "
            "0, as Relief gives, is never among the best k."
        ),
    ] = False,
    kendall: Annotated[
        bool,
        Field(description="Also measure Kendall's tau of the weights, which takes longer."),
    ] = False,
    ctx: Context,
) -> Stable:
    r"""Feature Selection Stability Validation

    Measures the stability of a selection: runs the inner selection on many resamples of the rows
    and reports how much the results agree. The main criterion is Kuncheva's index, which corrects
    for the overlap that chance alone gives (0 is chance, 1 is always the same). Further ones are
    the Jaccard and Dice indices, Nogueira's measure with its 95 % interval, the relative weighted
    consistency, and the correlations of weights and of ranks. The result "stability" has the
    agreement for every number of attributes for which each repetition gives a selection. Attributes
    with weight 0 never count as selected, and those with a weight below 0 never as among the best.

    Kuncheva's index needs sets of one size: where they differ, Nogueira's measure is the main one.
    If all attributes are selected, neither is defined.
    All measures are higher if the resamples overlap more: only compare methods that were measured
    on the same kind of resamples. Attributes with the role must_keep count among the k.

    .. math:: S_K(A, B) = \frac{|A \cap B| - k^2/p}{k - k^2/p}, \qquad
        S_J(A, B) = \frac{|A \cap B|}{|A \cup B|}

    References
    ----------
    Kuncheva (2007): A stability index for feature selection. IASTED.
    Nogueira, Sechidis, Brown (2018): On the stability of feature selection algorithms. JMLR 18.
    Somol, Novovičová (2010): Evaluating stability and comparing output of feature selectors that
    optimize feature subset cardinality. IEEE TPAMI 32.
    """
    matrix = resampled_weights(
        examples,
        selection,
        sampling=sampling,
        iterations=iterations,
        ratio=sample_fraction,
        stratified=stratified,
        use_absolute_weights=use_absolute_weights,
        ctx=ctx,
    )
    chosen = _best(matrix, Size.of(examples, k, ctx), ctx) if selected == "top k" else matrix != 0
    if chosen.size and chosen.all():
        why = f" (k = {k})" if selected == "top k" else ""
        ctx.warn(
            f"Every repetition selects all {chosen.shape[1]} attributes{why}: Kuncheva's and "
            "Nogueira's measures are not defined. Select fewer."
        )
    names = examples.schema.regular_names
    distinct = _sizes_without_ties(matrix)
    by_size = {
        "kuncheva": np.where(
            distinct, stability.stability_over_k(matrix, measure="kuncheva"), np.nan
        ),
        "jaccard": np.where(
            distinct, stability.stability_over_k(matrix, measure="jaccard"), np.nan
        ),
    }
    return Stable(
        PerformanceVector(_criteria(chosen, matrix, kendall=kendall)),
        StabilityResult(names, matrix, chosen, by_size),
        AttributeWeights(names, chosen.mean(axis=0)),
    )


def _best(
    matrix: np.typing.NDArray[np.float64], size: Size, ctx: Context
) -> np.typing.NDArray[np.bool_]:
    """Return the best k of each repetition that have a weight above 0 or must be kept."""
    k, above = size.k, (matrix > 0) | size.kept
    fewest = int(above.sum(axis=1).min())
    if fewest < min(k, matrix.shape[1]):
        noun = "attribute" if fewest == 1 else "attributes"
        ctx.warn(f"A repetition gives only {fewest} {noun} a weight above 0, fewer than k = {k}.")
    return above & ranking.top_k_mask(np.where(size.kept, np.inf, matrix), k)


def _sizes_without_ties(
    matrix: np.typing.NDArray[np.float64],
) -> np.typing.NDArray[np.bool_]:
    """Return the sizes with a clear selection in every repetition: no tie, all above 0."""
    ordered = -np.sort(-matrix, axis=1)
    after = np.column_stack([ordered[:, 1:], np.full(len(ordered), -np.inf)])
    distinct: np.typing.NDArray[np.bool_] = ((ordered != after) & (ordered > 0)).all(axis=0)
    return distinct


def _criteria(
    chosen: np.typing.NDArray[np.bool_], matrix: np.typing.NDArray[np.float64], *, kendall: bool
) -> list[Criterion]:
    nogueira = stability.nogueira(chosen)
    corrected = [
        Criterion("nogueira", (nogueira.value,)),
        Criterion("nogueira_lower", (nogueira.lower,)),
        Criterion("nogueira_upper", (nogueira.upper,)),
        Criterion("relative_weighted_consistency", (stability.weighted_consistency(chosen),)),
    ]
    pairs = {
        "jaccard": stability.jaccard(chosen),
        "dice": stability.dice(chosen),
        "weight_correlation": stability.pearson(matrix),
        "rank_correlation": stability.spearman(matrix),
    }
    if kendall:
        pairs["kendall_tau"] = stability.kendall(matrix)
    if len(set(chosen.sum(axis=1).tolist())) > 1:
        return [*corrected, *_averaged(pairs)]  # Kuncheva's index needs sets of one size
    return [*_averaged({"kuncheva": stability.kuncheva(chosen), **pairs}), *corrected]


def _averaged(pairs: dict[str, np.typing.NDArray[np.float64]]) -> list[Criterion]:
    """Return the agreement of all pairs of repetitions; pairs without a value are left out."""
    return [
        Criterion(name, tuple(values[~np.isnan(values)].tolist()) or (float("nan"),))
        for name, values in pairs.items()
    ]
