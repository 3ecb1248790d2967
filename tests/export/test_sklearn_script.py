"""Processes as Pipelines of scikit-learn."""

from pathlib import Path

import pytest

from fsops import read_process, run
from fsops.core.graph.process import Node
from fsops.core.graph.wiring import SINK
from fsops.core.operator import placeholder
from fsops.errors import UsageError
from fsops.export.sklearn_script import sklearn_script
from fsops.operators import (
    group_models,
    normalize,
    select_by_mrmr_cfs,
    select_by_weights,
    support_vector_machine,
    weight_by_sam,
)

PROCESSES = Path(__file__).resolve().parents[2] / "processes"


@pytest.fixture
def quickstart():
    return read_process(PROCESSES / "quickstart.xml")


def test_a_selection_in_a_cross_validation_becomes_a_pipeline(quickstart):
    names = {"__name__": "exported"}
    script = sklearn_script(quickstart, source="quickstart.xml")
    assert 'selector("weight_by_sam", k=10)' in script
    exec(script, names)  # noqa: S102 - it is our own text
    scores = names["main"]()["test_score"]
    assert len(scores) == 10
    # Other folds of the same rows: the means are close, not the same.
    assert scores.mean() == pytest.approx(run(quickstart)[0].main.mean, abs=0.02)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("filters", "it has no cross validation"),
        ("performance", "it has 3 cross validations"),
        ("mrmr", 'it also returns results of "Performance'),
    ],
)
def test_what_is_no_pipeline_is_told(name, reason):
    with pytest.raises(UsageError, match=reason) as caught:
        sklearn_script(read_process(PROCESSES / f"{name}.xml"))
    assert "--to python" in str(caught.value)


def test_other_steps_of_the_training_are_told(quickstart):
    training = quickstart.find("Cross Validation").inner("training")
    training.add(normalize, training.source())
    with pytest.raises(UsageError, match="only a selection and a learner"):
        sklearn_script(quickstart)


def test_a_weighting_without_a_number_is_told(quickstart):
    training = quickstart.find("Cross Validation").inner("training")
    training.remove("Select Top k")
    training.connect(training["Weight by SAM"], "Select by Weights", "weights")
    with pytest.raises(UsageError, match="the number of attributes to keep is not given"):
        sklearn_script(quickstart)


def test_weights_of_a_learner_are_told(quickstart):
    training = quickstart.find("Cross Validation").inner("training")
    training.remove("Weight by SAM")
    machine = training.add(support_vector_machine, training.source())
    training.connect(machine["weights"], "Select Top k", "weights")
    with pytest.raises(UsageError, match="do not come from a weighting or a selection"):
        sklearn_script(quickstart)


def test_batches_are_told(quickstart):
    quickstart.find("Cross Validation").parameters["split_on_batch_attribute"] = True
    with pytest.raises(UsageError, match="splits by a batch attribute"):
        sklearn_script(quickstart)


def test_a_further_testing_step_is_told(quickstart):
    testing = quickstart.find("Cross Validation").inner("testing")
    testing.add(weight_by_sam, testing.source("test_set"))
    with pytest.raises(UsageError, match="its testing does more"):
        sklearn_script(quickstart)


def test_the_head_says_what_is_scored(quickstart):
    head = " ".join(sklearn_script(quickstart).split('"""')[1].split())
    assert "The scores are the accuracy" in head
    assert "even if the process measures" in head


@pytest.mark.parametrize("name", ["Select by Weights", "Select Top k", "Performance"])
def test_disabled_steps_are_told(quickstart, name):
    quickstart.find(name).enabled = False
    with pytest.raises(UsageError, match=f"{name}: .* a step of its cross validation is disabled"):
        sklearn_script(quickstart)


@pytest.mark.parametrize("parameters", [{}, {"k": 3}])
def test_a_selection_with_a_number_of_its_own_before_select_top_k_is_told(quickstart, parameters):
    training = quickstart.find("Cross Validation").inner("training")
    training.remove("Weight by SAM")
    chosen = training.add(select_by_mrmr_cfs, training.source(), name="Own", **parameters)
    training.connect(chosen["weights"], "Select Top k", "weights")
    with pytest.raises(UsageError, match='"Own" already has a parameter "k"'):
        sklearn_script(quickstart)


def test_a_learner_that_is_not_installed_is_told(quickstart):
    training = quickstart.find("Cross Validation").inner("training")
    training.insert(Node("Foreign", placeholder("foreign:thing"), training))
    with pytest.raises(UsageError, match='Foreign: "foreign:thing" is not installed'):
        sklearn_script(quickstart)


@pytest.mark.parametrize(
    ("removed", "reason"),
    [
        ("Retrieve", "its cross validation gets no table"),
        ("Weight by SAM", "Select Top k: .* a step of the training gets no weights"),
        ("Select Top k", "Select by Weights: .* a step of the training gets no weights"),
        ("Select by Weights", "is not trained on one table"),
        ("Naive Bayes", "its training returns no model"),
    ],
)
def test_a_missing_step_is_told(quickstart, removed, reason):
    quickstart.find(removed).process.remove(removed)
    with pytest.raises(UsageError, match=reason):
        sklearn_script(quickstart)


def test_a_selection_after_a_selection_is_told(quickstart):
    training = quickstart.find("Cross Validation").inner("training")
    first = training.add(
        select_by_weights, training.source(), training["Select Top k"], name="First"
    )
    training.connect(first, "Select by Weights", "examples")
    with pytest.raises(UsageError, match="not made on the table of the training"):
        sklearn_script(quickstart)


def test_a_group_of_models_is_told(quickstart):
    training = quickstart.find("Cross Validation").inner("training")
    grouped = training.add(group_models, training["Naive Bayes"])
    training.disconnect(SINK, "model")
    training.result(grouped, "model")
    with pytest.raises(UsageError, match="is not trained on one table"):
        sklearn_script(quickstart)


@pytest.mark.parametrize("name", ["learner", "selector", "cross_validate"])
def test_names_of_the_script_are_not_taken(quickstart, name):
    quickstart.rename("Retrieve", name)
    names = {"__name__": "exported"}
    exec(sklearn_script(quickstart), names)  # noqa: S102 - it is our own text
    assert len(names["main"]()["test_score"]) == 10
