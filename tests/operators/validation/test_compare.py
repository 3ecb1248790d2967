"""Several selections under one validation, against a naive computation."""

import numpy as np
import pytest
from scipy import stats

from fsops import AttributeWeights, Context, ExampleSet, Process, run
from fsops.algorithms.stability import similarity as stability
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    compare_feature_selections,
    default_model,
    friedman_test,
    k_nn,
    linear_regression,
    mcnemar_test,
    naive_bayes,
    retrieve,
    select_subprocess,
    weight_by_correlation,
    weight_by_fisher_score,
    weight_by_relief,
    weight_by_relieff,
)
from fsops.operators.validation.size_settings import drawn_splits

SPLITTING = {
    "validation": "cross-validation",
    "number_of_folds": 5,
    "repetitions": 2,
    "number_of_splits": 20,
    "split_on_batch_attribute": False,
    "training_fraction": 0.9,
    "sampling": "automatic",
}


def table(n=60, p=12, seed=0, classes="ab"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    score = X[:, 0] + X[:, 3] + 0.7 * rng.normal(size=n)
    cuts = np.quantile(score, np.arange(1, len(classes)) / len(classes))
    return ExampleSet.from_numpy(X, np.array(list(classes))[np.searchsorted(cuts, score)])


def by_t(examples):
    """Return the absolute t statistic, from scipy."""
    X, y = examples.numeric(), examples.label_values()
    t = stats.ttest_ind(X[y == 1], X[y == 0]).statistic
    return examples.weights(np.abs(t))


def backwards(examples):
    """Return a poor method: the last attributes first, whatever the rows."""
    return examples.weights(np.arange(1.0, 1 + len(examples.schema.regular)))


def one_nn(examples):
    return k_nn(examples, number_of_neighbors=1)


@pytest.fixture(scope="module")
def judged():
    examples, ctx = table(), Context(seed=5)
    found = compare_feature_selections(
        examples, one_nn, [by_t, backwards], sizes="1-3, 12", ctx=ctx, number_of_folds=5,
        repetitions=2,
    )  # fmt: skip
    return examples, drawn_splits(examples, SPLITTING, Context(seed=5)), found


def naive(examples, splits, weigh, size):
    """Return for each split the chosen columns and what is predicted rightly."""
    X, y = examples.numeric(), examples.label_values()
    for train, test in splits:
        weights = weigh(examples.take(train)).values
        columns = sorted(range(X.shape[1]), key=lambda j: (-weights[j], j))[:size]
        Z = X[:, columns]
        apart = ((Z[test][:, None] - Z[train][None]) ** 2).sum(axis=2)
        yield columns, y[train][apart.argmin(axis=1)] == y[test]


def test_every_figure_is_that_of_a_naive_loop(judged):
    examples, splits, found = judged
    for m, weigh in enumerate((by_t, backwards)):
        for s, size in enumerate((1, 2, 3, 12)):
            columns, right = zip(*naive(examples, splits, weigh, size), strict=True)
            errors = [1 - r.mean() for r in right]
            assert found.curves.scores[m, s] == pytest.approx(errors)
            row = found.table.take([4 * m + s])
            assert row.column("classification_error")[0] == pytest.approx(np.mean(errors))
            assert row.column("deviation")[0] == pytest.approx(np.std(errors, ddof=1))
            assert row.column("pooled")[0] == pytest.approx(1 - np.concatenate(right).mean())
            masks = np.array([np.isin(np.arange(12), c) for c in columns])
            pairs = stability.kuncheva(masks)
            kuncheva, nogueira = row.column("kuncheva")[0], row.column("nogueira")[0]
            assert kuncheva == pytest.approx(pairs.mean(), nan_ok=True)
            assert nogueira == pytest.approx(kuncheva, nan_ok=True)
            assert row.column("used")[0] == size


def test_the_chosen_number_is_in_curves_and_table(judged):
    _, _, found = judged
    assert found.curves.chosen == found.curves.choose("best")
    chosen = found.table.nominal_values("chosen")
    sizes = found.table.column("attributes")[[c == "yes" for c in chosen]]
    assert tuple(sizes.astype(int)) == found.curves.chosen
    assert found.curves.seconds.shape == (2, 10)
    assert found.curves.learning_seconds.shape == (2, 4)


def test_blocks_of_friedman_are_the_numbers_of_attributes(judged):
    _, _, found = judged
    blocks = ExampleSet.from_numpy(np.round(found.curves.mean.T, 12), names=["by_t", "backwards"])
    expected = friedman_test(blocks, larger_is_better=False)
    assert found.comparison.equals(expected.pairs)
    assert found.friedman.equals(expected.test)
    agreement = found.curves.stability[:, :3].T  # all attributes have none
    by_stability = friedman_test(ExampleSet.from_numpy(agreement, names=["by_t", "backwards"]))
    assert found.stability_comparison.equals(by_stability.pairs)


def test_mcnemar_takes_each_row_once_from_the_first_repetition(judged, of_classes):
    examples, splits, found = judged
    names = np.array(examples.classes)
    tables = []
    for weigh in (by_t, backwards):
        guess = np.empty(60, dtype=np.intp)
        for (_, right), (_, test) in zip(
            naive(examples, splits[:5], weigh, 2), splits[:5], strict=True
        ):
            truth = examples.label_values()[test]
            guess[test] = np.where(right, truth, 1 - truth)
        tables.append(of_classes(names[examples.label_values()], names[guess]))
    expected = mcnemar_test(*tables)
    row = found.mcnemar.take([1])
    assert row.column("attributes")[0] == 2
    for name in ("only first right", "only second right", "p-value"):
        assert row.column(name)[0] == expected.column(name)[0]
    p = found.mcnemar.column("p-value")
    holm = np.minimum(np.maximum.accumulate(np.sort(p) * np.arange(len(p), 0, -1)), 1)
    assert np.sort(found.mcnemar.column("adjusted p-value")) == pytest.approx(holm)


def test_a_good_method_beats_a_poor_one(judged):
    _, _, found = judged
    assert (found.curves.mean[0, :3] < found.curves.mean[1, :3]).all()
    assert found.comparison.column("rank difference")[0] < 0
    assert found.curves.mean[0, 3] == found.curves.mean[1, 3]  # all attributes are all attributes


def test_selection_inside_the_splits_does_not_find_anything_in_noise():
    """The figures of the leak control: 0.56 inside, with a deviation of 0.05, and 0.93 outside."""
    labels = ["tumour"] * 40 + ["normal"] * 22
    accuracies = [
        compare_feature_selections(
            ExampleSet.from_numpy(np.random.default_rng(seed).normal(size=(62, 2000)), labels),
            naive_bayes, [weight_by_fisher_score], sizes=[20], criterion="accuracy",
        ).table.column("pooled")[0]
        for seed in range(3)
    ]  # fmt: skip
    assert np.mean(accuracies) == pytest.approx(0.56, abs=0.1)
    assert max(accuracies) < 0.75


def test_classes_of_different_size_and_more_than_two():
    found = compare_feature_selections(
        table(90, classes="abc"), naive_bayes, [weight_by_fisher_score],
        criterion="balanced_error_rate", number_of_folds=3, sizes=[1, 2],
    )  # fmt: skip
    assert found.curves.criterion == "balanced_error_rate"
    assert (found.curves.mean < 2 / 3).all()
    assert found.comparison is None
    assert found.friedman is None
    assert found.mcnemar is None


def test_numbers_are_judged_by_their_errors():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6))
    examples = ExampleSet.from_numpy(X, 3 * X[:, 2] + 0.1 * rng.normal(size=50))
    found = compare_feature_selections(
        examples, linear_regression, [weight_by_correlation, backwards],
        validation="random splits", number_of_splits=4, training_fraction=0.8, sizes=[1, 6],
    )  # fmt: skip
    assert found.curves.criterion == "root_mean_squared_error"
    assert found.curves.mean[0, 0] < 0.2 < found.curves.mean[1, 0]
    squares = found.curves.scores[0, 0] ** 2
    assert found.table.column("pooled")[0] == pytest.approx(np.sqrt(squares.mean()))
    assert found.mcnemar is None
    assert found.comparison is not None


