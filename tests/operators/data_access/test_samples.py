"""The data sets that come with fsops."""

import numpy as np
import pytest
from sklearn import datasets

from fsops.data import ValueType, metadata_of
from fsops.operators.data_access.samples import SAMPLES, golf


@pytest.mark.parametrize("name", ["iris", "wine", "breast cancer", "diabetes", "digits"])
def test_a_sample_of_scikit_learn_has_its_values_names_and_classes(name):
    sample = next(s for s in SAMPLES if s.name == name)
    bunch = getattr(datasets, f"load_{name.replace(' ', '_')}")()
    examples = sample.load()
    assert np.array_equal(examples.numeric(), bunch.data)
    assert examples.schema.regular_names == tuple(bunch.feature_names)
    if name == "diabetes":
        assert np.array_equal(examples.label_values(), bunch.target)
    else:
        classes = [str(c) for c in bunch.target_names]
        assert examples.nominal_values("label") == [classes[code] for code in bunch.target]


DAYS = """
sunny 85 85 false no; sunny 80 90 true no; overcast 83 78 false yes; rain 70 96 false yes;
rain 68 80 false yes; rain 65 70 true no; overcast 64 65 true yes; sunny 72 95 false no;
sunny 69 70 false yes; rain 75 80 false yes; sunny 75 70 true yes; overcast 72 90 true yes;
overcast 81 75 false yes; rain 71 80 true no
"""


def test_golf_is_quinlans():
    examples = golf()
    assert examples.names == ("Outlook", "Temperature", "Humidity", "Wind", "Play")
    rows = examples.to_pandas().astype(str).to_numpy().tolist()
    assert rows == [day.split() for day in DAYS.split(";")]
    assert examples.label.categories == ("no", "yes")
    assert examples.schema.attribute("Humidity").value_type is ValueType.INTEGER


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_sample_is_complete_described_and_always_the_same(sample):
    examples = sample.load()
    examples.require_complete()
    assert str(len(examples)) in sample.title
    assert examples.equals(sample.load())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_what_is_told_without_loading_is_what_is_loaded(sample):
    assert sample.metadata() == metadata_of(sample.load())
