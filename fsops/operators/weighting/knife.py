"""KNIFE: weights of attributes inside a kernel, and their path over the penalty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, Unpack

import numpy as np
from pydantic import Field

from fsops.algorithms.kernel.knife.fit import (
    FeaturePath,
    KernelFit,
    Standard,
    Stop,
    convex_path,
    kernel_fit,
    kernel_path,
    profile_gradient,
    starting_penalty,
)
from fsops.algorithms.kernel.knife.linear import largest_penalty, linear_fit
from fsops.algorithms.kernel.knife.losses import LOSSES, LossName
from fsops.algorithms.kernel.knife.profile import Knife
from fsops.core import Context, Expert, Named, When, operator
from fsops.data import (
    Attribute,
    AttributeWeights,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    WeightsMetaData,
)
from fsops.data.columns import coded_column
from fsops.data.knife import KnifePath
from fsops.errors import DataError, ParameterError
from fsops.operators.weighting.kernel_machine import (
    NUMBERS,
    KernelParameters,
    kernel_of,
    machine_labels,
)
from fsops.operators.weighting.scores import (
    Floats,
    describe_weights,
    rapidminer,
    together_or_against_rest,
)

GROUP = "Weighting/Models"
CURVED = ("gaussian", "polynomial")

Penalty = Annotated[
    float, Field(ge=0, description="Cost of a weight of 1. A large value leaves few attributes.")
]
PenaltyScale = Annotated[
    Literal["relative", "absolute"],
    Field(
        description="relative: a fraction of the loss of a constant prediction; absolute: the "
        "number in the formula and in a KNIFE path."
    ),
]
Starts = Annotated[
    int, Field(ge=1, description="Number of starts; all but the first are random. The best wins.")
]
MostIterations = Annotated[
    int,
    Expert(),
    Field(
        ge=1, description="Largest number of alternations of weights and coefficients per start."
    ),
]


class KnifeParameters(KernelParameters):
    """Objective of KNIFE and stopping rules."""

    loss: Annotated[
        Literal["automatic", LossName],
        Field(
            default="automatic",
            description="Loss of a prediction; automatic: squared error for a numerical label, "
            "squared hinge for classes. Only squared error accepts a numerical label.",
        ),
    ]
    tolerance: Annotated[
        float,
        Expert(),
        When(kernel_type=CURVED),
        Field(
            gt=0,
            lt=1,
            default=1e-5,
            description="Relative decrease of the objective that counts as small. The alternation "
            "ends after three small decreases in a row with a small projected gradient.",
        ),
    ]
    trust: Annotated[
        float,
        Expert(),
        When(kernel_type=CURVED),
        Field(
            ge=0,
            lt=1,
            default=0.5,
            description="Smallest fraction of a weight that one alternation leaves. 0 is the rule "
            "of the paper, which sets most weights to 0 at once if there are many.",
        ),
    ]
    refine: Annotated[
        bool,
        Expert(),
        When(kernel_type=CURVED),
        Field(
            default=True,
            description="Finish with quasi-Newton steps on the objective. False is the paper's "
            "alternation alone, which may end far above the minimum.",
        ),
    ]


class CurvedParameters(KnifeParameters):
    """The same for kernels that are not linear."""

    kernel_type: Annotated[  # type: ignore[misc]
        Literal["gaussian", "polynomial"],
        Field(default="gaussian", description="Similarity of two rows."),
    ]


def _task(examples: ExampleSet, parameters: Mapping[str, Any]) -> tuple[Standard, Knife]:
    Y = machine_labels(examples)
    nominal, loss = examples.label.value_type.is_nominal, parameters["loss"]
    if loss == "automatic":
        loss = "squared hinge" if nominal else "squared error"
    elif not nominal and loss != "squared error":
        raise ParameterError(
            f'loss is "{loss}", but the label "{examples.label.name}" is a number.',
            hint="Use squared error, or automatic.",
        )
    standard = Standard.of(examples.numeric())
    ridge = parameters["coefficient_penalty"]
    return standard, Knife(standard.X, Y, LOSSES[loss], ridge, kernel_of(parameters))


def _absolute(task: Knife, penalty: float, scale: str) -> float:
    return penalty * task.loss.without_features(task.Y) if scale == "relative" else penalty


def _nothing_to_learn(task: Knife) -> bool:
    """Return whether no attribute varies, or the label does not."""
    return not task.X.shape[1] or not np.ptp(task.Y, axis=0).any()


def _stop(parameters: Mapping[str, Any], iterations: int) -> Stop:
    return Stop(iterations, parameters["tolerance"], parameters["trust"], parameters["refine"])


# --- one penalty ----------------------------------------------------------------------------


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
    accepts=NUMBERS,
    describe=describe_weights,
    aliases=rapidminer(),
    tags=("knife", "kernel", "non-linear", "sparse", "l1", "embedded", "gaussian", "polynomial"),
    random=True,
)
@together_or_against_rest
def weight_by_knife(
    examples: ExampleSet,
    *,
    penalty: Penalty = 0.01,
    penalty_scale: PenaltyScale = "relative",
    restarts: Annotated[Starts, When(kernel_type=CURVED)] = 5,
    max_iterations: Annotated[MostIterations, When(kernel_type=CURVED)] = 100,
    ctx: Context,
    **knife: Unpack[KnifeParameters],
) -> AttributeWeights:
    r"""Weight by KNIFE

    Finds weights between 0 and 1 for the attributes inside a kernel, together with the model that
    uses them. A penalty makes many weights exactly 0. With a gaussian or polynomial kernel it also
    finds attributes with a non-linear effect, and attributes that matter only together. The label
    may be a number or a class. More than two classes are separated one against the rest, with
    common weights; multiclass finds weights for each class instead, and the details name the class
    that gave the weight. KNIFE Model makes a model from the weights.

    Attributes are standardized; a constant attribute gets 0. With a gaussian or polynomial kernel
    the time grows linearly with the attributes (8,000: about 2 s per 10 iterations) and faster than
    with the square of the rows. These kernels have local optima, hence the random starts. The
    linear kernel has only one optimum. The weights depend strongly on the penalty: choose it by
    validation, or look at the whole path (KNIFE Path). A warning reports weights that are not
    stationary.

    Details: "gradient" is the derivative of the objective with respect to each weight. "objective",
    "gap" (the largest projected gradient, relative to the terms that it sums) and "iterations"
    describe the whole fit and are the same for all attributes. KNIFE Convergence returns the
    objective after each iteration.

    .. math:: \min_{w, a, b} \sum_i L(y_i, b + (K_w a)_i) + \lambda_1 a^T K_w a
        + \lambda_2 \sum_j w_j, \qquad 0 \le w_j \le 1

    The kernel is :math:`\sum_j w_j x_j z_j`, :math:`\exp(-\sum_j w_j^2 (x_j - z_j)^2)` or
    :math:`(1 + \sum_j w_j^2 x_j z_j)^d`; :math:`\lambda_1` is coefficient_penalty and
    :math:`\lambda_2` the penalty.

    References
    ----------
    Allen (2013): Automatic feature selection via weighted kernels and regularization. Journal of
    Computational and Graphical Statistics 22, 284–299.
    """
    standard, task = _task(examples, knife)
    if _nothing_to_learn(task):
        ctx.warn("All weights are 0, because no attribute is related to the label.")
        return examples.weights(np.zeros(len(standard.centre)))
    penalty = _absolute(task, penalty, penalty_scale)
    if knife["kernel_type"] == "linear":
        values, details = _linear_weights(task, penalty, standard)
    else:
        fits = _fits(task, penalty, restarts, _stop(knife, max_iterations), ctx)
        best = min(fits, key=lambda fit: fit.objective)
        values, details = standard.spread(best.weights), _details(task, penalty, best, standard)
        if not best.settled:
            ctx.warn(_unsettled(best, max_iterations))
    if not values.any():
        ctx.warn("The penalty makes all weights 0: lower it.")
    return examples.weights(values, details=details)


def _linear_weights(
    task: Knife, penalty: float, standard: Standard
) -> tuple[Floats, dict[str, Floats]]:
    fit = linear_fit(task, penalty)
    p = len(standard.centre)
    gap = fit.kkt / max(float(fit.gradient.max()), np.finfo(float).tiny)
    details = {"objective": np.full(p, fit.objective), "gap": np.full(p, gap)}
    if fit.beta.shape[1] == 1:
        details = {"coefficient": standard.spread(fit.beta.T)[0], **details}
    return standard.spread(fit.weights), details


def _details(task: Knife, penalty: float, fit: KernelFit, standard: Standard) -> dict[str, Floats]:
    p = len(standard.centre)
    return {
        "gradient": standard.spread(profile_gradient(task, penalty, fit)),
        "objective": np.full(p, fit.objective),
        "gap": np.full(p, fit.gap),
        "iterations": np.full(p, float(len(fit.history) - 1)),
    }


def _unsettled(fit: KernelFit, most: int) -> str:
    if fit.alternations >= most and fit.alternations == len(fit.history) - 1:
        return (
            f"KNIFE stopped after max_iterations={most}, before its weights had settled. "
            "Raise max_iterations, or set refine."
        )
    return (
        f"KNIFE found no better weights, but the projected gradient is not small (gap {fit.gap:.2g}"
        "): the kernel is near the limits of rounding. Raise coefficient_penalty, or lower the "
        "degree of a polynomial."
    )


def _fits(task: Knife, penalty: float, restarts: int, stop: Stop, ctx: Context) -> list[KernelFit]:
    """Fits from the usual start and from random ones."""
    p, rng = task.X.shape[1], ctx.rng("starts")
    starts = [task.kernel.start(p)]
    starts += [task.kernel.random_start(rng, p) for _ in range(restarts - 1)]
    return ctx.map(lambda start: kernel_fit(task, penalty, start, stop), starts, "Starts")


@operator(
    group=GROUP,
    role="utility",
    accepts=NUMBERS,
    describe=lambda inputs, parameters: ExampleSetMetaData(),
    aliases=rapidminer(),
    tags=("knife", "convergence", "objective", "history", "iterations"),
    random=True,
)
def knife_convergence(
    examples: ExampleSet,
    *,
    penalty: Penalty = 0.01,
    penalty_scale: PenaltyScale = "relative",
    restarts: Starts = 5,
    max_iterations: MostIterations = 100,
    ctx: Context,
    **knife: Unpack[CurvedParameters],
) -> ExampleSet:
    """KNIFE Convergence

    Returns the objective of Weight by KNIFE after each iteration, from each start, for gaussian and
    polynomial kernels. The column "method" says whether an iteration computed coefficients and
    weights one after the other, or was a quasi-Newton step; iteration 0 is the start.

    The starts are those of Weight by KNIFE with the same seed.

    References
    ----------
    Allen (2013): Automatic feature selection via weighted kernels and regularization. Journal of
    Computational and Graphical Statistics 22, 284–299.
    """
    _, task = _task(examples, knife)
    if _nothing_to_learn(task):
        raise DataError(
            "KNIFE cannot be fitted: all attributes are constant, or the label is constant.",
            hint="Give data with a label and attributes that vary.",
        )
    absolute = _absolute(task, penalty, penalty_scale)
    fits = _fits(task, absolute, restarts, _stop(knife, max_iterations), ctx)
    lengths = [len(fit.history) for fit in fits]
    iteration = np.concatenate([np.arange(length) for length in lengths])
    methods = np.concatenate([np.arange(len(fit.history)) > fit.alternations for fit in fits])
    columns = [
        (Attribute("start"), np.repeat(np.arange(1.0, len(fits) + 1), lengths)),
        (Attribute("iteration"), iteration.astype(np.float64)),
        coded_column("method", ["alternation", "quasi-Newton"], methods.astype(np.intp)),
        (Attribute("objective"), np.concatenate([fit.history for fit in fits])),
    ]
    return ExampleSet.from_columns(columns, len(iteration))


# --- the path -------------------------------------------------------------------------------


class PathFound(NamedTuple):
    """Results of a path."""

    path: Annotated[KnifePath, Named(description="The weights at every penalty.")]
    weights: Annotated[
        AttributeWeights,
        Named(
            description="Ranking: the weight is larger if an attribute stays in the path longer."
        ),
    ]


def _describe_path(
    inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]
) -> dict[str, MetaData]:
    return {"path": MetaData(KnifePath), "weights": describe_weights(inputs, parameters)}


@operator(
    group=GROUP,
    role="weighting",
    row_weights="whole numbers",
    accepts=NUMBERS,
    describe=_describe_path,
    aliases=rapidminer(),
    tags=("knife", "kernel", "feature path", "regularization path", "sparse", "ranking"),
)
def knife_path(
    examples: ExampleSet,
    *,
    first_penalty: Annotated[
        float,
        When(kernel_type=CURVED),
        Field(
            ge=0,
            description="The first penalty after 0. 0: a thousandth of the squared error of a "
            "constant prediction for numbers, 0.01 for classes.",
        ),
    ] = 0.0,
    growth: Annotated[
        float,
        When(kernel_type=CURVED),
        Field(gt=1, description="Factor between a penalty and the next one."),
    ] = 1.3,
    max_steps: Annotated[
        int,
        When(kernel_type=CURVED),
        Field(ge=2, description="Number of penalties after which the path ends."),
    ] = 60,
    steps: Annotated[
        int, When(kernel_type="linear"), Field(ge=2, description="Number of penalties.")
    ] = 40,
    min_fraction: Annotated[
        float,
        When(kernel_type="linear"),
        Field(gt=0, lt=1, description="The smallest penalty as a fraction of the largest."),
    ] = 1e-6,
    max_iterations: Annotated[
        int,
        Expert(),
        When(kernel_type=CURVED),
        Field(
            ge=1,
            description="Largest number of alternations of weights and coefficients per penalty.",
        ),
    ] = 30,
    ctx: Context,
    **knife: Unpack[KnifeParameters],
) -> PathFound:
    r"""KNIFE Path

    Follows the weights of Weight by KNIFE over rising penalties until all are 0. Each penalty
    starts with the weights of the previous one. Shows in which order attributes leave, and returns
    this order as a ranking: take the best with Select by Weights. Weights from KNIFE Path takes the
    weights at one penalty.

    With a gaussian or polynomial kernel the path begins without a penalty, and a weight that is 0
    once stays 0. The linear kernel has one optimum at each penalty; there the largest penalty is
    the one at which the first attribute enters. The detail "penalty" of the ranking is the largest
    penalty at which the attribute has a weight; it is missing if the weight is always 0. Choose the
    penalty by validation on other rows.

    The smallest objective rises with the penalty. A step with a larger objective than the next one
    is repeated from the next weights, so that the objective never falls. The path ends where the
    constant prediction is best. The table of the path has for each penalty the objective, the gap
    (largest projected gradient, relative to the terms that it sums) and the number of iterations. A
    warning reports steps whose weights are not stationary.

    References
    ----------
    Allen (2013): Automatic feature selection via weighted kernels and regularization. Journal of
    Computational and Graphical Statistics 22, 284–299.
    """
    standard, task = _task(examples, knife)
    linear = knife["kernel_type"] == "linear"
    # A label may vary and have nothing to do with any attribute, down to the last bit.
    if _nothing_to_learn(task) or linear and not largest_penalty(task) > 0:
        ctx.warn("All weights are 0, because no attribute is related to the label.")
        found = _empty_path(task)
    elif linear:
        found = convex_path(task, points=steps, smallest=min_fraction)
    else:
        found = kernel_path(
            task,
            first=first_penalty or starting_penalty(task),
            growth=growth,
            points=max_steps,
            stop=_stop(knife, max_iterations),
        )
        unsettled = int((~found.settled).sum())
        if unsettled:
            ctx.warn(
                f"The weights of {unsettled} of {len(found.settled)} steps have not settled. Raise "
                "max_iterations, or set refine."
            )
        left = int((found.weights[-1] > 0).sum())
        if left:
            ctx.warn(
                f"The path ends at step {max_steps} with {left} attributes left. Raise "
                "max_steps, growth or first_penalty to see the rest."
            )
    return _delivered(examples, standard, found, knife)


def _empty_path(task: Knife) -> FeaturePath:
    p = task.X.shape[1]
    return FeaturePath(
        np.zeros(1),
        np.zeros((1, p)),
        np.array([task.loss.without_features(task.Y)]),
        np.arange(p),
        np.full(p, np.nan),
    )


def _delivered(
    examples: ExampleSet, standard: Standard, found: FeaturePath, parameters: Mapping[str, Any]
) -> PathFound:
    """Return the path of all attributes, constant ones last."""
    p = len(standard.centre)
    constant = np.setdiff1d(np.arange(p), standard.varying)
    order = np.concatenate([standard.varying[found.order], constant])
    last = np.full(p, np.nan)
    last[standard.varying] = found.last_penalty
    ranks = np.empty(p)
    ranks[order] = np.arange(p, 0, -1)
    kernel = parameters["kernel_type"]
    path = KnifePath(
        examples.schema.regular_names,
        found.penalties,
        standard.spread(found.weights),
        found.objectives,
        order=order,
        kernel=f"{kernel} {parameters['degree']}" if kernel == "polynomial" else kernel,
        gaps=found.gaps,
        iterations=found.iterations,
        settled=found.settled,
    )
    return PathFound(path, examples.weights(ranks, details={"penalty": last}))


@operator(
    group=GROUP,
    role="weighting",
    describe=lambda inputs, parameters: WeightsMetaData(),
    tags=("knife", "penalty", "without refitting"),
)
def weights_from_knife_path(
    path: KnifePath,
    *,
    choose_by: Annotated[
        Literal["step", "penalty", "number of attributes"],
        Field(description="Way to choose the penalty on the path."),
    ] = "step",
    step: Annotated[
        int,
        When(choose_by="step"),
        Field(ge=1, description="Number of the step; 1 is the smallest penalty."),
    ] = 1,
    penalty: Annotated[
        float,
        When(choose_by="penalty"),
        Field(
            ge=0, description="Use the largest penalty of the path that is not above this value."
        ),
    ] = 0.0,
    k: Annotated[
        int,
        When(choose_by="number of attributes"),
        Field(
            ge=0,
            description="Use the smallest penalty that leaves at most this number of attributes.",
        ),
    ] = 10,
) -> AttributeWeights:
    """Weights from KNIFE Path

    Takes the weights at one penalty from a KNIFE path, for KNIFE Model or a selection. Nothing is
    fitted again. To choose the penalty, try the steps in Optimize Parameters (Grid); if you list
    the steps from the last one down, the larger penalty wins among equals.

    A number beyond the end of the path selects the last step, because the length of a path depends
    on the data.

    References
    ----------
    Allen (2013): Automatic feature selection via weighted kernels and regularization. Journal of
    Computational and Graphical Statistics 22, 284–299.
    """
    if choose_by == "penalty":
        return path.at_penalty(penalty)
    if choose_by == "number of attributes":
        return path.at_most(k)
    return path.at_step(step)
