"""Small learners and measures that take the place of inner processes in a test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.core import Context, Operator, operator
from fsops.core.declare.ports import Port, SubprocessPort
from fsops.data import (
    Attribute,
    AttributeWeights,
    Averageable,
    Collection,
    Criterion,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
    PredictionModel,
)
from fsops.data.columns import MISSING_CODE
from fsops.data.schema import LABEL
from fsops.testing.data import CLASSES, LABEL_NAME

GROUP = "Testing"
NUMBER_OF_SEVERAL = 3


@dataclass(frozen=True)
class Stump:
    """Predicts the class shares, or the mean, on either side of a cut through one number."""

    column: int | None
    cut: float
    sides: npt.NDArray[np.float64]
    """The predictions up to the cut, and above it."""

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return confidences per class, or predicted numbers."""
        return self.sides[_above(examples, self.column, self.cut)]


def _above(examples: ExampleSet, column: int | None, cut: float) -> npt.NDArray[np.intp]:
    if column is None:
        return np.zeros(len(examples), dtype=np.intp)
    return (examples.numeric()[:, column] > cut).astype(np.intp)


def stand_in_model(examples: ExampleSet) -> PredictionModel:
    """Return a model of any table, however odd: only the operator around it is on trial."""
    table = _with_some_label(examples)
    X = table.numeric()
    finite = X[np.isfinite(X[:, 0]), 0] if X.shape[1] else np.empty(0)
    column = 0 if len(finite) else None
    cut = float(np.sort(finite)[len(finite) // 2]) if len(finite) else 0.0
    sides = _sides(table, _above(table, column, cut))
    return PredictionModel(Stump(column, cut, sides), table.schema, "Stump")


def _with_some_label(examples: ExampleSet) -> ExampleSet:
    if examples.schema.label is not None:
        return examples
    codes = np.arange(len(examples), dtype=np.int32) % 2
    label = Attribute.nominal(LABEL_NAME, CLASSES["binominal"], LABEL)
    return examples.with_columns([(label, codes)])


def _sides(examples: ExampleSet, side: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    label, values = examples.label, examples.column(examples.label.name)
    if not label.value_type.is_nominal:
        known = [values[(side == s) & np.isfinite(values)] for s in (0, 1)]
        return np.array([part.mean() if len(part) else 0.0 for part in known])
    counts = np.ones((2, max(1, len(label.categories))))
    known_class = values != MISSING_CODE
    np.add.at(counts, (side[known_class], values[known_class]), 1.0)
    shares: npt.NDArray[np.float64] = counts / counts.sum(axis=1, keepdims=True)
    return shares


def stand_in_weights(examples: ExampleSet) -> AttributeWeights:
    """Return another weight for every regular attribute, the first the largest."""
    names = examples.schema.regular_names
    scale = 1 + len(examples) % 7 / 10
    return AttributeWeights(names, scale / (1 + np.arange(len(names))))


def stand_in_performance(examples: ExampleSet) -> PerformanceVector:
    """Return how well one cut through the first number predicts the label."""
    table = _with_some_label(examples)
    label, true = table.label, table.column(table.label.name)
    output = stand_in_model(table).predictor(table)
    if label.value_type.is_nominal:
        right = float((output.argmax(axis=1) == true).mean()) if len(table) else 0.0
        return PerformanceVector([Criterion("accuracy", (right,), percent=True)])
    known = np.isfinite(true)
    error = float(np.abs(output - true)[known].mean()) if known.any() else 0.0
    return PerformanceVector([Criterion("absolute_error", (error,), maximize=False)])


_MAKERS: dict[type[FlowObject], Callable[[ExampleSet], FlowObject]] = {
    AttributeWeights: stand_in_weights,
    Model: stand_in_model,
    PredictionModel: stand_in_model,
    PerformanceVector: stand_in_performance,
    Averageable: stand_in_performance,
}


def make_value(kind: type[FlowObject], examples: ExampleSet, number: int = 0) -> FlowObject | None:
    """Return something of a type that fits the table; None for a type we do not know.

    Another number gives another value, for ports that take several.
    """
    table = examples if number == 0 else examples.take(np.roll(np.arange(len(examples)), number))
    if kind in (ExampleSet, FlowObject):
        return table
    if kind is Collection:
        return make_collection(AttributeWeights, examples)
    if kind not in _MAKERS:
        return None
    return _MAKERS[kind](table.take(np.arange(len(table) - min(number, len(table) // 2))))


def make_collection(kind: type[FlowObject], examples: ExampleSet) -> FlowObject | None:
    """Return a collection of a few different values of a type."""
    items = [make_value(kind, examples, number) for number in range(NUMBER_OF_SEVERAL)]
    known = [item for item in items if item is not None]
    return Collection(known) if known else None


@dataclass(frozen=True)
class StandIn:
    """A Python function in the place of an inner process: from the table to the result."""

    port: SubprocessPort
    examples: ExampleSet
    """Used where the inner process is not given a table."""

    def __call__(self, *values: Any) -> Any:
        """Return a result for every sink of the inner process."""
        plain = [value[0] if isinstance(value, list) and value else value for value in values]
        table = next((v for v in plain if isinstance(v, ExampleSet)), self.examples)
        results = [self._result(sink, table, plain) for sink in self.port.sinks]
        if self.port.result is not None:
            return self.port.result(*results)
        return results[0] if results else None

    def _result(self, sink: Port, table: ExampleSet, values: list[Any]) -> Any:
        made = make_value(sink.type, table)
        if made is None:
            made = next((value for value in values if isinstance(value, sink.type)), None)
        if made is None and not sink.optional:
            raise AssertionError(
                f"the inner process {self.port.name} returns {sink.type.phrase()}, which cannot "
                f"be generated: give inputs={{{self.port.name!r}: a function}}"
            )
        return [made] if sink.many else made


def as_operator(function: Any, port: SubprocessPort, key: str) -> Operator:
    """Return how well one cut through the first number predicts the label."""

    def call(**values: Any) -> Any:
        result = function(*(values[source.name] for source in port.sources))
        if len(port.sinks) > 1 and not isinstance(result, tuple):
            return (result, *[None] * (len(port.sinks) - 1))
        one_of_a_tuple = len(port.sinks) == 1 and port.result and isinstance(result, tuple)
        return result[0] if one_of_a_tuple else result

    several = port.result is not None
    return Operator(
        key,
        port.title(),
        GROUP,
        "",
        call,
        inputs=port.sources,
        outputs=port.sinks,
        has_named_outputs=several,
    )


@operator(group=GROUP, role="source")
def stand_in_noise(*, ctx: Context) -> AttributeWeights:
    """Stand-in noise.

    Draws random numbers, from its own source and from the global one.
    """
    np.random.seed(int(ctx.rng().integers(2**31)))  # noqa: NPY002 - to disturb whoever uses it
    return AttributeWeights(["noise"], [np.random.random()])  # noqa: NPY002
