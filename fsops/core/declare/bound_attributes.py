"""Attributes that must be kept, and bound groups: how operators handle them, and its enforcement.

Every selection, search, elimination and ensemble honors them or refuses them by name. Weights
carry them as details, so that a later selection by weights honors them, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from fsops.core.declare.capabilities import BoundGroups
from fsops.core.declare.roles import Role
from fsops.data import AttributeWeights, Collection, ExampleSet
from fsops.data.schema import Schema
from fsops.errors import DataError, enumerate_names

if TYPE_CHECKING:
    from fsops.core.operator import Operator

MEANINGS: dict[BoundGroups, str] = {
    "together": "Bound groups of attributes are kept or dropped as one.",
    "completed": "Bound groups are completed: one selected attribute selects its group.",
    "refused": "Bound groups of attributes are refused.",
    "unaffected": "Bound groups of attributes have no effect.",
}
CHOOSING = frozenset({Role.SELECTION, Role.SEARCH})
"""Operators with these roles choose attributes."""


def group_handling(spec: Operator) -> BoundGroups:
    """Return how an operator handles bound groups; only selections and searches can refuse them."""
    return spec.bound_groups if chooses_attributes(spec) else "unaffected"


def chooses_attributes(spec: Operator) -> bool:
    """Return whether an operator chooses attributes of a table."""
    return (
        spec.role in CHOOSING
        and any(issubclass(port.type, ExampleSet) for port in spec.inputs)
        and any(issubclass(port.type, AttributeWeights | ExampleSet) for port in spec.outputs)
    )


def require_groups_usable(spec: Operator, schema: Schema) -> None:
    """Raise `DataError` if a table has bound groups that an operator refuses."""
    groups = schema.groups
    if groups is None or group_handling(spec) != "refused":
        return
    if groups.bound_codes(len(schema)) is None:
        return
    names = groups.names.take(groups.bound.nonzero()[0])
    raise DataError(
        f"The attributes of {enumerate_names(names)} must be selected together, but {spec.title} "
        "chooses single attributes.",
        hint="Use a selection that takes groups together, such as Select by Weights, Recursive "
        "Feature Elimination or Forward Selection, or release the groups (Set Attribute Groups).",
    )


def bound_result(spec: Operator, arguments: Mapping[str, Any], result: Any) -> Any:
    """Return the result of a function, its weights with the details that selections obey.

    In a selection the attributes that must be selected get a weight.
    """
    passed = {id(value) for value in arguments.values()}

    def bound(value: Any) -> Any:
        if _is_new_weights(value, passed):
            return _bound_weights(spec, value, arguments)
        if spec.role in CHOOSING and type(value) is Collection and id(value) not in passed:
            return _bound_collection(value, bound)
        return value

    values = [bound(value) for value in spec.values(result)]
    if spec.has_named_outputs:
        return type(result)(*values)
    return values[0] if values else result


def _is_new_weights(value: Any, passed: set[int]) -> bool:
    return isinstance(value, AttributeWeights) and id(value) not in passed


def _bound_collection(items: Collection[Any], bound: Callable[[Any], Any]) -> Collection[Any]:
    """Return a collection, such as one of candidate sets, whose items obey; itself if all do."""
    changed = [bound(item) for item in items]
    same = all(one is two for one, two in zip(items, changed, strict=True))
    return items if same else Collection(changed)


def _bound_weights(
    spec: Operator, weights: AttributeWeights, arguments: Mapping[str, Any]
) -> AttributeWeights:
    from fsops.data.units import forced, unit_details, weight_details

    if not weights.is_bound:
        for value in _flat(arguments.values()):
            if isinstance(value, ExampleSet):
                details = unit_details(value.schema, weights.names)
            elif isinstance(value, AttributeWeights):
                details = weight_details(value, weights.names)
            else:
                continue
            if details:
                weights = weights.with_details(details)
                break
    return forced(weights) if spec.role in CHOOSING else weights


def _flat(values: Iterable[Any]) -> Iterable[Any]:
    for value in values:
        if isinstance(value, list):
            yield from value
        else:
            yield value
