"""Neural networks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsops.core import Accepts, Context, When, operator
from fsops.data import ExampleSet, Model
from fsops.operators.modeling.estimators import (
    TRAINING,
    Scale,
    describe_model,
    fitted,
    has_classes,
    scaled,
    seed_of,
)

WIDEST = 100
"""Most neurons of a layer whose size is not given."""


@operator(
    group="Modeling",
    role="learner",
    row_weights="whole numbers",
    accepts=Accepts(label="any", attributes="numerical"),
    describe=describe_model,
    aliases=TRAINING,
    tags=("mlp", "multilayer perceptron", "deep", "backpropagation", "learner", "classifier"),
    random=True,
)
def neural_net(
    examples: ExampleSet,
    *,
    hidden_layers: Annotated[
        list[Annotated[int, Field(ge=1)]],
        Field(
            description="Number of neurons of each hidden layer; empty: one layer with half as "
            f"many neurons as attributes and classes, at most {WIDEST}."
        ),
    ] = [],
    iterations: Annotated[
        int, Field(ge=1, description="Number of passes over the training rows.")
    ] = 200,
    solver: Annotated[
        Literal["adam", "sgd"],
        Field(description="Adam, or stochastic gradient descent with momentum."),
    ] = "adam",
    learning_rate: Annotated[
        float, Field(gt=0, description="Size of the steps at the start.")
    ] = 0.001,
    momentum: Annotated[
        float,
        When(solver="sgd"),
        Field(ge=0, lt=1, description="Fraction of the previous step that is added."),
    ] = 0.9,
    penalty: Annotated[
        float, Field(ge=0, description="Penalty on the squared weights of the connections.")
    ] = 1e-4,
    scaling: Scale = True,
    ctx: Context,
) -> Model:
    """Neural Net

    Predicts classes or numbers by layers of neurons (a multilayer perceptron). It can learn borders
    of any shape.

    It needs many rows: with 60 patients and thousands of genes it fits noise. Select attributes
    inside of the training first, or use Logistic Regression. The result depends on random start
    values, which come from the seed of the process. A numerical label is standardized for the
    training, and predictions are in its unit.

    References
    ----------
    Rumelhart, Hinton, Williams (1986): Learning representations by back-propagating errors. Nature
    323, 533–536.
    """
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.preprocessing import StandardScaler

    with_classes = has_classes(examples)
    outputs = len(examples.classes) if with_classes else 1
    width = min((len(examples.schema.regular) + outputs) // 2 + 1, WIDEST)
    kind = MLPClassifier if with_classes else MLPRegressor
    estimator = kind(
        hidden_layer_sizes=tuple(hidden_layers) or (width,),
        solver=solver,
        alpha=penalty,
        learning_rate_init=learning_rate,
        momentum=momentum,
        max_iter=iterations,
        random_state=seed_of(ctx, "weights"),
    )
    if not with_classes:
        estimator = TransformedTargetRegressor(estimator, transformer=StandardScaler())
    return fitted(scaled(estimator, scaling), examples, "Neural Net", ctx=ctx)
