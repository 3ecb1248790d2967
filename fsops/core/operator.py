"""The declaration language: an operator is a typed function."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, get_type_hints

from fsops.core.declare.capabilities import Accepts, BoundGroups, RowWeights, check_handling
from fsops.core.declare.parameters import (
    REQUIRED,
    Parameter,
    read_parameter,
    read_parameter_group,
)
from fsops.core.declare.ports import Port, SubprocessPort, read_outputs, read_port
from fsops.core.declare.renames import earlier_keys, earlier_parameters, warn_renamed
from fsops.core.declare.roles import Role, read_role
from fsops.core.declare.seeds import SEED_PARAMETERS
from fsops.core.frame.context import Context
from fsops.core.frame.invoke import call, invoke_here
from fsops.data import ExampleSet, MetaData
from fsops.errors import DeclarationError, did_you_mean, enumerate_names, unknown_argument

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from fsops.core.declare.iterations import Iterations

P = ParamSpec("P")
R = TypeVar("R")

Describe = Callable[..., "MetaData | Mapping[str, MetaData]"]
"""From the inputs' metadata and the parameters to the outputs' metadata.

A third argument ``inner``, if there is one, gets what arrives at the sinks of the inner processes.
"""

Resampled = Callable[..., "npt.NDArray[np.float64] | None"]
"""From a table, row counts (resamples by rows) and parameters to weights (resamples by attributes),
or None where the parameters or the data need each resample on its own."""

NAME = "name"
"""The argument of every operator, called as a function, that names the call."""
KEY = re.compile(r"(?:[A-Za-z0-9_.-]+:)?[a-z0-9_]+")


@dataclass(frozen=True)
class Aliases:
    """Other names under which files may refer to an operator, its ports and its parameters.

    ``ports`` and ``parameters`` map the foreign name to ours; ``inner`` is for ports of the inner
    processes whose foreign name means something else outside.
    """

    keys: tuple[str, ...] = ()
    ports: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    inner: Mapping[str, str] = field(default_factory=dict)


# Identity: there is one object per declaration, and comparing all fields would be slow.
@dataclass(frozen=True, eq=False)
class Operator:
    """Everything known about an operator; made by `operator` from the function's declaration."""

    key: str
    title: str
    group: str
    help: str
    function: Callable[..., Any] | None
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    subprocesses: tuple[SubprocessPort, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    context: str | None = None
    """Name of the argument that takes the `Context`."""
    has_named_outputs: bool = False
    """Whether the function returns a NamedTuple of its outputs."""
    accepts: Mapping[str, Accepts] = field(default_factory=dict)
    describe: Describe | None = None
    aliases: Aliases = field(default_factory=Aliases)
    tags: tuple[str, ...] = ()
    version: int = 1
    resampled: Resampled | None = None
    iterations: Iterations | None = None
    pure: bool = True
    """Whether it does and depends on nothing but its inputs, parameters and seed."""
    random: bool = False
    """Whether it draws random numbers, and so can have its own seed."""
    row_weights: RowWeights = "refused"
    """How it uses the weights of rows; see `fsops.core.declare.row_weights`."""
    bound_groups: BoundGroups = "refused"
    """How it handles bound groups; see `fsops.core.declare.bound_attributes`."""
    declared_role: Role | None = None
    """The role in the declaration; plugins written before there were roles have none."""

    def __repr__(self) -> str:
        return f"<Operator {self.key}>"

    def __reduce__(self) -> tuple[Callable[..., Operator], tuple[str, ...]]:
        """Travel by the place of the function, as functions do."""
        if self.function is None:
            return placeholder, (self.key,)
        # The function itself cannot be pickled: its name in the module means the wrapper.
        return _operator_at, (self.function.__module__, self.function.__qualname__, self.key)

    def __deepcopy__(self, memo: object) -> Operator:
        """Copying a process does not copy its operators."""
        return self

    def described(
        self,
        inputs: Mapping[str, MetaData],
        parameters: Mapping[str, Any],
        inner: Sequence[Mapping[str, MetaData]],
    ) -> Mapping[str, MetaData]:
        """Return what ``describe`` says about the outputs, by port; nothing if there is none."""
        if self.describe is None:
            return {}
        wants_inner = "inner" in inspect.signature(self.describe).parameters
        more = {"inner": inner} if wants_inner else {}
        described = self.describe(inputs, parameters, **more)
        return {self.outputs[0].name: described} if isinstance(described, MetaData) else described

    @cached_property
    def input_names(self) -> frozenset[str]:
        """Names of the input ports; those of many are counted, so they are not here."""
        return frozenset(port.name for port in self.inputs if not port.many)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Values of the parameters that have a default."""
        return {p.name: p.default for p in self.parameters if not p.required}

    @cached_property
    def file_parameters(self) -> tuple[Parameter, ...]:
        """The parameters that are names of files."""
        return tuple(p for p in self.parameters if p.file is not None)

    @cached_property
    def _port_names(self) -> dict[str, None]:
        """Names of inputs and inner processes, in their order."""
        names = [port.name for port in self.inputs] + [sub.name for sub in self.subprocesses]
        return dict.fromkeys(names)

    @cached_property
    def _positional(self) -> tuple[str, ...]:
        """Names of the arguments that may be given without a name."""
        arguments = inspect.signature(self.function).parameters.values() if self.function else ()
        by_name = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
        return tuple(a.name for a in arguments if a.kind not in by_name)

    @cached_property
    def _argument_names(self) -> dict[str, None]:
        """Names of all that a Python call may give, but for the context."""
        return self._port_names | dict.fromkeys(p.name for p in self.parameters)

    @property
    def is_placeholder(self) -> bool:
        """Whether the operator is not installed: it is kept, but cannot run."""
        return self.function is None

    @property
    def summary(self) -> str:
        """First sentence of the help, or the title where there is none."""
        text = " ".join(self.help.split("\n\n")[0].split())
        return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0] or self.title

    @property
    def role(self) -> Role:
        """The part it plays in an analysis; derived from the ports if none was declared."""
        if self.declared_role is not None:
            return self.declared_role
        from fsops.core.declare.derived_roles import derived_role

        return derived_role(self.inputs, self.outputs, self.subprocesses)

    @property
    def prefix(self) -> str:
        """The part before the colon in a plugin operator's key."""
        return self.key.rpartition(":")[0]

    def parameter(self, name: str) -> Parameter:
        """Return a parameter by name or alias."""
        name = self.aliases.parameters.get(name, name)
        by_name = {parameter.name: parameter for parameter in self.parameters}
        if name not in by_name:
            raise KeyError(name)
        return by_name[name]

    def renamed(self, settings: Mapping[str, Any], stacklevel: int = 2) -> dict[str, Any]:
        """Return settings under the present names; each earlier name causes a `RenamedWarning`.

        A setting under the present name is preferred.
        """
        aliases, found = self.aliases.parameters, dict(settings)
        for name in [each for each in settings if each in aliases]:
            if aliases[name] not in found:
                warn_renamed(self.title, name, aliases[name], stacklevel + 1)
                found[aliases[name]] = found.pop(name)
        return found

    def run(
        self, inputs: Mapping[str, Any], parameters: Mapping[str, Any], context: Context
    ) -> dict[str, Any]:
        """Call the function in this context, and return its results by port name.

        Inputs and parameters are checked. Ports of many take and give a list.
        """
        return self.split(call(self, inputs, parameters, context.frame))

    def values(self, result: Any) -> tuple[Any, ...]:
        """Return the results in the order of the outputs."""
        if self.has_named_outputs:
            return tuple(result)
        return (result,) if self.outputs else ()

    def split(self, result: Any) -> dict[str, Any]:
        """Return the results by port name."""
        values = self.values(result)
        return {port.name: value for port, value in zip(self.outputs, values, strict=True)}

    def called(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Run as a plain Python function; a missing context is made here.

        ``name`` names the call, as an operator in a process has a name.
        """
        given = dict(kwargs)
        context = given.pop(self.context, None) if self.context else None
        ports, known = self._port_names, self._argument_names
        # An operator with its own input or parameter "name" keeps it.
        name = None if NAME in known else given.pop(NAME, None)
        inputs = self._placed(args)
        parameters: dict[str, Any] = {}
        if not given.keys() <= known.keys():
            given = self.renamed(given, stacklevel=3)
        for argument, value in given.items():
            if argument not in known:
                raise unknown_argument(self.key, argument, list(known))
            if argument in inputs:
                raise TypeError(f"{self.key}() got the argument {argument!r} twice.")
            (inputs if argument in ports else parameters)[argument] = value
        if context is not None:
            return call(self, inputs, parameters, context.frame)
        return invoke_here(self, inputs, parameters, name)

    def _placed(self, args: Sequence[Any]) -> dict[str, Any]:
        """Return the positional arguments by the names of the inputs."""
        if len(args) > len(self._positional):
            inputs = enumerate_names([port.name for port in self.inputs]) or "it has none"
            raise TypeError(
                f"{self.key}() was given {len(args)} values without a name, but only its inputs "
                f"may go without one: {inputs}. Give parameters by name."
            )
        # Inputs may be missing: `call` reports them with the type that they need.
        return dict(zip(self._positional, args, strict=False))


def _operator_at(module: str, name: str, key: str) -> Operator:
    """Return the operator whose function has this place; its key may carry a plugin's name."""
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    spec = operator_of(found)
    # The plugin loader adds the prefix to the key; a worker that only imports the module has not.
    object.__setattr__(spec, "key", key)
    return spec


def placeholder(key: str) -> Operator:
    """Return a placeholder for an operator that is not installed."""
    return Operator(key, key, "", "", None)


def operator(
    misplaced: object = None,
    /,
    *,
    group: str = "",
    role: Role | str | None = None,
    key: str | None = None,
    accepts: Accepts | Mapping[str, Accepts] | None = None,
    describe: Describe | None = None,
    aliases: Aliases | None = None,
    tags: Sequence[str] = (),
    version: int = 1,
    resampled: Resampled | None = None,
    iterations: Iterations | None = None,
    random: bool = False,
    pure: bool = True,
    row_weights: RowWeights = "refused",
    bound_groups: BoundGroups = "refused",
    **unknown: Any,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a function as an operator.

    Positional arguments are input ports and inner processes, keyword-only arguments are
    parameters, the return annotation gives the output ports, the docstring is the help page: its
    first line is the title.

    Parameters
    ----------
    group : str
        Its place in the palette and in lists, such as ``"Weighting/Univariate"``; nothing else
        depends on it.
    role : Role or str, optional
        The part it plays in an analysis, such as ``"weighting"`` (see `Role`). Without one it is
        derived from the ports.
    key : str, optional
        Its name in process files; the function's name if not given.
    accepts : Accepts, or mapping of port name to Accepts, optional
        Requirements on the first table, or on each named table.
    describe : callable, optional
        From the inputs' metadata and the parameters to the outputs' metadata. A third argument
        called ``inner`` gets a list with what arrives at the sinks of each inner process.
    aliases : Aliases, optional
        Names used by RapidMiner or earlier versions.
    tags : sequence of str
        Further words people search for.
    version : int
        Raised when the same input gives other numbers than before.
    resampled : callable, optional
        Computes the weights on many resamples at once, for ensembles of a filter.
    iterations : callable, optional
        From the facts `Known` before the run to how often one run of the operator runs its
        inner processes: one number for all, or one for each. ``fsops plan`` shows it.
    random : bool
        Add the parameters for an own random seed, as in RapidMiner.
    pure : bool
        False for an operator that reads or changes something beside its inputs, such as macros;
        its results are never taken from a cache.
    row_weights : {"refused", "used", "whole numbers", "unaffected"}
        How a learner, weighting, selection or performance uses an attribute of the role
        weight. ``"used"``: the function reads `ExampleSet.row_weights`, or statistics of the table,
        which contain them; rows of weight 0 are left out before. ``"whole numbers"``: the function
        gets each row as often as its weight says. ``"unaffected"``: the result does not depend on
        the rows. All others refuse tables with row weights.
    bound_groups : {"refused", "together", "completed", "unaffected"}
        How a selection or search handles attributes that must be selected together.
        ``"together"``: the function takes or leaves whole groups. ``"completed"``: one attribute
        that it selects selects its group. ``"unaffected"``: it chooses no attributes. All others
        refuse tables with bound groups. Attributes that must be kept are added to the result of
        every selection and search.
    """
    _check_decorator(misplaced, group, unknown)

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        check_handling("row_weights", row_weights, RowWeights, _place_of(function))
        check_handling("bound_groups", bound_groups, BoundGroups, _place_of(function))
        read = _read(function, signature, key or function.__name__, group)
        spec = replace(
            read,
            accepts=_accepts_by_port(read, accepts),
            describe=describe,
            aliases=_with_earlier_names(read, aliases or Aliases()),
            tags=tuple(tags),
            version=version,
            resampled=resampled,
            iterations=iterations,
            random=random,
            pure=pure,
            row_weights=row_weights,
            bound_groups=bound_groups,
            declared_role=None if role is None else read_role(role, _place_of(function)),
            parameters=read.parameters + (SEED_PARAMETERS if random else ()),
        )

        # wraps keeps module and qualified name: `_operator_at` finds the wrapper by them.
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            result: R = spec.called(args, kwargs)
            return result

        call.operator = spec  # type: ignore[attr-defined]
        return call

    return declare


def _with_earlier_names(read: Operator, aliases: Aliases) -> Aliases:
    """Return the aliases with the earlier names of `fsops.core.declare.vocabulary`."""
    parameters = earlier_parameters(read.key, [parameter.name for parameter in read.parameters])
    return replace(
        aliases,
        keys=(*aliases.keys, *earlier_keys(read.key)),
        parameters={**parameters, **aliases.parameters},
    )


def _check_decorator(misplaced: object, group: str, unknown: Mapping[str, Any]) -> None:
    """Raise `DeclarationError` if the decorator is not used as it is meant."""
    known = [name for name in inspect.signature(operator).parameters if name != "misplaced"]
    if misplaced is not None:
        name = getattr(misplaced, "__name__", "the function")
        raise DeclarationError(
            f"@operator above {name} needs arguments in parentheses.",
            hint='Write @operator(group="Weighting/Mine", role="weighting").',
        )
    for argument in unknown:
        hint = did_you_mean(argument, known) or f"There are {', '.join(known[:-1])}."
        raise DeclarationError(f"@operator has no argument {argument}.", hint=hint)
    if not group:
        raise DeclarationError(
            "@operator needs group, the place in the palette.",
            hint='Write @operator(group="Weighting/Mine").',
        )


def operator_of(declared: Any) -> Operator:
    """Return the declaration behind an operator function."""
    spec = declared if isinstance(declared, Operator) else getattr(declared, "operator", None)
    if not isinstance(spec, Operator):
        hint = "Decorate it with @operator."
        if isinstance(declared, str):
            hint = f"Give the function itself: from fsops.operators import {declared}."
        raise DeclarationError(f"{declared!r} is not an operator.", hint=hint)
    return spec


def _read(
    function: Callable[..., Any], signature: inspect.Signature, key: str, group: str
) -> Operator:
    where = _place_of(function)
    if not KEY.fullmatch(key):
        raise DeclarationError(
            f'{where}: "{key}" cannot be a key; use small letters, digits and underscores.'
        )
    title, _, text = inspect.cleandoc(function.__doc__ or "").partition("\n")
    if not title:
        raise DeclarationError(f"{where}: the docstring is missing; its first line is the title.")
    hints = _type_hints(function, where)
    inputs, inner, parameters, context = _read_arguments(signature, hints, where)
    if "return" not in hints:
        raise DeclarationError(
            f"{where}: the return annotation, which gives the outputs, is missing."
        )
    try:
        outputs, several = read_outputs(hints["return"])
    except TypeError as error:
        raise DeclarationError(f"{where}: the return annotation: {error}.") from None
    _check_names(where, inputs, outputs, inner, parameters)
    return Operator(
        key, title.strip().rstrip("."), group, text.strip(), function,
        inputs, outputs, inner, parameters, context, several is not None,
    )  # fmt: skip


def _place_of(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _type_hints(function: Callable[..., Any], where: str) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        raise DeclarationError(
            f"{where}: an annotation cannot be resolved: {error}.",
            hint="Import its names at the top of the module, not under TYPE_CHECKING.",
        ) from None


def _read_arguments(
    signature: inspect.Signature, hints: Mapping[str, Any], where: str
) -> tuple[tuple[Port, ...], tuple[SubprocessPort, ...], tuple[Parameter, ...], str | None]:
    inputs: list[Port] = []
    inner: list[SubprocessPort] = []
    parameters: list[Parameter] = []
    context = None
    for name, argument in signature.parameters.items():
        if argument.kind is argument.VAR_POSITIONAL:
            raise DeclarationError(
                f"{where}: *{name} is not possible; use list[...] for many inputs."
            )
        if name not in hints:
            raise DeclarationError(f"{where}: the argument {name} has no annotation.")
        if hints[name] is Context:
            context = name
            continue
        try:
            if argument.kind is argument.VAR_KEYWORD:
                parameters += read_parameter_group(hints[name])
            elif argument.kind is argument.KEYWORD_ONLY:
                missing = argument.default is argument.empty
                default = REQUIRED if missing else argument.default
                parameters.append(read_parameter(name, hints[name], default))
            else:
                port = read_port(name, hints[name])
                if isinstance(port, SubprocessPort):
                    inner.append(port)
                else:
                    inputs.append(port)
        except TypeError as error:
            raise DeclarationError(f"{where}: the argument {name}: {error}.") from None
    # `invoke` passes inputs by keyword, so Named must not rename an argument.
    for name in [port.name for port in inputs] + [process.name for process in inner]:
        if name not in signature.parameters:
            raise DeclarationError(f"{where}: the input {name} must have its argument's name.")
    return tuple(inputs), tuple(inner), tuple(parameters), context


def _check_names(
    where: str,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    inner: Sequence[SubprocessPort],
    parameters: Sequence[Parameter],
) -> None:
    for kind, names in (
        ("inputs", [p.name for p in inputs] + [s.name for s in inner]),
        ("outputs", [p.name for p in outputs]),
    ):
        double = next((name for name in names if names.count(name) > 1), None)
        if double is not None:
            raise DeclarationError(f'{where}: two {kind} are called "{double}".')
    known = {parameter.name for parameter in parameters}
    for parameter in parameters:
        for other in parameter.when.names if parameter.when else ():
            if other not in known:
                raise DeclarationError(
                    f"{where}: the argument {parameter.name} depends on {other}, "
                    "which does not exist."
                )
        if not parameter.required:
            _check_default(where, parameter)


def _check_default(where: str, parameter: Parameter) -> None:
    # Only the cheap rule here: building a validator for every parameter would slow each start.
    known = parameter.choices
    if parameter.kind == "choice" and parameter.default not in known and not parameter.optional:
        raise DeclarationError(
            f"{where}: the default of {parameter.name} is {parameter.default!r}, "
            f"but it must be {parameter.allowed()}."
        )


def _accepts_by_port(
    spec: Operator, accepts: Accepts | Mapping[str, Accepts] | None
) -> Mapping[str, Accepts]:
    if accepts is None:
        return {}
    if not isinstance(accepts, Accepts):
        return accepts
    first = next((port.name for port in spec.inputs if issubclass(port.type, ExampleSet)), None)
    if first is None:
        raise DeclarationError(f"{spec.key}: accepts needs an input that takes a table.")
    return {first: accepts}
