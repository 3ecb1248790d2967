"""Any transformer of scikit-learn, and nothing else."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import KBinsDiscretizer, PowerTransformer

from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import sklearn_transformer
from fsops.testing.data import make_examples


@pytest.fixture
def mixed():
    return make_examples(rows=30, numerical=4, nominal=2)


def test_new_attributes_take_the_place_of_the_numbers(mixed):
    done, model = sklearn_transformer(
        mixed, transformer="sklearn.decomposition.PCA", parameters={"n_components": "2"}
    )
    oracle = PCA(2).fit_transform(mixed.numeric())
    assert done.schema.regular_names == ("nom1", "nom2", "pca0", "pca1")
    assert done.numeric() == pytest.approx(oracle)
    assert done.label == mixed.label
    assert model.apply(mixed).equals(done)


def test_the_model_does_the_same_to_other_rows(mixed):
    _, model = sklearn_transformer(
        mixed.take(range(20)), transformer="sklearn.preprocessing.PowerTransformer"
    )
    oracle = PowerTransformer().fit(mixed.take(range(20)).numeric())
    later = model.apply(mixed.take(range(20, 30)))
    assert later.numeric() == pytest.approx(oracle.transform(mixed.take(range(20, 30)).numeric()))
    assert later.names == mixed.names
    assert len(model.apply(mixed.take([]))) == 0


def test_missing_values_are_its_own_affair(refused):
    table = make_examples(rows=30, numerical=3, nominal=0, missing=0.2)
    done, _ = sklearn_transformer(table, transformer="sklearn.impute.SimpleImputer")
    assert done.numeric() == pytest.approx(SimpleImputer().fit_transform(table.numeric()))
    with refused("PCA cannot be fitted", "NaN"):
        sklearn_transformer(table, transformer="sklearn.decomposition.PCA")


def test_sparse_results_become_columns(mixed):
    done, _ = sklearn_transformer(
        mixed, transformer="sklearn.preprocessing.KBinsDiscretizer", parameters={"n_bins": "3"}
    )
    oracle = KBinsDiscretizer(3, encode="onehot-dense").fit_transform(mixed.numeric())
    assert done.numeric().tolist() == oracle.tolist()
    assert done.schema.regular_names[2] == "num1_0.0"


def test_the_label_is_seen_but_not_changed(mixed):
    done, _ = sklearn_transformer(
        mixed, transformer="sklearn.discriminant_analysis.LinearDiscriminantAnalysis"
    )
    assert done.schema.regular_names == ("nom1", "nom2", "lineardiscriminantanalysis0")


def test_randomness_comes_from_the_process(mixed):
    place = "sklearn.random_projection.GaussianRandomProjection"
    first, second = (
        sklearn_transformer(mixed, transformer=place, parameters={"n_components": "2"}).examples
        for _ in range(2)
    )
    assert first.equals(second)


@pytest.mark.parametrize("path", [
    "os.system", "sklearn.svm.SVC", "sklearn.preprocessing.scale", "sklearn.datasets.load_iris",
    "sklearn.feature_extraction.text.TfidfVectorizer", "sklearn.preprocessing._data.PCA", "",
])  # fmt: skip
def test_only_transformers_of_scikit_learn_are_let_in(mixed, path, refused):
    with refused(f'transformer is "{path}"', "transformer", error=ParameterError):
        sklearn_transformer(mixed, transformer=path)


def test_wrong_settings_and_tables_are_told(mixed, refused):
    with refused("works on top of other", "one after the other", error=ParameterError):
        sklearn_transformer(mixed, transformer="sklearn.compose.ColumnTransformer")
    with refused("PCA cannot be fitted", "n_components"):
        sklearn_transformer(
            mixed, transformer="sklearn.decomposition.PCA", parameters={"n_components": "99"}
        )
    with refused("no regular numerical attribute"):
        sklearn_transformer(
            mixed.drop(["num1", "num2", "num3", "num4"]), transformer="sklearn.decomposition.PCA"
        )
    taken = ExampleSet.from_numpy(np.eye(6)[:, :4], np.arange(6) % 2, label="pca1")
    with refused('"pca1"', "Rename"):
        sklearn_transformer(taken, transformer="sklearn.decomposition.PCA")
