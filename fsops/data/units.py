"""Units of a selection: single attributes and bound groups, some of which must be kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fsops.algorithms.base.ranking import Chosen, best
from fsops.data.attribute_groups import NO_GROUP
from fsops.data.names import Positions
from fsops.data.schema import MUST_KEEP, Schema

if TYPE_CHECKING:
    from fsops.data.weights import AttributeWeights

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
KEPT, GROUP = MUST_KEEP, "attribute_group"
"""Details of weights: 1 for an attribute that must be kept, and the name of its bound group."""


@dataclass(frozen=True, eq=False)
class Units:
    """Which attributes a selection takes or leaves together, and which it must take.

    Parameters
    ----------
    unit_of : array of int
        Number of the unit of each attribute: 0, 1, …, in the order of their first attributes.
    kept : array of bool
        Which units must be kept.
    """

    unit_of: Positions
    kept: Bools

    @classmethod
    def of(cls, groups: npt.NDArray[Any] | None, kept: Bools) -> Units:
        """Return the units of attributes, by any code of their groups; below 0 or "" is none."""
        p = len(kept)
        if groups is None:
            return cls(np.arange(p), kept)
        first, place = _first_of_group(groups)
        units, unit_of = np.unique(first[place], return_inverse=True)
        # An attribute that must be kept keeps its group.
        chosen = np.zeros(len(units), dtype=bool)
        chosen[unit_of[kept]] = True
        return cls(unit_of, chosen)

    def __len__(self) -> int:
        return len(self.kept)

    @cached_property
    def free(self) -> Positions:
        """Numbers of the units that a selection may leave out."""
        return np.flatnonzero(~self.kept)

    @property
    def is_grouped(self) -> bool:
        """Whether a unit has several attributes."""
        return len(self.kept) < len(self.unit_of)

    @cached_property
    def kept_attributes(self) -> Bools:
        """Which attributes must be kept."""
        return self.kept[self.unit_of]

    def attributes(self, units: Positions) -> Positions:
        """Return the positions of the attributes of some units and of all that must be kept."""
        chosen = self.kept.copy()
        chosen[units] = True
        return np.flatnonzero(chosen[self.unit_of])

    def scores(self, values: Floats) -> Floats:
        """Return the best value of each unit; unknown only if all of its values are."""
        if not self.is_grouped:
            return values
        found = np.full(len(self), -np.inf)
        known = ~np.isnan(values)
        np.maximum.at(found, self.unit_of[known], values[known])
        some = np.zeros(len(self), dtype=bool)
        some[self.unit_of[known]] = True
        return np.where(some, found, np.nan)

    def spread(self, values: Floats) -> Floats:
        """Return for each attribute the best value of its unit."""
        return self.scores(values)[self.unit_of] if self.is_grouped else values

    def complete(self, chosen: Bools) -> Bools:
        """Return chosen attributes, the others of their groups, and all that must be kept."""
        units = self.kept.copy()
        units[self.unit_of[chosen]] = True
        return units[self.unit_of]

    def best(self, values: Floats, k: int) -> Chosen:
        """Return the attributes of the ``k`` best units, best first; those to keep count.

        Attributes of a group follow each other. All units to keep are there even if they are more.
        """
        scores = self.scores(values)
        others = self.free
        left = max(k - int(self.kept.sum()), 0)
        chosen = best(scores[others], left) if left else Chosen(np.empty(0, np.intp), 0)
        units = np.concatenate([np.flatnonzero(self.kept), others[chosen.positions]])
        order = best(scores[units], len(units)).positions
        place = np.full(len(self), len(self))
        place[units[order]] = np.arange(len(units))
        by_place = place[self.unit_of]
        ranked = np.argsort(by_place, kind="stable")
        return Chosen(ranked[: np.count_nonzero(by_place < len(self))], chosen.tied)


def _first_of_group(groups: npt.NDArray[Any]) -> tuple[Positions, Positions]:
    """Return the first attribute of each unit, and the unit of each attribute, in no order."""
    alone = groups == "" if groups.dtype.kind == "U" else groups <= NO_GROUP
    _, first, place = np.unique(groups, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    single = np.flatnonzero(alone)
    first = np.concatenate([first, single])
    place[single] = len(first) - len(single) + np.arange(len(single))
    return first, place


def units_of_schema(schema: Schema) -> Units | None:
    """Return the units of the features; None if each may be chosen alone and none must be kept."""
    if schema.marks is None and schema.groups is None:
        return None
    groups = None if schema.groups is None else schema.groups.bound_codes(len(schema))
    kept = np.zeros(len(schema), dtype=bool)
    kept[schema.marked(MUST_KEEP)] = True
    if groups is None and not kept.any():
        return None
    return Units.of(None if groups is None else groups[schema.regular], kept[schema.regular])


def units_of_weights(weights: AttributeWeights) -> Units | None:
    """Return the units of weighted attributes; None if there are only free single attributes."""
    details = weights.details
    if KEPT not in details and GROUP not in details:
        return None
    kept = details[KEPT] != 0 if KEPT in details else np.zeros(len(weights), dtype=bool)
    return Units.of(details.get(GROUP), np.asarray(kept, dtype=bool))


def unit_details(schema: Schema, names: Any) -> dict[str, npt.NDArray[Any]]:
    """Return the details that weights of a table carry, for the attributes of these names."""
    places = schema.names.find(names)
    found: dict[str, npt.NDArray[Any]] = {}
    kept = schema.marked(MUST_KEEP)
    if len(kept):
        flags = np.zeros(len(schema) + 1, dtype=np.int8)
        flags[kept] = 1
        found[KEPT] = flags[places]  # -1 is the last one
    groups = None if schema.groups is None else schema.groups.bound_names(len(schema))
    if groups is not None:
        found[GROUP] = np.append(groups, "")[places]
    return found


def weight_details(weights: AttributeWeights, names: Any) -> dict[str, npt.NDArray[Any]]:
    """Return the same details of other weights, for the attributes of these names."""
    places = weights.names.find(names)
    found: dict[str, npt.NDArray[Any]] = {}
    if KEPT in weights.details:
        found[KEPT] = np.append(weights.details[KEPT] != 0, False)[places].astype(np.int8)
    if GROUP in weights.details:
        found[GROUP] = np.append(weights.details[GROUP], "")[places]
    return found


def forced(weights: AttributeWeights) -> AttributeWeights:
    """Return a selection in which all attributes that must be selected have a weight.

    Those that the method left out get the smallest weight of the selected ones, or 1.
    """
    units = None if weights.smallest_is_best else units_of_weights(weights)
    if units is None:
        return weights
    values = weights.values
    chosen = (values != 0) & ~np.isnan(values)
    absent = units.complete(chosen) & ~chosen
    if not absent.any():
        return weights
    sizes = np.abs(values[chosen & np.isfinite(values)])
    least = float(sizes.min()) if sizes.size else 1.0
    return weights.replaced(np.where(absent, least, values))


def completed(schema: Schema, chosen: Bools) -> Bools:
    """Return chosen features, those that must be kept, and the others of bound groups."""
    units = units_of_schema(schema)
    return chosen if units is None else units.complete(chosen)
