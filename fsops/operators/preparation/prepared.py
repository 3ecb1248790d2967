"""The common part of preparations: their two outputs, and metadata before the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fsops.core import Accepts, Aliases
from fsops.core.operator import Describe
from fsops.data import (
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    PreprocessingModel,
    Schema,
    ValueType,
)
from fsops.data.names import Names
from fsops.data.schema import NOMINAL, NUMERICAL
from fsops.operators.preparation.attribute_filter import names_before_run

PORTS = {"example set input": "examples", "example set output": "examples"}
"""RapidMiner's name of the table."""
ALIASES = Aliases(ports=PORTS)
WITH_MODEL = Aliases(ports={**PORTS, "preprocessing model": "model"})
ANY_VALUES = Accepts(missing=True)


class Prepared(NamedTuple):
    """Results of a preparation."""

    examples: ExampleSet
    model: PreprocessingModel


def prepared(
    examples: ExampleSet,
    transform: Callable[[ExampleSet], ExampleSet],
    names: Sequence[str],
    title: str,
) -> Prepared:
    """Return the table after a preparation of some attributes, and the model that does it."""
    schema = examples.schema
    model = PreprocessingModel(transform, schema.take(schema.positions(names)), title)
    return Prepared(model.apply(examples), model)


def numerical_among(schema: Schema, names: Sequence[str]) -> Names:
    """Return the names of numerical attributes, in their order."""
    return _of_types(schema, names, NUMERICAL)


def nominal_among(schema: Schema, names: Sequence[str]) -> Names:
    """Return the names of nominal attributes, in their order."""
    return _of_types(schema, names, NOMINAL)


def _of_types(schema: Schema, names: Sequence[str], types: frozenset[ValueType]) -> Names:
    positions = schema.positions(names)
    chosen = np.zeros(len(schema), dtype=bool)
    chosen[schema.of_types(types)] = True
    return schema.names_at(positions[chosen[positions]])


def describe_change(
    change: Callable[[Schema, Sequence[str], Mapping[str, Any]], Schema | None],
    *,
    keeps_missing: bool = True,
) -> Describe:
    """Return how a preparation of chosen attributes is described.

    ``change`` gives the schema after it, from the schema before, the names that the attribute
    filter takes, and the parameters; None if only the run shows it. ``keeps_missing``: a value
    missing before is missing in the attribute of the same name after it.
    """

    def describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
        meta = inputs.get("examples")
        if not isinstance(meta, ExampleSetMetaData) or meta.schema is None:
            return meta if isinstance(meta, ExampleSetMetaData) else ExampleSetMetaData()
        names = names_before_run(meta.schema, parameters)
        schema = None if names is None else change(meta.schema, names, parameters)
        described = meta.with_schema(schema)
        label = meta.schema.label
        touched = names is None or (label is not None and label.name in names)
        return replace(
            described,
            missing=described.missing if keeps_missing else frozenset(),
            label_numbers=() if touched else described.label_numbers,
        )

    return describe
