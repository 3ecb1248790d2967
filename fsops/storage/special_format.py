"""Tables as text in a format of the user: one line per row, made from a template."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fsops.data import Attribute, ExampleSet
from fsops.data.columns import is_missing
from fsops.data.model import confidence_role
from fsops.data.schema import LABEL, PREDICTION
from fsops.errors import DataError, ParameterError, did_you_mean
from fsops.storage.cells import whole_text
from fsops.storage.files import write_bytes

MISSING = "?"
LONGEST = 10_000
ROLES = {"l": LABEL, "p": PREDICTION, "i": "id", "w": "weight", "b": "batch"}
SIGNS = {"n": "\n", "t": "\t", "$": "$", "[": "[", "]": "]"}
_COMMAND = re.compile(r"\$(.)((?:\[[^\]]*\])*)|\$$", re.DOTALL)
Column = Sequence[str]


@dataclass(frozen=True)
class SpecialStyle:
    """How values are written."""

    fraction_digits: int = -1
    quote: bool = True

    def texts(self, examples: ExampleSet, attribute: Attribute) -> list[str]:
        """Return the values of an attribute as texts."""
        values = examples.column(attribute.name)
        if attribute.value_type.is_nominal:
            return [self._nominal(value) for value in examples.nominal_values(attribute.name)]
        if attribute.value_type.is_numerical:
            return [self.number(value) for value in values.tolist()]
        missing = is_missing(values)
        return [
            MISSING if m else self._nominal(str(v)) for v, m in zip(values, missing, strict=True)
        ]

    def number(self, value: float) -> str:
        """Return a number, with at most so many decimals; -1 for all."""
        if np.isnan(value):
            return MISSING
        if self.fraction_digits < 0:
            return whole_text(value)
        return whole_text(round(value, self.fraction_digits))

    def _nominal(self, value: str | None) -> str:
        if value is None:
            return MISSING
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"' if self.quote else value


class _Template:
    """The parts of a line, each with a text per row."""

    def __init__(self, examples: ExampleSet, style: SpecialStyle) -> None:
        self.examples = examples
        self.style = style

    def parts(self, template: str) -> list[Column]:
        """Return the texts of all parts of the template."""
        found: list[Column] = []
        end = 0
        for match in _COMMAND.finditer(template):
            found.append(self._constant(template[end : match.start()]))
            command, given = match.group(1), match.group(2) or ""
            if command is None:
                raise ParameterError("special_format ends with a single $.", hint="Write $$ for $.")
            if command in SIGNS:
                found.append(self._constant(SIGNS[command] + given))
            else:
                found.append(self._values(command, re.findall(r"\[([^\]]*)\]", given)))
            end = match.end()
        found.append(self._constant(template[end:]))
        return found

    def _constant(self, text: str) -> Column:
        return [text] * len(self.examples)

    def _values(self, command: str, given: list[str]) -> Column:
        if command in ROLES:
            return self._role(ROLES[command], command)
        commands: dict[str, Callable[[list[str]], Column]] = {
            "a": self._all,
            "s": self._sparse,
            "v": self._named,
            "k": self._numbered,
            "d": self._confidences,
        }
        if command not in commands:
            raise ParameterError(
                f'special_format contains "${command}", which is not a command.',
                hint="The help of Write Special Format lists the commands. Write $$ for $.",
            )
        return commands[command](given)

    def _role(self, role: str, command: str) -> Column:
        attribute = self.examples.schema.special(role)
        if attribute is None:
            raise DataError(
                f'special_format contains "${command}", but the data has no {role}.',
                hint=f"Leave ${command} out, or give an attribute the role {role} (Set Role).",
            )
        return self.style.texts(self.examples, attribute)

    def _regular(self) -> list[Column]:
        schema = self.examples.schema
        named = schema.regular_names
        return [self.style.texts(self.examples, schema.attribute(name)) for name in named]

    def _all(self, given: list[str]) -> Column:
        between = given[0] if given else " "
        columns = self._regular()
        return [between.join(row) for row in zip(*columns, strict=True)] or self._constant("")

    def _sparse(self, given: list[str]) -> Column:
        between, colon = [*given, *[" ", ":"][len(given) :]][:2]
        rows: list[list[str]] = [[] for _ in range(len(self.examples))]
        for number, column in enumerate(self._regular(), start=1):
            for row, text in zip(rows, column, strict=True):
                if text != "0":
                    row.append(f"{number}{colon}{text}")
        return [between.join(row) for row in rows]

    def _named(self, given: list[str]) -> Column:
        name, schema = "".join(given[:1]), self.examples.schema
        if name not in schema:
            hint = did_you_mean(name, schema.names) or "Write the name in brackets: $v[name]."
            raise ParameterError(f'special_format names the attribute "{name}".', hint=hint)
        return self.style.texts(self.examples, schema.attribute(name))

    def _numbered(self, given: list[str]) -> Column:
        names = self.examples.schema.regular_names
        text = "".join(given[:1])
        if not text.isdecimal() or not 1 <= int(text[:9]) <= len(names):
            raise ParameterError(
                f'special_format contains "$k[{text}]".',
                hint=f"Write the number of a regular attribute, from 1 to {len(names)}.",
            )
        return self._named([names[int(text) - 1]])

    def _confidences(self, given: list[str]) -> Column:
        schema = self.examples.schema
        if given:
            attribute = schema.special(confidence_role(given[0]))
            if attribute is None:
                raise DataError(f'There is no confidence for the class "{given[0]}".')
            return self.style.texts(self.examples, attribute)
        predicted = schema.special(PREDICTION)
        classes = () if predicted is None else predicted.categories
        known = [(c, schema.special(confidence_role(c))) for c in classes]
        columns = [
            [f"conf({c})={text}" for text in self.style.texts(self.examples, a)]
            for c, a in known
            if a is not None
        ]
        return [" ".join(row) for row in zip(*columns, strict=True)] or self._constant("")


def special_lines(examples: ExampleSet, template: str, style: SpecialStyle) -> list[str]:
    """Return the text of each row."""
    if len(template) > LONGEST:
        raise ParameterError(f"special_format has more than {LONGEST:,} characters.")
    parts = _Template(examples, style).parts(template)
    return ["".join(row) for row in zip(*parts, strict=True)]


def write_special_table(
    examples: ExampleSet, file: str, template: str, style: SpecialStyle, end: str
) -> None:
    """Write the text of each row, followed by ``end``."""
    text = "".join(f"{line}{end}" for line in special_lines(examples, template, style))
    write_bytes(file, text.encode("utf-8", "backslashreplace"))
