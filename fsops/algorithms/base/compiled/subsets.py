"""Compiled searches for nearest neighbors in subsets of the features.

See `compiled`, whose rules hold here.

For many subsets that differ in one feature from the same base. Points are those of the training
and of the test rows, transposed: (features, rows). A base consists of the squared distances
before the change, (test rows, training rows), of the training row of each, of the number of the
smallest squares, which come first and ascending, and of the sign of the change: 1 to add a
feature, -1 to remove it, 0 for no change.
"""

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.types import Floats, Ints

# Relative error that votes by nearness allow for, far above that of a square root.
CAUTION = 1e-13

Points = tuple[Floats, Floats]
Base = tuple[Floats, Ints, int, float]


@_compiled
def nearest_in_one_feature(
    points: Points, features: Ints, orders: Ints, squares: Floats, rows: Ints
) -> None:
    """Write the nearest training rows of each test row, for single features.

    orders has the training rows in the order of each feature. squares, infinite at first, and rows
    are (features, test rows, places).
    """
    train, test = points
    m, places = train.shape[1], squares.shape[2]
    for c in range(features.size):
        order = orders[c]
        column = train[features[c]][order]
        for i in range(test.shape[1]):
            x = test[features[c], i]
            right = np.searchsorted(column, x)
            left = right - 1
            for place in range(min(places, m)):
                below = x - column[left] if left >= 0 else np.inf
                above = column[right] - x if right < m else np.inf
                if below <= above:
                    squares[c, i, place], rows[c, i, place] = below * below, order[left]
                    left -= 1
                else:
                    squares[c, i, place], rows[c, i, place] = above * above, order[right]
                    right += 1


@_compiled
def nearest_with_one_change(
    base: Base, points: Points, features: Ints, squares: Floats, rows: Ints
) -> None:
    """Write the nearest training rows of each test row, with one feature added or removed.

    squares, infinite at first, and rows are (features, test rows, places).
    """
    before, order, ascending, sign = base
    train, test = points
    last = squares.shape[2] - 1
    for c in range(features.size):
        column = train[features[c]]
        lowest, highest = column.min(), column.max()
        for i in range(test.shape[1]):
            x, near, found = test[features[c], i], squares[c, i], rows[c, i]
            # The most that the change can take from a distance: the search ends where not even
            # that makes a row near enough.
            reach = max((x - lowest) ** 2, (x - highest) ** 2) if sign < 0 else 0.0
            farthest = np.inf
            for t in range(before.shape[1]):
                if before[i, t] - reach > farthest:
                    # Where the squares are not sorted any more, all are larger than those before.
                    if t < ascending:
                        break
                    continue
                row = order[i, t]
                difference = x - column[row]
                square = before[i, t] + sign * (difference * difference)
                if square < farthest:
                    place = last
                    while place > 0 and near[place - 1] > square:
                        near[place], found[place] = near[place - 1], found[place - 1]
                        place -= 1
                    near[place], found[place] = square, row
                    farthest = near[last]


@_compiled
def count_votes(
    near: tuple[Floats, Ints], ends: Floats, slack: Floats, nearness: bool, votes: Floats
) -> None:
    """Add up the votes of neighbors that are nearer than the end of each case.

    near has the squared distances and the labels, (cases, k). The slack is the possible error of
    the squares of a case; if it is 0, equal rows are known for certain, and they alone
    vote by nearness. votes is (2, cases, classes): the fewest and the most that are possible.
    """
    squares, labels = near
    for e in range(squares.shape[0]):
        equal_rows = nearness and slack[e] == 0.0 and squares[e, 0] == 0.0
        for place in range(squares.shape[1]):
            square, label = squares[e, place], labels[e, place]
            if square >= ends[e]:
                break
            fewest = most = 1.0
            if equal_rows:
                fewest = most = 1.0 if square == 0.0 else 0.0
            elif nearness:
                error = slack[e] + CAUTION * square
                fewest = 1.0 / np.sqrt(square + error)
                most = 1.0 / np.sqrt(square - error) if square > error else np.inf
            votes[0, e, label] += fewest
            votes[1, e, label] += most


@_compiled
def count_ties(
    base: Base, points: Points, cases: tuple[Ints, Floats], labels: Ints, ties: Ints
) -> None:
    """Count the training rows of each class whose squared distance is in a range.

    cases has a feature and a test row in each line, and the smallest and largest square in each
    line. ties is (cases, classes).
    """
    before, order, _, sign = base
    train, test = points
    lines, ranges = cases
    for e in range(lines.shape[0]):
        column, i = train[lines[e, 0]], lines[e, 1]
        x = test[lines[e, 0], i]
        for t in range(before.shape[1]):
            row = order[i, t]
            square = before[i, t] + sign * (x - column[row]) ** 2
            if ranges[e, 0] <= square <= ranges[e, 1]:
                ties[e, labels[row]] += 1
