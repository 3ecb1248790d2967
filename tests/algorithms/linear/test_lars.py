import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.datasets import load_diabetes
from sklearn.linear_model import lars_path as sklearn_path

from fsops.algorithms.base.scaling import unit_rows
from fsops.algorithms.linear import lars
from fsops.algorithms.linear.lars import lars_path

relaxed = settings(deadline=None, max_examples=40)

NAMES = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
BOUNDS = [949.4353, 889.3138, 452.8957, 316.0734, 130.1295, 88.7843, 68.9648, 19.9812, 5.4775,
          5.0882]  # fmt: skip
NORMS = [0, 60.1215, 663.6773, 888.9104, 1250.6970, 1440.7845, 1537.0634, 1914.5641, 2115.7287,
         2195.7549]  # fmt: skip
FULL = [-10.0099, -239.8156, 519.8459, 324.3846, -792.1756, 476.739, 101.0433, 177.0632, 751.2737,
        67.6267]  # fmt: skip


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


def made(n, p, seed, relevant=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + rng.normal(size=(n, 1))
    y = X[:, : min(p, relevant)] @ rng.normal(size=min(p, relevant)) + 0.3 * rng.normal(size=n)
    return X, y


def correlations(X, y, coefficients):
    rows = unit_rows(X)[0]
    return rows @ (y - y.mean() - coefficients @ rows)


def assert_equiangular(X, y, path):
    """At each knot the active features, and no others, have the largest correlation."""
    tiny = 1e-9 * path.correlations[0]
    for knot, bound in enumerate(path.correlations):
        c = correlations(X, y, path.coefficients(knot))
        assert np.abs(c).max(initial=0) <= bound + tiny
        np.testing.assert_allclose(np.abs(c[path.supports[knot]]), bound, atol=tiny)
        if path.method == "lasso":
            values = path.values[knot]
            assert (values * c[path.supports[knot]] >= -tiny).all()


def test_lar_on_diabetes(diabetes):
    path = lars_path(*diabetes, method="lar")
    assert [NAMES[j] for j in path.joined[:-1]] == [
        "bmi",
        "s5",
        "bp",
        "s3",
        "sex",
        "s6",
        "s1",
        "s4",
        "s2",
        "age",
    ]
    np.testing.assert_allclose(path.correlations, [*BOUNDS, 0], atol=5e-5)
    np.testing.assert_allclose(path.norms, [*NORMS, 3459.9776], atol=5e-5)
    np.testing.assert_allclose(path.coefficients(10), FULL, atol=5e-5)
    assert path.complete


def test_lasso_on_diabetes(diabetes):
    path = lars_path(*diabetes)
    np.testing.assert_allclose(path.norms[:10], NORMS, atol=5e-5)
    np.testing.assert_allclose(path.norms[10:], [2802.3571, 2862.9929, 3459.9776], atol=5e-5)
    assert NAMES[path.left[10]] == "s3"
    assert NAMES[path.joined[11]] == "s3"
    np.testing.assert_allclose(path.at().coefficients, FULL, atol=5e-5)


@pytest.mark.parametrize(
    ("t", "expected"),
    [
        (100, {"bmi": 80.0607, "s5": 19.9393}),
        (1000, {"bmi": 456.5322, "bp": 113.6348, "s3": -35.0357, "s5": 394.7973}),
        (
            2000,
            {
                "sex": -209.8052,
                "bmi": 524.2325,
                "bp": 304.4712,
                "s1": -142.6611,
                "s3": -193.5796,
                "s4": 45.164,
                "s5": 521.1893,
                "s6": 58.897,
            },
        ),
    ],
)
def test_lasso_on_diabetes_under_a_bound(diabetes, t, expected):
    solution = lars_path(*diabetes).at(t=t)
    wanted = [expected.get(name, 0) for name in NAMES]
    np.testing.assert_allclose(solution.coefficients, wanted, atol=5e-5)
    assert solution.norm == pytest.approx(t)
    assert solution.constrained
    if t == 1000:
        assert solution.correlation == pytest.approx(258.97776, abs=5e-6)


def test_at_most_four_features_on_diabetes(diabetes):
    path = lars_path(*diabetes)
    expected = {"bmi": 505.6636, "bp": 191.2676, "s3": -114.1011, "s5": 439.6646}
    wanted = [expected.get(name, 0) for name in NAMES]
    np.testing.assert_allclose(path.at(max_features=4).coefficients, wanted, atol=5e-5)
    assert path.at(max_features=4, t=100).norm == pytest.approx(100)
    both = path.at(max_features=2, t=1000)
    np.testing.assert_array_equal(both.coefficients, path.at(max_features=2).coefficients)


def test_no_constraint_binds_beyond_least_squares(diabetes):
    path = lars_path(*diabetes)
    solution = path.at(t=1e6, max_features=10)
    assert not solution.constrained
    X, y = diabetes
    fitted = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y, rcond=None)[0]
    assert solution.intercept == pytest.approx(fitted[0])
    np.testing.assert_allclose(solution.original, fitted[1:], rtol=1e-8)
    assert not path.at(t=0).coefficients.any()
    assert not path.at(max_features=0).coefficients.any()


