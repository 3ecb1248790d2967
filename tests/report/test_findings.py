"""Results that a reader would take for more than they are say so themselves."""

import numpy as np
import pytest

from fsops.data import (
    AttributeWeights,
    Collection,
    ConfusionMatrix,
    Criterion,
    ExampleSet,
    PerformanceVector,
    StabilityResult,
)
from fsops.report.findings import findings
from fsops.report.summary import summarize


def messages(value, name="Result"):
    return [finding.message for finding in findings([(name, value)])]


def measured(counts, accuracy=None, classes=("no", "yes")):
    counts = np.array(counts)
    share = np.trace(counts) / counts.sum() if accuracy is None else accuracy
    return PerformanceVector(
        [Criterion("accuracy", (float(share),), percent=True)],
        confusion=ConfusionMatrix(classes, counts),
    )


def test_an_accuracy_that_the_largest_class_alone_gives():
    (text,) = messages(measured([[90, 0], [9, 1]]))
    assert text.startswith('The accuracy is 91.0%, but 90.0% of the rows are of the class "no"')
    assert "kappa" in text


@pytest.mark.parametrize("counts", [[[85, 5], [2, 8]], [[50, 0], [0, 50]]])
def test_an_accuracy_clearly_above_it_is_left_in_peace(counts):
    few_or_many = np.array(counts) * 10
    assert messages(measured(few_or_many)) == []


def test_the_same_share_counts_more_with_more_rows():
    counts = np.array([[68, 2], [24, 6]])  # 74 % of rows, 70 % of them "no"
    assert len(messages(measured(counts))) == 1
    assert messages(measured(counts * 100)) == []


def test_a_single_class_in_the_test_tells_nothing():
    assert messages(measured([[10, 2], [0, 0]])) == []


def random_selections(runs, p, k, seed=0):
    rng = np.random.default_rng(seed)
    chosen = np.zeros((runs, p), dtype=bool)
    for row in chosen:
        row[rng.choice(p, k, replace=False)] = True
    return chosen


def stable(chosen):
    names = [f"a{i}" for i in range(chosen.shape[1])]
    return StabilityResult(names, chosen.astype(float), chosen, {})


def test_selections_no_better_than_chance():
    (text,) = messages(stable(random_selections(10, 40, 10)))
    assert "Nogueira's stability is" in text
    assert "Read no meaning into which attributes were selected." in text


def test_selections_that_agree_are_left_in_peace():
    chosen = random_selections(10, 40, 10)
    chosen[:] = chosen[0]
    chosen[0] = np.roll(chosen[0], 1)
    assert messages(stable(chosen)) == []


@pytest.mark.parametrize("chosen", [np.ones((5, 4), bool), np.zeros((5, 4), bool)])
def test_who_selects_all_or_nothing_has_no_stability(chosen):
    assert messages(stable(chosen)) == []


def test_repetitions_in_a_collection_are_compared_and_methods_are_not():
    chosen = random_selections(8, 30, 5)
    names = [f"a{i}" for i in range(30)]
    same = Collection([AttributeWeights(names, row, origin="SAM") for row in chosen])
    others = Collection([AttributeWeights(names, r, origin=f"m{i}") for i, r in enumerate(chosen)])
    assert len(messages(same)) == 1
    assert messages(others) == []


def test_figures_of_a_stability_validation_are_read_and_told_once():
    chosen = random_selections(10, 40, 10)
    from fsops.algorithms.stability.similarity import nogueira

    found = nogueira(chosen)
    figures = PerformanceVector(
        [
            Criterion("nogueira", (found.value,)),
            Criterion("nogueira_lower", (found.lower,)),
            Criterion("nogueira_upper", (found.upper,)),
        ]
    )
    assert messages(figures) == messages(stable(chosen))
    both = findings([("performance", figures), ("stability", stable(chosen))])
    assert [finding.where for finding in both] == ["performance"]


def table(twins, rows=100):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 4))
    X[rows - twins :] = X[:twins]
    return summarize("Read", ExampleSet.from_numpy(X, np.arange(rows) % 2))


def test_rows_that_are_there_twice_matter_where_rows_are_kept_apart():
    (finding,) = findings([], [table(5)], validated=True)
    assert finding.message.startswith("10 of 100 rows equal another in all attributes.")
    assert findings([], [table(5)], validated=False) == []


def test_a_single_pair_of_twins_cannot_do_much():
    assert findings([], [table(1)], validated=True) == []


def test_scores_that_happen_to_be_zero_are_no_choice():
    rng = np.random.default_rng(0)
    common = np.arange(1.0, 31.0)
    parts = []
    for run in range(5):
        scores = common + 0.01 * rng.normal(size=30)
        scores[run] = 0.0
        parts.append(AttributeWeights([f"a{j}" for j in range(30)], scores, origin="Welch"))
    assert messages(Collection(parts)) == []
