"""Drawing rows, and dealing them to parts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from fsops import Context, ExampleSet
from fsops.errors import DataError, ParameterError
from fsops.operators import sample, sample_bootstrapping, sample_stratified, split_data
from fsops.operators.preparation.sampling import split


@pytest.fixture
def table():
    """Return 100 rows: 70 of class a, 25 of class b, 5 of class c."""
    frame = pd.DataFrame({"row": np.arange(100), "y": ["a"] * 70 + ["b"] * 25 + ["c"] * 5})
    return ExampleSet.from_pandas(frame, roles={"y": "label"})


def rows(examples):
    return examples.column("row").astype(int).tolist()


def counts(examples):
    return dict(zip(*np.unique(examples.nominal_values("y"), return_counts=True), strict=True))


def test_absolute_and_relative_samples_have_the_exact_size(table):
    for parameters, size in (
        ({"sample_size": 13}, 13),
        ({"sample": "relative", "sample_fraction": 0.29}, 29),
        ({"sample": "relative", "sample_fraction": 0.299}, 29),
        ({"sample": "relative", "sample_fraction": 0.0}, 0),
        ({"sample": "probability", "sample_probability": 1.0}, 100),
        ({"sample": "probability", "sample_probability": 0.0}, 0),
    ):
        found = rows(sample(table, **parameters))
        assert len(found) == len(set(found)) == size
        assert found == sorted(found)


def test_every_row_is_drawn_about_as_often_as_every_other(table):
    times = np.zeros(100)
    for seed in range(300):
        times[rows(sample(table, sample_size=20, ctx=Context(seed)))] += 1
    # Each count is hypergeometric with mean 60 and deviation 6.9.
    assert abs(times - 60).max() < 5 * 6.9


def test_probability_is_met_on_average(table):
    sizes = [
        len(sample(table, sample="probability", sample_probability=0.3, ctx=Context(seed)))
        for seed in range(200)
    ]
    assert np.mean(sizes) == pytest.approx(30, abs=5 * np.sqrt(100 * 0.3 * 0.7 / 200))


def test_the_seed_decides(table):
    assert rows(sample(table, sample_size=20)) == rows(sample(table, sample_size=20))
    assert rows(sample(table, sample_size=20)) != rows(
        sample(table, sample_size=20, ctx=Context(7))
    )


def test_asking_for_more_rows_than_there_are_gives_all(table, listening):
    ctx = listening()
    assert len(sample(table, sample_size=101, ctx=ctx)) == 100
    assert ctx.warnings == ["101 rows are wanted, but there are only 100: all are kept."]


def test_balanced_samples_take_what_each_class_is_told(table, listening):
    ctx = listening()
    found = sample(table, balance_data=True, sample_size_per_class={"a": 10, "c": 9}, ctx=ctx)
    assert counts(found) == {"a": 10, "c": 5}
    assert ctx.warnings == ['9 rows of class "c" are wanted, but there are only 5: all are kept.']
    found = sample(
        table,
        sample="relative",
        balance_data=True,
        sample_fraction_per_class={"a": 0.1, "b": 0.4, "c": 1},
    )
    assert counts(found) == {"a": 7, "b": 10, "c": 5}
    found = sample(
        table,
        sample="probability",
        balance_data=True,
        sample_probability_per_class={"b": 1},
    )
    assert counts(found) == {"b": 25}


def test_mistakes_in_balancing_are_told(table):
    with pytest.raises(DataError, match='"y" has no class "d". There are "a", "b", "c"'):
        sample(table, balance_data=True, sample_size_per_class={"d": 1})
    with pytest.raises(ParameterError, match="sample_fraction_per_class is empty"):
        sample(table, sample="relative", balance_data=True)
    with pytest.raises(DataError, match="no label"):
        sample(table.drop(["y"]), balance_data=True, sample_size_per_class={"a": 1})


@given(
    sizes=st.lists(st.integers(10, 60), min_size=2, max_size=4),
    share=st.floats(0.1, 1),
    seed=st.integers(0, 9),
)
@settings(max_examples=30, deadline=None)
def test_stratified_samples_keep_the_shares_within_a_row(sizes, share, seed):
    y = np.repeat([f"c{i}" for i in range(len(sizes))], sizes)
    data = ExampleSet.from_pandas(
        pd.DataFrame({"row": np.arange(len(y)), "y": y}), roles={"y": "label"}
    )
    found = sample_stratified(data, sample="relative", sample_fraction=share, ctx=Context(seed))
    assert len(found) == int(np.floor(share * len(y) + 1e-9))
    expected = np.array(sizes) * len(found) / len(y)
    assert (np.abs(np.bincount(found.column("y"), minlength=len(sizes)) - expected) < 1).all()


def test_stratified_samples_of_a_given_size(table):
    assert counts(sample_stratified(table, sample_size=20)) == {"a": 14, "b": 5, "c": 1}
    assert len(sample_stratified(table, sample_size=500)) == 100
    with pytest.raises(DataError, match="A fraction of 0.001 of 100 rows is less than one row"):
        sample_stratified(table, sample="relative", sample_fraction=0.001)


def test_bootstrap_draws_with_replacement(table):
    found = rows(sample_bootstrapping(table))
    assert len(found) == 100
    shares = [
        len(set(rows(sample_bootstrapping(table, ctx=Context(seed))))) / 100 for seed in range(50)
    ]
    assert np.mean(shares) == pytest.approx(1 - (1 - 1 / 100) ** 100, abs=0.03)
    assert len(sample_bootstrapping(table, sample="absolute", sample_size=250)) == 250
    assert len(sample_bootstrapping(table, sample_fraction=0.5)) == 50


def test_bootstrap_follows_weights():
    data = ExampleSet.from_pandas(
        pd.DataFrame({"row": [0, 1, 2], "w": [0.0, 1.0, 3.0]}), roles={"w": "weight"}
    )
    found = rows(sample_bootstrapping(data, sample="absolute", sample_size=4000))
    assert 0 not in found
    assert np.mean(np.array(found) == 2) == pytest.approx(0.75, abs=0.04)
    plain = rows(sample_bootstrapping(data, sample="absolute", sample_size=90, use_weights=False))
    assert 0 in plain
    negative = data.with_columns([(data.schema.attribute("w"), np.array([1.0, -1.0, 1.0]))])
    with pytest.raises(DataError, match='weights in "w" must be numbers of at least 0'):
        sample_bootstrapping(negative)


# --- split ------------------------------------------------------------------------------------


@given(
    codes=st.lists(st.integers(0, 3), max_size=60),
    ratios=st.lists(st.floats(0.05, 1), min_size=1, max_size=4),
    seed=st.integers(0, 9),
    sampling=st.sampled_from(
        ["automatic", "stratified sampling", "shuffled sampling", "linear sampling"]
    ),
)
@settings(max_examples=60, deadline=None)
def test_parts_are_disjoint_complete_and_have_their_shares(codes, ratios, seed, sampling):
    frame = pd.DataFrame({"row": np.arange(len(codes), dtype=int), "y": [f"c{c}" for c in codes]})
    data = ExampleSet.from_pandas(frame, roles={"y": "label"}, types={"y": "nominal"})
    parts = split_data(data, partitions=ratios, sampling=sampling, ctx=Context(seed))
    assert sorted(row for part in parts for row in rows(part)) == list(range(len(codes)))
    for part, share in zip(parts, np.array(ratios) / sum(ratios), strict=True):
        assert rows(part) == sorted(rows(part))
        if sampling in ("shuffled sampling", "linear sampling"):
            assert abs(len(part) - share * len(codes)) < 1
            continue
        for code in set(codes):
            quota = share * codes.count(code)
            assert abs(part.nominal_values("y").count(f"c{code}") - quota) < 1


def test_linear_parts_are_blocks_of_neighbours(table):
    first, second, third = split_data(table, partitions=[0.5, 0.3, 0.2], sampling="linear sampling")
    assert rows(first) == list(range(50))
    assert rows(second) == list(range(50, 80))
    assert rows(third) == list(range(80, 100))


def test_automatic_means_stratified_for_classes_and_shuffled_else(table):
    first, second = split_data(table, partitions=[0.8, 0.2])
    assert counts(first) == {"a": 56, "b": 20, "c": 4}
    assert counts(second) == {"a": 14, "b": 5, "c": 1}
    numbers = table.drop(["y"])
    first, _ = split_data(numbers, partitions=[3, 1])
    assert len(first) == 75
    assert rows(first) != list(range(75))


def test_rounding_evens_out_over_the_classes():
    strata = np.repeat(np.arange(20), 1)
    part = split(strata, np.array([0.5, 0.5]), np.arange(20))
    assert np.bincount(part).tolist() == [10, 10]


def test_what_cannot_be_split_is_told(table, listening):
    with pytest.raises(ParameterError, match="partitions is empty"):
        split_data(table, partitions=[])
    with pytest.raises(DataError, match="no label"):
        split_data(table.drop(["y"]), sampling="stratified sampling")
    numerical = table.with_roles({"row": "label"})
    with pytest.raises(DataError, match='needs classes, but "row" is integer. Use shuffled'):
        split_data(numerical, sampling="stratified sampling")
    with pytest.raises(ParameterError, match="partition 3 is connected, but .* has only 2. Add a"):
        split_data(table, ctx=listening(wanted={"partition 1", "partition 3"}))
    ctx = listening()
    split_data(table.take([0]), ctx=ctx)
    assert ctx.warnings == ["There are too few rows: partition 2 has none."]
