"""The base of everything that can travel along a connection, and several results as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar, overload

from fsops.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


# A result knows nothing of HTML and matplotlib: it asks the presenter. The package `fsops` names
# the function that opens it, so that no import leads upward.


class Presenter(Protocol):
    """Shows results and processes in a notebook, and results as figures."""

    def html(self, value: object) -> str:
        """Return a result or a process as HTML."""
        ...

    def svg(self, process: object) -> str:
        """Return a process as a picture."""
        ...

    def figure_names(self, result: object) -> list[str]:
        """Return the names of the figures that suit a result, the most informative first."""
        ...

    def figure(self, result: object, name: str | None) -> Figure:
        """Return a figure of a result; without a name the most informative one."""
        ...


class _Slot:
    """The place of the presenter, which is opened when something is first shown."""

    def __init__(self) -> None:
        self._open: Callable[[], Presenter] | None = None
        self._presenter: Presenter | None = None

    def open_with(self, function: Callable[[], Presenter]) -> None:
        """Set the function that opens the presenter."""
        self._open, self._presenter = function, None

    def __call__(self) -> Presenter:
        if self._presenter is None:
            assert self._open is not None, "the package fsops sets it when it is imported"
            self._presenter = self._open()
        return self._presenter


presenter = _Slot()


class FlowObject:
    """A value that a port can carry; a plugin adds another kind by subclassing.

    A port accepts its declared class and every subclass, so ``FlowObject`` itself means "anything".
    """

    port_name: ClassVar[str] = "output"
    """Name of an output port of this type where the operator gives none."""
    title: ClassVar[str] = "Anything"
    """Its name in tooltips and messages."""
    has_criteria: ClassVar[bool] = False
    """Whether it has figures that a log can show, by ``means()``."""

    @classmethod
    def phrase(cls) -> str:
        """Return the title as part of a sentence: ``a data table``, ``attribute weights``."""
        words = " ".join(w if len(w) > 1 and w.isupper() else w.lower() for w in cls.title.split())
        if words == FlowObject.title.lower() or words.endswith("s"):
            return words
        return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"

    def __repr__(self) -> str:
        return f"<{self.title}>"

    def equals(self, other: object) -> bool:
        """Return whether the other is the same result, value for value."""
        return self == other

    # --- looking at it ----------------------------------------------------------------------

    def figures(self) -> list[str]:
        """Return the names of the figures that suit this result, the most informative first."""
        return presenter().figure_names(self)

    def plot(self, name: str | None = None) -> Figure:
        """Return a figure (matplotlib): the most informative one, or one named in `figures`."""
        return presenter().figure(self, name)

    def _repr_html_(self) -> str:
        """Return the view for a notebook."""
        return presenter().html(self)


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


class Traced(FlowObject):
    """A result step by step, with a main step: the chosen one, or the last."""

    main_title: ClassVar[str] = "Main step"
    """Name of the main step, for headings."""

    def main_step(self) -> tuple[str, pd.DataFrame]:
        """Return words about the main step, and its table with the best attribute first."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """Return all steps as a table."""
        raise NotImplementedError


class Averageable(FlowObject):
    """Values whose repetitions can be averaged: performances and weights."""

    port_name: ClassVar[str] = "average"
    title: ClassVar[str] = "Performance or weights"

    @classmethod
    def average(cls, parts: Sequence[Any]) -> Self:
        """Return the mean of results of this class."""
        raise NotImplementedError


def averaged(parts: Sequence[Averageable]) -> Averageable:
    """Return the mean of performances, or of weights."""
    kinds = dict.fromkeys(type(part) for part in parts)
    if len(kinds) > 1:
        names = " and ".join(kind.phrase() for kind in kinds)
        raise DataError(f"Only results of one kind can be averaged, but there are {names}.")
    if not kinds:
        raise DataError("There is nothing to average.")
    return next(iter(kinds)).average(parts)


def kind_text(value: object) -> str:
    """Return the kind of a value, as part of a sentence."""
    if not isinstance(value, FlowObject):
        return f"a {type(value).__name__}"
    maker = getattr(value, "name", "")  # models have the name of their learner
    return f"{value.phrase()} of {maker}" if maker else value.phrase()
