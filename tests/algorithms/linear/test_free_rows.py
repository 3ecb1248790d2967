import numpy as np
import pytest

from fsops.algorithms.linear.free_rows import FreeRows

BORDER, RIDGE = 20.0, 1e-6


def kernel(n, p, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, p))
    return X @ X.T


def system(gram, rows, ridge=RIDGE):
    matrix = np.full((rows.size + 1, rows.size + 1), BORDER)
    matrix[0, 0] = 0.0
    matrix[1:, 1:] = gram[np.ix_(rows, rows)] + ridge * np.eye(rows.size)
    return matrix


def test_the_inverse_follows_rows_that_come_and_go():
    gram = kernel(150, 200)
    rng = np.random.default_rng(1)
    free = FreeRows(gram, np.array([3, 5, 8]), BORDER, RIDGE)
    most = 0
    for _ in range(400):
        others = np.setdiff1d(np.arange(150), free.rows)
        if free.rows.size and (rng.random() < 0.35 or not others.size):
            free.leave(int(rng.choice(free.rows)))
        else:
            free.join(int(rng.choice(others)))
        most = max(most, free.rows.size)
        assert len(set(free.rows.tolist())) == free.rows.size
        if free.rows.size:
            product = free.inverse @ system(gram, free.rows)
            np.testing.assert_allclose(product, np.eye(len(product)), atol=1e-8)
    assert most > 67  # more than there was memory for at first


def test_a_step_makes_the_gradients_of_the_rows_equal_and_keeps_the_sum():
    gram = kernel(40, 60)
    gradient = np.random.default_rng(2).normal(size=40)
    free = FreeRows(gram, np.arange(0, 40, 3), BORDER, RIDGE)
    move, common = free.step(gradient)
    assert move.sum() == pytest.approx(0.0, abs=1e-14)
    after = gradient - free.effect(move)
    np.testing.assert_allclose(after[free.rows], common, atol=1e-10)
    full = np.zeros(40)
    full[free.rows] = move
    np.testing.assert_allclose(after, gradient - gram @ full - RIDGE * full, atol=1e-12)


def test_the_last_row_can_leave_and_another_one_join():
    gram = kernel(5, 9)
    free = FreeRows(gram, np.array([2]), BORDER, RIDGE)
    free.leave(2)
    assert free.step(np.ones(5))[0].size == 0
    free.join(4)
    np.testing.assert_allclose(free.inverse @ system(gram, np.array([4])), np.eye(2), atol=1e-12)
    move, common = free.step(np.arange(5.0))
    assert (move.tolist(), common) == ([0.0], 4.0)


def test_equal_rows_can_be_free_together():
    gram = kernel(6, 2)[np.ix_([0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 2])]
    free = FreeRows(gram, np.array([0]), BORDER, RIDGE)
    for row in range(1, 6):
        free.join(row)
    move, common = free.step(np.array([1.0, 1, 1, -1, -1, 1]))
    after = np.array([1.0, 1, 1, -1, -1, 1])[free.rows] - free.effect(move)[free.rows]
    np.testing.assert_allclose(after, common, atol=1e-5)
