"""One classifier for each selection of attributes, and one decision of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.aggregation.classifiers import Rule, combine, vote_weights
from fsops.algorithms.aggregation.weights import Lists
from fsops.algorithms.base import resampling
from fsops.core import Accepts, Aliases, Context, Named, Subprocess, When, operator
from fsops.core.declare.iterations import Count, Known
from fsops.data import Attribute, ExampleSet, MetaData, Model, PredictionModel
from fsops.data.design import row_groups
from fsops.errors import DataError
from fsops.operators.modeling.ensembles import GROUP, Predictions
from fsops.operators.modeling.estimators import describe_model, has_classes
from fsops.operators.selection.ensembles_of_selections import (
    Members,
    Repetitions,
    Selections,
    as_collection,
    iterations_of_selections,
    members_weights,
)
from fsops.operators.selection.resamples import Ratio, Sampling, Stratified

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Learner = Subprocess[
    [Annotated[ExampleSet, Named("training_set", "All rows, with the attributes of one member.")]],
    Model,
]


@dataclass(frozen=True)
class CombinedClassifiers:
    """Classifiers on different attributes that decide together."""

    models: tuple[Model, ...]
    label: Attribute
    rule: Rule
    weights: tuple[float, ...]
    priors: tuple[float, ...]

    def __call__(self, examples: ExampleSet) -> Floats:
        """Return the support of each class by all of them."""
        found = [Predictions.of(model, examples, self.label) for model in self.models]
        return combine(
            np.stack([one.confidences() for one in found]),
            self.rule,
            votes=np.stack([one.classes() for one in found]),
            weights=np.array(self.weights),
            priors=np.array(self.priors),
        )


class Classified(NamedTuple):
    """Results of an ensemble of classifiers."""

    model: Annotated[Model, Named(description="Predicts by all classifiers together.")]
    members: Members


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    return {"model": describe_model(inputs, parameters)}


def _iterations(known: Known) -> list[int | Count]:
    selections = known.inner - 1
    folds = known["number_of_folds"] if known["rule"] == "weighted majority" else 0
    learned = selections * known["iterations"] * (1 + folds)
    return [learned, *[iterations_of_selections(known)] * selections]


@operator(
    group=GROUP,
    role="learner",
    accepts=Accepts(label="nominal", missing=True, infinite=True, sparse=True),
    describe=_describe,
    aliases=Aliases(parameters={"number_of_attributes": "k"}),
    tags=(
        "ECA",
        "combine classifiers",
        "classifier fusion",
        "majority vote",
        "product rule",
        "selected subsets",
        "committee",
        "random subspace",
        "learner",
    ),
    random=True,
    iterations=_iterations,
)
def ensemble_of_classifiers(
    examples: ExampleSet,
    learner: Learner,
    selection: Selections,
    *,
    rule: Annotated[
        Rule,
        Field(
            description="Rule that combines the classifiers: the number of votes, votes with more "
            "weight for smaller errors, or the mean, sum, product, minimum or maximum of their "
            "confidences."
        ),
    ] = "majority",
    k: Annotated[
        int | None,
        Field(
            ge=1,
            description="Number of best attributes of each selection for its classifier; empty: "
            "all with a weight above 0.",
        ),
    ] = None,
    iterations: Repetitions = 1,
    sampling: Sampling = "bootstrap",
    sample_fraction: Ratio = None,
    stratified: Stratified = True,
    number_of_folds: Annotated[
        int,
        When(rule="weighted majority"),
        Field(ge=2, description="Folds of the cross-validation that gives the errors."),
    ] = 10,
    use_absolute_weights: Annotated[
        bool,
        Field(
            description="Rank by the absolute weight. If false, attributes with a weight of 0 or "
            "less are never used."
        ),
    ] = False,
    ctx: Context,
) -> Classified:
    r"""Ensemble of Classifiers on Selected Attributes

    Trains one classifier for each selection of attributes, on all rows, and lets them decide
    together. Use different selections, one selection on many resamples (iterations), or both. Use
    it if several small sets predict well and no single set should be trusted. To get one set of
    attributes, use Ensemble of Selections. The result is not a single set, so its stability cannot
    be measured.

    With :math:`d_{tc}` the confidence of classifier t in class c, brought to sum 1 over the
    classes, the class with the largest of these wins:

    .. math:: \sum_t [\hat c_t = c], \quad \sum_t [\hat c_t = c] \left(\log\frac{1 - e_t}{e_t}
        + \log(C - 1)\right), \quad
        \frac1T \sum_t d_{tc}, \quad \prod_t d_{tc}, \quad \min_t d_{tc}, \quad \max_t d_{tc}

    Average and sum give the same decisions; for two classes, so do minimum and maximum. With the
    minimum, too, the class with the largest value wins: no classifier gives it a very low
    confidence. Ties go to the larger sum of confidences, then to the more frequent class. The
    errors of a weighted majority come from a cross-validation on the training rows, which trains
    number_of_folds times as many models.

    References
    ----------
    Kuncheva (2004): Combining pattern classifiers. Wiley.
    Ben Brahim, Bouaguel, Limam (2014): Combining feature selection and data classification using
    ensemble approaches. In: Case studies in intelligent computing, CRC Press.
    """
    has_classes(examples)
    names = examples.schema.regular_names
    matrix = members_weights(
        examples,
        selection,
        iterations=iterations,
        sampling=sampling,
        ratio=sample_fraction,
        stratified=stratified,
        ctx=ctx,
    )
    used = np.abs(matrix) if use_absolute_weights else matrix
    tables = _subsets(examples, Lists.of(used, k).chosen, iterations)
    folds = None
    if rule == "weighted majority":
        folds = _folds(examples, number_of_folds, ctx)
    found = ctx.map(lambda own: _trained(tables[own], learner, folds), range(len(tables)), "Models")
    priors = np.bincount(
        examples.label_values().astype(np.intp), minlength=len(examples.label.categories)
    )
    errors = np.array([error for _, error in found])
    votes = vote_weights(errors, classes=int(np.count_nonzero(priors)))
    if rule == "weighted majority" and not votes.any():
        ctx.warn("No classifier predicts better than chance: all votes count the same.")
    predictor = CombinedClassifiers(
        tuple(model for model, _ in found),
        examples.label,
        rule,
        tuple(votes.tolist()),
        tuple((priors / len(examples)).tolist()),
    )
    model = PredictionModel(predictor, examples.schema, "Ensemble of Classifiers")
    wanted = ctx.wants("members")
    return Classified(model, as_collection(names, matrix, iterations) if wanted else None)


def _subsets(
    examples: ExampleSet, chosen: npt.NDArray[np.bool_], iterations: int
) -> list[ExampleSet]:
    """Return the table of each member."""
    empty = np.flatnonzero(~chosen.any(axis=1))
    if empty.size:
        raise DataError(
            f"Selection {empty[0] // iterations + 1} gave no attribute a weight above 0: no "
            f"attribute is left for training.",
            hint="Let it keep at least one attribute.",
        )
    names = np.array(examples.schema.regular_names, dtype=object)
    return [examples.select_regular(names[own]) for own in chosen]


def _folds(examples: ExampleSet, number: int, ctx: Context) -> Codes:
    codes = examples.label_values().astype(np.intp)
    groups = row_groups(examples)
    units = len(codes) if groups is None else int(groups.max()) + 1
    if number > units:
        noun = "rows" if groups is None else "groups"
        raise DataError(
            f"{number} folds need at least {number} {noun}, but there are {units}.",
            hint=f"Set number_of_folds to at most {units}.",
        )
    return resampling.partition(len(codes), number, ctx.rng("folds"), strata=codes, groups=groups)


def _trained(
    examples: ExampleSet, learner: Callable[[ExampleSet], Model], folds: Codes | None
) -> tuple[Model, float]:
    """Return the classifier of a member and, where folds are given, its cross-validated error."""
    error = 0.5 if folds is None else _error(examples, learner, folds)
    return learner(examples), error


def _error(examples: ExampleSet, learner: Callable[[ExampleSet], Model], folds: Codes) -> float:
    wrong = 0
    for fold in range(int(folds.max()) + 1):
        test = examples.take(np.flatnonzero(folds == fold))
        model = learner(examples.take(np.flatnonzero(folds != fold)))
        predicted = Predictions.of(model, test, examples.label).classes()
        wrong += int((predicted != test.label_values()).sum())
    return wrong / len(examples)
