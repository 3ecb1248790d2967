"""Combining several weightings into one: by votes, weights, ranks, or how well they predict."""

from __future__ import annotations

from typing import Annotated, Literal, Unpack

import numpy as np
from pydantic import Field

from fsops.core import Context, Named, When, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.errors import DataError
from fsops.operators.selection.combining import SHORT_NAMES, Combining, check_votes, combined
from fsops.operators.sizes import kept_in_weights


@operator(
    group="Selection/Ensembles",
    role="weighting",
    tags=(
        *SHORT_NAMES,
        "rank aggregation",
        "consensus",
        "ensemble",
        "voting",
        "merge",
        "kemeny",
        "meta-analysis",
        "p-value",
    ),
    random=True,
)
def aggregate_weights(
    weights: Annotated[
        list[AttributeWeights],
        Named(description="The members; a collection counts as several members."),
    ],
    examples: Annotated[
        ExampleSet | None,
        Named(description="Rows on which the lists are tested; only for accuracy and reliability."),
    ] = None,
    *,
    not_mentioned: Annotated[
        Literal["not selected", "not available"],
        When(combination="robust rank"),
        Field(
            description="Treatment of an attribute that a member does not list: worse than all "
            "attributes of the member, or ignored because it was not part of the member's data."
        ),
    ] = "not selected",
    ctx: Context,
    **how: Unpack[Combining],
) -> AttributeWeights:
    r"""Aggregate Weights

    Combines several weightings into one: of different filters, of resamples, or of different
    studies. Each member is treated as a list of attributes: all with a weight above 0, or only the
    best list_length. Set use_absolute_weights if weights have signs that do not matter.

    - **top k**, **geq w**: attributes that many members vote for get the weight 1.
    - **accumulate weights**: the sum of the weights, as they are.
    - **mean weight** (WMA): the mean weight, 0 where an attribute is not in the list; **weight over
      rank** (WRA): the sum of the weights divided by that of the ranks.
    - **mean rank** (CLA, Borda): 1 for an attribute that is first everywhere, near 0 for the last.
    - **robust rank** (RRA): −log10 of the p-value that lists in random order rank an attribute so
      well in some of them. The details hold p-values, also adjusted for the number of attributes
      (Benjamini and Hochberg). With three members they cannot become small: use them only to order
      the attributes.
    - **rank distance** (GAA): the places in the list with the smallest sum of distances to all
      lists, the first with the largest weight. It is exact for Spearman's footrule up to 1,500
      attributes and for Kendall's distance up to 14; for 15 to 200 attributes a genetic search
      approximates the latter. In longer lists, only the best attributes by mean rank are ordered by
      distance (ten times keep_best, or this limit); the others follow by mean rank.
    - **frequency** (OFA): the fraction of lists that contain an attribute; **common**: 1 for those
      in all lists, or in min_fraction of them.
    - **accuracy** (CAA): the sum of the accuracies of the lists an attribute is in, from nearest
      neighbors in a tenfold cross-validation on examples, with the numbers as they are (normalize
      attributes in different units before); **reliability** (RAA): the sum of the
      weights, each times the member's confidence in it (its accuracy) and less where the members
      contradict each other.

    Equal weights are common with frequency and accuracy: the detail "rank" is their order by
    frequency and mean rank, by which keep_best cuts. Attributes with the role must_keep count among
    k and keep_best. Both accuracy and reliability look
    at the label: inside a validation make the weights and combine them on the training rows.

    .. math:: \mathrm{WMA}_j = \frac1K \sum_k w_{kj}, \qquad
        \rho_j = \min_k P\left(\mathrm{Beta}(k, K - k + 1) \le r_{(k)j} / p\right)

    References
    ----------
    Abeel, Helleputte, Van de Peer, Dupont, Saeys (2010): Robust biomarker identification for cancer
    diagnosis with ensemble feature selection methods. Bioinformatics 26.
    Ben Brahim (2015): Stable and efficient feature selection methods for high dimensional data.
    Thesis, Tunis.
    Kolde, Laur, Adler, Vilo (2012): Robust rank aggregation for gene list integration and
    meta-analysis. Bioinformatics 28.
    Pihur, Datta, Datta (2009): RankAggreg, an R package for weighted rank aggregation. BMC
    Bioinformatics 10.
    """
    if not weights:
        raise DataError("There are no weights to combine.", hint="Connect weights to it.")
    check_votes(how, len(weights), "weightings")
    names, matrix = AttributeWeights.stack(weights)
    available = None
    if not_mentioned == "not available":
        available = np.array([[name in part for name in names] for part in weights])
    kept = kept_in_weights(weights, names)
    return combined(names, matrix, how, examples=examples, available=available, kept=kept, ctx=ctx)