def test_confidences_of_different_models_are_not_pooled():
    found = compare_feature_selections(
        table(), naive_bayes, [by_t], criterion="AUC", number_of_folds=3, sizes=[2]
    )
    assert found.curves.maximize
    assert found.curves.mean[0, 0] > 0.7
    assert np.isnan(found.table.column("pooled")[0])


def test_methods_see_their_numbers_and_the_sizes():
    process = Process()
    iris = process.add(retrieve, repository_entry="iris")
    compare = process.add(compare_feature_selections, iris, sizes="1, 2", number_of_folds=2)
    learning, first, second = compare.subprocesses[0], compare.subprocesses[1], compare.add_inner()
    rows = learning.source("training_set")
    which = learning.add(select_subprocess, rows, select_which="%{method}")
    learners = [(k_nn, {"number_of_neighbors": "%{attributes}"}), (default_model, {})]
    for number, (learner, parameters) in enumerate(learners):
        inner = (
            which.subprocesses[number] if number < len(which.subprocesses) else which.add_inner()
        )
        node = inner.add(learner, inner.source("input 1"), **parameters)
        inner.result(node["model"], "output 1")
    learning.result(which["output 1"], "model")
    for inner, weigh, name in (
        (first, weight_by_fisher_score, "F"),
        (second, weight_by_relieff, "R"),
    ):
        node = inner.add(weigh, inner.source("training_set"), name=name)
        inner.result(node["weights"], "weights")
    process.result(compare["curves"])
    curves = run(process)[0]
    assert curves.methods == ("F", "R")
    assert (curves.mean[0] < 0.1).all()
    assert curves.mean[1] == pytest.approx([2 / 3, 2 / 3])  # the class of most rows


