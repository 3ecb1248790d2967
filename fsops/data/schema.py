"""Names, value types and roles of attributes: what is known about a table without its values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from fsops.errors import DataError, did_you_mean, enumerate_names

REGULAR = "regular"
LABEL = "label"
PREDICTION = "prediction"

Positions = npt.NDArray[np.intp]


class ValueType(StrEnum):
    """What the values of an attribute are."""

    REAL = "real"
    INTEGER = "integer"
    BINOMINAL = "binominal"
    POLYNOMINAL = "polynominal"
    DATE = "date"
    TEXT = "text"

    @property
    def is_numerical(self) -> bool:
        """Whether algorithms may calculate with the values."""
        return self in NUMERICAL

    @property
    def is_nominal(self) -> bool:
        """Whether the values are one of a few named categories."""
        return self in NOMINAL


NUMERICAL = frozenset({ValueType.REAL, ValueType.INTEGER})
NOMINAL = frozenset({ValueType.BINOMINAL, ValueType.POLYNOMINAL})
# A wide table keeps one byte per attribute, not one object: this tuple gives the byte its meaning.
_TYPES: tuple[ValueType, ...] = tuple(ValueType)
_TYPE_CODE = {value_type: code for code, value_type in enumerate(_TYPES)}


@dataclass(frozen=True, slots=True)
class Attribute:
    """One column's name, value type, role, and for nominal ones its categories."""

    name: str
    value_type: ValueType = ValueType.REAL
    role: str = REGULAR
    categories: tuple[str, ...] = ()

    @property
    def is_regular(self) -> bool:
        """Whether learners and weightings see the attribute as a feature."""
        return self.role == REGULAR

    @classmethod
    def nominal(cls, name: str, categories: Iterable[str], role: str = REGULAR) -> Attribute:
        """Return a nominal attribute, binominal if it has at most two categories."""
        values = tuple(categories)
        kind = ValueType.BINOMINAL if len(values) <= 2 else ValueType.POLYNOMINAL
        return cls(name, kind, role, values)


