"""Learners that predict by nearness, against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.preprocessing import StandardScaler

from fsops import ExampleSet
from fsops.algorithms.kernel.clinical import ClinicalScale, clinical_kernel
from fsops.operators import k_nn, nearest_centroid
from fsops.testing import make_examples


def test_k_nn_votes_as_scikit_learn(iris, halves, predicted):
    train, test = halves(iris)
    oracle = KNeighborsClassifier(3, weights="distance").fit(train.numeric(), train.label_values())
    assert (
        predicted(k_nn(train, number_of_neighbors=3), test) == oracle.predict(test.numeric())
    ).all()


def test_k_nn_scales_by_the_training_rows_only(iris, halves, predicted):
    train, test = halves(iris)
    scaler = StandardScaler().fit(train.numeric())
    oracle = KNeighborsClassifier(1, metric="manhattan").fit(
        scaler.transform(train.numeric()), train.label_values()
    )
    model = k_nn(train, number_of_neighbors=1, scaling=True, metric="ManhattanDistance")
    assert (predicted(model, test) == oracle.predict(scaler.transform(test.numeric()))).all()


def test_k_nn_averages_numbers(diabetes, predicted):
    X, y = diabetes.numeric(), diabetes.label_values()
    oracle = KNeighborsRegressor(4).fit(X, y).predict(X)
    assert predicted(
        k_nn(diabetes, number_of_neighbors=4, weighted_vote=False), diabetes
    ) == pytest.approx(oracle)


def heom(train, row):
    """Return HEOM distances of a row of Golf to all training rows, value by value."""
    ranges = {name: np.ptp(train.column(name)) for name in ("Temperature", "Humidity")}
    total = np.zeros(len(train))
    for name in ("Outlook", "Temperature", "Humidity", "Wind"):
        values = train.column(name)
        if name in ranges:
            total += ((values - row.column(name)[0]) / ranges[name]) ** 2
        else:
            total += values != row.column(name)[0]
    return np.sqrt(total)


@pytest.mark.parametrize("left_out", range(0, 14, 3))
def test_heom_takes_numbers_and_categories(golf, confidences, left_out):
    train, row = golf.take(np.arange(14) != left_out), golf.take([left_out])
    weights = 1 / heom(train, row)
    nearest = np.argsort(-weights)[:5]
    yes = (train.label_values()[nearest] == 1) @ weights[nearest] / weights[nearest].sum()
    model = k_nn(train, number_of_neighbors=5, metric="HEOM")
    assert confidences(model, row)[0] == pytest.approx([1 - yes, yes])


def test_mixed_distance_is_heom_without_the_ranges(golf, predicted):
    by_hand = np.abs(golf.column("Humidity")[:, None] - golf.column("Humidity")) ** 2.0
    by_hand += np.abs(golf.column("Temperature")[:, None] - golf.column("Temperature")) ** 2.0
    for name in ("Outlook", "Wind"):
        by_hand += golf.column(name)[:, None] != golf.column(name)
    np.fill_diagonal(by_hand, np.inf)
    nearest = golf.label_values()[by_hand.argmin(axis=1)]
    found = [
        predicted(k_nn(golf.take(np.arange(14) != i), number_of_neighbors=1), golf.take([i]))[0]
        for i in range(14)
    ]
    assert found == nearest.tolist()


def test_a_category_that_was_not_seen_differs_from_all(golf, confidences):
    frame = golf.to_pandas().astype({"Outlook": object})
    frame.loc[:, "Outlook"] = "fog"
    foggy = ExampleSet.from_pandas(frame, roles={"Play": "label"})
    plain = confidences(
        k_nn(golf.drop(["Outlook"]), number_of_neighbors=14, weighted_vote=False), golf
    )
    assert confidences(
        k_nn(golf, number_of_neighbors=14, weighted_vote=False), foggy
    ) == pytest.approx(plain)


def test_a_measure_for_numbers_refuses_categories(golf, refused):
    with refused('"Outlook", "Wind" are nominal', "HEOM"):
        k_nn(golf, metric="EuclideanDistance")


def test_a_missing_number_is_refused_where_the_model_is_applied(iris, refused):
    broken = iris.with_columns(
        [(iris.attributes[0], np.where(np.arange(150) == 3, np.nan, iris.numeric()[:, 0]))]
    )
    for model in (k_nn(iris), nearest_centroid(iris)):
        with refused("1 value is missing", "Replace"):
            model.apply(broken)


def test_nearest_centroid_is_the_nearest_class_mean(iris, predicted):
    X, y = iris.numeric(), iris.label_values()
    means = np.array([X[y == c].mean(axis=0) for c in range(3)])
    nearest = np.linalg.norm(X[:, None] - means, axis=2).argmin(axis=1)
    assert (predicted(nearest_centroid(iris), iris) == nearest).all()


def test_shrinkage_is_scikit_learns(iris, predicted):
    oracle = NearestCentroid(shrink_threshold=2.0).fit(iris.numeric(), iris.label_values())
    found = predicted(nearest_centroid(iris, shrinkage=2.0), iris)
    assert (found == oracle.predict(iris.numeric())).all()


def test_class_that_is_missing_in_the_training_rows_gets_no_confidence(iris):
    two = iris.take(iris.label_values() != 1)
    assert k_nn(two).apply(iris).column("confidence(versicolor)").max() == 0


@pytest.mark.parametrize("weighted", [True, False])
def test_the_clinical_measure_takes_mixed_tables_with_gaps(confidences, weighted):
    table = make_examples(80, 3, 3, missing=0.1)
    train, test = table.take(np.arange(40)), table.take(np.arange(40, 80))
    scale = ClinicalScale.of(train.numeric())
    a, b = (scale.rows(table.numeric(), table.nominal()) for table in (train, test))
    weights = "distance" if weighted else "uniform"
    oracle = KNeighborsClassifier(5, weights=weights, metric="precomputed")
    oracle.fit(1 - clinical_kernel(a), train.label_values())
    model = k_nn(train, number_of_neighbors=5, metric="clinical", weighted_vote=weighted)
    assert confidences(model, test) == pytest.approx(
        oracle.predict_proba(1 - clinical_kernel(b, a))
    )


def test_measures_without_a_rule_for_gaps_refuse_them(refused):
    table = make_examples(30, 2, 1, missing=0.2)
    assert len(k_nn(table, metric="clinical").apply(table)) == 30
    with refused("missing", "set metric to HEOM or clinical"):
        k_nn(table)


def gap_distances(train, test):
    """Return HEOM of each test row from each training row, value by value; a gap differs by 1."""
    X, Z = train.numeric(), test.numeric()
    ranges = np.nanmax(X, axis=0) - np.nanmin(X, axis=0)
    found = np.zeros((len(Z), len(X)))
    for i, t in np.ndindex(found.shape):
        for j, span in enumerate(ranges):
            if np.isnan(Z[i, j]) or np.isnan(X[t, j]):
                found[i, t] += 1
            elif span > 0:
                found[i, t] += ((Z[i, j] - X[t, j]) / span) ** 2
        for one, other in zip(test.nominal()[i], train.nominal()[t], strict=True):
            found[i, t] += 1 if one < 0 or other < 0 else one != other
    return np.sqrt(found)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("gaps", ["both", "training", "test"])
def test_heom_takes_mixed_tables_with_gaps(confidences, weighted, gaps):
    with_gaps, complete = make_examples(80, 3, 3, missing=0.1), make_examples(80, 3, 3)
    train = (complete if gaps == "test" else with_gaps).take(np.arange(40))
    test = (complete if gaps == "training" else with_gaps).take(np.arange(40, 80))
    distances = gap_distances(train, test)
    expected = []
    for row in distances:
        nearest = np.argsort(row, kind="stable")[:5]
        votes = 1 / row[nearest] if weighted else np.ones(5)
        yes = (train.label_values()[nearest] == 1) @ votes / votes.sum()
        expected.append([1 - yes, yes])
    found = confidences(
        k_nn(train, number_of_neighbors=5, metric="HEOM", weighted_vote=weighted), test
    )
    assert found == pytest.approx(np.array(expected))


def test_heom_with_gaps_averages_numbers_and_finds_equal_rows(diabetes, predicted):
    X = diabetes.numeric().copy()
    X[::7, 2] = np.nan
    table = ExampleSet.from_numpy(X, diabetes.label_values())
    model = k_nn(table, number_of_neighbors=3, metric="HEOM")
    found, complete = predicted(model, table), ~np.isnan(X).any(axis=1)
    assert found[complete] == pytest.approx(diabetes.label_values()[complete])
    mean = diabetes.label_values().mean()
    assert np.abs(found[~complete] - mean).max() < np.abs(diabetes.label_values() - mean).max()


def test_one_missing_value_in_thirty_rows_is_no_obstacle():
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[0, 0] = np.nan
    examples = ExampleSet.from_numpy(X, np.array(["a", "b"] * 15))
    assert len(k_nn(examples, number_of_neighbors=5, metric="HEOM").apply(examples)) == 30
