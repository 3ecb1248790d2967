"""Numbers as named ranges."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.preparation import discretize
from fsops.algorithms.preparation.discretize import CutPoints
from fsops.core import Accepts, Context, When, operator
from fsops.data import ExampleSet, Schema
from fsops.data.categories import Categories, MadeLists
from fsops.data.columns import MISSING_CODE
from fsops.data.names import Names, Positions
from fsops.errors import ParameterError
from fsops.operators.compatibility import Compatibility
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names
from fsops.operators.preparation.prepared import (
    ANY_VALUES,
    WITH_MODEL,
    Prepared,
    describe_change,
    numerical_among,
    prepared,
)

GROUP = "Preparation/Discretization"
TAGS = ("discretise", "binning", "nominal", "categories", "intervals")
UNKNOWN = "?"
PLAIN_BELOW = 1e16  # numbers from here on, or with this many digits, are written with an exponent
DIGITS = 3
MOST_DIGITS = 15

Floats = npt.NDArray[np.float64]
Texts = tuple[str | None, ...]
"""Names of ranges; None makes values missing."""
NAMING = ("range_name_type", "automatic_number_of_digits", "number_of_digits")
Bins = Annotated[int, Field(ge=2, le=1000, description="Number of ranges of each attribute.")]


class RangeFilter(AttributeFilter, total=False):
    """Attributes to cut into ranges, and the names of the ranges."""

    range_name_type: Annotated[
        Literal["long", "short", "interval"],
        Field(
            default="long",
            description="Names of ranges: range1 [-∞ - 5], range1, or [-∞ - 5].",
        ),
    ]
    automatic_number_of_digits: Annotated[
        bool,
        When(range_name_type="interval"),
        Field(default=True, description="Write limits with enough digits to distinguish them."),
    ]
    number_of_digits: Annotated[
        int,
        When(range_name_type="interval", automatic_number_of_digits=False),
        Field(
            default=-1,
            ge=-1,
            le=MOST_DIGITS,
            description="Digits after the decimal point; more if ranges would get the same name. "
            "-1: as few as possible.",
        ),
    ]


@dataclass(frozen=True, eq=False)
class RangeTexts(MadeLists):
    """Names of the ranges of every attribute, made when they are read."""

    cuts: CutPoints
    style: Mapping[str, Any]

    @cached_property
    def lengths(self) -> Positions:
        """Number of ranges of each attribute."""
        return self.cuts.n_levels

    def texts(self, number: int) -> tuple[str, ...]:
        """Return the names of the ranges of one attribute."""
        cuts = self.cuts.cuts[:, number]
        return range_names(cuts[np.isfinite(cuts)].tolist(), self.style)

    def same_as(self, other: MadeLists) -> bool:
        """Return whether the limits and the style are the same."""
        return (
            isinstance(other, RangeTexts)
            and self.style == other.style
            and np.array_equal(self.cuts.cuts, other.cuts.cuts)
        )


@dataclass(frozen=True)
class Ranges:
    """Replaces numbers by the range they lie in; a value at a limit belongs to the range below."""

    names: Sequence[str]
    cuts: CutPoints
    categories: Categories
    """Of each attribute, from the lowest range to the highest."""
    code_of_range: tuple[int, ...] | None = None
    """Code of each range, where some ranges make values missing; None if none does."""
    left_out: Sequence[str] = ()
    """Attributes that are dropped, because they have one range only."""

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with nominal attributes in the place of numerical ones."""
        schema = examples.schema
        positions = schema.positions(self.names)
        codes = self._stored(self.cuts.apply(examples.values(positions)))
        table = examples.with_block(schema.as_nominal(positions, self.categories), positions, codes)
        return table.drop(self.left_out)

    def _stored(self, ranges: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Return the codes of the categories; ranges without one are missing."""
        if self.code_of_range is None:
            return ranges.astype(np.int32, order="K")
        lookup = np.array([*self.code_of_range, MISSING_CODE], dtype=np.int32)  # -1 is the last one
        codes: npt.NDArray[np.int32] = lookup[ranges]
        return codes


def range_names(cuts: Sequence[float], style: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the ranges between ascending cut points."""
    limits = [-math.inf, *cuts, math.inf]
    kind = style["range_name_type"]
    if kind == "interval":
        return _interval_names(limits, style)
    numbered = [f"range{number}" for number in range(1, len(limits))]
    if kind == "short":
        return tuple(numbered)
    texts = [_number_text(limit, DIGITS, whole=True) for limit in limits]
    return tuple(f"{n} [{a} - {b}]" for n, a, b in zip(numbered, texts, texts[1:], strict=False))


def _interval_names(limits: Sequence[float], style: Mapping[str, Any]) -> tuple[str, ...]:
    wish = -1 if style["automatic_number_of_digits"] else style["number_of_digits"]
    for digits in range(max(wish, 1), MOST_DIGITS + 1):
        texts = [_number_text(limit, digits) for limit in limits]
        if len(set(texts)) == len(limits):
            break
    else:
        texts = [_number_text(limit) for limit in limits]
    return tuple(f"[{a} - {b}]" for a, b in zip(texts, texts[1:], strict=False))


def _number_text(value: float, digits: int | None = None, *, whole: bool = False) -> str:
    """Return a number with some digits after the point; without a number of digits, all of it."""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if whole and value == int(value) and abs(value) < PLAIN_BELOW:
        return str(int(value))
    return (
        repr(float(value)) if digits is None or abs(value) >= PLAIN_BELOW else f"{value:.{digits}f}"
    )


def discretized(
    examples: ExampleSet,
    rule: Callable[[Floats], CutPoints],
    style: Mapping[str, Any],
    title: str,
    ctx: Context,
    *,
    remove_useless: bool = False,
) -> Prepared:
    """Return the chosen numerical attributes cut by a rule."""
    names = _chosen(examples, style, ctx)
    points = rule(examples.values(examples.schema.positions(names)))
    categories = Categories.made(RangeTexts(points, _naming(style)))
    useless = np.flatnonzero(points.n_levels == 1) if remove_useless else np.zeros(0, np.intp)
    ranges = Ranges(names, points, categories, left_out=names.take(useless))
    return prepared(examples, ranges, names, title)


def _naming(style: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that say what ranges are called."""
    return {name: style[name] for name in NAMING}


def _discretized_alike(
    examples: ExampleSet,
    ranges: tuple[Sequence[float], Texts],
    style: Mapping[str, Any],
    title: str,
    ctx: Context,
) -> Prepared:
    """Return the chosen numerical attributes all cut at the same points into the same ranges."""
    names = _chosen(examples, style, ctx)
    cuts, texts = ranges
    points = CutPoints(np.repeat(np.array(cuts, dtype=np.float64)[:, None], len(names), axis=1))
    categories = Categories.same(_known(texts), len(names))
    return prepared(examples, Ranges(names, points, categories, _codes(texts)), names, title)


def _known(texts: Texts) -> tuple[str, ...]:
    return tuple(text for text in texts if text is not None)


def _codes(texts: Texts) -> tuple[int, ...] | None:
    """Return the code of each range, -1 without a name; None if each has a name."""
    if None not in texts:
        return None
    known = np.array([text is not None for text in texts])
    return tuple(np.where(known, np.cumsum(known) - 1, MISSING_CODE).tolist())


def _chosen(examples: ExampleSet, chosen: Mapping[str, Any], ctx: Context) -> Names:
    names = numerical_among(examples.schema, selected_names(examples, chosen))
    if not names:
        ctx.warn("No numerical attribute is chosen, so nothing is discretized.")
    return names


def _alike(schema: Schema, names: Sequence[str], texts: Texts) -> Schema:
    positions = schema.positions(numerical_among(schema, names))
    return schema.as_nominal(positions, Categories.same(_known(texts), len(positions)))


def unknown_ranges(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> None:
    """Only the run finds the limits."""


# --- equal width ----------------------------------------------------------------------------


def _boundaries(parameters: Mapping[str, Any]) -> list[float]:
    low, high, bins = (parameters[n] for n in ("min_value", "max_value", "number_of_bins"))
    if not low < high or high - low == math.inf:
        raise ParameterError(
            f"min_value is {low:g} and max_value is {high:g}, but min_value must be less than "
            "max_value, and their distance a number."
        )
    limits: list[float] = np.linspace(low, high, bins + 1).tolist()
    if len(set(limits)) <= bins:
        raise ParameterError(
            f"Between {low!r} and {high!r} there are not enough numbers for {bins} ranges."
        )
    return limits


def _known_bins(
    schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]
) -> Schema | None:
    if not parameters["define_boundaries"]:
        return None
    return _alike(schema, names, range_names(_boundaries(parameters), parameters))


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_known_bins),
    aliases=WITH_MODEL,
    tags=(*TAGS, "equal width"),
)
def discretize_by_bins(
    examples: ExampleSet,
    *,
    number_of_bins: Bins = 2,
    define_boundaries: Annotated[
        bool, Field(description="Divide a given range instead of the range of the values.")
    ] = False,
    min_value: Annotated[
        float,
        When(define_boundaries=True),
        Field(description="Lower limit of the range."),
    ] = 0.0,
    max_value: Annotated[
        float,
        When(define_boundaries=True),
        Field(description="Upper limit of the range."),
    ] = 1.0,
    ctx: Context,
    **style: Unpack[RangeFilter],
) -> Prepared:
    """Discretize by Binning

    Divides the range of each numerical attribute into parts of equal width and replaces every
    number by the name of its part. A value at a limit belongs to the part below. The model applies
    the same limits to other rows.

    The first and the last part are open, so every value of other rows belongs to a part. With
    define_boundaries all attributes get the same cuts, and values beyond them get two further
    ranges. A constant attribute gets one range. Outliers leave most parts empty: then use
    Discretize by Frequency. Missing values stay missing.
    """
    if not define_boundaries:
        return discretized(
            examples,
            lambda X: discretize.equal_width(X, number_of_bins),
            style,
            "Discretize by Binning",
            ctx,
        )
    given = {"min_value": min_value, "max_value": max_value, "number_of_bins": number_of_bins}
    limits = _boundaries(given)
    ranges = limits, range_names(limits, style)
    return _discretized_alike(examples, ranges, style, "Discretize by Binning", ctx)


# --- equal frequency ------------------------------------------------------------------------


def _by_root_of_rows(X: Floats, cut: Callable[[Floats, int], CutPoints]) -> CutPoints:
    """Cut each column into as many parts as the root of the number of its known values."""
    bins = np.maximum(np.rint(np.sqrt((~np.isnan(X)).sum(axis=0))).astype(np.intp), 1)
    cuts = np.full((int(bins.max(initial=1)) - 1, X.shape[1]), np.inf)
    for number in np.unique(bins[bins > 1]).tolist():
        mine = np.flatnonzero(bins == number)
        found = cut(X[:, mine], number).cuts
        cuts[: len(found), mine] = found
    return CutPoints(cuts)


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(unknown_ranges),
    aliases=WITH_MODEL,
    tags=(*TAGS, "quantile", "equal frequency"),
)
def discretize_by_frequency(
    examples: ExampleSet,
    *,
    use_sqrt_of_examples: Annotated[
        bool,
        Field(
            description="Use the square root of the number of known values, rounded, as the "
            "number of ranges."
        ),
    ] = False,
    number_of_bins: Annotated[Bins, When(use_sqrt_of_examples=False)] = 2,
    compatibility: Compatibility = "fsops",
    ctx: Context,
    **style: Unpack[RangeFilter],
) -> Prepared:
    """Discretize by Frequency

    Cuts each numerical attribute at its quantiles, so that all ranges hold about the same number of
    rows. Replaces every number by the name of its range. A value at a limit belongs to the range
    below. The model applies the same limits to other rows.

    Equal values are never divided: attributes with many of them get fewer ranges. Missing values
    stay missing. With fsops the limits are quantiles; with rapidminer a limit is midway between two
    values, as soon as a range holds its part of the rows.
    """
    cut = discretize.filled_bins if compatibility == "rapidminer" else discretize.equal_frequency

    def rule(X: Floats) -> CutPoints:
        return _by_root_of_rows(X, cut) if use_sqrt_of_examples else cut(X, number_of_bins)

    return discretized(examples, rule, style, "Discretize by Frequency", ctx)


# --- other rules ----------------------------------------------------------------------------


@operator(
    group=GROUP,
    role="preparation",
    accepts=Accepts(label="nominal", missing=True),
    describe=describe_change(unknown_ranges),
    aliases=WITH_MODEL,
    tags=(*TAGS, "mdl", "fayyad", "irani", "supervised", "minimum description length"),
)
def discretize_by_entropy(
    examples: ExampleSet,
    *,
    remove_useless: Annotated[
        bool, Field(description="Drop attributes for which no cut adds information.")
    ] = True,
    ctx: Context,
    **style: Unpack[RangeFilter],
) -> Prepared:
    """Discretize by Entropy

    Cuts each numerical attribute repeatedly where the classes separate best, as long as a cut
    adds more information about the classes than its description costs. The data decide the number
    of ranges. The model applies the same limits to other rows.

    It uses the label: inside a validation, fit the model on the training rows only. A cut of n
    rows with entropy H and k classes is made if its gain exceeds
    [log₂(n − 1) + log₂(3ᵏ − 2) − kH + k₁H₁ + k₂H₂]/n. Missing values stay missing.

    References
    ----------
    Fayyad & Irani (1993): Multi-interval discretization of continuous-valued attributes for
    classification learning. IJCAI, 1022–1027.
    """
    codes, _ = examples.class_codes()
    return discretized(
        examples,
        lambda X: discretize.minimum_description_length(X, codes),
        style,
        "Discretize by Entropy",
        ctx,
        remove_useless=remove_useless,
    )


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(unknown_ranges),
    aliases=WITH_MODEL,
    tags=(*TAGS, "mean", "standard deviation", "sigma", "mrmr", "gene expression"),
)
def discretize_by_deviation(
    examples: ExampleSet,
    *,
    number_of_deviations: Annotated[
        float,
        Field(gt=0, le=1e6, description="Distance of the limits from the mean in deviations, a."),
    ] = 0.5,
    ctx: Context,
    **style: Unpack[RangeFilter],
) -> Prepared:
    """Discretize by Deviation

    Makes each numerical attribute low, middle or high: below, around or above its mean, with limits
    at mean ± a·σ (σ with divisor n − 1). The model applies the same limits to other rows.

    That is how MRMR was used on gene expression: under-, normally and over-expressed. A constant
    attribute gets one range. Missing values stay missing.

    References
    ----------
    Ding & Peng (2005): Minimum redundancy feature selection from microarray gene expression data.
    J. Bioinformatics and Computational Biology 3, 185–205.
    """
    return discretized(
        examples,
        lambda X: discretize.mean_sd(X, number_of_deviations),
        style,
        "Discretize by Deviation",
        ctx,
    )


# --- limits of one's own --------------------------------------------------------------------


def _user_ranges(classes: Mapping[str, float]) -> tuple[list[float], Texts]:
    """Return cut points, and the class between each two of them."""
    if not classes:
        raise ParameterError(
            "classes is empty; it must give at least one class its upper limit.",
            hint="Infinity is the limit of the highest class.",
        )
    order = sorted(classes, key=classes.__getitem__)
    limits = [classes[name] for name in order]
    if any(map(math.isnan, limits)) or len(set(limits)) < len(limits):
        raise ParameterError(
            "The upper limits in classes must be different numbers, but they are "
            f"{', '.join(f'{limit:g}' for limit in limits)}."
        )
    names: list[str | None] = [None if name == UNKNOWN else name for name in order]
    while limits and limits[0] == -math.inf:  # nothing lies below
        limits, names = limits[1:], names[1:]
    if limits and limits[-1] == math.inf:
        return limits[:-1], tuple(names)
    return limits, (*names, None)


def _user_classes(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    return _alike(schema, names, _user_ranges(parameters["classes"])[1])


@operator(
    group=GROUP,
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_user_classes),
    aliases=WITH_MODEL,
    tags=(*TAGS, "threshold", "cut", "custom bins"),
)
def discretize_by_user_specification(
    examples: ExampleSet,
    *,
    classes: Annotated[
        dict[str, float],
        Field(
            description="Names of the ranges, each with its upper limit; Infinity for the highest. "
            "The name ? makes values missing.",
            examples=[{"low": 0.0, "high": math.inf}],
        ),
    ],
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    """Discretize by User Specification

    Replaces every number by the name of its range, with your own names and upper limits.
     All chosen attributes get the same cuts. A value at a limit belongs to the range below.

    Values above the highest limit become missing; give the highest range the limit Infinity to
    avoid that. Missing values stay missing.
    """
    title = "Discretize by User Specification"
    return _discretized_alike(examples, _user_ranges(classes), attribute_filter, title, ctx)
