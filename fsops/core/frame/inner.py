"""Inner processes as an operator calls them: graphs, or functions written in Python.

`Inner` holds what both kinds share. The engine has the adapter for graphs, this module the one for
Python functions.
"""

from __future__ import annotations

import inspect
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from fsops.core.declare.parameters import check_parameters
from fsops.core.declare.ports import SubprocessPort
from fsops.core.frame.events import Finished, Logged
from fsops.core.frame.frame import Frame, Key, entered
from fsops.core.frame.services import WARNING
from fsops.core.frame.settings import resolved_parameters
from fsops.data import ExampleSet
from fsops.data.flow import Collection as Results, FlowObject, kind_text
from fsops.errors import FsopsError, PortError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from fsops.core.operator import Operator


class Weighting(NamedTuple):
    """A single operator that does all the work of an inner process."""

    operator: Operator
    name: str
    parameters: Mapping[str, Any]


Link = tuple[str, str, str, str]
"""A connection: key of an operator and its output port, key of another one and its input port."""


class OutlinedOperator(NamedTuple):
    """An operator of an outline."""

    operator: Operator
    name: str
    given: Mapping[str, Any]
    """The parameters that are set, before macros and the settings of a search."""
    inner: tuple[Outline, ...]


@dataclass(frozen=True)
class Outline:
    """The parts of an inner process, for an operator that knows a faster way to its result."""

    operators: Mapping[str, OutlinedOperator]
    """By key; no key occurs twice."""
    links: frozenset[Link]
    """All connections. The ends of the process have the keys ``source`` and ``sink``."""


@dataclass(frozen=True)
class Inner(ABC):
    """An inner process, bound to the operator that runs it."""

    declared: SubprocessPort
    frame: Frame
    """Of the operator that runs it."""
    title: str

    def __call__(self, *values: Any) -> Any:
        """Run the inner process once and return its results."""
        inside, place = self.frame.inner_run(self.title)
        with entered(inside):
            return self._run(inside, place, values)

    @abstractmethod
    def _run(self, inside: Frame, place: Key, values: Sequence[Any]) -> Any:
        """Run once in the frame ``inside``; ``place`` counts the runs within the operator."""

    def configured(self, settings: Mapping[str, Any]) -> Self:
        """Return the inner process with other parameters, named ``"Operator.parameter"``."""
        return replace(self, frame=self.frame.configured(settings))

    def cached_as(self, part: str) -> Self:
        """Return the inner process with a separate cache; see `Context.cached_as`."""
        return replace(self, frame=self.frame.cached_as(part))

    def resampled(self, examples: ExampleSet, counts: npt.NDArray[np.float64]) -> Any:
        """Return the weights on all resamples at once, or None if that is not possible.

        It is possible if the inner process is a single weighting that can do so. Then it is many
        times faster than one run per resample.
        """
        single = self._single_weighting()
        resampled = None if single is None else single.operator.resampled
        if single is None or resampled is None or examples.schema.row_weight is not None:
            return None
        spec, name, given = single
        frame = self.frame.live()
        began = time.perf_counter()
        try:
            # This bypasses `invoke`, so its checks are repeated here.
            for accepts in spec.accepts.values():
                accepts.check(examples)
            values = resolved_parameters(frame, spec, name, given)
            checked = check_parameters(spec.parameters, values)
            with frame.services.one_thread():  # as in the iterations that it replaces
                weights = resampled(examples, counts, **checked)
        except FsopsError as error:
            raise error.at((*frame.path, self.title, name)) from None
        if weights is not None:
            path = (*frame.path, self.title, name)
            seconds = time.perf_counter() - began
            frame.services.emit(Finished(path, seconds, None, runs=len(counts)))
        return weights

    @abstractmethod
    def _single_weighting(self) -> Weighting | None:
        """Return the only operator of the inner process, if there is just one."""

    def outline(self) -> Outline | None:
        """Return the operators inside; None if they are not known, or must really run."""
        return None

    def parameters_of(self, outlined: OutlinedOperator) -> dict[str, Any]:
        """Return the parameters that an operator of the outline would run with."""
        spec, frame = outlined.operator, self.frame.live()
        values = resolved_parameters(frame, spec, outlined.name, outlined.given)
        return check_parameters(spec.parameters, values)


