"""Wide and long tables, against pandas."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import de_pivot, pivot

LONG = pd.DataFrame(
    {
        "patient": ["b", "a", "a", "b", "c", "a"],
        "visit": [1, 2, 1, 3, 1, 2],
        "weight": [50.0, 61.5, 60.0, 51.0, np.nan, 62.0],
        "drug": ["x", "y", "y", None, "x", "z"],
        "age": [30.0, 40.0, 40.0, 30.0, np.nan, 40.0],
    }
)


@pytest.fixture
def long():
    return ExampleSet.from_pandas(LONG)


def test_a_pivot_has_a_column_for_each_index(long):
    wide = pivot(long, group_by_attributes=["patient"], index_attribute="visit")
    assert list(wide.names) == [
        "patient", "age", *(f"{name}_{n}" for name in ("weight", "drug") for n in (1, 2, 3)),
    ]  # fmt: skip
    oracle = LONG.groupby(["patient", "visit"]).last().unstack()
    last = LONG.drop_duplicates(["patient", "visit"], keep="last")
    oracle = last.pivot(index="patient", columns="visit", values="weight")
    for number in (1, 2, 3):
        assert np.array_equal(wide.column(f"weight_{number}"), oracle[number], equal_nan=True)
    assert wide.nominal_values("drug_2") == ["z", None, None]
    assert wide.nominal_values("patient") == ["a", "b", "c"]
    assert np.array_equal(wide.column("age"), [40, 30, np.nan], equal_nan=True)


def test_constants_can_be_spread_too(long):
    wide = pivot(
        long,
        group_by_attributes=["patient"],
        index_attribute="visit",
        skip_constant_attributes=False,
    )
    assert "age" not in wide.schema
    assert np.array_equal(wide.column("age_1"), [40, 30, np.nan], equal_nan=True)


def test_a_function_joins_rows_with_the_same_index(long):
    wide = pivot(
        long,
        group_by_attributes=["patient"],
        index_attribute="visit",
        aggregation_attributes={"weight": "average", "drug": "concatenation"},
        skip_constant_attributes=False,
    )
    oracle = LONG.pivot_table(index="patient", columns="visit", values="weight", aggfunc="mean")
    oracle = oracle.reindex(["a", "b", "c"])
    assert np.array_equal(wide.column("average(weight)_2"), oracle[2], equal_nan=True)
    assert wide.nominal_values("concatenation(drug)_2") == ["y|z", None, None]


def test_groups_and_index_must_differ(long, refused):
    with refused("attributes other than index_attribute", error=ParameterError):
        pivot(long, group_by_attributes=["visit"], index_attribute="visit")


def test_de_pivot_is_melt(long):
    wide = pivot(long, group_by_attributes=["patient"], index_attribute="visit")
    back = de_pivot(
        wide,
        series={"weight": "weight_.*", "drug": "drug_.*"},
        index_attribute="visit",
        keep_missings=True,
    )
    frame = wide.to_pandas()
    columns = [f"weight_{n}" for n in (1, 2, 3)]
    oracle = frame.melt(id_vars=["patient"], value_vars=columns).sort_values(
        "patient", kind="stable"
    )
    assert back.nominal_values("patient") == oracle["patient"].tolist()
    assert np.array_equal(back.column("weight"), oracle["value"], equal_nan=True)
    assert back.column("visit").tolist() == [1, 2, 3] * 3
    fewer = de_pivot(wide, series={"weight": "weight_.*"}, index_attribute="visit")
    assert fewer.column("weight").tolist() == [60.0, 62.0, 50.0, 51.0]


def test_names_can_be_the_index(long):
    wide = pivot(long, group_by_attributes=["patient"], index_attribute="visit")
    back = de_pivot(
        wide, series={"w": "weight_.*"}, index_attribute="name", create_nominal_index=True
    )
    assert back.nominal_values("name") == ["weight_1", "weight_2", "weight_1", "weight_3"]


def test_series_that_do_not_fit_are_explained(long, refused):
    with refused('No attribute fits "nothing_.*", the series "x"'):
        de_pivot(long, series={"x": "nothing_.*"})
    with refused("differ in type"):
        de_pivot(long, series={"x": "weight|drug"})
    with refused('"x" has 1, "y" has 2'):
        de_pivot(long, series={"x": "weight", "y": "age|visit"})
    with refused("works with one series only", error=ParameterError):
        de_pivot(long, series={"x": "weight", "y": "age"}, create_nominal_index=True)
    with refused('"drug" exists already', error=ParameterError):
        de_pivot(long, series={"x": "weight"}, index_attribute="drug")
