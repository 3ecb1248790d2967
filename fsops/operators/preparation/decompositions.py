"""New attributes in the place of many: singular vectors, independent components, maps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats
from fsops.algorithms.preparation.components import Components, turned
from fsops.algorithms.preparation.hebbian import hebbian_components
from fsops.algorithms.preparation.som import Decay, Grid, nearest_nodes, train_map
from fsops.core import Accepts, Context, When, operator
from fsops.core.operator import Describe
from fsops.data import (
    Attribute,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    ValueType,
)
from fsops.errors import DataError, ParameterError
from fsops.memory import require
from fsops.operators.modeling.estimators import reported, seed_of
from fsops.operators.preparation.components import (
    FIXED,
    ComponentModel,
    Decomposed,
    component_names,
    replaced_by,
)
from fsops.operators.preparation.prepared import WITH_MODEL, Prepared, prepared

GROUP = "Preparation/Attributes"
NUMBERS = Accepts(attributes="numerical")
SHARE = "keep percentage"


def _described(count: Callable[[Mapping[str, Any], int, int], int | None], prefix: str) -> Describe:
    """Return the description of a table in which components replace the attributes."""

    def describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
        meta = inputs.get("examples")
        if not isinstance(meta, ExampleSetMetaData) or meta.schema is None or meta.rows is None:
            return ExampleSetMetaData(rows=getattr(meta, "rows", None))
        number = count(parameters, meta.rows, len(meta.schema.regular))
        if number is None:
            return ExampleSetMetaData(rows=meta.rows)
        special = meta.schema.take(np.sort(meta.schema.positions(meta.schema.roles)))
        schema = special.appended(component_names(number, prefix))
        return ExampleSetMetaData(schema=schema, rows=meta.rows)

    return describe


def _limited(number: int, possible: int, name: str) -> int:
    if number > possible:
        raise ParameterError(
            f"{name} is {number}, but the data has only {possible} components.",
            hint="There are at most as many as rows or attributes, whichever number is smaller.",
        )
    return number


def _component_model(
    found: Components, examples: ExampleSet, name: str, prefix: str, share: str
) -> Decomposed:
    attributes = examples.schema.take(examples.schema.regular)
    model = ComponentModel(found, attributes, name, prefix=prefix, share=share)
    return Decomposed(model.apply(examples), model)


@operator(
    group=GROUP,
    role="preparation",
    accepts=NUMBERS,
    aliases=WITH_MODEL,
    tags=("svd", "decomposition", "projection", "latent semantic", "unsupervised", "extraction"),
)
def singular_value_decomposition(
    examples: ExampleSet,
    *,
    dimensionality_reduction: Annotated[
        Literal["none", "keep percentage", "fixed number"],
        Field(description="Number of new attributes: all, by percentage_threshold, or dimensions."),
    ] = "fixed number",
    percentage_threshold: Annotated[
        float,
        When(dimensionality_reduction=SHARE),
        Field(ge=0, le=1, description="Fraction of the sum of singular values to keep."),
    ] = 0.95,
    number_of_components: Annotated[
        int,
        When(dimensionality_reduction=FIXED),
        Field(ge=1, description="Number of new attributes."),
    ] = 1,
) -> Decomposed:
    r"""Singular Value Decomposition

    Replaces the regular attributes by svd_1, svd_2, …, the projections of the rows on the right
    singular vectors with the largest singular values. It is Principal Component Analysis without
    centering, so the first attribute mostly follows the means. Zeros stay zeros.

    The model applies the same vectors to other rows: inside a validation, fit it on the training
    rows. The label has no influence. The largest loading of each vector is positive.

    .. math:: X = U \Sigma V^T, \qquad Z = X V

    References
    ----------
    Golub, Van Loan (2013): Matrix Computations.
    """
    X = examples.numeric()
    axes, singular, _ = np.linalg.svd(X.T, full_matrices=False)
    total = singular.sum()
    shares = singular / total if total > 0 else np.zeros_like(singular)
    spread = np.var(X @ axes, axis=0, ddof=1) if len(X) > 1 else np.zeros_like(singular)
    found = Components(np.zeros(X.shape[1]), turned(axes.T), spread, shares)
    count = len(singular)
    if dimensionality_reduction == SHARE:
        count = found.count_for(percentage_threshold)
    elif dimensionality_reduction == FIXED:
        count = _limited(number_of_components, count, "dimensions")
    title = "Singular Value Decomposition"
    return _component_model(
        found.first(count), examples, title, "svd_", "fraction of singular values"
    )


@operator(
    group=GROUP,
    role="preparation",
    accepts=NUMBERS,
    aliases=WITH_MODEL,
    tags=("ica", "fastica", "blind source separation", "unsupervised", "extraction"),
    random=True,
)
def independent_component_analysis(
    examples: ExampleSet,
    *,
    dimensionality_reduction: Annotated[
        Literal["none", "fixed number"],
        Field(description="Number of components: all, or number_of_components."),
    ] = "none",
    number_of_components: Annotated[
        int,
        When(dimensionality_reduction=FIXED),
        Field(ge=1, description="Number of components."),
    ] = 1,
    algorithm_type: Annotated[
        Literal["deflation", "parallel"],
        Field(description="Find components one after the other, or all together."),
    ] = "parallel",
    function: Annotated[
        Literal["logcosh", "exp"], Field(description="Function that approximates negentropy.")
    ] = "logcosh",
    logcosh_constant: Annotated[
        float,
        When(function="logcosh"),
        Field(ge=1, le=2, description="Constant of logcosh: log(cosh(alpha x)) / alpha."),
    ] = 1.0,
    max_iterations: Annotated[int, Field(ge=1, description="Maximum number of iterations.")] = 200,
    tolerance: Annotated[
        float, Field(gt=0, description="Change of the components at which the search stops.")
    ] = 1e-4,
    ctx: Context,
) -> Decomposed:
    """Independent Component Analysis

    Replaces the regular attributes by ic_1, ic_2, …, weighted sums that are as independent of each
    other as possible (FastICA). They separate mixed signals. Each has mean 0 and variance 1 on the
    rows it was fitted on.

    The number of components is at most the rank of the centered data. Signs and order of the
    components depend on random start values, which come from the seed of the process. The label has
    no influence. Inside a validation, fit it on the training rows and apply the model to the test
    rows.

    References
    ----------
    Hyvärinen, Oja (2000): Independent component analysis. Neural Networks 13, 411–430.
    """
    from sklearn.decomposition import FastICA

    X = examples.numeric()
    rank = int(np.linalg.matrix_rank(X - X.mean(axis=0))) if len(X) > 1 else 0
    if rank == 0:
        raise DataError("All rows are equal, so there are no components.")
    count = rank
    if dimensionality_reduction == FIXED:
        count = _limited(number_of_components, rank, "number_of_components")
    estimator = FastICA(
        count,
        algorithm=algorithm_type,
        fun=function,
        fun_args={"alpha": logcosh_constant} if function == "logcosh" else None,
        whiten="unit-variance",
        max_iter=max_iterations,
        tol=tolerance,
        random_state=seed_of(ctx, "start"),
    )
    title = "Independent Component Analysis"
    reported(lambda: estimator.fit(X), title, ctx)
    loadings = np.asarray(estimator.components_, dtype=np.float64)
    equal = np.full(count, 1.0 / count)
    found = Components(X.mean(axis=0), loadings, np.ones(count), equal)
    return _component_model(found, examples, title, "ic_", "fraction of variance")


def _hebbian_count(parameters: Mapping[str, Any], rows: int, attributes: int) -> int:
    number: int = parameters["number_of_components"]
    return min(rows, attributes) if number < 1 else number


@operator(
    group=GROUP,
    role="preparation",
    accepts=NUMBERS,
    describe=_described(_hebbian_count, "pc_"),
    aliases=WITH_MODEL,
    tags=("gha", "sanger", "principal components", "online", "unsupervised", "extraction"),
    random=True,
)
def generalized_hebbian_algorithm(
    examples: ExampleSet,
    *,
    number_of_components: Annotated[
        int,
        Field(
            ge=-1,
            description="Number of components; 0 or -1: as many as rows or attributes, whichever "
            "number is smaller.",
        ),
    ] = -1,
    iterations: Annotated[
        int, Field(ge=0, description="Number of random rows used for training.")
    ] = 1000,
    learning_rate: Annotated[
        float, Field(gt=0, description="Size of the steps; smaller steps need more iterations.")
    ] = 0.01,
    ctx: Context,
) -> Decomposed:
    """Generalized Hebbian Algorithm

    Replaces the regular attributes by approximate principal components pc_1, pc_2, …, found by
    small steps from random rows, without a covariance matrix. For tables that fit into memory
    Principal Component Analysis is exact and faster.

    With too few iterations the components still depend on their random start values; with a
    learning rate that is too large for the scale of the data they become infinite, which is an
    error. Bring attributes to one scale first (Normalize).

    References
    ----------
    Sanger (1989): Optimal unsupervised learning in a single-layer linear feedforward neural
    network. Neural Networks 2, 459–473.
    """
    X = examples.numeric()
    possible = min(X.shape)
    count = possible if number_of_components < 1 else number_of_components
    _limited(count, X.shape[1], "number_of_components")
    require(
        24 * count * X.shape[1],
        f"{count} components of {X.shape[1]:,} attributes",
        "Set a smaller number_of_components.",
    )
    mean = X.mean(axis=0)
    rng = ctx.rng("start")
    loadings = hebbian_components(X - mean, count, iterations, learning_rate, rng)
    if not np.isfinite(loadings).all():
        raise DataError(
            f"The components became infinite with learning_rate={learning_rate:g}.",
            hint="Lower learning_rate, or bring the attributes to one scale first (Normalize).",
        )
    variances = ((X - mean) @ loadings.T).var(axis=0, ddof=min(1, len(X) - 1))
    total = X.var(axis=0, ddof=min(1, len(X) - 1)).sum()
    shares = variances / total if total > 0 else np.zeros(count)
    found = Components(mean, loadings, variances, shares)
    title = "Generalized Hebbian Algorithm"
    return _component_model(found, examples, title, "pc_", "fraction of variance")


@dataclass(frozen=True)
class MapPlaces:
    """Puts the place of the nearest node of a map in the place of attributes."""

    names: Sequence[str]
    nodes: Floats
    grid: Grid

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with the coordinates; where a value is missing they are missing, too."""
        X = examples.values(examples.schema.positions(self.names)).astype(np.float64)
        places = self.grid.coordinates[nearest_nodes(X, self.nodes)].astype(np.float64)
        places[np.isnan(X).any(axis=1)] = np.nan
        return replaced_by(examples, self.names, map_attributes(self.grid.dimensions), places)


