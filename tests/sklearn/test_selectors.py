"""Operators as selectors: in pipelines and searches, with the numbers of the operator itself."""

import inspect
import io
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline

import fsops.sklearn
from fsops import AttributeWeights, ExampleSet
from fsops.errors import DataError, OperatorWarning, ParameterError, UsageError
from fsops.operators import (
    ensemble_feature_selection,
    performance_cfs,
    recursive_feature_elimination,
    select_by_mrmr_cfs,
    select_by_pk_mrmr,
    weight_by_information_gain,
    weight_by_relief,
    weight_by_sam,
)
from fsops.sklearn import (
    EnsembleFeatureSelection,
    OptimizeSelectionForward,
    PriorKnowledge,
    RankBySelection,
    RecursiveFeatureElimination,
    SelectByMrmrCfs,
    SelectByPkMrmr,
    WeightByCorrelation,
    WeightByDeviation,
    WeightByInformationGain,
    WeightByRandomForest,
    WeightByRelief,
    WeightBySam,
    selector,
)


@pytest.fixture
def frame():
    """Return 60 rows × 20 columns of which the first two tell the classes apart."""
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 20))
    X[:, :2] += 1.5 * y[:, None]
    names = [f"gene{j}" for j in range(20)]
    return pd.DataFrame(X, columns=names, index=range(100, 160)), np.array(["no", "yes"])[y]


def table_of(X, y):
    return ExampleSet.from_numpy(X.to_numpy(), y, names=X.columns)


# --- the same numbers -----------------------------------------------------------------------


@pytest.mark.parametrize(("made", "called"), [
    (WeightBySam(s0="auto"), lambda t: weight_by_sam(t, s0="auto")),
    (SelectByMrmrCfs(k=4), lambda t: select_by_mrmr_cfs(t, k=4)),
    (WeightByRelief(sample_fraction=0.5), lambda t: weight_by_relief(t, sample_fraction=0.5)),
    (
        WeightByRelief(sample_fraction=0.5, random_state=7),
        lambda t: weight_by_relief(
            t, sample_fraction=0.5, use_local_random_seed=True, local_random_seed=7
        ),
    ),
    (
        EnsembleFeatureSelection(WeightBySam(s0=0.2), k=3),
        lambda t: ensemble_feature_selection(t, lambda x: weight_by_sam(x, s0=0.2), k=3),
    ),
    (
        RecursiveFeatureElimination(weight_by_sam, k=3, output="ranking"),
        lambda t: recursive_feature_elimination(t, weight_by_sam, k=3, output="ranking").weights,
    ),
    (
        SelectByPkMrmr({"gene7": 10.0}, k=3),
        lambda t: select_by_pk_mrmr(t, AttributeWeights(["gene7"], [10.0]), k=3),
    ),
])  # fmt: skip
def test_weights_are_those_of_the_operator_bit_for_bit(frame, made, called):
    X, y = frame
    assert made.fit(X, y).weights_.equals(called(table_of(X, y)))


def test_scores_and_ranking_follow_the_columns(frame):
    X, y = frame
    fitted = WeightBySam(k=2).fit(X, y)
    expected = weight_by_sam(table_of(X, y))
    assert fitted.scores_.tolist() == expected.values.tolist()
    assert fitted.feature_importances_.tolist() == expected.values.tolist()
    assert fitted.ranking_.tolist() == expected.ranking().tolist()
    assert fitted.get_support(indices=True).tolist() == [0, 1]
    assert fitted.weights_.origin == "Weight by SAM"


def test_what_else_the_operator_gives_is_kept(frame):
    fitted = RecursiveFeatureElimination(WeightBySam(), k=2).fit(*frame)
    assert set(fitted.results_) == {"weights", "trace"}
    assert fitted.results_["trace"].to_pandas().shape[0] > 0


# --- what is kept ---------------------------------------------------------------------------


@pytest.mark.parametrize(("choice", "number"), [
    ({}, 10), ({"k": 3}, 3), ({"k": "all"}, 20), ({"p": 25}, 5), ({"threshold": 1e9}, 0),
    ({"k": "selected"}, 20),
])  # fmt: skip
def test_a_weighting_keeps_the_best(frame, choice, number):
    assert WeightBySam(**choice).fit(*frame).get_support().sum() == number


def test_a_threshold_keeps_what_reaches_it(frame):
    fitted = WeightBySam(k="all").fit(*frame)
    third = np.sort(fitted.scores_)[-3]
    assert WeightBySam(threshold=third).fit(*frame).get_support().sum() == 3


def test_a_selection_keeps_what_it_has_selected(frame):
    fitted = SelectByMrmrCfs(k=4).fit(*frame)
    assert tuple(fitted.get_feature_names_out()) == fitted.weights_.selected()


