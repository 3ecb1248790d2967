"""Which attributes an operator works on: the parameters that many operators share."""

from __future__ import annotations

import operator as compare
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.core import AttributeName, AttributeNames, When
from fsops.data import ExampleSet, Schema, ValueType
from fsops.data.columns import is_missing
from fsops.data.names import Positions
from fsops.data.patterns import user_pattern
from fsops.data.schema import NOMINAL, NUMERICAL
from fsops.errors import ParameterError

Mask = npt.NDArray[np.bool_]

_TYPES: Mapping[str, frozenset[ValueType]] = {
    "attribute_value": frozenset(ValueType),
    "nominal": NOMINAL,
    "binominal": frozenset({ValueType.BINOMINAL}),
    "polynominal": frozenset({ValueType.POLYNOMINAL}),
    "ordinal": frozenset({ValueType.ORDINAL}),
    "numeric": NUMERICAL,
    "integer": frozenset({ValueType.INTEGER}),
    "real": frozenset({ValueType.REAL}),
    "text": frozenset({ValueType.TEXT}),
    "date_time": frozenset({ValueType.DATE}),
}
_RELATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<>": compare.ne,
    "!=": compare.ne,
    "<=": compare.le,
    ">=": compare.ge,
    "<": compare.lt,
    ">": compare.gt,
    "=": compare.eq,
}
_CONDITION = re.compile(rf"\s*({'|'.join(_RELATIONS)})\s*(\S+)\s*")


class AttributeFilter(TypedDict, total=False):
    """Parameters that say which attributes an operator works on."""

    attribute_filter_type: Annotated[
        Literal[
            "all",
            "single",
            "subset",
            "regular_expression",
            "value_type",
            "no_missing_values",
            "missing_share",
            "numeric_value_filter",
        ],
        Field(default="all", description="Rule that chooses the attributes to work on."),
    ]
    attribute: Annotated[
        str,
        AttributeName(),
        When(attribute_filter_type="single"),
        Field(default="", description="The attribute."),
    ]
    attributes: Annotated[
        list[str],
        AttributeNames(),
        When(attribute_filter_type="subset"),
        Field(default=[], description="The attributes."),
    ]
    regular_expression: Annotated[
        str,
        When(attribute_filter_type="regular_expression"),
        Field(
            default="",
            description="Pattern of the whole name, in Python's notation: gene_.* takes "
            "all names that begin with gene_.",
        ),
    ]
    except_regular_expression: Annotated[
        str,
        When(attribute_filter_type="regular_expression"),
        Field(default="", description="Exclude names that match this regular expression."),
    ]
    value_type: Annotated[
        Literal[
            "attribute_value",
            "nominal",
            "binominal",
            "polynominal",
            "ordinal",
            "numeric",
            "integer",
            "real",
            "text",
            "date_time",
        ],
        When(attribute_filter_type="value_type"),
        Field(
            default="attribute_value",
            description="Type of the attributes; attribute_value means any type.",
        ),
    ]
    max_missing_fraction: Annotated[
        float,
        When(attribute_filter_type="missing_share"),
        Field(
            default=0.5,
            ge=0,
            le=1,
            description="Largest fraction of missing values of an attribute.",
        ),
    ]
    numeric_condition: Annotated[
        str,
        When(attribute_filter_type="numeric_value_filter"),
        Field(
            default="",
            description="Condition on all known values of a numerical attribute, such as > 6.5 "
            "or >= 0 && < 11. Use && or ||, not both. Attributes that are not numerical are "
            "kept too.",
        ),
    ]
    invert_selection: Annotated[
        bool, Field(default=False, description="Take the attributes that do not match instead.")
    ]
    include_special_attributes: Annotated[
        bool,
        Field(
            default=False,
            description="Also apply the rule to the label, the id and other special attributes; "
            "otherwise they are not changed.",
        ),
    ]


def selected_names(examples: ExampleSet, chosen: Mapping[str, Any]) -> Sequence[str]:
    """Return the attributes that the parameters choose, in the order of the data."""
    candidates = _candidates(examples.schema, chosen)
    fits = _fits_by_schema(examples.schema, candidates, chosen)
    if fits is None:
        fits = _fits_by_values(examples, candidates, chosen)
    return examples.schema.names_at(candidates[fits ^ chosen["invert_selection"]])


