"""Trees and forests, against scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import decision_tree, gradient_boosting, nominal_to_text, random_forest


def test_a_tree_is_scikit_learns_and_tells_the_importances(iris, halves, confidences):
    train, test = halves(iris)
    found = decision_tree(train, criterion="information_gain", max_depth=3)
    oracle = DecisionTreeClassifier(
        criterion="entropy", max_depth=3, min_samples_split=4, min_samples_leaf=2, random_state=0
    ).fit(train.numeric(), train.label_values())
    assert confidences(found.model, test) == pytest.approx(oracle.predict_proba(test.numeric()))
    assert found.weights.values.sum() == pytest.approx(1)
    petals = iris.schema.regular_names[2:]
    assert set(found.weights.top(2)) == set(petals)


def test_a_tree_finds_the_cut_of_numbers(predicted):
    table = ExampleSet.from_numpy(np.arange(10.0)[:, None], np.repeat([1.5, 4.0], 5))
    found = decision_tree(table)
    assert predicted(found.model, table).tolist() == [1.5] * 5 + [4.0] * 5
    assert found.weights["att1"] == 1


def test_forest_is_reproducible_and_as_good_as_scikit_learns(iris, halves, predicted):
    train, test = halves(iris)
    first, second = (
        predicted(random_forest(train, number_of_trees=30).model, test) for _ in range(2)
    )
    assert (first == second).all()
    oracle = RandomForestClassifier(30, random_state=0).fit(train.numeric(), train.label_values())
    accuracy = (first == test.label_values()).mean()
    assert accuracy == pytest.approx(oracle.score(test.numeric(), test.label_values()), abs=0.06)


def test_boosting_is_scikit_learns(diabetes, predicted):
    small = diabetes.take(np.arange(80))
    found = gradient_boosting(small, number_of_trees=20, learning_rate=0.3)
    oracle = GradientBoostingRegressor(n_estimators=20, learning_rate=0.3, random_state=0)
    oracle.fit(small.numeric(), small.label_values())
    assert predicted(found.model, small) == pytest.approx(oracle.predict(small.numeric()))
    assert found.weights.values == pytest.approx(oracle.feature_importances_, abs=0.01)


def test_boosting_needs_two_classes(iris, refused):
    with refused("two classes", '"setosa"'):
        gradient_boosting(iris.take(np.arange(20)))


LEARNERS = [decision_tree, random_forest, gradient_boosting]
every_learner = pytest.mark.parametrize("learner", LEARNERS)


def encoded(table):
    """Return the numbers, then a column for each category, and which attribute each is of."""
    columns, owners = list(table.numeric().T), list(table.schema.names_at(numerical(table)))
    for name in table.schema.names_at(table.schema.regular_nominal):
        for category in table.schema.attribute(name).categories:
            columns.append([value == category for value in table.nominal_values(name)])
            owners.append(name)
    return np.array(columns, dtype=float).T, owners


def numerical(table):
    return table.schema.regular_numerical


@pytest.fixture
def mixed():
    """Return a table in which a category in the middle, and a number, make the class."""
    rng = np.random.default_rng(5)
    colours = np.array(["red", "green", "blue", "grey"])
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=80),
            "colour": rng.choice(colours, 80),
            "noise": rng.normal(size=80),
            "side": rng.choice(["left", "right"], 80),
        }
    )
    wanted = (frame["colour"] == "green") | (frame["size"] > 1)
    frame["class"] = np.where(wanted, "yes", "no")
    return ExampleSet.from_pandas(frame, roles={"class": "label"})


@every_learner
def test_categories_are_asked_for_one_by_one(learner, mixed, confidences):
    found = learner(mixed)
    assert found.weights.names == mixed.schema.regular_names
    assert found.weights.values.sum() == pytest.approx(1)
    assert found.weights.top(2) == ("colour", "size")
    assert confidences(found.model, mixed).argmax(axis=1).tolist() == mixed.label_values().tolist()


def test_a_tree_on_categories_is_scikit_learns_on_their_columns(mixed, confidences):
    X, owners = encoded(mixed)
    oracle = DecisionTreeClassifier(min_samples_split=4, min_samples_leaf=2, random_state=0)
    oracle.fit(X, mixed.label_values())
    found = decision_tree(mixed)
    assert confidences(found.model, mixed) == pytest.approx(oracle.predict_proba(X))
    for name in found.weights.names:
        mine = [owner == name for owner in owners]
        assert found.weights[name] == pytest.approx(oracle.feature_importances_[mine].sum())


@every_learner
def test_the_order_of_attributes_and_categories_at_application_does_not_matter(learner, mixed):
    model = learner(mixed).model
    frame = mixed.to_pandas().iloc[::-1, ::-1]
    frame["colour"] = frame["colour"].cat.reorder_categories(["red", "grey", "green", "blue"])
    turned = ExampleSet.from_pandas(frame, roles={"class": "label"})
    assert turned.schema.attribute("colour").categories[0] == "red"
    name = "confidence(yes)"
    expected = model.apply(mixed).column(name)
    assert model.apply(turned).column(name)[::-1] == pytest.approx(expected)


@every_learner
def test_an_unknown_or_missing_category_is_none_of_the_known(learner, mixed, confidences):
    model = learner(mixed).model
    frame = mixed.to_pandas()
    X, owners = encoded(mixed)
    X[:, [owner == "colour" for owner in owners]] = 0
    expected = model.predictor.trees.of_matrix(X)
    for colour in ("pink", None):
        other = frame.assign(colour=pd.Series([colour] * 80, dtype=object))
        table = ExampleSet.from_pandas(
            other, roles={"class": "label"}, types={"colour": "polynominal"}
        )
        assert confidences(model, table) == pytest.approx(expected)


def test_rows_with_missing_numbers_go_where_they_fit(predicted):
    X = np.array([0, 1, 2, np.nan, np.nan, np.nan, 7, 8, 9, 8])[:, None]
    table = ExampleSet.from_numpy(X, np.repeat(["low", "high"], [6, 4]))
    for learner in (decision_tree, random_forest):
        model = learner(table).model
        assert predicted(model, table).tolist() == table.label_values().tolist()


def test_a_missing_number_that_was_never_missing_goes_with_the_larger_part(predicted):
    table = ExampleSet.from_numpy(np.arange(10.0)[:, None], np.repeat(["few", "many"], [3, 7]))
    other = ExampleSet.from_numpy([[np.nan]], ["few"])
    assert decision_tree(table).model.apply(other).nominal_values("prediction(label)") == ["many"]


def test_boosting_takes_no_missing_numbers(mixed, refused):
    model = gradient_boosting(mixed).model
    holed = mixed.with_values([(mixed.schema.attribute("size"), np.full(80, np.nan))])
    with refused("80 values are missing", '"size"'):
        gradient_boosting(holed)
    with refused("80 values are missing", '"size"'):
        model.apply(holed)


@every_learner
def test_infinite_numbers_are_refused_at_application(learner, mixed, refused):
    values = mixed.column("size").copy()
    values[:2] = [np.inf, 0.0]
    endless = mixed.with_values([(mixed.schema.attribute("size"), values)])
    with refused("infinite", '"size"'):
        learner(mixed).model.apply(endless)
    values[2] = np.nan
    holed = mixed.with_values([(mixed.schema.attribute("size"), values)])
    with refused("size"):
        learner(mixed).model.apply(holed)


def test_attributes_of_which_nothing_is_known_have_no_weight(mixed):
    attribute = mixed.schema.attribute
    empty = mixed.with_values(
        [
            (attribute("noise"), np.full(80, np.nan)),
            (attribute("side"), np.full(80, -1, dtype=np.int32)),
        ]
    )
    weights = decision_tree(empty).weights
    assert (weights["noise"], weights["side"]) == (0, 0)
    assert weights.values.sum() == pytest.approx(1)


@pytest.mark.parametrize("settings", [{}, {"algorithm": "c4.5", "criterion": "gain_ratio"}])
def test_dates_are_numbers_to_a_tree(settings):
    rng = np.random.default_rng(5)
    days = rng.permutation(60)
    frame = pd.DataFrame(
        {
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(days, unit="D"),
            "noise": rng.normal(size=60),
            "class": np.where(days < 25, "early", "late"),
        }
    )
    frame.loc[3, "day"] = pd.NaT
    dated = ExampleSet.from_pandas(frame, roles={"class": "label"})
    numbered = ExampleSet.from_pandas(
        frame.assign(day=np.where(frame["day"].isna(), np.nan, days * 86.4e6)),
        roles={"class": "label"},
    )
    learned, same = decision_tree(dated, **settings), decision_tree(numbered, **settings)
    assert learned.weights["day"] == same.weights["day"] > 0.5
    ours, theirs = learned.model.apply(dated), same.model.apply(numbered)
    assert ours.column("confidence(late)").tolist() == theirs.column("confidence(late)").tolist()


def test_texts_are_refused(mixed, refused):
    frame = mixed.to_pandas()
    frame["note"] = pd.Series(["a"] * len(frame), dtype=object)
    table = ExampleSet.from_pandas(frame, roles={"class": "label"})
    with refused("numerical, nominal or date", '"note"'):
        decision_tree(nominal_to_text(table, attribute_filter_type="single", attribute="note"))


def test_c45_opens_a_branch_for_each_category_and_reads_as_quinlans_tree():
    table = ExampleSet.from_pandas(
        pd.DataFrame(
            {
                "outlook": ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5,
                "humid": [85.0, 90, 95, 70, 70, 78, 65, 90, 75, 96, 80, 70, 80, 80],
                "wind": ["n", "y", "n", "n", "y", "n", "y", "y", "n", "n", "n", "y", "n", "y"],
                "play": ["no"] * 3 + ["yes"] * 6 + ["yes", "yes", "no", "yes", "no"],
            }
        ),
        roles={"play": "label"},
    )
    learned = decision_tree(table, algorithm="c4.5", criterion="gain_ratio")
    predicted = learned.model.apply(table)
    assert np.array_equal(predicted.column("prediction(play)"), table.label_values())
    assert learned.weights["outlook"] > 0
    assert sum(learned.weights.values) == pytest.approx(1)


def test_cart_names_the_criteria_it_has(iris):
    with pytest.raises(ParameterError, match='criterion is "gain_ratio", which cart does not have'):
        decision_tree(iris, criterion="gain_ratio")
