"""What passes from training to testing, and what the tests deliver."""

import numpy as np
import pytest

from fsops import Attribute, ExampleSet, Process, ValueType, run
from fsops.operators import (
    apply_model,
    cross_validation,
    naive_bayes,
    performance,
    repeated_random_split,
    replace_missing_values,
    retrieve,
)
from fsops.operators.validation import trials
from fsops.operators.validation.trials import Trained


def table(n=20):
    rng = np.random.default_rng(1)
    codes = np.arange(n) % 2
    examples = ExampleSet.from_numpy(rng.normal(size=(n, 2)) + codes[:, None], codes)
    return examples.with_columns([(Attribute("row", role="id"), np.arange(float(n)))])


def delivering(model, rows):
    predicted = apply_model(model, rows)
    return trials.Tested(performance(predicted), predicted)


def test_what_the_training_passes_through_reaches_the_testing_of_the_same_fold():
    trained, tested = [], []

    def training(rows):
        trained.append(rows.column("row").tolist())
        return Trained(naive_bayes(rows), through=[rows])

    def testing(model, rows, through):
        tested.append(through[0].column("row").tolist())
        return performance(apply_model(model, rows))

    cross_validation(table(), training, testing, number_of_folds=4)
    assert tested == trained[:4]


def test_a_preprocessing_model_passes_through_in_a_process():
    """What fills missing values is learned from the training rows, and fills the test rows."""
    process = Process("Through")
    wine = process.add(retrieve, repository_entry="wine")
    validation = process.add(cross_validation, wine, number_of_folds=4)
    inside, tested = validation.subprocesses
    filled = inside.add(replace_missing_values)
    inside.connect(inside.source("training_set"), filled, "examples")
    bayes = inside.add(naive_bayes)
    inside.connect(filled["examples"], bayes, "examples")
    inside.result(bayes["model"], "model")
    inside.result(filled["model"], "through 1")
    fill = tested.add(apply_model, name="Fill")
    tested.connect(tested.source("through 1"), fill, "model")
    tested.connect(tested.source("test_set"), fill, "examples")
    predict = tested.add(apply_model, name="Predict")
    tested.connect(tested.source("model"), predict, "model")
    tested.connect(fill["examples"], predict, "examples")
    measured = tested.add(performance)
    tested.connect(predict["examples"], measured, "examples")
    tested.result(measured["performance"], "performance")
    process.result(validation["performance"])
    (found,) = run(process)
    assert found.main.count == 4


def test_test_results_come_in_the_order_of_the_rows():
    result = cross_validation(table(), naive_bayes, delivering, number_of_folds=3)
    delivered = result.test_result_set
    assert delivered.column("row").tolist() == list(range(20))
    right = delivered.column("prediction(label)") == delivered.column("label")
    assert right.sum() == result.performance.confusion.counts.trace()
    assert delivered.schema.special("prediction").name == "prediction(label)"
    assert np.array_equal(delivered.numeric(), table().numeric())


def test_rows_tested_several_times_are_there_several_times():
    result = repeated_random_split(
        table(), naive_bayes, delivering, number_of_splits=5, training_fraction=0.5
    )
    rows = result.test_result_set.column("row")
    assert len(rows) == 50
    assert (np.diff(rows) >= 0).all()


def test_there_are_no_test_results_unless_delivered_and_wanted(listening):
    plain = cross_validation(
        table(), naive_bayes, lambda model, rows: performance(apply_model(model, rows))
    )
    assert plain.test_result_set is None
    unwanted = cross_validation(
        table(), naive_bayes, delivering, ctx=listening(wanted={"performance"})
    )
    assert unwanted.test_result_set is None


def test_results_of_other_rows_are_left_as_they_come(listening):
    ctx = listening()

    def testing(model, rows):
        predicted = apply_model(model, rows)
        return trials.Tested(performance(predicted), predicted.take([0]))

    result = cross_validation(table(), naive_bayes, testing, number_of_folds=4, ctx=ctx)
    assert len(result.test_result_set) == 4
    assert ctx.warnings == [
        "The test results do not have the rows of the test sets, so they are returned in the order "
        "of the folds."
    ]


def test_results_with_different_attributes_are_refused(refused):
    calls = iter(range(10))

    def testing(model, rows):
        predicted = apply_model(model, rows)
        renamed = predicted.rename({"row": f"row {next(calls)}"})
        return trials.Tested(performance(predicted), renamed)

    with refused("cannot be put together", '"row 0"', "same attributes"):
        cross_validation(table(), naive_bayes, testing, number_of_folds=2)


@pytest.mark.parametrize("number", [2, 5])
def test_every_kind_of_value_survives_being_put_together(number):
    golf = retrieve(repository_entry="golf")
    dates = np.datetime64("2024-01-01", "us") + np.arange(14) * np.timedelta64(1, "D")
    texts = np.array([f"note {i}" for i in range(14)], dtype=object)
    mixed = golf.with_columns(
        [
            (Attribute("day", ValueType.DATE, "day"), dates),
            (Attribute("note", ValueType.TEXT, "note"), texts),
        ]
    )
    result = cross_validation(mixed, naive_bayes, delivering, number_of_folds=number)
    assert result.test_result_set.select(mixed.names).equals(mixed)
