"""A Python function in the place of an inner process."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fsops.core.ports import SubprocessPort
from fsops.data import FlowObject
from fsops.errors import PortError


@dataclass(frozen=True)
class InnerFunction:
    """A Python function in the place of an inner process; what it returns is checked."""

    function: Callable[..., Any]
    declared: SubprocessPort
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def around(cls, value: Any, declared: SubprocessPort) -> Any:
        """Return what is callable with checks; inner processes check themselves."""
        return value if hasattr(value, "configured") else cls(value, declared)

    def __call__(self, *values: Any) -> Any:
        """Return what the function returns, or say what it should have."""
        if hasattr(self.function, "operator"):  # those check their arguments themselves
            given = self._without_empty(values)
            return self._checked(self.function(*given, **self.settings))
        for given in (values, self._without_empty(values)):
            if self._takes(given):
                return self._checked(self.function(*given, **self.settings))
        takes = ", ".join([*(port.name for port in self.declared.sources), *self.settings])
        raise PortError(f'The function given as "{self.declared.name}" must take: {takes}.')

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
        if not sinks or sinks[0].many or isinstance(result, sinks[0].type):
            return result
        if several is not None and isinstance(result, several):  # type: ignore[arg-type]
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
        """Return the function with keyword arguments, named by the last part of each setting."""
        named = {name.rpartition(".")[2]: value for name, value in settings.items()}
        return replace(self, settings={**self.settings, **named})


def kind_text(value: Any) -> str:
    """Return what a value is, as part of a sentence."""
    return value.phrase() if isinstance(value, FlowObject) else f"a {type(value).__name__}"
