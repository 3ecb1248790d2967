"""The design of a study as chance needs it: which rows may change places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsops.algorithms.base.types import Ints
from fsops.core import Context
from fsops.data import ExampleSet
from fsops.data.design import BATCH, GROUP, PAIR, role_codes, row_groups


@dataclass(frozen=True, eq=False)
class Design:
    """Which rows belong together.

    Attributes
    ----------
    together
        Rows with the same number are in one fold; None if rows are independent.
    blocks
        Labels change places only within a block; None if there are none.
    units
        Rows with the same number change places as a whole; None if they are single.
    """

    together: Ints | None = None
    blocks: Ints | None = None
    units: Ints | None = None


def design_of(examples: ExampleSet, ctx: Context) -> Design:
    """Return the design that the roles "group", "pair" and "batch" of a table describe."""
    group, pair, batch = (role_codes(examples, role) for role in (GROUP, PAIR, BATCH))
    together = row_groups(examples)
    if pair is not None:
        return Design(together, pair)
    if group is None:
        return Design(None, batch)
    if _mostly_mixed(group, examples.label_values()):
        return Design(together, group)
    if batch is not None and _crosses(group, batch):
        ctx.warn(
            "Rows of one group are in several batches: whole groups are permuted, and batches "
            "are ignored."
        )
        batch = None
    return Design(together, batch, group)


def _mostly_mixed(groups: Ints, labels: np.typing.NDArray[np.generic]) -> bool:
    """Return whether most groups of several rows have different labels, as before and after."""
    pairs = np.unique(np.column_stack([groups, np.unique(labels, return_inverse=True)[1]]), axis=0)
    different = np.bincount(pairs[:, 0])
    several = np.bincount(groups) > 1
    return bool(several.any() and (different[several] > 1).mean() > 0.5)


def _crosses(groups: Ints, batches: Ints) -> bool:
    pairs = np.unique(np.column_stack([groups, batches]), axis=0)
    return len(pairs) > len(np.unique(groups))
