"""Kernel methods, against scikit-learn."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from fsops import Attribute, ExampleSet
from fsops.algorithms.kernel.clinical import ClinicalScale, clinical_kernel
from fsops.operators import (
    kernel_ridge,
    nominal_to_numerical,
    performance,
    support_vector_machine,
)
from fsops.testing import make_examples


def standardized(table):
    return StandardScaler().fit_transform(table.numeric())


@pytest.mark.parametrize(("settings", "oracle"), [
    ({}, {"kernel": "linear"}),
    ({"kernel_type": "radial", "gamma": 0.3, "C": 5}, {"kernel": "rbf", "gamma": 0.3, "C": 5}),
    ({"kernel_type": "polynomial", "degree": 3}, {"kernel": "poly", "degree": 3, "coef0": 1.0}),
    ({"kernel_type": "neural", "coef0": 0.0}, {"kernel": "sigmoid"}),
])  # fmt: skip
def test_machines_are_libsvms(iris, halves, predicted, settings, oracle):
    train, test = halves(iris)
    scaler = StandardScaler().fit(train.numeric())
    svc = SVC(**{"gamma": "auto", **oracle}, break_ties=True)
    svc.fit(scaler.transform(train.numeric()), train.label_values())
    found = predicted(support_vector_machine(train, **settings).model, test)
    assert (found == svc.predict(scaler.transform(test.numeric()))).all()


def test_the_linear_kernel_tells_its_coefficients(iris):
    two = iris.take(iris.label_values() > 0)
    oracle = SVC(kernel="linear").fit(standardized(two), two.label_values())
    weights = support_vector_machine(two).weights
    assert weights.values == pytest.approx(np.abs(oracle.coef_[0]))
    assert support_vector_machine(two, kernel_type="rbf").weights is None


def test_confidences_rise_with_the_distance_from_the_border(iris, confidences):
    two = iris.take(iris.label_values() > 0)
    oracle = SVC(kernel="linear").fit(standardized(two), two.label_values())
    found = confidences(support_vector_machine(two).model, two)[:, 2]
    expected = 1 / (1 + np.exp(-oracle.decision_function(standardized(two))))
    assert found == pytest.approx(expected)


def test_numbers_are_fitted_too(diabetes, predicted):
    X = standardized(diabetes)
    oracle = SVR(kernel="linear", C=10, epsilon=0.5).fit(X, diabetes.label_values())
    found = support_vector_machine(diabetes, C=10, epsilon=0.5)
    assert predicted(found.model, diabetes) == pytest.approx(oracle.predict(X))
    assert found.weights.values == pytest.approx(np.abs(oracle.coef_[0]))


def test_a_label_in_a_unit_that_epsilon_or_c_does_not_fit_gives_a_warning(diabetes, listening):
    X, y = diabetes.numeric()[:80], diabetes.label_values()[:80] / 100
    for factor, said in [
        (1e-9, "epsilon=0.1 is larger than the errors of all rows, so all rows have the same"),
        (1e9, "C=1 limits the effect of every row, so the model follows the label too little"),
        (1.0, None),
        (0.0, None),
    ]:
        for kernel in ("linear", "radial", "clinical"):
            heard = listening()
            table = ExampleSet.from_numpy(X, factor * y)
            support_vector_machine(table, kernel_type=kernel, ctx=heard)
            assert len(heard.warnings) == (said is not None)
            if said is not None:
                (words,) = heard.warnings
                assert words.startswith(said)
                assert 'the label "label", whose values differ by at most' in words
                assert words.endswith("by validation, or give the label in another unit.")


def test_a_hard_margin_leaves_no_error_where_there_need_be_none(iris, listening):
    apart = iris.take(iris.label_values() < 2)
    ctx = listening()
    model = support_vector_machine(apart, hard_margin=True, ctx=ctx).model
    assert performance(model.apply(apart)).main.mean == 1
    assert ctx.warnings == []


def test_the_user_is_told_when_a_hard_margin_cannot_be(listening):
    table = ExampleSet.from_numpy([[0.0], [1.0], [2.0], [3.0]], list("abab"))
    ctx = listening()
    support_vector_machine(table, hard_margin=True, ctx=ctx)
    assert any(
        "wrong side" in warning and "hard_margin=false" in warning for warning in ctx.warnings
    )


def test_a_costly_class_is_missed_less_often(iris, predicted):
    two = iris.take(iris.label_values() > 0)
    dear = support_vector_machine(two, class_weights={"virginica": 100.0}).model
    cheap = support_vector_machine(two, class_weights={"virginica": 0.01}).model
    rows = two.label_values() == 2
    assert (predicted(dear, two)[rows] == 2).all()
    assert (predicted(cheap, two)[~rows] == 1).all()


def test_no_cost_means_rapidminers(iris, predicted):
    X = standardized(iris)
    oracle = SVC(kernel="linear", C=1 / (X**2).sum(axis=1).mean(), break_ties=True)
    found = predicted(support_vector_machine(iris, C=0).model, iris)
    assert (found == oracle.fit(X, iris.label_values()).predict(X)).all()


def test_kernel_ridge_centres_the_label(diabetes, predicted):
    X, y = standardized(diabetes), diabetes.label_values()
    oracle = KernelRidge(alpha=2.0, kernel="rbf", gamma=0.1).fit(X, y - y.mean())
    model = kernel_ridge(diabetes, penalty=2.0, kernel_type="rbf", gamma=0.1)
    assert predicted(model, diabetes) == pytest.approx(oracle.predict(X) + y.mean())


def test_one_class_and_classes_for_a_regression_are_refused(iris, refused):
    with refused("two classes", '"setosa"'):
        support_vector_machine(iris.take(np.arange(10)))
    with refused("numerical label", "Support Vector Machine"):
        kernel_ridge(iris)


def clinical(train, test):
    """Return the clinical kernel of the training rows, and that of the test rows with them."""
    scale = ClinicalScale.of(train.numeric())
    a, b = (scale.rows(table.numeric(), table.nominal()) for table in (train, test))
    return clinical_kernel(a), clinical_kernel(b, a)


@pytest.mark.parametrize("label", ["binominal", "polynominal"])
def test_the_clinical_kernel_takes_mixed_tables_with_gaps(predicted, label):
    table = make_examples(80, 3, 3, label=label, missing=0.1)
    train, test = table.take(np.arange(40)), table.take(np.arange(40, 80))
    gram, cross = clinical(train, test)
    oracle = SVC(kernel="precomputed", C=2.0, class_weight="balanced", break_ties=True)
    oracle.fit(gram, train.label_values())
    model = support_vector_machine(train, kernel_type="clinical", C=2.0, balance_cost=True).model
    assert (predicted(model, test) == oracle.predict(cross)).all()
    assert support_vector_machine(train, kernel_type="clinical").weights is None


def test_ordered_categories_are_compared_by_their_ranks_as_numbers(predicted):
    """The third kind of the clinical kernel: 1 − the difference of ranks / their range."""
    rng = np.random.default_rng(8)
    grade, place = rng.integers(0, 4, 40), rng.integers(0, 3, 40)
    classes = (grade + rng.normal(size=40) > 1.5).astype(np.int64)
    table = ExampleSet.from_columns(
        [
            (Attribute.nominal("grade", ["none", "low", "medium", "high"]), grade.astype(np.int32)),
            (Attribute.nominal("place", "xyz"), place.astype(np.int32)),
            (Attribute.nominal("label", "ab", "label"), classes.astype(np.int32)),
        ],
        40,
    )
    ranked = nominal_to_numerical(
        table,
        coding_type="unique integers",
        attribute_filter_type="single",
        attribute="grade",
    ).examples
    model = support_vector_machine(ranked, kernel_type="clinical", C=3.0).model
    span = np.ptp(grade)
    gram = (1 - np.abs(grade[:, None] - grade) / span + (place[:, None] == place)) / 2
    expected = SVC(kernel="precomputed", C=3.0).fit(gram, classes).predict(gram)
    assert (predicted(model, ranked) == expected).all()


def test_the_clinical_kernel_fits_numbers(halves, predicted):
    train, test = halves(make_examples(60, 3, 2, label="numerical", missing=0.1))
    gram, cross = clinical(train, test)
    y = train.label_values()
    machine = support_vector_machine(train, kernel_type="clinical", epsilon=0.05).model
    oracle = SVR(kernel="precomputed", epsilon=0.05).fit(gram, y)
    assert predicted(machine, test) == pytest.approx(oracle.predict(cross))
    ridge = kernel_ridge(train, kernel_type="clinical", penalty=0.5)
    expected = KernelRidge(kernel="precomputed", alpha=0.5).fit(gram, y - y.mean()).predict(cross)
    assert predicted(ridge, test) == pytest.approx(expected + y.mean())


def colours(codes, names, label):
    """Return a table with one nominal attribute and a label."""
    return ExampleSet.from_columns(
        [
            (Attribute.nominal("colour", names), np.array(codes, dtype=np.int32)),
            (Attribute.nominal("y", ["no", "yes"], "label"), np.array(label, dtype=np.int32)),
        ],
        len(codes),
    )


def test_a_category_that_training_has_not_seen_is_like_nothing(confidences):
    train = colours([0, 0, 1, 1, 0, 1], ["red", "blue"], [0, 0, 1, 1, 0, 1])
    new = colours([0, 1, 2, -1], ["blue", "red", "green"], [0, 0, 0, 0])
    model = support_vector_machine(train, kernel_type="clinical").model
    found = confidences(model, new)[:, 1]
    assert found[0] > 0.5 > found[1]
    assert found[2] == found[3]  # unseen and missing: only the bias is left
    assert found[2] == pytest.approx(0.5)


def test_values_beyond_the_range_are_its_end(halves, predicted):
    train = ExampleSet.from_numpy([[0.0], [1.0], [9.0], [10.0]], list("aabb"))
    far = ExampleSet.from_numpy([[-1e30], [1e30]], list("ab"))
    model = support_vector_machine(train, kernel_type="clinical").model
    assert predicted(model, far).tolist() == [0, 1]
    ends = ExampleSet.from_numpy([[0.0], [10.0]], list("ab"))
    kept, moved = (model.apply(t).column("confidence(b)") for t in (ends, far))
    assert (kept == moved).all()


def test_constant_columns_and_hard_margins_with_the_clinical_kernel(listening):
    table = ExampleSet.from_numpy([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]], list("aabb"))
    ctx = listening()
    model = support_vector_machine(table, kernel_type="clinical", hard_margin=True, ctx=ctx).model
    assert performance(model.apply(table)).main.mean == 1
    assert ctx.warnings == []
    constant = table.select(["att2", "label"])
    support_vector_machine(constant, kernel_type="clinical", hard_margin=True, ctx=ctx)
    assert any("wrong side" in warning for warning in ctx.warnings)


def test_no_cost_with_the_clinical_kernel_is_that_of_what_is_known(confidences):
    table = make_examples(60, 3, 2, missing=0.2)
    train, test = table.take(np.arange(30)), table.take(np.arange(30, 60))
    gram, _ = clinical(train, test)
    fair = support_vector_machine(train, kernel_type="clinical", C=0.0).model
    same = support_vector_machine(train, kernel_type="clinical", C=1 / gram.diagonal().mean()).model
    assert confidences(fair, test) == pytest.approx(confidences(same, test))


@pytest.mark.parametrize("learn", [support_vector_machine, kernel_ridge])
def test_other_kernels_still_need_complete_numbers(learn, refused):
    with refused("must be numerical", '"nom1"'):
        learn(make_examples(20, 2, 1, label="numerical"))
    with refused("missing"):
        learn(make_examples(20, 2, 0, label="numerical", missing=0.2), kernel_type="rbf")
