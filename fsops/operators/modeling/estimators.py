"""Learners that scikit-learn does the work for."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Accepts, Aliases, Context, operator
from fsops.data import EstimatorPredictor, ExampleSet, Model, PredictionModel
from fsops.errors import DataError

TRAINING = Aliases(ports={"training set": "examples"})


def fitted(estimator: Any, examples: ExampleSet, name: str, *, sure: bool = False) -> Model:
    """Return a scikit-learn estimator, fitted on the numerical attributes, as a model."""
    label = examples.label
    estimator.fit(examples.numeric(), examples.label_values())
    if not label.value_type.is_nominal:
        return PredictionModel(EstimatorPredictor(estimator), examples.schema, name)
    columns = tuple(int(code) for code in estimator.classes_)
    predictor = EstimatorPredictor(estimator, len(label.categories), columns, sure)
    return PredictionModel(predictor, examples.schema, name)


@operator(
    group="Modeling/Lazy",
    accepts=Accepts(label="any", attributes="numerical"),
    aliases=TRAINING,
    tags=("nearest neighbour", "knn", "1-nn", "learner", "classifier", "regression"),
)
def k_nn(
    examples: ExampleSet,
    *,
    k: Annotated[int, Field(ge=1, description="How many neighbours vote.")] = 5,
    weighted_vote: Annotated[bool, Field(description="Let nearer neighbours count more.")] = True,
    numerical_measure: Annotated[
        Literal["EuclideanDistance", "ManhattanDistance"],
        Field(description="Distance between two rows."),
    ] = "EuclideanDistance",
    normalize: Annotated[
        bool, Field(description="Bring all attributes to one scale, that of the training rows.")
    ] = False,
) -> Model:
    """k-NN

    Predicts by the nearest rows of the training data: their most frequent class, or their mean.
    Nothing is supposed about the shape of the classes.

    Attributes with large values dominate unless normalized, and irrelevant ones drown the others:
    select first. With fewer rows than k all rows vote.

    References
    ----------
    Cover, Hart (1967): Nearest neighbor pattern classification. IEEE Trans. Inf. Theory 13.
    """
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    nominal = examples.label.value_type.is_nominal
    kind = KNeighborsClassifier if nominal else KNeighborsRegressor
    estimator = kind(
        min(k, len(examples)),
        weights="distance" if weighted_vote else "uniform",
        metric="euclidean" if numerical_measure == "EuclideanDistance" else "manhattan",
    )
    pipeline = make_pipeline(StandardScaler(), estimator) if normalize else estimator
    return fitted(pipeline, examples, "k-NN")


@dataclass(frozen=True)
class CentroidPredictor:
    """Predicts the class whose mean is nearest."""

    centroids: npt.NDArray[np.float64]
    classes: npt.NDArray[np.int32]
    n_classes: int

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return confidences in proportion to the inverse distances."""
        from scipy.spatial.distance import cdist

        distances = cdist(examples.numeric(), self.centroids)
        nearness = np.where(
            distances.min(axis=1, keepdims=True) > 0,
            distances.min(axis=1, keepdims=True) / np.maximum(distances, np.finfo(float).tiny),
            distances == 0,
        )
        confidences = np.zeros((len(examples), self.n_classes))
        confidences[:, self.classes] = nearness / nearness.sum(axis=1, keepdims=True)
        return confidences


@operator(
    group="Modeling/Lazy",
    accepts=Accepts(
        label="nominal", attributes="numerical", instead="Nearest Centroid predicts classes."
    ),
    aliases=TRAINING,
    tags=("rocchio", "shrunken", "pam", "prototype", "learner", "classifier"),
)
def nearest_centroid(
    examples: ExampleSet,
    *,
    shrinkage: Annotated[
        Annotated[float, Field(gt=0)] | None,
        Field(description="How far class means are pulled to the overall mean; empty for not."),
    ] = None,
) -> Model:
    """Nearest Centroid

    Predicts the class whose mean is nearest. Very fast, and good with few rows once the attributes
    are well chosen.

    Classes are taken as equally wide in all directions: bring attributes to one scale first. With
    shrinkage it is the nearest shrunken centroid method, which drops attributes by itself. The
    confidence of a class falls with its distance.

    References
    ----------
    Tibshirani, Hastie, Narasimhan, Chu (2002): Diagnosis of multiple cancer types by shrunken
    centroids of gene expression. PNAS 99, 6567–6572.
    """
    codes = examples.label_values()
    classes = np.unique(codes)
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


@operator(
    group="Modeling/Trees",
    accepts=Accepts(label="any", attributes="numerical"),
    aliases=Aliases(
        keys=("concurrency:parallel_random_forest",), ports={"training set": "examples"}
    ),
    tags=("ensemble", "bagging", "decision trees", "learner", "classifier", "regression"),
)
def random_forest(
    examples: ExampleSet,
    *,
    number_of_trees: Annotated[int, Field(ge=1, description="Number of trees.")] = 100,
    maximal_depth: Annotated[
        Annotated[int, Field(ge=1)] | None,
        Field(description="Depth at which trees stop growing; empty for no limit."),
    ] = None,
    ctx: Context,
) -> Model:
    """Random Forest

    Predicts by the vote of many trees, each grown on a bootstrap of the rows and random subsets of
    the attributes. Robust, needs no scaling, finds interactions.

    With very many irrelevant attributes a selection before still helps. Depends on chance: more
    trees are steadier.

    References
    ----------
    Breiman (2001): Random forests. Machine Learning 45, 5–32.
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    nominal = examples.label.value_type.is_nominal
    kind = RandomForestClassifier if nominal else RandomForestRegressor
    seed = int(ctx.rng("forest").integers(np.iinfo(np.int32).max))
    forest = kind(number_of_trees, max_depth=maximal_depth, random_state=seed)
    return fitted(forest, examples, "Random Forest")
