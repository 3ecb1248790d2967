"""Row weights: fractions against other packages, tables that are refused, and paths around them.

The contract (`fsops/testing/rules/row_weights.py`) holds every operator to "2 is a row twice, 0 is
no row". Here weights are fractions, which no repeated row can show.
"""

from functools import partial

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from fsops import Context, ExampleSet, Process, operators, run
from fsops.core.declare.row_weights import handling, works_inside
from fsops.core.frame.services import Services
from fsops.data import Attribute, Model, ValueType
from fsops.data.model import confidence_role
from fsops.data.row_weights import counted_rows
from fsops.errors import DataError
from fsops.operators.validation import trials
from fsops.plugins import plugins
from fsops.testing.sparse import as_sparse

N = 40


@pytest.fixture
def rng():
    return np.random.default_rng(19)


def weighted(X, y, weights, **given):
    table = ExampleSet.from_numpy(X, y=y, **given)
    return table.with_columns([(Attribute("w", ValueType.REAL, "weight"), weights)])


@pytest.fixture
def data(rng):
    X = rng.normal(size=(N, 4)) * [1, 1e-6, 1e6, 1]
    X[:, 3] = 2.5  # a constant
    y = np.array(["a", "b", "b", "c"])[rng.integers(0, 4, N)]
    X[:, 0] += y == "b"
    return X, y, rng.uniform(0.1, 3, N)


def class_parts(X, y, w):
    parts = []
    for c in sorted(set(y)):
        own, f = X[y == c], w[y == c]
        mean = np.average(own, axis=0, weights=f)
        parts.append((f.sum(), mean, np.average((own - mean) ** 2, axis=0, weights=f)))
    return parts


def test_f_and_fisher_score_of_fractions_follow_their_formulas(data):
    X, y, w = data
    parts = class_parts(X, y, w)
    total, grand = w.sum(), np.average(X, axis=0, weights=w)
    between = sum(n * (m - grand) ** 2 for n, m, _ in parts)
    within = sum(n * v for n, _, v in parts)
    with np.errstate(invalid="ignore", divide="ignore"):
        fisher = between / within
    fisher[3] = 0
    table = weighted(X, y, w)
    assert operators.weight_by_fisher_score(table).values == pytest.approx(fisher)
    f_test = operators.weight_by_f_test(table).values
    assert f_test == pytest.approx(fisher * (total - 3) / 2)


def test_two_class_filters_of_fractions_follow_their_formulas(data):
    X, y, w = data
    y = np.where(y == "b", "b", "a")
    (n0, m0, v0), (n1, m1, v1) = class_parts(X[:, :3], y, w)
    pooled = np.sqrt((1 / n0 + 1 / n1) / (n0 + n1 - 2) * (n0 * v0 + n1 * v1))
    table = weighted(X, y, w)
    assert operators.weight_by_t_test(table).values[:3] == pytest.approx(np.abs(m1 - m0) / pooled)
    assert operators.weight_by_sam(table).values[:3] == pytest.approx(
        np.abs(m1 - m0) / (pooled + 0.1)
    )
    assert operators.weight_by_lal_score(table).values[:3] == pytest.approx(
        (m1 - m0) ** 2 / (v0 + v1)
    )
    s0, s1 = v0 * n0 / (n0 - 1), v1 * n1 / (n1 - 1)
    welch = np.abs(m1 - m0) / np.sqrt(s0 / n0 + s1 / n1)
    found = operators.weight_by_welch_test(table, transformation="abs_statistic").values[:3]
    assert found == pytest.approx(welch)


def test_correlation_of_fractions_is_numpys(data, rng):
    X, _, w = data
    y = X[:, 0] + rng.normal(size=N)
    covariance = np.cov(np.column_stack([X[:, :3], y]).T, aweights=w, ddof=0)
    deviations = np.sqrt(np.diag(covariance))
    expected = np.abs(covariance[:3, 3] / (deviations[:3] * deviations[3]))
    found = operators.weight_by_correlation(weighted(X, y, w)).values
    assert found == pytest.approx([*expected, 0.0])


