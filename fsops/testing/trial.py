"""Calling an operator on trial, and reporting its faults."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fsops.core import Context
from fsops.data import AttributeWeights, Collection, ExampleSet, FlowObject, Model
from fsops.data.detail_headings import has_heading
from fsops.errors import Cancelled, DeclarationError, FsopsError, OperatorFailed, OperatorWarning
from fsops.testing.cases import Case, Subject

# These are ours too, but they mean that something else went wrong underneath.
NO_ANSWERS = (Cancelled, DeclarationError, OperatorFailed)
# Meant for the programmer whose code causes them; Python does not show them to anybody else.
QUIET_WARNINGS = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


@dataclass(frozen=True)
class Answer:
    """A result by output port, or a refusal in words."""

    outputs: Mapping[str, list[Any]]
    refusal: FsopsError | None = None

    @property
    def values(self) -> list[FlowObject]:
        """Everything that came out, in the order of the ports."""
        return [value for found in self.outputs.values() for value in found]


def expect(condition: object, complaint: str) -> None:
    """Raise an AssertionError with the complaint unless the condition holds."""
    if not condition:
        raise AssertionError(complaint)


def answer(subject: Subject, case: Case, situation: str, context: Context | None = None) -> Answer:
    """Return how the operator answers; whatever is neither result nor `FsopsError` is a fault."""
    with no_warnings(subject, situation):
        try:
            outputs = subject.outputs(subject.call(case, context))
        except NO_ANSWERS as error:
            raise AssertionError(f"{situation}: {_stopped(error)}") from error
        except FsopsError as error:
            text = str(error)
            expect(text.endswith((".", "?", "!")), f'{situation}: "{text}" is not a sentence')
            return Answer({}, error)
        except (Exception, SystemExit) as error:
            raise AssertionError(f"{situation}: {_stopped(error)}") from error
    check_weights(case, outputs, situation)
    if subject.is_built_in:  # details of plugins are shown with their own names
        check_headings(outputs, situation)
    return Answer(outputs)


def result(
    subject: Subject, case: Case, situation: str = "a sound table", context: Context | None = None
) -> Answer:
    """Return the result of the operator; a refusal is a fault too."""
    found = answer(subject, case, situation, context)
    expect(found.refusal is None, f"{situation}: refused: {found.refusal}")
    return found


def _stopped(error: BaseException) -> str:
    return f"stopped with {type(error).__name__}: {error}".rstrip(": ")


@contextmanager
def no_warnings(subject: Subject, situation: str) -> Iterator[None]:
    """Complain about warnings of numpy; in strict mode about all that users would see."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        expect(
            _is_harmless(warning, subject),
            f"{situation}: {warning.category.__name__} from {warning.filename}:{warning.lineno}: "
            f"{warning.message} (warn users with ctx.warn)",
        )


def _is_harmless(warning: warnings.WarningMessage, subject: Subject) -> bool:
    if issubclass(warning.category, OperatorWarning):
        return True  # reported with ctx.warn
    if issubclass(warning.category, QUIET_WARNINGS):
        return not subject.strict or not Path(warning.filename).is_relative_to(subject.folder)
    return not subject.strict and not issubclass(warning.category, RuntimeWarning)


def check_weights(case: Case, outputs: Mapping[str, list[Any]], situation: str) -> None:
    """Complain about weights of unknown attributes, and about NaN without a reason."""
    given = [value for value in case.inputs.values() if value is not None]
    names, complete = known_names(given), all(map(is_complete, given))
    weights = [w for found in outputs.values() for w in found if isinstance(w, AttributeWeights)]
    for found in weights:
        strange = sorted(set(found.names) - names) if names else []
        expect(not strange, f"{situation}: weights for {strange[:3]}, which no input has")
        expect(len(set(found.names)) == len(found), f"{situation}: an attribute has two weights")
        unknown = [name for name, value in found if value != value]  # noqa: PLR0124 - NaN
        expect(
            not (complete and unknown),
            f"{situation}: the weights of {unknown[:3]} are NaN though no value is missing",
        )


def check_headings(outputs: Mapping[str, list[Any]], situation: str) -> None:
    """Complain about details of weights that have no heading for people."""
    names = {name for found in outputs.values() for w in all_weights(found) for name in w.details}
    bare = sorted(name for name in names if not has_heading(name))
    expect(
        not bare,
        f"{situation}: no heading in fsops/data/detail_headings.py for {', '.join(bare)}",
    )


def all_weights(values: Iterable[Any]) -> Iterator[AttributeWeights]:
    """Return the weights among some values, also those in collections."""
    for value in values:
        if isinstance(value, AttributeWeights):
            yield value
        elif isinstance(value, Collection):
            yield from all_weights(value)


def known_names(values: list[Any]) -> set[str]:
    """Return the attributes that the inputs mention."""
    names: set[str] = set()
    for value in values:
        if isinstance(value, ExampleSet | AttributeWeights):
            names |= set(value.names)
        elif isinstance(value, Model):
            names |= set(value.attributes.names)
        elif isinstance(value, Collection | list):
            names |= known_names(list(value))
    return names


def is_complete(value: Any) -> bool:
    """Return whether no value is missing or infinite."""
    if isinstance(value, ExampleSet):
        return not value.missing_by_attribute and not value.extreme_attributes
    if isinstance(value, AttributeWeights):
        return bool(np.isfinite(value.values).all())
    if isinstance(value, Collection | list):
        return all(map(is_complete, value))
    return True
