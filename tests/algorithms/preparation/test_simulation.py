"""Made-up data: formulas by hand, distributions within what chance allows."""

import math

import numpy as np
import pytest
from scipy import stats

from fsops.algorithms.preparation import simulation
from fsops.algorithms.preparation.simulation import BOUNDED, STANDARD, TARGETS, formula

ROW = np.array([[2.0, -3.0, 0.5, 4.0]])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sum", 3.5),
        ("polynomial", 8 + 9 + 0.5),
        ("non linear", -3 - 6 + 9),
        ("one variable non linear", 24 - 4 + 500 + 4000),
        ("complicated function", -12 - 1.5 + 2 - math.exp(0.5)),
        ("complicated function2", 8 + 9 - 6 + 4 - 4),
        ("simple sinus", math.sin(2)),
        ("sinus", math.sin(-6) + math.sin(-1)),
    ],
)
def test_a_formula_gives_what_is_calculated_by_hand(name, expected):
    assert TARGETS[name].value(ROW) == pytest.approx(np.array([expected]))


@pytest.mark.parametrize(
    ("name", "positive", "negative"),
    [
        ("one third classification", [0.3], [0.34]),
        ("sum classification", [3, -2], [3, -3]),
        ("quadratic classification", [2, 4.1], [2, 3.9]),
        ("simple non linear classification", [6, 10], [9, 9]),
        ("interaction classification", [-1, -1, 1], [1, 1, 1]),
        ("interaction classification", [1, 1, -1], [1, -1, -1]),
        ("simple polynomial classification", [-3.2], [3.1]),
        ("polynomial classification", [1, 1, 1, 0], [1, 1, 2, 0]),
        ("sinus classification", [1, 1], [3, 1.5]),
        ("checkerboard classification", [4.9, 0], [5.1, 0]),
        ("checkerboard classification", [-4.9, 4.9], [-4.9, 5.1]),
        ("checkerboard classification", [-5.1, 5.1], [10.1, 5.1]),
    ],
)
def test_a_class_is_told_apart_by_its_formula(name, positive, negative):
    codes = [int(TARGETS[name].value(np.array([x], dtype=float))[0]) for x in (positive, negative)]
    assert codes == [1, 0]


@pytest.mark.parametrize(
    ("total", "name"),
    [(4.4, "one"), (9, "two"), (25, "three"), (7, "four"), (-5.5, "three"), (0, "one")],
)
def test_four_classes_follow_from_the_divisors_of_the_sum(total, name):
    target = TARGETS["multi classification"]
    code = target.value(np.array([[total - 1.0, 1.0]]))[0]
    assert target.classes[code] == name


@pytest.mark.parametrize("name", list(TARGETS))
def test_features_that_are_not_relevant_change_nothing(name):
    target = TARGETS[name]
    rng = np.random.default_rng(1)
    made = formula(name, rng, 200, 6, (-10.0, 10.0))
    other = made.X.copy()
    other[:, ~made.relevant] = 0
    assert np.array_equal(target.value(other), target.value(made.X))
    for j in np.flatnonzero(made.relevant):
        changed = made.X.copy()
        changed[:, j] = rng.permutation(changed[:, j])
        assert not np.array_equal(target.value(changed), target.value(made.X)), j


def every():
    yield from (
        (name, lambda r, n, p, m=make: m(r, n, p, (-10.0, 10.0))) for name, make in BOUNDED.items()
    )
    yield from STANDARD.items()
    yield (
        "gene expression",
        lambda r, n, p: simulation.gene_expression(
            r, n, p, relevant=3, block=4, correlation=0.5, effect=1.0
        ),
    )


