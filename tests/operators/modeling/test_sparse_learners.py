"""Learners on sparse tables: the models of the same tables stored dense, and no dense copy."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

import fsops.operators as op
from fsops import memory
from fsops.algorithms.kernel.sparse_gram import RowKernel, StandardizedRows
from fsops.data import Attribute, ExampleSet, ValueType
from fsops.errors import DataError
from fsops.testing.sparse import as_sparse


def drawn(rows=80, columns=150, seed=1):
    """A table of counts on different scales, with an attribute far from zero and a constant."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(2, (rows, columns)) * rng.lognormal(size=columns)
    X[rng.random(X.shape) > 0.1] = 0.0
    X[:, 3] = 1000 + rng.normal(size=rows)
    X[:, 4] = 7.0
    X[:, 5] = 0.0
    X[6] = X[7]
    score = X[:, 8:20].sum(axis=1)
    return X, (score - score.mean()) / score.std() + rng.normal(size=rows)


def confidences(model, X, *, stored_sparse):
    table = ExampleSet.from_numpy(X)
    found = model.apply(as_sparse(table) if stored_sparse else table)
    assert found.is_sparse == stored_sparse
    names = [n for n in found.names if n.startswith("confidence")] or ["prediction(label)"]
    return np.array([found.column(name) for name in names]).T


LEARNERS = [
    ("classes", op.naive_bayes, {}),
    ("classes", op.naive_bayes, {"compatibility": "rapidminer"}),
    ("classes", op.naive_bayes, {"numbers": "multinomial"}),
    ("classes", op.naive_bayes, {"numbers": "Bernoulli", "laplace_correction": False}),
    ("classes", op.nearest_centroid, {}),
    ("classes", op.k_nn, {"metric": "ManhattanDistance", "scaling": True}),
    ("number", op.k_nn, {"metric": "ManhattanDistance", "weighted_vote": False}),
    ("classes", op.support_vector_machine, {}),
    ("two", op.support_vector_machine, {"C": 0.0, "balance_cost": True}),
    ("number", op.support_vector_machine, {"C": 0.1}),
    ("two", op.support_vector_machine, {"kernel_type": "rbf"}),
    ("classes", op.support_vector_machine, {"kernel_type": "polynomial", "scaling": False}),
    ("number", op.kernel_ridge, {"kernel_type": "rbf"}),
    ("two", op.logistic_regression, {"C": 0.1}),
    ("classes", op.logistic_regression, {"balance_cost": True}),
    ("number", op.lasso_regression, {"penalty": 0.02}),
    ("number", op.elastic_net, {"penalty": 0.02}),
    ("two", op.hard_margin_svm, {}),
]


