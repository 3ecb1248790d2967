"""How results and processes show themselves, answered by packages above this one.

A result knows nothing of HTML and matplotlib. It asks the presenter. The package ``fsops`` names
the function that opens it, so that no import leads upward.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
