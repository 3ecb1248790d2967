"""Where the time of a run went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np

from fsops.plots.style import BLUE, GREY, SKY, SMALL, drawn, name_rows, nothing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOP = 20
Path = tuple[str, ...]


class Timed(Protocol):
    """How often an operator ran, and how long in all."""

    runs: int
    seconds: float


@drawn
def runtime(timings: Mapping[Path, Timed], ax: Axes, k: int = TOP) -> None:
    """Draw the seconds of every operator; dark is its own part, light that of its inner ones."""
    shown = longest(timings, k)
    if not shown:
        nothing(ax, "no timings")
        return
    total = np.array([timings[path].seconds for path in shown])
    own = np.array([_own(timings, path) for path in shown])
    rows = np.arange(len(shown))
    ax.barh(rows, total, height=0.7, color=SKY, alpha=0.55)
    ax.barh(rows, own, height=0.7, color=BLUE)
    name_rows(ax.yaxis, ["· " * _depth(timings, path) + path[-1] for path in shown], 26)
    for row, path in enumerate(shown):
        runs = f" · {timings[path].runs}×" if timings[path].runs > 1 else ""
        ax.annotate(
            f"{_seconds(total[row])}{runs}",
            (total[row], row),
            (2, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL - 1,
            color=GREY,
        )
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.set_xlim(0, 1.35 * max(total.max(), 1e-9))
    ax.grid(axis="x")
    left_out = f" ({len(shown)} of {len(timings)} operators)" if len(shown) < len(timings) else ""
    ax.set_xlabel(f"seconds{left_out}")


def longest(timings: Mapping[Path, Timed], k: int) -> list[Path]:
    """Return the k operators that took longest, inner ones below those around them."""
    chosen = sorted(timings, key=lambda path: -timings[path].seconds)[:k]
    # An operator finishes after its inner ones, so the order of the run has to be made a tree's.
    first = {path: number for number, path in reversed(list(enumerate(timings)))}
    for path, number in list(first.items()):
        for end in range(1, len(path)):
            outer = path[:end]
            first[outer] = min(first.get(outer, number), number)
    return sorted(chosen, key=lambda path: [first[path[:end]] for end in range(1, len(path) + 1)])


def _depth(timings: Mapping[Path, Timed], path: Path) -> int:
    """Return how many timed operators are around one."""
    return sum(path[:end] in timings for end in range(1, len(path)))


def _own(timings: Mapping[Path, Timed], path: Path) -> float:
    """Return the seconds of an operator without those inside; parallel iterations sum to more."""
    inside = [
        timing.seconds
        for other, timing in timings.items()
        if len(other) > len(path)
        and other[: len(path)] == path
        and not any(other[:end] in timings for end in range(len(path) + 1, len(other)))
    ]
    return max(timings[path].seconds - sum(inside), 0.0)


def _seconds(seconds: float) -> str:
    if seconds < 0.001:
        return "< 1 ms"
    return f"{1000 * seconds:.0f} ms" if seconds < 0.9995 else f"{seconds:.3g} s"
