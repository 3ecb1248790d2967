"""Named groups of attributes, such as the columns of one coded attribute, or gene sets.

A group is bound or only described. Selections keep or drop the attributes of a bound group
together; groups that are described have no influence on them. Bound groups do not overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data.names import Names, Positions
from fsops.errors import DataError, enumerate_names

NO_GROUP = -1


class AttributeGroups:
    """Groups as arrays: no object for each attribute or group.

    Parameters
    ----------
    names : Names
        All different.
    starts : array of int
        Where the attributes of each group begin in ``members``, and the end of the last group.
    members : array of int
        Positions of attributes in the table, rising inside each group.
    bound : array of bool
        Which groups are kept or dropped together.
    """

    def __init__(
        self,
        names: Names,
        starts: Positions,
        members: Positions,
        bound: npt.NDArray[np.bool_],
    ) -> None:
        self.names = names
        self.starts = starts
        self.members = members
        self.bound = bound
        if bound.any():
            self._refuse_overlap()

    @classmethod
    def of(cls, groups: Mapping[str, Iterable[int]], *, bound: bool = False) -> AttributeGroups:
        """Return groups from positions by name."""
        members = [np.unique(np.asarray(list(g), dtype=np.intp)) for g in groups.values()]
        return cls.of_sizes(list(groups), [len(m) for m in members], _joined(members), bound=bound)

    @classmethod
    def of_sizes(
        cls, names: Sequence[str], sizes: Sequence[int], members: Positions, *, bound: bool
    ) -> AttributeGroups:
        """Return groups whose attributes lie one group after the other; empty ones are left out."""
        starts = np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.intp))])
        flags = np.full(len(sizes), bound)
        return cls(Names.of(names), starts, members, flags)._without_empty()

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AttributeGroups)
            and self.names == other.names
            and np.array_equal(self.starts, other.starts)
            and np.array_equal(self.members, other.members)
            and np.array_equal(self.bound, other.bound)
        )

    __hash__ = None  # type: ignore[assignment]  # compared by content, never a key

    def __repr__(self) -> str:
        return f"<{len(self)} groups of attributes, {int(self.bound.sum())} of them bound>"

    def __getstate__(self) -> dict[str, Any]:
        return dict(vars(self))

    @property
    def sizes(self) -> Positions:
        """Number of attributes in each group."""
        return np.diff(self.starts)

    @property
    def owners(self) -> Positions:
        """Number of the group that each entry of ``members`` belongs to."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def positions(self, group: int) -> Positions:
        """Return the positions of the attributes of one group."""
        return self.members[self.starts[group] : self.starts[group + 1]]

    def bound_codes(self, count: int) -> Positions | None:
        """Return the bound group of each of ``count`` attributes, -1 for none; None if all are -1.

        A group of one attribute binds nothing.
        """
        binding = self.bound & (self.sizes > 1)
        if not binding.any():
            return None
        codes = np.full(count, NO_GROUP, dtype=np.intp)
        owners = self.owners
        inside = binding[owners]
        codes[self.members[inside]] = owners[inside]
        return codes

    def bound_names(self, count: int) -> npt.NDArray[np.str_] | None:
        """Return the name of each attribute's bound group, empty for none; None without any."""
        codes = self.bound_codes(count)
        if codes is None:
            return None
        used, places = np.unique(codes, return_inverse=True)
        texts = ["" if code == NO_GROUP else self.names[code] for code in used.tolist()]
        return np.array(texts)[places]

    def with_bound(self, bound: bool) -> AttributeGroups:
        """Return the same groups, all of them bound or all only described."""
        return AttributeGroups(self.names, self.starts, self.members, np.full(len(self), bound))

    # --- as the table changes -----------------------------------------------------------------

    def take(self, positions: Positions, count: int) -> AttributeGroups | None:
        """Return the groups among some of ``count`` attributes, in their new places."""
        places = np.full(count, -1, dtype=np.intp)
        places[positions] = np.arange(len(positions))
        moved, owners = places[self.members], self.owners
        inside = np.flatnonzero(moved >= 0)
        moved, owners = moved[inside], owners[inside]
        order = np.lexsort((moved, owners))
        sizes = np.bincount(owners, minlength=len(self))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        left = AttributeGroups(self.names, starts, moved[order], self.bound)._without_empty()
        return left if len(left) else None

    def shifted(self, by: int) -> AttributeGroups:
        """Return the groups of attributes that come after so many others."""
        return AttributeGroups(self.names, self.starts, self.members + by, self.bound)

    def joined(self, other: AttributeGroups) -> AttributeGroups:
        """Return these groups and others; those of the same name become one, bound if both are."""
        places = self.names.find(other.names)
        new = np.flatnonzero(places < 0)
        places[new] = len(self) + np.arange(len(new))
        names = self.names.joined(other.names.take(new)) if len(new) else self.names
        pairs = np.unique(
            np.concatenate(
                [
                    np.column_stack([self.owners, self.members]),
                    np.column_stack([places[other.owners], other.members]),
                ]
            ),
            axis=0,
        )
        bound = np.concatenate([self.bound, other.bound[new]])
        both = np.flatnonzero(places < len(self))
        bound[places[both]] &= other.bound[both]
        starts = np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=len(names)))])
        return AttributeGroups(names, starts, pairs[:, 1], bound)

    def to_lists(self) -> dict[str, Any]:
        """Return the groups as lists, for a file."""
        numbers = {"starts": self.starts, "members": self.members, "bound": self.bound}
        return {"names": self.names.texts(), **{k: v.tolist() for k, v in numbers.items()}}

    @classmethod
    def from_lists(cls, found: Any, count: int) -> AttributeGroups:
        """Return the groups from `to_lists`; ValueError if they do not fit ``count`` attributes."""
        names, starts, members, bound = (found[k] for k in ("names", "starts", "members", "bound"))
        at = np.array(starts, dtype=np.intp)
        places = np.array(members, dtype=np.intp)
        flags = np.array(bound, dtype=bool)
        fits = (
            all(isinstance(name, str) for name in names)
            and len(set(names)) == len(names)
            and at.shape == (len(names) + 1,)
            and flags.shape == (len(names),)
            and places.ndim == 1
            and at[0] == 0
            and at[-1] == places.size
            and bool((np.diff(at) > 0).all())
            and bool(((places >= 0) & (places < count)).all())
        )
        if not fits:
            raise ValueError("The groups do not fit the attributes.")
        return cls(Names.of(names), at, places, flags)

    def content(self) -> Iterator[bytes]:
        """Return bytes that are the same for equal groups, and different for others."""
        yield b"groups" + self.names.content()
        yield self.starts.tobytes()
        yield self.members.tobytes()
        yield self.bound.tobytes()

    def _without_empty(self) -> AttributeGroups:
        used = np.flatnonzero(self.sizes > 0)
        if len(used) == len(self):
            return self
        starts = np.concatenate([[0], np.cumsum(self.sizes[used])])
        return AttributeGroups(self.names.take(used), starts, self.members, self.bound[used])

    def _refuse_overlap(self) -> None:
        owners = self.owners
        inside = np.flatnonzero(self.bound[owners])
        members = self.members[inside]
        values, counts = np.unique(members, return_counts=True)
        if len(values) == len(members):
            return
        twice = int(values[counts > 1][0])
        groups = self.names.take(owners[inside[members == twice]]).texts()
        raise DataError(
            f"Groups that are selected together must not overlap, but {enumerate_names(groups)} "
            "have an attribute in common.",
            hint="Choose groups that do not overlap, or do not select them together.",
        )


def _joined(parts: Sequence[Positions]) -> Positions:
    return np.concatenate(parts) if len(parts) else np.empty(0, dtype=np.intp)