@dataclass(frozen=True)
class FunctionInner(Inner):
    """A Python function in the place of an inner process; its results are checked.

    Operators that it calls have different random numbers in each of its runs.
    """

    function: Callable[..., Any]
    keywords: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that a search sets."""
    searched: tuple[str, ...] = ()
    """Settings of a search for operators that this function, or one inside it, must call."""
    takes: dict[int, bool] = field(default_factory=dict, compare=False, repr=False)
    """Whether the function takes so many values: it does not change from iteration to iteration."""

    def _run(self, inside: Frame, place: Key, values: Sequence[Any]) -> Any:
        result = self._checked(self._called(values))
        self._check_searched(inside.calls.inside)
        # A search may have configured a function further outside, which checks these names.
        self.frame.calls.inside.update(inside.calls.inside)
        return result

    def _called(self, values: Sequence[Any]) -> Any:
        if self._operator is not None:  # an operator checks its arguments itself
            return self.function(*self._without_empty(values), **self.keywords)
        # A function need not have an argument for a last port of many that is empty.
        for given in (values, self._without_empty(values)):
            if self._takes(given):
                return self.function(*given, **self.keywords)
        raise self._refusal(self.keywords)

    def _refusal(self, keywords: Mapping[str, Any]) -> PortError:
        takes = ", ".join([*(port.name for port in self.declared.sources), *keywords])
        return PortError(f'The function given as "{self.declared.name}" must take: {takes}.')

    @property
    def _operator(self) -> Operator | None:
        """The operator that is given, also as a partial of it."""
        function = self.function.func if isinstance(self.function, partial) else self.function
        return getattr(function, "operator", None)

    def _takes(self, values: Sequence[Any]) -> bool:
        if len(values) not in self.takes:
            self.takes[len(values)] = self._binds(values)
        return self.takes[len(values)]

    def _binds(self, values: Sequence[Any]) -> bool:
        try:
            # Calling and catching TypeError is wrong: the function itself may raise one.
            inspect.signature(self.function).bind(*values, **self.keywords)
        except TypeError:
            return False
        return True

    def _without_empty(self, values: Sequence[Any]) -> Sequence[Any]:
        """Return the values without a last port of many that nothing is connected to."""
        is_empty = self.declared.sources and self.declared.sources[-1].many and not values[-1]
        return values[:-1] if is_empty else values

    def _checked(self, result: Any) -> Any:
        sinks, several = self.declared.sinks, self.declared.result
        if several is not None and type(result) is tuple and 0 < len(result) <= len(sinks):
            result = several(*result, *[[] if s.many else None for s in sinks[len(result) :]])
        alone = isinstance(result, FlowObject) and not isinstance(result, Results)
        if sinks and sinks[0].many and alone:
            raise PortError(
                f'The function given as "{self.declared.name}" must return a list, but it returns '
                f"{kind_text(result)}.",
                hint="Return the result in a list: [result].",
            )
        if not sinks or sinks[0].many or isinstance(result, sinks[0].type):
            return result
        if several is not None and isinstance(result, several):  # type: ignore[arg-type]
            return result
        if result is None and sinks[0].optional:
            return result
        # An operator with several outputs: the first that fits, as in a process.
        for item in result if isinstance(result, tuple) else ():
            if isinstance(item, sinks[0].type):
                return item
        raise PortError(
            f'The function given as "{self.declared.name}" must return '
            f"{sinks[0].type.phrase()}, but returned {kind_text(result)}."
        )

    def configured(self, settings: Mapping[str, Any]) -> Self:
        """Return the function with other parameters, named ``"Operator.parameter"``.

        Those that it takes become keyword arguments, by the last part of the name. The others are
        for the operators of that name that it calls.
        """
        named = {setting.rpartition(".")[2]: value for setting, value in settings.items()}
        if self._operator is not None or self._takes_keywords(named):
            return replace(self, keywords={**self.keywords, **named}, takes={})
        searched = tuple(dict.fromkeys([*self.searched, *settings]))
        return replace(super().configured(settings), searched=searched)

    def _takes_keywords(self, names: Mapping[str, Any]) -> bool:
        taken = inspect.signature(self.function).parameters.values()
        return any(p.kind is p.VAR_KEYWORD for p in taken) or names.keys() <= {
            p.name for p in taken
        }

    def _check_searched(self, called: Collection[str]) -> None:
        """Warn if a search sets parameters of an operator that the function does not call.

        Functions inside it get the settings as well, but need not call any of the operators.
        """
        if not self.searched:
            return
        named = [setting.rpartition(".") for setting in self.searched]
        if not called:
            raise self._refusal(dict.fromkeys(parameter for _, _, parameter in named))
        for name in dict.fromkeys(name for name, _, _ in named):
            if name not in called:
                text = f'"{self.title}" called no operator "{name}", whose parameters were set.'
                self.frame.services.emit(Logged(self.frame.path, WARNING, text))

    def _single_weighting(self) -> Weighting | None:
        spec = self._operator
        if spec is None:
            return None
        given = dict(self.function.keywords) if isinstance(self.function, partial) else {}
        name = given.pop("name", spec.title)
        # The operator is not called here, but a search must not warn that it is missing.
        self.frame.calls.inside.add(name)
        return Weighting(spec, name, {**given, **self.keywords})
