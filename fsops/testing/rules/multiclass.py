"""The rule about weightings of two classes: more are compared one against the others."""

from __future__ import annotations

import contextlib

import numpy as np

from fsops.data import Attribute, AttributeWeights, ExampleSet
from fsops.testing.cases import CannotMakeUp, Subject
from fsops.testing.rules.sparse import EXACT, is_close
from fsops.testing.trial import answer, expect, result

PARAMETER = "multiclass"


def takes_more_classes(subject: Subject) -> bool:
    """Return whether an operator has the parameter."""
    return any(parameter.name == PARAMETER for parameter in subject.spec.parameters)


def check_multiclass(subject: Subject) -> None:
    """Weights are the largest or the mean of those of each class against the others."""
    for kind in subject.table_kinds():
        if kind.label == "polynominal":
            with contextlib.suppress(CannotMakeUp):
                _check_table(subject, kind.table())


def _check_table(subject: Subject, table: ExampleSet) -> None:
    case = subject.case(table)
    codes, classes = table.class_codes()
    parts = []
    for number in range(len(classes)):
        label = Attribute.nominal(table.label.name, ("no", "yes"), "label")
        two = table.with_columns([(label, (codes == number).astype(np.int32))])
        parts.append(_weights(subject, two, {}).values)
    size = np.abs(parts)
    largest = _weights(subject, table, {PARAMETER: "maximum"})
    mean = _weights(subject, table, {PARAMETER: "mean"})
    expect(is_close(size.max(axis=0), np.abs(largest.values), EXACT), "not the largest weights")
    expect(is_close(size.mean(axis=0), mean.values, EXACT), "not the mean of the weights")
    names = np.array(classes)[size.argmax(axis=0)]
    expect((largest.details["class"] == names).all(), "the details do not name the class")
    refused = answer(subject, case.with_parameter(PARAMETER, "refuse"), "three classes")
    expect("two classes" in str(refused.refusal), "refuse does not refuse three classes")


def _weights(subject: Subject, table: ExampleSet, more: dict[str, str]) -> AttributeWeights:
    case = subject.case(table)
    for name, value in more.items():
        case = case.with_parameter(name, value)
    found = result(subject, case, "one against the others").values
    return next(value for value in found if isinstance(value, AttributeWeights))
