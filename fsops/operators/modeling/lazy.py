"""Learners that predict by nearness."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.sparse_sums import squared_lengths
from fsops.algorithms.base.types import as_csc, is_sparse
from fsops.algorithms.kernel.clinical import ClinicalScale
from fsops.algorithms.neighbors.sparse_neighbors import Metric, nearest_rows
from fsops.algorithms.preparation.mixed_space import MixedSpace, heom_distances
from fsops.algorithms.preparation.normalization import scaled_columns
from fsops.algorithms.statistics.class_likelihoods import class_totals
from fsops.core import Accepts, Aliases, When, operator
from fsops.data import EstimatorPredictor, ExampleSet, Model, PredictionModel
from fsops.data.model import require_finite
from fsops.errors import DataError, enumerate_names
from fsops.operators.compatibility import Compatibility
from fsops.operators.modeling.estimators import (
    TRAINING,
    TRAINING_PORT,
    describe_model,
    fitted,
    fitted_predictor,
)
from fsops.operators.modeling.svm import clinical_model

Measure = Literal[
    "MixedEuclideanDistance", "HEOM", "EuclideanDistance", "ManhattanDistance", "clinical"
]
BLOCK_ROWS = 512
BLOCK_NUMBERS = 2**20
NEAR = 1e-3
"""Squared distance, in parts of the squared lengths, below which a row is near a centroid."""
Floats = npt.NDArray[np.float64]
Votes = Callable[[Floats], Floats]
"""From the distances of the neighbors of each row to how much they count."""
TABLE = Accepts(label="any", attributes="numerical or nominal", missing=True, sparse=True)
METRICS = {"ManhattanDistance": "manhattan", "clinical": "precomputed"}


@dataclass(frozen=True, eq=False)
class HeomNeighbours:
    """Neighbors by HEOM among rows with missing values.

    Rows at the same distance vote in the order of the training rows.

    Parameters
    ----------
    scale
        Ranges of the numbers in the training rows.
    numbers, codes
        The training rows.
    targets
        Their classes, a column each (0 or 1), or one column of numbers.
    k, votes
        How many neighbors vote, and how their distances become votes.
    """

    scale: Floats
    numbers: Floats
    codes: npt.NDArray[np.int32]
    targets: Floats
    k: int
    votes: Votes

    def __call__(self, examples: ExampleSet) -> Floats:
        """Return confidences per class, or predicted numbers."""
        examples.require_bounded()
        parts = [
            self._of(examples.take(np.arange(start, min(start + BLOCK_ROWS, len(examples)))))
            for start in range(0, len(examples), BLOCK_ROWS)
        ]
        found = np.concatenate([np.empty((0, self.targets.shape[1])), *parts])
        return found if self.targets.shape[1] > 1 else found[:, 0]

    def _of(self, examples: ExampleSet) -> Floats:
        rows = examples.numeric(), examples.nominal()
        distances = heom_distances(self.scale, rows, (self.numbers, self.codes))
        nearest = np.argsort(distances, axis=1, kind="stable")[:, : self.k]
        near = np.take_along_axis(distances, nearest, axis=1)
        return _voted(self.votes(near), self.targets[nearest])


@dataclass(frozen=True, eq=False)
class SparseNeighbours:
    """Neighbors among sparse rows; those at the same distance in the order of the training rows.

    Parameters
    ----------
    scale
        Divisor of each attribute.
    training
        The training rows, scaled.
    targets
        Their classes, a column each (0 or 1), or one column of numbers.
    k, votes
        How many neighbors vote, and how their distances become votes.
    metric
        Euclidean or Manhattan distance.
    """

    scale: Floats
    training: Any
    targets: Floats
    k: int
    votes: Votes
    metric: Metric

    def __call__(self, examples: ExampleSet) -> Floats:
        """Return confidences per class, or predicted numbers."""
        require_finite(examples)
        X = scaled_columns(as_csc(examples.matrix()), self.scale)
        near, nearest = nearest_rows(X, self.training, self.k, self.metric)
        found = _voted(self.votes(near), self.targets[nearest])
        return found if self.targets.shape[1] > 1 else found[:, 0]


def _voted(weights: Floats, targets: Floats) -> Floats:
    """Return the mean of the neighbors' targets, with weights, (rows, targets)."""
    votes = np.einsum("ij,ijc->ic", weights, targets)
    return np.asarray(votes / weights.sum(axis=1, keepdims=True))


