"""Columns of a linear model from the roles of a table: batches, pairs, groups, covariates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fsops.core import Context
from fsops.data import ExampleSet
from fsops.data.columns import is_missing
from fsops.data.design import BATCH, GROUP, PAIR, role_codes
from fsops.data.schema import COVARIATE
from fsops.errors import DataError, enumerate_names, in_rows, quoted

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


def adjusted_names(examples: ExampleSet, roles: tuple[str, ...]) -> list[str]:
    """Return the names of the attributes with some roles, in the order of the roles."""
    held = examples.schema.roles
    return [name for role in roles for name, own in held.items() if own == role]


def indicators(codes: npt.NDArray[np.generic]) -> Floats:
    """Return a column of 0 and 1 for each value but the first; they add up with an intercept."""
    values, places = np.unique(codes, return_inverse=True)
    columns: Floats = (places.reshape(-1, 1) == np.arange(1, len(values))).astype(np.float64)
    return columns


def nuisance_columns(examples: ExampleSet, names: list[str]) -> Floats:
    """Return the columns of a linear model for some attributes; categories become indicators.

    Missing values are an error that names attribute and rows.
    """
    parts = [np.zeros((len(examples), 0))]
    for name in names:
        values = examples.column(name)
        missing = np.flatnonzero(is_missing(values)).tolist()
        attribute = examples.schema.attribute(name)
        if missing:
            raise DataError(
                f"The {attribute.role} attribute {quoted(name)} is missing {in_rows(missing)}.",
                hint="Leave these rows out (Filter Examples).",
            )
        number = attribute.role == COVARIATE and attribute.value_type.is_numerical
        parts.append(values[:, None].astype(np.float64) if number else indicators(values))
    return np.column_stack(parts)


def design_names(examples: ExampleSet, ctx: Context) -> list[str]:
    """Return the names of the attributes to adjust for: those whose role says so.

    A group is adjusted for if its rows have different labels. Otherwise the label cannot be
    compared within groups, and a warning says that the rows are not independent.
    """
    roles = [BATCH, COVARIATE, PAIR]
    groups = role_codes(examples, GROUP)
    if groups is not None and groups.max(initial=-1) + 1 < len(groups):
        if _varies_within(groups, examples.label_values()):
            roles.append(GROUP)
        else:
            group = examples.schema.special(GROUP)
            assert group is not None
            ctx.warn(
                f"Rows of one {quoted(group.name)} have the same label, so they are not compared "
                "with each other. They count as independent: p-values are too small. Use one row "
                "for each group (Aggregate)."
            )
    return adjusted_names(examples, tuple(roles))


def _varies_within(groups: Codes, labels: npt.NDArray[np.generic]) -> bool:
    pairs = np.unique(np.column_stack([groups, np.unique(labels, return_inverse=True)[1]]), axis=0)
    return len(pairs) > int(groups.max()) + 1


def not_estimable(examples: ExampleSet, names: list[str], *, optional: bool = True) -> DataError:
    """Return the error that the label cannot be compared given the attributes adjusted for.

    ``optional`` says whether the operator has the parameter adjust.
    """
    label = quoted(examples.label.name)
    if not names:
        return DataError(
            f"The values of {label} cannot be compared: no rows are left to estimate variances.",
            hint="Give it more rows.",
        )
    return DataError(
        f"{label} cannot be compared given {enumerate_names(names)}: it does not vary within "
        "them, or no rows are left to estimate variances.",
        hint=("Set adjust to false, or give" if optional else "Give")
        + " an attribute another role (Set Role).",
    )
