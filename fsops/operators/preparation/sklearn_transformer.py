"""Any transformer of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import Accepts, Context, operator
from fsops.data import ExampleSet, ExampleSetMetaData, MetaData, Schema
from fsops.data.names import Names
from fsops.data.schema import different_names
from fsops.errors import DataError, enumerate_names
from fsops.memory import require
from fsops.operators.modeling.estimators import reported
from fsops.operators.modeling.named_classes import Settings, Wanted, class_at, made
from fsops.operators.preparation.prepared import WITH_MODEL, Prepared, prepared

TRANSFORMER = Wanted(
    "transformer",
    "transformer",
    "sklearn.decomposition.PCA",
    ("transform",),
    "Prepare the table by several operators, one after the other.",
)


@dataclass(frozen=True)
class Transforming:
    """Replaces numerical attributes by the output of a fitted transformer."""

    transformer: Any
    names: Names
    outputs: Names

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with the new attributes."""
        others = examples.drop(self.names)
        taken = self.outputs.take(np.flatnonzero(others.names.find(self.outputs) >= 0))
        if len(taken):
            raise DataError(
                f"The new attributes are called {enumerate_names(taken)}, as others in the data.",
                hint="Rename those.",
            )
        values = np.asfortranarray(self._matrix(examples))  # filters read whole columns
        if self.outputs == self.names:
            return examples.with_numbers(examples.schema.positions(self.names), values)
        return others.beside(ExampleSet.of_matrix(Schema.numerical(self.outputs), values))

    def _matrix(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        if not len(examples):  # scikit-learn does not take it
            return np.zeros((0, len(self.outputs)))
        values = examples.values(examples.schema.positions(self.names))
        name = type(self.transformer).__name__
        result = reported(lambda: self.transformer.transform(values), name, verb="used")
        if hasattr(result, "toarray"):
            rows, columns = result.shape
            require(
                16.0 * rows * columns,  # the dense matrix, and its copy by columns
                f"The result of {name} with {rows:,} × {columns:,} values",
                "Limit the number of its output columns, or use fewer rows (Sample).",
            )
            result = result.toarray()
        return np.asarray(result, dtype=np.float64)


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs.get("examples")
    rows = meta.rows if isinstance(meta, ExampleSetMetaData) else None
    return ExampleSetMetaData(rows=rows)  # which attributes there are is known at the run only


@operator(
    group="Preparation/Attributes",
    role="preparation",
    accepts=Accepts(missing=True, infinite=True),
    describe=_describe,
    aliases=WITH_MODEL,
    tags=("scikit-learn", "generic", "PCA", "scaler", "imputer", "decomposition", "encoder"),
)
def sklearn_transformer(
    examples: ExampleSet,
    *,
    transformer: Annotated[
        str,
        Field(
            description="Import path of the class, such as sklearn.decomposition.PCA.",
            examples=["sklearn.preprocessing.QuantileTransformer"],
        ),
    ],
    parameters: Settings = {},
    ctx: Context,
) -> Prepared:
    """Scikit-learn Transformer

    Prepares the regular numerical attributes by any transformer of scikit-learn, given by its
    import path and its parameters. Use it for preparations that fsops does not have as an operator.
    The model applies the fitted transformer to other rows: inside a validation fit it on the
    training rows and apply it to the test rows.

    Its output replaces the numerical attributes, with the names of scikit-learn;
     nominal and special attributes stay as they are. The transformer sees the label if
    there is one. Whether missing values are allowed depends on it. Randomness comes from the seed
    of the process unless random_state is set. To select attributes use Scikit-learn Selector.

    References
    ----------
    Pedregosa et al. (2011): Scikit-learn: machine learning in Python. JMLR 12, 2825–2830.
    """
    kind = class_at(transformer, TRANSFORMER)
    schema = examples.schema
    names = schema.names_at(schema.regular_numerical)
    if not names:
        raise DataError(
            "There is no regular numerical attribute to transform.",
            hint="Convert nominal ones first (Nominal to Numerical).",
        )
    fitted = made(kind, parameters, TRANSFORMER, ctx)
    target = None if schema.label is None else examples.label_values()
    values = examples.numeric()
    reported(lambda: fitted.fit(values, target), kind.__name__, ctx)
    outputs = reported(lambda: _names_out(fitted, values, names), kind.__name__, verb="used")
    return prepared(
        examples, Transforming(fitted, names, outputs), names, "Scikit-learn Transformer"
    )


def _names_out(transformer: Any, values: npt.NDArray[np.float64], names: Names) -> Names:
    """Return the names of the new attributes."""
    if hasattr(transformer, "get_feature_names_out"):
        outputs = transformer.get_feature_names_out(np.array(names, dtype=object))
        found = different_names(list(map(str, outputs)))
        return names if found == names else found
    width = transformer.transform(values[:1]).shape[1]
    if width == len(names):
        return names
    return Names.of([f"{type(transformer).__name__.lower()}{number}" for number in range(width)])
