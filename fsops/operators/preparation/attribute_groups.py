"""Groups of attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fsops.core import Context, File, When, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData, Schema
from fsops.data.attribute_groups import AttributeGroups
from fsops.data.patterns import user_pattern
from fsops.errors import ParameterError, enumerate_names
from fsops.operators.preparation.prepared import ALIASES
from fsops.storage.gene_sets import GeneSets, read_gene_sets


def _by_pattern(schema: Schema, groups: Mapping[str, str], bound: bool) -> AttributeGroups | None:
    """Return groups of the regular attributes whose names match a regular expression each."""
    if not groups:
        raise ParameterError(
            "groups is empty.", hint='Give names and patterns, such as {"stage": "stage_.*"}.'
        )
    names = schema.regular_names
    found = {
        name: schema.regular[user_pattern(text, f"groups: {name}").matching(names)].tolist()
        for name, text in groups.items()
    }
    return AttributeGroups.of(found, bound=bound)


def _from_file(schema: Schema, sets: GeneSets, bound: bool) -> AttributeGroups:
    """Return the gene sets of a file, as far as their genes are regular attributes."""
    sizes = [len(genes) for genes in sets.genes]
    places = schema.names.find([gene for genes in sets.genes for gene in genes])
    regular = np.zeros(len(schema) + 1, dtype=bool)
    regular[schema.regular] = True
    known = regular[places]  # -1 is the last one
    owner = np.repeat(np.arange(len(sizes)), sizes)[known]
    members = places[known]
    order = np.lexsort((members, owner))
    counts = np.bincount(owner, minlength=len(sizes))
    return AttributeGroups.of_sizes(sets.names, counts.tolist(), members[order], bound=bound)


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs["examples"]
    if not isinstance(meta, ExampleSetMetaData) or meta.schema is None:
        return meta
    if parameters["source"] == "file":  # read at the run
        return meta
    return meta.with_schema(_changed(meta.schema, parameters))


def _changed(schema: Schema, parameters: Mapping[str, Any], sets: GeneSets | None = None) -> Schema:
    bound = parameters["select_together"]
    if parameters["source"] == "none":
        return schema.with_groups(None)
    if parameters["source"] == "table":
        return schema.with_groups(
            None if schema.groups is None else schema.groups.with_bound(bound)
        )
    if sets is not None:
        return _with(schema, _from_file(schema, sets, bound))
    return _with(schema, _by_pattern(schema, parameters["groups"], bound))


def _with(schema: Schema, groups: AttributeGroups | None) -> Schema:
    return schema.with_groups(groups if groups is not None and len(groups) else None)


@operator(
    group="Preparation/Roles",
    role="preparation",
    describe=_describe,
    aliases=ALIASES,
    tags=("gene sets", "gmt", "pathways", "one-hot", "group lasso", "blocks of attributes"),
)
def set_attribute_groups(
    examples: ExampleSet,
    *,
    source: Annotated[
        Literal["patterns", "file", "table", "none"],
        Field(
            description="Source of the groups: patterns of names, a file of gene sets, or the "
            "groups of the table itself; none removes all groups."
        ),
    ] = "table",
    groups: Annotated[
        dict[str, str],
        When(source="patterns"),
        Field(
            description="Groups by name. The attributes of a group match a regular expression, "
            "such as stage_.* or a list a1|a2|a3."
        ),
    ] = {},
    path: Annotated[
        str | None,
        File((".gmt",)),
        When(source="file"),
        Field(description="GMT file: a set per line, with name, description and genes."),
    ] = None,
    select_together: Annotated[
        bool,
        Field(
            description="Bind the groups: selections keep or drop a group as one, or refuse it. "
            "Bound groups must not overlap."
        ),
    ] = False,
    ctx: Context,
) -> ExampleSet:
    """Set Attribute Groups

    Names groups of attributes: columns of one coded attribute, measurements of one device, gene
    sets of a GMT file. Groups follow the attributes through all operators. Group Enrichment tests
    whether a selection prefers some of them.

    With select_together a group counts as one attribute: searches, eliminations and selections by
    weights keep or drop it as a whole, and ensembles complete it. All other selections refuse the
    table with an error. Do not bind gene sets: they overlap, and a set is not one measurement.

    Nominal to Numerical describes its new attributes as groups; source table binds or releases
    them. Genes of a file that the table does not have are left out, with a warning.

    References
    ----------
    Subramanian et al. (2005): Gene set enrichment analysis. PNAS 102, 15545–15550.
    """
    parameters = {
        "source": source,
        "groups": groups,
        "path": path,
        "select_together": select_together,
    }
    sets = None
    if source == "file":
        if path is None:
            raise ParameterError("path is not set.", hint="Give the name of a GMT file.")
        sets = read_gene_sets(path)
    schema = _changed(examples.schema, parameters, sets)
    _warn(schema, source, list(groups), ctx)
    if sets is not None and schema.groups is not None:
        _warn_of_unknown_genes(schema, sets, ctx)
    return examples.with_groups(schema.groups)


def _warn(schema: Schema, source: str, wanted: Sequence[str], ctx: Context) -> None:
    known = schema.groups
    if source != "none" and known is None:
        ctx.warn("The table has no groups: no attribute belongs to one.")
    elif source == "patterns" and known is not None:
        empty = [name for name in wanted if name not in known.names]
        if empty:
            ctx.warn(f"No attribute matches the pattern of {enumerate_names(empty)}.")


def _warn_of_unknown_genes(schema: Schema, sets: GeneSets, ctx: Context) -> None:
    """Warn of genes that are not among the regular attributes, and of sets without any other."""
    genes = list(dict.fromkeys(gene for each in sets.genes for gene in each))
    unknown = np.flatnonzero(schema.regular_names.find(genes) < 0)
    if not unknown.size:
        return
    assert schema.groups is not None
    empty = len(sets.names) - len(schema.groups)
    text = (
        "Genes of the file that are not regular attributes of the table, and are left out: "
        f"{unknown.size} of {len(genes)}, {enumerate_names([genes[place] for place in unknown])}."
    )
    if empty:
        text += f" Sets without a gene in the table: {empty} of {len(sets.names)}."
    ctx.warn(text)