def test_sparse_tables_and_blocks_of_a_file_have_the_weights_of_dense_ones(data, tmp_path):
    X, y, w = data
    X = np.where(np.abs(X) > 0.5, X, 0)
    w[::7] = 0
    dense = weighted(X, y, w)
    thin = ExampleSet.from_sparse(sparse.csr_array(X), y=y, names=list(dense.names[:4]))
    thin = thin.with_columns([(Attribute("w", ValueType.REAL, "weight"), w)])
    expected = operators.weight_by_f_test(dense).values
    assert operators.weight_by_f_test(thin).values == pytest.approx(expected, rel=1e-12)
    used = w > 0
    again = operators.weight_by_f_test(weighted(X[used], y[used], w[used])).values
    assert again == pytest.approx(expected, rel=1e-12)


def test_counts_of_fractions_follow_the_formula_of_pearson(rng):
    x = np.array(list("pqr"))[rng.integers(0, 3, N)]
    y = np.array(list("ab"))[rng.integers(0, 2, N)]
    w = rng.uniform(0.1, 3, N)
    frame = pd.DataFrame({"x": x, "y": y, "w": w})
    table = ExampleSet.from_pandas(frame, roles={"y": "label", "w": "weight"})
    observed = np.array([[w[(x == i) & (y == j)].sum() for j in "ab"] for i in "pqr"])
    expected = np.outer(observed.sum(1), observed.sum(0)) / observed.sum()
    found = operators.weight_by_chi_squared(table).values[0]
    assert found == pytest.approx(((observed - expected) ** 2 / expected).sum())
    p = observed / observed.sum()
    gain = (p * np.log2(p / np.outer(p.sum(1), p.sum(0)))).sum()
    assert operators.weight_by_information_gain(table).values[0] == pytest.approx(gain)


