import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from sklearn.feature_selection import f_classif, r_regression
from sklearn.metrics import roc_auc_score

from fsops.algorithms.base.compiled import sets as compiled_sets
from fsops.algorithms.base.moments import ClassMoments, CrossMoments
from fsops.algorithms.filters import univariate as uv

NAN = np.nan
BINARY = [uv.sam, uv.welch_t, uv.student_t, uv.f_test, uv.fisher_score, uv.lal_score]
BINARY += [uv.symmetric_kl, uv.pearson, uv.auc, uv.wilcoxon]
# Statistics in which a change of unit of the feature cancels.
SCALE_FREE = [f for f in BINARY if f is not uv.sam]


def two_classes(n=40, p=30, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3 > 0).astype(int)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2, p) + 0.7 * y[:, None] * rng.normal(size=p)
    return X + shift, y


def close(actual, expected, rtol=1e-9, atol=1e-12):
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol)


# --- worked numbers of the specification ------------------------------------------------------


def test_sam_of_the_toy_data(toy):
    scores = uv.sam(toy.X, toy.y, s0=0.1)
    close(scores.difference, [1.3, 0, 0, -0.7966666667])
    close(scores.error, [0.3476907949, 1.032795559, 0, 0.2054083557])
    close(scores.statistic, [2.9037898806, 0, 0, -2.6085293732])
    close(scores.weights, np.abs(scores.statistic))
    assert not scores.undefined.any()


def test_sam_without_s0_is_students_t_and_undefined_for_a_constant(toy):
    scores = uv.sam(toy.X, toy.y, s0=0)
    close(scores.statistic, [3.7389543206, 0, NAN, -3.8784530646])
    assert scores.undefined.tolist() == [False, False, True, False]
    assert scores.weights[2] == 0


def test_sam_chooses_s0_as_tusher_did():
    g = np.random.default_rng(3)
    y = np.array([1] * 8 + [0] * 12)
    sig = np.exp(g.normal(size=1000) * 0.7)
    X = g.normal(size=(20, 1000)) * sig + y[:, None] * g.normal(size=1000) * 0.7
    scores = uv.sam(X, y, s0="auto")
    close(scores.s0, 0.6605837, rtol=1e-6)
    close(scores.s0, np.quantile(scores.error, 0.70))
    top = np.argsort(-scores.weights)[:3]
    assert top.tolist() == [866, 656, 662]
    close(scores.statistic[top], [2.98991513, -2.61275943, 2.4399888], rtol=1e-8)


def test_welch_t_of_the_toy_data(toy):
    scores = uv.welch_t(toy.X, toy.y)
    close(scores.statistic, [4.1456532269, 0, NAN, -3.734375])
    close(scores.df, [5.7042195821, 5.8823529412, NAN, 3.8658034832])
    close(scores.p_values, [0.0067395731, 1, 1, 0.0214897769], rtol=1e-7)
    close(scores.weights, [1 - 0.0067395731, 0, 0, 1 - 0.0214897769], rtol=1e-9)
    logs = uv.welch_t(toy.X, toy.y, weighting="neg_log10_p")
    close(logs.weights, [2.1713676139, 0, 0, 1.6677680928])


def test_student_t_of_the_toy_data(toy):
    scores = uv.student_t(toy.X, toy.y)
    close(scores.statistic, [3.7389543206, 0, NAN, -3.8784530646])
    close(scores.p_values, [0.0096343468, 1, 1, 0.0081853401], rtol=1e-7)


def test_f_test_of_the_toy_data_is_the_square_of_t(toy):
    scores = uv.f_test(toy.X, toy.y)
    close(scores.statistic, [13.9797794118, 0, NAN, 15.0423981742])
    close(scores.p_values, uv.student_t(toy.X, toy.y).p_values)
    assert scores.df[:, 0].tolist() == [1, 6]


