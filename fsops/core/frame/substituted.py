"""An inner process of one operator, whose own inner processes are replaced by functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fsops.core.frame.frame import Frame, Key
from fsops.core.frame.inner import Inner, OutlinedOperator, Weighting
from fsops.core.frame.invoke import invoke


def substituted(inner: Inner, functions: Mapping[str, Callable[..., Any]]) -> Inner:
    """Return the same process, with functions as the inner processes of its only operator."""
    outline = inner.outline()
    if outline is None or len(outline.operators) != 1:
        raise ValueError(f'"{inner.title}" does not consist of a single operator.')
    (only,) = outline.operators.values()
    return SubstitutedInner(inner.declared, inner.frame, inner.title, only, functions)


@dataclass(frozen=True)
class SubstitutedInner(Inner):
    """An inner process of one operator that runs functions in place of the drawn inner processes.

    The random numbers are those of the process that it stands for.
    """

    only: OutlinedOperator
    functions: Mapping[str, Callable[..., Any]]

    def _run(self, inside: Frame, place: Key, values: Sequence[Any]) -> Any:
        spec = self.only.operator
        inputs = {spec.inputs[0].name: values[0], **self.functions}
        return invoke(inside, spec, self.only.name, inputs, self.only.given, wanted=())

    def _single_weighting(self) -> Weighting | None:
        return None
