"""Names that fit, labels that keep apart, our style on anybody's axes."""

import builtins
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, strategies as st

from fsops.data import AttributeWeights
from fsops.errors import UsageError
from fsops.plots import figure_bytes, figures_for, weights
from fsops.plots.style import (
    COLOURS,
    plain_log,
    power_text,
    require_matplotlib,
    short,
    short_names,
    spread,
    styled,
)


def test_long_names_lose_their_middle():
    assert short("a" * 30 + "b" * 30, 12) == "aaaaaaaa…bbb"
    assert short("short", 12) == "short"


def test_names_cannot_smuggle_in_formulas_or_lines():
    assert short("$x$\ny") == r"\$x\$ y"
    assert short("\t") == "(no name)"


def test_names_are_cut_where_they_differ():
    names = [f"gene_with_a_long_common_beginning_{n}_and_a_common_end" for n in "ab"]
    early = [f"{n}_differs_early_but_not_later_at_all" for n in "ab"]
    late = [f"differs_late_but_not_before_that_{n}" for n in "ab"]
    for group in (early, late):
        assert len(set(short_names(group, 12))) == 2
    assert all(len(name) == 12 for name in short_names(names, 12))


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=20), st.floats(0.01, 2))
def test_spread_places_are_apart_in_their_order(places, gap):
    before = np.array(places)
    after = spread(before, gap)
    order = np.argsort(before, kind="stable")
    assert (np.diff(after[order]) >= gap - 1e-9).all()
    assert after.mean() == pytest.approx(before.mean(), abs=1e-6)


def test_places_that_are_apart_stay():
    assert spread(np.array([3.0, 1.0, 2.0]), 0.5).tolist() == [3.0, 1.0, 2.0]


def test_settings_of_the_user_neither_count_nor_change(ax):
    with mpl.rc_context({"font.size": 30, "text.usetex": False, "axes.grid": True}):
        with styled():
            assert mpl.rcParams["font.size"] == 8
            assert not mpl.rcParams["axes.grid"]
        assert mpl.rcParams["font.size"] == 30
        weights(AttributeWeights(["a"], [1]), ax)
        assert mpl.rcParams["font.size"] == 30


def test_colours_are_those_of_okabe_and_ito():
    assert set(COLOURS) == {
        "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
    }  # fmt: skip


def test_a_missing_matplotlib_is_a_sentence(monkeypatch):
    real = builtins.__import__

    def refuse(name, *rest):
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(UsageError, match="Figures need the package matplotlib") as caught:
        require_matplotlib()
    assert "fsops[plots]" in str(caught.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (10_000, "10000"),
        (100_000, "10⁵"),
        (0.001, "0.001"),
        (1e-4, "10⁻⁴"),
        (1e12, "10¹²"),
    ],
)
def test_powers_of_ten_are_short(value, text):
    assert power_text(value) == text


def test_labels_of_many_powers_stand_apart(ax):
    ax.plot([1e-3, 1e9], [1, 2])
    plain_log(ax.xaxis)
    with styled():
        ax.figure.draw_without_rendering()
    ticks = [tick.label1 for tick in ax.xaxis._update_ticks()]
    boxes = [text.get_window_extent() for text in ticks if text.get_text()]
    assert len(boxes) >= 3
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_figures_made_in_threads_leave_settings_and_warnings_as_they_were():
    filters = list(warnings.filters)
    settings = mpl.rcParams.copy()
    result = AttributeWeights([f"a{n}" for n in range(5)], [0.5, 0.4, 0.3, 0.2, 0.1])
    maker = figures_for(result)[0]
    with ThreadPoolExecutor(4) as pool:
        pictures = list(pool.map(lambda _n: figure_bytes(maker, result), range(8)))
    assert len(set(pictures)) == 1
    assert mpl.rcParams.copy() == settings
    ours = [rule for rule in warnings.filters if rule not in filters]
    assert len(ours) <= 1  # no other rule came, none went
    assert [rule for rule in warnings.filters if rule not in ours] == filters


def test_a_letter_that_the_font_lacks_is_no_news(ax):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        weights(AttributeWeights(["\U00013080", "b"], [1, 2]), ax)
        ax.figure.draw_without_rendering()
    assert not told
