"""Stability selection: a bound on the number of false selections around any selection."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.error_control import stability_selection as algorithm
from fsops.core import Accepts, Context, Named, When, operator
from fsops.core.declare.iterations import Count, Known
from fsops.data import (
    AttributeWeights,
    Criterion,
    ExampleSet,
    MetaData,
    PerformanceVector,
    StabilityPath,
)
from fsops.errors import DataError
from fsops.operators.selection.resamples import (
    Rows,
    Selection,
    Stratified,
    complementary_halves,
    weights_on,
)
from fsops.operators.weighting.scores import describe_weights

HALF = 0.5


class Stabilized(NamedTuple):
    """Results of a stability selection."""

    weights: Annotated[
        AttributeWeights, Named(description="1 for selected attributes, 0 for all others.")
    ]
    bound: Annotated[
        PerformanceVector,
        Named(description="Bound on the expected number of false selections, and how it was set."),
    ]
    path: Annotated[
        StabilityPath,
        Named(description="Fraction of the halves that select each attribute, by size."),
    ]


def _describe(inputs: dict[str, MetaData], parameters: dict[str, Any]) -> dict[str, MetaData]:
    return {"weights": describe_weights(inputs, parameters)}


def _halves(known: Known) -> int | Count:
    number = 2 * known["pairs"]
    return Count(0, number, "all at once where the weighting can") if known.at_once else number


@operator(
    group="Selection/Ensembles",
    role="selection",
    accepts=Accepts(missing=True, infinite=True, blocks=True, sparse=True),
    describe=_describe,
    tags=(
        "error control",
        "per-family error rate",
        "false positives",
        "complementary pairs",
        "subsampling",
        "meinshausen buhlmann",
        "shah samworth",
    ),
    random=True,
    iterations=_halves,
)
def stability_selection(
    examples: ExampleSet,
    selection: Selection,
    *,
    selected: Annotated[
        Literal["top k", "not zero"],
        Field(
            description="Attributes that a half selects: the best k, or all with a weight above 0."
        ),
    ] = "top k",
    k: Annotated[
        int | None,
        When(selected="top k"),
        Field(
            ge=1,
            description="Number of attributes that each half selects; empty: the largest with a "
            "bound of at most max_false_selections.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        Field(
            gt=0.5,
            le=1,
            description="Fraction of the halves that have to select an attribute; empty: the "
            "smallest with a bound of at most max_false_selections.",
        ),
    ] = 0.75,
    max_false_selections: Annotated[
        float,
        Field(
            gt=0,
            description="Accepted bound on the expected number of false selections; sets k or "
            "threshold if one of them is empty.",
        ),
    ] = 1.0,
    pairs: Annotated[
        int, Field(ge=2, le=1000, description="Number of pairs of halves; each half is used.")
    ] = 50,
    sampling: Annotated[
        Literal["complementary pairs", "single halves"],
        Field(
            description="Halves: pairs without a common row (Shah and Samworth), or each drawn "
            "from all rows (Meinshausen and Bühlmann)."
        ),
    ] = "complementary pairs",
    assumption: Annotated[
        Literal["r-concave", "unimodal", "none"],
        When(sampling="complementary pairs"),
        Field(
            description="Assumed shape of the distribution of the selection frequency of a false "
            "attribute. Stronger assumptions, first in this list, give smaller bounds."
        ),
    ] = "r-concave",
    stratified: Stratified = True,
    use_absolute_weights: Annotated[
        bool, Field(description="Rank by the absolute weight.")
    ] = False,
    ctx: Context,
) -> Stabilized:
    r"""Stability Selection

    Selects the attributes that the inner selection finds again and again on random halves of the
    rows, with a bound on the expected number of false selections. An attribute counts as false if a
    half selects it no more often than an attribute drawn at random. Give max_false_selections and
    either k or threshold; the other one is computed. The output path shows how often each attribute
    is selected if the halves select 1, 2, … attributes.

    For single halves the bound holds if the inner selection is no worse than drawing at random and
    treats all false attributes in the same way; for complementary pairs it holds without this
    condition. With "not zero" the bound uses the mean number of attributes that a half selects.

    Do not use it to rank attributes, or if the relevant attributes are copies of each other: each
    half selects one of the copies, so no copy reaches the threshold. Halves need enough rows for
    the inner selection: with fewer than 20 rows use a filter with permutation p-values.

    Without an assumption the bound on the number :math:`V` of false selections is, where each half
    selects :math:`q` of :math:`p` attributes and :math:`\pi` is the threshold:

    .. math:: E(V) \le \frac{q^2}{(2\pi - 1)\, p}

    References
    ----------
    Meinshausen, Bühlmann (2010): Stability selection. J. R. Statist. Soc. B 72, 417–473.
    Shah, Samworth (2013): Variable selection with error control: another look at stability
    selection. J. R. Statist. Soc. B 75, 55–80.
    """
    names = examples.schema.regular_names
    if not len(names):
        raise DataError("The table has no regular attribute to select.")
    by_pairs = sampling == "complementary pairs"
    settings = _Settings(
        len(names), pairs, assumption if by_pairs else "none", max_false_selections
    )
    if selected == "top k" and k is None:
        k = settings.size(HALF if threshold is None else threshold, ctx)
    halves = _drawn(examples, pairs, by_pairs=by_pairs, stratified=stratified, ctx=ctx)
    matrix = weights_on(
        examples, selection, halves, use_absolute_weights=use_absolute_weights, ctx=ctx
    )
    places = algorithm.selected_places(matrix, k if selected == "top k" else None)
    mean = float((places > 0).sum(axis=1).mean())
    # Fewer may have a weight above 0, but the bound must not depend on the outcome.
    q = float(min(k, len(names))) if selected == "top k" and k is not None else mean
    level = settings.threshold(q, ctx) if threshold is None else threshold
    bound = algorithm.false_selection_bound(q, len(names), level, pairs, settings.assumption)
    if bound > max_false_selections and threshold is not None:
        ctx.warn(
            f"The expected number of false selections is at most {bound:.3g}, which is above "
            f"max_false_selections={max_false_selections:g}. Select fewer attributes per half, or "
            "raise the threshold."
        )
    return _result(names, places, level, bound, q=q, by_pairs=by_pairs)


class _Settings(NamedTuple):
    """How many attributes there are, and which bound is accepted."""

    p: int
    pairs: int
    assumption: algorithm.Assumption
    limit: float

    def size(self, threshold: float, ctx: Context) -> int:
        """Return the largest number of attributes per half; 1 if no number has such a bound."""
        if threshold <= HALF:  # both are free: the middle of the usual range
            threshold = 0.75
        size = algorithm.largest_size(self.p, threshold, self.limit, self.pairs, self.assumption)
        if size == 0:
            ctx.warn(
                f"No number of attributes per half has a bound of at most {self.limit:g} false "
                f"selections among {self.p} attributes: k=1 is used. Raise the threshold or "
                "max_false_selections."
            )
        return max(size, 1)

    def threshold(self, q: float, ctx: Context) -> float:
        """Return the smallest threshold with the accepted bound; 1 if there is none."""
        level = algorithm.smallest_threshold(q, self.p, self.limit, self.pairs, self.assumption)
        if level is None:
            ctx.warn(
                f"Halves that select {q:g} of {self.p} attributes allow no bound of "
                f"{self.limit:g} false selections: only attributes that every half selects are "
                "selected. Select fewer attributes per half."
            )
        return 1.0 if level is None else level


def _drawn(
    examples: ExampleSet, pairs: int, *, by_pairs: bool, stratified: bool, ctx: Context
) -> tuple[Rows, ...]:
    """Return the rows of all halves."""
    if by_pairs:
        return complementary_halves(examples, pairs, stratified=stratified, ctx=ctx)
    halves = complementary_halves(examples, 2 * pairs, stratified=stratified, ctx=ctx)
    return halves[::2]


def _result(
    names: Any,
    places: npt.NDArray[np.intp],
    threshold: float,
    bound: float,
    *,
    q: float,
    by_pairs: bool,
) -> Stabilized:
    ever = np.flatnonzero(places.any(axis=0))
    frequency = (places > 0).mean(axis=0)
    chosen = (places > 0).sum(axis=0) >= algorithm.halves_needed(threshold, len(places) // 2)
    details = {"frequency": frequency}
    if by_pairs:
        details["both_halves"] = algorithm.simultaneous(places)
    sizes = algorithm.path_sizes(int(places.max(initial=0)))
    path = algorithm.frequencies(places[:, ever], sizes)
    facts = {
        "expected_false_selections": bound,
        "selected_attributes": float(chosen.sum()),
        "threshold": threshold,
        "attributes_per_half": q,
    }
    larger = "selected_attributes"
    return Stabilized(
        AttributeWeights(names, chosen.astype(np.float64), details=details),
        PerformanceVector(
            [
                Criterion(key, (value,), maximize=key == larger, measured=False)
                for key, value in facts.items()
            ]
        ),
        StabilityPath(names.take(ever), sizes, path, threshold=threshold, bound=bound),
    )
