"""A number of results of one kind, such as the weights of all iterations of a loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Generic, TypeVar, overload

from fsops.data.flow import FlowObject

T_co = TypeVar("T_co", bound=FlowObject, covariant=True)


class Collection(FlowObject, Generic[T_co]):
    """Results of one kind, in order."""

    port_name: ClassVar[str] = "collection"
    title: ClassVar[str] = "Collection"

    def __init__(self, items: Iterable[T_co]) -> None:
        self.items: tuple[T_co, ...] = tuple(items)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[T_co]:
        return iter(self.items)

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> Collection[T_co]: ...
    def __getitem__(self, index: int | slice) -> T_co | Collection[T_co]:
        if isinstance(index, slice):
            return Collection(self.items[index])
        return self.items[index]

    def __repr__(self) -> str:
        kinds = sorted({item.title for item in self.items})
        return f"<Collection of {len(self)}: {', '.join(kinds)}>"

    def equals(self, other: object) -> bool:
        """Return whether both hold equal results in the same order."""
        return (
            isinstance(other, Collection)
            and len(self) == len(other)
            and all(a.equals(b) for a, b in zip(self, other, strict=True))
        )