def test_naive_bayes_of_fractions_is_scikit_learns(data):
    from sklearn.naive_bayes import GaussianNB

    X, y, w = data
    X = (X[:, :3] - X[:, :3].mean(0)) / X[:, :3].std(0)
    table = weighted(X, y, w)
    theirs = GaussianNB(var_smoothing=1e-12).fit(X, y, sample_weight=w).predict_proba(X)
    ours = operators.apply_model(operators.naive_bayes(table), table)
    found = np.column_stack([ours.column(f"confidence({c})") for c in "abc"])
    assert found == pytest.approx(theirs, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize(
    ("learner", "settings"),
    [("linear_regression", {}), ("ridge_regression", {}), ("lasso_regression", {"penalty": 0.01})],
)
def test_linear_models_minimise_the_weighted_error(data, rng, learner, settings):
    X, _, w = data
    y = X[:, 0] - X[:, 2] / 1e6 + rng.normal(size=N)
    table = weighted(X, y, w)
    learned = getattr(operators, learner)(table, **settings)
    fit = operators.apply_model(learned.model, table).column("prediction(label)")
    residuals = y - fit
    assert np.average(residuals, weights=w) == pytest.approx(0, abs=1e-8)
    if learner == "linear_regression":
        centred = X[:, :3] - np.average(X[:, :3], axis=0, weights=w)
        normal = (w * residuals) @ (centred / centred.std(0))
        assert normal == pytest.approx(np.zeros(3), abs=1e-6)
    flat = operators.apply_model(
        getattr(operators, learner)(table.drop(["w"]), **settings).model, table
    ).column("prediction(label)")
    assert np.average((y - fit) ** 2, weights=w) < np.average((y - flat) ** 2, weights=w)


def test_logistic_regression_of_fractions_is_scikit_learns(data):
    from sklearn.linear_model import LogisticRegression

    X, y, w = data
    X = X[:, :1]
    table = weighted(X, y, w)
    theirs = LogisticRegression(tol=1e-8).fit(X, y, sample_weight=w).predict_proba(X)
    ours = operators.apply_model(operators.logistic_regression(table, scaling=False).model, table)
    found = np.column_stack([ours.column(f"confidence({c})") for c in "abc"])
    assert found == pytest.approx(theirs, abs=1e-3)


def test_trees_of_fractions_are_scikit_learns(data):
    from sklearn.tree import DecisionTreeClassifier

    X, y, w = data
    table = weighted(X, y, w)
    learned = operators.decision_tree(table, max_depth=2)
    theirs = DecisionTreeClassifier(max_depth=2, min_samples_split=4, min_samples_leaf=2)
    theirs.fit(X, y, sample_weight=w)
    ours = operators.apply_model(learned.model, table)
    found = np.column_stack([ours.column(f"confidence({c})") for c in "abc"])
    assert found == pytest.approx(theirs.predict_proba(X))


def predicted_table(rng, label, guess, w, confidence=None):
    nominal = np.asarray(label).dtype.kind == "U"
    table = weighted(rng.normal(size=(len(w), 1)), label, w)
    if nominal:
        categories = tuple(sorted(set(label)))
        codes = np.array([categories.index(g) for g in guess], dtype=np.int32)
        column = (Attribute("guess", ValueType.POLYNOMINAL, "prediction", categories), codes)
    else:
        column = (Attribute("guess", ValueType.REAL, "prediction"), np.asarray(guess))
    columns = [column]
    if confidence is not None:
        columns.append((Attribute("sure", ValueType.REAL, confidence_role("b")), confidence))
    return table.with_columns(columns)


def test_performances_of_classes_are_scikit_learns(rng):
    from sklearn import metrics

    label = np.array(["a", "b"])[rng.integers(0, 2, N)]
    guess = np.where(rng.random(N) < 0.7, label, "a")
    sure = rng.integers(0, 5, N) / 4  # ties
    w = rng.uniform(0.1, 3, N)
    table = predicted_table(rng, label, guess, w, sure)
    found = operators.performance_binominal_classification(
        table,
        criteria=["accuracy", "kappa", "AUC", "recall", "precision", "matthews_correlation"],
    )
    ones = {"sample_weight": w}
    expected = {
        "accuracy": metrics.accuracy_score(label, guess, **ones),
        "kappa": metrics.cohen_kappa_score(label, guess, **ones),
        "AUC": metrics.roc_auc_score(label == "b", sure, **ones),
        "recall": metrics.recall_score(label == "b", guess == "b", **ones),
        "precision": metrics.precision_score(label == "b", guess == "b", **ones),
        "matthews_correlation": metrics.matthews_corrcoef(label, guess, **ones),
    }
    assert found.means() == pytest.approx(expected)
    confusion = metrics.confusion_matrix(label, guess, **ones)
    assert found.confusion.counts == pytest.approx(confusion)
    assert operators.performance(table).main.mean == pytest.approx(expected["accuracy"])


def test_performances_of_numbers_are_scikit_learns(rng):
    from sklearn import metrics

    y = rng.normal(size=N) * 10
    guess = y + rng.normal(size=N) * 5
    w = rng.uniform(0.1, 3, N)
    table = predicted_table(rng, y, guess, w)
    found = operators.performance_regression(
        table,
        criteria=[
            "squared_error",
            "absolute_error",
            "relative_error",
            "coefficient_of_determination",
            "correlation",
            "prediction_average",
        ],
    ).means()
    covariance = np.cov(y, guess, aweights=w)
    expected = {
        "squared_error": metrics.mean_squared_error(y, guess, sample_weight=w),
        "absolute_error": metrics.mean_absolute_error(y, guess, sample_weight=w),
        "relative_error": metrics.mean_absolute_percentage_error(y, guess, sample_weight=w),
        "coefficient_of_determination": metrics.r2_score(y, guess, sample_weight=w),
        "correlation": covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]),
        "prediction_average": np.average(guess, weights=w),
    }
    assert found == pytest.approx(expected)


