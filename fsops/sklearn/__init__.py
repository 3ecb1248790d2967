"""Operators and processes as estimators of scikit-learn.

Every operator that weighs or selects attributes is a selector here, made from its declaration when
it is first asked for: ``from fsops.sklearn import WeightBySam``. A whole process is one estimator:
`ProcessEstimator`.
"""

from __future__ import annotations

from typing import Any

import lazy_loader

_own, _, _OWN_NAMES = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    if name in _OWN_NAMES:
        return _own(name)
    if name[:1].isupper():
        return _selector(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}.")


def _selector(name: str) -> Any:
    from fsops.errors import did_you_mean
    from fsops.sklearn.selectors import selector_named

    found = selector_named(name)
    if found is None:
        message = f"module {__name__!r} has no attribute {name!r}."
        raise AttributeError(f"{message} {did_you_mean(name, __dir__())}".strip())
    return found


def __dir__() -> list[str]:
    from fsops.sklearn.selectors import selector_names

    return sorted([*_OWN_NAMES, *selector_names()])
