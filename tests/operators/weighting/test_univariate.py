"""Weights of one attribute at a time: published numbers, scipy, and every odd input."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from fsops import ExampleSet
from fsops.algorithms.filters import univariate
from fsops.data import Attribute
from fsops.data.columns import nominal_column
from fsops.errors import ParameterError
from fsops.operators import (
    weight_by_correlation,
    weight_by_f_test,
    weight_by_lal_score,
    weight_by_sam,
    weight_by_t_test,
    weight_by_welch_test,
    weight_by_wilcoxon,
)

BINARY = [weight_by_sam, weight_by_welch_test]
ALL = [*BINARY, weight_by_correlation]
SMALLEST_P_WEIGHT = 307.6526555685888  # -log10 of the smallest normal double


def random_examples(n=30, p=5, seed=1, holes=0.0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 2
    X = rng.normal(size=(n, p)) * np.exp(rng.normal(size=p)) + codes[:, None] * rng.normal(size=p)
    X[rng.random(X.shape) < holes] = np.nan
    return ExampleSet.from_numpy(X, np.array(["no", "yes"])[codes])


def classes_of(examples, j):
    """Return the known values of an attribute in the positive and in the negative class."""
    x, y = examples.numeric()[:, j], examples.binary_label()
    return x[(y == 1) & ~np.isnan(x)], x[(y == 0) & ~np.isnan(x)]


# --- published numbers ----------------------------------------------------------------------


def test_sam_of_the_toy_data(toy):
    weights = weight_by_sam(toy)
    assert weights.values == pytest.approx([2.9037898806, 0, 0, 2.6085293732])
    assert weights.details["statistic"] == pytest.approx([2.9037898806, 0, 0, -2.6085293732])
    assert weights.names == ("f1", "f2", "f3", "f4")


def test_sam_keeps_the_sign_on_request(toy):
    assert weight_by_sam(toy, signed=True).values == pytest.approx(
        [2.9037898806, 0, 0, -2.6085293732]
    )


def test_sam_without_s0_is_students_t_and_a_constant_still_gets_0(toy):
    weights = weight_by_sam(toy, s0=0, signed=True)
    assert weights.values == pytest.approx([3.7389543206, 0, 0, -3.8784530646])
    assert np.isnan(weights.details["statistic"][2])


def test_sam_chooses_s0_as_tusher_did():
    g = np.random.default_rng(3)
    y = np.array([1] * 8 + [0] * 12)
    sig = np.exp(g.normal(size=1000) * 0.7)
    X = g.normal(size=(20, 1000)) * sig + y[:, None] * g.normal(size=1000) * 0.7
    examples = ExampleSet.from_numpy(X, y)
    weights = weight_by_sam(examples, s0="auto", signed=True)
    assert weights.top(3, absolute=True) == ("att867", "att657", "att663")
    best = [weights[name] for name in weights.top(3, absolute=True)]
    assert best == pytest.approx([2.98991513, -2.61275943, 2.4399888])
    assert weights.equals(weight_by_sam(examples, s0=0.6605837, signed=True)) is False
    assert weights.values == pytest.approx(
        weight_by_sam(examples, s0=0.6605837, signed=True).values, rel=1e-6
    )


def test_sam_can_take_the_median_of_the_errors(toy):
    errors = [0.3476907949, 1.032795559, 0.2054083557]  # of the attributes that vary
    expected = weight_by_sam(toy, s0=float(np.median(errors)))
    assert weight_by_sam(toy, s0="median").values == pytest.approx(expected.values)


def test_welch_of_the_toy_data(toy):
    weights = weight_by_welch_test(toy)
    p = [0.0067395731, 1, 1, 0.0214897769]
    assert weights.values == pytest.approx([1 - p[0], 0, 0, 1 - p[3]])
    assert weights.details["p_value"] == pytest.approx(p)
    t = weights.details["statistic"]
    assert t[[0, 1, 3]] == pytest.approx([4.1456532269, 0, -3.734375])
    assert np.isnan(t[2])
    df = weights.details["df"]
    assert df[[0, 1, 3]] == pytest.approx([5.7042195821, 5.8823529412, 3.8658034832])


def test_welch_can_weigh_by_logarithm_or_statistic(toy):
    logarithm = weight_by_welch_test(toy, transformation="neg_log10_p")
    assert logarithm.values == pytest.approx([2.1713676139, 0, 0, 1.6677680928])
    statistic = weight_by_welch_test(toy, transformation="abs_statistic")
    assert statistic.values == pytest.approx([4.1456532269, 0, 0, 3.734375])


def test_correlation_of_the_toy_data(toy):
    weights = weight_by_correlation(toy)
    assert weights.values == pytest.approx([0.8364785617, 0, 0, 0.8454947652])
    signed = weight_by_correlation(toy, signed=True)
    assert signed.values == pytest.approx([0.8364785617, 0, 0, -0.8454947652])
    squared = weight_by_correlation(toy, squared_correlation=True)
    assert squared.values == pytest.approx([0.8364785617**2, 0, 0, 0.8454947652**2])


# --- against scipy --------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.2]))
@settings(deadline=None, max_examples=25)
def test_each_test_leaves_out_missing_values_for_their_attribute_only(seed, holes):
    examples = random_examples(seed=seed, holes=holes)
    missing = "pairwise" if holes else "error"
    welch = weight_by_welch_test(examples, missing=missing).details
    student = weight_by_sam(examples, s0=0, signed=True, missing=missing)
    pearson = weight_by_correlation(examples, signed=True, missing=missing)
    for j in range(5):
        positive, negative = classes_of(examples, j)
        expected = stats.ttest_ind(positive, negative, equal_var=False)
        assert welch["statistic"][j] == pytest.approx(expected.statistic)
        assert welch["p_value"][j] == pytest.approx(expected.pvalue)
        assert welch["df"][j] == pytest.approx(expected.df)
        assert student.values[j] == pytest.approx(stats.ttest_ind(positive, negative).statistic)
        codes = np.repeat([1.0, 0.0], [len(positive), len(negative)])
        r = stats.pearsonr(np.concatenate([positive, negative]), codes)
        assert pearson.values[j] == pytest.approx(r.statistic)
        assert pearson.details["p_value"][j] == pytest.approx(r.pvalue)


def test_correlation_with_a_numerical_label():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    weights = weight_by_correlation(ExampleSet.from_numpy(X, y), signed=True)
    expected = [stats.pearsonr(X[:, j], y).statistic for j in range(3)]
    assert weights.values == pytest.approx(expected)


def test_adjusted_p_values_are_those_of_scipy():
    examples = random_examples(p=12)
    plain = weight_by_welch_test(examples).details["p_value"]
    adjusted = weight_by_welch_test(examples, adjustment="benjamini_hochberg")
    expected = stats.false_discovery_control(plain)
    assert adjusted.details["adjusted_p_value"] == pytest.approx(expected)
    assert adjusted.values == pytest.approx(1 - expected)


@pytest.mark.parametrize(
    ("weigh", "test"),
    [
        (weight_by_f_test, lambda a, b: stats.f_oneway(a, b).pvalue),
        (weight_by_t_test, lambda a, b: stats.ttest_ind(a, b).pvalue),
        (weight_by_welch_test, lambda a, b: stats.ttest_ind(a, b, equal_var=False).pvalue),
        (
            weight_by_wilcoxon,
            lambda a, b: stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=False).pvalue,
        ),
    ],
)
def test_p_values_that_the_weights_do_not_need_are_computed_when_read(weigh, test, monkeypatch):
    computed = []
    for name in ("f_p_values", "t_p_values", "normal_p_values"):
        exact = getattr(univariate, name)
        noted = lambda x, df, exact=exact: computed.append(1) or exact(x, df)  # noqa: E731
        monkeypatch.setattr(univariate, name, noted)
    examples = random_examples()
    weights = weigh(examples, transformation="abs_statistic")
    assert not computed
    assert "p_value" in weights.details
    expected = [test(*classes_of(examples, j)) for j in range(5)]
    assert weights.details["p_value"] == pytest.approx(expected, rel=1e-9)
    assert computed == [1]
    assert weigh(examples, transformation="one_minus_p").values == pytest.approx(
        1 - np.array(expected)
    )


def test_p_values_of_correlations_survive_pickling_before_they_are_read():
    weights = pickle.loads(pickle.dumps(weight_by_correlation(random_examples())))
    x, y = random_examples().numeric()[:, 2], random_examples().binary_label()
    assert weights.details["p_value"][2] == pytest.approx(stats.pearsonr(x, y).pvalue, rel=1e-9)


def test_q_values_of_sam_come_from_permutations_of_one_seed(listening):
    examples = random_examples(n=20, p=8)
    one, same, other = (
        weight_by_sam(examples, permutations=50, ctx=listening(seed)) for seed in (1, 1, 2)
    )
    assert one.equals(same)
    assert not one.equals(other)
    assert one.values == pytest.approx(weight_by_sam(examples).values)
    assert ((one.details["q_value"] >= 0) & (one.details["q_value"] <= 1)).all()


# --- degenerate data ------------------------------------------------------------------------


@pytest.mark.parametrize("weigh", ALL)
@pytest.mark.parametrize("constant", [0.0, 7.5, 0.1, 1e30, -1e-300])
def test_a_constant_attribute_gets_0(weigh, constant):
    examples = ExampleSet.from_numpy(np.full((9, 2), constant), list("abababaab"))
    assert weigh(examples).values.tolist() == [0.0, 0.0]


def separated():
    """Return an attribute that is constant in each class, but not the same constant."""
    return ExampleSet.from_numpy([[1.0], [1.0], [3.0], [3.0]], ["no", "no", "yes", "yes"])


@pytest.mark.parametrize(
    ("weight", "expected"),
    [("one_minus_p", 1.0), ("neg_log10_p", SMALLEST_P_WEIGHT), ("abs_statistic", np.inf)],
)
def test_an_attribute_that_is_constant_in_each_class_has_an_infinite_t(weight, expected):
    weights = weight_by_welch_test(separated(), transformation=weight)
    assert weights.values.tolist() == pytest.approx([expected])
    assert weights.details["statistic"].tolist() == [np.inf]
    assert weights.details["p_value"].tolist() == [0.0]


@pytest.mark.parametrize("weigh", [weight_by_t_test, weight_by_welch_test, weight_by_f_test])
def test_an_infinite_statistic_gives_a_warning_with_the_name_of_the_attribute(weigh, listening):
    X = np.array([[0.0, 1, 0, 7], [0, 1, 1, 7], [1, 1, 2, 5], [1, 1, 5, 5]])
    heard = listening()
    examples = ExampleSet.from_numpy(X, list("aabb"), names=["x", "y", "z", "u"])
    found = weigh(examples, transformation="abs_statistic", ctx=heard)
    assert found.details["p_value"].tolist()[:2] == [0.0, 1.0]
    assert heard.warnings == [
        '"x", "u": values do not vary within the classes, so the statistic is infinite and the '
        "p-value 0. With few rows or rounded values this happens by chance: use the p-values of "
        "Permutation Test of Weights."
    ]
    quiet = listening()
    weigh(ExampleSet.from_numpy(X[:, 1:3], list("aabb")), ctx=quiet)
    assert quiet.warnings == []


def test_s0_keeps_sam_finite_where_the_error_is_0():
    assert weight_by_sam(separated(), s0=0.1).values == pytest.approx([20.0])
    assert weight_by_sam(separated(), s0=0).values.tolist() == [np.inf]
    flipped = ExampleSet.from_numpy(-separated().numeric(), ["no", "no", "yes", "yes"])
    assert weight_by_sam(flipped, s0=0, signed=True).values.tolist() == [-np.inf]


def test_one_constant_class_is_enough_for_welch():
    examples = ExampleSet.from_numpy([[1.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    # t = 2.5 / sqrt(0.5 / 2) = 5 with one degree of freedom, where Student's t is Cauchy's.
    weights = weight_by_welch_test(examples)
    assert weights.details["statistic"] == pytest.approx([5.0])
    assert weights.details["p_value"] == pytest.approx([2 * stats.cauchy.sf(5.0)])


def test_a_class_of_one_row_leaves_welch_undefined():
    examples = ExampleSet.from_numpy([[1.0], [2.0], [9.0]], ["a", "a", "b"])
    weights = weight_by_welch_test(examples)
    assert weights.values.tolist() == [0.0]
    assert weights.details["p_value"].tolist() == [1.0]


def test_an_attribute_without_known_values_gets_0():
    X = np.column_stack([np.full(6, np.nan), np.arange(6.0)])
    examples = ExampleSet.from_numpy(X, list("aaabbb"))
    for weigh in ALL:
        assert weigh(examples, missing="pairwise").values[0] == 0.0
        assert weigh(examples, missing="pairwise").values[1] > 0.0


def test_large_offsets_do_not_drown_small_differences():
    shift = random_examples()
    moved = ExampleSet.from_numpy(shift.numeric() + 1e9, shift.nominal_values("label"))
    for weigh in ALL:
        assert weigh(moved).values == pytest.approx(weigh(shift).values, rel=1e-5)


def test_unused_classes_do_not_count(toy):
    wider = Attribute.nominal("label", ["0", "1", "2"], "label")
    examples = toy.with_columns([(wider, toy.column("label"))])
    assert weight_by_sam(examples).equals(weight_by_sam(toy))


def test_the_data_is_left_alone(toy):
    before = toy.fingerprint()
    for weigh in ALL:
        weigh(toy)
    assert toy.fingerprint() == before


@pytest.mark.parametrize("weigh", ALL)
def test_weights_know_their_origin(toy, weigh):
    assert weigh(toy).origin == weigh.operator.title


# --- refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize("weigh", ALL)
def test_missing_values_are_refused_by_name_unless_told_otherwise(weigh, refused):
    examples = ExampleSet.from_numpy([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]], list("aba"))
    with refused('"att2"', "missing", "Replace"):
        weigh(examples)


@pytest.mark.parametrize("weigh", ALL)
def test_data_without_a_label_is_refused(toy, weigh, refused):
    with refused("no label", "role label"):
        weigh(toy.drop(["label"]))


@pytest.mark.parametrize("weigh", BINARY)
def test_other_labels_than_two_classes_can_be_refused(weigh, refused):
    X = np.arange(6.0).reshape(6, 1)
    with refused('"label"', "has 3", '"a", "b", "c"', "two classes", "Weight by"):
        weigh(ExampleSet.from_numpy(X, list("abcabc")), multiclass="refuse")
    with refused('"label"', '"a"', "two classes"):
        weigh(ExampleSet.from_numpy(X, list("aaaaaa")))
    with refused('"label"', "real", "classes"):
        weigh(ExampleSet.from_numpy(X, X[:, 0]))


def test_correlation_with_three_classes_can_be_refused(refused):
    X = np.arange(6.0).reshape(6, 1)
    with refused('"label"', "two classes", '"a", "b", "c"'):
        weight_by_correlation(ExampleSet.from_numpy(X, list("abcabc")), multiclass="refuse")


@pytest.mark.parametrize("weigh", ALL)
def test_nominal_attributes_are_refused_by_name(golf, weigh, refused):
    with refused("numerical", '"Outlook", "Wind"', "Nominal to Numerical"):
        weigh(golf)


@pytest.mark.parametrize("weigh", ALL)
def test_infinite_values_are_refused_by_name(weigh, refused):
    examples = ExampleSet.from_numpy([[1.0], [np.inf], [2.0]], list("aba"))
    with refused("infinite", '"att1"', "Replace"):
        weigh(examples)


def test_missing_values_are_refused_with_the_parameter_that_lets_them_in(refused):
    examples = ExampleSet.from_numpy([[1.0], [np.nan], [2.0], [3.0]], list("abab"))
    with refused("1 value is missing", '"att1"', "or set missing to pairwise."):
        weight_by_welch_test(examples)


@pytest.mark.parametrize("weigh", ALL)
def test_a_missing_label_is_refused_with_its_row(weigh, refused):
    labels = np.array(["a", "b", None, "a"], dtype=object)
    with refused('"label"', "missing in row 3", "Filter Examples"):
        weigh(ExampleSet.from_numpy(np.arange(4.0).reshape(4, 1), labels))


@pytest.mark.parametrize("weigh", ALL)
def test_data_without_rows_or_attributes_is_refused(toy, weigh, refused):
    with refused("no rows"):
        weigh(toy.take([]))
    with refused("no regular attributes"):
        weigh(toy.select_regular([]))


@pytest.mark.parametrize("s0", [-0.1, "automatic", float("nan"), None])
def test_s0_must_be_one_of_what_it_can_be(toy, s0, refused):
    with refused("s0 is", "at least 0", '"auto"', error=ParameterError):
        weight_by_sam(toy, s0=s0)


def test_a_wrong_choice_is_told_with_what_is_possible(toy, refused):
    with refused("transformation is", '"one_minus_p"', "Did you mean", error=ParameterError):
        weight_by_welch_test(toy, transformation="one minus p")


def test_the_order_of_classes_in_the_data_decides_nothing(toy):
    reversed_ = toy.take(range(7, -1, -1))
    found = weight_by_sam(reversed_, signed=True)
    assert found.values == pytest.approx(weight_by_sam(toy, signed=True).values)


def test_special_attributes_get_no_weight(toy):
    more = toy.with_columns([nominal_column("row", list("abcdefgh"), role="id")])
    assert weight_by_sam(more).names == ("f1", "f2", "f3", "f4")


def test_a_class_with_one_row_has_lals_score_and_no_welch_test(listening):
    X = np.array([[1.0, 5.0], [2.0, 7.0], [4.0, 6.0], [9.0, 5.5]])
    examples = ExampleSet.from_numpy(X, np.array(["a", "a", "a", "b"]))
    heard = listening()
    assert weight_by_lal_score(examples, ctx=heard).values.min() > 0
    assert heard.warnings == []
    assert not weight_by_welch_test(examples, ctx=heard).values.any()
    assert heard.warnings == [
        "The test is not defined for any attribute: all weights are 0. A class has too few rows, or "
        "no attribute varies."
    ]