def test_the_example_of_the_review_counts_the_heavy_row():
    label, guess = np.array(["a", "a", "b"]), np.array(["a", "a", "a"])
    table = predicted_table(np.random.default_rng(0), label, guess, np.array([1.0, 1, 98]))
    assert operators.performance(table)["accuracy"].mean == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (np.nan, "missing, infinite or negative in row 1"),
        (-1.0, "missing, infinite or negative in row 1"),
        (np.inf, "missing, infinite or negative in row 1"),
        (1e39, r'The row weight "w" is larger than 1e\+38 in row 1\. Divide all row weights by'),
    ],
)
def test_weights_that_cannot_be_are_refused(data, bad, said):
    X, y, w = data
    w[0] = bad
    with pytest.raises(DataError, match=said):
        operators.weight_by_f_test(weighted(X, y, w))


@pytest.mark.parametrize(
    "use",
    [
        operators.select_by_shrunken_centroids,
        operators.naive_bayes,
        operators.logistic_regression,
        operators.weight_by_f_test,
        operators.k_nn,
    ],
)
def test_weights_too_large_to_be_added_are_refused_by_name_and_smaller_ones_are_not(use, data):
    X, y, _ = data
    y = np.where(y == "b", "b", "a")
    with pytest.raises(DataError, match='The row weight "w" is larger than'):
        use(weighted(X, y, np.full(N, 1e306)))
    if use is not operators.k_nn:  # which repeats the rows
        use(weighted(X, y, np.full(N, 1e38)))


def test_cox_path_refuses_weights_too_large_to_be_added_by_name(rng):
    X, time = rng.normal(size=(N, 2)), rng.exponential(size=N)
    table = weighted(X, time, np.full(N, 1e307))
    with pytest.raises(DataError, match='The row weight "w" is larger than'):
        operators.select_by_cox_path(table, ties="breslow")


def test_weights_of_0_only_are_refused(data):
    X, y, _ = data
    with pytest.raises(DataError, match='All row weights in "w" are zero'):
        operators.naive_bayes(weighted(X, y, np.zeros(N)))


def test_fractions_are_refused_where_rows_are_repeated(data):
    X, y, w = data
    with pytest.raises(DataError, match="k-NN takes whole numbers as row weights"):
        operators.k_nn(weighted(X, y, w))
    with pytest.raises(DataError, match='discretization="best split" takes whole numbers'):
        operators.weight_by_chi_squared(weighted(X, y, w))
    by_width = operators.weight_by_chi_squared(weighted(X, y, w), discretization="equal width")
    assert by_width.values[0] > 0


def test_an_operator_that_cannot_use_them_refuses_by_name_but_not_weights_of_1(data):
    X, y, w = data
    two = np.where(y == "b", "b", "a")
    with pytest.raises(DataError, match='"w" has the role weight, but Weight by SURF cannot use'):
        operators.weight_by_surf(weighted(X, two, w))
    ones = operators.weight_by_surf(weighted(X, two, np.ones(N)))
    expected = operators.weight_by_surf(ExampleSet.from_numpy(X, y=two))
    assert ones.values.tolist() == expected.values.tolist()


def test_weights_flow_through_validations_and_ensembles(data, rng):
    X, y, _ = data
    w = rng.integers(1, 3, N).astype(float)
    table = weighted(X, y, w)

    def test(model, rows):
        return operators.performance(operators.apply_model(model, rows))

    found = operators.cross_validation(
        table, operators.naive_bayes, test, number_of_folds=4
    ).performance
    assert found.confusion.counts.sum() == w.sum()
    members = operators.ensemble_of_selections(table, [operators.weight_by_f_test], iterations=2)
    plain = operators.ensemble_of_selections(
        table.drop(["w"]), [operators.weight_by_f_test], iterations=2
    )
    for one, other in zip(members.members, plain.members, strict=True):
        assert not np.allclose(one.values, other.values)


# --- rows with the weight 0 around inner processes ---------------------------------------------


