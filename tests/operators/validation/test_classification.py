"""How good predicted classes are, against scikit-learn."""

from typing import get_args

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from fsops import ExampleSet
from fsops.errors import ParameterError
from fsops.operators import (
    logistic_regression,
    performance_binominal_classification,
    performance_classification,
    performance_costs,
    retrieve,
)
from fsops.operators.validation.classification import (
    CLASS_MEASURES,
    TWO_CLASS_MEASURES,
    ClassCriterion,
    TwoClassCriterion,
)

EVERYTHING = list(get_args(ClassCriterion))
EVERYTHING_OF_TWO = list(get_args(TwoClassCriterion))


def values(found):
    return {criterion.name: criterion.mean for criterion in found}


def test_every_criterion_that_can_be_named_is_measured():
    assert set(EVERYTHING) == set(CLASS_MEASURES)
    assert set(EVERYTHING_OF_TWO) == set(TWO_CLASS_MEASURES)


def test_criteria_of_several_classes(of_classes):
    rng = np.random.default_rng(4)
    true = np.array(list("abc"))[rng.choice(3, 60, p=[0.6, 0.3, 0.1])]
    guess = np.where(rng.random(60) < 0.6, true, np.array(list("abc"))[rng.integers(0, 3, 60)])
    found = performance_classification(of_classes(true, guess), criteria=EVERYTHING)
    assert values(found) == pytest.approx({
        "accuracy": metrics.accuracy_score(true, guess),
        "classification_error": 1 - metrics.accuracy_score(true, guess),
        "kappa": metrics.cohen_kappa_score(true, guess),
        "balanced_classification_rate": metrics.balanced_accuracy_score(true, guess),
        "balanced_error_rate": 1 - metrics.balanced_accuracy_score(true, guess),
        "weighted_mean_recall": metrics.recall_score(true, guess, average="macro"),
        "weighted_mean_precision": metrics.precision_score(true, guess, average="macro"),
        "macro_f_measure": metrics.f1_score(true, guess, average="macro"),
        "micro_f_measure": metrics.f1_score(true, guess, average="micro"),
        "matthews_correlation": metrics.matthews_corrcoef(true, guess),
    })  # fmt: skip
    expected = metrics.confusion_matrix(true, guess, labels=list("abc"))
    assert np.array_equal(found.confusion.counts, expected)
    assert not found["classification_error"].maximize


def test_the_main_criterion_comes_first_and_is_measured_in_any_case(of_classes):
    table = of_classes("aabb", "abab")
    found = performance_classification(table, criteria=["accuracy"], main_criterion="kappa")
    assert [criterion.name for criterion in found] == ["kappa", "accuracy"]
    found = performance_classification(
        table, criteria=["accuracy", "kappa"], main_criterion="kappa"
    )
    assert [criterion.name for criterion in found] == ["kappa", "accuracy"]


def test_classes_have_weights(of_classes, refused):
    table = of_classes("aaabb", "aabbb")
    found = performance_classification(
        table, criteria=["weighted_mean_recall"], class_weights={"b": 3.0}
    )
    assert found.main.mean == pytest.approx((2 / 3 + 3) / 4)
    with refused('"c"', "not a class", '"a", "b"', error=ParameterError):
        performance_classification(table, class_weights={"c": 1.0})


def test_a_misspelt_criterion_gets_a_suggestion(of_classes, refused):
    with refused('"acuracy"', '"accuracy"', error=ParameterError):
        performance_classification(of_classes("ab", "ab"), criteria=["acuracy"])
    with refused("no criterion", error=ParameterError):
        performance_classification(of_classes("ab", "ab"), criteria=[])


def test_criteria_of_two_classes():
    cancer = retrieve(repository_entry="breast cancer")
    train, test = cancer.take(np.arange(0, 569, 3)), cancer.take(np.arange(1, 569, 3))
    labelled = logistic_regression(train, C=0.01).model.apply(test)
    true, guess = test.label_values(), labelled.column("prediction(label)")
    positive = cancer.classes[1]
    confidence = labelled.column(f"confidence({positive})")
    tn, fp, fn, tp = metrics.confusion_matrix(true, guess).ravel().tolist()
    found = performance_binominal_classification(labelled, criteria=EVERYTHING_OF_TWO)
    auc = metrics.roc_auc_score(true, confidence)
    assert values(found) == pytest.approx({
        "accuracy": metrics.accuracy_score(true, guess),
        "classification_error": 1 - metrics.accuracy_score(true, guess),
        "kappa": metrics.cohen_kappa_score(true, guess),
        "AUC (optimistic)": auc, "AUC": auc, "AUC (pessimistic)": auc,  # no ties here
        "precision": metrics.precision_score(true, guess),
        "positive_predictive_value": metrics.precision_score(true, guess),
        "negative_predictive_value": metrics.precision_score(true, guess, pos_label=0),
        "recall": metrics.recall_score(true, guess),
        "sensitivity": metrics.recall_score(true, guess),
        "specificity": metrics.recall_score(true, guess, pos_label=0),
        "fallout": 1 - metrics.recall_score(true, guess, pos_label=0),
        "f_measure": metrics.f1_score(true, guess),
        "lift": metrics.precision_score(true, guess) / true.mean(),
        "youden": 2 * metrics.balanced_accuracy_score(true, guess) - 1,
        "psep": tp / (tp + fp) + tn / (tn + fn) - 1,
        "balanced_classification_rate": metrics.balanced_accuracy_score(true, guess),
        "balanced_error_rate": 1 - metrics.balanced_accuracy_score(true, guess),
        "matthews_correlation": metrics.matthews_corrcoef(true, guess),
        "false_positive": fp, "false_negative": fn, "true_positive": tp, "true_negative": tn,
    })  # fmt: skip


