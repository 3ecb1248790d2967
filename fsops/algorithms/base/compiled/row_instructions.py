"""Instructions for distances of rows and for sums over near rows; in kernels only.

See `instructions`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from fsops.algorithms.base.compiled.instructions import (
    BITS,
    DOUBLES,
    WHOLES,
    Array,
    VectorWriter,
    instruction,
)
from fsops.algorithms.base.types import Bytes, Floats, Int32s, Ints, Numbers, Words

# Vectors of a row of a tile: as many rows as a panel has columns fit into the cache.
MOST_VECTORS = 6
# Rows whose sums `add_larger_sums` keeps in registers. With more, the short registers of many
# machines are too few; two vectors of each row gain little where registers are long.
ROWS_AT_ONCE = 6


def _write_mark_line(  # noqa: PLR0917 - as kernels
    w: VectorWriter,
    distances: Array,
    i: Any,
    first: Any,
    low: Array,
    high: Array,
    counts: Array,
    own: Any,
    marks: Array,
    unsure: Array,
) -> None:
    """Comparisons give vectors of bits, which are joined to words."""
    short = w.ir.IntType(WHOLES)
    own_ends = [w.repeat(w.whole, w.number(limits, i)) for limits in (low, high)]
    for word in range(2):
        joined = [w.place(0)] * 4
        for part in range(BITS // WHOLES):
            j = w.place(word * BITS + part * WHOLES)
            column = w.builder.add(first, j)
            d = w.read(w.whole, w.address(distances, i, j))
            ends = [w.read(w.whole, w.address(limits, column)) for limits in (low, high)]
            pairs = zip(own_ends, ends, strict=True)
            within = [w.builder.icmp_signed("<=", d, end) for both in pairs for end in both]
            address = w.address(counts, own, column)
            ones = w.builder.sext(within[1], w.whole)
            w.write(w.builder.sub(w.read(w.whole, address), ones), address)
            for k, some in enumerate(within):
                bits = w.builder.zext(w.builder.bitcast(some, short), w.place)
                shifted = w.builder.shl(bits, w.place(part * WHOLES))
                joined[k] = w.builder.or_(joined[k], shifted)
        for k in range(2):
            place = w.place(2 * k + word)
            w.builder.store(joined[k], w.address(marks, i, place))
            doubt = w.builder.xor(joined[k], joined[k + 2])
            w.builder.store(doubt, w.address(unsure, place))


@instruction(_write_mark_line)
def mark_line(  # noqa: PLR0917 - as kernels
    distances: Int32s,
    i: int,
    first: int,
    low: Int32s,
    high: Int32s,
    counts: Int32s,
    own: int,
    marks: Words,
    unsure: Words,
) -> None:
    """Compare distances[i], to 2 x BITS rows from `first` on, with limits of both rows.

    Sets the four words of marks[i]: bits of the first two say that a distance is at most low[i],
    those of the others that it is at most `low` of the other row; counts[own] grows by the latter.
    A bit of `unsure` is set where the limits `high` give another answer.
    """


def _write_weigh_line(  # noqa: PLR0917 - as kernels
    w: VectorWriter,
    marks: Array,
    i: Any,
    there: Array,
    back: Array,
    own: Any,
    column: Any,
    weights: Array,
    line: Any,
    row_sum: Array,
    sums: Array,
    first: Any,
) -> None:
    zero = w.repeat(w.double, w.double.element(0.0))
    byte, flags = w.ir.IntType(DOUBLES), w.ir.VectorType(w.ir.IntType(1), DOUBLES)
    total = zero
    for word in range(2):
        words = [w.number(marks, i, w.place(2 * k + word)) for k in range(2)]
        for part in range(BITS // DOUBLES):
            j = w.place(word * BITS + part * DOUBLES)
            parts = []
            others = w.address(there, j), w.address(back, own, w.builder.add(column, j))
            for bits, address in zip(words, others, strict=True):
                some = w.builder.trunc(w.builder.lshr(bits, w.place(part * DOUBLES)), byte)
                factor = w.read(w.double, address)
                parts.append(w.builder.select(w.builder.bitcast(some, flags), factor, zero))
            weight = w.builder.fadd(*parts)
            w.write(weight, w.address(weights, line, j))
            total = w.builder.fadd(total, weight)
            address = w.address(sums, w.builder.add(first, j))
            w.write(w.builder.fadd(w.read(w.double, address), weight), address)
    w.write(total, w.address(row_sum, w.place(0)))


@instruction(_write_weigh_line)
def weigh_line(  # noqa: PLR0917 - as kernels
    marks: Words,
    i: int,
    there: Floats,
    back: Floats,
    own: int,
    column: int,
    weights: Floats,
    line: int,
    row_sum: Floats,
    sums: Floats,
    first: int,
) -> None:
    """Set weights[line] to those of 2 x BITS pairs of rows by the four words of marks[i].

    A weight is the sum of there[j], if the bit of the first two words is set, and of
    back[own, column + j], if that of the others is. `sums` grow by the weights of the other rows,
    which are those from `first` on. The sum of all weights is left in the numbers of a vector,
    `row_sum`.
    """


def _write_list_line(  # noqa: PLR0917 - as kernels
    w: VectorWriter, marks: Array, line: Any, places: Array, columns: Array, ends: Array
) -> None:
    end = w.number(ends, line)
    for word in range(2):
        near, far = (w.number(marks, line, w.place(2 * k + word)) for k in range(2))
        bits = w.builder.or_(near, far)
        for part in range(0, BITS, 8):
            byte = w.builder.and_(w.builder.lshr(bits, w.place(part)), w.place(255))
            # Eight places at once: those that do not count are overwritten by the next ones.
            shift = w.place((word * BITS + part) * 0x0101010101010101)
            listed = w.builder.add(w.number(places, byte), shift)
            address = w.builder.bitcast(w.address(columns, end), w.place.as_pointer())
            w.builder.store(listed, address).align = 1
            end = w.builder.add(end, w.builder.ctpop(byte))
    w.builder.store(end, w.address(ends, w.builder.add(line, w.place(1))))


@instruction(_write_list_line)
def list_line(marks: Words, line: int, places: Words, columns: Bytes, ends: Ints) -> None:
    """List the bits that are set in either pair of the four words of marks[line].

    Their places follow from columns[ends[line]] on, and ends[line + 1] is set. `places` has the
    places of the bits of each byte, those of bits that are set first, as eight bytes.
    """


def _write_sums(  # noqa: PLR0917 - as kernels
    w: VectorWriter,
    X: Array,
    i: Any,
    begin: Any,
    end: Any,
    total: Array,
    other: Callable[[Any], tuple[Any, Any]],
    term: Callable[[Any, Any, Any, Any], Any],
) -> None:
    """Add a term of row i and of each other row to the total, in registers.

    `other` gives the row of a place from begin to before end, and a value for the term, which is
    added to the sum so far.
    """
    nought, start = w.place(0), w.address(total, w.place(0))
    for count in range(1, MOST_VECTORS + 1):
        with w.case(X.shape[1], count * DOUBLES):
            own = [w.read(w.double, w.address(X, i, nought), k) for k in range(count)]
            sums = w.variables(count, w.repeat(w.double, w.double.element(0.0)))
            with w.loop(begin, end) as place:
                row, besides = other(place)
                address = w.address(X, row, nought)
                for k in range(count):
                    value, so_far = w.read(w.double, address, k), w.builder.load(sums[k])
                    w.builder.store(term(own[k], value, besides, so_far), sums[k])
            for k in range(count):
                so_far = w.read(w.double, start, k)
                w.write(w.builder.fadd(so_far, w.builder.load(sums[k])), start, k)


def _write_add_larger_values(  # noqa: PLR0917 - as kernels
    w: VectorWriter,
    X: Array,
    i: Any,
    first: Any,
    columns: Array,
    begin: Any,
    end: Any,
    weights: Array,
    line: Any,
    total: Array,
) -> None:
    def other(place: Any) -> tuple[Any, Any]:
        column = w.index(columns, place)
        weight = w.repeat(w.double, w.number(weights, line, column))
        return w.builder.add(first, column), weight

    def term(own: Any, value: Any, weight: Any, so_far: Any) -> Any:
        larger = w.builder.select(w.builder.fcmp_ordered(">", own, value), own, value)
        return w.call("fmuladd", weight, larger, so_far)

    _write_sums(w, X, i, begin, end, total, other, term)


@instruction(_write_add_larger_values)
def add_larger_values(  # noqa: PLR0917 - as kernels
    X: Floats,
    i: int,
    first: int,
    columns: Bytes,
    begin: int,
    end: int,
    weights: Floats,
    line: int,
    total: Floats,
) -> None:
    """Add weights[line, j] max(X[i], X[first + j]) to the total for some columns j.

    They are those from columns[begin] to before columns[end]. X has full vectors, and at most
    MOST_VECTORS in a row.
    """


def _write_add_differences(  # noqa: PLR0917 - as kernels
    w: VectorWriter, X: Array, i: Any, rows: Array, begin: Any, end: Any, total: Array
) -> None:
    def other(place: Any) -> tuple[Any, Any]:
        return w.index(rows, place), None

    def term(own: Any, value: Any, _: Any, so_far: Any) -> Any:
        return w.builder.fadd(so_far, w.call("fabs", w.builder.fsub(own, value)))

    _write_sums(w, X, i, begin, end, total, other, term)


@instruction(_write_add_differences)
def add_differences(  # noqa: PLR0917 - as kernels
    X: Floats, i: int, rows: Numbers, begin: int, end: int, total: Floats
) -> None:
    """Add |X[i] - X[rows[e]]| to the total for each e from begin to before end.

    X has full vectors, and at most MOST_VECTORS in a row.
    """


def _write_add_distances(  # noqa: PLR0917 - as kernels
    w: VectorWriter, X: Array, i: Any, begin: Any, end: Any, distances: Array
) -> None:
    nought = w.place(0)
    for count in range(1, MOST_VECTORS + 1):
        with w.case(X.shape[1], count * DOUBLES):
            own = [w.read(w.double, w.address(X, i, nought), k) for k in range(count)]
            with w.loop(begin, end) as row:
                other = w.address(X, row, nought)
                parts = []
                for k in range(count):
                    difference = w.builder.fsub(own[k], w.read(w.double, other, k))
                    parts.append(w.call("fabs", difference))
                # By halves: first the vectors, then the numbers of the last one.
                while len(parts) > 1:
                    half = len(parts) // 2
                    pairs = zip(parts[:half], parts[half : 2 * half], strict=True)
                    parts = [w.builder.fadd(a, b) for a, b in pairs] + parts[2 * half :]
                at = w.address(distances, row)
                numbers = [
                    w.builder.extract_element(parts[0], w.ir.IntType(32)(k)) for k in range(DOUBLES)
                ]
                while len(numbers) > 1:
                    half = len(numbers) // 2
                    pairs = zip(numbers[:half], numbers[half:], strict=True)
                    numbers = [w.builder.fadd(a, b) for a, b in pairs]
                w.builder.store(w.builder.fadd(w.builder.load(at), numbers[0]), at)


@instruction(_write_add_distances)
def add_distances(X: Floats, i: int, begin: int, end: int, distances: Floats) -> None:
    """Add sum |X[i] - X[row]| to distances[row] for each row from begin to before end.

    X has full vectors, and at most MOST_VECTORS in a row.
    """


def _write_add_larger_sums(  # noqa: PLR0917 - as kernels
    w: VectorWriter,
    values: Array,
    places: Array,
    f: Any,
    size: Any,
    columns: Array,
    line_of_f: Any,
    begin: Any,
    end: Any,
    first: Any,
    own: Array,
    chunk: Any,
    least: Any,
    shift: Any,
    sums: Array,
    line: Any,
) -> None:
    some = [w.index(places, w.place(r)) for r in range(ROWS_AT_ONCE)]
    rows = [w.address(values, place, f) for place in some]
    lines = [w.builder.add(line, w.place(r)) for r in range(ROWS_AT_ONCE)]
    start, shifts = w.repeat(w.whole, least), w.repeat(w.whole, w.short(shift))
    of_rows = [w.repeat(w.whole, w.number(own, chunk, place)) for place in some]
    new = w.builder.icmp_unsigned("==", line_of_f, w.place(0))
    with w.loop(begin, end, WHOLES) as j:
        totals = w.variables(ROWS_AT_ONCE, start)
        with w.loop(w.place(0), size) as h:
            other = w.read(w.whole, w.address(columns, w.builder.add(line_of_f, h), j))
            for row, total in zip(rows, totals, strict=True):
                value = w.repeat(w.whole, w.builder.load(w.builder.gep(row, [h])))
                larger = w.call("smax", value, other)
                w.builder.store(w.builder.add(w.builder.load(total), larger), total)
        of_columns = w.read(w.whole, w.address(own, chunk, w.builder.add(first, j)))
        for at, total, of_row in zip(lines, totals, of_rows, strict=True):
            address = w.address(sums, at, j)
            none = w.builder.neg(w.builder.add(of_row, of_columns))
            so_far = w.builder.select(new, none, w.read(w.whole, address))
            half = w.builder.ashr(w.builder.load(total), shifts)
            w.write(w.builder.add(so_far, half), address)


@instruction(_write_add_larger_sums)
def add_larger_sums(  # noqa: PLR0917 - as kernels
    values: Int32s,
    places: Ints,
    f: int,
    size: int,
    columns: Int32s,
    line_of_f: int,
    begin: int,
    end: int,
    first: int,
    own: Int32s,
    chunk: int,
    least: np.int32,
    shift: int,
    sums: Int32s,
    line: int,
) -> None:
    """Add the sums of the larger values of some rows and of columns to lines of `sums`.

    sums[line + r, j] grows by (least + sum_h max(values[places[r], f + h], columns[line_of_f + h,
    j])) >> shift, with h from 0 to before `size`. With the first line of the columns, it is
    -own[chunk, places[r]] - own[chunk, first + j] before. There are ROWS_AT_ONCE places. The
    columns from begin to end are full vectors.
    """


def _write_add_moments(  # noqa: PLR0917 - as kernels
    w: VectorWriter, lines: Array, line: Any, centre: Any, shift: Any, row: Array, columns: Array
) -> None:
    half = w.ir.VectorType(w.ir.IntType(32), DOUBLES)
    middle, shifts = w.repeat(half, centre), w.repeat(w.wide, shift)
    zero = w.repeat(w.wide, w.place(0))
    totals = [zero, zero]
    for j in range(0, 2 * BITS, DOUBLES):
        distance = w.builder.sub(w.read(half, w.address(lines, line, w.place(j))), middle)
        distance = w.builder.sext(distance, w.wide)
        square = w.builder.ashr(w.builder.mul(distance, distance), shifts)
        for k, values in enumerate((distance, square)):
            totals[k] = w.builder.add(totals[k], values)
            address = w.address(columns, w.place(k), w.place(j))
            w.write(w.builder.add(w.read(w.wide, address), values), address)
    for k, total in enumerate(totals):
        w.write(total, w.address(row, w.place(k), w.place(0)))


@instruction(_write_add_moments)
def add_moments(  # noqa: PLR0917 - as kernels
    lines: Int32s, line: int, centre: np.int32, shift: int, row: Ints, columns: Ints
) -> None:
    """Add 2 x BITS numbers less the center, and their squares >> shift, to two lines of `columns`.

    Their sums over the columns are left in the numbers of two vectors, `row`.
    """
