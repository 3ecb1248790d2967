"""Differences between batches, learned on training rows and removed from these and other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.preparation.batches import BatchEffects, batch_effects
from fsops.core import Context, operator
from fsops.data import ExampleSet
from fsops.data.columns import is_missing
from fsops.data.design import BATCH
from fsops.data.schema import COVARIATE
from fsops.errors import DataError, enumerate_names, in_rows, quoted
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names
from fsops.operators.preparation.prepared import (
    ANY_VALUES,
    WITH_MODEL,
    Prepared,
    describe_change,
    numerical_among,
    prepared,
)
from fsops.operators.preparation.scaling import real_numbers

Floats = npt.NDArray[np.float64]
UnknownBatch = Literal["error", "unchanged", "own rows"]


@dataclass(frozen=True, eq=False)
class BatchAdjustment:
    """Removes the effects of batches from some attributes.

    Attributes
    ----------
    names
        The attributes.
    batch
        Name of the attribute with the batch; None if there was none.
    batches
        The batches of the training rows, in the order of the effects.
    covariates
        For each numerical covariate its name and None; for others also a category.
    effects
        Learned on the training rows.
    unknown, shrink
        What to do about other batches.
    """

    names: Sequence[str]
    batch: str | None
    batches: tuple[str, ...]
    covariates: tuple[tuple[str, str | None], ...]
    effects: BatchEffects
    unknown: UnknownBatch
    shrink: bool

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table without the effects of the batches."""
        positions = examples.schema.positions(self.names)
        values = examples.values(positions)
        named = batch_names(examples, self.batch)
        place = {name: number for number, name in enumerate(self.batches)}
        codes = np.array([place.get(name, -1) for name in named], dtype=np.intp)
        covariates = covariate_columns(examples, self.covariates)
        known = np.flatnonzero(codes >= 0)
        adjusted = values.astype(np.float64)
        adjusted[known] = self.effects.removed(values[known], codes[known], covariates[known])
        for name in sorted(set(named) - set(self.batches)):
            rows = np.flatnonzero([each == name for each in named])
            adjusted[rows] = self._other(values[rows], covariates[rows], name)
        return examples.with_numbers(positions, adjusted)

    def _other(self, values: Floats, covariates: Floats, name: str) -> Floats:
        """Return rows of a batch that was not among the training rows."""
        if self.unknown == "unchanged":
            return values
        if self.unknown == "error":
            raise DataError(
                f"The batch {quoted(name)} was not among the rows that Adjust Batches was trained "
                f"on: {enumerate_names(self.batches)}.",
                hint='Set unknown_batch to "own rows" or "unchanged", or do not split on batches.',
            )
        whole = self.effects
        z = whole.standardized(values, covariates)
        own = batch_effects(z, np.zeros(len(z), dtype=np.intp), np.zeros((len(z), 0)), shrink=False)
        usable = (whole.scale > 0) & (own.scale > 0)
        spread = np.where(usable, own.scale, 1.0) if len(z) > 1 else np.ones(len(usable))
        moved = replace(
            whole,
            location=np.where(whole.scale > 0, own.centre, 0.0)[None],
            spread=spread[None],
        )
        return moved.removed(values, np.zeros(len(values), dtype=np.intp), covariates)


def batch_names(examples: ExampleSet, name: str | None) -> list[str]:
    """Return the batch of each row as text; a missing one is an error that names the row."""
    if name is None:
        return ["all"] * len(examples)
    values = examples.column(name)
    missing = np.flatnonzero(is_missing(values)).tolist()
    if missing:
        raise DataError(
            f"The batch attribute {quoted(name)} is missing {in_rows(missing)}.",
            hint="Leave these rows out (Filter Examples).",
        )
    return _texts(examples, name)


def _texts(examples: ExampleSet, name: str) -> list[str]:
    """Return the values of an attribute, none of them missing, as texts: different for others."""
    values, attribute = examples.column(name), examples.schema.attribute(name)
    if attribute.value_type.is_nominal:
        return [attribute.categories[code] for code in values]
    if attribute.value_type.is_numerical:
        return [_number_text(value) for value in values.tolist()]
    return [str(value) for value in values]


