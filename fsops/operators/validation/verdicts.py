"""The answer of a study in words: the first rule that fits decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsops.data import BeyondChance, ChanceBaseline, Estimate, MethodTest, Verdict
from fsops.data.answer import Case, Light
from fsops.errors import enumerate_names

LEVEL = 0.05
"""Level of the headline p-value if the filter that is permuted is the only method."""
SHARED_LEVEL, FURTHER_LEVEL = 0.04, 0.01
"""Levels of the headline and of all further methods together."""
CLEAR = 0.01
"""Up to this p-value a signal is clear."""
COARSE = 0.01
"""A smallest possible p-value above this means too few rows."""
FEW_IN_CLASS = 5
UNEQUAL = 0.2
"""Fraction of the rows below which a class is rare."""
NEARLY_PERFECT = 0.7
"""Fraction of the way from guessing to perfect that permuted labels may go."""
ALONE, LOST = 0.95, 0.1
"""An attribute gives the label away if it is this good alone and so much is lost without it."""
MANY_ALIKE, ALIKE = 5, 0.6
"""So many attributes with this mean correlation carry the same information."""
MOST_NAMED = 5


@dataclass(frozen=True)
class Leak:
    """An attribute that is first in all folds: score alone, and of all others without it."""

    name: str
    alone: float
    without: float


@dataclass(frozen=True)
class StudyFacts:
    """The facts behind the verdict."""

    chance: ChanceBaseline
    estimate: Estimate
    rows: int
    class_counts: tuple[int, ...]
    """Empty for a label with numbers."""
    size: int
    method: str
    best_score: float
    beyond: tuple[BeyondChance, ...]
    methods: tuple[MethodTest, ...]
    """The further methods."""
    leak: Leak | None
    correlation: float
    """Mean absolute correlation of the attributes beyond chance; 0 if there are few."""

    @property
    def alpha(self) -> float:
        """Level of the headline p-value."""
        return SHARED_LEVEL if self.methods else LEVEL

    @property
    def by_method(self) -> MethodTest | None:
        """The further method that is beyond chance by itself, if one is."""
        if not self.methods:
            return None
        best = min(self.methods, key=lambda method: method.p_value)
        return best if best.p_value <= FURTHER_LEVEL / len(self.methods) else None

    @property
    def classes(self) -> bool:
        """Whether the label has classes."""
        return bool(self.class_counts)


# --- numbers as text --------------------------------------------------------------------------


def p_text(p: float) -> str:
    """Return a p-value as text."""
    return f"p = {p:.3f}" if p >= 0.0095 else f"p = {p:.2g}"


def percent(value: float) -> str:
    """Return a fraction as whole percent."""
    return f"{100 * value:.0f} %"


def _right(facts: StudyFacts, value: float) -> str:
    """Return a score as part of a sentence."""
    if facts.classes:
        return f"{percent(value)} correct"
    return f"{percent(max(value, 0.0))} of the variance explained"


def _attributes(count: int) -> str:
    return "1 attribute" if count == 1 else f"{count} attributes"


# --- cases ------------------------------------------------------------------------------------


def _too_few(facts: StudyFacts) -> bool:
    chance = facts.chance
    if 1 / chance.arrangements > COARSE or min(facts.class_counts, default=99) < FEW_IN_CLASS:
        return True
    way = (chance.score_limit - chance.guess) / (1 - chance.guess)
    return chance.p_value > facts.alpha and way >= NEARLY_PERFECT


def _given_away(facts: StudyFacts) -> bool:
    leak = facts.leak
    best = float(facts.chance.score.max())
    return leak is not None and leak.alone >= ALONE and best - leak.without >= LOST


RULES: tuple[tuple[Case, Callable[[StudyFacts], bool]], ...] = (
    ("too few rows", _too_few),
    ("nothing", lambda f: f.chance.p_value > f.alpha and f.by_method is None),
    ("stable, not predictive", lambda f: f.chance.p_error > f.alpha and f.by_method is None),
    ("label given away", _given_away),
    ("redundant", lambda f: len(f.beyond) >= MANY_ALIKE and f.correlation >= ALIKE),
    ("no single attribute", lambda f: not f.beyond),
    ("clear", lambda f: max(f.chance.p_error, f.chance.p_value) <= CLEAR),
)


def case_of(facts: StudyFacts) -> Case:
    """Return the first case whose rule fits."""
    return next((case for case, fits in RULES if fits(facts)), "weak")


LIGHTS: dict[Case, Light] = {
    "too few rows": "grey",
    "nothing": "red",
    "stable, not predictive": "yellow",
    "label given away": "yellow",
    "redundant": "yellow",
    "no single attribute": "yellow",
    "clear": "green",
    "weak": "yellow",
}
HEADLINES: dict[Case, str] = {
    "too few rows": "Too few rows to say.",
    "nothing": "No. Nothing was found.",
    "stable, not predictive": "Not yet. There is a first hint, but no prediction.",
    "label given away": "Careful: one attribute gives the label away.",
    "redundant": "Yes, but many attributes carry the same information.",
    "no single attribute": "Yes, but no single attribute is distinct.",
    "clear": "Yes. The label can be predicted.",
    "weak": "Perhaps. There is a weak signal.",
}


def _few_rows(facts: StudyFacts) -> tuple[str, ...]:
    limit = _right(facts, facts.chance.score_limit)
    return (f"With {facts.rows} rows, shuffled labels reach {limit} in one of 20 orders.",)


def _nothing(facts: StudyFacts) -> tuple[str, ...]:
    limit = _right(facts, facts.chance.score_limit)
    return (
        f"Nothing was found beyond chance: {_right(facts, facts.best_score)} at best; shuffled "
        f"labels reach {limit} in one of 20 orders ({p_text(facts.chance.p_value)}).",
        "Noise gives such a list of attributes too: do not report it.",
    )


def _not_predictive(facts: StudyFacts) -> tuple[str, ...]:
    return (
        "The selected attributes depend on the label more than chance allows "
        f"({p_text(facts.chance.p_value)}), but new rows are not predicted better than by chance "
        f"({p_text(facts.chance.p_error)}).",
    )


def _leaking(facts: StudyFacts) -> tuple[str, ...]:
    leak = facts.leak
    assert leak is not None  # or another case would have been chosen
    return (
        f'"{leak.name}" alone gives {_right(facts, leak.alone)}; all others without it '
        f"{_right(facts, leak.without)}.",
        "Was it made from the label? If so, leave it out and run again.",
    )


def _redundant(facts: StudyFacts) -> tuple[str, ...]:
    return (
        f"The label can be predicted: {_honest(facts)}.",
        f"But {len(facts.beyond)} attributes carry the same information: chance decides which "
        "of them is listed. Report the group.",
    )


def _no_single(facts: StudyFacts) -> tuple[str, ...]:
    return (
        f"The label can be predicted: {_honest(facts)}.",
        "But no single attribute is beyond chance: use the set, and do not name single attributes.",
    )


def _clear(facts: StudyFacts) -> tuple[str, ...]:
    enough = "does" if facts.size == 1 else "do"
    by = f" (method: {facts.method})" if facts.method else ""
    return (
        f"A signal was found: {_honest(facts)}.",
        _listed(facts),
        f"{_attributes(facts.size)} {enough} as well as more{by}.",
    )


def _weak(facts: StudyFacts) -> tuple[str, ...]:
    chance = facts.chance
    orders = round(chance.p_error * (chance.permutations + 1)) - 1
    return (
        f"A weak signal: {_honest(facts)}. Shuffled labels do as well in {orders} of "
        f"{chance.permutations} orders.",
        _listed(facts),
        "Confirm it on other rows.",
    )


SENTENCES: dict[Case, Callable[[StudyFacts], tuple[str, ...]]] = {
    "too few rows": _few_rows,
    "nothing": _nothing,
    "stable, not predictive": _not_predictive,
    "label given away": _leaking,
    "redundant": _redundant,
    "no single attribute": _no_single,
    "clear": _clear,
    "weak": _weak,
}


def _honest(facts: StudyFacts) -> str:
    """Return the score on new rows, that of guessing, and the p-value."""
    estimate = facts.estimate
    interval = f"{percent(estimate.lower)} to {percent(estimate.upper)}"
    return (
        f"{_right(facts, estimate.value)} on new rows ({interval}); guessing gives "
        f"{percent(facts.chance.guess)} ({_tested(facts)})"
    )


def _listed(facts: StudyFacts) -> str:
    count = len(facts.beyond)
    names = enumerate_names([attribute.name for attribute in facts.beyond], MOST_NAMED)
    return f"{_attributes(count)} {'is' if count == 1 else 'are'} beyond chance: {names}."


def _tested(facts: StudyFacts) -> str:
    method = facts.by_method
    if facts.chance.p_value > facts.alpha and method is not None:
        return f"{method.name}: {p_text(method.p_value)}"
    return p_text(facts.chance.p_value)


def _imbalance(facts: StudyFacts) -> tuple[str, ...]:
    counts = facts.class_counts
    if not counts or min(counts) >= UNEQUAL * sum(counts):
        return ()
    numbers = " and ".join(str(count) for count in sorted(counts, reverse=True))
    return (
        f"The classes are unequal ({numbers} rows): always naming the largest would be right in "
        f"{percent(max(counts) / sum(counts))}. Here each class counts the same; guessing gives "
        f"{percent(facts.chance.guess)}.",
    )


NOT_SAID: dict[bool, str] = {
    True: "This does not show that these attributes cause the difference, or that it holds for "
    "other hospitals, devices or times.",
    False: "This does not show that there is no difference: with {rows} rows a weak one can be "
    "missed.",
}

NEXT: dict[Case, tuple[str, ...]] = {
    "too few rows": (
        "Measure more rows.",
        "Test a few attributes that are known from the literature instead of all.",
    ),
    "nothing": (
        "Measure more rows, if a weak signal would still be of use.",
        "Test a few attributes that are known from the literature instead of all.",
        "Check the data: batches, mixed-up labels, normalization.",
    ),
    "stable, not predictive": (
        "Treat the attributes as a hint, and test these few on other rows.",
        "Measure more rows.",
    ),
    "label given away": ("Find out how the attribute was made, leave it out, and run again.",),
    "redundant": (
        "Report the whole group, or one attribute of it by choice.",
        "Test the model on rows from elsewhere.",
    ),
    "no single attribute": ("Test the whole model on rows from elsewhere.",),
    "clear": ("Test these attributes on rows from elsewhere, with the size fixed before.",),
    "weak": ("Confirm it on other rows before you report it.", "Measure more rows."),
}


def verdict_of(facts: StudyFacts, doubts: tuple[str, ...]) -> Verdict:
    """Return the answer in words."""
    case = case_of(facts)
    found = LIGHTS[case] in ("green", "yellow")
    return Verdict(
        case=case,
        light=LIGHTS[case],
        headline=HEADLINES[case],
        sentences=(*_imbalance(facts), *SENTENCES[case](facts)),
        not_said=NOT_SAID[found].format(rows=facts.rows),
        doubts=doubts,
        next_steps=NEXT[case],
    )