def test_more_than_there_are_keeps_all_with_a_warning(frame):
    with pytest.warns(OperatorWarning, match="only 20 attributes"):
        assert WeightBySam(k=21).fit(*frame).get_support().all()


def test_only_one_choice_can_be_made(frame, refused):
    with refused("Only one of k and p", error=ParameterError):
        WeightBySam(k=3, p=10).fit(*frame)


# --- data frames ----------------------------------------------------------------------------


def test_pandas_in_and_out(frame):
    X, y = frame
    fitted = WeightBySam(k=2).set_output(transform="pandas").fit(X, y)
    kept = fitted.transform(X)
    assert kept.equals(X[["gene0", "gene1"]])
    assert fitted.feature_names_in_.tolist() == list(X.columns)
    assert fitted.inverse_transform(kept.to_numpy()).shape == X.shape
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(X.rename(columns={"gene0": "other"}))


def test_categories_and_text_are_nominal_attributes(frame, refused):
    X, y = frame
    mixed = X.iloc[:, :3].assign(
        sex=pd.Categorical(np.where(y == "no", "f", "m")), town=["a", "b", "c"] * 20
    )
    fitted = WeightByInformationGain(k=1).set_output(transform="pandas").fit(mixed, y)
    direct = weight_by_information_gain(
        ExampleSet.from_pandas(mixed.assign(label=y), roles={"label": "label"})
    )
    assert fitted.weights_.equals(direct)
    assert list(fitted.transform(mixed).columns) == ["sex"]
    with refused('"sex", "town" are not', "OrdinalEncoder", error=DataError) as caught:
        WeightBySam().fit(mixed, y)
    assert "Select Attributes" not in str(caught.value)


@pytest.mark.parametrize(
    "columns", [range(4), pd.MultiIndex.from_product([["a", "b"], ["x", "y"]])]
)
def test_names_that_are_no_texts_select_as_texts_do(frame, columns):
    X, y = frame
    mixed = X.iloc[:, :3].assign(sex=pd.Categorical(np.where(y == "no", "f", "m")))
    named = WeightByInformationGain(k=2).fit(mixed, y)
    fitted = WeightByInformationGain(k=2).fit(mixed.set_axis(columns, axis=1), y)
    assert fitted.support_.tolist() == named.support_.tolist()
    assert fitted.support_[3]
    assert fitted.support_.sum() == 2
    assert np.array_equal(fitted.scores_, named.scores_)
    assert fitted.weights_.names == ("x0", "x1", "x2", "x3")


@pytest.mark.parametrize("nominal", [False, True])
@pytest.mark.parametrize("unknown", [None, np.nan, pd.NA])
def test_a_class_that_is_missing_is_a_value_error(frame, nominal, unknown):
    X, y = frame
    X = X.assign(town=["a", "b", "c"] * 20) if nominal else X
    some = np.where(np.arange(60) == 7, unknown, y.astype(object))
    with pytest.raises(ValueError, match="contains NaN"):
        WeightByInformationGain().fit(X, some)


@pytest.mark.parametrize(
    "times", [pd.timedelta_range("1h", periods=60), pd.period_range("2020", periods=60, freq="D")]
)
def test_durations_and_periods_are_refused(frame, times, refused):
    X, y = frame
    with refused('"when"', "durations or periods", error=ValueError):
        WeightByInformationGain().fit(X.assign(when=times), y)


def test_a_column_may_be_called_label(frame):
    X, y = frame
    fitted = WeightBySam(k=1).fit(X.rename(columns={"gene1": "label"}), y)
    assert fitted.get_feature_names_out().tolist() == ["label"]


@pytest.mark.parametrize("y", [
    np.arange(60) % 2, (np.arange(60) % 2).astype(float), np.arange(60) % 2 == 1,
    pd.Series(["b", "a"] * 30, dtype="category"), [["x", "y"][i % 2] for i in range(60)],
])  # fmt: skip
def test_classes_may_be_anything(frame, y):
    assert set(WeightBySam(k=2).fit(frame[0], y).get_support(indices=True)) == {0, 1}


def test_real_numbers_are_numbers_unless_it_is_said(frame):
    X = frame[0]
    y = (X["gene5"] > 0).to_numpy().astype(float)
    as_number = WeightByRandomForest(number_of_trees=5, label_type="numerical").fit(X, y)
    as_class = WeightByRandomForest(number_of_trees=5, label_type="nominal").fit(X, y)
    assert as_number.scores_.tolist() != as_class.scores_.tolist()
    assert WeightByCorrelation(k=1).fit(X, X["gene5"]).get_support(indices=True) == [5]
    assert WeightByCorrelation(k=1, label_type="numerical").fit(X, np.arange(60)).support_.any()


