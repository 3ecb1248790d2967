"""Instructions that numba has no words for; in kernels only.

Numba leaves it to the compiler which numbers are taken side by side. The compiler then writes sums
back to memory after each step, where the kernels here could keep them in registers: distances took
a fifth longer, differences half as long again.

A vector has as many numbers as a line of the cache. Machines with shorter registers take several of
them for one vector, and fuse multiplications and additions only if they can. Places of arrays are
not checked.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from inspect import Parameter, Signature, signature as signature_of
from typing import Any, NamedTuple, ParamSpec

import numpy as np

from fsops.algorithms.base.types import Bytes, Floats, Int32s, Ints, Numbers, Words

# Doubles and whole numbers of 32 bits in a vector.
DOUBLES, WHOLES = 8, 16
# Bits of a word.
BITS = 64
# Vectors of a row of a tile: as many rows as a panel has columns fit into the cache.
MOST_VECTORS = 6
# Rows whose sums `add_larger_sums` keeps in registers. With more, the short registers of many
# machines are too few; two vectors of each row gain little where registers are long.
ROWS_AT_ONCE = 6

P = ParamSpec("P")


class _Array(NamedTuple):
    """Where an array of one piece begins, and its shape."""

    first: Any
    shape: tuple[Any, ...]


class _Writer:
    """Writes instructions with vectors."""

    def __init__(self, builder: Any) -> None:
        from llvmlite import ir

        self.builder, self.ir = builder, ir
        self.place = ir.IntType(64)
        self.double = ir.VectorType(ir.DoubleType(), DOUBLES)
        self.whole = ir.VectorType(ir.IntType(32), WHOLES)
        self.wide = ir.VectorType(ir.IntType(64), DOUBLES)

    def address(self, array: _Array, *places: Any) -> Any:
        """Where the number at these places is; there are as many places as dimensions."""
        at = self.place(0)
        for size, place in zip(array.shape, places, strict=True):
            at = self.builder.add(self.builder.mul(at, size), place)
        return self.builder.gep(array.first, [at])

    def number(self, array: _Array, *places: Any) -> Any:
        """Read a number."""
        return self.builder.load(self.address(array, *places))

    def index(self, array: _Array, *places: Any) -> Any:
        """Read a place, which is not negative."""
        number = self.number(array, *places)
        return self.builder.zext(number, self.place) if number.type.width < 64 else number

    def short(self, number: Any) -> Any:
        """The lower 32 bits of a whole number."""
        return self.builder.trunc(number, self.ir.IntType(32))

    def read(self, kind: Any, address: Any, skip: int = 0) -> Any:
        """Read a vector, that many vectors behind an address."""
        vector = self.builder.load(self._vector_address(kind, address, skip))
        vector.align = 4  # vectors may begin anywhere
        return vector

    def write(self, vector: Any, address: Any, skip: int = 0) -> None:
        """Write a vector, that many vectors behind an address."""
        stored = self.builder.store(vector, self._vector_address(vector.type, address, skip))
        stored.align = 4

    def _vector_address(self, kind: Any, address: Any, skip: int) -> Any:
        behind = self.builder.gep(address, [self.place(skip * kind.count)])
        return self.builder.bitcast(behind, kind.as_pointer())

    def repeat(self, kind: Any, number: Any) -> Any:
        """Fill a vector with a number."""
        short = self.ir.IntType(32)
        nothing = self.ir.Constant(kind, self.ir.Undefined)
        one = self.builder.insert_element(nothing, number, short(0))
        every = self.ir.Constant(self.ir.VectorType(short, kind.count), [0] * kind.count)
        return self.builder.shuffle_vector(one, nothing, every)

    def call(self, name: str, *vectors: Any) -> Any:
        """Call a function of the compiler for each number of some vectors."""
        from numba.core import cgutils

        kind = vectors[0].type
        suffix = f"v{kind.count}{'f64' if kind == self.double else 'i32'}"
        function = self.ir.FunctionType(kind, [kind] * len(vectors))
        insert: Any = cgutils.get_or_insert_function
        return self.builder.call(
            insert(self.builder.module, function, f"llvm.{name}.{suffix}"), vectors
        )

    def variables(self, count: int, value: Any) -> list[Any]:
        """Set up variables, kept in registers by the compiler."""
        from numba.core import cgutils

        alloca: Any = cgutils.alloca_once
        made = [alloca(self.builder, value.type) for _ in range(count)]
        for variable in made:
            self.builder.store(value, variable)
        return made

    @contextmanager
    def loop(self, begin: Any, end: Any, step: int = 1) -> Iterator[Any]:
        """Repeat the instructions written inside for places from begin to before end."""
        from numba.core import cgutils

        slices: Any = cgutils.for_range_slice
        with slices(self.builder, begin, end, self.place(step), intp=self.place) as (place, _):
            yield place

    def case(self, number: Any, value: int) -> Any:
        """Follow the instructions written inside if a number has this value."""
        return self.builder.if_then(self.builder.icmp_unsigned("==", number, self.place(value)))


def _instruction(write: Callable[..., None]) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Replace a function in compiled code by what `write` writes."""

    def replace(function: Callable[P, None]) -> Callable[P, None]:
        function.compiled = cache(partial(_compiled_instruction, write, function))  # type: ignore[attr-defined]
        return function

    return replace


