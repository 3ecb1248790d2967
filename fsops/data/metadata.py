"""Metadata of a result, known before anything has run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from fsops.data.examples import ExampleSet
from fsops.data.flow import FlowObject
from fsops.data.schema import Schema
from fsops.data.weights import AttributeWeights

if TYPE_CHECKING:
    from fsops.data.model import Model, PredictionModel

LOOKED_AT = 5_000_000
"""How many values of a table are looked at to say more than its schema does."""
ENOUGH_ROWS = 20
"""Fewer rows say little about an attribute that separates the classes."""
FEW_NUMBERS = 10
"""Up to so many whole numbers of a label may be names of classes."""


@dataclass(frozen=True)
class MetaData:
    """Only the type is known."""

    type: type[FlowObject] = FlowObject


@dataclass(frozen=True)
class TableInFile:
    """A table that can be read in blocks."""

    rows: int
    columns: int
    always: bool
    """Whether it stays in the file even if it fits into memory."""


@dataclass(frozen=True)
class ExampleSetMetaData(MetaData):
    """Attributes and number of rows, as far as they are known (None: not known)."""

    type: type[FlowObject] = ExampleSet
    schema: Schema | None = None
    rows: int | None = None
    missing: frozenset[str] = frozenset()
    """Regular attributes that are known to have missing values; others may have some too."""
    label_numbers: tuple[float, ...] = ()
    """The values of a numerical label, if they are known to be few whole numbers."""
    file: TableInFile | None = None
    """The file that the values may stay in."""
    class_counts: tuple[int, ...] = ()
    """Rows of each class of a nominal label, if known; of all rows that were read."""
    leaks: tuple[str, ...] = ()
    """Regular attributes each of which alone separates the classes."""

    def counts(self) -> tuple[int, ...]:
        """Return the rows of each class; nothing if rows were chosen since they were counted."""
        return self.class_counts if sum(self.class_counts) == self.rows else ()

    def with_schema(self, schema: Schema | None) -> ExampleSetMetaData:
        """Return the same for other attributes, where the values of those that stay are kept."""
        if schema is None:
            return replace(
                self, schema=None, missing=frozenset(), label_numbers=(), class_counts=(), leaks=()
            )
        regular = frozenset(n for n in self.missing if n in schema and n not in schema.roles)
        old, new = self.schema.label if self.schema else None, schema.label
        same = new is not None and new == old
        numbers = self.label_numbers if same else ()
        leaks = tuple(n for n in self.leaks if same and n in schema and n not in schema.roles)
        counts = self.class_counts if same else ()
        return replace(
            self, schema=schema, missing=regular, label_numbers=numbers,
            class_counts=counts, leaks=leaks,
        )  # fmt: skip


@dataclass(frozen=True)
class WeightsMetaData(MetaData):
    """Which attributes have a weight, if known."""

    type: type[FlowObject] = AttributeWeights
    names: Sequence[str] | None = None


@dataclass(frozen=True)
class ModelMetaData(MetaData):
    """The schema a model was trained on, if known."""

    type: type[FlowObject] = field(default_factory=lambda: _model_types()[0])
    training: Schema | None = None


def _model_types() -> tuple[type[Model], type[PredictionModel]]:
    from fsops.data.model import Model, PredictionModel  # most results are no models

    return Model, PredictionModel


def metadata_of(value: FlowObject) -> MetaData:
    """Return the metadata of an existing result."""
    if isinstance(value, ExampleSet):
        return _of_table(value)
    if isinstance(value, AttributeWeights):
        return WeightsMetaData(type(value), value.names)
    model, predicting = _model_types()
    if isinstance(value, predicting):
        return ModelMetaData(type(value), value.attributes.appended([value.label]))
    if isinstance(value, model):
        return ModelMetaData(type(value), value.attributes)
    return MetaData(type(value))


def _of_table(table: ExampleSet) -> ExampleSetMetaData:
    # A streamed table is not read for this.
    if type(table) is not ExampleSet or table.n_rows * len(table.schema) > LOOKED_AT:
        return ExampleSetMetaData(type(table), table.schema, table.n_rows)
    return ExampleSetMetaData(
        type(table),
        table.schema,
        table.n_rows,
        frozenset(table.missing_by_attribute),
        _few_numbers(table),
        class_counts=_class_counts(table),
        leaks=_leaks(table),
    )


def _class_counts(table: ExampleSet) -> tuple[int, ...]:
    """Return the rows of each class of a nominal label."""
    label = table.schema.label
    if label is None or not label.value_type.is_nominal:
        return ()
    codes = table.column(label.name)
    return tuple(np.bincount(codes[codes >= 0], minlength=len(label.categories)).tolist())


def _leaks(table: ExampleSet) -> tuple[str, ...]:
    """Return the attributes that separate the classes alone; sparse tables are not searched."""
    if table.is_sparse or table.schema.label is None:
        return ()
    from fsops.data.leakage import giveaways

    return tuple(giveaways(table)) if table.n_rows >= ENOUGH_ROWS else ()


def _few_numbers(table: ExampleSet) -> tuple[float, ...]:
    """Return the values of a numerical label, if they are few whole numbers."""
    label = table.schema.label
    if label is None or not label.value_type.is_numerical:
        return ()
    values = table.column(label.name)
    found = np.unique(values[np.isfinite(values)])
    few = len(found) <= FEW_NUMBERS and bool((found == np.rint(found)).all())
    return tuple(found.tolist()) if few else ()
