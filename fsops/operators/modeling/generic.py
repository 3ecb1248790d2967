"""Any estimator of scikit-learn."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from fsops.core import Accepts, Context, operator
from fsops.data import ExampleSet, Model
from fsops.errors import DataError
from fsops.operators.modeling.estimators import ENCODE, TRAINING, describe_model, fitted
from fsops.operators.modeling.named_classes import LEARNER, Settings, class_at, made


@operator(
    group="Modeling",
    role="learner",
    accepts=Accepts(label="any", attributes="numerical", instead=ENCODE),
    describe=describe_model,
    aliases=TRAINING,
    tags=("scikit-learn", "generic", "classifier", "regression", "learner"),
)
def sklearn_estimator(
    examples: ExampleSet,
    *,
    estimator: Annotated[
        str,
        Field(
            description="Import path of the class, such as sklearn.svm.NuSVC.",
            examples=["sklearn.linear_model.RidgeClassifier", "sklearn.linear_model.BayesianRidge"],
        ),
    ],
    parameters: Settings = {},
    ctx: Context,
) -> Model:
    """Scikit-learn Estimator

    Trains any classifier or regressor of scikit-learn, given by its import path and its parameters.
    Use it for learners that fsops does not have as an operator.

    Estimators that need other estimators are refused; Vote and Bagging do such work. Randomness
    comes from the seed of the process unless random_state is set. Confidences are the probabilities
    of the estimator, or else fractions that rise with its decision values, or else 1 for the
    predicted class.

    References
    ----------
    Pedregosa et al. (2011): Scikit-learn: machine learning in Python. JMLR 12, 2825–2830.
    """
    kind = class_at(estimator, LEARNER)
    _check_purpose(kind, examples)
    return fitted(made(kind, parameters, LEARNER, ctx), examples, kind.__name__, ctx=ctx)


def _check_purpose(kind: Any, examples: ExampleSet) -> None:
    from sklearn.base import ClassifierMixin, RegressorMixin

    nominal = examples.label.value_type.is_nominal
    if not issubclass(kind, ClassifierMixin if nominal else RegressorMixin):
        wanted, other = ("classes", "numbers") if nominal else ("numbers", "classes")
        fits = issubclass(kind, RegressorMixin if nominal else ClassifierMixin)
        predicts = f"predicts {other}" if fits else f"does not predict {wanted}"
        raise DataError(
            f'{kind.__name__} {predicts}, but the label "{examples.label.name}" is '
            f"{examples.label.value_type}.",
            hint=f"Choose an estimator for {wanted}.",
        )
