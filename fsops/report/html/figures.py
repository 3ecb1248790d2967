"""Which figures of a result are drawn as part of the page, and the parts they replace."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import singledispatch

import numpy as np

from fsops.data import AttributeDescriptions, AttributeWeights, FlowObject, SizeCurves, StudyAnswer
from fsops.report.html.charts import BarChart, ChanceBand, Line, LineChart, PointChart
from fsops.report.numbers import number_text

Chart = LineChart | BarChart | PointChart

REPLACED = frozenset({"weights", "merit_over_size", "agreement_over_size"})
"""Figures of fsops.plots that the page draws itself."""
FEW_METHODS = 4
MOST_BARS = 20
MOST_POINTS = 500
FRACTIONS = frozenset({"accuracy", "classification_error", "balanced_accuracy"})
SMALLEST_P = 1e-300


@singledispatch
def charts_of(value: FlowObject, answer: StudyAnswer | None = None) -> list[Chart]:
    """Return the charts that the page draws of a result; the answer adds what chance gives."""
    return []


@charts_of.register
def _(value: SizeCurves, answer: StudyAnswer | None = None) -> list[Chart]:
    charts: list[Chart] = []
    if not np.isnan(value.mean).all():
        charts.append(_merit(value, answer))
    if value.stability is not None and not np.isnan(value.stability).all():
        charts.append(_stability(value, answer))
    return charts


@charts_of.register
def _(value: AttributeWeights, answer: StudyAnswer | None = None) -> list[Chart]:
    order = [i for i in value.order() if np.isfinite(value.values[i]) and value.values[i]]
    shown = order[:MOST_BARS]
    if not shown:
        return []
    name, shares = value.column_title, value.values
    about = f"{len(order):,} of {len(value):,} attributes have a weight other than 0"
    if (value.values[order] == 1).all():
        about = f"{len(order):,} of {len(value):,} attributes are selected"
        if "frequency" in value.details:  # says more than bars of one length
            name, shares = "frequency", np.asarray(value.details["frequency"], dtype=np.float64)
            shown = sorted(order, key=lambda i: -shares[i])[:MOST_BARS]
            about += "; bars show how often"
    elif _is_frequency(value):
        name = "frequency"
    names = [value.names[i] for i in shown]
    alt = f"Bars of the best attributes: {', '.join(names[:5])}"
    numbers = [float(shares[i]) for i in shown]
    return [BarChart("The best attributes", about, alt, names, numbers, name)]


def _is_frequency(weights: AttributeWeights) -> bool:
    frequency = weights.details.get("frequency")
    kept = weights.values != 0
    return frequency is not None and bool((weights.values == frequency)[kept].all())


@charts_of.register
def _(value: AttributeDescriptions, answer: StudyAnswer | None = None) -> list[Chart]:
    if len(value) < 2:
        return []
    shown = slice(0, MOST_POINTS)
    effect, p = value.columns["effect"][shown], value.columns["p_value"][shown]
    adjusted = value.columns["adjusted_p_value"][shown]
    names = value.names[shown]
    beyond = {found.name for found in answer.beyond} if answer is not None else None
    strong = [
        name in beyond if beyond is not None else bool(q <= 0.05)
        for name, q in zip(names, adjusted, strict=True)
    ]
    tips = [
        f"{value.effect} {number_text(e)}, p {number_text(one)}, adjusted {number_text(q)}"
        for e, one, q in zip(effect, p, adjusted, strict=True)
    ]
    what = "beyond chance" if beyond is not None else "adjusted p at most 0.05"
    return [
        PointChart(
            "Effect and p-value",
            f"filled: {what}; all rows were used",
            f"Points of {len(names)} attributes: {value.effect} against the p-value. "
            f"{sum(strong)} are {what}.",
            names,
            effect.astype(np.float64),
            -np.log10(np.maximum(p, SMALLEST_P)),
            value.effect,
            "−log10 p",
            tips,
            strong,
        )
    ]


# --- curves ---------------------------------------------------------------------------------


def _merit(curves: SizeCurves, answer: StudyAnswer | None) -> LineChart:
    mean, error = curves.mean, curves.standard_error
    percent = curves.criterion in FRACTIONS
    chance = answer.chance if answer is not None else None
    fits = chance is not None and chance.criterion == curves.criterion
    spread = not fits and len(curves.methods) <= FEW_METHODS
    lines = [
        Line(
            name,
            mean[i],
            _tips(curves, mean[i], _percent if percent else number_text, error[i]),
            mean[i] - error[i] if spread else None,
            mean[i] + error[i] if spread else None,
        )
        for i, name in enumerate(curves.methods)
    ]
    words = curves.criterion.replace("_", " ")
    is_error = not curves.maximize
    title = "Error on new rows" if is_error else f"{words.capitalize()} on new rows"
    splits = curves.scores.shape[2]
    about = f"{words}, mean of {splits} test sets; the lowest point is optimistic"
    if not is_error:
        about = f"{words}, mean of {splits} test sets; the highest point is optimistic"
    return LineChart(
        title,
        about,
        _alt(title, curves, mean),
        curves.sizes.tolist(),
        lines,
        band=_band(answer, "error", curves.sizes) if fits else None,
        level=_majority(answer) if fits else None,
        mark=_enough(answer) or _chosen(curves),
        percent=percent,
        limits=(0.0, None) if is_error else (None, None),
    )


def _stability(curves: SizeCurves, answer: StudyAnswer | None) -> LineChart:
    assert curves.stability is not None
    lines = [
        Line(name, curves.stability[i], _tips(curves, curves.stability[i], _two_digits))
        for i, name in enumerate(curves.methods)
    ]
    title = "Stability of the selection"
    measure = curves.stability_measure.replace("_", " ").capitalize()
    fits = answer is not None and curves.stability_measure == "kuncheva"
    return LineChart(
        title,
        f"{measure}'s index over the test sets, 1 = always the same attributes",
        _alt(title, curves, curves.stability),
        curves.sizes.tolist(),
        lines,
        band=_band(answer, "stability", curves.sizes) if fits else None,
        mark=_enough(answer) or _chosen(curves),
        limits=(min(0.0, float(np.nanmin(curves.stability))), 1.0),
    )


def _tips(
    curves: SizeCurves,
    values: np.typing.NDArray[np.float64],
    text: Callable[[float], str],
    error: np.typing.NDArray[np.float64] | None = None,
) -> list[str]:
    tips = []
    for i, size in enumerate(curves.sizes.tolist()):
        tip = f"{text(values[i])} with {size} attribute{'s' * (size != 1)}"
        if error is not None and math.isfinite(error[i]):
            tip += f", standard error {text(error[i])}"
        tips.append(tip)
    return tips


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _two_digits(value: float) -> str:
    return f"{value:.2f}"


def _band(
    answer: StudyAnswer | None, kind: str, sizes: np.typing.NDArray[np.int64]
) -> ChanceBand | None:
    """Return the band at the sizes of the curves."""
    if answer is None:
        return None
    found = answer.chance.error_band if kind == "error" else answer.chance.stability_band
    places = np.searchsorted(answer.chance.sizes, sizes)
    places = np.minimum(places, len(answer.chance.sizes) - 1)
    same = answer.chance.sizes[places] == sizes
    parts = [
        np.where(same, part[places], np.nan) for part in (found.lower, found.middle, found.upper)
    ]
    if np.isnan(parts[1]).all():
        return None
    text = f"chance: {answer.chance.permutations} shuffled labels"
    lower, middle, upper = parts
    return ChanceBand(lower, middle, upper, text)


def _majority(answer: StudyAnswer | None) -> tuple[float, str] | None:
    if answer is None or not math.isfinite(answer.chance.majority_error):
        return None
    return answer.chance.majority_error, "largest class" if answer.classes else "mean"


def _enough(answer: StudyAnswer | None) -> tuple[int, str] | None:
    """Return the number of attributes that is enough; on noise no number is."""
    if answer is None or not answer.verdict.found:
        return None
    return answer.size, f"enough: {answer.size}"


def _chosen(curves: SizeCurves) -> tuple[int, str] | None:
    """Return the number of attributes that a rule has chosen, if it is one for all methods."""
    if curves.chosen is None or len(set(curves.chosen)) > 1:
        return None
    size = int(curves.chosen[0])
    return size, f"chosen: {size}"


def _alt(title: str, curves: SizeCurves, values: np.typing.NDArray[np.float64]) -> str:
    """Return the lines in words: where each begins and ends."""
    parts = []
    for name, row in zip(curves.methods, values, strict=True):
        known = np.flatnonzero(~np.isnan(row))
        if known.size:
            first, last = known[0], known[-1]
            parts.append(
                f"{name} from {row[first]:.3g} at {curves.sizes[first]} to {row[last]:.3g} at "
                f"{curves.sizes[last]} attributes"
            )
    return f"{title}: {'; '.join(parts)}."
