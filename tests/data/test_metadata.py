"""What is known about results."""

import numpy as np
import pytest

from fsops.data import (
    AttributeWeights,
    Collection,
    Criterion,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    ModelMetaData,
    PerformanceVector,
    PredictionModel,
    WeightsMetaData,
    metadata_of,
)


@pytest.fixture
def examples():
    return ExampleSet.from_numpy(np.zeros((3, 2)), ["a", "b", "a"])


def test_of_a_table_the_schema_and_the_rows_are_known(examples):
    assert metadata_of(examples) == ExampleSetMetaData(
        ExampleSet, examples.schema, 3, class_counts=(2, 1)
    )


def test_of_weights_the_names_are_known():
    weights = AttributeWeights(["b", "a"], [1, 2])
    assert metadata_of(weights) == WeightsMetaData(names=("b", "a"))


def test_of_a_model_the_attributes_and_the_label_are_known(examples):
    about = metadata_of(PredictionModel(lambda table: None, examples.schema))
    assert isinstance(about, ModelMetaData)
    assert about.type is PredictionModel
    assert about.training.names == ("att1", "att2", "label")
    assert about.training.label == examples.label


@pytest.mark.parametrize(
    "value", [Collection([]), PerformanceVector([Criterion("accuracy", (1.0,))])]
)
def test_of_anything_else_the_type_is_known(value):
    assert metadata_of(value) == MetaData(type(value))


def test_a_subclass_is_known_as_such(examples):
    class Series(ExampleSet):
        pass

    series = Series(
        examples.schema, examples._blocks, examples._block_of, examples._column_of, len(examples)
    )
    assert metadata_of(series).type is Series


def test_nothing_is_known_unless_said():
    assert ExampleSetMetaData() == ExampleSetMetaData(ExampleSet, None, None)
    assert MetaData().type is not ExampleSet


def test_a_look_at_a_small_table_tells_missing_values_and_numbers_that_may_be_classes():
    table = ExampleSet.from_numpy([[1.0, np.nan], [2.0, 3.0]], [0.0, 1.0], names=["a", "b"])
    meta = metadata_of(table)
    assert meta.missing == {"b"}
    assert meta.label_numbers == (0.0, 1.0)
    assert metadata_of(ExampleSet.from_numpy([[1.0], [2.0]], [0.5, 1.0])).label_numbers == ()


def test_other_attributes_keep_what_is_known_about_their_values():
    table = ExampleSet.from_numpy([[1.0, np.nan], [2.0, 3.0]], [0.0, 1.0], names=["a", "b"])
    meta = metadata_of(table)
    assert meta.with_schema(table.schema.with_roles({"b": "id"})).missing == frozenset()
    kept = meta.with_schema(table.schema.take(np.array([1, 2])))
    assert (kept.missing, kept.label_numbers, kept.rows) == ({"b"}, (0.0, 1.0), 2)
    assert meta.with_schema(None).missing == frozenset()
