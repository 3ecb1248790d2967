"""Processes as Pipelines of scikit-learn."""

from pathlib import Path

import pytest

from fsops import read_process, run
from fsops.errors import UsageError
from fsops.operators import normalize, weight_by_sam
from fsops.storage.sklearn_script import sklearn_script

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
        ("mrmr", 'it delivers results of "Performance'),
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
    with pytest.raises(UsageError, match="nothing says how many attributes to keep"):
        sklearn_script(quickstart)


def test_batches_are_told(quickstart):
    quickstart.find("Cross Validation").parameters["split_on_batch_attribute"] = True
    with pytest.raises(UsageError, match="its folds are no plain ones"):
        sklearn_script(quickstart)


def test_a_further_testing_step_is_told(quickstart):
    testing = quickstart.find("Cross Validation").inner("testing")
    testing.add(weight_by_sam, testing.source("test_set"))
    with pytest.raises(UsageError, match="its testing does more"):
        sklearn_script(quickstart)
