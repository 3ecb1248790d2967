"""A Python function in the place of an inner process."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from fsops.core.declare.parameters import check_parameters
from fsops.core.declare.ports import SubprocessPort
from fsops.core.frame.calls import Surroundings, surrounded
from fsops.core.frame.context import iteration
from fsops.data import ExampleSet, FlowObject
from fsops.errors import PortError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from fsops.core.operator import Operator


@dataclass(frozen=True)
class InnerFunction:
    """A Python function in the place of an inner process; what it returns is checked.

    Operators that it calls have random numbers of their own in each of its runs.
    """

    function: Callable[..., Any]
    declared: SubprocessPort
    place: Surroundings
    """Where the operator stands that it is given to."""
    title: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments that a search sets for now."""
    searched: tuple[str, ...] = ()
    """What a search sets for now in operators that this function, or one inside it, must call."""

    @classmethod
    def of(cls, value: Any, declared: SubprocessPort, place: Surroundings, number: int = 0) -> Any:
        """Return what is callable with checks; inner processes check themselves."""
        if hasattr(value, "configured"):
            return value
        return cls(value, declared, place, declared.title(number))

    def __call__(self, *values: Any) -> Any:
        """Return what the function returns, or say what it should have."""
        context = self.place.context
        call = context.next_call(self.title)
        inner = context.child((*context.path, self.title), call.key, None)
        inside = replace(self.place.inside(inner), seen=set())
        with iteration(), surrounded(inside):
            result = self._checked(self._called(values))
        self._check_settings(inside.seen)
        self.place.seen.update(inside.seen)
        return result

    def _called(self, values: Sequence[Any]) -> Any:
        if self._operator is not None:  # those check their arguments themselves
            return self.function(*self._without_empty(values), **self.settings)
        for given in (values, self._without_empty(values)):
            if self._takes(given):
                return self.function(*given, **self.settings)
        raise self._refusal(self.settings)

    def _refusal(self, settings: Mapping[str, Any]) -> PortError:
        takes = ", ".join([*(port.name for port in self.declared.sources), *settings])
        return PortError(f'The function given as "{self.declared.name}" must take: {takes}.')

    @property
    def _operator(self) -> Operator | None:
        """The operator that is given, also with some of its arguments."""
        function = self.function.func if isinstance(self.function, partial) else self.function
        return getattr(function, "operator", None)

    def _takes(self, values: Sequence[Any]) -> bool:
        try:
            inspect.signature(self.function).bind(*values, **self.settings)
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

    def configured(self, settings: Mapping[str, Any]) -> InnerFunction:
        """Return the function with other parameters, named ``"Operator.parameter"``.

        It gets those as keyword arguments that it takes, by the last part of the name. The others
        are for the operators of that name that it calls.
        """
        named = {setting.rpartition(".")[2]: value for setting, value in settings.items()}
        if self._operator is not None or self._takes_keywords(named):
            return replace(self, settings={**self.settings, **named})
        merged = {name: dict(values) for name, values in self.place.settings.items()}
        for setting, value in settings.items():
            name, _, parameter = setting.rpartition(".")
            merged.setdefault(name, {})[parameter] = value
        searched = tuple(dict.fromkeys([*self.searched, *settings]))
        return replace(self, place=replace(self.place, settings=merged), searched=searched)

    def _takes_keywords(self, names: Mapping[str, Any]) -> bool:
        taken = inspect.signature(self.function).parameters.values()
        return any(p.kind is p.VAR_KEYWORD for p in taken) or names.keys() <= {
            p.name for p in taken
        }

    def _check_settings(self, called: Collection[str]) -> None:
        """Say so if a search of this function sets what the function does not have.

        Functions inside it get the settings, too, but need not have any of the operators.
        """
        named = [setting.rpartition(".") for setting in self.searched]
        if named and not called:
            raise self._refusal(dict.fromkeys(parameter for _, _, parameter in named))
        for name in dict.fromkeys(name for name, _, _ in named):
            if name not in called:
                text = f'"{self.title}" called no operator "{name}", whose parameters were set.'
                self.place.context.warn(text)

    def resampled(self, examples: ExampleSet, counts: npt.NDArray[np.float64]) -> Any:
        """Return the weights on all resamples at once, or None if that is not possible.

        It is where the function is a weighting that can do so: many times faster than calling it
        on each.
        """
        spec = self._operator
        if spec is None or spec.resampled is None:
            return None
        given = dict(self.function.keywords) if isinstance(self.function, partial) else {}
        name = given.pop("name", spec.title)
        self.place.seen.add(name)
        for accepts in spec.accepts.values():
            accepts.check(examples)
        given = self.place.parameters(spec, name, {**given, **self.settings})
        parameters = check_parameters(spec.parameters, given)
        with self.place.context.services.one_thread():
            return spec.resampled(examples, counts, **parameters)


def kind_text(value: Any) -> str:
    """Return what a value is, as part of a sentence."""
    return value.phrase() if isinstance(value, FlowObject) else f"a {type(value).__name__}"