def names_before_run(schema: Schema, chosen: Mapping[str, Any]) -> Sequence[str] | None:
    """Return the attributes that the parameters choose; None where that depends on the values."""
    candidates = _candidates(schema, chosen)
    fits = _fits_by_schema(schema, candidates, chosen)
    if fits is None:
        return None
    return schema.names_at(candidates[fits ^ chosen["invert_selection"]])


def _candidates(schema: Schema, chosen: Mapping[str, Any]) -> Positions:
    return np.arange(len(schema)) if chosen["include_special_attributes"] else schema.regular


def _fits_by_schema(
    schema: Schema, candidates: Positions, chosen: Mapping[str, Any]
) -> Mask | None:
    kind = chosen["attribute_filter_type"]
    if kind == "all":
        return np.ones(len(candidates), dtype=bool)
    if kind in ("single", "subset"):
        return np.isin(candidates, _named(schema, chosen))
    if kind == "regular_expression":
        return _matching(schema.names_at(candidates), chosen)
    if kind == "value_type":
        return np.isin(candidates, schema.of_types(_TYPES[chosen["value_type"]]))
    return None


def _named(schema: Schema, chosen: Mapping[str, Any]) -> Positions:
    if chosen["attribute_filter_type"] == "subset":
        if not chosen["attributes"]:
            raise ParameterError("attributes is empty; it must name at least one attribute.")
        return schema.positions(chosen["attributes"])
    # The empty text can be a name, but is more likely a parameter that nobody has set.
    if chosen["attribute"] == "" and "" not in schema:
        raise ParameterError("attribute is not set; it must be the name of an attribute.")
    return schema.positions([chosen["attribute"]])


def _matching(names: Sequence[str], chosen: Mapping[str, Any]) -> Mask:
    if not chosen["regular_expression"]:
        raise ParameterError(
            "regular_expression is not set; it must be a pattern of names.",
            hint='For all names that begin with gene_ write "gene_.*".',
        )
    fits = user_pattern(chosen["regular_expression"], "regular_expression").matching(names)
    unwanted = chosen["except_regular_expression"]
    if unwanted:
        fits &= ~user_pattern(unwanted, "except_regular_expression").matching(names)
    return fits


def _fits_by_values(examples: ExampleSet, candidates: Positions, chosen: Mapping[str, Any]) -> Mask:
    kind = chosen["attribute_filter_type"]
    if kind == "numeric_value_filter":
        return _fulfilling(examples, candidates, chosen["numeric_condition"])
    most = 0.0 if kind == "no_missing_values" else chosen["max_missing_fraction"] * len(examples)
    return _missing_counts(examples, candidates) <= most


def _missing_counts(examples: ExampleSet, candidates: Positions) -> npt.NDArray[np.intp]:
    special = {n: int(is_missing(examples.column(n)).sum()) for n in examples.schema.roles}
    missing = {**examples.missing_by_attribute, **special}
    counts = np.zeros(len(examples.schema), dtype=np.intp)
    counts[examples.schema.positions(missing)] = list(missing.values())
    return counts[candidates]


def _fulfilling(examples: ExampleSet, candidates: Positions, condition: str) -> Mask:
    every, parts = parse_condition(condition)
    fits = np.ones(len(candidates), dtype=bool)
    numerical = np.flatnonzero(np.isin(candidates, examples.schema.of_types(NUMERICAL)))
    values = examples.values(candidates[numerical])
    fulfilled = np.full(values.shape, every)
    for relation, limit in parts:
        holds = relation(values, limit)
        fulfilled = fulfilled & holds if every else fulfilled | holds
    fits[numerical] = (fulfilled | np.isnan(values)).all(axis=0)
    return fits


def parse_condition(text: str) -> tuple[bool, list[tuple[Callable[[Any, Any], Any], float]]]:
    """Return whether all parts must hold (or any), and the parts: a relation and a number."""
    hint = 'Write for example "> 6.5", or ">= 0 && < 11".'
    if not text.strip():
        raise ParameterError("numeric_condition is not set.", hint=hint)
    if "&&" in text and "||" in text:
        raise ParameterError(f'numeric_condition is "{text}", but && and || cannot be mixed.')
    parts = []
    for part in re.split(r"&&|\|\|", text):
        found = _CONDITION.fullmatch(part)
        try:
            parts.append((_RELATIONS[found[1]], float(found[2])))  # type: ignore[index]
        except (TypeError, ValueError):
            raise ParameterError(
                f'numeric_condition is "{text}", but "{part.strip()}" is not a relation and a '
                "number.",
                hint=hint,
            ) from None
    return "||" not in text, parts
