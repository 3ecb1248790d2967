"""Parameters: what can be set on an operator, read from keyword-only arguments."""

from __future__ import annotations

import copy
import math
import operator as ops
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from fsops.errors import ParameterError, did_you_mean

REQUIRED: Any = PydanticUndefined
MACRO_START = "%{"
FIXED = (str, int, float, type(None))
SEPARATOR = "|"  # between attribute names, as in RapidMiner
Kind = Literal[
    "boolean",
    "integer",
    "number",
    "text",
    "choice",
    "file",
    "attribute",
    "attributes",
    "list",
    "pairs",
]
_PLAIN: Mapping[Any, Kind] = {bool: "boolean", int: "integer", float: "number", str: "text"}
_WORDS: Mapping[Kind, str] = {
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "text": "text",
    "file": "the path of a file",
    "attribute": "the name of an attribute",
    "attributes": "names of attributes",
    "list": "a list of values",
    "pairs": "a list of names with values",
}


_ITEMS: Mapping[str, str] = {
    "float": "a number",
    "int": "a whole number",
    "bool": "true or false",
    "string": "text",
    "greater_than_equal": "larger",
    "greater_than": "larger",
    "less_than": "smaller",
}


class When:
    """Says when a parameter applies: ``When(method="top k")``, or one of several values.

    Several conditions must all hold; of ``When(…) | When(…)`` one is enough.
    """

    def __init__(self, **conditions: Any) -> None:
        self.alternatives: tuple[Mapping[str, tuple[Any, ...]], ...] = (
            {
                name: value if isinstance(value, tuple) else (value,)
                for name, value in conditions.items()
            },
        )
        """Of each, all must hold: the values that each of some parameters may have."""

    def __or__(self, other: When) -> When:
        either = When()
        either.alternatives = (*self.alternatives, *other.alternatives)
        return either

    @property
    def names(self) -> list[str]:
        """The parameters it depends on."""
        return list(dict.fromkeys(name for each in self.alternatives for name in each))

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Return whether the parameter applies, given the values of all parameters."""
        return any(
            all(values.get(name) in allowed for name, allowed in each.items())
            for each in self.alternatives
        )

    def __str__(self) -> str:
        return ", or ".join(
            " and ".join(f"{name} is {' or '.join(map(_shown, v))}" for name, v in each.items())
            for each in self.alternatives
        )


class Expert:
    """Marks a parameter that most people never need."""


@dataclass(frozen=True)
class File:
    """Marks a text parameter as the path of a file, relative to the process file."""

    suffixes: tuple[str, ...] = ()
    write: bool = False
    noun: str = "the path of a file"
    """A description of the text, for people."""
    resolve: Callable[[str], Path | None] | None = None
    """The file that a name stands for; None if the name is a path, or for the name of a sample."""


class AttributeName:
    """Marks a text parameter as the name of an attribute of the first table."""


class MacroName:
    """Marks a text parameter as the name of a macro the operator sets for its inner processes."""


class InnerParameters:
    """Marks pairs whose names are parameters of inner operators: ``"SVM.C"``."""


class AttributeNames:
    """Marks a list of text as names of attributes of the first table."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of an operator."""

    name: str
    annotation: Any
    kind: Kind
    default: Any = REQUIRED
    description: str = ""
    choices: tuple[str, ...] = ()
    bounds: Mapping[str, float] | None = None
    optional: bool = False
    expert: bool = False
    when: When | None = None
    file: File | None = None
    sets_macro: bool = False
    names_inner: bool = False

    @property
    def required(self) -> bool:
        """Whether the parameter has no default."""
        return self.default is REQUIRED

    @property
    def examples(self) -> list[Any]:
        """Values that the declaration gives as examples: ``Field(examples=["iris"])``."""
        infos = [m for m in _unwrap(self.annotation)[1] if isinstance(m, FieldInfo)]
        return [value for info in infos for value in info.examples or []]

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        # Built on first use: a validator is slow to build, and most parameters are never checked.
        return TypeAdapter(self.annotation)

    @property
    def _is_dict(self) -> bool:
        parts, _ = _without_none(_unwrap(self.annotation)[0])
        return any(get_origin(_unwrap(part)[0]) is dict for part in parts)

    def check(self, value: Any) -> Any:
        """Return the value in its type, or say in a sentence why it cannot be one."""
        try:
            checked = self._adapter.validate_python(self._from_text(value))
        except ValidationError as error:
            # Only validator functions give "value_error". Their message is a sentence for users.
            reasons = [e["msg"] for e in error.errors() if e["type"] == "value_error"]
            first = error.errors()[0]
            if not reasons and self.kind in ("list", "pairs") and first["loc"]:
                raise self._item_refusal(first) from None
            raise self._refusal(
                value, reasons[0].removeprefix("Value error, ") if reasons else ""
            ) from None
        # pydantic reads "nan" and "inf" as floats, and inf passes any lower bound.
        if isinstance(checked, float) and not math.isfinite(checked):
            raise self._refusal(value, "")
        return checked

    def check_rounded(self, value: Any) -> Any:
        """Return the value checked; a fraction for a whole number, as a grid gives, is rounded."""
        is_fraction = self.kind == "integer" and isinstance(value, float)
        return self.check(round(value) if is_fraction else value)

    def _refusal(self, value: Any, reason: str) -> ParameterError:
        said = reason or f"must be {self.allowed()}"
        hint = did_you_mean(value, self.choices) if isinstance(value, str) else ""
        return ParameterError(f"{self.name} is {_shown(value)}, but {said}.", hint=hint)

    def _item_refusal(self, error: Any) -> ParameterError:
        """Describe the problem of one item of a list."""
        wanted = next((said for kind, said in _ITEMS.items() if error["type"].startswith(kind)), "")
        if error["type"] == "literal_error":
            wanted = f"one of {error['ctx']['expected']}".replace("'", '"')
        said = f"must be {wanted}" if wanted else error["msg"][0].lower() + error["msg"][1:]
        place = f' for "{error["loc"][0]}"' if isinstance(error["loc"][0], str) else ""
        return ParameterError(f"{self.name} holds {_shown(error['input'])}{place}, but it {said}.")

    def allowed(self) -> str:
        """Return what values are allowed, for people: ``a whole number of at least 1``."""
        words = [_WORDS[self.kind]] if self.kind != "choice" else []
        if self.file is not None:
            words = [self.file.noun]
        if self.bounds:
            words = [f"{words[0] if words else 'a number'} {_range_text(self.bounds)}"]
        if self.choices:
            listed = ", ".join(f'"{choice}"' for choice in self.choices)
            words.append(f"one of {listed}" if len(self.choices) > 1 else listed)
        return " or ".join(words) + (" (or empty)" if self.optional else "")

    def _from_text(self, value: Any) -> Any:
        """Convert a value from a file or command line, where everything is text."""
        if not isinstance(value, str):
            is_list = self.kind == "pairs" and isinstance(value, list | tuple)
            return dict(value) if is_list and self._is_dict else value
        # `value_text` writes None as an empty text, so an empty text is read back as None.
        if value == "" and self.optional:
            return None
        if self.kind == "attributes":
            return split_names(value)
        if self.kind == "list":
            return [part.strip() for part in value.split(",")] if value else []
        return value

    def to_text(self, value: Any) -> str:
        """Return a single value as written in a file."""
        if self.kind == "attributes" and isinstance(value, list | tuple):
            return join_names(value)
        return value_text(value)


