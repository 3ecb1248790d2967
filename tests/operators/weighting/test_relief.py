"""Relief and ReliefF."""

import numpy as np
import pytest

from fsops import Context, ExampleSet
from fsops.data import Attribute, ValueType
from fsops.errors import DataError, ParameterError
from fsops.operators import retrieve, weight_by_relief, weight_by_relieff


def test_toy_data_has_the_specified_weights(toy):
    assert weight_by_relief(toy).values == pytest.approx([0.33695652, -0.125, 0, 0.14732143])


def test_relieff_with_one_neighbour_is_relief(toy):
    one = weight_by_relieff(toy, number_of_neighbors=1)
    assert one.values == pytest.approx(weight_by_relief(toy).values)


def test_weights_come_in_the_order_of_a_mixed_table():
    golf = retrieve(repository_entry="golf")
    mixed, turned = weight_by_relieff(golf), weight_by_relieff(golf.select(golf.names[::-1]))
    assert mixed.names == ("Outlook", "Temperature", "Humidity", "Wind")
    assert dict(mixed) == pytest.approx(dict(turned))


def test_relieff_by_the_definition():
    rng = np.random.default_rng(2)
    X, y = rng.random((18, 3)), np.repeat([0, 1, 2], [8, 6, 4])
    examples = ExampleSet.from_numpy(X, y)
    diff = np.abs(X[:, None] - X) / np.ptp(X, axis=0)
    distance, share = diff.sum(axis=2), np.bincount(y) / 18
    expected = np.zeros(3)
    for i in range(18):
        for c in range(3):
            others = [j for j in np.argsort(distance[i], kind="stable") if y[j] == c and j != i][:2]
            part = diff[i, others].mean(axis=0)
            expected += -part if c == y[i] else share[c] / (1 - share[y[i]]) * part
    found = weight_by_relieff(examples, number_of_neighbors=2)
    assert found.values == pytest.approx(expected / 18)


def test_attributes_that_matter_only_together_are_found():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, size=(120, 5)).astype(float) + rng.normal(scale=0.1, size=(120, 5))
    y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)
    weights = weight_by_relieff(ExampleSet.from_numpy(X, y))
    assert set(weights.top(2)) == {"att1", "att2"}


def test_missing_values_are_understood(toy):
    X = toy.numeric().copy()
    X[2, 0] = np.nan
    holed = ExampleSet.from_numpy(X, list("11111000"))
    assert np.isfinite(weight_by_relieff(holed).values).all()


def test_three_classes_are_refused_by_relief(refused):
    with refused("Exactly two classes", "use Weight by ReliefF"):
        weight_by_relief(retrieve(repository_entry="iris"))


def test_sampled_rows_depend_on_the_seed_only(two_classes):
    assert weight_by_relief(two_classes, sample_fraction=0.5).equals(
        weight_by_relief(two_classes, sample_fraction=0.5)
    )


@pytest.mark.parametrize("weighting", [weight_by_relief, weight_by_relieff])
def test_copies_of_rows_can_be_taken_as_neighbours(toy, weighting):
    doubled = toy.take(np.repeat(np.arange(8), 2))
    options = {} if weighting is weight_by_relief else {"number_of_neighbors": 1}
    once = weighting(toy, **options).values
    assert weighting(doubled, **options).values == pytest.approx(once)
    # Every row then has its copy as nearest hit, at distance 0: only the misses are left.
    with_copies = weighting(doubled, collapse_duplicates=False, **options).values
    assert (with_copies >= 0).all()
    assert (with_copies > once)[[0, 1, 3]].all()


def test_a_numerical_label_is_weighed_by_the_definition_of_rrelieff():
    rng = np.random.default_rng(4)
    X = rng.random((20, 3))
    y = X[:, 1] * 3 + rng.random(20) * 0.3
    diff, dy = np.abs(X[:, None] - X) / np.ptp(X, axis=0), np.abs(y[:, None] - y) / np.ptp(y)
    both, differs, label = np.zeros(3), np.zeros(3), 0.0
    for i in range(20):
        near = [j for j in np.argsort(diff[i].sum(axis=1), kind="stable") if j != i][:4]
        label += dy[i, near].mean()
        differs += diff[i, near].mean(axis=0)
        both += (diff[i, near] * dy[i, near, None]).mean(axis=0)
    found = weight_by_relieff(ExampleSet.from_numpy(X, y), number_of_neighbors=4)
    assert found.values == pytest.approx(both / label - (differs - both) / (20 - label))
    assert found.top(1) == ("att2",)


def test_weights_for_a_number_come_in_the_order_of_a_mixed_table(golf):
    humid = golf.drop(["Play"]).with_roles({"Humidity": "label"})
    mixed, turned = weight_by_relieff(humid), weight_by_relieff(humid.select(humid.names[::-1]))
    assert mixed.names == ("Outlook", "Temperature", "Wind")
    assert dict(mixed) == pytest.approx(dict(turned))


def test_a_label_that_tells_nothing_is_refused(toy, refused):
    with refused("At least two classes"):
        weight_by_relieff(toy.take(np.arange(5)))
    for value, said in ((2.5, '"label" must have different values'), (np.inf, "infinite in row 3")):
        y = np.array([2.5, 2.5, value])
        with refused(said):
            weight_by_relieff(ExampleSet.from_numpy(np.eye(3), y))


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (60, 5)).astype(float)
    y = np.where(X[:, 0] + rng.normal(size=60) > 1, "a", "b")
    orders = [rng.permutation(60) for _ in range(20)]
    found = [weight_by_relief(ExampleSet.from_numpy(X[p], y[p])).values for p in orders]
    assert np.ptp(found, axis=0).max() < 1e-12
    assert len({tuple(np.round(-w, 9).argsort(kind="stable")) for w in found}) == 1


