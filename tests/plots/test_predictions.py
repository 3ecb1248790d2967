"""Confusion matrices and ROC curves."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.metrics import roc_auc_score

from fsops.data import ConfusionMatrix, ExampleSet
from fsops.data.model import prediction_attributes
from fsops.plots import confusion, roc
from fsops.plots.predictions import area, rates


def predicted(labels, confidences):
    table = ExampleSet.from_numpy(np.zeros((len(labels), 1)), np.array(labels, dtype=object))
    prediction, *others = prediction_attributes(table.label)
    confidences = np.array(confidences, dtype=float)
    guess = confidences.argmax(axis=1).astype(np.int32)
    columns = [(prediction, guess), *zip(others, confidences.T, strict=True)]
    return table.with_columns(columns)


def test_colours_are_shares_of_the_true_class_and_texts_are_counts(ax, tick_texts):
    confusion(ConfusionMatrix(("no", "yes"), np.array([[6, 2], [0, 0]])), ax)
    assert ax.images[0].get_array().tolist() == [[0.75, 0.25], [0, 0]]
    assert [text.get_text() for text in ax.texts] == ["6", "2", "0", "0"]
    assert tick_texts(ax.yaxis) == tick_texts(ax.xaxis) == ["no", "yes"]
    assert ax.get_title(loc="left") == "75.0% of 8 rows right"


def test_a_table_of_predictions_is_counted(ax):
    rows = [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]]
    confusion(predicted(["p", "p", "q"], rows), ax)
    assert [text.get_text() for text in ax.texts] == ["1", "1", "0", "1"]


def test_two_classes_have_one_curve(ax):
    rng = np.random.default_rng(0)
    labels = rng.choice(["no", "yes"], 80)
    scores = rng.integers(5, size=80) / 5 + (labels == "yes") * 0.2  # many ties
    roc(predicted(labels, np.column_stack([1 - scores, scores])), ax)
    (text,) = (text.get_text() for text in ax.get_legend().get_texts())
    assert text == f"yes: AUC {roc_auc_score(labels == 'yes', scores):.3f}"


def test_more_classes_have_a_curve_each(ax):
    roc(predicted(["a", "b", "c", "a"], np.eye(3)[[0, 1, 2, 1]]), ax)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["a: AUC 0.750", "b: AUC 0.833", "c: AUC 1.000"]


def test_of_many_classes_best_worst_and_mean_are_named(ax):
    names = [f"class {number:02d}" for number in range(20)]
    confidences = np.eye(20)[np.arange(40) % 20]
    confidences[0, 0] = 0.0  # one row of the first class is lost
    roc(predicted(names * 2, confidences), ax)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[0] == "worst, class 00: AUC 0.750"
    assert texts[1].startswith("best, class 01: AUC 1.000")
    assert texts[2] == "mean of 20: AUC 0.988"


@pytest.mark.parametrize("labels", [["a", "a"], ["a", None]])
def test_a_single_class_has_no_curve(ax, labels):
    roc(predicted(labels, [[1.0], [1.0]]), ax)
    assert "no class" in ax.texts[0].get_text()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=2))
def test_the_area_is_the_chance_that_a_positive_row_is_ahead(pairs):
    positive = np.array([yes for yes, _ in pairs])
    scores = np.array([float(score) for _, score in pairs])
    if positive.all() or not positive.any():
        return
    ahead = scores[positive][:, None] - scores[~positive][None, :]
    expected = ((ahead > 0) + 0.5 * (ahead == 0)).mean()
    assert area(*rates(positive, scores)) == pytest.approx(expected)