# --- odd methods and tables -----------------------------------------------------------------


def test_fewer_attributes_than_asked_for_are_judged_by_those(listening):
    def two(examples):
        return AttributeWeights(examples.schema.regular_names[:3], [2.0, np.nan, 1.0])

    ctx = listening()
    found = compare_feature_selections(
        table(), naive_bayes, [two, by_t], sizes=[1, 2, 5], number_of_folds=3, ctx=ctx
    )
    assert found.curves.mean[0, 1] == found.curves.mean[0, 2]
    assert found.table.column("used")[:3].tolist() == [1, 2, 2]
    assert found.curves.stability[0].tolist() == [1, 1, 1]
    assert ctx.warnings == [
        '"two" gave only 2 attributes a weight above 0 on a split: there, larger numbers of '
        "attributes are judged by these."
    ]


def test_sets_of_different_sizes_have_no_kuncheva_index(listening):
    def some(examples):
        kept = 2 + int(table().numeric()[0, 0] in examples.numeric()[:, 0])
        return examples.weights(np.arange(12, 0, -1) * (np.arange(12) < kept))

    found = compare_feature_selections(
        table(), naive_bayes, [some], sizes=[2, 5], number_of_folds=3, ctx=listening()
    )
    assert found.table.column("kuncheva")[0] == 1
    assert np.isnan(found.table.column("kuncheva")[1])
    assert 0 < found.table.column("nogueira")[1] < 1
    assert found.curves.stability_measure == "nogueira"


def test_a_method_that_gives_nothing_at_times_is_left_out_there(listening):
    first = table().numeric()[0, 0]

    def moody(examples):
        return examples.weights(np.full(12, np.nan if first in examples.numeric()[:, 0] else 1.0))

    ctx = listening()
    found = compare_feature_selections(
        table(), naive_bayes, [moody, by_t], sizes=[1, 2], number_of_folds=4, ctx=ctx
    )
    assert np.isnan(found.curves.scores[0]).sum() == 3 * 2
    assert not np.isnan(found.curves.mean).any()
    assert "on 3 of 4 splits: they are left out." in ctx.warnings[0]
    assert "gives all attributes that it selects the same weight" in ctx.warnings[1]


def test_a_method_that_never_gives_anything_is_refused():
    def nothing(examples):
        return examples.weights(np.zeros(12))

    with pytest.raises(DataError, match='"nothing" gave no attribute a weight above 0 on any'):
        compare_feature_selections(table(), naive_bayes, [nothing], sizes=[1])