def test_f_test_and_fisher_score_of_three_classes():
    X = np.array([[1.0, 2, 3, 2, 4, 6, 5, 7, 9]]).T
    y = np.repeat([0, 1, 2], 3)
    scores = uv.f_test(X, y)
    close(scores.statistic, [6.3333333], rtol=1e-7)
    close(scores.p_values, [0.0332088192], rtol=1e-8)
    close(uv.fisher_score(X, y).statistic, [2.1111111], rtol=1e-7)


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (uv.fisher_score, [2.3299632353, 0, NAN, 2.5070663624]),
        (uv.lal_score, [5.5108695652, 0, NAN, 5.296828635]),
        (uv.pearson, [0.8364785617, 0, NAN, -0.8454947652]),
        (uv.symmetric_kl, [9.8667832168, 0.45, NAN, 7.8414065256]),
    ],
)
def test_other_scores_of_the_toy_data(toy, score, expected):
    scores = score(toy.X, toy.y)
    close(scores.statistic, expected)
    close(scores.weights, np.nan_to_num(np.abs(expected)))
    assert scores.undefined.tolist() == [False, False, True, False]


def test_f_follows_from_the_correlation(toy):
    r = uv.pearson(toy.X, toy.y).statistic
    close(uv.f_test(toy.X, toy.y).statistic, 6 * r**2 / (1 - r**2))


def test_sis_keeps_n_over_log_n_features():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(62, 100)), rng.normal(size=62)
    scores = uv.sis(X, y)
    assert scores.weights.sum() == 15
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    close(scores.statistic, Z.T @ (y - y.mean()) / 62)
    assert set(np.flatnonzero(scores.weights)) == set(np.argsort(-np.abs(scores.statistic))[:15])
    assert uv.sis(X, y, keep="n-1").weights.sum() == 61
    assert uv.sis(X, y, keep=1000).weights.sum() == 100
    assert uv.sis(X, y, keep=1).weights.sum() == 1


# --- independent oracles ----------------------------------------------------------------------


def test_t_tests_agree_with_scipy():
    X, y = two_classes()
    for ours, equal in ((uv.welch_t, False), (uv.student_t, True)):
        theirs = stats.ttest_ind(X[y == 1], X[y == 0], equal_var=equal)
        scores = ours(X, y)
        close(scores.statistic, theirs.statistic)
        close(scores.df, theirs.df)
        close(scores.p_values, theirs.pvalue, rtol=1e-8)


def test_missing_values_are_left_out_as_scipy_does():
    X, y = two_classes()
    X[np.random.default_rng(1).random(X.shape) < 0.2] = NAN
    theirs = stats.ttest_ind(X[y == 1], X[y == 0], equal_var=False, nan_policy="omit")
    scores = uv.welch_t(X, y)
    close(scores.statistic, theirs.statistic)
    close(scores.p_values, theirs.pvalue, rtol=1e-8)


@pytest.mark.parametrize("score", BINARY)
def test_a_missing_value_equals_the_row_left_out(score):
    X, y = two_classes(p=3)
    X[4, 1] = NAN
    whole = score(X, y)
    part = score(np.delete(X, 4, axis=0), np.delete(y, 4))
    close(whole.statistic[1], part.statistic[1])
    close(whole.weights[1], part.weights[1])
    close(whole.statistic[[0, 2]], score(X[:, [0, 2]], y).statistic)


def test_f_test_agrees_with_sklearn_and_scipy():
    X, _ = two_classes(n=60)
    y = np.random.default_rng(2).integers(0, 4, 60)
    f, p = f_classif(X, y)
    scores = uv.f_test(X, y)
    close(scores.statistic, f, rtol=1e-8)
    close(scores.p_values, p, rtol=1e-7)
    close(scores.statistic, stats.f_oneway(*(X[y == c] for c in range(4))).statistic)


def test_f_test_of_nominal_features_agrees_with_scipy():
    rng = np.random.default_rng(0)
    groups, y = rng.integers(-1, 4, (50, 6)), rng.normal(size=50)
    scores = uv.f_test_nominal(groups, y)
    for j, codes in enumerate(groups.T):
        theirs = stats.f_oneway(*(y[codes == c] for c in range(4)))
        close(scores.statistic[j], theirs.statistic)
        close(scores.p_values[j], theirs.pvalue, rtol=1e-8)


def test_pearson_agrees_with_scipy_and_sklearn():
    X, _ = two_classes()
    y = X[:, 0] + np.random.default_rng(3).normal(size=len(X))
    scores = uv.pearson(X, y, p_values=True)
    close(scores.statistic, r_regression(X, y))
    theirs = [stats.pearsonr(x, y) for x in X.T]
    close(scores.statistic, [r.statistic for r in theirs])
    close(scores.p_values, [r.pvalue for r in theirs], rtol=1e-8)


