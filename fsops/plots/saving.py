"""Figures as files: the same result always gives the same bytes."""

from __future__ import annotations

import hashlib
import io
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsops.data import FlowObject
from fsops.errors import StorageError, UsageError, did_you_mean
from fsops.plots.registry import FigureMaker, figures_for
from fsops.plots.style import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("svg", "png", "pdf")
DOTS_PER_INCH = 300
NOTEBOOK_DOTS = 150
# Without dates and versions, which would make equal figures differ.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}


def make_figure(maker: FigureMaker, result: object) -> Figure:
    """Return a figure of a result at the size that suits it."""
    with styled():
        figure = _figure_class()(figsize=maker.size(result), layout="constrained")
        maker.draw(result, figure.add_subplot())
        return figure


def named_figure(result: object, name: str | None = None) -> Figure:
    """Return the figure of a result that has this name; without one the most informative."""
    makers = {maker.name: maker for maker in figures_for(result)}
    if not makers:
        kind = result.phrase() if isinstance(result, FlowObject) else type(result).__name__
        raise UsageError(f"There is no figure of this result ({kind}).")
    if name is not None and name not in makers:
        hint = did_you_mean(name, makers) or f"There are {', '.join(makers)}."
        raise UsageError(f'There is no figure "{name}" of this result.', hint=hint)
    return make_figure(makers[name or next(iter(makers))], result)


@cache
def _figure_class() -> type[Figure]:
    """Return figures that a notebook shows by themselves; matplotlib's own need pyplot for it."""
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        def _repr_png_(self) -> bytes:
            file = io.BytesIO()
            with styled():
                self.savefig(file, format="png", dpi=NOTEBOOK_DOTS, metadata=_METADATA["png"])
            return file.getvalue()

    return ShownFigure


def figure_bytes(maker: FigureMaker, result: object, format: str = "svg") -> bytes:
    """Return a figure as the content of a file."""
    if format not in FORMATS:
        hint = (
            did_you_mean(format, FORMATS) or f"Choose {', '.join(FORMATS[:-1])} or {FORMATS[-1]}."
        )
        raise UsageError(f'Figures cannot be written as "{format}".', hint=hint)
    file = io.BytesIO()
    with styled():
        figure = make_figure(maker, result)
        figure.savefig(file, format=format, dpi=DOTS_PER_INCH, metadata=_METADATA[format])
    return steady_ids(file.getvalue()) if format == "svg" else file.getvalue()


_CLIPS = re.compile(rb'<clipPath id="(\w+)">(.*?)</clipPath>', re.DOTALL)


def steady_ids(svg: bytes) -> bytes:
    """Name the areas of an SVG by the numbers that it has of them.

    matplotlib names them by numbers with all digits. The last ones depend on the processor, where a
    position follows from values, so that equal drawings got different names.
    """
    for name, area in _CLIPS.findall(svg):
        steady = b"p" + hashlib.sha256(area).hexdigest()[:10].encode()
        svg = re.sub(rb"\b%s\b" % name, steady, svg)
    return svg


def save_figures(result: object, base_path: str | Path, format: str = "svg") -> list[Path]:
    """Write all figures that suit a result beside each other, and return the files.

    The figure "weights" of ``results/sam`` becomes ``results/sam.weights.svg``.
    """
    base = Path(base_path)
    written = []
    for maker in figures_for(result):
        path = base.with_name(f"{base.name}.{maker.name}.{format}")
        if path.is_symlink():  # the user has named the start of the name only
            raise StorageError(
                f'"{path}" cannot be written: it is a symbolic link.', hint="Remove the link."
            )
        path.write_bytes(figure_bytes(maker, result, format))
        written.append(path)
    return written
