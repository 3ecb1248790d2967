"""Questions to a table, however its values are stored."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from fsops.data.columns import (
    LARGEST_NUMBER,
    MISSING_CODE,
    Codes,
    Floats,
    is_missing,
    occurring,
    read_only,
)
from fsops.data.names import Names, Positions
from fsops.data.schema import LABEL, NOMINAL, Attribute, Schema
from fsops.data.weights import AttributeWeights
from fsops.errors import DataError, enumerate_names, in_rows

if TYPE_CHECKING:
    from fsops.algorithms.base.moments import ClassMoments, CrossMoments
    from fsops.algorithms.filters.streaming import Mergeable
    from fsops.algorithms.mrmr.measures import Redundancy
    from fsops.algorithms.statistics.information import Contingency
    from fsops.data.row_plans import PlannedRows
    from fsops.data.statistics import PassRunner, Statistic

S = TypeVar("S", bound="Mergeable")
V = TypeVar("V")

CACHED = ("_label_values", "_class_codes")
"""Found out about the label; a view of the same rows takes it over."""
OTHERWISE = "leave these attributes out when reading (skip)"
"""Alternatives to replacing missing values."""


class Table:
    """Rows × attributes, as algorithms read them; `ExampleSet` stores the values."""

    schema: Schema
    n_rows: int

    @abstractmethod
    def values(self, positions: Positions) -> npt.NDArray[Any]:
        """Return the stored values of attributes that share a storage type, read-only."""

    @property
    @abstractmethod
    def missing_by_attribute(self) -> dict[str, int]:
        """Number of missing values of each regular attribute that has any."""

    @property
    @abstractmethod
    def extreme_attributes(self) -> Sequence[str]:
        """Names of the regular numerical attributes with values beyond `LARGEST_NUMBER`."""

    # --- values -----------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        label = self.schema.label
        about = "no label" if label is None else f"label {label.name} ({label.value_type})"
        size = f"{self.n_rows} × {len(self.schema.regular)}"
        return f"<{type(self).__name__} {size} attributes, {about}>"

    @property
    def names(self) -> Names:
        """Names of all attributes."""
        return self.schema.names

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """All attributes, special ones too."""
        return tuple(self.schema)

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return the stored values of one attribute: numbers, codes, dates or text."""
        position = np.array([self.schema.position(name)])
        found: npt.NDArray[Any] = self.values(position)[:, 0]
        return found

    def nominal_values(self, name: str) -> list[str | None]:
        """Return the category of each row as text; None where missing."""
        categories = (*self.schema.attribute(name).categories, None)
        return [categories[code] for code in self.column(name)]

    def numeric(self) -> Floats:
        """Return the regular numerical attributes as one read-only matrix; NaN is missing."""
        return self.values(self.schema.regular_numerical)

    @property
    def is_sparse(self) -> bool:
        """Whether regular numerical attributes are stored without their zeros."""
        return False

    def matrix(self) -> Any:
        """Return the regular numerical attributes as they are stored.

        A sparse table returns a ``csc_array`` of scipy, any other one the matrix of `numeric`.
        """
        return self.numeric()

    def nominal(self) -> Codes:
        """Return the codes of the regular nominal attributes as one matrix; -1 is missing."""
        return self.values(self.schema.regular_nominal).astype(np.int32, copy=False)

    def category_counts(self) -> npt.NDArray[np.intp]:
        """Return the number of categories of each regular nominal attribute."""
        return self.schema.category_counts(self.schema.regular_nominal)

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs; it can find out about the label by itself."""
        known = (*CACHED, "_sparse", "_neighbours", "row_weights")
        return {key: found for key, found in vars(self).items() if key not in known}

    # --- the label --------------------------------------------------------------------------

    @property
    def label(self) -> Attribute:
        """The attribute to predict; an error if there is none."""
        label = self.schema.label
        if label is None:
            raise DataError(
                "The data has no label.", hint="Give an attribute the role label (Set Role)."
            )
        return label

    @property
    def classes(self) -> tuple[str, ...]:
        """Categories of a nominal label."""
        label = self.label
        if not label.value_type.is_nominal:
            raise DataError(
                f'The label "{label.name}" is {label.value_type} and has no classes.',
                hint="Make it nominal first.",
            )
        return label.categories

    def label_values(self) -> npt.NDArray[Any]:
        """Return the label as numbers or class codes, read-only; a missing label is an error."""
        return self._label_values

    # Every operator on the way asks for the label, be it only to check it.
    @cached_property
    def _label_values(self) -> npt.NDArray[Any]:
        label = self.label
        if not (label.value_type.is_nominal or label.value_type.is_numerical):
            raise DataError(
                f'The label "{label.name}" is {label.value_type}.',
                hint="It must be a number or a class.",
            )
        # By position: a selection of attributes would have to look for the name again.
        position = self.schema.special_position(LABEL)
        values: npt.NDArray[Any] = self.values(np.array([position]))[:, 0]
        missing = is_missing(values)
        if missing.any():
            raise DataError(
                f'The label "{label.name}" is missing {in_rows(np.flatnonzero(missing).tolist())}.',
                hint="Leave these rows out: Filter Examples, no_missing_labels.",
            )
        return values

    @property
    def class_number(self) -> int:
        """How many classes of the label occur; 0 for a numerical label."""
        return len(self._class_codes[1]) if self.label.value_type in NOMINAL else 0

    def class_codes(self) -> tuple[Codes, tuple[str, ...]]:
        """Return the class of each row as 0, 1, …, and the classes that occur, in sorted order.

        The codes are read-only.
        """
        return self._class_codes

    @cached_property
    def _class_codes(self) -> tuple[Codes, tuple[str, ...]]:
        classes = self.classes
        codes = self.label_values()
        present = sorted(occurring(codes).tolist(), key=lambda code: classes[code])
        lookup = np.full(len(classes), MISSING_CODE, dtype=np.int32)
        lookup[present] = np.arange(len(present))
        return read_only(lookup[codes]), tuple(classes[code] for code in present)

    def binary_label(self) -> Codes:
        """Return 1 for the positive class and 0 for the other; positive is what sorts last."""
        codes, present = self.class_codes()
        if len(present) != 2:
            raise DataError(
                f'Two classes are needed, but the label "{self.label.name}" has {len(present)} in '
                f"these rows: {enumerate_names(present)}.",
                hint="Keep the rows of two classes.",
            )
        return codes

    def numeric_label(self) -> Floats:
        """Return a numerical label, or one of two classes coded 0 and 1."""
        nominal = self.label.value_type.is_nominal
        target = self.binary_label() if nominal else self.label_values()
        return target.astype(np.float64)

    @cached_property
    def row_weights(self) -> Floats | None:
        """How often each row counts, from the attribute with the role weight; None without one.

        Raises `DataError` if a weight is missing, infinite, negative or larger than
        `LARGEST_NUMBER`, or if all are 0.
        """
        attribute = self.schema.row_weight
        if attribute is None:
            return None
        if not attribute.value_type.is_numerical:
            raise DataError(
                f'The row weights "{attribute.name}" are {attribute.value_type}; they must be '
                "numbers."
            )
        weights = np.asarray(self.column(attribute.name), dtype=np.float64)
        wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
        if len(wrong):
            raise DataError(
                f'The row weight "{attribute.name}" is missing, infinite or negative '
                f"{in_rows(wrong.tolist())}.",
                hint="Correct these weights; 0 leaves a row out.",
            )
        large = np.flatnonzero(weights > LARGEST_NUMBER)
        if len(large):
            raise DataError(
                f'The row weight "{attribute.name}" is larger than {LARGEST_NUMBER:g} '
                f"{in_rows(large.tolist())}.",
                hint="Divide all row weights by the same number: a weight is the number of times a "
                "row counts.",
            )
        if self.n_rows and not weights.any():
            raise DataError(
                f'All row weights in "{attribute.name}" are zero, so no row of the table counts.',
                hint="Give the rows to use a weight above 0, or give "
                f'"{attribute.name}" another role (Set Role).',
            )
        return weights

    # --- checks ---------------------------------------------------------------------------

    @property
    def values_known(self) -> bool:
        """Whether missing and extreme values can be looked for without reading a file."""
        return True

    @property
    def stays_in_file(self) -> bool:
        """Whether the table is in a file and too large to be loaded."""
        return False

    def require_complete(self, otherwise: str = OTHERWISE) -> None:
        """Raise `DataError`, naming the attributes, if a value is missing.

        ``otherwise`` is what else than replacing them can be done.
        """
        raise_missing(self.missing_by_attribute, otherwise)

    def require_bounded(self) -> None:
        """Raise `DataError`, naming the attributes, if a number is infinite or too large."""
        raise_extreme(self.extreme_attributes)

    # --- statistics -------------------------------------------------------------------------
    # Operators that ask for nothing else work on tables of any size. Here the table is in memory;
    # one in a file is read in blocks of rows, whose statistics are merged.

    def moments(
        self,
        groups: npt.NDArray[np.integer[Any]] | None = None,
        *,
        row_weights: npt.NDArray[Any] | None = None,
        missing: Literal["error", "pairwise"] = "error",
        otherwise: str = OTHERWISE,
        ctx: PassRunner | None = None,
    ) -> ClassMoments:
        """Return count, mean and sum of squared deviations of the numerical attributes by class.

        Parameters
        ----------
        groups : array of shape (rows,), optional
            Group of each row as 0, 1, …; the class if not given. Moments of folds × classes merge
            into those of every training set.
        row_weights : array of shape (rows,), optional
            How often each row counts, such as in a bootstrap; 0 leaves it out. They are multiplied
            by the weights that the table itself has.
        missing : {"error", "pairwise"}
            Raise `DataError`, or leave each missing value out for its attribute only.
        otherwise : str
            What else than replacing missing values can be done, for the hint of that error.
        ctx : Context, optional
            That of the operator: its engine then reads the parts of a table in a file.
        """
        from fsops.data.statistics import GroupMoments

        factors = self._row_weights(row_weights)
        planned = self._planned() if groups is None and factors is None else None
        found = None if planned is None else planned.class_moments(ctx)
        if found is not None:
            return found
        statistic = GroupMoments(*self._groups(groups), factors)
        return self._summed(statistic, self.schema.regular_numerical, missing, otherwise, ctx)

    def cross_moments(
        self,
        target: npt.NDArray[Any] | None = None,
        *,
        row_weights: npt.NDArray[Any] | None = None,
        missing: Literal["error", "pairwise"] = "error",
        otherwise: str = OTHERWISE,
        ctx: PassRunner | None = None,
    ) -> CrossMoments:
        """Return the moments of the numerical attributes together with a number of each row.

        Parameters
        ----------
        target : array of shape (rows,), optional
            The numbers; `numeric_label` if not given.
        row_weights, missing, otherwise, ctx
            See `moments`.
        """
        from fsops.algorithms.base.types import as_target
        from fsops.data.statistics import TargetMoments

        factors = self._row_weights(row_weights)
        planned = self._planned() if target is None and factors is None else None
        found = None if planned is None else planned.cross_moments(ctx)
        if found is not None:
            return found
        y = as_target(self.numeric_label() if target is None else target, self.n_rows)
        statistic = TargetMoments(y, factors)
        places = self.schema.regular_numerical
        moments = self._summed(statistic, places, missing, otherwise, ctx)
        return moments.without_label_noise(float(np.abs(y).max(initial=0.0)))

    def counts(
        self,
        groups: npt.NDArray[np.integer[Any]] | None = None,
        *,
        row_weights: npt.NDArray[Any] | None = None,
        missing: Literal["error", "category", "pairwise"] = "error",
        otherwise: str = OTHERWISE,
        ctx: PassRunner | None = None,
    ) -> Contingency:
        """Return how often each category of each nominal attribute meets each class.

        Parameters
        ----------
        missing : {"error", "category", "pairwise"}
            Raise `DataError`, count missing values as a separate category, the last one of each
            attribute, or leave them out for their attribute only.
        groups, row_weights, otherwise, ctx
            See `moments`.
        """
        from fsops.data.statistics import CategoryCounts

        statistic = CategoryCounts(
            *self._groups(groups),
            self.category_counts(),
            "pairwise" if missing == "pairwise" else "category",
            self._row_weights(row_weights),
        )
        return self._summed(statistic, self.schema.regular_nominal, missing, otherwise, ctx)

    def correlations(
        self,
        moments: ClassMoments | CrossMoments,
        relevance: Floats,
        *,
        ctx: PassRunner | None = None,
    ) -> Redundancy:
        """Return the absolute correlations of the numerical attributes, computed when asked for.

        Parameters
        ----------
        moments : ClassMoments or CrossMoments
            Of the same attributes, without missing values.
        relevance : array of shape (attributes,)
            The most relevant ones are likely to be asked for first. A table in a file reads several
            of them at once.
        ctx : Context, optional
            See `moments`.
        """
        from fsops.algorithms.mrmr.measures import CorrelationRedundancy

        if self.is_sparse:
            from fsops.algorithms.filters.sparse import sparse_correlation

            return sparse_correlation(self.matrix(), moments, relevance)
        return CorrelationRedundancy(self.numeric())

    def product_sums(
        self, mean: Floats, chosen: npt.NDArray[np.intp], *, ctx: PassRunner | None = None
    ) -> Floats:
        """Return sums of products of all numerical attributes with some, less their means.

        Rows count by their weights.

        Parameters
        ----------
        mean : array of shape (attributes,)
        chosen : array of int
            Numbers of the attributes among the numerical ones.
        ctx : Context, optional
            See `moments`.
        """
        X = self.numeric()
        centred = X[:, chosen] - mean[chosen]
        if self.row_weights is not None:
            centred *= self.row_weights[:, None]
        sums: Floats = X.T @ centred - np.outer(mean, centred.sum(axis=0))
        return sums

    def by_columns(
        self,
        function: Callable[[Any, Sequence[str]], V],
        names: Sequence[str] | None = None,
        *,
        ctx: PassRunner | None = None,
    ) -> list[V]:
        """Return a function of all rows, of one part of the attributes after the other.

        For statistics of single attributes that cannot be merged, such as ranks. A table in memory
        is one part. One in a file is cut, so that each part fits into memory; the results are the
        same, because no attribute is cut.

        Parameters
        ----------
        function : callable
            From a table with some of the attributes, the label and the row weight, and the names of
            these attributes. An engine may call it in another process.
        names : sequence of str, optional
            The attributes; the regular ones if not given.
        ctx : Context, optional
            See `moments`.
        """
        return [function(self, self.schema.regular_names if names is None else names)]

    def _planned(self) -> PlannedRows | None:
        """Return which set of a plan these rows are: its moments are computed with the others."""
        return None

    def _summed(
        self,
        statistic: Statistic[S],
        positions: Positions,
        missing: str,
        otherwise: str,
        ctx: PassRunner | None,
    ) -> S:
        """Return a statistic of some attributes, whose values are checked."""
        self.require_bounded()
        if missing == "error" and self.missing_by_attribute:
            names = self.schema.names_at(positions)
            found = self.missing_by_attribute
            raise_missing({name: found[name] for name in names if name in found}, otherwise)
        return statistic.of_table(self)

    def _groups(self, groups: npt.NDArray[np.integer[Any]] | None) -> tuple[npt.NDArray[Any], int]:
        """Return the group of each row and the number of groups."""
        from fsops.algorithms.base.types import as_classes, count_classes

        if groups is None:
            codes, classes = self.class_codes()
            return codes, max(1, len(classes))
        return as_classes(groups, self.n_rows), count_classes(groups)

    def _row_weights(self, weights: npt.NDArray[Any] | None) -> Floats | None:
        """Return the given weights of the rows times those of the table; None if all count once."""
        from fsops.algorithms.base.types import as_row_weights

        if weights is None:
            return self.row_weights
        given = as_row_weights(weights, self.n_rows)
        return given if self.row_weights is None else given * self.row_weights

    # --- results ----------------------------------------------------------------------------

    def weights(
        self,
        values: npt.ArrayLike,
        *,
        names: Sequence[str] | None = None,
        details: Mapping[str, npt.ArrayLike] | None = None,
    ) -> AttributeWeights:
        """Return weights for the regular attributes, or for the numerical ones of a mixed table.

        Which of the two is meant follows from the number of values; ``names`` says it outright.
        """
        scores = np.asarray(values, dtype=np.float64)
        if names is None:
            regular, numerical = self.schema.regular, self.schema.regular_numerical
            fits = next((p for p in (regular, numerical) if scores.shape == (len(p),)), None)
            if fits is None:
                raise DataError(
                    f"The data has {len(regular)} regular attributes ({len(numerical)} numerical), "
                    f"but the weights have the shape {scores.shape}."
                )
            # The very tuple of the schema: equal names are then found to be so at a glance.
            whole = fits is regular
            names = self.schema.regular_names if whole else self.schema.names_at(fits)
        return AttributeWeights(names, scores, details=details)


def raise_missing(missing: Mapping[str, int], otherwise: str) -> None:
    """Raise `DataError` if attributes have missing values; ``otherwise`` is part of the hint."""
    if missing:
        total = sum(missing.values())
        counted = "1 value is" if total == 1 else f"{total} values are"
        raise DataError(
            f"{counted} missing, in {enumerate_names(list(missing))}.",
            hint=f"Replace them first (Replace Missing Values), or {otherwise}.",
        )


def raise_extreme(names: Sequence[str]) -> None:
    """Raise `DataError` if attributes have values beyond `LARGEST_NUMBER`."""
    if names:
        raise DataError(
            f"There are infinite values, or numbers beyond {LARGEST_NUMBER:g}, in "
            f"{enumerate_names(names)}.",
            hint="Replace them (Generate Attributes: if(x > 1e30, MISSING_NUMERIC, x)), or leave "
            "these attributes out.",
        )