@pytest.mark.parametrize("continuity", [False, True])
@pytest.mark.parametrize("decimals", [0, 5])
def test_wilcoxon_agrees_with_scipy_with_and_without_ties(continuity, decimals):
    X, y = two_classes()
    X = X.round(decimals)
    theirs = stats.mannwhitneyu(
        X[y == 1], X[y == 0], use_continuity=continuity, method="asymptotic"
    )
    close(uv.wilcoxon(X, y, continuity=continuity).p_values, theirs.pvalue, rtol=1e-8)


def test_auc_agrees_with_sklearn():
    X, y = two_classes()
    X = X.round(1)
    scores = uv.auc(X, y)
    close(scores.statistic, [roc_auc_score(y, x) for x in X.T])
    close(scores.weights, np.abs(2 * scores.statistic - 1))


def test_deviation_is_the_sample_standard_deviation():
    X = np.abs(two_classes()[0]) + 1
    sd = X.std(axis=0, ddof=1)
    close(uv.deviation(X).weights, sd)
    close(uv.deviation(X, normalize="average").weights, sd / X.mean(axis=0))
    close(uv.deviation(-X, normalize="minimum").weights, sd / X.max(axis=0))
    close(uv.deviation(X, normalize="maximum").weights, sd / X.max(axis=0))


@pytest.mark.parametrize(("shift", "rtol"), [(1e6, 1e-9), (1e8, 1e-9)])
def test_scores_stay_exact_far_from_zero(shift, rtol):
    X, y = two_classes(shift=shift)
    near = X - shift  # exact: both are close to shift
    for score in SCALE_FREE:
        close(score(X, y).statistic, score(near, y).statistic, rtol=rtol)


# --- infinite and undefined -------------------------------------------------------------------


def test_constant_classes_with_different_means_separate_perfectly():
    X = np.array([[1.0, 1, 1, 2, 2, 2]]).T
    y = np.array([0, 0, 0, 1, 1, 1])
    for sign in (1, -1):
        for score in (uv.welch_t, uv.student_t):
            scores = score(sign * X, y, weighting="one_minus_p")
            assert scores.statistic[0] == sign * np.inf
            assert scores.p_values[0] == 0
            assert scores.weights[0] == 1
            close(score(X, y, weighting="neg_log10_p").weights, [307.6526555685], rtol=1e-9)
            assert score(X, y, weighting="abs_statistic").weights[0] == np.inf
    for score in (uv.f_test, uv.fisher_score, uv.lal_score, uv.symmetric_kl):
        assert score(X, y).weights[0] == np.inf
    assert uv.f_test(X, y).p_values[0] == 0
    assert uv.sam(X, y, s0=0).statistic[0] == np.inf
    close(uv.sam(X, y, s0=0.5).statistic, [2.0])


def test_one_constant_class_is_allowed_by_welch_and_infinite_for_divergence():
    X = np.array([[1.0, 1, 1, 2, 3, 5]]).T
    y = np.array([0, 0, 0, 1, 1, 1])
    scores = uv.welch_t(X, y)
    close(scores.statistic, [(10 / 3 - 1) / np.sqrt(7 / 9)])
    close(scores.df, [2])
    assert uv.symmetric_kl(X, y).statistic[0] == np.inf


@pytest.mark.parametrize("score", BINARY)
def test_features_without_a_statistic_are_marked_and_weigh_nothing(score):
    y = np.array([0, 0, 0, 1, 1, 1])
    noise = np.array([0.3, 0.1 + 0.2, 0.3, 0.3, 0.3, 0.1 + 0.2])
    missing, negatives = np.full(6, NAN), np.array([1.0, 2, 3, NAN, NAN, NAN])
    X = np.column_stack([np.full(6, 7.1), noise, missing, negatives, [1.0, 2, 3, 2, 3, 5]])
    scores = score(X, y)
    rank_based = score is uv.auc  # ties everywhere are a well-defined 1/2
    constant_ok = score is uv.sam or rank_based
    noise_ok = constant_ok or score is uv.wilcoxon
    assert scores.undefined.tolist() == [not constant_ok, not noise_ok, True, True, False]
    assert np.isnan(scores.statistic).tolist() == scores.undefined.tolist()
    assert not scores.weights[scores.undefined].any()
    assert scores.weights[0] == 0
    if scores.p_values is not None:
        assert (scores.p_values[scores.undefined] == 1).all()


