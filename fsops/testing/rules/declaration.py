"""Rules about the declaration of an operator: help, parameters, and how files keep them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, get_args
from zlib import crc32

from fsops.core.checks.propagation import canonical
from fsops.core.declare.parameters import Kind, Parameter, check_parameters
from fsops.data import ExampleSet
from fsops.errors import ParameterError
from fsops.storage import format_process, parse_process
from fsops.testing.cases import Case, Subject, scratch
from fsops.testing.data import ODD_NAMES
from fsops.testing.digest import digest
from fsops.testing.trial import answer, expect

ODD_TEXTS = ("", "no such thing ☃", *ODD_NAMES[:-1])
NO_CHOICE = "no such choice"
ALL_KINDS = get_args(Kind)


def check_help(subject: Subject) -> None:
    """Below the title, the docstring describes the result."""
    spec = subject.spec
    expect(len(spec.help.split()) > 3, "the docstring has nothing but a title")
    expect(spec.summary[-1:] in ".!?:", f'the help begins with "{spec.summary}": no sentence')


def check_descriptions(subject: Subject) -> None:
    """Parameters are described, and so are ports of the same type."""
    spec = subject.spec
    silent = [p.name for p in spec.parameters if not p.description]
    expect(
        not silent, f"no description: {', '.join(silent)} (use Annotated[…, Field(description=…)])"
    )
    for ports in (spec.inputs, spec.outputs):
        number = Counter(port.type for port in ports)
        alike = [p.name for p in ports if number[p.type] > 1 and not p.description]
        expect(
            not alike, f"ports of one type without description: {', '.join(alike)} (use Named(…))"
        )


def check_defaults(subject: Subject) -> None:
    """Every default is a value the parameter may have, and every condition can be met."""
    by_name = {parameter.name: parameter for parameter in subject.spec.parameters}
    for parameter in by_name.values():
        if not parameter.required:
            try:
                checked = parameter.check(parameter.default)
            except ParameterError as error:
                raise AssertionError(f"the default is not allowed: {error}") from None
            expect(
                checked == parameter.default,
                f"the default {parameter.default!r} of {parameter.name} becomes {checked!r}",
            )
        for case in parameter.when.alternatives if parameter.when else ():
            for other, wanted in case.items():
                possible = [value for value in wanted if is_allowed(by_name[other], value)]
                expect(possible, f"{parameter.name} never applies: {other} cannot be {wanted}")


def check_values(subject: Subject) -> None:
    """Whatever value a parameter may have, the operator gives a result or an `FsopsError`."""
    for case, situation in calls_by_value(subject):
        answer(subject, case, situation)


def check_files(subject: Subject) -> None:
    """A process file keeps all settings."""
    for case, situation in cases_by_value(subject):
        _check_file(subject, case, situation)
    _check_file(subject, subject.plain, "the process")


def _check_file(subject: Subject, case: Case, situation: str) -> None:
    process, _, registry = subject.process(case)
    written = format_process(process)
    again = parse_process(written, registry)
    node = next(iter(again))
    given = check_parameters(subject.spec.parameters, case.parameters)
    read = check_parameters(subject.spec.parameters, canonical(node))
    changed = [name for name in given if digest(given[name]) != digest(read[name])]
    expect(
        not changed,
        f"{situation}: the file gives back "
        + ", ".join(f"{name}={read[name]!r}" for name in changed),
    )
    difference = next(iter(process.differences(again)), "")
    expect(not difference, f"{situation}: the file differs: {difference}")
    expect(format_process(again) == written, f"{situation}: writing it again gives other bytes")


def check_wrong_values(subject: Subject) -> None:
    """A value that a parameter cannot have is refused with a sentence that names it."""
    for parameter in subject.spec.parameters:
        for value in _wrong_values(parameter):
            try:
                parameter.check(value)
            except ParameterError as error:
                expect(parameter.name in str(error), f'"{error}" does not name {parameter.name}')
            else:
                raise AssertionError(f"{_set(parameter, value)} is accepted")


# --- values to try --------------------------------------------------------------------------


def _set(parameter: Parameter, value: Any) -> str:
    shown = repr(value)
    return f"{parameter.name}={shown if len(shown) < 60 else shown[:60] + '…'}"


def calls_by_value(
    subject: Subject, kinds: Container[str] = ALL_KINDS
) -> Iterator[tuple[Case, str]]:
    """Return a call for every value of every parameter, with a description.

    The call with all defaults is returned once, not once for each parameter.
    """
    defaults = {p.name: p.default for p in subject.spec.parameters if not p.required}
    returned = set()
    for case, situation in cases_by_value(subject, kinds):
        call = repr({**defaults, **case.parameters})
        if call not in returned:
            returned.add(call)
            yield case, situation


def cases_by_value(
    subject: Subject, kinds: Container[str] = ALL_KINDS
) -> Iterator[tuple[Case, str]]:
    """Return a case for every value of every parameter, also where the default is set."""
    plain, table = subject.plain, subject.table
    for parameter in subject.spec.parameters:
        if parameter.kind in kinds:
            case = _applying(plain, parameter)
            for value in _allowed_values(subject, parameter, table):
                yield case.with_parameter(parameter.name, value), _set(parameter, value)


def _applying(plain: Case, parameter: Parameter) -> Case:
    """Return the call changed so that a parameter applies."""
    case = plain
    for other, wanted in parameter.when.alternatives[0].items() if parameter.when else ():
        case = case.with_parameter(other, wanted[0])
    return case


def is_allowed(parameter: Parameter, value: Any) -> bool:
    """Return whether a parameter may have a value."""
    try:
        parameter.check(value)
    except ParameterError:
        return False
    return True


def _allowed_values(subject: Subject, parameter: Parameter, examples: ExampleSet) -> list[Any]:
    """Return values at the limits of the parameter, and some from the middle."""
    tried: list[Any] = [] if parameter.required else [parameter.default]
    tried += [*parameter.choices, *_values_of_kind(parameter, examples)]
    tried += [None] if parameter.optional else []
    distinct = {repr(value): value for value in tried}.values()
    allowed = [value for value in distinct if is_allowed(parameter, value)]
    return _some(allowed, subject.values_per_parameter, f"{subject.spec.key}.{parameter.name}")


def _some(values: list[Any], most: int | None, key: str) -> list[Any]:
    """Return at most so many values, evenly spaced; the key decides which is the first.

    So the choice for one parameter is always the same, and parameters of one kind differ in theirs.
    """
    if most is None or len(values) <= most:
        return values
    first = crc32(key.encode())
    return [values[(first + i * len(values) // most) % len(values)] for i in range(most)]


def _values_of_kind(parameter: Parameter, examples: ExampleSet) -> list[Any]:
    names = list(examples.schema.regular_names)
    bounds = sorted((parameter.bounds or {}).values())
    values: dict[str, list[Any]] = {
        "boolean": [True, False],
        "integer": [int(b) + d for b in bounds for d in (-1, 0, 1)] or [-1, 0, 1],
        "number": [*bounds, *(b + d for b in bounds for d in (-0.5, 0.5)), 0.0]
        + ([] if bounds else [-1.0, -0.0, 1e-300, 1e300]),
        "choice": [],
        "text": list(ODD_TEXTS),
        "file": ["", str(_folder()), str(scratch() / "no such folder" / "no such file.csv")],
        "attribute": [*names[:1], *examples.schema.roles, *ODD_TEXTS[:2]],
        "attributes": [[], names, names[:1], ["no such thing ☃"], ["a|b\\c", ""]],
        "list": [[], ["1"], ["1", "2"], ["a, b", "c"], [""]],
        "pairs": [{}, {"no such thing ☃": "1"}, {"a": "x, y", "b": "2"}, [("a", "1")]],
    }
    return values[parameter.kind]


def _folder() -> Path:
    """Return a separate folder, so that written files are not beside files of others."""
    folder = scratch() / "some folder"
    folder.mkdir(exist_ok=True)
    return folder


def _wrong_values(parameter: Parameter) -> Iterator[Any]:
    wrong: dict[str, list[Any]] = {
        "boolean": ["maybe", 7, None],
        "integer": [NO_CHOICE, 1.5, "1.5", float("inf")],
        "number": [NO_CHOICE, float("nan"), "nan", float("inf"), "-inf"],
        "choice": [NO_CHOICE, 1],
    }
    for value in wrong.get(parameter.kind, []):
        if not (value is None and parameter.optional):
            yield value
    if parameter.kind in ("integer", "number"):
        bounds = parameter.bounds or {}
        yield from (bounds[name] - 1 for name in ("ge", "gt") if name in bounds)
        yield from (bounds[name] + 1 for name in ("le", "lt") if name in bounds)
