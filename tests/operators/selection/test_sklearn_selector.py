"""Any selector of scikit-learn, and nothing else."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    VarianceThreshold,
    mutual_info_classif,
)
from sklearn.linear_model import LogisticRegression

from fsops import ExampleSet, Process, read_process, run, write_process
from fsops.errors import ParameterError
from fsops.operators import sklearn_selector

PLACE = "sklearn.feature_selection."


def test_what_is_selected_gets_its_score(two_classes):
    found = sklearn_selector(two_classes, selector=PLACE + "SelectKBest", parameters={"k": "2"})
    oracle = SelectKBest(k=2).fit(two_classes.numeric(), two_classes.label_values())
    assert found.values.tolist() == np.where(oracle.get_support(), oracle.scores_, 0).tolist()
    assert found.details["score"].tolist() == oracle.scores_.tolist()
    assert found.details["p_value"].tolist() == oracle.pvalues_.tolist()
    ones = sklearn_selector(
        two_classes, selector=PLACE + "SelectKBest", parameters={"k": "2"}, output="selection"
    )
    assert ones.values.tolist() == oracle.get_support().astype(float).tolist()


@pytest.mark.parametrize(("kind", "settings"), [
    (SelectFromModel, {"max_features": 3}), (RFE, {"n_features_to_select": 2}),
    (SequentialFeatureSelector, {"n_features_to_select": 2}),
])  # fmt: skip
def test_selectors_on_top_of_a_learner(two_classes, kind, settings):
    found = sklearn_selector(
        two_classes,
        selector=PLACE + kind.__name__,
        parameters={name: str(value) for name, value in settings.items()},
        estimator="sklearn.linear_model.LogisticRegression",
        estimator_parameters={"C": "0.5"},
    )
    oracle = kind(LogisticRegression(C=0.5), **settings)
    oracle.fit(two_classes.numeric(), two_classes.label_values())
    names = np.array(two_classes.schema.regular_names)
    assert found.selected() == tuple(names[oracle.get_support()])
    if kind is RFE:
        sizes = np.abs(oracle.estimator_.coef_[0])
        assert found.values[oracle.get_support()] == pytest.approx(sizes)


def test_the_score_is_named_and_its_randomness_is_ours(two_classes):
    def weigh():
        return sklearn_selector(
            two_classes,
            selector=PLACE + "SelectKBest",
            parameters={"score_func": "mutual_info_classif", "k": "all"},
        )

    assert weigh().equals(weigh())
    oracle = mutual_info_classif(two_classes.numeric(), two_classes.label_values(), random_state=0)
    assert weigh().details["score"] == pytest.approx(oracle, abs=0.05)


def test_a_number_as_label_is_scored_by_regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 5))
    table = ExampleSet.from_numpy(X, X[:, 3] + 0.1 * rng.normal(size=50))
    found = sklearn_selector(table, selector=PLACE + "SelectKBest", parameters={"k": "1"})
    assert found.selected() == ("att4",)


def test_no_label_is_needed_for_variances(two_classes):
    X = two_classes.numeric() * [1, 2, 3, 4, 5, 6]
    found = sklearn_selector(
        ExampleSet.from_numpy(X), selector=PLACE + "VarianceThreshold",
        parameters={"threshold": "10"},
    )  # fmt: skip
    oracle = VarianceThreshold(10).fit(X)
    assert found.values.tolist() == np.where(oracle.get_support(), oracle.variances_, 0).tolist()


def test_what_is_selected_without_a_score_is_selected_nevertheless(two_classes):
    constant = ExampleSet.from_numpy(
        np.column_stack([two_classes.numeric(), np.ones(40)]), two_classes.label_values() % 2
    )
    found = sklearn_selector(constant, selector=PLACE + "SelectKBest", parameters={"k": "all"})
    assert found.selected() == constant.schema.regular_names
    assert found["att7"] < found.values[:-1].min()


def test_trees_get_their_seed_from_the_process(two_classes):
    settings = {
        "selector": PLACE + "SelectFromModel",
        "estimator": "sklearn.ensemble.ExtraTreesClassifier",
    }
    assert sklearn_selector(two_classes, **settings).equals(
        sklearn_selector(two_classes, **settings)
    )
    fixed = sklearn_selector(
        two_classes, **settings, estimator_parameters={"random_state": "4", "n_estimators": "9"}
    )
    trees = ExtraTreesClassifier(9, random_state=4)
    trees.fit(two_classes.numeric(), two_classes.label_values())
    assert fixed.details["score"] == pytest.approx(trees.feature_importances_)


@pytest.mark.parametrize("path", [
    "os.system", "sklearn.svm.SVC", "sklearn.feature_selection.f_classif", "sklearn.utils.os.system",
    "sklearn.feature_selection.SelectorMixin", "sklearn.decomposition.PCA", "",
])  # fmt: skip
def test_only_selectors_of_scikit_learn_are_let_in(two_classes, path, refused):
    with refused(f'selector is "{path}"', "selector", error=ParameterError):
        sklearn_selector(two_classes, selector=path)


def test_wrong_settings_are_told(two_classes, refused):
    with refused("works on top of other", "Name a learner", error=ParameterError):
        sklearn_selector(two_classes, selector=PLACE + "RFE")
    with refused("works without a learner", error=ParameterError):
        sklearn_selector(two_classes, selector=PLACE + "SelectKBest", estimator="sklearn.svm.SVC")
    with refused("no estimator is named", error=ParameterError):
        sklearn_selector(
            two_classes, selector=PLACE + "SelectKBest", estimator_parameters={"C": "1"}
        )
    with refused('score_func is "f_clasif"', 'Did you mean "f_classif"', error=ParameterError):
        sklearn_selector(
            two_classes, selector=PLACE + "SelectKBest", parameters={"score_func": "f_clasif"}
        )
    with refused('VarianceThreshold has no parameter "score_func"', error=ParameterError):
        sklearn_selector(
            two_classes, selector=PLACE + "VarianceThreshold", parameters={"score_func": "chi2"}
        )
    with refused('"estimator" is another estimator', error=ParameterError):
        sklearn_selector(two_classes, selector=PLACE + "RFE", parameters={"estimator": "x"},
                         estimator="sklearn.svm.LinearSVC")  # fmt: skip
    with refused("SelectKBest cannot be fitted", "Scikit-learn says"):
        sklearn_selector(two_classes, selector=PLACE + "SelectKBest", parameters={"k": "-3"})
    with refused("needs a label"):
        sklearn_selector(
            ExampleSet.from_numpy(two_classes.numeric()), selector=PLACE + "SelectKBest"
        )


def test_it_is_written_to_a_file_and_read_again(two_classes, tmp_path):
    process = Process()
    process.result(process.add(sklearn_selector, process.source(), selector=PLACE + "SelectKBest",
                               parameters={"k": "2"}))  # fmt: skip
    write_process(process, tmp_path / "selector.xml")
    again = run(read_process(tmp_path / "selector.xml"), two_classes)
    assert again[0].equals(run(process, two_classes)[0])
