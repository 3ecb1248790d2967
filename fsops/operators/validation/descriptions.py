"""Attributes one by one: which way, how much, how sure, and what else says the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field

from fsops.algorithms.aggregation.ensemble import resampled_class_scores, resampled_cross_scores
from fsops.algorithms.base import resampling
from fsops.algorithms.base.moments import ClassMoments, CrossMoments
from fsops.algorithms.filters.univariate import f_test_from, pearson_from
from fsops.algorithms.statistics import effects
from fsops.algorithms.statistics.significance import adjust_p_values
from fsops.core import Accepts, Context, Named, operator
from fsops.data import AttributeDescriptions, AttributeWeights, ExampleSet, MetaData
from fsops.data.design import row_groups
from fsops.errors import DataError, enumerate_names
from fsops.operators.validation.significance import result_table

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
PLACE = "{attribute}"
THIRDS = ("low", "middle", "high")
MOST_CLUSTERED = 2_000
"""Described attributes up to which groups of correlated ones are looked for."""


class Described(NamedTuple):
    """Attributes described one by one."""

    descriptions: Annotated[
        AttributeDescriptions, Named(description="For the report: the table, and boxes by class.")
    ]
    table: Annotated[ExampleSet, Named(description="A row per attribute.")]


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    return {"descriptions": MetaData(AttributeDescriptions)}


def _address(template: str) -> str:
    """Check the template of a web address."""
    parts = urlsplit(template)
    if template and (parts.scheme not in ("http", "https") or PLACE not in template):
        raise ValueError(
            f"A link starts with https:// and has {PLACE} for the name of the attribute, as in "
            f"https://www.ncbi.nlm.nih.gov/gene/?term={PLACE}"
        )
    return template


@operator(
    group="Validation/Significance",
    role="performance",
    accepts=Accepts(label="any", attributes="numerical", missing=True),
    describe=_describe,
    tags=("effect size", "hedges", "fold change", "direction", "gene", "p-value", "report"),
    random=True,
)
def describe_attributes(
    examples: ExampleSet,
    weights: Annotated[
        AttributeWeights | None,
        Named(description="Describe attributes whose weight is not 0, best first; empty: all."),
    ] = None,
    *,
    resamples: Annotated[
        int,
        Field(
            ge=0,
            le=10_000,
            description="Number of bootstraps for the interval of the rank; 0: no interval.",
        ),
    ] = 50,
    values: Annotated[
        Literal["automatic", "logarithms", "plain"],
        Field(description="Logarithms to base 2 get a fold change; automatic looks at the values."),
    ] = "automatic",
    correlated: Annotated[
        float,
        Field(ge=0, le=1, description="Attributes with this absolute correlation form a cluster."),
    ] = 0.8,
    link: Annotated[
        str,
        AfterValidator(_address),
        Field(description="Web address for the names, with {attribute} in it; empty: no links."),
    ] = "",
    ctx: Context,
) -> Described:
    r"""Describe Attributes

    Describes numerical attributes one by one: the class in which an attribute is higher, the means
    of the classes, an effect size with its 95 % interval, p-value, the p-value adjusted for all
    attributes of the table (Benjamini and Hochberg), the interval of the rank over bootstraps of
    the rows, and which other attributes carry the same information.

    The effect size is Hedges' g for two classes (positive: higher in the class that sorts last),
    omega squared for more classes, and Pearson's r for a numerical label. The fold change is 2 to
    the power of the difference of the means; with more than two classes, the difference of the
    largest and the smallest mean. Attributes are ranked by the F-test or by \|r\|; the interval of
    the rank contains 90 % of the bootstraps. ``cluster`` numbers groups of correlated attributes,
    and ``others`` counts the attributes of the whole table that are correlated with this one.

    All rows are used, including the test rows of a validation. So the effects of attributes that
    were selected on the same rows are optimistic. Missing values are left out for their attribute
    only.

    .. math:: g = J\,\frac{m_+ - m_-}{s}, \qquad J = \frac{\Gamma(f/2)}
        {\sqrt{f/2}\;\Gamma((f-1)/2)}, \qquad f = n_+ + n_- - 2

    References
    ----------
    Hedges (1981): Distribution theory for Glass's estimator of effect size and related estimators.
    Journal of Educational Statistics 6, 107–128.
    Benjamini, Hochberg (1995): Controlling the false discovery rate: a practical and powerful
    approach to multiple testing. J. R. Statist. Soc. B 57, 289–300.
    """
    X = examples.numeric()
    chosen = _chosen(examples, weights)
    label = _Classes.of(examples) if examples.label.value_type.is_nominal else _Numbers.of(examples)
    found, means = label.effects(X, chosen)
    columns: dict[str, npt.NDArray[Any]] = {**means, "effect": found.effect}
    columns |= {"lower": found.lower, "upper": found.upper}
    if values == "logarithms" or (values == "automatic" and effects.look_like_logs(X)):
        columns |= label.fold_change(means)
    columns |= {"p_value": found.p_values, "adjusted_p_value": adjust_p_values(found.p_values)}
    columns["missing"] = np.isnan(X).sum(axis=0).astype(np.float64)
    columns = {name: column[chosen] for name, column in columns.items()}
    columns |= _from_weights(examples, weights, chosen)
    if resamples and len(chosen):
        scores = label.resampled(X, resamples, ctx.rng("resamples"), row_groups(examples))
        low, high = effects.rank_interval(scores, chosen)
        columns |= {"rank_low": low, "rank_high": high}
    names = [examples.schema.names[examples.schema.regular_numerical[place]] for place in chosen]
    columns |= _correlations(X, chosen, names, correlated)
    described = AttributeDescriptions(
        names,
        columns,
        groups=label.groups,
        boxes=effects.boxes(X[:, chosen], label.codes, len(label.groups)),
        effect=label.effect_name,
        total=X.shape[1],
        link=link,
    )
    listed = {name: column.tolist() for name, column in columns.items()}
    return Described(described, result_table({"attribute": names, **listed}))


def _chosen(examples: ExampleSet, weights: AttributeWeights | None) -> Places:
    """Return which numerical attributes are described, the best first."""
    positions = examples.schema.regular_numerical
    if weights is None:
        return np.arange(len(positions))
    mentioned = [name for name in weights.selected_names() if name not in examples.schema]
    if mentioned:
        raise DataError(
            f"The weights name {enumerate_names(mentioned)}, but the table has no such attribute.",
            hint="Connect the table that the weights were made from.",
        )
    values = weights.values
    kept = [place for place in weights.listed() if values[place] and not np.isnan(values[place])]
    best = [weights.names[place] for place in kept]
    place_of = {int(position): place for place, position in enumerate(positions)}
    found = examples.schema.names.find(best)
    return np.array([place_of[p] for p in found.tolist() if p in place_of], dtype=np.intp)


def _from_weights(
    examples: ExampleSet, weights: AttributeWeights | None, chosen: Places
) -> dict[str, Floats]:
    """Return weight and selection frequency; a weight that is the frequency is not repeated."""
    if weights is None:
        return {}
    names = examples.schema.names_at(examples.schema.regular_numerical[chosen])
    found = weights.names.find(names)
    frequency = weights.details.get("frequency")
    if frequency is None:
        return {weights.column_title: weights.values[found]}
    columns = {"frequency": np.asarray(frequency[found], dtype=np.float64)}
    own = weights.values[found]
    return columns if np.array_equal(own, columns["frequency"]) else {"weight": own, **columns}


def _correlations(
    X: Floats, chosen: Places, names: list[str], threshold: float
) -> dict[str, npt.NDArray[Any]]:
    """Return clusters, the most correlated described attribute, and how many others there are."""
    if not 1 < len(chosen) <= MOST_CLUSTERED:
        return {}
    found = effects.correlations(X[:, chosen], X)
    among = found[:, chosen]
    size = np.nan_to_num(np.abs(among))
    np.fill_diagonal(size, -1.0)
    partner = size.argmax(axis=1)
    others = (np.nan_to_num(np.abs(found)) >= threshold).sum(axis=1)
    others -= np.nan_to_num(np.abs(np.diag(among))) >= threshold
    return {
        "cluster": effects.correlation_clusters(among, threshold).astype(np.float64),
        "goes_along_with": np.array([names[place] for place in partner], dtype=object),
        "correlation": among[np.arange(len(chosen)), partner],
        "others": others.astype(np.float64),
    }


class _Classes:
    """A label of classes."""

    def __init__(self, codes: Places, groups: tuple[str, ...]) -> None:
        self.codes, self.groups = codes, groups
        self.effect_name = "Hedges' g" if len(groups) == 2 else "omega squared"

    @classmethod
    def of(cls, examples: ExampleSet) -> _Classes:
        codes, groups = examples.class_codes()
        return cls(codes.astype(np.intp), groups)

    def effects(
        self, X: Floats, chosen: Places
    ) -> tuple[effects.Effects, dict[str, npt.NDArray[Any]]]:
        """Return the effects, intervals of chosen ones, the class with the largest mean, means."""
        moments = ClassMoments.of(X, self.codes, len(self.groups))
        measure = effects.hedges_g if len(self.groups) == 2 else effects.omega_squared
        known = np.broadcast_to(moments.count > 0, moments.offset.shape)
        means = np.where(known, moments.mean, np.nan)
        highest = np.where(known, moments.offset, -np.inf).argmax(axis=0)
        names = np.array(self.groups, dtype=object)[highest]
        found = measure(moments, chosen)
        columns = {"higher_in": np.where(np.nan_to_num(found.effect) == 0, "", names)}
        named = zip(self.groups, means, strict=True)
        return found, columns | {f"mean {group}": mean for group, mean in named}

    def fold_change(self, means: Mapping[str, npt.NDArray[Any]]) -> dict[str, Floats]:
        """Return 2 to the power of the difference of the means."""
        columns = np.stack([means[f"mean {group}"] for group in self.groups])
        if len(columns) == 2:
            return {"fold_change": np.exp2(columns[1] - columns[0])}
        return {"fold_change": np.exp2(columns.max(axis=0) - columns.min(axis=0))}

    def resampled(
        self, X: Floats, count: int, rng: np.random.Generator, together: Places | None
    ) -> Floats:
        """Return F on bootstraps of the rows, (resamples, attributes)."""
        rows = resampling.bootstrap(
            len(X), count, rng, strata=self.codes, labels=self.codes, groups=together
        )
        counts, classes = resampling.row_counts(rows, len(X)), len(self.groups)
        if not np.isnan(X).any():
            return resampled_class_scores(X, self.codes, counts, _f_weights, n_classes=classes)
        parts = [ClassMoments.of(X, self.codes, classes, weights=row) for row in counts]
        return np.stack([_f_weights(part).weights for part in parts])


class _Numbers:
    """A numerical label, cut into thirds for the boxes."""

    groups, effect_name = THIRDS, "r"

    def __init__(self, target: Floats) -> None:
        self.target = target
        cuts = np.quantile(target, [1 / 3, 2 / 3]) if len(target) else np.zeros(2)
        self.codes: Places = np.searchsorted(cuts, target, side="left").astype(np.intp)

    @classmethod
    def of(cls, examples: ExampleSet) -> _Numbers:
        return cls(examples.numeric_label())

    def effects(
        self, X: Floats, chosen: Places
    ) -> tuple[effects.Effects, dict[str, npt.NDArray[Any]]]:
        """Return the correlations, and whether they rise or fall."""
        found = effects.correlation_effects(CrossMoments.of(X, self.target))
        sign = np.sign(np.nan_to_num(found.effect)).astype(int)
        return found, {"direction": np.array(["", "rises", "falls"], dtype=object)[sign]}

    def fold_change(self, means: Mapping[str, npt.NDArray[Any]]) -> dict[str, Floats]:
        """Return nothing: there are no classes to compare."""
        return {}

    def resampled(
        self, X: Floats, count: int, rng: np.random.Generator, together: Places | None
    ) -> Floats:
        """Return the size of r on bootstraps of the rows, (resamples, attributes)."""
        rows = resampling.bootstrap(len(X), count, rng, groups=together)
        counts = resampling.row_counts(rows, len(X))
        if not np.isnan(X).any():
            return resampled_cross_scores(X, self.target, counts, pearson_from)
        parts = [CrossMoments.of(X, self.target, weights=row) for row in counts]
        return np.stack([pearson_from(part).weights for part in parts])


def _f_weights(moments: ClassMoments) -> Any:
    return f_test_from(moments, p_values=False)
