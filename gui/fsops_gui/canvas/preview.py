"""A result in a few marks: the small plot on a card and the count on a wire. No Qt here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsops.data import (
    AttributeWeights,
    Collection,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
    StabilityResult,
)
from fsops.data.streamed import StreamedExampleSet
from fsops.errors import FsopsError
from fsops.report.numbers import number_text
from fsops_gui.base.texts import tr

BARS, HISTOGRAM, INTERVAL = "bars", "histogram", "interval"
MOST_BARS = 5
BINS = 24
MOST_VALUES = 100
"""Repetitions that are drawn as points."""
_Bars = tuple[tuple[str, float, str], ...]
MOST_READ = 200_000
"""Cells that are looked at for a histogram."""


@dataclass(frozen=True)
class Preview:
    """The drawing of one result."""

    count: str
    """For a wire: ``208 × 60``, ``7,129 weights``, ``94.4 %``."""
    kind: str = ""
    """The plot: `BARS`, `HISTOGRAM` or `INTERVAL`; empty for none."""
    bars: tuple[tuple[str, float, str], ...] = ()
    """Name, length from 0 to 1, and the value in words."""
    bins: tuple[float, ...] = ()
    """Heights from 0 to 1."""
    ends: tuple[str, str] = ("", "")
    headline: str = ""
    values: tuple[float, ...] = ()
    """Of an interval: each repetition, from 0 to 1 of the axis."""
    centre: float = 0.0
    spread: float = 0.0
    caption: str = ""
    """Said at the foot of the card."""
    size: tuple[int, int] | None = None
    """Rows and attributes of a table."""


def preview_of(value: FlowObject) -> Preview | None:
    """Return the preview of a result; None where nothing short can be said."""
    makers: tuple[tuple[type[FlowObject], Callable[[Any], Preview]], ...] = (
        (StabilityResult, _of_stability), (AttributeWeights, _of_weights),
        (PerformanceVector, _of_performance), (ExampleSet, _of_table),
        (StreamedExampleSet, _of_table), (Collection, _of_collection), (Model, _of_model),
    )  # fmt: skip
    return next((make(value) for kind, make in makers if isinstance(value, kind)), None)


def _of_collection(value: Collection[Any]) -> Preview:
    return Preview(tr("{n} results", n=f"{len(value):,}"))


def _of_model(value: Model) -> Preview:
    return Preview(tr("{n} attributes", n=f"{len(value.attributes.regular):,}"))


def passed_on(before: Preview | None, after: Preview) -> str:
    """Return the count on a wire; with fewer attributes than before both: ``208 × 60 → 10``."""
    if before is None or before.size is None or after.size is None:
        return after.count
    if before.size[0] != after.size[0] or before.size[1] == after.size[1]:
        return after.count
    return f"{after.size[0]:,} × {before.size[1]:,} → {after.size[1]:,}"


def _bars(names: list[str], values: list[float], texts: list[str]) -> _Bars:
    largest = max((abs(v) for v in values if np.isfinite(v)), default=0.0) or 1.0
    parts = [min(abs(v) / largest, 1.0) if np.isfinite(v) else 0.0 for v in values]
    return tuple(zip(names, parts, texts, strict=True))


def _of_weights(value: AttributeWeights) -> Preview:
    count = tr("{n} weights", n=f"{len(value.names):,}")
    known = np.flatnonzero(~np.isnan(value.values))
    sign = 1.0 if value.smallest_is_best else -1.0
    best = known[np.argsort(sign * value.values[known], kind="stable")[:MOST_BARS]]
    chosen = [(value.names[int(i)], float(value.values[int(i)])) for i in best]
    selected = int(np.count_nonzero(value.values[known]))
    caption = (
        ""
        if selected == len(value.names)
        else tr("{n} of {all} not 0", n=f"{selected:,}", all=f"{len(value.names):,}")
    )
    names, numbers = [name for name, _ in chosen], [number for _, number in chosen]
    # Weights that are all 0 or 1 say less than how often each was selected.
    if len(set(numbers) - {0.0}) == 1 and "frequency" in value.details:
        return _of_frequencies(value, count, caption)
    bars = _bars(names, numbers, [f"{number:.3g}" for number in numbers])
    return Preview(count, BARS, bars=bars, caption=caption)


def _of_frequencies(value: AttributeWeights, count: str, caption: str) -> Preview:
    """Return the attributes that were chosen most often."""
    frequency = np.nan_to_num(np.asarray(value.details["frequency"], dtype=np.float64))
    best = np.argsort(-frequency, kind="stable")[:MOST_BARS]
    names, parts = [value.names[int(i)] for i in best], [float(frequency[int(i)]) for i in best]
    bars = tuple(zip(names, parts, [f"{part:.0%}" for part in parts], strict=True))
    return Preview(count, BARS, bars=bars, caption=caption)


def _of_stability(value: StabilityResult) -> Preview:
    frequency = value.frequency
    best = np.argsort(-frequency, kind="stable")[:MOST_BARS]
    names = [value.names[int(i)] for i in best]
    parts = [float(frequency[int(i)]) for i in best]
    bars = tuple(zip(names, parts, [f"{p:.0%}" for p in parts], strict=True))
    times = tr("chosen in {n} repetitions", n=len(value.selections))
    return Preview(tr("stability"), BARS, bars=bars, caption=times)


def _of_performance(value: PerformanceVector) -> Preview:
    main = value.main
    numbers = np.array(main.values[:MOST_VALUES], dtype=np.float64)
    finite = numbers[np.isfinite(numbers)]
    name = main.name.replace("_", " ")
    short = str(main).split(" ±")[0]
    if not len(finite):
        return Preview(short, headline=f"{name}: {main}")
    low, high = float(finite.min()), float(finite.max())
    if main.percent:
        low, high = min(0.5, low), 1.0
    elif high - low <= 0:
        low, high = low - 0.5 * (abs(low) or 1.0), high + 0.5 * (abs(high) or 1.0)
    span = high - low or 1.0
    deviation = float(finite.std(ddof=1)) if len(finite) > 1 else 0.0
    ends = (f"{low:.0%}", f"{high:.0%}") if main.percent else (number_text(low), number_text(high))
    return Preview(
        short,
        INTERVAL,
        headline=str(main),
        values=tuple(float((v - low) / span) for v in finite) if len(finite) > 1 else (),
        centre=(float(finite.mean()) - low) / span,
        spread=deviation / span,
        ends=ends,
        caption=name,
    )


def _of_table(value: ExampleSet | StreamedExampleSet) -> Preview:
    rows, attributes = len(value), len(value.schema.regular)
    count = f"{rows:,} × {attributes:,}"
    size = (rows, attributes)
    if isinstance(value, StreamedExampleSet):
        return Preview(count, size=size)
    try:
        bars, bins, ends, caption = _distribution(value)
    except FsopsError:  # a table may be damaged or its label missing: then it has no plot
        return Preview(count, size=size)
    kind = BARS if bars else HISTOGRAM if bins else ""
    return Preview(count, kind, bars=bars, bins=bins, ends=ends, caption=caption, size=size)


def _distribution(table: ExampleSet) -> tuple[_Bars, tuple[float, ...], tuple[str, str], str]:
    """Return the classes of the label as bars; of a number, the heights and ends of a histogram."""
    label = table.schema.label
    if label is not None and label.value_type.is_nominal and label.categories:
        codes = table.column(label.name)
        counts = np.bincount(codes[codes >= 0], minlength=len(label.categories))
        order = np.argsort(-counts, kind="stable")[:MOST_BARS]
        names = [label.categories[int(i)] for i in order]
        heights = [float(counts[int(i)]) for i in order]
        return _bars(names, heights, [f"{int(h):,}" for h in heights]), (), ("", ""), label.name
    numbers = table.schema.names_at(table.schema.regular_numerical[:1])
    name = (
        label.name
        if label is not None and label.value_type.is_numerical
        else next(iter(numbers), "")
    )
    if not name:
        return (), (), ("", ""), ""
    values = np.asarray(table.column(name)[:MOST_READ], dtype=np.float64)
    finite = values[np.isfinite(values)]
    if not len(finite):
        return (), (), ("", ""), ""
    counts, edges = np.histogram(finite, BINS)
    ends = number_text(float(edges[0])), number_text(float(edges[-1]))
    return (), tuple((counts / counts.max()).tolist()), ends, name
