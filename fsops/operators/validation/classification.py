"""How good predicted classes are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import BeforeValidator, Field

from fsops.algorithms.base.types import Floats
from fsops.algorithms.statistics import agreement
from fsops.algorithms.statistics.agreement import Counts, ratio
from fsops.core import Aliases, Context, operator
from fsops.data import ConfusionMatrix, Criterion, ExampleSet, PerformanceVector
from fsops.errors import DataError, ParameterError, did_you_mean, enumerate_names
from fsops.operators.validation.criteria import CRITERIA, MAIN, Measure, known_criteria, measured
from fsops.operators.validation.predictions import (
    PredictedClasses,
    describe_measured,
    predicted_classes,
)

GROUP = "Validation/Performance"
LABELLED = Aliases(ports={"labelled data": "examples", "example set": "examples"})

ClassCriterion = Literal[
    "accuracy",
    "classification_error",
    "kappa",
    "balanced_classification_rate",
    "balanced_error_rate",
    "weighted_mean_recall",
    "weighted_mean_precision",
    "macro_f_measure",
    "micro_f_measure",
    "matthews_correlation",
]
TwoClassCriterion = Literal[
    "accuracy",
    "classification_error",
    "kappa",
    "AUC (optimistic)",
    "AUC",
    "AUC (pessimistic)",
    "precision",
    "recall",
    "lift",
    "fallout",
    "f_measure",
    "false_positive",
    "false_negative",
    "true_positive",
    "true_negative",
    "sensitivity",
    "specificity",
    "youden",
    "positive_predictive_value",
    "negative_predictive_value",
    "psep",
    "balanced_classification_rate",
    "balanced_error_rate",
    "matthews_correlation",
]


@dataclass(frozen=True, eq=False)
class Weighted:
    """Counts of true and predicted classes, with weights of the classes."""

    counts: Counts
    weights: Floats | None = None


def _by_counts(
    function: Callable[[Counts], float], *, maximize: bool = True, percent: bool = True
) -> Measure[Any]:
    return Measure(lambda data: function(data.counts), maximize, percent)


def _error(counts: Counts) -> float:
    return 1 - agreement.accuracy(counts)


def _balanced_error(counts: Counts) -> float:
    return 1 - agreement.balanced_classification_rate(counts)


def _mean_of(shares: Callable[[Counts], Floats]) -> Measure[Any]:
    return Measure(
        lambda data: agreement.weighted_mean(shares(data.counts), data.counts, data.weights),
        percent=True,
        undefined="the classes that occur have no weight",
    )


GENERAL: Mapping[str, Measure[Any]] = {
    "accuracy": _by_counts(agreement.accuracy),
    "classification_error": _by_counts(_error, maximize=False),
    "kappa": _by_counts(agreement.kappa, percent=False),
    "balanced_classification_rate": _by_counts(agreement.balanced_classification_rate),
    "balanced_error_rate": _by_counts(_balanced_error, maximize=False),
    "matthews_correlation": _by_counts(agreement.matthews_correlation, percent=False),
}
CLASS_MEASURES: Mapping[str, Measure[Any]] = {
    **GENERAL,
    "weighted_mean_recall": _mean_of(agreement.class_recalls),
    "weighted_mean_precision": _mean_of(agreement.class_precisions),
    "macro_f_measure": Measure(
        lambda data: agreement.weighted_mean(agreement.class_f_measures(data.counts), data.counts),
        percent=True,
    ),
    "micro_f_measure": _by_counts(agreement.accuracy),
}


@operator(
    group=GROUP,
    role="performance",
    row_weights="used",
    describe=describe_measured,
    aliases=LABELLED,
    tags=("accuracy", "kappa", "recall", "precision", "f1", "confusion matrix", "evaluate"),
)
def performance_classification(
    examples: ExampleSet,
    *,
    criteria: Annotated[
        list[ClassCriterion], known_criteria(get_args(ClassCriterion)), Field(description=CRITERIA)
    ] = ["accuracy", "classification_error", "kappa", "balanced_classification_rate"],
    main_criterion: Annotated[Literal["first"] | ClassCriterion, Field(description=MAIN)] = "first",
    class_weights: Annotated[
        dict[str, Annotated[float, Field(ge=0)]],
        Field(
            description="Weights of classes in weighted_mean_recall and weighted_mean_precision; "
            "1 for those not listed."
        ),
    ] = {},
    ctx: Context,
) -> PerformanceVector:
    r"""Performance (Classification)

    Compares predicted and true classes by the criteria you name, and counts them in a confusion
    matrix. RapidMiner has a parameter for each criterion; fsops has one list.

    accuracy is the fraction of right predictions, kappa the agreement beyond chance. The
    balanced_classification_rate is the mean share found of each class that has rows: fair where
    classes differ in size; balanced_error_rate is 1 less it. weighted_mean_recall and
    weighted_mean_precision average over all classes that occur in label or prediction, a class
    without rows or predictions counting 0;
    macro_f_measure averages their F measures; micro_f_measure counts all rows alike, which is
    the accuracy. kappa and matthews_correlation are 0 where all rows are, or are predicted as, one
    class.

    .. math:: BCR = \frac1C \sum_c \frac{n_{cc}}{n_{c\cdot}}, \qquad
        \kappa = \frac{p_o - p_e}{1 - p_e}

    References
    ----------
    Cohen (1960): A coefficient of agreement for nominal scales. Educ. Psychol. Meas. 20.
    """
    found = predicted_classes(examples)
    data = Weighted(found.counts, _weights_of(found.classes, class_weights))
    chosen = measured(data, CLASS_MEASURES, criteria, main_criterion, ctx)
    return PerformanceVector(chosen, confusion=found.confusion)


def _weights_of(classes: tuple[str, ...], weights: Mapping[str, float]) -> Floats:
    for name in weights:
        if name not in classes:
            hint = did_you_mean(name, classes) or f"There are {enumerate_names(classes)}."
            raise ParameterError(f'class_weights names "{name}", which is not a class.', hint=hint)
    return np.array([weights.get(name, 1.0) for name in classes])


@dataclass(frozen=True, eq=False)
class TwoClasses:
    """Counts of two classes, the positive one second, and the confidences in it."""

    counts: Counts
    is_positive: np.typing.NDArray[np.bool_]
    confidence: Floats | None
    weights: Floats | None = None

    @property
    def cells(self) -> tuple[float, float, float, float]:
        """True negatives, false positives, false negatives, true positives."""
        (tn, fp), (fn, tp) = self.counts.tolist()
        return tn, fp, fn, tp

    def auc(self, ties: float) -> float:
        """Return the area under the ROC curve; NaN without confidences or without a class."""
        if self.confidence is None:
            return float("nan")
        positive, negative = self.confidence[self.is_positive], self.confidence[~self.is_positive]
        if self.weights is None:
            return agreement.auc(positive, negative, ties)
        own, others = self.weights[self.is_positive], self.weights[~self.is_positive]
        return agreement.weighted_auc(positive, negative, own, others, ties)


def _of_cells(
    formula: Callable[[float, float, float, float], float],
    undefined: str = "",
    *,
    maximize: bool = True,
    percent: bool = True,
) -> Measure[TwoClasses]:
    return Measure(lambda data: formula(*data.cells), maximize, percent, undefined)


def _count(cell: int, *, maximize: bool) -> Measure[TwoClasses]:
    return Measure(lambda data: data.cells[cell], maximize)


def _auc(ties: float) -> Measure[TwoClasses]:
    return Measure(
        lambda data: data.auc(ties),
        undefined="it needs rows of both classes and confidences, as Apply Model gives them",
    )


NO_POSITIVE = "no row is of the positive class"
NO_NEGATIVE = "no row is of the negative class"
NONE_SAID = "no row is predicted as positive"
ALL_SAID = "no row is predicted as negative"
ONE_CLASS = "all rows are of one class"

RECALL = _of_cells(lambda tn, fp, fn, tp: ratio(tp, tp + fn), NO_POSITIVE)
PRECISION = _of_cells(lambda tn, fp, fn, tp: ratio(tp, tp + fp), NONE_SAID)
TWO_CLASS_MEASURES: Mapping[str, Measure[Any]] = {
    **GENERAL,
    "AUC (optimistic)": _auc(1.0),
    "AUC": _auc(0.5),
    "AUC (pessimistic)": _auc(0.0),
    "precision": PRECISION,
    "recall": RECALL,
    "lift": _of_cells(
        lambda tn, fp, fn, tp: ratio(tp * (tn + fp + fn + tp), (tp + fn) * (tp + fp)),
        "no row is positive, or none is predicted so",
    ),
    "fallout": _of_cells(lambda tn, fp, fn, tp: ratio(fp, fp + tn), NO_NEGATIVE, maximize=False),
    "f_measure": _of_cells(
        lambda tn, fp, fn, tp: ratio(2 * tp, 2 * tp + fp + fn),
        "no row is positive, and none is predicted so",
    ),
    "false_positive": _count(1, maximize=False),
    "false_negative": _count(2, maximize=False),
    "true_positive": _count(3, maximize=True),
    "true_negative": _count(0, maximize=True),
    "sensitivity": RECALL,
    "specificity": _of_cells(lambda tn, fp, fn, tp: ratio(tn, tn + fp), NO_NEGATIVE),
    "youden": _of_cells(
        lambda tn, fp, fn, tp: ratio(tp, tp + fn) + ratio(tn, tn + fp) - 1,
        ONE_CLASS,
        percent=False,
    ),
    "positive_predictive_value": PRECISION,
    "negative_predictive_value": _of_cells(lambda tn, fp, fn, tp: ratio(tn, tn + fn), ALL_SAID),
    "psep": _of_cells(
        lambda tn, fp, fn, tp: ratio(tp, tp + fp) + ratio(tn, tn + fn) - 1,
        "all rows are predicted as one class",
        percent=False,
    ),
}


@operator(
    group=GROUP,
    role="performance",
    row_weights="used",
    describe=describe_measured,
    aliases=LABELLED,
    tags=("auc", "roc", "sensitivity", "specificity", "f1", "mcc", "youden", "evaluate"),
)
def performance_binominal_classification(
    examples: ExampleSet,
    *,
    criteria: Annotated[
        list[TwoClassCriterion],
        known_criteria(get_args(TwoClassCriterion)),
        Field(description=CRITERIA),
    ] = ["accuracy", "AUC", "sensitivity", "specificity", "f_measure", "matthews_correlation"],
    main_criterion: Annotated[
        Literal["first"] | TwoClassCriterion, Field(description=MAIN)
    ] = "first",
    positive_class: Annotated[
        str | None,
        Field(description="Class to find; empty: the second class of the label."),
    ] = None,
    ctx: Context,
) -> PerformanceVector:
    r"""Performance (Binominal Classification)

    Compares predictions of two classes, of which one is the positive class. RapidMiner has a
    parameter for each criterion; fsops has one list.

    sensitivity (the same as recall) is the fraction of positive rows predicted as positive,
    specificity that of negative rows predicted as negative, positive_predictive_value (precision)
    the fraction of predicted positives that are right. AUC needs the confidences, not the
    prediction: it is the probability that a positive row has a higher confidence than a negative
    one. The optimistic and the pessimistic AUC count equal confidences as right or as wrong.
    fallout = 1 − specificity, youden = sensitivity + specificity − 1, psep is the sum of the
    predictive values − 1, lift = precision / fraction of positive rows.

    A criterion that would divide by 0, such as the AUC of rows of one class, is missing, with a
    warning; kappa and matthews_correlation are 0 then.

    .. math:: MCC = \frac{TP \cdot TN - FP \cdot FN}
        {\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}

    References
    ----------
    Fawcett (2006): An introduction to ROC analysis. Pattern Recognition Letters 27.
    Matthews (1975): Comparison of the predicted and observed secondary structure of T4 phage
    lysozyme. BBA 405.
    """
    found = predicted_classes(examples)
    negative, positive = _two_classes(found, examples.label.name, positive_class)
    order = {
        found.classes.index(name): code
        for code, name in enumerate((negative, positive))
        if name in found.classes
    }
    codes = [np.array([order[c] for c in side.tolist()]) for side in (found.true, found.guess)]
    weights = examples.row_weights
    data = TwoClasses(
        agreement.confusion(codes[0], codes[1], 2, weights),
        codes[0] == 1,
        found.confidence(positive),
        weights,
    )
    chosen = measured(data, TWO_CLASS_MEASURES, criteria, main_criterion, ctx)
    matrix = ConfusionMatrix((negative, positive), data.counts)
    return PerformanceVector(chosen, confusion=matrix)


def _two_classes(found: PredictedClasses, label: str, positive: str | None) -> tuple[str, str]:
    """Return the negative and the positive class."""
    names = list(found.classes)
    if len(names) > 2:  # some may never occur
        names = [names[code] for code in np.union1d(found.true, found.guess)]
    if len(names) > 2:
        raise DataError(
            f'Two classes are needed, but "{label}" has {len(names)}: {enumerate_names(names)}.',
            hint="Use Performance (Classification), or keep the rows of two classes.",
        )
    if positive is None:
        if len(names) < 2:
            raise DataError(
                f'"{label}" knows only the class "{names[0]}".',
                hint="Set positive_class to the class that is the positive one.",
            )
        return names[0], names[1]
    if positive not in found.classes:
        hint = did_you_mean(positive, found.classes) or f"There are {enumerate_names(names)}."
        raise ParameterError(
            f'positive_class is "{positive}", which is not a class of "{label}".', hint=hint
        )
    others = [name for name in names if name != positive]
    return (others[0] if others else f"not {positive}"), positive


# --- costs ----------------------------------------------------------------------------------


def _as_matrix(value: Any) -> Any:
    """Check that a text is a square matrix of numbers, as RapidMiner writes it."""
    if isinstance(value, str):
        try:
            matrix_of(value)
        except ValueError:
            raise ValueError(
                "it must be rows of numbers, as many as columns, such as [0 1; 5 0]"
            ) from None
    return value


def matrix_of(text: str) -> Floats:
    """Return a cost matrix that a text describes."""
    rows = [
        [float(number) for number in row.replace(",", " ").split()]
        for row in text.strip().strip("[]").split(";")
    ]
    if any(len(row) != len(rows) for row in rows) or not np.isfinite(rows).all():
        raise ValueError
    return np.array(rows)


CostMatrix = Annotated[
    str,
    BeforeValidator(_as_matrix),
    Field(
        description="Costs of a row: a row of the matrix for each predicted class, a column "
        "for each true class, such as [0 1; 5 0].",
        examples=["[0 1; 5 0]"],
    ),
]


@operator(
    group=GROUP,
    role="performance",
    row_weights="used",
    describe=describe_measured,
    aliases=Aliases(
        ports={"example set": "examples"}, parameters={"class_order_definition": "class_order"}
    ),
    tags=("cost matrix", "misclassification", "cost-sensitive", "evaluate"),
)
def performance_costs(
    examples: ExampleSet,
    *,
    cost_matrix: CostMatrix,
    class_order: Annotated[
        list[str],
        Field(description="Classes in the order of the matrix; empty: the order of the label."),
    ] = [],
) -> PerformanceVector:
    r"""Performance (Costs)

    Adds up the costs of predictions, where some errors cost more than others, and divides by the
    number of rows. Less is better; negative costs are gains.

    Rows of the matrix are predicted classes and columns true ones, as in RapidMiner: with classes
    (no, yes), [0 1; 5 0] makes a "yes" that is predicted as "no" cost 1, and a "no" that is
    predicted as "yes" cost 5. Set the order of the classes explicitly if you do not know it.

    .. math:: \frac1n \sum_i c_{\hat y_i, y_i}

    References
    ----------
    Elkan (2001): The foundations of cost-sensitive learning. IJCAI.
    """
    found = predicted_classes(examples)
    costs = matrix_of(cost_matrix)
    order = class_order or list(found.classes)
    absent = [name for name in found.classes if name not in order]
    if absent:
        raise ParameterError(
            f"class_order lacks {enumerate_names(absent)}.", hint="Name all classes of the label."
        )
    if len(order) != len(costs):
        raise ParameterError(
            f"cost_matrix is for {len(costs)} classes, but there are {len(order)}: "
            f"{enumerate_names(order)}."
        )
    place = np.array([order.index(name) for name in found.classes])
    each = costs[place[found.guess], place[found.true]]
    mean = float(np.average(each, weights=examples.row_weights))
    return PerformanceVector(
        [Criterion("misclassification_costs", (mean,), maximize=False)], confusion=found.confusion
    )