def value_text(value: Any) -> str:
    """Return a plain value as written in a file; numbers keep every bit."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    # numpy's doubles are floats too, but their repr is not a number.
    return repr(float(value)) if isinstance(value, float) else str(value)


def join_names(names: Sequence[str]) -> str:
    r"""Return names joined by ``|``; a ``|`` inside a name is written ``\|``."""
    return SEPARATOR.join(
        n.replace("\\", "\\\\").replace(SEPARATOR, "\\" + SEPARATOR) for n in names
    )


def split_names(text: str) -> list[str]:
    """Return the names that `join_names` joined."""
    # str.split is wrong here: a separator after a backslash is part of the name.
    names, current, escaped = [], "", False
    for character in text:
        if escaped or character not in ("\\", SEPARATOR):
            current, escaped = current + character, False
        elif character == "\\":
            escaped = True
        else:
            names.append(current)
            current = ""
    return [*names, current] if text else []


def has_macro(value: Any) -> bool:
    """Return whether a value waits for a macro and cannot be checked yet."""
    if isinstance(value, str):
        return MACRO_START in value
    if isinstance(value, FIXED):  # most are, and a look for a mapping takes longer
        return False
    if isinstance(value, Mapping):
        return any(has_macro(item) for pair in value.items() for item in pair)
    return isinstance(value, list | tuple) and any(has_macro(item) for item in value)


def check_parameters(
    parameters: Sequence[Parameter], given: Mapping[str, Any], *, partial: bool = False
) -> dict[str, Any]:
    """Return all parameters with checked values and defaults; the first fault is raised.

    With ``partial`` values that hold a macro are left out instead of checked.
    """
    # Names first: a misspelled name must not be reported as a parameter that is not set.
    by_name = {parameter.name: parameter for parameter in parameters}
    for name in given:
        if name not in by_name:
            hint = did_you_mean(name, by_name) or _known_parameters(by_name)
            raise ParameterError(f'There is no parameter "{name}".', hint=hint)
    values: dict[str, Any] = {}
    absent: list[Parameter] = []
    for name, parameter in by_name.items():
        default = parameter.default
        if name in given:
            if not (partial and has_macro(given[name])):
                values[name] = parameter.check(given[name])
        elif default is REQUIRED:
            absent.append(parameter)
        else:
            # A copy of a list or dictionary: changing it must not change the declaration.
            values[name] = default if isinstance(default, FIXED) else copy.copy(default)
    # Afterwards, because `when` may depend on a parameter that is declared later.
    for parameter in absent:
        if parameter.when is None or parameter.when.holds(values):
            raise ParameterError(f"{parameter.name} is not set; it must be {parameter.allowed()}.")
    return values


def _known_parameters(by_name: Mapping[str, Parameter]) -> str:
    return f"There are {', '.join(by_name)}." if by_name else "The operator has no parameters."


def read_parameter(name: str, annotation: Any, default: Any) -> Parameter:
    """Return the parameter an annotation stands for; TypeError says why it cannot be one."""
    plain, metadata = _unwrap(annotation)
    info = next((m for m in metadata if isinstance(m, FieldInfo)), None)
    # With `= Field(...)` the FieldInfo itself would be the default of the Python function.
    if isinstance(default, FieldInfo):
        raise TypeError("write `Annotated[type, Field(...)] = default`, not `= Field(...)`")
    rest, optional = _without_none(plain)
    kind, choices = _kind_of(rest)
    bounds = _bounds(info)
    # In `Annotated[int, Field(ge=1)] | Literal["auto"]` the bounds are on one part of the union.
    for part in rest:
        inner = next((m for m in _unwrap(part)[1] if isinstance(m, FieldInfo)), None)
        bounds = bounds or _bounds(inner)
    if isinstance(default, int | float) and not _within(default, bounds):
        raise TypeError(f"its default {default:g} must be {_range_text(bounds)}")
    file = next((m for m in metadata if isinstance(m, File)), None)
    if file is not None:
        kind = "file"
    # Markers may be written with or without parentheses: `AttributeName` and `AttributeName()`.
    for marker, marked in ((AttributeName, "attribute"), (AttributeNames, "attributes")):
        if any(isinstance(m, marker) or m is marker for m in metadata):
            kind = marked  # type: ignore[assignment]
    return Parameter(
        name,
        _bounds_on_numbers(rest, optional, info, annotation) if choices and bounds else annotation,
        kind,
        default,
        (info.description or "") if info else "",
        choices,
        bounds or None,
        optional,
        any(isinstance(m, Expert) or m is Expert for m in metadata),
        next((m for m in metadata if isinstance(m, When)), None),
        file,
        any(isinstance(m, MacroName) or m is MacroName for m in metadata),
        any(isinstance(m, InnerParameters) or m is InnerParameters for m in metadata),
    )


def read_parameter_group(annotation: Any) -> list[Parameter]:
    """Return the parameters several operators share: ``**name: Unpack[TheTypedDict]``.

    Each field is ``Annotated[type, Field(default=..., description=...)]``.
    """
    group = get_args(annotation)[0] if get_origin(annotation) is Unpack else None
    if not is_typeddict(group):
        raise TypeError("use `list[...]` for many inputs, or Unpack[TypedDict] for parameters")
    parameters = []
    for name, field in get_type_hints(group, include_extras=True).items():
        info = next((m for m in _unwrap(field)[1] if isinstance(m, FieldInfo)), None)
        parameters.append(read_parameter(name, field, info.default if info else REQUIRED))
    return parameters


def _bounds_on_numbers(
    parts: tuple[Any, ...], optional: bool, info: FieldInfo | None, annotation: Any
) -> Any:
    """Return the union with its bounds on the numbers only: ``"auto"`` is not at least 1."""
    constraints = info.metadata if info else []
    if not constraints:
        return annotation
    bounded = [p if get_origin(p) is Literal else Annotated[(p, *constraints)] for p in parts]
    return Union[tuple([*bounded, type(None)] if optional else bounded)]  # noqa: UP007


def _unwrap(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    if get_origin(annotation) is Annotated:
        plain, *metadata = get_args(annotation)
        return plain, tuple(metadata)
    return annotation, ()


def _without_none(annotation: Any) -> tuple[tuple[Any, ...], bool]:
    if get_origin(annotation) in (Union, types.UnionType):
        parts = get_args(annotation)
        rest = tuple(part for part in parts if part is not type(None))
        return rest, len(rest) < len(parts)
    return (annotation,), False


def _kind_of(parts: tuple[Any, ...]) -> tuple[Kind, tuple[str, ...]]:
    """Return the kind of the parameter and the fixed values it may have."""
    choices: list[str] = []
    kinds: list[Kind] = []
    for part in parts:
        plain, _ = _unwrap(part)
        if get_origin(plain) is Literal:
            choices += [str(value) for value in get_args(plain)]
        elif plain in _PLAIN:
            kinds.append(_PLAIN[plain])
        elif get_origin(plain) is list and get_origin(get_args(plain)[0]) is tuple:
            kinds.append("pairs")
        elif get_origin(plain) is list:
            kinds.append("list")
        elif get_origin(plain) is dict:
            kinds.append("pairs")
        else:
            raise TypeError(
                f"{plain} cannot be a parameter; use bool, int, float, str, Literal, list[...], "
                "dict[str, ...], or a union of them"
            )
    # `int | Literal["auto"]` is an integer with a special value, not a choice.
    return (kinds[0] if kinds else "choice"), tuple(choices)


def _bounds(info: FieldInfo | None) -> dict[str, float]:
    names = ("ge", "gt", "le", "lt")
    constraints = info.metadata if info else []
    return {
        name: getattr(constraint, name)
        for constraint in constraints
        for name in names
        if getattr(constraint, name, None) is not None
    }


def _within(value: float, bounds: Mapping[str, float]) -> bool:
    """Whether a number meets all bounds."""
    compare = {"ge": ops.ge, "gt": ops.gt, "le": ops.le, "lt": ops.lt}
    return all(compare[name](value, bound) for name, bound in bounds.items())


def _range_text(bounds: Mapping[str, float]) -> str:
    low = [f"of at least {bounds['ge']:g}"] if "ge" in bounds else []
    low += [f"greater than {bounds['gt']:g}"] if "gt" in bounds else []
    high = [f"at most {bounds['le']:g}"] if "le" in bounds else []
    high += [f"less than {bounds['lt']:g}"] if "lt" in bounds else []
    if "ge" in bounds and "le" in bounds:
        return f"between {bounds['ge']:g} and {bounds['le']:g}"
    return " and ".join(low + high)


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else value_text(value)