@pytest.mark.parametrize(
    ("name", "make"), list(every()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_same_seed_gives_the_same_data_and_another_does_not(name, make):
    one, two, other = (make(np.random.default_rng(seed), 30, 6) for seed in (1, 1, 2))
    assert one.X.shape == (30, 6)
    assert one.X.tobytes() == two.X.tobytes()
    assert one.y.tobytes() == two.y.tobytes()
    assert np.array_equal(one.relevant, two.relevant)
    if name != "grid function":  # which draws nothing
        assert one.X.tobytes() != other.X.tobytes()
    if one.classes:
        assert set(one.y) <= set(range(len(one.classes)))


def test_uniform_features_fill_their_bounds():
    X = simulation.uniform_features(np.random.default_rng(0), 5000, 2, (-1.0, 3.0))
    assert stats.kstest(X.ravel(), "uniform", args=(-1, 4)).pvalue > 1e-3


def test_an_unrelated_label_is_unrelated():
    made = simulation.unrelated(np.random.default_rng(0), 5000, 3, (0.0, 1.0), classes=False)
    assert stats.kstest(made.y, "uniform").pvalue > 1e-3
    assert np.abs(np.corrcoef(made.X.T, made.y)[-1, :-1]).max() < 0.06
    assert not made.relevant.any()


def test_random_dots_are_discs_of_a_limited_size():
    made = simulation.random_dots(np.random.default_rng(3), 20_000, 3, (-10.0, 10.0))
    share = made.y.mean()
    # Ten discs of mean area pi * 2**2 / 3 in a square of 400, at most.
    assert 0.01 < share < 0.25
    points = made.X[made.y == 1, :2]
    nearest = np.sort(np.hypot(*(points[0] - points).T))[1:6]
    assert nearest.max() < 1.0  # positive points have positive neighbors
    assert made.relevant.tolist() == [True, True, False]


def test_global_and_local_models_mostly_follow_the_sum():
    made = simulation.global_and_local(np.random.default_rng(3), 20_000, 2, (-10.0, 10.0))
    agreement = ((made.X.sum(axis=1) > 0) == made.y).mean()
    assert 0.7 < agreement < 0.995


def test_clusters_have_a_centre_and_a_width():
    rng = np.random.default_rng(0)
    made = simulation.gaussian_clusters(rng, 20_000, 2, (-10.0, 10.0), clusters=None, narrowest=0.2)
    assert made.classes == ("cluster0", "cluster1", "cluster2", "cluster3")
    for code in range(4):
        points = made.X[made.y == code]
        assert (points.std(axis=0) > 0.18).all()
        assert (points.std(axis=0) < 1.05).all()
        assert stats.normaltest(points[:, 0]).pvalue > 1e-4
    assert simulation.cluster_count(50) == 1024


# --- KNIFE ------------------------------------------------------------------------------------


@pytest.mark.parametrize("sinus", [False, True])
def test_least_squares_finds_the_coefficients_of_knife(sinus):
    made = simulation.knife_regression(np.random.default_rng(0), 20_000, 10, sinus=sinus)
    used = np.sin(made.X) if sinus else made.X
    found, residual, *_ = np.linalg.lstsq(used, made.y, rcond=None)
    assert found == pytest.approx(np.array([6, -4, 3, 2, -2, 0, 0, 0, 0, 0]), abs=0.06)
    assert residual[0] / 20_000 == pytest.approx(1.0, abs=0.04)
    assert made.relevant.tolist() == [True] * 5 + [False] * 5


def test_the_best_line_through_the_sines_has_the_error_of_the_specification():
    made = simulation.knife_regression(np.random.default_rng(0), 50_000, 10, sinus=True)
    _, residual, *_ = np.linalg.lstsq(made.X, made.y, rcond=None)
    assert residual[0] / 50_000 == pytest.approx(0.0644 * 69 + 1, abs=0.15)  # 5.45


def test_the_skin_of_the_orange_lies_between_its_radii():
    made = simulation.knife_orange(np.random.default_rng(0), 2001, 10)
    squares = (made.X[:, :4] ** 2).sum(axis=1)
    skin = squares[made.y == 1]
    assert len(skin) == 1000
    assert skin.min() >= 9
    assert skin.max() <= 16
    inside = squares[made.y == 0]
    assert stats.kstest(inside, "chi2", args=(4,)).pvalue > 1e-3
    assert np.mean(inside > 9) == pytest.approx(0.0611, abs=0.025)
    assert stats.kstest(made.X[:, 5], "norm").pvalue > 1e-3


# --- gene expression --------------------------------------------------------------------------


def test_genes_are_correlated_within_their_block_only():
    made = simulation.gene_expression(
        np.random.default_rng(0), 4000, 12, relevant=0, block=4, correlation=0.6, effect=1.0
    )
    r = np.corrcoef(made.X.T)
    same = np.arange(12)[:, None] // 4 == np.arange(12) // 4
    others = ~np.eye(12, dtype=bool)
    assert r[same & others] == pytest.approx(0.6, abs=0.06)
    assert np.abs(r[~same]).max() < 0.07


def test_relevant_genes_differ_by_the_effect_and_others_do_not():
    made = simulation.gene_expression(
        np.random.default_rng(0), 4000, 40, relevant=6, block=5, correlation=0.5, effect=1.5
    )
    a, b = made.X[made.y == 0], made.X[made.y == 1]
    pooled = np.sqrt((a.var(axis=0) + b.var(axis=0)) / 2)
    effect = np.abs(b.mean(axis=0) - a.mean(axis=0)) / pooled
    assert effect[made.relevant] == pytest.approx(1.5, abs=0.12)
    assert effect[~made.relevant].max() < 0.12
    assert made.relevant.sum() == 6
    assert len(set(np.flatnonzero(made.relevant) // 5)) == 6  # one to a block
    assert abs(int(made.y.sum()) - 2000) <= 1


def test_levels_and_spreads_differ():
    made = simulation.gene_expression(
        np.random.default_rng(0), 400, 200, relevant=5, block=10, correlation=0.5, effect=1.0
    )
    assert made.X.mean(axis=0).min() > 3.5
    assert made.X.mean(axis=0).max() < 10.5
    assert made.X.std(axis=0).max() / made.X.std(axis=0).min() > 2


def test_a_grid_has_the_centres_of_equal_cells():
    made = simulation.grid(np.random.default_rng(0), 10, 2, (0.0, 3.0))
    centres = [0.5, 1.5, 2.5]
    expected = [(a, b) for a in centres for b in centres]
    assert made.X.tolist() == [list(cell) for cell in [*expected, expected[0]]]
    assert not made.y.any()
    assert not made.relevant.any()


def test_a_grid_of_many_features_has_one_cell():
    made = simulation.grid(np.random.default_rng(0), 3, 200, (-1.0, 1.0))
    assert not made.X.any()


def test_sinc_depends_on_the_length_of_a_row():
    value = TARGETS["sinc"].value
    X = np.array([[0.0, 0.0], [3.0, 4.0], [np.pi, 0.0]])
    assert value(X) == pytest.approx([0.0, np.sin(5) / 5, 0.0])


def test_rings_follow_from_the_distance_except_for_one_label_in_twenty():
    made = simulation.ring_clusters(np.random.default_rng(0), 6000, 3, radius=12.0)
    distance = np.hypot(made.X[:, 0], made.X[:, 1])
    expected = (distance >= 4).astype(int) + (distance >= 8)
    assert (made.y != expected).mean() == pytest.approx(0.05 * 2 / 3, abs=0.01)
    assert made.classes == ("core", "first_ring", "second_ring")
    assert made.relevant.tolist() == [True, True, False]
    assert stats.kstest(made.X[:, 2], "norm").pvalue > 1e-3


def test_a_single_gaussian_has_the_deviation_that_is_set():
    made = simulation.single_gaussian(np.random.default_rng(0), 5000, 2, deviation=3.0)
    assert stats.kstest(made.X.ravel(), "norm", args=(0, 3)).pvalue > 1e-3
    assert not made.y.any()
