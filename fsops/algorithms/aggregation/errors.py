"""How well the features of a member predict: the error of nearest neighbors."""

from typing import Literal

import numpy as np

from fsops.algorithms.base.distances import majority, rounded, squared_distances
from fsops.algorithms.base.types import Numbers, as_classes, as_matrix
from fsops.memory import require_pairs


def neighbour_error(
    points: Numbers,
    codes: Numbers,
    folds: Numbers,
    k: int = 1,
    *,
    metric: Literal["manhattan", "euclidean"] = "euclidean",
) -> float:
    """Fraction of rows that their k nearest rows of other folds classify wrongly.

    Of rows equally near the first counts as nearer; of classes with as many votes that of the
    nearest row wins. Values are taken as they are, in their units. Without any feature the most
    frequent class of the other folds is predicted.

    Parameters
    ----------
    points
        Rows by features.
    codes, folds
        Class and fold of each row.
    k
        Number of neighbors.
    metric
        Distance of two rows.

    References
    ----------
    Cover & Hart (1967), Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13.
    """
    points = as_matrix(points)
    classes, folds = as_classes(codes, len(points)), np.asarray(folds)
    points = points.astype(np.float64)
    if metric == "manhattan":
        from scipy.spatial.distance import cdist

        require_pairs(len(points), len(points), "The matrix of distances")
        distances = rounded(cdist(points, points, "cityblock"))
    else:
        distances = rounded(squared_distances(points, points))
    distances[folds[:, None] == folds] = np.inf
    if not points.shape[1]:
        k = len(points)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    known = np.isfinite(np.take_along_axis(distances, nearest, axis=1))
    predicted = majority(classes[nearest], known, int(classes.max(initial=0)) + 1)
    return float((predicted != classes).mean())