def with_unused_rows(rng):
    """Return a table of which some rows have the weight 0, and the same without these rows."""
    X = rng.normal(size=(N, 4))
    y = np.array(["a", "b"])[np.arange(N) % 2]
    X[:, 0] += y == "b"
    w = np.resize([1.0, 2, 0, 1, 3, 0, 1], N)
    whole = weighted(X, y, w)
    return whole, whole.take(np.flatnonzero(w))


def measured(model, rows):
    table = operators.apply_model(model, rows)
    return trials.Tested(operators.performance(table), table)


def validated(table):
    return operators.cross_validation(table, operators.naive_bayes, measured, number_of_folds=4)


def of_ensemble(table):
    return operators.ensemble_feature_selection(table, operators.weight_by_welch_test, k=2)


def of_stability(table):
    return operators.feature_selection_stability_validation(table, operators.weight_by_f_test)


def of_nested_validation(table):
    def training(rows):
        found = operators.ensemble_feature_selection(rows, operators.weight_by_f_test, k=2)
        return operators.naive_bayes(operators.select_by_weights(rows, found))

    return operators.cross_validation(table, training, measured, number_of_folds=3)


def of_search(table):
    def evaluation(rows, through):
        return validated(rows).performance

    return operators.optimize_selection_forward(table, evaluation, max_attributes=2)


def results_of(found):
    values = found if isinstance(found, tuple) else (found,)
    return [v for v in values if v is not None and not isinstance(v, list | Model)]


@pytest.mark.parametrize(
    "study", [validated, of_ensemble, of_stability, of_nested_validation, of_search]
)
def test_rows_with_the_weight_0_change_no_fold_and_no_result(study, rng):
    whole, less = with_unused_rows(rng)
    found, expected = results_of(study(whole)), results_of(study(less))
    assert len(found) == len(expected) > 0
    assert [one.equals(two) for one, two in zip(found, expected, strict=True)] == [True] * len(
        found
    )


def study_process():
    """Return an ensemble selection and a validation as a process."""
    process = Process("Study")
    both = process.source("input 1")
    validation = process.add(operators.cross_validation, number_of_folds=4)
    process.connect(both, validation, "examples")
    training, testing = validation.subprocesses
    model = training.add(operators.naive_bayes)
    training.connect(training.source("training_set"), model, "examples")
    training.result(model["model"], "model")
    applied = testing.add(operators.apply_model)
    testing.connect(testing.source("model"), applied, "model")
    testing.connect(testing.source("test_set"), applied, "examples")
    measure = testing.add(operators.performance)
    testing.connect(applied["examples"], measure, "examples")
    testing.result(measure["performance"], "performance")
    process.result(validation["performance"])
    return process


@pytest.mark.parametrize("engine", ["serial", "threads", "processes", "dask"])
def test_rows_with_the_weight_0_change_no_fold_on_any_engine(engine, rng, engines):
    whole, less = with_unused_rows(rng)
    (expected,) = run(study_process(), less)
    (found,) = run(study_process(), whole, engine=engines(engine))
    assert found.equals(expected)


def test_a_table_in_a_file_has_the_resamples_without_rows_of_weight_0(rng, tmp_path):
    whole, less = with_unused_rows(rng)

    def streamed(table, name):
        file = tmp_path / name
        pq.write_table(table.to_arrow(), file, row_group_size=11)
        services = Services()
        services.memory_limit = 1500
        read = operators.read_parquet(
            path=str(file), streaming=True, ctx=Context(services=services)
        )
        assert read.stays_in_file
        return read

    found = of_ensemble(streamed(whole, "whole.parquet"))
    in_file = of_ensemble(streamed(less, "less.parquet"))
    assert found.values.tolist() == in_file.values.tolist()
    assert found.values.tolist() == of_ensemble(less).values.tolist()


def test_a_sparse_table_has_the_folds_without_rows_of_weight_0(rng):
    whole, less = with_unused_rows(rng)
    found, expected = validated(as_sparse(whole)), validated(as_sparse(less))
    assert found.performance.equals(expected.performance)


