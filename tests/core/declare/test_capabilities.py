"""What data an operator accepts, in words."""

import numpy as np
import pandas as pd
import pytest

from fsops import Accepts, ExampleSet
from fsops.errors import DataError
from fsops.testing import in_blocks


def table(**columns):
    roles = {"y": "label"} if "y" in columns else {}
    return ExampleSet.from_pandas(pd.DataFrame(columns), roles=roles)


FINE = {"a": [1.0, 2.0, 3.0, 4.0], "y": ["n", "p", "n", "p"]}


@pytest.mark.parametrize(
    ("accepts", "columns", "sentence"),
    [
        (Accepts(label="any"), {"a": [1.0]}, "The data has no label. Give an attribute the role label"),
        (Accepts(label="nominal"), {"a": [1.0], "y": [0.5]}, 'A label with classes is needed, but "y" is real'),
        (Accepts(label="numerical"), FINE, 'A numerical label is needed, but "y" is binominal'),
        (Accepts(label="nominal"), {**FINE, "y": ["n"] * 4}, 'all rows have the class "n" in "y"'),
        (Accepts(label="any", several_classes=True), {**FINE, "y": ["n"] * 4}, 'all rows have the class "n" in "y"'),
        (Accepts(label="binominal", instead="Use F."), {**FINE, "y": list("abca")}, '"y" has 3: "a", "b", "c". Use F.'),
        (Accepts(label="nominal"), {**FINE, "y": ["n", None, "p", "p"]}, 'The label "y" is missing in row 2. Leave these rows out: Filter Examples'),
        (Accepts(attributes="numerical"), {"a": ["u", "v"]}, 'All attributes must be numerical, but "a" is not. Convert them'),
        (Accepts(attributes="numerical"), {"a": ["1,5", "2"]}, 'numbers with a decimal comma: set decimal_character to ","'),
        (Accepts(attributes="numerical"), {"a": [*map(str, range(20)), "<1"]}, 'text among numbers, such as "<1": correct it'),
        (Accepts(attributes="nominal"), {"a": [1.0], "b": [2.0]}, 'must be nominal, but "a", "b" are not. Discretize them'),
        (Accepts(), {"a": [1.0, np.nan], "b": [np.nan, np.nan]}, '3 values are missing, in "a", "b". Replace them'),
        (Accepts(), {"a": ["u", None]}, '1 value is missing, in "a"'),
        (Accepts(), {"a": [1.0, np.inf]}, 'infinite values, or numbers beyond 1e+38, in "a"'),
        (Accepts(label="any"), {"y": [1.0]}, "The data has no regular attributes"),
        (Accepts(), {"a": np.empty(0)}, "The data has no rows"),
        (Accepts(label="any"), {"a": [1.0], "y": pd.to_datetime(["2020-01-01"])}, "must be a number or a class"),
    ],
)  # fmt: skip
def test_unfit_data_is_refused_with_a_sentence(accepts, columns, sentence):
    with pytest.raises(DataError) as caught:
        accepts.check(table(**columns))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("accepts", "columns"),
    [
        (Accepts(label="binominal", attributes="numerical"), FINE),
        (Accepts(label="binominal"), {**FINE, "y": pd.Categorical(list("npnp"), categories=list("npq"))}),
        (Accepts(missing=True), {"a": [1.0, np.nan]}),
        (Accepts(infinite=True), {"a": [1.0, np.inf]}),
        (Accepts(), {"a": [1e37, 1e37]}),
        (Accepts(label="none"), {"a": [1.0], "y": [np.nan]}),
    ],
)  # fmt: skip
def test_fit_data_passes(accepts, columns):
    accepts.check(table(**columns))


def test_schema_alone_tells_what_cannot_fit():
    accepts = Accepts(label="nominal", attributes="numerical")
    with pytest.raises(DataError):
        accepts.check_schema(table(a=["u"], y=["n"]).schema)
    accepts.check_schema(table(a=[1.0], y=["n"]).schema)


# --- tables in blocks of rows ---------------------------------------------------------------

NUMBERS = Accepts(label="binominal", attributes="numerical")
IN_BLOCKS = Accepts(label="binominal", attributes="numerical", blocks=True)


def numbers(last=1.0):
    X = np.arange(60.0).reshape(12, 5)
    X[-1, -1] = last
    return ExampleSet.from_numpy(X, ["n", "p"] * 6)


def test_without_blocks_a_large_table_is_refused_before_the_operator_runs(refused):
    examples = "These read it in blocks: Weight by SAM, Weight by t-Test, Weight by AUC"
    with refused("The table would take", examples, " more (see the help of Read Parquet)"):
        NUMBERS.check(in_blocks(numbers()))


def test_with_blocks_the_values_of_a_large_table_are_left_to_the_statistics(refused):
    IN_BLOCKS.check(in_blocks(numbers(last=np.nan)))
    with refused("1 value is missing"):
        in_blocks(numbers(last=np.nan)).moments()


def test_label_and_types_of_a_table_in_blocks_are_checked_at_once(refused):
    three = ExampleSet.from_numpy(np.ones((12, 5)), ["a", "b", "c"] * 4)
    with refused("Exactly two classes are needed"):
        IN_BLOCKS.check(in_blocks(three))
    with refused("All attributes must be numerical"):
        IN_BLOCKS.check(in_blocks(table(a=["u", "v"] * 4, y=["n", "p"] * 4)))


def test_a_table_in_memory_is_checked_whatever_is_declared_about_blocks(refused):
    with refused("1 value is missing"):
        IN_BLOCKS.check(numbers(last=np.nan))


def test_a_table_that_is_loaded_late_is_checked_then(refused):
    small = in_blocks(numbers(last=np.inf), limit=10**6)
    IN_BLOCKS.check(small)
    with refused("infinite values", '"att5"'):
        IN_BLOCKS.loaded(small)
    assert IN_BLOCKS.loaded(in_blocks(numbers(), limit=10**6)).equals(numbers())
    with refused("The table would take"):
        IN_BLOCKS.loaded(in_blocks(numbers()))


def test_a_table_in_memory_is_not_checked_again():
    bad = numbers(last=np.inf)
    assert IN_BLOCKS.loaded(bad) is bad