def test_a_stopped_path_is_the_beginning_of_the_full_one(diabetes):
    full = lars_path(*diabetes)
    for limits in ({"t": 1000}, {"max_features": 4}):
        stopped = lars_path(*diabetes, **limits)
        assert not stopped.complete
        np.testing.assert_allclose(
            stopped.at(**limits).coefficients, full.at(**limits).coefficients, atol=1e-9
        )
        for beyond in ({}, {"t": 3000}, {"max_features": 9}):
            with pytest.raises(ValueError, match="fit it again"):
                stopped.at(**beyond)
    assert not lars_path(*diabetes, max_steps=3).complete


def test_negative_constraints_are_refused(diabetes):
    path = lars_path(*diabetes, t=10)
    with pytest.raises(ValueError, match="at least 0"):
        path.at(t=-1)
    with pytest.raises(ValueError, match="at least 0"):
        path.at(max_features=-1)


@pytest.mark.parametrize(("n", "p"), [(50, 12), (30, 40), (40, 300)])
def test_lasso_is_scikit_learns(n, p):
    X, y = made(n, p, seed=p)
    rows = unit_rows(X)[0]
    alphas, _, coefficients = sklearn_path(rows.T, y - y.mean(), method="lasso", max_iter=2000)
    path = lars_path(X, y)
    assert path.correlations.size == alphas.size
    scale = path.correlations[0]
    np.testing.assert_allclose(path.correlations / scale, alphas * n / scale, atol=1e-9)
    for knot in range(alphas.size - 1):
        np.testing.assert_allclose(path.coefficients(knot), coefficients[:, knot], atol=1e-7)


@pytest.mark.parametrize("method", ["lar", "lasso"])
@pytest.mark.parametrize(("n", "p"), [(20, 6), (25, 60), (30, 1500)])
def test_active_features_stay_equally_correlated(method, n, p):
    X, y = made(n, p, seed=1)
    path = lars_path(X, y, method=method)
    assert path.complete
    assert path.correlations[-1] == 0
    assert (np.diff(path.correlations) <= 0).all()
    assert_equiangular(X, y, path)
    if method == "lar":
        assert path.correlations.size == min(n - 1, p) + 1


def test_lar_goes_on_after_a_change_of_sign():
    """scikit-learn 1.9 leaves the path here."""
    X, y = made(40, 30, seed=5)
    path = lars_path(X, y, method="lar")
    changes = [
        k
        for k in range(path.norms.size - 1)
        if (path.coefficients(k) * path.coefficients(k + 1) < 0).any()
    ]
    assert changes
    assert_equiangular(X, y, path)
    for knot in changes:
        low, high = path.norms[knot], path.norms[knot + 1]
        for t in np.linspace(low, high, 7)[1:-1]:
            if t > path.norms[: knot + 1].max():
                assert path.at(t=t).norm == pytest.approx(t)


# lars(X, y, type="lasso", intercept=FALSE, normalize=FALSE)$beta of R's lars, as scikit-learn's own
# tests keep it (data of its report 7778). Two coefficients leave at 0 and come back.
R_Y = np.array([-6.45006793, -3.51251449, -8.52445396, 6.12277822, -19.42109366])
R_X = np.array(
    [
        [0.47299829, 0.08239882, 0.30114139, -0.01460346, -0.69363927],
        [0, 0.85784863, -0.07501577, -0.1015233, 0.06754067],
        [0, 0, 0.80895216, 0.0407278, 0.18064514],
        [0, 0, 0, 0.80338378, -0.0803561],
        [0, 0, 0, 0, 0.40427291],
    ]
)
R_BETA = np.array(
    [
        [0, 0, 0, 0, 0],
        [0, 0, -3.577397088285891, 0, 0],
        [0, 0, -4.702795355871871, 0, -1.218422599914637],
        [0, 0, -7.016748621359461, 2.231558436628169, -3.457726183014808],
        [0, -0.476624256777266, -7.614898471899412, 2.723267514525966, -4.021304522060710],
        [-79.810362809499026, 0, -0.336938391359179, 2.811549786389614, -45.827461592423745],
        [-83.528788732782829, 0, 0, 2.813766976061531, -47.776608869312305],
        [-83.777653739190711, 0, 0, 2.817462468949557, -47.911561610746404],
        [-83.784156932888934, 0, 0.001213370600853, 2.817368178703816, -47.914845922736234],
        [-84.033390591756657, 0.025219751009936, 0.048162321585148, 2.816221090636795,
         -48.039562334265717],
    ]
)  # fmt: skip


