import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from sklearn.metrics import mutual_info_score, normalized_mutual_info_score

from fsops.algorithms.statistics import information as info
from fsops.algorithms.statistics.information import Contingency

MEASURES = [info.mutual_information, info.gain_ratio, info.symmetric_uncertainty]
MEASURES += [info.chi_squared, info.gini_gain]


def nominal(n=80, p=12, seed=0, missing=0.0, classes=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.integers(2, 7, p), (n, p))
    y = np.where(rng.random(n) < 0.5, X[:, 0] % classes, rng.integers(0, classes, n))
    X[rng.random((n, p)) < missing] = -1
    return X, y


def table(x, y):
    return np.array([[((x == v) & (y == c)).sum() for c in np.unique(y)] for v in np.unique(x)])


def close(actual, expected, rtol=1e-9, atol=1e-12):
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol)


# --- worked numbers of the specification ------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "outlook", "wind"),
    [
        (info.mutual_information, 0.2467498198, 0.0481270304),
        (info.gain_ratio, 0.1564275624, 0.0488486155),
        (info.symmetric_uncertainty, 0.1960126942, 0.0499887594),
        (info.chi_squared, 3.5466667, 0.9333333),
        (info.gini_gain, 0.1163265306, 0.0306122449),
    ],
)
def test_measures_of_the_golf_data(golf, measure, outlook, wind):
    scores = measure(golf.nominal, golf.play)
    close(scores.weights, [outlook, wind], rtol=5e-8)
    assert not scores.undefined.any()


def test_entropies_of_the_golf_data(golf):
    h = info.entropies(Contingency.of(golf.nominal, golf.play))
    close(h.feature, [1.5774062829, 0.9852281360])
    close(h.label, [0.9402859587] * 2)


def test_chi_squared_p_values_of_the_golf_data(golf):
    close(info.chi_squared(golf.nominal, golf.play).p_values, [0.1697662, 0.3339983], rtol=1e-6)


# --- independent oracles ----------------------------------------------------------------------


def test_mutual_information_agrees_with_sklearn():
    X, y = nominal()
    scores = info.mutual_information(X, y, base=np.e)
    close(scores.statistic, [mutual_info_score(x, y) for x in X.T])
    close(info.mutual_information(X, y).statistic * np.log(2), scores.statistic)


def test_symmetric_uncertainty_agrees_with_sklearn():
    X, y = nominal()
    close(
        info.symmetric_uncertainty(X, y).statistic,
        [normalized_mutual_info_score(x, y, average_method="arithmetic") for x in X.T],
    )


def test_chi_squared_and_g_agree_with_scipy():
    X, y = nominal()
    chi2, g = info.chi_squared(X, y), info.g_test_from(Contingency.of(X, y))
    for j, x in enumerate(X.T):
        for ours, kind in ((chi2, "pearson"), (g, "log-likelihood")):
            theirs = stats.chi2_contingency(table(x, y), correction=False, lambda_=kind)
            close(ours.statistic[j], theirs.statistic)
            close(ours.p_values[j], theirs.pvalue, rtol=1e-8)
            assert ours.df[j] == theirs.dof


def test_entropy_agrees_with_scipy():
    counts = np.random.default_rng(0).integers(0, 9, (5, 4))
    close(info.entropy(counts), stats.entropy(counts, axis=1, base=2))
    close(info.entropy(counts, base=3), stats.entropy(counts, axis=1, base=3))


def test_gini_gain_follows_its_definition():
    X, y = nominal()
    for x, gain in zip(X.T, info.gini_gain(X, y).statistic, strict=True):
        o = table(x, y)
        n = o.sum()
        before = 1 - ((o.sum(axis=0) / n) ** 2).sum()
        after = sum(r.sum() / n * (1 - ((r / r.sum()) ** 2).sum()) for r in o)
        close(gain, before - after)


# --- missing values ---------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
def test_missing_can_be_a_value_of_its_own(measure):
    X, y = nominal(missing=0.2)
    recoded = np.where(X < 0, 9, X)
    close(measure(X, y).statistic, measure(recoded, y).statistic)


@pytest.mark.parametrize("measure", MEASURES)
def test_missing_can_be_left_out_per_feature(measure):
    X, y = nominal(missing=0.2)
    scores = measure(X, y, missing="pairwise")
    for j, x in enumerate(X.T):
        known = x >= 0
        close(scores.statistic[j], measure(X[known, j : j + 1], y[known]).statistic[0])


