"""What can travel along a connection."""

import pytest

from fsops.data import (
    AttributeWeights,
    Collection,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
)


class Ensemble(FlowObject):
    title = "Ensemble"


@pytest.mark.parametrize(
    ("kind", "phrase"),
    [
        (FlowObject, "anything"),
        (ExampleSet, "a data table"),
        (AttributeWeights, "attribute weights"),
        (Model, "a model"),
        (PerformanceVector, "a performance"),
        (Collection, "a collection"),
        (Ensemble, "an ensemble"),
    ],
)
def test_every_kind_can_be_named_in_a_sentence(kind, phrase):
    assert kind.phrase() == phrase


def test_a_kind_of_a_plugin_is_equal_to_itself_only():
    one = Ensemble()
    assert one.equals(one)
    assert not one.equals(Ensemble())
