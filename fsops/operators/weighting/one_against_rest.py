"""Weightings of two classes on more classes: each class is compared with all others."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data import Attribute, AttributeWeights, ExampleSet
from fsops.data.schema import LABEL
from fsops.errors import DataError, enumerate_names

Floats = npt.NDArray[np.float64]

P_VALUES = frozenset({"p_value", "adjusted_p_value", "q_value"})
"""Details of which the smallest counts, times the number of classes (Bonferroni)."""
TIED = 1e-9
"""Weights of classes that are equal up to this fraction are equal."""


def compared_with_rest(
    weigh: Callable[[ExampleSet], AttributeWeights], examples: ExampleSet, multiclass: str
) -> AttributeWeights:
    """Return the weights of each class against all others, combined into one for each attribute."""
    classes = examples.class_codes()[1]
    if multiclass == "refuse":
        raise DataError(
            f'Exactly two classes are needed, but "{examples.label.name}" has {len(classes)}: '
            f"{enumerate_names(classes)}.",
            hint="Set multiclass to maximum or mean, or use Weight by F-Test.",
        )
    parts = [weigh(table) for table in against_rest(examples)]
    return combined(parts, classes, multiclass)


def against_rest(examples: ExampleSet) -> Iterator[ExampleSet]:
    """Return a table for each class, whose label has this class and all others.

    The class sorts last, so that positive statistics mean larger values in it.
    """
    codes, classes = examples.class_codes()
    for number, name in enumerate(classes):
        label = Attribute.nominal(examples.label.name, ("0: others", f"1: {name}"), LABEL)
        own = np.where(codes < 0, codes, codes == number).astype(np.int32)
        yield examples.with_columns([(label, own)])


def combined(
    parts: Sequence[AttributeWeights], classes: Sequence[str], how: str
) -> AttributeWeights:
    """Return the weights of all classes as one, with the class that has the largest."""
    table = np.stack([part.values for part in parts])
    size = np.abs(table)
    known = np.where(np.isnan(size), -1.0, size)
    # Of classes whose weights differ by rounding only, the first.
    largest = known.max(axis=0)
    winner = np.argmax(known >= largest * (1 - TIED), axis=0)
    chosen = _chosen(table, winner)
    largest = np.where(np.isnan(chosen), np.nan, np.copysign(largest, chosen))
    values = largest if how == "maximum" else size.mean(axis=0)
    details: dict[str, Any] = {"class": np.array(classes)[winner]}
    for name in parts[0].details:
        combine = _smallest if name in P_VALUES else functools.partial(_of_winner, winner)
        details[name] = functools.partial(combine, name, parts)
    for name, part in zip(classes, parts, strict=True):
        details[f"weight of {name}"] = part.values
    return AttributeWeights(parts[0].names, values, origin=parts[0].origin, details=details)


def _chosen(table: npt.NDArray[Any], winner: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
    """Return the value of the winning class for each attribute."""
    return table[winner, np.arange(table.shape[1])]


def _of_winner(
    winner: npt.NDArray[np.intp], name: str, parts: Sequence[AttributeWeights]
) -> npt.NDArray[Any]:
    return _chosen(np.stack([part.details[name] for part in parts]), winner)


def _smallest(name: str, parts: Sequence[AttributeWeights]) -> Floats:
    """Return the smallest p-value of the classes, adjusted for their number."""
    table = np.stack([np.asarray(part.details[name], dtype=np.float64) for part in parts])
    smallest: Floats = np.minimum(len(parts) * table.min(axis=0), 1.0)
    return smallest