def test_no_label_where_none_is_needed(frame):
    X = frame[0].assign(wide=lambda x: 9 * x["gene3"])
    assert WeightByDeviation(k=1).fit(X).get_feature_names_out().tolist() == ["wide"]


# --- scikit-learn around it -----------------------------------------------------------------


def test_a_grid_search_over_the_parameters_of_sam_in_a_pipeline(frame):
    X, y = frame
    pipeline = Pipeline([("sam", WeightBySam()), ("bayes", GaussianNB())])
    pipeline.set_output(transform="pandas")
    grid = {"sam__k": [1, 2, 10], "sam__s0": [0.0, 0.1, "auto"]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_params_["sam__k"] == 2
    assert len(search.cv_results_["params"]) == 9
    kept = search.best_estimator_[:-1].transform(X)
    assert list(kept.columns) == ["gene0", "gene1"]
    assert search.best_estimator_[-1].feature_names_in_.tolist() == ["gene0", "gene1"]
    by_hand = [
        GaussianNB().fit(X.iloc[train][names], y[train]).score(X.iloc[test][names], y[test])
        for train, test in StratifiedKFold(3).split(X, y)
        for names in [list(weight_by_sam(table_of(X.iloc[train], y[train]), s0=0.1).top(2))]
    ]
    place = search.cv_results_["params"].index({"sam__k": 2, "sam__s0": 0.1})
    assert search.cv_results_["mean_test_score"][place] == pytest.approx(np.mean(by_hand))


def test_selection_inside_the_folds_finds_nothing_in_noise():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2000)), np.arange(60) % 2
    inside = cross_val_score(make_pipeline(WeightBySam(k=10), GaussianNB()), X, y, cv=5)
    before = cross_val_score(GaussianNB(), WeightBySam(k=10).fit_transform(X, y), y, cv=5)
    spread = 0.5 / np.sqrt(len(y))  # of the share of right guesses, by chance alone
    assert abs(inside.mean() - 0.5) < 3 * spread
    assert before.mean() > 0.5 + 3 * spread  # what a selection on all rows pretends


def test_two_processes_give_the_scores_of_one(frame):
    X, y = frame
    chain = make_pipeline(WeightByRelief(k=2), GaussianNB())
    alone = cross_val_score(chain, X, y, cv=4)
    assert cross_val_score(chain, X, y, cv=4, n_jobs=2).tolist() == alone.tolist()


def test_a_search_reaches_inner_selections(frame):
    search = GridSearchCV(
        make_pipeline(EnsembleFeatureSelection(WeightBySam(), iterations=3), GaussianNB()),
        {"ensemblefeatureselection__selection__s0": [0.0, 5.0]},
        cv=2,
    ).fit(*frame)
    assert search.best_estimator_[0].selection.s0 in (0.0, 5.0)


@pytest.mark.parametrize("copied", ["pickle", "joblib"])
def test_a_fitted_selector_can_be_kept(frame, copied):
    X, y = frame
    fitted = EnsembleFeatureSelection(WeightBySam(), k=3).fit(X, y)
    if copied == "pickle":
        again = pickle.loads(pickle.dumps(fitted))
    else:
        file = io.BytesIO()
        joblib.dump(fitted, file)
        again = joblib.load(io.BytesIO(file.getvalue()))
    assert again.weights_.equals(fitted.weights_)
    assert again.transform(X).tolist() == fitted.transform(X).tolist()
    assert type(again) is EnsembleFeatureSelection


def test_other_selectors_can_use_the_weights(frame):
    X, y = frame
    wrapped = SelectFromModel(WeightBySam(), max_features=2, threshold=-np.inf).fit(X, y)
    assert wrapped.get_support(indices=True).tolist() == [0, 1]


def test_parameters_are_arguments_and_can_be_cloned():
    names = list(inspect.signature(WeightBySam).parameters)
    marks = ["must_keep", "forbidden"]
    own = ["s0", "signed", "permutations", "missing", "multiclass", "k", "p", "threshold"]
    assert names == own + marks
    assert "random_state" in inspect.signature(WeightByRelief).parameters
    assert clone(WeightBySam(s0=0.3, k=5)).get_params() == WeightBySam(s0=0.3, k=5).get_params()
    assert repr(WeightBySam(k=5)) == "WeightBySam(k=5)"
    with pytest.raises(
        TypeError, match="WeightBySam.. has no argument 'sign'. Did you mean .signed"
    ):
        WeightBySam(sign=True)


def test_the_help_page_is_that_of_the_operator():
    page = inspect.getdoc(WeightBySam)
    for part in ("relative difference of two classes", "s0 : a number", "weights_ :", "Tusher"):
        assert part in page


# --- inner selections -----------------------------------------------------------------------


