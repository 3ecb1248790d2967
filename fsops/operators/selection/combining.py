"""How several weightings become one: what Aggregate Weights and the ensembles share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field

from fsops.algorithms.aggregation import ranks as rank_aggregation, weights as aggregation
from fsops.algorithms.aggregation.errors import neighbour_error
from fsops.algorithms.aggregation.robust_ranks import robust_ranks
from fsops.algorithms.base import resampling
from fsops.algorithms.preparation.mixed_space import MixedSpace
from fsops.algorithms.statistics.significance import adjust_p_values
from fsops.core import Accepts, Context, Expert, When
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.design import row_groups
from fsops.errors import DataError, ParameterError, enumerate_names
from fsops.operators.sizes import Size, counted

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

FOLDS = 10
MEASURED = Accepts(label="nominal", attributes="numerical or nominal")
"""Requirements on a table for testing the members' sets."""
SHORT_NAMES = {
    "WMA": "mean weight",
    "WRA": "weight over rank",
    "CLA": "mean rank",
    "Borda": "mean rank",
    "RRA": "robust rank",
    "GAA": "rank distance",
    "OFA": "frequency",
    "CAA": "accuracy",
    "RAA": "reliability",
}
OF_LISTS = (
    "mean weight",
    "weight over rank",
    "mean rank",
    "robust rank",
    "rank distance",
    "frequency",
    "common",
    "accuracy",
    "reliability",
)


def _long_name(value: Any) -> Any:
    return SHORT_NAMES.get(value, value) if isinstance(value, str) else value


class Combining(TypedDict):
    """How the weights of several members become one."""

    combination: Annotated[
        Literal[
            "top k",
            "geq w",
            "accumulate weights",
            "mean weight",
            "weight over rank",
            "mean rank",
            "robust rank",
            "rank distance",
            "frequency",
            "common",
            "accuracy",
            "reliability",
        ],
        BeforeValidator(_long_name),
        Field(
            default="top k",
            description="Criterion: being among the best k, having a weight of at least w, the "
            "sum or the mean of the weights (WMA), that divided by the ranks (WRA), the mean of "
            "the ranks (CLA, Borda), ranks better than chance (RRA), the list nearest to all "
            "lists (GAA), being in many lists (OFA) or in all, the accuracy of the lists (CAA), "
            "or that and their agreement (RAA).",
        ),
    ]
    k: Annotated[
        int,
        When(combination="top k"),
        Field(ge=1, default=10, description="Number of attributes to select."),
    ]
    w: Annotated[
        float,
        When(combination="geq w"),
        Field(default=1.0, description="Smallest weight that counts as a vote."),
    ]
    min_iterations: Annotated[
        int | None,
        When(combination=("top k", "geq w")),
        Field(
            ge=0,
            default=None,
            description="Votes an attribute needs; empty: none for top k, half for geq w.",
        ),
    ]
    normalization: Annotated[
        Literal["none", "max", "minmax", "sum", "rank"] | None,
        When(combination=("accumulate weights", "mean weight", "weight over rank")),
        Field(
            default=None,
            description="Scaling of each member's weights before they are added; empty: none for "
            "accumulated weights, otherwise max.",
        ),
    ]
    list_length: Annotated[
        int | None,
        When(combination=OF_LISTS),
        Field(
            ge=1,
            default=None,
            description="Number of best attributes in the list of each member; empty: all with a "
            "weight above 0.",
        ),
    ]
    keep_best: Annotated[
        int | None,
        When(combination=OF_LISTS),
        Field(
            ge=1,
            default=None,
            description="Number of best attributes that keep their weights; all others get 0. "
            "Empty: keep all.",
        ),
    ]
    ranks: Annotated[
        Literal["full", "truncated"],
        When(combination="mean rank"),
        Field(
            default="full",
            description="Rank all attributes, or give attributes that are not in a list the rank "
            "after its last one.",
        ),
    ]
    p_values: Annotated[
        Literal["exact", "bonferroni"],
        When(combination="robust rank"),
        Field(
            default="exact",
            description="Compute the exact p-value, or a bound that is fast to compute.",
        ),
    ]
    distance: Annotated[
        Literal["spearman", "kendall"],
        When(combination="rank distance"),
        Field(
            default="spearman",
            description="Distance of two lists: by the positions of the attributes (footrule), or "
            "by the number of pairs in different order (Kendall).",
        ),
    ]
    list_weights: Annotated[
        list[Annotated[float, Field(gt=0)]],
        Expert(),
        When(combination="rank distance"),
        Field(
            default=[],
            description="Factors of the distances, above 0, one for each list in their order; "
            "empty: 1 for all.",
        ),
    ]
    min_fraction: Annotated[
        float,
        When(combination="common"),
        Field(gt=0, le=1, default=1.0, description="Fraction of lists that must contain it."),
    ]
    number_of_neighbors: Annotated[
        int,
        When(combination=("accuracy", "reliability")),
        Field(
            ge=1,
            default=1,
            description="Number of neighbors that vote when the accuracy of a list is measured.",
        ),
    ]
    metric: Annotated[
        Literal["euclidean", "manhattan"],
        When(combination=("accuracy", "reliability")),
        Field(default="euclidean", description="Distance of the neighbors."),
    ]
    metric_scaling: Annotated[
        Literal["none", "range"],
        When(combination=("accuracy", "reliability")),
        Field(
            default="none",
            description="none: take numbers as they are; range: divide them by the range of their "
            "attribute before the distance.",
        ),
    ]
    error_ratio: Annotated[
        Literal["normalized", "raw"],
        Expert(),
        When(combination="reliability"),
        Field(
            default="normalized",
            description="Decrease of a member's confidence with its error: by error / (1 − error), "
            "or by the error itself.",
        ),
    ]
    reliability_scale: Annotated[
        Literal["global", "per selector"],
        Expert(),
        When(combination="reliability"),
        Field(
            default="global",
            description="Divide reliabilities by the largest of all members, or by the largest of "
            "each member.",
        ),
    ]
    use_absolute_weights: Annotated[
        bool,
        Field(
            default=False,
            description="Rank by the absolute weight, as with signed "
            "coefficients. If false, an attribute with a weight below 0 ranks below attributes "
            "without a weight, as with Relief, and is never among the best.",
        ),
    ]


