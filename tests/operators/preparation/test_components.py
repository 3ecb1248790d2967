"""Principal components."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from fsops import Attribute, ExampleSet
from fsops.errors import DataError, ParameterError
from fsops.operators import apply_model, principal_component_analysis, retrieve


@pytest.fixture
def iris():
    return retrieve(repository_entry="iris")


def test_components_are_scikit_learns_and_the_label_stays(iris):
    found = principal_component_analysis(iris, variance_threshold=0.95).examples
    assert found.schema.regular_names == ("pc_1", "pc_2")
    assert found.numeric() == pytest.approx(PCA(2).fit_transform(iris.numeric()))
    assert found.label_values().tolist() == iris.label_values().tolist()


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"dimensionality_reduction": "none"}, 4),
        ({"dimensionality_reduction": "fixed number", "number_of_components": 3}, 3),
        ({"variance_threshold": 0.9}, 1),
        ({"variance_threshold": 0.99}, 3),
        ({"variance_threshold": 1.0}, 4),
        ({"variance_threshold": 0.0}, 1),
    ],
)
def test_how_many_are_kept(iris, options, count):
    assert len(principal_component_analysis(iris, **options).examples.schema.regular) == count


def test_the_model_projects_other_rows_with_what_was_learnt(iris):
    training, test = iris.take(np.arange(0, 150, 2)), iris.take(np.arange(1, 150, 2))
    model = principal_component_analysis(training).model
    oracle = PCA(2).fit(training.numeric())
    assert apply_model(model, test).numeric() == pytest.approx(oracle.transform(test.numeric()))
    turned = test.select(test.names[::-1])
    assert apply_model(model, turned).numeric() == pytest.approx(oracle.transform(test.numeric()))


def test_a_row_with_a_missing_value_has_missing_components(iris):
    model = principal_component_analysis(iris).model
    values = iris.column(iris.names[0]).copy()
    values[3] = np.nan
    holed = iris.with_values([(iris.schema.attribute(iris.names[0]), values)])
    found = np.isnan(apply_model(model, holed).numeric())
    assert found[3].all()
    assert not np.delete(found, 3, axis=0).any()


def test_there_are_no_more_than_rows_or_attributes():
    wide = ExampleSet.from_numpy(np.random.default_rng(0).normal(size=(3, 8)))
    found = principal_component_analysis(wide, dimensionality_reduction="none")
    assert found.examples.names == ("pc_1", "pc_2", "pc_3")
    with pytest.raises(ParameterError, match="only 3 components"):
        principal_component_analysis(
            wide, dimensionality_reduction="fixed number", number_of_components=4
        )


def test_names_that_are_taken_are_refused(iris):
    named = iris.with_columns([(Attribute("pc_1", role="id"), np.arange(150.0))])
    with pytest.raises(DataError, match='"pc_1"'):
        principal_component_analysis(named)


def test_nominal_attributes_are_refused(golf):
    with pytest.raises(DataError, match='numerical, but "Outlook", "Wind"'):
        principal_component_analysis(golf)


def test_the_model_tells_the_shares_of_the_variance(iris):
    model = principal_component_analysis(iris).model
    oracle, told = PCA(2).fit(iris.numeric()), model.to_pandas()
    assert told["component"].tolist() == ["pc_1", "pc_2"]
    assert told["standard deviation"].to_numpy() ** 2 == pytest.approx(oracle.explained_variance_)
    assert told["fraction of variance"].to_numpy() == pytest.approx(
        oracle.explained_variance_ratio_
    )
    assert told["cumulative share"].iloc[-1] > 0.95
