"""Ensembles of selections."""

import numpy as np
import pytest

from fsops import ExampleSet, Process, run
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    ensemble_feature_selection,
    rank_by_selection,
    retrieve,
    weight_by_correlation,
    weight_by_f_test,
    weight_by_fisher_score,
    weight_by_lal_score,
    weight_by_relief,
    weight_by_sam,
    weight_by_welch_test,
)


@pytest.fixture
def examples():
    return retrieve(repository_entry="breast cancer")


@pytest.mark.parametrize(
    "filter_operator",
    [
        weight_by_sam,
        weight_by_welch_test,
        weight_by_f_test,
        weight_by_fisher_score,
        weight_by_lal_score,
    ],
)
@pytest.mark.parametrize("sampling", ["bootstrap", "subsample", "leave one part out"])
def test_filters_computed_at_once_give_what_each_resample_gives(
    filter_operator, sampling, examples
):
    found = []
    for at_once in (True, False):
        process = Process()
        data = process.add(retrieve, repository_entry="breast cancer")
        node = process.add(
            ensemble_feature_selection,
            data,
            name="E",
            sampling=sampling,
            sample_fraction=0.8,
            combination="accumulate weights",
        )
        inner = node.inner()
        weights = inner.add(filter_operator, inner.source())
        inner.result(weights)
        if not at_once:
            inner.add(weight_by_sam, inner.source(), name="Idle")
        process.result(node)
        found.append(run(process)[0].values)
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def filtered(examples, filter_operator, *, sampling="subsample", **parameters):
    """Return an ensemble of one filter on unstratified parts of the rows."""
    process = Process()
    node = process.add(
        ensemble_feature_selection,
        process.source("input 1"),
        sampling=sampling,
        sample_fraction=0.3,
        stratified=False,
    )
    inner = node.inner()
    inner.result(inner.add(filter_operator, inner.source(), **parameters))
    process.result(node)
    return run(process, examples)[0]


def test_resample_without_a_class_is_told_also_where_all_are_computed_at_once():
    X = np.random.default_rng(0).normal(size=(20, 3))
    examples = ExampleSet.from_numpy(X, ["a"] * 18 + ["b"] * 2)
    with pytest.raises(DataError, match="Weight by SAM: At least two classes are needed"):
        filtered(examples, weight_by_sam)


def test_data_that_does_not_fit_names_the_filter_inside(examples):
    iris = retrieve(repository_entry="iris")
    with pytest.raises(DataError, match="Weight by Relief: Exactly two classes are needed"):
        filtered(iris, weight_by_relief)


def test_macro_of_a_loop_around_reaches_a_filter_computed_at_once(examples):
    process = Process()
    ranking = process.add(rank_by_selection, process.source("input 1"), k=2, macro="s0")
    loop = ranking.inner()
    node = loop.add(ensemble_feature_selection, loop.source(), iterations=2, k=1)
    inner = node.inner()
    inner.result(inner.add(weight_by_sam, inner.source(), s0="%{s0}"))
    loop.result(node)
    process.result(ranking)
    assert len(run(process, examples)[0].selected()) >= 1


def test_top_k_counts_in_how_many_resamples_an_attribute_was_among_the_best(examples):
    seen = []

    def weigh(sample):
        weights = weight_by_correlation(sample)
        seen.append(weights.top(4))
        return weights

    found = ensemble_feature_selection(examples, weigh, iterations=8, k=4)
    votes = {name: sum(name in top for top in seen) / 8 for name in found.names}
    assert dict(zip(found.names, found.details["frequency"], strict=True)) == votes
    assert len(found.selected()) == 4


def test_minimum_iterations_drops_the_rare(examples):
    weigh = weight_by_correlation
    all_four = ensemble_feature_selection(examples, weigh, iterations=6, k=4)
    always = ensemble_feature_selection(examples, weigh, iterations=6, k=4, min_iterations=6)
    expected = [
        n for n, f in zip(all_four.names, all_four.details["frequency"], strict=True) if f == 1
    ]
    assert set(always.selected()) <= set(expected)


def test_geq_w_counts_weights_that_reach_w(examples):
    found = ensemble_feature_selection(examples, weight_by_correlation, combination="geq w", w=0.75)
    assert {"worst perimeter", "worst concave points"} <= set(found.selected())
    assert "mean fractal dimension" not in found.selected()


def test_accumulated_weights_are_the_sum(examples):
    found = ensemble_feature_selection(
        examples,
        lambda sample: sample.weights(np.ones(30)),
        iterations=7,
        combination="accumulate weights",
    )
    assert found.values.tolist() == [7.0] * 30


def test_selections_that_mention_few_attributes_leave_the_others_at_zero(examples):
    found = ensemble_feature_selection(
        examples, lambda sample: sample.weights([1.0], names=["mean area"]), k=3, iterations=2
    )
    assert found.selected() == ("mean area",)


def test_subsamples_of_all_rows_are_warned_of(examples, listening):
    heard = listening()
    ensemble_feature_selection(
        examples, weight_by_correlation, sampling="subsample", sample_fraction=1.0, ctx=heard
    )
    assert heard.warnings == [
        "With a fraction of 1 every subsample has all rows, so all repetitions are equal."
    ]


def test_share_of_a_subsample_is_0_8_unless_set(examples):
    seen = []

    def weigh(sample):
        seen.append(len(sample))
        return weight_by_correlation(sample)

    ensemble_feature_selection(examples, weigh, sampling="subsample", stratified=False)
    assert set(seen) == {int(0.8 * 569)}


def test_infinite_weights_can_be_combined(examples):
    found = ensemble_feature_selection(
        examples,
        lambda sample: sample.weights([np.inf] + [1.0] * 29),
        combination="accumulate weights",
    )
    assert np.isfinite(found.values).all()
    assert found.top(1) == ("mean radius",)


def test_impossible_settings_are_told(examples):
    with pytest.raises(ParameterError, match="min_iterations is 11, but there are 10"):
        ensemble_feature_selection(examples, pytest.fail, min_iterations=11)
    with pytest.raises(ParameterError, match="min_iterations is 0, but geq w needs at least"):
        ensemble_feature_selection(examples, pytest.fail, combination="geq w", min_iterations=0)
    with pytest.raises(DataError, match="600 parts need at least 600 rows, but there are 569"):
        ensemble_feature_selection(
            examples, weight_by_correlation, iterations=600, sampling="leave one part out"
        )


def test_weights_below_0_are_never_among_the_best(examples, listening):
    def relief(rows):
        return rows.weights(np.where(np.arange(30) < 2, 0.1, -0.9))

    names, heard = examples.schema.regular_names, listening()
    found = ensemble_feature_selection(examples, relief, k=4, ctx=heard)
    assert found.selected() == names[:2]
    assert heard.warnings == ["Only 2 attributes are good enough to be kept, fewer than k = 4."]
    sizes = ensemble_feature_selection(examples, relief, k=4, use_absolute_weights=True)
    assert sizes.selected() == names[2:6]
