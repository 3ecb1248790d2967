"""Figures of merit of predictions, against scikit-learn."""

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn import metrics

from fsops import ExampleSet, Process, validate
from fsops.core.checks.problems import Kind, Severity
from fsops.data import Attribute, ValueType
from fsops.data.columns import nominal_column
from fsops.operators import (
    apply_model,
    naive_bayes,
    performance,
    performance_binominal_classification,
    performance_classification,
    performance_costs,
    performance_regression,
    retrieve,
)


def of_classes(true, predicted, true_categories=None, predicted_categories=None):
    label, codes = nominal_column("y", true, role="label")
    guess, guesses = nominal_column("p", predicted, role="prediction")
    examples = ExampleSet.from_columns([(label, codes), (guess, guesses)], len(true))
    wanted = {"y": true_categories, "p": predicted_categories}
    for name, categories in wanted.items():
        if categories:
            attribute = Attribute.nominal(name, categories, examples.schema.roles[name])
            values = [categories.index(v) for v in examples.nominal_values(name)]
            examples = examples.with_columns([(attribute, np.array(values))])
    return examples


def of_numbers(true, predicted):
    return ExampleSet.from_columns(
        [
            (Attribute("y", role="label"), np.array(true, dtype=float)),
            (Attribute("p", role="prediction"), np.array(predicted, dtype=float)),
        ],
        len(true),
    )


def test_classes_give_accuracy_error_kappa_and_counts():
    rng = np.random.default_rng(1)
    true, guess = (np.array(list("abc"))[rng.integers(0, 3, 50)].tolist() for _ in range(2))
    found = performance(of_classes(true, guess))
    assert [c.name for c in found] == ["accuracy", "classification_error", "kappa"]
    assert found.main.mean == metrics.accuracy_score(true, guess)
    assert found["classification_error"].mean == pytest.approx(1 - found.main.mean)
    assert found["kappa"].mean == pytest.approx(metrics.cohen_kappa_score(true, guess))
    assert found.confusion.classes == ("a", "b", "c")
    expected = metrics.confusion_matrix(true, guess, labels=list("abc"))
    assert np.array_equal(found.confusion.counts, expected)
    assert (found["accuracy"].maximize, found["classification_error"].maximize) == (True, False)


def test_numbers_give_errors_and_correlation():
    rng = np.random.default_rng(2)
    true, guess = rng.normal(size=(2, 30))
    found = performance(of_numbers(true, guess))
    assert [c.name for c in found] == [
        "root_mean_squared_error",
        "absolute_error",
        "squared_correlation",
    ]
    assert found.main.mean == pytest.approx(metrics.root_mean_squared_error(true, guess))
    assert found["absolute_error"].mean == pytest.approx(metrics.mean_absolute_error(true, guess))
    assert found["squared_correlation"].mean == pytest.approx(pearsonr(true, guess).statistic ** 2)
    assert [c.maximize for c in found] == [False, False, True]
    assert found.confusion is None


def test_constant_predictions_have_no_correlation():
    assert performance(of_numbers([1, 2, 3], [0.1] * 3))["squared_correlation"].mean == 0.0


def test_classes_are_compared_by_name_not_by_code():
    examples = of_classes(list("aabb"), list("abab"), ["b", "a"], ["a", "b"])
    assert performance(examples).main.mean == 0.5
    assert performance(examples).confusion.counts.tolist() == [[1, 1], [1, 1]]


def test_either_side_may_know_classes_that_the_other_does_not():
    found = performance(of_classes(list("aacc"), list("abab")))
    assert found.confusion.classes == ("a", "b", "c")
    assert found.confusion.counts.tolist() == [[1, 1, 0], [0, 0, 0], [1, 1, 0]]
    assert found.main.mean == 0.25


def test_a_model_can_be_tested_on_rows_of_one_class(golf):
    frame = golf.to_pandas().astype({"Play": object})
    only_yes = ExampleSet.from_pandas(frame[frame["Play"] == "yes"], roles={"Play": "label"})
    found = performance(naive_bayes(golf).apply(only_yes))
    assert found.confusion.classes == ("no", "yes")
    assert found["kappa"].mean == 0.0


def test_a_prediction_is_needed(golf, refused):
    with refused("no prediction", "Apply Model"):
        performance(golf)


def test_a_label_is_needed(golf, refused):
    with refused("no label", "role label"):
        performance(naive_bayes(golf).apply(golf.drop(["Play"])))


def test_rows_are_needed(golf, refused):
    with refused("no rows"):
        performance(naive_bayes(golf).apply(golf).take([]))


def test_a_prediction_of_another_kind_is_refused(refused):
    examples = of_numbers([1, 2], [1, 2]).with_columns([nominal_column("y", ["a", "b"], "label")])
    with refused('"y"', "binominal", '"p"', "real", "trained for this label"):
        performance(examples)
    examples = of_classes(["a", "b"], ["a", "b"]).with_columns(
        [(Attribute("y", role="label"), np.array([1.0, 2.0]))]
    )
    with refused('"y"', "real", '"p"', "binominal"):
        performance(examples)


def test_a_missing_prediction_is_refused_with_its_row(refused):
    with refused('"p"', "missing in row 2", "Filter Examples"):
        performance(of_numbers([1, 2, 3], [1, np.nan, 3]))
    with refused('"p"', "missing in 2 rows, first in row 1", "Filter Examples"):
        performance(of_classes(["a", "b", "a"], [None, "b", None]))


def test_a_missing_label_is_refused_with_its_row(refused):
    with refused('"y"', "missing in row 3", "Filter Examples"):
        performance(of_numbers([1, 2, np.nan], [1, 2, 3]))


def test_a_text_as_label_is_refused(refused):
    text = (Attribute("y", ValueType.TEXT, "label"), np.array(["a", "b"], dtype=object))
    with refused('"y"', "text", "number or a class"):
        performance(of_numbers([1, 2], [1, 2]).with_columns([text]))


@pytest.mark.parametrize(
    "measure",
    [
        performance,
        performance_classification,
        performance_binominal_classification,
        performance_costs,
        performance_regression,
    ],
)
def test_a_table_without_prediction_is_told_before_the_run(measure):
    process = Process()
    needed = {"cost_matrix": "[0 1; 1 0]"} if measure is performance_costs else {}
    data = process.add(retrieve, repository_entry="golf")
    process.result(process.add(measure, data, **needed))
    told = [p for p in validate(process) if p.severity is Severity.ERROR]
    assert [(p.kind, p.message) for p in told] == [
        (Kind.UNSUITABLE_DATA, "The data has no prediction. Put Apply Model before.")
    ]


def test_a_table_with_prediction_or_of_which_nothing_is_known_is_not_told():
    process = Process()
    data = process.add(retrieve, repository_entry="golf")
    model = process.add(naive_bayes, data)
    process.result(process.add(performance, process.add(apply_model, model["model"], data)))
    process.result(process.add(performance, process.source()))
    assert [p for p in validate(process) if p.severity is Severity.ERROR] == []
