"""Validation of a selection: it is repeated in every fold, on the training rows only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from fsops.core import Aliases, Context, Named, Subprocess, operator
from fsops.data import AttributeWeights, ExampleSet, MetaData, Model, PerformanceVector
from fsops.data.row_plans import RowPlan
from fsops.errors import DataError
from fsops.operators.validation import splits
from fsops.operators.validation.cross import GROUP, LABELLED
from fsops.operators.validation.splits import (
    LeaveOneOut,
    NumberOfFolds,
    SamplingOfFolds,
    SamplingOfSplits,
    Split,
    SplitOnBatch,
    SplitRatio,
)
from fsops.operators.validation.weighted import weighted
from fsops.operators.weighting.scores import describe_weights

PORTS = {
    "example set in": "examples",
    "performance vector out": "performance",
    "attribute weights out": "weights",
    "weighting set source": "weighting_set",
    "attribute weights sink": "weights",
    "train set source": "training_set",
    "model sink": "model",
    "model source": "model",
    "test set source": "test_set",
    "performance vector sink": "performance",
}
Weighting = Subprocess[
    [Annotated[ExampleSet, Named("weighting_set", "The training rows, with all attributes.")]],
    AttributeWeights,
]
Building = Subprocess[
    [Annotated[ExampleSet, Named("training_set", "The same rows, selected attributes.")]], Model
]
Evaluation = Subprocess[
    [Model, Annotated[ExampleSet, Named("test_set", "Other rows, selected attributes.")]],
    PerformanceVector,
]
ScaleByWeights = Annotated[
    bool,
    Field(
        description="Multiply the remaining numerical attributes by their weights, as RapidMiner "
        "does. Attributes with weight 0 are dropped in any case."
    ),
]


class WrapperValidated(NamedTuple):
    """Results of the validation of a selection."""

    performance: Annotated[
        PerformanceVector, Named(description="Mean and deviation over the repetitions.")
    ]
    weights: Annotated[
        AttributeWeights, Named(description="Mean weight of each attribute over the repetitions.")
    ]


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    return {"weights": describe_weights(inputs, parameters)}


@operator(
    group=GROUP,
    role="validation",
    accepts=LABELLED,
    describe=_describe,
    aliases=Aliases(ports=PORTS, parameters={"number_of_validations": "number_of_folds"}),
    tags=("selection bias", "leak", "cross-validation", "honest", "estimate"),
    random=True,
    iterations=splits.folds_before_run,
)
def wrapper_x_validation(
    examples: ExampleSet,
    attribute_weighting: Weighting,
    model_building: Building,
    model_evaluation: Evaluation,
    *,
    number_of_folds: NumberOfFolds = 10,
    leave_one_out: LeaveOneOut = False,
    sampling: SamplingOfFolds = "automatic",
    split_on_batch_attribute: SplitOnBatch = False,
    scale_by_weights: ScaleByWeights = False,
    ctx: Context,
) -> WrapperValidated:
    """Wrapper-X-Validation

    Measures predictions with selected attributes on rows that neither the selection nor the
    learner has seen. For each fold the first inner process weighs the attributes on all
    other rows; those with weight 0 or without a weight are dropped; the second learns a model; the
    third measures it on the fold.

    The weighting must end with a selection, such as Select Top k. Plain scores are rarely 0, so no
    attribute would be dropped; a warning reports this. RapidMiner also multiplies the values by
    their weights. fsops does this only if scale_by_weights is set, because scores have different
    units, and the result would depend on the scaled data as well as on the selection. With weights
    of 0 and 1 there is no difference; for Optimize Weights switch it on.

    The mean weights show how often an attribute was chosen: with weights of 0 and 1 they are
    the fraction of folds. The detail "frequency" is this fraction, whatever the weights are.

    References
    ----------
    Ambroise, McLachlan (2002): Selection bias in gene extraction on the basis of microarray
    gene-expression data. PNAS 99, 6562–6566.
    """
    parts = splits.folds(
        examples,
        number=number_of_folds,
        leave_one_out=leave_one_out,
        on_batch=split_on_batch_attribute,
        sampling=sampling,
        ctx=ctx,
    )
    wrapper = _Wrapper(attribute_weighting, model_building, model_evaluation, scale_by_weights)
    return wrapper.validate(examples, parts, ctx, "Folds")


@operator(
    group=GROUP,
    role="validation",
    accepts=LABELLED,
    describe=_describe,
    aliases=Aliases(ports=PORTS),
    tags=("selection bias", "leak", "holdout", "train test split"),
    random=True,
    iterations=lambda known: 1,
)
def wrapper_split_validation(
    examples: ExampleSet,
    attribute_weighting: Weighting,
    model_building: Building,
    model_evaluation: Evaluation,
    *,
    training_fraction: SplitRatio = 0.7,
    sampling: SamplingOfSplits = "automatic",
    scale_by_weights: ScaleByWeights = False,
    ctx: Context,
) -> WrapperValidated:
    """Wrapper Split Validation

    Measures predictions with selected attributes on rows that neither the selection nor the
    learner has seen: selects and trains on one part of the rows, tests on the others, once.
    Attributes with weight 0 or without a weight are dropped.

    With few rows the result depends much on the choice of test rows: use
    Wrapper-X-Validation, whose help also explains why scale_by_weights is off by default.
    """
    train, test = splits.sizes(examples, "relative", training_fraction, -1, -1)
    parts = splits.holdouts(examples, 1, train=train, test=test, sampling=sampling, ctx=ctx)
    wrapper = _Wrapper(attribute_weighting, model_building, model_evaluation, scale_by_weights)
    return wrapper.validate(examples, parts, ctx, "Split")


class _Wrapper(NamedTuple):
    """The inner processes of a validation, and how the weights are used."""

    weighting: Weighting
    building: Building
    evaluation: Evaluation
    scale: bool

    def validate(
        self, examples: ExampleSet, parts: Sequence[Split], ctx: Context, label: str
    ) -> WrapperValidated:
        """Select, learn and test on every split, and put the results together."""

        def validate(number: int) -> tuple[PerformanceVector, AttributeWeights]:
            return self._on(plan.taken(number), examples.take(parts[number].test))

        with RowPlan(examples, [split.train for split in parts]) as plan:
            found = ctx.map(validate, range(len(parts)), label)
        weights = [weights for _, weights in found]
        names = examples.schema.regular_names
        stacked = AttributeWeights.stack(weights, names)[1]
        if (stacked != 0).all() and len(names) > 1:
            ctx.warn(
                "All weights differ from 0, so no attribute is dropped. Put a selection such as "
                "Select Top k after the weighting."
            )
        mean = AttributeWeights.average(weights, names)
        details = {**mean.details, "frequency": (stacked != 0).mean(axis=0)}
        return WrapperValidated(
            PerformanceVector.average([performance for performance, _ in found]),
            AttributeWeights(
                names,
                mean.values,
                origin=mean.origin,
                details=details,
                best="smallest" if mean.smallest_is_best else "largest",
            ),
        )

    def _on(
        self, training_set: ExampleSet, test_set: ExampleSet
    ) -> tuple[PerformanceVector, AttributeWeights]:
        weights = self.weighting(training_set)
        selected = weighted(training_set, weights, scale=self.scale)
        if not len(selected.schema.regular):
            raise DataError(
                "The weighting gave no attribute a weight other than 0: no attribute is left for "
                "training.",
                hint="Let it keep at least one attribute, for example with Select Top k.",
            )
        model = self.building(selected)
        return self.evaluation(model, weighted(test_set, weights, scale=self.scale)), weights
