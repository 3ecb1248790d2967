"""The table that flows between operators: rows × attributes, immutable, cheap to view."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from fsops.data.flow import FlowObject
from fsops.data.schema import LABEL, REGULAR, Attribute, Positions, Schema, ValueType
from fsops.data.weights import AttributeWeights
from fsops.errors import DataError, enumerate_names, in_rows

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Rows = npt.NDArray[np.intp]

MISSING_CODE = -1
LARGEST_NUMBER = 1e38
"""Algorithms square numbers and some keep them in single precision: beyond it they overflow."""
HASHED = 2**20  # values that a fingerprint reads at once
# How the values of each type are kept, and what is missing: NaN, code -1, NaT, None.
STORAGE: Mapping[ValueType, np.dtype[Any]] = {
    ValueType.REAL: np.dtype(np.float64),
    ValueType.INTEGER: np.dtype(np.float64),
    ValueType.BINOMINAL: np.dtype(np.int32),
    ValueType.POLYNOMINAL: np.dtype(np.int32),
    ValueType.DATE: np.dtype("datetime64[us]"),
    ValueType.TEXT: np.dtype(object),
}


@dataclass(frozen=True, slots=True)
class Block:
    """Columns of one storage type, of which a view sees some rows.

    ``rows`` is None where all rows are seen, in order.
    """

    values: npt.NDArray[Any]
    rows: Rows | None = None
    known: dict[str, float] = field(default_factory=dict, compare=False)
    """What has been found out about the values; shared by all views."""

    @classmethod
    def of(cls, values: npt.NDArray[Any]) -> Block:
        """Return a block that shares the array's memory but cannot be written through."""
        shared = values.view()
        shared.flags.writeable = False
        return cls(shared)

    def at(self, rows: Rows) -> Block:
        """Return the same values with other rows seen."""
        return Block(self.values, rows, self.known)

    @property
    def all_finite(self) -> bool:
        """Whether no number, seen or not, is NaN or infinite; looked at once for all views."""
        if "finite" not in self.known:
            self.known["finite"] = _sums_to_a_number(self.values)
        return bool(self.known["finite"])

    @property
    def largest(self) -> float:
        """The largest absolute number, seen or not; NaN does not count."""
        if "largest" not in self.known:
            ends = (reduce(self.values, axis=None) for reduce in (np.fmin.reduce, np.fmax.reduce))
            self.known["largest"] = max(map(abs, ends)) if self.values.size else 0.0
        return self.known["largest"]

    def gather(self, columns: Positions) -> npt.NDArray[Any]:
        """Return the seen rows of some columns; no copy where a slice will do."""
        chosen = as_slice(columns)
        if self.rows is None:
            return self.values[:, chosen]
        if isinstance(chosen, slice):
            return self.values[self.rows, chosen]
        return self.values[np.ix_(self.rows, chosen)]


def as_slice(columns: Positions) -> slice | Positions:
    """Return neighbouring columns as a slice, because slices share memory."""
    if len(columns) == 0:
        return slice(0, 0)
    first, last = int(columns[0]), int(columns[-1])
    if last - first + 1 == len(columns) and (
        len(columns) == 1 or bool((np.diff(columns) == 1).all())
    ):
        return slice(first, last + 1)
    return columns


