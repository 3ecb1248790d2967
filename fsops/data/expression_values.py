"""Values of expressions: numbers, texts, dates, and true or false, one for each row."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fsops.data.columns import MISSING_CODE, is_missing, nominal_column
from fsops.data.schema import Attribute, ValueType
from fsops.errors import quoted

Kind = Literal["numerical", "nominal", "true or false", "date"]
Array = npt.NDArray[Any]

NUMERICAL: Kind = "numerical"
NOMINAL: Kind = "nominal"
TRUTH: Kind = "true or false"
DATE: Kind = "date"
PHRASES: Mapping[Kind, str] = {
    NUMERICAL: "a number",
    NOMINAL: "text",
    TRUTH: "true or false",
    DATE: "a date",
}
TRUTHS = ("false", "true")
LONGEST_TEXT = 10_000
_ORDINALS = ("first", "second", "third")


class Misfit(Exception):
    """Values that an operation cannot take; the caller knows the place and writes the message."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Value:
    """Values of one kind: one for each row, or a single one that stands for all rows.

    ``data`` holds doubles, codes of the categories, booleans or dates.
    """

    kind: Kind
    data: Array
    categories: tuple[str, ...] = ()
    whole: bool = False
    """Whether the numbers are whole numbers by the way they were made."""
    closed: bool = True
    """Whether the categories are known without the rows."""

    @property
    def is_constant(self) -> bool:
        """Whether there is a single value for all rows."""
        return self.data.ndim == 0

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Where the value is missing; true or false never is."""
        if self.kind == TRUTH:
            return np.zeros(self.data.shape, dtype=np.bool_)
        return is_missing(self.data)

    def attribute(self, name: str) -> Attribute:
        """Return the attribute that can hold the values."""
        if self.kind == NUMERICAL:
            return Attribute(name, ValueType.INTEGER if self.whole else ValueType.REAL)
        if self.kind == DATE:
            return Attribute(name, ValueType.DATE)
        return Attribute.nominal(name, TRUTHS if self.kind == TRUTH else self.categories)

    def stored(self, n_rows: int) -> Array:
        """Return the values as a table keeps them, one for each row."""
        data = self.data.astype(np.int32) if self.kind == TRUTH else self.data
        return np.broadcast_to(data, (n_rows,))


def number(value: Array | float, *, whole: bool = False) -> Value:
    """Return numbers as a value; NaN is missing."""
    return Value(NUMERICAL, np.asarray(value, dtype=np.float64), whole=whole)


def truth(value: Array | bool) -> Value:
    """Return true or false as a value."""
    return Value(TRUTH, np.asarray(value, dtype=np.bool_))


def text(value: str | None) -> Value:
    """Return one text as a value; None is missing."""
    code = MISSING_CODE if value is None else 0
    return Value(NOMINAL, np.asarray(code, dtype=np.int32), () if value is None else (value,))


def value_of(attribute: Attribute, stored: Array) -> Value:
    """Return the stored values of an attribute as a value."""
    kind = attribute.value_type
    if kind.is_numerical:
        return number(stored, whole=kind is ValueType.INTEGER)
    if kind.is_nominal:
        return Value(NOMINAL, stored, attribute.categories)
    if kind is ValueType.DATE:
        return Value(DATE, stored)
    found, codes = nominal_column(attribute.name, stored.tolist())
    return Value(NOMINAL, codes, found.categories, closed=False)


def date(words: str) -> Value:
    """Return a date written as 2031-12-24, or with a time of day, as a value."""
    try:
        return Value(DATE, np.asarray(np.datetime64(words, "us")))
    except ValueError:
        raise Misfit(
            f"compares with a date, but {quoted(words[:40])} is none",
            "Write dates such as 2031-12-24.",
        ) from None


# --- what operations need ---------------------------------------------------------------------


def _need(kind: Kind, *values: Value) -> None:
    for place, value in enumerate(values):
        if value.kind != kind:
            which = f"the {_ORDINALS[place]} value" if place < 3 else f"value {place + 1}"
            it = which if len(values) > 1 else "the value"
            raise Misfit(f"needs {_PLURALS[kind]}, but {it} is {PHRASES[value.kind]}", _hint(kind))


_PLURALS: Mapping[Kind, str] = {
    NUMERICAL: "numbers",
    NOMINAL: "text",
    TRUTH: "true or false",
    DATE: "dates",
}


def _hint(kind: Kind) -> str:
    if kind == TRUTH:
        return "Compare the value with something, as in x > 0."
    return 'Write text in quotes, as in "yes".' if kind == NOMINAL else ""


# --- numbers ----------------------------------------------------------------------------------


def _calculated(compute: Callable[..., Any], keeps_whole: bool, *values: Value) -> Value:
    """Return a numpy function of numbers; missing stays missing."""
    _need(NUMERICAL, *values)
    result = (
        reduce(compute, (v.data for v in values)) if len(values) > 1 else compute(values[0].data)
    )
    return number(result, whole=keeps_whole and all(v.whole for v in values))


def _whole(compute: Callable[[Array], Any], value: Value) -> Value:
    _need(NUMERICAL, value)
    return number(compute(value.data), whole=True)


def _half_up(numbers: Array) -> Any:
    below = np.floor(numbers)
    return below + (numbers - below >= 0.5)  # adding 0.5 first would round 0.49999999999999994 up


def _itself(compute: Callable[..., Any], *values: Value) -> Value:
    """Return the smallest, largest or sum of any number of values, also of one."""
    _need(NUMERICAL, *values)
    found = reduce(compute, (v.data for v in values))
    return number(found, whole=all(v.whole for v in values))


def _average(*values: Value) -> Value:
    return number(_itself(np.add, *values).data / len(values))


def _plus(*values: Value) -> Value:
    if all(value.kind == NOMINAL for value in values) and len(values) > 1:
        return _concat(*values)
    if {value.kind for value in values} == {NUMERICAL, NOMINAL}:
        raise Misfit("adds two numbers or joins two texts, but not a number and a text")
    return _calculated(np.add if len(values) > 1 else np.positive, True, *values)


def _minus(*values: Value) -> Value:
    return _calculated(np.subtract if len(values) > 1 else np.negative, True, *values)


# --- comparisons and logic --------------------------------------------------------------------


def recoded(value: Value, places: Mapping[str, int]) -> Array:
    """Return the codes of a nominal value in another list of categories; unknown ones go."""
    # The last place is where code -1 points to.
    lookup = [*(places.get(c, MISSING_CODE) for c in value.categories), MISSING_CODE]
    return np.asarray(np.array(lookup, dtype=np.int32)[value.data])


def _places(*values: Value) -> dict[str, int]:
    found = sorted({category for value in values for category in value.categories})
    return {category: place for place, category in enumerate(found)}


def _as_dates(one: Value, two: Value) -> tuple[Value, Value]:
    """Return both, a quoted text beside a date as a date."""
    if one.kind == DATE and two.kind == NOMINAL and two.is_constant and two.categories:
        return one, date(two.categories[int(two.data)])
    return one, two


def compare(symbol: str, one: Value, two: Value) -> Value:
    """Return where a comparison holds; with a missing value it does not."""
    one, two = _as_dates(one, two)
    two, one = _as_dates(two, one)
    if one.kind != two.kind:
        hint = 'Write numbers without quotes, texts in quotes: x > 5, y == "yes".'
        raise Misfit(f"compares {PHRASES[one.kind]} with {PHRASES[two.kind]}", hint)
    if symbol not in ("==", "!=") and one.kind in (NOMINAL, TRUTH):
        raise Misfit(f"cannot order {_PLURALS[one.kind]}", "Use == or !=.")
    left, right = one.data, two.data
    if one.kind == NOMINAL:
        places = _places(one, two)
        left, right = recoded(one, places), recoded(two, places)
    return truth(_COMPARISONS[symbol](left, right) & ~(one.missing | two.missing))


_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _logical(compute: Callable[[Any, Any], Any], *values: Value) -> Value:
    _need(TRUTH, *values)
    return truth(reduce(compute, (value.data for value in values)))


def _not(value: Value) -> Value:
    _need(TRUTH, value)
    return truth(~value.data)


def _choose(condition: Value, yes: Value, no: Value) -> Value:
    _need(TRUTH, condition)
    if yes.kind != no.kind:
        raise Misfit(
            f"gives {PHRASES[yes.kind]} or {PHRASES[no.kind]}, but both must be of one kind"
        )
    if yes.kind != NOMINAL:
        data = np.where(condition.data, yes.data, no.data)
        return Value(yes.kind, data, whole=yes.whole and no.whole)
    places = _places(yes, no)
    data = np.where(condition.data, recoded(yes, places), recoded(no, places))
    return Value(NOMINAL, data, tuple(places), closed=yes.closed and no.closed)


# --- text -------------------------------------------------------------------------------------


def _mapped(value: Value, change: Callable[[str], str]) -> Value:
    """Return each text changed, with as much work as there are categories."""
    changed = list(map(change, value.categories))
    _check_length(changed)
    found = sorted(set(changed))
    place = {category: code for code, category in enumerate(found)}
    lookup = np.array([*(place[c] for c in changed), MISSING_CODE], dtype=np.int32)
    data = np.asarray(lookup[value.data])
    return Value(NOMINAL, data, tuple(found), closed=value.closed)


def _check_length(texts: Sequence[str]) -> None:
    if max(map(len, texts), default=0) > LONGEST_TEXT:
        raise Misfit(f"makes a text of more than {LONGEST_TEXT} characters")


def _change(change: Callable[[str], str], value: Value) -> Value:
    _need(NOMINAL, value)
    return _mapped(value, change)


def _concat(*values: Value) -> Value:
    _need(NOMINAL, *values)
    return reduce(_joined, values)


def _joined(one: Value, two: Value) -> Value:
    if two.is_constant and not two.missing:
        end = two.categories[int(two.data)]
        return _mapped(one, lambda begin: begin + end)
    if one.is_constant and not one.missing:
        begin = one.categories[int(one.data)]
        return _mapped(two, lambda end: begin + end)
    # Only the pairs that occur become categories: all of them may be very many.
    width = max(1, len(two.categories))
    pairs = np.where(one.missing | two.missing, -1, one.data.astype(np.int64) * width + two.data)
    found, places = np.unique(pairs, return_inverse=True)
    texts = [
        None if pair < 0 else one.categories[pair // width] + two.categories[pair % width]
        for pair in found.tolist()
    ]
    _check_length([t for t in texts if t is not None])
    attribute, codes = nominal_column("", texts)
    data = codes[places].reshape(pairs.shape) if texts else pairs.astype(np.int32)
    return Value(NOMINAL, data, attribute.categories, closed=False)


def _asked(ask: Callable[[str, str], bool], value: Value, part: Value) -> Value:
    _need(NOMINAL, value, part)
    if not part.is_constant or part.missing:
        raise Misfit("needs a text in quotes as the second value")
    sought = part.categories[int(part.data)]
    answers = np.array([*(ask(c, sought) for c in value.categories), False], dtype=np.bool_)
    return truth(answers[value.data])


def _length(value: Value) -> Value:
    _need(NOMINAL, value)
    lengths = np.array([*map(len, value.categories), np.nan], dtype=np.float64)
    return number(lengths[value.data], whole=True)


# --- the names --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Function:
    """The function of a name or a sign, and its number of arguments."""

    apply: Callable[..., Value]
    least: int = 1
    most: int | None = 1

    def takes(self) -> str:
        """Return how many values it takes, for people."""
        if self.most is None:
            return f"{self.least} or more values"
        return f"{self.least} value{'s' * (self.least != 1)}"


def _numeric(compute: Callable[..., Any], count: int = 1, keeps_whole: bool = False) -> Function:
    return Function(partial(_calculated, compute, keeps_whole), count, count)


FUNCTIONS: Mapping[str, Function] = {
    "abs": _numeric(np.abs, keeps_whole=True),
    "acos": _numeric(np.arccos),
    "asin": _numeric(np.arcsin),
    "atan": _numeric(np.arctan),
    "atan2": _numeric(np.arctan2, 2),
    "avg": Function(_average, 1, None),
    "ceil": Function(partial(_whole, np.ceil)),
    "concat": Function(_concat, 1, None),
    "contains": Function(partial(_asked, operator.contains), 2, 2),
    "cos": _numeric(np.cos),
    "cosh": _numeric(np.cosh),
    "ends": Function(partial(_asked, str.endswith), 2, 2),
    "exp": _numeric(np.exp),
    "floor": Function(partial(_whole, np.floor)),
    "if": Function(_choose, 3, 3),
    "ld": _numeric(np.log2),
    "length": Function(_length),
    "ln": _numeric(np.log),
    "log": _numeric(np.log10),
    "log10": _numeric(np.log10),
    "log2": _numeric(np.log2),
    "lower": Function(partial(_change, str.lower)),
    "max": Function(partial(_itself, np.maximum), 1, None),
    "min": Function(partial(_itself, np.minimum), 1, None),
    "missing": Function(lambda value: truth(value.missing)),
    "mod": _numeric(np.fmod, 2, keeps_whole=True),
    "pow": _numeric(np.power, 2),
    "round": Function(partial(_whole, _half_up)),
    "sgn": Function(partial(_whole, np.sign)),
    "sin": _numeric(np.sin),
    "sinh": _numeric(np.sinh),
    "sqrt": _numeric(np.sqrt),
    "starts": Function(partial(_asked, str.startswith), 2, 2),
    "sum": Function(partial(_itself, np.add), 1, None),
    "tan": _numeric(np.tan),
    "tanh": _numeric(np.tanh),
    "trim": Function(partial(_change, str.strip)),
    "upper": Function(partial(_change, str.upper)),
}
"""Functions, by name. As in RapidMiner, log has the base 10 and ln the base e."""

OPERATORS: Mapping[str, Function] = {
    "+": Function(_plus, 1, 2),
    "-": Function(_minus, 1, 2),
    "*": _numeric(np.multiply, 2, keeps_whole=True),
    "/": _numeric(np.divide, 2),
    "%": _numeric(np.fmod, 2, keeps_whole=True),
    "^": _numeric(np.power, 2),
    **{symbol: Function(partial(compare, symbol), 2, 2) for symbol in _COMPARISONS},
    "and": Function(partial(_logical, operator.and_), 2, None),
    "or": Function(partial(_logical, operator.or_), 2, None),
    "not": Function(_not),
}