# --- degenerate features ----------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
def test_constant_and_missing_features_weigh_nothing(measure):
    y = np.array([0, 1, 0, 1, 1])
    X = np.column_stack([np.full(5, 3), np.full(5, -1), [0, 1, 0, 1, 1]])
    scores = measure(X, y, missing="pairwise")
    assert scores.weights[:2].tolist() == [0, 0]
    assert scores.weights[2] > 0
    constant_undefined = measure is info.chi_squared
    assert scores.undefined.tolist() == [constant_undefined, True, False]


@pytest.mark.parametrize("measure", MEASURES)
def test_one_class_two_rows_and_empty_tables_are_answered(measure):
    assert not measure(np.array([[0], [1]]), np.array([0, 0])).weights.any()
    assert measure(np.empty((3, 0), int), np.array([0, 1, 0])).weights.shape == (0,)
    assert measure(np.empty((0, 2), int), np.empty(0, int)).undefined.all()


def test_independent_features_score_exactly_zero():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3)[:, [1]]
    y = np.array([0, 0, 1, 1] * 3)
    for measure in MEASURES:
        assert measure(X, y).weights[0] == 0


def test_codes_of_any_integer_type_are_counted_alike():
    X, y = nominal()
    expected = Contingency.of(X, y).counts
    for dtype in (np.int8, np.uint8, np.int32, np.uint64):
        np.testing.assert_array_equal(Contingency.of(X.astype(dtype), y).counts, expected)
    np.testing.assert_array_equal(
        Contingency.of(X > 2, y).counts, Contingency.of((X > 2).astype(int), y).counts
    )


@pytest.mark.parametrize("few", [32, 3])
def test_counts_do_not_depend_on_how_they_are_made(monkeypatch, few):
    monkeypatch.setattr(info, "FEW_LEVELS", few)
    monkeypatch.setattr(info, "TILE_FEATURES", 5)
    X, y = nominal(n=700, missing=0.1)
    for codes in (X, np.asfortranarray(X)):
        counts = Contingency.of(codes, y).counts
        line = 0
        for x in X.T:
            values = [*range(x.max() + 1), -1]
            expected = [[((x == v) & (y == c)).sum() for c in range(3)] for v in values]
            np.testing.assert_array_equal(counts[line : line + len(values)], expected)
            line += len(values)
        assert line == len(counts)


# --- properties -------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), cut=st.integers(0, 40))
def test_merged_tables_equal_those_of_the_whole(seed, cut):
    X, y = nominal(n=40, p=5, seed=seed, missing=0.1)
    sizes = {"n_levels": np.array([7] * 5), "n_classes": 3}
    parts = [Contingency.of(X[s], y[s], **sizes) for s in (slice(0, cut), slice(cut, None))]
    merged = parts[0].merge(parts[1])
    np.testing.assert_array_equal(merged.counts, Contingency.of(X, y, **sizes).counts)
    close(info.mutual_information_from(merged).weights, info.mutual_information(X, y).weights)


FROM_COUNTS = [
    info.mutual_information_from,
    info.gain_ratio_from,
    info.symmetric_uncertainty_from,
    info.chi_squared_from,
    info.gini_gain_from,
]


@pytest.mark.parametrize("missing", ["category", "pairwise"])
def test_whole_weights_count_rows_several_times(missing):
    X, y = nominal(n=40, p=5, seed=3, missing=0.1)
    weights = np.random.default_rng(3).integers(0, 4, 40)
    rows = np.repeat(np.arange(40), weights)
    sizes = {"n_levels": 7, "n_classes": 3, "missing": missing}
    weighted = Contingency.of(X, y, weights=weights, **sizes)
    repeated = Contingency.of(X[rows], y[rows], **sizes)
    np.testing.assert_array_equal(weighted.counts, repeated.counts)
    for measure in FROM_COUNTS:
        close(measure(weighted).weights, measure(repeated).weights)


