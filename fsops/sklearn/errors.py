"""Errors as scikit-learn expects them: what is wrong with data or a parameter is a ValueError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fsops.errors import DataError, FsopsError, ParameterError


class UnsuitableData(DataError, ValueError):
    """The data does not fit what the estimator needs."""


class UnsuitableParameter(ParameterError, ValueError):
    """A parameter of an estimator has a value it cannot have."""


class CannotFit(FsopsError, ValueError):
    """The estimator cannot be fitted for another reason, such as an inner process that fails."""


@contextmanager
def value_errors() -> Iterator[None]:
    """Let every error of ours that happens inside be a ValueError, too."""
    try:
        yield
    except FsopsError as error:
        if isinstance(error, ValueError):
            raise
        kind: type[FsopsError] = CannotFit
        if isinstance(error, DataError):
            kind = UnsuitableData
        elif isinstance(error, ParameterError):
            kind = UnsuitableParameter
        raise kind(error.message, hint=error.hint, path=error.path) from error