@pytest.mark.parametrize("fails", ["by weights of 0", "by an error"])
def test_a_method_that_fails_is_left_out_with_its_reason_and_the_others_follow(fails, listening):
    def failing(examples):
        if fails == "by an error":
            raise DataError("It needs dates.", hint="Add some.")
        return examples.weights(np.zeros(12))

    ctx = listening()
    found = compare_feature_selections(
        table(), naive_bayes, [failing, by_t], sizes=[1, 3], number_of_folds=3, ctx=ctx
    )
    alone = compare_feature_selections(
        table(), naive_bayes, [by_t], sizes=[1, 3], number_of_folds=3, ctx=listening()
    )
    assert found.curves.methods == ("by_t",)
    assert found.curves.equals(alone.curves)
    assert set(found.table.schema.attribute("method").categories) == {"by_t"}
    reason = "It needs dates." if fails == "by an error" else "gave no attribute a weight above 0"
    assert ctx.warnings[0].startswith('"failing" was left out: ')
    assert reason in ctx.warnings[0]
    assert ctx.warnings[0].endswith("The other methods follow.")
    with pytest.raises(DataError, match=reason):
        compare_feature_selections(table(), naive_bayes, [failing, failing], sizes=[1])


def test_constant_columns_and_a_fold_of_one_class_are_no_obstacle(listening):
    X = np.column_stack([np.ones(12), np.r_[0:6, 20:26]])
    examples = ExampleSet.from_numpy(X, ["a"] * 6 + ["b"] * 6)
    found = compare_feature_selections(
        examples, naive_bayes, [weight_by_fisher_score], sizes=[1, 2], number_of_folds=12,
        criterion="balanced_error_rate", ctx=listening(),
    )  # fmt: skip
    assert found.curves.mean[0].tolist() == [0, 0]


def test_infinite_weights_come_first():
    def sure(examples):
        return examples.weights([1.0, 2.0, np.inf, *range(3, 12)])

    found = compare_feature_selections(
        table(), naive_bayes, [sure], sizes=[1], number_of_folds=2, method_names=["sure"]
    )
    other = compare_feature_selections(
        table(), naive_bayes, [lambda e: e.weights(np.arange(12) == 2)], sizes=[1],
        number_of_folds=2, method_names=["sure"],
    )  # fmt: skip
    assert found.curves.scores.tolist() == other.curves.scores.tolist()


def test_the_size_of_a_weight_can_count(listening):
    def negative(examples):
        return examples.weights(-by_t(examples).values)

    settings = {"sizes": [1, 3], "number_of_folds": 3, "method_names": ["t"]}
    plain = compare_feature_selections(table(), naive_bayes, [by_t], **settings)
    absolute = compare_feature_selections(
        table(), naive_bayes, [negative], use_absolute_weights=True, **settings
    )
    assert plain.curves.equals(absolute.curves)


def test_weights_below_0_are_never_selected(listening):
    def relief(examples):
        return examples.weights(np.where(np.arange(12) == 4, 0.3, -0.1))

    ctx = listening()
    found = compare_feature_selections(
        table(), naive_bayes, [relief], sizes=[1, 3], number_of_folds=3, ctx=ctx
    )
    assert found.table.column("used").tolist() == [1, 1]
    assert ctx.warnings == [
        '"relief" gave only 1 attribute a weight above 0 on a split: there, larger numbers of '
        "attributes are judged by this."
    ]
    with pytest.raises(DataError, match="gave no attribute a weight above 0") as refused:
        compare_feature_selections(
            table(), naive_bayes, [lambda e: e.weights(np.full(12, -1.0))], sizes=[1]
        )
    assert "use_absolute_weights" in str(refused.value.hint)


def test_names_are_unlike_and_as_many_as_methods():
    settings = {"sizes": [1], "number_of_folds": 2}
    found = compare_feature_selections(
        table(),
        naive_bayes,
        [weight_by_relief, lambda e: e.weights(range(12)), weight_by_relief],
        **settings,
    )
    assert found.curves.methods == ("Weight by Relief", "method 2", "Weight by Relief (3)")
    with pytest.raises(ParameterError, match="has 1 names, but there are 2 selections"):
        compare_feature_selections(
            table(), naive_bayes, [by_t, by_t], method_names=["a"], **settings
        )
    with pytest.raises(ParameterError, match='method_names has "a" more than once'):
        compare_feature_selections(
            table(), naive_bayes, [by_t, by_t], method_names=["a", "a"], **settings
        )
    with pytest.raises(DataError, match="no selections to compare"):
        compare_feature_selections(table(), naive_bayes, [], **settings)
