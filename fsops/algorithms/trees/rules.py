"""Rules for classes: conditions joined by "and", tried one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from fsops.algorithms.base.types import Bools, Floats, Ints

Criterion = Literal["information_gain", "accuracy"]
Relation = Literal["<=", ">", "="]


class Condition(NamedTuple):
    """A question about one feature: numbers come first, then nominal features."""

    feature: int
    relation: Relation
    value: float

    def holds(self, X: Floats, nominal: Ints) -> Bools:
        """Return for which rows it is true; not for missing values."""
        if self.relation == "=":
            is_code: Bools = nominal[:, self.feature - X.shape[1]] == int(self.value)
            return is_code
        column = X[:, self.feature]
        with np.errstate(invalid="ignore"):
            found: Bools = column <= self.value if self.relation == "<=" else column > self.value
        return found


@dataclass(frozen=True, eq=False)
class ClassRule:
    """Conditions, and the classes of the training rows that they cover."""

    conditions: tuple[Condition, ...]
    counts: Floats

    def covers(self, X: Floats, nominal: Ints) -> Bools:
        """Return which rows fulfil all conditions."""
        rows = np.ones(len(X), dtype=bool)
        for condition in self.conditions:
            rows &= condition.holds(X, nominal)
        return rows


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows to learn rules from."""

    X: Floats
    nominal: Ints
    codes: Ints
    classes: int

    def take(self, rows: Ints | Bools) -> LabelledRows:
        """Return some of the rows."""
        return replace(self, X=self.X[rows], nominal=self.nominal[rows], codes=self.codes[rows])

    def counts(self) -> Floats:
        """Return the number of rows of each class."""
        return np.bincount(self.codes, minlength=self.classes).astype(np.float64)

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class RuleGrowth:
    """Settings of the search; the names are those of RapidMiner."""

    criterion: Criterion = "information_gain"
    sample_fraction: float = 0.9
    pureness: float = 0.9
    min_prune_benefit: float = 0.25


def learn_rules(
    rows: LabelledRows, growth: RuleGrowth, rng: np.random.Generator
) -> list[ClassRule]:
    """Return rules in their order; the last has no conditions and covers every row.

    Rules are found for the most frequent class of the rows that no rule covers yet. Conditions are
    added on a random part of these rows while they raise the criterion, until the part is pure;
    a condition that is much worse on the other part ends the rule.

    References
    ----------
    Cohen (1995): Fast effective rule induction. ICML, 115–123.
    """
    rules: list[ClassRule] = []
    left = rows
    while len(left):
        target = int(left.counts().argmax())
        conditions = _grown(left, target, growth, rng)
        if not conditions:
            break
        rule = ClassRule(conditions, left.counts())
        covered = rule.covers(left.X, left.nominal)
        rules.append(replace(rule, counts=left.take(covered).counts()))
        left = left.take(~covered)
    rest = left if len(left) else rows
    return [*rules, ClassRule((), rest.counts())]


def _grown(
    rows: LabelledRows, target: int, growth: RuleGrowth, rng: np.random.Generator
) -> tuple[Condition, ...]:
    """Return the conditions of one rule."""
    inside = _stratified(rows.codes, growth.sample_fraction, rng)
    growing, pruning = rows.take(inside), rows.take(~inside)
    conditions: tuple[Condition, ...] = ()
    before = -1
    while len(growing) and len(growing) != before:
        if (growing.codes == target).mean() >= growth.pureness:
            break
        best = best_condition(growing, growing.codes == target, growth.criterion)
        if best is None:
            break
        if len(pruning):
            without = _benefit(conditions, pruning, target)
            if _benefit((*conditions, best), pruning, target) < without - growth.min_prune_benefit:
                break
        conditions, before = (*conditions, best), len(growing)
        growing = growing.take(best.holds(growing.X, growing.nominal))
    return conditions


def _stratified(codes: Ints, ratio: float, rng: np.random.Generator) -> Bools:
    """Return which rows belong to a random part with about equal class shares."""
    inside = np.zeros(len(codes), dtype=bool)
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        inside[members[: max(1, round(ratio * len(members)))]] = True
    return inside


def _benefit(conditions: tuple[Condition, ...], rows: LabelledRows, target: int) -> float:
    """Return the fraction of rows that are right: covered of the class, or not covered."""
    covered = ClassRule(conditions, np.zeros(0)).covers(rows.X, rows.nominal)
    return float((covered == (rows.codes == target)).mean())


def best_condition(rows: LabelledRows, hit: Bools, criterion: Criterion) -> Condition | None:
    """Return the condition with the largest benefit above 0; None if there is none.

    If benefits are equal, the one that covers more rows, then the first feature.
    """
    found = [*_numerical(rows, hit, criterion), *_nominal(rows, hit, criterion)]
    found = [item for item in found if item[0] > 0]
    if not found:
        return None
    return max(found, key=lambda item: (item[0], item[1], -item[2].feature))[2]


def _scores(right: Floats, covered: Floats, share: float, criterion: Criterion) -> Floats:
    """Return the benefit of conditions that cover rows, some of them of the class."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if criterion == "accuracy":
            scores = right / covered
        else:
            scores = right * (np.log2((right + 1) / (covered + 1)) - np.log2(share))
    return np.where(covered > 0, scores, -np.inf)


def _numerical(
    rows: LabelledRows, hit: Bools, criterion: Criterion
) -> list[tuple[float, float, Condition]]:
    """Return the best cut of each side, over all midpoints between values of a feature."""
    n, p = rows.X.shape
    if n < 2 or not p:
        return []
    order = np.argsort(rows.X, axis=0, kind="stable")
    values = np.take_along_axis(rows.X, order, axis=0)
    hits = np.cumsum(hit[order], axis=0, dtype=np.float64)
    known = np.isfinite(values)
    total = known.sum(axis=0).astype(np.float64)
    all_hits = np.where(known, hit[order], False).sum(axis=0).astype(np.float64)
    below = np.arange(1.0, n)[:, None]
    allowed = (values[:-1] < values[1:]) & known[1:] & known[:-1]
    share = float(hit.mean())
    found = []
    for relation, right, covered in (
        ("<=", hits[:-1], np.broadcast_to(below, (n - 1, p))),
        (">", all_hits - hits[:-1], total - below),
    ):
        scores = np.where(allowed, _scores(right, covered, share, criterion), -np.inf)
        place = np.unravel_index(int(scores.argmax()), scores.shape)
        cut = float(values[place] + (values[place[0] + 1, place[1]] - values[place]) / 2)
        condition = Condition(int(place[1]), relation, cut)  # type: ignore[arg-type]
        found.append((float(scores[place]), float(covered[place]), condition))
    return found


def _nominal(
    rows: LabelledRows, hit: Bools, criterion: Criterion
) -> list[tuple[float, float, Condition]]:
    """Return the best category of each nominal feature."""
    share = float(hit.mean())
    found = []
    for place, column in enumerate(rows.nominal.T):
        known = column >= 0
        covered = np.bincount(column[known]).astype(np.float64)
        right = np.bincount(column[known & hit], minlength=len(covered)).astype(np.float64)
        if (covered > 0).sum() > 1:
            scores = _scores(right, covered, share, criterion)
            best = int(scores.argmax())
            condition = Condition(rows.X.shape[1] + place, "=", float(best))
            found.append((float(scores[best]), float(covered[best]), condition))
    return found