def map_attributes(dimensions: int) -> list[Attribute]:
    """Return the attributes for the coordinates in a map."""
    return [Attribute(f"SOM_{number}", ValueType.REAL) for number in range(dimensions)]


def _describe_map(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs.get("examples")
    if not isinstance(meta, ExampleSetMetaData) or meta.schema is None:
        return ExampleSetMetaData(rows=getattr(meta, "rows", None))
    special = meta.schema.take(np.sort(meta.schema.positions(meta.schema.roles)))
    new = map_attributes(parameters["number_of_dimensions"])
    return ExampleSetMetaData(schema=special.appended(new), rows=meta.rows)


@operator(
    group=GROUP,
    role="preparation",
    accepts=NUMBERS,
    describe=_describe_map,
    aliases=WITH_MODEL,
    tags=("som", "kohonen", "map", "visualization", "unsupervised", "neural"),
    random=True,
)
def self_organizing_map(
    examples: ExampleSet,
    *,
    number_of_dimensions: Annotated[
        int, Field(ge=1, le=3, description="Number of dimensions of the map.")
    ] = 2,
    net_size: Annotated[int, Field(ge=1, description="Number of nodes along each dimension.")] = 10,
    iterations: Annotated[int, Field(ge=1, description="Number of passes over the rows.")] = 30,
    learning_rate_start: Annotated[
        float, Field(gt=0, description="Size of the steps in the first round.")
    ] = 0.8,
    learning_rate_end: Annotated[
        float, Field(gt=0, description="Size of the steps in the last round.")
    ] = 0.01,
    adaption_radius_start: Annotated[
        float, Field(gt=0, description="Radius in which neighbors follow, in the first round.")
    ] = 10.0,
    adaption_radius_end: Annotated[
        float, Field(gt=0, description="Radius in which neighbors follow, in the last round.")
    ] = 1.0,
    ctx: Context,
) -> Prepared:
    """Self-Organizing Map

    Arranges the rows on a grid of nodes so that similar rows are near each other (a Kohonen map),
    and replaces the regular attributes by the coordinates SOM_0, SOM_1, …, from 0 to net_size − 1.
    Use it to look at the data. Opposite edges of the grid are joined.

    Distances are those of the raw values: bring attributes to one scale first (Normalize). The map
    depends on random start values between 0 and 1. Time grows with rounds × rows × nodes ×
    attributes.

    References
    ----------
    Ritter, Martinetz, Schulten (1992): Neural Computation and Self-Organizing Maps.
    """
    for what in ("learning_rate", "adaption_radius"):
        start, end = (
            (learning_rate_start, learning_rate_end)
            if what == "learning_rate"
            else (adaption_radius_start, adaption_radius_end)
        )
        if start < end:
            raise ParameterError(
                f"{what}_start is {start:g}, less than {what}_end ({end:g}).",
                hint=f"Set {what}_start to at least {what}_end.",
            )
    X = examples.numeric()
    nodes = net_size**number_of_dimensions
    require(24 * nodes * X.shape[1], f"A map of {nodes:,} nodes", "Set a smaller net_size.")
    grid = Grid(net_size, number_of_dimensions)
    rates = Decay(learning_rate_start, learning_rate_end)
    radii = Decay(adaption_radius_start, adaption_radius_end)
    weights = train_map(X, grid, ctx.rng("start"), rounds=iterations, rate=rates, radius=radii)
    names = examples.schema.regular_names
    return prepared(examples, MapPlaces(names, weights, grid), names, "Self-Organizing Map")
