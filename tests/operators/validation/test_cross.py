"""Cross-validation: how rows are dealt, what is seen, and what comes out."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB

from fsops import Attribute, AttributeWeights, Context, ExampleSet
from fsops.errors import DataError, ParameterError, PortError
from fsops.operators import (
    apply_model,
    cross_validation,
    naive_bayes,
    performance,
    retrieve,
    select_by_weights,
    select_top_k,
    weight_by_f_test,
    weight_by_sam,
)
from fsops.operators.validation.trials import Trained


class Recorder:
    """Two inner processes that remember which rows they have seen."""

    def __init__(self, examples, deliver=None):
        rows = np.arange(float(len(examples)))
        self.examples = examples.with_columns([(Attribute("row", role="id"), rows)])
        self.trained, self.tested = [], []
        self.deliver = deliver

    def training(self, examples):
        self.trained.append(examples.column("row").astype(int).tolist())
        model = naive_bayes(examples)
        if self.deliver is None:
            return model
        return Trained(model, self.deliver(len(self.trained) - 1))

    def testing(self, model, examples):
        self.tested.append(examples.column("row").astype(int).tolist())
        return performance(apply_model(model, examples))

    def run(self, **parameters):
        return cross_validation(self.examples, self.training, self.testing, **parameters)

    @property
    def folds(self):
        """Fold of each row."""
        fold = np.empty(len(self.examples), dtype=int)
        for number, rows in enumerate(self.tested):
            fold[rows] = number
        return fold


def labelled(n, classes=2, seed=1):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % classes
    return ExampleSet.from_numpy(rng.normal(size=(n, 3)) + codes[:, None], codes)


@pytest.fixture
def wanted_performance(listening):
    """Return a context that wants no model, so that the training is run for folds only."""
    return listening(wanted={"performance"})


# --- rows -----------------------------------------------------------------------------------


@given(
    st.integers(10, 40),
    st.integers(2, 8),
    st.sampled_from(["automatic", "stratified sampling", "shuffled sampling", "linear sampling"]),
)
@settings(deadline=None, max_examples=25)
def test_every_row_is_tested_once_and_never_trained_in_its_own_fold(n, folds, sampling):
    recorder = Recorder(labelled(n))
    recorder.run(number_of_folds=folds, sampling=sampling)
    assert sorted(row for rows in recorder.tested for row in rows) == list(range(n))
    assert len(recorder.tested) == folds
    for train, test in zip(recorder.trained[:folds], recorder.tested, strict=True):
        assert set(train).isdisjoint(test)
        assert sorted(train + test) == list(range(n))
    sizes = [len(rows) for rows in recorder.tested]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("sampling", ["automatic", "stratified sampling"])
def test_stratified_folds_have_equal_shares_of_each_class(sampling):
    codes = np.repeat([0, 1, 2], [50, 30, 17])
    X = np.random.default_rng(1).normal(size=(97, 2)) + codes[:, None]
    recorder = Recorder(ExampleSet.from_numpy(X, codes))
    recorder.run(number_of_folds=7, sampling=sampling)
    counts = np.array([np.bincount(codes[rows], minlength=3) for rows in recorder.tested])
    assert (np.ptp(counts, axis=0) <= 1).all()


def test_linear_folds_are_blocks_of_neighbours():
    recorder = Recorder(labelled(11))
    recorder.run(number_of_folds=3, sampling="linear sampling")
    assert recorder.tested == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10]]


def test_leaving_one_out_makes_every_row_a_fold():
    recorder = Recorder(labelled(9))
    result = recorder.run(leave_one_out=True, number_of_folds=3)
    assert recorder.tested == [[row] for row in range(9)]
    assert result.performance.main.count == 9


def test_the_same_seed_gives_the_same_folds_and_another_seed_others(listening):
    folds = []
    for seed in (1, 1, 2):
        recorder = Recorder(labelled(30))
        recorder.run(number_of_folds=5, ctx=listening(seed))
        folds.append(recorder.tested)
    assert folds[0] == folds[1]
    assert folds[0] != folds[2]


def test_shuffled_folds_are_not_in_the_order_of_the_data():
    recorder = Recorder(labelled(30))
    recorder.run(number_of_folds=3, sampling="shuffled sampling")
    assert recorder.tested != [list(range(i, i + 10)) for i in (0, 10, 20)]


def test_a_numerical_label_is_shuffled():
    X = np.random.default_rng(1).normal(size=(20, 2))
    examples = ExampleSet.from_numpy(X, X[:, 0])
    seen = []

    def training(examples):
        seen.append(len(examples))
        return naive_bayes(labelled(10))

    def testing(model, examples):
        return performance(apply_model(model, labelled(4)))

    cross_validation(examples, training, testing, number_of_folds=4)
    assert seen[:4] == [15] * 4


# --- results --------------------------------------------------------------------------------


def test_the_figures_are_those_of_scikit_learn_on_the_same_folds(wanted_performance):
    wine = retrieve(repository_entry="wine")
    recorder = Recorder(wine)
    result = recorder.run(number_of_folds=10, ctx=wanted_performance)
    scores = cross_val_score(
        GaussianNB(var_smoothing=0),
        wine.numeric(),
        wine.label_values(),
        cv=PredefinedSplit(recorder.folds),
    )
    accuracy = result.performance["accuracy"]
    assert accuracy.values == pytest.approx(scores)
    assert accuracy.mean == pytest.approx(scores.mean())
    assert accuracy.deviation == pytest.approx(scores.std(ddof=1))
    assert result.performance.confusion.counts.sum() == len(wine)


def test_weights_are_averaged_over_the_folds(wanted_performance):
    def deliver(fold):
        return AttributeWeights(["a", "b"], [fold, 1.0], origin="Mine")

    recorder = Recorder(labelled(12), deliver)
    result = recorder.run(number_of_folds=4, ctx=wanted_performance)
    assert dict(result.weights) == {"a": 1.5, "b": 1.0}
    assert result.weights.details["deviation"] == pytest.approx([np.std(range(4), ddof=1), 0])
    assert result.weights.origin == "Mine"


def test_an_attribute_that_a_fold_does_not_mention_counts_as_0_there():
    parts = [AttributeWeights(["a"], [2.0]), AttributeWeights(["b", "a"], [3.0, 4.0])]
    assert dict(AttributeWeights.average(parts)) == {"a": 3.0, "b": 1.5}


def test_infinite_weights_stay_infinite_without_a_complaint():
    parts = [AttributeWeights(["a", "b"], [np.inf, 1.0])] * 2
    mean = AttributeWeights.average(parts)
    assert mean.values.tolist() == [np.inf, 1.0]
    assert mean.details["deviation"][1] == 0.0


def test_the_model_is_trained_on_all_rows_and_only_if_wanted(listening):
    recorder = Recorder(labelled(12))
    result = recorder.run(number_of_folds=3)
    assert len(recorder.trained) == 4
    assert recorder.trained[-1] == list(range(12))
    expected = apply_model(naive_bayes(recorder.examples), recorder.examples)
    assert apply_model(result.model, recorder.examples).equals(expected)
    recorder = Recorder(labelled(12))
    result = recorder.run(number_of_folds=3, ctx=listening(wanted={"performance", "weights"}))
    assert result.model is None
    assert len(recorder.trained) == 3


def test_without_weights_there_are_none():
    assert Recorder(labelled(12)).run(number_of_folds=3).weights is None


def test_a_selection_inside_does_not_see_the_test_rows():
    """Selecting on all rows finds structure in noise; selecting inside does not."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(40, 1000)), np.arange(40) % 2
    noise = ExampleSet.from_numpy(X, y)

    def testing(model, examples):
        return performance(apply_model(model, examples))

    def select_and_learn(examples):
        weights = select_top_k(weight_by_sam(examples), k=10)
        return Trained(naive_bayes(select_by_weights(examples, weights)), weights)

    honest = cross_validation(noise, select_and_learn, testing).performance.main.mean
    chosen = select_by_weights(noise, select_top_k(weight_by_sam(noise), k=10))
    biased = cross_validation(chosen, naive_bayes, testing).performance.main.mean
    assert honest < 0.7
    assert biased > 0.85


