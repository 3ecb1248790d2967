"""Any estimator of scikit-learn, and nothing else."""

import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.neural_network import MLPRegressor
from sklearn.svm import NuSVC

from fsops.errors import ParameterError
from fsops.operators import sklearn_estimator
from fsops.operators.modeling.named_classes import value_of


def test_an_estimator_is_found_by_its_place(iris, predicted):
    model = sklearn_estimator(
        iris, estimator="sklearn.svm.NuSVC", parameters={"nu": "0.2", "kernel": "linear"}
    )
    oracle = NuSVC(nu=0.2, kernel="linear").fit(iris.numeric(), iris.label_values())
    assert (predicted(model, iris) == oracle.predict(iris.numeric())).mean() > 0.99


def test_decision_values_become_confidences(iris, predicted):
    model = sklearn_estimator(iris, estimator="sklearn.linear_model.RidgeClassifier")
    oracle = RidgeClassifier().fit(iris.numeric(), iris.label_values())
    assert (predicted(model, iris) == oracle.predict(iris.numeric())).all()
    shares = model.apply(iris).column("confidence(setosa)")
    assert 0 < shares.min() < 0.5 < shares.max() < 1


def test_randomness_comes_from_the_process(diabetes, predicted):
    settings = {"hidden_layer_sizes": "(5,)", "max_iter": "30"}
    place = "sklearn.neural_network.MLPRegressor"
    first, second = (
        predicted(sklearn_estimator(diabetes, estimator=place, parameters=settings), diabetes)
        for _ in range(2)
    )
    assert (first == second).all()
    fixed = sklearn_estimator(
        diabetes, estimator=place, parameters={**settings, "random_state": "3"}
    )
    oracle = MLPRegressor(hidden_layer_sizes=(5,), max_iter=30, random_state=3)
    oracle.fit(diabetes.numeric(), diabetes.label_values())
    assert predicted(fixed, diabetes) == pytest.approx(oracle.predict(diabetes.numeric()))


@pytest.mark.parametrize(("text", "value"), [
    ("3", 3), ("0.5", 0.5), ("1e-3", 1e-3), ("true", True), ("False", False), ("none", None),
    ("rbf", "rbf"), ("(5, 2)", (5, 2)), ("'auto'", "auto"), ("__import__('os')", "__import__('os')"),
    ("[[1]]", "[[1]]"), ("{1: 2}", "{1: 2}"), ("(" * 100, "(" * 100),
])  # fmt: skip
def test_values_are_literals_and_nothing_is_evaluated(text, value):
    assert value_of(text) == value


@pytest.mark.parametrize("path", [
    "os.system", "subprocess.Popen", "sklearn", "sklearn.svm", "sklearn..svm.SVC",
    "sklearn.svm._classes.SVC", "sklearn.utils.os.system", "sklearn.externals.array_api_compat.X",
    "sklearn.base.os", "sklearn.datasets.load_iris", "sklearn.svm.l1_min_c",
    "sklearn.base.clone", "sklearn.cluster.DBSCAN", "sklearn.svm.SVC.__init__", "sklearn.svm.np",
    "sklearnx.svm.SVC", "sklearn.tests.test_base.MyEstimator", "",
])  # fmt: skip
def test_only_learners_of_scikit_learn_are_let_in(iris, path, refused):
    with refused(f'estimator is "{path}"', "learner", error=ParameterError):
        sklearn_estimator(iris, estimator=path)


def test_a_misspelt_class_or_parameter_gets_a_suggestion(iris, refused):
    with refused("no learner", 'Did you mean "NuSVC"', error=ParameterError):
        sklearn_estimator(iris, estimator="sklearn.svm.NuSvC")
    with refused('no parameter "gama"', 'Did you mean "gamma"', error=ParameterError):
        sklearn_estimator(iris, estimator="sklearn.svm.SVC", parameters={"gama": "1"})


def test_estimators_on_top_of_others_are_refused(iris, refused):
    with refused("on top of other estimators", error=ParameterError):
        sklearn_estimator(iris, estimator="sklearn.ensemble.VotingClassifier")
    with refused("another estimator", error=ParameterError):
        sklearn_estimator(
            iris, estimator="sklearn.ensemble.BaggingClassifier", parameters={"estimator": "x"}
        )


def test_what_fsops_does_itself_cannot_be_set(iris, refused):
    with refused('"n_jobs"', "shares out", error=ParameterError):
        sklearn_estimator(
            iris, estimator="sklearn.ensemble.ExtraTreesClassifier", parameters={"n_jobs": "2"}
        )


def test_the_label_must_suit(iris, diabetes, refused):
    with refused("SVR predicts numbers", "estimator for classes"):
        sklearn_estimator(iris, estimator="sklearn.svm.SVR")
    with refused("SVC predicts classes", "estimator for numbers"):
        sklearn_estimator(diabetes, estimator="sklearn.svm.SVC")
    with refused("KMeans does not predict classes"):
        sklearn_estimator(iris, estimator="sklearn.cluster.KMeans")


def test_what_scikit_learn_refuses_is_told_in_its_words(iris, refused):
    with refused("SVC cannot be fitted", "'C' parameter", "Got -1"):
        sklearn_estimator(iris, estimator="sklearn.svm.SVC", parameters={"C": "-1"})
