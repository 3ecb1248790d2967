"""Problems that only a run can show, such as equal weights at a cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fsops.core.checks.problems import Kind, Problem, QuickFix, SetParameter, Severity
from fsops.core.graph.process import Process


@dataclass(frozen=True)
class RunCaution:
    """A warning of a run that has a kind."""

    kind: str
    message: str
    parameter: str = ""
    """The parameter it is about."""
    values: tuple[int, ...] = ()
    """Values of the parameter that avoid it."""


def problems_of_run(
    process: Process, cautions: Mapping[str, Mapping[RunCaution, int]]
) -> list[Problem]:
    """Return the cautions of a run as problems of the process.

    Parameters
    ----------
    process : Process
    cautions : mapping of str to mapping of RunCaution to int
        For each operator its cautions, and how often each occurred. Operators that the process
        does not have are left out.
    """
    found = []
    for node in process.walk():
        by_kind: dict[str, list[RunCaution]] = {}
        for caution in cautions.get(node.name, {}):
            by_kind.setdefault(caution.kind, []).append(caution)
        for kind, alike in by_kind.items():
            times = sum(cautions[node.name][caution] for caution in alike)
            found.append(_problem(node.name, node.path, Kind(kind), alike, times))
    return found


def _problem(
    name: str, path: tuple[str, ...], kind: Kind, alike: list[RunCaution], times: int
) -> Problem:
    first = alike[0]
    again = f" The last run reported this {times} times." if times > 1 else ""
    # Folds may have other ties; then no value avoids those of all.
    values = set(first.values).intersection(*(caution.values for caution in alike))
    fixes = tuple(
        QuickFix(
            f"Set {first.parameter} of {name} to {value}",
            (SetParameter(name, first.parameter, value),),
        )
        for value in sorted(values)
    )
    return Problem(kind, path, first.message + again, Severity.WARNING, fixes, first.parameter)
