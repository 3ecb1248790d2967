"""Relief and ReliefF."""

import numpy as np
import pytest

from fsops import Context, ExampleSet
from fsops.errors import ParameterError
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
