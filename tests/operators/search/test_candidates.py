"""Every candidate is evaluated once, by the same folds, wherever the search comes across it."""

import numpy as np
import pytest

from fsops import Attribute, Criterion, ExampleSet, PerformanceVector, Process, run
from fsops.operators import (
    apply_model,
    cross_validation,
    naive_bayes,
    optimize_selection,
    optimize_selection_brute_force,
    optimize_selection_evolutionary,
    optimize_selection_floating,
    optimize_selection_forward,
    optimize_selection_hill_climbing,
    optimize_weights_evolutionary,
    performance,
    retrieve,
)

SEARCHES = [
    optimize_selection,
    optimize_selection_brute_force,
    optimize_selection_evolutionary,
    optimize_selection_floating,
    optimize_selection_forward,
    optimize_selection_hill_climbing,
]


def table(p=5, n=12):
    rng = np.random.default_rng(3)
    return ExampleSet.from_numpy(rng.normal(size=(n, p)), np.arange(n) % 2)


def measured(value, maximize=True):
    return PerformanceVector([Criterion("worth", (float(value),), maximize)])


class Recorder:
    """An inner process that remembers which attributes it was shown."""

    def __init__(self, worth):
        self.worth = worth
        self.shown = []

    def __call__(self, examples):
        self.shown.append(examples.schema.regular_names)
        return measured(self.worth(examples.schema.regular_names))


@pytest.mark.parametrize("search", SEARCHES, ids=lambda f: f.__name__)
def test_no_set_is_evaluated_twice_and_the_best_is_delivered(search):
    recorder = Recorder(lambda names: sum((int(n[3:]) * 7) % 5 for n in names) - len(names) ** 2)
    result = search(table(), recorder)
    assert len(recorder.shown) == len(set(recorder.shown))
    chosen = result.examples.schema.regular_names
    assert chosen in recorder.shown
    assert result.weights.selected() == chosen
    assert set(result.weights.values) <= {0.0, 1.0}
    assert result.performance.main.mean == recorder.worth(chosen)
    assert result.examples.label == table().label
    log = result.log
    assert log.column("evaluations")[-1] == len(recorder.shown)
    assert log.column("best").max() == result.performance.main.mean
    assert (np.diff(log.column("best")) >= 0).all()


def test_errors_are_made_small():
    def evaluation(examples):
        return measured(abs(len(examples.schema.regular) - 3), maximize=False)

    result = optimize_selection(table(), evaluation)
    assert len(result.examples.schema.regular) == 3
    assert result.log.column("best").tolist() == [2, 1, 0, 0]
    early = optimize_selection(table(), evaluation, max_fitness=1)
    assert early.log.column("performance").tolist() == [2, 1]


def test_of_equally_good_sets_the_smallest_and_first_wins():
    result = optimize_selection_brute_force(table(), lambda examples: measured(1))
    assert result.examples.schema.regular_names == ("att1",)


def test_an_undefined_performance_never_wins():
    def evaluation(examples):
        names = examples.schema.regular_names
        return measured(np.nan if "att1" in names else -len(names))

    assert optimize_selection(table(), evaluation).weights.selected() == ("att2",)


def test_what_passes_through_reaches_every_evaluation():
    other = table(2, 7)

    def evaluation(examples, through):
        assert through[0] is other
        return measured(len(through[0]))

    result = optimize_selection(table(), evaluation, [other])
    assert result.performance.main.mean == 7


def in_a_process(search, **parameters):
    """Return a search whose inner process is a shuffled cross-validation of naive Bayes."""
    process = Process("Search")
    wine = process.add(retrieve, repository_entry="wine")
    node = process.add(search, wine, **parameters)
    (inside,) = node.subprocesses
    validation = inside.add(cross_validation, number_of_folds=3)
    inside.connect(inside.source("examples"), validation, "examples")
    inside.result(validation["performance"], "performance")
    training, testing = validation.subprocesses
    bayes = training.add(naive_bayes)
    training.connect(training.source("training_set"), bayes, "examples")
    training.result(bayes["model"], "model")
    applied = testing.add(apply_model)
    testing.connect(testing.source("model"), applied, "model")
    testing.connect(testing.source("test_set"), applied, "examples")
    found = testing.add(performance)
    testing.connect(applied["examples"], found, "examples")
    testing.result(found["performance"], "performance")
    for port in ("performance", "log", "weights"):
        process.result(node[port])
    return process


def test_copies_of_an_attribute_are_worth_the_same_because_all_have_the_same_folds():
    """Random folds of its own for each candidate would tell the copies apart."""
    wine = retrieve(repository_entry="wine")
    name = wine.schema.regular_names[0]
    alone = wine.select_regular([name])
    copies = alone.with_columns([(Attribute(f"copy {i}"), wine.column(name)) for i in range(6)])
    process = in_a_process(
        optimize_selection_brute_force, use_k=True,
        k=1,
    )  # fmt: skip
    source, search = process
    process.remove(source.name)
    process.connect(process.source("input 1"), search, "examples")
    first, _, _ = run(process, alone)
    found, _, weights = run(process, copies)
    assert weights.selected() == (name,)  # nobody is better, and the first column wins
    assert found.equals(first)


def test_a_search_in_a_process_is_repeatable():
    one, two = (run(in_a_process(optimize_selection_forward, max_attributes=3))
                for _ in range(2))  # fmt: skip
    assert all(a.equals(b) for a, b in zip(one, two, strict=True))


def test_weights_are_a_candidate_too():
    seen = []

    def evaluation(examples):
        seen.append(examples.numeric().copy())
        return measured(-abs(np.abs(examples.numeric()).sum() - 10))

    data = table(3)
    result = optimize_weights_evolutionary(data, evaluation, max_generations=40)
    assert np.allclose(
        result.examples.numeric(),
        (data.numeric() * result.weights.values)[:, result.weights.values != 0],
    )
    assert result.performance.main.mean > -1
    assert not any(matrix.shape[1] == 0 for matrix in seen)