def _compiled_instruction(write: Callable[..., None], function: Callable[..., None]) -> Any:
    from numba import types
    from numba.extending import intrinsic

    def typing(_context: Any, *kinds: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            values = zip(signature.args, arguments, strict=True)
            write(_Writer(builder), *(_value(context, builder, *pair) for pair in values))
            return context.get_dummy_value()

        return types.void(*kinds), generate

    # Numba reads the names of the arguments.
    own = Parameter("_context", Parameter.POSITIONAL_OR_KEYWORD)
    typing.__signature__ = Signature([own, *signature_of(function).parameters.values()])  # type: ignore[attr-defined]
    return intrinsic(typing)


def _value(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """A number, or where an array begins."""
    if not hasattr(kind, "ndim"):
        return value
    if kind.layout != "C":
        raise TypeError("Instructions need arrays of one piece.")
    array = context.make_array(kind)(context, builder, value)
    shape = tuple(builder.extract_value(array.shape, k) for k in range(kind.ndim))
    return _Array(array.data, shape)


def _write_prefetch(w: _Writer, values: _Array, place: Any) -> None:
    from numba.core import cgutils

    byte, short = w.ir.IntType(8).as_pointer(), w.ir.IntType(32)
    kind = w.ir.FunctionType(w.ir.VoidType(), [byte, short, short, short])
    insert: Any = cgutils.get_or_insert_function
    address = w.builder.bitcast(w.address(values, place), byte)
    # To be read, and again soon, and not an instruction.
    call = insert(w.builder.module, kind, "llvm.prefetch.p0")
    w.builder.call(call, [address, short(0), short(3), short(1)])


@_instruction(_write_prefetch)
def prefetch(values: Numbers, place: int) -> None:
    """Ask for values[place] of a flat array before it is needed.

    The processor does so by itself, but too late for a table whose columns are short. Any place
    may be given, even one behind the end.
    """


def _write_mark_line(  # noqa: PLR0917 - as kernels
    w: _Writer,
    distances: _Array,
    i: Any,
    first: Any,
    low: _Array,
    high: _Array,
    counts: _Array,
    own: Any,
    marks: _Array,
    unsure: _Array,
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


@_instruction(_write_mark_line)
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
    w: _Writer,
    marks: _Array,
    i: Any,
    there: _Array,
    back: _Array,
    own: Any,
    column: Any,
    weights: _Array,
    line: Any,
    row_sum: _Array,
    sums: _Array,
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


@_instruction(_write_weigh_line)
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
    w: _Writer, marks: _Array, line: Any, places: _Array, columns: _Array, ends: _Array
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


@_instruction(_write_list_line)
def list_line(marks: Words, line: int, places: Words, columns: Bytes, ends: Ints) -> None:
    """List the bits that are set in either pair of the four words of marks[line].

    Their places follow from columns[ends[line]] on, and ends[line + 1] is set. `places` has the
    places of the bits of each byte, those of bits that are set first, as eight bytes.
    """


def _write_add_larger_values(  # noqa: PLR0917 - as kernels
    w: _Writer,
    X: _Array,
    i: Any,
    first: Any,
    columns: _Array,
    begin: Any,
    end: Any,
    weights: _Array,
    line: Any,
    total: _Array,
) -> None:
    nought, start = w.place(0), w.address(total, w.place(0))
    for count in range(1, MOST_VECTORS + 1):
        with w.case(X.shape[1], count * DOUBLES):
            own = [w.read(w.double, w.address(X, i, nought), k) for k in range(count)]
            sums = w.variables(count, w.repeat(w.double, w.double.element(0.0)))
            with w.loop(begin, end) as pair:
                column = w.index(columns, pair)
                other = w.address(X, w.builder.add(first, column), nought)
                weight = w.repeat(w.double, w.number(weights, line, column))
                for k in range(count):
                    value = w.read(w.double, other, k)
                    larger = w.builder.fcmp_ordered(">", own[k], value)
                    larger = w.builder.select(larger, own[k], value)
                    so_far = w.builder.load(sums[k])
                    w.builder.store(w.call("fmuladd", weight, larger, so_far), sums[k])
            for k in range(count):
                so_far = w.read(w.double, start, k)
                w.write(w.builder.fadd(so_far, w.builder.load(sums[k])), start, k)


@_instruction(_write_add_larger_values)
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
    w: _Writer, X: _Array, i: Any, rows: _Array, begin: Any, end: Any, total: _Array
) -> None:
    nought, start = w.place(0), w.address(total, w.place(0))
    for count in range(1, MOST_VECTORS + 1):
        with w.case(X.shape[1], count * DOUBLES):
            own = [w.read(w.double, w.address(X, i, nought), k) for k in range(count)]
            sums = w.variables(count, w.repeat(w.double, w.double.element(0.0)))
            with w.loop(begin, end) as pair:
                other = w.address(X, w.index(rows, pair), nought)
                for k in range(count):
                    difference = w.builder.fsub(own[k], w.read(w.double, other, k))
                    so_far = w.builder.load(sums[k])
                    w.builder.store(w.builder.fadd(so_far, w.call("fabs", difference)), sums[k])
            for k in range(count):
                so_far = w.read(w.double, start, k)
                w.write(w.builder.fadd(so_far, w.builder.load(sums[k])), start, k)


@_instruction(_write_add_differences)
def add_differences(  # noqa: PLR0917 - as kernels
    X: Floats, i: int, rows: Numbers, begin: int, end: int, total: Floats
) -> None:
    """Add |X[i] - X[rows[e]]| to the total for each e from begin to before end.

    X has full vectors, and at most MOST_VECTORS in a row.
    """


def _write_add_distances(  # noqa: PLR0917 - as kernels
    w: _Writer, X: _Array, i: Any, begin: Any, end: Any, distances: _Array
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


@_instruction(_write_add_distances)
def add_distances(X: Floats, i: int, begin: int, end: int, distances: Floats) -> None:
    """Add sum |X[i] - X[row]| to distances[row] for each row from begin to before end.

    X has full vectors, and at most MOST_VECTORS in a row.
    """


def _write_add_larger_sums(  # noqa: PLR0917 - as kernels
    w: _Writer,
    values: _Array,
    places: _Array,
    f: Any,
    size: Any,
    columns: _Array,
    line_of_f: Any,
    begin: Any,
    end: Any,
    first: Any,
    own: _Array,
    chunk: Any,
    least: Any,
    shift: Any,
    sums: _Array,
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


@_instruction(_write_add_larger_sums)
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
    w: _Writer, lines: _Array, line: Any, centre: Any, shift: Any, row: _Array, columns: _Array
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


@_instruction(_write_add_moments)
def add_moments(  # noqa: PLR0917 - as kernels
    lines: Int32s, line: int, centre: np.int32, shift: int, row: Ints, columns: Ints
) -> None:
    """Add 2 x BITS numbers less the center, and their squares >> shift, to two lines of `columns`.

    Their sums over the columns are left in the numbers of two vectors, `row`.
    """
