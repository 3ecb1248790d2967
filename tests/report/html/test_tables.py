"""Results as tables: never more of them than a page can hold."""

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from fsops import AttributeWeights, ExampleSet
from fsops.data import (
    CoefficientPath,
    Collection,
    Criterion,
    FlowObject,
    PerformanceVector,
    SizeCurves,
)
from fsops.data.sparse import SparseBlock
from fsops.report.html.tables import COMPARED_CELLS, shown_tables, tables_of
from fsops.report.notebook import result_html


class Numbers(FlowObject):
    """A result of a plugin, with whatever it calls its table."""

    port_name = "numbers"
    title = "Numbers"

    def __init__(self, make):
        self.make = make

    def to_pandas(self):
        return self.make()


def test_of_many_weightings_of_many_attributes_the_best_are_shown():
    count = 60_000
    names = [f"a{number}" for number in range(count)]
    rising = np.arange(count, dtype=float)
    weights = [AttributeWeights(names, rising * scale) for scale in range(1, 21)]
    (table,) = tables_of(Collection(weights))
    assert table.rows * 20 == COMPARED_CELLS
    assert table.total == count
    assert list(table.columns[0].values) == names[-table.rows :]
    assert table.columns[2].values[-1] == 2 * (count - 1)


def test_a_notebook_has_headings_of_details_with_explanations():
    found = result_html(AttributeWeights(["a"], [1.0], details={"both_halves": [0.5]}))
    assert "both_halves" not in found
    assert ">fraction of both halves</th>" in found
    assert 'title="Fraction of the pairs of halves' in found


def test_few_attributes_are_all_compared_in_their_order():
    weights = [AttributeWeights(["a", "b"], [0.0, 1.0]), AttributeWeights(["b", "c"], [3.0, 2.0])]
    (table,) = tables_of(Collection(weights))
    assert [list(column.values) for column in table.columns] == [
        ["a", "b", "c"], [0, 1, 0], [0, 3, 2],
    ]  # fmt: skip


def test_a_table_of_very_many_columns_and_no_rows_is_shown_by_attribute():
    empty = ExampleSet.from_numpy(np.empty((0, 5_000)))
    assert [(table.title, len(table.columns) < 10) for table in tables_of(empty)] == [
        ("Attributes", True)
    ]


def test_whole_numbers_of_any_size_are_shown():
    large = Numbers(lambda: pd.DataFrame({"n": [1, 10**400, -(10**5000)]}, dtype=object))
    (table,) = shown_tables(large)
    assert list(table.columns[0].values) == [1, "1.000000e+400", "-1.000000e+5000"]
    assert "1.000000e+400" in result_html(large)
    assert "e+400" in table.as_json()


def test_a_notebook_shows_a_result_whose_table_fails():
    def fail():
        raise RuntimeError("no table")

    shown = result_html(Numbers(fail))
    assert "Numbers" in shown
    assert "<table>" not in shown


def test_rankings_side_by_side_show_their_places():
    ranking = AttributeWeights("abc", [2, 3, 1], origin="ranks", best="smallest")
    weights = AttributeWeights("abc", [0.5, 0.1, 0.9], origin="weights")
    (table,) = tables_of(Collection([ranking, weights]))
    shown = {column.name: list(column.values) for column in table.columns}
    assert shown["1. ranks"] == [2, 3, 1]


def sparse_and_dense():
    """Return the same table stored sparse and dense: holes, a column of zeros, one without any."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((30, 2100)) < 0.1, rng.normal(size=(30, 2100)), 0.0)
    X[:, 3], X[:, 4] = 0.0, 5.0
    X[2, 0] = X[3, 1] = np.nan
    label = ["a", "b"] * 15
    return ExampleSet.from_sparse(csr_array(X), label), ExampleSet.from_numpy(X, label)


def test_a_sparse_table_is_described_as_a_dense_one_and_stays_sparse(monkeypatch):
    sparse, dense = sparse_and_dense()
    expected = tables_of(dense)

    def refuse(*arguments):
        raise AssertionError("A dense copy was made.")

    monkeypatch.setattr(SparseBlock, "gather", refuse)
    found = tables_of(sparse)
    assert [table.title for table in found] == [table.title for table in expected]
    for mine, theirs in zip(found[-1].columns, expected[-1].columns, strict=True):
        np.testing.assert_equal(list(mine.values), list(theirs.values))


def test_a_path_begins_with_the_chosen_penalty():
    path = CoefficientPath("ab", np.array([1.0, 0.5]), np.array([[3.0, 0], [2, -4]]), chosen=1)
    main, every = tables_of(path)
    assert main.title == "Coefficients at the chosen penalty 0.5 (number 2 of 2)"
    assert list(main.columns[0].values) == ["b", "a"]
    assert (every.title, every.rows) == ("All steps", 3)


def test_a_deviation_is_listed_where_something_was_repeated_and_a_bound_has_only_a_value():
    (repeated,) = tables_of(PerformanceVector([Criterion("accuracy", (0.8, 0.9))]))
    (once,) = tables_of(PerformanceVector([Criterion("accuracy", (0.8,))]))
    (bound,) = tables_of(PerformanceVector([Criterion("bound", (0.4,), measured=False)]))
    assert [c.name for c in repeated.columns] == ["criterion", "mean", "deviation", "repetitions"]
    assert [c.name for c in once.columns] == ["criterion", "mean", "repetitions"]
    assert (bound.title, [c.name for c in bound.columns]) == (
        "Computed values",
        ["criterion", "value"],
    )


def test_columns_and_answers_of_results_are_in_words_and_names_of_data_stay():
    curves = SizeCurves(
        ("t",), [1, 2], np.ones((1, 2, 2)), criterion="squared_error", maximize=False, chosen=(2,)
    )
    (table,) = tables_of(curves)
    assert [column.title for column in table.columns[2:5]] == [
        "squared error", "standard error", "chosen",
    ]  # fmt: skip
    assert [column.name for column in table.columns[2:4]] == ["squared_error", "standard_error"]
    assert list(table.columns[4].values) == ["no", "yes"]
    (rows,) = tables_of(ExampleSet.from_pandas(pd.DataFrame({"my_gene": [1.5]})))
    assert [column.title for column in rows.columns] == ["my_gene"]


def test_values_of_different_criteria_do_not_line_up():
    criteria = [
        Criterion("false", (0.412668,), measured=False),
        Criterion("n", (5.0,), measured=False),
    ]
    (table,) = tables_of(PerformanceVector(criteria))
    assert table.first_rows() == [["false", "0.41267"], ["n", "5"]]


def test_the_largest_values_of_different_attributes_do_not_line_up():
    frame = pd.DataFrame({"x": [0.99627, 0.5], "days": [514.62, 1.5], "y": ["a", "b"]})
    _, attributes = tables_of(ExampleSet.from_pandas(frame, roles={"y": "label"}))
    assert attributes.columns[-1].texts(3) == ["0.99627", "514.62", "?"]


def test_rows_begin_with_the_label():
    frame = pd.DataFrame({"x": [1.5, 2.0], "y": ["a", "b"], "id": [1, 2]})
    rows, _ = tables_of(ExampleSet.from_pandas(frame, roles={"y": "label", "id": "id"}))
    assert [column.name for column in rows.columns][2:] == ["x"]
    assert {column.name for column in rows.columns[:2]} == {"y", "id"}