def test_an_inner_selector_with_a_choice_gives_a_selection(frame):
    votes = EnsembleFeatureSelection(
        WeightBySam(k=1), combination="geq w", w=1.0, iterations=5
    ).fit(*frame)
    assert votes.get_support().sum() <= 1


def test_a_learner_judges_a_search_as_in_scikit_learn(frame):
    learner = LogisticRegression()
    found = OptimizeSelectionForward(learner, max_attributes=2).fit(*frame)
    oracle = SequentialFeatureSelector(learner, n_features_to_select=2, cv=5).fit(*frame)
    assert found.get_support().tolist() == oracle.get_support().tolist()
    X = oracle.transform(frame[0])
    assert found.results_["performance"].main.values == pytest.approx(
        cross_val_score(learner, X, frame[1], cv=5)
    )


def test_an_operator_can_judge_a_search(frame):
    found = OptimizeSelectionForward(performance_cfs, max_attributes=2).fit(*frame)
    assert found.get_support(indices=True).tolist() == [0, 1]


def test_macros_of_a_loop_reach_the_inner_selector(frame):
    ranked = RankBySelection(SelectByMrmrCfs(k="%{k}"), k=3).fit(*frame)
    assert np.sort(ranked.scores_)[-3:].tolist() == [1, 2, 3]


def test_a_prior_may_be_computed_by_a_selector(frame):
    prior = PriorKnowledge(attributes=["gene7"], prior_weight=1000.0)
    assert "gene7" in SelectByPkMrmr(prior, k=2).fit(*frame).get_feature_names_out()


# --- errors ---------------------------------------------------------------------------------


def test_a_wrong_parameter_is_a_value_error_at_fit(frame, refused):
    with refused("s0 is -1", "at least 0", error=ParameterError) as caught:
        WeightBySam(s0=-1).fit(*frame)
    assert isinstance(caught.value, ValueError)
    with refused("k is 0", "at least 1", error=ParameterError):
        WeightBySam(k=0).fit(*frame)
    with refused("random_state is -1", error=ParameterError):
        WeightByRelief(random_state=-1).fit(*frame)
    with refused("s0 is", error=ParameterError):
        WeightBySam(s0=None).fit(*frame)
    with refused("label_type is", error=ParameterError):
        WeightByCorrelation(label_type="class").fit(*frame)


def test_wrong_data_is_a_value_error(frame, refused):
    X = frame[0]
    with refused("Exactly two classes", error=DataError) as caught:
        WeightByRelief().fit(X, np.arange(60) % 3)
    assert isinstance(caught.value, ValueError)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        WeightBySam().fit(X, X["gene0"])
    with pytest.raises(ValueError, match="requires y"):
        WeightBySam().fit(X)
    with pytest.raises(ValueError, match="contains NaN"):
        WeightBySam().fit(X.mask(X > 1), frame[1])
    assert WeightBySam(missing="pairwise").fit(X.mask(X > 2), frame[1]).support_.sum() == 10


def test_a_missing_inner_selection_is_told(frame, refused):
    with refused("selection is not set", "a selector", error=ParameterError):
        EnsembleFeatureSelection().fit(*frame)
    with refused("prior", error=ValueError):
        SelectByPkMrmr().fit(*frame)


def test_errors_travel_between_processes(frame):
    with pytest.raises(ValueError, match="s0 is -1"):
        cross_val_score(
            make_pipeline(WeightBySam(s0=-1), GaussianNB()), *frame, n_jobs=2, error_score="raise"
        )


def test_names_that_are_none(refused):
    with pytest.raises(AttributeError, match='Did you mean "WeightBySam"'):
        fsops.sklearn.WeightBySamm  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'DataToWeights'"):
        fsops.sklearn.DataToWeights  # noqa: B018
    with refused('"weight_by_samm" does not weigh or select', "weight_by_sam", error=UsageError):
        selector("weight_by_samm")
    assert isinstance(selector("weight_by_sam", k=20), WeightBySam)
    assert "WeightBySam" in dir(fsops.sklearn)
    assert "WeightBySam" in fsops.sklearn.__all__


def test_selectors_keep_and_forbid_columns_by_name():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10)
    X = rng.normal(size=(20, 5)) + np.outer(y, [4, 3, 2, 1, 0])
    plain = fsops.sklearn.WeightByFTest(k=2).fit(X, y)
    assert plain.get_support().tolist() == [True, True, False, False, False]
    marked = fsops.sklearn.WeightByFTest(k=2, must_keep=["x4"], forbidden=["x0"]).fit(X, y)
    assert marked.get_support().tolist() == [False, True, False, False, True]
    assert np.isnan(marked.scores_[0])
    with pytest.raises(ValueError, match='no attribute "x9"'):
        fsops.sklearn.WeightByFTest(must_keep=["x9"]).fit(X, y)
