"""Right-censored times: the label is the time, and the role "event" says whether it ended there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fsops.data.columns import is_missing
from fsops.data.examples import ExampleSet
from fsops.data.schema import EVENT
from fsops.errors import DataError, enumerate_names, in_rows, quoted

EVENT_WORDS = frozenset(
    {
        "1", "1.0", "yes", "true", "event", "dead", "died", "death", "deceased", "relapse",
        "relapsed", "recurrence", "recurred", "progression", "progressed", "observed", "uncensored",
        "failure", "failed",
    }
)  # fmt: skip
CENSORED_WORDS = frozenset(
    {
        "0", "0.0", "no", "false", "censored", "censor", "alive", "living", "lived", "survived",
        "none", "no event", "disease free", "lost",
    }
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Survival:
    """The time of each row, and whether the event happened then.

    Where it did not, the row was observed up to this time, and its event comes later.
    """

    time: npt.NDArray[np.float64]
    event: npt.NDArray[np.bool_]
    known: bool = True
    """Whether an attribute has the role event; if not, all times count as observed."""


def survival_of(examples: ExampleSet) -> Survival:
    """Return times and events of a table whose label is a time.

    The event is 0 or 1, or has two categories with clear names such as alive and dead.
    """
    time = examples.label_values().astype(np.float64)
    event = event_values(examples)
    if event is None:
        return Survival(time, np.ones(len(time), dtype=bool), known=False)
    return Survival(time, event)


def event_values(examples: ExampleSet) -> npt.NDArray[np.bool_] | None:
    """Return whether the event happened in each row; None if no attribute has the role event."""
    attribute = examples.schema.special(EVENT)
    if attribute is None:
        return None
    values = examples.column(attribute.name)
    missing = np.flatnonzero(is_missing(values)).tolist()
    if missing:
        raise DataError(
            f"The event attribute {quoted(attribute.name)} is missing {in_rows(missing)}.",
            hint="Leave these rows out (Filter Examples).",
        )
    if attribute.value_type.is_nominal:
        happened = np.array([_happened(name, attribute.name) for name in attribute.categories])
        found: npt.NDArray[np.bool_] = happened[values.astype(np.intp)]
        return found
    if not attribute.value_type.is_numerical:
        raise DataError(
            f"The event attribute {quoted(attribute.name)} has the type "
            f"{attribute.value_type.value}, but must have numbers or categories.",
            hint="Use 1 for an event and 0 for a censored time.",
        )
    wrong = np.flatnonzero((values != 0) & (values != 1)).tolist()
    if wrong:
        raise DataError(
            f"The event attribute {quoted(attribute.name)} must be 0 (censored) or 1 (event), but "
            f"is {values[wrong[0]]:g} {in_rows(wrong)}.",
            hint="Recode it, for example with Generate Attributes.",
        )
    events: npt.NDArray[np.bool_] = values == 1
    return events


def _happened(category: str, attribute: str) -> bool:
    word = category.strip().lower()
    if word in EVENT_WORDS or word in CENSORED_WORDS:
        return word in EVENT_WORDS
    raise DataError(
        f"The event attribute {quoted(attribute)} has the category {quoted(category)}, which is "
        "neither known as an event nor as censored.",
        hint="Use 1 or 0, or one of the words "
        f"{enumerate_names(sorted(w for w in EVENT_WORDS | CENSORED_WORDS if w.isalpha()), 40)} "
        "(Map Values).",
    )
