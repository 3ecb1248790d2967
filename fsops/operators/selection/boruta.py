"""Boruta: all attributes that matter for a forest."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats
from fsops.core import Accepts, Context, Expert, Named, operator
from fsops.data import AttributeWeights, ExampleSet, ImportanceHistory, MetaData
from fsops.operators.weighting.scores import class_codes, describe_weights


class BorutaSelection(NamedTuple):
    """Results of Boruta."""

    weights: Annotated[
        AttributeWeights, Named(description="1 for selected attributes, 0 for all others.")
    ]
    history: Annotated[
        ImportanceHistory,
        Named(description="Importances of attributes and shadows in each iteration."),
    ]


def _describe(inputs: dict[str, MetaData], parameters: dict[str, Any]) -> dict[str, MetaData]:
    return {"weights": describe_weights(inputs, parameters)}


@operator(
    group="Selection",
    role="selection",
    row_weights="whole numbers",
    accepts=Accepts(
        label="any",
        attributes="numerical",
        several_classes=True,
        instead="Code categories as numbers (Nominal to Numerical), and replace missing values.",
    ),
    describe=_describe,
    tags=("all relevant", "shadow attributes", "random forest", "kursa", "wrapper"),
    random=True,
)
def select_by_boruta(
    examples: ExampleSet,
    *,
    forest: Annotated[
        Literal["random forest", "extra trees"], Field(description="Kind of the forests.")
    ] = "random forest",
    number_of_trees: Annotated[int, Field(ge=1, description="Trees of each forest.")] = 200,
    max_depth: Annotated[
        int | None, Field(ge=1, description="Depth at which trees stop growing; empty: no limit.")
    ] = 7,
    iterations: Annotated[
        int, Field(ge=1, le=10_000, description="Largest number of forests.")
    ] = 100,
    percentile: Annotated[
        float,
        Field(
            gt=0,
            le=100,
            description="A hit is an importance above this percentile of the shadows; 100 is "
            "their maximum. Smaller values select more.",
        ),
    ] = 100.0,
    significance_level: Annotated[
        float, Field(gt=0, lt=1, description="Level of the tests, after the correction.")
    ] = 0.05,
    adjustment: Annotated[
        Literal["two step", "bonferroni"],
        Expert(),
        Field(
            description="Benjamini-Hochberg over attributes and Bonferroni over iterations, or "
            "Bonferroni over attributes only, as in the original."
        ),
    ] = "two step",
    tentative: Annotated[
        Literal["by median", "reject", "keep"],
        Field(
            description="Attributes without a decision at the end: compare their median "
            "importance with that of the best shadows, reject, or keep them."
        ),
    ] = "reject",
    ctx: Context,
) -> BorutaSelection:
    """Select by Boruta

    Finds all attributes that matter, not the smallest set: each forest also sees shuffled copies of
    the attributes, called shadows. An attribute is confirmed if it beats the best shadow in
    significantly more than half of the forests. It is rejected and left out of the next forests if
    it has a hit in significantly fewer than half of them. The details hold the decision (1
    confirmed, 0 tentative, -1 rejected), the fraction of hits and the median importance.

    The tests say that an attribute beats shuffled copies in forests on these rows; they do not
    bound the false discovery rate on new data (use Select by Knockoffs for that). Do not use it to
    get a small set: copies of an important attribute are all confirmed. With thousands of
    attributes set number_of_trees so that each attribute occurs in many trees. Put it inside a
    validation.

    References
    ----------
    Kursa, Rudnicki (2010): Feature selection with the Boruta package. J. Statist. Software 36(11).
    """
    from fsops.algorithms.error_control import boruta as algorithm
    from fsops.algorithms.trees.single import for_forests, label_for_trees

    nominal = examples.label.value_type.is_nominal
    y = class_codes(examples) if nominal else label_for_trees(examples.label_values())
    kind = _forest(forest, nominal=nominal)

    def importance(both: Floats, rng: np.random.Generator) -> Floats:
        seed = int(rng.integers(2**31))
        grown = kind(number_of_trees, max_depth=max_depth, random_state=seed).fit(both, y)
        found: Floats = grown.feature_importances_
        return found

    result = algorithm.select(
        for_forests(examples.numeric()),  # as trees store it: not copied in each iteration
        importance,
        ctx.progress(range(1, iterations + 1), "Forests"),
        ctx.rng("shadows"),
        percentile=percentile,
        alpha=significance_level,
        two_step=adjustment == "two step",
    )
    kept = result.decisions == algorithm.CONFIRMED
    undecided = result.decisions == algorithm.TENTATIVE
    if tentative == "by median":
        kept |= algorithm.roughly_fixed(result)
    elif tentative == "keep":
        kept |= undecided
    if undecided.any():
        ctx.warn(
            f"{undecided.sum()} attributes are tentative after {iterations} forests. More "
            "iterations may decide them."
        )
    details = {
        "decision": result.decisions,
        "hits": result.hits / max(1, len(result.shadows)),
        "median_importance": np.nan_to_num(_medians(result.importances)),
    }
    names = examples.schema.regular_names
    return BorutaSelection(
        AttributeWeights(names, kept.astype(np.float64), details=details),
        ImportanceHistory(names, result.importances, result.shadows[:, :3], result.decisions),
    )


def _medians(importances: Floats) -> Floats:
    """Return the median over the iterations in which an attribute took part."""
    if not len(importances):
        return np.zeros(importances.shape[1])
    medians: Floats = np.nanmedian(importances, axis=0)
    return medians


def _forest(name: str, *, nominal: bool) -> Any:
    """Return the class of scikit-learn."""
    from sklearn import ensemble

    kind = "RandomForest" if name == "random forest" else "ExtraTrees"
    return getattr(ensemble, kind + ("Classifier" if nominal else "Regressor"))
