"""Classes of scikit-learn that a process names by their place, with parameters given as text."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from fsops.core import Context
from fsops.errors import ParameterError, did_you_mean
from fsops.operators.modeling.estimators import seed_of

ALLOWED = ("sklearn.",)
"""Modules whose classes may be used."""
PATH = re.compile(r"sklearn(\.[a-z][a-z_]*)+\.[A-Za-z]\w*")
CLOSED = frozenset(
    {"conftest", "datasets", "experimental", "externals", "feature_extraction", "tests", "utils"}
)
"""Parts of scikit-learn that hold nothing for a table."""
OURS = {
    "n_jobs": "fsops shares out the work itself",
    "verbose": "fsops reports the progress itself",
    "memory": "files are written by writing operators only",
}
LONGEST = 200
WORDS: Mapping[str, Any] = {"true": True, "false": False, "none": None, "": None}
SCALARS = (bool, int, float, str, type(None))
INNER = ("estimator", "estimators", "base_estimator", "final_estimator")


def _as_texts(value: Any) -> Any:
    """Return a mapping with numbers, truth values and None as texts: 5 means "5"."""
    if not isinstance(value, Mapping):
        return value
    plain = (bool, int, float, type(None))
    return {k: str(v) if isinstance(v, plain) else v for k, v in value.items()}


Settings = Annotated[
    dict[str, str],
    BeforeValidator(_as_texts),
    Field(
        description="Its parameters by name: numbers, true, false, none, text, or several "
        "numbers in parentheses."
    ),
]


@dataclass(frozen=True)
class Wanted:
    """The required kind of class, and its names in messages."""

    parameter: str
    """The parameter that names the class."""
    noun: str
    example: str
    methods: tuple[str, ...]
    """Required methods besides ``fit``."""
    instead: str = ""
    """Advice for a class that wraps other estimators."""
    lacks: str = ", which cannot be given here"
    """The error message."""
    is_one: Callable[[Any], bool] = lambda kind: True

    def fits(self, kind: Any) -> bool:
        """Return whether it is a class of that kind, from scikit-learn, that can be made."""
        from sklearn.base import BaseEstimator

        return (
            inspect.isclass(kind)
            and issubclass(kind, BaseEstimator)
            and kind.__module__.startswith(ALLOWED)
            and not inspect.isabstract(kind)
            and callable(getattr(kind, "fit", None))
            and all(hasattr(kind, method) for method in self.methods)
            and self.is_one(kind)
        )


LEARNER = Wanted(
    "estimator",
    "learner",
    "sklearn.svm.NuSVC",
    ("predict",),
    "Use Vote or Bagging, or the estimator itself.",
)


def class_at(path: str, wanted: Wanted) -> Any:
    """Return the class a path names, if it is one that may be used."""
    module, _, name = path.rpartition(".")
    if not path.startswith(ALLOWED) or not PATH.fullmatch(path) or CLOSED & set(path.split(".")):
        raise ParameterError(
            f'{wanted.parameter} is "{path}", but must name a {wanted.noun} of scikit-learn.',
            hint=f"For example {wanted.example}.",
        )
    try:
        found = importlib.import_module(module)
    except ImportError:
        raise ParameterError(
            f'{wanted.parameter} is "{path}", but scikit-learn has no module {module}.',
            hint=f"For example {wanted.example}.",
        ) from None
    kind = getattr(found, name, None)
    if not wanted.fits(kind):
        others = [n for n in dir(found) if wanted.fits(getattr(found, n, None))]
        hint = did_you_mean(name, others)
        raise ParameterError(
            f'{wanted.parameter} is "{path}", but {module} has no {wanted.noun} of this name.',
            hint=hint or f"It has {', '.join(others)}." if others else "",
        )
    return kind


def made(kind: Any, given: Mapping[str, str], wanted: Wanted, ctx: Context, **values: Any) -> Any:
    """Return an object of a class with parameters given as text, and others as they are."""
    known = _parameters_of(kind, wanted, values)
    for name in given:
        _check_name(kind, name, known, values)
    values = {**{name: value_of(text) for name, text in given.items()}, **values}
    if "random_state" in known:
        values.setdefault("random_state", seed_of(ctx, "estimator"))
    return kind(**values)


def _parameters_of(
    kind: Any, wanted: Wanted, values: Mapping[str, Any]
) -> dict[str, inspect.Parameter]:
    """Return what can be set; a class that needs another estimator is refused."""
    signature = inspect.signature(kind.__init__)
    known = {
        name: argument
        for name, argument in signature.parameters.items()
        if name != "self" and argument.kind is not argument.VAR_KEYWORD
    }
    needed = [n for n, a in known.items() if a.default is a.empty and n not in values]
    if needed:
        others = f"other estimators ({', '.join(needed)})"
        raise ParameterError(
            f"{kind.__name__} works on top of {others}{wanted.lacks}.",
            hint=wanted.instead,
        )
    return known


def _check_name(kind: Any, name: str, known: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    if name in OURS:
        raise ParameterError(f'The parameter "{name}" cannot be set: {OURS[name]}.')
    if name not in known:
        allowed = [other for other in known if other not in OURS]
        hint = did_you_mean(name, allowed) or f"There are {', '.join(allowed)}."
        raise ParameterError(f'{kind.__name__} has no parameter "{name}".', hint=hint)
    if name in INNER:
        raise ParameterError(f'"{name}" is another estimator, which cannot be given here.')


def value_of(text: str) -> Any:
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
