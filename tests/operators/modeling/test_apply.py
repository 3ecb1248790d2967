"""Using models."""

import numpy as np
import pytest

from fsops import ExampleSet, Process
from fsops.core.checks.propagation import propagate
from fsops.errors import PortError
from fsops.operators import (
    apply_model,
    group_models,
    naive_bayes,
    replace_missing_values,
    retrieve,
)


def test_applying_adds_prediction_and_confidences_and_keeps_the_rest(golf):
    model = naive_bayes(golf)
    applied = apply_model(model, golf)
    assert applied.names == (
        *golf.names, "prediction(Play)", "confidence(no)", "confidence(yes)",
    )  # fmt: skip
    assert applied.equals(model.apply(golf))
    assert applied.schema.roles == {
        "Play": "label",
        "prediction(Play)": "prediction",
        "confidence(no)": "confidence(no)",
        "confidence(yes)": "confidence(yes)",
    }
    total = applied.column("confidence(no)") + applied.column("confidence(yes)")
    assert total == pytest.approx(np.ones(14))


def test_a_label_is_not_needed_and_the_order_of_columns_does_not_matter(golf):
    model = naive_bayes(golf)
    other = golf.select(["Wind", "Humidity", "Temperature", "Outlook"])
    expected = apply_model(model, golf).column("confidence(yes)")
    assert np.array_equal(apply_model(model, other).column("confidence(yes)"), expected)


def test_the_prediction_is_no_feature_for_what_follows(golf):
    applied = apply_model(naive_bayes(golf), golf)
    assert applied.schema.regular_names == golf.schema.regular_names


def test_ports_take_their_types(golf, refused):
    with refused('"model"', "takes a model", "a data table", error=PortError):
        apply_model(golf, golf)
    with refused('"examples"', "missing", "data table", error=PortError):
        apply_model(naive_bayes(golf))
    with refused('"examples"', "ndarray", error=PortError):
        apply_model(naive_bayes(golf), np.zeros((2, 2)))


def test_a_foreign_table_is_refused_with_the_names_of_what_it_lacks(golf, refused):
    with refused('"Outlook", "Temperature", "Humidity", "Wind"', "trained on"):
        apply_model(naive_bayes(golf), ExampleSet.from_numpy(np.zeros((2, 2))))


def test_a_group_applies_its_models_in_order(golf):
    prepared = replace_missing_values(golf.with_columns(_with_gap(golf)))
    model = naive_bayes(prepared.examples)
    group = group_models([prepared.model, model])
    gap = golf.with_columns(_with_gap(golf))
    assert apply_model(group, gap).equals(apply_model(model, prepared.model.apply(gap)))
    again = group_models([group, model])
    assert [part.name for part in again.models] == [
        "Replace Missing Values", "Naive Bayes", "Naive Bayes",
    ]  # fmt: skip


def _with_gap(golf):
    humidity = golf.schema.attribute("Humidity")
    values = golf.column("Humidity").copy()
    values[2] = np.nan
    return [(humidity, values)]


def test_an_empty_group_is_refused(refused):
    with refused("no model", "Connect"):
        group_models([])


def test_the_table_after_a_learner_is_known_before_the_run(golf):
    process = Process("Known")
    data = process.add(retrieve, repository_entry="golf")
    learner, applied = process.add(naive_bayes), process.add(apply_model)
    process.connect(data["examples"], learner, "examples")
    process.connect(data["examples"], applied, "examples")
    process.connect(learner["model"], applied, "model")
    known = propagate(process).outputs[applied.name]["examples"]
    assert known.schema == apply_model(naive_bayes(golf), golf).schema
