"""How all figures look: colors, sizes, names that fit."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from threading import RLock
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np
import numpy.typing as npt

from fsops.errors import UsageError
from fsops.plots.point_names import remember_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.transforms import Bbox

Floats = npt.NDArray[np.float64]
P = ParamSpec("P")

# Okabe & Ito (2008): distinguished by people with any common color blindness.
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
AMBER, SKY, YELLOW, BLACK = "#E69F00", "#56B4E9", "#F0E442", "#000000"
COLOURS = (BLUE, ORANGE, GREEN, PINK, AMBER, SKY, BLACK, YELLOW)
GREY, PALE = "#8A8A8A", "#C8C8C8"

MOST_DRAWN = 2000  # points; more would make an SVG too large
LOG_TICKS = 6  # at most, on a logarithmic axis
WIDE_RANGE = 20.0  # largest value over the limit, from which `log_beyond` is used
COLUMN, PAGE = 3.4, 7.0  # inches: one and two columns of a paper
LINE = 0.155  # inches for a name at the ordinary size
LONGEST = 22  # letters of a name
SMALL = 7.0  # points
SMALLEST = 4.5

STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "axes.formatter.useoffset": False,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "grid.linewidth": 0.4,
    "grid.color": "#E3E3E3",
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.hashsalt": "fsops",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}

NO_LOOKS = (
    "backend", "date.epoch", "docstring", "figure.max_open_warning", "figure.raise_window",
    "interactive", "savefig.directory", "timezone", "tk.", "toolbar", "webagg.",
)  # fmt: skip
"""How the names of settings begin that say nothing about how a figure looks."""


def require_matplotlib() -> None:
    """Say what to install where matplotlib is not there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UsageError(
            "Figures need the package matplotlib, which is not installed.",
            hint='Install it with: pip install "fsops[plots]"',
        ) from None


@contextmanager
def styled() -> Iterator[None]:
    """Let figures made inside look like ours, whatever the user's own settings are.

    Threads wait for each other: the settings of matplotlib belong to the whole program.
    """
    require_matplotlib()
    import matplotlib as mpl

    with _ONE_AT_A_TIME, mpl.rc_context():
        # A letter that the font lacks becomes a box; that is no news. The rule stays: to take it
        # back (`catch_warnings`) would undo what other threads say about their warnings.
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        known = mpl.rcParams.copy()
        for name, value in _settings().items():
            if known[name] != value:
                mpl.rcParams[name] = value
        yield


_ONE_AT_A_TIME = RLock()


@functools.cache
def _settings() -> dict[Any, Any]:
    """Return all settings that a figure depends on; the user's own must not change it."""
    import matplotlib as mpl

    defaults = mpl.rcParamsDefault.copy()
    return {name: defaults[name] for name in defaults if not name.startswith(NO_LOOKS)} | STYLE


def drawn(draw: Callable[P, None]) -> Callable[P, None]:
    """Return a figure function that draws in our style on anybody's axes."""

    @functools.wraps(draw)
    def in_style(*args: P.args, **kwargs: P.kwargs) -> None:
        with styled():
            draw(*args, **kwargs)

    return in_style


# --- names ----------------------------------------------------------------------------------


def short(name: str, longest: int = LONGEST, head: int | None = None) -> str:
    """Return a name on one line, with its middle cut out if it is long, safe from formula signs."""
    plain = "".join(c if c.isprintable() else " " for c in str(name)).strip() or "(no name)"
    if len(plain) > longest:
        head = 2 * longest // 3 if head is None else head
        plain = f"{plain[:head]}…{plain[len(plain) - (longest - head - 1) :]}"
    return plain.replace("$", r"\$")


