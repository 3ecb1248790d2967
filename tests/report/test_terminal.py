"""Each kind of result as text."""

import io

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from scipy.sparse import csr_array

from fsops import AttributeWeights, Collection, Criterion, ExampleSet, FlowObject, PerformanceVector
from fsops.data import CoefficientPath, ConfusionMatrix, ImportanceHistory, StabilityPath
from fsops.operators import naive_bayes
from fsops.plugins import plugins
from fsops.report import terminal
from fsops.report.terminal import DEFAULT_ROWS, fsops_renderers, show


def text(value, rows=DEFAULT_ROWS, **options):
    stream = io.StringIO()
    Console(file=stream, width=100, **options).print(show(value, rows), crop=False)
    return stream.getvalue()


@pytest.fixture
def mixed():
    frame = pd.DataFrame(
        {
            "when": pd.to_datetime(["2020-01-01", None, "2021-05-06"]),
            "note": ["a\nb", "", "c"],
            "size": [1.5, np.nan, 3.0],
            "kind": ["u", None, "v"],
            "class": ["p", "q", "p"],
        }
    )
    return ExampleSet.from_pandas(frame, roles={"class": "label"}, types={"note": "text"})


def test_weights_best_first_with_bars_and_details():
    weights = AttributeWeights(
        ["a", "b", "c"],
        [1.0, 3.5, 0.25],
        origin="Weight by X",
        details={"p_value": [0.1, 0.2, 1e-9]},
    )
    rows = text(weights).splitlines()
    assert rows[0] == "3 attributes by Weight by X"
    assert rows[1].split() == ["attribute", "weight", "p-value"]
    assert [row.split()[1] for row in rows[3:]] == ["b", "a", "c"]
    assert rows[3].count("█") == 24
    assert rows[5].endswith("1e-09")


def test_negative_unknown_and_infinite_weights():
    rows = text(AttributeWeights(list("abcde"), [np.nan, np.inf, -np.inf, -1, 2])).splitlines()
    assert [row.split()[1:3] for row in rows[3:]] == [
        ["b", "∞"], ["e", "2"], ["d", "-1"], ["c", "-∞"], ["a", "?"],
    ]  # fmt: skip
    zero = rows[3].index("│")
    assert all(row.index("│") == zero for row in rows[3:])
    assert [row.rindex("█") > zero for row in rows[3:7]] == [True, True, False, False]
    assert "│" not in text(AttributeWeights("ab", [0.0, 2]))


def test_many_weights_are_cut_unless_all_are_wanted():
    weights = AttributeWeights([f"gene {i}" for i in range(10_000)], np.arange(1.0, 10_001))
    assert text(weights).splitlines()[-1] == "… 9,980 more attributes"
    assert len(text(weights, None).splitlines()) == 10_003
    assert text(weights, 9_999).splitlines()[-1] == "… 1 more attribute"


def test_a_ranking_begins_with_the_first_place():
    rows = text(AttributeWeights("abc", [2, 3, 1], best="smallest")).splitlines()
    assert "rank" in rows[1]
    assert [row.split()[:3] for row in rows[3:6]] == [
        ["1", "c", "1"],
        ["2", "a", "2"],
        ["3", "b", "3"],
    ]


def test_no_weights_at_all():
    assert text(AttributeWeights([], [])).startswith("0 attributes")


def test_performance_with_deviation_and_confusion():
    performance = PerformanceVector(
        [Criterion("accuracy", (0.9, 0.8), percent=True), Criterion("kappa", (0.5,))],
        confusion=ConfusionMatrix(("no", "yes"), np.array([[8, 2], [1, 9]])),
    )
    shown = text(performance)
    assert "accuracy   85.00 %  ± 7.07 %  2 times" in shown
    assert "kappa          0.5            once" in shown
    assert "no                    8      2   80.0%" in shown
    assert "precision         88.9%  81.8%" in shown


def test_a_single_measurement_has_no_deviation():
    assert "±" not in text(PerformanceVector([Criterion("accuracy", (0.9,), percent=True)]))


def test_a_computed_bound_has_a_value_and_was_not_measured():
    bound = Criterion("expected_false_selections", (0.41,), maximize=False, measured=False)
    rows = text(PerformanceVector([bound])).splitlines()
    assert rows[0].split() == ["criterion", "value"]
    assert rows[2].split() == ["expected", "false", "selections", "0.41"]
    both = text(PerformanceVector([bound, Criterion("accuracy", (0.9,))])).splitlines()
    assert [row.split()[-1] for row in both[2:]] == ["computed", "once"]


def test_a_class_that_nobody_predicted():
    matrix = ConfusionMatrix(("a", "b"), np.array([[3, 0], [0, 0]]))
    assert "?" in text(PerformanceVector([Criterion("accuracy", (1.0,))], confusion=matrix))


def test_many_classes_are_listed_one_by_one():
    matrix = ConfusionMatrix(tuple(f"c{i}" for i in range(40)), np.eye(40, dtype=np.int64))
    shown = text(PerformanceVector([Criterion("accuracy", (1.0,))], confusion=matrix))
    assert "class  rows  recall  precision" in shown
    assert "… 20 more classes" in shown


def test_a_matrix_too_wide_for_the_terminal_is_listed_class_by_class():
    matrix = ConfusionMatrix(tuple(f"class {i}" for i in range(20)), np.eye(20, dtype=np.int64))
    performance = PerformanceVector([Criterion("accuracy", (1.0,))], confusion=matrix)
    assert "class     rows" in text(performance, force_terminal=True, color_system=None)
    assert "true \\ predicted" in text(performance)


