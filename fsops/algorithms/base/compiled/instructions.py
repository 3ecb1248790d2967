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

from fsops.algorithms.base.types import Numbers

# Doubles and whole numbers of 32 bits in a vector.
DOUBLES, WHOLES = 8, 16
# Bits of a word.
BITS = 64

P = ParamSpec("P")


class Array(NamedTuple):
    """Where an array of one piece begins, and its shape."""

    first: Any
    shape: tuple[Any, ...]


class VectorWriter:
    """Writes instructions with vectors."""

    def __init__(self, builder: Any) -> None:
        from llvmlite import ir

        self.builder, self.ir = builder, ir
        self.place = ir.IntType(64)
        self.double = ir.VectorType(ir.DoubleType(), DOUBLES)
        self.whole = ir.VectorType(ir.IntType(32), WHOLES)
        self.wide = ir.VectorType(ir.IntType(64), DOUBLES)

    def address(self, array: Array, *places: Any) -> Any:
        """Where the number at these places is; there are as many places as dimensions."""
        at = self.place(0)
        for size, place in zip(array.shape, places, strict=True):
            at = self.builder.add(self.builder.mul(at, size), place)
        return self.builder.gep(array.first, [at])

    def number(self, array: Array, *places: Any) -> Any:
        """Read a number."""
        return self.builder.load(self.address(array, *places))

    def index(self, array: Array, *places: Any) -> Any:
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


def instruction(write: Callable[..., None]) -> Callable[[Callable[P, None]], Callable[P, None]]:
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
            write(VectorWriter(builder), *(_value(context, builder, *pair) for pair in values))
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
    return Array(array.data, shape)


def _write_prefetch(w: VectorWriter, values: Array, place: Any) -> None:
    from numba.core import cgutils

    byte, short = w.ir.IntType(8).as_pointer(), w.ir.IntType(32)
    kind = w.ir.FunctionType(w.ir.VoidType(), [byte, short, short, short])
    insert: Any = cgutils.get_or_insert_function
    address = w.builder.bitcast(w.address(values, place), byte)
    # To be read, and again soon, and not an instruction.
    call = insert(w.builder.module, kind, "llvm.prefetch.p0")
    w.builder.call(call, [address, short(0), short(3), short(1)])


@instruction(_write_prefetch)
def prefetch(values: Numbers, place: int) -> None:
    """Ask for values[place] of a flat array before it is needed.

    The processor does so by itself, but too late for a table whose columns are short. Any place
    may be given, even one behind the end.
    """
