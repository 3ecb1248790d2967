"""Results that travel together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from fsops.core import Aliases, Named, operator
from fsops.data import Collection, FlowObject
from fsops.errors import DataError, ParameterError

GROUP = "Control/Collections"

Unfold = Annotated[
    bool, Field(description="Also flatten collections inside collections, down to single results.")
]


@operator(group=GROUP, role="control", tags=("list", "gather", "bundle"))
def collect(input: list[FlowObject], *, unfold: Unfold = False) -> Collection[FlowObject]:
    """Collect

    Puts any number of results together in a collection, in the order of the inputs.
    """
    return Collection(_single(input) if unfold else input)


@operator(group=GROUP, role="control", tags=("pick", "element", "item", "get"))
def select(
    collection: Collection[FlowObject],
    *,
    index: Annotated[int, Field(ge=1, description="Position of the result, counted from 1.")] = 1,
    unfold: Unfold = False,
) -> Annotated[FlowObject, Named("selected")]:
    """Select

    Takes one result out of a collection, by its position. The run shows the kind of the result; to
    work on all of them use Loop Collection.
    """
    items = list(_single(collection)) if unfold else list(collection)
    if not items:
        raise DataError("The collection is empty.")
    if index > len(items):
        raise ParameterError(f"index is {index}, but the collection has {len(items)} results.")
    return items[index - 1]


@operator(
    group=GROUP,
    role="control",
    aliases=Aliases(keys=("flatten_collection",), ports={"flat": "collection"}),
    tags=("unfold", "nested", "list"),
)
def flatten(collection: Collection[FlowObject]) -> Collection[FlowObject]:
    """Flatten Collection

    Joins nested collections into one collection of single results.
    """
    return Collection(_single(collection))


def _single(results: Collection[FlowObject] | list[FlowObject]) -> Iterator[FlowObject]:
    for item in results:
        if isinstance(item, Collection):
            yield from _single(item)
        else:
            yield item
