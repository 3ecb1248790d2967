"""Random disturbance, to see how much of it a method can bear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Context, operator
from fsops.data import Attribute, ExampleSet, Schema, ValueType
from fsops.data.columns import MISSING_CODE
from fsops.data.names import Names, Positions
from fsops.errors import DataError, ParameterError, quoted
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names
from fsops.operators.preparation.prepared import (
    ANY_VALUES,
    WITH_MODEL,
    Prepared,
    describe_change,
    numerical_among,
    prepared,
)

NAME = "random"
MOST = 1_000_000
Floats = npt.NDArray[np.float64]
Column = tuple[Attribute, npt.NDArray[Any]]


@dataclass(frozen=True)
class Noise:
    """Adds the same kind of noise to any table; the same rows get the same noise."""

    attributes: Names
    """Attributes that are disturbed."""
    levels: Floats
    """Standard deviation of the noise of each of them."""
    label: float | None
    """Standard deviation of the noise of a numerical label, or probability of another class."""
    names: Sequence[str]
    """Attributes of nothing but noise."""
    offset: float
    factor: float
    seed: int

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with noise."""
        with np.errstate(over="ignore"):
            return self._disturbed(examples)

    def _disturbed(self, examples: ExampleSet) -> ExampleSet:
        values, label, more = np.random.default_rng(self.seed).spawn(3)
        n = len(examples)
        positions = examples.schema.positions(self.attributes)
        noise = values.normal(size=(n, len(positions))) * self.levels
        table = examples.with_numbers(positions, examples.values(positions) + noise)
        table = table.with_values(self._noisy_label(examples, label))
        made = self.offset + self.factor * more.normal(size=(n, len(self.names)))
        if not self.names:
            return table
        return table.beside(ExampleSet.from_numpy(np.asfortranarray(made), names=self.names))

    def _noisy_label(self, examples: ExampleSet, rng: np.random.Generator) -> list[Column]:
        label = examples.schema.label
        if label is None or self.label is None:
            return []
        stored = examples.column(label.name)
        if label.value_type.is_numerical:
            return [(_real(label), stored + rng.normal(0, self.label, len(stored)))]
        count = len(label.categories)
        if not label.value_type.is_nominal or count < 2:
            return []
        hit = (rng.random(len(stored)) < self.label) & (stored != MISSING_CODE)
        other = (stored + rng.integers(1, count, len(stored))) % count
        return [(label, np.where(hit, other, stored).astype(np.int32))]


def _real(attribute: Attribute) -> Attribute:
    return Attribute(attribute.name, ValueType.REAL, attribute.role)


def _levels(
    schema: Schema, names: Sequence[str], default: float, noise: Mapping[str, float]
) -> tuple[Positions, Floats]:
    """Return the attributes that get noise, and how much; the label has its own."""
    label = "" if schema.label is None else schema.label.name
    for name in noise:
        kind = schema.attribute(name).value_type
        if not kind.is_numerical or name == label:
            what = "the label" if name == label else str(kind)
            raise DataError(
                f"Noise is for numerical attributes, but {quoted(name)} is {what}.",
                hint="Leave it out; the label has label_noise.",
            )
    chosen = schema.positions(numerical_among(schema, names) if default else ())
    named = schema.positions(noise)
    levels = np.zeros(len(schema))
    levels[chosen] = default
    levels[named] = list(noise.values())
    if label:
        levels[schema.position(label)] = 0.0
    noisy = np.concatenate([chosen, named[~np.isin(named, chosen)]])
    noisy = noisy[levels[noisy] != 0]
    return noisy, levels[noisy]


def _new_names(schema: Schema, count: int) -> tuple[str, ...]:
    """Return names that are not there yet: random, random1, random2, …"""
    found: list[str] = []
    number = 0
    while len(found) < count:
        name = f"{NAME}{number or ''}"
        if name not in schema:
            found.append(name)
        number += 1
    return tuple(found)


def _after(schema: Schema, names: Sequence[str], parameters: Mapping[str, Any]) -> Schema:
    changed, _ = _levels(schema, names, parameters["default_attribute_noise"], parameters["noise"])
    label = schema.label
    if label is not None and label.value_type.is_numerical and parameters["label_noise"]:
        changed = np.append(changed, schema.position(label.name))
    more = _new_names(schema, parameters["random_attributes"])
    return schema.as_numbers(changed).appended(Schema.numerical(more))


@operator(
    group="Preparation/Generation",
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(_after),
    aliases=WITH_MODEL,
    tags=("disturb", "robustness", "irrelevant attributes", "random probes"),
    random=True,
)
def add_noise(
    examples: ExampleSet,
    *,
    random_attributes: Annotated[
        int, Field(ge=0, description="Number of attributes of pure noise to add.")
    ] = 0,
    label_noise: Annotated[
        float,
        Field(
            ge=0,
            le=1,
            description="Probability that a row gets another class; for numbers the standard "
            "deviation of the noise, divided by the range of the label.",
        ),
    ] = 0.05,
    default_attribute_noise: Annotated[
        float,
        Field(ge=0, description="Standard deviation of the noise of every number."),
    ] = 0.0,
    noise: Annotated[
        dict[str, Annotated[float, Field(ge=0)]],
        Field(description="Another standard deviation for some attributes, by name."),
    ] = {},
    offset: Annotated[
        float,
        Field(description="Mean of the attributes of pure noise."),
    ] = 0.0,
    linear_factor: Annotated[
        float,
        Field(ge=0, description="Standard deviation of the attributes of pure noise."),
    ] = 1.0,
    ctx: Context,
    **attributes: Unpack[AttributeFilter],
) -> Prepared:
    """Add Noise

    Adds noise to the label and, if you want, to the regular numbers, and adds attributes that are
    unrelated to the label. A good selection leaves these attributes out, and a good method gets
    only slightly worse with a little noise.

    All noise is normally distributed. A class is replaced by one of the others, all equally
    likely; nominal attributes stay as they are. The model adds noise of the same size to other
    rows. By default 5 % of the classes are changed: set label_noise to 0 to keep the label.
    """
    schema = examples.schema
    if random_attributes > MOST:
        raise ParameterError(
            f"random_attributes is {random_attributes}, but at most {MOST} can be added."
        )
    names = selected_names(examples, attributes)
    positions, levels = _levels(schema, names, default_attribute_noise, noise)
    noisy = Noise(
        schema.names_at(positions),
        levels,
        label_noise * _label_range(examples) if label_noise else None,
        _new_names(schema, random_attributes),
        offset,
        linear_factor,
        int(ctx.rng("noise").integers(np.iinfo(np.int64).max)),
    )
    return prepared(examples, noisy, noisy.attributes, "Add Noise")


def _label_range(examples: ExampleSet) -> float:
    """Return the range of a numerical label; 1 for classes."""
    label = examples.schema.label
    if label is None or not label.value_type.is_numerical:
        return 1.0
    stored = examples.column(label.name)
    known = stored[np.isfinite(stored)]
    with np.errstate(over="ignore"):
        found = float(np.ptp(known)) if len(known) else 0.0
    if not np.isfinite(found):
        message = f"The numbers of the label {quoted(label.name)} are too far apart."
        raise DataError(message, hint="Rescale it, or set label_noise to 0.")
    return found
