"""The properties of a selector that follow from an operator's declaration."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field
from sklearn.utils import Tags

from fsops.core import Accepts
from fsops.core.declare.capabilities import LabelKind
from fsops.core.declare.parameters import Parameter, read_parameter
from fsops.core.declare.roles import CHOOSING_ATTRIBUTES, Role
from fsops.core.declare.seeds import SEED_PARAMETERS
from fsops.core.operator import Operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.sklearn.tables import LabelType

MISSING = "missing"
"""The name of the parameter for missing values in all operators."""

CHOICES = (
    read_parameter(
        "k",
        Annotated[
            int | Literal["all", "selected"] | None,
            Field(
                ge=1,
                description="Number of best attributes to keep; all keeps all, selected those "
                "whose weight is not 0.",
            ),
        ],
        None,
    ),
    read_parameter(
        "p",
        Annotated[
            float | None, Field(gt=0, le=100, description="Keep that percentage of the best.")
        ],
        None,
    ),
    read_parameter(
        "threshold",
        Annotated[
            float | None,
            Field(
                description="Keep those of at least that weight. By default the 10 best of a "
                "weighting are kept, or all attributes that a selection chose."
            ),
        ],
        None,
    ),
)
"""How attributes are chosen by their weights; only one of them may be given."""

MARKED = (
    read_parameter(
        "must_keep",
        Annotated[
            list[str] | None,
            Field(
                description="Names of columns that every selection keeps and that count among its "
                "k; those of an array are x0, x1, …."
            ),
        ],
        None,
    ),
    read_parameter(
        "forbidden",
        Annotated[
            list[str] | None, Field(description="Names of columns that are never used nor kept.")
        ],
        None,
    ),
)
"""Columns with the roles of these names."""

LABEL_TYPE = read_parameter(
    "label_type",
    Annotated[
        Literal["auto", "nominal", "numerical"],
        Field(
            description="Kind of y: classes, or numbers. With auto, real numbers are numbers, "
            "unless they are only two whole ones such as 0.0 and 1.0; all other labels are classes."
        ),
    ],
    "auto",
)


def is_selector(spec: Operator) -> bool:
    """Return whether an operator weighs or selects the attributes of a table it is given."""
    if spec.role not in CHOOSING_ATTRIBUTES or not spec.inputs:
        return False
    table, *others = spec.inputs
    needed = [port for port in others if not port.optional]
    return (
        issubclass(table.type, ExampleSet)
        and not (table.optional or table.many)
        and all(issubclass(port.type, AttributeWeights) for port in needed)
        and any(issubclass(p.type, AttributeWeights) and not p.changed for p in spec.outputs)
    )


def class_name(key: str) -> str:
    """Return the name of a selector: ``weight_by_sam`` gives ``WeightBySam``."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", key))


def chooses_itself(spec: Operator) -> bool:
    """Return whether the operator says by weights of 0 which attributes not to keep."""
    return spec.role is not Role.WEIGHTING


def arguments_of(spec: Operator) -> dict[str, inspect.Parameter]:
    """Return the arguments of the constructor by name."""
    kinds = inspect.Parameter
    arguments = {
        name: kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=None)
        for name in [*(sub.name for sub in spec.subprocesses), *weights_ports(spec)]
    }
    for parameter in described_parameters(spec):
        default = kinds.empty if parameter.required else constant_default(parameter)
        arguments[parameter.name] = kinds(parameter.name, kinds.KEYWORD_ONLY, default=default)
    if spec.random:
        arguments["random_state"] = kinds("random_state", kinds.KEYWORD_ONLY, default=None)
    return arguments


def constant_default(parameter: Parameter) -> Any:
    """Return the default as something that cannot change."""
    default = parameter.default
    if isinstance(default, list):
        return tuple(default)
    return None if isinstance(default, dict) and not default else default


def own_parameters(spec: Operator) -> list[Parameter]:
    """Return the operator's parameters, but not its seed."""
    hidden = {parameter.name for parameter in SEED_PARAMETERS} if spec.random else set()
    return [parameter for parameter in spec.parameters if parameter.name not in hidden]


def choices_of(spec: Operator) -> list[Parameter]:
    """Return how attributes can be chosen, where the operator has no parameter of that name."""
    taken = {parameter.name for parameter in spec.parameters}
    return [choice for choice in CHOICES if choice.name not in taken]


def marks_of(spec: Operator) -> list[Parameter]:
    """Return the parameters that keep or forbid columns."""
    taken = {parameter.name for parameter in spec.parameters}
    return [mark for mark in MARKED if mark.name not in taken]


def described_parameters(spec: Operator) -> list[Parameter]:
    """Return all parameters of a selector beside inner processes and the seed."""
    return [*own_parameters(spec), *choices_of(spec), *marks_of(spec), *label_types(spec)]


def label_types(spec: Operator) -> list[Parameter]:
    """Return the parameter that says what y is, where the operator leaves that open."""
    return [LABEL_TYPE] if accepts_of_operator(spec).label in ("any", "none") else []


def weights_ports(spec: Operator) -> list[str]:
    """Return the inputs for weights beside the table."""
    others = spec.inputs[1:]
    return [p.name for p in others if issubclass(p.type, AttributeWeights) and not p.many]


def weights_output(spec: Operator) -> str:
    """Return the output that gives the weights."""
    return next(p.name for p in spec.outputs if issubclass(p.type, AttributeWeights))


def accepts_of_operator(spec: Operator, missing: Any = None) -> Accepts:
    """Return the accepted data, where ``missing`` sets the treatment of missing values."""
    accepts = spec.accepts.get(spec.inputs[0].name, Accepts(missing=True, infinite=True))
    return replace(accepts, missing=accepts.missing and missing != "error")


def accepts_of_learner(tags: Tags) -> Accepts:
    """Return the accepted data of a learner of scikit-learn in a search."""
    labels: dict[str | None, LabelKind] = {"classifier": "nominal", "regressor": "numerical"}
    label = labels.get(tags.estimator_type, "any")
    return Accepts(label=label, attributes="numerical", missing=tags.input_tags.allow_nan)


def label_kind(label_type: LabelType, accepts: Accepts) -> LabelType:
    """Return the kind of y; it follows from the accepted data unless several are possible."""
    needed: dict[str, LabelType] = {
        "binominal": "nominal",
        "nominal": "nominal",
        "numerical": "numerical",
    }
    return needed.get(accepts.label, "auto") if label_type == "auto" else label_type


def both(one: Accepts, two: Accepts) -> Accepts:
    """Return what both can take."""
    labels = ("none", "any", "numerical", "nominal", "binominal")
    kinds = ("any", "numerical, nominal or date", "numerical or nominal", "nominal", "numerical")
    return replace(
        one,
        label=max(one.label, two.label, key=labels.index),
        attributes=max(one.attributes, two.attributes, key=kinds.index),
        missing=one.missing and two.missing,
        infinite=one.infinite and two.infinite,
    )
