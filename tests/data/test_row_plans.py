"""Sets of rows whose moments are computed together."""

import pickle

import numpy as np
import pytest

import fsops.operators as operators
from fsops import ExampleSet
from fsops.data import row_plans
from fsops.data.examples import PLANNED
from fsops.data.row_plans import RowPlan


def table(rng, n=60, p=300, classes=3):
    X = rng.normal(size=(n, p))
    codes = np.arange(n) % classes
    X[:, :20] += codes[:, None]
    return ExampleSet.from_numpy(X, np.array(list("abcd"))[codes])


def training_sets(n, number):
    return [np.setdiff1d(np.arange(n), np.arange(fold, n, number)) for fold in range(number)]


def test_a_filter_gives_the_same_weights_with_and_without_a_plan():
    examples = table(np.random.default_rng(1))
    sets = training_sets(60, 10)
    plan = RowPlan(examples, sets)
    for number, rows in enumerate(sets):
        for weighting in (operators.weight_by_f_test, operators.weight_by_fisher_score):
            planned = weighting(plan.taken(number))
            direct = weighting(examples.take(rows))
            assert np.allclose(planned.values, direct.values, rtol=1e-12)
            assert planned.top(30) == direct.top(30)


def test_the_label_may_be_a_number():
    rng = np.random.default_rng(2)
    examples = ExampleSet.from_numpy(rng.normal(size=(50, 80)), rng.normal(size=50))
    sets = training_sets(50, 5)
    plan = RowPlan(examples, sets)
    for number, rows in enumerate(sets):
        planned = operators.weight_by_correlation(plan.taken(number))
        direct = operators.weight_by_correlation(examples.take(rows))
        assert np.allclose(planned.values, direct.values, rtol=1e-11)


def test_all_sets_are_computed_in_one_pass(monkeypatch):
    from fsops.algorithms.base import resampled_moments

    calls = []
    real = resampled_moments.class_moments_of_sets
    monkeypatch.setattr(
        resampled_moments,
        "class_moments_of_sets",
        lambda X, codes, counts, classes: (
            calls.append(len(counts)) or real(X, codes, counts, classes)
        ),
    )
    plan = RowPlan(table(np.random.default_rng(3)), training_sets(60, 10))
    for number in range(10):
        plan.taken(number).moments()
    assert calls == [10]


@pytest.mark.parametrize("order", [range(6), (5, 0, 3, 1, 4, 2)])
def test_moments_do_not_depend_on_the_order_in_which_sets_are_asked(monkeypatch, order):
    monkeypatch.setattr(row_plans, "SMALL", 8 * 6 * 300 * 2)  # two sets at a time
    monkeypatch.setattr(row_plans, "SHARE", 0.0)
    examples = table(np.random.default_rng(4))
    sets = training_sets(60, 6)
    asked = {number: RowPlan(examples, sets).taken(number).moments().ss for number in range(6)}
    plan = RowPlan(examples, sets)
    for number in order:
        assert plan.taken(number).moments().ss.tobytes() == asked[number].tobytes()


@pytest.mark.parametrize("number", [5, row_plans.FEW + 1])
def test_all_rows_have_the_weights_of_the_table(number):
    examples = table(np.random.default_rng(10))
    plan = RowPlan(examples, training_sets(60, number), whole=True)
    found = operators.weight_by_f_test(plan.all_rows())
    direct = operators.weight_by_f_test(examples)
    assert (plan.all_rows() in PLANNED) == (number <= row_plans.FEW)
    assert examples not in PLANNED
    assert np.allclose(found.values, direct.values, rtol=1e-12)
    assert found.top(30) == direct.top(30)


def test_a_set_without_a_class_has_moments_of_the_others():
    examples = table(np.random.default_rng(5), classes=3)
    codes, _ = examples.class_codes()
    rows = np.flatnonzero(codes != 1)
    found = RowPlan(examples, [rows, np.arange(60)]).taken(0).moments()
    direct = examples.take(rows).moments()
    assert found.count.tolist() == direct.count.tolist()
    assert np.allclose(found.mean, direct.mean)


def test_missing_values_are_left_to_the_rows_themselves():
    X = np.random.default_rng(6).normal(size=(30, 5))
    X[3, 2] = np.nan
    examples = ExampleSet.from_numpy(X, np.array(list("ab") * 15))
    plan = RowPlan(examples, training_sets(30, 3))
    assert PLANNED[plan.taken(1)].class_moments() is None
    assert plan.taken(1).moments(missing="pairwise").count.shape == (2, 5)