def test_a_sparse_table_says_how_many_numbers_it_stores():
    table = ExampleSet.from_sparse(csr_array(np.eye(40)), ["a", "b"] * 20)
    first = text(table).splitlines()[0]
    assert first == "40 rows, 40 regular attributes, sparse: 0.025 of the numbers are not zero"


def test_a_small_table_row_by_row(mixed):
    shown = text(mixed).splitlines()
    assert shown[0] == "3 rows, 4 regular attributes"
    assert "class (label)" in shown[1]
    assert shown[3].split()[0] == "1"
    assert "  1.5  " in shown[3]
    assert "?" in shown[4]
    assert len(shown) == 6


def test_a_large_table_with_types_roles_and_first_values(mixed, monkeypatch):
    monkeypatch.setattr(terminal, "FEW_ATTRIBUTES", 4)
    shown = text(mixed).splitlines()
    assert shown[0] == "3 rows, 4 regular attributes"
    rows = {line.split()[0]: line for line in shown[3:]}
    assert list(rows) == ["class", "when", "note", "size", "kind"]
    assert "binominal  label" in rows["class"]
    assert "2020-01-01 00:00:00 … 2021-05-06 00:00:00" in rows["when"]
    assert "a\\nb, , c" in rows["note"]
    assert rows["size"].split()[1:3] == ["real", "1"]
    assert "1.5, ?, 3" in rows["size"]
    assert "u, ?, v" in rows["kind"]


def test_a_column_without_any_value():
    table = ExampleSet.from_numpy(np.full((30, 1), np.nan))
    assert "?, ?" in text(table)


def test_a_model(two_classes):
    shown = text(naive_bayes(two_classes))
    assert "predicts label (binominal): no, yes" in shown
    assert "from 6 attributes: att1, att2" in shown


def test_a_collection_in_lines_or_in_full(two_classes):
    weights = AttributeWeights(["a", "b"], [1, 2])
    collection = Collection([weights, naive_bayes(two_classes)])
    shown = text(collection)
    assert "1  Attribute weights  AttributeWeights of 2 attributes: b=2, a=1" in shown
    assert "2  Prediction model " in shown
    assert "1. Attribute weights\n2 attributes" in text(collection, None)


class Pathway(FlowObject):
    title = "Pathway"


class Table(FlowObject):
    title = "Table"

    def __repr__(self):
        return "<Table of paths>"

    def to_pandas(self):
        return pd.DataFrame({"step": range(30), "name": [f"s{i}" for i in range(30)]})


def test_anything_else():
    assert text(Pathway()) == "Pathway\n"


def test_anything_that_can_be_a_table():
    shown = text(Table()).splitlines()
    assert shown[0] == "Table of paths"
    assert shown[1] == "step  name"
    assert shown[-1] == "… 10 more rows"


def test_results_are_registered_as_renderers():
    assert all(renderer in plugins().renderers for renderer in fsops_renderers())


def test_weights_of_0_are_not_listed_and_equal_ones_follow_their_rank():
    weights = AttributeWeights(
        ["a", "b", "c", "d"], [0.5, 0.5, 0.0, 1.0], details={"rank": [3, 2, 4, 1]}
    )
    lines = text(weights).splitlines()
    assert "2 with weight 0" not in lines[0]
    assert "1 with weight 0 not listed" in lines[0]
    listed = [
        line.split()[1] for line in lines if line.strip()[:1].isdigit() and "attribute" not in line
    ]
    assert listed == ["d", "b", "a"]


def test_a_path_shows_the_chosen_penalty_and_with_all_rows_every_penalty_below_it():
    path = CoefficientPath("ab", np.array([1.0, 0.5]), np.array([[3.0, 0], [2, -4]]), chosen=1)
    rows = text(path).splitlines()
    assert rows[:2] == [
        "2 attributes at 2 penalties",
        "Coefficients at the chosen penalty 0.5 (number 2 of 2).",
    ]
    assert [row.split() for row in rows[4:]] == [["b", "-4"], ["a", "2"]]
    every = text(path, None)
    assert every.startswith("\n".join(rows))
    assert "All steps:" in every
    assert every.count("  no\n") == 1


def test_a_stability_path_shows_the_final_size():
    frequencies = np.array([[1.0, 0.0, 0.0], [0.6, 0.9, 0.0]])
    path = StabilityPath("abc", np.array([1, 2]), frequencies, threshold=0.75, bound=0.5)
    rows = text(path).splitlines()
    assert rows[1] == (
        "Frequencies at the final size, 2 attributes per half; selected from 0.75 on."
    )
    assert [row.split() for row in rows[4:]] == [["b", "0.9", "yes"], ["a", "0.6", "no"]]
    empty = StabilityPath((), np.zeros(0, int), np.zeros((0, 0)), threshold=0.75, bound=0.0)
    assert "No half selects an attribute." in text(empty)


def test_a_history_of_importances_shows_the_decisions():
    importances = np.array([[0.1, 0.4, 0.3], [np.nan, 0.6, 0.3]])
    shadows = np.array([[0.0, 0.1, 0.2], [0.0, 0.1, 0.4]])
    history = ImportanceHistory("abc", importances, shadows, np.array([-1, 1, 0]))
    rows = text(history).splitlines()
    assert rows[1] == (
        "After 2 iterations: 1 confirmed, 1 tentative, 1 rejected; best shadow 0.3 (median)."
    )
    assert [row.split() for row in rows[4:]] == [
        ["b", "confirmed", "0.5", "2"], ["c", "tentative", "0.3", "2"],
        ["a", "rejected", "0.1", "1"],
    ]  # fmt: skip
    never = ImportanceHistory("a", np.full((1, 1), np.nan), shadows[:1], np.array([-1]))
    assert "rejected" in text(never)
