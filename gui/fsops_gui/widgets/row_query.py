"""The rows of a table that a sort column, a search text and a condition select, without Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fsops.data import ExampleSet, ValueType
from fsops.data.expression import Expression
from fsops.data.schema import NUMERICAL
from fsops_gui.widgets.tables import Rows, attribute_at, cell_texts, stored_column

AT_ONCE = 2**22
"""Numbers that a search looks at together."""
TEXTS_AT_ONCE = 2**15
UTF_8 = "utf-8", "surrogatepass"
"""Bytes in this order are letters in their order."""
SHOWN_DIGITS = 1e-5
"""Relative distance of a number from the one that is shown and searched for."""


@dataclass(frozen=True)
class RowQuery:
    """Which rows are to be shown, and in which order."""

    column: int | None = None
    """Position of the attribute to sort by."""
    ascending: bool = True
    text: str = ""
    """Text that a row must contain."""
    condition: str = ""
    """Condition on a row, in the language of Filter Examples."""


class Replaced(Exception):
    """Something newer is wanted; the search has ended early."""


def _never() -> bool:
    return False


def arranged(
    table: ExampleSet,
    wanted: RowQuery,
    keep: Rows | None = None,
    replaced: Callable[[], bool] = _never,
) -> Rows | None:
    """Return the rows to show, in their order; None where it is the table as it is.

    Only rows of ``keep`` are shown where that is given. Raises `Replaced` soon after ``replaced``
    has become true.
    """
    rows = keep
    if wanted.text or wanted.condition:
        mask = np.ones(len(table), dtype=bool)
        if wanted.text:
            mask &= rows_with(table, wanted.text, replaced)
        if wanted.condition:
            mask &= Expression.parse(wanted.condition).mask(table)
        rows = np.flatnonzero(mask) if keep is None else keep[mask[keep]]
    if wanted.column is None:
        return rows
    _stop_if(replaced())
    order = sort_order(table, wanted.column, ascending=wanted.ascending)
    if rows is None:
        return order
    shown = np.zeros(len(table), dtype=bool)
    shown[rows] = True
    return order[shown[order]]


def sort_order(table: ExampleSet, position: int, *, ascending: bool) -> Rows:
    """Return all rows in the order of an attribute; equal ones as they were, missing ones last."""
    attribute = attribute_at(table, position)
    stored = stored_column(table, position)
    if attribute.value_type.is_nominal:
        keys = np.append(_ranks(attribute.categories), np.nan)[stored]  # the last for code -1
    elif attribute.value_type is ValueType.TEXT:
        keys = _ranks([None if text is None else text.casefold() for text in stored.tolist()])
    elif attribute.value_type is ValueType.DATE:
        keys = np.where(np.isnat(stored), np.nan, stored.astype(np.int64).astype(np.float64))
    else:
        keys = stored
    return np.argsort(keys if ascending else -keys, kind="stable")


def _ranks(texts: Sequence[str | None]) -> npt.NDArray[np.float64]:
    """Return the place of each text among all, missing ones as NaN; the window need not wait.

    Arrow lets other threads go on while it sorts, which Python and numpy do not for texts.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    def part(first: int, end: int) -> pa.Array:
        some = texts[first:end]
        return pa.array([None if t is None else t.encode(*UTF_8) for t in some], pa.binary())

    stored = pa.chunked_array([part(*ends) for ends in _parts(len(texts))], pa.binary())
    ranks: npt.NDArray[np.float64] = (
        pc.rank(stored, tiebreaker="dense").to_numpy().astype(np.float64)
    )
    ranks[stored.is_null().to_numpy()] = np.nan
    return ranks


def _parts(length: int) -> Iterator[tuple[int, int]]:
    """Return beginnings and ends of the chunks of a long list of texts."""
    for first in range(0, length, TEXTS_AT_ONCE):
        yield first, min(first + TEXTS_AT_ONCE, length)


def _stop_if(replaced: bool) -> None:
    if replaced:
        raise Replaced


def rows_with(
    table: ExampleSet, text: str, replaced: Callable[[], bool] = _never
) -> npt.NDArray[np.bool_]:
    """Return which rows contain a text, in capitals or not, or a number as it is shown."""
    wanted = text.casefold()
    found = np.zeros(len(table), dtype=bool)
    numerical = table.schema.of_types(NUMERICAL)
    others = np.delete(np.arange(len(table.schema)), numerical)
    for position in others.tolist():
        _stop_if(replaced())
        attribute, stored = attribute_at(table, position), stored_column(table, position)
        if attribute.value_type.is_nominal:
            hits = [wanted in category.casefold() for category in attribute.categories]
            found |= np.array([*hits, False])[stored]
        else:
            for first, end in _parts(len(stored)):
                _stop_if(replaced())
                texts = cell_texts(attribute, stored[first:end])
                found[first:end] |= [wanted in text.casefold() for text in texts]
    try:
        number = float(text)
    except ValueError:
        return found
    step = max(1, AT_ONCE // max(1, len(table)))
    for first in range(0, len(numerical), step):
        _stop_if(replaced())
        values = table.values(numerical[first : first + step])
        found |= (np.abs(values - number) <= abs(number) * SHOWN_DIGITS).any(axis=1)
    return found
