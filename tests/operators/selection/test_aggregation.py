"""Several weightings become one."""

import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from fsops import AttributeWeights, Collection, Context, ExampleSet, Process, run
from fsops.algorithms.base.resampling import partition
from fsops.errors import DataError, ParameterError, PortError
from fsops.operators import (
    aggregate_weights,
    collect,
    retrieve,
    select_top_k,
    weight_by_correlation,
    weight_by_information_gain,
    weight_by_relief,
    weight_by_welch_test,
)

NAMES = ("a", "b", "c", "d")
# The specification's three members.
MEMBERS = [
    AttributeWeights(NAMES, row) for row in ([1, 0.8, 0.5, 0], [0.9, 0, 1, 0.4], [1, 0.7, 0, 0.2])
]
COMBINATIONS = (
    "top k",
    "geq w",
    "accumulate weights",
    "mean weight",
    "weight over rank",
    "mean rank",
    "robust rank",
    "rank distance",
    "frequency",
    "common",
    "accuracy",
    "reliability",
)


@pytest.fixture
def rows():
    """Return rows with the attributes a to d; a tells the class."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    return ExampleSet.from_numpy(rng.normal(size=(60, 4)) + np.outer(y, [3, 1, 1, 0]), y,
                                 names=list(NAMES))  # fmt: skip


@pytest.fixture
def cancer():
    return retrieve(repository_entry="breast cancer")


@pytest.mark.parametrize(
    ("combination", "expected"),
    [
        ("mean weight", [0.9666667, 0.5, 0.5, 0.2]),
        ("weight over rank", [0.725, 0.1875, 0.1875, 0.06]),
        ("mean rank", [11 / 12, 7 / 12, 7 / 12, 5 / 12]),
        ("accumulate weights", [2.9, 1.5, 1.5, 0.6]),
        ("frequency", [1, 2 / 3, 2 / 3, 2 / 3]),
        ("common", [1, 0, 0, 0]),
    ],
)
def test_worked_combinations(combination, expected):
    found = aggregate_weights(MEMBERS, combination=combination)
    assert found.values == pytest.approx(expected, abs=1e-7)
    assert found.names == NAMES


def test_votes_are_counted():
    found = aggregate_weights(MEMBERS, k=2)
    assert found.values.tolist() == [1, 1, 0, 0]
    assert found.details["frequency"] == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert aggregate_weights(MEMBERS, combination="geq w", w=0.5).selected() == ("a", "b", "c")


def test_short_names_of_the_literature_are_understood():
    for short, long in {"WMA": "mean weight", "CLA": "mean rank", "Borda": "mean rank"}.items():
        one = aggregate_weights(MEMBERS, combination=short)
        assert one.equals(aggregate_weights(MEMBERS, combination=long))


def test_robust_ranks_tell_p_values():
    found = aggregate_weights(MEMBERS, combination="RRA")
    first = found.details["p_value"][0]
    assert found["a"] == pytest.approx(-np.log10(first))
    assert found.details["rho"][0] == pytest.approx((2 / 4) ** 3)
    assert (found.details["adjusted_p_value"] >= found.details["p_value"]).all()
    bound = aggregate_weights(MEMBERS, combination="RRA", p_values="bonferroni")
    assert bound.details["p_value"][0] == pytest.approx(3 / 8)
    assert first < 3 / 8


def test_what_is_not_mentioned_may_be_worse_or_not_available():
    given = [AttributeWeights("abcd", [4, 3, 2, 1]), AttributeWeights("bcd", [1, 3, 2])]
    apart = aggregate_weights(given, combination="RRA", not_mentioned="not available")
    assert apart.details["rho"][0] == apart.details["p_value"][0] == pytest.approx(1 / 4)
    worse = aggregate_weights(given, combination="RRA")
    assert worse.details["rho"][0] == pytest.approx(1 - (3 / 4) ** 2)


def test_nearest_list_of_worked_letters():
    lists = [
        AttributeWeights(list(letters), range(9, 9 - len(letters), -1))
        for letters in ("ABCD", "BACE", "ACBD")
    ]
    for distance in ("spearman", "kendall"):
        found = aggregate_weights(lists, combination="GAA", distance=distance)
        assert dict(found) == {"A": 5, "B": 4, "C": 3, "D": 2, "E": 1}


def test_accuracy_needs_rows(rows):
    with pytest.raises(DataError, match="accuracy measures how well each list predicts") as raised:
        aggregate_weights(MEMBERS, combination="accuracy")
    assert "Connect the table" in raised.value.hint
    found = aggregate_weights(MEMBERS, rows, combination="accuracy", list_length=1)
    # The lists are a, c, a: only a separates the classes.
    assert found.top(1) == ("a",)
    assert found["a"] > 1.6 > found["c"] > 0.3
    assert (found["b"], found["d"]) == (0, 0)


def test_reliability_tells_its_parts(rows):
    found = aggregate_weights(MEMBERS, rows, combination="reliability")
    assert {"confidence", "conflict", "reliability"} <= found.details.keys()
    assert found.top(1) == ("a",)
    assert found["b"] != found["c"]  # where mean weight cannot tell


def test_rows_without_the_attributes_are_refused(rows):
    with pytest.raises(DataError, match='The weights name "z", but the table has no such'):
        aggregate_weights([AttributeWeights("az", [1, 1])], rows, combination="accuracy")
    numbers = ExampleSet.from_numpy(rows.numeric(), rows.numeric()[:, 0], names=list(NAMES))
    with pytest.raises(DataError, match="nominal|classes"):
        aggregate_weights(MEMBERS, numbers, combination="accuracy")


def test_nominal_attributes_can_be_measured():
    golf = retrieve(repository_entry="golf")
    weights = weight_by_information_gain(golf)
    found = aggregate_weights([weights, weights], golf, combination="CAA")
    assert found.values.max() <= 2


def test_useless_lists_are_warned_of(listening):
    # Rows come in pairs of different classes, far from all other pairs.
    X = np.repeat(np.arange(30.0), 2) + np.tile([0, 0.1], 30)
    pairs = ExampleSet.from_numpy(X[:, None], np.arange(60) % 2, names=["a"])
    heard = listening()
    found = aggregate_weights(
        [AttributeWeights("a", [1.0])] * 2, pairs, combination="RAA", ctx=heard
    )
    assert heard.warnings[0] == "None of the lists predicts the label better than chance."
    assert found.selected() == ()


def test_lists_that_beat_chance_with_eight_classes_are_reliable(listening):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 8, 200)
    X = rng.normal(size=(200, 6))
    X[:, 0] += y
    X[:, 1] -= 0.8 * y
    eight = ExampleSet.from_numpy(X, np.array([f"c{v}" for v in y]), names="abcdef")
    values = ([1, 0.9, 0, 0, 0, 0], [1, 0, 0.5, 0, 0, 0], [0.2, 1, 0, 0.4, 0, 0])
    heard = listening()
    members = [AttributeWeights("abcdef", v) for v in values]
    found = aggregate_weights(members, eight, combination="RAA", ctx=heard)
    assert heard.warnings == []
    assert found.top(2) == ("a", "b")
    assert found["d"] > 0 == found["e"]


def test_nothing_in_common_is_warned_of(listening):
    heard = listening()
    apart = [AttributeWeights(NAMES, row) for row in np.eye(4)]
    found = aggregate_weights(apart, combination="common", ctx=heard)
    assert found.selected() == ()
    assert heard.warnings == ["No attribute is in enough of the lists: none gets a weight."]
    assert aggregate_weights(apart, combination="common", min_fraction=0.25).selected() == NAMES


def test_ties_at_the_cut_go_to_frequency_then_mean_rank():
    members = [AttributeWeights(NAMES, row) for row in ([1, 2, 3, 0], [1, 3, 2, 0], [1, 3, 0, 9])]
    found = aggregate_weights(members, combination="frequency", list_length=3, keep_best=2)
    assert found.selected() == ("a", "b")
    assert found.details["rank"].tolist() == [2, 1, 3, 4]
    assert found.values == pytest.approx([1, 1, 0, 0])


def test_too_long_lists_are_cut_with_a_warning(listening):
    rng = np.random.default_rng(0)
    names = [f"g{i}" for i in range(300)]
    members = [AttributeWeights(names, rng.random(300)) for _ in range(3)]
    heard = listening()
    found = aggregate_weights(
        members, combination="rank distance", distance="kendall", keep_best=2, ctx=heard
    )
    assert len(found.selected()) == 2
    assert (
        "The lists have 300 attributes: only the 20 with the best mean ranks" in heard.warnings[0]
    )


def test_signs_count_unless_told_not_to():
    relief = [AttributeWeights(NAMES, [0.5, -0.9, 0.1, 0])] * 2
    assert aggregate_weights(relief, combination="WMA").values == pytest.approx([1, 0, 0.2, 0])
    sizes = aggregate_weights(relief, combination="WMA", use_absolute_weights=True)
    assert sizes.top(1) == ("b",)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"combination": "top k", "k": 3}, "fewer than k = 3."),
        ({"combination": "OFA", "keep_best": 3}, "fewer than keep_best = 3."),
    ],
)
def test_weights_below_0_are_never_among_the_best(how, told, listening):
    relief = [AttributeWeights(NAMES, [0.5, -0.9, 0.1, -0.2])] * 2
    heard = listening()
    assert aggregate_weights(relief, **how, ctx=heard).selected() == ("a", "c")
    assert heard.warnings == ["Only 2 attributes are good enough to be kept, " + told]
    assert len(aggregate_weights(relief, **how, use_absolute_weights=True).selected()) == 3


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_equal_members_give_their_list(combination, cancer):
    weights = weight_by_correlation(cancer)
    found = aggregate_weights([weights] * 3, cancer, combination=combination, k=5, w=0.7)
    chosen = found.selected()
    assert set(weights.top(5)) <= set(chosen)
    if "rank" in found.details:
        by_rank = [found.names[i] for i in np.argsort(found.details["rank"])]
        assert by_rank[: len(chosen)] == list(weights.top(len(chosen)))


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_infinite_and_unknown_weights_are_taken(combination, rows):
    odd = [AttributeWeights(NAMES, [np.inf, 1, np.nan, 0]), MEMBERS[0]]
    found = aggregate_weights(odd, rows, combination=combination)
    assert np.isfinite(found.values).all()
    assert found.values.argmax() == 0


def test_collections_and_single_weights_can_be_mixed(cancer):
    process = Process()
    data = process.add(retrieve, repository_entry="breast cancer")
    filters = [
        process.add(operator, data)
        for operator in (weight_by_welch_test, weight_by_correlation, weight_by_relief)
    ]
    both = process.add(collect, *filters[:2])
    total = process.add(aggregate_weights, both, filters[2], combination="mean rank", keep_best=5)
    process.result(total)
    found = run(process)[0]
    expected = aggregate_weights(
        [weight_by_welch_test(cancer), weight_by_correlation(cancer), weight_by_relief(cancer)],
        combination="mean rank",
        keep_best=5,
    )
    assert found.values.tolist() == expected.values.tolist()
    assert aggregate_weights([Collection(MEMBERS)], combination="WMA").equals(
        aggregate_weights(MEMBERS, combination="WMA")
    )


def test_result_can_be_cut_like_any_weights():
    assert select_top_k(aggregate_weights(MEMBERS, combination="WMA"), k=1).selected() == ("a",)


def test_impossible_settings_are_told():
    with pytest.raises(DataError, match="There are no weights to combine"):
        aggregate_weights([])
    with pytest.raises(ParameterError, match="min_iterations is 4, but there are 3 weightings"):
        aggregate_weights(MEMBERS, min_iterations=4)
    with pytest.raises(ParameterError, match="combination is"):
        aggregate_weights(MEMBERS, combination="median")
    with pytest.raises(PortError, match="takes attribute weights"):
        aggregate_weights([retrieve(repository_entry="iris")])


@pytest.mark.parametrize("measure", ["euclidean", "manhattan"])
@pytest.mark.parametrize("scaling", ["none", "range"])
def test_the_distance_that_measures_the_lists_can_be_chosen(measure, scaling):
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 3)) + y[:, None]
    X[:, 1] *= 50
    rows = ExampleSet.from_numpy(X, np.array(["x", "y"])[y], names="abc")
    member = AttributeWeights("abc", [1.0, 0.5, 0.2])
    common = {"metric": measure, "metric_scaling": scaling, "number_of_neighbors": 3}
    found = aggregate_weights([member], rows, combination="CAA", **common, ctx=Context(seed=1))
    folds = partition(60, 10, Context(seed=1).rng("folds"), strata=y)
    Z = X / np.ptp(X, axis=0) if scaling == "range" else X
    learner = KNeighborsClassifier(3, metric=measure)
    predicted = cross_val_predict(learner, Z, y, cv=PredefinedSplit(folds))
    assert found["a"] == pytest.approx(np.mean(predicted == y))


def test_lists_of_a_rank_distance_can_have_weights(refused):
    lists = [AttributeWeights("abc", [3, 2, 1]), AttributeWeights("abc", [1, 2, 3])]
    for factors, best in (([5, 1], "a"), ([1, 5], "c")):
        found = aggregate_weights(lists, combination="GAA", list_weights=factors)
        assert found.top(1) == (best,)
    with refused("list_weights has 3 numbers, but there are 2 lists", error=ParameterError):
        aggregate_weights(lists, combination="GAA", list_weights=[1, 2, 3])
