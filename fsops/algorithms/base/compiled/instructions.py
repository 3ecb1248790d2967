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

from fsops.algorithms.base.types import Floats, Int32s, Ints, Numbers, Places

# Doubles and whole numbers of 32 bits in a vector.
DOUBLES, WHOLES = 8, 16
# Vectors of a row in `add_differences`: as many rows as a list has columns fit into the cache.
MOST_VECTORS = 6
# Rows whose sums `larger_sums` keeps in registers. With more, the short registers of many machines
# are too few; two vectors of each row gain little where registers are long.
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


def _write_add_differences(  # noqa: PLR0917 - as kernels
    w: _Writer,
    X: _Array,
    i: Any,
    rows: _Array,
    weights: _Array,
    begin: Any,
    end: Any,
    total: _Array,
) -> None:
    nought, start = w.place(0), w.address(total, w.place(0))
    for count in range(1, MOST_VECTORS + 1):
        with w.case(X.shape[1], count * DOUBLES):
            own = [w.read(w.double, w.address(X, i, nought), k) for k in range(count)]
            sums = w.variables(count, w.repeat(w.double, w.double.element(0.0)))
            with w.loop(begin, end) as pair:
                other = w.address(X, w.index(rows, pair), nought)
                weight = w.repeat(w.double, w.number(weights, pair))
                for k in range(count):
                    difference = w.builder.fsub(own[k], w.read(w.double, other, k))
                    size, so_far = w.call("fabs", difference), w.builder.load(sums[k])
                    w.builder.store(w.call("fmuladd", weight, size, so_far), sums[k])
            for k in range(count):
                so_far = w.read(w.double, start, k)
                w.write(w.builder.fadd(so_far, w.builder.load(sums[k])), start, k)


@_instruction(_write_add_differences)
def add_differences(  # noqa: PLR0917 - as kernels
    X: Floats, i: int, rows: Places, weights: Floats, begin: int, end: int, total: Floats
) -> None:
    """Add weights[e] |X[i] - X[rows[e]]| to the total for each e from begin to before end.

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


def _write_larger_sums(  # noqa: PLR0917 - as kernels
    w: _Writer,
    values: _Array,
    places: _Array,
    f: Any,
    columns: _Array,
    size: Any,
    begin: Any,
    end: Any,
    least: Any,
    sums: _Array,
) -> None:
    rows = [w.address(values, w.index(places, w.place(r)), f) for r in range(ROWS_AT_ONCE)]
    first = w.repeat(w.whole, least)
    with w.loop(begin, end, WHOLES) as j:
        totals = w.variables(ROWS_AT_ONCE, first)
        with w.loop(w.place(0), size) as h:
            other = w.read(w.whole, w.address(columns, h, j))
            for row, total in zip(rows, totals, strict=True):
                own = w.repeat(w.whole, w.builder.load(w.builder.gep(row, [h])))
                larger = w.call("smax", own, other)
                w.builder.store(w.builder.add(w.builder.load(total), larger), total)
        for r, total in enumerate(totals):
            w.write(w.builder.load(total), w.address(sums, w.place(r), j))


@_instruction(_write_larger_sums)
def larger_sums(  # noqa: PLR0917 - as kernels
    values: Int32s,
    places: Ints,
    f: int,
    columns: Int32s,
    size: int,
    begin: int,
    end: int,
    least: np.int32,
    sums: Int32s,
) -> None:
    """Set sums[r, j] to least + sum_h max(values[places[r], f + h], columns[h, j]) for h < size.

    There are ROWS_AT_ONCE places. The columns from begin to end are full vectors.
    """
