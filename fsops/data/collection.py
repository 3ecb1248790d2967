"""A number of results of one kind, such as the weights of all iterations of a loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from fsops.data.flow import FlowObject

if TYPE_CHECKING:
    import pandas as pd

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

    def to_pandas(self) -> pd.DataFrame:
        """Return the tables of all results below each other, with the number of each in front."""
        import pandas as pd

        parts: list[Any] = [item for item in self.items if hasattr(item, "to_pandas")]
        tables = [part.to_pandas() for part in parts]
        if not tables:
            return pd.DataFrame({"number": range(1, len(self) + 1)})
        numbers = [n for n, item in enumerate(self.items, 1) if hasattr(item, "to_pandas")]
        joined: pd.DataFrame = pd.concat(tables, keys=numbers, names=["number", None])
        return joined.reset_index(level=0).reset_index(drop=True)

    def equals(self, other: object) -> bool:
        """Return whether both hold equal results in the same order."""
        return (
            isinstance(other, Collection)
            and len(self) == len(other)
            and all(a.equals(b) for a, b in zip(self, other, strict=True))
        )