def test_a_class_that_a_training_part_lacks_is_no_error(listening):
    ctx = listening()
    codes = np.repeat([0, 1, 2], [10, 10, 1])
    X = np.random.default_rng(1).normal(size=(21, 2)) + codes[:, None]
    recorder = Recorder(ExampleSet.from_numpy(X, codes))
    result = recorder.run(number_of_folds=5, ctx=ctx)
    assert ctx.warnings == ["The smallest class has 1 row: some of the 5 folds lack it."]
    assert result.performance.confusion.classes == ("0", "1", "2")
    assert result.performance.confusion.counts.sum() == 21


# --- refusals -------------------------------------------------------------------------------


def test_more_folds_than_rows_are_refused(refused):
    with refused("10 folds need at least 10 rows", "there are 6", "at most 6"):
        Recorder(labelled(6)).run()


def test_a_single_row_is_refused(refused):
    with refused("at least two rows"):
        Recorder(labelled(1)).run(number_of_folds=2)
    with refused("at least two rows"):
        Recorder(labelled(1)).run(leave_one_out=True)


def test_numbers_cannot_be_stratified(refused):
    examples = ExampleSet.from_numpy(np.zeros((20, 1)), np.arange(20.0))
    with refused('"label"', "Stratified", "numerical", "shuffled sampling"):
        cross_validation(examples, naive_bayes, performance, sampling="stratified sampling")


