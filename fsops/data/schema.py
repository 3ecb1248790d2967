"""Names, value types and roles of attributes: a table without its values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fsops.data.categories import Categories
from fsops.data.names import Names, Positions, repeated
from fsops.errors import DataError, did_you_mean, enumerate_names

if TYPE_CHECKING:
    from fsops.data.attribute_groups import AttributeGroups

REGULAR = "regular"
LABEL = "label"
WEIGHT = "weight"
PREDICTION = "prediction"
COVARIATE = "covariate"
"""A known influence, such as age; several attributes may have this role."""
EVENT = "event"
"""Whether the event happened at the time that is the label, or the row was observed up to then."""
RISK_GROUP = "risk_group"
"""Group of rows with a similar predicted risk, whose borders come from training rows."""
MUST_KEEP = "must_keep"
"""A feature that every selection keeps."""
FORBIDDEN = "forbidden"
"""Not a feature: no selection takes the attribute, and no learner uses it."""
MARKS: tuple[str, ...] = ("", MUST_KEEP, FORBIDDEN)
"""Roles that many attributes may have; a byte per attribute is a position in this tuple."""
SHARED_ROLES = frozenset({COVARIATE, MUST_KEEP, FORBIDDEN})


Marks = npt.NDArray[np.int8]


class ValueType(StrEnum):
    """The type of the values of an attribute."""

    REAL = "real"
    INTEGER = "integer"
    BINOMINAL = "binominal"
    POLYNOMINAL = "polynominal"
    DATE = "date"
    TEXT = "text"
    ORDINAL = "ordinal"

    @property
    def is_numerical(self) -> bool:
        """Whether algorithms may calculate with the values."""
        return self in NUMERICAL

    @property
    def is_nominal(self) -> bool:
        """Whether the values are one of a few named categories, ordered or not."""
        return self in NOMINAL


NUMERICAL = frozenset({ValueType.REAL, ValueType.INTEGER})
NOMINAL = frozenset({ValueType.BINOMINAL, ValueType.POLYNOMINAL, ValueType.ORDINAL})
# A wide table keeps one byte per attribute, not one object: this tuple gives the byte its meaning.
_TYPES: tuple[ValueType, ...] = tuple(ValueType)
DECLARED = ("names", "_type_codes", "_special", "_categories", "marks", "groups")
_TYPE_CODE = {value_type: code for code, value_type in enumerate(_TYPES)}
_IS_NUMERICAL = np.array([value_type in NUMERICAL for value_type in _TYPES])
_IS_NOMINAL = np.array([value_type in NOMINAL for value_type in _TYPES])


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
        return self.role in (REGULAR, MUST_KEEP)

    @classmethod
    def nominal(cls, name: str, categories: Iterable[str], role: str = REGULAR) -> Attribute:
        """Return a nominal attribute, binominal if it has at most two categories."""
        values = tuple(categories)
        kind = ValueType.BINOMINAL if len(values) <= 2 else ValueType.POLYNOMINAL
        return cls(name, kind, role, values)


class Schema:
    """The attributes of a table: columns of names, types and roles, no object for each attribute.

    Immutable: every change returns a new schema, and row views share one. Names are shared with
    subsets and weights, so that they are aligned by position instead of by name.

    Parameters
    ----------
    names : Names
        All different.
    type_codes : array of int8
        Value type of each attribute, as a position in `ValueType`.
    special : mapping of int to str
        Role by position, of the attributes that are not regular.
    categories : Categories
    marks : array of int8, optional
        Position of each attribute's role in `MARKS`, if any attribute has one of these roles.
    groups : AttributeGroups, optional
        Named groups of attributes, such as gene sets.
    """

    def __init__(
        self,
        names: Names,
        type_codes: npt.NDArray[np.int8],
        special: Mapping[int, str],
        categories: Categories,
        *,
        marks: Marks | None = None,
        groups: AttributeGroups | None = None,
    ) -> None:
        self.names = names
        self.marks = marks
        self.groups = groups
        self._type_codes = type_codes
        self._special = dict(special)
        self._categories = categories
        roles = [role for role in self._special.values() if role not in SHARED_ROLES]
        if len(set(roles)) < len(roles):
            self._raise_shared_role(Counter(roles).most_common(1)[0][0])

    def __getstate__(self) -> dict[str, Any]:
        """Return the declarations only: derived values need not be sent or stored."""
        return {name: vars(self)[name] for name in DECLARED}

    @cached_property
    def passed(self) -> set[Hashable]:
        """Checks that these attributes have passed: they need not be repeated for other rows."""
        return set()

    def _raise_shared_role(self, role: str) -> None:
        holders = [self.names[place] for place, held in self._special.items() if held == role]
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
            different_names([a.name for a in items]),
            np.array([_TYPE_CODE[a.value_type] for a in items], dtype=np.int8),
            {
                place: a.role
                for place, a in enumerate(items)
                if a.role != REGULAR and a.role not in MARKS
            },
            Categories.of(a.categories if a.value_type.is_nominal else () for a in items),
            marks=_marks_or_none([MARKS.index(a.role) if a.role in MARKS else 0 for a in items]),
        )

    @classmethod
    def numerical(cls, names: Sequence[str], value_type: ValueType = ValueType.REAL) -> Schema:
        """Return a schema of regular attributes of one numerical type; fast for very many."""
        kept = different_names(names)
        types = np.full(len(kept), _TYPE_CODE[value_type], dtype=np.int8)
        return cls(kept, types, {}, Categories.none(len(kept)))

    @classmethod
    def nominal(cls, names: Sequence[str], categories: Categories) -> Schema:
        """Return a schema of regular nominal attributes; fast for very many."""
        return cls.numerical(names).as_nominal(np.arange(len(names)), categories)

    @cached_property
    def roles(self) -> dict[str, str]:
        """Role by name, of the attributes that are not regular."""
        roles = {self.names[place]: role for place, role in self._special.items()}
        return roles | dict.fromkeys(self.names_at(self.marked(FORBIDDEN)), FORBIDDEN)

    @cached_property
    def is_bound(self) -> bool:
        """Whether a selection has to keep attributes, or to take some of them together."""
        if self.marks is not None and len(self.marked(MUST_KEEP)):
            return True
        return self.groups is not None and self.groups.bound_codes(len(self)) is not None

    @property
    def noted_roles(self) -> dict[str, str]:
        """Role by name, of the attributes that are not regular or must be kept: for files."""
        return self.roles | dict.fromkeys(self.names_at(self.marked(MUST_KEEP)), MUST_KEEP)

    def marked(self, role: str) -> Positions:
        """Return the positions of the attributes with one of the roles in `MARKS`."""
        if self.marks is None:
            return np.empty(0, dtype=np.intp)
        return np.flatnonzero(self.marks == MARKS.index(role))

    @property
    def special_positions(self) -> Positions:
        """Positions of the attributes that are not regular, in the order of the data."""
        positions = np.array(sorted(self._special), dtype=np.intp)
        return positions if self.marks is None else np.union1d(positions, self.marked(FORBIDDEN))

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Attribute]:
        return map(self._attribute, range(len(self)), self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and (
            self is other
            or (
                self.names == other.names
                and np.array_equal(self._type_codes, other._type_codes)
                and self._special == other._special
                and _same_marks(self.marks, other.marks)
                and self.groups == other.groups
                and not self._categories.differ(other._categories).any()
            )
        )

    __hash__ = None  # type: ignore[assignment]  # compared by content, never a key

    def __repr__(self) -> str:
        return f"Schema({len(self)} attributes, roles={self.roles})"

    def position(self, name: str) -> int:
        """Return where the attribute is; an unknown name is an error with a suggestion."""
        found = self.names.position(name)
        return found if found >= 0 else int(self.positions([name])[0])  # which tells what is wrong

    def positions(self, names: Iterable[str]) -> Positions:
        """Return where the attributes are, in the order of the names."""
        wanted = names if isinstance(names, Names) else list(names)
        found = self.names.find(wanted)
        unknown = np.flatnonzero(found < 0)
        if len(unknown):
            name = wanted[unknown[0]]
            hint = did_you_mean(name, self.names) or f"There are {enumerate_names(self.names)}."
            raise DataError(f'There is no attribute "{name}".', hint=hint)
        return found

    def attribute(self, name: str) -> Attribute:
        """Return one attribute by name."""
        return self._attribute(self.position(name), name)

    def _attribute(self, position: int, name: str) -> Attribute:
        value_type = _TYPES[self._type_codes[position]]
        role = self._special.get(position, REGULAR)
        if self.marks is not None:
            role = MARKS[self.marks[position]] or role
        return Attribute(name, value_type, role, self._categories[position])

    def special(self, role: str) -> Attribute | None:
        """Return the attribute with a special role such as ``"label"``, if there is one."""
        if role not in self._found:
            place = self.special_position(role)
            self._found[role] = None if place is None else self._attribute(place, self.names[place])
        return self._found[role]

    @cached_property
    def _found(self) -> dict[str, Attribute | None]:
        """Attributes by special role, as far as they were asked for: each fold asks again."""
        return {}

    def special_position(self, role: str) -> int | None:
        """Return where the attribute with a special role is, if there is one."""
        for place, held in self._special.items():
            if held == role:
                return place
        return None

    @cached_property
    def row_weight(self) -> Attribute | None:
        """The attribute with the weights of the rows, if there is one."""
        return self.special(WEIGHT)

    @cached_property
    def label(self) -> Attribute | None:
        """The attribute to predict, if there is one."""
        return self.special(LABEL)

    def _is_one_of(self, types: Collection[ValueType]) -> npt.NDArray[np.bool_]:
        chosen = np.zeros(len(_TYPES), dtype=bool)
        chosen[[_TYPE_CODE[t] for t in types]] = True
        return chosen[self._type_codes]

    def of_types(self, types: Collection[ValueType]) -> Positions:
        """Return the positions of all attributes of some value types, special ones too."""
        return np.flatnonzero(self._is_one_of(types))

    def type_counts(self, positions: Positions) -> dict[ValueType, int]:
        """Return how many attributes at some positions have each value type, in the order seen."""
        codes, first, counts = np.unique(
            self._type_codes[positions], return_index=True, return_counts=True
        )
        return {_TYPES[codes[i]]: int(counts[i]) for i in np.argsort(first).tolist()}

    def _regular_among(self, mask: npt.NDArray[np.bool_]) -> Positions:
        """Return the positions of the features among some attributes; the mask is overwritten."""
        if self._special:
            mask[list(self._special)] = False
        if self.marks is not None:
            mask[self.marked(FORBIDDEN)] = False
        return _places(mask)

    @cached_property
    def regular(self) -> Positions:
        """Positions of the features."""
        return self._regular_among(np.ones(len(self), dtype=bool))

    @cached_property
    def regular_numerical(self) -> Positions:
        """Positions of the features algorithms may calculate with."""
        return self._regular_among(_IS_NUMERICAL[self._type_codes])

    @cached_property
    def regular_nominal(self) -> Positions:
        """Positions of the features with named categories."""
        return self._regular_among(_IS_NOMINAL[self._type_codes])

    @cached_property
    def regular_other(self) -> Positions:
        """Positions of the features that are neither: dates and text."""
        return self._regular_among(~self._is_one_of(NUMERICAL | NOMINAL))

    def names_at(self, positions: Positions) -> Names:
        """Return the names at the given positions."""
        return self.names.take(positions)

    def category_counts(self, positions: Positions) -> Positions:
        """Return the number of categories of the nominal attributes at the given positions."""
        return self._categories.take(positions).counts()

    @cached_property
    def regular_names(self) -> Names:
        """Names of the features."""
        special = bool(self._special) or self.marks is not None
        return self.names_at(self.regular) if special else self.names

    def take(self, positions: Positions) -> Schema:
        """Return the schema of some of the attributes, in the given order."""
        chosen = np.asarray(positions, dtype=np.intp)
        if not _are_different(chosen):
            raise_repeated(self.names.take(chosen))
        return Schema(
            self.names.take(chosen),
            self._type_codes[chosen],
            self._special_among(chosen),
            self._categories.take(chosen),
            marks=None if self.marks is None else _marks_or_none(self.marks[chosen]),
            groups=None if self.groups is None else self.groups.take(chosen, len(self)),
        )

    def _changed(self, **parts: Any) -> Schema:
        """Return the schema with some of its parts replaced."""
        same = (self.names, self._type_codes, self._special, self._categories)
        keys = ("names", "type_codes", "special", "categories")
        kept = dict(zip(keys, same, strict=True))
        return Schema(**{**kept, "marks": self.marks, "groups": self.groups, **parts})

    def _special_among(self, positions: Positions) -> dict[int, str]:
        """Return the roles by new position."""
        found = ((_places(positions == p), role) for p, role in self._special.items())
        return {int(places[0]): role for places, role in found if len(places)}

    def with_roles(self, roles: Mapping[str, str]) -> Schema:
        """Return the schema with other roles; an attribute that had one of them becomes regular.

        Only the roles covariate, must_keep and forbidden may be held by several attributes.
        """
        taken = set(roles.values()) - SHARED_ROLES
        new = {place: role for place, role in self._special.items() if role not in taken}
        marks = np.zeros(len(self), np.int8) if self.marks is None else self.marks.copy()
        for place, role in zip(self.positions(roles).tolist(), roles.values(), strict=True):
            new.pop(place, None)
            marks[place] = MARKS.index(role) if role in MARKS else 0
            if role != REGULAR and role not in MARKS:
                new[place] = role
        return self._changed(special=new, marks=_marks_or_none(marks))

    def with_mark(self, positions: Positions, role: str) -> Schema:
        """Return the schema with regular attributes that must be kept or are forbidden.

        The role regular takes such marks away. Fast for very many.
        """
        marks = np.zeros(len(self), np.int8) if self.marks is None else self.marks.copy()
        marks[positions] = MARKS.index(role) if role in MARKS else 0
        special = {p: held for p, held in self._special.items() if not marks[p]}
        return self._changed(special=special, marks=_marks_or_none(marks))

    def with_groups(self, groups: AttributeGroups | None) -> Schema:
        """Return the schema with other groups of attributes."""
        return self._changed(groups=groups)

    def renamed(self, names: Mapping[str, str]) -> Schema:
        """Return the schema with some attributes renamed."""
        texts = self.names.texts()
        for place, name in zip(self.positions(names).tolist(), names.values(), strict=True):
            texts[place] = name
        return self._changed(names=different_names(texts))

    def with_names(self, names: Sequence[str]) -> Schema:
        """Return the schema with another name for each attribute."""
        return self._changed(names=different_names(names))

    def without_roles(self) -> Schema:
        """Return the schema with regular attributes only."""
        return self._changed(special={}, marks=None)

    def appended(self, attributes: Schema | Sequence[Attribute]) -> Schema:
        """Return the schema with further attributes at the end."""
        more = attributes if isinstance(attributes, Schema) else Schema.of(attributes)
        double = self.names.find(more.names) >= 0
        if double.any():
            raise_repeated([*self.names, *more.names])
        return self._joined(more)

    def _joined(self, more: Schema) -> Schema:
        special = {place + len(self): role for place, role in more._special.items()}
        return Schema(
            self.names.joined(more.names),
            np.concatenate([self._type_codes, more._type_codes]),
            self._special | special,
            self._categories.joined(more._categories),
            marks=self._joined_marks(more),
            groups=self._joined_groups(more),
        )

    def _joined_marks(self, more: Schema) -> Marks | None:
        if self.marks is None and more.marks is None:
            return None
        parts = [
            np.zeros(len(part), np.int8) if part.marks is None else part.marks
            for part in (self, more)
        ]
        return np.concatenate(parts)

    def _joined_groups(self, more: Schema) -> AttributeGroups | None:
        if more.groups is None:
            return self.groups
        shifted = more.groups.shifted(len(self))
        return shifted if self.groups is None else self.groups.joined(shifted)

    def extended(self, attributes: tuple[Attribute, ...]) -> Schema | None:
        """Return the schema with further attributes at the end; None if one has a name from here.

        Asked again for the same attributes, as each test set of a validation is for its prediction,
        it is the same object.
        """
        try:
            return self._extended[attributes]
        except KeyError:
            more = Schema.of(attributes)
            known = bool((self.names.find(more.names) >= 0).any())
            self._extended[attributes] = None if known else self._joined(more)
            return self._extended[attributes]

    @cached_property
    def _extended(self) -> dict[tuple[Attribute, ...], Schema | None]:
        return {}

    def as_numbers(self, positions: Positions, value_type: ValueType = ValueType.REAL) -> Schema:
        """Return the schema with attributes declared as numbers; they lose their categories."""
        types = self._type_codes.copy()
        types[positions] = _TYPE_CODE[value_type]
        return self._changed(type_codes=types, categories=self._categories.without(positions))

    def as_nominal(self, positions: Positions, categories: Categories) -> Schema:
        """Return the schema with attributes declared as nominal, their roles kept.

        They are binominal if they have at most two categories.
        """
        types = self._type_codes.copy()
        few = categories.counts() <= 2
        binominal, polynominal = (
            _TYPE_CODE[t] for t in (ValueType.BINOMINAL, ValueType.POLYNOMINAL)
        )
        types[positions] = np.where(few, binominal, polynominal)
        joined = self._categories.with_some(positions, categories)
        return self._changed(type_codes=types, categories=joined)

    def declared(self, positions: Positions, other: Schema) -> Schema:
        """Return the schema with the types and categories of another, the names and roles kept.

        ``positions`` says where the attributes of the other one are here.
        """
        types = self._type_codes.copy()
        types[positions] = other._type_codes
        categories = self._categories.with_some(positions, other._categories)
        return self._changed(type_codes=types, categories=categories)

    def type_codes(self, positions: Positions) -> npt.NDArray[np.int8]:
        """Return the value types at some positions, as places in `ValueType`."""
        return self._type_codes[positions]

    def categories(self, positions: Positions) -> Categories:
        """Return the categories of the attributes at some positions."""
        return self._categories.take(positions)

    def differing(self, other: Schema, positions: Positions) -> Positions:
        """Return which attributes of another schema have another type or other categories here.

        ``positions`` says where the attributes of the other one are here.
        """
        other_type = self._type_codes[positions] != other._type_codes
        other_categories = self._categories.take(positions).differ(other._categories)
        return _places(other_type | other_categories)

    def content(self) -> Iterator[bytes]:
        """Return bytes that are the same for equal schemas, and different for others."""
        yield self.names.content()
        yield self._type_codes.tobytes()
        yield json.dumps(sorted(self._special.items())).encode()
        yield from self._categories.content()
        # Nothing for tables without: their bytes are those of earlier versions.
        if self.marks is not None:
            yield b"marks" + self.marks.tobytes()
        if self.groups is not None:
            yield from self.groups.content()

    def replaced(self, attribute: Attribute) -> Schema:
        """Return the schema with a new declaration of the attribute of that name."""
        place = self.position(attribute.name)
        types = self._type_codes.copy()
        types[place] = _TYPE_CODE[attribute.value_type]
        categories = attribute.categories if attribute.value_type.is_nominal else ()
        declared = self._changed(
            type_codes=types, categories=self._categories.replaced(place, categories)
        )
        if self._attribute(place, attribute.name).role == attribute.role:
            return declared
        return declared.with_roles({attribute.name: attribute.role})


def different_names(names: Sequence[str]) -> Names:
    """Return the names; repeated ones are an error."""
    if not isinstance(names, Names) and len(set(names)) < len(names):
        raise_repeated(names)
    return Names.of(names)


def raise_repeated(names: Sequence[str]) -> None:
    """Raise `DataError` that says which names are repeated."""
    raise DataError(
        "Attribute names must be different, but several are "
        f"{enumerate_names(repeated(list(names)))}.",
        hint="Rename the columns.",
    )


def _places(mask: npt.NDArray[np.bool_]) -> Positions:
    """Return where a mask is true, in a third of the time of `numpy.flatnonzero`."""
    places: Positions = mask.nonzero()[0]
    return places


def _are_different(positions: Positions) -> bool:
    """Return whether no position is repeated; mostly they rise, which is seen at a glance."""
    if bool((positions[1:] > positions[:-1]).all()):
        return True
    return len(np.unique(positions)) == len(positions)


def _marks_or_none(codes: npt.ArrayLike) -> Marks | None:
    """Return roles as bytes; None if no attribute has one of them."""
    marks = np.asarray(codes, dtype=np.int8)
    return marks if marks.any() else None


def _same_marks(one: Marks | None, two: Marks | None) -> bool:
    if one is None or two is None:
        return one is two
    return bool(np.array_equal(one, two))