class _Scored(NamedTuple):
    """Result of a combination for each attribute."""

    scores: Floats
    details: dict[str, Floats] = {}
    then: Floats | None = None
    """Decides between equal scores."""


class _Given(NamedTuple):
    """Further inputs of a combination beside the lists."""

    names: Sequence[str]
    how: Combining
    examples: ExampleSet | None
    available: Bools | None
    kept: Bools
    ctx: Context


def check_votes(how: Combining, members: int, noun: str) -> None:
    """Raise `ParameterError` if more votes are asked for than there are members."""
    needed = how["min_iterations"]
    if how["combination"] not in ("top k", "geq w") or needed is None:
        return
    if needed > members:
        raise ParameterError(f"min_iterations is {needed}, but there are {members} {noun}.")
    if how["combination"] == "geq w" and needed == 0:
        raise ParameterError("min_iterations is 0, but geq w needs at least one vote.")


def combined(
    names: Sequence[str],
    matrix: Floats,
    how: Combining,
    *,
    examples: ExampleSet | None = None,
    available: Bools | None = None,
    kept: Bools,
    ctx: Context,
) -> AttributeWeights:
    """Return one weighting from several, the rows of a matrix.

    ``examples`` is where the members' lists are tested, if the combination asks for it;
    ``available`` are the attributes that each member could weigh; those that are ``kept`` count
    among the k.
    """
    matrix = np.abs(matrix) if how["use_absolute_weights"] else matrix
    if how["combination"] == "accumulate weights":
        scale = how["normalization"] or "none"
        return AttributeWeights(names, aggregation.accumulate(matrix, normalization=scale))
    if how["combination"] in OF_LISTS:
        return _of_lists(matrix, _Given(names, how, examples, available, kept, ctx))
    needed = how["min_iterations"]
    if how["combination"] == "top k":
        k = counted(how["k"], int(kept.sum()), ctx)
        chosen = aggregation.top_k(matrix, k, min_iterations=needed or 0, keep=kept)
        _tell_of_few(chosen.selected, how["k"], "k", ctx)
    else:
        chosen = aggregation.geq_w(matrix, how["w"], min_iterations=needed)
    values = chosen.selected.astype(np.float64)
    return AttributeWeights(names, values, details={"frequency": chosen.frequency})


def _of_lists(matrix: Floats, given: _Given) -> AttributeWeights:
    how = given.how
    scale = how["normalization"] or "max"
    if how["combination"] not in ("mean weight", "weight over rank"):
        scale = "max"
    lists = aggregation.Lists.of(matrix, how["list_length"], normalization=scale)
    scored = _SCORES[how["combination"]](lists, given)
    order = lists.best_first(scored.scores, scored.then)
    values = scored.scores.copy()
    if how["keep_best"] is not None:
        k = counted(how["keep_best"], int(given.kept.sum()), given.ctx, "keep_best")
        best = np.zeros(len(order), dtype=bool)
        best[Size(k, given.kept).cut(order)] = True
        values[~best] = 0.0
        _tell_of_few((values != 0) | given.kept, how["keep_best"], "keep_best", given.ctx)
    if not values.any():
        many = "in enough of the lists" if how["combination"] == "common" else "good enough"
        given.ctx.warn(f"No attribute is {many}: none gets a weight.")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(1, len(order) + 1)
    details = {"rank": rank, "frequency": lists.counts / len(matrix), **scored.details}
    return AttributeWeights(given.names, values, details=details)


def _tell_of_few(kept: Bools, wanted: int, parameter: str, ctx: Context) -> None:
    """Warn of fewer attributes than were asked for; an empty selection is reported elsewhere."""
    left = int(kept.sum())
    if 0 < left < min(wanted, kept.size):
        are = "attribute is" if left == 1 else "attributes are"
        ctx.warn(f"Only {left} {are} good enough to be kept, fewer than {parameter} = {wanted}.")


