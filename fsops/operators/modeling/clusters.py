"""Groups of similar rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats, Ints
from fsops.algorithms.neighbors.medoids import k_medoids as nearest_medoids, nearest
from fsops.core import Accepts, Aliases, Context, Named, operator
from fsops.data import (
    Attribute,
    Criterion,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    Model,
    PerformanceVector,
    Schema,
)
from fsops.data.model import require_finite
from fsops.data.schema import LABEL
from fsops.errors import DataError, ParameterError
from fsops.memory import require_pairs
from fsops.operators.modeling.estimators import reported, seed_of

if TYPE_CHECKING:
    import pandas as pd

GROUP = "Modeling/Clustering"
CLUSTER = "cluster"
NUMBERS = Accepts(attributes="numerical")
PORTS = {"example set": "examples", "cluster model": "model", "clustered set": "examples"}
AsLabel = Annotated[
    bool, Field(description="Make the cluster the label instead of an attribute with its own role.")
]
NumberOfClusters = Annotated[int, Field(ge=1, description="Number of clusters.")]
NumberOfStarts = Annotated[int, Field(ge=1, description="Number of random starts.")]
NumberOfIterations = Annotated[
    int, Field(ge=1, description="Maximum number of iterations of a start.")
]


class ClusterModel(Model):
    """Clusters with a center each, or the training rows with their clusters.

    Parameters
    ----------
    points : array of shape (points, attributes)
    clusters : array of int
        The cluster of each point; a row belongs to that of the nearest point.
    training : Schema
        The schema of the training data.
    name : str
        What made the model.
    as_label : bool
        Whether the cluster becomes the label.
    tree : array, optional
        The merges of a hierarchical clustering, as scipy describes them.
    """

    title: ClassVar[str] = "Cluster model"

    def __init__(
        self,
        points: Floats,
        clusters: Ints,
        training: Schema,
        name: str,
        *,
        as_label: bool = False,
        tree: Floats | None = None,
    ) -> None:
        super().__init__(training.take(training.regular), name)
        self.points = points
        self.clusters: Ints = np.asarray(clusters, dtype=np.intp)
        self.as_label = as_label
        self.tree = tree

    @property
    def number(self) -> int:
        """Number of clusters."""
        return int(self.clusters.max(initial=-1)) + 1

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with the center of each cluster."""
        import pandas as pd

        frame = pd.DataFrame(self.centres, columns=[*self.attributes.names])
        frame.insert(0, CLUSTER, [f"cluster_{code}" for code in range(self.number)])
        return frame

    @property
    def centres(self) -> Floats:
        """The mean of the points of each cluster."""
        found = [self.points[self.clusters == code].mean(axis=0) for code in range(self.number)]
        return np.array(found)

    def assigned(self, examples: ExampleSet) -> Ints:
        """Return the cluster of each row."""
        rows = examples.aligned(self.attributes)
        require_finite(rows)
        found: Ints = self.clusters[nearest(rows.numeric(), self.points)]
        return found

    def apply(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with the cluster of each row."""
        return with_clusters(examples, self.assigned(examples), self.number, self.as_label)


def cluster_attribute(number: int, as_label: bool) -> Attribute:
    """Return the attribute that holds the cluster."""
    role = LABEL if as_label else CLUSTER
    return Attribute.nominal(CLUSTER, [f"cluster_{code}" for code in range(number)], role)


def with_clusters(examples: ExampleSet, codes: Ints, number: int, as_label: bool) -> ExampleSet:
    """Return the table with clusters in place of earlier ones and, if wanted, of the label."""
    attribute = cluster_attribute(number, as_label)
    old = [examples.schema.special(role) for role in {CLUSTER, attribute.role}]
    table = examples.drop([one.name for one in old if one is not None])
    if CLUSTER in table.schema:
        raise DataError(
            f'The data has an attribute "{CLUSTER}" already.', hint="Rename it (Rename)."
        )
    return table.with_columns([(attribute, codes.astype(np.int32))])


class Clustered(NamedTuple):
    """Results of a clustering."""

    examples: Annotated[ExampleSet, Named(description="The table with the cluster of each row.")]
    model: Annotated[ClusterModel, Named(description="Assigns other rows to the clusters.")]


def describe_clustered(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    """Return that the rows stay."""
    meta = inputs.get("examples")
    return ExampleSetMetaData(rows=meta.rows if isinstance(meta, ExampleSetMetaData) else None)


def _clustered(
    examples: ExampleSet, codes: Ints, name: str, as_label: bool, centres: Floats | None = None
) -> Clustered:
    """Return the result of a clustering, by centers or by the rows themselves."""
    X = examples.numeric()
    points, clusters = (X, codes) if centres is None else (centres, np.arange(len(centres)))
    model = ClusterModel(points, clusters, examples.schema, name, as_label=as_label)
    return Clustered(with_clusters(examples, codes, model.number, as_label), model)


def require_rows(examples: ExampleSet, k: int, name: str = "number_of_clusters") -> None:
    """Raise `ParameterError` if there are more clusters than rows."""
    if k > len(examples):
        raise ParameterError(
            f"{name} is {k}, but the data has only {len(examples)} rows.",
            hint=f"Set {name} to at most {len(examples)}.",
        )


@operator(
    group=GROUP,
    role="preparation",
    accepts=NUMBERS,
    describe=describe_clustered,
    aliases=Aliases(keys=("concurrency:k_means", "fast_k_means"), ports=PORTS),
    tags=("cluster", "segmentation", "unsupervised", "centroids", "lloyd"),
    random=True,
)
def k_means(
    examples: ExampleSet,
    *,
    number_of_clusters: NumberOfClusters = 5,
    restarts: NumberOfStarts = 10,
    determine_good_start_values: Annotated[
        bool, Field(description="Start from rows that are far apart (k-means++).")
    ] = True,
    max_iterations: NumberOfIterations = 100,
    add_as_label: AsLabel = False,
    ctx: Context,
) -> Clustered:
    """k-Means

    Divides the rows into k clusters so that the squared distances from the means of the clusters
    are small. Each row gets the attribute "cluster", with the role cluster.

    Distances use the raw values: bring attributes to one scale first (Normalize). The label has no
    influence. Clusters depend on random starts; the best of restarts is returned.

    References
    ----------
    Lloyd (1982): Least squares quantization in PCM. IEEE Transactions on Information Theory 28.
    """
    from sklearn.cluster import KMeans

    require_rows(examples, number_of_clusters)
    estimator = KMeans(
        number_of_clusters,
        init="k-means++" if determine_good_start_values else "random",
        n_init=restarts,
        max_iter=max_iterations,
        random_state=seed_of(ctx, "starts"),
    )
    reported(lambda: estimator.fit(examples.numeric()), "k-Means", ctx)
    centres = np.asarray(estimator.cluster_centers_, dtype=np.float64)
    return _clustered(
        examples, nearest(examples.numeric(), centres), "k-Means", add_as_label, centres
    )


@operator(
    group=GROUP,
    role="preparation",
    accepts=NUMBERS,
    describe=describe_clustered,
    aliases=Aliases(ports=PORTS),
    tags=("cluster", "pam", "unsupervised", "segmentation", "robust"),
    random=True,
)
def k_medoids(
    examples: ExampleSet,
    *,
    number_of_clusters: NumberOfClusters = 5,
    restarts: NumberOfStarts = 10,
    max_iterations: NumberOfIterations = 100,
    add_as_label: AsLabel = False,
    ctx: Context,
) -> Clustered:
    """k-Medoids

    Divides the rows into k clusters around rows of the table (medoids), so that the distances from
    them are small. It is less sensitive to outliers than k-Means, and its centers are real rows.

    Needs memory for the distances of all pairs of rows. Bring attributes to one scale first
    (Normalize). Clusters depend on random starts; the best of restarts is returned.

    References
    ----------
    Park, Jun (2009): A simple and fast algorithm for K-medoids clustering. Expert Systems with
    Applications 36, 3336–3341.
    """
    from scipy.spatial.distance import cdist

    require_rows(examples, number_of_clusters)
    X = examples.numeric()
    require_pairs(len(X), len(X), "The matrix of distances")
    rows = nearest_medoids(
        cdist(X, X), number_of_clusters, restarts, max_iterations, ctx.rng("starts")
    )
    return _clustered(examples, nearest(X, X[rows]), "k-Medoids", add_as_label, X[rows])


@operator(
    group=GROUP,
    role="preparation",
    accepts=NUMBERS,
    describe=describe_clustered,
    aliases=Aliases(ports=PORTS),
    tags=("cluster", "density", "noise", "outliers", "unsupervised"),
)
def dbscan(
    examples: ExampleSet,
    *,
    epsilon: Annotated[float, Field(gt=0, description="Radius of a neighborhood.")] = 1.0,
    min_points: Annotated[
        int,
        Field(
            ge=1,
            description="Number of rows that make a neighborhood dense, the row itself included.",
        ),
    ] = 5,
    add_as_label: AsLabel = False,
) -> Clustered:
    """DBSCAN

    Finds clusters of any shape where rows are dense. cluster_0 holds the rows that belong to no
    cluster (noise). The number of clusters follows from epsilon and min_points.

    Distances use the raw values: bring attributes to one scale first (Normalize). With many
    attributes all rows are about equally far from each other: select attributes first. The model
    assigns another row to the cluster of the nearest row.

    References
    ----------
    Ester, Kriegel, Sander, Xu (1996): A density-based algorithm for discovering clusters in large
    spatial databases with noise. KDD, 226–231.
    """
    from sklearn.cluster import DBSCAN

    estimator = DBSCAN(eps=epsilon, min_samples=min_points)
    codes = reported(lambda: estimator.fit_predict(examples.numeric()), "DBSCAN") + 1
    return _clustered(examples, np.asarray(codes), "DBSCAN", add_as_label)


@operator(
    group=GROUP,
    role="preparation",
    accepts=NUMBERS,
    describe=describe_clustered,
    aliases=Aliases(ports=PORTS),
    tags=("cluster", "em", "gaussian mixture", "unsupervised", "soft"),
    random=True,
)
def expectation_maximization_clustering(
    examples: ExampleSet,
    *,
    number_of_clusters: NumberOfClusters = 2,
    restarts: NumberOfStarts = 5,
    max_iterations: NumberOfIterations = 100,
    correlated_attributes: Annotated[
        bool, Field(description="Fit full covariances; otherwise variances only.")
    ] = True,
    add_as_label: AsLabel = False,
    ctx: Context,
) -> Clustered:
    """Expectation Maximization Clustering

    Describes the rows as a mixture of k normal distributions and puts each row into the cluster
    that most likely produced it. Clusters may be stretched and of different sizes.

    Full covariances need many more rows than attributes: switch correlated_attributes off or
    select attributes first. The model assigns another row to the cluster of the nearest row.

    References
    ----------
    Dempster, Laird, Rubin (1977): Maximum likelihood from incomplete data via the EM algorithm.
    Journal of the Royal Statistical Society B 39.
    """
    from sklearn.mixture import GaussianMixture

    require_rows(examples, number_of_clusters)
    X = examples.numeric()
    if correlated_attributes:
        require_pairs(X.shape[1], X.shape[1] * number_of_clusters, "The covariances")
    estimator = GaussianMixture(
        number_of_clusters,
        covariance_type="full" if correlated_attributes else "diag",
        n_init=restarts,
        max_iter=max_iterations,
        random_state=seed_of(ctx, "starts"),
    )
    title = "Expectation Maximization Clustering"
    if len(X) < 2:
        raise DataError(f"{title} needs at least two rows.")
    codes = reported(lambda: estimator.fit_predict(X), title, ctx)
    return _clustered(examples, np.unique(codes, return_inverse=True)[1], title, add_as_label)


@operator(
    group=GROUP,
    role="performance",
    accepts=NUMBERS,
    aliases=Aliases(ports=PORTS),
    tags=("cluster", "davies bouldin", "evaluate", "within", "inertia"),
)
def cluster_distance_performance(
    examples: ExampleSet,
    model: ClusterModel,
    *,
    main_criterion: Annotated[
        Literal["Avg. within centroid distance", "Davies Bouldin"],
        Field(description="Main criterion: it comes first, and searches use it."),
    ] = "Avg. within centroid distance",
    main_criterion_only: Annotated[
        bool, Field(description="Return the main criterion only.")
    ] = False,
    per_attribute: Annotated[
        bool, Field(description="Divide by the number of attributes.")
    ] = False,
) -> PerformanceVector:
    r"""Cluster Distance Performance

    Measures how compact the clusters are: the mean squared distance of the rows from the center of
    their cluster, for all rows and for each cluster, and the Davies–Bouldin index, which compares
    the spread of clusters with the distances between them. Smaller is better for both.

    The within distance always falls when there are more clusters; compare the same number, or look
    at the Davies–Bouldin index. Empty clusters are left out; one cluster alone has no index.

    .. math:: DB = \frac1k \sum_i \max_{j \ne i} \frac{s_i + s_j}{d(c_i, c_j)}

    References
    ----------
    Davies, Bouldin (1979): A cluster separation measure. IEEE PAMI 1, 224–227.
    """
    codes, centres = model.assigned(examples), model.centres
    if not len(examples):
        raise DataError("The data has no rows.")
    apart = examples.aligned(model.attributes).numeric() - centres[codes]
    squares = (apart**2).sum(axis=1)
    present = np.unique(codes)
    divisor = apart.shape[1] if per_attribute else 1

    def criterion(name: str, value: float) -> Criterion:
        return Criterion(name, (float(value) / divisor,), maximize=False)

    within, bouldin = "avg_within_centroid_distance", "davies_bouldin"
    distances = [
        criterion(within, squares.mean()),
        *(criterion(f"{within}_cluster_{c}", squares[codes == c].mean()) for c in present),
    ]
    index = [criterion(bouldin, _davies_bouldin(np.sqrt(squares), codes, centres))]
    first, second = (distances, index) if main_criterion[0] == "A" else (index, distances)
    return PerformanceVector(first if main_criterion_only else [*first, *second])


def _davies_bouldin(distances: Floats, codes: Ints, centres: Floats) -> float:
    present = np.unique(codes)
    if len(present) < 2:
        return float("nan")
    spread = np.array([distances[codes == code].mean() for code in present])
    between = np.sqrt(((centres[present][:, None] - centres[present]) ** 2).sum(axis=2))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (spread[:, None] + spread) / between
    np.fill_diagonal(ratios, -np.inf)
    return float(ratios.max(axis=1).mean())