def test_a_fold_of_rows_with_the_weight_0_does_not_stop_a_validation(rng):
    whole, less = with_unused_rows(rng)
    unused = less.take(np.arange(10)).with_values([(less.schema.attribute("w"), np.zeros(10))])
    table = operators.append([unused, less])
    found = operators.cross_validation(
        table, operators.naive_bayes, measured, number_of_folds=3, sampling="linear sampling"
    )
    expected = operators.cross_validation(
        less, operators.naive_bayes, measured, number_of_folds=3, sampling="linear sampling"
    )
    assert found.performance.equals(expected.performance)


def test_weights_of_1_beside_0_are_no_weights_for_learners_that_refuse_them(rng):
    whole, _ = with_unused_rows(rng)
    used = np.minimum(whole.column("w"), 1)
    table = whole.with_values([(whole.schema.attribute("w"), used)])

    def selected(rows):
        return operators.weight_by_surf(rows)

    found = operators.ensemble_feature_selection(table, selected, k=2, iterations=3)
    less = table.take(np.flatnonzero(used)).drop(["w"])
    expected = operators.ensemble_feature_selection(less, selected, k=2, iterations=3)
    assert found.values.tolist() == expected.values.tolist()


def test_a_table_without_weights_of_0_is_passed_on_as_it_is(rng):
    _, less = with_unused_rows(rng)
    assert counted_rows(less) is less
    assert counted_rows(less.drop(["w"])).equals(less.drop(["w"]))


def test_weights_of_0_only_stop_a_validation_with_what_to_do(rng):
    whole, _ = with_unused_rows(rng)
    nothing = whole.with_values([(whole.schema.attribute("w"), np.zeros(N))])
    with pytest.raises(DataError, match="so no row of the table counts") as refused:
        validated(nothing)
    assert refused.value.hint.startswith("Give the rows to use a weight above 0")


def test_loops_and_splits_of_tables_keep_rows_with_the_weight_0(rng):
    whole, _ = with_unused_rows(rng)
    parts = operators.split_data(whole, partitions=[0.5, 0.5])
    assert sum(map(len, parts)) == N
    assert not works_inside(operators.work_on_subset.operator)


ONE_CLASS = (
    operators.weight_by_moderated_t,
    operators.weight_by_maximum_relevance,
    operators.weight_by_random_forest,
    operators.weight_by_correlation,
    operators.weight_by_f_test,
    partial(operators.select_by_mrmr_cfs, k=2),
    operators.select_by_boruta,
)


@pytest.mark.parametrize("select", ONE_CLASS)
def test_one_class_left_is_refused_in_the_same_words(select, rng):
    whole, _ = with_unused_rows(rng)
    left = whole.column("label") == whole.column("label")[0]
    by_weight = whole.with_values([(whole.schema.attribute("w"), left.astype(np.float64))])
    by_data = whole.take(np.flatnonzero(left)).drop(["w"])
    for table in (by_weight, by_data):
        with pytest.raises(DataError, match="At least two classes are needed, but all rows have"):
            select(table)


@pytest.mark.parametrize("settings", [{"trend": True}, {"adjust": False}])
def test_moderated_f_refuses_one_class_too(settings, data):
    X, y, _ = data
    table = weighted(X[:, :3], y, np.where(y == "b", 1.0, 0.0))
    with pytest.raises(DataError, match='all rows have the class "b" in "label"'):
        operators.weight_by_moderated_t(table, **settings)


def test_neighbours_refuse_them_and_most_others_do_not():
    """A repeated row would be its own neighbor."""
    how = {spec.key: handling(spec) for spec in plugins().registry}
    for key in (
        "weight_by_pk_relief",
        "weight_by_surf",
        "weight_by_turf",
        "select_by_ib",
        "select_by_hib_css",
        "weight_by_laplacian_score",
        "weight_by_multisurf",
        "measure_chance",
    ):
        assert how[key] == "refused"
    used = [key for key, kind in how.items() if kind == "used"]
    whole = [key for key, kind in how.items() if kind == "whole numbers"]
    assert len(used) >= 28
    assert len(whole) >= 50