def test_lasso_is_that_of_r_where_coefficients_leave_and_return(monkeypatch):
    """With each row and its mirror image the means are 0, as R took them; nothing is scaled."""

    def as_given(X):
        return np.ascontiguousarray(X.T), np.zeros(X.shape[1]), np.ones(X.shape[1])

    monkeypatch.setattr(lars, "unit_rows", as_given)
    path = lars_path(np.vstack([R_X, -R_X]), np.concatenate([R_Y, -R_Y]))
    found = [path.coefficients(knot) for knot in range(len(path.norms))]
    np.testing.assert_allclose(found, R_BETA, atol=1e-10)


# lars(X, y, type="lar")$beta by R 4.2 with the code of its package lars 1.3. A coefficient changes its
# sign twice; scikit-learn 1.9 leaves the path there and has a knot too many.
R_LAR_X = np.array(
    [
        [-0.6, 1.3, -0.3, 1.1, -0.2, 0.5],
        [-1.7, -1.8, 1.7, -1.0, 1.7, -3.3],
        [0.5, 0.7, -0.8, 0.1, -1.0, 2.6],
        [0.2, 0.6, -0.8, -0.5, -1.0, 1.7],
        [0.1, 1.8, -0.7, -0.2, -1.9, 3.5],
        [0.6, -1.4, 1.3, -3.1, -0.9, 0.8],
        [-0.8, -1.6, 2.0, -1.2, -0.5, 0.8],
        [0.7, -0.3, 0.6, -4.8, -4.2, 1.9],
        [0.6, 0.2, 0.7, -0.4, -3.9, 4.4],
        [-0.2, 0.9, -1.8, 0.9, -0.7, -0.4],
    ]
)
R_LAR_Y = np.array([-0.1, -0.3, 1.2, 0.1, 2.6, 3.7, 4.6, 2.5, 4.5, -2.8])
R_LAR_BETA = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0.1337334888660088, 0, 0, 0],
        [0, 0, 1.463442941946751, 0, 0, 0.7739419396276189],
        [0, 0, 1.51392416509977, -0.01046448612561713, 0, 0.8069325860673638],
        [0.06994224818291853, 0, 1.562656440154312, 0.000859772063850268, 0, 0.8091391708283985],
        [0.07133512810724368, 0, 1.556500961626464, -0.02617812663776535, 0.05301124642895726, 0.8450245276706355],
        [-0.02156934036841509, -0.1108136407120128, 1.41722766597997, -0.1910599561034432, 0.3571440202380101, 1.097645704636996],
    ]
)  # fmt: skip


def test_lar_is_that_of_r_after_coefficients_change_their_sign():
    path = lars_path(R_LAR_X, R_LAR_Y, method="lar")
    scale = np.linalg.norm(R_LAR_X - R_LAR_X.mean(axis=0), axis=0)
    found = np.array([path.coefficients(knot) for knot in range(len(path.norms))]) / scale
    assert (found[3:-1] * found[4:] < 0).any()
    np.testing.assert_allclose(found, R_LAR_BETA, atol=1e-13)


def test_screening_does_not_change_the_path(monkeypatch):
    X, y = made(40, 700, seed=3)
    expected = lars_path(X, y)
    monkeypatch.setattr(lars, "SCREEN_ABOVE", 20)  # so narrow that columns are missed
    monkeypatch.setattr(lars, "BATCH", 5)
    screened = lars_path(X, y)
    np.testing.assert_array_equal(screened.joined, expected.joined)
    np.testing.assert_array_equal(screened.left, expected.left)
    np.testing.assert_allclose(screened.correlations, expected.correlations, atol=1e-9)
    np.testing.assert_allclose(screened.at().coefficients, expected.at().coefficients, atol=1e-9)


def test_of_equal_columns_the_first_one_enters():
    X, y = made(30, 6, seed=0)
    doubled = np.column_stack([X, X, -X[:, 2]])
    path, single = lars_path(doubled, y), lars_path(X, y)
    np.testing.assert_array_equal(path.joined, single.joined)
    np.testing.assert_allclose(path.norms, single.norms)


def test_constant_columns_never_enter():
    X, y = made(20, 4, seed=0)
    X = np.column_stack([np.full(20, 7.3), X])
    path = lars_path(X, y)
    assert 0 not in path.joined
    assert path.at().original[0] == 0
    assert path.complete


def test_a_linear_combination_is_left_out():
    X, y = made(25, 4, seed=2)
    X = np.column_stack([X, X @ [1, 1, 0, 0.5]])
    path = lars_path(X, y)
    assert path.complete
    fit = path.at()
    residual = y - fit.intercept - X @ fit.original
    np.testing.assert_allclose(X.T @ residual, 0, atol=1e-8)


