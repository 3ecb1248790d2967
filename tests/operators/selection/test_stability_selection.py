"""Stability selection around any selection."""

import numpy as np
import pytest

from fsops import ExampleSet
from fsops.algorithms.error_control.stability_selection import false_selection_bound
from fsops.errors import DataError, OperatorWarning
from fsops.operators import (
    select_top_k,
    stability_selection,
    weight_by_correlation,
    weight_by_lasso,
    weight_by_welch_test,
)


def table(n=60, p=40, signal=3, seed=0, classes=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X[:, :signal].sum(axis=1) + 0.5 * rng.normal(size=n)
    label = np.where(y > np.median(y), "b", "a") if classes else y
    return ExampleSet.from_numpy(X, label)


def by_welch(examples):
    return weight_by_welch_test(examples, transformation="abs_statistic")


def test_a_second_implementation_counts_the_same_halves():
    examples, shown = table(), []

    def watched(part):
        weights = by_welch(part)
        shown.append((part.numeric()[:, 0], weights.top(5)))
        return weights

    found = stability_selection(examples, watched, k=5, pairs=7)
    assert len(shown) == 14
    names = examples.schema.regular_names
    counts = np.array([sum(name in best for _, best in shown) for name in names])
    assert found.weights.details["frequency"].tolist() == (counts / 14).tolist()
    assert found.weights.values.tolist() == (counts >= 0.75 * 14).astype(float).tolist()
    both = [
        np.mean([name in shown[2 * i][1] and name in shown[2 * i + 1][1] for i in range(7)])
        for name in names
    ]
    assert found.weights.details["both_halves"] == pytest.approx(both)
    column = np.sort(examples.numeric()[:, 0])
    for i in range(7):  # two halves of a pair have no common row
        pair = np.concatenate([shown[2 * i][0], shown[2 * i + 1][0]])
        assert np.sort(pair).tolist() == column.tolist()
    bound = found.bound.means()
    assert bound["expected_false_selections"] == false_selection_bound(5, 40, 0.75, 7)
    assert not any(criterion.measured for criterion in found.bound)
    assert bound["selected_attributes"] == found.weights.values.sum()


def test_signals_are_selected_and_the_size_follows_from_the_bound():
    found = stability_selection(table(n=100), by_welch, max_false_selections=0.5)
    assert found.weights.selected() == ("att1", "att2", "att3")
    facts = found.bound.means()
    size = int(facts["attributes_per_half"])
    assert facts["expected_false_selections"] <= 0.5 < false_selection_bound(size + 1, 40, 0.75, 50)
    assert found.path.frequencies[-1].max() == 1.0
    assert found.path.sizes.tolist() == list(range(1, size + 1))


def test_the_threshold_follows_from_the_bound_and_the_size():
    found = stability_selection(table(), by_welch, k=6, threshold=None, max_false_selections=0.2)
    facts = found.bound.means()
    assert facts["expected_false_selections"] <= 0.2
    assert false_selection_bound(6, 40, facts["threshold"] - 0.01, 50) > 0.2


def test_single_halves_have_the_bound_of_meinshausen_and_buhlmann():
    found = stability_selection(table(), by_welch, k=4, pairs=10, sampling="single halves")
    assert found.bound.means()["expected_false_selections"] == pytest.approx(4**2 / 40 / 0.5)
    assert "both_halves" not in found.weights.details


def test_all_weights_above_zero_are_a_selection():
    found = stability_selection(
        table(classes=False, n=80),
        lambda part: weight_by_lasso(part, penalty=0.4),
        selected="not zero",
        threshold=None,
        pairs=3,
    )
    assert {"att1", "att2", "att3"} <= set(found.weights.selected())
    mean = found.weights.details["frequency"].sum()
    assert found.bound.means()["attributes_per_half"] == pytest.approx(mean)


def test_a_bound_above_the_limit_is_a_warning():
    with pytest.warns(OperatorWarning, match="which is above max_false_selections=1"):
        stability_selection(table(p=12), by_welch, k=8, pairs=4)
    with pytest.warns(OperatorWarning, match="k=1 is used"):
        stability_selection(table(p=3), by_welch, max_false_selections=0.01, pairs=4)


def test_negative_weights_count_by_their_size_if_wanted():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 10))
    examples = ExampleSet.from_numpy(X, -X[:, 4] + 0.1 * rng.normal(size=40))

    def signed(part):
        return weight_by_correlation(part, signed=True)

    assert stability_selection(examples, signed, k=1, pairs=5).weights.values.sum() == 0
    found = stability_selection(examples, signed, k=1, pairs=5, use_absolute_weights=True)
    assert found.weights.selected() == ("att5",)


def test_rows_of_a_group_are_never_in_both_halves():
    base = table(n=40)
    frame = base.to_pandas().assign(patient=np.repeat(np.arange(10), 4))
    examples = ExampleSet.from_pandas(frame, roles={"patient": "group", "label": "label"})
    seen = []

    def watched(part):
        seen.append(set(part.column("patient").tolist()))
        return by_welch(part)

    stability_selection(examples, watched, k=3, pairs=3)
    assert all(not seen[2 * i] & seen[2 * i + 1] for i in range(3))


def test_one_row_cannot_be_halved():
    examples = ExampleSet.from_numpy(np.ones((1, 3)), np.array([1.0]))
    with pytest.raises(DataError, match="Two halves need at least two rows, but there are 1"):
        stability_selection(examples, weight_by_correlation, k=1)


def test_a_selection_inside_may_be_any_chain():
    found = stability_selection(
        table(), lambda part: select_top_k(by_welch(part), k=3), selected="not zero", pairs=5
    )
    assert found.bound.means()["attributes_per_half"] == 3
