"""Methods that a study can compare, with a word on each and the choice for a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class StudyMethod:
    """A selection that a study can compare with others."""

    key: str
    """Of the operator."""
    name: str
    tag: str
    about: str
    labels: frozenset[str]
    """Suitable labels: ``two`` classes, ``many`` classes, ``numbers``."""


_ALL = frozenset(("two", "many", "numbers"))
_CLASSES = frozenset(("two", "many"))
_TWO = frozenset(("two",))
METHODS = (
    StudyMethod(
        "weight_by_f_test", "F-test", "quick, p-values",
        "Compares the means of the classes, one attribute at a time.", _CLASSES,
    ),
    StudyMethod(
        "weight_by_correlation", "Correlation", "quick",
        "Linear relation with the label, one attribute at a time.", frozenset(("numbers",)),
    ),
    StudyMethod(
        "weight_by_relief", "Relief", "interactions",
        "Compares near neighbors; finds attributes that act together.", _TWO,
    ),
    StudyMethod(
        "weight_by_relieff", "ReliefF", "interactions",
        "Compares near neighbors; finds attributes that act together.",
        frozenset(("many", "numbers")),
    ),
    StudyMethod(
        "select_by_mrmr_cfs", "MRMR", "small sets",
        "Relevant attributes that do not repeat each other.", _ALL,
    ),
    StudyMethod(
        "weight_by_welch_test", "Welch test", "quick, p-values",
        "As the t-test; the classes may have different variances.", _TWO,
    ),
    StudyMethod(
        "weight_by_sam", "SAM", "made for expression data",
        "As the t-test, more stable with few rows.", _TWO,
    ),
    StudyMethod(
        "weight_by_wilcoxon", "Wilcoxon test", "robust, p-values",
        "Compares ranks; outliers do not matter.", _TWO,
    ),
    StudyMethod(
        "weight_by_random_forest", "Random forest", "interactions",
        "Importance in many decision trees.", _ALL,
    ),
    StudyMethod(
        "weight_by_svm", "Linear SVM", "joint effect",
        "Weights of a linear SVM that uses all attributes.", _CLASSES,
    ),
)  # fmt: skip


def label_kind(classes: int) -> str:
    """Return the kind of a label with so many classes; numbers have none."""
    return "numbers" if not classes else "two" if classes == 2 else "many"


def methods_for(classes: int) -> list[StudyMethod]:
    """Return the methods that suit a label with so many classes; 0 are numbers."""
    return [method for method in METHODS if label_kind(classes) in method.labels]


def usual_methods(classes: int) -> tuple[str, ...]:
    """Return the keys of the methods that a study compares if none are chosen."""
    relief = "weight_by_relief" if classes == 2 else "weight_by_relieff"
    filters = ("weight_by_f_test", relief) if classes else ("weight_by_correlation",)
    return (*filters, "select_by_mrmr_cfs")


def settings_of(key: str, sizes: Sequence[int]) -> dict[str, Any]:
    """Return the parameters with which a method ranks enough attributes for some sizes."""
    return {"k": sizes[-1], "output": "ranking"} if key == "select_by_mrmr_cfs" else {}
