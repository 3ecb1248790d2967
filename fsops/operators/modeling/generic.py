"""Any estimator of scikit-learn."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from fsops.core import Accepts, Context, operator
from fsops.data import ExampleSet, Model
from fsops.errors import DataError, ParameterError, did_you_mean
from fsops.operators.modeling.estimators import ENCODE, TRAINING, describe_model, fitted, seed_of

ALLOWED = ("sklearn.",)
"""Modules whose estimators may be used."""
PATH = re.compile(r"sklearn(\.[a-z][a-z_]*)+\.[A-Za-z]\w*")
CLOSED = frozenset({"conftest", "datasets", "experimental", "externals", "tests", "utils"})
"""Parts of scikit-learn that hold no learners."""
OURS = {
    "n_jobs": "fsops shares out the work itself",
    "verbose": "fsops tells the progress itself",
    "memory": "files are written by writing operators only",
}
LONGEST = 200
WORDS: Mapping[str, Any] = {"true": True, "false": False, "none": None, "": None}
SCALARS = (bool, int, float, str, type(None))


@operator(
    group="Modeling",
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
            description="Where scikit-learn has the class, such as sklearn.svm.NuSVC.",
            examples=["sklearn.linear_model.RidgeClassifier", "sklearn.linear_model.BayesianRidge"],
        ),
    ],
    parameters: Annotated[
        dict[str, str],
        Field(
            description="Its parameters by name: numbers, true, false, none, text, or several "
            "numbers in parentheses."
        ),
    ] = {},
    ctx: Context,
) -> Model:
    """Scikit-learn Estimator

    Trains any classifier or regressor of scikit-learn, given by its place and its parameters. For
    learners that have no operator of their own here.

    Estimators that need other estimators are refused; Vote and Bagging do such work. Randomness
    comes from the seed of the process unless random_state is set. Confidences are those of the
    estimator, shares that rise with its decision values, or 1 for the predicted class.

    References
    ----------
    Pedregosa et al. (2011): Scikit-learn: machine learning in Python. JMLR 12, 2825–2830.
    """
    kind = _class_at(estimator)
    _check_purpose(kind, examples)
    values = {name: _value(text) for name, text in parameters.items()}
    known = _parameters_of(kind)
    for name in values:
        _check_name(kind, name, known)
    if "random_state" in known:
        values.setdefault("random_state", seed_of(ctx, "estimator"))
    return fitted(kind(**values), examples, kind.__name__, ctx=ctx)


def _class_at(path: str) -> Any:
    """Return the class a path names, if it is one that may be used."""
    module, _, name = path.rpartition(".")
    if not path.startswith(ALLOWED) or not PATH.fullmatch(path) or CLOSED & set(path.split(".")):
        raise ParameterError(
            f'estimator is "{path}", but must name a learner of scikit-learn.',
            hint="For example sklearn.svm.NuSVC.",
        )
    try:
        found = importlib.import_module(module)
    except ImportError:
        raise ParameterError(
            f'estimator is "{path}", but scikit-learn has no module {module}.',
            hint="For example sklearn.svm.NuSVC.",
        ) from None
    kind = getattr(found, name, None)
    if not _is_learner(kind):
        learners = [n for n in dir(found) if _is_learner(getattr(found, n, None))]
        hint = did_you_mean(name, learners)
        raise ParameterError(
            f'estimator is "{path}", but {module} has no learner of this name.',
            hint=hint or f"It has {', '.join(learners)}." if learners else "",
        )
    return kind


def _is_learner(kind: Any) -> bool:
    from sklearn.base import BaseEstimator

    return (
        inspect.isclass(kind)
        and issubclass(kind, BaseEstimator)
        and kind.__module__.startswith(ALLOWED)
        and not inspect.isabstract(kind)
        and callable(getattr(kind, "fit", None))
        and hasattr(kind, "predict")
    )


def _parameters_of(kind: Any) -> dict[str, inspect.Parameter]:
    """Return what can be set; an estimator that needs another one is refused."""
    signature = inspect.signature(kind.__init__)
    known = {
        name: argument
        for name, argument in signature.parameters.items()
        if name != "self" and argument.kind is not argument.VAR_KEYWORD
    }
    needed = [name for name, argument in known.items() if argument.default is argument.empty]
    if needed:
        raise ParameterError(
            f"{kind.__name__} works on top of other estimators ({', '.join(needed)}), which cannot "
            "be given here.",
            hint="Use Vote or Bagging, or the estimator itself.",
        )
    return known


def _check_name(kind: Any, name: str, known: Mapping[str, Any]) -> None:
    if name in OURS:
        raise ParameterError(f'The parameter "{name}" cannot be set: {OURS[name]}.')
    if name not in known:
        allowed = [other for other in known if other not in OURS]
        hint = did_you_mean(name, allowed) or f"There are {', '.join(allowed)}."
        raise ParameterError(f'{kind.__name__} has no parameter "{name}".', hint=hint)
    if name in ("estimator", "estimators", "base_estimator", "final_estimator"):
        raise ParameterError(f'"{name}" is another estimator, which cannot be given here.')


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


def _value(text: str) -> Any:
    """Return a number, true, false, none, several of them in parentheses, or else the text."""
    word = text.strip()
    if word.lower() in WORDS:
        return WORDS[word.lower()]
    if len(word) > LONGEST:
        raise ParameterError(f'The value "{word[:20]}…" is too long.')
    try:
        value = ast.literal_eval(word)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return text
    parts = value if isinstance(value, tuple | list) else (value,)
    return value if all(isinstance(part, SCALARS) for part in parts) else text
