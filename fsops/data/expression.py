"""A small safe language for conditions and new attributes, calculated over whole columns.

Names and signs are looked up in fixed tables: nothing of Python can be reached, and the work is
bounded by the length of the text and the size of the table.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from fsops.data.columns import STORAGE
from fsops.data.examples import ExampleSet
from fsops.data.expression_values import (
    FUNCTIONS,
    NUMERICAL,
    OPERATORS,
    PHRASES,
    TRUTH,
    Function,
    Kind,
    Misfit,
    Value,
    number,
    text,
    truth,
    value_of,
)
from fsops.data.schema import Attribute, Schema
from fsops.errors import (
    DataError,
    FsopsError,
    ParameterError,
    did_you_mean,
    enumerate_names,
    quoted,
)

LONGEST = 10_000
MOST_TOKENS = 2_000
DEEPEST = 80
SHOWN = 60
EXACT = 2**53  # from here on a double skips whole numbers

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<bracket>\[(?:[^\]\\]|\\.)*\])
    | (?P<name>[^\W\d]\w*)
    | (?P<sign>\*\*|&&|\|\||==|!=|<>|<=|>=|[-+*/%^<>=!(),])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_WORDS = ("and", "or", "not")
_CONSTANTS = {
    "true": truth(True),
    "false": truth(False),
    "TRUE": truth(True),
    "FALSE": truth(False),
    "MISSING_NUMERIC": number(np.nan),
    "MISSING_NOMINAL": text(None),
}
# How other spellings are meant, and how Python writes what we mean.
_MEANT = {"&&": "and", "||": "or", "!": "not", "**": "^", "=": "==", "<>": "!="}
_PYTHON = {"^": "**", "**": "**", "!": "~"}  # as in Java, ! binds more strongly than ==
_PREFIXES = ("+", "-", "!", "not")
_HINTS = {
    "|": 'Write || or the word "or".',
    "&": 'Write && or the word "and".',
    ".": "Write names with dots or spaces in square brackets: [petal.length].",
    "]": "Write an attribute between [ and ].",
    '"': "The quotation mark is not closed.",
    "'": "The quotation mark is not closed.",
    "[": "The square bracket is not closed.",
}


@dataclass(frozen=True)
class _Token:
    """A piece of the text."""

    kind: Literal["number", "text", "attribute", "function", "constant", "sign"]
    word: str
    start: int

    @property
    def is_operand(self) -> bool:
        return self.kind not in ("sign", "function")

    @property
    def python(self) -> str:
        """How it is written for Python's parser, which gets to see no name of anybody's."""
        return _PYTHON.get(self.word, _meaning(self.word)) if self.kind == "sign" else "x"


@dataclass(frozen=True)
class Column:
    """Puts the values of an attribute on the pile."""

    name: str
    start: int


@dataclass(frozen=True)
class Constant:
    """Puts a value on the pile."""

    value: Value
    start: int


@dataclass(frozen=True)
class Apply:
    """Takes values from the pile and puts the result of a function or sign there."""

    symbol: str
    count: int
    start: int
    named: bool
    """Whether it is a function, not a sign."""

    @property
    def function(self) -> Function:
        """The applied function."""
        return (FUNCTIONS if self.named else OPERATORS)[self.symbol]


Step = Column | Constant | Apply


@dataclass(frozen=True)
class Expression:
    """A formula over the attributes of a table, such as ``if(Age > 60, "old", "young")``.

    Make one with `parse`. Attributes are plain words, or anything in square brackets; texts are
    in quotes. There are ``+ - * / % ^``, comparisons, ``and or not`` (also ``&& || !``), ``if``,
    ``missing``, and the functions of `FUNCTIONS`.

    A missing value makes the result of a calculation missing. Every comparison with a missing
    value is false, ``!=`` too; ``missing(x)`` finds them.
    """

    text: str
    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, words: str) -> Expression:
        """Return the expression a text stands for, or say where it cannot be understood."""
        tokens = _tokens(words)
        _check_grammar(words, tokens)
        return cls(words, tuple(_folded(words, _steps(words, tokens))))

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that are used, each once."""
        return tuple(dict.fromkeys(s.name for s in self.steps if isinstance(s, Column)))

    def evaluate(self, examples: ExampleSet) -> Value:
        """Return the values for the rows of a table; `Value.is_constant` if they are all alike."""
        return self._calculated(examples.schema, examples.column)

    def mask(self, examples: ExampleSet) -> npt.NDArray[np.bool_]:
        """Return the rows for which a condition holds; raise an error for other expressions."""
        value = self.evaluate(examples)
        self._require_condition(value)
        return np.broadcast_to(value.data, (len(examples),))

    def column(self, name: str, examples: ExampleSet) -> tuple[Attribute, npt.NDArray[np.generic]]:
        """Return the values as a new column of a table."""
        value = self.evaluate(examples)
        return value.attribute(name), value.stored(len(examples))

    def type_for(self, schema: Schema) -> Kind:
        """Return the kind of the values, known without rows; what does not fit is an error."""
        return self._without_rows(schema).kind

    def check_condition(self, schema: Schema) -> None:
        """Raise an error unless the expression is a condition for tables of this schema."""
        self._require_condition(self._without_rows(schema))

    def attribute_for(self, name: str, schema: Schema) -> Attribute | None:
        """Return the attribute `column` will give; None if only the rows show its categories."""
        value = self._without_rows(schema)
        return value.attribute(name) if value.closed else None

    def _without_rows(self, schema: Schema) -> Value:
        def nothing(name: str) -> npt.NDArray[np.generic]:
            return np.empty(0, dtype=STORAGE[schema.attribute(name).value_type])

        return self._calculated(schema, nothing)

    def _calculated(self, schema: Schema, fetch: Callable[[str], npt.NDArray[np.generic]]) -> Value:
        # A pile instead of recursion: however deep the formula, Python's own stack stays flat.
        pile: list[Value] = []
        for step in self.steps:
            if isinstance(step, Column):
                self._check_known(step, schema)
                pile.append(value_of(schema.attribute(step.name), fetch(step.name)))
            elif isinstance(step, Constant):
                pile.append(step.value)
            else:
                operands = pile[-step.count :]
                del pile[-step.count :]
                pile.append(_applied(self.text, step, operands))
        return pile[0]

    def _check_known(self, step: Column, schema: Schema) -> None:
        if step.name in schema:
            return
        hint = did_you_mean(step.name, schema.names) or (
            f'There are {enumerate_names(schema.names)}. Write text in quotes, as in "yes".'
        )
        message = f"there is no attribute {quoted(step.name)}"
        raise _at(self.text, step.start, message, hint, error=DataError)

    def _require_condition(self, value: Value) -> None:
        if value.kind != TRUTH:
            raise ParameterError(
                f"The condition {_shown(self.text)} gives {PHRASES[value.kind]}, "
                "but must be true or false.",
                hint="Compare it with something, as in x > 0.",
            )


