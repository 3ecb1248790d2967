"""The table that flows between operators: rows × attributes, immutable, cheap to view."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from fsops.data.columns import (
    LARGEST_NUMBER,
    STORAGE,
    Column,
    ColumnBlock,
    Floats,
    LooseBlock,
    Rows,
    as_slice,
    columns_beyond,
    is_missing,
    label_column,
    missing_counts,
    number_matrix,
    occurring,
    read_only,
    row_numbers,
    storage_numbers,
    sums_to_a_number,
)
from fsops.data.flow import FlowObject
from fsops.data.names import Names, Positions, texts_of
from fsops.data.schema import LABEL, NOMINAL, Schema
from fsops.data.table import CACHED, Table
from fsops.errors import DataError, enumerate_names

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from fsops.data.attribute_groups import AttributeGroups
    from fsops.data.row_plans import PlannedRows

FAULTLESS: Mapping[str, Any] = {
    "_is_finite": True,
    "missing_by_attribute": {},
    "extreme_attributes": (),
}
"""Findings that hold for all parts of a table if they hold for the table."""


def block_of_values(values: Any) -> ColumnBlock:
    """Return a block over a matrix of stored values, or over a sparse matrix of numbers."""
    if isinstance(values, np.ndarray):
        return ColumnBlock.of(values)
    from fsops.data.sparse import SparseBlock, sparse_numbers  # loads scipy

    return SparseBlock(sparse_numbers(values))


class ExampleSet(Table, FlowObject):
    """Rows × attributes, each attribute with a name, a value type and a role.

    Numbers are one contiguous block of doubles, nominal values are codes with categories. Selecting
    rows or attributes gives a view on the same memory. Nothing is ever changed in place.
    Missing values are NaN in numbers, code -1 in nominal attributes, NaT in dates, None in text.

    Make one with `from_numpy`, `from_pandas` or `from_arrow`.
    """

    port_name: ClassVar[str] = "examples"
    title: ClassVar[str] = "Data table"

    def __init__(
        self,
        schema: Schema,
        blocks: Sequence[ColumnBlock],
        block_of: Positions,
        column_of: Positions,
        n_rows: int,
    ) -> None:
        self.schema = schema
        self.n_rows = n_rows
        self._blocks = tuple(blocks)
        self._block_of = block_of
        self._column_of = column_of

    # --- making one -------------------------------------------------------------------------

    @classmethod
    def from_columns(cls, columns: Iterable[Column], n_rows: int) -> ExampleSet:
        """Return a table from attributes and their stored values, grouped into blocks."""
        pairs = list(columns)
        stored = _stored(pairs, n_rows)
        return cls(Schema.of(a for a, _ in pairs), *stored, n_rows)

    @classmethod
    def from_numpy(
        cls,
        X: npt.ArrayLike,
        y: npt.ArrayLike | None = None,
        *,
        names: Iterable[str] | None = None,
        label: str = "label",
    ) -> ExampleSet:
        """Return a table over a matrix; doubles are shared, not copied.

        Parameters
        ----------
        X : array of shape (rows, attributes)
        y : array of shape (rows,), optional
            The label. Real numbers make it numerical; text, booleans and whole numbers are classes,
            of which None and NaN are missing.
        names : iterable of str, optional
            Names of the attributes; ``att1``, ``att2``, … if not given.
        label : str
            Name of the label.
        """
        matrix = number_matrix(X)
        return cls._named(ColumnBlock.of(matrix), matrix.shape, y, names, label)

    @classmethod
    def _named(
        cls,
        block: ColumnBlock,
        shape: tuple[int, int],
        y: npt.ArrayLike | None,
        names: Iterable[str] | None,
        label: str,
    ) -> ExampleSet:
        """Return a table over one block of numbers, with names and a label."""
        n, p = shape
        chosen = Names.numbered("att", p) if names is None else texts_of(names)
        if len(chosen) != p:
            raise DataError(f"The matrix has {p} columns, but {len(chosen)} names were given.")
        if y is not None and label in chosen:
            raise DataError(
                f'An attribute has the name of the label, "{label}".',
                hint="Give the label another name, with label=.",
            )
        places = np.zeros(p, dtype=np.intp), np.arange(p, dtype=np.intp)
        examples = cls(Schema.numerical(chosen), [block], *places, n)
        return examples if y is None else examples.with_columns([label_column(label, y)])

    @classmethod
    def from_sparse(
        cls,
        matrix: Any,
        y: npt.ArrayLike | None = None,
        *,
        names: Iterable[str] | None = None,
        label: str = "label",
    ) -> ExampleSet:
        """Return a table over a sparse matrix of scipy; values that are not stored are zero.

        NaN is a missing value. Parameters are those of `from_numpy`.
        """
        from fsops.data.sparse import SparseBlock, sparse_numbers

        return cls._named(SparseBlock(sparse_numbers(matrix)), matrix.shape, y, names, label)

    @classmethod
    def from_pandas(
        cls,
        frame: pd.DataFrame,
        *,
        roles: Mapping[str, str] | None = None,
        types: Mapping[str, str] | None = None,
    ) -> ExampleSet:
        """Return a table from a data frame; ``roles`` and ``types`` by column name.

        Booleans, text and categoricals become nominal, dates stay dates (to the microsecond).
        The index is left out: make it a column first if it says something.
        """
        from fsops.data.convert import frame_columns  # loads pandas

        parts = frame_columns(frame, roles or {}, types or {})
        if parts.is_matrix:
            table = cls.from_numpy(parts.numbers, names=parts.number_names)
            table = table.with_columns(parts.others).select(parts.names)
        else:
            table = cls.from_columns(parts.columns(), len(frame))
        return table.with_roles(roles) if roles else table

    @classmethod
    def from_arrow(
        cls,
        table: pa.Table,
        *,
        roles: Mapping[str, str] | None = None,
        types: Mapping[str, str] | None = None,
    ) -> ExampleSet:
        """Return a table from an Arrow table; roles and types written by fsops are kept."""
        from fsops.data.convert import arrow_columns, arrow_groups  # loads pandas and pyarrow

        columns, stored_roles = arrow_columns(table, roles or {}, types or {})
        examples = cls.from_columns(columns, table.num_rows)
        groups = arrow_groups(table)
        examples = examples if groups is None else examples.with_groups(groups)
        return examples.with_roles(stored_roles).with_roles(roles or {})

    # --- looking at it ----------------------------------------------------------------------

    def values(self, positions: Positions) -> npt.NDArray[Any]:
        """Return the stored values of attributes that share a storage type, read-only."""
        if len(positions) == 0:
            return read_only(np.empty((self.n_rows, 0)))
        owners = self._block_of[positions]
        first = owners[0]
        if len(owners) == 1 or (owners == first).all():
            return read_only(self._blocks[first].gather(self._column_of[positions]))
        gathered = np.empty(
            (self.n_rows, len(positions)), dtype=self._blocks[owners[0]].dtype, order="F"
        )
        for owner in occurring(owners):
            mine = np.flatnonzero(owners == owner)
            gathered[:, mine] = self._blocks[owner].gather(self._column_of[positions[mine]])
        return read_only(gathered)

    def numeric(self) -> Floats:
        """Return the regular numerical attributes as one read-only matrix; NaN is missing."""
        return super().numeric() if self._neighbours is None else self._neighbours

    @cached_property
    def _neighbours(self) -> Floats | None:
        """The regular numerical attributes with all rows, as a view; None where they are apart."""
        positions = self.schema.regular_numerical
        if len(positions) == 0:
            return None
        owners = self._block_of[positions]
        block = self._blocks[owners[0]]
        if block.is_sparse or block.rows is not None or (owners != owners[0]).any():
            return None
        columns = as_slice(self._column_of[positions])
        return read_only(block.values[:, columns]) if isinstance(columns, slice) else None

    @cached_property
    def is_sparse(self) -> bool:
        """Whether regular numerical attributes are stored without their zeros."""
        return self._stored_sparse(self.schema.regular_numerical)

    def _stored_sparse(self, positions: Positions) -> bool:
        if not any(block.is_sparse for block in self._blocks):
            return False
        return any(
            self._blocks[number].is_sparse for number in occurring(self._block_of[positions])
        )

    def matrix(self) -> Any:
        """Return the regular numerical attributes as they are stored: dense, or sparse of scipy."""
        return self._sparse if self.is_sparse else self.numeric()

    @cached_property
    def _sparse(self) -> Any:
        return self.stored(self.schema.regular_numerical)

    def stored(self, positions: Positions) -> Any:
        """Return attributes that share a storage type as `values`, or sparse if one of them is."""
        if not self._stored_sparse(positions):
            return self.values(positions)
        from fsops.data.sparse import stored_numbers

        return stored_numbers(self, positions)

    def dense(self) -> ExampleSet:
        """Return the table with all values stored; an error if the memory does not suffice."""
        from fsops.data.sparse import dense_table

        return dense_table(self) if self.is_sparse else self

    def loose_columns(self, positions: Positions) -> Sequence[Floats] | Floats:
        """Return numerical attributes one by one, without a copy where they lie apart."""
        owners = occurring(self._block_of[positions])
        block = self._blocks[owners[0]] if len(owners) == 1 else None
        if isinstance(block, LooseBlock):
            return [block.columns[j] for j in self._column_of[positions].tolist()]
        return self.values(positions).T

    @cached_property
    def _is_finite(self) -> bool:
        """Whether all features that are numbers are finite, found without a copy where possible."""
        used = occurring(self._block_of[self.schema.regular_numerical])
        if all(self._blocks[number].all_finite for number in used):
            return True
        return sums_to_a_number(self.matrix().data if self.is_sparse else self.numeric())

    @cached_property
    def missing_by_attribute(self) -> dict[str, int]:
        """Number of missing values of each regular attribute that has any."""
        schema = self.schema
        found = np.zeros(len(schema), dtype=np.intp)
        if not self._is_finite:
            found[schema.regular_numerical] = missing_counts(self.matrix())
        found[schema.regular_nominal] = is_missing(self.nominal()).sum(axis=0)
        for position in schema.regular_other:
            found[position] = is_missing(self.values(np.array([position]))).sum()
        return {self.names[p]: int(found[p]) for p in np.flatnonzero(found)}

    @cached_property
    def extreme_attributes(self) -> Sequence[str]:
        """Names of the regular numerical attributes with values beyond `LARGEST_NUMBER`."""
        used = occurring(self._block_of[self.schema.regular_numerical])
        if all(self._blocks[number].largest <= LARGEST_NUMBER for number in used):
            return ()
        found = np.flatnonzero(columns_beyond(self.matrix(), LARGEST_NUMBER))
        return self.schema.names_at(self.schema.regular_numerical[found])

    def _planned(self) -> PlannedRows | None:
        return PLANNED.get(self)

    # --- views and changed copies -----------------------------------------------------------

    def take(self, rows: npt.ArrayLike) -> ExampleSet:
        """Return some rows as a view, in the given order; repeated rows and masks are fine."""
        chosen = row_numbers(np.asarray(rows), self.n_rows)
        composed: dict[int, Rows] = {}
        for block in self._blocks:
            if id(block.rows) not in composed:
                composed[id(block.rows)] = chosen if block.rows is None else block.rows[chosen]
        blocks = [block.at(composed[id(block.rows)]) for block in self._blocks]
        taken = ExampleSet(self.schema, blocks, self._block_of, self._column_of, len(chosen))
        return taken._with_label_rows_of(self, chosen)._without_faults_of(self)

    def select(self, names: Iterable[str]) -> ExampleSet:
        """Return some attributes as a view, in the given order."""
        return self._at(self.schema.positions(names))

    def select_regular(self, names: Iterable[str]) -> ExampleSet:
        """Return some features, in the order of the data, together with all special attributes."""
        keep = np.zeros(len(self.schema), dtype=bool)
        keep[self.schema.positions(names)] = True
        return self._with_special(keep)

    def features(self, chosen: npt.NDArray[Any]) -> ExampleSet:
        """Return some features, in the order of the data, together with all special attributes.

        ``chosen`` are positions among the features, or a mask of them.
        """
        keep = np.zeros(len(self.schema), dtype=bool)
        keep[self.schema.regular[chosen]] = True
        return self._with_special(keep)

    def _with_special(self, keep: npt.NDArray[np.bool_]) -> ExampleSet:
        keep[self.schema.special_positions] = True
        return self._at(keep.nonzero()[0])

    def drop(self, names: Iterable[str]) -> ExampleSet:
        """Return the table without some attributes."""
        return self._without(self.schema.positions(names))

    def _without(self, positions: Positions) -> ExampleSet:
        keep = np.ones(len(self.schema), dtype=bool)
        keep[positions] = False
        return self if keep.all() else self._at(np.flatnonzero(keep))

    def _at(self, positions: Positions, schema: Schema | None = None) -> ExampleSet:
        """Return some attributes; ``schema`` declares them if it is known already."""
        table = ExampleSet(
            self.schema.take(positions) if schema is None else schema,
            self._blocks,
            self._block_of[positions],
            self._column_of[positions],
            self.n_rows,
        )
        if schema is not None:  # which may have another label, or call a special one regular
            return table
        return table._with_label_of(self)._without_faults_of(self)

    def _with_label_of(self, other: ExampleSet) -> ExampleSet:
        """Take over the values of the label that a table with the same rows has found."""
        if self.schema.special_position(LABEL) is not None:
            known, own = vars(other), vars(self)
            for key in CACHED:
                if key in known:
                    own[key] = known[key]
        return self

    def _with_label_rows_of(self, other: ExampleSet, rows: Rows) -> ExampleSet:
        """Take over the label of some rows of a table that has found its values."""
        known, own = vars(other), vars(self)
        if "_label_values" in known:
            own["_label_values"] = read_only(known["_label_values"][rows])
        if "_class_codes" in known:
            codes, classes = known["_class_codes"]
            taken = codes[rows]
            if np.bincount(taken, minlength=len(classes)).all():  # else the codes are others
                own["_class_codes"] = read_only(taken), classes
        return self

    def _without_faults_of(self, other: ExampleSet) -> ExampleSet:
        """Take over that no value is missing or extreme in a table of which this is a part."""
        known, own = vars(other), vars(self)
        for key, fine in FAULTLESS.items():
            if key in known and known[key] == fine:
                own[key] = fine
        return self

    def _with_schema(self, schema: Schema) -> ExampleSet:
        return ExampleSet(schema, self._blocks, self._block_of, self._column_of, self.n_rows)

    def view(self) -> ExampleSet:
        """Return the same table as another object."""
        return self._with_schema(self.schema)._with_label_of(self)._without_faults_of(self)

    def with_roles(self, roles: Mapping[str, str]) -> ExampleSet:
        """Return the table with other roles, by attribute name."""
        return self._with_schema(self.schema.with_roles(roles))

    def with_mark(self, names: Iterable[str], role: str) -> ExampleSet:
        """Return the table with attributes that every selection keeps, or that none may take.

        ``role`` is ``"must_keep"`` or ``"forbidden"``; ``"regular"`` takes both away.
        """
        return self._with_schema(self.schema.with_mark(self.schema.positions(names), role))

    def with_groups(self, groups: AttributeGroups | None) -> ExampleSet:
        """Return the table with other groups of attributes."""
        return self._with_schema(self.schema.with_groups(groups))

    def rename(self, names: Mapping[str, str]) -> ExampleSet:
        """Return the table with some attributes renamed."""
        return self._with_schema(self.schema.renamed(names))

    def with_columns(self, columns: Sequence[Column]) -> ExampleSet:
        """Return the table with further attributes at the end; those of the same name go."""
        schema = self.schema.extended(tuple(attribute for attribute, _ in columns))
        if schema is None:
            return self.beside(ExampleSet.from_columns(columns, self.n_rows))
        return self._widened(schema, *_stored(columns, self.n_rows))

    def _widened(
        self,
        schema: Schema,
        blocks: Sequence[ColumnBlock],
        block_of: Positions,
        column_of: Positions,
    ) -> ExampleSet:
        """Return the table with further columns, which the schema has at its end."""
        table = ExampleSet(
            schema,
            (*self._blocks, *blocks),
            np.concatenate([self._block_of, block_of + len(self._blocks)]),
            np.concatenate([self._column_of, column_of]),
            self.n_rows,
        )
        return table._with_label_of(self)

    def beside(self, new: ExampleSet) -> ExampleSet:
        """Return the table with the attributes of another at the end, of as many rows.

        Attributes of the same name are replaced.
        """
        replaced = self.schema.names.find(new.names)
        old = self._without(replaced[replaced >= 0])
        schema = old.schema.appended(new.schema)
        return old._widened(schema, new._blocks, new._block_of, new._column_of)

    @classmethod
    def of_matrix(cls, schema: Schema, values: npt.NDArray[Any]) -> ExampleSet:
        """Return a table of attributes that share a storage type, over their stored values."""
        n, p = values.shape
        zeros = np.zeros(p, dtype=np.intp)
        return cls(schema, [ColumnBlock.of(values)], zeros, np.arange(p, dtype=np.intp), n)

    def with_values(self, columns: Sequence[Column]) -> ExampleSet:
        """Return the table with attributes replaced in place."""
        if not columns:
            return self
        changed = self.with_columns(columns).select(self.names)
        if self.schema.groups is None:
            return changed
        return changed._with_schema(changed.schema.with_groups(self.schema.groups))

    def with_numbers(self, positions: Positions, values: Any, *, real: bool = True) -> ExampleSet:
        """Return the table with numerical attributes replaced by the columns of a matrix.

        The matrix may be a sparse one of scipy. The attributes become real, unless ``real`` is
        False.
        """
        schema = self.schema.as_numbers(positions) if real else self.schema
        dense = isinstance(values, np.ndarray)
        stored = values.astype(np.float64, copy=False) if dense else values
        return self.with_block(schema, positions, stored)

    def with_scaled(
        self, positions: Positions, centre: Floats, divisor: Floats, offset: float = 0.0
    ) -> ExampleSet:
        """Return the table with each value x of some numerical attributes scaled.

        It becomes (x - center) / divisor + offset. Where that leaves zeros zero, a sparse table
        stays sparse.
        """
        from fsops.algorithms.preparation.normalization import scaled

        keeps_zeros = not offset and not centre.any()
        values = self.stored(positions) if keeps_zeros else self.values(positions)
        return self.with_numbers(positions, scaled(values, centre, divisor, offset))

    def with_block(self, schema: Schema, positions: Positions, values: Any) -> ExampleSet:
        """Return the table with attributes replaced by the columns of a matrix of stored values.

        ``schema`` declares all attributes of the new table, which stay in their places.
        """
        block_of, column_of = self._block_of.copy(), self._column_of.copy()
        block_of[positions], column_of[positions] = len(self._blocks), np.arange(len(positions))
        # As it is stored: copying a wide table into another order takes longer than most operators.
        return ExampleSet(
            schema, [*self._blocks, block_of_values(values)], block_of, column_of, self.n_rows
        )

    def aligned(self, schema: Schema) -> ExampleSet:
        """Return just the attributes of a schema, nominal codes translated to its categories.

        Categories the schema does not know become missing. Attributes that are not there, or have
        another type, are named in the error.
        """
        positions = self.schema.names.locate(schema.names)
        if positions.min(initial=0) < 0:
            absent = schema.names_at(np.flatnonzero(positions < 0))
            raise DataError(
                f"The data lacks {enumerate_names(absent)}.",
                hint="Use a table with the attributes the model was trained on.",
            )
        differing = self.schema.differing(schema, positions)
        if not len(differing):
            return self._at(positions, schema)
        self._require_same_storage(schema, positions, differing)
        table = self._at(positions)
        nominal = differing[np.isin(differing, schema.of_types(NOMINAL))]
        if len(nominal):
            mine, wanted = table.schema.categories(nominal), schema.categories(nominal)
            codes = mine.recoded(table.values(nominal), wanted)
            return table.with_block(schema, nominal, codes)
        return table._with_schema(schema)

    def _require_same_storage(
        self, schema: Schema, positions: Positions, differing: Positions
    ) -> None:
        """Raise `DataError` for the first attribute whose values are of another kind here."""
        here = storage_numbers(self.schema, positions[differing])
        wrong = differing[here != storage_numbers(schema, differing)]
        if len(wrong):
            wanted = schema.attribute(schema.names[wrong[0]])
            mine = self.schema.attribute(wanted.name)
            raise DataError(
                f'"{wanted.name}" was {wanted.value_type} when the model was trained, '
                f"but is {mine.value_type} now.",
                hint="Read or convert it to the same type.",
            )

    def loaded(self) -> ExampleSet:
        """Return the table in memory; an error if it is in a file and too large."""
        return self

    # --- other forms, and identity ----------------------------------------------------------

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with the attributes in order; nominal ones as categoricals."""
        from fsops.data.convert import to_pandas

        return to_pandas(self)

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table that remembers types and roles."""
        from fsops.data.convert import to_arrow

        return to_arrow(self)

    def fingerprint(self) -> str:
        """Return a SHA-256 over names, types, roles, categories and all values."""
        digest = hashlib.sha256(json.dumps(self.n_rows).encode())
        for part in self.schema.content():
            digest.update(part)
        for part in self.stored_content():
            digest.update(part)
        return digest.hexdigest()

    def stored_content(self) -> Iterator[bytes]:
        """Return all values as bytes, those of one storage type after the other."""
        from fsops.data.content import stored_content

        return stored_content(self)

    def layout(self) -> list[Any]:
        """Return how the values lie in memory: sums over another layout differ in the last bit."""
        blocks = [block.layout() for block in self._blocks]
        columns = np.concatenate([self._block_of, self._column_of])
        return [blocks, hashlib.sha256(columns.tobytes()).hexdigest()]

    def equals(self, other: object) -> bool:
        """Return whether schema and values are the same, bit for bit."""
        if not isinstance(other, ExampleSet) or self.n_rows != other.n_rows:
            return False
        if self.is_sparse != other.is_sparse:
            from fsops.data.content import same_values

            return self.schema == other.schema and same_values(self, other)
        return self.schema == other.schema and self.fingerprint() == other.fingerprint()


def _stored(pairs: Sequence[Column], n_rows: int) -> tuple[list[ColumnBlock], Positions, Positions]:
    """Return columns grouped into blocks, with block and place of each column."""
    groups: dict[np.dtype[Any], list[int]] = {}
    for position, (attribute, stored) in enumerate(pairs):
        if stored.shape != (n_rows,):
            raise DataError(
                f'"{attribute.name}" must have one value for each of {n_rows} rows, '
                f"but its values have the shape {stored.shape}."
            )
        groups.setdefault(STORAGE[attribute.value_type], []).append(position)
    blocks = []
    block_of, column_of = np.zeros((2, len(pairs)), np.intp)
    for number, (dtype, positions) in enumerate(groups.items()):
        # Column-major: filled column by column, and filters read whole columns.
        values = np.empty((n_rows, len(positions)), dtype=dtype, order="F")
        for column, position in enumerate(positions):
            values[:, column] = pairs[position][1]
            block_of[position], column_of[position] = number, column
        blocks.append(ColumnBlock.of(values))
    return blocks, block_of, column_of


# Not a part of the table: it must neither be stored nor travel to another process with it.
PLANNED: WeakKeyDictionary[ExampleSet, PlannedRows] = WeakKeyDictionary()
"""Which set of a `RowPlan` the rows of a table are, if they are one."""
