"""Some of the rows, drawn at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.resampling import bootstrap, subsample
from fsops.algorithms.base.row_groups import RowGroups
from fsops.core import Accepts, Aliases, Context, Named, When, operator
from fsops.data import ExampleSet, MetaData
from fsops.data.design import row_groups, row_strata
from fsops.errors import DataError, ParameterError, did_you_mean, enumerate_names, quoted
from fsops.operators.preparation.prepared import ALIASES, PORTS
from fsops.operators.preparation.rows import same_attributes

GROUP = "Preparation/Sampling"
Rows = npt.NDArray[np.intp]
NOMINAL_LABEL = Accepts(label="nominal", missing=True, infinite=True, sparse=True)

SampleSize = Annotated[
    int, When(sample="absolute"), Field(ge=1, description="Number of rows to draw.")
]
SampleRatio = Annotated[
    float,
    When(sample="relative"),
    Field(ge=0, le=1, description="Fraction of rows to draw, from 0 to 1."),
]


@operator(
    group=GROUP,
    role="rows",
    describe=same_attributes,
    aliases=ALIASES,
    tags=("random rows", "subset", "balance", "undersample", "downsample"),
    random=True,
)
def sample(
    examples: ExampleSet,
    *,
    sample: Annotated[
        Literal["absolute", "relative", "probability"],
        Field(description="A number of rows, a fraction of rows, or every row with a probability."),
    ] = "absolute",
    balance_data: Annotated[
        bool, Field(description="Draw from each class of the label separately.")
    ] = False,
    sample_size: Annotated[
        int,
        When(sample="absolute", balance_data=False),
        Field(ge=1, description="Number of rows to draw."),
    ] = 100,
    sample_fraction: Annotated[
        float,
        When(sample="relative", balance_data=False),
        Field(ge=0, le=1, description="Fraction of rows to draw, from 0 to 1."),
    ] = 0.1,
    sample_probability: Annotated[
        float,
        When(sample="probability", balance_data=False),
        Field(ge=0, le=1, description="Probability of each row to be drawn, from 0 to 1."),
    ] = 0.1,
    sample_size_per_class: Annotated[
        dict[str, Annotated[int, Field(ge=0)]],
        When(sample="absolute", balance_data=True),
        Field(
            description="Number of rows to draw, by class; rows of unnamed classes are not drawn."
        ),
    ] = {},
    sample_fraction_per_class: Annotated[
        dict[str, Annotated[float, Field(ge=0, le=1)]],
        When(sample="relative", balance_data=True),
        Field(description="Fraction of each class to draw; unnamed classes are not drawn."),
    ] = {},
    sample_probability_per_class: Annotated[
        dict[str, Annotated[float, Field(ge=0, le=1)]],
        When(sample="probability", balance_data=True),
        Field(
            description="Probability of a row to be drawn, by class; rows of unnamed classes are "
            "not drawn."
        ),
    ] = {},
    ctx: Context,
) -> ExampleSet:
    """Sample

    Draws rows at random without replacement; they keep their order. Fractions are rounded down.
    With balance_data each class gets its own number, fraction or probability: with equal numbers a
    rare class counts as much as a frequent one.

    To keep the class fractions use Sample (Stratified), to draw rows repeatedly
    Sample (Bootstrapping).
    """
    amounts: dict[str, Mapping[str, float]] = {
        "absolute": sample_size_per_class,
        "relative": sample_fraction_per_class,
        "probability": sample_probability_per_class,
    }
    if balance_data:
        return examples.take(_balanced(examples, sample, amounts[sample], ctx))
    amount = {
        "absolute": sample_size,
        "relative": sample_fraction,
        "probability": sample_probability,
    }[sample]
    everything = np.arange(len(examples))
    return examples.take(_drawn(everything, sample, amount, "rows", ctx))


def _drawn(rows: Rows, kind: str, amount: float, what: str, ctx: Context) -> Rows:
    """Return some of the rows, in their order."""
    rng = ctx.rng(what)
    if kind == "probability":
        return rows[rng.random(len(rows)) < amount]
    wanted = int(amount if kind == "absolute" else np.floor(amount * len(rows) + 1e-9))
    if wanted > len(rows):
        ctx.warn(f"{wanted} {what} are wanted, but there are only {len(rows)}: all are kept.")
        return rows
    return np.sort(rng.choice(rows, wanted, replace=False)) if wanted else rows[:0]


def _balanced(examples: ExampleSet, kind: str, amounts: Mapping[str, float], ctx: Context) -> Rows:
    classes, codes = examples.classes, examples.column(examples.label.name)
    for name in amounts:
        if name not in classes:
            hint = did_you_mean(name, classes) or f"There are {enumerate_names(classes)}."
            message = f"{quoted(examples.label.name)} has no class {quoted(name)}."
            raise DataError(message, hint=hint)
    if not amounts:
        parameter = {"absolute": "size", "relative": "fraction"}.get(kind, kind)
        raise ParameterError(
            f"sample_{parameter}_per_class is empty, but balance_data is set.",
            hint=f"Name a class with its amount, such as {classes[0] if classes else 'yes'}: 1.",
        )
    parts = [
        _drawn(
            np.flatnonzero(codes == classes.index(name)),
            kind,
            amount,
            f"rows of class {quoted(name)}",
            ctx,
        )
        for name, amount in amounts.items()
    ]
    return np.sort(np.concatenate(parts))


@operator(
    group=GROUP,
    role="rows",
    accepts=NOMINAL_LABEL,
    describe=same_attributes,
    aliases=ALIASES,
    tags=("random rows", "class shares", "subset"),
    random=True,
)
def sample_stratified(
    examples: ExampleSet,
    *,
    sample: Annotated[
        Literal["absolute", "relative"], Field(description="A number or a fraction of rows.")
    ] = "absolute",
    sample_size: SampleSize = 100,
    sample_fraction: SampleRatio = 0.1,
    ctx: Context,
) -> ExampleSet:
    """Sample (Stratified)

    Draws rows at random without replacement, so that the classes keep their fractions. A class
    whose fraction is less than one row gets one row, if possible. The rows keep their order.
    """
    n = len(examples)
    wanted = sample_size if sample == "absolute" else int(np.floor(sample_fraction * n + 1e-9))
    if wanted > n:
        ctx.warn(f"{wanted} rows are wanted, but there are only {n}: all are kept.")
    if wanted < 1:
        raise DataError(
            f"A fraction of {sample_fraction:g} of {n} rows is less than one row.",
            hint="Raise sample_fraction.",
        )
    codes = examples.label_values().astype(np.intp)
    ratio = min(wanted / n, 1.0)
    return examples.take(subsample(n, 1, ctx.rng("rows"), ratio=ratio, strata=codes)[0])


@operator(
    group=GROUP,
    role="rows",
    describe=same_attributes,
    aliases=Aliases(keys=("bootstrap",), ports=PORTS),
    tags=("with replacement", "resample", "bagging"),
    random=True,
)
def sample_bootstrapping(
    examples: ExampleSet,
    *,
    sample: Annotated[
        Literal["absolute", "relative"], Field(description="A number or a fraction of rows.")
    ] = "relative",
    sample_size: SampleSize = 100,
    sample_fraction: Annotated[
        float,
        When(sample="relative"),
        Field(gt=0, le=1000, description="Fraction of the rows to draw; it may be above 1."),
    ] = 1.0,
    use_weights: Annotated[
        bool,
        Field(
            description="Draw rows in proportion to the attribute with the role weight, if there "
            "is one."
        ),
    ] = True,
    ctx: Context,
) -> ExampleSet:
    """Sample (Bootstrapping)

    Draws rows at random and with replacement: some rows appear several times, others not at all
    (about 37 % of the rows, if as many rows are drawn as the table has). The rows keep their order.
    With use_weights, rows with the weight 0 are never drawn, but sample_fraction refers to all
    rows.

    References
    ----------
    Efron, Tibshirani (1993): An Introduction to the Bootstrap. Chapman & Hall.
    """
    n = len(examples)
    if n == 0:
        raise DataError("The data has no rows.")
    ratio = sample_size / n if sample == "absolute" else sample_fraction
    rng = ctx.rng("rows")
    weight = examples.schema.special("weight") if use_weights else None
    if weight is None:
        return examples.take(bootstrap(n, 1, rng, ratio=ratio)[0])
    shares = _shares(weight.name, examples.column(weight.name))
    return examples.take(np.sort(rng.choice(n, max(1, round(ratio * n)), p=shares)))


def _shares(name: str, weights: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    sound = weights.dtype.kind == "f" and bool((np.isfinite(weights) & (weights >= 0)).all())
    if not sound or not weights.any():
        raise DataError(
            f"The weights in {quoted(name)} must be numbers of at least 0, not all of them 0.",
            hint="Correct them, or set use_weights to false.",
        )
    relative = weights / weights.max()
    shares: npt.NDArray[np.float64] = relative / relative.sum()
    return shares


# --- split ------------------------------------------------------------------------------------


def _describe_parts(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> dict[str, MetaData]:
    meta = same_attributes(inputs, parameters)
    return {f"partition {n}": meta for n in range(1, len(parameters["partitions"]) + 1)}


@operator(
    group=GROUP,
    role="rows",
    describe=_describe_parts,
    aliases=Aliases(keys=("blending:split_data",), ports={"example set": "examples"}),
    tags=("partition", "holdout", "training and test", "train test split"),
    random=True,
)
def split_data(
    examples: ExampleSet,
    *,
    partitions: Annotated[
        list[Annotated[float, Field(gt=0, le=1e6)]],
        Field(description="Fraction of each part; fractions that do not add up to 1 are scaled."),
    ] = [0.7, 0.3],
    sampling: Annotated[
        Literal["automatic", "stratified sampling", "shuffled sampling", "linear sampling"],
        Field(
            description="Assignment of rows to the parts: with equal class fractions, at "
            "random, or in blocks of consecutive rows. Automatic: stratified for classes and "
            "events, "
            "else shuffled."
        ),
    ] = "automatic",
    ctx: Context,
) -> Annotated[list[ExampleSet], Named("partition", "One part of the rows, in their order.")]:
    """Split Data

    Divides the rows into several parts: every row is in exactly one. A part has its fraction of the
    rows, rounded to whole rows; with stratified sampling also of every class. Rows with the
    same value of the attribute with the role group or pair stay together. Rows with the weight 0
    (role weight) are dealt out like all others, so that no row is lost: if the parts must not
    depend on them, remove them first (Filter Examples).

    To estimate the performance of a model use Split Validation or Cross Validation, which select
    and train without the test rows.
    """
    if not partitions:
        raise ParameterError("partitions is empty.", hint="Give fractions such as 0.7 and 0.3.")
    wanted = ctx.highest_wanted("partition")
    if wanted > len(partitions):
        raise ParameterError(
            f"partition {wanted} is connected, but partitions has only {len(partitions)}.",
            hint="Add a fraction to partitions, or remove the connection.",
        )
    ratios = np.array(partitions) / sum(partitions)
    part = _parts(examples, sampling, ratios, ctx)
    parts = [np.flatnonzero(part == number) for number in range(len(ratios))]
    empty = [str(number) for number, rows in enumerate(parts, start=1) if not len(rows)]
    if empty:
        ctx.warn(f"There are too few rows: partition {', '.join(empty)} has none.")
    return [examples.take(rows) for rows in parts]


def _parts(
    examples: ExampleSet, sampling: str, ratios: npt.NDArray[np.float64], ctx: Context
) -> Rows:
    """Return the part of each row; rows of one group or pair are in the same part."""
    strata, groups = _strata(examples, sampling), row_groups(examples)
    if groups is None:
        return split(strata, ratios, _order(len(examples), sampling, ctx))
    whole = RowGroups(groups)
    linear = sampling == "linear sampling"
    order = np.argsort(whole.first) if linear else _order(whole.count, sampling, ctx)
    parts: Rows = split(whole.kinds(strata), ratios, order)[whole.codes]
    return parts


def _order(n: int, sampling: str, ctx: Context) -> Rows:
    return np.arange(n) if sampling == "linear sampling" else ctx.rng("parts").permutation(n)


UNSTRATIFIED = ("shuffled sampling", "linear sampling")


def _strata(examples: ExampleSet, sampling: str) -> Rows:
    """Return the class of each row; one for all where classes do not matter."""
    label = examples.schema.label
    classes = label is not None and label.value_type.is_nominal
    events = None if classes or sampling in UNSTRATIFIED else row_strata(examples)
    if events is not None:
        return events
    if sampling == "stratified sampling" and not classes:
        label = examples.label
        raise DataError(
            f"Stratified sampling needs classes, but {quoted(label.name)} is {label.value_type}.",
            hint="Use shuffled sampling.",
        )
    if label is None or not classes or sampling in UNSTRATIFIED:
        return np.zeros(len(examples), dtype=np.intp)
    return np.unique(examples.column(label.name), return_inverse=True)[1].astype(np.intp)


def split(strata: Rows, ratios: npt.NDArray[np.float64], order: Rows) -> Rows:
    """Return the part of every row: within a stratum each has its share, up or down to a row.

    The rows are dealt out in the given order. Rounding in one stratum is balanced in another,
    so that the sizes of the parts are right, too.
    """
    part = np.zeros(len(strata), dtype=np.intp)
    owed = np.zeros(len(ratios))
    dealt = order[np.argsort(strata[order], kind="stable")]
    for rows in np.split(dealt, np.cumsum(np.bincount(strata))[:-1]):
        quota = len(rows) * ratios
        counts = np.floor(quota + 1e-9).astype(np.intp)
        owed += quota - counts
        rest = len(rows) - int(counts.sum())
        cut = np.flatnonzero(quota - counts > 1e-9)  # only those who lost something get a row more
        lucky = cut[np.argsort(-owed[cut], kind="stable")][:rest]
        counts[lucky] += 1
        owed[lucky] -= 1
        part[rows] = np.repeat(np.arange(len(ratios)), counts)
    return part