@pytest.mark.parametrize("score", BINARY)
@pytest.mark.parametrize("y", [[0, 1], [0, 0], [1, 1], [0]])
def test_too_few_rows_or_classes_never_raise(score, y):
    scores = score(np.arange(1.0, 1 + 2 * len(y)).reshape(len(y), 2), np.array(y))
    assert (scores.weights[scores.undefined] == 0).all()
    assert not np.isnan(scores.weights).any()
    if len(set(y)) < 2:
        assert scores.undefined.all()


@pytest.mark.parametrize("score", BINARY)
def test_tables_without_rows_or_columns_are_answered(score):
    assert score(np.empty((4, 0)), np.array([0, 1, 0, 1])).weights.shape == (0,)
    assert score(np.empty((0, 2)), np.empty(0, int)).undefined.all()


@pytest.mark.parametrize("score", SCALE_FREE)
def test_infinite_values_make_a_feature_undefined_or_rank_it(score):
    X, y = two_classes(p=2)
    X[3, 0] = np.inf
    scores = score(X, y)
    assert not np.isnan(scores.weights).any()
    close(scores.statistic[1], score(X[:, 1:], y).statistic[0])


# --- properties -------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), scale=st.floats(1e-3, 1e3), shift=st.floats(-100, 100))
@pytest.mark.parametrize("score", SCALE_FREE)
def test_scores_do_not_depend_on_unit_and_zero_point(score, seed, scale, shift):
    X, y = two_classes(n=14, p=3, seed=seed)
    close(score(X * scale + shift, y).statistic, score(X, y).statistic, rtol=1e-5, atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
@pytest.mark.parametrize("score", BINARY)
def test_scores_do_not_depend_on_the_order_of_rows_and_columns(score, seed):
    X, y = two_classes(n=14, p=5, seed=seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(14), rng.permutation(5)
    shuffled = score(X[rows][:, columns], y[rows])
    close(shuffled.statistic, score(X, y).statistic[columns], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("score", [uv.sam, uv.welch_t, uv.student_t, uv.pearson, uv.wilcoxon])
def test_swapping_the_classes_changes_only_the_sign(score):
    X, y = two_classes()
    close(score(X, 1 - y).statistic, -score(X, y).statistic)


@pytest.mark.parametrize(
    ("score", "from_moments"),
    [
        (uv.sam, uv.sam_from),
        (uv.welch_t, uv.welch_t_from),
        (uv.student_t, uv.student_t_from),
        (uv.f_test, uv.f_test_from),
        (uv.fisher_score, uv.fisher_score_from),
        (uv.lal_score, uv.lal_score_from),
        (uv.symmetric_kl, uv.symmetric_kl_from),
    ],
)
def test_scores_of_merged_blocks_equal_those_of_the_whole(score, from_moments):
    X, y = two_classes(shift=1e6)
    blocks = [ClassMoments.of(X[i::3], y[i::3], 2) for i in range(3)]
    merged = from_moments(blocks[0].merge(blocks[1]).merge(blocks[2]))
    close(merged.weights, score(X, y).weights, rtol=1e-8)


def test_correlations_of_merged_blocks_equal_those_of_the_whole():
    X, y = two_classes(shift=1e3)
    merged = CrossMoments.of(X[:11], y[:11]).merge(CrossMoments.of(X[11:], y[11:]))
    close(uv.pearson_from(merged).statistic, uv.pearson(X, y).statistic)


# --- parameters -------------------------------------------------------------------------------


def test_s0_can_be_a_percentile_of_the_positive_errors(toy):
    errors = uv.sam(toy.X, toy.y).error
    positive = errors[errors > 0]
    close(uv.sam(toy.X, toy.y, s0="median").s0, np.median(positive))
    close(uv.sam(toy.X, toy.y, s0="percentile:10").s0, np.percentile(positive, 10))


def test_s0_auto_can_consider_zero():
    X, y = two_classes(p=200)
    scores = uv.sam(X, y)
    chosen = uv.tusher_s0(scores.difference, scores.error)
    assert scores.error.min() <= chosen <= scores.error.max()
    assert uv.sam(X, y, s0="auto", include_zero=True).s0 in (0.0, chosen)


@pytest.mark.parametrize("s0", ["auto", "median"])
def test_s0_of_constant_features_is_zero(s0):
    scores = uv.sam(np.ones((6, 3)), np.array([0, 0, 0, 1, 1, 1]), s0=s0)
    assert scores.s0 == 0
    assert scores.undefined.all()


@pytest.mark.parametrize("s0", [-1.0, np.inf, "percentile", "percentile:101", "mean"])
def test_a_meaningless_s0_is_refused(toy, s0):
    with pytest.raises(ValueError, match="s0 must be"):
        uv.sam(toy.X, toy.y, s0=s0)


def test_p_values_are_computed_only_on_request(toy):
    assert uv.welch_t(toy.X, toy.y, weighting="abs_statistic", p_values=False).p_values is None
    assert uv.welch_t(toy.X, toy.y, weighting="one_minus_p", p_values=False).p_values is not None
    assert uv.pearson(toy.X, toy.y).p_values is None


def test_two_class_measures_refuse_a_third_class(toy):
    y = np.array([0, 1, 2, 0, 1, 2, 0, 1])
    for score in (uv.sam, uv.welch_t, uv.auc, uv.symmetric_kl):
        with pytest.raises(ValueError, match="below 2"):
            score(toy.X, y)
    with pytest.raises(ValueError, match="two classes"):
        uv.sam_from(ClassMoments.of(toy.X, y, 3))


def test_unknown_choices_are_refused(toy):
    with pytest.raises(ValueError, match="weighting must be"):
        uv.welch_t(toy.X, toy.y, weighting="p")
    with pytest.raises(ValueError, match="normalize must be"):
        uv.deviation(toy.X, normalize="median")
    for keep in (0, "n"):
        with pytest.raises(ValueError, match="keep must be"):
            uv.sis(toy.X, toy.y, keep=keep)
    with pytest.raises(ValueError, match="missing or infinite"):
        uv.pearson(toy.X, np.full(8, NAN))


def test_importing_the_filters_loads_nothing_but_numpy():
    code = "import sys, fsops.algorithms.filters.univariate as u; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"scipy", "sklearn", "pandas", "numba"} & set(loaded.stdout.split())


# --- a class with one row -----------------------------------------------------------------------


def test_lals_score_of_a_class_with_one_row():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0], [9.0, 5.0]])
    scores = uv.lal_score(X, np.array([0, 0, 0, 1]))
    expected = (9 - 7 / 3) ** 2 / np.var([1, 2, 4])
    assert scores.statistic[0] == pytest.approx(expected)
    assert scores.undefined.tolist() == [False, True]  # the second is constant


