"""The base of everything that can travel along a connection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from fsops.data.presenter import presenter
from fsops.errors import DataError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class FlowObject:
    """What a port can carry; a plugin adds a kind of its own by subclassing.

    A port accepts its declared class and every subclass, so ``FlowObject`` itself means "anything".
    """

    port_name: ClassVar[str] = "output"
    """Name of an output port of this type where the operator gives none."""
    title: ClassVar[str] = "Anything"
    """What a person calls it, in tooltips and messages."""

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
        """Return what a notebook shows."""
        return presenter().html(self)


class Averageable(FlowObject):
    """What several repetitions of can be averaged: performances and weights."""

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
    """Return what a value is, as part of a sentence."""
    if not isinstance(value, FlowObject):
        return f"a {type(value).__name__}"
    maker = getattr(value, "name", "")  # models have the name of their learner
    return f"{value.phrase()} of {maker}" if maker else value.phrase()
