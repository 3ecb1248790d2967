"""Figures of repeated selections."""

import numpy as np
import pytest

from fsops.data import AttributeWeights, Collection, StabilityResult
from fsops.plots import (
    figures_for,
    overlap,
    overlap_over_size,
    rank_scatter,
    selection_frequency,
    similarity,
    stability_over_size,
)
from fsops.plots.selections import _places, can_overlap

CHOSEN = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]], dtype=bool)


@pytest.fixture
def stable():
    nan = np.nan
    by_size = {"kuncheva": np.array([1, nan, 0.5, nan]), "jaccard": np.array([1, nan, 0.4, 1])}
    return StabilityResult(list("abcd"), CHOSEN * 1.0, CHOSEN, by_size)


def folds(*rows, origins=("", "", "")):
    return Collection(
        [
            AttributeWeights(list("abcd"), row, origin=o)
            for row, o in zip(rows, origins, strict=False)
        ]
    )


def test_the_most_frequent_is_on_top_and_never_selected_is_left_out(ax, tick_texts, stable):
    selection_frequency(stable, ax)
    assert tick_texts(ax.yaxis) == ["a", "b", "c"]
    assert ax.images[0].get_array().tolist() == [[1, 1, 1], [1, 0, 1], [0, 1, 0]]
    assert [text.get_text() for text in ax.texts] == ["100%", "67%", "33%"]


def test_folds_choose_what_has_a_weight(ax, tick_texts):
    selection_frequency(folds([0, 2, 0, 1], [0, 3, 1, 0]), ax)
    assert tick_texts(ax.yaxis) == ["b", "c", "d"]
    assert ax.images[0].get_array().tolist() == [[1, 1], [0, 1], [1, 0]]


def test_only_so_many_attributes_are_shown(ax, tick_texts, stable):
    selection_frequency(stable, ax, k=2)
    assert tick_texts(ax.yaxis) == ["a", "b"]
    assert ax.get_xlabel() == "repetition (2 of 3 attributes)"


def test_nothing_selected_is_said(ax):
    selection_frequency(folds([0, 0, 0, 0], [0, 0, 0, 0]), ax)
    assert ax.texts[0].get_text() == "nothing was selected"


def test_similarity_is_the_jaccard_index(ax, stable):
    similarity(stable, ax)
    third = 1 / 3
    drawn = ax.images[0].get_array()
    assert np.allclose(drawn, [[1, third, 1], [third, 1, third], [1, third, 1]])
    assert ax.get_title(loc="left") == "mean of the pairs 0.56"
    assert [text.get_text() for text in ax.texts][:3] == ["1.00", "0.33", "1.00"]


def test_weightings_of_different_operators_have_their_names(ax, tick_texts):
    similarity(folds([1, 0, 0, 0], [1, 1, 0, 0], origins=("SAM", "Relief")), ax)
    assert tick_texts(ax.yaxis) == ["SAM", "Relief"]


def test_stability_is_drawn_where_it_is_known(ax, stable):
    stability_over_size(stable, ax)
    kuncheva, jaccard, selected, chance = ax.lines
    assert (kuncheva.get_xdata().tolist(), kuncheva.get_ydata().tolist()) == ([1, 3], [1, 0.5])
    assert (jaccard.get_xdata().tolist(), jaccard.get_ydata().tolist()) == ([1, 3, 4], [1, 0.4, 1])
    assert selected.get_xdata() == [2, 2]
    assert chance.get_ydata() == [0, 0]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["Kuncheva", "Jaccard", "selected: 2", "chance (Kuncheva)"]


def test_stability_that_is_known_nowhere_is_said(ax):
    unknown = {"jaccard": np.full(4, np.nan)}
    stability_over_size(StabilityResult(list("abcd"), CHOSEN * 1.0, CHOSEN, unknown), ax)
    assert "no size" in ax.texts[0].get_text()


def test_places_in_two_weightings(ax):
    rank_scatter(folds([4, 3, 2, 1], [3, 4, 1, 1]), ax, k=2)
    others, both = (points.get_offsets().tolist() for points in ax.collections)
    assert both == [[1, 2], [2, 1]]
    assert others == [[3, 3.5], [4, 3.5]]
    assert ax.get_title(loc="left") == "Spearman 0.74, 2 common in the top 2"


def test_overlap_of_the_best(ax):
    overlap_over_size(folds([4, 3, 2, 1], [3, 4, 1, 2]), ax)
    mean, chance = ax.lines[:2]
    assert np.allclose(mean.get_ydata(), [0, 1, 2 / 3, 1])
    assert np.allclose(chance.get_ydata(), [0.25, 0.5, 0.75, 1])


def named_sets(*rows):
    origins = ("SAM", "Relief", "MRMR")
    return folds(*rows, origins=origins)


def test_overlap_counts_what_is_in_just_these_selections(ax, tick_texts):
    overlap(named_sets([1, 1, 1, 0], [2, 2, 0, 0], [3, 0, 0, 4]), ax)
    # a in all; b in SAM and Relief; c in SAM; d in MRMR: each once, fewer selections first.
    assert [text.get_text() for text in ax.texts] == ["1", "1", "1", "1"]
    assert tick_texts(ax.yaxis) == ["SAM (3)", "Relief (2)", "MRMR (2)"]
    lines = [tuple(np.abs(line.get_ydata()).tolist()) for line in ax.lines]
    assert sorted(lines) == [(0, 0), (0, 1), (0, 2), (2, 2)]


def test_the_largest_overlap_comes_first(ax):
    overlap(named_sets([1, 1, 1, 0], [1, 1, 0, 1], [1, 1, 0, 0]), ax)
    assert [text.get_text() for text in ax.texts] == ["2", "1", "1"]
    assert np.abs(ax.lines[0].get_ydata()).tolist() == [0, 2]


def test_overlap_of_nothing_is_said(ax):
    overlap(named_sets([0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]), ax)
    assert "nothing was selected" in ax.texts[0].get_text()


@pytest.mark.parametrize(("origins", "suits"), [(("a", "b", "c"), True), (("a", "a", "a"), False)])
def test_overlap_is_for_methods_and_not_for_repetitions(origins, suits):
    collection = folds(*np.eye(4)[:3].tolist(), origins=origins)
    assert can_overlap(collection) == suits
    assert ("overlap" in [maker.name for maker in figures_for(collection)]) == suits


def test_places_of_a_ranking_are_those_of_its_weights():
    ranking = AttributeWeights("abc", [2, 3, 1], best="smallest")
    weights = AttributeWeights("abc", [0.5, 0.1, 0.9])
    for part in (ranking, weights):
        assert _places(part, "abc").tolist() == [2, 3, 1]


def test_places_in_two_weightings_begin_with_place_1(ax):
    names = [f"a{i}" for i in range(40)]
    both = [AttributeWeights(names, values) for values in (np.arange(40.0), np.arange(40.0) % 7)]
    rank_scatter(Collection(both), ax)
    for ticks, (low, high) in ((ax.get_xticks(), ax.get_xlim()), (ax.get_yticks(), ax.get_ylim())):
        assert min(tick for tick in ticks if low <= tick <= high) == 1
