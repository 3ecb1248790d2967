"""Counts on a common scale: cells and texts of different length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.preparation import count_scaling
from fsops.core import Context, operator
from fsops.data import ExampleSet
from fsops.operators.counts import refuse_negative
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

TABLE = replace(ANY_VALUES, sparse=True)
NOT_COUNTS = "Use Normalize for numbers that are not counts."


def _counts(examples: ExampleSet, names: Sequence[str]) -> Any:
    """Return the chosen attributes as they are stored; negative numbers are an error."""
    values = examples.stored(examples.schema.positions(names))
    refuse_negative(values, names, NOT_COUNTS)
    return values


def _chosen(examples: ExampleSet, attribute_filter: AttributeFilter, ctx: Context) -> Sequence[str]:
    names = numerical_among(examples.schema, selected_names(examples, attribute_filter))
    if not names:
        ctx.warn("No numerical attribute is chosen, so nothing is changed.")
    return names


@dataclass(frozen=True)
class LibrarySize:
    """Brings each row to the same sum of counts."""

    names: Sequence[str]
    target: float
    logarithm: bool

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with scaled counts."""
        values = _counts(examples, self.names)
        scaled = count_scaling.scaled_libraries(values, self.target, logarithm=self.logarithm)
        return examples.with_numbers(examples.schema.positions(self.names), scaled)


@operator(
    group="Preparation/Scaling",
    role="preparation",
    accepts=TABLE,
    describe=describe_change(real_numbers),
    aliases=WITH_MODEL,
    tags=("single cell", "counts", "library size", "log1p", "cpm", "depth", "sparse"),
)
def normalize_library_size(
    examples: ExampleSet,
    *,
    target_sum: Annotated[
        Annotated[float, Field(gt=0)] | None,
        Field(
            description="Sum of each row after scaling, such as 10,000; empty: the median of the "
            "sums of the training rows."
        ),
    ] = None,
    logarithm: Annotated[
        bool, Field(description="Take ln(1 + x) of the scaled counts, which keeps zeros.")
    ] = True,
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    """Normalize Library Size

    Makes rows of counts comparable if their totals differ, such as single cells with different
    numbers of molecules. Each row is scaled to the same sum, then ln(1 + x) is taken. Zeros stay
    zeros, so a sparse table stays sparse.

    The model brings other rows to the sum found on the training rows: inside a validation learn it
    on the training rows and apply it to the test rows. Negative numbers are refused. A row without
    counts stays as it is. Missing values do not count for the sum and stay missing.

    References
    ----------
    Wolf, Angerer, Theis (2018): SCANPY: large-scale single-cell gene expression data analysis.
    Genome Biology 19 (normalize_total and log1p).
    """
    names = _chosen(examples, attribute_filter, ctx)
    values = _counts(examples, names)
    target = target_sum
    if target is None:
        target = count_scaling.usual_library_size(count_scaling.library_sizes(values))
    transform = LibrarySize(names, target, logarithm)
    return prepared(examples, transform, names, "Normalize Library Size")


@dataclass(frozen=True, eq=False)
class TfIdf:
    """Counts times the rarity of their attributes."""

    names: Sequence[str]
    idf: npt.NDArray[np.float64]
    logarithm: bool
    norm: str

    def __call__(self, examples: ExampleSet) -> ExampleSet:
        """Return the table with weighted counts."""
        values = count_scaling.tf_idf(
            _counts(examples, self.names), self.idf, logarithm=self.logarithm, norm=self.norm
        )
        return examples.with_numbers(examples.schema.positions(self.names), values)


@operator(
    group="Preparation/Scaling",
    role="preparation",
    accepts=TABLE,
    describe=describe_change(real_numbers),
    aliases=WITH_MODEL,
    tags=("text", "words", "term frequency", "document frequency", "counts", "sparse"),
)
def tf_idf(
    examples: ExampleSet,
    *,
    term_frequency: Annotated[
        Literal["counts", "logarithm"],
        Field(description="Use counts as they are, or 1 + ln of each count above 0."),
    ] = "counts",
    smooth: Annotated[bool, Field(description="Add 1 to all counts of rows.")] = True,
    norm: Annotated[
        Literal["l2", "l1", "none"],
        Field(description="Divide each row by its length or by its sum, or do not scale it."),
    ] = "l2",
    ctx: Context,
    **attribute_filter: Unpack[AttributeFilter],
) -> Prepared:
    r"""TF-IDF

    Multiplies counts, such as words in texts, by the rarity of their attribute, and brings all rows
    to length 1. A word that occurs in most texts then counts little. Zeros stay zeros, so a sparse
    table stays sparse.

    The rarity is computed from the training rows: inside a validation, learn it there and apply the
    model to the test rows. Negative numbers are refused. Missing values do not count and stay
    missing. Without smooth, an attribute that no training row has gets the same rarity as an
    attribute of a single row.

    .. math:: x_{ij} \left(1 + \ln \frac{1 + n}{1 + n_j}\right) \text{ (smooth)}, \qquad
        x_{ij} \left(1 + \ln \frac{n}{n_j}\right)

    References
    ----------
    Spärck Jones (1972): A statistical interpretation of term specificity and its application in
    retrieval. Journal of Documentation 28.
    """
    names = _chosen(examples, attribute_filter, ctx)
    idf = count_scaling.inverse_document_frequencies(_counts(examples, names), smooth=smooth)
    transform = TfIdf(names, idf, term_frequency == "logarithm", norm)
    return prepared(examples, transform, names, "TF-IDF")
