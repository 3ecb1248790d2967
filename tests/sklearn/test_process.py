"""A whole process as one estimator."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from fsops import ExampleSet, Process, read_process, run, write_process
from fsops.errors import FsopsError, OperatorWarning, ParameterError
from fsops.operators import (
    add_noise,
    linear_regression,
    naive_bayes,
    nominal_to_numerical,
    normalize,
    select_by_weights,
    select_top_k,
    weight_by_correlation,
    weight_by_f_test,
    weight_by_information_gain,
)
from fsops.sklearn import ProcessEstimator

QUICKSTART = Path(__file__).resolve().parents[2] / "processes" / "quickstart.xml"


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


def filtered(learner=naive_bayes, weighting=weight_by_f_test, k=2):
    process = Process()
    weights = process.add(weighting, process.source(), name="Filter")
    top = process.add(select_top_k, weights, name="Top", k=k)
    kept = process.add(select_by_weights, process.source(), top, name="Select")
    process.result(process.add(learner, kept, name="Learner")["model"])
    process.result(top)
    return process


def test_results_are_those_of_a_run(iris):
    X, y = iris
    fitted = ProcessEstimator(filtered()).fit(X, y)
    model, weights = run(filtered(), ExampleSet.from_numpy(X.to_numpy(), y, names=X.columns))
    assert fitted.weights_.equals(weights)
    assert fitted.results_ == [fitted.model_, fitted.weights_]
    applied = model.apply(ExampleSet.from_numpy(X.to_numpy(), names=X.columns))
    assert fitted.predict(X).tolist() == applied.nominal_values("prediction(label)")
    chances = fitted.predict_proba(X)
    assert chances[:, 1].tolist() == applied.column("confidence(versicolor)").tolist()
    assert fitted.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert fitted.score(X, y) == np.mean(fitted.predict(X) == y)


@pytest.mark.parametrize("classes", [[2, 10, 30], [2.0, 10.0, 30.0], [True, False, True]])
def test_predictions_are_what_y_was(iris, classes):
    X, y = iris
    values = np.array(classes)[np.unique(y, return_inverse=True)[1]]
    fitted = ProcessEstimator(filtered()).fit(X, values)
    assert fitted.predict(X).dtype == values.dtype
    assert fitted.score(X, values) > 0.8
    best = fitted.classes_[fitted.predict_proba(X).argmax(axis=1)]
    assert (best == fitted.predict(X)).all()


def test_a_search_tries_parameters_of_the_operators(iris):
    estimator = ProcessEstimator(filtered())
    search = GridSearchCV(estimator, {"Top__k": [1, 2, 4], "Filter__weight": ["one_minus_p"]})
    search.fit(*iris)
    assert search.best_estimator_.settings == {
        "Filter.weight": "one_minus_p", "Top.k": search.best_params_["Top__k"],
    }  # fmt: skip
    for k, score in zip([1, 2, 4], search.cv_results_["mean_test_score"], strict=True):
        by_hand = filtered(k=k)
        by_hand["Filter"].set_parameter("transformation", "one_minus_p")
        assert score == cross_val_score(ProcessEstimator(by_hand), *iris).mean()
    assert estimator.settings is None
    assert estimator.process["Top"].parameters == {"k": 2}


def test_parameters_show_what_is_set_and_what_is_the_default():
    estimator = ProcessEstimator(filtered(), settings={"Top.k": 4})
    params = estimator.set_params(Filter__missing="pairwise").get_params()
    assert (params["Top__k"], params["Top__method"]) == (4, "top k")
    assert params["Filter__missing"] == "pairwise"
    assert clone(estimator).get_params()["Top__k"] == 4


def test_weights_or_a_table_select_columns(iris):
    X, y = iris
    fitted = ProcessEstimator(filtered()).set_output(transform="pandas").fit(X, y)
    assert fitted.transform(X).equals(X[["petal length (cm)", "petal width (cm)"]])
    assert fitted.get_support(indices=True).tolist() == [2, 3]
    process = filtered()
    process.remove("Learner")
    process.disconnect("<sink>", "result 2")
    process.result(process["Select"])
    chain = make_pipeline(ProcessEstimator(process), SVC()).fit(X, y)
    assert chain[-1].n_features_in_ == 2
    assert not hasattr(chain[0], "predict")


def test_a_preprocessing_model_prepares_other_rows(iris):
    X, y = iris
    process = Process()
    process.result(process.add(normalize, process.source())["model"])
    fitted = ProcessEstimator(process).set_output(transform="pandas").fit(X[:100])
    expected = (X - X[:100].mean()) / X[:100].std()
    pd.testing.assert_frame_equal(fitted.transform(X), expected)
    assert fitted.get_feature_names_out().tolist() == list(X.columns)


def test_attributes_that_x_does_not_have_cannot_be_kept(iris, refused):
    X = iris[0].assign(kind=iris[1])
    process = Process()
    process.result(process.add(nominal_to_numerical, process.source())["examples"])
    fitted = ProcessEstimator(process).fit(X)
    with refused("makes new attributes", "preprocessing model", error=ValueError):
        fitted.transform(X)


def test_nominal_columns_reach_the_process(iris):
    X, y = iris
    mixed = pd.DataFrame({
        "width": pd.cut(X.iloc[:, 3], [-1, 0.8, 1.7, 9], labels=["thin", "middle", "wide"]),
        "length": X.iloc[:, 2],
    })  # fmt: skip
    process = Process()
    process.result(process.add(weight_by_information_gain, process.source()))
    process.result(process.add(naive_bayes, process.source())["model"])
    fitted = ProcessEstimator(process).fit(mixed, y)
    assert fitted.score(mixed[::-1], y[::-1]) > 0.9
    assert fitted.weights_.names == ("width", "length")
    numbered = ProcessEstimator(process).fit(mixed.set_axis([0, 1], axis=1), y)
    assert numbered.weights_.names == ("x0", "x1")
    assert numbered.get_support().tolist() == fitted.get_support().tolist()
    assert numbered.score(mixed.set_axis([0, 1], axis=1), y) == fitted.score(mixed, y)


def test_numbers_are_predicted_too():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    process = filtered(linear_regression, weight_by_correlation, k=10)
    estimator = ProcessEstimator(process, label_type="numerical")
    assert is_regressor(estimator)
    from sklearn.linear_model import LinearRegression

    assert cross_val_score(estimator, X, y) == pytest.approx(
        cross_val_score(LinearRegression(), X, y)
    )
    assert not hasattr(estimator.fit(X, y), "predict_proba")


def test_what_it_predicts_follows_from_its_operators():
    assert is_classifier(ProcessEstimator(filtered()))
    assert not is_classifier(ProcessEstimator(filtered(), label_type="numerical"))


def test_a_file_whose_data_is_replaced(iris):
    X, y = iris
    two = y != "setosa"
    estimator = ProcessEstimator(QUICKSTART, data="Retrieve", random_state=5)
    fitted = estimator.fit(X[two], y[two])
    assert [type(result).__name__ for result in fitted.results_] == [
        "PerformanceVector", "AttributeWeights",
    ]  # fmt: skip
    assert 0.8 < fitted.performance_.main.mean < 1
    assert fitted.weights_.top(1) == ("petal length (cm)",)
    assert not hasattr(fitted, "predict")


def test_an_inner_process_stands_alone(iris, tmp_path):
    training = read_process(QUICKSTART).find("Cross Validation").inner("training")
    X, y = iris
    two = y != "setosa"
    fitted = ProcessEstimator(training).fit(X[two], y[two])
    assert fitted.score(X[two], y[two]) > 0.9
    assert len(training.connections) == 7
    assert training.owner is not None


def test_a_path_works_as_the_process_itself(iris, tmp_path):
    write_process(filtered(), tmp_path / "filtered.xml")
    from_file = ProcessEstimator(str(tmp_path / "filtered.xml")).fit(*iris)
    assert from_file.weights_.equals(ProcessEstimator(filtered()).fit(*iris).weights_)


def test_the_seed_can_be_given(iris):
    process = Process()
    noisy = process.add(add_noise, process.source())
    process.result(process.add(weight_by_f_test, noisy))
    runs = [ProcessEstimator(process, random_state=s).fit(*iris).weights_ for s in (1, 1, 2, None)]
    assert runs[0].equals(runs[1])
    assert not runs[0].equals(runs[2])
    from_run = run(
        process, ExampleSet.from_numpy(iris[0].to_numpy(), iris[1], names=iris[0].columns)
    )
    assert runs[3].equals(from_run[0])


def test_a_fitted_process_can_be_kept_and_shared_out(iris):
    estimator = ProcessEstimator(filtered())
    fitted = pickle.loads(pickle.dumps(estimator.fit(*iris)))
    assert (fitted.predict(iris[0]) == estimator.predict(iris[0])).all()
    alone = cross_val_score(estimator, *iris, cv=3)
    assert cross_val_score(estimator, *iris, cv=3, n_jobs=2).tolist() == alone.tolist()


def test_warnings_of_the_run_are_passed_on(iris):
    with pytest.warns(OperatorWarning, match="only 4 attributes"):
        ProcessEstimator(filtered(k=9)).fit(*iris)


def test_errors_are_value_errors(iris, refused):
    with refused('data="Retrieve"', "does not take a table", error=FsopsError) as caught:
        ProcessEstimator(QUICKSTART).fit(*iris)
    assert isinstance(caught.value, ValueError)
    with refused('"Topp.k"', 'Did you mean "Top"', error=ParameterError) as caught:
        ProcessEstimator(filtered()).set_params(Topp__k=3)
    assert isinstance(caught.value, ValueError)
    with refused("process is 3", "path", error=ParameterError):
        ProcessEstimator(3).fit(*iris)
    with pytest.raises(ValueError, match="k is -1, but must be"):
        ProcessEstimator(filtered(), settings={"Top.k": -1}).fit(*iris)
    with refused("label_type", error=ParameterError):
        ProcessEstimator(filtered(), label_type="class").fit(*iris)
    with refused("data is 3", error=ParameterError):
        ProcessEstimator(filtered(), data=3).fit(*iris)
    with pytest.raises(ValueError, match="There is no operator"):
        ProcessEstimator(filtered(), data="Load").fit(*iris)
