"""The design of a study: special attributes that say how its rows depend on each other.

They are never used as attributes to select from, because their role is not regular.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fsops.data.columns import is_missing
from fsops.data.examples import ExampleSet
from fsops.data.schema import COVARIATE, EVENT
from fsops.errors import DataError, in_rows

GROUP = "group"
"""Rows with the same value belong together, such as several samples of one patient."""
PAIR = "pair"
"""Rows with the same value are matched, such as one patient before and after treatment."""
BATCH = "batch"
"""Rows with the same value were measured together, such as on one plate or in one laboratory."""

DESIGN_ROLES = (GROUP, PAIR, BATCH, COVARIATE)
UNSEPARATED = (GROUP, PAIR)
"""Rows with the same value of such an attribute are all trained on, or all tested."""

Codes = npt.NDArray[np.intp]


def role_codes(examples: ExampleSet, role: str) -> Codes | None:
    """Return a number for each row's value of the attribute with a role, from 0 without gaps.

    None if no attribute has the role. A missing value is an error that names the row.
    """
    attribute = examples.schema.special(role)
    if attribute is None:
        return None
    values = examples.column(attribute.name)
    missing = np.flatnonzero(is_missing(values)).tolist()
    if missing:
        raise DataError(
            f'The {role} attribute "{attribute.name}" is missing {in_rows(missing)}.',
            hint="Leave these rows out (Filter Examples).",
        )
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.intp)


def row_strata(examples: ExampleSet) -> Codes | None:
    """Return a number for each row: the fractions of rows with the same are kept by splits.

    It is the class or, for a censored time, whether the event happened. None for other labels.
    """
    label = examples.schema.label
    if label is None:
        return None
    if label.value_type.is_nominal:
        return examples.label_values().astype(np.intp)
    if examples.schema.special(EVENT) is None:
        return None
    from fsops.data.survival import event_values  # hardly any table is of this kind

    happened = event_values(examples)
    return None if happened is None else happened.astype(np.intp)


def row_groups(examples: ExampleSet) -> Codes | None:
    """Return a number for each row: rows with the same must not be separated by a split.

    They share a value of the attribute with the role group or pair, directly or through other rows
    where there are both. None if there is neither.
    """
    known = [role_codes(examples, role) for role in UNSEPARATED]
    codes = [part for part in known if part is not None]
    if len(codes) < 2:
        return codes[0] if codes else None
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    groups, pairs = codes
    size = int(groups.max(initial=-1)) + 1
    nodes = size + int(pairs.max(initial=-1)) + 1
    links = coo_array((np.ones(len(groups)), (groups, pairs + size)), shape=(nodes, nodes))
    joined: Codes = connected_components(links, directed=False)[1][groups].astype(np.intp)
    return joined


def names_of_groups(examples: ExampleSet) -> str:
    """Return the name of the attribute by which rows belong together, for messages."""
    held = [examples.schema.special(role) for role in UNSEPARATED]
    return " and ".join(f'"{attribute.name}"' for attribute in held if attribute is not None)
