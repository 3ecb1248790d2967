import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from fsops.algorithms.aggregation.classifiers import combine, vote_weights

relaxed = settings(deadline=None, max_examples=60)

# The specification's supports of three classifiers for three classes, for one row.
WORKED = np.array([[0.6, 0.4, 0], [0.2, 0.5, 0.3], [0.1, 0.45, 0.45]])[:, None, :]


@pytest.mark.parametrize(
    ("rule", "expected", "winner"),
    [
        ("majority", [1, 2, 0], 1),
        ("average", [0.3, 0.45, 0.25], 1),
        ("sum", [0.9, 1.35, 0.75], 1),
        ("product", [0.012, 0.09, 0], 1),
        ("minimum", [0.1, 0.4, 0], 1),
        ("maximum", [0.6, 0.5, 0.45], 0),
    ],
)
def test_worked_rules(rule, expected, winner):
    found = combine(WORKED, rule)
    assert found[0] == pytest.approx(np.array(expected) / np.sum(expected), abs=1e-9)
    assert found[0].argmax() == winner


def test_vote_weights_of_several_classes_are_those_of_samme():
    errors = np.array([0.66, 0.2, 0.875, 0.99])
    weights = vote_weights(errors, classes=8)
    np.testing.assert_allclose(weights[:2], np.log((1 - errors[:2]) / errors[:2]) + np.log(7))
    assert weights[2:].tolist() == [0, 0]


def test_worked_vote_weights():
    weights = vote_weights([0.2, 0.5, 0.8, 0.0])
    assert weights[:3] == pytest.approx([np.log(4), 0, 0])
    assert weights[3] == pytest.approx(np.log((1 - 1e-6) / 1e-6))


def test_weighted_votes_can_overrule_the_many():
    found = combine(WORKED, "weighted majority", weights=vote_weights([0.01, 0.4, 0.4]))
    assert found[0].argmax() == 0
    expected = np.log([99, 1.5, 1.5])
    assert found[0] == pytest.approx(
        np.array([expected[0], expected[1:].sum(), 0]) / expected.sum()
    )


def test_useless_classifiers_count_alike():
    found = combine(WORKED, "weighted majority", weights=vote_weights([0.5, 0.6, 0.7]))
    assert found == pytest.approx(combine(WORKED, "majority"))


def test_votes_may_differ_from_the_largest_support():
    found = combine(WORKED, "majority", votes=np.array([[2], [2], [0]]))
    assert found[0] == pytest.approx([1 / 3, 0, 2 / 3])


def test_ties_go_to_the_larger_sum_then_to_the_prior_then_to_the_first():
    by_sum = np.array([[[0.6, 0.4]], [[0.1, 0.9]]])
    assert combine(by_sum, "majority")[0].argmax() == 1
    even = np.array([[[0.7, 0.3]], [[0.3, 0.7]]])
    assert combine(even, "majority", priors=[0.2, 0.8])[0].argmax() == 1
    assert combine(even, "majority", priors=[0.5, 0.5])[0].argmax() == 0
    assert combine(even, "majority", priors=[0.2, 0.8])[0] == pytest.approx([0.5, 0.5])


def test_classes_that_all_are_excluded_are_decided_by_the_sum():
    excluded = np.array([[[0.0, 0.4, 0.6]], [[0.7, 0.0, 0.3]], [[0.7, 0.3, 0.0]]])
    assert combine(excluded, "minimum")[0] == pytest.approx([1.4 / 3, 0.7 / 3, 0.9 / 3])


def test_no_support_at_all_is_the_same_for_every_class():
    assert combine(np.zeros((2, 1, 4)), "average")[0] == pytest.approx([0.25] * 4)


def test_no_rows_are_no_problem():
    for rule in ("majority", "average", "product", "minimum"):
        assert combine(np.zeros((2, 0, 3)), rule).shape == (0, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: combine(WORKED, "mode"), "Unknown rule"),
        (lambda: combine(WORKED[0], "sum"), "classifiers, rows, classes"),
        (lambda: combine(WORKED, "weighted majority"), "weight for each"),
    ],
)
def test_impossible_requests_are_explained(call, message):
    with pytest.raises(ValueError, match=message):
        call()


supports = arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(2, 4)),
    elements=st.integers(0, 8).map(float),
)


@relaxed
@given(supports)
def test_average_and_sum_are_the_same(given):
    np.testing.assert_array_equal(combine(given, "average"), combine(given, "sum"))


@relaxed
@given(arrays(np.float64, (4, 6), elements=st.integers(1, 99).map(float)))
def test_minimum_and_maximum_agree_on_two_classes(first):
    given = np.stack([first / 100, 1 - first / 100], axis=2)
    low, high = combine(given, "minimum"), combine(given, "maximum")
    np.testing.assert_array_equal(low.argmax(axis=1), high.argmax(axis=1))


@relaxed
@given(supports, st.randoms())
def test_the_order_of_classifiers_does_not_matter(given, random):
    order = list(range(len(given)))
    random.shuffle(order)
    for rule in ("majority", "average", "product", "minimum", "maximum"):
        one, two = combine(given, rule), combine(given[order], rule)
        np.testing.assert_array_equal(one.argmax(axis=1), two.argmax(axis=1))
        np.testing.assert_allclose(one, two, atol=1e-12)


@relaxed
@given(supports)
def test_equal_classifiers_decide_like_one(given):
    same = np.repeat(given[:1], 3, axis=0)
    for rule in ("majority", "average", "product", "minimum", "maximum"):
        winners = combine(same, rule).argmax(axis=1)
        np.testing.assert_array_equal(winners, given[0].argmax(axis=1))


def test_rules_agree_with_scikit_learn():
    from sklearn.datasets import load_iris
    from sklearn.ensemble import VotingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    X = X[:, :2]
    members = [
        ("a", GaussianNB()),
        ("b", LogisticRegression(max_iter=500)),
        ("c", DecisionTreeClassifier(max_depth=3, random_state=0)),
    ]
    soft = VotingClassifier(members, voting="soft").fit(X, y)
    hard = VotingClassifier(members, voting="hard", weights=[1, 1.5, 1.2]).fit(X, y)
    probabilities = np.stack([m.predict_proba(X) for m in soft.estimators_])
    assert combine(probabilities, "average") == pytest.approx(soft.predict_proba(X))
    found = combine(probabilities, "weighted majority", weights=[1, 1.5, 1.2])
    np.testing.assert_array_equal(found.argmax(axis=1), hard.predict(X))