def _number_text(value: float) -> str:
    """Return a number in a short form, or with all digits where the short form is another one."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def covariate_columns(examples: ExampleSet, covariates: Sequence[tuple[str, str | None]]) -> Floats:
    """Return a column for each covariate, or for each category of one."""
    columns = [np.zeros((len(examples), 0))]
    for name, category in covariates:
        values = examples.column(name)
        missing = np.flatnonzero(is_missing(values)).tolist()
        if missing:
            raise DataError(
                f"The covariate {quoted(name)} is missing {in_rows(missing)}.",
                hint="Leave these rows out (Filter Examples).",
            )
        if category is None:
            columns.append(values.astype(np.float64)[:, None])
        else:
            same = np.array([text == category for text in _texts(examples, name)], dtype=bool)
            columns.append(same.astype(np.float64)[:, None])
    return np.column_stack(columns)


def _covariates(examples: ExampleSet) -> tuple[tuple[str, str | None], ...]:
    found: list[tuple[str, str | None]] = []
    for name, role in examples.schema.roles.items():
        attribute = examples.schema.attribute(name)
        if role != COVARIATE:
            continue
        if attribute.value_type.is_nominal:
            found += [(name, category) for category in attribute.categories[1:]]
        elif attribute.value_type.is_numerical:
            found.append((name, None))
        else:
            found += [(name, text) for text in sorted(set(_texts(examples, name)))[1:]]
    return tuple(found)


@operator(
    group="Preparation/Scaling",
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(real_numbers),
    aliases=WITH_MODEL,
    tags=("combat", "batch effect", "empirical bayes", "plate", "laboratory", "correct", "sva"),
)
def adjust_batches(
    examples: ExampleSet,
    *,
    shrink: Annotated[
        bool,
        Field(
            description="Shrink the location and scale of a batch towards those of its other "
            "attributes (empirical Bayes); recommended for small batches."
        ),
    ] = True,
    unknown_batch: Annotated[
        UnknownBatch,
        Field(
            description="Rows of a batch that the model was not trained on: stop, adjust them by "
            "the mean and deviation of these rows, or leave them unchanged."
        ),
    ] = "error",
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    r"""Adjust Batches

    Removes differences of location and scale between batches, such as plates or laboratories, from
    numerical attributes (ComBat). The attribute with the role batch says which rows were measured
    together. Effects of attributes with the role covariate are kept.

    The model applies the same values to other rows: inside a validation, fit it on the training
    rows and apply it to the test rows. ComBat on all rows before a validation makes the estimated
    performance optimistic. The label is not used, so that training and test rows are treated alike.

    Do not use it if the classes are unevenly distributed over the batches: part of the difference
    between the classes is removed together with the batch effect. Then use Weight by Moderated t,
    which has the batch in its model. A fold for each batch (split_on_batch_attribute) needs
    unknown_batch "own rows"; its rows are then compared with each other, so each batch needs
    several rows.

    Missing values stay missing, and leave a row out for their attribute only. The R package sva
    gives the same values without missing values. With a missing value, sva divides the squares of
    all attributes by n − 1 instead of n, and counts rows with missing values in the common mean:
    its values then differ, by up to 0.23 deviations in simulated tables of 12 to 40 rows. An
    attribute that does not vary within one of the batches is not changed. A batch of a single row
    is moved, but not scaled.

    .. math:: x^* = \frac{\sigma_g}{\delta^*_{ig}} \Big(\frac{x - \alpha_g - C\beta_g}{\sigma_g} -
        \gamma^*_{ig}\Big) + \alpha_g + C\beta_g

    References
    ----------
    Johnson, Li, Rabinovic (2007): Adjusting batch effects in microarray expression data using
    empirical Bayes methods. Biostatistics 8, 118–127.
    """
    attribute = examples.schema.special(BATCH)
    batch = None if attribute is None else attribute.name
    chosen = numerical_among(examples.schema, selected_names(examples, attribute_filter))
    names = list(chosen)
    if batch in names:
        names.remove(batch)
    if not names:
        ctx.warn("No numerical attribute is chosen, so nothing is adjusted.")
    named = batch_names(examples, batch)
    batches, codes = np.unique(np.array(named, dtype=str), return_inverse=True)
    if batch is None:
        ctx.warn(
            'No attribute has the role "batch", so nothing is adjusted. Give it to the attribute '
            "that says which rows were measured together (Set Role)."
        )
    elif len(batches) == 1:
        ctx.warn(f"All rows belong to one batch of {quoted(batch)}: nothing is adjusted.")
    covariates = _covariates(examples)
    columns = covariate_columns(examples, covariates)
    values: Any = examples.values(examples.schema.positions(names))
    effects = batch_effects(values, codes.reshape(-1), columns, shrink=shrink and len(batches) > 1)
    if len(batches) < 2:
        effects = replace(effects, scale=np.zeros_like(effects.scale))
    adjustment = BatchAdjustment(
        names, batch, tuple(batches.tolist()), covariates, effects, unknown_batch, shrink
    )
    return prepared(examples, adjustment, names, "Adjust Batches")
