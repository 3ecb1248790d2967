"""Missing values from similar rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import operator
from fsops.data import ExampleSet, Schema
from fsops.data.columns import MISSING_CODE
from fsops.operators.preparation.attribute_filter import AttributeFilter, selected_names
from fsops.operators.preparation.prepared import (
    ANY_VALUES,
    WITH_MODEL,
    Prepared,
    describe_change,
    nominal_among,
    numerical_among,
    prepared,
)
from fsops.operators.preparation.scaling import real_numbers

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
CELLS = 2**24  # distances that are held at once


@dataclass(frozen=True)
class NeighbourImputation:
    """Fills gaps from the rows that are nearest in the numerical attributes."""

    numerical: Schema
    nominal: Schema
    numbers: Floats
    """The numerical attributes of the training rows; all rows are kept."""
    codes: Codes
    """Their nominal attributes."""
    neighbours: int
    weighted: bool

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with its gaps filled, as far as the training rows allow."""
        X = examples.aligned(self.numerical).values(np.arange(len(self.numerical)))
        table = examples.with_numbers(
            examples.schema.positions(self.numerical.names), self._filled_numbers(X)
        )
        return self._with_categories(X, table) if len(self.nominal) else table

    def _filled_numbers(self, X: Floats) -> Floats:
        from sklearn.impute import KNNImputer

        known = np.flatnonzero(~np.isnan(self.numbers).all(axis=0))
        filled = np.array(X, order="F")
        if known.size:
            weights = "distance" if self.weighted else "uniform"
            imputer = KNNImputer(n_neighbors=self.neighbours, weights=weights)
            centre = self._centre[known]
            made = imputer.fit(self.numbers[:, known] - centre).transform(X[:, known] - centre)
            filled[:, known] = np.where(np.isnan(X[:, known]), made + centre, X[:, known])
        return filled

    @cached_property
    def _centre(self) -> Floats:
        """Means of the known numbers: distances of centered numbers lose no digits."""
        known = ~np.isnan(self.numbers)
        total = np.where(known, self.numbers, 0.0).sum(axis=0)
        return np.asarray(total / np.maximum(known.sum(axis=0), 1))

    def _with_categories(self, X: Floats, examples: ExampleSet) -> ExampleSet:
        known = examples.aligned(self.nominal)
        codes = known.values(np.arange(len(self.nominal))).copy(order="F")
        gaps = np.flatnonzero((codes == MISSING_CODE).any(axis=1))
        step = max(1, CELLS // max(1, len(self.numbers)))
        for first in range(0, len(gaps), step):
            rows = gaps[first : first + step]
            distances = self._distances(X[rows])
            empties = codes[rows] == MISSING_CODE
            for j in np.flatnonzero(empties.any(axis=0)).tolist():
                empty = empties[:, j]
                codes[rows[empty], j] = self._majority(distances[empty], self.codes[:, j])
        schema = examples.schema
        positions = schema.positions(self.nominal.names)
        return examples.with_block(schema.declared(positions, self.nominal), positions, codes)

    def _distances(self, X: Floats) -> Floats:
        """Return Euclidean distances over the numbers that both rows know; infinite if none."""
        if not X.shape[1]:
            return np.full((len(X), len(self.numbers)), np.inf)
        from sklearn.metrics.pairwise import nan_euclidean_distances

        found = nan_euclidean_distances(X - self._centre, self.numbers - self._centre)
        return np.where(np.isnan(found), np.inf, found)

    def _majority(self, distances: Floats, donated: Codes) -> Codes:
        """Return the category most of the nearest rows have; in doubt the more frequent one."""
        donors = np.flatnonzero(donated != MISSING_CODE)
        if not donors.size or not len(distances):
            return np.full(len(distances), MISSING_CODE, dtype=np.int32)
        frequency = np.bincount(donated[donors])
        near = np.argsort(distances[:, donors], axis=1, kind="stable")[:, : self.neighbours]
        far = np.take_along_axis(distances[:, donors], near, axis=1)
        votes = np.zeros((len(near), len(frequency)))
        rows = np.repeat(np.arange(len(near)), near.shape[1])
        np.add.at(votes, (rows, donated[donors][near].ravel()), self._weights(far).ravel())
        tied = votes >= votes.max(axis=1, keepdims=True) * (1 - 1e-12)
        chosen: Codes = np.where(tied, frequency, -1).argmax(axis=1).astype(np.int32)
        return chosen

    def _weights(self, far: Floats) -> Floats:
        """Return the weight of each neighbor; rows that are the same outvote all others."""
        if not self.weighted:
            return np.isfinite(far).astype(np.float64)
        with np.errstate(divide="ignore"):
            closeness = 1 / far
        same = np.isinf(closeness)
        return np.where(same.any(axis=1, keepdims=True), same, closeness).astype(np.float64)


@operator(
    group="Preparation/Missing values",
    role="preparation",
    accepts=ANY_VALUES,
    describe=describe_change(real_numbers, keeps_missing=False),
    aliases=WITH_MODEL,
    tags=("impute", "fill", "nan", "nearest neighbors", "knn"),
)
def impute_knn(
    examples: ExampleSet,
    *,
    number_of_neighbors: Annotated[
        int, Field(ge=1, description="Number of similar rows to use.")
    ] = 5,
    weighted_vote: Annotated[
        bool, Field(description="Let nearer rows count more, by 1 / distance.")
    ] = False,
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    """Impute Missing Values (k-NN)

    Fills missing values from the k most similar rows with a known value: numbers by their mean,
    categories by the most frequent one. The model fills missing values of other rows from the rows
    learned here: inside a validation apply it to the test rows instead of filling before.

    Rows are similar if their numerical attributes are close: Euclidean distance over the numbers
    that are known in both rows, scaled up for missing numbers. Attributes with large numbers
    dominate the distance: use Normalize before. If categories get equal votes, the more frequent
    one is used. Rows without any known number also get the most frequent category. An attribute
    without any known value stays as it is. The model keeps all its training rows.

    References
    ----------
    Troyanskaya et al. (2001): Missing value estimation methods for DNA microarrays. Bioinformatics
    17, 520–525.
    """
    schema = examples.schema
    names = selected_names(examples, attribute_filter)
    numerical = schema.positions(numerical_among(schema, names))
    nominal = schema.positions(nominal_among(schema, names))
    imputation = NeighbourImputation(
        schema.take(numerical),
        schema.take(nominal),
        np.array(examples.values(numerical), dtype=np.float64),
        np.array(examples.values(nominal), dtype=np.int32),
        number_of_neighbors,
        weighted_vote,
    )
    used = schema.names_at(np.sort(np.concatenate([numerical, nominal])))
    return prepared(examples, imputation, used, "Impute Missing Values (k-NN)")
