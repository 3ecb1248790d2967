"""Relevance of attributes and redundancy of pairs of them, chosen by their types."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.hashing import Hashes, column_hashes
from fsops.algorithms.base.moments import ClassMoments, CrossMoments
from fsops.algorithms.base.ranking import average_ranks, average_ranks_of_columns
from fsops.algorithms.base.types import Floats
from fsops.algorithms.filters.relevance import maximum_relevance
from fsops.algorithms.filters.univariate import f_test_from, pearson, pearson_from
from fsops.algorithms.mrmr import selection as mrmr
from fsops.algorithms.statistics.information import mutual_information, symmetric_uncertainty
from fsops.core import Context
from fsops.data import ExampleSet, FlowObject
from fsops.data.names import Names
from fsops.data.schema import NOMINAL, NUMERICAL
from fsops.errors import DataError
from fsops.operators.weighting.information import EQUAL_PARTS, attribute_codes
from fsops.operators.weighting.scores import class_codes

Measure = Annotated[
    Literal["by type", "mutual information", "symmetric uncertainty", "spearman"],
    Field(
        description="Measure of relevance and redundancy. By type: correlation, F-test or "
        "mutual information, depending on the types. The other measures discretize or rank first. "
        "With a cache, the measure of the cache is used."
    ),
]
BINS = 3  # with few rows more bins make every pair look dependent


@dataclass(frozen=True)
class Measures:
    """Relevance of every attribute and redundancy of every pair, on one table."""

    names: Sequence[str]
    relevance: Floats
    redundancy: mrmr.Redundancy
    same_scale: bool
    """Whether relevance and redundancy are the same measure, so that they can be subtracted."""


def by_correlation(examples: ExampleSet, measure: str) -> bool:
    """Return whether moments and correlations are enough: the attributes are all numbers."""
    return measure == "by type" and not len(examples.schema.regular_nominal)


def measures_of(examples: ExampleSet, measure: str, ctx: Context | None = None) -> Measures:
    """Return relevance and redundancy on a table.

    Only measures `by_correlation` can do without all rows in memory.
    """
    names = examples.schema.regular_names
    if by_correlation(examples, measure):
        return _of_numbers(examples, names, ctx)
    if measure in ("mutual information", "symmetric uncertainty"):
        return _of_codes(examples, names, measure)
    if measure in ("pearson", "spearman"):
        return _of_correlations(examples, names, ranks=measure == "spearman")
    return _by_type(examples, names)


def _of_codes(examples: ExampleSet, names: Sequence[str], measure: str) -> Measures:
    classes = class_codes(examples)
    codes = attribute_codes(examples, classes, EQUAL_PARTS, BINS)
    score = mutual_information if measure == "mutual information" else symmetric_uncertainty
    kind: Literal["mi", "su"] = "mi" if measure == "mutual information" else "su"
    relevance = mrmr.defined(score(codes, classes).weights)
    return Measures(names, relevance, mrmr.NominalRedundancy(codes, kind), same_scale=True)


def _of_correlations(examples: ExampleSet, names: Sequence[str], *, ranks: bool) -> Measures:
    kind = "Spearman's" if ranks else "Pearson's"
    if len(examples.schema.regular_nominal):
        raise DataError(f"{kind} correlation needs numerical attributes.")
    label = examples.label
    codes = class_codes(examples) if label.value_type.is_nominal else examples.label_values()
    target, X = codes.astype(np.float64), examples.numeric()
    if ranks:
        target, X = average_ranks(target), average_ranks_of_columns(X)
    elif label.value_type.is_nominal and target.max(initial=0.0) > 1:
        raise DataError(
            f"Pearson's correlation with the label needs a number or two classes, but "
            f'"{label.name}" has {int(target.max()) + 1} classes.',
            hint="Use symmetric uncertainty.",
        )
    relevance = mrmr.defined(pearson(X, target).weights)
    return Measures(names, relevance, mrmr.CorrelationRedundancy(X), same_scale=True)


def _of_numbers(examples: ExampleSet, names: Sequence[str], ctx: Context | None) -> Measures:
    moments: ClassMoments | CrossMoments
    nominal_label = examples.label.value_type.is_nominal
    if nominal_label:
        moments = examples.moments(ctx=ctx)
        relevance = f_test_from(moments, p_values=False).weights
    else:
        moments = examples.cross_moments(ctx=ctx)
        relevance = pearson_from(moments).weights
    relevance = mrmr.defined(relevance)
    redundancy = examples.correlations(moments, relevance, ctx=ctx)
    return Measures(names, relevance, redundancy, same_scale=not nominal_label)


def _by_type(examples: ExampleSet, names: Sequence[str]) -> Measures:
    schema = examples.schema
    nominal_label = examples.label.value_type.is_nominal
    numeric, nominal = examples.numeric(), examples.nominal()
    found = maximum_relevance(
        numeric,
        nominal,
        class_codes(examples) if nominal_label else examples.label_values(),
        nominal_label=nominal_label,
    )
    is_nominal = np.isin(schema.regular, schema.regular_nominal)
    relevance = np.empty(len(names))
    relevance[~is_nominal], relevance[is_nominal] = found.numeric.weights, found.nominal.weights
    redundancy: mrmr.Redundancy
    if is_nominal.all():
        redundancy, same = mrmr.NominalRedundancy(nominal), nominal_label
    else:
        redundancy, same = mrmr.MixedRedundancy(numeric, nominal, is_nominal), False
    return Measures(names, mrmr.defined(relevance), redundancy, same)


def warn_irrelevant(found: Measures, ctx: Context) -> None:
    """Warn if no attribute is relevant, so that the order of the data decides."""
    if len(found.relevance) and not found.relevance.any():
        ctx.warn(
            "No attribute is relevant to the label, so the first attributes in the data are "
            "selected."
        )


@dataclass(frozen=True)
class ColumnKeys:
    """A hash of every regular attribute's values, and of the label."""

    names: Names
    """Of the regular attributes, and of the label last."""
    hashes: Hashes

    @classmethod
    def of(cls, examples: ExampleSet) -> ColumnKeys:
        """Return the keys of a table."""
        schema = examples.schema
        used = np.append(schema.regular, schema.position(examples.label.name))
        hashes = np.zeros(len(used), dtype=np.uint64)
        for types in (NUMERICAL, NOMINAL):
            mine = np.flatnonzero(np.isin(used, schema.of_types(types)))
            hashes[mine] = column_hashes(examples.values(used[mine]))
        return cls(schema.names_at(used), hashes)

    def content(self) -> bytes:
        """Return bytes that are the same for the same attributes with the same values."""
        return self.names.content() + self.hashes.tobytes()


