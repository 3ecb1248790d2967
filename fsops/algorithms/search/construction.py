"""Evolution of sets of columns that grow by arithmetic (YAGGA).

References
----------
Mierswa (2007): RobustGP: intron-free multi-objective feature construction.
Ritthoff, Klinkenberg, Fischer, Mierswa (2002): A hybrid approach to feature selection and
generation using an evolutionary algorithm. UKCI, 147–154.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fsops.algorithms.base.types import Floats

DEEPEST = 20
"""Most nested operations in a construction."""
_PLAIN = re.compile(r"[^\W\d]\w*")
_WORDS = frozenset({"and", "or", "not", "true", "false", "missing_numeric", "missing_nominal"})


def as_operand(name: str) -> str:
    """Return the name of an attribute as it is written in an expression."""
    if _PLAIN.fullmatch(name) and name.lower() not in _WORDS:
        return name
    escaped = name.replace("\\", "\\\\").replace("]", "\\]")
    return f"[{escaped}]"


@dataclass
class ConstructedColumns:
    """Original columns and those made of them, with the expression of each.

    There is room for ``width`` of them; repeated ones are reused.
    """

    values: list[Floats]
    texts: list[str]
    width: int
    originals: int = 0
    depth: list[int] = field(default_factory=list)
    _place: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, X: Floats, names: Sequence[str], new: int) -> ConstructedColumns:
        """Return the columns of a matrix, with room for new ones."""
        texts = [as_operand(name) for name in names]
        place = {text: i for i, text in enumerate(texts)}
        count = len(texts)
        return cls(list(X.T), texts, count + new, count, [0] * count, place)

    def __len__(self) -> int:
        return len(self.texts)

    def combined(self, sign: str, one: int, two: int) -> int | None:
        """Return the place of a combination; None if it cannot be had or is not finite.

        The sign "1/" divides 1 by the first column.
        """
        if sign in "+*" and self.texts[two] < self.texts[one]:
            one, two = two, one
        first, second = self.texts[one], self.texts[two]
        text = f"(1 / {first})" if sign == "1/" else f"({first} {sign} {second})"
        if text in self._place:
            return self._place[text]
        deep = 1 + max(self.depth[one], self.depth[two])
        values = _calculated(sign, self.values[one], self.values[two])
        if len(self) >= self.width or deep > DEEPEST or not np.isfinite(values).all():
            return None
        self._place[text] = len(self)
        self.values.append(values)
        self.texts.append(text)
        self.depth.append(deep)
        return len(self) - 1


def _calculated(sign: str, one: Floats, two: Floats) -> Floats:
    with np.errstate(all="ignore"):
        if sign == "1/":
            return 1.0 / one
        if sign == "+":
            return one + two
        if sign == "-":
            return one - two
        return one * two if sign == "*" else one / two


@dataclass(frozen=True)
class Generating:
    """Mutation that adds a column, makes a new one of two in use, or removes some.

    ``probability`` of a change; None for 1 / number of columns in use. A quarter of it is the
    chance of each kind of change, as in RapidMiner.
    """

    columns: ConstructedColumns
    signs: Sequence[str]
    probability: float | None = None
    most: int | None = None
    """Most columns in use at which one is added."""

    def __call__(self, population: Floats, rng: np.random.Generator) -> Floats:
        """Return a changed copy of every individual."""
        return self.repaired(np.array([self._changed(row, rng) for row in population]), rng)

    def repaired(self, population: Floats, rng: np.random.Generator) -> Floats:
        """Return the individuals; those without a column get an original one."""
        result = population.reshape(-1, self.columns.width).copy()
        for row in result:
            if not row.any():
                row[rng.integers(self.columns.originals)] = 1.0
        return result

    def adapt(self, success: float) -> None:
        """Stay as it is."""

    def _changed(self, row: Floats, rng: np.random.Generator) -> Floats:
        row = row.copy()
        used = np.flatnonzero(row)
        chance = (1 / len(used) if self.probability is None else self.probability) / 4
        if (self.most is None or len(used) < self.most) and rng.random() < chance:
            row[rng.integers(self.columns.originals)] = 1.0
        made = None
        if self.signs and (self.most is None or row.sum() <= self.most) and rng.random() < chance:
            one, two = rng.choice(used, 2)
            sign = self.signs[int(rng.integers(len(self.signs)))]
            made = self.columns.combined(sign, int(one), int(two))
            if made is not None:
                row[made] = 1.0
        used = np.flatnonzero(row)
        kinds = 1 if made is None else 2
        gone = rng.random(len(used)) < kinds * chance / self.columns.originals
        row[used[gone]] = 0.0
        return row