@pytest.mark.parametrize(
    ("label", "learn", "parameters"), LEARNERS, ids=[f"{f.__name__}-{p}" for _, f, p in LEARNERS]
)
def test_a_sparse_table_gives_the_model_of_the_dense_one(label, learn, parameters):
    X, y = drawn()
    if learn is op.hard_margin_svm:  # does not center: its kernel has only the digits of 1000²
        X[:, 3] -= 1000.0
    labels = {"number": y, "two": np.where(y > 0, "a", "b"), "classes": np.digitize(y, [-0.5, 0.5])}
    table = ExampleSet.from_numpy(X, labels[label])
    # Rows like those of the training data, some of which the model has seen.
    new = np.vstack([drawn(seed=2)[0], X[:5]])
    dense, found = learn(table, **parameters), learn(as_sparse(table), **parameters)
    if isinstance(dense, tuple):
        if dense[1] is not None:
            size = np.abs(dense[1].values).max()
            np.testing.assert_allclose(found[1].values, dense[1].values, rtol=0, atol=1e-8 * size)
            assert ((found[1].values == 0) == (dense[1].values == 0))[6:].all()
        dense, found = dense[0], found[0]
    expected = confidences(dense, new, stored_sparse=False)
    for stored_sparse in (True, False):
        answer = confidences(found, new, stored_sparse=stored_sparse)
        np.testing.assert_allclose(answer, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("normalize", [False, True])
def test_neighbours_are_those_with_exact_distances(normalize):
    X, y = drawn()
    X[:, 3] -= 1000.0
    scale = X.std(axis=0) if normalize else np.ones(X.shape[1])
    Z = X / np.where(scale > 0, scale, np.inf)
    table = as_sparse(ExampleSet.from_numpy(X, y))
    model = op.k_nn(table, number_of_neighbors=3, metric="EuclideanDistance", scaling=normalize)
    distances = np.sqrt(np.square(Z[:, None] - Z).sum(axis=2))
    expected = []
    for row in distances:
        nearest = np.argsort(row, kind="stable")[:3]
        exact = row[nearest] == 0
        weights = exact.astype(float) if exact.any() else 1 / row[nearest]
        expected.append(np.average(y[nearest], weights=weights))
    # Row 6 is a copy of row 7: both have the mean of their labels.
    assert expected[6] == expected[7] == pytest.approx((y[6] + y[7]) / 2)
    found = confidences(model, X, stored_sparse=True)[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("stored_sparse", [False, True])
@pytest.mark.parametrize(
    ("numbers", "theirs"), [("multinomial", MultinomialNB), ("Bernoulli", BernoulliNB)]
)
def test_naive_bayes_of_counts_is_that_of_scikit_learn(numbers, theirs, stored_sparse):
    rng = np.random.default_rng(4)
    X = rng.poisson(0.3, (40, 25)).astype(float)
    X[:, 2] *= 1e6
    y = np.repeat([0, 1, 2], [5, 15, 20])
    table = ExampleSet.from_numpy(X, y)
    model = op.naive_bayes(as_sparse(table) if stored_sparse else table, numbers=numbers)
    expected = theirs().fit(X, y).predict_proba(X)
    found = confidences(model, X, stored_sparse=stored_sparse)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("stored_sparse", [False, True])
@pytest.mark.parametrize("numbers", ["normal", "multinomial", "Bernoulli"])
def test_naive_bayes_leaves_missing_values_out(numbers, stored_sparse):
    rng = np.random.default_rng(5)
    X = rng.poisson(1.0, (30, 6)).astype(float)
    y = np.arange(30) % 2
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 5] = np.nan  # tells nothing, also about other rows
    table = ExampleSet.from_numpy(X, y)
    known = ExampleSet.from_numpy(X[:, :5], y)
    model = op.naive_bayes(as_sparse(table) if stored_sparse else table, numbers=numbers)
    found = confidences(model, X, stored_sparse=stored_sparse)
    if numbers != "multinomial":  # whose probabilities add up to 1 over all attributes
        expected = confidences(
            op.naive_bayes(known, numbers=numbers), X[:, :5], stored_sparse=False
        )
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    unseen = np.full((1, 6), np.nan)
    prior = confidences(model, unseen, stored_sparse=stored_sparse)
    np.testing.assert_allclose(prior, [[0.5, 0.5]], rtol=1e-12)


@pytest.mark.parametrize("stored_sparse", [False, True])
def test_counts_cannot_be_negative(stored_sparse):
    table = ExampleSet.from_numpy(np.array([[1.0, -2.0], [0.0, 3.0]]), [0, 1])
    table = as_sparse(table) if stored_sparse else table
    with pytest.raises(DataError, match='negative numbers in "att2", but counts cannot be'):
        op.naive_bayes(table, numbers="multinomial")


def test_learners_take_tables_that_do_not_fit_as_dense_ones(monkeypatch):
    rng = np.random.default_rng(0)
    matrix = sparse.random_array((600, 40_000), density=0.002, rng=rng, format="csc")
    table = ExampleSet.from_sparse(matrix, np.arange(600) % 2)
    monkeypatch.setattr(memory, "available", lambda: 10**8)  # a dense copy takes 192 MB
    for learn in (
        op.naive_bayes,
        op.nearest_centroid,
        op.k_nn,
        lambda t: op.support_vector_machine(t)[0],
        lambda t: op.logistic_regression(t, C=0.01)[0],
    ):
        assert len(learn(table).apply(table.take(np.arange(50)))) == 50


def test_logistic_regression_uses_the_weights_of_sparse_rows():
    X, y = drawn()
    weights = np.arange(len(X)) % 5 + 0.5
    table = ExampleSet.from_numpy(X, np.digitize(y, [-0.5, 0.5]))
    table = table.with_columns([(Attribute("times", ValueType.REAL, "weight"), weights)])
    expected = op.logistic_regression(table, balance_cost=True).weights.values
    found = op.logistic_regression(as_sparse(table), balance_cost=True).weights.values
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * expected.max())


def test_an_rbf_machine_differs_only_by_where_its_solver_stops():
    """Explain the largest difference between dense and sparse tables that is known.

    The kernel matrices agree to the last digits. Rounding decides which of two equal steps libsvm
    takes, and it stops as soon as no condition is violated by more than 1e-3. With a smaller
    tolerance both reach the same optimum.
    """
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    rng = np.random.default_rng(57)
    n, p = int(rng.integers(40, 200)), int(rng.integers(10, 200))
    X = np.where(rng.random((n, p)) < 0.3, rng.normal(size=(n, p)), 0.0)
    y = np.where(X[:, 0] + X[:, 1] - X[:, 2] + 0.3 * rng.normal(size=n) > 0, "a", "b")
    tables = ExampleSet.from_numpy(X, y), ExampleSet.from_sparse(sparse.csr_array(X), y)
    applied = [op.support_vector_machine(t, kernel_type="rbf").model.apply(t) for t in tables]
    one, two = (table.column("confidence(a)") for table in applied)
    assert np.abs(one - two).max() < 1e-3  # the tolerance of the solver

    dense = rbf_kernel(StandardScaler().fit_transform(X), gamma=1 / p)
    scale = StandardizedRows.of(sparse.csc_array(X), standardize=True)
    rows = scale.scaled(sparse.csc_array(X))
    implicit = RowKernel("rbf", 1 / p, 3, 0.0).of(rows, rows)
    assert np.abs(dense - implicit).max() < 1e-14

    def decisions(kernel, tolerance):
        machine = SVC(kernel="precomputed", C=1.0, tol=tolerance).fit(kernel, y)
        return machine.decision_function(kernel)

    assert decisions(implicit, 1e-12) == pytest.approx(decisions(dense, 1e-12), abs=1e-10)
    assert decisions(implicit, 1e-3) == pytest.approx(decisions(dense, 1e-3), abs=1e-3)
