"""The choice of a number of attributes."""

import numpy as np
import pytest

from fsops import Context, ExampleSet, Process, run
from fsops.errors import DataError
from fsops.operators import (
    apply_model,
    choose_number_of_features,
    compare_feature_selections,
    cross_validation,
    linear_regression,
    naive_bayes,
    performance,
    retrieve,
    weight_by_correlation,
    weight_by_fisher_score,
)


def table(n=80, p=20, informative=3, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X[:, :informative].sum(axis=1) + 0.3 * rng.normal(size=n) > 0
    return ExampleSet.from_numpy(X, np.where(y, "ill", "well"))


SETTINGS = {"sizes": "1-5, 10, 20", "number_of_folds": 5}


def test_as_many_as_matter_are_kept():
    found = choose_number_of_features(table(), weight_by_fisher_score, naive_bayes, **SETTINGS)
    assert found.curve.chosen == (3,)
    assert found.weights.selected() == ("att1", "att2", "att3")
    assert set(found.weights.values) == {0.0, 1.0}
    assert found.weights.details["score"] == pytest.approx(weight_by_fisher_score(table()).values)


def test_the_curve_is_that_of_a_comparison():
    ctx = {"ctx": Context(seed=3)}
    curve = choose_number_of_features(
        table(), weight_by_fisher_score, naive_bayes, **SETTINGS, **ctx
    ).curve
    compared = compare_feature_selections(
        table(), naive_bayes, [weight_by_fisher_score], method_names=["weighting"],
        **SETTINGS, **ctx,
    ).curves  # fmt: skip
    assert curve.equals(compared)


def test_one_standard_error_keeps_fewer_or_as_many():
    best, sparse = (
        choose_number_of_features(
            table(seed=10), weight_by_fisher_score, naive_bayes, choose=rule, **SETTINGS
        ).curve
        for rule in ("minimum", "one standard error")
    )
    assert np.array_equal(best.scores, sparse.scores)
    assert sparse.chosen[0] < best.chosen[0]
    at = list(best.sizes).index(best.chosen[0])
    limit = best.mean[0, at] + best.standard_error[0, at]
    assert best.mean[0, list(best.sizes).index(sparse.chosen[0])] <= limit


def test_the_model_is_learned_from_the_kept_attributes_of_all_rows():
    examples = table()
    found = choose_number_of_features(examples, weight_by_fisher_score, naive_bayes, **SETTINGS)
    expected = naive_bayes(examples.select_regular(["att1", "att2", "att3"]))
    assert found.model.attributes.names == ("att1", "att2", "att3")
    assert apply_model(found.model, examples).equals(apply_model(expected, examples))


def test_a_model_that_nobody_wants_is_not_learned(listening):
    found = choose_number_of_features(
        table(), weight_by_fisher_score, naive_bayes, ctx=listening(wanted={"weights"}), **SETTINGS
    )
    assert found.model is None


def test_every_row_of_noise_is_predicted_at_chance_by_the_whole_procedure():
    """The minimum of the curve is optimistic; the procedure inside a validation is not."""
    tables = [
        ExampleSet.from_numpy(np.random.default_rng(seed).normal(size=(40, 300)), np.arange(40) % 2)
        for seed in range(3)
    ]
    settings = {"sizes": [1, 3, 10, 30], "number_of_folds": 3}

    def train(rows):
        return choose_number_of_features(
            rows, weight_by_fisher_score, naive_bayes, **settings
        ).model

    def test(model, rows):
        return performance(apply_model(model, rows))

    optimistic = [
        choose_number_of_features(t, weight_by_fisher_score, naive_bayes, **settings).curve.mean
        for t in tables
    ]
    honest = [cross_validation(t, train, test, number_of_folds=4).performance for t in tables]
    # 120 coins have a standard deviation of 4.6 %.
    assert np.mean([h.main.mean for h in honest]) == pytest.approx(0.5, abs=0.14)
    assert np.mean([o.min() for o in optimistic]) < 0.5


def test_numbers_can_be_predicted_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    examples = ExampleSet.from_numpy(X, X[:, 4] - X[:, 6] + 0.05 * rng.normal(size=60))
    found = choose_number_of_features(
        examples, weight_by_correlation, linear_regression, sizes="1-8", number_of_folds=5,
        criterion="absolute_error", choose="one standard error",
    )  # fmt: skip
    assert found.weights.selected() == ("att5", "att7")


def test_all_numbers_are_looked_at_where_none_is_named():
    found = choose_number_of_features(
        table(40, 30), weight_by_fisher_score, naive_bayes, number_of_folds=2
    )
    assert found.curve.sizes.tolist() == [1, 2, 5, 10, 20, 30]


def test_a_weighting_that_fails_on_all_rows_is_told():
    def only_parts(examples):
        return examples.weights(np.full(20, 1.0 if len(examples) < 80 else np.nan))

    with pytest.raises(DataError, match="With all rows, no attribute has a weight above 0"):
        choose_number_of_features(table(), only_parts, naive_bayes, sizes=[20])


def test_it_runs_in_a_process_with_the_number_in_a_macro():
    process = Process()
    iris = process.add(retrieve, repository_entry="iris")
    choose = process.add(choose_number_of_features, iris, number_of_folds=3)
    weighting, learning = choose.subprocesses
    scores = weighting.add(weight_by_fisher_score, weighting.source("training_set"))
    weighting.result(scores["weights"], "weights")
    model = learning.add(naive_bayes, learning.source("training_set"))
    learning.result(model["model"], "model")
    process.result(choose["weights"])
    process.result(choose["curve"])
    weights, curve = run(process)
    assert len(weights.selected()) == curve.chosen[0]


def test_weights_below_0_are_never_kept(listening):
    def relief(examples):
        return examples.weights(np.where(np.arange(len(examples.schema.regular)) < 2, 0.3, -0.1))

    ctx = listening()
    found = choose_number_of_features(
        table(), relief, naive_bayes, sizes=[4], number_of_folds=3, ctx=ctx
    )
    assert found.weights.selected() == ("att1", "att2")
    assert ctx.warnings[0].startswith("The weighting gave only 2 attributes a weight above 0")
    assert "4 attributes are best, but on all rows only 2 have a weight above 0" in ctx.warnings[-1]
    whatever = choose_number_of_features(
        table(), relief, naive_bayes, sizes=[4], number_of_folds=3, use_absolute_weights=True
    )
    assert len(whatever.weights.selected()) == 4


def test_without_any_weight_above_0_the_sign_is_asked_about():
    with pytest.raises(DataError, match="gave no attribute a weight above 0") as refused:
        choose_number_of_features(
            table(), lambda e: e.weights(np.full(len(e.schema.regular), -1.0)), naive_bayes
        )
    assert "use_absolute_weights" in str(refused.value.hint)


@pytest.mark.parametrize("rule", ["best", "one_standard_error", "within_percent", "elbow",
                                  "stability_aware"])  # fmt: skip
def test_each_rule_chooses_the_size_that_its_curve_gives(rule):
    found = choose_number_of_features(
        table(60, 8), weight_by_fisher_score, naive_bayes, number_of_folds=3, choose=rule,
        percent=10.0,
    )  # fmt: skip
    assert found.curve.chosen == found.curve.choose(rule, 10.0)
    assert len(found.weights.selected()) <= found.curve.chosen[0]


@pytest.mark.parametrize(("former", "present"), [("minimum", "best"),
                                                 ("one standard error", "one_standard_error")])  # fmt: skip
def test_former_names_of_the_rules_still_work(former, present):
    data = table(60, 8)
    one, two = (
        choose_number_of_features(data, weight_by_fisher_score, naive_bayes, choose=rule)
        for rule in (former, present)
    )
    assert one.weights.equals(two.weights)