def equal_votes(distances: Floats) -> Floats:
    """Let all neighbors count the same."""
    return np.ones_like(distances)


def inverse_distances(distances: Floats) -> Floats:
    """Inverse distances; where a neighbor is at distance 0 only such neighbors count."""
    exact = distances == 0
    inverse = 1.0 / np.where(exact, 1.0, distances)
    return np.where(exact.any(axis=1, keepdims=True), exact, inverse)


def distance_complements(distances: Floats) -> Floats:
    """RapidMiner's votes, (1 − d / Σd) / (k − 1); 1 / k if all distances are 0 or k is 1."""
    k, total = distances.shape[1], distances.sum(axis=1, keepdims=True)
    equal = np.full_like(distances, 1.0 / k)
    if k == 1:
        return equal
    nearness = 1.0 - distances / np.where(total > 0, total, 1.0)
    return np.where(total > 0, nearness / (k - 1), equal)


@dataclass(frozen=True)
class MixedNeighbours:
    """Neighbors among rows with numbers and categories."""

    space: MixedSpace
    predictor: EstimatorPredictor
    with_gaps: HeomNeighbours | None = None
    """For rows with missing values; only HEOM defines their distances."""

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return confidences per class, or predicted numbers."""
        if self.with_gaps is not None and np.isnan(examples.numeric()).any():
            return self.with_gaps(examples)
        schema = examples.schema
        nominal = schema.names_at(schema.regular_nominal)
        require_finite(examples.drop(nominal) if nominal else examples)
        return self.predictor.of_matrix(self.space.points(examples.numeric(), examples.nominal()))


@operator(
    group="Modeling/Lazy",
    role="learner",
    row_weights="whole numbers",
    accepts=TABLE,
    describe=describe_model,
    aliases=Aliases(
        ports=TRAINING_PORT,
        parameters={"mixed_measure": "metric", "numerical_measure": "metric"},
    ),
    tags=("nearest neighbor", "knn", "1-nn", "heom", "mixed", "classifier", "regression"),
)
def k_nn(
    examples: ExampleSet,
    *,
    number_of_neighbors: Annotated[
        int, Field(ge=1, description="Number of neighbors that vote.")
    ] = 5,
    weighted_vote: Annotated[bool, Field(description="Let nearer neighbors count more.")] = True,
    compatibility: Annotated[Compatibility, When(weighted_vote=True)] = "fsops",
    metric: Annotated[
        Measure,
        Field(
            description="Distance between two rows. The first two take nominal attributes, which "
            "differ by 0 or 1; HEOM divides numbers by their range in the training rows. So does "
            "clinical, 1 − the clinical kernel. HEOM and clinical take missing values."
        ),
    ] = "MixedEuclideanDistance",
    scaling: Annotated[
        bool,
        When(metric=("MixedEuclideanDistance", "EuclideanDistance", "ManhattanDistance")),
        Field(description="Scale numbers by the training rows."),
    ] = False,
) -> Model:
    r"""k-NN

    Predicts by the nearest rows of the training data: their most frequent class, or their mean.
    It assumes nothing about the shape of the classes.

    Attributes with large values dominate unless normalized, and irrelevant ones hide the others:
    select first. With fewer rows than k all rows vote. Tables with numbers and categories are
    best compared by HEOM, in which attributes differ by at most 1 within the range of the training
    rows, and by more beyond it. A category that the training rows do not have differs from all. A
    value that is missing in one of two rows differs by 1. The clinical measure is the mean of the
    absolute differences; values beyond the range are first moved to its end.

    With a weighted vote a neighbor at distance d counts 1/d (fsops), or
    (1 − d/Σd)/(k − 1), where Σd is the sum over the k neighbors (rapidminer).

    Sparse tables of numbers stay sparse with Euclidean and Manhattan distances.

    .. math:: d_{HEOM}(x, z) = \sqrt{\sum_{j\,num} \left(\frac{x_j - z_j}{range_j}\right)^2
        + \sum_{j\,nom} [x_j \ne z_j]}

    References
    ----------
    Cover, Hart (1967): Nearest neighbor pattern classification. IEEE Trans. Inf. Theory 13.
    Wilson, Martinez (1997): Improved heterogeneous distance functions. JAIR 6.
    Daemen, De Moor (2009): Development of a kernel function for clinical data. EMBC.
    """
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    votes = _votes(weighted_vote, compatibility)
    numbers_only = not len(examples.schema.regular_nominal)
    if examples.is_sparse and numbers_only and metric not in ("HEOM", "clinical"):
        return _sparse_neighbours(examples, number_of_neighbors, votes, metric, scaling)
    examples = TABLE.loaded(examples)
    kind = KNeighborsClassifier if examples.label.value_type.is_nominal else KNeighborsRegressor
    estimator = kind(
        min(number_of_neighbors, len(examples)),
        weights=_sklearn_weights(votes),
        metric=METRICS.get(metric, "euclidean"),
    )
    if metric == "clinical":
        return clinical_model(estimator, examples, "k-NN", unlike=True)
    _check_measure(examples, metric)
    gaps = None
    if metric == "HEOM":
        gaps = _heom(examples, number_of_neighbors, votes)
        if examples.missing_by_attribute:
            return PredictionModel(gaps, examples.schema, "k-NN")
    examples.require_complete("set metric to HEOM or clinical")
    space = _space(examples, metric, scaling)
    points = space.points(examples.numeric(), examples.nominal())
    predictor = fitted_predictor(estimator, points, examples, "k-NN")
    return PredictionModel(MixedNeighbours(space, predictor, gaps), examples.schema, "k-NN")


def _votes(weighted: bool, compatibility: str) -> Votes:
    if not weighted:
        return equal_votes
    return distance_complements if compatibility == "rapidminer" else inverse_distances


def _sklearn_weights(votes: Votes) -> str | Votes:
    """Return how scikit-learn calls it, which is faster than a function."""
    names: dict[Votes, str] = {equal_votes: "uniform", inverse_distances: "distance"}
    return names.get(votes, votes)


def _targets(examples: ExampleSet) -> Floats:
    """Return the classes, a column each (0 or 1), or one column of numbers."""
    label = examples.label_values()
    if not examples.label.value_type.is_nominal:
        return np.asarray(label, dtype=np.float64)[:, None]
    members: Floats = label[:, None] == np.arange(len(examples.label.categories))
    return members.astype(np.float64)


def _sparse_neighbours(
    examples: ExampleSet, k: int, votes: Votes, measure: Measure, normalize: bool
) -> Model:
    examples.require_complete("set metric to HEOM or clinical")
    X = examples.matrix()
    scale = np.ones(X.shape[1])
    if normalize:
        moments = examples.moments(np.zeros(len(examples), dtype=np.intp))
        deviation = np.sqrt(moments.within()[0] / len(examples))
        scale = np.where(deviation > 0, deviation, np.inf)
    metric: Metric = "manhattan" if measure == "ManhattanDistance" else "euclidean"
    k = min(k, len(examples))
    training = scaled_columns(X, scale).tocsr()
    predictor = SparseNeighbours(scale, training, _targets(examples), k, votes, metric)
    return PredictionModel(predictor, examples.schema, "k-NN")


def _heom(examples: ExampleSet, k: int, votes: Votes) -> HeomNeighbours:
    X, targets = examples.numeric(), _targets(examples)
    k = min(k, len(examples))
    return HeomNeighbours(ClinicalScale.of(X).span, X, examples.nominal(), targets, k, votes)


def _check_measure(examples: ExampleSet, measure: Measure) -> None:
    nominal = examples.schema.names_at(examples.schema.regular_nominal)
    if nominal and measure in ("EuclideanDistance", "ManhattanDistance"):
        raise DataError(
            f"{measure} compares numbers, but {enumerate_names(nominal)} "
            f"{'is' if len(nominal) == 1 else 'are'} nominal.",
            hint="Set metric to HEOM or MixedEuclideanDistance.",
        )


def _space(examples: ExampleSet, measure: Measure, normalize: bool) -> MixedSpace:
    X = examples.numeric()
    if measure == "HEOM":
        scale = np.ptp(X, axis=0)
    elif normalize:
        deviation = X.std(axis=0)
        # Rounding leaves a trace of a deviation in a constant column of large numbers.
        scale = np.where(deviation > 1e-12 * np.abs(X).max(axis=0), deviation, 0.0)
    else:
        scale = np.ones(X.shape[1])
    return MixedSpace.of(scale, examples.category_counts())


@dataclass(frozen=True)
class CentroidPredictor:
    """Predicts the class whose mean is nearest."""

    centroids: npt.NDArray[np.float64]
    classes: npt.NDArray[np.int32]
    n_classes: int

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return confidences in proportion to the inverse distances."""
        require_finite(examples)
        distances = self.distances(examples.matrix())
        nearness = np.where(
            distances.min(axis=1, keepdims=True) > 0,
            distances.min(axis=1, keepdims=True) / np.maximum(distances, np.finfo(float).tiny),
            distances == 0,
        )
        confidences = np.zeros((len(examples), self.n_classes))
        confidences[:, self.classes] = nearness / nearness.sum(axis=1, keepdims=True)
        return confidences

    def distances(self, X: Any) -> Floats:
        """Return the distance of each row from each centroid."""
        from scipy.spatial.distance import cdist

        if not is_sparse(X):
            return np.asarray(cdist(X, self.centroids))
        X = X.tocsr()
        lengths = squared_lengths(X)[:, None] + (self.centroids**2).sum(axis=1)
        squares = lengths - 2.0 * (X @ self.centroids.T)
        # The difference of large numbers loses digits: rows near a centroid are compared with it.
        near = np.flatnonzero((squares < NEAR * lengths).any(axis=1))
        distances: Floats = np.sqrt(np.maximum(squares, 0.0))
        step = max(1, BLOCK_NUMBERS // max(1, X.shape[1]))
        for first in range(0, len(near), step):
            rows = near[first : first + step]
            distances[rows] = cdist(X[rows].toarray(), self.centroids)
        return distances


@operator(
    group="Modeling/Lazy",
    role="learner",
    row_weights="whole numbers",
    accepts=Accepts(
        label="nominal",
        attributes="numerical",
        sparse=True,
        instead="Nearest Centroid predicts classes.",
    ),
    describe=describe_model,
    aliases=TRAINING,
    tags=("rocchio", "shrunken", "pam", "prototype", "learner", "classifier"),
)
def nearest_centroid(
    examples: ExampleSet,
    *,
    shrinkage: Annotated[
        Annotated[float, Field(gt=0)] | None,
        Field(
            description="Shrinkage of the class means towards the overall mean; empty: no "
            "shrinkage."
        ),
    ] = None,
) -> Model:
    """Nearest Centroid

    Predicts the class whose mean is nearest. Very fast, and good with few rows once the attributes
    are well chosen.

    Classes are taken as equally wide in all directions: bring attributes to one scale first. With
    shrinkage it is the nearest shrunken centroid method, which drops attributes by itself. The
    confidence of a class falls with its distance. Sparse tables stay sparse without shrinkage.

    References
    ----------
    Tibshirani, Hastie, Narasimhan, Chu (2002): Diagnosis of multiple cancer types by shrunken
    centroids of gene expression. PNAS 99, 6567–6572.
    """
    codes = examples.label_values()
    classes = np.unique(codes)
    if shrinkage is None and examples.is_sparse:
        centroids = class_totals(examples.matrix(), codes)
        centroids /= np.bincount(codes)[classes][:, None]
        predictor = CentroidPredictor(centroids, classes, len(examples.classes))
        return PredictionModel(predictor, examples.schema, "Nearest Centroid")
    examples = examples.dense()
    if shrinkage is None:
        X = examples.numeric()
        centroids = np.array([X[codes == code].mean(axis=0) for code in classes])
        predictor = CentroidPredictor(centroids, classes, len(examples.classes))
        return PredictionModel(predictor, examples.schema, "Nearest Centroid")
    from sklearn.neighbors import NearestCentroid

    if len(examples) <= len(classes) or not np.ptp(examples.numeric(), axis=0).any():
        raise DataError("Shrinkage needs attributes that vary within the classes.")
    with warnings.catch_warnings():
        # It warns of attributes constant within the classes, and leaves them alone.
        warnings.simplefilter("ignore", UserWarning)
        return fitted(
            NearestCentroid(shrink_threshold=shrinkage), examples, "Nearest Centroid", sure=True
        )
