"""What data an operator accepts, in words."""

import numpy as np
import pandas as pd
import pytest

from fsops import Accepts, ExampleSet
from fsops.errors import DataError


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