def test_equal_confidences_are_won_lost_or_halved(of_classes):
    table = of_classes("ppnn", "ppnn", p=[0.9, 0.5, 0.5, 0.1])
    names = ["AUC (optimistic)", "AUC", "AUC (pessimistic)"]
    found = performance_binominal_classification(table, criteria=names, positive_class="p")
    assert [criterion.mean for criterion in found] == [1.0, 0.875, 0.75]


def test_the_positive_class_is_the_second_or_the_one_named(of_classes, refused):
    table = of_classes(["no", "no", "yes"], ["no", "yes", "yes"])
    sensitivity = {"criteria": ["sensitivity"]}
    assert performance_binominal_classification(table, **sensitivity).main.mean == 1
    other = performance_binominal_classification(table, **sensitivity, positive_class="no")
    assert other.main.mean == 0.5
    assert other.confusion.classes == ("yes", "no")
    with refused('"noo"', 'Did you mean "no"', error=ParameterError):
        performance_binominal_classification(table, positive_class="noo")


def test_three_classes_are_refused(of_classes, refused):
    with refused("has 3", "Performance (Classification)"):
        performance_binominal_classification(of_classes("abc", "abc"))


def test_what_has_no_value_is_missing_and_told(of_classes, listening):
    table = of_classes(["yes", "yes"], ["no", "no"], yes=[0.4, 0.3])
    ctx = listening()
    names = ["AUC", "specificity", "precision", "sensitivity", "f_measure", "kappa"]
    found = values(performance_binominal_classification(table, criteria=names, ctx=ctx))
    assert [name for name, value in found.items() if np.isnan(value)] == names[:3]
    assert (found["sensitivity"], found["f_measure"], found["kappa"]) == (0, 0, 0)
    assert ["AUC" in w or "specificity" in w or "precision" in w for w in ctx.warnings] == [
        True
    ] * 3
    assert "rows of both classes" in ctx.warnings[0]


def test_auc_without_confidences_is_told(of_classes, listening):
    ctx = listening()
    performance_binominal_classification(of_classes("aabb", "abab"), criteria=["AUC"], ctx=ctx)
    assert "Apply Model" in ctx.warnings[0]


def test_numbers_are_sent_to_the_regression(of_numbers, refused):
    for operator in (performance_classification, performance_binominal_classification):
        with refused("no classes", "Performance (Regression)"):
            operator(of_numbers([1, 2], [1, 2]))


def test_costs_are_by_predicted_and_true_class(of_classes):
    table = of_classes(["no", "no", "yes", "yes", "yes"], ["no", "yes", "no", "no", "yes"])
    found = performance_costs(table, cost_matrix="[0 1; 5 -2]")
    assert found.main.mean == pytest.approx((5 + 2 * 1 - 2) / 5)
    assert not found.main.maximize
    turned = performance_costs(table, cost_matrix="[-2.0 5.0;1.0 0.0]", class_order=["yes", "no"])
    assert turned.main.mean == found.main.mean


def test_a_cost_matrix_must_fit(of_classes, refused):
    table = of_classes("ab", "ab")
    for text in ("[0 1]", "[0 1; x 0]", "", "[0 1; 2]", "[0 inf; 1 0]"):
        with refused("cost_matrix", "[0 1; 5 0]", error=ParameterError):
            performance_costs(table, cost_matrix=text)
    with refused("for 3 classes", "there are 2", error=ParameterError):
        performance_costs(table, cost_matrix="[0 1 1; 1 0 1; 1 1 0]")
    with refused('lacks "b"', error=ParameterError):
        performance_costs(table, cost_matrix="[0 1; 1 0]", class_order=["a", "c"])


@pytest.mark.parametrize(
    "operator", [performance_classification, performance_binominal_classification]
)
def test_the_balanced_error_rate_is_the_mean_error_of_the_classes(operator):
    frame = pd.DataFrame({"y": list("aaaaaabbb"), "p": list("aaaaabbba")})
    table = ExampleSet.from_pandas(frame, roles={"y": "label", "p": "prediction"})
    found = operator(table, criteria=["balanced_error_rate"])["balanced_error_rate"]
    assert found.mean == pytest.approx((1 / 6 + 1 / 3) / 2)
    assert not found.maximize
