"""Operators of every shape, so that the tests do not depend on the built-in ones."""

from importlib.resources import files
from typing import Annotated, Literal, NamedTuple

import pytest
from lxml import etree

from fsops.core import (
    Aliases,
    AttributeNames,
    File,
    Named,
    Registry,
    Subprocess,
    operator,
)
from fsops.data import AttributeWeights, ExampleSet, Model, PerformanceVector


class Parts(NamedTuple):
    parts: list[ExampleSet]
    weights: AttributeWeights


class Validated(NamedTuple):
    performance: PerformanceVector
    model: Model | None


@operator(group="Test")
def make(*, rows: int = 10, ratio: float = 0.5, method: Literal["a", "b c"] = "a") -> ExampleSet:
    """Make data"""


@operator(
    group="Test",
    aliases=Aliases(
        keys=("foreign:weigh", "Weigher"),
        ports={"example set": "examples", "ws": "weights"},
        parameters={"sort_weights": "sort", "order_weights": "sort"},
    ),
)
def weigh(examples: ExampleSet, *, sort: bool = False) -> AttributeWeights:
    """Weigh"""


@operator(group="Test", aliases=Aliases(ports={"through": "inputs", "out": "parts"}))
def split(inputs: list[ExampleSet]) -> Parts:
    """Split"""


@operator(group="Test")
def configure(
    examples: ExampleSet,
    *,
    values: list[int] = [],  # noqa: B006
    names: Annotated[list[str], AttributeNames] = [],  # noqa: B006
    pairs: list[tuple[str, str]] = [],  # noqa: B006
    mapping: dict[str, float] = {},  # noqa: B006
    file: Annotated[str, File()] = "",
) -> ExampleSet:
    """Configure"""


@operator(
    group="Test",
    aliases=Aliases(
        keys=("concurrency:validate",),
        ports={"training set": "training", "test set": "testing", "averagable 1": "performance"},
    ),
)
def validate_inside(
    examples: ExampleSet,
    training: Subprocess[[Annotated[ExampleSet, Named("training")]], Model],
    testing: Subprocess[[Model, Annotated[ExampleSet, Named("testing")]], PerformanceVector],
    *,
    folds: int = 10,
) -> Validated:
    """Validate"""


@operator(group="Test")
def branch(
    examples: ExampleSet, branches: list[Subprocess[[ExampleSet], ExampleSet]]
) -> ExampleSet:
    """Branch"""


@pytest.fixture(scope="session")
def registry():
    return Registry([make, weigh, split, configure, validate_inside, branch])


@pytest.fixture(scope="session")
def schema():
    return etree.RelaxNG(
        etree.fromstring(files("fsops.storage").joinpath("process.rng").read_bytes())
    )