@pytest.mark.parametrize("missing", ["category", "pairwise"])
@pytest.mark.parametrize("n_levels", [7, 23])
def test_values_behind_the_last_one_that_occurs_can_be_left_out(n_levels, missing):
    X, y = nominal(n=40, p=5, seed=1, missing=0.1)
    X[:, 2], X[:, 3] = -1, np.where(X[:, 3] == 1, 0, X[:, 3])  # no value, one that does not occur
    plain = Contingency.of(X, y, missing=missing)
    found = Contingency.of(X, y, n_levels=n_levels, missing=missing).without_unused()
    np.testing.assert_array_equal(found.counts, plain.counts)
    np.testing.assert_array_equal(found.starts, plain.starts)
    assert plain.without_unused() is plain


def test_a_table_of_no_features_has_no_unused_values():
    table = Contingency.of(np.empty((3, 0), dtype=int), np.array([0, 1, 1]))
    assert table.without_unused() is table


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
@pytest.mark.parametrize("measure", MEASURES)
def test_measures_ignore_the_order_of_rows_and_the_naming_of_values(measure, seed):
    X, y = nominal(n=30, p=4, seed=seed)
    rng = np.random.default_rng(seed)
    rows, values, classes = rng.permutation(30), rng.permutation(8), rng.permutation(3)
    close(measure(values[X[rows]], classes[y[rows]]).statistic, measure(X, y).statistic, atol=1e-10)


def test_mutual_information_is_bounded_by_both_entropies():
    X, y = nominal(n=200, p=50)
    h = info.entropies(Contingency.of(X, y))
    assert (h.mutual_information <= np.minimum(h.feature, h.label) + 1e-12).all()
    assert (h.joint <= h.feature + h.label + 1e-12).all()
    close(info.mutual_information(y[:, None], y).weights, info.entropy(np.bincount(y)))


# --- parameters -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        (np.zeros(3, int), {}, "two dimensions"),
        (np.zeros((3, 1)), {}, "integer codes"),
        (np.full((3, 1), -2), {}, "only -1"),
        (np.full((3, 1), 4), {"n_levels": 3}, "only 3 values"),
        (np.zeros((3, 1), int), {"missing": "drop"}, "missing must be"),
        (np.zeros((3, 1), int), {"n_classes": 1}, "below 1"),
    ],
)
def test_bad_tables_are_refused_in_words(X, options, message):
    with pytest.raises(ValueError, match=message):
        Contingency.of(X, np.array([0, 1, 0]), **options)


def test_tables_of_different_features_do_not_merge():
    y = np.array([0, 1])
    a, b = (Contingency.of(np.zeros((2, p), int), y) for p in (1, 2))
    with pytest.raises(ValueError, match="same features"):
        a.merge(b)


def test_a_base_of_one_is_refused():
    with pytest.raises(ValueError, match="above 1"):
        info.entropy(np.array([1, 2]), base=1)


@pytest.mark.parametrize("drawing", ["bootstrap", "leave out", "some rows"])
@pytest.mark.parametrize("kept", [True, False])
def test_information_of_resamples_is_that_of_their_rows(drawing, kept, monkeypatch):
    monkeypatch.setattr(info, "MOST_INDICATORS", 1 << 25 if kept else 0)
    rng = np.random.default_rng(6)
    X = rng.integers(0, 4, (50, 9))
    X[:, 1] = 2  # constant
    X[:, 2] = rng.integers(-1, 2, 50)  # missing values
    X[:, 3] = -1
    X[:, 4] = np.arange(50)  # every row a value of its own
    classes = rng.integers(0, 3, 50)
    resamples = {
        "bootstrap": [rng.integers(0, 50, 50) for _ in range(6)],
        "leave out": [np.flatnonzero(np.arange(50) % 5 != part) for part in range(5)],
        "some rows": [np.array([3]), np.arange(0), np.arange(20)],
    }[drawing]
    counts = np.array([np.bincount(rows, minlength=50) for rows in resamples], dtype=float)
    resampled = info.ResampledInformation(X, counts)
    features = np.array([4, 0, 2])
    for number, rows in enumerate(resamples):
        for part, columns in ((resampled, np.arange(9)), (resampled.among(features), features)):
            h = part.with_classes(classes)
            table = Contingency.of(X[:, columns][rows], classes[rows], n_classes=3)
            expected = info.entropies(table)
            for name in ("mutual_information", "symmetric_uncertainty", "feature", "joint"):
                np.testing.assert_allclose(
                    getattr(h, name)[number], getattr(expected, name), atol=1e-13, err_msg=name
                )
