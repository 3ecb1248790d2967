"""The operator that makes data up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from fsops.algorithms.preparation import simulation
from fsops.algorithms.preparation.simulation import (
    BOUNDED,
    NEGATIVE_POSITIVE,
    STANDARD,
    TARGETS,
    Simulated,
)
from fsops.core import Aliases, Context, Named, When, operator
from fsops.data import (
    Attribute,
    AttributeWeights,
    ExampleSet,
    ExampleSetMetaData,
    MetaData,
    Schema,
    ValueType,
    WeightsMetaData,
)
from fsops.data.schema import LABEL
from fsops.errors import ParameterError

TargetFunction = Literal[
    "random",
    "grid function",
    "sum",
    "polynomial",
    "non linear",
    "one variable non linear",
    "complicated function",
    "complicated function2",
    "simple sinus",
    "sinus",
    "sinc",
    "random classification",
    "one third classification",
    "sum classification",
    "quadratic classification",
    "simple non linear classification",
    "interaction classification",
    "simple polynomial classification",
    "polynomial classification",
    "checkerboard classification",
    "random dots classification",
    "global and local models classification",
    "sinus classification",
    "multi classification",
    "two gaussians classification",
    "gaussian mixture clusters",
    "three ring clusters",
    "single gaussian cluster",
    "knife linear",
    "knife sinus",
    "knife orange",
    "gene expression",
]
GENES = "gene expression"
RING_CLUSTERS, ONE_GAUSSIAN = "three ring clusters", "single gaussian cluster"
# Fewest attributes; formulas tell it themselves.
FEWEST = {
    "random dots classification": 2,
    "global and local models classification": 2,
    RING_CLUSTERS: 2,
    "knife linear": len(simulation.KNIFE_COEFFICIENTS),
    "knife sinus": len(simulation.KNIFE_COEFFICIENTS),
    "knife orange": simulation.ORANGE_FEATURES,
}
REGRESSION = ("random", "grid function", ONE_GAUSSIAN, "knife linear", "knife sinus")


class Generated(NamedTuple):
    """Data, and the true weights."""

    examples: ExampleSet
    truth: Annotated[
        AttributeWeights,
        Named("truth", "1 for the attributes the label depends on, 0 for the others."),
    ]


def _classes(function: str, attributes: int) -> tuple[str, ...]:
    """Return the classes of the label; none if it is numerical."""
    if function in TARGETS:
        return TARGETS[function].classes
    if function in REGRESSION:
        return ()
    if function == RING_CLUSTERS:
        return simulation.RINGS
    if function == "gaussian mixture clusters":
        return tuple(f"cluster{c}" for c in range(simulation.cluster_count(attributes)))
    return ("cluster0", "cluster1") if "gaussians" in function else NEGATIVE_POSITIVE


def _label(classes: tuple[str, ...]) -> Attribute:
    if classes:
        return Attribute.nominal("label", classes, LABEL)
    return Attribute("label", ValueType.REAL, LABEL)


def _describe(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> dict[str, MetaData]:
    attributes = parameters["number_of_attributes"]
    names = tuple(f"att{j + 1}" for j in range(attributes))
    label = _label(_classes(parameters["target_function"], attributes))
    schema = Schema.numerical(names).appended([label])
    return {
        "examples": ExampleSetMetaData(schema=schema, rows=parameters["number_of_rows"]),
        "truth": WeightsMetaData(names=names),
    }


@operator(
    group="Data access",
    role="source",
    describe=_describe,
    aliases=Aliases(ports={"output": "examples"}),
    tags=("simulation", "synthetic", "artificial", "random data", "known truth", "microarray"),
    random=True,
)
def generate_data(
    *,
    target_function: Annotated[
        TargetFunction, Field(description="Function that computes the label from the attributes.")
    ] = "random",
    number_of_rows: Annotated[int, Field(ge=1, description="Number of rows.")] = 100,
    number_of_attributes: Annotated[
        int,
        Field(
            ge=1,
            description="Number of attributes; attributes that the label does not depend "
            "on are noise.",
        ),
    ] = 5,
    attributes_lower_bound: Annotated[
        float,
        When(target_function=tuple(BOUNDED)),
        Field(description="Smallest value of the attributes."),
    ] = -10.0,
    attributes_upper_bound: Annotated[
        float,
        When(target_function=tuple(BOUNDED)),
        Field(description="Largest value of the attributes."),
    ] = 10.0,
    largest_radius: Annotated[
        float,
        When(target_function=RING_CLUSTERS),
        Field(gt=0, description="Radius of the outer ring."),
    ] = 10.0,
    gaussian_standard_deviation: Annotated[
        float,
        When(target_function=ONE_GAUSSIAN),
        Field(gt=0, description="Standard deviation of each attribute."),
    ] = 10.0,
    number_of_relevant_attributes: Annotated[
        int,
        When(target_function=GENES),
        Field(ge=0, description="Attributes that differ between the classes."),
    ] = 5,
    block_size: Annotated[
        int,
        When(target_function=GENES),
        Field(ge=1, description="Neighboring attributes that are correlated."),
    ] = 10,
    correlation: Annotated[
        float,
        When(target_function=GENES),
        Field(ge=0, le=1, description="Correlation of the attributes of a block."),
    ] = 0.5,
    effect_size: Annotated[
        float,
        When(target_function=GENES),
        Field(
            ge=0,
            le=1000,
            description="Difference between the classes in standard deviations.",
        ),
    ] = 1.0,
    ctx: Context,
) -> Generated:
    """Generate Data

    Generates a table whose label depends on known attributes, to see whether a selection finds
    them: ``truth`` has weight 1 for these attributes and 0 for the others.

    The target functions of RapidMiner take uniform attributes between the bounds, the label a
    formula of the first ones:

    - sum: att1 + att2 + …; polynomial: att1³ + att2² + att3;
      non linear: att1·att2·att3 + att1·att2 + att2²;
      one variable non linear: 3·att1³ - att1² + 1000/abs(att1) + 2000·abs(att1);
      complicated function: att1²·att2 + att2·att3 + max(att1, att2) - exp(att3);
      complicated function2: att1³ + att2² + att1·att2 + att1/abs(att3) - 1/att3²;
      simple sinus: sin(att1); sinus: sin(att1·att2) + sin(att1 + att2);
      sinc: sin(r) / r, where r is the length of the row;
      random: a number that depends on nothing; grid function: the centers of a regular grid,
      with a label of 0, to show the predictions of a model everywhere.
    - A class is positive if: one third: att1 < 1/3; sum: the sum is above 0; quadratic:
      att2 > att1²; simple non linear: att1·att2 is between 50 and 80; interaction: att1 < 0, or
      att2 > 0 and att3 < 0; simple polynomial: att1⁴ > 100; polynomial:
      att1³ + att2² - att3² + att4 > 0; sinus: as above, > 0; checkerboard: on one color of a board
      with tiles of 5 × 5; random dots: inside 10 discs but not inside 5 others; global and
      local models: att1 + att2 > 0, except inside some discs. Multi: four classes, by whether the
      rounded sum can be divided by 2, 3, 5 or none of them.
    - two gaussians and gaussian mixture clusters: the class is the cluster; with p attributes there
      are 2, or 2^p (at most 1024) clusters. Three ring clusters: a core and two rings in att1 and
      att2; one label in twenty is random. Single gaussian cluster: normal attributes, a label of 0.

    The simulations of the KNIFE paper have standard normal attributes. knife linear: 6·att1 -
    4·att2 + 3·att3 + 2·att4 - 2·att5 + noise; knife sinus: the same with the sines of the
    attributes; knife orange: the positive half is in a shell, 9 ≤ att1² + … + att4² ≤ 16.

    gene expression: blocks of correlated attributes with different levels and spreads; a few
    attributes of different blocks differ between two classes. For the shape of a microarray set
    number_of_attributes to some thousand.

    Unlike in RapidMiner, every function accepts more attributes than it needs. The random numbers
    differ from those of RapidMiner.

    References
    ----------
    - G. I. Allen: Automatic feature selection via weighted kernels and regularization. Journal of
      Computational and Graphical Statistics 22(2), 284-299, 2013.
    """
    _check(target_function, number_of_attributes, attributes_lower_bound, attributes_upper_bound)
    n, p, rng = number_of_rows, number_of_attributes, ctx.rng("data")
    if target_function == GENES:
        if number_of_relevant_attributes > p:
            raise ParameterError(
                f"number_of_relevant_attributes is {number_of_relevant_attributes}, but there are "
                f"{p} attributes.",
                hint="Raise number_of_attributes.",
            )
        made = simulation.gene_expression(
            rng,
            n,
            p,
            relevant=number_of_relevant_attributes,
            block=block_size,
            correlation=correlation,
            effect=effect_size,
        )
    elif target_function == RING_CLUSTERS:
        made = simulation.ring_clusters(rng, n, p, radius=largest_radius)
    elif target_function == ONE_GAUSSIAN:
        made = simulation.single_gaussian(rng, n, p, deviation=gaussian_standard_deviation)
    elif target_function in STANDARD:
        made = STANDARD[target_function](rng, n, p)
    else:
        bounds = attributes_lower_bound, attributes_upper_bound
        made = BOUNDED[target_function](rng, n, p, bounds)
    return _table(made)


def _check(function: str, attributes: int, low: float, high: float) -> None:
    uses = TARGETS[function].uses if function in TARGETS else FEWEST.get(function)
    if uses is not None and attributes < uses:
        raise ParameterError(
            f'number_of_attributes is {attributes}, but "{function}" needs at least {uses}.'
        )
    if function in BOUNDED and not (low <= high and np.isfinite(high - low)):
        raise ParameterError(
            f"attributes_lower_bound is {low:g}, but must not be above attributes_upper_bound, "
            f"{high:g}, nor too far below it."
        )


def _table(made: Simulated) -> Generated:
    if not made.classes and not np.isfinite(made.y).all():
        raise ParameterError(
            "The label would be infinite for attributes between attributes_lower_bound and "
            "attributes_upper_bound.",
            hint="Choose other bounds.",
        )
    examples = ExampleSet.from_numpy(made.X)
    label = _label(made.classes)
    values = made.y.astype(np.int32 if made.classes else np.float64)
    truth = examples.weights(made.relevant.astype(np.float64))
    return Generated(examples.with_columns([(label, values)]), truth)
