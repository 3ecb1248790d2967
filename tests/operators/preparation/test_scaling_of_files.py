"""Normalize on a table that stays in its file: rows are scaled when they are read."""

import pickle

import numpy as np
import pytest

from fsops import ExampleSet, operators as ops
from fsops.data.columns import nominal_column
from fsops.testing import in_blocks

METHODS = [
    "Z-transformation",
    "range transformation",
    "proportion transformation",
    "interquartile range",
    "average norm",
    "largest absolute value",
]


def table(holes=0.0, rows=60):
    """Return numbers in different units, a constant, whole numbers, a nominal one and a label."""
    rng = np.random.default_rng(4)
    X = rng.gamma(2.0, size=(rows, 6)) * 10.0 ** np.arange(-3, 3)
    X[:, 2] = 7.0
    X[rng.random(X.shape) < holes] = np.nan
    examples = ExampleSet.from_numpy(X, ["x", "y"] * (rows // 2))
    colour = [("red", "green", "blue")[n] for n in rng.integers(0, 3, rows)]
    return examples.with_columns([nominal_column("colour", colour)])


@pytest.mark.parametrize("holes", [0.0, 0.2])
@pytest.mark.parametrize("method", METHODS)
def test_a_table_in_a_file_is_scaled_as_in_memory(method, holes):
    examples = table(holes)
    streamed = in_blocks(examples)
    found, model = ops.normalize(streamed, method=method)
    expected, other = ops.normalize(examples, method=method)
    assert found.stays_in_file
    assert not streamed.is_loaded
    for name in examples.schema.names:
        mine, theirs = found.select([name]).loaded(), expected.select([name])
        assert mine.attributes == theirs.attributes
        # Sums over another layout in memory differ in the last bits.
        np.testing.assert_allclose(mine.column(name), theirs.column(name), rtol=1e-12, atol=1e-14)
    # The model scales other rows as the one of the table in memory does.
    numbers = examples.schema.regular_numerical
    np.testing.assert_allclose(
        model.apply(examples).values(numbers),
        other.apply(examples).values(numbers),
        rtol=1e-12,
        atol=1e-14,
    )


def test_filters_see_scaled_rows():
    examples = table()
    found = ops.weight_by_sam(ops.normalize(in_blocks(examples)).examples.drop(["colour"]))
    expected = ops.weight_by_sam(ops.normalize(examples).examples.drop(["colour"]))
    assert found.values == pytest.approx(expected.values, rel=1e-10, abs=1e-13)
    ranks = ops.weight_by_auc(ops.normalize(in_blocks(examples)).examples.drop(["colour"]))
    assert ranks.equals(ops.weight_by_auc(ops.normalize(examples).examples.drop(["colour"])))


def test_some_attributes_renamed_attributes_and_rows():
    examples = table()
    streamed = in_blocks(examples, limit=1000)

    def scaled(data):
        renamed = ops.rename(data, old_name="att1", new_name="first").drop(["colour"])
        rows = renamed.take(np.arange(0, 60, 2))
        chosen = ops.normalize(
            rows, attribute_filter_type="subset", attributes=["first", "att4"]
        ).examples
        return ops.normalize(chosen, method="range transformation").examples

    found, expected = scaled(streamed), scaled(examples)
    assert found.stays_in_file
    for name in ("first", "att4", "att6"):
        np.testing.assert_allclose(
            found.select([name]).loaded().column(name), expected.column(name), rtol=1e-12
        )


def test_the_model_of_other_rows_is_applied_when_rows_are_read():
    examples = table()
    model = ops.normalize(examples.take(np.arange(20))).model
    found, expected = model.apply(in_blocks(examples)), model.apply(examples)
    assert found.stays_in_file
    np.testing.assert_array_equal(
        found.select(["att2"]).loaded().column("att2"), expected.column("att2")
    )


def test_scaled_rows_travel_and_differ_from_others():
    examples = table()
    found = ops.normalize(in_blocks(examples)).examples
    sent = pickle.loads(pickle.dumps(found))
    assert sent.fingerprint() == found.fingerprint()
    assert ops.weight_by_correlation(sent.drop(["colour"])).equals(
        ops.weight_by_correlation(found.drop(["colour"]))
    )
    other = ops.normalize(in_blocks(examples), method="range transformation").examples
    assert len({in_blocks(examples).fingerprint(), found.fingerprint(), other.fingerprint()}) == 3


def test_negative_values_have_no_proportion(refused):
    examples = table()
    numbers = examples.schema.regular_numerical
    negative = examples.with_numbers(numbers, -examples.values(numbers))
    with refused("negative values", "allow_negative_values"):
        ops.normalize(in_blocks(negative), method="proportion transformation")
