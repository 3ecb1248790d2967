"""The data an operator accepts, declared once and checked before and during the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from fsops.data.examples import ExampleSet
from fsops.data.metadata import ExampleSetMetaData
from fsops.data.number_texts import has_decimal_comma, slips
from fsops.data.schema import EVENT, NOMINAL, NUMERICAL, Attribute, Schema, ValueType
from fsops.errors import DataError, DeclarationError, did_you_mean, enumerate_names, in_rows, quoted

if TYPE_CHECKING:
    from fsops.core.declare.iterations import Count

LabelKind = Literal["none", "any", "nominal", "binominal", "numerical"]
AttributeKind = Literal[
    "any", "numerical, nominal or date", "numerical or nominal", "numerical", "nominal"
]
TWO_CLASSES = 'Did you mean "binominal"? It needs exactly two classes.'
LOOKED_AT = 100
"""So many attributes are looked at to say why they are not numerical."""
Passes = Callable[[Mapping[str, Any]], "Count"]
"""From the parameters to how often a table in a file is read."""
RowWeights = Literal["refused", "used", "whole numbers", "unaffected"]
"""How an operator uses row weights; `fsops.core.declare.row_weights` enforces it."""
BoundGroups = Literal["refused", "together", "completed", "unaffected"]
"""How a selection handles bound groups; `fsops.core.declare.bound_attributes` enforces it."""


def check_handling(name: str, declared: str, kinds: Any, where: str) -> None:
    """Raise `DeclarationError` if a declaration is none of those allowed."""
    allowed = get_args(kinds)
    if declared not in allowed:
        raise DeclarationError(
            f"{where}: {name} is {declared!r}; it must be one of {enumerate_names(allowed, 10)}.",
            hint=did_you_mean(declared, allowed),
        )


# Identity, as of operators: each call looks for its declaration among those that fit.
@dataclass(frozen=True, eq=False)
class Accepts:
    """Requirements on a table.

    Parameters
    ----------
    label : {"none", "any", "nominal", "binominal", "numerical"}
        What label is needed; ``"none"`` does not look at it. ``"binominal"`` needs exactly two
        classes in the data.
    attributes : AttributeKind
        Which regular attributes are understood.
    missing : bool
        Whether missing values are understood.
    infinite : bool
        Whether infinite values and numbers beyond 1e38 are understood. If not, a numerical label
        must be finite, too, and at most `LARGEST_LABEL`.
    instead : str
        What to use for data that does not fit, as a sentence.
    blocks : bool or "columns"
        Whether a table in a file may stay there. The operator then asks for `moments`,
        `cross_moments`, `counts` and `correlations` of the table, which check the values that
        they read; where a parameter needs all rows at once it calls `loaded`. With "columns" it
        asks `by_columns` for some attributes at a time, with all rows. For all others the table is
        loaded, or refused if it is too large.
    sparse : bool
        Whether a sparse table stays sparse. The operator then asks for the same statistics, for
        `matrix`, or for parts of the table. All others get a dense copy, with a warning, if the
        available memory suffices.
    passes : callable, optional
        From the parameters to how often a table in a file is read; once if not given.
    events : bool
        Whether a numerical label may be a censored time, with an attribute of the role event.
    several_classes : bool
        Whether a label of the kind ``"any"`` must have two classes or more in the rows if it has
        classes. Labels of the kinds ``"nominal"`` and ``"binominal"`` always must.
    """

    label: LabelKind = "none"
    attributes: AttributeKind = "any"
    missing: bool = False
    infinite: bool = False
    instead: str = ""
    blocks: bool | Literal["columns"] = False
    sparse: bool = False
    passes: Passes | None = None
    events: bool = False
    several_classes: bool = False

    def __post_init__(self) -> None:
        for name, kinds in (("label", LabelKind), ("attributes", AttributeKind)):
            value, allowed = getattr(self, name), get_args(kinds)
            if value not in allowed:
                raise DeclarationError(
                    f"Accepts({name}={value!r}): {name} must be one of "
                    f"{enumerate_names(allowed, 10)}.",
                    hint=TWO_CLASSES if value == "binary" else did_you_mean(str(value), allowed),
                )

    def check_schema(self, schema: Schema) -> None:
        """Raise `DataError` if attributes or label cannot fit, whatever the values are."""
        if self in schema.passed:
            return
        # Keep this order: the quick fixes (`core/checks/fixes.py`) fix the first fault
        # in the same order.
        if self.label != "none":
            label = schema.label
            if label is None:
                raise DataError(
                    "The data has no label.", hint="Give an attribute the role label (Set Role)."
                )
            self._check_label(label)
            self._check_event(label, schema)
        if not len(schema.regular):
            raise DataError("The data has no regular attributes.")
        self._check_attributes(schema)
        schema.passed.add(self)

    def check_known(self, meta: ExampleSetMetaData) -> None:
        """Raise `DataError` if the values, as far as known before the run, do not fit."""
        if meta.missing and not self.missing:
            names = sorted(meta.missing)
            raise DataError(
                f"Values are missing in {enumerate_names(names)}, but missing values are not "
                f"allowed.",
                hint="Replace them first (Replace Missing Values), or leave these attributes out.",
            )

    def check_likely(self, meta: ExampleSetMetaData) -> None:
        """Raise `DataError` if the data will hardly fit, although only the run can show it."""
        # Inside a loop `rows` is None: a part of the rows may lack classes of the label.
        label = None if meta.schema is None or meta.rows is None else meta.schema.label
        classes = () if label is None else label.categories
        if label is not None and self.label == "binominal" and len(classes) > 2:
            raise DataError(
                f'Exactly two classes are needed, but "{label.name}" has {len(classes)}: '
                f"{enumerate_names(classes)}.",
                hint=self.instead,
            )

    def _check_attributes(self, schema: Schema) -> None:
        kinds = self.attributes
        parts = [schema.regular] if kinds == "any" else []
        if "numerical" in kinds:
            parts.append(schema.regular_numerical)
        if "nominal" in kinds:
            parts.append(schema.regular_nominal)
        if "date" in kinds:
            dates = schema.of_types([ValueType.DATE])
            parts.append(np.intersect1d(schema.regular, dates))
        if sum(map(len, parts)) == len(schema.regular):
            return
        wrong = schema.names_at(np.setdiff1d(schema.regular, np.concatenate(parts)))
        hint = {
            "numerical": _instead_of_texts([schema.attribute(name) for name in wrong[:LOOKED_AT]]),
            "nominal": "Discretize them first, or leave them out (Select Attributes).",
        }.get(self.attributes, "Leave them out (Select Attributes).")
        raise DataError(
            f"All attributes must be {self.attributes}, but {enumerate_names(wrong)} "
            f"{'is' if len(wrong) == 1 else 'are'} not.",
            hint=hint,
        )

    def _check_label(self, label: Attribute) -> None:
        kind = label.value_type
        if self.label in ("nominal", "binominal") and kind not in NOMINAL:
            raise DataError(
                f'A label with classes is needed, but "{label.name}" is {kind}.',
                hint="If its numbers are classes, convert it (Numerical to Polynominal, with "
                "special attributes). If not, use a method for numerical labels.",
            )
        if self.label == "numerical" and kind not in NUMERICAL:
            raise DataError(
                f'A numerical label is needed, but "{label.name}" is {kind}.', hint=self.instead
            )
        if kind in (ValueType.DATE, ValueType.TEXT):
            raise DataError(f'The label "{label.name}" is {kind}; it must be a number or a class.')

    def _check_event(self, label: Attribute, schema: Schema) -> None:
        """Refuse a censored time where all numbers count as complete."""
        if self.events or label.value_type not in NUMERICAL:
            return
        event = schema.special(EVENT)
        if event is None:
            return
        raise DataError(
            f'"{label.name}" is a time with the event "{event.name}" (role event), which this '
            "method would ignore: censored times would count as complete.",
            hint="Use a method for survival, such as Weight by Cox Model, or "
            f'give "{event.name}" another role (Set Role).',
        )

    def check(self, examples: ExampleSet) -> None:
        """Raise `DataError` if the table does not fit."""
        self.check_schema(examples.schema)
        if not len(examples):
            raise DataError("The data has no rows.")
        if self.label != "none":
            self._check_label_values(examples)
        if self.blocks and not examples.values_known:
            return  # they are checked when they are read
        if not self.missing:
            examples.require_complete()
        if not self.infinite:
            examples.require_bounded()

    def loaded(self, examples: ExampleSet) -> ExampleSet:
        """Return the table in memory, dense and checked, for a method that needs all values."""
        table = examples.loaded().dense()
        if table is not examples:
            self.check(table)
        return table

    def _check_label_values(self, examples: ExampleSet) -> None:
        classes = self.label in ("nominal", "binominal")
        if classes or (self.several_classes and examples.label.value_type.is_nominal):
            self._check_classes(examples)
            return
        values = examples.label_values()
        if not self.infinite and examples.label.value_type.is_numerical:
            _refuse_infinite_label(examples.label, values)

    def _check_classes(self, examples: ExampleSet) -> None:
        # Those in the rows: after a row filter the label still lists categories that no row has.
        _, present = examples.class_codes()
        if len(present) < 2:
            raise DataError(
                f"At least two classes are needed, but all rows have the class "
                f'"{present[0]}" in "{examples.label.name}".'
            )
        if self.label == "binominal" and len(present) > 2:
            raise DataError(
                f'Exactly two classes are needed, but "{examples.label.name}" has '
                f"{len(present)}: {enumerate_names(present)}.",
                hint=self.instead,
            )


LARGEST_LABEL = 1e150
"""Sums of squares of larger numbers are infinite: the largest number is 1.8e308."""


def _refuse_infinite_label(label: Attribute, values: npt.NDArray[Any]) -> None:
    wrong = np.flatnonzero(np.abs(values) > LARGEST_LABEL)
    if not len(wrong):
        return
    infinite = wrong[np.isinf(values[wrong])]
    if len(infinite):
        raise DataError(
            f'The label "{label.name}" is infinite {in_rows(infinite.tolist())}.',
            hint="Correct these labels, or leave these rows out (Filter Examples).",
        )
    raise DataError(
        f'The label "{label.name}" is larger than {LARGEST_LABEL:g} {in_rows(wrong.tolist())}: '
        "its square cannot be computed.",
        hint="Correct these labels, give them in another unit, or leave these rows out "
        "(Filter Examples).",
    )


def _instead_of_texts(attributes: Sequence[Attribute]) -> str:
    """Return what to do about attributes that are not numerical; some only look like texts."""
    if any(map(has_decimal_comma, attributes)):
        return 'Some are numbers with a decimal comma: set decimal_character to "," when reading.'
    words = [word for attribute in attributes for word in slips(attribute, ".")]
    if words:
        return (
            f"There is text among numbers, such as {quoted(words[0])}: correct it, or add it to "
            "missing_values when reading."
        )
    return "Convert them (Nominal to Numerical), or leave them out (Select Attributes)."