def _applied(words: str, step: Apply, operands: Sequence[Value]) -> Value:
    with np.errstate(all="ignore"):
        try:
            return step.function.apply(*operands)
        except Misfit as misfit:
            message = f"{quoted(step.symbol)} {misfit.message}"
            raise _at(words, step.start, message, misfit.hint) from None


# --- from text to steps -----------------------------------------------------------------------


def _at(
    words: str,
    start: int,
    message: str,
    hint: str = "",
    error: type[FsopsError] = ParameterError,
) -> FsopsError:
    """Return an error that says where in the expression something is wrong."""
    if start >= len(words.rstrip()):
        return error(f"At the end of {_shown(words, start)}: {message}.", hint=hint)
    return error(f"At character {start + 1} of {_shown(words, start)}: {message}.", hint=hint)


def _shown(words: str, start: int = 0) -> str:
    """Return the expression for a message; of a long one the part around the place."""
    if len(words) <= SHOWN:
        return quoted(" ".join(words.split()))
    first = max(0, min(start - SHOWN // 2, len(words) - SHOWN))
    part = " ".join(words[first : first + SHOWN].split())
    return quoted("…" * (first > 0) + part + "…" * (first + SHOWN < len(words)))


def _meaning(sign: str) -> str:
    return _MEANT.get(sign, sign)


def _tokens(words: str) -> list[_Token]:
    if len(words) > LONGEST:
        raise ParameterError(
            f"The expression has {len(words)} characters, but at most {LONGEST} are allowed.",
            hint="Make several attributes of it.",
        )
    tokens: list[_Token] = []
    place = 0
    while place < len(words):
        found = _TOKEN.match(words, place)
        if found is None:
            sign = words[place]
            shown = quoted(sign) if sign != '"' else "'\"'"
            raise _at(words, place, f"{shown} is not allowed here", _HINTS.get(sign, ""))
        if found.lastgroup != "space":
            called = (
                words[found.end() :].lstrip()[:1] == "(" if found.lastgroup == "name" else False
            )
            tokens.append(_token(str(found.lastgroup), found[0], place, called))
        place = found.end()
        if len(tokens) > MOST_TOKENS:
            raise ParameterError(
                f"The expression has more than {MOST_TOKENS} names, numbers and signs.",
                hint="Make several attributes of it.",
            )
    return tokens


def _token(group: str, word: str, start: int, called: bool) -> _Token:
    if group == "number":
        return _Token("number", word, start)
    if group == "text":
        return _Token("text", _ESCAPE.sub(r"\1", word[1:-1]), start)
    if group == "bracket":
        return _Token("attribute", _ESCAPE.sub(r"\1", word[1:-1]), start)
    if group == "sign" or word in _WORDS:
        return _Token("sign", word, start)
    if called:
        return _Token("function", word, start)
    return _Token("constant" if word in _CONSTANTS else "attribute", word, start)


def _check_grammar(words: str, tokens: Sequence[_Token]) -> None:
    """Check that values and signs alternate and parentheses match, so that places are exact."""
    if not tokens:
        raise ParameterError("The expression is empty.", hint="Write something such as x > 5.")
    around: list[_Token] = []  # what stands before each open parenthesis
    value_next = True
    before = _Token("sign", "", 0)
    for token in tokens:
        if value_next:
            value_next = _value_next(words, token, before, around)
        else:
            value_next = _sign_next(words, token, around)
        if len(around) > DEEPEST:
            message = f"more than {DEEPEST} parentheses are open"
            raise _at(words, token.start, message, "Make several attributes of it.")
        before = token
    if value_next:
        raise _at(words, len(words), "something is missing")
    if around:
        raise _at(words, len(words), "a closing parenthesis is missing")


def _value_next(words: str, token: _Token, before: _Token, around: list[_Token]) -> bool:
    """Check the token where a value must begin; return whether a value must still follow."""
    if token.word == "(" and token.kind == "sign":
        around.append(before)
        return True
    if token.kind == "function":
        _check_function(words, token)
        return True
    if token.is_operand:
        return False
    if token.word == ")" and before.word == "(" and around and around[-1].kind == "function":
        around.pop()
        return False
    after_sign = before.word not in ("", "(", ",", "and", "or", "not", "&&", "||", "!")
    if token.word in _PREFIXES and not (token.word == "not" and after_sign):
        return True
    hint = "Put it into parentheses." if token.word == "not" else ""
    raise _at(words, token.start, f"{quoted(token.word)} is not allowed here", hint)


def _sign_next(words: str, token: _Token, around: list[_Token]) -> bool:
    """Check the token after a value; return whether another value must follow."""
    if token.kind == "sign" and token.word == ")" and around:
        around.pop()
        return False
    if token.kind == "sign" and token.word == "," and around and around[-1].kind == "function":
        return True
    if (
        token.kind == "sign"
        and _meaning(token.word) in OPERATORS
        and token.word not in ("!", "not")
    ):
        return True
    shown = quoted(token.word) if token.word else "this"
    raise _at(words, token.start, f"{shown} is not allowed here", _after_value(token))


def _after_value(token: _Token) -> str:
    if token.kind == "sign":
        return ""
    return "Write a sign between two values, and names with spaces in square brackets."


def _check_function(words: str, token: _Token) -> None:
    if token.word not in FUNCTIONS:
        hint = did_you_mean(token.word, FUNCTIONS) or f"There are {', '.join(FUNCTIONS)}."
        raise _at(words, token.start, f"there is no function {quoted(token.word)}", hint)


def _steps(words: str, tokens: Sequence[_Token]) -> Iterator[Step]:
    """Return what to do one after the other; Python's parser sorts out what binds how strongly."""
    starts: dict[int, int] = {}
    source = ""
    for index, token in enumerate(tokens):
        starts[len(source)] = index
        source += token.python + " "
    try:
        tree = ast.parse(source.rstrip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        raise ParameterError(
            f"The expression {_shown(words)} is too complicated.",
            hint="Make several attributes of it.",
        ) from None
    order, open_nodes = [], [tree]
    while open_nodes:
        node = open_nodes.pop()
        order.append(node)
        open_nodes += _operands(words, node, tokens, starts)
    for node in reversed(order):
        yield _step(words, node, tokens, starts)


def _operands(
    words: str, node: ast.expr, tokens: Sequence[_Token], starts: dict[int, int]
) -> list[ast.expr]:
    """Return the parts of a piece of the formula; what we do not know is refused."""
    match node:
        case ast.Name():
            return []
        case ast.UnaryOp():
            return [node.operand]
        case ast.BinOp():
            return [node.left, node.right]
        case ast.BoolOp():
            return node.values
        case ast.Compare(comparators=[only]):
            return [node.left, only]
        case ast.Compare():
            place = tokens[_sign_before(node.comparators[1], tokens, starts)].start
            hint = "Write a < b and b < c."
            raise _at(words, place, "a comparison cannot go on", hint)
        case ast.Call(func=ast.Name(), keywords=[]):
            return node.args
    place = tokens[starts.get(node.col_offset, 0)].start
    raise _at(words, place, "this cannot be understood")


def _sign_before(node: ast.expr, tokens: Sequence[_Token], starts: dict[int, int]) -> int:
    """Return the sign before an operand, outside of its parentheses."""
    index = starts[node.col_offset] - 1
    while tokens[index].word == "(":
        index -= 1
    return index


def _step(words: str, node: ast.expr, tokens: Sequence[_Token], starts: dict[int, int]) -> Step:
    if isinstance(node, ast.Name):
        return _leaf(words, tokens[starts[node.col_offset]])
    parts = _operands(words, node, tokens, starts)
    if isinstance(node, ast.Call):
        token = tokens[starts[node.col_offset]]
        function = FUNCTIONS[token.word]
        most = len(parts) if function.most is None else function.most
        if not function.least <= len(parts) <= most:
            message = f"{quoted(token.word)} takes {function.takes()}, not {len(parts)}"
            raise _at(words, token.start, message)
        return Apply(token.word, len(parts), token.start, named=True)
    unary = isinstance(node, ast.UnaryOp)
    token = tokens[starts[node.col_offset] if unary else _sign_before(parts[1], tokens, starts)]
    return Apply(_meaning(token.word), len(parts), token.start, named=False)


def _leaf(words: str, token: _Token) -> Step:
    if token.kind == "attribute":
        return Column(token.word, token.start)
    if token.kind == "constant":
        return Constant(_CONSTANTS[token.word], token.start)
    if token.kind == "text":
        return Constant(text(token.word), token.start)
    value = float(token.word)
    if not np.isfinite(value):
        raise _at(words, token.start, "the number is too large")
    whole = token.word.isdigit() and value <= EXACT
    return Constant(number(value, whole=whole), token.start)


def _folded(words: str, steps: Iterator[Step]) -> list[Step]:
    """Return the steps with constants computed, such as 2 * 3 but not 10 ^ 10 ^ 10."""
    found: list[Step] = []
    for step in steps:
        given = found[-step.count :] if isinstance(step, Apply) else []
        values = [part.value for part in given if isinstance(part, Constant)]
        if not isinstance(step, Apply) or len(values) < step.count:
            found.append(step)
            continue
        value = _applied(words, step, values)
        infinite = value.kind == NUMERICAL and np.isinf(value.data)
        if infinite or (value.missing and not any(v.missing for v in values)):
            message = f"the result of {quoted(step.symbol)} is not a finite number"
            raise _at(words, step.start, message)
        del found[-step.count :]
        found.append(Constant(value, step.start))
    return found
