"""Whether a selection prefers groups of attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.statistics import enrichment
from fsops.algorithms.statistics.significance import adjust_p_values
from fsops.core import Accepts, Context, Named, When, operator
from fsops.core.declare.parameters import join_names
from fsops.data import (
    Attribute,
    AttributeWeights,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    ValueType,
)
from fsops.data.attribute_groups import AttributeGroups
from fsops.data.schema import Schema
from fsops.errors import DataError, ParameterError

MOST_SHOWN = 1000
COLUMNS = Schema.of(
    [
        Attribute("attribute_group", ValueType.TEXT),
        Attribute("size", ValueType.INTEGER),
        Attribute("selected", ValueType.INTEGER),
        Attribute("expected"),
        Attribute("mean_rank"),
        Attribute("p_value"),
        Attribute("adjusted_p_value"),
        Attribute("attributes", ValueType.TEXT),
    ]
)


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> ExampleSetMetaData:
    return ExampleSetMetaData(schema=COLUMNS)


@operator(
    group="Weighting/Use of weights",
    role="utility",
    accepts=Accepts(missing=True, infinite=True, sparse=True),
    describe=_describe,
    tags=("gene set enrichment", "gsea", "over-representation", "pathway", "hypergeometric", "gmt"),
    random=True,
)
def group_enrichment(
    examples: Annotated[
        ExampleSet, Named(description="Table whose attributes have groups (Set Attribute Groups).")
    ],
    weights: AttributeWeights,
    *,
    method: Annotated[
        Literal["hypergeometric", "ranks"],
        Field(
            description="hypergeometric: count the selected attributes of each group. ranks: "
            "compare the mean rank of the weights with random groups of the same size."
        ),
    ] = "hypergeometric",
    min_size: Annotated[
        int, Field(ge=1, description="Smallest number of weighted attributes of a group.")
    ] = 2,
    max_size: Annotated[
        int, Field(ge=1, description="Largest number of weighted attributes of a group.")
    ] = 500,
    permutations: Annotated[
        int,
        When(method="ranks"),
        Field(ge=19, le=1_000_000, description="Number of random orders of the attributes."),
    ] = 1000,
    use_absolute_weights: Annotated[
        bool, When(method="ranks"), Field(description="Rank by absolute weight.")
    ] = False,
    ctx: Context,
) -> Annotated[ExampleSet, Named("enrichment", "A row for each group, smallest p-value first.")]:
    r"""Group Enrichment

    Tests for each group of attributes, such as a gene set, whether it contains more selected
    attributes than expected by chance. Attributes with a weight other than 0 are selected; all
    attributes with a known weight are the background.

    - hypergeometric: the probability of at least as many selected attributes in a random group of
      the same size. Give it a selection, such as the output of Select Top k.
    - ranks: the mean rank of the weights in the group, from 0 (worst) to 1 (best), and the fraction
      of random groups of the same size with at least that mean. It needs no cut.

    P-values are adjusted by Benjamini and Hochberg. Both tests draw attributes at random: they
    assume that attributes are independent. Genes of one set are correlated, so the p-values are too
    small; use them to order the groups. The enrichment does not confirm a selection that was made
    on the same rows.

    .. math:: p = \sum_{i \ge k} \binom{K}{i} \binom{N-K}{n-i} / \binom{N}{n}

    References
    ----------
    Goeman, Bühlmann (2007): Analyzing gene expression data in terms of gene sets: methodological
    issues. Bioinformatics 23, 980–987.
    """
    if min_size > max_size:
        raise ParameterError(f"min_size is {min_size}, but max_size only {max_size}.")
    known = np.flatnonzero(~np.isnan(weights.values))
    names = weights.names.take(known)
    groups = _groups_of(examples, names, min_size, max_size)
    starts, members = groups.starts, groups.members
    selected = (weights.values[known] != 0) & weights.is_selected()[known]
    counts, p_values = enrichment.hypergeometric(selected, starts, members)
    scores = np.abs(weights.scores[known]) if use_absolute_weights else weights.scores[known]
    chosen = permutations if method == "ranks" else 0
    means, by_rank = enrichment.rank_sums(scores, starts, members, chosen, ctx.rng("permutations"))
    p_values = by_rank if method == "ranks" else p_values
    expected = groups.sizes * selected.mean()
    order = np.lexsort((-means, p_values))
    inside = [
        groups.positions(int(g))[selected[groups.positions(int(g))]][:MOST_SHOWN] for g in order
    ]
    columns: list[Any] = [
        np.array(groups.names.take(order).texts(), dtype=object),
        groups.sizes[order].astype(np.float64),
        counts[order].astype(np.float64),
        expected[order],
        means[order],
        p_values[order],
        adjust_p_values(p_values)[order],
        np.array([join_names(names.take(each).texts()) for each in inside], dtype=object),
    ]
    return ExampleSet.from_columns(zip(COLUMNS, columns, strict=True), len(order))


def _groups_of(examples: ExampleSet, names: Any, low: int, high: int) -> AttributeGroups:
    """Return the groups among weighted attributes, of allowed sizes."""
    groups = examples.schema.groups
    if groups is None:
        raise DataError(
            "The table has no groups of attributes.",
            hint="Name them, or read gene sets (Set Attribute Groups).",
        )
    places = examples.schema.names.find(names)
    here = np.flatnonzero(places >= 0)
    among = groups.take(places[here], len(examples.schema))
    fitting = None
    if among is not None:
        used = np.flatnonzero((among.sizes >= low) & (among.sizes <= high))
        members = [here[among.positions(int(g))] for g in used]
        fitting = AttributeGroups.of_sizes(
            among.names.take(used),
            [len(m) for m in members],
            np.concatenate(members) if members else np.empty(0, dtype=np.intp),
            bound=False,
        )
    if fitting is None or not len(fitting):
        raise DataError(
            f"No group has {low} to {high} attributes with a weight.",
            hint="Change min_size or max_size, or compare the names of the attributes with "
            "those of the groups.",
        )
    return fitting
