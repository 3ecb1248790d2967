"""Second implementations of the papers' formulas, run on one awkward table through the operators.

The table has ties, a constant, missing values, a column with one known value per class, huge and
tiny units, and classes of 2, 9 and 17 rows. The other oracles are listed in `test_oracles.py`.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC

from fsops import ExampleSet, operators as ops

CLASSES = {2: (5, 23), 3: (2, 9, 17)}


def awkward(classes, *, missing=True):
    """Return values, class numbers and the table."""
    counts = CLASSES[classes]
    codes = np.repeat(np.arange(classes), counts)
    rng = np.random.default_rng(7)
    codes = rng.permutation(codes)
    X = rng.normal(size=(codes.size, 9))
    X[:, 0] += codes
    X[:, 1] = np.round(X[:, 1])
    X[:, 2] = 4.0
    X[:, 3] = codes == 1
    X[:, 4] *= 1e-9
    X[:, 5] = 1e9 + X[:, 5] * 1e3 + codes * 1e3
    X[:, 6] = X[:, 0]
    if missing:
        X[rng.random(codes.size) < 0.3, 7] = np.nan
        X[:, 8] = np.nan
        X[[np.flatnonzero(codes == c)[0] for c in range(classes)], 8] = np.arange(classes)
    return X, codes, ExampleSet.from_numpy(X, np.array([f"class {c}" for c in codes]))


def groups(x, codes):
    """Return the known values of each class."""
    known = ~np.isnan(x)
    return [x[known & (codes == c)] for c in np.unique(codes)]


def pooled(a, b, s0=0.0):
    squares = ((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()
    free = len(a) + len(b) - 2
    if free < 1:
        return np.nan
    error, apart = np.sqrt((1 / len(a) + 1 / len(b)) / free * squares), abs(a.mean() - b.mean())
    if error + s0 == 0:
        return np.inf if apart else np.nan
    return apart / (error + s0)


def welch(a, b):
    if min(len(a), len(b)) < 2:
        return np.nan
    error = np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
    if error == 0:
        return np.nan if a.mean() == b.mean() else np.inf
    return abs(a.mean() - b.mean()) / error


def lal(a, b):
    spread, apart = a.var() + b.var(), (a.mean() - b.mean()) ** 2
    return apart / spread if spread else (np.inf if apart else np.nan)


def between_and_within(parts):
    every = np.concatenate(parts)
    between = sum(len(part) * (part.mean() - every.mean()) ** 2 for part in parts)
    return between, sum(((part - part.mean()) ** 2).sum() for part in parts), len(every)


def f_value(*parts):
    between, within, n = between_and_within(parts)
    if n <= len(parts):
        return np.nan
    if within == 0:
        return np.inf if between else np.nan
    return between * (n - len(parts)) / (within * (len(parts) - 1))


def fisher(*parts):
    between, within, n = between_and_within(parts)
    if n <= len(parts):  # undefined, as F is: both rank alike
        return np.nan
    if within == 0:
        return np.inf if between else np.nan
    return between / within


def pearson(a, b):
    x, y = np.concatenate([a, b]), np.repeat([0.0, 1.0], [len(a), len(b)])
    if np.ptp(x) == 0:
        return np.nan
    x, y = x - x.mean(), y - y.mean()
    return abs(x @ y) / np.sqrt((x @ x) * (y @ y))


def divergence(a, b):
    if min(len(a), len(b)) < 2:
        return np.nan
    v, w, apart = a.var(ddof=1), b.var(ddof=1), (a.mean() - b.mean()) ** 2
    if v == 0 and w == 0:
        return np.inf if apart else np.nan
    if v == 0 or w == 0:
        return np.inf
    return 0.5 * (v / w + w / v - 2 + (1 / v + 1 / w) * apart)


FORMULAS = {
    "t": (2, pooled, lambda t: ops.weight_by_t_test(t, missing="pairwise")),
    "sam": (2, lambda a, b: pooled(a, b, 0.1), lambda t: ops.weight_by_sam(t, missing="pairwise")),
    "welch": (
        2,
        welch,
        lambda t: ops.weight_by_welch_test(t, missing="pairwise", transformation="abs_statistic"),
    ),
    "lal": (2, lal, lambda t: ops.weight_by_lal_score(t, missing="pairwise")),
    "correlation": (2, pearson, lambda t: ops.weight_by_correlation(t, missing="pairwise")),
    "entropy": (2, divergence, lambda t: ops.weight_by_entropy(t, missing="pairwise")),
    "f, 2 classes": (2, f_value, lambda t: ops.weight_by_f_test(t, missing="pairwise")),
    "f, 3 classes": (3, f_value, lambda t: ops.weight_by_f_test(t, missing="pairwise")),
    "fisher": (3, fisher, lambda t: ops.weight_by_fisher_score(t, missing="pairwise")),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_moment_filters_follow_their_formulas(name):
    classes, formula, weigh = FORMULAS[name]
    X, codes, table = awkward(classes)
    with np.errstate(all="ignore"):
        expected = np.array([formula(*groups(x, codes)) for x in X.T])
    expected = np.nan_to_num(expected, nan=0.0, posinf=np.inf)
    found = weigh(table).values
    assert found == pytest.approx(expected, rel=1e-6)
    assert found[2] == 0


# --- categories ---------------------------------------------------------------------------------


def awkward_categories():
    """Return columns of categories with a constant, gaps, an identifier and a copy of the label."""
    rng = np.random.default_rng(5)
    codes = rng.permutation(np.repeat([0, 1, 2], CLASSES[3]))
    frame = pd.DataFrame(
        {
            "noise": rng.choice(list("xyz"), codes.size),
            "constant": "same",
            "copy": [f"c{c}" for c in codes],
            "near": [f"n{c if rng.random() < 0.7 else 0}" for c in codes],
            "identifier": [f"id {i}" for i in range(codes.size)],
            "gaps": [None if rng.random() < 0.3 else f"g{c % 2}" for c in codes],
        }
    )
    frame["label"] = [f"class {c}" for c in codes]
    return frame, ExampleSet.from_pandas(frame, roles={"label": "label"})


def entropy(probabilities):
    return -sum(p * np.log2(p) for p in probabilities if p > 0)


def category_measures(column, label):
    """Return the measures of one column by their definitions, of the rows where it is known."""
    known = [(v, y) for v, y in zip(column, label, strict=True) if isinstance(v, str)]
    n, values = len(known), sorted({v for v, _ in known})
    classes = sorted({y for _, y in known})
    table = np.array([[sum(k == (v, y) for k in known) for y in classes] for v in values]) / n
    by_value, by_class = table.sum(axis=1), table.sum(axis=0)
    h_value, h_class, both = entropy(by_value), entropy(by_class), entropy(table.ravel())
    gain = h_value + h_class - both
    expected = np.outer(by_value, by_class)
    gini = (table**2).sum(axis=1) @ (1 / by_value) - (by_class**2).sum()
    return {
        "gain": gain,
        "ratio": gain / h_value if h_value > 0 else 0.0,
        "uncertainty": 2 * gain / (h_value + h_class) if h_value + h_class > 0 else 0.0,
        "chi squared": n * ((table - expected) ** 2 / expected).sum(),
        "gini": gini,
    }


COUNTED = {
    "gain": ops.weight_by_information_gain,
    "ratio": ops.weight_by_information_gain_ratio,
    "uncertainty": ops.weight_by_symmetric_uncertainty,
    "chi squared": ops.weight_by_chi_squared,
    "gini": ops.weight_by_gini_index,
}


@pytest.mark.parametrize("measure", COUNTED)
def test_filters_of_categories_follow_their_formulas(measure):
    frame, table = awkward_categories()
    found = COUNTED[measure](table, missing="pairwise")
    for name in table.schema.regular_names:
        expected = category_measures(frame[name].tolist(), frame["label"])[measure]
        assert found[name] == pytest.approx(expected, abs=1e-12), name


# --- multiple kernel learning -------------------------------------------------------------------


def clinical_kernels(X):
    """Return the clinical kernel of each numerical column."""
    spans = np.ptp(X, axis=0)
    return [
        1 - np.abs(x[:, None] - x[None, :]) / span if span else np.ones((len(x), len(x)))
        for x, span in zip(X.T, spans, strict=True)
    ]


def costs(signs):
    """Return the cost of each row: classes count alike."""
    share = np.where(signs > 0, (signs > 0).mean(), (signs < 0).mean())
    return 0.5 / share


def dual_value(kernel, signs):
    """Return the value of the dual of the soft margin, and its coefficients, by libsvm."""
    machine = SVC(kernel="precomputed", C=1.0, tol=1e-10)
    machine.fit(kernel, signs, sample_weight=costs(signs))
    c = np.zeros(len(signs))
    c[machine.support_] = machine.dual_coef_[0]
    return np.abs(c).sum() - 0.5 * c @ kernel @ c, c


def mkl_weights(kernels, signs):
    """Return the weights of norm 2 at the minimum, by a general solver."""
    p = len(kernels)
    radius = p ** (1 / 2 - 1)

    def scaled(free):
        size = np.abs(free)
        return radius * size / np.linalg.norm(size)

    def value(free):
        mu = scaled(free)
        total = sum(m * kernel for m, kernel in zip(mu, kernels, strict=True))
        return dual_value(total, signs)[0]

    found = minimize(
        value, np.ones(p), method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-7}
    )
    return scaled(found.x)


def test_the_ranking_of_rfe_mkl_is_the_loop_of_the_paper():
    """Drop the attribute with the smallest weight, learn the weights again, until one is left."""
    rng = np.random.default_rng(4)
    codes = np.array([0] * 8 + [1] * 16)
    X = rng.normal(size=(24, 4))
    X[:, 1] += 1.5 * codes
    X[:, 3] += 0.7 * codes
    signs = np.where(codes, 1.0, -1.0)
    left, order = list(range(4)), []
    while len(left) > 1:
        kernels = clinical_kernels(X[:, left])
        worst = left[int(np.argmin(mkl_weights(kernels, signs)))]
        order.insert(0, worst)
        left.remove(worst)
    order.insert(0, left[0])
    table = ExampleSet.from_numpy(X, np.array(list("ab"))[codes])
    found = ops.select_by_kernel_rfe(
        table, method="mkl", norm=2.0, k=1, fraction=0.01, output="ranking", tolerance=1e-5
    )
    ranking = getattr(found, "weights", found)
    assert np.argsort(-ranking.values).tolist() == order


# --- KNIFE with three classes -------------------------------------------------------------------


def knife_objective(w, X, codes, ridge, penalty):
    """Return the objective of KNIFE: Gaussian kernel, squared hinge, each class against the rest."""
    square = ((X[:, None, :] - X[None, :, :]) ** 2) @ (w**2)
    K = np.exp(-square)
    total = penalty * w.sum()
    for c in np.unique(codes):
        y = np.where(codes == c, 1.0, -1.0)
        total += machine_value(K, y, ridge)
    return total


def machine_value(K, y, ridge):
    """Return the minimum of Σ max(0, 1 − y f)² + ridge · a'Ka over a and the intercept."""

    def value(parameters):
        a, b = parameters[:-1], parameters[-1]
        f = K @ a + b
        slack = np.maximum(0.0, 1 - y * f)
        slope = -2 * y * slack
        gradient = np.append(K @ slope + 2 * ridge * K @ a, slope.sum())
        return (slack**2).sum() + ridge * a @ K @ a, gradient

    options = {"maxiter": 500, "ftol": 1e-13, "gtol": 1e-8}
    return minimize(value, np.zeros(len(y) + 1), jac=True, method="L-BFGS-B", options=options).fun


def test_gaussian_knife_of_three_classes_is_at_a_minimum_of_its_objective():
    rng = np.random.default_rng(3)
    codes = np.repeat([0, 1, 2], [3, 5, 8])
    X = rng.normal(size=(16, 4))
    X[:, 0] += 1.5 * codes
    X[:, 1] = 2.0
    table = ExampleSet.from_numpy(X, np.array(list("abc"))[codes])
    penalty = 1.5
    found = ops.weight_by_knife(
        table, kernel_type="gaussian", penalty=penalty, penalty_scale="absolute", restarts=3
    )
    assert found.values[1] == 0
    assert ((found.values >= 0) & (found.values <= 1)).all()
    Z = np.delete(X, 1, axis=1)
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    w = np.delete(found.values, 1)
    value = knife_objective(w, Z, codes, 1.0, penalty)
    assert found.details["objective"][0] == pytest.approx(value, rel=1e-5)
    for j in np.flatnonzero(w > 0):
        for step in (-0.02, 0.02):
            moved = w.copy()
            moved[j] = np.clip(moved[j] + step, 0, 1)
            assert knife_objective(moved, Z, codes, 1.0, penalty) >= value * (1 - 1e-6)
