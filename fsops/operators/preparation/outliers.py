"""Rows that are far from all others, and rows that are generated between others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from fsops.core import Accepts, Context, operator
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData, MetaData
from fsops.errors import DataError, ParameterError
from fsops.memory import require_pairs
from fsops.operators.preparation.prepared import ALIASES

OUTLIER = "outlier"
NUMBERS = Accepts(attributes="numerical")
CATEGORIES = ("false", "true")


def _with_outlier(examples: ExampleSet, attribute: Attribute, values: Any) -> ExampleSet:
    """Return the table with an attribute of the role outlier, in place of an earlier one."""
    old = examples.schema.special(OUTLIER)
    table = examples if old is None else examples.drop([old.name])
    if OUTLIER in table.schema:
        raise DataError(f'The data has an attribute "{OUTLIER}" already.', hint="Rename it.")
    return table.with_columns([(attribute, values)])


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs.get("examples")
    return ExampleSetMetaData(rows=meta.rows if isinstance(meta, ExampleSetMetaData) else None)


def _describe_more(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs.get("examples")
    schema = meta.schema if isinstance(meta, ExampleSetMetaData) else None
    numerical = None if schema is None else schema.as_numbers(schema.regular_numerical)
    return ExampleSetMetaData(schema=numerical)


def _neighbours(examples: ExampleSet, count: int) -> tuple[Any, Any]:
    """Return distances and places of the nearest other rows of each row."""
    from sklearn.neighbors import NearestNeighbors

    finder = NearestNeighbors(n_neighbors=count).fit(examples.numeric())
    distances, places = finder.kneighbors()
    return np.asarray(distances), np.asarray(places)


def _require_rows(examples: ExampleSet, count: int, name: str) -> None:
    if count >= len(examples):
        raise ParameterError(
            f"{name} is {count}, but each row has only {max(len(examples) - 1, 0)} others.",
            hint=f"Set {name} to at most {max(len(examples) - 1, 0)}, or give it more data.",
        )


@operator(
    group="Preparation/Rows",
    role="preparation",
    accepts=NUMBERS,
    describe=_describe,
    aliases=ALIASES,
    tags=("anomaly", "novelty", "distance", "unusual", "quality"),
)
def detect_outlier_distances(
    examples: ExampleSet,
    *,
    number_of_neighbors: Annotated[
        int, Field(ge=1, description="Rank of the neighbor whose distance is used.")
    ] = 10,
    number_of_outliers: Annotated[int, Field(ge=1, description="Number of rows to mark.")] = 10,
) -> ExampleSet:
    """Detect Outlier (Distances)

    Marks the rows whose distance to their k-th nearest neighbor is largest, in the attribute
    "outlier" (true or false). Filter Examples removes them.

    Distances are Euclidean, of the raw values: bring attributes to one scale first (Normalize).
    It always marks some rows, even if none is unusual: look at them before you remove any.
    If distances are equal, the earlier rows are marked.

    References
    ----------
    Ramaswamy, Rastogi, Shim (2000): Efficient algorithms for mining outliers from large data sets.
    SIGMOD, 427–438.
    """
    _require_rows(examples, number_of_neighbors, "number_of_neighbors")
    distance = _neighbours(examples, number_of_neighbors)[0][:, -1]
    order = np.lexsort((np.arange(len(distance)), -distance))
    marked = np.zeros(len(distance), dtype=np.int32)
    marked[order[:number_of_outliers]] = 1
    return _with_outlier(examples, Attribute.nominal(OUTLIER, CATEGORIES, OUTLIER), marked)


@operator(
    group="Preparation/Rows",
    role="preparation",
    accepts=NUMBERS,
    describe=_describe,
    aliases=ALIASES,
    tags=("anomaly", "novelty", "lof", "density", "unusual", "quality"),
)
def detect_outlier_lof(
    examples: ExampleSet,
    *,
    min_points_lower_bound: Annotated[
        int, Field(ge=1, description="Smallest number of neighbors.")
    ] = 10,
    min_points_upper_bound: Annotated[
        int, Field(ge=1, description="Largest number of neighbors.")
    ] = 20,
) -> ExampleSet:
    """Detect Outlier (LOF)

    Adds the local outlier factor of each row as the numerical attribute "outlier". It compares the
    density around a row with the density around its neighbors: about 1 inside a cluster, larger
    for outliers. The largest factor over all numbers of neighbors between the two bounds counts.

    Distances are Euclidean, of the raw values: bring attributes to one scale first (Normalize).

    References
    ----------
    Breunig, Kriegel, Ng, Sander (2000): LOF: identifying density-based local outliers. SIGMOD.
    """
    low, high = min_points_lower_bound, min_points_upper_bound
    if low > high:
        raise ParameterError(
            f"min_points_lower_bound is {low}, more than min_points_upper_bound ({high})."
        )
    _require_rows(examples, high, "min_points_upper_bound")
    distances, places = _neighbours(examples, high)
    factors = [local_outlier_factors(distances[:, :k], places[:, :k]) for k in range(low, high + 1)]
    largest = np.max(factors, axis=0)
    return _with_outlier(examples, Attribute(OUTLIER, role=OUTLIER), largest)


def local_outlier_factors(distances: Any, places: Any) -> Any:
    """Return the local outlier factor of each row, from its nearest neighbors.

    Rows whose neighbors are all equal to them have an infinite density, and the factor 1.
    """
    reach = np.maximum(distances, distances[places, -1])
    with np.errstate(divide="ignore", invalid="ignore"):
        density = 1.0 / reach.mean(axis=1)
        ratio = density[places].mean(axis=1) / density
    return np.where(np.isinf(density), 1.0, ratio)


@operator(
    group="Preparation/Sampling",
    role="preparation",
    accepts=Accepts(label="nominal", attributes="numerical"),
    describe=_describe_more,
    aliases=ALIASES,
    tags=("upsampling", "oversampling", "imbalanced", "minority", "synthetic", "balance"),
    random=True,
)
def smote_upsampling(
    examples: ExampleSet,
    *,
    number_of_neighbors: Annotated[
        int, Field(ge=1, description="Number of nearest rows of the class to choose from.")
    ] = 5,
    equalize_classes: Annotated[
        bool, Field(description="Add rows to all classes until they have equal sizes.")
    ] = True,
    upsampling_size: Annotated[
        int, Field(ge=1, description="Number of rows to add to the rarest class.")
    ] = 1000,
    scaling: Annotated[
        bool, Field(description="Bring attributes to one scale to find the nearest rows.")
    ] = True,
    ctx: Context,
) -> ExampleSet:
    """SMOTE Upsampling

    Adds generated rows of rare classes: each is between a row of the class and one of its nearest
    rows of the same class, at a random place. The new rows come last. Ids and other special
    attributes of a new row are those of the row it starts from.

    Use it inside the training of a validation only: if new rows are made before the rows are
    split, copies of test rows are in the training, and results are optimistic. Whether it helps
    depends on the learner; class weights often do as well.

    References
    ----------
    Chawla, Bowyer, Hall, Kegelmeyer (2002): SMOTE: synthetic minority over-sampling technique.
    Journal of Artificial Intelligence Research 16, 321–357.
    """
    codes = examples.label_values()
    classes, counts = np.unique(codes, return_counts=True)
    wanted = counts.max() - counts
    if not equalize_classes:
        wanted = np.where(np.arange(len(counts)) == counts.argmin(), upsampling_size, 0)
    X = examples.numeric()
    scale = X.std(axis=0) if scaling else np.ones(X.shape[1])
    Z = X / np.where(scale > 0, scale, 1.0)
    rng = ctx.rng("rows")
    starts, values = [], []
    for code, count in zip(classes, wanted, strict=True):
        if count:
            rows = np.flatnonzero(codes == code)
            first, second, place = _between(Z[rows], int(count), number_of_neighbors, rng)
            starts.append(rows[first])
            values.append(X[rows[first]] + place[:, None] * (X[rows[second]] - X[rows[first]]))
    if not starts:
        return examples
    table = examples.take(np.concatenate([np.arange(len(examples)), *starts]))
    numbers = np.concatenate([X, *values])
    return table.with_numbers(examples.schema.regular_numerical, numbers)


def _between(Z: Any, count: int, neighbours: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Return rows, a near row of each, and places between them; a single row has only itself."""
    require_pairs(len(Z), len(Z), "The matrix of distances")
    first = rng.integers(len(Z), size=count)
    k = min(neighbours, len(Z) - 1)
    place = rng.random(count)
    if k < 1:
        return first, first, place
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=k).fit(Z).kneighbors(return_distance=False)
    return first, near[first, rng.integers(k, size=count)], place
