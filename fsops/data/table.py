"""What a table can be asked, however its values are stored."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data.columns import MISSING_CODE, Codes, Floats, is_missing, occurring
from fsops.data.schema import Attribute, Positions, Schema
from fsops.data.weights import AttributeWeights
from fsops.errors import DataError, enumerate_names, in_rows

OTHERWISE = "leave these attributes out when reading (skip)"
"""What else than replacing missing values can be done."""


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
    def extreme_attributes(self) -> tuple[str, ...]:
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
    def names(self) -> tuple[str, ...]:
        """Names of all attributes."""
        return self.schema.names

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """All attributes, special ones too."""
        return tuple(self.schema)

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return the stored values of one attribute: numbers, codes, dates or text."""
        found: npt.NDArray[Any] = self.values(self.schema.positions([name]))[:, 0]
        return found

    def nominal_values(self, name: str) -> list[str | None]:
        """Return the category of each row as text; None where missing."""
        categories = (*self.schema.attribute(name).categories, None)
        return [categories[code] for code in self.column(name)]

    def numeric(self) -> Floats:
        """Return the regular numerical attributes as one read-only matrix; NaN is missing."""
        return self.values(self.schema.regular_numerical)

    def nominal(self) -> Codes:
        """Return the codes of the regular nominal attributes as one matrix; -1 is missing."""
        return self.values(self.schema.regular_nominal).astype(np.int32, copy=False)

    def category_counts(self) -> npt.NDArray[np.intp]:
        """Return the number of categories of each regular nominal attribute."""
        names = self.schema.names_at(self.schema.regular_nominal)
        return np.array([len(self.schema.attribute(n).categories) for n in names], dtype=np.intp)

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
        """Return the label as numbers or class codes; a missing label is an error."""
        label = self.label
        if not (label.value_type.is_nominal or label.value_type.is_numerical):
            raise DataError(
                f'The label "{label.name}" is {label.value_type}.',
                hint="It must be a number or a class.",
            )
        values = self.column(label.name)
        missing = is_missing(values)
        if missing.any():
            raise DataError(
                f'The label "{label.name}" is missing {in_rows(np.flatnonzero(missing).tolist())}.',
                hint="Leave these rows out: Filter Examples, no_missing_labels.",
            )
        return values

    def class_codes(self) -> tuple[Codes, tuple[str, ...]]:
        """Return the class of each row as 0, 1, …, and the classes that occur, in sorted order."""
        classes = self.classes
        codes = self.label_values()
        present = sorted(occurring(codes).tolist(), key=lambda code: classes[code])
        lookup = np.full(len(classes), MISSING_CODE, dtype=np.int32)
        lookup[present] = np.arange(len(present))
        return lookup[codes], tuple(classes[code] for code in present)

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

    # --- checks ---------------------------------------------------------------------------

    def require_complete(self, otherwise: str = OTHERWISE) -> None:
        """Raise `DataError`, naming the attributes, if a value is missing.

        ``otherwise`` is what else than replacing them can be done.
        """
        missing = self.missing_by_attribute
        if missing:
            total = sum(missing.values())
            counted = "1 value is" if total == 1 else f"{total} values are"
            raise DataError(
                f"{counted} missing, in {enumerate_names(list(missing))}.",
                hint=f"Replace them first (Replace Missing Values), or {otherwise}.",
            )

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
