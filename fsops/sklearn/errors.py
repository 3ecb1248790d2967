"""Errors as scikit-learn expects them: wrong data or parameters raise ValueError."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fsops.errors import DataError, FsopsError, ParameterError, UsageError, unknown_argument


class UnsuitableData(DataError, ValueError):
    """The data does not meet the requirements of the estimator."""


class UnsuitableParameter(ParameterError, ValueError):
    """A parameter of an estimator has a value it cannot have."""


class CannotFit(FsopsError, ValueError):
    """The estimator cannot be fitted for another reason, such as an inner process that fails."""


class UnknownArgument(UsageError, TypeError):
    """An argument of ``fit`` that the estimator does not have."""


def refuse_arguments(title: str, given: Mapping[str, Any], known: tuple[str, ...] = ()) -> None:
    """Say of arguments of ``fit`` why they cannot be used.

    They are not part of the signature, so that scikit-learn does not take the estimator for one
    that can use sample weights.
    """
    for name, value in given.items():
        if name != "sample_weight":
            raise unknown_argument("fit", name, known)
        if value is not None:
            raise UnknownArgument(
                f"{title} does not use sample weights.",
                hint="Leave sample_weight out, or repeat rows as often as they count.",
            )


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
