"""Clusters of clusters."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats, Ints
from fsops.core import Aliases, operator
from fsops.data import ExampleSet
from fsops.errors import DataError, ParameterError
from fsops.memory import require_pairs
from fsops.operators.modeling.clusters import (
    GROUP,
    NUMBERS,
    PORTS,
    AsLabel,
    Clustered,
    ClusterModel,
    NumberOfClusters,
    describe_clustered,
    require_rows,
    with_clusters,
)

Linkage = Literal["SingleLink", "CompleteLink", "AverageLink"]


def _cut(tree: Floats, number: int) -> Ints:
    """Return clusters 0, 1, … of a hierarchy, numbered by their first row."""
    from scipy.cluster.hierarchy import fcluster

    found = fcluster(tree, number, criterion="maxclust")
    _, first, codes = np.unique(found, return_index=True, return_inverse=True)
    order: Ints = np.argsort(np.argsort(first))[codes]
    return order


@operator(
    group=GROUP,
    role="preparation",
    accepts=NUMBERS,
    describe=describe_clustered,
    aliases=Aliases(ports=PORTS),
    tags=("cluster", "hierarchical", "dendrogram", "linkage", "unsupervised"),
)
def agglomerative_clustering(
    examples: ExampleSet,
    *,
    mode: Annotated[
        Linkage,
        Field(description="Distance of two clusters: smallest, largest or mean of their rows."),
    ] = "SingleLink",
    number_of_clusters: Annotated[
        int, Field(ge=1, description="Number of clusters the hierarchy is cut into.")
    ] = 3,
    add_as_label: AsLabel = False,
) -> Clustered:
    """Agglomerative Clustering

    Merges the two nearest clusters again and again, from single rows to one cluster, and cuts this
    hierarchy into number_of_clusters. Flatten Clustering cuts the model at another number.

    Needs memory for the distances of all pairs of rows. Bring attributes to one scale first
    (Normalize). The model assigns another row to the cluster of the nearest row.

    References
    ----------
    Müllner (2011): Modern hierarchical, agglomerative clustering algorithms. arXiv 1109.2378.
    """
    from scipy.cluster.hierarchy import linkage

    require_rows(examples, number_of_clusters)
    X = examples.numeric()
    require_pairs(len(X), len(X), "The matrix of distances", 2)
    if len(X) < 2:
        raise DataError("Agglomerative Clustering needs at least two rows.")
    tree = linkage(X, {"SingleLink": "single", "CompleteLink": "complete"}.get(mode, "average"))
    codes = _cut(tree, number_of_clusters)
    model = ClusterModel(
        X, codes, examples.schema, "Agglomerative Clustering", as_label=add_as_label, tree=tree
    )
    return Clustered(with_clusters(examples, codes, model.number, add_as_label), model)


@operator(
    group=GROUP,
    role="model_application",
    aliases=Aliases(
        ports={**PORTS, "hierarchical": "model", "flat": "model", "example set": "examples"}
    ),
    tags=("cluster", "hierarchical", "cut", "dendrogram"),
)
def flatten_clustering(
    model: ClusterModel,
    examples: ExampleSet,
    *,
    number_of_clusters: NumberOfClusters = 3,
    add_as_label: AsLabel = False,
) -> Clustered:
    """Flatten Clustering

    Cuts the hierarchy of Agglomerative Clustering into a number of clusters, and puts each row of
    the table into the cluster of the nearest row that the model was made of.
    """
    if model.tree is None:
        raise DataError(
            f"{model.name} has no hierarchy to cut.",
            hint="Connect the model of Agglomerative Clustering.",
        )
    if number_of_clusters > len(model.points):
        raise ParameterError(
            f"number_of_clusters is {number_of_clusters}, but the model was made of "
            f"{len(model.points)} rows."
        )
    codes = _cut(model.tree, number_of_clusters)
    flat = ClusterModel(
        model.points,
        codes,
        model.attributes,
        "Flatten Clustering",
        as_label=add_as_label,
        tree=model.tree,
    )
    return Clustered(flat.apply(examples), flat)
