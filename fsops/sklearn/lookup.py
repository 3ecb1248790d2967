"""Selectors by the key of their operator, or by the name of their class."""

from __future__ import annotations

from typing import Any

from fsops import operators
from fsops.core import Operator, operator_of
from fsops.errors import UsageError, did_you_mean
from fsops.sklearn.declared import class_name, is_selector
from fsops.sklearn.selectors import OperatorSelector, selector_class


def selector(key: str, /, *args: Any, **parameters: Any) -> OperatorSelector:
    """Return the selector of an operator by its key: ``selector("weight_by_sam", k=20)``."""
    spec = _built_in(key) or _of_plugins(key)
    if spec is None or not is_selector(spec):
        raise UsageError(
            f'"{key}" is no operator that weighs or selects attributes.',
            hint=did_you_mean(key, [spec.key for spec in _all_selectors()]),
        )
    return selector_class(spec)(*args, **parameters)


def selector_named(name: str) -> type[OperatorSelector] | None:
    """Return the selector whose class has this name."""
    key = next((key for key in dir(operators) if class_name(key) == name), None)
    specs = _all_selectors() if key is None else [operator_of(getattr(operators, key))]
    fitting = (spec for spec in specs if class_name(spec.key) == name and is_selector(spec))
    spec = next(fitting, None)
    return None if spec is None else selector_class(spec)


def selector_names() -> list[str]:
    """Return the class names of all selectors, also of those from plugins."""
    return [class_name(spec.key) for spec in _all_selectors()]


def _built_in(key: str) -> Operator | None:
    """Return an operator of fsops itself, without loading any other operator or plugin."""
    return operator_of(getattr(operators, key)) if key in dir(operators) else None


def _of_plugins(key: str) -> Operator | None:
    from fsops.plugins import plugins

    spec = plugins().registry.find(key)
    return None if spec.is_placeholder else spec


def _all_selectors() -> list[Operator]:
    from fsops.plugins import plugins

    return [spec for spec in plugins().registry if is_selector(spec)]
