"""The one way to call an operator: for processes, for plain Python calls and for estimators."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from fsops.core.declare.parameters import check_parameters
from fsops.core.declare.ports import Port, SubprocessPort
from fsops.core.declare.seeds import SEED_PARAMETERS
from fsops.core.frame.context import Context
from fsops.core.frame.frame import Frame, current, current_state, entered
from fsops.core.frame.services import Services
from fsops.core.frame.settings import resolved_parameters
from fsops.core.frame.state import LastRun
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.flow import Collection as Results, FlowObject, kind_text
from fsops.errors import FsopsError, PortError

if TYPE_CHECKING:
    from fsops.core.operator import Operator

_CONVERSIONS = {
    "DataFrame": 'Convert it: ExampleSet.from_pandas(frame, roles={"diagnosis": "label"}).',
    "ndarray": "Convert it: ExampleSet.from_numpy(X, y).",
}


class CallCache(Protocol):
    """Results of calls from earlier runs."""

    def result(
        self, frame: Frame, parameters: Mapping[str, Any], compute: Callable[[Frame], Any]
    ) -> Any:
        """Return the cached result of a call, or compute it in its frame and store it."""


def invoke(
    around: Frame,
    spec: Operator,
    name: str,
    inputs: Mapping[str, Any],
    given: Mapping[str, Any],
    *,
    wanted: Collection[str] | None = None,
    cache: CallCache | None = None,
) -> Any:
    """Call an operator at a place of a run, and return what its function returns.

    Parameters
    ----------
    around : Frame
        The level of the operator: a process, an inner process or a function.
    spec : Operator
    name : str
        The name of the operator at that level.
    inputs : mapping
        Values of the input ports; inner processes or functions for the ports of those.
    given : mapping
        The parameters that are set. They may contain macros and relative file names.
    wanted : collection of str, optional
        The outputs that are used; all if not given.
    cache : CallCache, optional
        Where the results of an earlier run may be found.
    """
    frame = around.operator(name, wanted)
    began = time.perf_counter()
    try:
        parameters = resolved_parameters(around, spec, name, given)
        compute = partial(call, spec, inputs, parameters)
        result = cache.result(frame, parameters, compute) if cache else compute(frame)
    except FsopsError as error:
        # A call that stands alone has no place that a message could name.
        raise (error.at(frame.path) if around.is_level else error) from None
    seconds = time.perf_counter() - began
    # Also for a cached result: a Log operator needs the same values in every run.
    around.state.outcomes[name] = _last_run(spec, parameters, spec.values(result), seconds)
    return result


def invoke_here(
    spec: Operator, inputs: Mapping[str, Any], given: Mapping[str, Any], name: str | None = None
) -> Any:
    """Call an operator from Python: in the run that the calling code belongs to, or alone.

    Calls outside of a run, and calls in the code of another operator, are independent: they
    leave nothing in the memory of the run.
    """
    level = current()
    if level is None or not level.is_level:
        alone = Frame(Services(), state=current_state().copy())
        return invoke(alone, spec, name or spec.title, inputs, given)
    return invoke(level, spec, level.calls.unique(name, spec.title), inputs, given)


# --- the call -------------------------------------------------------------------------------


def call(
    spec: Operator, inputs: Mapping[str, Any], parameters: Mapping[str, Any], frame: Frame
) -> Any:
    """Check inputs and parameters, call the function in its frame, and check its results."""
    if spec.function is None:
        raise PortError(f'"{spec.key}" is not installed and cannot run.')
    # Parameters before inputs: the check of a table may read all of its values.
    values = check_parameters(spec.parameters, parameters)
    own = frame
    if spec.random:
        use, seed = (values.pop(parameter.name) for parameter in SEED_PARAMETERS)
        # The operator's own seed is not for the operators inside it.
        own = frame.reseeded(seed) if use else frame
    arguments = {
        port.name: _checked_input(spec, port, inputs.get(port.name), frame) for port in spec.inputs
    }
    for sub in spec.subprocesses:
        arguments[sub.name] = _bound_inner(sub, inputs.get(sub.name), frame)
    if spec.context is not None:
        arguments[spec.context] = Context.of(own)
    with entered(frame.live()):
        result = spec.function(**arguments, **values)
    if any(map(_is_bound, arguments.values())):
        from fsops.core.declare.bound_attributes import bound_result

        result = bound_result(spec, arguments, result)
    return _checked_output(spec, result, arguments)


def _checked_input(spec: Operator, port: Port, value: Any, frame: Frame) -> Any:
    if port.many:
        if isinstance(value, FlowObject) and not isinstance(value, Results):
            raise PortError(
                f'The port "{port.name}" takes a list, but got {kind_text(value)}.',
                hint="Put the result into a list: [result].",
            )
        return [
            item if item is None and port.gaps else _checked_type(port, item)
            for given in value or []
            for item in _unfolded(given, port)
        ]
    if value is None:
        if port.optional:
            return None
        raise PortError(f'The input "{port.name}" is missing; it takes {port.type.phrase()}.')
    _checked_type(port, value)
    if not isinstance(value, ExampleSet):
        return value
    if value.schema.row_weight is not None:
        from fsops.core.declare.row_weights import weighted_input

        value = weighted_input(spec, value)
    if value.schema.groups is not None:
        from fsops.core.declare.bound_attributes import require_groups_usable

        require_groups_usable(spec, value.schema)
    if port.name not in spec.accepts:
        return value
    accepts = spec.accepts[port.name]
    accepts.check(value)
    return value if accepts.sparse or not value.is_sparse else _dense(spec, value, frame)


def _is_bound(value: Any) -> bool:
    """Return whether an input has attributes that must be kept, or groups."""
    if isinstance(value, ExampleSet):
        return value.schema.marks is not None or value.schema.groups is not None
    if isinstance(value, AttributeWeights):
        return value.is_bound
    return isinstance(value, list) and any(map(_is_bound, value))


def _dense(spec: Operator, table: ExampleSet, frame: Frame) -> ExampleSet:
    """Return a dense copy of a sparse table, if there is memory for it, and warn of its size."""
    from fsops.data.sparse import density_warning

    warning = density_warning(table, spec.title)
    dense = table.dense()
    if warning:
        Context.of(frame).warn(warning)
    return dense


def _checked_type(port: Port, value: Any) -> Any:
    if not isinstance(value, port.type):
        raise PortError(
            f'The port "{port.name}" takes {port.type.phrase()}, but got {kind_text(value)}.',
            hint=_conversion(port, value),
        )
    return value


def _conversion(port: Port, value: Any) -> str:
    """Return how to convert a value to the type of a port, as a sentence."""
    kind = type(value).__name__
    if issubclass(port.type, AttributeWeights) and kind in ("ndarray", "list", "Series"):
        return "Return examples.weights(values), with a value for each regular attribute."
    return _CONVERSIONS.get(kind, "")


def _unfolded(given: Any, port: Port) -> Sequence[Any]:
    """Return the results of a collection one by one, for a port that takes many such results."""
    # A port that takes any result takes the collection itself.
    if not isinstance(given, Results) or issubclass(Results, port.type):
        return [given]
    return [item for inner in given for item in _unfolded(inner, port)]


def _bound_inner(sub: SubprocessPort, value: Any, frame: Frame) -> Any:
    """Return the inner process, or the list of them, as the operator calls it."""
    fine = callable(value)
    if sub.many:
        fine = isinstance(value, list | tuple) and all(map(callable, value))
    if not fine:
        raise PortError(f'"{sub.name}" must be an inner process or a function.')
    if sub.many:
        return [_bound(item, sub, frame, number) for number, item in enumerate(value)]
    return _bound(value, sub, frame, 0)


def _bound(value: Any, sub: SubprocessPort, frame: Frame, number: int) -> Any:
    if hasattr(value, "bound_to"):  # a graph
        return value.bound_to(sub, frame)
    if hasattr(value, "configured"):  # bound already: an operator passes its inner process on
        return value
    from fsops.core.frame.inner import FunctionInner  # most operators have no inner process

    return FunctionInner(sub, frame, sub.title(number), value)


def _checked_output(spec: Operator, result: Any, arguments: Mapping[str, Any]) -> Any:
    for port, value in zip(spec.outputs, spec.values(result), strict=True):
        for item in value if port.many else [value]:
            if item is not None or not port.optional:
                _checked_type(port, item)
            # Weights that the operator only passes on keep the name of their maker.
            made = isinstance(item, AttributeWeights) and not item.origin
            if made and not any(item is given for given in arguments.values()):
                item.origin = spec.title
    return result


def _last_run(
    spec: Operator, parameters: Mapping[str, Any], results: Sequence[Any], seconds: float
) -> LastRun:
    """Return the values that a log can record."""
    measured = [value.means() for value in results if getattr(value, "has_criteria", False)]
    criteria = {name: mean for means in measured for name, mean in means.items()}
    if measured:  # the first criterion of the first vector is the main one
        criteria["performance"] = next(iter(measured[0].values()))
    return LastRun({**spec.defaults, **parameters}, seconds, criteria)