def test_tied_columns_join_at_the_same_knot():
    X = np.kron(np.eye(4), [[1.0], [-1.0]])
    y = X @ [3.0, 3.0, -3.0, 1.0]
    path = lars_path(X, y)
    assert path.joined[:4].tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(path.correlations[:3], path.correlations[0])
    assert_equiangular(X, y, path)
    np.testing.assert_allclose(path.at().original, [3, 3, -3, 1], atol=1e-12)


@pytest.mark.parametrize(("n", "p", "seed"), [(8, 23, 101048), (10, 7, 101295), (5, 9, 100382)])
def test_ties_that_make_features_leave_at_once(n, p, seed):
    """Found by search: dependent columns are needed again, or a wrong rule goes in circles."""
    rng = np.random.default_rng(seed)
    assert (rng.integers(3, 25), rng.integers(1, 40)) == (n, p)
    X, y = np.sign(rng.normal(size=(n, p))), np.sign(rng.normal(size=n))
    path = lars_path(X, y)
    assert path.complete
    assert_equiangular(X, y, path)


@pytest.mark.parametrize("y", [np.zeros(10), np.full(10, 0.1)])
def test_a_constant_label_gives_the_empty_model(y):
    X = np.random.default_rng(0).normal(size=(10, 3))
    path = lars_path(X, y)
    assert path.complete
    assert not path.at().coefficients.any()
    assert path.at().intercept == pytest.approx(y[0])


def test_progress_is_reported():
    X, y = made(30, 10, seed=0)
    seen = []
    lars_path(X, y, on_step=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (10, 10)


@relaxed
@given(
    st.integers(0, 10_000),
    st.integers(4, 20),
    st.integers(1, 25),
    st.sampled_from([np.positive, np.round, np.sign]),
)
def test_every_point_of_the_lasso_path_is_optimal(seed, n, p, coarsen):
    rng = np.random.default_rng(seed)
    # Coarse values: ties, equal, opposite, constant and dependent columns.
    X, y = coarsen(rng.normal(size=(n, p))), coarsen(rng.normal(size=n))
    path = lars_path(X, y)
    assert path.complete
    assert_equiangular(X, y, path)
    if path.norms[-1] > 0:
        t = rng.uniform(0, path.norms.max())
        solution = path.at(t=t)
        c = correlations(X, y, solution.coefficients)
        active = solution.coefficients != 0
        tiny = 1e-8 * path.correlations[0]
        assert np.abs(c).max() <= solution.correlation + tiny
        expected = np.sign(solution.coefficients[active]) * solution.correlation
        np.testing.assert_allclose(c[active], expected, atol=tiny)


@relaxed
@given(st.integers(0, 10_000), st.floats(0.01, 100), st.floats(-50, 50))
def test_units_do_not_matter(seed, scale, shift):
    X, y = made(15, 5, seed)
    one, two = lars_path(X, y), lars_path(X * scale + shift, y)
    np.testing.assert_array_equal(one.joined, two.joined)
    np.testing.assert_allclose(one.at().original, two.at().original * scale, rtol=1e-5)


@pytest.mark.parametrize("method", ["lasso", "lar"])
def test_tall_tables_give_the_path_of_all_rows(method, monkeypatch):
    """They are shortened to a triangle with the same inner products."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((300, 12)) * 10.0 ** rng.integers(-3, 4, 12)
    X[:, 3] = X[:, 4] + 1e-3 * rng.standard_normal(300)
    X[:, 5] = 7.0
    X[:, 7] = X[:, 6]
    y = X[:, 0] - X[:, 3] / 5 + rng.standard_normal(300)
    short = lars_path(X, y, method=method)
    monkeypatch.setattr(lars, "TALL", np.inf)
    whole = lars_path(X, y, method=method)
    assert short.joined.tolist() == whole.joined.tolist()
    assert short.left.tolist() == whole.left.tolist()
    np.testing.assert_allclose(short.norms, whole.norms, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(short.at().original, whole.at().original, rtol=1e-7, atol=1e-12)


def test_a_column_that_leaves_from_any_place_leaves_the_triangle_of_the_others():
    rng = np.random.default_rng(3)
    columns = rng.standard_normal((6, 9))
    right = rng.standard_normal(5)
    for position in range(6):
        cholesky = lars._Cholesky(columns[:2], 6)
        assert all(cholesky.append(column) for column in columns[2:])
        cholesky.remove(position)
        others = np.delete(columns, position, axis=0)
        np.testing.assert_array_equal(cholesky.columns, others)
        expected = np.linalg.solve(others @ others.T, right)
        np.testing.assert_allclose(cholesky.solve(right), expected, rtol=1e-10)