def test_a_plan_does_not_travel_with_the_table():
    examples = table(np.random.default_rng(7), n=40, p=2000, classes=2)
    small = RowPlan(examples, [np.arange(4)]).taken(0)
    assert small in PLANNED
    assert pickle.loads(pickle.dumps(small)) not in PLANNED


def test_moments_are_freed_when_the_plan_ends():
    with RowPlan(table(np.random.default_rng(8)), training_sets(60, 4)) as plan:
        plan.taken(2).moments()
        assert row_plans._LAST._value is not None
    assert row_plans._LAST._value is None


def test_a_label_that_is_constant_in_a_set_has_no_spread():
    rng = np.random.default_rng(9)
    label = np.where(np.arange(30) < 20, 0.1, rng.normal(size=30))
    examples = ExampleSet.from_numpy(rng.normal(size=(30, 6)), label)
    moments = RowPlan(examples, [np.arange(20), np.arange(30)]).taken(0).cross_moments()
    assert not moments.ss_y.any()


def test_attributes_that_are_constant_in_a_set_have_equal_means_in_all_classes():
    # Such as rare words: in most training sets all rows have 0.
    rng = np.random.default_rng(0)
    X = np.where(rng.random((60, 200)) < 0.03, rng.lognormal(size=(60, 200)), 0.0)
    rare = ExampleSet.from_numpy(X, np.arange(60) % 2)
    sets = [np.arange(30), np.arange(20, 60), np.repeat(np.arange(40), 2)]
    with RowPlan(rare, sets) as plan:
        for number, rows in enumerate(sets):
            found = operators.weight_by_lal_score(plan.taken(number)).values
            expected = operators.weight_by_lal_score(rare.take(rows)).values
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def awkward(kind, rng, n=48, p=120, classes=3):
    """Return a table whose values make sums of squares lose digits, and its class codes."""
    codes = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(n, p))
    X[:, ::7] += codes[:, None]
    if kind == "ties":
        X = np.round(X)  # few different values, and every attribute twice
        X[:, p // 2 :] = X[:, : p // 2]
    elif kind == "constants":
        X[:, 3::9] = 0.1  # in all rows, in one class, and in all classes with different means
        X[:, 4::9][codes == 1] = 0.7
        X[:, 5::9] = 0.3 * codes[:, None]
    elif kind == "huge scales":
        X *= 10.0 ** rng.integers(-30, 30, p)
    elif kind == "far from zero":
        X += 1e7 * rng.choice([-1, 1], p)
    return ExampleSet.from_numpy(X, np.array(list("abc"))[codes])


def bootstrap_sets(n, number, rng):
    return [np.sort(rng.integers(0, n, n)) for _ in range(number)]


@pytest.mark.parametrize("sets", ["folds", "bootstraps"])
@pytest.mark.parametrize("kind", ["ties", "constants", "huge scales", "far from zero"])
@pytest.mark.parametrize("classes", [2, 3])
def test_selections_from_awkward_tables_are_those_of_the_rows_themselves(kind, classes, sets):
    rng = np.random.default_rng(12)
    examples = awkward(kind, rng, classes=classes)
    chosen = training_sets(48, 6) if sets == "folds" else bootstrap_sets(48, 12, rng)
    weightings = [operators.weight_by_f_test, operators.weight_by_fisher_score]
    weightings += [operators.weight_by_welch_test] if classes == 2 else []
    with RowPlan(examples, chosen) as plan:
        for number, rows in enumerate(chosen):
            for weighting in weightings:
                planned, direct = weighting(plan.taken(number)), weighting(examples.take(rows))
                assert planned.best(20).positions.tolist() == direct.best(20).positions.tolist()
                np.testing.assert_allclose(planned.values, direct.values, rtol=1e-7, atol=1e-12)


def test_selections_with_missing_values_are_those_of_the_rows_themselves():
    rng = np.random.default_rng(13)
    X = np.array(awkward("ties", rng).numeric())
    X[rng.random(X.shape) < 0.05] = np.nan
    examples = ExampleSet.from_numpy(X, np.array(list("abc"))[np.arange(48) % 3])
    chosen = bootstrap_sets(48, 8, rng)
    with RowPlan(examples, chosen) as plan:
        for number, rows in enumerate(chosen):
            planned, direct = (
                operators.weight_by_f_test(part, missing="pairwise")
                for part in (plan.taken(number), examples.take(rows))
            )
            assert planned.equals(direct)