class ExampleSet(FlowObject):
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
        blocks: Sequence[Block],
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
    def from_columns(
        cls, columns: Iterable[tuple[Attribute, npt.NDArray[Any]]], n_rows: int
    ) -> ExampleSet:
        """Return a table from attributes and their stored values, grouped into blocks."""
        pairs = list(columns)
        groups: dict[np.dtype[Any], list[int]] = {}
        for position, (attribute, stored) in enumerate(pairs):
            if stored.shape != (n_rows,):
                raise DataError(
                    f'"{attribute.name}" must have one value for each of {n_rows} rows, '
                    f"but its values have the shape {stored.shape}."
                )
            groups.setdefault(STORAGE[attribute.value_type], []).append(position)
        blocks, block_of, column_of = (
            [],
            np.zeros(len(pairs), np.intp),
            np.zeros(len(pairs), np.intp),
        )
        for number, (dtype, positions) in enumerate(groups.items()):
            # Column-major: filled column by column, and filters read whole columns.
            values = np.empty((n_rows, len(positions)), dtype=dtype, order="F")
            for column, position in enumerate(positions):
                values[:, column] = pairs[position][1]
            blocks.append(Block.of(values))
            block_of[positions] = number
            column_of[positions] = np.arange(len(positions))
        return cls(Schema.of(a for a, _ in pairs), blocks, block_of, column_of, n_rows)

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
        matrix = _matrix(X)
        n, p = matrix.shape
        chosen = [f"att{j + 1}" for j in range(p)] if names is None else [str(x) for x in names]
        if len(chosen) != p:
            raise DataError(f"The matrix has {p} columns, but {len(chosen)} names were given.")
        if y is not None and label in chosen:
            raise DataError(
                f'An attribute has the name of the label, "{label}".',
                hint="Give the label another name, with label=.",
            )
        blocks, zeros = [Block.of(matrix)], np.zeros(p, dtype=np.intp)
        examples = cls(Schema.numerical(chosen), blocks, zeros, np.arange(p, dtype=np.intp), n)
        return examples if y is None else examples.with_columns([_label_column(label, y)])

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
        from fsops.data.convert import from_pandas

        return from_pandas(frame, roles or {}, types or {})

    @classmethod
    def from_arrow(
        cls,
        table: pa.Table,
        *,
        roles: Mapping[str, str] | None = None,
        types: Mapping[str, str] | None = None,
    ) -> ExampleSet:
        """Return a table from an Arrow table; roles and types that we wrote into it are kept."""
        from fsops.data.convert import from_arrow

        return from_arrow(table, roles or {}, types or {})

    # --- looking at it ----------------------------------------------------------------------

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        label = self.schema.label
        about = "no label" if label is None else f"label {label.name} ({label.value_type})"
        return f"<ExampleSet {self.n_rows} × {len(self.schema.regular)} attributes, {about}>"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all attributes."""
        return self.schema.names

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """All attributes, special ones too."""
        return tuple(self.schema)

    def values(self, positions: Positions) -> npt.NDArray[Any]:
        """Return the stored values of attributes that share a storage type, read-only."""
        if len(positions) == 0:
            return _read_only(np.empty((self.n_rows, 0)))
        owners = self._block_of[positions]
        if (owners == owners[0]).all():
            return _read_only(self._blocks[owners[0]].gather(self._column_of[positions]))
        gathered = np.empty(
            (self.n_rows, len(positions)), dtype=self._blocks[owners[0]].values.dtype, order="F"
        )
        for owner in _distinct(owners):
            mine = np.flatnonzero(owners == owner)
            gathered[:, mine] = self._blocks[owner].gather(self._column_of[positions[mine]])
        return _read_only(gathered)

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return the stored values of one attribute: numbers, codes, dates or text."""
        found: npt.NDArray[Any] = self.values(self.schema.positions([name]))[:, 0]
        return found

    def nominal_values(self, name: str) -> list[str | None]:
        """Return the category of each row as text; None where missing."""
        categories = (*self.schema.attribute(name).categories, None)
        return [categories[code] for code in self.column(name)]

    def numeric(self) -> Floats:
        """Return the regular numerical attributes as one read-only matrix; NaN is missing."""
        return self.values(self.schema.regular_numerical)

    def nominal(self) -> Codes:
        """Return the codes of the regular nominal attributes as one matrix; -1 is missing."""
        return self.values(self.schema.regular_nominal).astype(np.int32, copy=False)

    def category_counts(self) -> npt.NDArray[np.intp]:
        """Return the number of categories of each regular nominal attribute."""
        names = self.schema.names_at(self.schema.regular_nominal)
        return np.array([len(self.schema.attribute(n).categories) for n in names], dtype=np.intp)

    @property
    def label(self) -> Attribute:
        """The attribute to predict; an error if there is none."""
        label = self.schema.label
        if label is None:
            raise DataError(
                "The data has no label.", hint="Give an attribute the role label (Set Role)."
            )
        return label

    @property
    def classes(self) -> tuple[str, ...]:
        """Categories of a nominal label."""
        label = self.label
        if not label.value_type.is_nominal:
            raise DataError(
                f'The label "{label.name}" is {label.value_type} and has no classes.',
                hint="Make it nominal first.",
            )
        return label.categories

    def label_values(self) -> npt.NDArray[Any]:
        """Return the label as numbers or class codes; a missing label is an error."""
        label = self.label
        if not (label.value_type.is_nominal or label.value_type.is_numerical):
            raise DataError(
                f'The label "{label.name}" is {label.value_type}.',
                hint="It must be a number or a class.",
            )
        values = self.column(label.name)
        missing = is_missing(values)
        if missing.any():
            raise DataError(
                f'The label "{label.name}" is missing {in_rows(np.flatnonzero(missing).tolist())}.',
                hint="Leave these rows out: Filter Examples, no_missing_labels.",
            )
        return values

    def class_codes(self) -> tuple[Codes, tuple[str, ...]]:
        """Return the class of each row as 0, 1, …, and the classes that occur, in sorted order."""
        classes = self.classes
        codes = self.label_values()
        present = sorted(_distinct(codes).tolist(), key=lambda code: classes[code])
        lookup = np.full(len(classes), MISSING_CODE, dtype=np.int32)
        lookup[present] = np.arange(len(present))
        return lookup[codes], tuple(classes[code] for code in present)

    def binary_label(self) -> Codes:
        """Return 1 for the positive class and 0 for the other; positive is what sorts last."""
        codes, present = self.class_codes()
        if len(present) != 2:
            raise DataError(
                f'Two classes are needed, but the label "{self.label.name}" has {len(present)} in '
                f"these rows: {enumerate_names(present)}.",
                hint="Keep the rows of two classes.",
            )
        return codes

    @cached_property
    def _is_finite(self) -> bool:
        """Whether all features that are numbers are finite, told without a copy where possible."""
        used = np.flatnonzero(np.bincount(self._block_of[self.schema.regular_numerical]))
        if all(self._blocks[number].all_finite for number in used):
            return True
        return _sums_to_a_number(self.numeric())

    @cached_property
    def missing_by_attribute(self) -> dict[str, int]:
        """Number of missing values of each regular attribute that has any."""
        schema = self.schema
        found = np.zeros(len(schema), dtype=np.intp)
        if not self._is_finite:
            found[schema.regular_numerical] = is_missing(self.numeric()).sum(axis=0)
        found[schema.regular_nominal] = is_missing(self.nominal()).sum(axis=0)
        for position in schema.regular_other:
            found[position] = is_missing(self.values(np.array([position]))).sum()
        return {self.names[p]: int(found[p]) for p in np.flatnonzero(found)}

    @cached_property
    def extreme_attributes(self) -> tuple[str, ...]:
        """Names of the regular numerical attributes with values beyond `LARGEST_NUMBER`."""
        used = _distinct(self._block_of[self.schema.regular_numerical])
        if all(self._blocks[number].largest <= LARGEST_NUMBER for number in used):
            return ()
        found = np.flatnonzero((np.abs(self.numeric()) > LARGEST_NUMBER).any(axis=0))
        return self.schema.names_at(self.schema.regular_numerical[found])

    def require_complete(
        self, otherwise: str = "leave these attributes out when reading (skip)"
    ) -> None:
        """Raise `DataError`, naming the attributes, if a value is missing.

        ``otherwise`` is what else than replacing them can be done.
        """
        missing = self.missing_by_attribute
        if missing:
            total = sum(missing.values())
            counted = "1 value is" if total == 1 else f"{total} values are"
            raise DataError(
                f"{counted} missing, in {enumerate_names(list(missing))}.",
                hint=f"Replace them first (Replace Missing Values), or {otherwise}.",
            )

    # --- views and changed copies -----------------------------------------------------------

    def take(self, rows: npt.ArrayLike) -> ExampleSet:
        """Return some rows as a view, in the given order; repeated rows and masks are fine."""
        chosen = self._row_numbers(np.asarray(rows))
        composed: dict[int, Rows] = {}
        for block in self._blocks:
            if id(block.rows) not in composed:
                composed[id(block.rows)] = chosen if block.rows is None else block.rows[chosen]
        blocks = [block.at(composed[id(block.rows)]) for block in self._blocks]
        return ExampleSet(self.schema, blocks, self._block_of, self._column_of, len(chosen))

    def _row_numbers(self, rows: npt.NDArray[Any]) -> Rows:
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "biu"):
            raise DataError("Rows must be given as a list of row numbers, or as a mask.")
        if rows.dtype.kind == "b":
            if len(rows) != self.n_rows:
                raise DataError(
                    f"The mask has {len(rows)} values, but the table has {self.n_rows} rows."
                )
            return np.flatnonzero(rows)
        outside = (rows < -self.n_rows) | (rows >= self.n_rows)
        if outside.any():
            allowed = f"Choose rows from 0 to {self.n_rows - 1}." if self.n_rows else ""
            raise DataError(
                f"There is no row {rows[outside][0]}; the table has {self.n_rows} rows.",
                hint=allowed,
            )
        return rows.astype(np.intp)

    def select(self, names: Iterable[str]) -> ExampleSet:
        """Return some attributes as a view, in the given order."""
        return self._at(self.schema.positions(names))

    def select_regular(self, names: Iterable[str]) -> ExampleSet:
        """Return some features, in the order of the data, together with all special attributes."""
        keep = np.zeros(len(self.schema), dtype=bool)
        keep[self.schema.positions([*names, *self.schema.roles])] = True
        return self._at(np.flatnonzero(keep))

    def drop(self, names: Iterable[str]) -> ExampleSet:
        """Return the table without some attributes."""
        keep = np.ones(len(self.schema), dtype=bool)
        keep[self.schema.positions(names)] = False
        return self._at(np.flatnonzero(keep))

    def _at(self, positions: Positions) -> ExampleSet:
        return ExampleSet(
            self.schema.take(positions),
            self._blocks,
            self._block_of[positions],
            self._column_of[positions],
            self.n_rows,
        )

    def _with_schema(self, schema: Schema) -> ExampleSet:
        return ExampleSet(schema, self._blocks, self._block_of, self._column_of, self.n_rows)

    def with_roles(self, roles: Mapping[str, str]) -> ExampleSet:
        """Return the table with other roles, by attribute name."""
        return self._with_schema(self.schema.with_roles(roles))

    def rename(self, names: Mapping[str, str]) -> ExampleSet:
        """Return the table with some attributes renamed."""
        return self._with_schema(self.schema.renamed(names))

    def with_columns(self, columns: Sequence[tuple[Attribute, npt.NDArray[Any]]]) -> ExampleSet:
        """Return the table with further attributes at the end; those of the same name go."""
        new = ExampleSet.from_columns(columns, self.n_rows)
        old = self.drop([name for name in new.names if name in self.schema])
        return ExampleSet(
            old.schema.appended(new.attributes),
            old._blocks + new._blocks,
            np.concatenate([old._block_of, new._block_of + len(old._blocks)]),
            np.concatenate([old._column_of, new._column_of]),
            self.n_rows,
        )

    def with_values(self, columns: Sequence[tuple[Attribute, npt.NDArray[Any]]]) -> ExampleSet:
        """Return the table with attributes replaced where they stand."""
        if not columns:
            return self
        return self.with_columns(columns).select(self.names)

    def with_numbers(
        self, positions: Positions, values: Floats, *, real: bool = True
    ) -> ExampleSet:
        """Return the table with numerical attributes replaced by the columns of a matrix.

        They become real ones, unless whole numbers are said to stay such.
        """
        schema = self.schema.as_real(positions) if real else self.schema
        block_of, column_of = self._block_of.copy(), self._column_of.copy()
        block_of[positions], column_of[positions] = len(self._blocks), np.arange(len(positions))
        block = Block.of(np.asfortranarray(values, dtype=np.float64))
        return ExampleSet(schema, [*self._blocks, block], block_of, column_of, self.n_rows)

    def aligned(self, schema: Schema) -> ExampleSet:
        """Return just the attributes of a schema, nominal codes translated to its categories.

        Categories the schema does not know become missing. Attributes that are not there, or have
        another type, are named in the error.
        """
        absent = [name for name in schema.names if name not in self.schema]
        if absent:
            raise DataError(
                f"The data lacks {enumerate_names(absent)}.",
                hint="Use a table with the attributes the model was trained on.",
            )
        changed: list[tuple[Attribute, npt.NDArray[Any]]] = []
        positions = self.schema.positions(schema.names)
        for place in self.schema.differing(schema, positions):
            wanted = schema.attribute(schema.names[place])
            mine = self.schema.attribute(wanted.name)
            if STORAGE[mine.value_type] != STORAGE[wanted.value_type]:
                raise DataError(
                    f'"{wanted.name}" was {wanted.value_type} when the model was trained, '
                    f"but is {mine.value_type} now.",
                    hint="Read or convert it to the same type.",
                )
            if mine.categories != wanted.categories:
                known = {category: code for code, category in enumerate(wanted.categories)}
                # The last place is where code -1 points to.
                lookup = [known.get(c, MISSING_CODE) for c in mine.categories] + [MISSING_CODE]
                codes = np.array(lookup, dtype=np.int32)[self.column(wanted.name)]
                changed.append((replace(wanted, role=REGULAR), codes))
        table = self._at(positions)
        table = table.with_columns(changed).select(schema.names) if changed else table
        return table._with_schema(schema)

    # --- results about it -------------------------------------------------------------------

    def weights(
        self,
        values: npt.ArrayLike,
        *,
        names: Sequence[str] | None = None,
        details: Mapping[str, npt.ArrayLike] | None = None,
    ) -> AttributeWeights:
        """Return weights for the regular attributes, or for the numerical ones of a mixed table.

        Which of the two is meant follows from the number of values; ``names`` says it outright.
        """
        scores = np.asarray(values, dtype=np.float64)
        if names is None:
            regular, numerical = self.schema.regular, self.schema.regular_numerical
            fits = next((p for p in (regular, numerical) if scores.shape == (len(p),)), None)
            if fits is None:
                raise DataError(
                    f"The data has {len(regular)} regular attributes ({len(numerical)} numerical), "
                    f"but the weights have the shape {scores.shape}."
                )
            # The very tuple of the schema: equal names are then found to be so at a glance.
            whole = fits is regular
            names = self.schema.regular_names if whole else self.schema.names_at(fits)
        return AttributeWeights(names, scores, details=details)

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
        about = [[a.name, a.value_type, a.role, a.categories] for a in self.schema]
        digest = hashlib.sha256(json.dumps([self.n_rows, about]).encode())
        for dtype in dict.fromkeys(STORAGE.values()):
            kept_so = [kind for kind, storage in STORAGE.items() if storage == dtype]
            positions = self.schema.of_types(kept_so)
            # Many columns at once, but not so many that a view of a large table is copied whole.
            step = max(1, HASHED // max(1, self.n_rows))
            for first in range(0, len(positions), step):
                values = self.values(positions[first : first + step])
                text = json.dumps(values.tolist()).encode() if dtype.hasobject else b""
                digest.update(text or values.tobytes())
        return digest.hexdigest()

    def layout(self) -> list[Any]:
        """Return how the values lie in memory: sums over another layout differ in the last bit."""
        blocks = [[block.values.strides, block.rows is None] for block in self._blocks]
        columns = np.concatenate([self._block_of, self._column_of])
        return [blocks, hashlib.sha256(columns.tobytes()).hexdigest()]

    def equals(self, other: object) -> bool:
        """Return whether schema and values are the same, bit for bit."""
        return (
            isinstance(other, ExampleSet)
            and self.n_rows == other.n_rows
            and self.schema == other.schema
            and self.fingerprint() == other.fingerprint()
        )


def is_missing(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return where stored values of one kind are missing."""
    if values.dtype.hasobject:
        return np.asarray(values == None, dtype=np.bool_)  # noqa: E711 - element by element
    missing: npt.NDArray[np.bool_] = (
        values == MISSING_CODE if values.dtype.kind == "i" else np.isnan(values)
    )
    return missing


def _sums_to_a_number(values: Floats) -> bool:
    """Return whether NaN and infinity can be ruled out by one fast read."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(values.sum()))


def _read_only(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    values.flags.writeable = False
    return values


def _matrix(X: npt.ArrayLike) -> Floats:
    """Return a matrix of doubles, sharing memory where it already is one."""
    raw = np.asarray(X)
    if raw.ndim != 2:
        raise DataError(
            f"A table needs rows and columns, but the array has the shape {raw.shape}.",
            hint="Give a matrix with a row for each example.",
        )
    try:
        if raw.dtype.kind in "cmM":
            raise TypeError  # noqa: TRY301 - numpy would turn them into numbers that mean nothing
        matrix = raw.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise DataError(
            "The matrix contains values that are not numbers.",
            hint="Use from_pandas for mixed data.",
        ) from None
    contiguous = matrix.flags.c_contiguous or matrix.flags.f_contiguous
    return matrix if contiguous else np.ascontiguousarray(matrix)


def _label_column(name: str, y: npt.ArrayLike) -> tuple[Attribute, npt.NDArray[Any]]:
    values = np.asarray(y)
    if values.ndim != 1:
        raise DataError(f"The label needs one value per row, but it has the shape {values.shape}.")
    if values.dtype.kind == "f":
        return Attribute(name, ValueType.REAL, LABEL), values
    if values.dtype.hasobject:
        return nominal_column(name, [category_text(v) for v in values.tolist()], role=LABEL)
    found, places = np.unique(values, return_inverse=True)
    attribute, codes = coded_column(name, [str(category_text(v)) for v in found.tolist()], places)
    return replace(attribute, role=LABEL), codes


def _distinct(numbers: npt.NDArray[np.integer[Any]]) -> Positions:
    """Return which numbers from 0 occur; unlike `numpy.unique` it loads nothing for that."""
    return np.flatnonzero(np.bincount(numbers))


def category_text(value: object) -> str | None:
    """Return a value as the name of a category; None where it is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    return str(value)


def nominal_column(
    name: str, values: Sequence[str | None], role: str = REGULAR
) -> tuple[Attribute, Codes]:
    """Return a nominal attribute with sorted categories, and the codes of the values."""
    found = sorted({v for v in values if v is not None})
    code: dict[str | None, int] = {category: number for number, category in enumerate(found)}
    codes = np.array([code.get(value, MISSING_CODE) for value in values], dtype=np.int32)
    return replace(Attribute.nominal(name, found), role=role), codes


def coded_column(
    name: str,
    found: Sequence[str],
    codes: npt.NDArray[np.integer[Any]],
    categories: Iterable[str] | None = None,
) -> tuple[Attribute, Codes]:
    """Return a nominal attribute from texts that may repeat, and codes that point to them.

    The categories are the texts in sorted order unless given.
    """
    names = sorted(set(found)) if categories is None else list(categories)
    place = {category: number for number, category in enumerate(names)}
    # The last place is where code -1 points to.
    lookup = np.array([*(place[text] for text in found), MISSING_CODE], dtype=np.int32)
    return Attribute.nominal(name, names), lookup[codes]
