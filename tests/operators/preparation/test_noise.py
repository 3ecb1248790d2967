"""Adding noise."""

import numpy as np
import pandas as pd
import pytest

from fsops import Context, ExampleSet
from fsops.data import ValueType
from fsops.errors import DataError, ParameterError
from fsops.operators import add_noise, apply_model

N = 4000


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=N),
            "n": np.arange(N),
            "k": np.array(["a", "b"])[np.arange(N) % 2],
            "y": np.array(["p", "q", "r"])[np.arange(N) % 3],
        }
    )
    return ExampleSet.from_pandas(frame, roles={"y": "label"})


def test_classes_are_changed_with_the_given_probability(table):
    found = add_noise(table, label_noise=0.2).examples
    before, after = table.column("y"), found.column("y")
    changed = before != after
    assert changed.mean() == pytest.approx(0.2, abs=5 * np.sqrt(0.2 * 0.8 / N))
    # Each of the other two classes is equally likely.
    assert ((after - before) % 3 == 1)[changed].mean() == pytest.approx(0.5, abs=0.1)
    assert found.drop(["y"]).equals(table.drop(["y"]))


def test_a_numerical_label_gets_noise_in_proportion_to_its_range(table):
    data = table.with_roles({"n": "label"})
    noise = add_noise(data, label_noise=0.1).examples.column("n") - data.column("n")
    assert noise.std() == pytest.approx(0.1 * (N - 1), rel=0.1)
    assert noise.mean() == pytest.approx(0, abs=5 * 0.1 * N / np.sqrt(N))


def test_attributes_get_their_own_noise(table):
    found = add_noise(table, label_noise=0, default_attribute_noise=2.0, noise={"n": 0.5}).examples
    assert (found.column("x") - table.column("x")).std() == pytest.approx(2, rel=0.1)
    assert (found.column("n") - table.column("n")).std() == pytest.approx(0.5, rel=0.1)
    assert found.schema.attribute("n").value_type == ValueType.REAL
    assert found.select(["k", "y"]).equals(table.select(["k", "y"]))


def test_only_chosen_attributes_get_noise(table):
    found = add_noise(
        table,
        label_noise=0,
        default_attribute_noise=1.0,
        attribute_filter_type="single",
        attribute="n",
    ).examples
    assert found.select(["x"]).equals(table.select(["x"]))
    assert (found.column("n") != table.column("n")).all()


def test_attributes_of_pure_noise_are_added(table):
    found = add_noise(
        table.rename({"x": "random"}),
        random_attributes=3,
        label_noise=0,
        offset=10,
        linear_factor=3,
    ).examples
    assert found.names[-3:] == ("random1", "random2", "random3")
    added = found.values(found.schema.positions(found.names[-3:]))
    np.testing.assert_allclose(added.mean(axis=0), 10, atol=5 * 3 / np.sqrt(N))
    np.testing.assert_allclose(added.std(axis=0), 3, rtol=0.1)
    assert abs(np.corrcoef(added.T)[np.triu_indices(3, 1)]).max() < 0.1


def test_the_seed_decides(table):
    one, two = (add_noise(table, random_attributes=1).examples for _ in range(2))
    assert one.equals(two)
    assert not one.equals(add_noise(table, random_attributes=1, ctx=Context(5)).examples)


def test_the_model_adds_noise_of_the_same_size_to_other_rows(table):
    model = add_noise(table, default_attribute_noise=2.0, random_attributes=1).model
    other = table.take(np.arange(1000)).drop(["y"])
    found = apply_model(model, other)
    assert (found.column("x") - other.column("x")).std() == pytest.approx(2, rel=0.15)
    assert found.names == (*other.names, "random")


def test_what_cannot_get_noise_is_told(table):
    with pytest.raises(DataError, match='Noise is for numerical attributes, but "k" is binominal'):
        add_noise(table, noise={"k": 1.0})
    with pytest.raises(DataError, match='no attribute "xx". Did you mean "x"'):
        add_noise(table, noise={"xx": 1.0})
    with pytest.raises(ParameterError, match="at most 1000000 can be added"):
        add_noise(table, random_attributes=10**9)