class Schema:
    """The attributes of a table, compact enough for half a million of them.

    Immutable: every change returns a new schema, and row views share one.
    """

    def __init__(
        self,
        names: Sequence[str],
        type_codes: npt.NDArray[np.int8],
        roles: Mapping[str, str],
        categories: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.names = tuple(names)
        self._type_codes = type_codes
        self.roles = dict(roles)
        self._categories = dict(categories)
        if len(self.index) != len(self.names):
            double = [name for name, times in Counter(self.names).items() if times > 1]
            raise DataError(
                f"Attribute names must be different, but several are {enumerate_names(double)}.",
                hint="Rename the columns.",
            )
        for role, times in Counter(self.roles.values()).items():
            if times > 1:
                holders = [name for name, held in self.roles.items() if held == role]
                raise DataError(
                    f'Only one attribute can have the role "{role}", '
                    f"not {enumerate_names(holders)} at once.",
                    hint="Give the others another role.",
                )

    @classmethod
    def of(cls, attributes: Iterable[Attribute]) -> Schema:
        """Return the schema of the given attributes, in their order."""
        items = list(attributes)
        return cls(
            [a.name for a in items],
            np.array([_TYPE_CODE[a.value_type] for a in items], dtype=np.int8),
            {a.name: a.role for a in items if not a.is_regular},
            {a.name: a.categories for a in items if a.value_type.is_nominal},
        )

    @classmethod
    def numerical(cls, names: Sequence[str]) -> Schema:
        """Return a schema of regular real attributes; fast for very many."""
        return cls(names, np.full(len(names), _TYPE_CODE[ValueType.REAL], dtype=np.int8), {}, {})

    @cached_property
    def index(self) -> dict[str, int]:
        """Position by name."""
        return {name: position for position, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Attribute]:
        return (self.attribute(name) for name in self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.index

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Schema)
            and self.names == other.names
            and np.array_equal(self._type_codes, other._type_codes)
            and self.roles == other.roles
            and self._categories == other._categories
        )

    __hash__ = None  # type: ignore[assignment]  # compared by content, never a key

    def __repr__(self) -> str:
        return f"Schema({len(self)} attributes, roles={self.roles})"

    def position(self, name: str) -> int:
        """Return where the attribute is; an unknown name is an error with a suggestion."""
        try:
            return self.index[name]
        except KeyError:
            hint = did_you_mean(name, self.names) or f"There are {enumerate_names(self.names)}."
            raise DataError(f'There is no attribute "{name}".', hint=hint) from None

    def positions(self, names: Iterable[str]) -> Positions:
        """Return where the attributes are, in the order of the names."""
        try:
            return np.fromiter(map(self.index.__getitem__, names), dtype=np.intp)
        except KeyError as error:
            self.position(error.args[0])  # tells which one, and a name that is like it
            raise

    def attribute(self, name: str) -> Attribute:
        """Return one attribute by name."""
        value_type = _TYPES[self._type_codes[self.position(name)]]
        role = self.roles.get(name, REGULAR)
        return Attribute(name, value_type, role, self._categories.get(name, ()))

    def special(self, role: str) -> Attribute | None:
        """Return the attribute with a special role such as ``"label"``, if there is one."""
        name = next((n for n, r in self.roles.items() if r == role), None)
        return None if name is None else self.attribute(name)

    @property
    def label(self) -> Attribute | None:
        """The attribute to predict, if there is one."""
        return self.special(LABEL)

    def _is_one_of(self, types: Collection[ValueType]) -> npt.NDArray[np.bool_]:
        return np.isin(self._type_codes, [_TYPE_CODE[t] for t in types])

    def of_types(self, types: Collection[ValueType]) -> Positions:
        """Return the positions of all attributes of some value types, special ones too."""
        return np.flatnonzero(self._is_one_of(types))

    @cached_property
    def _regular_mask(self) -> npt.NDArray[np.bool_]:
        mask = np.ones(len(self), dtype=bool)
        mask[[self.index[name] for name in self.roles]] = False
        return mask

    @cached_property
    def regular(self) -> Positions:
        """Positions of the features."""
        return np.flatnonzero(self._regular_mask)

    @cached_property
    def regular_numerical(self) -> Positions:
        """Positions of the features algorithms may calculate with."""
        return np.flatnonzero(self._regular_mask & self._is_one_of(NUMERICAL))

    @cached_property
    def regular_nominal(self) -> Positions:
        """Positions of the features with named categories."""
        return np.flatnonzero(self._regular_mask & self._is_one_of(NOMINAL))

    @cached_property
    def regular_other(self) -> Positions:
        """Positions of the features that are neither: dates and text."""
        return np.flatnonzero(self._regular_mask & ~self._is_one_of(NUMERICAL | NOMINAL))

    def names_at(self, positions: Positions) -> tuple[str, ...]:
        """Return the names at the given positions."""
        return tuple(map(self.names.__getitem__, positions.tolist()))

    def category_counts(self, positions: Positions) -> npt.NDArray[np.intp]:
        """Return the number of categories of the nominal attributes at the given positions."""
        lengths = map(len, map(self._categories.__getitem__, self.names_at(positions)))
        return np.fromiter(lengths, dtype=np.intp, count=len(positions))

    @cached_property
    def regular_names(self) -> tuple[str, ...]:
        """Names of the features."""
        return self.names_at(self.regular) if self.roles else self.names

    def take(self, positions: Positions) -> Schema:
        """Return the schema of some of the attributes, in the given order."""
        names = self.names_at(positions)
        kept = set(names) if self.roles or self._categories else set()
        return Schema(
            names,
            self._type_codes[positions],
            {n: r for n, r in self.roles.items() if n in kept},
            {n: c for n, c in self._categories.items() if n in kept},
        )

    def with_roles(self, roles: Mapping[str, str]) -> Schema:
        """Return the schema with other roles; whoever held a role before becomes regular."""
        new = {name: role for name, role in self.roles.items() if role not in roles.values()}
        for name, role in roles.items():
            self.position(name)
            new.pop(name, None)
            if role != REGULAR:
                new[name] = role
        return Schema(self.names, self._type_codes, new, self._categories)

    def renamed(self, names: Mapping[str, str]) -> Schema:
        """Return the schema with some attributes renamed."""
        for name in names:
            self.position(name)
        return Schema(
            [names.get(n, n) for n in self.names],
            self._type_codes,
            {names.get(n, n): role for n, role in self.roles.items()},
            {names.get(n, n): categories for n, categories in self._categories.items()},
        )

    def appended(self, attributes: Sequence[Attribute]) -> Schema:
        """Return the schema with further attributes at the end."""
        more = Schema.of(attributes)
        return Schema(
            self.names + more.names,
            np.concatenate([self._type_codes, more._type_codes]),
            self.roles | more.roles,
            self._categories | more._categories,
        )

    def as_real(self, positions: Positions) -> Schema:
        """Return the schema with numerical attributes declared as real ones."""
        types = self._type_codes.copy()
        types[positions] = _TYPE_CODE[ValueType.REAL]
        return Schema(self.names, types, self.roles, self._categories)

    def differing(self, other: Schema, positions: Positions) -> list[int]:
        """Return which attributes of another schema these may differ from, but for their roles.

        ``positions`` says where the attributes of the other one are here.
        """
        same_type = self._type_codes[positions] == other._type_codes
        return np.flatnonzero(~same_type | other._is_one_of(NOMINAL)).tolist()

    def replaced(self, attribute: Attribute) -> Schema:
        """Return the schema with the attribute of that name declared anew."""
        self.position(attribute.name)
        return Schema.of(attribute if a.name == attribute.name else a for a in self)
