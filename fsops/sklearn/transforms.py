"""How the results of a process transform further rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_selection import SelectorMixin

from fsops.core import Accepts
from fsops.data import PreprocessingModel
from fsops.errors import DataError, enumerate_names
from fsops.sklearn.tables import chosen_columns, is_anndata, names_in, read_rows


class KeptColumns(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Keeps the columns that a process has kept."""

    def __init__(self, names: tuple[str, ...], accepts: Accepts) -> None:
        self.names = names
        self.accepts = accepts

    def fit(self, X: Any, y: Any = None) -> Self:
        """Do nothing: the process has learned what there is."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.accepts.missing
        tags.input_tags.sparse = True
        return tags

    def transform(self, X: Any) -> Any:
        """Return the columns that were kept, sparse if X is."""
        if is_anndata(X):
            return chosen_columns(self, X, self._get_support_mask())
        return super().transform(X)

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        seen = names_in(self)
        made = [name for name in self.names if name not in set(seen)]
        if made:
            raise DataError(
                f"The process makes new attributes, such as {enumerate_names(made[:1])}, which X "
                "does not have.",
                hint="Let it return the preprocessing model that makes them.",
            )
        return np.isin(np.array(seen, dtype=object), np.array(self.names, dtype=object))


class PreparedColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Prepares rows by the preprocessing model of a process."""

    def __init__(self, model: PreprocessingModel, accepts: Accepts, names: tuple[str, ...]) -> None:
        self.model = model
        self.accepts = accepts
        self.names = names

    def fit(self, X: Any, y: Any = None) -> Self:
        """Do nothing: the process has learned what there is."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, X: Any) -> Any:
        """Return the prepared rows: a data frame if there are nominal attributes, else a matrix.

        The matrix is sparse if X is and the preparation keeps zeros.
        """
        table = self.model.apply(read_rows(self, X, accepts=self.accepts))
        if len(table.schema.regular_numerical) == len(self.names):
            return table.matrix().tocsr() if table.is_sparse else np.array(table.numeric())
        frame = table.select(self.names).to_pandas()
        return frame.set_index(X.index) if hasattr(X, "index") else frame

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the prepared columns."""
        return np.array(self.names, dtype=object)
