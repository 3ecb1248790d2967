"""Groups of rows, against pandas."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet, ValueType
from fsops.errors import DataError, ParameterError
from fsops.operators import aggregate

PANDAS = {
    "average": "mean",
    "median": "median",
    "sum": "sum",
    "product": "prod",
    "minimum": "min",
    "maximum": "max",
    "variance": "var",
    "standard_deviation": "std",
    "count": "count",
    "first": "first",
}


@pytest.fixture
def sales():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "city": rng.choice(["Ulm", "Bonn", "Kiel"], 40),
            "year": rng.integers(2000, 2003, 40),
            "price": np.where(rng.random(40) < 0.2, np.nan, rng.normal(size=40)),
            "kind": rng.choice(["a", "b", None], 40),
        }
    )
    return ExampleSet.from_pandas(frame)


@pytest.mark.parametrize("function", PANDAS)
def test_numbers_are_those_of_pandas(sales, function):
    found = aggregate(
        sales, group_by_attributes=["city", "year"], aggregation_attributes={"price": function}
    )
    grouped = sales.to_pandas().groupby(["city", "year"], observed=True)["price"]
    options = {"min_count": 1} if function in ("sum", "product") else {}
    expected = grouped.agg(PANDAS[function], **options).reset_index()
    assert found.names == ("city", "year", f"{function}(price)")
    assert found.nominal_values("city") == expected["city"].tolist()
    assert found.column("year").tolist() == expected["year"].tolist()
    assert found.column(f"{function}(price)") == pytest.approx(
        expected["price"].to_numpy(float), nan_ok=True
    )


def test_the_weather_by_outlook(golf):
    found = aggregate(
        golf,
        group_by_attributes=["Outlook"],
        aggregation_attributes={"Temperature": "average", "Humidity": "maximum", "Wind": "mode"},
    )
    told = dict(zip(found.nominal_values("Outlook"), found.numeric().tolist(), strict=True))
    assert told["overcast"] == [75, 90]
    assert told["rain"] == [pytest.approx(69.8), 96]
    assert told["sunny"] == [pytest.approx(76.2), 95]
    kinds = [a.value_type for a in found.attributes]
    integer = golf.schema.attribute("Humidity").value_type
    assert kinds == [ValueType.POLYNOMINAL, ValueType.REAL, integer, ValueType.BINOMINAL]


def test_a_missing_value_is_a_group_of_its_own_at_the_end(sales):
    found = aggregate(sales, group_by_attributes=["kind"], aggregation_attributes={"city": "count"})
    assert found.nominal_values("kind") == ["a", "b", None]
    kinds = sales.to_pandas()["kind"]
    assert found.column("count(city)").tolist() == [
        (kinds == "a").sum(),
        (kinds == "b").sum(),
        kinds.isna().sum(),
    ]


def test_without_groups_there_is_one_row(sales):
    found = aggregate(sales, aggregation_attributes={"price": "average", "city": "mode"})
    frame = sales.to_pandas()
    assert found.column("average(price)").tolist() == [pytest.approx(frame["price"].mean())]
    assert found.nominal_values("mode(city)") == [frame["city"].mode()[0]]


def test_groups_alone_are_the_different_rows(sales):
    found = aggregate(sales, group_by_attributes=["city", "year"])
    assert len(found) == len(sales.to_pandas()[["city", "year"]].drop_duplicates())


def test_missing_values_can_count():
    frame = pd.DataFrame({"g": ["x", "x", "y"], "v": [1.0, np.nan, 3.0]})
    table = ExampleSet.from_pandas(frame)
    for function, ignored, counted in (
        ("sum", [1, 3], [np.nan, 3]),
        ("count", [1, 1], [2, 1]),
    ):
        options = {"group_by_attributes": ["g"], "aggregation_attributes": {"v": function}}
        name = f"{function}(v)"
        assert aggregate(table, **options).column(name).tolist() == ignored
        np.testing.assert_array_equal(
            aggregate(table, ignore_missings=False, **options).column(name), counted
        )


def test_each_value_can_count_once():
    frame = pd.DataFrame({"g": list("xxxyy"), "v": [1.0, 1.0, 4.0, 2.0, 2.0]})
    table = ExampleSet.from_pandas(frame)
    for function, expected in (("sum", [5, 2]), ("count", [2, 1]), ("average", [2.5, 2])):
        found = aggregate(
            table,
            group_by_attributes=["g"],
            aggregation_attributes={"v": function},
            only_distinct=True,
        )
        assert found.column(f"{function}(v)").tolist() == expected


def test_all_other_attributes_can_be_aggregated_alike(golf):
    found = aggregate(
        golf,
        group_by_attributes=["Play"],
        aggregation_attributes={"Humidity": "minimum"},
        use_default_aggregation=True,
        default_aggregation_function="median",
    )
    assert found.names == ("Play", "minimum(Humidity)", "median(Temperature)")
    chosen = aggregate(
        golf,
        use_default_aggregation=True,
        default_aggregation_function="count",
        attribute_filter_type="value_type",
        value_type="nominal",
    )
    assert chosen.names == ("count(Outlook)", "count(Wind)")
    assert chosen.numeric().tolist() == [[14, 14]]


def test_dates_and_texts_can_be_counted_and_grouped_by():
    days = pd.to_datetime(["2020-01-02", "2020-01-01", "2020-01-02", None])
    table = ExampleSet.from_pandas(pd.DataFrame({"day": days, "v": [1.0, 2, 3, 4]}))
    found = aggregate(
        table, group_by_attributes=["day"], aggregation_attributes={"day": "count", "v": "sum"}
    )
    assert found.column("sum(v)").tolist() == [2, 4, 4]
    assert found.column("count(day)").tolist() == [1, 2, 0]


def test_what_cannot_be_calculated_is_refused(golf):
    with pytest.raises(DataError, match='"Outlook" is polynominal and has no average'):
        aggregate(golf, aggregation_attributes={"Outlook": "average"})
    with pytest.raises(DataError, match='no attribute "Wetter"'):
        aggregate(golf, group_by_attributes=["Wetter"])
    with pytest.raises(ParameterError, match="nothing to do"):
        aggregate(golf)


def test_categories_of_a_group_are_joined_in_the_order_of_the_rows(refused):
    frame = pd.DataFrame({"g": ["a", "b", "a", "a", "c"], "v": ["y", None, "x", "y", None]})
    table = ExampleSet.from_pandas(frame)
    wanted = {"group_by_attributes": ["g"], "aggregation_attributes": {"v": "concatenation"}}
    assert aggregate(table, **wanted).nominal_values("concatenation(v)") == ["y|x|y", None, None]
    distinct = aggregate(table, only_distinct=True, **wanted)
    assert distinct.nominal_values("concatenation(v)") == ["y|x", None, None]
    with refused('"n" is integer and has no concatenation', "Possible: average"):
        aggregate(
            ExampleSet.from_pandas(frame.assign(n=range(5))),
            aggregation_attributes={"n": "concatenation"},
        )
