"""Wrappers on k-NN that look at few subsets."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from fsops import Context, ExampleSet
from fsops.errors import ParameterError
from fsops.operators import (
    ensemble_feature_selection,
    select_by_hib_css,
    select_by_hib_sbs,
    select_by_hyb_seq,
    select_by_ib,
    select_by_randomized_wrapper,
    select_by_weights,
    weight_by_f_test,
)

ALL = [select_by_hib_sbs, select_by_hib_css, select_by_hyb_seq, select_by_randomized_wrapper]
WITH_K = {select_by_hyb_seq: {"k": 4}, select_by_randomized_wrapper: {"k": 4}}


@pytest.fixture
def expression():
    """Return 40 rows × 60 attributes of which the first four differ between the classes."""
    rng = np.random.default_rng(4)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 60))
    X[:, :4] += 2.5 * y[:, None]
    return ExampleSet.from_numpy(X, np.array(["a", "b"])[y])


@pytest.mark.parametrize("wrapper", ALL)
def test_the_classifier_that_judges_can_be_that_of_the_thesis(expression, wrapper):
    X = expression.numeric() * np.linspace(1, 30, 60)
    wide = ExampleSet.from_numpy(X, expression.column("label"))
    how = {"metric": "euclidean", "metric_scaling": "none", "number_of_folds": 40}
    found = wrapper(wide, **WITH_K.get(wrapper, {}), **how)
    names = found.weights.selected()
    part = wide.select_regular(names)
    predicted = cross_val_predict(
        KNeighborsClassifier(1), part.numeric(), part.label_values(), cv=LeaveOneOut()
    )
    error = np.mean(predicted != part.label_values())
    assert found.performance["classification_error"].mean == pytest.approx(error)


@pytest.mark.parametrize("wrapper", ALL)
def test_weights_select_and_the_error_is_that_of_the_selection(expression, wrapper):
    found = wrapper(expression, **WITH_K.get(wrapper, {}))
    assert found.weights.names == expression.schema.regular_names
    chosen = found.weights.selected()
    assert 1 <= len(chosen) < 60
    kept = select_by_weights(expression, found.weights, weight_relation="greater", threshold=0.0)
    assert kept.schema.regular_names == chosen
    error = found.performance.main
    assert error.name == "classification_error"
    assert not error.maximize
    assert error.mean * 40 == pytest.approx(round(error.mean * 40))
    assert error.mean < 0.3


@pytest.mark.parametrize("wrapper", ALL)
def test_three_classes_and_several_neighbours(wrapper):
    rng = np.random.default_rng(0)
    y = np.arange(45) % 3
    X = rng.normal(size=(45, 8))
    X[:, 0] += 3 * y
    examples = ExampleSet.from_numpy(X, np.array(list("abc"))[y])
    options = {**WITH_K.get(wrapper, {}), "number_of_neighbors": 20}  # more than a class has
    found = wrapper(examples, **options)
    assert found.performance.main.mean < 0.67


def test_backward_wrapper_on_the_worked_example(toy):
    # Sets of one attribute are {f1} and {f4}; without either the error rises.
    found = select_by_hib_sbs(toy, candidate_size=1, number_of_folds=8)
    assert found.weights.selected() == ("f1", "f4")
    assert found.performance.main.mean == 0
    by_filter = select_by_ib(toy, candidate_size=1)
    np.testing.assert_allclose(found.weights.values, by_filter.values)


def test_forward_on_the_worked_example(toy):
    found = select_by_hyb_seq(toy, k=4, number_of_folds=8)
    assert found.weights.values.tolist() == [2, 1, 0, 0]
    assert found.performance.main.mean == 0
    alone = select_by_hyb_seq(toy, k=4, prefilter_k=1, number_of_folds=8, output="selection")
    assert alone.weights.values.tolist() == [0, 0, 0, 1]
    assert alone.performance.main.mean == 0.25


def test_forward_chooses_among_what_the_filter_leaves(expression):
    best = set(weight_by_f_test(expression).top(5))
    found = select_by_hyb_seq(expression, k=10, prefilter_k=5, stop_without_gain=False)
    assert set(found.weights.selected()) == best
    assert sorted(found.weights.values)[-5:] == [1, 2, 3, 4, 5]


def test_good_attributes_weigh_more_than_one_in_the_cooperative_wrapper(expression):
    values = select_by_hib_css(expression).weights.values
    assert values.max() == 2
    assert ((values > 0) & (values <= 1)).any()
    ranking = select_by_hib_css(expression, output="ranking").weights
    assert ranking.top(5) == select_by_hib_css(expression).weights.top(5)


def test_cooperative_wrapper_falls_back_to_the_filter(expression, listening):
    ctx = listening()
    found = select_by_hib_css(expression, limits="errors", good_error=0.0, bad_error=0.0, ctx=ctx)
    assert found.weights.selected() == select_by_ib(expression, k=5).selected()
    assert ctx.warnings == [
        "No attribute is left after removing those of bad sets, so the attributes with the "
        "best mean weight are used."
    ]


def test_limits_that_cross_are_refused(expression, refused):
    with refused("good_quantile is 0.8, but bad_quantile is 0.2", error=ParameterError):
        select_by_hib_css(expression, good_quantile=0.8, bad_quantile=0.2)
    with refused("good_error is 0.5, but bad_error is 0.3", error=ParameterError):
        select_by_hib_css(expression, limits="errors", good_error=0.5)


def test_randomized_wrapper_keeps_its_size_if_told(expression):
    sizes = {
        len(
            select_by_randomized_wrapper(
                expression, k=7, fixed_size=True, ctx=Context(s)
            ).weights.selected()
        )
        for s in range(4)
    }
    assert sizes == {7}


def test_randomized_wrapper_is_chance(expression):
    found = [
        select_by_randomized_wrapper(
            expression, k=5, fixed_size=True, ctx=Context(s)
        ).weights.selected()
        for s in range(4)
    ]
    assert len(set(found)) == 4


@pytest.mark.parametrize("wrapper", [select_by_hib_sbs, select_by_hib_css])
def test_nothing_to_propose_is_told_and_predicts_the_largest_class(wrapper, listening):
    examples = ExampleSet.from_numpy(np.ones((6, 2)), list("aaaabb"))
    ctx = listening()
    found = wrapper(examples, ctx=ctx)
    assert found.weights.selected() == ()
    assert found.performance.main.mean == pytest.approx(1 / 3)
    assert "No row proposes an attribute" in ctx.warnings[0]


@pytest.mark.parametrize("wrapper", ALL)
def test_more_folds_than_rows_leave_one_out(toy, wrapper):
    options = {"k": 2} if wrapper in WITH_K else {}
    assert wrapper(toy, **options, number_of_folds=8).performance.equals(
        wrapper(toy, **options, number_of_folds=100).performance
    )


def test_more_rows_than_pairs_can_be_kept_are_refused(refused):
    y = np.arange(10_002) % 2
    examples = ExampleSet.from_numpy(y[:, None] + 0.0, np.array(["a", "b"])[y])
    with refused("10,002 rows", "10,000 rows are the limit", "Sample"):
        select_by_hyb_seq(examples)


@pytest.mark.parametrize("wrapper", ALL)
def test_copies_of_rows_and_constant_attributes_are_fine(wrapper):
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(10, 3)), 2, axis=0)
    X[:, 1] = 7
    examples = ExampleSet.from_numpy(X, np.array(["a", "b"])[np.repeat(np.arange(10) % 2, 2)])
    found = wrapper(examples, **({"k": 2} if wrapper in WITH_K else {}))
    assert np.isfinite(found.weights.values).all()


def test_ensemble_takes_the_weights(expression):
    weights = ensemble_feature_selection(
        expression, lambda rows: select_by_hib_css(rows).weights, iterations=5, k=4
    )
    assert len(set(weights.selected()) & {"att1", "att2", "att3", "att4"}) >= 3
