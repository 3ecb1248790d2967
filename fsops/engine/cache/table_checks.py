"""Tables from files of the cache: their parts must fit each other.

Compiled code trusts a table: it does not look whether a code has a category, or a row exists. A
table that was made here always fits; one from a forged file need not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.data import ExampleSet, Schema, ValueType
from fsops.data.attribute_groups import AttributeGroups
from fsops.data.columns import ColumnBlock
from fsops.data.names import Names
from fsops.data.schema import MARKS, SHARED_ROLES


def check_table(table: ExampleSet) -> None:
    """Raise ValueError if the parts of a table do not fit."""
    schema, blocks = table.schema, table._blocks
    _require(type(schema) is Schema and type(table.n_rows) is int and table.n_rows >= 0)
    _check_schema(schema)
    _require(all(isinstance(block, ColumnBlock) for block in blocks))
    for block in blocks:
        _check_block(block, table.n_rows)
    count = len(schema)
    _require(_are_positions(table._block_of, count, len(blocks)))
    _require(_are_positions(table._column_of, count, None))
    if not count:
        return
    widths = np.array([block.values.shape[1] for block in blocks])
    _require(bool((table._column_of < widths[table._block_of]).all()))
    _check_codes(table)


def _check_schema(schema: Schema) -> None:
    _require(type(schema.names) is Names)
    _require(_are_positions(schema._type_codes, len(schema), len(ValueType)))
    special = schema._special
    _require(all(type(at) is int and 0 <= at < len(schema) for at in special))
    _require(all(type(role) is str for role in special.values()))
    roles = [role for role in special.values() if role not in SHARED_ROLES]
    _require(len(set(roles)) == len(roles))
    marks, groups = schema.marks, schema.groups
    _require(marks is None or _are_positions(marks, len(schema), len(MARKS)))
    if groups is not None:
        _require(type(groups) is AttributeGroups and type(groups.names) is Names)
        AttributeGroups.from_lists(groups.to_lists(), len(schema))


def _check_block(block: ColumnBlock, n_rows: int) -> None:
    values: Any = block.values
    _require(isinstance(values, np.ndarray) and values.ndim == 2 and isinstance(block.known, dict))
    if block.rows is None:
        _require(len(values) == n_rows)
    else:
        _require(_are_positions(block.rows, n_rows, len(values)))


def _check_codes(table: ExampleSet) -> None:
    """Check that every code of a nominal attribute has a category, or is that of a missing one."""
    schema = table.schema
    nominal = schema.of_types([kind for kind in ValueType if kind.is_nominal])
    if not len(nominal):
        return
    counts = schema.category_counts(nominal)
    codes = table.values(nominal)
    _require(codes.dtype == np.int32 and counts.shape == nominal.shape)
    _require(bool(((codes >= -1) & (codes < counts)).all()))


def _are_positions(found: Any, count: int, limit: int | None) -> bool:
    """Return whether something is an array of so many positions below a limit."""
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "iu" or found.shape != (count,):
        return False
    numbers: npt.NDArray[np.integer[Any]] = found
    return bool((numbers >= 0).all() and (limit is None or (numbers < limit).all()))


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError("The parts of the table do not fit.")