def test_data_without_a_label_is_refused(refused):
    with refused("no label", "role label"):
        Recorder(labelled(20).drop(["label"])).run()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"number_of_folds": 1}, ["number_of_folds is 1", "at least 2"]),
        ({"sampling": "stratified"}, ["sampling is", "stratified sampling"]),
    ],
)
def test_wrong_parameters_are_told(parameters, words, refused):
    with refused(*words, error=ParameterError):
        Recorder(labelled(20)).run(**parameters)


def test_an_inner_process_is_needed(refused):
    with refused('"testing"', "inner process or a function", error=PortError):
        cross_validation(labelled(20), naive_bayes, None)


def test_an_error_of_the_inner_process_comes_through():
    def training(examples):
        raise DataError("The training has failed.", hint="Mend it.")

    with pytest.raises(DataError, match="The training has failed. Mend it."):
        cross_validation(labelled(20), training, performance)


def test_a_seed_of_its_own_gives_the_same_folds_wherever_the_operator_stands(two_classes):
    seen = []

    def note(table):
        seen.append(table.fingerprint())
        return naive_bayes(table)

    def test(model, table):
        return performance(apply_model(model, table))

    def trained_on(place, **parameters):
        seen.clear()
        context = Context(5, (place,))
        cross_validation(two_classes, note, test, number_of_folds=3, ctx=context, **parameters)
        return tuple(seen)

    assert trained_on("A") != trained_on("B")
    own = {"use_local_random_seed": True, "local_random_seed": 7}
    assert trained_on("A", **own) == trained_on("B", **own)
    assert trained_on("A", **own) != trained_on("A", use_local_random_seed=True)


# --- memory -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_filter_in_ten_folds_needs_less_memory_than_a_copy_of_each_training_set():
    X = np.random.default_rng(0).normal(size=(100, 200_000))
    table = ExampleSet.from_numpy(X, np.array(["no", "yes"])[np.arange(100) % 2])

    def training(examples):
        weights = weight_by_f_test(examples)
        return naive_bayes(select_by_weights(examples, weights, weight_relation="top k", k=50))

    def validated(examples):
        return cross_validation(
            examples, training=training, testing=lambda m, t, _: performance(apply_model(m, t))
        )

    validated(table.select_regular(table.names[:100]))  # loads modules
    tracemalloc.start()
    try:
        validated(table)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.2 * X.nbytes  # 0.3 tables, and one training set
