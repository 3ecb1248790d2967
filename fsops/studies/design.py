"""The design of a study: which columns say how rows depend on each other, given or recognized."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsops.data import ExampleSet, Schema
from fsops.data.columns import is_missing
from fsops.data.design import BATCH, GROUP, PAIR, role_codes, row_groups
from fsops.data.schema import COVARIATE
from fsops.errors import UsageError, did_you_mean, enumerate_names, quoted

_NUMBER = r"([\W_]?(id|nr|no|number|name|code))?"
GROUP_NAME = re.compile(
    rf"(patient|subject|individual|participant|person|proband|donor|animal|mouse){_NUMBER}", re.I
)
PAIR_NAME = re.compile(rf"(pair|pairs|pairing|matched[\W_]?pair|match){_NUMBER}", re.I)
BATCH_NAME = re.compile(rf"((processing|array|sequencing)[\W_]?)?(batch|plate){_NUMBER}", re.I)
_OUTCOME = r"(os|pfs|dfs|rfs|efs|survival|overall[\W_]?survival|follow[\W_]?up)"
TIME_NAME = re.compile(
    rf"{_OUTCOME}|({_OUTCOME}[\W_])?(time|days|months|years)([\W_]?to[\W_]?\w+)?", re.I
)
EVENT_NAME = re.compile(
    rf"({_OUTCOME}|vital)?[\W_]?(event|status|censored|censoring|dead|death|died|deceased)", re.I
)
FEWEST_GROUPS = 5
"""A column with fewer values, such as patient yes or no, does not name patients."""
FEWEST_BATCHES = 3
"""From so many batches on, every batch is a fold."""
FOLDS = 10


@dataclass(frozen=True)
class DesignColumns:
    """Columns that the user names; others may be recognized."""

    group_column: str | None = None
    pair: str | None = None
    batch: str | None = None
    covariates: tuple[str, ...] = ()
    time: str | None = None
    event: str | None = None
    skip: tuple[str, ...] = ()

    def roles(self) -> dict[str, str]:
        """Return the role of each column that was given one."""
        named = {self.group_column: GROUP, self.pair: PAIR, self.batch: BATCH}
        found = {name: role for name, role in named.items() if name is not None}
        return {**found, **dict.fromkeys(self.covariates, COVARIATE)}

    def check(self, schema: Schema, label: str) -> None:
        """Raise `UsageError` if a column does not exist or has two purposes."""
        options = [
            ("--group", self.group_column),
            ("--pair", self.pair),
            ("--batch", self.batch),
            ("--time", self.time),
            *(("--covariate", name) for name in self.covariates),
            *(("--skip", name) for name in self.skip),
        ]
        seen = {label: "the label"}
        for option, name in [*options, ("--event", self.event)]:
            if name is None:
                continue
            if name not in schema:
                columns = schema.names
                hint = did_you_mean(name, columns) or f"There are {enumerate_names(columns)}."
                raise UsageError(f"{option}: there is no column {quoted(name)}.", hint=hint)
            if name in seen and (option, name) != ("--event", label):
                raise UsageError(
                    f"{quoted(name)} is given as {seen[name]} and with {option}.",
                    hint="A column has one purpose.",
                )
            seen[name] = option


# --- groups, pairs and batches ----------------------------------------------------------------


def recognised_roles(table: ExampleSet, design: DesignColumns) -> dict[str, str]:
    """Return roles of columns that were not given, where name and values leave no doubt."""
    found: dict[str, str] = {}
    taken = design.roles()
    columns = [
        name
        for name in table.schema.names_at(table.schema.regular)
        if name not in taken and name not in design.skip and is_telling(name)
    ]
    if design.group_column is None and design.pair is None:
        for name in columns:
            role = _unit_role(table, name)
            if role is not None:
                found[name] = role
                break
    if design.batch is None:
        batches = [name for name in columns if BATCH_NAME.fullmatch(name)]
        found |= {name: BATCH for name in batches[:1] if _repeats(table, name)}
    return found


def is_telling(name: str) -> bool:
    """Whether the name of a column may say how the study was designed."""
    patterns = (GROUP_NAME, PAIR_NAME, BATCH_NAME, TIME_NAME, EVENT_NAME)
    return any(pattern.fullmatch(name) for pattern in patterns)


def _repeats(table: ExampleSet, name: str) -> bool:
    """Whether values of a column are known for all rows and at least one occurs again."""
    values = table.column(name)
    if is_missing(values).any():
        return False
    return 1 < len(np.unique(values)) < len(values)


def _unit_role(table: ExampleSet, name: str) -> str | None:
    """Return pair if every value occurs in two rows of different classes, group if some repeat."""
    by_name = GROUP_NAME.fullmatch(name) or PAIR_NAME.fullmatch(name)
    if not by_name or not _repeats(table, name):
        return None
    _, codes, counts = np.unique(table.column(name), return_inverse=True, return_counts=True)
    if len(counts) < FEWEST_GROUPS:
        return None
    return PAIR if _are_pairs(table, codes.reshape(-1), counts) else GROUP


def _are_pairs(table: ExampleSet, codes: np.typing.NDArray[Any], counts: Any) -> bool:
    label = table.schema.label
    if label is None or not label.value_type.is_nominal or not (counts == 2).all():
        return False
    classes = table.column(label.name)[np.argsort(codes, kind="stable")].reshape(-1, 2)
    return bool((classes[:, 0] != classes[:, 1]).all())


def design_remarks(table: ExampleSet) -> list[str]:
    """Return in sentences how rows depend on each other, and what follows from it."""
    sentences = []
    for role, sentence in (
        (PAIR, "Rows with the same {name} are pairs ({count}): they are never separated."),
        (GROUP, "Rows with the same {name} belong together ({count} groups): they are never "
                "separated."),
        (BATCH, "{name} is the batch ({count}): it is not an attribute to select from."),
    ):  # fmt: skip
        attribute = table.schema.special(role)
        codes = role_codes(table, role)
        if attribute is not None and codes is not None:
            count = int(codes.max(initial=-1)) + 1
            sentences.append(sentence.format(name=quoted(attribute.name), count=count))
    covariates = [n for n, role in table.schema.roles.items() if role == COVARIATE]
    if covariates:
        sentences.append(f"Covariates, not selected from: {enumerate_names(covariates)}.")
    if fold_settings(table).get("split_on_batch_attribute"):
        sentences.append("Every batch is tested with a model trained on the other batches.")
    return sentences


def fold_settings(table: ExampleSet) -> dict[str, Any]:
    """Return the parameters of Compare Feature Selections that suit the design of a study."""
    groups, batches = row_groups(table), role_codes(table, BATCH)
    if groups is not None:
        count = int(groups.max(initial=-1)) + 1
        if count < 2:
            raise UsageError(
                "All rows belong to one group, so no rows are left for a test.",
                hint="Give another column with --group.",
            )
        return {"number_of_folds": count} if count < FOLDS else {}
    if batches is not None and _can_be_folds(table, batches):
        return {"split_on_batch_attribute": True}
    return {}


def _can_be_folds(table: ExampleSet, batches: np.typing.NDArray[np.intp]) -> bool:
    """Whether there are enough batches, none with most of the rows, and each with all classes."""
    counts = np.bincount(batches)
    if len(counts) < FEWEST_BATCHES or counts.max() > len(batches) / 2 or counts.min() < 2:
        return False
    label = table.schema.label
    if label is None or not label.value_type.is_nominal:
        return True
    classes = table.column(label.name)
    classes_in = [len(np.unique(classes[batches == batch])) for batch in range(len(counts))]
    return min(classes_in) == len(label.categories)


# --- right-censored outcomes ------------------------------------------------------------------


def survival_time(table: ExampleSet, design: DesignColumns) -> str | None:
    """Return the column with the time of the event that is predicted, to be left out.

    Raises `UsageError` if a right-censored time is itself to be predicted.
    """
    label = table.label
    events = [design.event] if design.event else _named(table, EVENT_NAME, design)
    is_time = label.name == design.time or TIME_NAME.fullmatch(label.name)
    if is_time and label.value_type.is_numerical and events:
        raise censored(label.name, events[0])
    if design.time is not None:
        return design.time
    if label.name == design.event or EVENT_NAME.fullmatch(label.name):
        return next(iter(_named(table, TIME_NAME, design)), None)
    return None


def _named(table: ExampleSet, names: re.Pattern[str], design: DesignColumns) -> list[str]:
    """Return columns with a name of events and two values, or a name of times and numbers."""
    given = {*design.roles(), *design.skip, table.label.name}
    columns = [n for n in table.schema.regular_names if names.fullmatch(n) and n not in given]
    if names is EVENT_NAME:
        return [name for name in columns if len(np.unique(table.column(name))) == 2]
    return [name for name in columns if table.schema.attribute(name).value_type.is_numerical]


def censored(time: str, event: str) -> UsageError:
    """Return the error that the time of an event cannot be predicted like any number."""
    return UsageError(
        f"{quoted(time)} with {quoted(event)} is a right-censored outcome: where the event has not "
        "happened, only a lower bound of the time is known. It is not predicted as a number.",
        hint=f"Predict the event (--label {event} --time {time}), or add a column such as "
        "died_within_5_years and leave out rows that were observed for a shorter time. If all "
        f"times are complete, use --skip {event}.",
    )