class MrmrCache(FlowObject):
    """Relevances and redundancies of one table, shared by all users of subsets of its columns.

    Safe between threads. It answers only for the rows it was made of: every column it is asked
    about is compared by its hash.
    """

    port_name: ClassVar[str] = "cache"
    title: ClassVar[str] = "MRMR cache"

    def __init__(self, examples: ExampleSet, measure: str, megabytes: float) -> None:
        self.measure = measure
        self.keys = ColumnKeys.of(examples)
        found = measures_of(examples.loaded(), measure)
        self.remembered = mrmr.MRMRCache(found.redundancy, megabytes=megabytes)
        self.measures = Measures(found.names, found.relevance, self.remembered, found.same_scale)

    def __repr__(self) -> str:
        return f"<MrmrCache of {len(self.measures.names)} attributes, {self.remembered.hits} hits>"

    def positions(self, examples: ExampleSet) -> npt.NDArray[np.intp]:
        """Return where a table's attributes are in the cache; other rows are an error."""
        keys = ColumnKeys.of(examples)
        places = self.keys.names.find(keys.names)
        differs = (places < 0) | (self.keys.hashes[places] != keys.hashes)
        if differs.any():
            raise DataError(
                "The MRMR cache was made of other data: "
                f'"{keys.names[int(differs.argmax())]}" differs.',
                hint="Create it from the table from which the attributes are selected.",
            )
        return places[:-1]  # without the label

    def fingerprint(self) -> str:
        """Return a hash of the data and the measure; cached values are left out."""
        return hashlib.sha256(self.keys.content() + self.measure.encode()).hexdigest()

    def equals(self, other: object) -> bool:
        """Return whether both were made of the same data by the same measure."""
        return isinstance(other, MrmrCache) and self.fingerprint() == other.fingerprint()
