"""Operators and processes as estimators of scikit-learn.

Every operator that weighs or selects attributes is a selector here, made from its declaration when
it is first asked for: ``from fsops.sklearn import WeightBySam``. A whole process is one estimator:
`ProcessEstimator`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fsops import operators
from fsops.errors import UsageError, did_you_mean
from fsops.plugins import plugins
from fsops.sklearn.declared import class_name, is_selector
from fsops.sklearn.process import ProcessEstimator as ProcessEstimator
from fsops.sklearn.selectors import OperatorSelector, selector_class

if TYPE_CHECKING:
    from fsops.core.operator import Operator

_OWN = ("OperatorSelector", "ProcessEstimator", "selector")


def selector(key: str, /, *args: Any, **parameters: Any) -> OperatorSelector:
    """Return the selector of an operator by its key: ``selector("weight_by_sam", k=20)``."""
    registry = plugins().registry
    spec = registry.find(key)
    if spec.is_placeholder or not is_selector(spec):
        raise UsageError(
            f'"{key}" is no operator that weighs or selects attributes.',
            hint=did_you_mean(key, [spec.key for spec in registry if is_selector(spec)]),
        )
    return selector_class(spec)(*args, **parameters)


def _named(name: str) -> Operator | None:
    """Return the operator of a selector; first without loading any other."""
    registry = plugins().registry
    key = next((key for key in dir(operators) if class_name(key) == name), None)
    found = [registry.find(key)] if key is not None else list(registry)
    return next((s for s in found if class_name(s.key) == name and is_selector(s)), None)


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    spec = _named(name) if name[:1].isupper() else None
    if spec is None:
        hint = did_you_mean(name, __dir__()) if name[:1].isupper() else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}. {hint}".strip())
    return selector_class(spec)


def __dir__() -> list[str]:
    specs = plugins().registry
    return sorted([*_OWN, *(class_name(spec.key) for spec in specs if is_selector(spec))])