def short_names(names: Sequence[str], longest: int = LONGEST) -> list[str]:
    """Return names cut where they still differ, as far as that is possible."""
    tries = [2 * longest // 3, longest - 1, longest // 2, longest // 3, 1]
    cut = [[short(name, longest, head) for name in names] for head in tries]
    return max(cut, key=lambda shown: len(set(shown)))


def label(criterion: str) -> str:
    """Return the name of a criterion as people write it."""
    return short(criterion.replace("_", " "), 36)


def rows_height(n_rows: int, around: float = 0.6, most: float = 9.0) -> float:
    """Return the height in inches of a figure with so many named rows."""
    return min(max(around + LINE * n_rows, 1.2), most)


def name_rows(axis: Axis, names: Sequence[str], longest: int = LONGEST) -> None:
    """Write the names at 0, 1, 2, … as large as fits; where none fits, only every n-th."""
    box = _inches(axis.axes)
    vertical = axis is axis.axes.yaxis
    room = 72 * (box.height if vertical else box.width) / max(len(names), 1)  # points per name
    size = min(SMALL, 0.88 * room)
    step = 1 if size >= SMALLEST else int(np.ceil(SMALLEST / max(size, 1e-9)))
    axis.set_ticks(
        range(0, len(names), step),
        labels=short_names(names, longest)[::step],
        fontsize=max(size, SMALLEST),
        rotation=0 if vertical else _rotation(names, room, longest),
    )
    axis.set_tick_params(length=0)
    remember_names(axis, names)


def _rotation(names: Sequence[str], room: float, longest: int) -> int:
    """Return 90 degrees where names beside each other would touch."""
    widest = max((len(short(name, longest)) for name in names), default=0)
    return 90 if widest * 0.62 * SMALL > room else 0


def _inches(ax: Axes) -> Bbox:
    """Return the size of axes before anything is laid out."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    return ax.get_window_extent().transformed(figure.dpi_scale_trans.inverted())


def spread(places: Floats, gap: float) -> Floats:
    """Return places moved as little as possible, in their order, until they are a gap apart."""
    order = np.argsort(places, kind="stable")
    # In steps of the gap the task is to make the sequence rise: pool what does not.
    targets = places[order] - gap * np.arange(len(places))
    blocks: list[list[float]] = []  # mean, count
    for target in targets.tolist():
        blocks.append([target, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, count = blocks.pop()
            before = blocks[-1]
            before[0] = (before[0] * before[1] + mean * count) / (before[1] + count)
            before[1] += count
    level = np.repeat([b[0] for b in blocks], [int(b[1]) for b in blocks])
    moved = np.empty(len(places))
    moved[order] = level + gap * np.arange(len(places))
    return moved


def name_ends(ax: Axes, ends: Sequence[tuple[str, float, str]]) -> None:
    """Write names with their colors right of the axes, beside the heights they belong to."""
    if not ends:
        return
    to_share = ax.transData + ax.transAxes.inverted()
    shares = np.array([to_share.transform((1.0, height))[1] for _, height, _ in ends])
    gap = SMALL * 1.15 / 72 / max(_inches(ax).height, 0.1)
    moved = spread(shares, gap)
    excess = max(moved.max() - 1.02, 0.0)
    moved = spread(moved - excess, gap) + max(-0.02 - (moved - excess).min(), 0.0)
    texts = short_names([name for name, _, _ in ends], 14)
    for (_, _, colour), text, true, shown in zip(ends, texts, shares, moved, strict=True):
        ax.annotate(
            text,
            (1.0, true),
            (1.06, shown),
            xycoords="axes fraction",
            textcoords="axes fraction",
            fontsize=SMALL,
            color=dark(colour),
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "linewidth": 0.5,
                "color": colour,
                "relpos": (0, 0.5),
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )


def dark(colour: str) -> str:
    """Return a color that can be read as text on white."""
    return {YELLOW: "#7A7300", AMBER: "#8F6200", SKY: "#1B6F9C", PINK: "#A04476"}.get(
        colour, colour
    )


def name_points(
    ax: Axes, points: Sequence[tuple[float, float, str]], most: int, avoid: Floats
) -> None:
    """Write names beside points, most important first, leaving out what would cover something.

    ``avoid`` has the places of all points, a row each.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    taken: list[Bbox] = []
    inside = ax.get_window_extent()
    dots = ax.transData.transform(avoid)
    texts = short_names([name for _, _, name in points], 16)
    for (x, y, _), shown in zip(points, texts, strict=True):
        if len(taken) == most:
            return
        for across, along in product((3, -3), (2, -2, 0)):
            text = ax.annotate(
                shown,
                (x, y),
                (across, along),
                textcoords="offset points",
                fontsize=6,
                ha="left" if across > 0 else "right",
                va="center" if along == 0 else "bottom" if along > 0 else "top",
            )
            box = text.get_window_extent()
            if _is_free(box, inside, taken, dots):
                taken.append(box)
                break
            text.remove()


def _is_free(box: Bbox, inside: Bbox, taken: Sequence[Bbox], dots: Floats) -> bool:
    if box.x0 < inside.x0 or box.x1 > inside.x1 or box.y0 < inside.y0 or box.y1 > inside.y1:
        return False
    covered = (dots > box.min).all(axis=1) & (dots < box.max).all(axis=1)
    return not covered.any() and not any(box.overlaps(other) for other in taken)


# --- parts that several figures have --------------------------------------------------------


def legend_columns(texts: Sequence[str], width: float) -> int:
    """Return how many entries of a legend fit beside each other in so many inches."""
    each = (0.6 * SMALL * max(map(len, texts), default=1) + 4 * SMALL) / 72
    return int(min(max(width // each, 1), len(texts), 4)) or 1


def legend_above(ax: Axes, title: str = "") -> None:
    """Put the legend above the axes, where it covers nothing."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    texts = [str(text) for text in ax.get_legend_handles_labels()[1]]
    ax.legend(
        title=title or None,
        title_fontsize=SMALL,
        alignment="left",
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=legend_columns(texts, figure.get_figwidth()),
        borderaxespad=0.2,
        handlelength=1.5,
        columnspacing=1.2,
    )


def whole_numbers(axis: Axis) -> None:
    """Let an axis have ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=6, integer=True))


def place_ticks(axis: Axis) -> None:
    """Let an axis of places have ticks from place 1 on: there is no place 0."""
    from matplotlib.ticker import MaxNLocator

    class Places(MaxNLocator):
        def tick_values(self, vmin: float, vmax: float) -> list[float]:
            ticks = np.asarray(super().tick_values(max(vmin, 1.0), vmax))
            later = ticks[ticks > 1]
            if not later.size or vmin > 1:
                return list(later)
            near = later.size > 1 and later[0] - 1 < (later[1] - later[0]) / 2
            return [1.0, *later[int(near) :]]

    axis.set_major_locator(Places(nbins=6, integer=True, min_n_ticks=1))


def plain_log(axis: Axis) -> None:
    """Let an axis be logarithmic, with numbers as people write them."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    (axis.axes.set_xscale if axis is axis.axes.xaxis else axis.axes.set_yscale)("log")
    axis.set_major_locator(LogLocator(numticks=LOG_TICKS))
    axis.set_major_formatter(FuncFormatter(lambda value, _: power_text(value)))
    axis.set_minor_formatter(NullFormatter())


def log_beyond(ax: Axes, limit: float, low: float, high: float) -> None:
    """Let the horizontal axis be linear up to a limit on both sides of 0, and logarithmic beyond.

    So small values beside the limit can be seen although others are much larger. The axis goes from
    ``low`` to ``high``.
    """
    from matplotlib.ticker import FuncFormatter, NullLocator

    ax.set_xscale("symlog", linthresh=limit, linscale=0.7)
    ax.set_xlim(low, high)
    powers = 10.0 ** np.arange(np.floor(np.log10(limit)), 1 + np.floor(np.log10(high)))
    fine = np.outer(powers, (1, 2, 5)).ravel()
    right, few = (ticks[(ticks >= 1.5 * limit) & (ticks <= high)] for ticks in (powers, fine))
    right = few if len(right) < 2 else right[:: -(-len(right) // (LOG_TICKS - 2))]
    left = -right[::-1]
    ax.set_xticks([*left[left >= low], 0.0, *right])
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed_power_text(value)))
    ax.xaxis.set_minor_locator(NullLocator())


def signed_power_text(value: float) -> str:
    """Return a number as `power_text` does, with its sign."""
    return f"−{power_text(-value)}" if value < 0 else power_text(value)


def power_text(value: float) -> str:
    """Return a number as people write it; very large and small powers of ten as such."""
    if value <= 0 or 1e-4 < value < 1e5:
        return f"{value:g}"
    power = f"{np.log10(value):.0f}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{power}"


def nothing(ax: Axes, why: str) -> None:
    """Say in the empty axes why nothing is drawn."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, why, transform=ax.transAxes, ha="center", va="center", color=GREY, wrap=True)


def heat_map(
    ax: Axes,
    values: npt.NDArray[Any],
    colours: str,
    limits: tuple[float, float],
    legend: str = "",
) -> None:
    """Draw a matrix as colored cells; unknown ones are pale gray."""
    import matplotlib as mpl

    palette = mpl.colormaps[colours].with_extremes(bad=PALE)
    image = ax.imshow(
        np.ma.masked_invalid(values),
        cmap=palette,
        vmin=limits[0],
        vmax=limits[1],
        aspect="auto",
        interpolation="nearest",
    )
    ax.spines[:].set_visible(False)
    if legend:
        figure = ax.get_figure(root=True)
        assert figure is not None
        bar = figure.colorbar(image, ax=ax, fraction=0.05, pad=0.03)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=SMALL, length=2)
        bar.set_label(legend, fontsize=SMALL)


def write_cells(ax: Axes, texts: Sequence[Sequence[str]], shares: Floats) -> None:
    """Write a text into every cell, white where the cell is dark, as large as fits."""
    n_rows, n_columns = len(texts), len(texts[0])
    box = _inches(ax)
    longest = max(len(text) for row in texts for text in row)
    width = 72 * box.width / n_columns / max(0.62 * longest, 1)
    size = min(SMALL, 0.8 * width, 0.7 * 72 * box.height / n_rows)
    if size < SMALLEST - 0.5:
        return
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            light = shares[row, column] > 0.55
            ax.text(
                column,
                row,
                text,
                ha="center",
                va="center",
                fontsize=size,
                color="white" if light else "black",
            )
