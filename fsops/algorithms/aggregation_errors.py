"""How well the features of a member predict: the error of nearest neighbours."""

import numpy as np

from fsops.algorithms.types import Floats, Ints, Numbers, as_classes, as_matrix


def neighbour_error(points: Numbers, codes: Numbers, folds: Numbers, k: int = 1) -> float:
    """Share of the rows that their k nearest rows of other folds give a wrong class.

    Of rows equally near the first counts as nearer; of classes with as many votes that of the
    nearest row wins. Without any feature the most frequent class of the other folds is predicted.

    Parameters
    ----------
    points
        Rows by features.
    codes, folds
        Class and fold of each row.
    k
        Number of neighbours.

    References
    ----------
    Cover & Hart (1967), Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13.
    """
    points = as_matrix(points)
    classes, folds = as_classes(codes, len(points)), np.asarray(folds)
    distances = _squared_distances(points.astype(np.float64))
    distances[folds[:, None] == folds] = np.inf
    if not points.shape[1]:
        k = len(points)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    known = np.isfinite(np.take_along_axis(distances, nearest, axis=1))
    predicted = _majority(classes[nearest], known, int(classes.max(initial=0)) + 1)
    return float((predicted != classes).mean())


def _squared_distances(points: Floats) -> Floats:
    centred = points - points.mean(axis=0)
    squares = (centred * centred).sum(axis=1)
    distances = squares[:, None] + squares - 2.0 * (centred @ centred.T)
    # Equal distances must be equal, whatever rounding says.
    digits = 10 - int(np.ceil(np.log10(max(1e-290, float(squares.max(initial=0.0))))))
    rounded: Floats = np.round(distances, min(digits, 300))
    return rounded


def _majority(labels: Ints, known: Numbers, n_classes: int) -> Ints:
    """Class with most votes in each row; of several that of the first neighbour."""
    votes = ((labels[:, :, None] == np.arange(n_classes)) & known[:, :, None]).sum(axis=1)
    most = votes == votes.max(axis=1, keepdims=True)
    winning = np.take_along_axis(most, labels, axis=1) & known
    first: Ints = labels[np.arange(len(labels)), winning.argmax(axis=1)]
    return first
