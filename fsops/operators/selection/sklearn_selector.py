"""Any selector of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Accepts, Context, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.errors import DataError, ParameterError, did_you_mean
from fsops.operators.modeling.estimators import ENCODE, reported, seed_of
from fsops.operators.modeling.named_classes import (
    LEARNER,
    Settings,
    Wanted,
    class_at,
    made,
)
from fsops.operators.sizes import SIZE, Size, counted, kept_attributes
from fsops.operators.weighting.scores import describe_weights

Floats = npt.NDArray[np.float64]

SCORES = (
    "chi2", "f_classif", "f_regression", "mutual_info_classif", "mutual_info_regression",
    "r_regression",
)  # fmt: skip
"""Functions of scikit-learn that score attributes."""
SIZES = ("n_features_to_select", "k", "max_features", "percentile", "mode")
"""Parameters of selectors that set the number of attributes."""
LEAST = float(np.finfo(np.float64).tiny)
"""Weight of a selected attribute whose score is 0 or unknown: it is selected nevertheless."""


def _is_selector(kind: Any) -> bool:
    from sklearn.feature_selection import SelectorMixin

    return issubclass(kind, SelectorMixin)


SELECTOR = Wanted(
    "selector",
    "selector",
    "sklearn.feature_selection.SelectKBest",
    ("get_support",),
    "Name a learner as estimator.",
    ", and none is named",
    _is_selector,
)


@operator(
    group="Selection",
    role="selection",
    accepts=Accepts(attributes="numerical", instead=ENCODE),
    describe=describe_weights,
    tags=("scikit-learn", "generic", "SelectKBest", "SelectFromModel", "RFE", "filter"),
)
def sklearn_selector(
    examples: ExampleSet,
    *,
    selector: Annotated[
        str,
        Field(
            description="Import path of the class, such as sklearn.feature_selection.SelectKBest.",
            examples=["sklearn.feature_selection.SelectKBest"],
        ),
    ],
    parameters: Settings = {},
    estimator: Annotated[
        str,
        Field(
            description="The learner for a selector that works on top of one, such as "
            "sklearn.svm.LinearSVC."
        ),
    ] = "",
    estimator_parameters: Annotated[
        dict[str, str], Field(description="Parameters of the learner, by name.")
    ] = {},
    output: Annotated[
        Literal["score", "selection"],
        Field(description="The score of selected attributes, or 1; others get 0."),
    ] = "score",
    ctx: Context,
) -> AttributeWeights:
    """Scikit-learn Selector

    Selects attributes by any selector of scikit-learn, given by its import path and its parameters.
    Use it for selections that fsops does not have as an operator.

    A selected attribute gets the size of its score or importance as weight, and 1 if there is none;
    others get 0. A selected attribute whose score is 0 or unknown gets a weight just above 0. The
    details hold the scores of all attributes and their p-values where scikit-learn has them.

    score_func takes the names of scikit-learn's functions, such as mutual_info_classif; without it
    the F-test that suits the label is used. Randomness comes from the seed of the process unless
    random_state is set.

    If a parameter of the selector sets the number of attributes, attributes with the role must_keep
    count among it: they replace the selected attributes with the smallest scores. A selector
    without scores then chooses from the other attributes only.

    References
    ----------
    Pedregosa et al. (2011): Scikit-learn: machine learning in Python. JMLR 12, 2825–2830.
    """
    kind = class_at(selector, SELECTOR)
    inner: dict[str, Any] = _learner(kind, estimator, estimator_parameters, ctx)
    plain = {name: text for name, text in parameters.items() if name != "score_func"}
    if "score_func" in _arguments(kind):
        inner["score_func"] = _score(parameters.get("score_func"), examples, ctx)
    elif "score_func" in parameters:
        plain = parameters  # for the message that there is no such parameter
    chosen = made(kind, plain, SELECTOR, ctx, **inner)
    target = _target(examples, chosen)
    X = examples.numeric()
    reported(lambda: chosen.fit(X, target), kind.__name__, ctx)
    support = np.asarray(chosen.get_support(), dtype=bool)
    details = _details(chosen, support)
    number, kept = _number(chosen, support), kept_attributes(examples)
    parameter = next((name for name in SIZES if name in _arguments(kind)), None)
    if number is not None and parameter is not None and kept.any():

        def fitted(size: int, part: Floats) -> Any:
            again = made(kind, plain, SELECTOR, ctx, **inner)
            again.set_params(**{parameter: size})
            reported(lambda: again.fit(part, target), kind.__name__, ctx)
            return again

        size = Size(counted(number, int(kept.sum()), ctx, SIZE), kept)
        support = _with_kept(size, support, details.get("score"), X, fitted)
    if output == "selection":
        return examples.weights(support, details=details)
    score = np.abs(details.get("score", np.ones(len(support))))
    score = np.where(np.isnan(score) | (score == 0), LEAST, score)
    return examples.weights(np.where(support, score, 0.0), details=details)


def _number(selector: Any, support: npt.NDArray[np.bool_]) -> int | None:
    """Return how many attributes a selector may select; None if no parameter limits it."""
    settings = selector.get_params(deep=False)
    if settings.get("max_features") is not None:
        return int(selector.max_features_)
    by_mode = settings.get("mode") in ("k_best", "percentile")
    by_gain = settings.get("n_features_to_select") == "auto" and settings.get("tol") is not None
    sized = not by_gain and {"k", "n_features_to_select", "percentile"} & set(settings)
    return int(support.sum()) if sized or by_mode else None


def _with_kept(
    size: Size,
    support: npt.NDArray[np.bool_],
    scores: Floats | None,
    X: Floats,
    fitted: Callable[[int, Floats], Any],
) -> npt.NDArray[np.bool_]:
    """Return the attributes to keep, and the best of the others by their scores.

    A selector without scores is fitted to the other attributes.
    """
    result, free = size.kept.copy(), np.flatnonzero(~size.kept)
    number = size.k - int(size.kept.sum())
    if scores is not None:
        order = np.flatnonzero(support)
        order = order[np.argsort(-np.nan_to_num(np.abs(scores[order])), kind="stable")]
        result[size.cut(order)] = True
    elif size.kept[~support].any() and number:
        result[free[fitted(number, X[:, free]).get_support()]] = True
    elif number:
        result |= support
    return result


def _arguments(kind: Any) -> list[str]:
    names: list[str] = kind._get_param_names()
    return names


def _learner(kind: Any, estimator: str, parameters: dict[str, str], ctx: Context) -> dict[str, Any]:
    """Return the learner that a selector works on, as its argument."""
    if not estimator:
        if parameters:
            raise ParameterError("estimator_parameters are set, but no estimator is named.")
        return {}
    if "estimator" not in _arguments(kind):
        raise ParameterError(
            f'{kind.__name__} works without a learner, but estimator is "{estimator}".',
            hint="Leave it empty.",
        )
    return {"estimator": made(class_at(estimator, LEARNER), parameters, LEARNER, ctx)}


def _score(name: str | None, examples: ExampleSet, ctx: Context) -> Callable[..., Any]:
    """Return the function that scores attributes."""
    from sklearn import feature_selection

    label = examples.schema.label
    numerical = label is not None and label.value_type.is_numerical
    name = name or ("f_regression" if numerical else "f_classif")
    if name not in SCORES:
        hint = did_you_mean(name, SCORES) or f"There are {', '.join(SCORES)}."
        raise ParameterError(
            f'score_func is "{name}", which is not a function that scores attributes.', hint=hint
        )
    function: Callable[..., Any] = getattr(feature_selection, name)
    random = name.startswith("mutual_info")
    return partial(function, random_state=seed_of(ctx, "score")) if random else function


def _target(examples: ExampleSet, selector: Any) -> npt.NDArray[Any] | None:
    """Return the label; a selector that looks at none does without it."""
    if examples.schema.label is not None:
        return examples.label_values()
    if {"score_func", "estimator"} & set(_arguments(type(selector))):
        raise DataError(
            f"{type(selector).__name__} needs a label, but the data has none.",
            hint="Give an attribute the role label (Set Role).",
        )
    return None


def _details(selector: Any, support: npt.NDArray[np.bool_]) -> dict[str, Floats]:
    """Return scores and p-values of all attributes, as far as the selector has them."""
    details = {"score": _importance(selector, support)}
    p_values = getattr(selector, "pvalues_", None)
    if p_values is not None:
        details["p_value"] = np.asarray(p_values, dtype=np.float64)
    return {name: values for name, values in details.items() if values is not None}


def _importance(selector: Any, support: npt.NDArray[np.bool_]) -> Any:
    for name in ("scores_", "variances_"):
        found = getattr(selector, name, None)
        if found is not None:
            return np.asarray(found, dtype=np.float64)
    learner = getattr(selector, "estimator_", None)
    found = getattr(learner, "coef_", getattr(learner, "feature_importances_", None))
    if found is None:
        return None
    sizes = np.linalg.norm(np.atleast_2d(np.asarray(found, dtype=np.float64)), axis=0)
    if len(sizes) == len(support):
        return sizes
    everywhere = np.full(len(support), np.nan)  # what was left out has no importance
    everywhere[support] = sizes
    return everywhere