@pytest.mark.parametrize("classes", [2, 3, 11])
@pytest.mark.parametrize("constant", [False, True])
def test_f_by_a_kernel_has_the_bits_of_numpy(monkeypatch, classes, constant):
    pytest.importorskip("numba")
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 1500)) * 10.0 ** rng.integers(-8, 9, 1500) + 1e3
    codes = np.arange(60) % classes
    if constant:
        X[:, 3], X[:, 4] = 7.0, codes
    moments = ClassMoments.of(X, codes, classes)
    found = []
    for compiled in (True, False):
        monkeypatch.setattr(compiled_sets, "take_moments", lambda n, answer=compiled: answer)
        found.append(uv.f_test_from(moments, p_values=False))
    assert found[0].statistic.tobytes() == found[1].statistic.tobytes()
    assert found[0].weights.tobytes() == found[1].weights.tobytes()


@pytest.mark.parametrize("unit", [1e-150, 1e-90, 1e30])
def test_welch_has_the_same_p_values_in_tiny_and_huge_units(unit):
    rng = np.random.default_rng(1)
    X, codes = rng.normal(size=(16, 3)), np.tile([0, 1], 8)
    plain, other = uv.welch_t(X, codes), uv.welch_t(X * unit, codes)
    np.testing.assert_allclose(other.p_values, plain.p_values, rtol=1e-10)
    np.testing.assert_allclose(other.df, plain.df, rtol=1e-10)