def _robust(lists: aggregation.Lists, given: _Given) -> _Scored:
    exact = given.how["p_values"] == "exact"
    found = robust_ranks(lists, available=given.available, exact=exact)
    details = {
        "p_value": found.p_values,
        "adjusted_p_value": adjust_p_values(found.p_values),
        "rho": found.rho,
    }
    return _Scored(np.abs(np.log10(found.p_values)), details, -found.rho)


def _nearest(lists: aggregation.Lists, given: _Given) -> _Scored:
    distance, size = given.how["distance"], given.how["keep_best"]
    rng = given.ctx.rng("genetic search")
    factors, members = given.how["list_weights"], len(lists.chosen)
    if factors and len(factors) != members:
        raise ParameterError(
            f"list_weights has {len(factors)} numbers, but there are {members} lists.",
            hint="Give one number for each list, or none.",
        )
    importance = np.array(factors) if factors else None
    found = rank_aggregation.consensus(lists, distance, rng=rng, size=size, importance=importance)
    if found.searched < found.order.size:
        given.ctx.warn(
            f"The lists have {found.order.size} attributes: only the {found.searched} with the "
            "best mean ranks are ordered by distance, the others follow by their mean ranks. Set "
            "list_length to compare the best of each list."
        )
    scores = np.zeros(len(given.names))
    scores[found.order] = np.arange(found.order.size, 0, -1)
    return _Scored(scores)


def _reliable(lists: aggregation.Lists, given: _Given) -> _Scored:
    errors = _errors(lists, given)
    codes = np.empty(0) if given.examples is None else given.examples.class_codes()[0]
    classes = max(2, len(np.unique(codes)))
    if (errors >= 1 - 1 / classes).all():
        given.ctx.warn("None of the lists predicts the label better than chance.")
    found = aggregation.reliability(
        lists,
        errors,
        len(codes),
        classes=classes,
        beta=given.how["error_ratio"],
        scale=given.how["reliability_scale"],
    )
    parts = {
        "confidence": found.confidence,
        "conflict": found.conflict,
        "reliability": found.reliability,
    }
    details = {name: part.mean(axis=0) for name, part in parts.items()}
    return _Scored(found.scores, details)


def _errors(lists: aggregation.Lists, given: _Given) -> Floats:
    """Return the cross-validated error of nearest neighbors on each member's list."""
    examples, kind = given.examples, given.how["combination"]
    if examples is None:
        raise DataError(
            f"The combination {kind} measures how well each list predicts, and needs rows for it.",
            hint="Connect the table that the weights were made from.",
        )
    MEASURED.check(examples)
    names = np.array(given.names, dtype=object)
    unknown = [name for name in names[lists.counts > 0] if name not in examples.schema]
    if unknown:
        raise DataError(
            f"The weights name {enumerate_names(unknown)}, but the table has no such attribute.",
            hint="Connect the table that the weights were made from.",
        )
    codes = examples.label_values().astype(np.intp)
    groups = row_groups(examples)
    units = len(codes) if groups is None else int(groups.max()) + 1
    folds = resampling.partition(
        len(codes), min(FOLDS, units), given.ctx.rng("folds"), strata=codes, groups=groups
    )
    how = given.how
    errors = [
        neighbour_error(
            _points(examples.select_regular(names[own]), how),
            codes,
            folds,
            how["number_of_neighbors"],
            metric=how["metric"],
        )
        for own in given.ctx.progress(list(lists.chosen), "Errors of the members")
    ]
    return np.array(errors)


def _points(examples: ExampleSet, how: Combining) -> Floats:
    """Return points in which two categories are 1 apart."""
    X, counts = examples.numeric(), examples.category_counts()
    ranges = how["metric_scaling"] == "range"
    scale = np.ptp(X, axis=0) if ranges and len(X) else np.ones(X.shape[1])
    points = MixedSpace.of(scale, counts).points(X, examples.nominal())
    if how["metric"] == "manhattan" and counts.size:
        # Corners are 1 apart by the Euclidean distance.
        points[:, X.shape[1] :] *= np.sqrt(0.5)
    return points


def _accurate(lists: aggregation.Lists, given: _Given) -> _Scored:
    return _Scored(aggregation.accuracy_sum(lists, _errors(lists, given)))


def _ranked(lists: aggregation.Lists, given: _Given) -> _Scored:
    return _Scored(aggregation.mean_rank(lists, truncated=given.how["ranks"] == "truncated"))


def _common(lists: aggregation.Lists, given: _Given) -> _Scored:
    shared = aggregation.common(lists, given.how["min_fraction"])
    return _Scored(shared.astype(np.float64))


_SCORES: Mapping[str, Callable[[aggregation.Lists, _Given], _Scored]] = {
    "mean weight": lambda lists, _: _Scored(aggregation.mean_weight(lists)),
    "weight over rank": lambda lists, _: _Scored(aggregation.weight_over_rank(lists)),
    "mean rank": _ranked,
    "robust rank": _robust,
    "rank distance": _nearest,
    "frequency": lambda lists, _: _Scored(lists.counts / len(lists.chosen)),
    "common": _common,
    "accuracy": _accurate,
    "reliability": _reliable,
}