@pytest.mark.parametrize("weighting", [weight_by_relief, weight_by_relieff])
def test_values_can_be_taken_as_they_are(two_classes, weighting):
    wide = ExampleSet.from_numpy(
        two_classes.numeric() * [1000, 1, 1, 1, 1, 1], two_classes.column("label")
    )
    assert weighting(wide).values == pytest.approx(weighting(two_classes).values, abs=1e-6)
    raw = weighting(wide, scaling="none").values
    assert np.abs(raw[0]) > 10 * np.abs(raw[1:]).max()


def test_rows_can_be_drawn_with_replacement_and_in_any_number(two_classes, refused):
    n = len(two_classes)
    drawn = {"sampling": "with replacement", "number_of_rows": 5 * n}
    one, same, other = (
        weight_by_relief(two_classes, **drawn, ctx=Context(seed=s)).values for s in (1, 1, 2)
    )
    assert one.tobytes() == same.tobytes() != other.tobytes()
    assert one == pytest.approx(weight_by_relief(two_classes).values, abs=0.2)
    few = weight_by_relief(two_classes, number_of_rows=n).values
    assert few.tobytes() == weight_by_relief(two_classes).values.tobytes()
    with refused(f"number_of_rows is {n + 1}", "with replacement", error=ParameterError):
        weight_by_relief(two_classes, number_of_rows=n + 1)


# --- row weights -------------------------------------------------------------------------------


def weighted(X, y, w):
    table = ExampleSet.from_numpy(X, y)
    return table.with_columns([(Attribute("w", ValueType.REAL, "weight"), np.asarray(w, float))])


def weighted_relieff(X, y, w, k):
    """Rows and class fractions by weight; means over the k nearest different rows, by weight."""
    X = X / np.ptp(X, axis=0)
    prior = {c: w[y == c].sum() / w.sum() for c in np.unique(y)}
    total = np.zeros(X.shape[1])
    for i, (row, own) in enumerate(zip(X, y, strict=True)):
        for c, fraction in prior.items():
            rows = np.flatnonzero((y == c) & (np.arange(len(y)) != i))
            near = rows[np.argsort(np.abs(X[rows] - row).sum(axis=1))[:k]]
            mean = np.average(np.abs(X[near] - row), axis=0, weights=w[near])
            total += w[i] * mean * (-1 if c == own else fraction / (1 - prior[own]))
    return total / w.sum()


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("unit", [1.0, 1e-8, 1e8])
def test_weights_of_rows_follow_the_definition(k, unit):
    rng = np.random.default_rng(5)
    X, y = rng.random((30, 3)) * [1, unit, 1], np.resize([0, 1, 2, 1], 30)
    w = rng.integers(1, 6, 30)
    expected = weighted_relieff(X, y, w, k)
    found = weight_by_relieff(weighted(X, y, w), number_of_neighbors=k)
    assert found.values == pytest.approx(expected)
    two = y < 2
    found = weight_by_relief(weighted(X[two], y[two], w[two]))
    # The ranges are those of the rows.
    assert found.values == pytest.approx(weighted_relieff(X[two], y[two], w[two], 1))


def test_a_heavy_row_is_not_its_own_neighbour():
    X = np.array([[0.0], [0.4], [1.0], [0.9]])
    y = np.array([0, 0, 1, 1])
    found = weight_by_relief(weighted(X, y, [9, 1, 1, 1]))
    # Misses differ by 0.9, 0.5, 0.6 and 0.5, hits by 0.4, 0.4, 0.1 and 0.1.
    assert found.values[0] == pytest.approx((9 * 0.5 + 0.1 + 0.5 + 0.4) / 12)
    alone = weight_by_relief(weighted(X, y, [9, 1, 1, 1]), collapse_duplicates=False)
    assert alone.values[0] == pytest.approx((9 * 0.9 + 0.1 + 0.5 + 0.4) / 12)


@pytest.mark.parametrize("given", [{}, {"weighting": "rank"}, {"metric": "euclidean"}])
@pytest.mark.parametrize("label", ["classes", "numbers"])
def test_a_weight_is_the_number_of_copies(given, label):
    rng = np.random.default_rng(6)
    X = np.round(rng.random((40, 4)), 1)  # ties, and equal rows of both classes
    X[:, 3] = 1.0
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.resize([0, 1, 1], 40) if label == "classes" else rng.normal(size=40)
    w = np.resize([1, 2, 0, 1, 3], 40)
    found = weight_by_relieff(weighted(X, y, w), **given)
    copies = np.repeat(np.arange(40), w)
    expected = weight_by_relieff(ExampleSet.from_numpy(X, y).take(copies), **given)
    np.testing.assert_array_equal(found.values, expected.values)


def test_fractions_are_refused():
    X, y = np.random.default_rng(7).random((10, 2)), np.arange(10) % 2
    with pytest.raises(DataError, match="Weight by Relief takes whole numbers as row weights"):
        weight_by_relief(weighted(X, y, np.full(10, 0.5)))
