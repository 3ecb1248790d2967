"""Few new attributes in the place of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Floats
from fsops.algorithms.preparation.components import Components, principal_components
from fsops.core import Accepts, When, operator
from fsops.data import (
    Attribute,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    PreprocessingModel,
    Schema,
)
from fsops.errors import DataError, ParameterError, enumerate_names
from fsops.operators.preparation.prepared import WITH_MODEL

if TYPE_CHECKING:
    import pandas as pd

VARIANCE, FIXED = "keep variance", "fixed number"


def component_names(count: int, prefix: str = "pc_") -> list[Attribute]:
    """Return the attributes for a number of components."""
    return [Attribute(f"{prefix}{number + 1}") for number in range(count)]


def replaced_by(
    examples: ExampleSet, names: Sequence[str], new: Sequence[Attribute], values: Floats
) -> ExampleSet:
    """Return the table with new attributes, a column of values each, in the place of others."""
    others = examples.drop(names)
    taken = [attribute.name for attribute in new if attribute.name in others.schema]
    if taken:
        raise DataError(
            f"The components would be called {enumerate_names(taken)}, but the data has attributes "
            "of these names already.",
            hint="Rename the attributes.",
        )
    return others.with_columns(list(zip(new, values.T, strict=True)))


@dataclass(frozen=True)
class Projection:
    """Puts components in the place of attributes."""

    names: Sequence[str]
    components: Components
    prefix: str = "pc_"

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with the components; where a value is missing they are missing, too."""
        with np.errstate(invalid="ignore", over="ignore"):
            values = self.components.transform(
                examples.values(examples.schema.positions(self.names))
            )
        new = component_names(len(self.components.loadings), self.prefix)
        return replaced_by(examples, self.names, new, values)


class ComponentModel(PreprocessingModel):
    """Components learned on some rows, and the projection of others on them.

    Parameters
    ----------
    components : Components
    attributes : Schema
        The attributes that are projected.
    name : str
        What made the model.
    prefix : str
        Prefix of the names of components.
    share : str
        Meaning of the fractions of the components.
    """

    title: ClassVar[str] = "Component model"

    def __init__(
        self,
        components: Components,
        attributes: Schema,
        name: str,
        *,
        prefix: str = "pc_",
        share: str = "fraction of variance",
    ) -> None:
        super().__init__(Projection(attributes.names, components, prefix), attributes, name)
        self.components = components
        self.prefix = prefix
        self.share = share

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with the deviation and the fraction of variance of each component."""
        import pandas as pd

        found = self.components
        names = component_names(len(found.loadings), self.prefix)
        return pd.DataFrame(
            {
                "component": [attribute.name for attribute in names],
                "standard deviation": np.sqrt(found.variances),
                self.share: found.shares,
                "cumulative share": np.cumsum(found.shares),
            }
        )


class Decomposed(NamedTuple):
    """Results of a decomposition."""

    examples: ExampleSet
    model: ComponentModel


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs.get("examples")
    if not isinstance(meta, ExampleSetMetaData):
        return ExampleSetMetaData()
    schema, rows, way = meta.schema, meta.rows, parameters["dimensionality_reduction"]
    if schema is None or rows is None or way == VARIANCE:
        return ExampleSetMetaData(rows=rows)  # how many there are is known at the run only
    possible = min(rows, len(schema.regular))
    count = min(possible, parameters["number_of_components"]) if way == FIXED else possible
    special = schema.take(np.sort(schema.positions(schema.roles)))
    return ExampleSetMetaData(schema=special.appended(component_names(count)), rows=rows)


@operator(
    group="Preparation/Attributes",
    role="preparation",
    accepts=Accepts(attributes="numerical"),
    describe=_describe,
    aliases=WITH_MODEL,
    tags=("pca", "decomposition", "projection", "eigenvectors", "unsupervised", "extraction"),
)
def principal_component_analysis(
    examples: ExampleSet,
    *,
    dimensionality_reduction: Annotated[
        Literal["none", "keep variance", "fixed number"],
        Field(description="Components to keep: all, or the first ones."),
    ] = "keep variance",
    variance_threshold: Annotated[
        float,
        When(dimensionality_reduction=VARIANCE),
        Field(ge=0, le=1, description="Fraction of variance that the components keep."),
    ] = 0.95,
    number_of_components: Annotated[
        int,
        When(dimensionality_reduction=FIXED),
        Field(ge=1, description="Number of components to keep."),
    ] = 1,
) -> Decomposed:
    r"""Principal Component Analysis

    Replaces the regular attributes by uncorrelated ones, pc_1, pc_2, …, each a weighted sum of
    all attributes. The first has the largest possible variance, each further one the largest of
    the remaining variance. The model applies the same means and weights to other rows: inside a
    validation, fit it on the training rows and apply it to the test rows.

    - none: all components, as many as there are rows or attributes, whatever is less.
    - keep variance: as few as together have the fraction variance_threshold of the variance.
    - fixed number: the first number_of_components.

    It ignores the label: the direction of largest variance need not be informative. Attributes with
    large values dominate; bring them to one scale first (Normalize). All attributes are still
    needed for new rows; to need fewer, select attributes instead. The largest loading of each
    component is made positive, so that the result is always the same. A row with a missing value
    has missing components when the model is applied.

    .. math:: z_k = \sum_j v_{kj} (x_j - \bar x_j)

    References
    ----------
    Jolliffe (2002): Principal Component Analysis.
    """
    found = principal_components(examples.numeric())
    possible = count = len(found.variances)
    if dimensionality_reduction == VARIANCE:
        count = found.count_for(variance_threshold)
    elif dimensionality_reduction == FIXED:
        count = number_of_components
    if count > possible:
        raise ParameterError(
            f"number_of_components is {count}, but the data has only {possible} components.",
            hint="There are as many as rows or attributes, whichever number is smaller.",
        )
    attributes = examples.schema.take(examples.schema.regular)
    model = ComponentModel(found.first(count), attributes, "Principal Component Analysis")
    return Decomposed(model.apply(examples), model)
